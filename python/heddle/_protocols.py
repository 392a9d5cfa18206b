"""How heddle's arrays meet other libraries: NumPy's protocols, the array interface, DLPack."""

import functools
import weakref
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._core import ndarray, ufuncs
from heddle._inputs import as_array

# The views behind addresses that were handed out, by the id of their arrays.
_views: dict[int, _numpy.ndarray[Any, Any]] = {}


def asnumpy(a: Any) -> _numpy.ndarray[Any, Any]:
    """The elements as a new NumPy array."""
    return as_array(a)._snapshot()


def _array(self: ndarray, dtype: Any = None, *, copy: bool | None = None) -> Any:
    """A NumPy array of the elements: the same memory unless a copy is asked for or needed."""
    if copy:
        made = self._snapshot()
        return made if dtype is None or made.dtype == dtype else made.astype(dtype)
    if dtype is None or self.dtype == dtype:
        return self._numpy()
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return self._snapshot().astype(dtype)


def _array_interface(self: ndarray) -> dict[str, Any]:
    """The address, shape and type of the memory, version 3 of NumPy's array interface."""
    if self.dtype.kind == "V":  # so that NumPy asks for __array__, which knows bfloat16
        raise AttributeError("bfloat16 has no type string in the array interface")
    # Whoever reads the address keeps this array alive, and the array the view that shares memory.
    view = self._numpy()
    if id(self) not in _views:
        weakref.finalize(self, _views.pop, id(self))
    _views[id(self)] = view
    return view.__array_interface__


def _dlpack(
    self: ndarray,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule of the memory, which stays shared while the capsule's consumer lives."""
    if stream is not None:
        raise RuntimeError("heddle only supports stream=None for arrays in host memory.")
    view = self._snapshot() if copy else self._numpy()
    return view.__dlpack__(stream=None, max_version=max_version, dl_device=dl_device, copy=None)


def _dlpack_device(self: ndarray) -> tuple[int, int]:
    """DLPack's type and number of the device: (1, 0) for host memory."""
    return (1, 0)


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> ndarray:
    """An array of the memory of any object with ``__dlpack__``, shared unless copied."""
    if device is not None and device != "cpu":
        raise ValueError(f"from_dlpack: unsupported device {device!r}")
    if isinstance(x, ndarray):
        return x._copy("K") if copy else x[...]
    made = _numpy.from_dlpack(x)
    return _core.asarray(made) if copy else _core.alias(made)


# --- the array API standard ---


def _array_namespace(self: ndarray, /, *, api_version: str | None = None) -> Any:
    """The module of the standard's functions."""
    import heddle

    _numpy.empty(0).__array_namespace__(api_version=api_version)  # raises for unknown versions
    return heddle


class __array_namespace_info__(_numpy.__array_namespace_info__):
    """What the standard asks about devices and types."""

    __module__ = "heddle"

    def default_device(self) -> str:
        """The device that new arrays are made on."""
        return _core.default_device()

    def devices(self) -> list[str]:
        """The names of the devices."""
        return list(_core.devices())


__array_api_version__ = _numpy.__array_api_version__


# --- NumPy's functions on heddle's arrays ---

_known = (ndarray, _numpy.ndarray, _numpy.generic, bool, int, float, complex, list, tuple)


def _array_ufunc(self: ndarray, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Runs NumPy's ufunc of the same name here."""
    outs = kwargs.get("out", ())
    if not all(isinstance(x, _known) for x in (*inputs, *(o for o in outs if o is not None))):
        return NotImplemented
    function = ufunc if isinstance(ufunc, _core.ufunc) else _own(ufunc)
    if function is None:
        return _on_host(ufunc, method, inputs, kwargs)
    if method != "__call__":
        function = getattr(function, method, None)
        if function is None:
            return NotImplemented
    if method in ("reduce", "accumulate", "reduceat") and len(outs) == 1:
        kwargs["out"] = outs[0]
    return function(*inputs, **kwargs)


@functools.cache
def _own(ufunc: Any) -> Any:
    """Our function for NumPy's; None for those of other libraries, whatever they are called."""
    import heddle

    name = ufunc.__name__
    if getattr(_numpy, name, None) is not ufunc:
        return None
    return ufuncs.get(name) or getattr(heddle, name, None)


def _on_host(ufunc: Any, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """Runs another library's ufunc (as those of scipy.special) on the memory of our arrays."""

    def seen(x: Any) -> Any:
        return x._numpy() if isinstance(x, ndarray) else x

    outs = kwargs.get("out")
    if outs is not None:
        kwargs["out"] = tuple(seen(o) for o in outs)
    if "where" in kwargs:
        kwargs["where"] = seen(kwargs["where"])
    made = getattr(ufunc, method)(*(seen(x) for x in inputs), **kwargs)
    if made is None:
        return None
    several = isinstance(made, tuple)
    results = [
        (m if _numpy.asarray(m).dtype.hasobject else as_array(m))
        if outs is None or outs[i] is None
        else outs[i]
        for i, m in enumerate(made if several else (made,))
    ]
    return tuple(results) if several else results[0]


@functools.cache
def _functions() -> dict[Any, Any]:
    """NumPy's public functions and heddle's of the same name."""
    import heddle

    table = {}
    spaces = [(_numpy, heddle)]
    for name in ("linalg", "fft", "random"):
        if hasattr(heddle, name):
            spaces.append((getattr(_numpy, name), getattr(heddle, name)))
    for theirs, ours in spaces:
        for name in dir(theirs):
            function, mine = getattr(theirs, name), getattr(ours, name, None)
            if callable(mine) and hasattr(function, "_implementation"):
                table[function] = mine
    return table


def _array_function(self: ndarray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Runs NumPy's function of the same name here."""
    if not all(issubclass(t, ndarray | _numpy.ndarray) for t in types):
        return NotImplemented
    function = _functions().get(func)
    return NotImplemented if function is None else function(*args, **kwargs)


ndarray.__array__ = _array
ndarray.__array_namespace__ = _array_namespace
ndarray.__array_interface__ = property(_array_interface)
ndarray.__array_priority__ = 0.0
ndarray.__array_ufunc__ = _array_ufunc
ndarray.__array_function__ = _array_function
ndarray.__dlpack__ = _dlpack
ndarray.__dlpack_device__ = _dlpack_device

__all__ = ["__array_api_version__", "__array_namespace_info__", "asnumpy", "from_dlpack"]
