"""Linear algebra: NumPy's ``linalg``, on the CPU through LAPACK and on GPUs through cuSOLVER.

Matrices are the last two axes; what is before them is a stack of matrices. Integers compute in
float64. On the CPU everything computes in double precision, as in NumPy, and float32 is rounded at
the end; on GPUs float32 computes in float32.

Everything has derivatives of any order, by the formulas of the textbooks and not through the steps
of LAPACK:

>>> import heddle as hd
>>> hd.grad(lambda a: hd.linalg.slogdet(a).logabsdet)(hd.array([[2.0, 0], [1, 4]]))
array([[ 0.5  , -0.125],
       [ 0.   ,  0.25 ]])

Routines that read one triangle (`cholesky`, `eigh`) are differentiated as functions of
``(a + a.conj().T) / 2``. Eigenvectors and singular vectors have derivatives where their values
differ, else these are infinite or nan; eigenvectors of `eig` keep their length and the direction of
their largest component. There is no derivative of the full vectors of an oblong matrix: see
``svd(a, full_matrices=False)`` and ``qr(a)``. The norm of zeros has the derivative zero.
"""

import numpy as _numpy
from numpy.linalg import LinAlgError

from heddle._linalg.decompositions import (
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    tensorinv,
    tensorsolve,
)
from heddle._linalg.matrices import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)
from heddle._linalg.norms import cond, matrix_norm, norm, vector_norm
from heddle._names.public import publish as _publish
from heddle._protocols.numpy import behave_as as _behave_as

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

_behave_as(globals(), _numpy.linalg)
_publish(__name__, EigResult, EighResult, QRResult, SVDResult, SlogdetResult)
_publish(__name__, *map(globals().get, __all__))
