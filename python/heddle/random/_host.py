"""Generators that ask NumPy: it draws on the host, and the current device gets a copy.

For bit generators that go from one state to the next, as Mersenne's twister, whose streams programs
expect number by number.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy

from heddle import _core
from heddle._arguments import normalize_axis_index
from heddle._core import default_device, ndarray, own_array, taken
from heddle._creation.arrays import array
from heddle._typing import ArrayLike, DType, DTypeLike, HostArray, ShapeLike
from heddle.random._arguments import PYTHONS, is_beyond, on_host
from heddle.random._generator import Generator
from heddle.random._philox import Philox
from heddle.random._recording import drawn_on_host, refuse

if TYPE_CHECKING:
    from heddle.random._legacy import LegacyMethods
    from heddle.random._old_style import ModuleState
else:
    LegacyMethods = numpy.random.RandomState  # libraries ask whether it is one


def _on_device(value: ArrayLike) -> ArrayLike:
    """NumPy's arrays as ours, in their own memory on the host; numbers as they are."""
    if is_beyond(value):
        return value
    if type(value) is numpy.ndarray and value.flags.owndata and value.size and _on_this_host():
        return taken(value)
    return array(value) if isinstance(value, numpy.ndarray) else value


def _on_this_host() -> bool:
    return default_device() == "cpu"


def _drawing(kind: type, name: str) -> Any:
    """A method that NumPy's method of this name does the work of."""
    source = getattr(kind, name)

    @functools.wraps(source)
    def method(
        self: HostGenerator | RandomState | ModuleState, *args: object, **kwargs: object
    ) -> Any:
        target = kwargs.get("out")
        given = tuple(map(on_host, args))
        draw = getattr(self._host, name)
        if not isinstance(target, own_array):
            drawn = drawn_on_host(self._host, lambda: draw(*given, **_mapped(kwargs)))
            return drawn if drawn is target and target is not None else _on_device(drawn)
        held = _laid_out_as(target)

        def filled() -> HostArray:
            draw(*given, **{**_mapped(kwargs), "out": held})
            return held.copy()

        target[...] = drawn_on_host(self._host, filled)
        return target

    return method


# --- types of numbers, which CuPy's functions of old have and NumPy's have not ---

COUNTS = {
    *("binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson"),
    "zipf",
}
TYPED = COUNTS | {
    *("beta", "chisquare", "dirichlet", "exponential", "f", "gamma", "gumbel", "laplace"),
    *("logistic", "lognormal", "multivariate_normal", "noncentral_chisquare", "noncentral_f"),
    *("normal", "pareto", "power", "rand", "randn", "random", "random_sample", "rayleigh"),
    *("standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal"),
    *("standard_t", "triangular", "uniform", "vonmises", "wald", "weibull"),
}


_OF_ANY_TYPE = COUNTS | {"noncentral_chisquare", "noncentral_f"}  # CuPy's kernels write any


def check_type(name: str, dtype: DTypeLike | None) -> DType:
    """A type that a distribution's numbers can have; TypeError for others."""
    wanted = numpy.dtype(dtype)
    if wanted.kind not in ("iufV" if name in _OF_ANY_TYPE else "fV"):
        raise TypeError(f"Unsupported dtype {wanted!r} for {name}")
    return wanted


@functools.cache
def place_of_size(name: str) -> int | None:
    """Which argument of a method is the size; None where there is none."""
    same = getattr(Generator, {"random_sample": "random"}.get(name, name), None)
    names = [] if same is None else list(inspect.signature(same).parameters)
    return names.index("size") - 1 if "size" in names else None


def split_type(name: str, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any], Any]:
    """The arguments of a distribution without the type, and the type: it comes after the size."""
    if name not in TYPED:
        return args, kwargs, None
    kwargs = dict(kwargs)
    dtype = kwargs.pop("dtype", None)
    place = place_of_size(name)
    if place is not None and len(args) == place + 2 and name != "multivariate_normal":
        if dtype is not None:
            raise TypeError(f"{name}: dtype was given twice")
        *args, dtype = args
    return tuple(args), kwargs, None if dtype is None else check_type(name, dtype)


def _typed(draw: Callable[..., Any]) -> Any:
    """A method of old that takes a type for its numbers."""

    @functools.wraps(draw)
    def method(self: object, *args: object, **kwargs: object) -> Any:
        args, kwargs, dtype = split_type(draw.__name__, args, kwargs)
        drawn = draw(self, *args, **kwargs)
        if dtype is None:
            return drawn
        return drawn.astype(dtype) if isinstance(drawn, own_array) else array(drawn, dtype)[()]

    return method


_PLAIN = {*PYTHONS, tuple, type(None)}


def for_numbers(name: str, method: Callable[..., Any]) -> Any:
    """The method, and a way past it where NumPy draws of Python's numbers, and for sizes."""
    place = {"rand": 64, "randn": 64, "randint": 2}.get(name, place_of_size(name))
    if place is None:
        return method
    singles = 0 if name in ("rand", "randn") else place  # arguments with which one number is drawn

    def is_plain(args: tuple[object, ...], kwargs: dict[str, object]) -> bool:
        if len(args) > place + 1 or not _PLAIN.issuperset(map(type, args)):
            return False
        return not kwargs or (
            "dtype" not in kwargs and _PLAIN.issuperset(map(type, kwargs.values()))
        )

    @functools.wraps(method)
    def quick(self: _DrawsOnHost, *args: object, **kwargs: object) -> Any:
        if _core.recording():
            return method(self, *args, **kwargs)
        if kwargs or len(args) > singles or not PYTHONS.issuperset(map(type, args)):
            if self._defers or not is_plain(args, kwargs):
                return method(self, *args, **kwargs)
            return _on_device(getattr(self._host, name)(*args, **kwargs))
        drawn = getattr(self._host, name)(*args)
        return drawn if type(drawn) is float else _on_device(drawn)

    return quick


def _laid_out_as(target: ndarray) -> HostArray:
    """An array like a target, for NumPy to look at its layout and flags, and refuse it or not."""
    held = numpy.empty(target.shape, target.dtype, "F" if target._f_contiguous else "C")
    if not (target._c_contiguous or target._f_contiguous):
        held = numpy.stack([held, held], -1)[..., 0]
    held.flags.writeable = target._writeable
    return held


def _mapped(kwargs: dict[str, object]) -> dict[str, object]:
    return {key: on_host(value) for key, value in kwargs.items()}


def _shuffle(self: _DrawsOnHost, x: object, *args: Any, **kwargs: Any) -> None:
    """Put the parts of an array or a list in random order, in place.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(5)
    >>> np.random.shuffle(x)
    >>> np.sort(x)
    array([0, 1, 2, 3, 4])
    """
    if not isinstance(x, own_array):
        refuse("it changes the order of what is no array")
        self._host.shuffle(x, *args, **kwargs)
        return
    if x.ndim == 0:
        raise TypeError("len() of unsized object")
    if not x._writeable:
        raise ValueError("array is read-only")
    axis = normalize_axis_index(operator.index((*args, kwargs.get("axis", 0))[0]), x.ndim)
    # NumPy is given places for the elements: those stay where they are.
    shape = (1,) * axis + (-1,) + (1,) * (x.ndim - 1 - axis)
    count = x.shape[axis]

    def order() -> Any:
        places = numpy.arange(count)
        self._host.shuffle(places.reshape(shape), *args, **kwargs)
        return places

    x[...] = x.take(drawn_on_host(self._host, order), axis=axis)


class _DrawsOnHost:
    """What for_numbers asks of a generator."""

    _host: Any  # NumPy's generator

    @property
    def _defers(self) -> bool:
        """Whether arrays are drawn elsewhere than on the host."""
        return False


_Class = TypeVar("_Class")


def _with_methods(
    kind: type, leave: set[str], typed: bool = False
) -> Callable[[type[_Class]], type[_Class]]:
    """Give a class a method for each of NumPy's that draws."""

    def give(cls: type[_Class]) -> type[_Class]:
        for name in dir(kind):
            if not name.startswith("_") and name not in leave and callable(getattr(kind, name)):
                draw = _drawing(kind, name)
                draw = _typed(draw) if typed and name in TYPED else draw
                setattr(cls, name, for_numbers(name, draw))
        setattr(cls, "shuffle", _shuffle)  # noqa: B010
        return cls

    return give


@_with_methods(numpy.random.Generator, {"shuffle", "spawn", "bytes", "bit_generator"})
class HostGenerator(_DrawsOnHost, Generator):
    """A generator of one of NumPy's bit generators."""

    def __init__(self, bit_generator: Any) -> None:
        self._bits = bit_generator
        self._host: numpy.random.Generator = numpy.random.Generator(bit_generator)
        self._begin_as_numpys(bit_generator)

    def __str__(self) -> str:
        return f"Generator({type(self._bits).__name__})"

    def bytes(self, length: int) -> bytes:
        """Random bytes."""
        refuse("it draws bytes")
        return self._host.bytes(length)


@_with_methods(
    numpy.random.RandomState,
    {"shuffle", "seed", "get_state", "set_state", "bytes", "tomaxint"},
    typed=True,
)
class RandomState(_DrawsOnHost, LegacyMethods):
    """NumPy's generator of old: the streams that programs with a seed expect.

    NumPy draws on the host, and the current device gets a copy. Distributions take a `dtype`, as
    CuPy's do: numbers are drawn as NumPy draws them, and cast.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.RandomState(7).randint(0, 10, 3)
    array([4, 9, 6])
    """

    def __init__(self, seed: object = None) -> None:
        if isinstance(seed, Philox):
            raise TypeError("RandomState draws on the host: give it numpy.random.Philox(...)")
        self._draw_from(numpy.random.RandomState(on_host(seed)))

    def _draw_from(self, host: numpy.random.RandomState) -> None:
        """Draw what one of NumPy's draws."""
        self._host: numpy.random.RandomState = host
        numpy.random.RandomState.__init__(cast("Any", self), host._bit_generator)

    def seed(self, seed: ArrayLike | None = None) -> None:
        """Begin the stream of a seed."""
        refuse("it seeds a generator")
        self._host.seed(on_host(seed))

    def get_state(self, legacy: bool = True) -> dict[str, Any] | tuple[Any, ...]:
        """The state of the bit generator, as NumPy gives it."""
        refuse("it reads the state of a generator")
        read: Any = self._host.get_state
        state: dict[str, Any] | tuple[Any, ...] = read(legacy)
        return state

    def set_state(self, state: Mapping[str, Any] | tuple[Any, ...]) -> None:
        """Go on from a state."""
        refuse("it sets the state of a generator")
        self._host.set_state(cast("Any", state))

    def bytes(self, length: int) -> bytes:
        """Random bytes.

        Examples
        --------
        >>> import heddle as np
        >>> len(np.random.bytes(3))
        3
        """
        refuse("it draws bytes")
        return self._host.bytes(length)

    def tomaxint(self, size: ShapeLike | None = None) -> ndarray:
        """Integers from 0 up to the greatest one."""
        drawn: Any = drawn_on_host(self._host, lambda: self._host.tomaxint(size))
        return cast("ndarray", _on_device(drawn))

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._host,)

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"RandomState({type(self._host._bit_generator).__name__})"


def _restored(host: numpy.random.RandomState) -> RandomState:
    made = RandomState.__new__(RandomState)
    made._draw_from(host)
    return made
