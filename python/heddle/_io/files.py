"""Files and text: NumPy's formats, read and written through NumPy, and printing."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

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
from heddle._arguments import accepts_like, as_array, shared_or_copied
from heddle._core import in_core, ndarray, own_array, scalar
from heddle._creation.arrays import asarray
from heddle._typing import ArrayLike, Buffer, DTypeLike, File, Order

if TYPE_CHECKING:
    from zipfile import ZipFile


def _called_as_numpys(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function that hands its arguments on the signature of NumPy's."""
    theirs = inspect.signature(getattr(_numpy, function.__name__))
    function.__signature__ = theirs  # type: ignore[attr-defined]
    return function


def _host(a: ArrayLike) -> Any:
    """A NumPy view of an array; what is not an array of heddle's passes."""
    return a._numpy() if isinstance(a, own_array) else a


def save(file: File, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Saves an array in NumPy's ``.npy`` format.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(3))
    >>> _ = file.seek(0)
    >>> np.load(file)
    array([0, 1, 2])
    """
    _numpy.save(file, as_array(arr)._numpy(), allow_pickle)


def savez(file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Saves several arrays in one uncompressed ``.npz`` file.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, x=np.arange(3), y=np.eye(2))
    >>> _ = file.seek(0)
    >>> np.load(file)["x"]
    array([0, 1, 2])
    """
    arrays = {name: as_array(a)._numpy() for name, a in kwds.items()}
    _numpy.savez(file, *(as_array(a)._numpy() for a in args), allow_pickle=allow_pickle, **arrays)


def savez_compressed(
    file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Saves several arrays in one compressed ``.npz`` file.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez_compressed(file, zeros=np.zeros(1000))
    >>> len(file.getvalue()) < 1000
    True
    """
    arrays = {name: as_array(a)._numpy() for name, a in kwds.items()}
    _numpy.savez_compressed(
        file, *(as_array(a)._numpy() for a in args), allow_pickle=allow_pickle, **arrays
    )


class _Names:
    """The arrays of a file as attributes."""

    def __init__(self, file: NpzFile) -> None:
        self._of = weakref.proxy(file)  # whose end closes it

    def __getattribute__(self, name: str) -> Any:
        try:
            return object.__getattribute__(self, "_of")[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(object.__getattribute__(self, "_of").files)


class NpzFile(Mapping[str, ndarray]):
    """The arrays of an ``.npz`` file by name, read when asked for; a context manager."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.files = file.files
        self.f = _Names(self)

    @property
    def fid(self) -> Any:
        """The open file that the arrays come from; None for one that the caller opened."""
        return self._file.fid

    @property
    def zip(self) -> ZipFile | None:
        """The archive itself; None once it is closed."""
        archive: ZipFile | None = self._file.zip
        return archive

    def __getitem__(self, name: str) -> ndarray:
        return asarray(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __repr__(self) -> str:
        return repr(self._file)


def load(
    file: File,
    mmap_mode: Literal["r+", "r", "w+", "c"] | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Loads an array from ``.npy``, or a mapping of arrays from ``.npz``.

    With ``mmap_mode`` the array shares the memory of the mapped file.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.eye(2))
    >>> _ = file.seek(0)
    >>> np.load(file)
    array([[1., 0.],
           [0., 1.]])
    """
    loaded = _numpy.load(
        file,
        mmap_mode,
        allow_pickle,
        fix_imports,
        cast("Literal['ASCII', 'latin1', 'bytes']", encoding),
        max_header_size=max_header_size,
    )
    if isinstance(loaded, _numpy.lib.npyio.NpzFile):
        return NpzFile(loaded)
    if not isinstance(loaded, _numpy.ndarray):
        return loaded  # a pickled object
    if mmap_mode is None:
        return asarray(loaded)
    try:
        return _core.alias(loaded) if loaded.dtype.isnative else loaded
    except _core.NoNumbers:
        return loaded


@_called_as_numpys
def loadtxt(*args: Any, like: ArrayLike | None = None, **kwargs: Any) -> Any:
    r"""Loads an array from text; arguments as in NumPy.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> np.loadtxt(io.StringIO("1 2\n3 4"))
    array([[1., 2.],
           [3., 4.]])
    """
    if not (like is None or isinstance(like, own_array)):
        return _numpy.loadtxt(*args, **kwargs | {"like": like})
    return _converted(_numpy.loadtxt(*args, **kwargs))


@_called_as_numpys
def genfromtxt(*args: Any, like: ArrayLike | None = None, **kwargs: Any) -> Any:
    """Loads an array from text with missing values; arguments as in NumPy.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> np.genfromtxt(io.StringIO("1,,3"), delimiter=",")
    array([ 1., nan,  3.])
    """
    if not (like is None or isinstance(like, own_array)):
        return _numpy.genfromtxt(*args, **kwargs | {"like": like})
    return _converted(_numpy.genfromtxt(*args, **kwargs))


def _converted(made: Any) -> Any:
    """Results of NumPy's readers as arrays; several columns come as a list of them."""
    if isinstance(made, list | tuple):
        return [_converted(a) for a in made]
    masked = type(made) is not _numpy.ndarray  # with usemask=True
    return made if masked else asarray(made)


@_called_as_numpys
def savetxt(fname: File, X: ArrayLike, *args: Any, **kwargs: Any) -> None:
    """Saves a 1-d or 2-d array as text; arguments as in NumPy.

    Examples
    --------
    >>> import heddle as np
    >>> import sys
    >>> np.savetxt(sys.stdout, np.array([[1, 2], [3, 4]]), fmt="%d")
    1 2
    3 4
    """
    _numpy.savetxt(fname, as_array(X)._numpy(), *args, **kwargs)


@accepts_like
def fromfile(
    file: File,
    dtype: DTypeLike | None = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array from the raw bytes, or with ``sep`` the text, of a file.

    Examples
    --------
    >>> import heddle as np
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     np.arange(3).tofile(file.name)
    ...     print(np.fromfile(file.name, dtype=np.int64))
    [0 1 2]
    """
    return asarray(_numpy.fromfile(file, dtype, count, sep, offset))


@accepts_like
def frombuffer(
    buffer: Buffer,
    dtype: DTypeLike | None = None,
    count: int = -1,
    offset: int = 0,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    r"""An array that shares the memory of an object with the buffer protocol.

    Memory that is not aligned for the type, or of foreign byte order, is copied.

    Examples
    --------
    >>> import heddle as np
    >>> np.frombuffer(b"\x01\x02\x03", dtype=np.uint8)
    array([1, 2, 3], dtype=uint8)
    """
    return shared_or_copied(_numpy.frombuffer(buffer, dtype, count, offset), buffer)


@accepts_like
def fromstring(
    string: str,
    dtype: DTypeLike | None = None,
    count: int = -1,
    *,
    sep: str = "",
    like: ArrayLike | None = None,
) -> ndarray:
    """A 1-d array from numbers in a text.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromstring("1 2 3", dtype=int, sep=" ")
    array([1, 2, 3])
    """
    return asarray(_numpy.fromstring(string, dtype, count, sep=sep))


@_called_as_numpys
def array2string(a: ArrayLike, *args: Any, **kwargs: Any) -> str:
    """The elements as text; arguments as in NumPy.

    Examples
    --------
    >>> import heddle as np
    >>> np.array2string(np.array([1.23456, 2]), precision=2)
    '[1.23 2.  ]'
    """
    return _numpy.array2string(_host(a), *args, **kwargs)


def array_repr(
    arr: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """What ``repr`` gives, with other print options.

    Examples
    --------
    >>> import heddle as np
    >>> np.array_repr(np.array([1, 2]))
    'array([1, 2])'
    """
    return _numpy.array_repr(_host(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """What ``str`` gives, with other print options.

    Examples
    --------
    >>> import heddle as np
    >>> np.array_str(np.array([1, 2]))
    '[1 2]'
    """
    return _numpy.array_str(_host(a), max_line_width, precision, suppress_small)


def tobytes(self: ndarray, order: Order | None = "C") -> bytes:
    r"""The elements as bytes, in an order of memory.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1, 2], dtype=np.uint8).tobytes()
    b'\x01\x02'
    """
    _core.tell_of_leaving(self, "tobytes()")
    return self._numpy().tobytes(order)


def tofile(self: ndarray, fid: File, sep: str = "", format: str = "%s") -> None:
    """Writes the elements to a file: as bytes, or with ``sep`` as text.

    Examples
    --------
    >>> import heddle as np
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     np.arange(3).tofile(file.name)
    ...     print(np.fromfile(file.name, dtype=np.int64))
    [0 1 2]
    """
    self._numpy().tofile(fid, sep, format)


@partial(in_core, name="ndarray.tolist")
def tolist(self: ndarray) -> Any:
    """The elements as nested lists of Python's numbers.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    _core.tell_of_leaving(self, "tolist()")
    return self._numpy().tolist()


def dump(self: ndarray, file: File) -> None:
    """Pickles the elements, as an array of NumPy's, to a file.

    Examples
    --------
    >>> import heddle as np
    >>> import io
    >>> file = io.BytesIO()
    >>> np.arange(3).dump(file)
    >>> _ = file.seek(0)
    >>> np.load(file, allow_pickle=True)
    array([0, 1, 2])
    """
    self._numpy().dump(file)


def dumps(self: ndarray) -> bytes:
    """The elements pickled, as an array of NumPy's.

    Examples
    --------
    >>> import heddle as np
    >>> import pickle
    >>> pickle.loads(np.arange(3).dumps())
    array([0, 1, 2])
    """
    return self._numpy().dumps()


for _method in (tobytes, tofile, tolist, dump, dumps):
    setattr(ndarray, _method.__name__, _method)


def _repr(self: ndarray) -> str:
    return repr(self._numpy())


def _repr_of_scalar(self: ndarray) -> str:
    return repr(self._numpy()[()])


def _str(self: ndarray) -> str:
    return str(self._numpy())


def _format(self: ndarray, spec: str) -> str:
    if self.ndim == 0:
        return format(self._numpy()[()], spec)
    if spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return str(self)


for _name, _function in {"__repr__": _repr, "__str__": _str, "__format__": _format}.items():
    setattr(ndarray, _name, _function)
setattr(scalar, "__repr__", _repr_of_scalar)  # noqa: B010

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
