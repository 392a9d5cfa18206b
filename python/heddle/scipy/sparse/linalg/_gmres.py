"""Solvers that keep a basis of what they have seen: GMRES, and those that keep some of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._inputs import dot, norm_of, size_of
from heddle.scipy.sparse.linalg._iterative import Callback, Solution
from heddle.scipy.sparse.linalg._krylov import Arnoldi, LeastSquares
from heddle.scipy.sparse.linalg._systems import System

_Product = Callable[[Any], Any]


def _placed(y: HostArray, like: ndarray) -> ndarray:
    """Numbers of the host beside an array, of its type."""
    return np.asarray(numpy.asarray(y).astype(like.dtype), device=like.device)


def gmres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callback = None,
    callback_type: str | None = None,
) -> Solution:
    """x of A x = b by generalised minimal residuals; and 0, or how many cycles were not enough.

    Parameters are those of `cg`, and:

    Parameters
    ----------
    restart : int, optional
        Steps of a cycle, which keeps as many vectors; 20 by default.
    maxiter : int, optional
        Cycles at most.
    callback_type : {'x', 'pr_norm', 'legacy'}, optional
        Whether `callback` is called with x after each cycle, or with the relative residual after
        each step; 'legacy' counts steps by `maxiter`, too.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import gmres
    >>> x, info = gmres(np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([6.0, 6.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    kind = _callback_type(callback, callback_type)
    s = System(A, b, x0, M)
    if s.begin("gmres", atol, rtol):
        return s.b, 0
    cycles = s.many(maxiter)
    length = min(20 if restart is None else restart, s.n)
    x, r = s.x, s.residual()
    left = size_of(r)
    if left < s.limit:
        return x, 0
    factor = 1.0
    inner_limit = size_of(s.M.matvec(s.b)) * min(factor, s.limit / s.size)
    steps = 0
    for _ in range(cycles):
        start = s.M.matvec(r)
        first = size_of(start)
        if first == 0:
            break
        basis = Arnoldi(start * (1 / first), length)
        small = LeastSquares(first)
        exact = False
        residual = first
        for column in range(length):
            w = s.M.matvec(s.A.matvec(basis.rows[column]))
            h, _none, before = basis.add(w)
            if abs(h[-1]) <= s.eps * before:
                h[-1] = 0
                exact = True
            residual = small.add(h)
            steps += 1
            if callback is not None and kind in ("legacy", "pr_norm"):
                callback(numpy.float64(residual / s.size))
            if residual <= inner_limit or exact or (kind == "legacy" and steps == maxiter):
                break
        y = small.solve()
        x = x + _placed(y, x) @ basis.rows[: len(y)]
        r = s.b - s.A.matvec(x)
        np.eval(x, r)
        left = size_of(r)
        if kind == "legacy" and steps == maxiter:
            return x, 0 if left <= s.limit else cycles
        if callback is not None and kind == "x":
            callback(x)
        if left <= s.limit or exact:
            break
        # Where the inner residual passed and the true one did not, the next is to be smaller.
        factor = max(s.eps, 0.25 * factor) if residual <= inner_limit else min(1.0, 1.5 * factor)
        inner_limit = residual * min(factor, s.limit / left)
    return x, 0 if left <= s.limit else cycles


def _callback_type(callback: Callback, kind: str | None) -> str | None:
    if callback is not None and kind is None:
        warnings.warn(
            "scipy.sparse.linalg.gmres called without specifying `callback_type`. The default "
            "value will be changed in a future release. For compatibility, specify a value for "
            "`callback_type` explicitly, e.g., ``gmres(..., callback_type='pr_norm')``, or to "
            "retain the old behavior ``gmres(..., callback_type='legacy')``",
            DeprecationWarning,
            stacklevel=3,
        )
    kind = kind or "legacy"
    if kind not in ("x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {kind!r}")
    return None if callback is None else kind


class _Cycle:
    """A cycle of flexible GMRES: directions Z with A Z = C B + V H, y the best mixture of them."""

    def __init__(
        self,
        product: _Product,
        first: ndarray,
        steps: int,
        limit: float,
        *,
        direction: _Product | None = None,
        kept: ndarray | None = None,
        given: list[tuple[Any, Any]] | None = None,
        given_first: bool = False,
    ) -> None:
        given = given or []
        most = steps + len(given)
        eps = float(np.finfo(first.dtype).eps)
        self.basis = Arnoldi(first, most)
        self.directions: list[ndarray] = []
        small = LeastSquares(1.0)
        columns, apart = [], []
        for j in range(most):
            place = j if given_first else j - steps
            z, w = given[place] if 0 <= place < len(given) else (None, None)
            if z is None:
                v = first if given_first and j == len(given) else self.basis.rows[j]
                z = direction(v) if direction else v
            if w is None:
                w = product(z)
            h, beside, before = self.basis.add(w, kept)
            if numpy.linalg.norm(h) <= 4 * eps * before:
                h[:] = 0  # what is not along C is nothing but rounding
            self.directions.append(z)
            columns.append(h)
            apart.append(beside)
            self.residual = small.add(h)
            if self.residual < limit or not abs(h[-1]) > eps * before:
                break
        n = len(columns)
        self.H = numpy.zeros((n + 1, n), columns[0].dtype)
        for j, h in enumerate(columns):
            self.H[: j + 2, j] = h
        self.B = numpy.array(apart).T.reshape(-1, n)
        if not numpy.isfinite(self.H).all():
            raise LinAlgError("what the operator gives is not finite")
        right = numpy.zeros(n + 1, self.H.dtype)
        right[0] = 1
        self.y = numpy.linalg.lstsq(self.H, right, rcond=None)[0]

    def mixed(self, y: HostArray) -> ndarray:
        """The mixture of directions."""
        return _placed(y, self.directions[0]) @ np.stack(self.directions)

    def image(self, y: HostArray) -> ndarray:
        """What it is mapped to, without what is along C."""
        weights = self.H @ y
        return _placed(weights, self.basis.rows) @ self.basis.rows[: len(weights)]


def _check_finite(s: System) -> None:
    if not bool(np.all(np.isfinite(s.b))):
        raise ValueError("RHS must contain only finite numbers")


def lgmres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: OperatorLike | None = None,
    callback: Callback = None,
    inner_m: int = 30,
    outer_k: int = 3,
    outer_v: list[tuple[Any, Any]] | None = None,
    store_outer_Av: bool = True,
    prepend_outer_v: bool = False,
) -> Solution:
    """x of A x = b by GMRES that keeps errors of earlier cycles; and 0, or how many cycles were not
    enough.

    Parameters are those of `cg`, and:

    Parameters
    ----------
    inner_m : int
        Steps of a cycle.
    outer_k : int
        How many vectors are kept from cycle to cycle.
    outer_v : list of pairs, optional
        Vectors and what A makes of them, or None, to begin with; has those kept afterwards.
    store_outer_Av : bool
        Whether what A makes of them is kept, too.
    prepend_outer_v : bool
        Whether a cycle begins with them.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import lgmres
    >>> x, info = lgmres(np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([6.0, 6.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    _check_finite(s)
    kept = [] if outer_v is None else outer_v
    if s.begin("lgmres", atol, rtol):
        return s.b, 0
    x = s.x
    factor = 1.0
    for cycle in range(maxiter):
        r = s.b - s.A.matvec(x)
        if callback is not None:
            callback(x)
        left = size_of(r)
        if left <= s.limit:
            return x, 0
        start = s.M.matvec(r)
        first = size_of(start)
        if first == 0:
            raise RuntimeError(
                f"Preconditioner returned a zero vector; |v| ~ {left:.1g}, |M v| = 0"
            )
        limit = min(factor, s.limit / left)
        try:
            made = _Cycle(
                lambda z: s.M.matvec(s.A.matvec(z)),
                start * (1 / first),
                inner_m,
                limit,
                given=kept,
                given_first=prepend_outer_v,
            )
            y = made.y * first
            if not numpy.isfinite(y).all():
                raise LinAlgError("the small system overflows")
        except LinAlgError:
            return x, cycle + 1
        factor = min(1.0, 1.5 * factor) if made.residual > limit else max(1e-16, 0.25 * factor)
        step = made.mixed(y)
        size = size_of(step)
        if size > 0:
            image = made.image(y) * (1 / size) if store_outer_Av else None
            kept.append((step * (1 / size), image))
        while len(kept) > outer_k:
            del kept[0]
        x = x + step
    return x, maxiter


def gcrotmk(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: OperatorLike | None = None,
    callback: Callback = None,
    m: int = 20,
    k: int | None = None,
    CU: list[tuple[Any, Any]] | None = None,
    discard_C: bool = False,
    truncate: str = "oldest",
) -> Solution:
    """x of A x = b by GCROT(m, k), which keeps k directions with what A makes of them; and 0, or
    how many cycles were not enough.

    Parameters are those of `cg`, and:

    Parameters
    ----------
    m : int
        Steps of a cycle.
    k : int, optional
        How many directions are kept; m by default.
    CU : list of pairs, optional
        Pairs of what A makes of a direction, or None, and the direction; has those kept afterwards.
    discard_C : bool
        Whether only directions are kept afterwards.
    truncate : {'oldest', 'smallest'}
        Which of them go first.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import gcrotmk
    >>> x, info = gcrotmk(np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([6.0, 6.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    s = System(A, b, x0, M)
    _check_finite(s)
    if truncate not in ("oldest", "smallest"):
        raise ValueError(f"Invalid value for 'truncate': {truncate!r}")
    pairs = [] if CU is None else CU
    most = m if k is None else k
    x, r = s.x, s.residual()
    if s.begin("gcrotmk", atol, rtol):
        return s.b, 0
    if discard_C:
        pairs[:] = [(None, u) for _, u in pairs]
    if pairs:
        _orthogonalise(pairs, s)
    for c, u in pairs:
        part = dot(c, r)
        x, r = x + part * u, r - part * c
    info = maxiter
    for cycle in range(maxiter):
        if callback is not None:
            callback(x)
        left = size_of(r)
        # Updates of residuals that are smaller than rounding are of no use: the true one is.
        if left <= max(s.limit, s.eps * s.size) and (cycle > 0 or pairs):
            r = s.b - s.A.matvec(x)
            left = size_of(r)
        if left <= s.limit:
            info = 0
            break
        images = np.stack([c for c, _ in pairs]) if pairs else None
        try:
            made = _Cycle(
                s.A.matvec,
                r * (1 / left),
                m + max(most - len(pairs), 0),
                s.limit / left,
                direction=s.M.matvec,
                kept=images,
            )
        except LinAlgError:
            info = cycle + 1
            break
        y = made.y * left
        direction, image = made.mixed(y), made.image(y)
        for (_, u), weight in zip(pairs, (made.B @ y).tolist(), strict=True):
            direction = direction - weight * u
        size = size_of(image)
        if size == 0 or not numpy.isfinite(1 / size):
            break  # no direction is left that the next cycle would find
        image, direction = image * (1 / size), direction * (1 / size)
        part = dot(image, r)
        r, x = r - part * image, x + part * direction
        if truncate == "oldest":
            while pairs and len(pairs) >= most:
                del pairs[0]
        elif pairs and len(pairs) >= most:
            _keep_largest(pairs, made, most)
        pairs.append((image, direction))
    pairs.append((None, x.copy()))
    if discard_C:
        pairs[:] = [(None, u) for _, u in pairs]
    return x, info


def _orthogonalise(pairs: list[tuple[Any, Any]], s: System) -> None:
    """Makes the images of pairs orthonormal, and leaves out those that add nothing."""
    pairs.sort(key=lambda pair: pair[0] is not None)
    made: list[tuple[ndarray, ndarray]] = []
    largest = 0.0
    for c, u in pairs:
        direction = np.asarray(u).astype(s.dtype)
        image = s.A.matvec(direction) if c is None else np.asarray(c).astype(s.dtype)
        for _ in range(2):
            for other, its in made:
                part = dot(other, image)
                image, direction = image - part * other, direction - part * its
        size = size_of(image)
        largest = max(largest, size)
        if size > 1e-12 * largest:
            made.append((image * (1 / size), direction * (1 / size)))
    pairs[:] = made[::-1]


def _keep_largest(pairs: list[tuple[Any, Any]], made: _Cycle, most: int) -> None:
    """Keeps the mixtures of pairs that mattered most in this cycle."""
    R: Any = numpy.linalg.qr(made.H, mode="r")
    D = numpy.linalg.lstsq(R.T, made.B.T, rcond=None)[0].T
    W = numpy.linalg.svd(D)[0][:, : most - 1]
    images, directions = np.stack([c for c, _ in pairs]), np.stack([u for _, u in pairs])
    weights = _placed(W.T, images)
    mixed = list(zip(weights @ images, weights @ directions, strict=True))
    kept: list[tuple[ndarray, ndarray]] = []
    for c, u in mixed:
        for other, its in kept:
            part = dot(other, c)
            c, u = c - part * other, u - part * its
        size = norm_of(c)
        kept.append((c / size, u / size))
    pairs[:] = kept
