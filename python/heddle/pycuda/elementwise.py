"""Kernels around an expression of elements, with PyCUDA's declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import numpy

from heddle._array.transfer import on_stream
from heddle._kernels.elementwise import ElementwiseKernel as HeddleKernel
from heddle.pycuda._arrays import GPUArray
from heddle.pycuda._errors import no_such_kernel
from heddle.pycuda.tools import Argument, VectorArg, parse_c_arg

__all__ = ["ElementwiseKernel", "get_elwise_kernel"]

_COMPLEX = "namespace pycuda { using ::complex; }\n"


def read_arguments(arguments: str | Sequence[Argument]) -> list[Argument]:
    """Declarations, as C has them or already read."""
    if not isinstance(arguments, str):
        return list(arguments)
    return [parse_c_arg(part) for part in arguments.split(",") if part.strip()]


def declared(argument: Argument) -> str:
    """As `heddle.ElementwiseKernel` declares it."""
    vector = isinstance(argument, VectorArg)
    return f"{'raw ' if vector else ''}{argument.dtype.name} {argument.name}"


def is_written(name: str, operation: str) -> bool:
    """Whether an operation sets elements of an array, or has its address."""
    index = r"\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
    after = r"(?:\.\w+)?\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)"
    name = re.escape(name)
    patterns = (
        rf"\b{name}{index}{after}",
        rf"(?:\+\+|--|&)\s*{name}\b",
        rf"[(,]\s*{name}\s*[,)+]",
    )
    return any(re.search(pattern, operation) for pattern in patterns)


class ElementwiseKernel:
    """A kernel that does an operation for each index `i` of its arrays.

    Parameters
    ----------
    arguments : str or list of Argument
        Declarations of C: ``float a, float *x, float *y``.
    operation : str
        Statements of C++ for each `i`; `n` is how many there are.
    name : str
    keep : bool
        PyCUDA's; the source is `source` in any case.
    options : sequence of str
        Options of the compiler.
    preamble, loop_prep, after_loop : str
        What stands before the kernel, before its loop and after it.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> from heddle.pycuda.elementwise import ElementwiseKernel
    >>> lin_comb = ElementwiseKernel(
    ...     "float a, float *x, float b, float *y, float *z",
    ...     "z[i] = a*x[i] + b*y[i]",
    ...     "linear_combination")
    >>> x = gpuarray.arange(4, dtype=numpy.float32)
    >>> z = gpuarray.empty_like(x)
    >>> lin_comb(5, x, 6, x, z)
    >>> z
    array([ 0., 11., 22., 33.], dtype=float32)
    """

    def __init__(
        self,
        arguments: str | Sequence[Argument],
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Sequence[str] | None = None,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        self.arguments = read_arguments(arguments)
        if not any(isinstance(a, VectorArg) for a in self.arguments):
            raise RuntimeError("an elementwise kernel has at least one array")
        self.operation, self.name, self.keep = operation, name, keep
        self._preamble = preamble
        if "pycuda::" in operation + preamble:
            self._preamble = _COMPLEX + preamble
        self._around = {"loop_prep": loop_prep, "after_loop": after_loop}
        self._options = tuple(options or ())
        self._kernels: dict[bool, HeddleKernel] = {}

    def _kernel(self, ranged: bool) -> HeddleKernel:
        """The kernel; over a range, `i` is worked out from the loop's index."""
        if ranged not in self._kernels:
            operation = self.operation.strip().rstrip(";") + ";"
            extra: list[str] = []
            if ranged:
                extra = ["int64 range_start", "int64 range_step", "int64 range_n"]
                operation = re.sub(r"\bi\b", "range_at", operation)
                operation = re.sub(r"\bn\b", "range_n", operation)
                operation = f"long long range_at = range_start + i * range_step; {operation}"
            read = [declared(a) for a in self.arguments if not self._is_output(a)]
            written = [declared(a) for a in self.arguments if self._is_output(a)]
            self._kernels[ranged] = HeddleKernel(
                ", ".join([*read, *extra]),
                ", ".join(written),
                operation,
                self.name,
                preamble=self._preamble,
                no_return=True,
                options=self._options,
                **self._around,  # type: ignore[arg-type]
            )
        return self._kernels[ranged]

    def _is_output(self, argument: Argument) -> bool:
        return isinstance(argument, VectorArg) and is_written(argument.name, self.operation)

    @property
    def source(self) -> str:
        """What was compiled, where that was necessary."""
        return "\n".join(c for k in self._kernels.values() for c in k.cached_codes.values())

    def __call__(
        self, *args: object, range: object = None, slice: object = None, stream: object = None
    ) -> None:
        """Run it for all elements of the first array, or for those of a range."""
        if len(args) != len(self.arguments):
            raise TypeError(f"{self.name} has {len(self.arguments)} arguments, {len(args)} given")
        size, first = None, None
        read: list[Any] = []
        written: list[Any] = []
        for declaration, value in zip(self.arguments, args, strict=True):
            if isinstance(declaration, VectorArg):
                array = self._array(declaration, value)
                first = array if first is None else first
                if array.shape != first.shape:
                    raise ValueError(f"{self.name}: arrays of shapes {first.shape}, {array.shape}")
                size = array.size
                (written if self._is_output(declaration) else read).append(array)
            else:
                read.append(declaration.dtype.type(cast("Any", value)))
        assert size is not None
        limits = range if range is not None else slice
        with on_stream(stream):
            if limits is None:
                self._run(False, read, written, size)
            else:
                start, stop, step = _limits(limits, size)
                count = max(0, -(-(stop - start) // step))
                more = [numpy.int64(v) for v in (start, step, size)]
                self._run(True, [*read, *more], written, count)

    def _run(
        self, ranged: bool, read: Sequence[object], written: Sequence[object], size: int
    ) -> None:
        if size:
            self._kernel(ranged)(*read, *written, size=size)

    def _array(self, declaration: Argument, value: object) -> Any:
        if not isinstance(value, GPUArray):
            raise TypeError(f"{self.name}: {declaration.name} is a GPUArray")
        if value.dtype != declaration.dtype:
            text = f"{declaration.name} is an array of {declaration.dtype}, not {value.dtype}"
            raise TypeError(f"{self.name}: {text}")
        return value._array

    def get_texref(self, name: str, use_range: bool = False) -> NoReturn:
        """Texture references are gone from CUDA."""
        from heddle.pycuda._errors import gone

        raise gone("get_texref")


def _limits(given: object, size: int) -> tuple[int, int, int]:
    if isinstance(given, slice):
        start, stop, step = given.indices(size)
        return start, stop, step
    if isinstance(given, range):
        return given.start, given.stop, given.step
    raise TypeError(f"a range is a slice or a range, not {type(given).__name__}")


def get_elwise_kernel(
    arguments: str | Sequence[Argument], operation: str, name: str = "kernel", **named: Any
) -> ElementwiseKernel:
    """`ElementwiseKernel`.

    Examples
    --------
    >>> from heddle.pycuda.elementwise import get_elwise_kernel
    >>> double = get_elwise_kernel("float *x", "x[i] *= 2")
    >>> double.name
    'kernel'
    """
    return ElementwiseKernel(arguments, operation, name, **named)


def __getattr__(name: str) -> Any:
    raise no_such_kernel(__name__, name, "ElementwiseKernel")
