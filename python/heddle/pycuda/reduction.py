"""Kernels that map elements by an expression and reduce the results by another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

import heddle
from heddle._array.transfer import on_stream
from heddle._kernels.reduction import ReductionKernel as HeddleKernel
from heddle._typing import DType, DTypeLike
from heddle.pycuda._arrays import GPUArray, placed
from heddle.pycuda._errors import no_such_kernel
from heddle.pycuda.elementwise import ElementwiseKernel, read_arguments
from heddle.pycuda.gpuarray import empty
from heddle.pycuda.tools import Argument, VectorArg

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream

__all__ = ["ReductionKernel"]

_MAPPED = "mapped_value"


class ReductionKernel:
    """A kernel that reduces to one number.

    Parameters
    ----------
    dtype_out : data type
    neutral : str or number
        What nothing reduces to.
    reduce_expr : str
        Of `a` and `b`, how two become one.
    map_expr : str, optional
        Of elements, as ``x[i]*y[i]``, what is reduced; the first array's elements by default.
    arguments : str or list of Argument
        Declarations of C: ``float *x, float *y``.
    name : str
    keep : bool
        PyCUDA's; the source is `source` in any case.
    options : sequence of str
        Options of the compiler.
    preamble : str
        What stands before the kernel.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> from heddle.pycuda.reduction import ReductionKernel
    >>> krnl = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a+b",
    ...                        map_expr="x[i]*y[i]", arguments="float *x, float *y")
    >>> x = gpuarray.arange(4, dtype=numpy.float32)
    >>> krnl(x, x).get()
    array(14., dtype=float32)
    """

    def __init__(
        self,
        dtype_out: DTypeLike,
        neutral: object,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | Sequence[Argument] | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Sequence[str] | None = None,
        preamble: str = "",
    ) -> None:
        self.dtype_out, self.name, self.keep = numpy.dtype(dtype_out), name, keep
        self.arguments = read_arguments(
            f"{_c_name(self.dtype_out)} *x" if arguments is None else arguments
        )
        vectors = [a for a in self.arguments if isinstance(a, VectorArg)]
        if not vectors:
            raise RuntimeError("a reduction has at least one array")
        self.map_expr = f"{vectors[0].name}[i]" if map_expr is None else map_expr
        self._options, self._preamble = tuple(options or ()), preamble
        self._neutral, self._reduce = str(neutral), reduce_expr
        self._fused = self._mapped_kernel()
        self._apart = None if self._fused is not None else self._kernels_apart()

    def _kernel(self, declared: str, mapped: str) -> HeddleKernel:
        return HeddleKernel(
            declared,
            f"{self.dtype_out.name} reduced_value",
            mapped,
            self._reduce,
            "reduced_value = a",
            self._neutral,
            self.name,
            preamble=self._preamble,
            options=self._options,
        )

    def _mapped_kernel(self) -> HeddleKernel | None:
        """One kernel for both, where every array is read at `i` alone."""
        mapped, declared = self.map_expr, []
        for argument in self.arguments:
            name = f"given_{argument.name}"  # `a` and `b` are the reduction's
            if isinstance(argument, VectorArg):
                mapped = re.sub(rf"\b{argument.name}\s*\[\s*i\s*\]", name, mapped)
                if re.search(rf"\b{argument.name}\b", mapped):
                    return None
            else:
                mapped = re.sub(rf"\b{argument.name}\b", name, mapped)
            declared.append(f"{argument.dtype.name} {name}")
        if re.search(r"\b(i|n)\b", mapped):
            return None
        return self._kernel(", ".join(declared), mapped)

    def _kernels_apart(self) -> tuple[ElementwiseKernel, HeddleKernel]:
        """One that maps, one that reduces."""
        first = ElementwiseKernel(
            [*self.arguments, VectorArg(self.dtype_out, _MAPPED)],
            f"{_MAPPED}[i] = {self.map_expr}",
            f"{self.name}_map",
            preamble=self._preamble,
            options=self._options,
        )
        return first, self._kernel(f"{self.dtype_out.name} given", "given")

    @property
    def source(self) -> str:
        """What was compiled, where that was necessary."""
        kernel = self._fused if self._fused is not None else self._apart[1]  # type: ignore[index]
        return "\n".join(kernel.cached_codes.values())

    def __call__(
        self,
        *args: object,
        stream: Stream | None = None,
        return_kernel: bool = False,
        allocator: object = None,
        out: GPUArray | None = None,
    ) -> Any:
        """The reduced number, as an array without dimensions."""
        if len(args) != len(self.arguments):
            raise TypeError(f"{self.name} has {len(self.arguments)} arguments, {len(args)} given")
        with on_stream(stream):
            result = self._reduced(args)
            if out is not None:
                out._array[...] = result
            made = placed(heddle.asarray(result), allocator) if out is None else out
        return (made, self) if return_kernel else made

    def _reduced(self, args: Sequence[Any]) -> Any:
        if self._fused is None:
            assert self._apart is not None
            arrays = [a for a in args if isinstance(a, GPUArray)]
            mapped = empty(arrays[0].shape, self.dtype_out)
            self._apart[0](*args, mapped)
            return self._apart[1](mapped._array.reshape(-1))
        given: list[Any] = []
        for declaration, value in zip(self.arguments, args, strict=True):
            if isinstance(declaration, VectorArg):
                if not isinstance(value, GPUArray) or value.dtype != declaration.dtype:
                    text = f"{declaration.name} is a GPUArray of {declaration.dtype}"
                    raise TypeError(f"{self.name}: {text}")
                given.append(value._array.reshape(-1))
            else:
                given.append(declaration.dtype.type(value))
        return self._fused(*given)


def _c_name(dtype: DType) -> str:
    from heddle.pycuda.tools import dtype_to_ctype

    return dtype_to_ctype(dtype)


def __getattr__(name: str) -> Any:
    raise no_such_kernel(__name__, name, "ReductionKernel")
