"""Sparse arrays in files, in SciPy's format."""

from __future__ import annotations

from typing import Any

import numpy

import heddle as np
from heddle._typing import File
from heddle.scipy.sparse._base import SparseBase, as_sparse


def save_npz(file: File, matrix: SparseBase, compressed: bool = True) -> None:
    """Writes a sparse array to a file that SciPy reads, too.

    Examples
    --------
    >>> import io
    >>> from heddle.scipy import sparse
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.csr_array([[0, 3]]))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).toarray()
    array([[0, 3]])
    """
    a = as_sparse(matrix)
    if a is None:
        raise TypeError(f"not a sparse array or matrix: {type(matrix).__name__}")
    if a.format in ("dok", "lil"):
        text = f"Save is not implemented for sparse matrix of format {a.format}."
        raise NotImplementedError(text)
    arrays: dict[str, Any] = {"data": a.data}
    if a.format == "coo":
        arrays |= {"row": a.row, "col": a.col} if a.ndim == 2 else {"coords": np.stack(a.coords)}
    elif a.format == "dia":
        arrays["offsets"] = a.offsets
    else:
        arrays |= {"indices": a.indices, "indptr": a.indptr}
    stored = {name: np.asnumpy(value) for name, value in arrays.items()}
    stored |= {"format": numpy.asarray(a.format.encode("ascii")), "shape": numpy.asarray(a.shape)}
    if a._is_array:
        stored["_is_array"] = numpy.asarray(True)
    save: Any = numpy.savez_compressed if compressed else numpy.savez
    save(file, **stored)


def load_npz(file: File) -> SparseBase:
    """Reads a sparse array from a file that `save_npz`, here or SciPy's, wrote.

    Examples
    --------
    >>> import io
    >>> from heddle.scipy import sparse
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.coo_matrix([[0, 3]]))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).format
    'coo'
    """
    import heddle.scipy.sparse as module

    with numpy.load(file, allow_pickle=False) as loaded:
        if "format" not in loaded:
            raise ValueError(f"The file {file} does not contain a sparse array or matrix.")
        format = loaded["format"].item()
        format = format if isinstance(format, str) else format.decode("ascii")
        kind = "array" if loaded.get("_is_array") else "matrix"
        cls = vars(module).get(f"{format}_{kind}")
        if cls is None:
            raise ValueError(f'Unknown format "{format}_{kind}"')
        shape = tuple(int(n) for n in loaded["shape"])
        if format in ("csc", "csr", "bsr"):
            made = cls((loaded["data"], loaded["indices"], loaded["indptr"]), shape=shape)
            made.check_format()
            found: SparseBase = made
            return found
        if format == "dia":
            found = cls((loaded["data"], loaded["offsets"]), shape=shape)
            return found
        if format == "coo":
            coords = loaded["coords"] if "coords" in loaded else (loaded["row"], loaded["col"])
            found = cls((loaded["data"], tuple(coords)), shape=shape)
            return found
        raise NotImplementedError(f"Load is not implemented for sparse matrix of format {format}.")
