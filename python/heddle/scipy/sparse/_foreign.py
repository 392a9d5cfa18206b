"""SciPy's own sparse objects: theirs made ours, ours made theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

import heddle as np

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase


def _attributes(x: Any) -> dict[str, Any]:
    """The arrays of a format, by name."""
    names = {
        "bsr": ("data", "indices", "indptr"),
        "coo": ("data",),
        "csc": ("data", "indices", "indptr"),
        "csr": ("data", "indices", "indptr"),
        "dia": ("data", "offsets"),
    }[x.format]
    return {name: getattr(x, name) for name in names}


def from_scipy(x: Any, device: str | None = None) -> SparseBase:
    """One of SciPy's as ours, of the same format, on a device."""
    import scipy.sparse

    import heddle.scipy.sparse as ours

    kind = "array" if isinstance(x, scipy.sparse.sparray) else "matrix"
    format = x.format
    if format in ("dok", "lil"):
        made = from_scipy(x.tocoo(), device)
        return made.asformat(format)
    if x.dtype in (numpy.longdouble, numpy.clongdouble):
        raise TypeError(f"dtype {x.dtype} is not supported: heddle has no extended precision")
    cls = getattr(ours, f"{format}_{kind}")
    parts: dict[str, Any] = {
        name: np.asarray(a, device=device) for name, a in _attributes(x).items()
    }
    if format == "coo":
        parts["coords"] = tuple(np.asarray(c, device=device) for c in x.coords)
        parts["has_canonical_format"] = bool(x.has_canonical_format)
    made = cls._made(x.shape, **parts)
    if format in ("csr", "csc", "bsr"):
        made.check_format(full_check=True)
    elif format == "coo":
        made._check_coords()
    found: SparseBase = made
    return found


def to_scipy(x: Any) -> Any:
    """One of ours as SciPy's, of the same format."""
    import scipy.sparse

    theirs = getattr(scipy.sparse, type(x).__name__)
    if x.format in ("dok", "lil"):
        return to_scipy(x.tocoo()).asformat(x.format)
    parts = {name: a._snapshot() for name, a in _attributes(x).items()}
    if x.format == "coo":
        coords = tuple(c._snapshot() for c in x.coords)
        made = theirs((parts["data"], coords), shape=x.shape)
        made.has_canonical_format = x.has_canonical_format
        return made
    if x.format == "dia":
        return theirs((parts["data"], parts["offsets"]), shape=x.shape)
    return theirs((parts["data"], parts["indices"], parts["indptr"]), shape=x.shape)
