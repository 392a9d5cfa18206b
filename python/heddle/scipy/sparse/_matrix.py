"""Sparse matrices: what they have beyond arrays, with ``*`` for products as of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, cast, overload

from heddle._core import ndarray
from heddle._typing import Axis, ShapeLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse._typing import DenseArray, SparseLike


class spmatrix:
    """What sparse matrices are instances of: always two axes, ``*`` is the matrix product."""

    _allow_nd: Any = (2,)
    _is_array = False

    @overload
    def __mul__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __mul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def __mul__(self, other: Any) -> Any:
        return self._matmul_dispatch(other)  # type: ignore[attr-defined]

    @overload
    def __rmul__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __rmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def __rmul__(self, other: Any) -> Any:
        return self._rmatmul_dispatch(other)  # type: ignore[attr-defined]

    def __pow__(self, power: SupportsIndex) -> SparseBase:
        return matrix_power(self, power)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents; can be set, to reshape it."""
        return self._shape  # type: ignore[attr-defined, no-any-return]

    @shape.setter
    def shape(self, shape: Sequence[int]) -> None:
        self.set_shape(shape)

    def set_shape(self, shape: ShapeLike) -> None:
        """Reshapes in place."""
        self.__dict__ = self.reshape(shape).asformat(self.format).__dict__  # type: ignore[attr-defined]

    def get_shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self._shape  # type: ignore[attr-defined, no-any-return]

    def asfptype(self) -> Self:
        """With floating-point elements."""
        found: Self = self._asfptype()  # type: ignore[attr-defined]
        return found

    def getmaxprint(self) -> int:
        """How many elements are printed."""
        return self.maxprint  # type: ignore[attr-defined, no-any-return]

    def getformat(self) -> str:
        """The name of its format."""
        return self.format  # type: ignore[attr-defined, no-any-return]

    @overload
    def getnnz(self, axis: None = None) -> int: ...
    @overload
    def getnnz(self, axis: Axis) -> ndarray: ...
    def getnnz(self, axis: Axis | None = None) -> int | ndarray:
        """How many elements are stored, along an axis or all in all."""
        return self._getnnz(axis=axis)  # type: ignore[attr-defined, no-any-return]

    def getH(self) -> SparseBase:
        """The conjugate transpose."""
        found: SparseBase = self.conjugate().transpose()  # type: ignore[attr-defined]
        return found

    @property
    def H(self) -> SparseBase:
        """The conjugate transpose."""
        return self.getH()

    @property
    def A(self) -> ndarray:
        """As a dense array."""
        found: ndarray = self.toarray()  # type: ignore[attr-defined]
        return found

    def getcol(self, j: int) -> SparseBase:
        """A copy of a column, as a matrix of one column."""
        found: SparseBase = self._getcol(j)  # type: ignore[attr-defined]
        return found

    def getrow(self, i: int) -> SparseBase:
        """A copy of a row, as a matrix of one row."""
        found: SparseBase = self._getrow(i)  # type: ignore[attr-defined]
        return found

    @classmethod
    def __class_getitem__(cls, arg: object, /) -> GenericAlias:
        return GenericAlias(cls, arg)


def matrix_power(a: Any, power: Any) -> SparseBase:
    """The product of a square matrix with itself, `power` times."""
    m, n = a.shape
    if m != n:
        raise TypeError("sparse matrix is not square")
    try:
        count = int(power)
        exact = count == power
    except (TypeError, ValueError):
        exact = False
    if not exact or isinstance(power, float):
        raise ValueError("exponent must be an integer")
    if count < 0:
        raise ValueError("exponent must be >= 0")
    if count == 0:
        from heddle.scipy.sparse._construct import eye_array

        made = eye_array(m, dtype=a.dtype, format="csr")
        return cast("SparseBase", a._container("csr")(made).asformat(a.format))
    if count == 1:
        return cast("SparseBase", a.copy())
    half = matrix_power(a, count // 2)
    return cast("SparseBase", a @ half @ half if count % 2 else half @ half)


def isspmatrix(x: object) -> bool:
    """Whether it is a sparse matrix of this module; arrays are none.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.isspmatrix(sparse.csr_matrix([[5]])), sparse.isspmatrix(sparse.csr_array([[5]]))
    (True, False)
    """
    return isinstance(x, spmatrix)


def _is_of(format: str) -> Any:
    def check(x: object) -> bool:
        return isinstance(x, spmatrix) and x.format == format  # type: ignore[attr-defined]

    check.__name__ = check.__qualname__ = f"isspmatrix_{format}"
    check.__doc__ = f"""Whether it is a sparse matrix in {format} format; arrays are none.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.isspmatrix_{format}(sparse.{format}_matrix([[5]]))
    True
    """
    return check


isspmatrix_bsr = _is_of("bsr")
isspmatrix_coo = _is_of("coo")
isspmatrix_csc = _is_of("csc")
isspmatrix_csr = _is_of("csr")
isspmatrix_dia = _is_of("dia")
isspmatrix_dok = _is_of("dok")
isspmatrix_lil = _is_of("lil")
