"""What sparse linear algebra raises and warns of."""

from __future__ import annotations

from heddle.scipy._errors import OfScipy

_MESSAGES = {
    -1: "No convergence",
    -9: "Starting vector is zero.",
    -9999: "Could not build an Arnoldi factorization.",
}


class MatrixRankWarning(OfScipy, UserWarning, module="scipy.sparse.linalg"):
    """Told of matrices that are exactly singular.

    Examples
    --------
    >>> from heddle.scipy.sparse.linalg import MatrixRankWarning
    >>> issubclass(MatrixRankWarning, UserWarning)
    True
    """


class ArpackError(OfScipy, RuntimeError, module="scipy.sparse.linalg"):
    """Eigenvalues could not be computed.

    Examples
    --------
    >>> from heddle.scipy.sparse.linalg import ArpackError
    >>> str(ArpackError(-9))
    'ARPACK error -9: Starting vector is zero.'
    """

    def __init__(self, info: int, infodict: dict[int, str] | None = None) -> None:
        text = (infodict or _MESSAGES).get(info, "Unknown error")
        RuntimeError.__init__(self, f"ARPACK error {info}: {text}")


class ArpackNoConvergence(ArpackError):
    """Not all eigenvalues converged; those that did are its attributes.

    Attributes
    ----------
    eigenvalues : array
    eigenvectors : array
        One in each column.

    Examples
    --------
    >>> from heddle.scipy.sparse.linalg import ArpackNoConvergence
    >>> str(ArpackNoConvergence("No convergence (10 iterations)", [], []))
    'ARPACK error -1: No convergence (10 iterations)'
    """

    def __init__(self, msg: str, eigenvalues: object, eigenvectors: object) -> None:
        ArpackError.__init__(self, -1, {-1: msg})
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors
