"""Devices, waiting and settings by JAX's names."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import heddle as hd
from heddle import _core, tree
from heddle._transform import compiling
from heddle._typing import ArrayLike, Tree

_F = TypeVar("_F", bound=Callable[..., Any])


def devices(backend: str | None = None) -> list[str]:
    """The names of devices, of those of a kind if one is said.

    >>> from heddle import jax
    >>> "cpu" in jax.devices("cpu")
    True
    """
    kind = {"gpu": "cuda"}.get(backend or "", backend)
    if kind is None:
        kind = hd.default_device().partition(":")[0]
    found = [name for name in hd.devices() if name.partition(":")[0] == kind]
    if not found:
        raise RuntimeError(f"devices: there is no {backend!r} among {hd.devices()}")
    return found


def local_devices(process_index: int | None = None, backend: str | None = None) -> list[str]:
    """The same as `devices`: there is one process.

    >>> from heddle import jax
    >>> jax.local_devices() == jax.devices()
    True
    """
    if process_index not in (None, 0):
        raise ValueError(f"local_devices: there is one process, and no {process_index}")
    return devices(backend)


def device_count(backend: str | None = None) -> int:
    """How many devices there are, of the default kind or another one.

    >>> from heddle import jax
    >>> jax.device_count("cpu")
    1
    """
    return len(devices(backend))


def local_device_count(backend: str | None = None) -> int:
    """The same as `device_count`.

    >>> from heddle import jax
    >>> jax.local_device_count("cpu")
    1
    """
    return device_count(backend)


def process_count() -> int:
    """How many processes compute together: one.

    >>> from heddle import jax
    >>> jax.process_count()
    1
    """
    return 1


def process_index() -> int:
    """Which process this is: the first.

    >>> from heddle import jax
    >>> jax.process_index()
    0
    """
    return 0


def default_backend() -> str:
    """The kind of the default device; that of an NVIDIA GPU is "gpu".

    >>> from heddle import jax
    >>> jax.default_backend() in ("cpu", "gpu")
    True
    """
    kind = hd.default_device().partition(":")[0]
    return {"cuda": "gpu"}.get(kind, kind)


def default_device(device: object) -> contextlib.AbstractContextManager[Any]:
    """In the block arrays are made on a device.

    >>> from heddle import jax
    >>> with jax.default_device("cpu"):
    ...     print(jax.numpy.ones(1).device)
    cpu
    """
    return hd.device(str(device))


def device_put(x: Tree, device: object = None) -> Tree:
    """The leaves of a tree as arrays on a device; copies where they are elsewhere.

    ``device`` may be a tree that begins as ``x`` does, with a device or None for its parts.

    >>> from heddle import jax
    >>> print(jax.device_put([1, 2]))
    [array(1), array(2)]
    """
    made = tree.map(hd.asarray, x)
    if device is None:
        return made
    places = [device] * len(tree.leaves(made))
    if tree.structure(device) != tree.structure(""):
        try:
            places = tree.leaves(tree.broadcast(device, made, is_leaf=_is_none), is_leaf=_is_none)
        except ValueError as error:
            raise ValueError(f"device_put: the devices do not fit the tree: {error}") from None
    arrays, structure = tree.flatten(made)
    return structure.unflatten(
        a if place is None else a.to_device(str(place))
        for a, place in zip(arrays, places, strict=True)
    )


def _is_none(x: object) -> bool:
    return x is None


def device_get(x: Tree) -> Tree:
    """The leaves of a tree as NumPy's arrays.

    >>> from heddle import jax
    >>> type(jax.device_get(jax.numpy.ones(2))).__module__
    'numpy'
    """
    return tree.map(lambda leaf: hd.asnumpy(leaf) if isinstance(leaf, _core.own_array) else leaf, x)


def block_until_ready(x: Tree) -> Tree:
    """The same tree, when all its arrays are computed.

    >>> from heddle import jax
    >>> print(jax.block_until_ready(jax.numpy.ones(2) + 1))
    [2. 2.]
    """
    arrays = [leaf for leaf in tree.leaves(x) if isinstance(leaf, _core.own_array)]
    hd.eval(*[one for one in arrays if not _core.is_stand_in(one)])
    hd.synchronize()
    return x


def copy_to_host_async(x: Tree) -> Tree:
    """The same tree, whose arrays are being computed from now on, to be looked at soon.

    >>> from heddle import jax
    >>> print(jax.copy_to_host_async(jax.numpy.ones(2) + 1))
    [2. 2.]
    """
    arrays = [leaf for leaf in tree.leaves(x) if isinstance(leaf, _core.own_array)]
    hd.eval(*[one for one in arrays if not _core.is_stand_in(one)])
    return x


def typeof(x: ArrayLike) -> hd.ShapeDtypeStruct:
    """The shape and type of something as an array.

    >>> from heddle import jax
    >>> jax.typeof(1.5)
    ShapeDtypeStruct(shape=(), dtype=dtype('float64'))
    """
    like = x if isinstance(x, _core.own_array) else hd.asarray(x)
    return hd.ShapeDtypeStruct(like.shape, like.dtype)


@contextlib.contextmanager
def disable_jit(disable: bool = True) -> Iterator[None]:
    """In the block functions of `jit` run as plain code, in this thread.

    >>> from heddle import jax
    >>> with jax.disable_jit():
    ...     print(jax.jit(lambda x: x if x > 1 else -x)(2.0))
    2.0
    """
    before = compiling.runs_plainly(disable)
    try:
        yield
    finally:
        compiling.runs_plainly(before)


@contextlib.contextmanager
def ensure_compile_time_eval() -> Iterator[None]:
    """What is computed of known values in the block is known: here it always is.

    >>> from heddle import jax
    >>> with jax.ensure_compile_time_eval():
    ...     print(jax.numpy.arange(3).sum())
    3
    """
    yield


def debug_nans(new_val: bool = True) -> contextlib.AbstractContextManager[None]:
    """In the block an operation that makes nan is an error: see `heddle.debug.check_nans`.

    >>> from heddle import jax
    >>> with jax.debug_nans(True):
    ...     print(jax.numpy.log(jax.numpy.ones(1)))
    [0.]
    """
    return hd.debug.check_nans() if new_val else contextlib.nullcontext()


def debug_infs(new_val: bool = True) -> contextlib.AbstractContextManager[None]:
    """In the block an operation that makes an infinity, or nan, is an error.

    >>> from heddle import jax
    >>> with jax.debug_infs(True):
    ...     print(jax.numpy.log(jax.numpy.ones(1)))
    [0.]
    """
    return hd.debug.check_nans(infs=True) if new_val else contextlib.nullcontext()


def named_call(fun: _F, *, name: str | None = None) -> _F:
    """The same function: names of operations here are their lines.

    >>> from heddle import jax
    >>> jax.named_call(abs, name="size")(-1)
    1
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"named_call: a name is a text, not {name!r}")
    return fun


@contextlib.contextmanager
def named_scope(name: str) -> Iterator[None]:
    """A block with a name: operations here are known by their lines.

    >>> from heddle import jax
    >>> with jax.named_scope("layer"):
    ...     print(jax.numpy.ones(1))
    [1.]
    """
    if not isinstance(name, str):
        raise TypeError(f"named_scope: a name is a text, not {name!r}")
    yield


class Config:
    """JAX's settings, as far as there is something to set.

    ``jax_enable_x64`` can be True alone, ``jax_platforms`` is the kind of the default device, and
    ``jax_disable_jit`` holds for this thread.

    >>> from heddle import jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> jax.config.jax_enable_x64
    True
    """

    @property
    def jax_enable_x64(self) -> bool:
        """Whether numbers of Python's are 64 bits wide: they are."""
        return True

    x64_enabled = jax_enable_x64

    @property
    def jax_disable_jit(self) -> bool:
        """Whether functions of `jit` run as plain code."""
        return compiling.runs_plainly(None)

    @property
    def jax_platforms(self) -> str:
        """The kind of the default device."""
        return hd.default_device().partition(":")[0]

    def update(self, name: str, val: object) -> None:
        """Set one of them; ValueError for what cannot be set here."""
        if name == "jax_enable_x64" and val:
            return
        if name == "jax_disable_jit":
            compiling.runs_plainly(bool(val))
            return
        if name in ("jax_platforms", "jax_platform_name", "jax_default_device") and val:
            kind = str(val).partition(",")[0]
            hd.set_default_device({"gpu": "cuda"}.get(kind, kind))
            return
        raise ValueError(f"config: {name} cannot be {val!r} here")


config = Config()
