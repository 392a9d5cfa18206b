"""Bases of Krylov spaces on the device, and the small matrices of them on the host."""

from __future__ import annotations

from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import HostArray
from heddle.scipy.sparse.linalg._inputs import norm_of


def products(basis: ndarray, w: ndarray) -> ndarray:
    """Of each row of a basis, conjugated, with a vector."""
    return (basis @ w.conj()).conj() if basis.dtype.kind == "c" else basis @ w


def without(basis: ndarray, w: ndarray) -> tuple[ndarray, ndarray]:
    """A vector without its parts along orthonormal rows, and these parts.

    Twice, because what is left after the first time is not orthogonal enough where it is small.
    """
    parts = products(basis, w)
    w = w - parts @ basis
    more = products(basis, w)
    return w - more @ basis, parts + more


def normalised(w: ndarray) -> tuple[ndarray, ndarray]:
    """A vector of length one, or zero where it is, and its length."""
    size = norm_of(w)
    return w * np.where(size > 0, 1 / np.where(size > 0, size, 1), 0).astype(size.dtype), size


class Arnoldi:
    """Orthonormal rows that span what an operator makes of a vector."""

    def __init__(self, first: ndarray, most: int) -> None:
        self.rows = np.zeros((most + 1, first.size), first.dtype, device=first.device)
        self.rows[0] = first
        self.count = 1

    def add(self, w: ndarray, others: ndarray | None = None) -> tuple[Any, Any, float]:
        """Adds what is new in a vector: its parts along the rows, the new one last; its parts along
        other rows; and its length before. One look."""
        device = []
        before = norm_of(w)
        if others is not None:
            w, apart = without(others, w)
            device.append(apart)
        w, parts = without(self.rows[: self.count], w)
        row, size = normalised(w)
        self.rows[self.count] = row
        numbers = [
            parts,
            size.reshape(1).astype(parts.dtype),
            before.reshape(1).astype(parts.dtype),
        ]
        found = np.concatenate([*device, *numbers])
        np.eval(found, self.rows)
        seen = found._snapshot()
        skipped = 0 if others is None else len(others)
        self.count += 1
        return seen[skipped:-1], seen[:skipped], float(seen[-1].real)


class LeastSquares:
    """y of ``H y = first * e_1`` for a Hessenberg matrix that grows by columns."""

    def __init__(self, first: complex) -> None:
        self.columns: list[list[Any]] = []
        self._rotations: list[tuple[float, Any]] = []
        self._right = [first]

    def add(self, column: HostArray) -> float:
        """Takes one more column; what the residual is then."""
        h = column.tolist()
        for k, (c, s) in enumerate(self._rotations):
            h[k], h[k + 1] = c * h[k] + s * h[k + 1], -s.conjugate() * h[k] + c * h[k + 1]
        above, below = h[-2], h[-1]
        size = float(numpy.hypot(abs(above), abs(below)))
        if size == 0:
            c, s = 1.0, 0.0
        elif above == 0:
            c, s = 0.0, below.conjugate() / abs(below)
        else:
            c = abs(above) / size
            s = above / abs(above) * below.conjugate() / size
        h[-2] = c * above + s * below
        last = self._right[-1]
        self._right[-1] = c * last
        self._right.append(-s.conjugate() * last)
        self._rotations.append((c, s))
        self.columns.append(h[:-1])
        return float(abs(self._right[-1]))

    def solve(self) -> HostArray:
        """The solution so far; 0 where the last column added nothing."""
        n = len(self.columns)
        y = list(self._right[:n])
        for k in range(n - 1, -1, -1):
            pivot = self.columns[k][k]
            y[k] = y[k] / pivot if pivot != 0 else 0.0
            for i in range(k):
                y[i] = y[i] - y[k] * self.columns[k][i]
        return numpy.array(y)
