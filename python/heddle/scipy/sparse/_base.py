"""What all sparse arrays and matrices have: shape, conversions, printing, parts, protocols."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes, Axis, Order, Output
from heddle.scipy.sparse._operators import Operators
from heddle.scipy.sparse._reductions import Reductions
from heddle.scipy.sparse._support import (
    check_dtype,
    check_shape,
    get_index_dtype,
    given_array,
    is_foreign,
    reshape_keywords,
)

MAXPRINT = 50
_ARRAYS = frozenset({"data", "indices", "indptr", "offsets"})

_TITLES = {
    "bsr": "Block Sparse Row",
    "coo": "COOrdinate",
    "csc": "Compressed Sparse Column",
    "csr": "Compressed Sparse Row",
    "dia": "DIAgonal",
    "dok": "Dictionary Of Keys",
    "lil": "List of Lists",
}


class SparseBase(Operators, Reductions):
    """A sparse array or matrix of any format; formats are its subclasses."""

    __array_priority__ = 10.1
    _format = "und"
    _allow_nd: Any = (2,)
    _is_array = True
    _shape: tuple[int, ...]
    _device: Any = None  # of formats that hold no arrays

    def __init__(self, maxprint: int | None = None) -> None:
        if type(self) is SparseBase:
            raise ValueError("This class is not intended to be instantiated directly.")
        self.maxprint = MAXPRINT if maxprint is None else maxprint

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        if isinstance(value, numpy.ndarray) and name in _ARRAYS and self._format != "lil":
            value = np.asarray(value, device=self.device)
        object.__setattr__(self, name, value)

    # --- what it is ---

    @property
    def format(self) -> str:
        """The name of its format, as in ``"csr"``."""
        return self._format

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """How many elements are stored, explicit zeros among them."""
        return int(self._getnnz())

    @property
    def nnz(self) -> int:
        """How many elements are stored, explicit zeros among them."""
        return int(self._getnnz())

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of its elements."""
        return self.data.dtype  # type: ignore[no-any-return, has-type]

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.data = self.data.view(dtype)  # type: ignore[has-type]

    @property
    def device(self) -> Any:
        """Where its arrays are."""
        data = getattr(self, "data", None)
        return data.device if isinstance(data, ndarray) else self._device

    @property
    def _shape_as_2d(self) -> tuple[int, int]:
        return (1, self._shape[-1]) if len(self._shape) == 1 else self._shape  # type: ignore[return-value]

    def _getnnz(self, axis: Axis | None = None) -> Any:
        raise NotImplementedError(f"getnnz not implemented for {type(self).__name__}.")

    def count_nonzero(self, axis: Axis | None = None) -> Any:
        """How many elements are not zero, along an axis or all in all."""
        return self.tocsr().count_nonzero(axis=axis)

    def _index_dtype(
        self, arrays: Any = (), maxval: Any = None, check_contents: bool = False
    ) -> Any:
        # Matrices look whether smaller indices do; arrays keep the type that they are given.
        return get_index_dtype(arrays, maxval, check_contents and not self._is_array)

    def _container(self, format: str) -> Any:
        """The class of another format, an array or a matrix as this one."""
        module = sys.modules["heddle.scipy.sparse"]
        return getattr(module, f"{format}_{'array' if self._is_array else 'matrix'}")

    @classmethod
    def _made(cls, shape: tuple[int, ...], **attributes: object) -> Any:
        """One of parts that are known to be right."""
        made = object.__new__(cls)
        made.maxprint = MAXPRINT
        made._shape = tuple(shape)
        for name, value in attributes.items():
            setattr(made, name, value)
        return made

    # --- conversions ---

    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """The same in another format."""
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format in ("array", "dense"):
            return self.toarray()
        convert = getattr(self, f"to{format}", None) if isinstance(format, str) else None
        if convert is None or format not in _TITLES:
            raise ValueError(f"Format {format} is unknown.")
        return convert(copy=copy)

    def tocoo(self, copy: bool = False) -> Any:
        """In coordinate format."""
        return self.tocsr(copy=False).tocoo(copy=copy)

    def tocsr(self, copy: bool = False) -> Any:
        """In compressed rows."""
        return self.tocoo(copy=copy).tocsr(copy=False)

    def tocsc(self, copy: bool = False) -> Any:
        """In compressed columns."""
        return self.tocsr(copy=copy).tocsc(copy=False)

    def todia(self, copy: bool = False) -> Any:
        """In diagonals."""
        return self.tocoo(copy=copy).todia(copy=False)

    def todok(self, copy: bool = False) -> Any:
        """As a dictionary."""
        return self.tocoo(copy=copy).todok(copy=False)

    def tolil(self, copy: bool = False) -> Any:
        """As lists of lists."""
        return self.tocsr(copy=False).tolil(copy=copy)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """In compressed rows of blocks."""
        return self.tocsr(copy=False).tobsr(blocksize=blocksize, copy=copy)

    def toarray(self, order: Order | None = None, out: Output | None = None) -> ndarray:
        """As a dense array."""
        return self.tocoo(copy=False).toarray(order=order, out=out)  # type: ignore[no-any-return]

    def todense(self, order: Order | None = None, out: Output | None = None) -> ndarray:
        """As a dense array, for matrices, too."""
        return self.toarray(order=order, out=out)

    def get(self, stream: object = None) -> Any:
        """As SciPy's own, in the host's memory."""
        from heddle.scipy.sparse._foreign import to_scipy

        return to_scipy(self)

    def copy(self) -> Any:
        """A copy that shares nothing."""
        made: Any = type(self)
        return made(self, copy=True)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Any:
        return self.copy()

    def astype(self, dtype: Any, casting: Any = "unsafe", copy: bool = True) -> Any:
        """With elements of another type."""
        dtype = check_dtype(dtype)
        if self.dtype != dtype:
            converted = self.tocsr().astype(dtype, casting=casting, copy=copy)
            return converted.asformat(self.format)
        return self.copy() if copy else self

    def _asfptype(self) -> Any:
        if self.dtype.kind in "fc":
            return self
        small = self.dtype.kind == "b" or self.dtype.itemsize <= 2
        return self.astype(numpy.float32 if small else numpy.float64)

    # --- shapes ---

    def reshape(self, *args: object, **kwargs: object) -> Any:
        """With another shape of the same size: in coordinate format, unless it has that shape."""
        shape = check_shape(args, self.shape, allowed=range(1, 65) if self._is_array else (2,))
        order, copy = reshape_keywords(kwargs)
        if shape == self.shape:
            return self.copy() if copy else self
        return self.tocoo(copy=copy).reshape(shape, order=order, copy=False)

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        raise NotImplementedError(f"{type(self).__name__}.resize is not implemented")

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> Any:
        """With its axes reversed."""
        return self.tocsr(copy=copy).transpose(axes=axes, copy=False)

    @property
    def T(self) -> Any:
        """With its axes reversed."""
        return self.transpose()

    @property
    def mT(self) -> Any:
        """With its last two axes exchanged."""
        n = self.ndim
        if n < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        if n == 2:
            return self.transpose()
        return self.transpose(axes=(*range(n - 2), n - 1, n - 2))

    def _check_axes(self, axes: Axes | None) -> None:
        if axes is None or (isinstance(axes, (tuple, list)) and tuple(axes) == (1, 0)):
            return
        if self._is_array and isinstance(axes, (tuple, list)) and tuple(axes) in ((0, 1), (-2, -1)):
            raise ValueError("axes don't match matrix dimensions")
        raise ValueError(
            "Sparse arrays/matrices do not support an 'axes' parameter because swapping "
            "dimensions is the only logical permutation."
        )

    # --- parts ---

    @property
    def real(self) -> Any:
        """The real parts."""
        return self._on_data(lambda data: data.real.copy() if data.dtype.kind == "c" else data)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return self._on_data(
            lambda data: data.imag.copy() if data.dtype.kind == "c" else np.zeros_like(data)
        )

    def conjugate(self, copy: bool = True) -> Any:
        """Complex conjugates."""
        if self.dtype.kind == "c":
            return self._on_data(lambda data: data.conj())
        return self.copy() if copy else self

    def conj(self, copy: bool = True) -> Any:
        """Complex conjugates."""
        return self.conjugate(copy=copy)

    def nonzero(self) -> tuple[ndarray, ...]:
        """Coordinates of the elements that are not zero."""
        a = self.tocoo()
        places = np.flatnonzero(a.data)
        return tuple(c[places] for c in a.coords)

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        return self.tocsr().diagonal(k=k)  # type: ignore[no-any-return]

    def trace(self, offset: int = 0) -> ndarray:
        """The sum of a diagonal."""
        return self.diagonal(k=offset).sum()

    def setdiag(self, values: object, k: int = 0) -> None:
        """Sets the elements ``a[i, i + k]``, as many as there are values, or all to one number."""
        m, n = self.shape
        k = operator.index(k)
        if (k > 0 and k >= n) or (k < 0 and -k >= m):
            raise ValueError("k exceeds array dimensions")
        self._setdiag(given_array(values, device=self.device), k)

    def _setdiag(self, values: ndarray, k: int) -> None:
        raise NotImplementedError(f"setdiag is not implemented for {self.format}")

    def _getrow(self, i: int) -> Any:
        if self.ndim == 1:
            raise ValueError("getrow not meaningful for a 1d array")
        return self.tocsr()._getrow(i)

    def _getcol(self, j: int) -> Any:
        if self.ndim == 1:
            raise ValueError("getcol not provided for 1d arrays. Use indexing A[j]")
        return self.tocsc()._getcol(j)

    def __iter__(self) -> Any:
        for r in range(self.shape[0]):
            yield self[r]  # type: ignore[index]

    # --- for people ---

    def __repr__(self) -> str:
        kind = "array" if self._is_array else "matrix"
        more = self._more_in_repr()
        return (
            f"<{_TITLES[self.format]} sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements{more} and shape {self.shape}>"
        )

    def _more_in_repr(self) -> str:
        return ""

    def __str__(self) -> str:
        nnz, limit = self.nnz, self.maxprint
        if not nnz:
            return repr(self)
        a = self.tocoo()
        nnz = a.nnz

        def lines(part: slice) -> str:
            places = zip(*(c[part].tolist() for c in a.coords), strict=True)
            values = a.data[part]._snapshot()
            return "\n".join(f"  {tuple(p)}\t{v}" for p, v in zip(places, values, strict=True))

        text = f"{self!r}\n  Coords\tValues\n"
        if nnz > limit:
            half = limit // 2
            rest = slice(nnz - (limit - half), None)
            return f"{text}{lines(slice(half))}\n  :\t:\n{lines(rest)}"
        return text + lines(slice(None))

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()."
        )

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    __hash__ = None  # type: ignore[assignment]

    # --- dense results ---

    def _dense_target(self, order: Any, out: Any) -> ndarray:
        """Zeros to put elements in, or the caller's array."""
        if out is None:
            if order not in (None, "C", "F"):
                raise ValueError(f"order must be 'C' or 'F', got {order!r}")
            return np.zeros(self.shape, self.dtype, order=order or "C", device=self.device)
        if order is not None:
            raise ValueError("order cannot be specified if out is not None")
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        return np.zeros(self.shape, self.dtype, device=self.device)


class sparray:
    """What sparse arrays are instances of, and sparse matrices are not."""

    @classmethod
    def __class_getitem__(cls, arg: object, /) -> Any:
        from types import GenericAlias

        return GenericAlias(cls, arg)


def issparse(x: object) -> bool:
    """Whether it is a sparse array or matrix of this module.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.issparse(sparse.csr_array([[5]])), sparse.issparse(5)
    (True, False)
    """
    return isinstance(x, SparseBase)


def is_sparse(x: object) -> bool:
    """Whether it is a sparse array or matrix, ours or SciPy's."""
    return isinstance(x, SparseBase) or is_foreign(x)


def as_sparse(x: object, device: str | None = None) -> Any:
    """A sparse operand: ours as it is, SciPy's own converted; None for others."""
    if isinstance(x, SparseBase):
        return x
    if is_foreign(x):
        from heddle.scipy.sparse._foreign import from_scipy

        return from_scipy(x, device)
    return None
