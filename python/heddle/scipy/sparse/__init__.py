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

import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.sparse._base import issparse, sparray
from heddle.scipy.sparse._blocks import (
    block_array,
    block_diag,
    bmat,
    find,
    hstack,
    rand,
    random,
    random_array,
    tril,
    triu,
    vstack,
)
from heddle.scipy.sparse._bsr import bsr_array, bsr_matrix
from heddle.scipy.sparse._construct import (
    diags,
    diags_array,
    expand_dims,
    eye,
    eye_array,
    identity,
    kron,
    kronsum,
    matrix_transpose,
    permute_dims,
    spdiags,
    swapaxes,
)
from heddle.scipy.sparse._coo import coo_array, coo_matrix
from heddle.scipy.sparse._csr_csc import csc_array, csc_matrix, csr_array, csr_matrix
from heddle.scipy.sparse._dia import dia_array, dia_matrix
from heddle.scipy.sparse._dok import dok_array, dok_matrix
from heddle.scipy.sparse._io import load_npz, save_npz
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
from heddle.scipy.sparse._support import (
    SparseEfficiencyWarning,
    SparseWarning,
    get_index_dtype,
    safely_cast_index_arrays,
)

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "block_array",
    "block_diag",
    "bmat",
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
    "diags",
    "diags_array",
    "dok_array",
    "dok_matrix",
    "expand_dims",
    "eye",
    "eye_array",
    "find",
    "get_index_dtype",
    "hstack",
    "identity",
    "issparse",
    "isspmatrix",
    "isspmatrix_bsr",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "isspmatrix_dok",
    "isspmatrix_lil",
    "kron",
    "kronsum",
    "lil_array",
    "lil_matrix",
    "load_npz",
    "matrix_transpose",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "safely_cast_index_arrays",
    "save_npz",
    "sparray",
    "spdiags",
    "spmatrix",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
]

_find = _open_module(__name__)


if _typing.TYPE_CHECKING:
    from heddle.scipy.sparse import csgraph as csgraph
    from heddle.scipy.sparse import linalg as linalg


if not _typing.TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> _Any:
        if name in ("csgraph", "linalg"):  # imported when somebody asks for them
            return _import_module(f"{__name__}.{name}")
        return _find(name)


_publish(__name__, *map(globals().get, __all__))
