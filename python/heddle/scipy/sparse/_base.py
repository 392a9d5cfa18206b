"""What all sparse arrays and matrices have: shape, conversions, printing, parts, protocols."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes
from heddle.scipy.sparse._described import MAXPRINT, TITLES
from heddle.scipy.sparse._operators import Operators
from heddle.scipy.sparse._reductions import Reductions
from heddle.scipy.sparse._support import (
    as_dense,
    given_array,
    is_foreign,
    refused,
)

if TYPE_CHECKING:
    from heddle.scipy.sparse._bsr import bsr_array
    from heddle.scipy.sparse._coo import coo_array
    from heddle.scipy.sparse._csr_csc import csc_array, csr_array
    from heddle.scipy.sparse._dia import dia_array
    from heddle.scipy.sparse._dok import dok_array
    from heddle.scipy.sparse._lil import lil_array
    from heddle.scipy.sparse._typing import DenseArray, MatrixLike, SparseLike

_ARRAYS = frozenset({"data", "indices", "indptr", "offsets"})


class SparseBase(Operators, Reductions):
    """A sparse array or matrix of any format; formats are its subclasses."""

    __array_priority__ = 10.1

    def __init__(self, maxprint: int | None = None) -> None:
        if type(self) is SparseBase:
            raise ValueError("This class is not intended to be instantiated directly.")
        self.maxprint = MAXPRINT if maxprint is None else maxprint

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        if isinstance(value, numpy.ndarray) and name in _ARRAYS and self._format != "lil":
            value = np.asarray(value, device=self.device)
        object.__setattr__(self, name, value)

    def _read_dense(self, given: object, otherwise: Callable[[], Exception]) -> ndarray:
        """The elements that one is made of; `otherwise` says what is wrong with what are none."""
        a = as_dense(given)
        if a is None:
            raise refused(given, otherwise())
        if self._is_array and a.ndim == 0:
            raise ValueError(
                "scipy sparse array classes do not support instantiation from a scalar"
            )
        if self._is_array and a.ndim != 2 and self._allow_nd == (2,):
            raise ValueError(f"{self.format.upper()} arrays don't support {a.ndim}D input. Use 2D")
        return a

    # --- parts ---

    @property
    def real(self) -> Self:
        """The real parts."""
        found: Self = self._on_data(
            lambda data: data.real.copy() if data.dtype.kind == "c" else data
        )
        return found

    @property
    def imag(self) -> Self:
        """The imaginary parts."""
        found: Self = self._on_data(
            lambda data: data.imag.copy() if data.dtype.kind == "c" else np.zeros_like(data)
        )
        return found

    def conjugate(self, copy: bool = True) -> Self:
        """Complex conjugates."""
        if self.dtype.kind == "c":
            found: Self = self._on_data(lambda data: data.conj())
            return found
        return self.copy() if copy else self

    def conj(self, copy: bool = True) -> Self:
        """Complex conjugates."""
        return self.conjugate(copy=copy)

    def nonzero(self) -> tuple[ndarray, ...]:
        """Coordinates of the elements that are not zero."""
        a = self.tocoo()
        places = np.flatnonzero(a.data)
        return tuple(c[places] for c in a.coords)

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        return self.tocsr().diagonal(k=k)

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

    def __iter__(self) -> Iterator[Any]:
        for r in range(self.shape[0]):
            yield self[r]  # type: ignore[index]

    # --- for people ---

    def __repr__(self) -> str:
        kind = "array" if self._is_array else "matrix"
        more = self._more_in_repr()
        return (
            f"<{TITLES[self.format]} sparse {kind} of dtype '{self.dtype}'\n"
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

    def _dense_target(self, order: object, out: ndarray | None) -> ndarray:
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

    if TYPE_CHECKING:  # what becomes of an array is one, where `SparseBase` leaves that open

        @property
        def T(self) -> SparseArray: ...
        def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseArray: ...
        def tocoo(self, copy: bool = False) -> coo_array: ...
        def tocsr(self, copy: bool = False) -> csr_array: ...
        def tocsc(self, copy: bool = False) -> csc_array: ...
        def todia(self, copy: bool = False) -> dia_array: ...
        def todok(self, copy: bool = False) -> dok_array: ...
        def tolil(self, copy: bool = False) -> lil_array: ...
        def tobsr(
            self, blocksize: tuple[int, int] | None = None, copy: bool = False
        ) -> bsr_array: ...
        @overload
        def __add__(self, other: SparseLike | complex) -> SparseArray: ...
        @overload
        def __add__(self, other: DenseArray) -> ndarray: ...
        def __add__(self, other: Any) -> Any: ...
        @overload
        def __radd__(self, other: SparseLike | complex) -> SparseArray: ...
        @overload
        def __radd__(self, other: DenseArray) -> ndarray: ...
        def __radd__(self, other: Any) -> Any: ...
        @overload
        def __sub__(self, other: SparseLike | complex) -> SparseArray: ...
        @overload
        def __sub__(self, other: DenseArray) -> ndarray: ...
        def __sub__(self, other: Any) -> Any: ...
        @overload
        def __rsub__(self, other: SparseLike | complex) -> SparseArray: ...
        @overload
        def __rsub__(self, other: DenseArray) -> ndarray: ...
        def __rsub__(self, other: Any) -> Any: ...
        @overload
        def __matmul__(self, other: SparseLike) -> SparseArray: ...
        @overload
        def __matmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
        def __matmul__(self, other: Any) -> Any: ...
        @overload
        def __rmatmul__(self, other: SparseLike) -> SparseArray: ...
        @overload
        def __rmatmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def multiply(self, other: MatrixLike | SparseLike) -> SparseArray: ...
        def __mul__(self, other: MatrixLike | SparseLike) -> SparseArray: ...
        def __rmul__(self, other: MatrixLike | SparseLike) -> SparseArray: ...

    @classmethod
    def __class_getitem__(cls, arg: object, /) -> GenericAlias:
        return GenericAlias(cls, arg)


if TYPE_CHECKING:

    class SparseArray(sparray, SparseBase):
        """An array of whichever format."""


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
