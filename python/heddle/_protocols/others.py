"""Other libraries are told of our arrays, as soon as both are imported.

Dask and Numba keep tables of the types that they know, pandas asks for NumPy's classes; SciPy's
filters know libraries by name, its sparse matrices do not ask, and its optimizers want arrays of
NumPy's of functions that give ours. Nothing is imported for it here: a finder waits for their
modules. It and its loader are no subclasses of ``importlib.abc``'s, which would import a good part
of Python's library with it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, cast

import numpy

from heddle._core import ndarray, own_array


def _tell_dask(_: ModuleType) -> None:
    """Arrays of ours are chunks; functions that Dask finds by the type of a chunk are NumPy's."""
    from dask.array import backends, chunk_types, dispatch

    chunk_types.register_chunk_type(ndarray)  # type: ignore[no-untyped-call]
    import heddle

    found: dict[Any, Callable[..., Any]] = {
        dispatch.percentile_lookup: backends.percentile,
        dispatch.concatenate_lookup: heddle.concatenate,
        dispatch.tensordot_lookup: heddle.tensordot,
        dispatch.einsum_lookup: heddle.einsum,
        dispatch.empty_lookup: heddle.empty,
    }
    for lookup, function in found.items():
        lookup.register(ndarray, function)
    _let_dask_count()


def _let_dask_count() -> None:
    """Dask's `unique` with places or counts needs records, which NumPy's arrays hold: it gets
    chunks of NumPy's then. Without them values stay here."""
    from dask.array import routines

    values_only = getattr(routines, "unique_no_structured_arr", None)
    if values_only is None:
        return

    def unique(ar: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(ar._meta, own_array) and any((*args, *kwargs.values())):
            ar = ar.map_blocks(numpy.asarray, dtype=ar.dtype, meta=numpy.empty(0, ar.dtype))
            return routines.unique(ar, *args, **kwargs)
        return values_only(ar, *args, **kwargs)

    routines.unique_no_structured_arr = unique


def _tell_numba(_: ModuleType) -> None:
    """Functions of ``njit`` take arrays in host memory as NumPy's views of them."""
    from heddle._protocols import numba as _numba

    _numba.register()


def _tell_pandas(common: ModuleType) -> None:
    """Scalars of ours are numbers, and masks of ours masks."""
    from heddle._protocols import pandas as _pandas

    _pandas.register(common)


def _tell_readers_of_pandas(module: ModuleType) -> None:
    from heddle._protocols import pandas as _pandas

    _pandas.register_reader(module, _READERS_OF_PANDAS[module.__name__])


def _tell_scipy(module: ModuleType) -> None:
    """SciPy's functions that other libraries may have find ours, in its array API mode."""
    from heddle._protocols import scipy as _scipy

    _scipy.register(module)


def _tell_fft(module: Any) -> None:
    """SciPy's transforms ask a backend of ours."""
    if hasattr(module, "register_backend"):
        from heddle._protocols.scipy import TransformBackend

        module.register_backend(TransformBackend)


def _tell_sparse(_: object) -> None:
    """SciPy's sparse operators leave operands that are arrays of ours to us."""
    from heddle._protocols import sparse as _sparse

    _sparse.register()


def _tell_operators(module: Any) -> None:
    """Nor do its linear operators."""
    from heddle._protocols import sparse as _sparse

    _sparse.register_operators(module)


class _GivesNumpys:
    """A function that gives NumPy's arrays; can be pickled where the function can."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        import heddle

        made = self.function(*args, **kwargs)
        return heddle.asnumpy(made) if isinstance(made, own_array) else made


def _tell_optimize(module: Any) -> None:
    """What objectives and derivatives give to SciPy's solvers is NumPy's, as those in C want it.

    Their arrays are made by ``atleast_1d``, which leaves ours as they are.
    """
    for name in ("ScalarFunction", "VectorFunction"):
        owner = getattr(module, name)
        owner.__init__ = _with_numpys(owner.__init__)


def _with_numpys(init: Callable[..., None]) -> Callable[..., None]:
    def converted(one: Any) -> Any:
        return _GivesNumpys(one) if callable(one) else one

    @wraps(init)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *map(converted, args), **{name: converted(kwargs[name]) for name in kwargs})

    return wrapped


# What reads arguments that may be arrays or something else, and tells arrays by NumPy's class.
_READERS_OF_PANDAS = {
    "pandas.core.algorithms": "_ensure_arraylike",
    "pandas.core.groupby.grouper": "_convert_grouper",
    "pandas.core.reshape.pivot": "_convert_by",
}

_TELL: dict[str, Callable[[Any], None]] = {
    "dask.array": _tell_dask,
    "numba.extending": _tell_numba,
    "pandas.core.common": _tell_pandas,
    **dict.fromkeys(_READERS_OF_PANDAS, _tell_readers_of_pandas),
    "scipy.fft": _tell_fft,
    "scipy.ndimage": _tell_scipy,
    "scipy.optimize._differentiable_functions": _tell_optimize,
    "scipy.signal": _tell_scipy,
    "scipy.sparse": _tell_sparse,
    "scipy.sparse.linalg._interface": _tell_operators,
}


class _Telling:
    """A loader that has something to tell to the module afterwards."""

    def __init__(self, loader: Any, tell: Callable[[Any], None]) -> None:
        self._loader, self._tell = loader, tell

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._tell(module)


class _Waiting:
    """Finds what others find."""

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        tell = _TELL.get(name)
        if tell is None:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Any", _Telling(spec.loader, tell))
        return spec


def wait_for_others() -> None:
    """Tells those that are imported, and waits for the others."""
    for name, tell in _TELL.items():
        if name in sys.modules:
            tell(sys.modules[name])
    sys.meta_path.insert(0, _Waiting())
