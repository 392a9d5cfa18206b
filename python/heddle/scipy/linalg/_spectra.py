"""Eigenvalues and eigenvectors, of any matrices and of Hermitian ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast, overload

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import linalg as _core
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    adjoint,
    check_status,
    computed_in,
    lapack,
    over_batch,
    square,
    typed,
    validated,
)
from heddle.scipy.linalg._cholesky import cholesky_factor

# --- of any matrices ---


def _complex(a: ndarray) -> ndarray:
    return a if a.dtype.kind == "c" else a.astype("c8" if a.dtype.itemsize == 4 else "c16")


def _paired(values: ndarray, vectors: ndarray) -> ndarray:
    """Vectors of a real matrix: conjugate pairs are in two columns, real and imaginary parts."""
    first = values.imag > 0
    after = np.concatenate([np.zeros_like(first[..., :1]), first[..., :-1]], axis=-1)
    nothing = np.zeros_like(vectors[..., :1])
    following = np.concatenate([vectors[..., 1:], nothing], axis=-1)
    before = np.concatenate([nothing, vectors[..., :-1]], axis=-1)
    first, after = first[..., None, :], after[..., None, :]
    real = np.where(after, before, vectors)
    imaginary = np.where(first, following, np.where(after, -vectors, 0))
    return real + 1j * imaginary


def _vectors(values: ndarray, vectors: ndarray, a: ndarray) -> ndarray:
    dtype = computed_in(a)
    if dtype.kind == "c":
        return vectors.astype(dtype)
    if bool(np.all(values.imag == 0)):
        return vectors.astype(dtype)
    return _paired(values, vectors).astype("c8" if dtype.itemsize == 4 else "c16")


def _quotients(alpha: ndarray, beta: ndarray | None, homogeneous: bool) -> ndarray:
    if homogeneous:
        second = np.ones_like(alpha) if beta is None else beta.astype(alpha.dtype)
        return np.stack([alpha, second], axis=-2)
    if beta is None:
        return alpha
    none = beta == 0
    quotient = alpha / np.where(none, 1, beta)
    nothing = math.nan if bool(np.all(alpha.imag == 0)) else complex(math.nan, math.nan)
    return np.where(none, np.where(alpha == 0, nothing, math.inf), quotient)


@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: Literal[False] = False,
    right: Literal[True] = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> tuple[ndarray, ndarray]: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> ndarray | tuple[ndarray, ...]: ...
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> ndarray | tuple[ndarray, ...]:
    """Eigenvalues, which are complex, and eigenvectors: ``a @ v == w * v``, or ``w * (b @ v)``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> w, v = linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> w
    array([0.+1.j, 0.-1.j])
    """
    given = square(validated(a, check_finite))
    (given,) = typed(given)
    second = None
    if b is not None:
        second = square(validated(b, check_finite))
        if second.shape[-2:] != given.shape[-2:]:
            raise ValueError("a and b must have the same shape")
        given, second = typed(given, second)
    beta = vl = vr = None
    if given.size == 0:
        alpha = _complex(np.zeros(given.shape[:-1], given.dtype))
        vl = vr = given
    elif second is not None:
        stack = numpy.broadcast_shapes(given.shape[:-2], second.shape[:-2])
        given = np.broadcast_to(given, (*stack, *given.shape[-2:]))
        second = np.broadcast_to(second, given.shape)
        _, _, alpha, beta, vl, vr, status = lapack("generalised_eig", given, second)
        check_status(status, "generalized eig algorithm (ggev) did not converge")
        dtype = computed_in(given)
        beta = beta.astype(dtype)
    elif left:
        _, alpha, vl, vr, status = lapack("two_sided_eig", given)
        check_status(status, "eig algorithm (geev) did not converge")
    elif right:
        alpha, vr = _core.eig(given)
    else:
        alpha = _core.eigvals(given)
    alpha = alpha.astype(numpy.result_type(given.dtype, numpy.complex64))
    w = _quotients(alpha, beta, homogeneous_eigvals)
    ones = w if not homogeneous_eigvals else alpha
    found = []
    for wanted, vectors in ((left, vl), (right, vr)):
        if wanted:
            assert vectors is not None
            if given.size and (second is not None or left):
                vectors = _vectors(ones, vectors, given)
            if given.size and second is not None:
                lengths = np.sqrt(np.sum(np.abs(vectors) ** 2, axis=-2, keepdims=True))
                vectors = vectors / lengths.astype(vectors.real.dtype)
            found.append(vectors)
    return (w, *found) if found else w


def eigvals(
    a: ArrayLike,
    b: ArrayLike | None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> ndarray:
    """Eigenvalues, which are complex.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigvals([[2.0, 0.0], [0.0, 3.0]])
    array([2.+0.j, 3.+0.j])
    """
    made = eig(
        a, b, False, False, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals
    )
    return cast("ndarray", made)


# --- of Hermitian matrices ---

_drivers = (None, "ev", "evd", "evr", "evx", "gv", "gvd", "gvx")


def _check_driver(driver: str | None, generalised: bool, subset: bool) -> None:
    if driver not in _drivers:
        known = '", "'.join(_drivers[1:])
        raise ValueError(f'"{driver}" is unknown. Possible values are "None", "{known}".')
    if driver is None:
        return
    if not generalised and driver.startswith("g"):
        raise ValueError(
            f"{driver} requires input b array to be supplied for generalized eigenvalue problems."
        )
    if generalised and driver.startswith("e"):
        raise ValueError(
            f'"{driver}" does not accept input b array for standard eigenvalue problems.'
        )
    if subset and driver in ("ev", "evd", "gv", "gvd"):
        raise ValueError(f'"{driver}" cannot compute subsets of eigenvalues')


def _generalised(a: ndarray, b: ndarray, lower: bool, kind: int) -> tuple[ndarray, ndarray]:
    """By Cholesky's factor of b: (1) a v = w b v, (2) a b v = w v, (3) b a v = w v."""
    try:
        c = cholesky_factor(b, lower)
    except LinAlgError:
        raise LinAlgError(
            "The leading minor of B is not positive definite. The factorization of B could not be "
            "completed and no eigenvalues or eigenvectors were computed."
        ) from None
    from heddle.scipy.linalg._equations import mirrored

    factor = c if lower else adjoint(c)  # b = factor factor^H
    a = mirrored(a, lower, a.dtype.kind == "c")
    if kind == 1:
        half = _core.solve_triangular(factor, a, True, False)
        inner = adjoint(_core.solve_triangular(factor, adjoint(half), True, False))
    else:
        inner = adjoint(factor) @ a @ factor
    w, v = _core.eigh((inner + adjoint(inner)) / 2, False)
    if kind == 3:
        return w, factor @ v
    return w, _core.solve_triangular(adjoint(factor), v, False, False)


@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: Literal[False] = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> tuple[ndarray, ndarray]: ...
@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: Literal[True],
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray: ...
@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray | tuple[ndarray, ndarray]: ...
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray | tuple[ndarray, ndarray]:
    """Ascending eigenvalues and orthonormal eigenvectors of Hermitian matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigh([[2.0, 1.0], [1.0, 2.0]], eigvals_only=True)
    array([1., 3.])
    """
    subset = subset_by_index is not None or subset_by_value is not None
    _check_driver(driver, b is not None, subset)
    given = square(validated(a, check_finite), 'expected square "a" matrix')
    (given,) = typed(given)
    second = None
    if b is not None:
        second = square(validated(b, check_finite), 'expected square "b" matrix')
        if second.shape[-2:] != given.shape[-2:]:
            raise ValueError(f"wrong b dimensions {second.shape}, should be {given.shape}")
        if type not in (1, 2, 3):
            raise ValueError('"type" keyword only accepts 1, 2, and 3.')
        given, second = typed(given, second)
    if subset_by_index is not None and subset_by_value is not None:
        raise ValueError("Either index or value subset can be requested.")
    n = given.shape[-1]
    part = slice(None)
    if subset_by_index is not None:
        low, high = (int(x) for x in subset_by_index)
        if not 0 <= low <= high < n:
            raise ValueError(
                "Requested eigenvalue indices are not valid. Valid range is "
                f"[0, {n - 1}] and start <= end, but start={low}, end={high} is given"
            )
        part = slice(low, high + 1)
    if subset_by_value is not None:
        above, up_to = subset_by_value
        if not -math.inf <= above < up_to <= math.inf:
            raise ValueError(
                "Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and "
                f"low < high, but low={above}, high={up_to} is given"
            )
    if given.size == 0:
        w, v = np.zeros(given.shape[:-1], given.real.dtype), given
    elif second is not None:
        w, v = _generalised(given, second, bool(lower), type)
    elif eigvals_only:
        w, v = _core.eigvalsh(given, not lower), None
    else:
        w, v = _core.eigh(given, not lower)
    if subset_by_value is not None and given.size:
        part = _between(w, *subset_by_value)
    w = w[..., part]
    return w if eigvals_only or v is None else (w, v[..., part])


def _between(w: ndarray, low: float, high: float) -> slice:
    """Where values are in (low, high], of ascending ones of a single matrix."""
    if w.ndim > 1:
        raise ValueError("eigenvalues in a range are not as many for all matrices of a stack")
    start = int(np.sum(w <= low))
    return slice(start, int(np.sum(w <= high)))


def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray:
    """Ascending eigenvalues of Hermitian matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]])
    array([1., 3.])
    """
    made: ndarray = eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )
    return made


_selections = {0: 0, 1: 1, 2: 2, "all": 0, "value": 1, "index": 2, "a": 0, "v": 1, "i": 2}


def _selected(select: object, select_range: ArrayLike | None, count: int) -> dict[str, Any]:
    """As keywords of eigh."""
    try:
        chosen = _selections[select.lower() if isinstance(select, str) else select]
    except (KeyError, TypeError):
        raise ValueError("invalid argument for select") from None
    if chosen == 0:
        return {}
    bounds = np.asnumpy(() if select_range is None else select_range)
    if bounds.ndim != 1 or bounds.size != 2 or bounds[1] < bounds[0]:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    if chosen == 1:
        return {"subset_by_value": tuple(bounds)}
    if bounds.dtype.kind not in "iu":
        raise ValueError(
            'when using select="i", select_range must contain integers, got dtype '
            f"{bounds.dtype} ({bounds.dtype.char})"
        )
    if min(bounds) < 0 or max(bounds) >= count:
        raise ValueError("select_range out of bounds")
    return {"subset_by_index": tuple(int(x) for x in bounds)}


def _from_bands(ab: ndarray, lower: bool) -> ndarray:
    """The lower triangle of a matrix of diagonals, as a whole matrix."""
    n, width = ab.shape[-1], ab.shape[-2]
    made = np.zeros((*ab.shape[:-2], n, n), ab.dtype, device=ab.device)
    for d in range(min(width, n)):
        row = ab[..., d, : n - d] if lower else ab[..., width - 1 - d, d:].conj()
        index = np.arange(n - d)
        made[..., index + d, index] = row
    return made


@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: Literal[False] = False,
    overwrite_a_band: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]: ...
@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    *,
    eigvals_only: Literal[True],
    overwrite_a_band: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> ndarray: ...
@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]: ...
@over_batch(a_band=2)
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """Eigenvalues and vectors of Hermitian matrices that are given by their diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eig_banded([[2.0, 2.0], [1.0, 0.0]], lower=True, eigvals_only=True)
    array([1., 3.])
    """
    (given,) = typed(validated(a_band, check_finite))
    if given.ndim != 2:
        raise ValueError("expected a 2-D array")
    chosen = _selected(select, select_range, given.shape[1]) if given.size else {}
    return eigh(_from_bands(given, bool(lower)), eigvals_only=eigvals_only, **chosen)


@over_batch(a_band=2)
def eigvals_banded(
    a_band: ArrayLike,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
) -> ndarray:
    """Eigenvalues of Hermitian matrices that are given by their diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigvals_banded([[2.0, 2.0], [1.0, 0.0]], lower=True)
    array([1., 3.])
    """
    made = eig_banded(
        a_band,
        lower,
        eigvals_only=True,
        select=select,
        select_range=select_range,
        check_finite=check_finite,
    )
    return made


_tridiagonal_drivers = ("auto", "stemr", "sterf", "stebz", "stev", "stevd")


@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: Literal[False] = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> tuple[ndarray, ndarray]: ...
@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    *,
    eigvals_only: Literal[True],
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray: ...
@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray | tuple[ndarray, ndarray]: ...
@over_batch(d=1, e=1)
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray | tuple[ndarray, ndarray]:
    """Eigenvalues and vectors of a real symmetric matrix with two diagonals d and e.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigh_tridiagonal([2.0, 2.0], [1.0], eigvals_only=True)
    array([1., 3.])
    """
    middle, beside = validated(d, check_finite), validated(e, check_finite)
    for each in (middle, beside):
        if each.ndim != 1:
            raise ValueError("expected a 1-D array")
        if each.dtype.kind == "c":
            raise TypeError("Only real arrays currently supported")
    if middle.size != beside.size + 1:
        raise ValueError(f"d ({middle.size}) must have one more element than e ({beside.size})")
    chosen = _selected(select, select_range, middle.size)
    if not isinstance(lapack_driver, str):
        raise TypeError("lapack_driver must be str")
    if lapack_driver not in _tridiagonal_drivers:
        raise ValueError(
            f"lapack_driver must be one of {_tridiagonal_drivers}, got {lapack_driver}"
        )
    if lapack_driver in ("sterf", "stev", "stevd") and chosen:
        raise ValueError(f'{lapack_driver} can only be used when select == "a"')
    if lapack_driver == "sterf" and not eigvals_only:
        raise ValueError("sterf can only be used when eigvals_only is True")
    middle, beside = typed(middle, beside)
    below = np.concatenate([beside, np.zeros_like(middle[:1])])
    return eigh(_from_bands(np.stack([middle, below]), True), eigvals_only=eigvals_only, **chosen)


@over_batch(d=1, e=1)
def eigvalsh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    select: str = "a",
    select_range: ArrayLike | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> ndarray:
    """Eigenvalues of a real symmetric matrix with two diagonals d and e.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.eigvalsh_tridiagonal([2.0, 2.0], [1.0])
    array([1., 3.])
    """
    made = eigh_tridiagonal(
        d,
        e,
        eigvals_only=True,
        select=select,
        select_range=select_range,
        check_finite=check_finite,
        tol=tol,
        lapack_driver=lapack_driver,
    )
    return made


def cdf2rdf(w: ArrayLike, v: ArrayLike) -> tuple[ndarray, ndarray]:
    """Eigenvalues and vectors in conjugate pairs as real blocks of two rows, and their vectors.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> wr, vr = linalg.cdf2rdf(*linalg.eig([[0.0, 1.0], [-1.0, 0.0]]))
    >>> wr
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    values, vectors = validated(w), validated(v)
    if values.ndim < 1:
        raise ValueError("expected w to be at least 1D")
    if vectors.ndim < 2:
        raise ValueError("expected v to be at least 2D")
    if vectors.ndim != values.ndim + 1:
        raise ValueError(
            "expected eigenvectors array to have exactly one dimension more than eigenvalues array"
        )
    n = values.shape[-1]
    square(
        vectors,
        "expected v to be a square matrix or stacked square matrices: v.shape[-2] = v.shape[-1]",
    )
    if vectors.shape[-1] != n:
        raise ValueError("expected the same number of eigenvalues as eigenvectors")
    values = _complex(typed(values)[0])
    is_complex = values.imag != 0
    if bool(np.any(np.sum(is_complex, axis=-1) % 2)):
        raise ValueError("expected complex-conjugate pairs of eigenvalues")
    # The first of each pair is where an even number of complex ones is before.
    first = is_complex & (np.cumsum(is_complex, axis=-1) % 2 == 1)
    eye = np.eye(n, dtype="?", device=values.device)
    beside = np.eye(n, k=1, dtype="?", device=values.device) & first[..., :, None]
    under = np.swapaxes(beside, -1, -2)
    second = np.any(under, axis=-1)
    wr = np.where(eye, values.real[..., :, None], 0) + np.where(
        beside | under, values.imag[..., :, None], 0
    )
    u = np.where(eye & ~is_complex[..., :, None], 1, 0) + np.where(
        eye & first[..., :, None], 0.5j, 0
    )
    u = u + np.where(eye & second[..., :, None], 0.5, 0) + np.where(beside, 0.5, 0)
    u = u - np.where(under, 0.5j, 0)
    return wr, (_complex(typed(vectors)[0]).astype("c16") @ u).real
