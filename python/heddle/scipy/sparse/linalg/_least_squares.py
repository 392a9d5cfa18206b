"""Least squares by Golub and Kahan's bidiagonalisation: LSQR and LSMR.

Vectors are on the device; the recurrences of numbers that go with them are the host's, which looks
once a step at the two lengths that they need.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._inputs import norm_of, size_of, square_of
from heddle.scipy.sparse.linalg._krylov import normalised
from heddle.scipy.sparse.linalg._operators import LinearOperator, aslinearoperator
from heddle.scipy.sparse.linalg._systems import look

_ENDINGS = (
    "The exact solution is  x = 0                              ",
    "Ax - b is small enough, given atol, btol                  ",
    "The least-squares solution is good enough, given atol     ",
    "The estimate of cond(Abar) has exceeded conlim            ",
    "Ax - b is small enough for this machine                   ",
    "The least-squares solution is good enough for this machine",
    "Cond(Abar) seems to be too large for this machine         ",
    "The iteration limit has been reached                      ",
)


def _rotation(a: float, b: float) -> tuple[float, float, float]:
    """c, s and r with c a + s b = r and s a = c b; r has the sign of the larger one."""
    if b == 0:
        return (a > 0) - (a < 0), 0.0, abs(a)
    if a == 0:
        return 0.0, (b > 0) - (b < 0), abs(b)
    if abs(b) > abs(a):
        ratio = a / b
        s = math.copysign(1 / math.sqrt(1 + ratio * ratio), b)
        return s * ratio, s, b / s
    ratio = b / a
    c = math.copysign(1 / math.sqrt(1 + ratio * ratio), a)
    return c, c * ratio, a / c


class _Bidiagonal:
    """Vectors u and v of length one, with A v = beta u + ..., A^H u = alpha v + ... ."""

    def __init__(self, A: LinearOperator, b: ArrayLike, x0: ArrayLike | None) -> None:
        self.A = A
        u = as_array(b)
        u = u.reshape(1) if u.ndim == 0 else u.squeeze() if u.ndim > 1 else u
        if u.ndim == 0:
            u = u.reshape(1)
        if u.shape != (A.shape[0],):
            raise ValueError("dimension mismatch")
        self.size = size_of(u)
        self.guess = None if x0 is None else np.atleast_1d(as_array(x0)).copy()
        if self.guess is not None:
            u = u - A.matvec(self.guess)
            u = u.reshape(-1)
        self.u, beta = normalised(u)
        self.v, alpha = normalised(A.rmatvec(self.u))
        self.beta, self.alpha = look([beta, alpha], self.u, self.v)

    def step(self, *more: ndarray) -> list[float]:
        """The next pair of vectors; other numbers are looked at with their lengths."""
        u, beta = normalised(self.A.matvec(self.v) - self.alpha * self.u)
        v, alpha = normalised(self.A.rmatvec(u) - beta * self.v)
        found = look([beta, alpha, *more], u, v)
        self.u, self.beta = u, found[0]
        if self.beta > 0:
            self.v, self.alpha = v, found[1]
        return found[2:]


def _ending(
    tests: tuple[float, float, float, float],
    limits: tuple[float, float, float],
    last: bool,
) -> int:
    """Why to stop, the most telling reason; 0 to go on."""
    test1, test2, test3, scaled = tests
    reasons = (
        (test1 <= limits[0], 1),
        (test2 <= limits[1], 2),
        (test3 <= limits[2], 3),
        (1 + scaled <= 1, 4),
        (1 + test2 <= 1, 5),
        (1 + test3 <= 1, 6),
        (last, 7),
    )
    return next((reason for holds, reason in reasons if holds), 0)


def _line(step: int, x: ndarray, *numbers: float) -> str:
    return f"{step:6g} {x[0].item():12.5e} " + " ".join(f"{n:10.3e}" for n in numbers)


def lsqr(
    A: OperatorLike,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: ArrayLike | None = None,
) -> tuple[Any, ...]:
    """The x of the least ``norm(b - A x)**2 + damp**2 * norm(x - x0)**2``.

    A tuple of x, why it stopped, the number of steps, the residual without and with `damp`, norm
    and condition of A, ``norm(A^H r)``, ``norm(x)``, and with `calc_var` the diagonal of
    ``inv(A^H A)``, all of them estimated on the way.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    b : array
    damp : float
    atol, btol : float
        Relative errors of A and b.
    conlim : float
        The condition at which it stops.
    iter_lim : int, optional
        Steps at most; twice the number of columns by default.
    show : bool
        Whether it prints what it does.
    calc_var : bool
        Whether variances are estimated.
    x0 : array, optional
        Where to begin.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import lsqr
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, why, steps = lsqr(A, np.array([1.0, 0.0, -1.0]))[:3]
    >>> np.round(x, 6), why, steps
    (array([ 1., -1.]), 1, 1)
    """
    operator = aslinearoperator(A)
    n = operator.shape[1]
    most = 2 * n if iter_lim is None else iter_lim
    pair = _Bidiagonal(operator, b, x0)
    x = np.zeros(n, device=pair.u.device) if pair.guess is None else pair.guess
    var = np.zeros(n, device=pair.u.device)
    eps = float(numpy.finfo(numpy.float64).eps)
    limit = 1 / conlim if conlim > 0 else 0.0
    w = pair.v
    rho_bar, phi_bar = pair.alpha, pair.beta
    r1norm = rnorm = pair.beta
    arnorm = pair.alpha * pair.beta
    anorm = acond = xnorm = directions = x_squared = z = damped = 0.0
    c2, s2 = -1.0, 0.0
    step = why = 0
    if show:
        print(f"\nLSQR            Least-squares solution of  Ax = b\n{operator.shape}")
    while arnorm != 0 and step < most:
        step += 1
        alpha = pair.alpha
        (w_squared,) = pair.step(square_of(w))
        if pair.beta > 0:
            anorm = math.sqrt(anorm**2 + alpha**2 + pair.beta**2 + damp**2)
        psi = 0.0
        turned = rho_bar
        if damp > 0:  # the damping parameter is eliminated
            turned = math.sqrt(rho_bar**2 + damp**2)
            psi, phi_bar = damp / turned * phi_bar, rho_bar / turned * phi_bar
        c, s, rho = _rotation(turned, pair.beta)
        theta, rho_bar = s * pair.alpha, -c * pair.alpha
        phi, phi_bar = c * phi_bar, s * phi_bar
        if calc_var:
            var = var + (w * (1 / rho)) ** 2
        x, w = x + (phi / rho) * w, pair.v - (theta / rho) * w
        directions += w_squared / rho**2
        # The norm of x, by a rotation from the right.
        gamma_bar = -c2 * rho
        right = phi - s2 * rho * z
        xnorm = math.sqrt(x_squared + (right / gamma_bar) ** 2)
        gamma = math.hypot(gamma_bar, theta)
        c2, s2, z = gamma_bar / gamma, theta / gamma, right / gamma
        x_squared += z**2
        acond = anorm * math.sqrt(directions)
        damped += psi**2
        rnorm = math.sqrt(phi_bar**2 + damped)
        arnorm = pair.alpha * abs(s * phi)
        beyond = rnorm**2 - damp**2 * x_squared if damp > 0 else rnorm**2
        r1norm = math.copysign(math.sqrt(abs(beyond)), beyond)
        relative = anorm * xnorm / pair.size if pair.size else math.inf
        test1 = rnorm / pair.size if pair.size else math.inf
        test2, test3 = arnorm / (anorm * rnorm + eps), 1 / (acond + eps)
        tests = (test1, test2, test3, test1 / (1 + relative))
        why = _ending(tests, (btol + atol * relative, atol, limit), step >= most)
        if show:
            print(_line(step, x, r1norm, rnorm, test1, test2, anorm, acond))
        if why:
            break
    if show:
        print(f"\nLSQR finished\n{_ENDINGS[why]}")
    return x, why, step, r1norm, rnorm, anorm, acond, arnorm, xnorm, var


def lsmr(
    A: OperatorLike,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: ArrayLike | None = None,
) -> tuple[Any, ...]:
    """The x of the least ``norm(b - A x)**2 + damp**2 * norm(x)**2``, by minimal ``norm(A^H r)``.

    A tuple of x, why it stopped, the number of steps, ``norm(r)``, ``norm(A^H r)``, norm and
    condition of A, and ``norm(x)``. Parameters are those of `lsqr`; `maxiter` is the smaller extent
    of A by default.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import lsmr
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, why, steps = lsmr(A, np.array([1.0, 0.0, -1.0]))[:3]
    >>> np.round(x, 6), why, steps
    (array([ 1., -1.]), 1, 1)
    """
    operator = aslinearoperator(A)
    n = operator.shape[1]
    most = min(operator.shape) if maxiter is None else maxiter
    pair = _Bidiagonal(operator, b, x0)
    given = [operator.dtype, pair.u.dtype, numpy.dtype(float)]
    dtype = numpy.result_type(*given, *([] if pair.guess is None else [pair.guess.dtype]))
    x = np.zeros(n, dtype, device=pair.u.device) if pair.guess is None else pair.guess
    if x.dtype.kind == dtype.kind:  # a guess keeps its type
        dtype = x.dtype
    alpha, beta = pair.alpha, pair.beta
    zeta_bar, alpha_bar = alpha * beta, alpha
    rho = rho_bar = c_bar = 1.0
    s_bar = zeta = 0.0
    h, h_bar = pair.v, np.zeros(n, dtype, device=x.device)
    # For the norm of the residual.
    beta_dd, beta_d, rho_d, tau_tilde, theta_tilde, d = beta, 0.0, 1.0, 0.0, 0.0, 0.0
    squares = alpha**2
    largest, least = 0.0, 1e100
    anorm, acond, xnorm, rnorm = alpha, 1.0, 0.0, beta
    arnorm = alpha * beta
    limit = 1 / conlim if conlim > 0 else 0.0
    step = why = 0
    if show:
        print(f"\nLSMR            Least-squares solution of  Ax = b\n{operator.shape}")
    if arnorm != 0 and pair.size == 0:
        x, most = np.zeros_like(x), 0
    while arnorm != 0 and step < most:
        step += 1
        pair.step()
        alpha, beta = pair.alpha, pair.beta
        c_hat, s_hat, alpha_hat = _rotation(alpha_bar, damp)
        rho_old = rho
        c, s, rho = _rotation(alpha_hat, beta)
        theta_new, alpha_bar = s * alpha, c * alpha
        rho_bar_old, zeta_old = rho_bar, zeta
        theta_bar, rho_now = s_bar * rho, c_bar * rho
        c_bar, s_bar, rho_bar = _rotation(c_bar * rho, theta_new)
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar
        h_bar = h - (theta_bar * rho / (rho_old * rho_bar_old)) * h_bar
        x = (x + (zeta / (rho * rho_bar)) * h_bar).astype(dtype)
        h = pair.v - (theta_new / rho) * h
        # Rotations that the residual goes through.
        acute, check = c_hat * beta_dd, -s_hat * beta_dd
        beta_hat, beta_dd = c * acute, -s * acute
        theta_tilde_old = theta_tilde
        c_tilde, s_tilde, rho_tilde = _rotation(rho_d, theta_bar)
        theta_tilde, rho_d = s_tilde * rho_bar, c_tilde * rho_bar
        beta_d = -s_tilde * beta_d + c_tilde * beta_hat
        tau_tilde = (zeta_old - theta_tilde_old * tau_tilde) / rho_tilde
        tau_d = (zeta - theta_tilde * tau_tilde) / rho_d
        d += check**2
        rnorm = math.sqrt(d + (beta_d - tau_d) ** 2 + beta_dd**2)
        squares += beta**2
        anorm = math.sqrt(squares)
        squares += alpha**2
        largest = max(largest, rho_bar_old)
        least = min(least, rho_bar_old) if step > 1 else least
        acond = max(largest, rho_now) / min(least, rho_now)
        arnorm = abs(zeta_bar)
        (xnorm,) = look([norm_of(x)], x, h, h_bar)
        relative = anorm * xnorm / pair.size
        test1 = rnorm / pair.size
        test2 = arnorm / (anorm * rnorm) if anorm * rnorm != 0 else math.inf
        tests = (test1, test2, 1 / acond, test1 / (1 + relative))
        why = _ending(tests, (btol + atol * relative, atol, limit), step >= most)
        if show:
            print(_line(step, x, rnorm, arnorm, test1, test2, anorm, acond))
        if why:
            break
    if show:
        print(f"\nLSMR finished\n{_ENDINGS[why]}")
    return x, why, step, rnorm, arnorm, anorm, acond, xnorm
