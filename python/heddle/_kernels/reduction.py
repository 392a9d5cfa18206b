"""Kernels around an expression of elements that are reduced."""

from __future__ import annotations

import contextlib
import ctypes
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from heddle import _core
from heddle._arguments import normalize_axis_tuple
from heddle._core import ndarray, own_array
from heddle._creation.fills import empty
from heddle._kernels import parameters as p
from heddle._kernels.base import ExpressionKernel
from heddle._kernels.host import is_installed
from heddle._kernels.on_arrays import device_without_cuda, reduction
from heddle._kernels.raw import RawModule
from heddle._typing import DType
from heddle.cuda.device import get_device_id

if TYPE_CHECKING:
    from heddle.cuda.stream import BaseStream

_BLOCK = 256
_EACH = 16  # elements of a thread, before others help it
_PARTS_AT_MOST = 1024
_SIZE = "heddle_partial_size"

# Threads of a block have the elements at their own number and every _BLOCK further on, so that
# those with anything are the first ones, and no identity is needed to begin with.
_TREE = """
template <typename Value>
__device__ void _reduce_block(Value* _all, int _valid) {
  for (int _half = blockDim.x / 2; _half > 0; _half /= 2) {
    __syncthreads();
    if (threadIdx.x < _half && threadIdx.x + _half < _valid)
      _all[threadIdx.x] = _combine(_all[threadIdx.x], _all[threadIdx.x + _half]);
  }
  __syncthreads();
}
"""


class ReductionKernel(ExpressionKernel):
    """A kernel that maps elements by an expression of C++ and reduces the results by another.

    Parameters
    ----------
    in_params, out_params : str
        Declarations as `T x, raw float32 y`; see ElementwiseKernel.
    map_expr : str
        Of the inputs, what is reduced.
    reduce_expr : str
        Of `a` and `b`, both mapped or reduced: how two become one.
    post_map_expr : str
        A statement that sets the outputs, of the reduced `a`.
    identity : str or None
        What nothing reduces to; None: nothing cannot be reduced.
    name : str
        The kernel's name.
    reduce_type : str, optional
        The type in C++ in which is reduced; that of the first output by default.
    reduce_dims : bool
        Whether dimensions that can be walked as one are.
    preamble : str
        What stands before the kernel.
    options : tuple of str
        Options of the compiler.

    Examples
    --------
    >>> norm = heddle.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm.nin, norm.nout, norm.identity
    (1, 1, '0')
    >>> norm(x, axis=1)  # doctest: +SKIP
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: str,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, reduce_dims, preamble)
        self.map_expr = map_expr
        self.reduce_expr = reduce_expr
        self.post_map_expr = post_map_expr
        self.identity = "" if identity is None else str(identity)
        self._entry = f"{name}_reduction"  # no function of CUDA is called so
        self.reduce_type = reduce_type
        self.options = options
        self._sizes: dict[str, int] = {}

    def __call__(
        self,
        *args: ndarray,
        out: ndarray | None = None,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False,
        stream: BaseStream | None = None,
    ) -> Any:
        """Reduce over the axes, all of them by default."""
        outputs = list(args[self.nin :])
        if out is not None:
            if outputs:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            outputs = [out]
        if len(args) < self.nin or len(outputs) not in (0, self.nout):
            raise TypeError(f"Wrong number of arguments for {self.name!r}")
        arguments = [p.read_argument(a) for a in args[: self.nin]]
        known, types, out_types = p.resolve_types(
            self.in_params, arguments, self.out_params, outputs
        )
        walked = self._walked(arguments)
        if not walked:
            raise ValueError("Loop size is undecided.")
        shape = numpy.broadcast_shapes(*(a.shape for a in walked))
        axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
        reduced = sorted(axes)
        kept = [d for d in range(len(shape)) if d not in reduced]
        out_shape = tuple(shape[d] for d in kept)
        count = math.prod(shape[d] for d in reduced)
        if count == 0 and not self.identity:
            raise ValueError(f"zero-size array to reduction operation {self.name} has no identity")
        full = tuple(1 if d in reduced else n for d, n in enumerate(shape))
        visible = full if keepdims else out_shape
        for output in outputs:
            if output.shape != visible:
                raise ValueError(f"{self.name}: the output is {output.shape}, the result {visible}")
        here = device_without_cuda([*arguments, *outputs])
        if not outputs:
            device = here or f"cuda:{get_device_id()}"
            outputs = [empty(visible, t, device=device) for t in out_types]
        views = [o.reshape(out_shape) if keepdims else o for o in outputs]
        order = (*kept, *reduced)
        every = [*types, *out_types]
        if here is not None and self._on_arrays(known, every, arguments, views, shape, order):
            pass
        elif math.prod(out_shape) > 0:
            with stream if stream is not None else contextlib.nullcontext():
                self._launch(known, every, arguments, views, shape, order, count, here)
        return outputs[0] if self.nout == 1 else tuple(outputs)

    def _on_arrays(
        self,
        known: dict[str, DType],
        types: list[DType],
        arguments: Sequence[object],
        outputs: list[ndarray],
        shape: tuple[int, ...],
        order: tuple[int, ...],
    ) -> bool:
        """Reduce by operations on arrays; False: that takes the compiler, which is there."""
        whole = [
            a._broadcast_to(shape)._transpose(order)
            if isinstance(a, own_array) and not q.raw
            else a
            for q, a in zip(self.in_params, arguments, strict=True)
        ]
        in_order = tuple(shape[d] for d in order)
        try:
            reduction(self, known, types, whole, outputs, outputs[0].shape, in_order)
        except NotImplementedError:
            if not is_installed():
                raise
            return False
        return True

    def _launch(
        self,
        known: dict[str, DType],
        types: list[DType],
        arguments: Sequence[object],
        outputs: list[ndarray],
        shape: tuple[int, ...],
        order: tuple[int, ...],
        count: int,
        here: str | None,
    ) -> None:
        # Kept dimensions first, reduced ones last: an output's elements follow each other.
        walked = {}
        for parameter, a in zip(self.in_params, arguments, strict=True):
            if isinstance(a, own_array) and not parameter.raw:
                whole = a._broadcast_to(shape) if a.shape != shape else a
                walked[parameter.name] = whole._transpose(order)
        in_shape = tuple(shape[d] for d in order)
        if self.reduce_dims:
            in_shape = p.collapsed(list(walked.values()), in_shape)
            walked = {name: a.reshape(in_shape) for name, a in walked.items()}
        declared: list[str] = []
        mapped: list[str] = []
        launched: list[Any] = []
        for parameter, dtype, a in zip(self.params, types, [*arguments, *outputs], strict=True):
            if not isinstance(a, own_array):
                declared.append(f"const {p.c_type(dtype)} {parameter.name}")
                launched.append(p.number_argument(a, dtype))
                continue
            is_input = parameter.is_const
            a = walked.get(parameter.name, a)
            name = parameter.name if parameter.raw else f"_raw_{parameter.name}"
            declared.append(f"{p.array_type(dtype, a, is_input)} {name}")
            launched.append(p.array_argument(a, not is_input))
            if is_input and not parameter.raw:
                place = "_j" if p.is_dense(a) else "_in_ind.get()"
                mapped.append(f"const {p.c_type(dtype)} {parameter.name} = {name}[{place}];")
        out_shape = outputs[0].shape
        declared.append(f"CIndexer<{len(in_shape)}> _in_ind")
        launched.append(p.indexer_argument(in_shape, math.prod(in_shape)))
        declared.append(f"CIndexer<{len(out_shape)}> _out_ind")
        launched.append(p.indexer_argument(out_shape, math.prod(out_shape)))
        key, module = self._module(known, types, declared, mapped)
        outs = math.prod(out_shape)
        parts = min(-(-count // (_BLOCK * _EACH)), _PARTS_AT_MOST, -(-4096 // outs))
        parts = max(parts, 1)
        partial = empty(
            (parts * outs * self._partial_size(key, module, here) if parts > 1 else 0,),
            "u1",
            device=outputs[0].device,
        )
        counts = [p.number_argument(n, "i8") for n in (outs, count, parts)]
        scratch = p.array_argument(partial, True)
        blocks = min(outs * parts, 1 << 20)
        device = get_device_id() if here is None else here
        module._load(self._entry, device)((blocks,), (_BLOCK,), [*launched, *counts, scratch])
        if parts > 1:
            finish = module._load(f"{self._entry}_finish", device)
            finish((min(outs, 1 << 20),), (_BLOCK,), [*launched, *counts, scratch])

    def _partial_size(self, key: str, module: RawModule, here: str | None) -> int:
        """Bytes of what is reduced, which only the code knows."""
        if key not in self._sizes and here is not None:
            address, _ = module._loaded(here)[0].variable(_SIZE)
            self._sizes[key] = ctypes.c_uint64.from_address(address).value
        if key not in self._sizes:
            size = numpy.zeros(1, "u8")
            memory = module.get_global(_SIZE)
            stream = _core.cuda.null_stream(get_device_id())
            _core.cuda.copy_to_host(stream, size.ctypes.data, memory.ptr, 8)
            self._sizes[key] = int(size[0])
        return self._sizes[key]

    def _module(
        self,
        known: dict[str, DType],
        types: list[DType],
        declared: list[str],
        mapped: list[str],
    ) -> tuple[str, RawModule]:
        key = self._key(known, declared)
        if key not in self._modules:
            text = self._source(known, types, declared, mapped)
            self._modules[key] = RawModule(code=text, options=self.options)
        return key, self._modules[key]

    def _source(
        self,
        known: dict[str, DType],
        types: list[DType],
        declared: list[str],
        mapped: list[str],
    ) -> str:
        """Two kernels: of the parts of each result, and of what the parts came to."""
        kind = self.reduce_type or p.c_type(types[self.nin])
        results = []
        for parameter, dtype in zip(self.out_params, types[self.nin :], strict=True):
            if not parameter.raw:
                name = parameter.name
                results.append(f"{p.c_type(dtype)}& {name} = _raw_{name}[_out_ind.get()];")
        every = ", ".join(
            [
                *declared,
                "const int64 _outs",
                "const int64 _count",
                "const int64 _parts",
                "CArray<unsigned char, 1, true> _scratch",
            ]
        )
        nothing = f"_total = _type({self.identity});" if self.identity else ""
        last = [
            "    if (threadIdx.x == 0) {",
            "      _out_ind.set(_o);",
            *(f"      {line}" for line in results),
            "      _type a = _valid > 0 ? _all[0] : _empty(); (void)a;",
            f"      {self.post_map_expr};",
            "    }",
            "    __syncthreads();",
        ]
        storage = f"  __shared__ __align__(16) char _bytes[sizeof(_type) * {_BLOCK}];"
        return "\n".join(
            [
                p.includes(types, self.preamble + kind + self.map_expr),
                p.placeholders(known),
                self.preamble,
                f"typedef {kind} _type;",
                f'extern "C" __device__ unsigned long long {_SIZE} = sizeof(_type);',
                f"__device__ _type _combine(const _type a, const _type b) "
                f"{{ return _type({self.reduce_expr}); }}",
                f"__device__ _type _empty() {{ _type _total = _type(); {nothing} return _total; }}",
                _TREE,
                f'extern "C" __global__ void {self._entry}({every}) {{',
                storage,
                "  _type* _all = (_type*)_bytes;",
                "  for (int64 _b = blockIdx.x; _b < _outs * _parts; _b += gridDim.x) {",
                "    const int64 _o = _b / _parts, _part = _b % _parts;",
                "    const int64 _begin = _count * _part / _parts;",
                "    const int64 _end = _count * (_part + 1) / _parts;",
                "    const int64 _here = _end - _begin;",
                "    const int _valid = _here < blockDim.x ? (int)_here : (int)blockDim.x;",
                "    auto _map = [&](int64 _j) {",
                "      const int64 i = _j; (void)i;",
                "      _in_ind.set(_j);",
                *(f"      {line}" for line in mapped),
                f"      return _type({self.map_expr});",
                "    };",
                "    const int64 _first = _o * _count + _begin + threadIdx.x;",
                "    const int64 _stop = _o * _count + _end;",
                "    if (_first < _stop) {",
                "      _type _sum = _map(_first);",
                "#pragma unroll 4",
                "      for (int64 _j = _first + blockDim.x; _j < _stop; _j += blockDim.x)",
                "        _sum = _combine(_sum, _map(_j));",
                "      _all[threadIdx.x] = _sum;",
                "    }",
                "    _reduce_block(_all, _valid);",
                "    if (_parts > 1) {",
                "      if (threadIdx.x == 0) ((_type*)&_scratch[(int64)0])[_b] = _all[0];",
                "      __syncthreads();",
                "      continue;",
                "    }",
                *last,
                "  }",
                "}",
                f'extern "C" __global__ void {self._entry}_finish({every}) {{',
                storage,
                "  _type* _all = (_type*)_bytes;",
                "  const _type* _some = (const _type*)&_scratch[(int64)0];",
                "  for (int64 _o = blockIdx.x; _o < _outs; _o += gridDim.x) {",
                "    const int _valid = _parts < blockDim.x ? (int)_parts : (int)blockDim.x;",
                "    for (int64 _p = threadIdx.x; _p < _parts; _p += blockDim.x) {",
                "      const _type _one = _some[_o * _parts + _p];",
                "      _all[threadIdx.x] = _p == threadIdx.x ? _one"
                " : _combine(_all[threadIdx.x], _one);",
                "    }",
                "    _reduce_block(_all, _valid);",
                *last,
                "  }",
                "}",
            ]
        )
