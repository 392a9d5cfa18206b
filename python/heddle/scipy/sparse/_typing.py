"""What annotations of `heddle.scipy.sparse` say: matrices that are sparse or dense, operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

from heddle._typing import ArrayLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse.linalg._operators import LinearOperator

MatrixLike: TypeAlias = Union[ArrayLike, "SparseBase"]
OperatorLike: TypeAlias = Union[ArrayLike, "SparseBase", "LinearOperator"]
