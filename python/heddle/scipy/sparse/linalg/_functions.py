"""Functions of sparse matrices: inverses, powers, exponentials, and what these do to vectors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, HostArray
from heddle.scipy.sparse._base import SparseBase, as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike, OperatorLike
from heddle.scipy.sparse.linalg._direct import spsolve
from heddle.scipy.sparse.linalg._inputs import (
    as_matrix,
    identity_like,
    size_of,
    tolerance,
)
from heddle.scipy.sparse.linalg._krylov import Arnoldi
from heddle.scipy.sparse.linalg._norms import onenormest
from heddle.scipy.sparse.linalg._operators import LinearOperator, aslinearoperator

if TYPE_CHECKING:
    from heddle.scipy.sparse._compressed import CompressedBase
    from heddle.scipy.sparse._csr_csc import CscBase


def inv(A: MatrixLike) -> SparseBase:
    """The inverse of a sparse matrix, sparse as well; by `spsolve`, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import inv
    >>> inv(csc_array(np.array([[2.0, 0.0], [0.0, 4.0]]))).toarray()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    if not is_sparse(A):
        raise TypeError("Input must be a sparse arrays")
    found = as_sparse(A)
    made: SparseBase = spsolve(found, identity_like(found.tocsc()))
    return made


@overload
def matrix_power(A: SparseBase, power: int) -> SparseBase: ...
@overload
def matrix_power(A: ArrayLike, power: int) -> ndarray: ...
def matrix_power(A: MatrixLike, power: int) -> SparseBase | ndarray:
    """A sparse matrix times itself, so many times.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import matrix_power
    >>> matrix_power(csr_array(np.array([[1.0, 1.0], [0.0, 1.0]])), 5).toarray()
    array([[1., 5.],
           [0., 1.]])
    """
    found = as_matrix(A)
    if found.shape[0] != found.shape[1]:
        raise TypeError("sparse matrix is not square")
    try:
        count = int(power)
        whole = bool(count == power)
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise ValueError("exponent must be an integer")
    if count < 0:
        raise ValueError("exponent must be >= 0")
    if not is_sparse(found):
        return np.linalg.matrix_power(found, count)
    if count == 0:
        given: SparseBase | ndarray = identity_like(found)
        return given
    made: Any = None
    square = found
    while True:
        if count % 2:
            made = square if made is None else made @ square
        count //= 2
        if count == 0:
            power_of: SparseBase = made.copy() if made is found else made
            return power_of
        square = square @ square


# --- exponentials ---

# Coefficients of Padé's approximations, and norms up to which they are exact enough.
_PADE = {
    3: (1.495585217958292e-2, (120, 60, 12, 1)),
    5: (2.539398330063230e-1, (30240, 15120, 3360, 420, 30, 1)),
    7: (9.504178996162932e-1, (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1)),
    9: (
        2.097847961257068e0,
        (17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1),
    ),
    13: (
        5.371920351148152e0,
        (
            64764752532480000,
            32382376266240000,
            7771770303897600,
            1187353796428800,
            129060195264000,
            10559470521600,
            670442572800,
            33522128640,
            1323241920,
            40840800,
            960960,
            16380,
            182,
            1,
        ),
    ),
}


@overload
def expm(A: SparseBase) -> SparseBase: ...
@overload
def expm(A: ArrayLike) -> ndarray: ...
def expm(A: MatrixLike) -> SparseBase | ndarray:
    """The exponential of a matrix; sparse where that is, with systems solved on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csc_array
    >>> from heddle.scipy.sparse.linalg import expm
    >>> np.round(expm(csc_array(np.array([[0.0, 1.0], [0.0, 0.0]]))).toarray(), 6)
    array([[1., 1.],
           [0., 1.]])
    """
    found = as_matrix(A)
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise ValueError("expected a square matrix")
    if not is_sparse(found):
        from heddle.scipy.linalg import expm as dense_expm

        return dense_expm(found)
    matrix = found.tocsc()
    matrix = matrix if matrix.dtype.kind in "fc" else matrix.astype("d")
    if not matrix.shape[0]:
        given: SparseBase | ndarray = matrix
        return given
    size = _one_norm(matrix)
    if not math.isfinite(size):
        raise ValueError("expm: the matrix has elements that are not finite")
    order = next((m for m, (limit, _) in _PADE.items() if size <= limit), 13)
    squarings = 0
    if size > _PADE[13][0]:
        squarings = max(0, math.ceil(math.log2(size / _PADE[13][0])))
        matrix = matrix * 2.0**-squarings
    made: SparseBase = _pade(matrix, order)
    for _ in range(squarings):
        made = made @ made
    return made.asformat("csr" if found.format in ("csr", "coo", "lil", "dok") else "csc")


def _pade(A: CscBase, order: int) -> CscBase:
    c = _PADE[order][1]
    one = identity_like(A)
    square = A @ A
    powers = [one, square]
    while 2 * len(powers) <= min(order, 8):
        powers.append(powers[-1] @ square)
    if order == 13:
        sixth = powers[3]
        high = [sixth * float(c[9 + 4]) + powers[2] * float(c[11]) + square * float(c[9])]
        high.append(sixth * float(c[12]) + powers[2] * float(c[10]) + square * float(c[8]))
        odd, even = (sixth @ each for each in high)
        odd = odd + sixth * float(c[7]) + powers[2] * float(c[5]) + square * float(c[3])
        odd = odd + one * float(c[1])
        even = even + sixth * float(c[6]) + powers[2] * float(c[4]) + square * float(c[2])
        even = even + one * float(c[0])
    else:
        odd, even = one * float(c[1]), one * float(c[0])
        for i in range(1, (order + 1) // 2):
            odd = odd + powers[i] * float(c[2 * i + 1])
            even = even + powers[i] * float(c[2 * i])
    odd = A @ odd
    made = spsolve((even - odd).tocsc(), (even + odd).tocsc())
    # One column comes back as a vector.
    return made if is_sparse(made) else type(A)(made.reshape(A.shape))


def _one_norm(A: CompressedBase) -> float:
    sums = abs(A).sum(axis=0)
    return float(np.asarray(sums).max()) if A.shape[0] else 0.0


# Of how many terms a Taylor series is exact enough up to which norm.
_TAYLOR = {
    5: 2.4e-3,
    10: 1.44e-1,
    15: 6.41e-1,
    20: 1.44,
    25: 2.43,
    30: 3.54,
    35: 4.7,
    40: 6.0,
    45: 7.2,
    50: 8.5,
    55: 9.9,
}


class _Exponential:
    """What multiplies vectors by exp(t A), of products with A alone."""

    def __init__(self, A: Any, trace: Any) -> None:
        self._A = A
        n = A.shape[0]
        self._mean: Any = trace / n if n else 0.0
        if isinstance(A, LinearOperator):
            from heddle.scipy.sparse.linalg._operators import IdentityOperator

            self._norm = onenormest(A + IdentityOperator(A.shape, A.dtype) * -self._mean)
        elif is_sparse(A):
            self._norm = _one_norm(A - identity_like(A).astype(_with(A, self._mean)) * self._mean)
        else:
            centred = A - self._mean * np.eye(n, dtype=A.dtype, device=A.device)
            self._norm = float(np.abs(centred).sum(axis=0).max()) if n else 0.0

    def __call__(self, B: ndarray, t: float) -> ndarray:
        size = abs(t) * self._norm
        if not math.isfinite(size):
            raise ValueError("expm_multiply: the matrix has elements that are not finite")
        terms, parts = 0, 1
        if size > 0:
            cost = {m: m * max(1, math.ceil(size / limit)) for m, limit in _TAYLOR.items()}
            terms = min(cost, key=lambda m: cost[m])
            parts = cost[terms] // terms
        eta = numpy.exp(t * self._mean / parts)
        F = B
        for _ in range(parts):
            B = F
            before = math.inf
            for j in range(terms):
                B = (t / (parts * (j + 1))) * (self._A @ B - self._mean * B)
                F = F + B
                now, whole = _heights(B, F)
                if before + now <= 2.0**-53 * whole:
                    break
                before = now
            F = eta.item() * F
        return F


def _with(A: CompressedBase, number: complex) -> DType:
    return numpy.result_type(A.dtype, numpy.asarray(number).dtype)


def _heights(B: ndarray, F: ndarray) -> tuple[float, float]:
    """Norms of the last term and of the sum, by one look."""
    sums = [np.abs(X).reshape(X.shape[0], -1).sum(axis=1).max() for X in (B, F)]
    found = np.stack(sums)
    np.eval(found, B, F)
    now, whole = found.tolist()
    return now, whole


def _trace(A: Any, given: object, level: int = 4) -> Any:
    if given is not None:
        return given
    if not isinstance(A, LinearOperator):
        return A.trace().item() if A.shape[0] else 0.0
    warnings.warn(
        "Trace of LinearOperator not available, it will be estimated. Provide `traceA` to ensure "
        "performance.",
        stacklevel=level,
    )
    draw = numpy.random.default_rng(0)
    signs = np.asarray(draw.choice([-1.0, 1.0], (A.shape[0], 2)))
    return ((signs * A.matmat(signs)).sum() / 2).item()


def expm_multiply(
    A: OperatorLike,
    B: ArrayLike,
    start: float | None = None,
    stop: float | None = None,
    num: int | None = None,
    endpoint: bool | None = None,
    traceA: object = None,
) -> ndarray:
    """``exp(A) @ B`` without the exponential, or ``exp(t A) @ B`` for times between two.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    B : array
        A vector, or several in columns.
    start, stop, num, endpoint
        Times, as those of `linspace`; results are along a first axis then.
    traceA : number, optional
        The trace of an operator, else it is estimated.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import expm_multiply
    >>> expm_multiply(csr_array(np.array([[0.0, 1.0], [0.0, 0.0]])), np.array([1.0, 2.0]))
    array([3., 2.])
    """
    matrix = A if isinstance(A, LinearOperator) else as_matrix(A)
    right = as_array(B)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError("expected A to be like a square matrix")
    if right.ndim not in (1, 2):
        raise ValueError("expected B to be like a matrix or a vector")
    if matrix.shape[1] != right.shape[0]:
        raise ValueError(
            f"shapes of matrices A {matrix.shape} and B {right.shape} are incompatible"
        )
    if matrix.dtype is not None:  # the first term is a vector before it is a product
        right = right.astype(numpy.result_type(matrix.dtype, right.dtype))
    exponential = _Exponential(matrix, _trace(matrix, traceA))
    if start is None and stop is None and num is None and endpoint is None:
        return exponential(right, 1.0)
    given: dict[str, Any] = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    given = {name: value for name, value in given.items() if value is not None}
    times, step = numpy.linspace(retstep=True, **given)
    if len(times) < 2:
        raise ValueError("at least two time points are required")
    made = [exponential(right, float(times[0]))]
    for _ in times[1:]:
        made.append(exponential(made[-1], float(step)))
    return np.stack(made)


def funm_multiply_krylov(
    f: Callable[[Any], Any],
    A: OperatorLike,
    b: ArrayLike,
    *,
    assume_a: str = "general",
    t: float = 1.0,
    atol: float = 0.0,
    rtol: float = 1e-6,
    restart_every_m: int | None = None,
    max_restarts: int = 20,
) -> ndarray:
    """``f(t A) @ b`` of a function of matrices, which is called for small ones, on the host.

    Parameters
    ----------
    f : callable
        Of a square array on the CPU.
    A : matrix, dense or sparse, or LinearOperator
    b : array
        A vector.
    assume_a : {'general', 'hermitian', 'gen', 'her'}
        What A is.
    t : float
    atol, rtol : float
        It ends where what a restart adds is smaller than ``max(atol, rtol * norm(b))``.
    restart_every_m : int, optional
        Vectors of a cycle, 20 at most by default.
    max_restarts : int

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.linalg import expm
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import funm_multiply_krylov
    >>> A = csr_array(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> np.round(funm_multiply_krylov(expm, A, np.array([1.0, 2.0])), 6)
    array([3., 2.])
    """
    where = "scipy.sparse.linalg.funm_multiply_krylov: "
    if assume_a not in ("hermitian", "general", "her", "gen"):
        raise ValueError(f"{where}{assume_a} is not a recognized matrix structure")
    operator = aslinearoperator(A)
    right = as_array(b)
    if right.ndim != 1:
        raise ValueError(f"{where}argument 'b' must be a 1D array.")
    n = right.shape[0]
    length = min(20, n) if restart_every_m is None else int(restart_every_m)
    if length <= 0:
        raise ValueError(f"{where}argument 'restart_every_m' must be positive.")
    if max_restarts <= 0:
        raise ValueError(f"{where}argument 'max_restarts' must be positive.")
    cycles = min(int(max_restarts), n // length + 1)
    size = size_of(right)
    limit = tolerance("funm_multiply_krylov", size, atol, rtol)
    if size == 0:
        return right.copy()
    dtype = numpy.result_type(operator.dtype, right.dtype, numpy.float32)
    first = right.astype(dtype) * (1 / size)
    H = numpy.zeros((cycles * length + 1, cycles * length), dtype)
    y: Any = 0.0
    smallest = float(np.finfo(dtype).eps) ** 2
    for cycle in range(cycles):
        basis = Arnoldi(first, length)
        begin = cycle * length
        end = begin + length
        exact = False
        for j in range(length):
            h, _none, before = basis.add(operator.matvec(basis.rows[j]).astype(dtype))
            H[begin : begin + j + 2, begin + j] = h
            if abs(h[-1]) <= max(smallest, float(np.finfo(dtype).eps) * before):
                end, exact = begin + j + 1, True
                break
        if assume_a in ("hermitian", "her"):
            H[begin:end, begin:end] = _tridiagonal(H[begin:end, begin:end])
        small = np.asarray(t * H[:end, :end], device="cpu")
        column = np.asnumpy(as_array(f(small)))[begin:end, 0] * size
        kind = numpy.result_type(dtype, column.dtype)
        weights = np.asarray(column.astype(kind), device=right.device)
        y = y + weights @ basis.rows[: end - begin].astype(kind)
        if exact or numpy.linalg.norm(column) <= limit:
            break
        first = basis.rows[length]
    return np.asarray(y)


def _tridiagonal(H: HostArray) -> HostArray:
    """What the projection of a hermitian matrix is, but for rounding."""
    return numpy.triu(numpy.tril((H + H.conj().T) / 2, 1), -1)
