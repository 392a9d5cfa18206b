"""Riccati's equations, by the stable subspace of a pencil."""

from __future__ import annotations

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    adjoint,
    finfo,
    host,
    over_batch,
    typed_as_doubles,
    validated,
)
from heddle.scipy.linalg._factors import lu, qr
from heddle.scipy.linalg._schur import ordqz
from heddle.scipy.linalg._structured import matrix_balance


def _norm_1(a: ndarray) -> float:
    return float(np.abs(a).sum(axis=-2).max())


def _arguments(
    a: ArrayLike | None,
    b: ArrayLike | None,
    q: ArrayLike | None,
    r: ArrayLike | None,
    e: ArrayLike | None,
    s: ArrayLike | None,
    continuous: bool,
) -> tuple[ndarray, ...]:
    """The matrices in one type, e and s with their defaults, after SciPy's checks."""
    given = [np.atleast_2d(validated(each)) for each in (a, b, q, r)]
    size, inputs = given[0].shape[0], given[1].shape[1]
    for each, name in zip((given[0], given[2], given[3]), "aqr", strict=True):
        if each.shape[0] != each.shape[1]:
            raise ValueError(f"Matrix {name} should be square.")
    if given[1].shape[0] != size:
        raise ValueError("Matrix a and b should have the same number of rows.")
    if given[2].shape != given[0].shape:
        raise ValueError("Matrix a and q should have the same shape.")
    if given[3].shape[0] != inputs:
        raise ValueError("Matrix b and r should have the same number of columns.")
    for each, name in zip(given[2:4], "qr", strict=True):
        if (
            _norm_1(each - adjoint(each))
            > max(_norm_1(each), 1.0) * numpy.spacing(_norm_1(each)) * 100
        ):
            raise ValueError(f"Matrix {name} should be symmetric/hermitian.")
    if continuous:
        values = host(np.linalg.svd(typed_as_doubles(given[3])[0], compute_uv=False))
        if values[-1] == 0 or values[-1] < numpy.spacing(1.0) * values[0]:
            raise ValueError("Matrix r is numerically singular.")
    device = given[0].device
    left = np.eye(size, device=device) if e is None else np.atleast_2d(validated(e))
    cross = np.zeros((size, inputs), device=device) if s is None else np.atleast_2d(validated(s))
    if left.shape != given[0].shape:
        raise ValueError("Matrix a and e should have the same shape.")
    if cross.shape != given[1].shape:
        raise ValueError("Matrix b and s should have the same shape.")
    if e is not None:
        values = host(np.linalg.svd(typed_as_doubles(left)[0], compute_uv=False))
        if values[-1] == 0 or values[-1] < numpy.spacing(1.0) * values[0]:
            raise ValueError("Matrix e is numerically singular.")
    return tuple(typed_as_doubles(*given, left, cross))


def _balanced(h: ndarray, j: ndarray, size: int) -> tuple[ndarray, ndarray, ndarray]:
    """The pencil scaled by powers of two, in pairs that leave its symmetry, and the scale."""
    sizes = np.abs(h) + np.abs(j)
    sizes = sizes - np.diag(np.diagonal(sizes))
    factors = host(matrix_balance(sizes, permute=False, separate=True)[1][0]).real
    powers = numpy.log2(factors)
    half = numpy.round((powers[size : 2 * size] - powers[:size]) / 2)
    scale = numpy.exp2(numpy.concatenate([half, -half, powers[2 * size :]]))
    ours = np.asarray(scale.astype(finfo(h).dtype), device=h.device)
    return h * ours[:, None] / ours, j * ours[:, None] / ours, ours


def _solution(
    h: ndarray, j: ndarray, e: ArrayLike | None, size: int, sort: str, balanced: bool
) -> ndarray:
    """x, of the pencil's subspace that belongs to stable eigenvalues."""
    inputs = h.shape[0] - 2 * size
    scale = None
    if balanced:
        h, j, scale = _balanced(h, j, size)
    # What the inputs' columns span is taken out.
    turn = adjoint(qr(h[:, -inputs:])[0][:, inputs:])
    h = turn @ h[:, : 2 * size]
    j = (
        turn[:, : 2 * size] @ j[: 2 * size, : 2 * size]
        if sort == "lhp"
        else turn @ j[:, : 2 * size]
    )
    form = "real" if h.dtype.kind != "c" else "complex"
    z = ordqz(h, j, sort=sort, output=form)[5]
    upper, lower = z[:size, :size], z[size:, :size]
    if e is not None:
        e = e if scale is None else e * scale[:size, None] / scale[:size]
        basis = qr(np.concatenate([e @ upper, lower]))[0]
        upper, lower = basis[:size, :size], basis[size:, :size]
    triangle = lu(upper)[2]
    if float(1 / np.linalg.cond(triangle)) < numpy.spacing(1.0):
        raise LinAlgError("Failed to find a finite solution.")
    x = adjoint(np.linalg.solve(adjoint(upper), adjoint(lower)))
    if scale is not None:
        x = x * scale[:size, None] * scale[:size]
    together = adjoint(upper) @ lower
    apart = _norm_1(together - adjoint(together))
    if apart > max(1000 * numpy.spacing(1.0), 0.1 * _norm_1(together)):
        raise LinAlgError(
            "The associated symplectic pencil has eigenvalues too close to the unit circle"
            if sort == "iuc"
            else "The associated Hamiltonian pencil has eigenvalues too close to the imaginary axis"
        )
    return (x + adjoint(x)) / 2


@over_batch(a=2, b=2, q=2, r=2, e=2, s=2)
def solve_continuous_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> ndarray:
    """The x with ``e^H x a + a^H x e - (e^H x b + s) r^-1 (b^H x e + s^H) + q == 0``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_continuous_are([[0.0]], [[1.0]], [[4.0]], [[1.0]]).round(9)
    array([[2.]])
    """
    first, inputs, cost, weight, left, cross = _arguments(a, b, q, r, e, s, True)
    n = inputs.shape[0]
    zero = np.zeros((n, n), first.dtype, device=first.device)
    h = np.concatenate(
        [
            np.concatenate([first, zero, inputs], axis=1),
            np.concatenate([-cost, -adjoint(first), -cross], axis=1),
            np.concatenate([adjoint(cross), adjoint(inputs), weight], axis=1),
        ]
    )
    j = np.zeros(h.shape, h.dtype, device=h.device)
    j[:n, :n] = left
    j[n : 2 * n, n : 2 * n] = adjoint(left)
    return _solution(h, j, None if e is None else left, n, "lhp", balanced)


@over_batch(a=2, b=2, q=2, r=2, e=2, s=2)
def solve_discrete_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> ndarray:
    """The x with ``a^H x a - e^H x e - (a^H x b + s) (r + b^H x b)^-1 (b^H x a + s^H) + q == 0``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_discrete_are([[1.0]], [[1.0]], [[2.0]], [[4.0]]).round(9)
    array([[4.]])
    """
    first, inputs, cost, weight, left, cross = _arguments(a, b, q, r, e, s, False)
    n = inputs.shape[0]
    zero = np.zeros((n, n), first.dtype, device=first.device)
    h = np.concatenate(
        [
            np.concatenate([first, zero, inputs], axis=1),
            np.concatenate([-cost, adjoint(left), -cross], axis=1),
            np.concatenate([adjoint(cross), np.zeros_like(adjoint(inputs)), weight], axis=1),
        ]
    )
    j = np.zeros(h.shape, h.dtype, device=h.device)
    j[:n, :n] = left
    j[n : 2 * n, n : 2 * n] = adjoint(first)
    j[2 * n :, n : 2 * n] = -adjoint(inputs)
    return _solution(h, j, None if e is None else left, n, "iuc", balanced)
