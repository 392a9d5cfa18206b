"""The examples in the documentation of what kernels call, by their names; the tests run them."""

from __future__ import annotations

from collections.abc import Sequence


def _kernel(
    body: Sequence[str], result: str, kind: str = "int64", threads: int = 4, shown: str = "out"
) -> str:
    lines = [
        ">>> import heddle as np",
        ">>> from heddle import simt",
        ">>> @simt.kernel",
        "... def run(out):",
        "...     i = simt.grid(1)",
        *(f"...     {line}" for line in body),
        f'>>> out = np.zeros({threads}, "{kind}")',
        f">>> run[1, {threads}](out)",
        f">>> {shown}",
        result,
    ]
    return "\n".join(lines)


def _value(expression: str, result: str, kind: str = "int64") -> str:
    return _kernel([f"out[i] = {expression}"], result, kind)


def _warp(expression: str, result: str, kind: str = "int64") -> str:
    return _kernel([f"out[i] = {expression}"], result, kind, threads=32, shown="out[:6]")


_LEFT_AND_RIGHT = (
    "row = simt.shared.array(4, np.int64)",
    "row[i] = 10 * i",
)
_NEXT = "out[i] = row[(i + 1) % 4]"

EXAMPLES = {
    "grid": _value("simt.grid(1)", "array([0, 1, 2, 3])"),
    "gridsize": _value("simt.gridsize(1)", "array([4, 4, 4, 4])"),
    "syncthreads": _kernel(
        [*_LEFT_AND_RIGHT, "simt.syncthreads()", _NEXT], "array([10, 20, 30,  0])"
    ),
    "syncthreads_count": _value("simt.syncthreads_count(i < 3)", "array([3, 3, 3, 3])"),
    "syncthreads_and": _value("simt.syncthreads_and(i < 3)", "array([0, 0, 0, 0])"),
    "syncthreads_or": _value("simt.syncthreads_or(i < 3)", "array([1, 1, 1, 1])"),
    "syncwarp": _kernel([*_LEFT_AND_RIGHT, "simt.syncwarp()", _NEXT], "array([10, 20, 30,  0])"),
    "threadfence": _kernel(["out[i] = i", "simt.threadfence()"], "array([0, 1, 2, 3])"),
    "threadfence_block": _kernel(["out[i] = i", "simt.threadfence_block()"], "array([0, 1, 2, 3])"),
    "threadfence_system": _kernel(
        ["out[i] = i", "simt.threadfence_system()"], "array([0, 1, 2, 3])"
    ),
    "shfl_sync": _warp("simt.shfl_sync(0xFFFFFFFF, 10 * i, 2)", "array([20, 20, 20, 20, 20, 20])"),
    "shfl_up_sync": _warp("simt.shfl_up_sync(0xFFFFFFFF, i, 1)", "array([0, 0, 1, 2, 3, 4])"),
    "shfl_down_sync": _warp("simt.shfl_down_sync(0xFFFFFFFF, i, 1)", "array([1, 2, 3, 4, 5, 6])"),
    "shfl_xor_sync": _warp("simt.shfl_xor_sync(0xFFFFFFFF, i, 1)", "array([1, 0, 3, 2, 5, 4])"),
    "all_sync": _warp(
        "simt.all_sync(0xFFFFFFFF, i < 3)",
        "array([False, False, False, False, False, False])",
        "bool",
    ),
    "any_sync": _warp(
        "simt.any_sync(0xFFFFFFFF, i < 3)",
        "array([ True,  True,  True,  True,  True,  True])",
        "bool",
    ),
    "eq_sync": _warp(
        "simt.eq_sync(0xFFFFFFFF, i < 3)",
        "array([False, False, False, False, False, False])",
        "bool",
    ),
    "ballot_sync": _warp("simt.ballot_sync(0xFFFFFFFF, i < 3)", "array([7, 7, 7, 7, 7, 7])"),
    "match_any_sync": _warp(
        "simt.match_any_sync(0xFFFFFFFF, i // 4)", "array([ 15,  15,  15,  15, 240, 240])"
    ),
    "match_all_sync": _warp(
        "simt.match_all_sync(0xFFFFFFFF, i // 32)[1]",
        "array([ True,  True,  True,  True,  True,  True])",
        "bool",
    ),
    "activemask": _value("simt.activemask()", "array([15, 15, 15, 15])"),
    "lanemask_lt": _value("simt.lanemask_lt()", "array([0, 1, 3, 7])"),
    "popc": _value("simt.popc(i)", "array([0, 1, 1, 2])"),
    "clz": _value("simt.clz(np.int32(i))", "array([32, 31, 30, 30])"),
    "ffs": _value("simt.ffs(i)", "array([0, 1, 2, 1])"),
    "brev": _value(
        "simt.brev(np.uint32(i))", "array([         0, 2147483648, 1073741824, 3221225472])"
    ),
    "fma": _value("simt.fma(2.0, i, 1.0)", "array([1., 3., 5., 7.])", "float64"),
    "cbrt": _value("simt.cbrt(1.0 * i * i * i)", "array([0., 1., 2., 3.])", "float64"),
    "rsqrt": _value("simt.rsqrt(0.25 ** i)", "array([1., 2., 4., 8.])", "float64"),
    "selp": _value("simt.selp(i < 2, 10, 20)", "array([10, 10, 20, 20])"),
    "clock": _kernel(
        ["before = simt.clock()", "out[i] = simt.clock() - before"],
        "True",
        shown="bool((out >= 0).all())",
    ),
    "nanosleep": _kernel(["simt.nanosleep(10)", "out[i] = i"], "array([0, 1, 2, 3])"),
}
