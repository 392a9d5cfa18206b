"""Some eigenvalues of large matrices: Krylov spaces that are restarted with what is wanted.

A cycle adds vectors to a basis until it is full, without a look; the host then has the small matrix
of it, finds out what has converged, and keeps the part of the space that is wanted (thick restart
of Lanczos' method for hermitian matrices, Krylov-Schur for others).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import DType, HostArray
from heddle.scipy.sparse.linalg._errors import ArpackError, ArpackNoConvergence
from heddle.scipy.sparse.linalg._inputs import dot
from heddle.scipy.sparse.linalg._krylov import products

Product = Callable[[Any], Any]


class Space:
    """A basis with ``A V = V H + r e^T``, orthonormal with respect to an inner product.

    `rows` are the basis, `images` what the inner product makes of them (the same where it is the
    usual one), `small` the projected matrix on the host, one column in each of its rows.
    """

    def __init__(self, product: Product, first: ndarray, most: int, inner: Product | None) -> None:
        self._product, self._inner, self.most = product, inner, most
        shape = (most + 1, first.size)
        self.rows = np.zeros(shape, first.dtype, device=first.device)
        self.images = self.rows if inner is None else np.zeros_like(self.rows)
        self.small = numpy.zeros((most, most + 1), first.dtype)
        self.count = 0
        self._draw = numpy.random.default_rng(0)
        self._eps = float(np.finfo(first.dtype).eps)
        if not self._place(0, first):
            raise ArpackError(-9)

    def _place(self, j: int, w: ndarray) -> bool:
        """Makes a vector the one of number j; whether it is none."""
        image = w if self._inner is None else self._inner(w)
        size = float(np.sqrt(abs(dot(w, image))))
        if not size > 0:
            return False
        self._put(j, w * (1 / size), image * (1 / size))
        return True

    def _put(self, j: int, row: ndarray, image: ndarray) -> None:
        self.rows[j] = row
        if self._inner is not None:
            self.images[j] = image

    def _without(self, count: int, w: ndarray) -> tuple[ndarray, ndarray]:
        parts = products(self.images[:count], w)
        w = w - parts @ self.rows[:count]
        more = products(self.images[:count], w)
        return w - more @ self.rows[:count], parts + more

    def _step(self, j: int) -> ndarray:
        """Adds vector j + 1; the column j of the small matrix, pending."""
        w, parts = self._without(j + 1, self._product(self.rows[j]).astype(self.rows.dtype))
        image = w if self._inner is None else self._inner(w)
        square = dot(w, image).real
        size = np.sqrt(np.where(square > 0, square, 0))
        scale = np.where(size > 0, 1 / np.where(size > 0, size, 1), 0)
        scale = scale.astype(w.real.dtype)
        self._put(j + 1, w * scale, image * scale)
        column = np.zeros(self.most + 1, self.rows.dtype, device=w.device)
        column[: j + 1] = parts
        column[j + 1] = size
        return column

    def fill(self) -> None:
        """Adds vectors until the basis is full. One look, and one more for each space that an
        operator does not lead out of."""
        j = self.count
        while j < self.most:
            columns = np.stack([self._step(i) for i in range(j, self.most)])
            np.eval(columns, self.rows, self.images)
            seen = columns._snapshot()
            if not numpy.isfinite(seen).all():
                raise ArpackError(-9999)
            for column in seen:
                self.small[j] = column
                scale = numpy.abs(column[: j + 1]).max(initial=0)
                j += 1
                if abs(column[j]) <= 10 * self._eps * scale or column[j] == 0:
                    self.small[j - 1, j] = 0
                    if j < self.most:
                        self._renew(j)
                    break
        self.count = self.most

    def _renew(self, j: int) -> None:
        """Puts a vector that is orthogonal to all others at j: the space before it is invariant."""
        n = self.rows.shape[1]
        for _ in range(5):
            drawn = self._draw.uniform(-1, 1, n).astype(self.rows.dtype)
            w = np.asarray(drawn, device=self.rows.device)
            for _ in range(2):
                w, _parts = self._without(j, w)
            if self._place(j, w):
                return
        raise ArpackError(-9999)

    def restart(self, mixture: HostArray, small: HostArray, last: object) -> None:
        """Keeps mixtures of the basis (columns), their projected matrix, and what the residual has
        of each."""
        kept = mixture.shape[1]
        weights = np.asarray(mixture.T.astype(self.small.dtype), device=self.rows.device)
        rows = np.zeros_like(self.rows)
        rows[:kept] = weights @ self.rows[: self.most]
        rows[kept] = self.rows[self.most]
        if self._inner is None:
            self.rows = self.images = rows
        else:
            images = np.zeros_like(rows)
            images[:kept] = weights @ self.images[: self.most]
            images[kept] = self.images[self.most]
            self.rows, self.images = rows, images
        self.small[:] = 0
        self.small[:kept, :kept] = small.T
        self.small[:kept, kept] = last
        self.count = kept

    @property
    def projected(self) -> HostArray:
        """The small square matrix."""
        return self.small[:, : self.most].T

    @property
    def residual(self) -> float:
        """The length of what the last column leads out of the space by."""
        return float(abs(self.small[self.most - 1, self.most]))

    def vectors(self, mixture: HostArray) -> ndarray:
        """Mixtures of the basis, one in each column."""
        dtype = numpy.result_type(self.rows.dtype, mixture.dtype)
        dtype = dtype if self.rows.dtype.itemsize > 4 or dtype.char == "F" else _single(dtype)
        weights = np.asarray(mixture.T.astype(dtype), device=self.rows.device)
        return (weights @ self.rows[: self.most].astype(dtype)).T


def _single(dtype: DType) -> DType:
    return numpy.dtype("F" if dtype.kind == "c" else "f")


def _order(values: HostArray, which: str, pairs: bool = False) -> Any:
    """Places of values, those that are wanted most first; `pairs`: they come in conjugate pairs."""
    keys: dict[str, Any] = {
        "LM": lambda v: -numpy.abs(v),
        "SM": numpy.abs,
        "LA": lambda v: -v.real,
        "LR": lambda v: -v.real,
        "SA": lambda v: v.real,
        "SR": lambda v: v.real,
        "LI": lambda v: -(numpy.abs(v.imag) if pairs else v.imag),
        "SI": lambda v: numpy.abs(v.imag) if pairs else v.imag,
    }
    if which != "BE":
        return numpy.argsort(keys[which](values), kind="stable")
    ascending = numpy.argsort(values, kind="stable")
    n = len(ascending)
    ends = [ascending[-1 - i // 2] if i % 2 == 0 else ascending[i // 2] for i in range(n)]
    return numpy.array(ends)


def _small_enough(errors: HostArray, values: HostArray, tol: float, eps: float) -> Any:
    limit = tol if tol > 0 else eps
    return errors <= limit * numpy.maximum(eps ** (2 / 3), numpy.abs(values))


def _kept(k: int, converged: int, most: int) -> int:
    """How much is kept: more than what is wanted, so that converged vectors do not slow it down."""
    kept = k + min(converged, (most - k) // 2)
    if kept == 1 and most >= 6:
        kept = most // 2
    elif kept == 1 and most > 3:
        kept = 2
    return min(kept, most - 1)


def hermitian(
    space: Space, k: int, which: str, tol: float, maxiter: int
) -> tuple[Any, Callable[[], ndarray]]:
    """k eigenvalues, in ascending order, and a function that gives their vectors in columns."""
    for cycle in range(maxiter):
        space.fill()
        matrix = numpy.tril(space.projected)
        matrix = matrix + numpy.tril(matrix, -1).conj().T
        values, mixture = numpy.linalg.eigh(matrix)
        errors = space.residual * numpy.abs(mixture[-1])
        order = _order(values, which)
        wanted = order[:k]
        good = _small_enough(errors[wanted], values[wanted], tol, space._eps)
        if good.all() or space.residual == 0:
            chosen = numpy.sort(wanted)
            return values[chosen], partial(space.vectors, mixture[:, chosen])
        if cycle == maxiter - 1:
            break
        kept = order[: _kept(k, int(good.sum()), space.most)]
        last = space.residual * mixture[-1, kept]
        space.restart(mixture[:, kept], numpy.diag(values[kept]), last)
    done = numpy.sort(wanted[good])
    raise _not_converged(maxiter, k, values[done], space.vectors(mixture[:, done]))


def general(
    space: Space, k: int, which: str, tol: float, maxiter: int
) -> tuple[Any, Callable[[], ndarray]]:
    """The same of a matrix that is not hermitian; the wanted ones first."""
    from heddle.scipy.linalg import schur

    for cycle in range(maxiter):
        space.fill()
        matrix = space.projected
        values, mixture = numpy.linalg.eig(matrix)
        errors = space.residual * numpy.abs(mixture[-1])
        order = _order(values, which, pairs=matrix.dtype.kind != "c")
        wanted = order[:k]
        good = _small_enough(errors[wanted], values[wanted], tol, space._eps)
        if good.all() or space.residual == 0:
            return values[wanted], partial(space.vectors, mixture[:, wanted])
        if cycle == maxiter - 1:
            break
        # A threshold between what is kept and what is not, as Schur's form finds its own values.
        kept = _kept(k, int(good.sum()), space.most)
        chosen = values[order[:kept]]

        def is_kept(
            real: Any, imag: Any = 0.0, chosen: object = chosen, values: object = values
        ) -> bool:
            distances = numpy.abs(values - (real + 1j * imag))
            return bool(numpy.abs(chosen - (real + 1j * imag)).min() <= distances.min())

        kind = "complex" if matrix.dtype.kind == "c" else "real"
        found = schur(np.asarray(matrix, device="cpu"), output=kind, sort=is_kept)
        t, z, count = found[0]._snapshot(), found[1]._snapshot(), min(found[2], space.most - 1)
        if 0 < count < len(t) and t[count, count - 1] != 0:
            count -= 1  # a pair is kept as a whole
        if count == 0:
            count = min(2, space.most - 1)
        last = space.small[space.most - 1, space.most] * z[-1, :count]
        space.restart(z[:, :count], t[:count, :count], last)
    done = wanted[good]
    raise _not_converged(maxiter, k, values[done], space.vectors(mixture[:, done]))


def _not_converged(steps: int, k: int, values: Any, vectors: object) -> ArpackNoConvergence:
    text = f"No convergence ({steps} iterations, {len(values)}/{k} eigenvectors converged)"
    return ArpackNoConvergence(text, np.asarray(values), vectors)
