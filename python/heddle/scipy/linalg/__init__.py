"""Linear algebra as ``scipy.linalg`` has it, for stacks of matrices on every device.

What ``heddle.linalg`` has is its base: LAPACK on the CPU, cuSOLVER and cuBLAS on GPUs; systems of
few diagonals are kernels with a thread for each system. Forms that no GPU has (Schur's,
Hessenberg's, QZ, LDL, pivoted QR, generalised eigenvalues) are computed on the host there, and so
are functions of matrices that need them. `overwrite_a` and the like are permissions that nobody
needs: memory is reused where nobody else holds it.
"""

from numpy.linalg import LinAlgError

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.linalg import blas, lapack
from heddle.scipy.linalg._arguments import (
    LinAlgWarning,
)
from heddle.scipy.linalg._cholesky import (
    cho_factor,
    cho_solve,
    cho_solve_banded,
    cholesky,
    cholesky_banded,
    solve_banded,
    solveh_banded,
)
from heddle.scipy.linalg._equations import (
    det,
    inv,
    lstsq,
    pinv,
    pinvh,
    solve,
    solve_triangular,
)
from heddle.scipy.linalg._exponentials import (
    coshm,
    cosm,
    expm,
    expm_cond,
    expm_frechet,
    sinhm,
    sinm,
    tanhm,
    tanm,
)
from heddle.scipy.linalg._factors import (
    ldl,
    lu,
    lu_factor,
    lu_solve,
    qr,
    qr_multiply,
    rq,
)
from heddle.scipy.linalg._functions import (
    fractional_matrix_power,
    funm,
    logm,
    signm,
    sqrtm,
)
from heddle.scipy.linalg._matrices import (
    bandwidth,
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    dft,
    fiedler,
    fiedler_companion,
    hadamard,
    hankel,
    helmert,
    hilbert,
    invhilbert,
    invpascal,
    ishermitian,
    issymmetric,
    khatri_rao,
    leslie,
    pascal,
    toeplitz,
)
from heddle.scipy.linalg._norm import (
    norm,
)
from heddle.scipy.linalg._riccati import solve_continuous_are, solve_discrete_are
from heddle.scipy.linalg._routines import (
    find_best_blas_type,
    get_blas_funcs,
    get_lapack_funcs,
)
from heddle.scipy.linalg._schur import (
    hessenberg,
    ordqz,
    qz,
    rsf2csf,
    schur,
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_lyapunov,
    solve_sylvester,
)
from heddle.scipy.linalg._singular import (
    diagsvd,
    null_space,
    orth,
    orthogonal_procrustes,
    polar,
    subspace_angles,
    svd,
    svdvals,
)
from heddle.scipy.linalg._spectra import (
    cdf2rdf,
    eig,
    eig_banded,
    eigh,
    eigh_tridiagonal,
    eigvals,
    eigvals_banded,
    eigvalsh,
    eigvalsh_tridiagonal,
)
from heddle.scipy.linalg._structured import (
    matmul_toeplitz,
    matrix_balance,
    solve_circulant,
    solve_toeplitz,
)
from heddle.scipy.linalg._updates import (
    clarkson_woodruff_transform,
    qr_delete,
    qr_insert,
    qr_update,
)

__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "bandwidth",
    "blas",
    "block_diag",
    "cdf2rdf",
    "cho_factor",
    "cho_solve",
    "cho_solve_banded",
    "cholesky",
    "cholesky_banded",
    "circulant",
    "clarkson_woodruff_transform",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "det",
    "dft",
    "diagsvd",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_cond",
    "expm_frechet",
    "fiedler",
    "fiedler_companion",
    "find_best_blas_type",
    "fractional_matrix_power",
    "funm",
    "get_blas_funcs",
    "get_lapack_funcs",
    "hadamard",
    "hankel",
    "helmert",
    "hessenberg",
    "hilbert",
    "inv",
    "invhilbert",
    "invpascal",
    "ishermitian",
    "issymmetric",
    "khatri_rao",
    "lapack",
    "ldl",
    "leslie",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "matrix_balance",
    "norm",
    "null_space",
    "ordqz",
    "orth",
    "orthogonal_procrustes",
    "pascal",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "qr_delete",
    "qr_insert",
    "qr_multiply",
    "qr_update",
    "qz",
    "rq",
    "rsf2csf",
    "schur",
    "signm",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__, host_names=["cossin"])
