"""Some kernels of kernels_simt.py in Triton, whose programs work on blocks, not threads."""

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

Tensors = dict[str, Any]


@triton.jit
def _add(x, y, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def _sums(x, out, n, SIZE: tl.constexpr):
    total = tl.zeros([SIZE], tl.float32)
    for begin in range(tl.program_id(0) * SIZE, n, tl.num_programs(0) * SIZE):
        at = begin + tl.arange(0, SIZE)
        total += tl.load(x + at, at < n, 0.0)
    tl.atomic_add(out, tl.sum(total, 0))


@triton.jit
def _scan(x, out, totals, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    made = tl.cumsum(tl.load(x + at, at < n, 0.0), 0)
    tl.store(out + at, made, at < n)
    tl.store(
        totals + tl.program_id(0) + tl.arange(0, SIZE) * 0, made, tl.arange(0, SIZE) == SIZE - 1
    )


@triton.jit
def _transpose(x, out, n, TILE: tl.constexpr):
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(0) * TILE + tl.arange(0, TILE)
    tile = tl.load(x + i[:, None] * n + j[None, :])
    tl.store(out + j[:, None] * n + i[None, :], tl.trans(tile))


@triton.jit
def _matmul(a, b, c, n, TILE: tl.constexpr, STEP: tl.constexpr):
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(0) * TILE + tl.arange(0, TILE)
    k = tl.arange(0, STEP)
    total = tl.zeros([TILE, TILE], tl.float32)
    for begin in range(0, n, STEP):
        left = tl.load(a + i[:, None] * n + (begin + k)[None, :])
        right = tl.load(b + (begin + k)[:, None] * n + j[None, :])
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + i[:, None] * n + j[None, :], total)


def add(t: Tensors) -> None:
    n = t["x"].numel()
    _add[(triton.cdiv(n, 1024),)](t["x"], t["y"], t["out"], n, SIZE=1024)


def block_sums(t: Tensors) -> None:
    _sums[(2048,)](t["x"], t["total"], t["x"].numel(), SIZE=1024)


def scan(t: Tensors) -> None:
    n = t["x"].numel()
    _scan[(triton.cdiv(n, 256),)](t["x"], t["out"], t["totals"], n, SIZE=256)


def transpose(t: Tensors) -> None:
    n = t["a"].shape[0]
    _transpose[(n // 32, n // 32)](t["a"], t["c"], n, TILE=32)


def matmul(t: Tensors) -> None:
    n = t["a"].shape[0]
    _matmul[(n // 64, n // 64)](t["a"], t["b"], t["c"], n, TILE=64, STEP=32)


LAUNCHES: dict[str, Callable[[Tensors], None]] = {
    f.__name__: f for f in (add, block_sums, scan, transpose, matmul)
}
