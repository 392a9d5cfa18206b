"""Sparse arrays and matrices on every device: SciPy's ``sparse``.

Elements and indices are arrays, on the device where they were given; kernels and array operations
compute with them there. Results with dense arrays are arrays of heddle. SciPy's own sparse objects
are taken wherever ours are, and ``get()`` gives one.

>>> import heddle as np
>>> from heddle.scipy import sparse
>>> a = sparse.csr_array([[0, 2, 0], [1, 0, 3]])
>>> a @ np.array([1.0, 2.0, 3.0])
array([ 4., 10.])
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.sparse._base import issparse, sparray
from heddle.scipy.sparse._bsr import bsr_array, bsr_matrix
from heddle.scipy.sparse._compressed import csc_array, csc_matrix, csr_array, csr_matrix
from heddle.scipy.sparse._coo import coo_array, coo_matrix
from heddle.scipy.sparse._dia import dia_array, dia_matrix
from heddle.scipy.sparse._dok import dok_array, dok_matrix
from heddle.scipy.sparse._lil import lil_array, lil_matrix
from heddle.scipy.sparse._matrix import (
    isspmatrix,
    isspmatrix_bsr,
    isspmatrix_coo,
    isspmatrix_csc,
    isspmatrix_csr,
    isspmatrix_dia,
    isspmatrix_dok,
    isspmatrix_lil,
    spmatrix,
)
from heddle.scipy.sparse._support import SparseEfficiencyWarning, SparseWarning, get_index_dtype

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "bsr_array",
    "bsr_matrix",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "dok_array",
    "dok_matrix",
    "get_index_dtype",
    "issparse",
    "isspmatrix",
    "isspmatrix_bsr",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "isspmatrix_dok",
    "isspmatrix_lil",
    "lil_array",
    "lil_matrix",
    "sparray",
    "spmatrix",
]

__getattr__ = _open_module(__name__)
_publish(__name__, *map(globals().get, __all__))
