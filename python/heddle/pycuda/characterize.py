"""What a device can do, found out once."""

from __future__ import annotations

import functools

import numpy

from heddle.pycuda._contexts import Context


def platform_bits() -> int:
    """The bits of an address.

    Examples
    --------
    >>> from heddle.pycuda import characterize
    >>> characterize.platform_bits()
    64
    """
    return numpy.dtype(numpy.intp).itemsize * 8


def has_stack() -> bool:
    """Whether functions can call themselves: on all devices that CUDA still knows.

    Examples
    --------
    >>> from heddle.pycuda import characterize
    >>> characterize.has_stack()
    True
    """
    return True


def has_double_support() -> bool:
    """Whether there are numbers of 64 bits: on all devices that CUDA still knows.

    Examples
    --------
    >>> from heddle.pycuda import characterize
    >>> characterize.has_double_support()
    True
    """
    return True


@functools.cache
def _size(device: object, type_name: str, preamble: str) -> int:
    from heddle.pycuda._modules import Out
    from heddle.pycuda.compiler import SourceModule

    module = SourceModule(
        f'{preamble}\nextern "C" __global__ void write_size(unsigned long long *output)'
        f" {{ *output = sizeof({type_name}); }}",
        no_extern_c=True,
    )
    found = numpy.zeros(1, numpy.uint64)
    module.get_function("write_size")(Out(found), block=(1, 1, 1))
    return int(found[0])


def sizeof(type_name: str, preamble: str = "") -> int:
    """The bytes of a type in device code.

    Examples
    --------
    >>> from heddle.pycuda import characterize
    >>> characterize.sizeof("double"), characterize.sizeof("int")
    (8, 4)
    """
    return _size(Context.get_device(), type_name, preamble)
