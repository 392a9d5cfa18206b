"""What annotations of `heddle.scipy.sparse` say: matrices that are sparse or dense, operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

from heddle._typing import ArrayLike, HostArray

if TYPE_CHECKING:
    from heddle._core import ndarray
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse.linalg._operators import LinearOperator


class SparseLike(Protocol):
    """A sparse array or matrix, of anybody's."""

    def tocoo(self) -> object: ...


DenseArray: TypeAlias = Union["ndarray", HostArray]
MatrixLike: TypeAlias = Union[ArrayLike, "SparseBase"]
# What formats are made of: elements, a matrix of any format, a shape, or the parts of a format.
Given: TypeAlias = ArrayLike | SparseLike | tuple[Any, ...]
OperatorLike: TypeAlias = Union[ArrayLike, "SparseBase", "LinearOperator"]
