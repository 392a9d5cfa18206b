"""Files and text: NumPy's formats, read and written through NumPy, and printing."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as _numpy
from numpy import (
    base_repr,
    binary_repr,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    printoptions,
    set_printoptions,
)

from heddle import _core
from heddle._core import ndarray
from heddle._creation import asarray
from heddle._inputs import as_array


def _host(a: Any) -> Any:
    """A NumPy view of an array; what is not an array of heddle's passes."""
    return a._numpy() if isinstance(a, ndarray) else a


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Saves an array in NumPy's ``.npy`` format."""
    _numpy.save(file, as_array(arr)._numpy(), allow_pickle)


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Saves several arrays in one uncompressed ``.npz`` file."""
    arrays = {name: as_array(a)._numpy() for name, a in kwds.items()}
    _numpy.savez(file, *(as_array(a)._numpy() for a in args), allow_pickle=allow_pickle, **arrays)


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Saves several arrays in one compressed ``.npz`` file."""
    arrays = {name: as_array(a)._numpy() for name, a in kwds.items()}
    _numpy.savez_compressed(
        file, *(as_array(a)._numpy() for a in args), allow_pickle=allow_pickle, **arrays
    )


class NpzFile(Mapping[str, ndarray]):
    """The arrays of an ``.npz`` file by name, read when asked for; a context manager."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.files = file.files

    @property
    def fid(self) -> Any:
        """The open file that the arrays come from; None for one that the caller opened."""
        return self._file.fid

    def __getitem__(self, name: str) -> ndarray:
        return asarray(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> "NpzFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __repr__(self) -> str:
        return repr(self._file)


def load(
    file: Any,
    mmap_mode: Any = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Loads an array from ``.npy``, or a mapping of arrays from ``.npz``.

    With ``mmap_mode`` the array shares the memory of the mapped file.
    """
    loaded = _numpy.load(
        file,
        mmap_mode,
        allow_pickle,
        fix_imports,
        encoding,
        max_header_size=max_header_size,
    )
    if isinstance(loaded, _numpy.lib.npyio.NpzFile):
        return NpzFile(loaded)
    if not isinstance(loaded, _numpy.ndarray):
        return loaded  # a pickled object
    return _core.alias(loaded) if mmap_mode is not None else asarray(loaded)


def loadtxt(fname: Any, dtype: Any = float, **kwargs: Any) -> Any:
    """Loads an array from text; arguments as in NumPy."""
    return _converted(_numpy.loadtxt(fname, dtype, **kwargs))


def genfromtxt(fname: Any, dtype: Any = float, **kwargs: Any) -> Any:
    """Loads an array from text with missing values; arguments as in NumPy."""
    return _converted(_numpy.genfromtxt(fname, dtype, **kwargs))


def _converted(made: Any) -> Any:
    """Results of NumPy's readers as arrays; several columns come as a list of them."""
    return [asarray(a) for a in made] if isinstance(made, list | tuple) else asarray(made)


def savetxt(fname: Any, X: Any, **kwargs: Any) -> None:
    """Saves a 1-d or 2-d array as text; keyword arguments as in NumPy."""
    _numpy.savetxt(fname, as_array(X)._numpy(), **kwargs)


def fromfile(
    file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0
) -> ndarray:
    """An array from the raw bytes, or with ``sep`` the text, of a file."""
    return asarray(_numpy.fromfile(file, dtype, count, sep, offset))


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> ndarray:
    """An array that shares the memory of an object with the buffer protocol."""
    return _core.alias(_numpy.frombuffer(buffer, dtype, count, offset), buffer)


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> ndarray:
    """A 1-d array from numbers in a text."""
    return asarray(_numpy.fromstring(string, dtype, count, sep=sep))


def array2string(a: Any, *args: Any, **kwargs: Any) -> str:
    """The elements as text; arguments as in NumPy."""
    return _numpy.array2string(_host(a), *args, **kwargs)


def array_repr(
    arr: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None
) -> str:
    """What ``repr`` gives, with other print options."""
    return _numpy.array_repr(_host(arr), max_line_width, precision, suppress_small)


def array_str(
    a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None
) -> str:
    """What ``str`` gives, with other print options."""
    return _numpy.array_str(_host(a), max_line_width, precision, suppress_small)


def _on_view(name: str) -> Callable[..., Any]:
    """NumPy's method of the same name, run on a view."""

    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._numpy(), name)(*args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As numpy.ndarray.{name}."
    return method


for _name in ("tobytes", "tofile", "tolist", "dump", "dumps"):
    setattr(ndarray, _name, _on_view(_name))


def _repr(self: ndarray) -> str:
    return repr(self._numpy())


def _str(self: ndarray) -> str:
    return str(self._numpy())


def _format(self: ndarray, spec: str) -> str:
    if self.ndim == 0:
        return format(self._numpy()[()], spec)
    if spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return str(self)


ndarray.__repr__ = _repr
ndarray.__str__ = _str
ndarray.__format__ = _format

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "format_float_positional",
    "format_float_scientific",
    "frombuffer",
    "fromfile",
    "fromstring",
    "genfromtxt",
    "get_printoptions",
    "load",
    "loadtxt",
    "printoptions",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "set_printoptions",
]
