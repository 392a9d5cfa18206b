"""CuPy's ``cupyx.jit.cub``: sums and the like over the threads of a block or of a warp."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from heddle._typing import DTypeLike, KernelArray
from heddle.simt import shfl_down_sync, syncthreads, threadIdx
from heddle.simt._device import blockDim
from heddle.simt._kernel import Func, func

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]


class _Operation:
    """An operation on two numbers: ``cub.Sum()``."""

    def __init__(self, name: str, function: Func) -> None:
        self.__name__, self.function = name, function

    def _simt_call(
        self, s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        from heddle.simt._types import Constant

        return Constant(self.function)

    def __call__(self) -> Func:
        return self.function


@func
def _sum(a: Any, b: Any) -> Any:
    return a + b


@func
def _max(a: Any, b: Any) -> Any:
    return np.maximum(a, b)  # of complex numbers, too


@func
def _min(a: Any, b: Any) -> Any:
    return np.minimum(a, b)


Sum, Max, Min = _Operation("Sum", _sum), _Operation("Max", _max), _Operation("Min", _min)


@func
def _of_warp(data: object, value: Any, op: Any, width: Any) -> Any:
    distance = width // 2
    while distance > 0:
        value = op(value, shfl_down_sync(0xFFFFFFFF, value, distance, width))
        distance = distance // 2
    return value


@func
def _of_block(data: KernelArray, value: Any, op: Any, threads: Any) -> Any:
    rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)
    data[rank] = value
    syncthreads()
    left = threads
    while left > 1:
        half = (left + 1) // 2
        if rank < left // 2:
            data[rank] = op(data[rank], data[rank + half])
        syncthreads()
        left = half
    return data[0]


class _Method:
    """Sum or Reduce, of memory that a kernel has given."""

    def __init__(self, reduction: _Reduction, record: Any, sums: bool) -> None:
        self.reduction, self.record, self.sums = reduction, record, sums

    def _simt_call(
        self, s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        from heddle.simt._types import Call, Constant

        if len(args) != (1 if self.sums else 2) or keywords:
            raise s.error(node, "Sum takes a number, and Reduce a number and an operation")
        op = Constant(_sum) if self.sums else args[1]
        made = self.reduction
        data = s.field_of_record(self.record, "data", node)
        given = [data, args[0], op, s.constant(made.threads)]
        return s.call_function(Call(made.function.py_func, given, {}, node))


class _Bound:
    """A reduction with its memory."""

    def __init__(self, reduction: _Reduction, record: object) -> None:
        self._reduction, self._record = reduction, record

    @property
    def Sum(self) -> _Method:
        return _Method(self._reduction, self._record, True)

    @property
    def Reduce(self) -> _Method:
        return _Method(self._reduction, self._record, False)


class _Reduction:
    """A reduction for a type and a number of threads."""

    def __init__(self, name: str, dtype: DTypeLike | None, threads: int, function: Func) -> None:
        self.__name__, self.threads, self.function = name, threads, function
        self.TempStorage = np.dtype([("data", np.dtype(dtype), (threads,))], align=True)

    def _simt_call(
        self, s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        from heddle.simt._types import Constant, Record

        if len(args) != 1 or keywords or not isinstance(args[0], Record):
            raise s.error(
                node, f"{self.__name__} takes an element of shared memory of its TempStorage"
            )
        return Constant(_Bound(self, args[0]))


class _Reductions:
    """``cub.BlockReduce[numpy.float32, 256]``: the reduction for a type and so many threads."""

    _simt_getitem = True

    def __init__(self, name: str, function: Func) -> None:
        self.__name__, self.function = name, function

    def __getitem__(self, given: object) -> _Reduction:
        dtype, *sizes = given if isinstance(given, tuple) else (given,)
        if not sizes:
            sizes = [32]
        threads = 1
        for size in sizes:
            threads *= int(size)
        return _Reduction(self.__name__, dtype, threads, self.function)


WarpReduce = _Reductions("WarpReduce", _of_warp)
BlockReduce = _Reductions("BlockReduce", _of_block)
