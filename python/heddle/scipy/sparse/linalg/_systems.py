"""Systems of equations as iterative solvers take them."""

from __future__ import annotations

from typing import Any

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy.sparse.linalg._inputs import coerced, dense_device, size_of, tolerance
from heddle.scipy.sparse.linalg._operators import (
    IdentityOperator,
    LinearOperator,
    OfFunctions,
    aslinearoperator,
)


class System:
    """A system A x = b with a preconditioner and a first guess, all of one type.

    `limit` is the residual that is small enough; `solved` is what there is to return at once, where
    the right side is zero.
    """

    def __init__(self, A: object, b: ArrayLike, x0: ArrayLike | None, M: object) -> None:
        self.A = aslinearoperator(A)
        n = self.A.shape[0]
        if n != self.A.shape[1]:
            raise ValueError(f"expected square matrix, but got shape={(self.A.shape,)}")
        right = _beside(b, self.A)
        if right.shape not in ((n, 1), (n,)):
            raise ValueError(f"shapes of A {self.A.shape} and b {right.shape} are incompatible")
        self.n = n
        self.dtype = coerced(self.A.dtype, right.dtype)
        self.b = right.astype(self.dtype).reshape(-1)
        self.M = _preconditioner(A, self.A, M)
        self.x = self._first(x0)
        self.guessed = x0 is not None
        self.eps = float(np.finfo(self.dtype).eps)

    def _first(self, x0: ArrayLike | None) -> ndarray:
        if x0 is None or (isinstance(x0, str) and x0 != "Mb"):
            return np.zeros(self.n, self.dtype, device=self.b.device)
        if isinstance(x0, str):
            return self.M.matvec(self.b).astype(self.dtype)
        x = _beside(x0, self.A)
        if x.shape not in ((self.n, 1), (self.n,)):
            raise ValueError(f"shapes of A {self.A.shape} and x0 {x.shape} are incompatible")
        return np.array(x, self.dtype).reshape(-1)

    def begin(self, name: str, atol: float, rtol: float) -> bool:
        """Sets the limit; whether there is nothing to do."""
        self.size = size_of(self.b)
        self.limit = tolerance(name, self.size, atol, rtol)
        return self.size == 0

    def residual(self) -> ndarray:
        """b - A x; b where there was no first guess."""
        return self.b - self.A.matvec(self.x) if self.guessed else self.b.copy()

    def many(self, maxiter: int | None) -> int:
        return 10 * self.n if maxiter is None else maxiter


def _beside(value: ArrayLike, A: LinearOperator) -> ndarray:
    """An array where the matrix is, if it is free to go there."""
    if isinstance(value, own_array):
        return value
    return np.asarray(value, device=dense_device(A, value))


def _preconditioner(given: object, A: LinearOperator, M: object) -> LinearOperator:
    if M is not None:
        found = aslinearoperator(M)
        if found.shape != A.shape:
            raise ValueError("matrix and preconditioner have different shapes")
        return found
    solve, adjoint = getattr(given, "psolve", None), getattr(given, "rpsolve", None)
    if solve is None and adjoint is None:
        return IdentityOperator(A.shape, A.dtype)
    return OfFunctions(A.shape, solve or _same, rmatvec=adjoint or _same, dtype=A.dtype)


def _same(x: object) -> Any:
    return x


def look(numbers: list[ndarray], *kept: ndarray) -> list[Any]:
    """Numbers of the device as Python's, by one look; computes `kept` in the same evaluation."""
    if len(numbers) == 1:
        np.eval(numbers[0], *kept)
        return [numbers[0].item()]
    stacked = np.stack(numbers)
    np.eval(stacked, *kept)
    found: list[Any] = stacked.tolist()
    return found
