"""Products of elements with broadcasting, of compressed formats."""

from __future__ import annotations

from typing import Any

import heddle as np
from heddle.scipy.sparse._operators import Operators
from heddle.scipy.sparse._rows import CompressedRows
from heddle.scipy.sparse._support import broadcast_shapes


class Multiplication(CompressedRows):
    """What compressed formats are multiplied with, element by element."""

    def _multiplied(self, other: Any) -> Any:
        if other is None:
            return NotImplemented
        if numpy_scalar(other):
            return self._mul_scalar(other)
        return self._multiply(other)

    def _multiply(self, other: object) -> Any:
        if isinstance(other, Operators):
            return self._times_sparse(other)
        return self._times_dense(other)

    def _times_sparse(self, other: Any) -> Any:
        if self.shape == other.shape:
            return self._merged(other, np.multiply)
        if other.ndim > 2:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        if other.shape in ((1, 1), (1,)):
            result = self._mul_scalar(other.sum())
            return result.reshape(broadcast_shapes(self.shape, other.shape))
        if self.shape in ((1,), (1, 1)):
            return other._mul_scalar(self.data.sum())
        (m, n), (om, on) = self._shape_as_2d, other._shape_as_2d
        if m == 1 and on == 1:
            return other.reshape(om, 1).tocsr()._matmul_sparse(self.reshape(1, n).tocsr())
        if n == 1 and om == 1:
            return self._matmul_sparse(other.reshape(om, on).asformat(self.format))
        if om == 1 and n == on:
            result = self._scaled(other.toarray().ravel(), 1)
            return result if self.ndim == 2 else result.reshape(1, n)
        if m == 1 and n == on:
            return other._rows()._scaled(self.toarray().ravel(), 1)
        if on == 1 and m == om:
            return self._scaled(other.toarray().ravel(), 0)
        if n == 1 and m == om:
            return other._rows()._scaled(self.toarray().ravel(), 0)
        raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")

    def _scaled(self, factors: Any, axis: int) -> Any:
        """Rows (axis 0) or columns (axis 1) times a number each; zeros are dropped."""
        coo = self.tocoo(copy=False)
        coords = coo.coords[-1] if axis == 1 else coo.coords[0]
        result = self._with_data(self.data * factors[coords])
        result.eliminate_zeros()
        return result

    def _times_dense(self, other: Any) -> Any:
        if other.ndim > 2:
            return np.multiply(self.toarray(), other)
        if other.size == 1:
            shape = broadcast_shapes(self.shape, other.shape)
            return self._mul_scalar(other.reshape(())).reshape(shape)
        if self.shape in ((1,), (1, 1)):
            shape = broadcast_shapes(self.shape, other.shape)
            return np.multiply(self.data.sum(), other).reshape(shape)
        a = self.tocoo(copy=False)
        if self.shape == other.shape:
            return a._with_data(a.data * other[a.coords])
        mismatch = ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        try:
            shape = broadcast_shapes(self._shape_as_2d, np.atleast_2d(other).shape)
        except ValueError:
            raise mismatch from None
        other = np.atleast_2d(other)
        rows, columns = self._shape_as_2d
        if (rows, columns) == shape:
            places = (a.row if other.shape[0] != 1 else 0, a.col if other.shape[1] != 1 else 0)
            return a._with_data(a.data * other[places]).reshape(
                self.shape if self.ndim == 2 else shape
            )
        kind = self._index_dtype(a.coords, maxval=a.nnz * max(shape))
        if rows == 1 and shape[0] != 1:
            every = np.arange(shape[0], dtype=kind, device=self.device)
            row = np.repeat(every, a.nnz)
            col = np.tile(a.col.astype(kind), shape[0])
            factor = other if other.shape[1] == 1 else other[:, a.col]
            data = a.data * factor
        else:
            every = np.arange(shape[1], dtype=kind, device=self.device)
            row = np.repeat(a.row.astype(kind), shape[1])
            col = np.tile(every, a.nnz)
            data = a.data[:, None] * (other if other.shape[0] == 1 else other[a.row])
        made = self._container("coo")
        return made._made(
            shape, coords=(row, col), data=data.reshape(-1), has_canonical_format=False
        )


def numpy_scalar(x: object) -> bool:
    """Whether it is a number rather than an array."""
    return not hasattr(x, "shape") or x.shape == ()
