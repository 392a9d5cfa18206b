"""Scans: each element with all before it, by any expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy

import heddle
from heddle._array.transfer import on_stream
from heddle._core import ndarray
from heddle._kernels.elementwise import ElementwiseKernel
from heddle._typing import DTypeLike
from heddle.pycuda._arrays import GPUArray

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]


class _ScanKernel:
    """What both have in common.

    Parameters
    ----------
    dtype : data type
    scan_expr : str
        Of `a` and `b`, how two become one; `a` is the one before.
    neutral : str or number, optional
        What changes nothing.
    name_prefix : str
    options : sequence of str
        Options of the compiler.
    preamble : str
        What stands before the kernel.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        scan_expr: str,
        neutral: complex | str | None = None,
        name_prefix: str = "scan",
        options: Sequence[str] = (),
        preamble: str = "",
    ) -> None:
        self.dtype, self.neutral = numpy.dtype(dtype), neutral
        self._is_sum = scan_expr.replace(" ", "") in ("a+b", "b+a")
        kind = self.dtype.name
        # Each pass doubles how many elements an element is of.
        self._step = ElementwiseKernel(
            f"raw {kind} x, int64 shift",
            f"{kind} z",
            f"if (i >= shift) {{ z = {_inlined(scan_expr)}; }} else {{ z = x[i]; }}",
            name_prefix,
            preamble=preamble,
            options=tuple(options),
        )

    def _scanned(self, array: ndarray) -> ndarray:
        if self._is_sum:
            return heddle.cumsum(array, dtype=self.dtype)
        shift = 1
        while shift < array.size:
            out = heddle.empty_like(array)
            self._step(array, numpy.int64(shift), out)
            array, shift = out, shift * 2
        return array

    def _shifted(self, scanned: object) -> Any:
        return scanned

    def __call__(
        self,
        input_ary: GPUArray,
        output_ary: GPUArray | None = None,
        allocator: object = None,
        stream: Stream | None = None,
    ) -> GPUArray:
        """Scan; into the array itself, unless another is given."""
        if input_ary.ndim != 1:
            raise ValueError("input_ary must be one-dimensional")
        if input_ary.dtype != self.dtype:
            raise TypeError(f"the scan is of {self.dtype}, the array of {input_ary.dtype}")
        if allocator is not None:
            raise NotImplementedError(
                "allocator: what a scan needs beside the arrays is of the pool of the device"
            )
        target = input_ary if output_ary is None else output_ary
        with on_stream(stream):
            if input_ary.size:
                target._array[...] = self._shifted(self._scanned(input_ary._array))
        return target


def _inlined(expression: str) -> str:
    import re

    places = {"a": "x[i - shift]", "b": "x[i]"}
    return re.sub(r"\b[ab]\b", lambda match: places[match.group()], expression)


class InclusiveScanKernel(_ScanKernel):
    """Each element with all before it.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> from heddle.pycuda.scan import InclusiveScanKernel
    >>> knl = InclusiveScanKernel(numpy.int32, "a+b")
    >>> knl(gpuarray.arange(5, dtype=numpy.int32))
    array([ 0,  1,  3,  6, 10], dtype=int32)
    """


class ExclusiveScanKernel(_ScanKernel):
    """All before each element; the neutral one before the first.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> from heddle.pycuda.scan import ExclusiveScanKernel
    >>> run = ExclusiveScanKernel(numpy.int32, "a + b", neutral="0")
    >>> run(gpuarray.to_gpu(numpy.array([1, 2, 3, 4], numpy.int32)))
    array([0, 1, 3, 6], dtype=int32)
    """

    def __init__(
        self,
        dtype: DTypeLike,
        scan_expr: str,
        neutral: complex | str,
        name_prefix: str = "scan",
        options: Sequence[str] = (),
        preamble: str = "",
    ) -> None:
        super().__init__(dtype, scan_expr, neutral, name_prefix, options, preamble)

    def _shifted(self, scanned: Any) -> ndarray:
        made = heddle.empty_like(scanned)
        made[0] = self.dtype.type(cast("Any", self.neutral))
        made[1:] = scanned[:-1]
        return made
