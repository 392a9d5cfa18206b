"""Solvers of systems by short recurrences: conjugate gradients and their relatives.

A method is a generator: it yields x and the length of its residual, at the start and after each
step, and ends by itself only where it cannot go on. `_follow` counts steps, compares with the
limit and calls back, for all of them.

All numbers that a step needs on the host (does it converge, does it break down) are looked at once,
at its end, with all vectors that it leaves; what lies in between is pending. So a check that SciPy
makes in the middle of a step is made at its end here, and what was there before is kept for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._inputs import dot, norm_of, tolerance
from heddle.scipy.sparse.linalg._operators import IdentityOperator, LinearOperator, OfFunctions
from heddle.scipy.sparse.linalg._systems import System, look

Callback = Callable[[Any], Any] | None
Solution = tuple[ndarray, int]
_Steps = Iterator[tuple[ndarray, float]]


class _Ended(Exception):
    """A method ends before its next step: with its x, and SciPy's number for why."""

    def __init__(self, x: ndarray, info: int) -> None:
        super().__init__(info)
        self.x, self.info = x, info


def _follow(
    s: System,
    steps: _Steps,
    most: int,
    callback: Callback,
    *,
    judge_last: bool = False,
) -> tuple[ndarray, int, int]:
    """x, why it ended, and how many steps it took.

    SciPy looks at residuals before steps, so that of the last step does not matter; with
    `judge_last` it does.
    """
    taken = 0
    try:
        x, size = next(steps)
        while taken < most:
            if size < s.limit:
                return x, 0, taken
            x, size = next(steps)
            taken += 1
            if callback is not None:
                callback(x)
    except _Ended as ended:
        return ended.x, ended.info, taken
    return x, 0 if judge_last and size < s.limit else most, taken


def _solve(
    name: str,
    method: Callable[[System], _Steps],
    s: System,
    tolerances: tuple[float, float],
    maxiter: int | None,
    callback: Callback,
) -> Solution:
    """What a solver of that name gives for a system; `tolerances` are absolute and relative."""
    if s.begin(name, *tolerances):
        return s.b, 0
    return _follow(s, method(s), s.many(maxiter), callback)[:2]


def _conjugate_gradients(s: System) -> _Steps:
    x, r = s.x, s.residual()
    plain = isinstance(s.M, IdentityOperator)
    p, before = r, None
    while True:
        square = dot(r, r)
        yield x, math.sqrt(_real(look([square], x, r, p)[0]))
        z = r if plain else s.M.matvec(r)
        rho = square if plain else dot(r, z)
        p = z if before is None else z + (rho / before) * p
        image = s.A.matvec(p)
        length = rho / dot(p, image)
        x, r, before = x + length * p, r - length * image, rho


def _biconjugate_gradients(s: System) -> _Steps:
    # Everything is there twice: for the system, and for that of the adjoint.
    x, r = s.x, s.residual()
    r_adjoint = r
    p = p_adjoint = r
    before = None
    z, z_adjoint = s.M.matvec(r), s.M.rmatvec(r_adjoint)
    size, rho = look([norm_of(r), dot(r_adjoint, z)], r, z, z_adjoint)
    while True:
        yield x, _real(size)
        if abs(rho) < s.eps**2:
            raise _Ended(x, -10)
        if before is None:
            p, p_adjoint = z, z_adjoint
        else:
            beta = rho / before
            p, p_adjoint = z + beta * p, z_adjoint + beta.conjugate() * p_adjoint
        image = s.A.matvec(p)
        curvature = dot(p_adjoint, image)
        length = rho / curvature
        previous, x = x, x + length * p
        r = r - length * image
        r_adjoint = r_adjoint - length.conj() * s.A.rmatvec(p_adjoint)
        z, z_adjoint = s.M.matvec(r), s.M.rmatvec(r_adjoint)
        before = rho
        size, rho, seen = look(
            [norm_of(r), dot(r_adjoint, z), curvature],
            *(x, r, r_adjoint, p, p_adjoint, z, z_adjoint),
        )
        if seen == 0:
            raise _Ended(previous, -11)


def _stabilised_gradients(s: System) -> _Steps:
    # Each step is one of biconjugate gradients, and one along the residual that this leaves.
    x, r = s.x, s.residual()
    against = r
    p = image = r
    weight: Any = 0.0  # of the direction before, in the next one: there is none at first
    along: Any = 1.0
    size, rho = look([norm_of(r), dot(against, r)], r)
    while True:
        yield x, _real(size)
        if abs(rho) < s.eps**2:
            raise _Ended(x, -10)
        if abs(along) < s.eps**2:
            raise _Ended(x, -11)
        p = r + weight * (p - along * image)
        toward = s.M.matvec(p)
        image = s.A.matvec(toward)
        curvature = dot(against, image)
        length = rho / curvature
        half = r - length * image
        beyond = s.M.matvec(half)
        t = s.A.matvec(beyond)
        fraction = dot(t, half) / dot(t, t)
        previous, x = x, x + length * toward + fraction * beyond
        r = half - fraction * t
        before = rho
        size, rho, seen, middle, taken, along = look(
            [norm_of(r), dot(against, r), curvature, norm_of(half), length, fraction],
            *(x, r, p, image, toward),
        )
        if seen == 0:
            raise _Ended(previous, -11)
        if _real(middle) < s.limit:
            raise _Ended(previous + taken * toward, 0)
        weight = (rho / before) * (taken / along) if along != 0 else 0.0


def _squared_gradients(s: System) -> _Steps:
    x, r = s.x, s.residual()
    against = r
    p = q = r
    before = None
    size, rho = look([norm_of(r), dot(against, r)], r)
    while True:
        yield x, _real(size)
        if abs(rho) < s.eps**2:
            raise _Ended(x, -10)
        if before is None:
            u = p = r
        else:
            beta = rho / before
            u = r + beta * q
            p = u + beta * (q + beta * p)
        image = s.A.matvec(s.M.matvec(p))
        curvature = dot(against, image)
        length = rho / curvature
        q = u - length * image
        previous, x = x, x + length * s.M.matvec(u + q)
        r = s.b - s.A.matvec(x)  # the true one: errors of updates would add up
        before = rho
        size, rho, seen = look([norm_of(r), dot(against, r), curvature], x, r, p, q)
        if seen == 0:
            raise _Ended(previous, -11)


def _transpose_free(s: System, atol: float, rtol: float) -> _Steps:
    # A step of squared gradients is taken in two halves, each of which is smoothed.
    x, r = s.x, s.residual()
    u = w = against = r
    image = v = s.M.matvec(s.A.matvec(u))
    tau, curvature = look([norm_of(r), dot(against, v)], r, v)
    tau = _real(tau)
    if tau == 0:
        raise _Ended(x, 0)
    s.limit = tolerance("tfqmr", tau, atol, rtol)
    rho: Any = tau**2
    d, theta, eta = u, 0.0, 0.0
    halves = 0
    yield x, math.inf
    while True:
        if curvature == 0:
            raise _Ended(x, -1)
        length = rho / curvature
        if length == 0:  # where the operator gives what is not finite
            raise _Ended(x * math.nan, s.many(None))
        for second in (False, True):
            w = w - length * image
            d = u + (theta**2 * eta / length) * d if halves else u
            size, *following = look([norm_of(w), dot(against, w)][: 1 + second], x, w, d)
            theta = _real(size) / tau
            cosine = 1 / math.hypot(1.0, theta)
            tau *= theta * cosine
            eta = cosine**2 * length
            x = x + eta * s.M.matvec(d)
            halves += 1
            yield x, tau * math.sqrt(halves)
            if not second:
                u = u - length * v
                image = s.M.matvec(s.A.matvec(u))
        beta, rho = following[0] / rho, following[0]
        u = w + beta * u
        v = beta * (image + beta * v)
        image = s.M.matvec(s.A.matvec(u))
        v = v + image
        (curvature,) = look([dot(against, v)], x, u, v, image)


def _quasi_minimal(s: System, left: Any, right: Any) -> _Steps:
    # Lanczos' two sequences v and w, preconditioned as y and z; p and q are the directions in
    # which the tridiagonal matrix of both is triangular.
    x, r = s.x, s.residual()
    v = w = r
    y, z = left.matvec(r), right.rmatvec(r)
    y_size, z_size, size = map(_real, look([norm_of(y), norm_of(z), norm_of(r)], r, y, z))
    p = q = moved = image = r
    pivot: Any = None
    cosine, tangent, eta = 1.0, 0.0, -1.0
    while True:
        yield x, size
        if y_size < s.eps:
            raise _Ended(x, -10)
        if z_size < s.eps:
            raise _Ended(x, -15)
        v, w = v * (1 / y_size), w * (1 / z_size)
        y, z = y * (1 / y_size), z * (1 / z_size)
        (delta,) = look([dot(z, y)], v, w, y, z)
        if abs(delta) < s.eps:
            raise _Ended(x, -13)
        first = pivot is None
        p_next, q_next = right.matvec(y), left.rmatvec(z)
        if not first:
            p_next = p_next - (z_size * delta / pivot) * p
            q_next = q_next - (y_size * (delta / pivot).conjugate()) * q
        p, q = p_next, q_next
        product = s.A.matvec(p)
        (pivot,) = look([dot(q, product)], p, q, product)
        if abs(pivot) < s.eps:
            raise _Ended(x, -14)
        beta = pivot / delta
        if abs(beta) < s.eps:
            raise _Ended(x, -11)
        v, w = product - beta * v, s.A.rmatvec(q) - beta.conjugate() * w
        y, z = left.matvec(v), right.rmatvec(w)
        y_before, cosine_before, tangent_before = y_size, cosine, tangent
        y_size, z_size = map(_real, look([norm_of(y), norm_of(z)], v, y, w, z))
        tangent = y_size / (cosine_before * abs(beta))
        cosine = 1 / math.hypot(1.0, tangent)
        if cosine < s.eps:
            raise _Ended(x, -12)
        eta = -eta * y_before / beta * (cosine / cosine_before) ** 2
        share = 0.0 if first else (tangent_before * cosine) ** 2
        moved, image = eta * p + share * moved, eta * product + share * image
        x, r = x + moved, r - image
        (size,) = map(_real, look([norm_of(r)], x, r, moved, image))


def cg(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
) -> Solution:
    """x of A x = b by conjugate gradients, for a hermitian positive definite A; and 0, or how many
    steps were not enough.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    b : array
        The right side, (n,) or (n, 1).
    x0 : array, optional
        Where to begin; zeros by default.
    rtol, atol : float
        It ends where the residual is smaller than ``max(rtol * norm(b), atol)``.
    maxiter : int, optional
        Steps at most; ten times n by default.
    M : matrix or LinearOperator, optional
        An approximation of A's inverse.
    callback : callable, optional
        Called with x after each step.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import cg
    >>> x, info = cg(np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0]), rtol=1e-10)
    >>> np.round(x, 6), info
    (array([0.090909, 0.636364]), 0)
    """
    s = System(A, b, x0, M)
    return _solve("cg", _conjugate_gradients, s, (atol, rtol), maxiter, callback)


def bicg(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
) -> Solution:
    """x of A x = b by biconjugate gradients, which need products with the adjoint; and 0, how many
    steps were not enough, or a negative number where it broke down. Parameters are those of `cg`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import bicg
    >>> x, info = bicg(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([6.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    return _solve("bicg", _biconjugate_gradients, s, (atol, rtol), maxiter, callback)


def bicgstab(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
) -> Solution:
    """x of A x = b by stabilised biconjugate gradients, without the adjoint; and 0, how many steps
    were not enough, or a negative number where it broke down. Parameters are those of `cg`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import bicgstab
    >>> x, info = bicgstab(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([6.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    return _solve("bicgstab", _stabilised_gradients, s, (atol, rtol), maxiter, callback)


def cgs(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
) -> Solution:
    """x of A x = b by squared conjugate gradients, without the adjoint; and 0, how many steps were
    not enough, or a negative number where it broke down. Parameters are those of `cg`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import cgs
    >>> x, info = cgs(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([6.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    return _solve("cgs", _squared_gradients, s, (atol, rtol), maxiter, callback)


def tfqmr(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
    show: bool = False,
) -> Solution:
    """x of A x = b by quasi-minimal residuals without the adjoint; and 0, how many steps were not
    enough, or -1 where it broke down. `show` prints how it ended; the other parameters are those of
    `cg`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import tfqmr
    >>> x, info = tfqmr(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([6.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    if s.begin("tfqmr", atol, rtol):
        return s.b.copy(), 0
    most = min(10000, 10 * s.n) if maxiter is None else maxiter
    steps = _transpose_free(s, atol, rtol)
    x, info, taken = _follow(s, steps, most, callback, judge_last=True)
    if show and info >= 0:
        how = "not converged due to reach MAXIT" if info else "converged due to reach TOL"
        print(f"TFQMR: Linear solve {how} iterations {taken}")
    return x, info


def _split_preconditioners(A: Any, M1: object, M2: object, s: System) -> tuple[Any, Any]:
    """The left and the right preconditioner of qmr."""
    if M1 is not None or M2 is not None:
        return M1, M2
    if not hasattr(A, "psolve"):
        return s.M, s.M

    def side(name: str) -> LinearOperator:
        return OfFunctions(
            s.A.shape, lambda v: A.psolve(v, name), rmatvec=lambda v: A.rpsolve(v, name)
        )

    return side("left"), side("right")


def qmr(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M1: OperatorLike | None = None,
    M2: OperatorLike | None = None,
    callback: Callback = None,
) -> Solution:
    """x of A x = b by quasi-minimal residuals, which need products with the adjoint; and 0, how
    many steps were not enough, or a negative number where it broke down.

    `M1` and `M2` are preconditioners for both sides, operators that have adjoints; the other
    parameters are those of `cg`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import qmr
    >>> x, info = qmr(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([6.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    given: Any = A
    own = IdentityOperator(given.shape, given.dtype) if hasattr(A, "psolve") else None
    s = System(A, b, x0, own)
    sides = _split_preconditioners(A, M1, M2, s)
    return _solve("qmr", lambda s: _quasi_minimal(s, *sides), s, (atol, rtol), maxiter, callback)


def _real(number: complex) -> float:
    return float(number.real)
