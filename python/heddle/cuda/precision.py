"""How precisely cuBLAS multiplies matrices of float32."""

from heddle._core import cuda as _cuda

_names = ("float32", "tf32")


def set_matmul_precision(precision: str) -> None:
    """The precision of products of float32: 'float32', or 'tf32'.

    With 'tf32' tensor cores may round the operands to ten bits, about three digits, which is
    several times faster; sums are still in float32. The default is 'float32'.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.set_matmul_precision("tf32")
    >>> cuda.get_matmul_precision()
    'tf32'
    >>> cuda.set_matmul_precision("float32")
    """
    if precision not in _names:
        raise ValueError(f"the precision must be 'float32' or 'tf32' (got {precision!r})")
    _cuda.allow_tf32(precision == "tf32")


def get_matmul_precision() -> str:
    """What set_matmul_precision has set.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.get_matmul_precision()
    'float32'
    """
    return _names[_cuda.allows_tf32()]
