"""Kernels around an expression of elements."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from heddle._core import ndarray, own_array
from heddle._creation.fills import empty
from heddle._kernels import parameters as p
from heddle._kernels.base import ExpressionKernel
from heddle._kernels.host import is_installed
from heddle._kernels.on_arrays import device_without_cuda, elementwise
from heddle._kernels.raw import RawModule
from heddle._typing import DType
from heddle.cuda.device import get_device_id

if TYPE_CHECKING:
    from heddle.cuda.stream import BaseStream

_BLOCK = 128
_BLOCKS_AT_MOST = 65535 * 8
_MOST_PLANS = 256  # of a kernel: shapes may change with every call


@dataclasses.dataclass
class _Plan:
    """What a call with arguments of a kind comes to."""

    known: dict[str, numpy.dtype[Any]]  # what placeholders stand for
    types: list[numpy.dtype[Any]]  # of all parameters
    shape: tuple[int, ...]
    device: str
    on_arrays: bool  # as operations of ours
    kernel: Any = None  # None: nothing to launch
    blocks: int = 0
    indexer: bytes = b""
    # For each parameter what follows the array's address, None for a number, and whether it is
    # written.
    arrays: list[tuple[bytes | None, bool]] = dataclasses.field(default_factory=list)


class ElementwiseKernel(ExpressionKernel):
    """A kernel that runs an expression of C++ for each element.

    Parameters
    ----------
    in_params, out_params : str
        Declarations as `T x, raw float32 y`. A single letter is a placeholder for a type, which is
        that of the argument. A parameter is the element that belongs to the loop's index; one that
        is `raw` is the whole array, to be indexed.
    operation : str
        What is done for each element: statements of C++ that set the outputs. `i` is the loop's
        index, `n` how many there are, `_ind` the indices for each dimension.
    name : str
        The kernel's name.
    reduce_dims : bool
        Whether dimensions that can be walked as one are.
    preamble : str
        What stands before the kernel.
    no_return : bool
        Whether a call returns None.
    return_tuple : bool
        Whether a single output is returned in a tuple.
    loop_prep, after_loop : str
        What stands before and after the loop, for each thread.
    options : tuple of str
        Options of the compiler.

    Examples
    --------
    >>> squared = heddle.ElementwiseKernel(
    ...     "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference")
    >>> squared.nin, squared.nout, squared.name
    (2, 1, 'squared_difference')
    >>> squared(x, y)  # doctest: +SKIP
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, reduce_dims, preamble)
        self.operation = operation
        self._entry = f"{name}_elementwise"  # no function of CUDA is called so
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.kwargs = {"loop_prep": loop_prep, "after_loop": after_loop, "options": options}
        self._plans: dict[Any, _Plan] = {}

    def __call__(
        self,
        *args: Any,
        size: int | None = None,
        block_size: int = _BLOCK,
        stream: BaseStream | None = None,
    ) -> Any:
        """Run it for all elements; outputs that are not given are made."""
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}")
        if block_size < 1:
            raise ValueError("block_size must be greater than or equal to 1")
        arguments = [p.read_argument(a) for a in args[: self.nin]]
        outputs = list(args[self.nin :])
        key = (*(p.kind_of(a) for a in (*arguments, *outputs)), size, block_size)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._planned(arguments, outputs, size, block_size)
        if not outputs:
            outputs = [empty(plan.shape, t, device=plan.device) for t in plan.types[self.nin :]]
        if plan.on_arrays:
            try:
                elementwise(self, plan.known, plan.types, arguments, outputs, plan.shape)
            except NotImplementedError:  # more than expressions: the compiler's work
                if not is_installed():
                    raise
                plan.on_arrays = False
                if math.prod(plan.shape) > 0:
                    self._compile(plan, [*arguments, *outputs], block_size)
        if plan.kernel is not None:
            launched = [
                (a, rest, written) if rest is not None else p.number_argument(a, t)
                for a, t, (rest, written) in zip(
                    (*arguments, *outputs), plan.types, plan.arrays, strict=True
                )
            ]
            with stream if stream is not None else contextlib.nullcontext():
                plan.kernel((plan.blocks,), (block_size,), [*launched, plan.indexer])
        return self._result(outputs)

    def _planned(
        self, arguments: list[Any], outputs: list[Any], size: int | None, block_size: int
    ) -> _Plan:
        for output in outputs:
            if not isinstance(output, own_array):
                raise TypeError(f"Unsupported type {type(output)}: an output is an array")
        known, types, out_types = p.resolve_types(
            self.in_params, arguments, self.out_params, outputs
        )
        shape = self._shape(arguments, outputs, size)
        here = device_without_cuda([*arguments, *outputs])
        device = here or f"cuda:{get_device_id()}"
        plan = _Plan(known, [*types, *out_types], shape, device, here is not None)
        if not plan.on_arrays and math.prod(shape) > 0:
            made = outputs or [empty(shape, t, device=device) for t in out_types]
            self._compile(plan, [*arguments, *made], block_size)
        return plan

    def _result(self, outputs: list[ndarray]) -> ndarray | tuple[Any, ...] | None:
        if self.no_return:
            return None
        if self.nout == 1 and not self.return_tuple:
            return outputs[0]
        return tuple(outputs)

    def _shape(
        self, arguments: Sequence[object], outputs: list[ndarray], size: int | None
    ) -> tuple[int, ...]:
        walked = self._walked(arguments)
        given = [o for q, o in zip(self.out_params, outputs, strict=False) if not q.raw]
        if size is not None:
            if walked or given:
                raise ValueError(
                    "Specified 'size' can be used only if all of the ndarray are 'raw'."
                )
            return (int(size),)
        if not walked and not given:
            if outputs or any(isinstance(a, own_array) for a in arguments) or not arguments:
                raise ValueError("Loop size is undecided.")
            return ()  # numbers only
        if not given:
            return numpy.broadcast_shapes(*(a.shape for a in walked))
        shape = given[0].shape
        for array in given[1:]:
            if array.shape != shape:
                raise ValueError(f"Out shape is mismatched: {array.shape} and {shape}")
        if walked and numpy.broadcast_shapes(shape, *(a.shape for a in walked)) != shape:
            raise ValueError(f"Out shape is mismatched: inputs do not broadcast to {shape}")
        return shape

    def _compile(self, plan: _Plan, arguments: list[Any], block_size: int) -> None:
        total, shape = math.prod(plan.shape), plan.shape
        whole: list[Any] = []
        for parameter, a in zip(self.params, arguments, strict=True):
            walks = isinstance(a, own_array) and not parameter.raw
            whole.append(a._broadcast_to(shape) if walks and a.shape != shape else a)
        if self.reduce_dims:
            pairs = list(zip(self.params, whole, strict=True))
            walked = [a for q, a in pairs if isinstance(a, own_array) and not q.raw]
            shape = p.collapsed(walked, shape)
            whole = [
                a.reshape(shape) if isinstance(a, own_array) and not q.raw else a for q, a in pairs
            ]
        declared, before = [], []
        for parameter, dtype, a in zip(self.params, plan.types, whole, strict=True):
            const = parameter.is_const
            if not isinstance(a, own_array):
                declared.append(f"const {p.c_type(dtype)} {parameter.name}")
                plan.arrays.append((None, False))
                continue
            name = parameter.name if parameter.raw else f"_raw_{parameter.name}"
            declared.append(f"{p.array_type(dtype, a, const)} {name}")
            plan.arrays.append((p.array_argument(a, not const)[1], not const))
            if not parameter.raw:
                kind = f"const {p.c_type(dtype)}" if const else f"{p.c_type(dtype)}&"
                place = "i" if p.is_dense(a) else "_ind.get()"
                before.append(f"{kind} {parameter.name} = {name}[{place}];")
        declared.append(f"CIndexer<{len(shape)}> _ind")
        plan.indexer = p.indexer_argument(shape, total)
        on_gpu = plan.device.startswith("cuda")
        plan.blocks = -(-total // block_size)
        if on_gpu:
            plan.blocks = min(plan.blocks, _BLOCKS_AT_MOST)
        module = self._module(plan.known, plan.types, declared, before)
        plan.kernel = module._load(self._entry, get_device_id() if on_gpu else plan.device)

    def _module(
        self,
        known: dict[str, DType],
        types: list[DType],
        declared: list[str],
        before: list[str],
    ) -> RawModule:
        key = self._key(known, declared)
        if key in self._modules:
            return self._modules[key]
        counted = any(q.name == "n" for q in self.params)
        text = "\n".join(
            [
                p.includes(types, self.preamble + self.operation),
                p.placeholders(known),
                self.preamble,
                f'extern "C" __global__ void {self._entry}({", ".join(declared)}) {{',
                "" if counted else "  const int64 n = _ind.size(); (void)n;",
                f"  {self.kwargs['loop_prep']};",
                "#ifdef __HEDDLE_CPU__",  # there are threads for all elements, which become vectors
                "  const int64 _step = _ind.size();",
                "#else",
                "  const int64 _step = (int64)gridDim.x * blockDim.x;",
                "#endif",
                "  for (int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size();"
                " i += _step) {",
                "    _ind.set(i);",
                *(f"    {line}" for line in before),
                f"    {self.operation};",
                "  }",
                f"  {self.kwargs['after_loop']};",
                "}",
            ]
        )
        module = RawModule(code=text, options=self.kwargs["options"])  # type: ignore[arg-type]
        self._modules[key] = module
        return module
