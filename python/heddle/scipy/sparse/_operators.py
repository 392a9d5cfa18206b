"""Arithmetic, comparisons and products: who the other operand is, and what becomes of it.

Formats say what happens with numbers, sparse and dense operands; what a format does not say, its
compressed rows do. Dense results are arrays, for sparse matrices, too.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

import numpy

import heddle as np
from heddle._core import ndarray, own_array, ufunc
from heddle._typing import ArrayLike, Casting, DType, DTypeLike
from heddle.scipy.sparse._dense_products import parts_times
from heddle.scipy.sparse._described import Described
from heddle.scipy.sparse._support import (
    SparseEfficiencyWarning,
    as_dense,
    check_dtype,
    host_scalar,
    is_followed,
    is_scalar,
    upcast,
)

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse._compressed import CompressedBase
    from heddle.scipy.sparse._typing import DenseArray, MatrixLike, SparseLike

_OPPOSITE = {
    operator.eq: operator.ne,
    operator.ne: operator.eq,
    operator.lt: operator.ge,
    operator.ge: operator.lt,
    operator.gt: operator.le,
    operator.le: operator.gt,
}
_SYMBOLS = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.ge: ">=",
    operator.gt: ">",
    operator.le: "<=",
}


def _warn(text: str) -> None:
    warnings.warn(SparseEfficiencyWarning(text), stacklevel=4)


class Operators(Described):
    """What `SparseBase` computes with other operands."""

    def _operand(self, other: Any, lists: bool = True) -> Any:
        """A number, one of ours, or a dense array beside this one; None for all else.

        Lists and the like are arrays only where `lists` says so.
        """
        if isinstance(other, own_array):
            return other if other.ndim else host_scalar(other)
        if isinstance(other, Operators):
            return other
        if is_scalar(other):
            return host_scalar(other)
        if isinstance(other, numpy.ndarray):
            return as_dense(other, self.device)
        from heddle.scipy.sparse._base import as_sparse

        found = as_sparse(other, self.device)
        if found is None and lists:
            found = as_dense(other, self.device)
            if found is not None and not found.ndim:
                return host_scalar(found)
        return found

    def _rows(self) -> CompressedBase:
        """Compressed rows, or columns: one of them for more than two axes."""
        return (self if self.ndim < 3 else self.reshape(1, -1)).tocsr()

    def _unrows(self, result: CompressedBase) -> SparseBase:
        return result if self.ndim < 3 else result.tocoo().reshape(self.shape)

    def _on_data(self, function: Callable[[ndarray], ndarray]) -> Any:
        """A function of each element that keeps zeros."""
        return self.tocsr()._on_data(function)

    # --- sums and differences ---

    @overload
    def __add__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __add__(self, other: DenseArray) -> ndarray: ...
    def __add__(self, other: Any) -> Any:
        return self._plus(
            other, "adding a nonzero scalar to a sparse array is not supported", False
        )

    __radd__ = __add__

    @overload
    def __sub__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __sub__(self, other: DenseArray) -> ndarray: ...
    def __sub__(self, other: Any) -> Any:
        text = "subtracting a nonzero scalar from a sparse array is not supported"
        return self._plus(other, text, True)

    def _plus(self, other: Any, refusal: str, minus: bool) -> Any:
        other = self._operand(other, lists=False)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            if other == 0:
                return self.copy()
            raise NotImplementedError(refusal)
        if isinstance(other, Operators):
            if other.shape != self.shape:
                raise ValueError("inconsistent shapes")
            return self._sub_sparse(other) if minus else self._add_sparse(other)
        other = np.broadcast_to(other, self.shape)
        return self.toarray() - other if minus else self._add_dense(other)

    @overload
    def __rsub__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __rsub__(self, other: DenseArray) -> ndarray: ...
    def __rsub__(self, other: Any) -> Any:
        other = self._operand(other, lists=False)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            if other == 0:
                return -self.copy()
            raise NotImplementedError(
                "subtracting a sparse array from a nonzero scalar is not supported"
            )
        if isinstance(other, Operators):
            return other - self
        return np.broadcast_to(other, self.shape) - self.toarray()

    def _add_sparse(self, other: Any) -> Any:
        return self._unrows(self._rows()._merged(other._rows(), np.add))

    def _sub_sparse(self, other: Any) -> Any:
        return self._unrows(self._rows()._merged(other._rows(), np.subtract))

    def _add_dense(self, other: ndarray) -> ndarray:
        return self.tocoo()._add_dense(other)

    # --- products ---

    def multiply(self, other: MatrixLike | SparseLike) -> SparseBase:
        """The product of elements, with broadcasting."""
        found: SparseBase = self._multiplied(self._operand(other))
        return found

    def _multiplied(self, other: Any) -> Any:
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        if self.ndim < 3:
            return self.tocsr()._multiply(other)
        if self.shape != other.shape:
            raise ValueError(
                "inconsistent shapes: >2D multiply() does not yet support broadcasting"
            )
        if isinstance(other, Operators):
            return self._unrows(self._rows()._merged(other._rows(), np.multiply))
        edges = self.tocoo(copy=False)
        return edges._with_data(edges.data * other[edges.coords])

    def __mul__(self, other: MatrixLike | SparseLike) -> SparseBase:
        return self.multiply(other)

    def __rmul__(self, other: MatrixLike | SparseLike) -> SparseBase:
        return self.multiply(other)

    def _mul_scalar(self, other: Any) -> Any:
        return self.tocsr()._mul_scalar(other)

    @overload
    def dot(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def dot(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def dot(self, other: Any) -> Any:
        """The matrix product; with a number, the product with it."""
        return self * other if is_scalar(other) else self @ other

    @overload
    def __matmul__(self, other: SparseLike) -> SparseBase: ...
    @overload
    def __matmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def __matmul__(self, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._matmul_dispatch(other)

    @overload
    def __rmatmul__(self, other: SparseLike) -> SparseBase: ...
    @overload
    def __rmatmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def __rmatmul__(self, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._rmatmul_dispatch(other)

    def _matmul_dispatch(self, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        columns = self._shape_as_2d[1]
        mismatch = "matmul: dimension mismatch with signature"
        if isinstance(other, Operators):
            if columns != other.shape[0]:
                k = other.shape[0]
                raise ValueError(f"{mismatch} (n,k={columns}),(k={k},m)->(n,m)")
            return self._matmul_sparse(other)
        if other.ndim > 2:
            raise ValueError("could not interpret dimensions")
        if other.shape[0] != columns:
            ends = (
                "(k={},1?)->(n,1?)" if other.ndim == 1 or other.shape[1] == 1 else "(k={},m)->(n,m)"
            )
            raise ValueError(f"{mismatch} (n,k={columns})," + ends.format(other.shape[0]))
        if is_followed(other, getattr(self, "data", None)):
            return self._matmul_followed(other)
        if other.ndim == 2 and other.shape[1] == 1:
            result = self._matmul_dense(other.reshape(-1))
            return result.reshape(1) if self.ndim == 1 else result.reshape(-1, 1)
        return self._matmul_dense(other)

    def _rmatmul_dispatch(self, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        result = self.transpose()._matmul_dispatch(other.transpose())
        return result if result is NotImplemented else result.transpose()

    def _matmul_dense(self, other: ndarray) -> Any:
        """The product with a vector or a matrix of the right length."""
        parts = self._parts_for_product() if other.ndim == 1 else None
        if parts is not None:
            dtype = upcast(self.dtype, other.dtype)
            inner = numpy.dtype(numpy.int32) if dtype.kind == "b" else dtype
            first, second, data = parts
            given = (first, second, data.astype(inner, copy=False))
            made = parts_times(given, other.astype(inner, copy=False), self.shape[0])
            if made is not None:
                return made != 0 if dtype.kind == "b" else made
        return self.tocsr()._matmul_dense(other)

    def _parts_for_product(self) -> tuple[ndarray, ndarray, ndarray] | None:
        """What `parts_times` takes, of formats that have it at hand."""
        return None

    def _matmul_followed(self, other: ndarray) -> Any:
        """The same of plain operations, which have derivatives and rules for batches."""
        edges = self.tocoo(copy=False)
        dtype = upcast(edges.dtype, other.dtype)
        inner = numpy.dtype(numpy.int32) if dtype.kind == "b" else dtype
        data, x = edges.data.astype(inner, copy=False), other.astype(inner, copy=False)
        parts = data.reshape(-1, *(1,) * (x.ndim - 1)) * x[edges.coords[-1]]
        if self.ndim == 1:
            made = parts.sum(axis=0)
        else:
            made = np.zeros((self.shape[0], *x.shape[1:]), inner, device=x.device)
            np.add.at(made, edges.coords[0], parts)
        return made != 0 if dtype.kind == "b" else made

    def _matmul_sparse(self, other: Any) -> Any:
        return self.tocsr()._matmul_sparse(other)

    # --- quotients ---

    @overload
    def __truediv__(self, other: SparseLike) -> ndarray: ...
    @overload
    def __truediv__(self, other: DenseArray | Sequence[object] | complex) -> SparseBase: ...
    def __truediv__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._over_scalar(other)
        if not isinstance(other, Operators):
            return self.multiply(np.divide(1, other))
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        dividend = self
        if numpy.can_cast(self.dtype, numpy.float64):
            dividend = self.astype(numpy.float64, copy=False)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            return np.divide(dividend.toarray(), other.toarray())

    def _over_scalar(self, other: Any) -> Any:
        if numpy.can_cast(self.dtype, numpy.float64):
            return self.astype(numpy.float64, copy=False)._mul_scalar(1 / other)
        result = self._mul_scalar(1 / other)
        if self.dtype.kind in "iu" and numpy.asarray(other).dtype.kind in "iu":
            return result.astype(self.dtype, copy=False)
        return result

    def __rtruediv__(self, other: SparseLike) -> ndarray:
        if not is_scalar(other) and not isinstance(other, own_array | numpy.ndarray):
            other = self._operand(other, lists=False)  # one of SciPy's
            if isinstance(other, Operators):
                return other / self
        return NotImplemented

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return NotImplemented

    __isub__ = __imul__ = __itruediv__ = __iadd__

    # --- one operand ---

    def __neg__(self) -> SparseBase:
        return -self.tocsr()

    def __abs__(self) -> SparseBase:
        return abs(self.tocsr())

    def __round__(self, ndigits: int = 0) -> SparseBase:
        return round(self.tocsr(), ndigits)

    def power(self, n: SupportsIndex, dtype: DType | None = None) -> SparseBase:
        """Each element to a power that is not zero."""
        found: SparseBase = self.tocsr().power(n, dtype=dtype)
        return found

    def __pow__(self, n: SupportsIndex) -> SparseBase:
        return self.power(n)

    # --- comparisons ---

    @overload
    def __eq__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __eq__(self, other: object) -> Any: ...
    def __eq__(self, other: Any) -> Any:
        return self._comparison(other, operator.eq)

    @overload
    def __ne__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __ne__(self, other: object) -> Any: ...
    def __ne__(self, other: Any) -> Any:
        return self._comparison(other, operator.ne)

    @overload
    def __lt__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __lt__(self, other: ArrayLike) -> Any: ...
    def __lt__(self, other: Any) -> Any:
        return self._comparison(other, operator.lt)

    @overload
    def __gt__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __gt__(self, other: ArrayLike) -> Any: ...
    def __gt__(self, other: Any) -> Any:
        return self._comparison(other, operator.gt)

    @overload
    def __le__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __le__(self, other: ArrayLike) -> Any: ...
    def __le__(self, other: Any) -> Any:
        return self._comparison(other, operator.le)

    @overload
    def __ge__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __ge__(self, other: ArrayLike) -> Any: ...
    def __ge__(self, other: Any) -> Any:
        return self._comparison(other, operator.ge)

    def _comparison(self, other: Any, op: Callable[..., Any]) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._against_scalar(other, op)
        if not isinstance(other, Operators):
            return op(self.toarray(), other)
        if self.shape != other.shape:
            if op in (operator.eq, operator.ne):
                return op is operator.ne
            raise ValueError("inconsistent shape")
        rows = self._rows()
        if not op(0, 0):
            return self._unrows(rows._merged(other._rows(), op))
        _warn(
            f"Comparing two sparse matrices using {_SYMBOLS[op]} is inefficient. "
            f"Try using {_SYMBOLS[_OPPOSITE[op]]} instead."
        )
        return self._unrows(rows._merged(other._rows(), _OPPOSITE[op])._negated())

    def _against_scalar(self, other: object, op: Callable[..., Any]) -> Any:
        rows = self._rows()
        nan = bool(other != other)
        if not op(0, other):
            if nan:
                return self._anew(self.shape, dtype=bool)
            return self._unrows(rows._with_scalar(other, op))
        _warn(
            f"Comparing a sparse matrix with {other} using {_SYMBOLS[op]} is inefficient. "
            f"Try using {_SYMBOLS[_OPPOSITE[op]]} instead."
        )
        if nan:
            return self._anew(np.ones(self.shape, bool, device=self.device))
        return self._unrows(rows._with_scalar(other, _OPPOSITE[op])._negated())

    @overload
    def maximum(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def maximum(self, other: ArrayLike) -> Any: ...
    def maximum(self, other: Any) -> Any:
        """The larger of each two elements."""
        return self._extremum(other, np.maximum, "positive")

    @overload
    def minimum(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def minimum(self, other: ArrayLike) -> Any: ...
    def minimum(self, other: Any) -> Any:
        """The smaller of each two elements."""
        return self._extremum(other, np.minimum, "negative")

    def _extremum(self, other: Any, op: ufunc, kind: str) -> Any:
        other = self._operand(other)
        if other is None:
            raise NotImplementedError(
                "maximum or minimum with an unrecognized array type is not supported"
            )
        if is_scalar(other):
            if getattr(numpy, op.__name__)(0, other):
                _warn(f"Taking {op.__name__} with a {kind} number results in a dense matrix.")
                return self._anew(op(self.toarray(), other))
            return self._unrows(self._rows()._with_scalar(other, op))
        if not isinstance(other, Operators):
            return op(self.toarray(), other)
        if self.shape != other.shape:
            text = f"inconsistent shapes self.shape={self.shape} other.shape={other.shape}"
            raise ValueError(text)
        return self._unrows(self._rows()._merged(other._rows(), op))


class DataOperators(Operators):
    """Of formats whose elements are one array: what changes only these keeps the format."""

    data: ndarray

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        raise NotImplementedError

    def copy(self) -> Self:
        """A copy that shares nothing."""
        return self._with_data(self.data.copy())

    def astype(self, dtype: DTypeLike, casting: Casting = "unsafe", copy: bool = True) -> Self:
        """With elements of another type."""
        dtype = check_dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        return self._with_data(self.data.astype(dtype, casting=casting))

    def _deduped_data(self) -> ndarray:
        if hasattr(self, "sum_duplicates"):
            self.sum_duplicates()
        return self.data

    def _on_data(self, function: Callable[[ndarray], ndarray]) -> Any:
        return self._with_data(function(self.data))

    def _mul_scalar(self, other: ArrayLike) -> Self:
        return self._with_data(self.data * other)

    def __abs__(self) -> Self:  # type: ignore[override]
        return self._with_data(abs(self._deduped_data()))

    def __round__(self, ndigits: int = 0) -> Self:  # type: ignore[override]
        return self._with_data(np.around(self._deduped_data(), decimals=ndigits))

    def __neg__(self) -> Self:  # type: ignore[override]
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        self.data *= 1.0 / other
        return self

    def power(self, n: SupportsIndex, dtype: DType | None = None) -> Self:  # type: ignore[override]
        """Each element to a power that is not zero."""
        if not is_scalar(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        data = self._deduped_data()
        return self._with_data((data if dtype is None else data.astype(dtype)) ** host_scalar(n))


def _function(name: str) -> Any:
    def method(self: DataOperators) -> DataOperators:
        return self._with_data(getattr(np, name)(self._deduped_data()))

    method.__name__ = name
    method.__qualname__ = f"DataOperators.{name}"
    method.__doc__ = f"`heddle.{name}` of each element; zeros stay zeros."
    return method


_KEEP_ZEROS = (
    "arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt "
    "tan tanh trunc"
)
for _name in _KEEP_ZEROS.split(" "):
    setattr(DataOperators, _name, _function(_name))
