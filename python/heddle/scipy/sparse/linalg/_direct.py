"""Sparse systems by factors. Factors are SuperLU's, which SciPy brings, on the host."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast, overload

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType
from heddle.scipy.sparse import SparseEfficiencyWarning, csc_array, csr_array
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.linalg._errors import MatrixRankWarning
from heddle.scipy.sparse.linalg._inputs import host
from heddle.scipy.sparse.linalg._triangular import substitute

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse._compressed import CompressedBase


def _scipys() -> ModuleType:
    try:
        return importlib.import_module("scipy.sparse.linalg")
    except ImportError as error:
        raise ImportError(
            "sparse matrices are factored by SuperLU, which SciPy brings (pip install "
            "heddle[scipy])"
        ) from error


def _compressed(A: Any, formats: tuple[str, ...], message: str) -> csc_array:
    """A matrix in one of these formats, by a warning where it has to be converted."""
    found = as_sparse(A) if is_sparse(A) else None
    if found is None or found.format not in formats:
        warnings.warn(SparseEfficiencyWarning(message), stacklevel=3)
        found = csc_array(as_array(A)) if found is None else found.tocsc()
    return found


def _floating(A: csc_array) -> csc_array:
    return A if A.dtype.char in "fdFD" else A._asfptype()


class SuperLU:
    """Factors of a sparse matrix, ``Pr A Pc = L U``, from `splu` and `spilu`.

    They are in the host's memory; right sides are copied there, and solutions to where they were.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import splu
    >>> lu = splu(csc_array(np.array([[4.0, 1.0], [0.0, 3.0]])))
    >>> lu.solve(np.array([6.0, 6.0])), lu.shape
    (array([1., 2.]), (2, 2))
    """

    def __init__(self, factors: Any, dtype: DType, device: str | None) -> None:
        self._factors, self._dtype, self._device = factors, numpy.dtype(dtype), device

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._factors.shape  # type: ignore[no-any-return]

    @property
    def nnz(self) -> int:
        """How many elements the factors have."""
        return int(self._factors.nnz)

    @property
    def perm_c(self) -> ndarray:
        """The order of columns."""
        return np.asarray(self._factors.perm_c, device=self._device)

    @property
    def perm_r(self) -> ndarray:
        """The order of rows."""
        return np.asarray(self._factors.perm_r, device=self._device)

    @property
    def L(self) -> csc_array:
        """The lower triangle, with ones on its diagonal."""
        return self._sparse(self._factors.L)

    @property
    def U(self) -> csc_array:
        """The upper triangle."""
        return self._sparse(self._factors.U)

    def _sparse(self, factor: Any) -> csc_array:
        parts = (factor.data, factor.indices, factor.indptr)
        ours = tuple(np.asarray(part, device=self._device) for part in parts)
        return csc_array(ours, shape=factor.shape)

    def solve(self, rhs: ArrayLike, trans: str = "N") -> ndarray:
        """x of A x = rhs, of the transpose ('T') or the adjoint ('H').

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse import csc_array
        >>> from heddle.scipy.sparse.linalg import splu
        >>> lu = splu(csc_array(np.array([[4.0, 1.0], [0.0, 3.0]])))
        >>> lu.solve(np.array([4.0, 7.0]), "T")
        array([1., 2.])
        """
        b = as_array(rhs)
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be N, T, or H")
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError("b is of incompatible size")
        made: ndarray = _solved_by(self, b, trans)
        return made

    def _solve(self, b: ndarray, trans: str) -> ndarray:
        given = host(b)
        if given.dtype.kind == "c" and self._dtype.kind != "c":
            real, imag = (self._factors.solve(part, trans) for part in (given.real, given.imag))
            made = real + 1j * imag
        else:
            made = self._factors.solve(given.astype(self._dtype), trans)
        return np.asarray(numpy.ascontiguousarray(made), device=b.device)

    def __repr__(self) -> str:
        return f"<SuperLU of shape {self.shape} with {self.nnz} stored elements>"


_solved_by: Any = np.custom_vjp(
    lambda factors, b, trans: factors._solve(b, trans), nondiff_argnums=(0, 2)
)


def _solved_backward(factors: SuperLU, trans: str, kept: None, change: ndarray) -> tuple[ndarray]:
    if trans == "H":
        return (factors.solve(change.conj(), "N").conj(),)
    return (factors.solve(change, "N" if trans == "T" else "T"),)


_solved_by.defvjp(lambda factors, b, trans: (factors._solve(b, trans), None), _solved_backward)


def _factored(name: str, A: object, **options: object) -> SuperLU:
    found = _compressed(A, ("csc",), f"{name} converted its input to CSC format")
    found = _floating(found)
    if found.shape[0] != found.shape[1]:
        raise ValueError("can only factor square matrices")
    theirs = _scipys()
    return SuperLU(getattr(theirs, name)(found.get(), **options), found.dtype, found.device)


def splu(
    A: MatrixLike,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """Factors L and U of a sparse square matrix, by SuperLU on the host.

    Parameters
    ----------
    A : sparse matrix
        In compressed columns, best.
    permc_spec : {'NATURAL', 'MMD_ATA', 'MMD_AT_PLUS_A', 'COLAMD'}, optional
        How columns are ordered.
    diag_pivot_thresh, relax, panel_size, options
        What SuperLU calls so.

    Raises
    ------
    RuntimeError
        Where the matrix is singular.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import splu
    >>> splu(csc_array(np.array([[2.0, 1.0], [0.0, 4.0]]))).solve(np.array([4.0, 8.0]))
    array([1., 2.])
    """
    return _factored(
        "splu",
        A,
        permc_spec=permc_spec,
        diag_pivot_thresh=diag_pivot_thresh,
        relax=relax,
        panel_size=panel_size,
        options=options,
    )


def spilu(
    A: MatrixLike,
    drop_tol: float | None = None,
    fill_factor: float | None = None,
    drop_rule: str | None = None,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """Approximate factors of a sparse square matrix, for preconditioners; by SuperLU on the host.

    Parameters
    ----------
    A : sparse matrix
    drop_tol : float, optional
        Elements below it are left out; 1e-4 by default.
    fill_factor : float, optional
        How many times as many elements the factors may have; 10 by default.
    drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options
        What SuperLU calls so.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import spilu
    >>> spilu(csc_array(np.array([[2.0, 1.0], [0.0, 4.0]]))).solve(np.array([4.0, 8.0]))
    array([1., 2.])
    """
    return _factored(
        "spilu",
        A,
        drop_tol=drop_tol,
        fill_factor=fill_factor,
        drop_rule=drop_rule,
        permc_spec=permc_spec,
        diag_pivot_thresh=diag_pivot_thresh,
        relax=relax,
        panel_size=panel_size,
        options=options,
    )


def factorized(A: MatrixLike) -> Callable[[ArrayLike], ndarray]:
    """A function that solves systems with a sparse matrix, which is factored once, by `splu`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import factorized
    >>> solve = factorized(csc_array(np.array([[2.0, 1.0], [0.0, 4.0]])))
    >>> solve(np.array([4.0, 8.0]))
    array([1., 2.])
    """
    return splu(A).solve


@overload
def spsolve(
    A: MatrixLike, b: SparseBase, permc_spec: str | None = None, use_umfpack: bool = True
) -> SparseBase | ndarray: ...  # a vector for one column
@overload
def spsolve(
    A: MatrixLike, b: ArrayLike, permc_spec: str | None = None, use_umfpack: bool = True
) -> ndarray: ...
def spsolve(
    A: MatrixLike, b: MatrixLike, permc_spec: str | None = None, use_umfpack: bool = True
) -> ndarray | SparseBase:
    """x of A x = b for a sparse matrix and a vector or a matrix, dense or sparse; by SuperLU, on
    the host.

    Parameters
    ----------
    A : sparse matrix
        In compressed rows or columns, best.
    b : array or sparse matrix
    permc_spec : str, optional
        How columns are ordered, as in `splu`.
    use_umfpack : bool
        There is no UMFPACK here; SuperLU is used in any case.

    Returns
    -------
    array or sparse matrix
        Sparse for a sparse b with several columns. A singular matrix is told of by a
        MatrixRankWarning, and the result is nan.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import spsolve
    >>> spsolve(csr_array(np.array([[2.0, 1.0], [0.0, 4.0]])), np.array([4.0, 8.0]))
    array([1., 2.])
    """
    found = _compressed(A, ("csc", "csr"), "spsolve requires A be CSC or CSR matrix format")
    right = as_sparse(b) if is_sparse(b) else as_array(cast("ArrayLike", b))
    found = _floating(found)
    if found.shape[0] != found.shape[1]:
        raise ValueError(f"matrix must be square (has shape {found.shape})")
    if found.shape[0] != right.shape[0]:
        raise ValueError(f"matrix - rhs dimension mismatch ({found.shape} - {right.shape[0]})")
    if not is_sparse(right) and any(map(_core.is_differentiated, (found.data, right))):
        return _followed_solution(found, right, permc_spec)
    made: ndarray | SparseBase = _solution(found, right, permc_spec)
    return made


def _solution(found: CompressedBase, right: Any, permc_spec: str | None) -> Any:
    sparse = is_sparse(right)
    theirs = _scipys()
    if sparse and (right.ndim == 1 or right.shape[1] == 1):
        right, sparse = right.toarray().reshape(-1), False
    if sparse and right.format != "csc":
        warnings.warn(
            SparseEfficiencyWarning(
                "spsolve is more efficient when sparse b is in the CSC matrix format"
            ),
            stacklevel=3,
        )
        right = right.tocsc()
    given = right.get() if sparse else host(right)
    with warnings.catch_warnings():
        warnings.simplefilter("error", theirs.MatrixRankWarning)
        try:
            made = theirs.spsolve(found.get(), given, permc_spec, use_umfpack=False)
        except theirs.MatrixRankWarning:
            made = None
    if made is None:
        warnings.warn(MatrixRankWarning("Matrix is exactly singular"), stacklevel=3)
        shape = right.shape if right.ndim == 1 or right.shape[1] != 1 else right.shape[:1]
        dtype = numpy.promote_types(found.dtype, right.dtype)
        return np.full(shape, np.nan, dtype=dtype, device=right.device)
    if sparse:
        return as_sparse(made)
    return np.asarray(numpy.ascontiguousarray(made), device=right.device)


def _followed_solution(A: Any, right: ndarray, permc_spec: str | None) -> ndarray:
    """The same with a derivative, of the elements of the matrix and of the right side."""
    rows, columns = A.tocoo(copy=False).coords

    def solution(data: ndarray, b: ndarray) -> ndarray:
        solved: ndarray = _solution(A._with_data(data, copy=False), b, permc_spec)
        return solved.reshape(b.shape)

    def forward(data: ndarray, b: ndarray) -> Any:
        made = solution(data, b)
        return made, (data, made)

    def backward(kept: Any, change: ndarray) -> Any:
        data, made = kept
        back = spsolve(A._with_data(data, copy=False).T, change, permc_spec).reshape(change.shape)
        slopes = back[rows] * made[columns]
        slopes = -(slopes if slopes.ndim == 1 else slopes.sum(axis=1))
        return [
            slope if like.dtype.kind == "c" else slope.real
            for slope, like in ((slopes, data), (back, change))
        ]

    rule: Any = np.custom_vjp(solution)
    rule.defvjp(forward, backward)
    made: ndarray = rule(A.data, right.astype(numpy.promote_types(A.dtype, right.dtype)))
    return made.reshape(-1) if right.ndim == 2 and right.shape[1] == 1 else made


def spsolve_triangular(
    A: MatrixLike,
    b: ArrayLike,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> ndarray:
    """x of A x = b for a sparse triangle; elements of the other triangle are not looked at.

    Parameters
    ----------
    A : sparse matrix
        In compressed rows, best.
    b : array
        One right side, or one in each column.
    lower : bool
        Which triangle it is.
    overwrite_A, overwrite_b : bool
        Permissions that nobody needs.
    unit_diagonal : bool
        Whether the diagonal is taken for ones.

    Raises
    ------
    LinAlgError
        Where an element of the diagonal is zero.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import spsolve_triangular
    >>> spsolve_triangular(csr_array(np.array([[2.0, 0.0], [1.0, 4.0]])), np.array([2.0, 9.0]))
    array([1., 2.])
    """
    message = "CSC or CSR matrix format is required. Converting to CSC matrix."
    found = _compressed(A, ("csc", "csr"), message)
    if found.shape[0] != found.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {found.shape}.")
    right = as_array(b)
    if right.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {right.shape}.")
    if right.shape[0] != found.shape[0]:
        raise ValueError(
            "The size of the dimensions of A must be equal to the size of the first dimension of b "
            f"but the shape of A is {found.shape} and the shape of b is {right.shape}."
        )
    rows = found.tocsr()
    # No diagonal element may be zero; the host's loop finds out by itself.
    if not unit_diagonal and not right._on_host and bool(np.any(rows.diagonal() == 0)):
        raise LinAlgError("A is singular: zero entry on diagonal.")
    dtype = numpy.promote_types(numpy.promote_types(rows.dtype, numpy.float32), right.dtype)
    columns = right.astype(dtype).reshape(right.shape[0], -1)
    x = substitute(
        rows.indptr, rows.indices, rows.data.astype(dtype), columns, lower, unit_diagonal
    )
    if x is None:
        raise LinAlgError("A is singular: zero entry on diagonal.")
    return x.reshape(right.shape)


def use_solver(**kwargs: bool) -> None:
    """Chooses the solver of `spsolve`, as far as there is a choice: there is no UMFPACK here.

    Examples
    --------
    >>> from heddle.scipy.sparse.linalg import use_solver
    >>> use_solver(useUmfpack=False)
    """
    unknown = set(kwargs) - {"useUmfpack", "assumeSortedIndices"}
    if unknown:
        raise TypeError(f"use_solver() got unexpected keywords: {sorted(unknown)}")
    if kwargs.get("useUmfpack", True) and "assumeSortedIndices" in kwargs:
        raise RuntimeError("Scikits.umfpack not installed.")


def _rows_and_columns(A: Any, message: str) -> tuple[ndarray, ndarray, Any]:
    if not is_sparse(A) or A.format == "bsr":
        warnings.warn(SparseEfficiencyWarning(message), stacklevel=3)
        A = csr_array(as_array(A)) if not is_sparse(A) else A
    found = as_sparse(A).tocoo()
    return found.coords[0], found.coords[1], found


def is_sptriangular(A: MatrixLike) -> tuple[bool, bool]:
    """Whether a sparse matrix is a lower, and whether it is an upper triangle.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import is_sptriangular
    >>> is_sptriangular(csr_array(np.array([[2.0, 0.0], [1.0, 4.0]])))
    (True, False)
    """
    below, above = _extents(
        A, "is_sptriangular needs sparse and not BSR format. Converting to CSR."
    )
    return above <= 0, below <= 0


def spbandwidth(A: MatrixLike) -> tuple[int, int]:
    """How many diagonals a sparse matrix has below and above the main one.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import spbandwidth
    >>> spbandwidth(csr_array(np.array([[2.0, 0.0], [1.0, 4.0]])))
    (1, 0)
    """
    below, above = _extents(
        A, "spbandwidth needs sparse format not LIL and BSR. Converting to CSR."
    )
    return max(below, 0), max(above, 0)


def _extents(A: MatrixLike, message: str) -> tuple[int, int]:
    rows, columns, found = _rows_and_columns(A, message)
    if found.nnz == 0:
        return 0, 0
    gaps = columns.astype("i8") - rows
    least, most = np.stack([gaps.min(), gaps.max()]).tolist()
    return -least, most
