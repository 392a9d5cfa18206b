"""The machinery, as far as a user sees it: evaluation, statistics, devices, memory."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

import numpy as _numpy
from numpy import geterr, geterrcall, seterrcall

from heddle import _core
from heddle._arguments import no_value
from heddle._core import devices, in_core, ndarray, reset_stats, stats, synchronize
from heddle._runtime.float_errors import seterr, wanted

if TYPE_CHECKING:
    from heddle.cuda._pinned import _DefaultPinnedPool

__version__ = _core.version()
_F = TypeVar("_F", bound=Callable[..., Any])


def _arrays(
    args: tuple[Any, ...] | tuple[ndarray | Callable[..., Any], ...],
) -> list[_core.ndarray]:
    """The arrays among the arguments, which may be nested in lists, tuples and dicts."""
    found: list[_core.ndarray] = []
    pending = list(reversed(args))
    while pending:
        item = pending.pop()
        if isinstance(item, _core.own_array):
            found.append(item)
        elif isinstance(item, list | tuple):
            pending.extend(reversed(item))
        elif isinstance(item, dict):
            pending.extend(reversed(list(item.values())))
        elif not isinstance(item, _numpy.generic):  # a number that was known at once
            raise TypeError(f"expected heddle arrays, not {type(item).__name__}")
    return found


@in_core
def eval(*arrays: object) -> None:
    """Computes the arrays (also in lists, tuples and dicts) together, sharing common work.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(3) + 1
    >>> np.eval(x)
    >>> x.pending
    False
    """
    _core.eval(*_arrays(arrays))


def explain(*arrays: ndarray | Callable[..., Any]) -> str:
    """Which kernels evaluation would run, what they read and write, and why they are several.

    Computes nothing. docs/explain.md says what the lines mean. What is done at the call, as
    operations on few elements are, is not pending.

    Examples
    --------
    >>> a = heddle.linspace(0, 1, 1000).eval()
    >>> i = heddle.asarray([3, 7, 11]).eval()
    >>> print(heddle.explain((a * 2 + 1)[i]), end="")
    2 kernels for 3 operations
    <BLANKLINE>
    kernel 1: domain (1000,), 6 instructions
      computes: multiply, add
      reads 8,000 bytes, writes 8,000: float64(1000,)
    <BLANKLINE>
    kernel 2: domain (3,), 10 instructions
      computes: gather
      reads 48 bytes, writes 24: float64(3,)
      apart from the kernel before: read at arbitrary places
    <BLANKLINE>
    in all: reads 8,048 bytes, writes 8,024; at least 8,024 and 24 (inputs and results once)
    """
    return _core.explain(*_arrays(arrays))


class errstate(_numpy.errstate):
    """NumPy's, and what becomes of matrices that `heddle.linalg` cannot work on.

    Parameters
    ----------
    linalg : {'raise', 'ignore'}, optional
        Singular matrices, those that are not positive definite, and those for which an iteration
        does not converge raise LinAlgError, for which the call waits. Or they are ignored: what
        is made of them is nan, and nobody waits. Holds for the thread.
    call, all, divide, over, under, invalid
        As for `numpy.errstate`. Errors that are to be raised, called, printed, logged or warned of
        are looked for in the block: every operation runs at its call, and nothing is fused. Where
        nothing is said about them nobody looks.

    Examples
    --------
    >>> with heddle.errstate(linalg="ignore"):
    ...     x = heddle.linalg.inv(heddle.zeros((2, 2)))
    >>> with heddle.errstate(over="raise"):
    ...     heddle.exp(heddle.array([1.0, 1000.0]))
    Traceback (most recent call last):
        ...
    FloatingPointError: overflow encountered in exp
    """

    def __init__(
        self,
        *,
        call: object = no_value,
        all: str | None = None,
        divide: str | None = None,
        over: str | None = None,
        under: str | None = None,
        invalid: str | None = None,
        linalg: str | None = None,
    ) -> None:
        kwargs: dict[str, Any] = {
            "all": all,
            "divide": divide,
            "over": over,
            "under": under,
            "invalid": invalid,
        }
        if call is not no_value:
            kwargs["call"] = call
        if linalg not in (None, "raise", "ignore"):
            raise ValueError(f"errstate: linalg must be 'raise' or 'ignore', not {linalg!r}")
        super().__init__(**kwargs)
        self._linalg, self._kwargs = linalg, kwargs

    def __enter__(self) -> None:
        super().__enter__()
        self._checks = _core.exchange_float_checks(wanted(self._kwargs, warnings=True))
        if self._linalg is not None:
            self._before = _core.linalg.exchange_ignored(self._linalg == "ignore")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        if self._linalg is not None:
            _core.linalg.exchange_ignored(self._before)
        _core.exchange_float_checks(self._checks)
        super().__exit__(kind, error, trace)

    def __call__(self, func: _F) -> _F:
        @functools.wraps(func)
        def inner(*args: object, **kwargs: object) -> Any:
            with type(self)(linalg=self._linalg, **self._kwargs):
                return func(*args, **kwargs)

        return cast("_F", inner)


class device(contextlib.ContextDecorator):
    """The device on which arrays are created in a ``with`` block.

    Parameters
    ----------
    name : str
        One of `devices()`; "cuda" or "gpu" is the first GPU.

    Examples
    --------
    >>> with heddle.device("cpu"):
    ...     a = heddle.ones(3)
    """

    def __init__(self, name: str) -> None:
        self.name = _core.find_device(name)

    def __enter__(self) -> device:
        _core.push_device(self.name)
        return self

    def __exit__(self, *error: object) -> None:
        _core.pop_device()

    def __repr__(self) -> str:
        return f"device({self.name!r})"

    def __str__(self) -> str:
        return self.name


@overload
def default_device() -> str: ...
@overload
def default_device(name: str) -> device: ...
def default_device(name: str | None = None) -> str | device:
    """The name of the device on which arrays are created; or, with a name, `device` of that.

    Parameters
    ----------
    name : str, optional
        The device on which arrays are created in a ``with`` block: one of `devices()`; "gpu" is the
        first GPU.

    Examples
    --------
    >>> with heddle.default_device("cpu"):
    ...     print(heddle.default_device())
    cpu
    """
    return _core.default_device() if name is None else device(str(name))


def set_default_device(device: str) -> None:
    """Sets the device on which arrays are created outside of ``with heddle.device(...)``.

    Examples
    --------
    >>> import heddle as np
    >>> np.set_default_device("cpu")
    >>> np.ones(2).device
    'cpu'
    """
    _core.set_default_device(str(device))


class LostGradientWarning(UserWarning):
    """Elements were taken out of an array that is differentiated.

    What is made of them has no derivative.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", heddle.LostGradientWarning)
    ...     slope = heddle.grad(lambda x: x * float(x))(3.0)
    >>> print(slope)
    3.0
    """


_lost_gradients = "warn"


def get_lost_gradients() -> str:
    """What happens where elements are taken out of an array that is differentiated.

    Examples
    --------
    >>> heddle.get_lost_gradients()
    'warn'
    """
    return _lost_gradients


def set_lost_gradients(mode: str) -> None:
    """Sets what happens where elements are taken out of an array that is differentiated.

    ``float``, ``item``, ``tolist``, functions of ``math`` and NumPy do that inside of `grad` and
    `jvp`: what is made of such elements is constant.

    Parameters
    ----------
    mode : {'ignore', 'warn', 'raise'}
        Nothing; a `LostGradientWarning`, once for each line (the default); raise TypeError.

    Examples
    --------
    >>> heddle.set_lost_gradients("raise")
    >>> heddle.grad(lambda x: x * float(x))(3.0)
    Traceback (most recent call last):
        ...
    TypeError: float() takes elements out of an array that is differentiated: what is made ...
    >>> heddle.set_lost_gradients("warn")
    """
    if mode not in ("ignore", "warn", "raise"):
        raise ValueError("set_lost_gradients: mode must be one of 'ignore', 'warn', 'raise'")
    global _lost_gradients
    _lost_gradients = mode


def _tell_of_lost_gradient(what: str) -> None:
    if _lost_gradients == "ignore":
        return
    text = (
        f"{what} takes elements out of an array that is differentiated: what is made of them has "
        "no derivative. Say heddle.stop_gradient where that is meant"
    )
    if _lost_gradients == "raise":
        raise TypeError(text)
    from heddle._runtime.reports import warn_at_caller

    warn_at_caller(text, LostGradientWarning)


_core.set_lost_gradient_hook(_tell_of_lost_gradient)


class ImplicitCopyWarning(UserWarning):
    """A list or a NumPy array was copied to a device on its way into an operation.

    Examples
    --------
    >>> import heddle as np
    >>> issubclass(np.ImplicitCopyWarning, UserWarning)
    True
    """


_explicit = threading.local()


@contextlib.contextmanager
def explicit_copies() -> Iterator[None]:
    """Copies in the block were asked for."""
    _explicit.depth = getattr(_explicit, "depth", 0) + 1
    try:
        yield
    finally:
        _explicit.depth -= 1


_implicit_copies = "allow"


def get_implicit_copies() -> str:
    """What happens to lists and NumPy arrays beside arrays of a device, see the setter.

    Examples
    --------
    >>> import heddle as np
    >>> np.get_implicit_copies()
    'allow'
    """
    return _implicit_copies


def set_implicit_copies(mode: str) -> None:
    """Sets what happens where a list or a NumPy array has to be copied to a device's memory because
    an operation takes it beside an array there.

    Parameters
    ----------
    mode : {'allow', 'warn', 'raise'}
        Copy it; copy it with an `ImplicitCopyWarning`; raise TypeError. What `asarray` and `array`
        are given is always copied.

    Examples
    --------
    >>> import heddle as np
    >>> np.set_implicit_copies("raise")
    >>> np.get_implicit_copies()
    'raise'
    >>> np.set_implicit_copies("allow")
    """
    if mode not in ("allow", "warn", "raise"):
        raise ValueError("set_implicit_copies: mode must be one of 'allow', 'warn', 'raise'")
    global _implicit_copies
    _implicit_copies = mode

    def copied(device: str, shape: tuple[int, ...]) -> None:
        if getattr(_explicit, "depth", 0):
            return
        text = f"an array of shape {shape} is copied to {device} on its way into an operation"
        if mode == "raise":
            raise TypeError(f"{text}; use heddle.asarray")
        warnings.warn(text, ImplicitCopyWarning, stacklevel=2)

    _core.set_implicit_copy_hook(None if mode == "allow" else copied)


def get_default_memory_pool() -> Any:
    """The memory pool of the default device.

    Examples
    --------
    >>> import heddle as np
    >>> np.get_default_memory_pool().used_bytes() >= 0
    True
    """
    name = _core.default_device()
    if name.startswith("cuda"):
        from heddle.cuda.memory import default_pool

        return default_pool
    return _core.pool(name)


def _malloc(self: object, size: int) -> Any:
    """A block of at least this many bytes."""
    from heddle.cuda.memory import MemoryPointer, PooledMemory

    return MemoryPointer(PooledMemory(self, size, 0), 0)


def limit_in_bytes(size: int | None, fraction: float | None, total: int) -> int:
    """A pool's limit, of its bytes or of its part of a memory; 0 for none."""
    if size is not None and fraction is not None:
        raise ValueError("size and fraction cannot be specified at one time")
    if fraction is None:
        return 0 if size is None else size
    if not 0 <= fraction <= 1:
        raise ValueError(f"memory limit fraction out of range: {fraction}")
    return int(fraction * total)


def _set_limit(
    self: _core.MemoryPool, size: int | None = None, fraction: float | None = None
) -> None:
    """Limits the bytes of the pool, or their part of the machine's memory; 0 for no limit."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    _set_limit_of_pool(self, limit_in_bytes(size, fraction, total))


# Pools of the host's memory have what CuPy's have.
_set_limit_of_pool = _core.MemoryPool.set_limit
for _name, _method in {"set_limit": _set_limit, "malloc": _malloc}.items():
    setattr(_core.MemoryPool, _name, _method)


def get_default_pinned_memory_pool() -> _DefaultPinnedPool:
    """The pool of page-locked memory for copies to and from GPUs.

    Examples
    --------
    >>> import heddle as np
    >>> np.get_default_pinned_memory_pool().n_free_blocks() >= 0
    True
    """
    from heddle.cuda._pinned import default_pinned_pool

    return default_pinned_pool


def _gpu_config() -> dict[str, Any]:
    """What was found of CUDA and where, and what is missing."""
    cuda = _core.cuda
    if not cuda.is_available():
        return {"cuda": f"not available: {cuda.why_unavailable()}"}
    version = cuda.driver_version()
    found = {
        "cuda": f"{version // 1000}.{version % 1000 // 10}, driver {cuda.driver_path()}",
    }
    for number in range(cuda.device_count()):
        capability = ".".join(map(str, cuda.compute_capability(number)))
        memory = cuda.total_memory(number) / 2**30
        name = cuda.device_name(number)
        found[f"cuda:{number}"] = f"{name}, compute capability {capability}, {memory:.1f} GiB"
    for library, path in cuda.libraries().items():
        own = "missing: built without nvcc, so nothing sorts on a GPU"
        found[library] = path or (own if library == "CUB" else "missing: pip install heddle[cuda]")
    return found


@overload
def show_config(mode: Literal["dicts"]) -> dict[str, Any]: ...
@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Prints versions, devices and libraries, or returns them with ``mode="dicts"``.

    Examples
    --------
    >>> import heddle as np
    >>> sorted(np.show_config(mode="dicts"))[:2]
    ['cuda', 'default device']
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError("show_config: mode must be one of 'stdout', 'dicts'")
    import numpy

    config = {
        "heddle": __version__,
        "numpy": numpy.__version__,
        "python": sys.version.split()[0],
        "devices": devices(),
        "default device": default_device(),
        **_gpu_config(),
    }
    if mode == "dicts":
        return config
    for key, value in config.items():
        print(f"{key}: {value}")
    return None


__all__ = [
    "ImplicitCopyWarning",
    "LostGradientWarning",
    "default_device",
    "device",
    "devices",
    "errstate",
    "eval",
    "explain",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_implicit_copies",
    "get_lost_gradients",
    "geterr",
    "geterrcall",
    "reset_stats",
    "set_default_device",
    "set_implicit_copies",
    "set_lost_gradients",
    "seterr",
    "seterrcall",
    "show_config",
    "stats",
    "synchronize",
]
