"""Kernels around expressions, carried out as operations on whole arrays: where there is no GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

import heddle
from heddle._core import ndarray, own_array
from heddle._kernels.expressions import Body, Scope, Value, cast
from heddle._kernels.parameters import Parameter
from heddle._typing import DType

# How two become one, where an operation of NumPy's does that; spaces left out.
_REDUCTIONS = {
    "a+b": "add",
    "b+a": "add",
    "a*b": "multiply",
    "b*a": "multiply",
    "min(a,b)": "fmin",
    "max(a,b)": "fmax",
    "a&&b": "logical_and",
    "a||b": "logical_or",
    "a&b": "bitwise_and",
    "a|b": "bitwise_or",
    "a^b": "bitwise_xor",
}


def device_without_cuda(arguments: Sequence[object]) -> str | None:
    """Where the arrays are, or would be, if that is no GPU that runs CUDA C++."""
    found: str | None = None
    for a in arguments:
        if isinstance(a, own_array):
            device = a.device
            if found is None:
                found = device
            elif device != found:
                return None
    if found is None:
        found = heddle.default_device()
    return None if found.startswith("cuda") else found


def _scope(
    kernel: Any,
    known: dict[str, DType],
    parameters: Sequence[Parameter],
    types: Sequence[DType],
    arguments: Sequence[object],
    shape: tuple[int, ...],
) -> Scope:
    if kernel.preamble.strip():
        raise NotImplementedError(
            f"{kernel.name}: a preamble is CUDA C++, which needs a GPU; on a CPU bodies of kernels "
            "are plain expressions"
        )
    scope = Scope(known)
    scope.shape = shape
    places = heddle.arange(math.prod(shape)).reshape(shape)
    scope.indices = lambda axis: heddle.arange(shape[axis]).reshape(
        (-1,) + (1,) * (len(shape) - 1 - axis)
    )
    scope.values["i"] = Value(numpy.dtype("i8"), places)
    scope.values["n"] = Value(numpy.dtype("i8"), numpy.int64(math.prod(shape)))
    for parameter, dtype, a in zip(parameters, types, arguments, strict=True):
        if isinstance(a, own_array) and parameter.raw:
            scope.arrays[parameter.name] = a
        elif isinstance(a, own_array):
            scope.values[parameter.name] = Value(dtype, a)
        else:
            scope.values[parameter.name] = Value(dtype, dtype.type(a))
    return scope


def _keep(scope: Scope, parameters: Sequence[Parameter], outputs: Sequence[ndarray]) -> None:
    for parameter, output in zip(parameters, outputs, strict=True):
        if parameter.raw:
            continue
        value = cast(scope.values[parameter.name], output.dtype)
        output[...] = heddle.broadcast_to(heddle.asarray(value.data), output.shape)


def elementwise(
    kernel: Any,
    known: dict[str, numpy.dtype[Any]],
    types: Sequence[numpy.dtype[Any]],
    arguments: Sequence[Any],
    outputs: Sequence[ndarray],
    shape: tuple[int, ...],
) -> None:
    """Run an ElementwiseKernel."""
    if kernel.kwargs["after_loop"].strip():
        raise NotImplementedError(f"{kernel.name}: after_loop needs a GPU")
    scope = _scope(kernel, known, kernel.params, types, [*arguments, *outputs], shape)
    for text in (kernel.kwargs["loop_prep"], kernel.operation):
        Body(text, kernel.name).statements(scope)
    _keep(scope, kernel.out_params, outputs)


def reduction(
    kernel: Any,
    known: dict[str, numpy.dtype[Any]],
    types: Sequence[numpy.dtype[Any]],
    arguments: Sequence[Any],
    outputs: Sequence[ndarray],
    kept: tuple[int, ...],
    shape: tuple[int, ...],
) -> None:
    """Run a ReductionKernel: `kept` dimensions of `shape` come first, the others are reduced."""
    scope = _scope(kernel, known, kernel.in_params, types[: kernel.nin], arguments, shape)
    dtype = numpy.dtype(types[kernel.nin])
    if kernel.reduce_type is not None:
        dtype = Body(kernel.reduce_type, kernel.name).type_name(scope)
        if dtype is None:
            raise NotImplementedError(
                f"{kernel.name}: the type {kernel.reduce_type!r} needs a GPU; on a CPU numbers are "
                "reduced"
            )
    mapped = Body(kernel.map_expr, kernel.name).whole(scope)
    rows = heddle.broadcast_to(heddle.asarray(cast(mapped, dtype).data), shape)
    rows = rows.reshape((*kept, math.prod(shape[len(kept) :])))
    total = _reduced(kernel, known, rows, dtype)
    scope = _scope(kernel, known, kernel.out_params, types[kernel.nin :], outputs, kept)
    scope.values["a"] = Value(dtype, total)
    Body(kernel.post_map_expr, kernel.name).statements(scope)
    _keep(scope, kernel.out_params, outputs)


def _reduced(kernel: Any, known: dict[str, numpy.dtype[Any]], rows: ndarray, dtype: DType) -> Any:
    if rows.shape[-1] == 0:
        nothing = Body(kernel.identity, kernel.name).whole(Scope(known))
        return heddle.full(rows.shape[:-1], cast(nothing, dtype).data, dtype)
    name = _REDUCTIONS.get("".join(kernel.reduce_expr.split()))
    if name is not None and not (name.startswith("bitwise") and dtype.kind not in "biu"):
        keywords = {"dtype": dtype} if name in ("add", "multiply") else {}
        with numpy.errstate(all="ignore"):
            made = getattr(heddle, name).reduce(rows, axis=-1, **keywords)
        return cast(Value(numpy.dtype(made.dtype), made), dtype).data
    # Halves of the rows at a time.
    body = Body(kernel.reduce_expr, kernel.name)
    while (length := rows.shape[-1]) > 1:
        half = length // 2
        scope = Scope(known)
        scope.values["a"] = Value(dtype, rows[..., :half])
        scope.values["b"] = Value(dtype, rows[..., half : 2 * half])
        body.at = 0
        both = heddle.asarray(cast(body.whole(scope), dtype).data)
        rows = both if length % 2 == 0 else heddle.concatenate((both, rows[..., -1:]), -1)
    return rows[..., 0]
