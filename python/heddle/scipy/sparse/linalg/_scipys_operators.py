"""Linear operators that are SciPy's objects, for arrays of every device.

Their public products make NumPy's arrays of what they are given; here the methods behind these are
called, which users write and which take our arrays where they are generic.
"""

from __future__ import annotations

import sys
from typing import Any

from heddle._core import ndarray
from heddle.scipy.sparse.linalg import _operators as ours


class OfScipys(ours.LinearOperator):
    """An operator of a class of the user's, or of functions, that was made for SciPy."""

    def __init__(self, theirs: Any, base: object) -> None:
        super().__init__(getattr(theirs, "dtype", None), theirs.shape)
        self._theirs = theirs
        self._base = base

    def _has(self, name: str) -> bool:
        """Whether the class has a method of its own, which SciPy's does not lead elsewhere."""
        found = getattr(type(self._theirs), name)
        return found is not getattr(self._base, name)

    def _matvec(self, x: ndarray) -> Any:
        if self._has("_matvec"):
            return self._theirs._matvec(x)
        return self._theirs._matmat(x.reshape(-1, 1))

    def _matmat(self, X: object) -> Any:
        own = type(self._theirs)._matmat
        if own.__module__ != self._base.__module__:  # those of SciPy's classes go by columns
            return self._theirs._matmat(X)
        return ours._columns(self.matvec, X, self.shape[0])

    def _rmatvec(self, x: ndarray) -> Any:
        if not self._has("_rmatvec") and self._has("_adjoint"):
            return of_scipys(self._theirs.H)._matvec(x)
        return self._theirs._rmatvec(x)

    def _rmatmat(self, X: object) -> Any:
        return ours._columns(self.rmatvec, X, self.shape[1])

    def _adjoint(self) -> ours.LinearOperator:
        # SciPy's default is an object that only says that it is the adjoint.
        return of_scipys(self._theirs.H) if self._has("_adjoint") else super()._adjoint()


# SciPy's operators that are made of others, by the names of their classes.
_made_of: dict[str, Any] = {
    "_AdjointLinearOperator": lambda a: a.H,
    "_TransposedLinearOperator": lambda a: a.T,
    "_SumLinearOperator": lambda a, b: a + b,
    "_ProductLinearOperator": lambda a, b: a @ b,
    "_ScaledLinearOperator": lambda a, factor: a * factor,
    "_PowerLinearOperator": lambda a, power: a**power,
}


def is_scipys(A: object) -> bool:
    """Whether an object is an operator of SciPy's."""
    module = sys.modules.get("scipy.sparse.linalg")
    return module is not None and isinstance(A, module.LinearOperator)


def of_scipys(A: Any) -> ours.LinearOperator:
    """Our operator of SciPy's."""
    base = sys.modules["scipy.sparse.linalg"].LinearOperator
    name, inside = type(A).__name__, type(A).__module__ == base.__module__
    if inside and name == "MatrixLinearOperator":
        return ours.aslinearoperator(A.A)
    if inside and name == "IdentityOperator":
        return ours.IdentityOperator(A.shape, A.dtype)
    if inside and name in _made_of:
        return _made_of[name](*(of_scipys(a) if is_scipys(a) else a for a in A.args))  # type: ignore[no-any-return]
    return OfScipys(A, base)
