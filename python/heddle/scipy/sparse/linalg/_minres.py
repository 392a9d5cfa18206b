"""Minimal residuals for hermitian systems that need not be definite."""

from __future__ import annotations

import math

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._inputs import dot, norm_of, size_of
from heddle.scipy.sparse.linalg._iterative import Callback, Solution
from heddle.scipy.sparse.linalg._systems import System, look

_ENDINGS = {
    -1: " beta2 = 0.  If M = I, b and x are eigenvectors    ",
    0: " beta1 = 0.  The exact solution is x0          ",
    1: " A solution to Ax = b was found, given rtol        ",
    2: " A least-squares solution was found, given rtol    ",
    3: " Reasonable accuracy achieved, given eps           ",
    4: " x has converged to an eigenvector                 ",
    6: " The iteration limit was reached                   ",
}


def _check_symmetric(
    first: ndarray, second: ndarray, third: ndarray, eps: float, what: str
) -> None:
    """Whether <first, first> is <second, third>, as it is for a hermitian operator."""
    s, t = look([dot(first, first).real, dot(second, third).real])
    if abs(s - t) > (s + eps) * eps ** (1 / 3):
        raise ValueError(f"non-symmetric {what}")


def minres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
    show: bool = False,
    check: bool = False,
) -> Solution:
    """x of (A - shift) x = b by minimal residuals, for a hermitian A; and 0, or how many steps were
    not enough.

    Parameters are those of `cg`, and:

    Parameters
    ----------
    rtol : float
        It ends where ``norm(r) <= rtol * norm(A) * norm(x)``.
    shift : float
        What is taken from the diagonal.
    maxiter : int, optional
        Steps at most; five times n by default.
    show : bool
        Whether it prints what it does.
    check : bool
        Whether it looks if A and M are hermitian.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import minres
    >>> x, info = minres(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([4.0, 5.0]))
    >>> np.round(x, 6), info
    (array([2., 1.]), 0)
    """
    s = System(A, b, x0, M)
    most = 5 * s.n if maxiter is None else maxiter
    x = s.x
    r1 = s.residual()
    y = s.M.matvec(r1)
    (first,) = look([dot(r1, y).real], r1, y)
    if first < 0:
        raise ValueError("indefinite preconditioner")
    if first == 0:
        return x, 0
    if size_of(s.b) == 0:
        return s.b, 0
    first = math.sqrt(first)
    if check:
        w = s.A.matvec(y)
        _check_symmetric(w, y, s.A.matvec(w), s.eps, "matrix")
        _check_symmetric(y, r1, s.M.matvec(y), s.eps, "preconditioner")
    before, beta = 0.0, first
    d_bar = epsilon = squares = 0.0
    phi_bar = first
    largest, least = 0.0, float(numpy.finfo(s.dtype).max)
    c, sine = -1.0, 0.0
    w = w2 = np.zeros_like(x)
    r2 = r1
    why = step = 0
    if show:
        print(f"Enter minres.   Solution of symmetric Ax = b, n = {s.n}, shift = {shift}")
    while step < most:
        step += 1
        v = y * (1 / beta)
        y = s.A.matvec(v) - shift * v
        if step >= 2:
            y = y - (beta / before) * r1
        part = dot(v, y).real
        y = y - (part / beta) * r2
        r1, r2 = r2, y
        y = s.M.matvec(r2)
        alpha, square = look([part, dot(r2, y).real], v, r2, y)
        if square < 0:
            raise ValueError("non-symmetric matrix")
        before, beta = beta, math.sqrt(square)
        squares += alpha**2 + before**2 + beta**2
        if step == 1 and beta / first <= 10 * s.eps:
            why = -1
        # The rotation before this one, then the next.
        epsilon_before = epsilon
        delta = c * d_bar + sine * alpha
        g_bar = sine * d_bar - c * alpha
        epsilon, d_bar = sine * beta, -c * beta
        root = math.hypot(g_bar, d_bar)
        gamma = max(math.hypot(g_bar, beta), s.eps)
        c, sine = g_bar / gamma, beta / gamma
        phi, phi_bar = c * phi_bar, sine * phi_bar
        w1, w2 = w2, w
        w = (v - epsilon_before * w1 - delta * w2) * (1 / gamma)
        x = x + phi * w
        largest, least = max(largest, gamma), min(least, gamma)
        norm = math.sqrt(squares)
        (length,) = look([norm_of(x)], x, w)
        # What is not finite is no reason to stop.
        test1 = phi_bar / (norm * length) if 0 < norm * length < math.inf else math.inf
        test2 = root / norm if 0 < norm < math.inf else math.inf
        if why == 0:
            reasons = (
                (test1 <= rtol, 1),
                (test2 <= rtol, 2),
                (math.inf > norm * length * s.eps >= first, 3),
                (math.inf > largest / least >= 0.1 / s.eps, 4),
                (step >= most, 6),
                (1 + test1 <= 1, 1),
                (1 + test2 <= 1, 2),
            )
            why = next((reason for holds, reason in reasons if holds), 0)
        if show:
            print(f"{step:6g} {x[0].item():12.5e} {test1:10.3e} {test2:10.3e} {norm:8.1e}")
        if callback is not None:
            callback(x)
        if why != 0:
            break
    if show:
        print(f"Exit  minres.   istop = {why}, itn = {step}\n{_ENDINGS[why]}")
    return x, most if why == 6 else 0
