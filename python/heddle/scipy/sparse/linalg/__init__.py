"""Sparse linear algebra as ``scipy.sparse.linalg`` has it, for arrays of every device.

Matrices are dense or sparse, ours or SciPy's own, or operators that only multiply vectors. Solvers
and eigenvalues are compositions of products and array operations, where the arrays are; the host
looks at a few numbers in each step. Sparse factors are SuperLU's, which SciPy brings, on the host.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.sparse.linalg._arpack import eigs, eigsh
from heddle.scipy.sparse.linalg._direct import (
    SuperLU,
    factorized,
    is_sptriangular,
    spbandwidth,
    spilu,
    splu,
    spsolve,
    spsolve_triangular,
    use_solver,
)
from heddle.scipy.sparse.linalg._errors import ArpackError, ArpackNoConvergence, MatrixRankWarning
from heddle.scipy.sparse.linalg._functions import (
    expm,
    expm_multiply,
    funm_multiply_krylov,
    inv,
    matrix_power,
)
from heddle.scipy.sparse.linalg._gmres import gcrotmk, gmres, lgmres
from heddle.scipy.sparse.linalg._grids import LaplacianNd
from heddle.scipy.sparse.linalg._iterative import bicg, bicgstab, cg, cgs, qmr, tfqmr
from heddle.scipy.sparse.linalg._least_squares import lsmr, lsqr
from heddle.scipy.sparse.linalg._lobpcg import lobpcg
from heddle.scipy.sparse.linalg._minres import minres
from heddle.scipy.sparse.linalg._norms import norm, onenormest
from heddle.scipy.sparse.linalg._operators import LinearOperator, aslinearoperator
from heddle.scipy.sparse.linalg._svds import svds

__all__ = [
    "ArpackError",
    "ArpackNoConvergence",
    "LaplacianNd",
    "LinearOperator",
    "MatrixRankWarning",
    "SuperLU",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigs",
    "eigsh",
    "expm",
    "expm_multiply",
    "factorized",
    "funm_multiply_krylov",
    "gcrotmk",
    "gmres",
    "inv",
    "is_sptriangular",
    "lgmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "onenormest",
    "qmr",
    "spbandwidth",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "tfqmr",
    "use_solver",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__)
