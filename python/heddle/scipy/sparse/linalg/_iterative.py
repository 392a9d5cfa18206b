"""Solvers of systems by short recurrences: conjugate gradients and their relatives.

All numbers that a step needs on the host (does it converge, does it break down) are looked at once,
at its end, with all vectors that it leaves; what lies in between is pending. So a check that SciPy
makes in the middle of a step is made at its end here, and what was there before is kept for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from heddle._core import ndarray
from heddle.scipy.sparse.linalg._inputs import dot, norm_of
from heddle.scipy.sparse.linalg._operators import IdentityOperator, LinearOperator, OfFunctions
from heddle.scipy.sparse.linalg._systems import System, look

Callback = Callable[[Any], Any] | None
Solution = tuple[ndarray, int]


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
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
    if s.begin("cg", atol, rtol):
        return s.b, 0
    x, r = s.x, s.residual()
    p = before = r
    steps = s.many(maxiter)
    plain = isinstance(s.M, IdentityOperator)
    for step in range(steps):
        rho = dot(r, r)  # of the residual, and without a preconditioner that of the step
        if math.sqrt(_real(look([rho], x, r, p)[0])) < s.limit:
            return x, 0
        z = r if plain else s.M.matvec(r)
        rho = rho if plain else dot(r, z)
        p = z + (rho / before) * p if step else z
        q = s.A.matvec(p)
        alpha = rho / dot(p, q)
        x = x + alpha * p
        r = r - alpha * q
        before = rho
        if callback:
            callback(x)
    return x, steps


def bicg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
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
    if s.begin("bicg", atol, rtol):
        return s.b, 0
    x, r = s.x, s.residual()
    shadow = r
    p = q = p_shadow = r
    before: Any = 1.0
    steps = s.many(maxiter)
    z, z_shadow = s.M.matvec(r), s.M.rmatvec(shadow)
    size, rho = look([norm_of(r), dot(shadow, z)], r)
    for step in range(steps):
        if _real(size) < s.limit:
            return x, 0
        if abs(rho) < s.eps**2:
            return x, -10
        beta = rho / before
        p = z + beta * p if step else z
        p_shadow = z_shadow + _conjugate(beta) * p_shadow if step else z_shadow
        q, q_shadow = s.A.matvec(p), s.A.rmatvec(p_shadow)
        divisor = dot(p_shadow, q)
        alpha = rho / divisor
        previous, x = x, x + alpha * p
        r = r - alpha * q
        shadow = shadow - alpha.conj() * q_shadow
        z, z_shadow = s.M.matvec(r), s.M.rmatvec(shadow)
        before = rho
        size, rho, seen = look(
            [norm_of(r), dot(shadow, z), divisor], x, r, shadow, p, p_shadow, z, z_shadow
        )
        if seen == 0:
            return previous, -11
        if callback:
            callback(x)
    return x, steps


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
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
    if s.begin("bicgstab", atol, rtol):
        return s.b, 0
    x, r = s.x, s.residual()
    shadow = p = v = r
    before: Any = 1.0
    alpha: Any = 1.0
    omega: Any = 1.0
    smallest = s.eps**2
    steps = s.many(maxiter)
    size, rho = look([norm_of(r), dot(shadow, r)], r)
    for step in range(steps):
        if _real(size) < s.limit:
            return x, 0
        if abs(rho) < smallest:
            return x, -10
        if step and abs(omega) < smallest:
            return x, -11
        p = r + (rho / before) * (alpha / omega) * (p - omega * v) if step else r
        toward = s.M.matvec(p)
        v = s.A.matvec(toward)
        divisor = dot(shadow, v)
        ratio = rho / divisor
        half = r - ratio * v
        beyond = s.M.matvec(half)
        t = s.A.matvec(beyond)
        part = dot(t, half) / dot(t, t)
        previous, x = x, x + ratio * toward + part * beyond
        r = half - part * t
        before = rho
        size, rho, seen, middle, alpha, omega = look(
            [norm_of(r), dot(shadow, r), divisor, norm_of(half), ratio, part],
            *(x, r, p, v, toward),
        )
        if seen == 0:
            return previous, -11
        if _real(middle) < s.limit:
            return previous + alpha * toward, 0
        if callback:
            callback(x)
    return x, steps


def cgs(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
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
    if s.begin("cgs", atol, rtol):
        return s.b, 0
    x, r = s.x, s.residual()
    shadow = p = q = r
    before: Any = 1.0
    steps = s.many(maxiter)
    size, rho = look([norm_of(r), dot(shadow, r)], r)
    for step in range(steps):
        if _real(size) < s.limit:
            return x, 0
        if abs(rho) < s.eps**2:
            return x, -10
        if step:
            beta = rho / before
            u = r + beta * q
            p = u + beta * (q + beta * p)
        else:
            u = p = r
        v = s.A.matvec(s.M.matvec(p))
        divisor = dot(shadow, v)
        alpha = rho / divisor
        q = u - alpha * v
        previous, x = x, x + alpha * s.M.matvec(u + q)
        r = s.b - s.A.matvec(x)  # the true one: errors of updates would add up
        before = rho
        size, rho, seen = look([norm_of(r), dot(shadow, r), divisor], x, r, p, q)
        if seen == 0:
            return previous, -11
        if callback:
            callback(x)
    return x, steps


def tfqmr(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
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
    steps = min(10000, 10 * s.n) if maxiter is None else maxiter
    x, r = s.x, s.residual()
    u = w = shadow = r
    v = turned = s.M.matvec(s.A.matvec(r))
    d: Any = 0.0
    theta = 0.0
    eta: Any = 0.0
    alpha: Any = 1.0
    tau, divisor = look([norm_of(r), dot(shadow, v)], r, v)
    tau = _real(tau)
    if tau == 0:
        return x, 0
    rho: Any = tau**2
    s.begin("tfqmr", atol, rtol)
    limit = max(float(atol), float(rtol) * tau)
    for step in range(steps):
        if step % 2 == 0:
            if divisor == 0:
                return x, -1
            alpha = rho / divisor
            following = u - alpha * v
        w = w - alpha * turned
        d = u + (theta**2 / alpha) * eta * d
        if step % 2:
            size, current = look([norm_of(w), dot(shadow, w)], w, d)
        else:
            size, current = look([norm_of(w)], w, d)[0], rho
        theta = _real(size) / tau
        c = math.sqrt(1 / (1 + theta**2))
        tau *= theta * c
        eta = c**2 * alpha
        x = x + eta * s.M.matvec(d)
        if callback is not None:
            callback(x)
        if tau * math.sqrt(step + 1) < limit:
            if show:
                print(f"TFQMR: Linear solve converged due to reach TOL iterations {step + 1}")
            return x, 0
        if step % 2:
            beta, rho = current / rho, current
            u = w + beta * u
            v = beta * turned + beta**2 * v
            turned = s.M.matvec(s.A.matvec(u))
            v = v + turned
            divisor = look([dot(shadow, v)], x, u, v, turned)[0]
        else:
            u = following
            turned = s.M.matvec(s.A.matvec(u))
    if show:
        print(f"TFQMR: Linear solve not converged due to reach MAXIT iterations {steps}")
    return x, steps


def _split_preconditioners(A: Any, M1: Any, M2: Any, s: System) -> tuple[Any, Any]:
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
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M1: Any = None,
    M2: Any = None,
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
    s = System(A, b, x0, IdentityOperator(A.shape, A.dtype) if hasattr(A, "psolve") else None)
    if s.begin("qmr", atol, rtol):
        return s.b, 0
    left, right = _split_preconditioners(A, M1, M2, s)
    x, r = s.x, s.residual()
    v_next = w_next = r
    y, z = left.matvec(r), right.rmatvec(r)
    rho, xi, size = map(_real, look([norm_of(y), norm_of(z), norm_of(r)], r, y, z))
    gamma, eta, theta = 1.0, -1.0 + 0 * rho, 0.0
    epsilon: Any = 1.0
    p = q = d = moved = r
    steps = s.many(maxiter)
    for step in range(steps):
        if size < s.limit:
            return x, 0
        if rho < s.eps:
            return x, -10
        if xi < s.eps:
            return x, -15
        v, w = v_next * (1 / rho), w_next * (1 / xi)
        y, z = y * (1 / rho), z * (1 / xi)
        (delta,) = look([dot(z, y)], v, w, y, z)
        if abs(delta) < s.eps:
            return x, -13
        p_next, q_next = right.matvec(y), left.rmatvec(z)
        if step:
            p = p_next - (xi * delta / epsilon) * p
            q = q_next - (rho * _conjugate(delta / epsilon)) * q
        else:
            p, q = p_next, q_next
        product = s.A.matvec(p)
        (epsilon,) = look([dot(q, product)], p, q, product)
        if abs(epsilon) < s.eps:
            return x, -14
        beta = epsilon / delta
        if abs(beta) < s.eps:
            return x, -11
        v_next = product - beta * v
        y = left.matvec(v_next)
        w_next = s.A.rmatvec(q) - _conjugate(beta) * w
        z = right.rmatvec(w_next)
        rho_before, gamma_before, theta_before = rho, gamma, theta
        rho, xi = map(_real, look([norm_of(y), norm_of(z)], v_next, y, w_next, z))
        theta = rho / (gamma_before * abs(beta))
        gamma = 1 / math.sqrt(1 + theta**2)
        if gamma < s.eps:
            return x, -12
        eta = eta * -(rho_before / beta) * (gamma / gamma_before) ** 2
        share = (theta_before * gamma) ** 2
        d = eta * p + share * d if step else eta * p
        moved = eta * product + share * moved if step else eta * product
        x, r = x + d, r - moved
        size = _real(look([norm_of(r)], x, r, d, moved)[0])
        if callback:
            callback(x)
    return x, steps


def _real(number: Any) -> float:
    return float(number.real)


def _conjugate(number: Any) -> Any:
    return number.conjugate()
