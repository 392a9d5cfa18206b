"""NumPy as JAX spells it: `heddle` itself, and what JAX adds to its signatures.

Sizes that depend on elements can be said (``nonzero(x, size=3)``), functions that would write give
changed copies (``inplace=False``), and types are functions that make arrays.

>>> import heddle.jax.numpy as jnp
>>> print(jnp.nonzero(jnp.array([0, 2, 3]), size=4, fill_value=-1)[0])
[ 1  2 -1 -1]
"""

import sys as _sys
import typing as _typing

import heddle as _hd
from heddle._names.public import publish as _publish
from heddle.jax._changed import (
    fill_diagonal,
    pad,
    place,
    put,
    put_along_axis,
    take,
    take_along_axis,
)
from heddle.jax._exponentials import logaddexp
from heddle.jax._joining import (
    concatenate,
    diff,
    dstack,
    hstack,
    ravel_multi_index,
    stack,
    vstack,
)
from heddle.jax._products import (
    convolve,
    correlate,
    dot,
    einsum,
    inner,
    matmul,
    tensordot,
    vdot,
)
from heddle.jax._reducing import (
    all,
    amax,
    amin,
    any,
    max,
    mean,
    min,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    prod,
    std,
    sum,
    var,
)
from heddle.jax._searching import digitize, searchsorted
from heddle.jax._sized import (
    argsort,
    argwhere,
    bincount,
    compress,
    extract,
    flatnonzero,
    intersect1d,
    nonzero,
    repeat,
    setdiff1d,
    sort,
    union1d,
    unique,
    where,
)
from heddle.jax._types import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from heddle.jax._vectorize import vectorize
from heddle.lax import top_k

if _typing.TYPE_CHECKING:
    from heddle import *  # noqa: F403
    from heddle import lib as lib

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argsort",
    "argwhere",
    "bfloat16",
    "bincount",
    "bool_",
    "complex64",
    "complex128",
    "compress",
    "concatenate",
    "convolve",
    "correlate",
    "diff",
    "digitize",
    "dot",
    "dstack",
    "einsum",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "float16",
    "float32",
    "float64",
    "hstack",
    "inner",
    "int8",
    "int16",
    "int32",
    "int64",
    "intersect1d",
    "logaddexp",
    "matmul",
    "max",
    "mean",
    "min",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "nonzero",
    "pad",
    "place",
    "prod",
    "put",
    "put_along_axis",
    "ravel_multi_index",
    "repeat",
    "searchsorted",
    "setdiff1d",
    "sort",
    "stack",
    "std",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "top_k",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "union1d",
    "unique",
    "var",
    "vdot",
    "vectorize",
    "vstack",
    "where",
]

single, double, csingle, cdouble = float32, float64, complex64, complex128
float_, complex_, int_, uint = float64, complex128, int64, uint64
_publish(__name__, *(globals()[name] for name in __all__))
for _name in ("linalg", "fft"):
    _sys.modules[f"{__name__}.{_name}"] = getattr(_hd, _name)


if not _typing.TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> object:
        return getattr(_hd, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_hd)})
