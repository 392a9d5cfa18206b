"""How heddle's arrays meet other libraries: NumPy's protocols, the array interface, DLPack."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, ModuleType
from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, handles_ufuncs, shared_or_copied
from heddle._core import (
    in_core,
    ndarray,
    own_array,
    special_aliases,
    special_numpys,
    special_parts,
    special_ufuncs,
    ufunc_aliases,
    ufuncs,
)
from heddle._math.ufunc_calls import offered
from heddle._typing import ArrayLike, DTypeLike, HostArray

# What is behind addresses that were handed out, by the id of their arrays.
_holders: dict[int, Any] = {}

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's types of devices


def _host_view(a: ndarray) -> HostArray:
    """NumPy's view of memory that the host sees; nothing is copied unless the program says so."""
    if not a._on_host:
        raise TypeError(
            f"Implicit conversion to a NumPy array is not allowed: the array is on {a.device}. "
            "Use .get() or heddle.asnumpy for a copy."
        )
    return a._numpy()


def _array(self: ndarray, dtype: DTypeLike | None = None, *, copy: bool | None = None) -> HostArray:
    """A NumPy array of the elements: the same memory unless a copy is asked for or needed."""
    _core.tell_of_leaving(self, "an array of NumPy's")
    view = _host_view(self)
    if copy:
        made = self._snapshot()
        return made if dtype is None or made.dtype == dtype else made.astype(dtype)
    if dtype is None or self.dtype == dtype:
        return view
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return self._snapshot().astype(dtype)


def _array_wrap(
    self: ndarray, array: ArrayLike, context: object = None, return_scalar: bool = False, /
) -> ndarray:
    """A result of another library as an array of ours; or as a scalar, where it is one."""
    del context
    if not isinstance(array, own_array | _numpy.ndarray):
        raise TypeError(f"__array_wrap__() argument 1 must be an array, not {type(array).__name__}")
    made = as_array(array)
    return made[()] if return_scalar and made.ndim == 0 else made


def _exposed(self: ndarray) -> HostArray:
    """NumPy's view of the memory, which lives as long as the array."""
    if self.dtype.kind == "V":  # so that NumPy asks for __array__, which knows bfloat16
        raise AttributeError("bfloat16 has no type string in the array interface")
    if not self._on_host:
        raise AttributeError(f"the array is on {self.device}, not in host memory")
    view = self._numpy()
    _keep_with(self, view)
    return view


def _array_interface(self: ndarray) -> dict[str, object]:
    """The address, shape and type of the memory, version 3 of NumPy's array interface."""
    return _exposed(self).__array_interface__


def _array_struct(self: ndarray) -> object:
    """The same as a capsule, for C."""
    return _exposed(self).__array_struct__


def _keep_with(a: ndarray, holder: object) -> None:
    """Whoever reads an address keeps the array alive, and the array what shares its memory."""
    if id(a) not in _holders:
        weakref.finalize(a, _holders.pop, id(a))
    _holders[id(a)] = holder


def _cuda_array_interface(self: ndarray) -> dict[str, object]:
    """The address, shape, type and stream of device memory, version 3 of Numba's interface."""
    if not self.device.startswith("cuda"):
        raise AttributeError(f"the array is on {self.device}, not on a GPU")
    if self.dtype.kind == "V":
        raise AttributeError("bfloat16 has no type string in the array interface")
    interface, holder = _core.cuda_array_interface(self)
    _keep_with(self, holder)
    return interface


def _dlpack(
    self: ndarray,
    *,
    stream: int | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule of the memory, which stays shared while the capsule's consumer lives.

    For device memory `stream` is the consumer's, which is made to wait for what is written to the
    array here: None and 1 for the default stream, 2 for that of the thread, -1 for none.
    """
    _core.tell_of_leaving(self, "__dlpack__()")
    if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
        if tuple(dl_device) != (_CPU, 0):
            raise BufferError(f"__dlpack__: arrays cannot go to DLPack's device {dl_device}")
        if copy is not None and not copy:
            raise BufferError(f"__dlpack__: the array is on {self.device}: it has to be copied")
        return self._to_device("cpu").__dlpack__(max_version=max_version)
    if self.device.startswith("cuda"):
        versioned = max_version is not None and max_version[0] >= 1
        source = self._copy("K") if copy else self
        return _core.to_dlpack(source, stream, versioned, bool(copy))
    if stream is not None:
        raise RuntimeError("heddle only supports stream=None for arrays in host memory.")
    view = self._snapshot() if copy else _host_view(self)
    return view.__dlpack__(stream=None, max_version=max_version, dl_device=dl_device, copy=None)


def _old_dlpack(self: ndarray) -> Any:
    """A DLPack capsule of the memory; libraries of today take the array itself.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromDlpack(np.arange(3).toDlpack())
    array([0, 1, 2])
    """
    return self.__dlpack__()


def _dlpack_device(self: ndarray) -> tuple[int, int]:
    """DLPack's type and number of the device: (1, 0) for host memory, (2, n) for GPUs."""
    if self.device.startswith("cuda:"):
        return (_CUDA, int(self.device[len("cuda:") :]))
    return (_CPU, 0)


def _device_memory(x: Any, number: int) -> ndarray:
    """An array of the memory of a GPU, shared through DLPack."""
    stream = _core.protocol_stream(number)
    try:
        capsule = x.__dlpack__(stream=stream, max_version=(1, 1))
    except TypeError:  # it is older than that
        capsule = x.__dlpack__(stream=stream)
    return _core.from_dlpack(capsule, x)


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> ndarray:
    """An array of the memory of any object with ``__dlpack__``, shared unless copied.

    Parameters
    ----------
    x : object
        An array of this or another library.
    device : str, optional
        Where the array is to be; copied there if it is elsewhere.
    copy : bool, optional
        Whether the memory is copied: only if needed by default.

    Examples
    --------
    >>> import heddle as np
    >>> import numpy
    >>> np.from_dlpack(numpy.arange(3))
    array([0, 1, 2])
    """
    if device is not None and str(device) not in _core.devices():
        raise ValueError(f"from_dlpack: unsupported device {device!r}")
    if isinstance(x, own_array):
        made = x[...]
    else:
        kind, number = x.__dlpack_device__()
        if kind in (_CUDA, _CUDA_MANAGED):
            made = _device_memory(x, number)
        else:
            view = _numpy.from_dlpack(x)
            if copy is not None and not copy and not _core.shareable(view):
                raise ValueError("Unable to avoid copy: the memory is not aligned for its type.")
            made = shared_or_copied(view)
    if device is not None and made.device != str(device):
        if copy is not None and not copy:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return made._to_device(str(device))
    return made._copy("K") if copy else made


# --- the array API standard ---


_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _array_namespace(self: ndarray, /, *, api_version: str | None = None) -> ModuleType:
    """The module of the standard's functions."""
    import heddle

    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return heddle


_numpys_info: Any = _numpy.__array_namespace_info__


class __array_namespace_info__(_numpys_info):  # type: ignore[misc]
    """What the standard asks about devices and types."""

    __module__ = "heddle"

    def default_device(self) -> str:
        """The device that new arrays are made on."""
        return _core.default_device()

    def devices(self) -> list[str]:
        """The names of the devices."""
        return _core.devices()

    def default_dtypes(self, *, device: object = None) -> dict[str, Any]:
        """The types that functions give where none is asked for, by what they are for."""
        _check_device(device)
        return cast("dict[str, Any]", super().default_dtypes())

    def dtypes(self, *, device: object = None, kind: object = None) -> dict[str, Any]:
        """The standard's types of a kind, by name: all devices have all of them."""
        _check_device(device)
        return cast("dict[str, Any]", super().dtypes(kind=kind))


def _check_device(device: object) -> None:
    if device is not None and str(device) not in _core.devices():
        raise ValueError(f"there is no device {device!r}; there are {', '.join(_core.devices())}")


__array_api_version__ = "2025.12"


# --- NumPy's functions on heddle's arrays ---

_known = (ndarray, _numpy.ndarray, _numpy.generic, bool, int, float, complex, list, tuple)


@functools.partial(in_core, name="ndarray.__array_ufunc__")
def __array_ufunc__(self: ndarray, ufunc: object, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Runs NumPy's ufunc of the same name here."""
    if not isinstance(ufunc, _core.ufunc | _numpy.ufunc):
        raise TypeError(f"__array_ufunc__ takes a ufunc, not {type(ufunc).__name__}")
    outs = kwargs.get("out", ())
    operands = (*inputs, *(o for o in outs if o is not None))
    others = [x for x in operands if not isinstance(x, _known) or handles_ufuncs(x)]
    if others:
        answers = (
            x.__array_ufunc__(ufunc, method, *inputs, **kwargs)
            for x in others
            if getattr(type(x), "__array_ufunc__", None) is not None
        )
        answer = next((one for one in answers if one is not NotImplemented), NotImplemented)
        # Nobody is asked again when it is NotImplemented: NumPy's views are the last offer.
        return offered(ufunc, method, inputs, kwargs) if answer is NotImplemented else answer
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


_core.set_numpy_ufuncs(
    {
        getattr(_numpy, name): ufuncs[own]
        for name, own in {**dict(zip(ufuncs, ufuncs, strict=True)), **ufunc_aliases}.items()
        if isinstance(getattr(_numpy, name, None), _numpy.ufunc)
    }
)


def _own(ufunc: _numpy.ufunc) -> Any:
    """Our function for NumPy's; None for those of other libraries, whatever they are called."""
    import heddle

    name = ufunc.__name__
    if getattr(_numpy, name, None) is not ufunc:
        return _of_scipy(ufunc, name)
    function = ufuncs.get(name) or getattr(heddle, name, None)
    return None if function is ufunc else function  # NumPy's own here, too


# Ufuncs that functions of scipy.special are made of, and ours.
_parts = {
    "_cospi": "cospi",
    "_lambertw": "lambertw_of",
    "_riemann_zeta": "riemann_zeta",
    "_sinpi": "sinpi",
    "_zeta": "zeta_of",
    **{f"_spherical_{letter}n": f"spherical_{letter}" for letter in "jyik"},
    **{f"_spherical_{letter}n_d": f"spherical_{letter}_slope" for letter in "jyik"},
}


def _of_scipy(ufunc: object, name: str) -> _core.NamedUfunc | None:
    special = sys.modules.get("scipy.special")
    if special is None:
        return None
    theirs = sys.modules.get("scipy.special._ufuncs")
    # In SciPy's array API mode public names are functions around the ufuncs of its own module.
    if ufunc in (getattr(special, name, None), getattr(theirs, name, None)) and name not in _parts:
        own = special_aliases.get(name, name)
        return special_ufuncs.get(own) or special_numpys.get(own)
    return special_parts.get(_parts.get(name, "")) if hasattr(theirs, name) else None


def _on_host(
    ufunc: _core.ufunc | _numpy.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Runs another library's ufunc on the memory of our arrays."""
    outs = kwargs.get("out")
    if outs is not None:
        kwargs["out"] = _seen(outs)
    if "where" in kwargs:
        kwargs["where"] = _seen(kwargs["where"])
    made = getattr(ufunc, method)(*map(_seen, inputs), **kwargs)
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


# Where NumPy's public functions are, and heddle's of the same names.
_SPACES = ("", "lib.stride_tricks", "linalg", "fft", "random", "emath", "polynomial.polynomial")


@functools.cache
def _function_for(func: object) -> Any:
    """Heddle's function that NumPy's stands for, None: there is none."""
    import heddle

    for space in _SPACES:
        theirs, ours = _numpy, heddle
        for part in space.split(".") if space else ():
            theirs, ours = getattr(theirs, part), getattr(ours, part)
        # Not `dir`, which has the modules that NumPy imports when somebody asks for them.
        for name, function in vars(theirs).items():
            if function is func and callable(found := getattr(ours, name, None)):
                return found
    return None


@functools.cache
def _creating() -> dict[Callable[..., Any], Callable[..., Any]]:
    """NumPy's functions that make arrays of the kind of another one, and heddle's."""
    import heddle

    names = (
        *("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require"),
        *("empty", "zeros", "ones", "full", "eye", "identity", "arange", "tri", "frombuffer"),
        *("fromfile", "fromfunction", "fromiter", "fromstring", "loadtxt", "genfromtxt"),
    )
    return {getattr(_numpy, name): getattr(heddle, name) for name in names}


def _array_function(self: ndarray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Runs NumPy's function of the same name here."""
    if not all(issubclass(t, own_array | _numpy.ndarray) for t in types):
        return _ask_others(func, func, args, kwargs)
    function = _creating().get(func)
    if function is not None:  # NumPy's, with one of our arrays for `like`
        return function(*args, like=self, **kwargs)
    function = _function_for(func)
    if function is None:
        of_others = ("numpy.strings", "numpy.char", "numpy.lib.recfunctions")
        return numpys_own(func, args, kwargs) if func.__module__ in of_others else NotImplemented
    if function is func:  # one that is NumPy's here, too
        return numpys_own(func, args, kwargs)
    try:
        made = function(*args, **kwargs)
    except _core.NoNumbers:
        return numpys_own(func, args, kwargs)
    if func in _LIKE and not isinstance(made, own_array):
        # Dask, for one, asks so whether arrays of this kind hold a type.
        raise TypeError(f"{func.__name__}: such elements are not supported by arrays of heddle's")
    return made


_LIKE = (_numpy.empty_like, _numpy.zeros_like, _numpy.ones_like, _numpy.full_like)
# What is in a list may become an element of theirs: arrays of ours as well.
_HOLDERS = (_numpy.array, _numpy.asarray, _numpy.asanyarray)


def numpys_own(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy's function makes of arguments that ours refuses: text, dates, objects."""
    if any(map(_is_sparse, (*args, *kwargs.values()))):
        return _of_sparse(func, args, kwargs)
    if func in _HOLDERS and args and isinstance(args[0], list | tuple):
        return _numbers_as_ours(func(*args, **kwargs))
    made = _on_views(getattr(func, "_implementation", func), args, kwargs)
    out = kwargs.get("out")
    return _numbers_as_ours(made) if out is None or out is Ellipsis else made


def _numbers_as_ours(made: Any) -> Any:
    """Plain arrays of numbers among results as ours: places, lengths, truth values."""
    if type(made) in (tuple, list):
        return type(made)(map(_numbers_as_ours, made))
    if type(made) is not _numpy.ndarray or made.ndim == 0 or made.dtype.kind not in "biufc":
        return made
    try:
        return as_array(made) if made.dtype.isnative else made
    except _core.NoNumbers:  # long doubles
        return made


def _is_sparse(x: object) -> bool:
    """Whether it is a sparse matrix or array, of ours or SciPy's."""
    return hasattr(type(x), "tocoo")


def _of_sparse(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """NumPy's functions call the method of their name: ``np.sqrt(m)`` is ``m.sqrt()``."""
    if any(isinstance(x, own_array) for x in (*args, *kwargs.values())):
        # NumPy would make an array of matrices.
        raise TypeError(f"{func.__name__}: arrays beside sparse matrices are not supported")
    made = getattr(func, "_implementation", func)(*args, **kwargs)
    return as_array(made) if isinstance(made, _numpy.ndarray) and made.dtype != object else made


def _on_views(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy's makes of its views of our memory; ``out`` is given back."""
    made = function(*map(_seen, args), **{name: _seen(value) for name, value in kwargs.items()})
    out = kwargs.get("out")
    return made if out is None or out is Ellipsis else _outputs(made, out)


def _outputs(made: Any, out: Any) -> Any:
    """Results, with those that were written to `out` as the caller has them."""
    if not isinstance(made, tuple):
        (out,) = out if isinstance(out, tuple) else (out,)
        return out
    return tuple(m if o is None else o for m, o in zip(made, out, strict=True))


def _seen(x: object) -> Any:
    """An argument as NumPy takes it: with its view of our memory."""
    if isinstance(x, list | tuple):
        return type(x)(map(_seen, x))
    return _array(x) if isinstance(x, own_array) else x


def _ask_others(
    function: Callable[..., Any], theirs: Any, args: Any, kwargs: dict[str, Any]
) -> Any:
    """What arrays of other libraries among the arguments make of NumPy's function."""
    found: list[Any] = []  # one of each type, derived ones first
    for argument in (*args, *kwargs.values()):
        for a in argument if isinstance(argument, list | tuple) else (argument,):
            kind = type(a)
            if not hasattr(kind, "__array_function__") or any(type(f) is kind for f in found):
                continue
            at = next((i for i, f in enumerate(found) if issubclass(kind, type(f))), len(found))
            found.insert(at, a)
    types = tuple(map(type, found))
    for a in found:
        if isinstance(a, own_array | _numpy.ndarray):
            continue  # which know nothing of the others
        answer = type(a).__array_function__(a, theirs, types, args, kwargs)
        if answer is not NotImplemented:
            return answer
    ours = [a for a in found if isinstance(a, own_array)]
    if ours and all(a._on_host for a in ours):  # many know no arrays but NumPy's
        return _on_views(theirs, args, kwargs)
    raise TypeError(
        f"no implementation found for 'numpy.{theirs.__name__}' on types that implement "
        f"__array_function__: {list(types)}"
    )


_core.set_ask_others(_ask_others, numpys_own)


def behave_as(space: dict[str, Any], theirs: ModuleType) -> None:
    """Makes functions of a module what NumPy's of the same names are.

    Where NumPy's ask arrays of other libraries first, ours do. Where NumPy's are written in C and
    so no methods of classes that they are attributes of, ours are none.
    """
    made: dict[int, Any] = {}  # by the function: some have several names
    named = sorted(space, key=lambda name: getattr(space[name], "__name__", "") != name)
    for name in named:
        function, numpys = space[name], getattr(theirs, name, None)
        asks = hasattr(numpys, "_implementation")
        is_c = isinstance(numpys, BuiltinFunctionType)
        if not callable(function) or function is numpys or not (asks or is_c):
            continue
        if id(function) not in made:
            made[id(function)] = (
                _core.dispatched(function, numpys) if asks else _core.unbound(function)
            )
            home, known_as = sys.modules[function.__module__], function.__name__
            if getattr(home, known_as, None) is function:  # where pickle finds it
                setattr(home, known_as, made[id(function)])
        space[name] = made[id(function)]


_attached: dict[str, object] = {
    "__array__": _array,
    "__array_wrap__": _array_wrap,
    "__array_namespace__": _array_namespace,
    "__array_interface__": property(_array_interface),
    "__array_struct__": property(_array_struct),
    "__cuda_array_interface__": property(_cuda_array_interface),
    "__array_priority__": 0.0,
    "__array_ufunc__": __array_ufunc__,
    "__array_function__": _array_function,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
    "toDlpack": _old_dlpack,
}
for _name, _value in _attached.items():
    setattr(ndarray, _name, _value)

__all__ = ["__array_api_version__", "__array_namespace_info__", "from_dlpack"]
