"""Functions of arrays, element for element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import heddle
from heddle._array.transfer import on_stream
from heddle.pycuda._arrays import GPUArray, _given, _inner, _wrapped

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream

_FUNCTIONS = {  # what Heddle calls those that have another name in C
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}


def _made(name: str) -> Callable[..., GPUArray]:
    function = getattr(heddle, _FUNCTIONS.get(name, name))

    def made(
        array: GPUArray,
        stream_or_out: Stream | GPUArray | None = None,
        *,
        out: GPUArray | None = None,
        stream: Stream | None = None,
    ) -> GPUArray:
        if isinstance(stream_or_out, GPUArray):
            out = stream_or_out
        elif stream_or_out is not None:
            stream = stream_or_out
        with on_stream(stream):
            return _given(function(array._array), out)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"""{name} of each element.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import cumath, gpuarray
    >>> x = numpy.array([0.25, 0.75])
    >>> numpy.allclose(cumath.{name}(gpuarray.to_gpu(x)).get(), numpy.{function.__name__}(x))
    True
    """
    return made


fabs, ceil, floor = (_made(name) for name in ("fabs", "ceil", "floor"))
exp, log, log10, sqrt = (_made(name) for name in ("exp", "log", "log10", "sqrt"))
sin, cos, tan = (_made(name) for name in ("sin", "cos", "tan"))
asin, acos, atan = (_made(name) for name in ("asin", "acos", "atan"))
sinh, cosh, tanh = (_made(name) for name in ("sinh", "cosh", "tanh"))


def fmod(arg: GPUArray, mod: GPUArray, stream: Stream | None = None) -> GPUArray:
    """The remainder of a division, with the sign of the dividend.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import cumath, gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([5.0, -5.0]))
    >>> cumath.fmod(x, gpuarray.to_gpu(numpy.array([3.0, 3.0])))
    array([ 2., -2.])
    """
    with on_stream(stream):
        return _wrapped(heddle.fmod(arg._array, _inner(mod)))


def frexp(arg: GPUArray, stream: Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """Mantissas and exponents, both in the array's type.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import cumath, gpuarray
    >>> cumath.frexp(gpuarray.to_gpu(numpy.array([8.0, 0.75])))
    (array([0.5 , 0.75]), array([4., 0.]))
    """
    with on_stream(stream):
        mantissa, exponent = heddle.frexp(arg._array)
    return _wrapped(mantissa), _wrapped(exponent.astype(arg.dtype))


def ldexp(significand: GPUArray, exponent: GPUArray, stream: Stream | None = None) -> GPUArray:
    """``significand * 2**exponent``.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import cumath, gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([0.5, 0.75]))
    >>> cumath.ldexp(x, gpuarray.to_gpu(numpy.array([4.0, 0.0])))
    array([8.  , 0.75])
    """
    with on_stream(stream):
        return _wrapped(heddle.ldexp(significand._array, _inner(exponent).astype("int32")))


def modf(arg: GPUArray, stream: Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """What is behind the point, and what is before it.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import cumath, gpuarray
    >>> cumath.modf(gpuarray.to_gpu(numpy.array([2.5, -1.25])))
    (array([ 0.5 , -0.25]), array([ 2., -1.]))
    """
    with on_stream(stream):
        fraction, whole = heddle.modf(arg._array)
    return _wrapped(fraction), _wrapped(whole)
