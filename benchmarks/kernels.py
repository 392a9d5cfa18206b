"""Times kernels and compiled functions written in Python against Numba's compiled loops.

    .venv/bin/python benchmarks/kernels.py                          ours alone
    .venv/bin/python benchmarks/kernels.py --numba /path/to/python  an interpreter that has Numba
    .venv/bin/python benchmarks/kernels.py --only matmul --seconds 2

Ours are the kernels of a GPU, with blocks and shared memory, on the current device. Numba's are
``njit(parallel=True)`` over the same arrays, written as loops. Programs whose names begin with
"njit" are one text for both (kernels_loops.py), with Numba's types; their first call compiles, or
finds the code in the cache on disk. Each is the best of many calls, waited for.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZE = 512  # of matrices
TILE = 16
POINTS = 4_000_000
BODIES = 2048
PICTURE = (512, 768)
TURNS = 200
BINS = 64
CUBE = 128


def inputs() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "a": rng.random((SIZE, SIZE), np.float32),
        "b": rng.random((SIZE, SIZE), np.float32),
        "x": rng.random(POINTS, np.float32),
        "y": rng.random(POINTS, np.float32),
        "keys": rng.integers(0, BINS, POINTS).astype(np.int32),
        "bodies": rng.random((BODIES, 4), np.float32),
        "cube": rng.random((CUBE, CUBE, CUBE), np.float32),
    }


def best(function: Callable[[], Any], seconds: float) -> float:
    function()
    found = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        function()
        found = min(found, time.perf_counter() - begin)
    return found


# --- ours ---


def ours() -> dict[str, Callable[[], Any]]:
    import kernels_simt as k

    import heddle as hd

    given = {name: hd.asarray(value) for name, value in inputs().items()}
    a, b, x, y, keys = (given[n] for n in ("a", "b", "x", "y", "keys"))
    bodies, cube = given["bodies"], given["cube"]
    c, out = hd.zeros((SIZE, SIZE), np.float32), hd.zeros(POINTS, np.float32)
    total, counts = hd.zeros(1, np.float32), hd.zeros(BINS, np.int32)
    picture, forces = hd.zeros(PICTURE, np.int32), hd.zeros((BODIES, 3), np.float32)
    turned, smooth = hd.zeros((SIZE, SIZE), np.float32), hd.zeros_like(cube)
    blocks = SIZE // TILE

    def waiting(launch: Callable[[], None], result: Any) -> Callable[[], None]:
        def run() -> None:
            launch()
            hd.synchronize()
            result.ravel()[0].item()

        return run

    square, sides = (blocks, blocks), (TILE, TILE)
    return {
        "add": waiting(lambda: k.add.forall(POINTS)(x, y, out), out),
        "matmul": waiting(lambda: k.matmul[square, sides](a, b, c), c),
        "sum": waiting(lambda: k.block_sums[256, 256](x, total), total),
        "histogram": waiting(lambda: k.histogram[256, 256](keys, counts), counts),
        "transpose": waiting(lambda: k.transpose[square, sides](a, turned), turned),
        "mandelbrot": waiting(
            lambda: k.mandelbrot[(PICTURE[1] // 32, PICTURE[0] // 8), (32, 8)](picture, TURNS),
            picture,
        ),
        "bodies": waiting(lambda: k.attraction[BODIES // 128, 128](bodies, forces), forces),
        "stencil": waiting(
            lambda: k.stencil[(CUBE // 32, CUBE // 4, CUBE // 4), (32, 4, 4)](cube, smooth), smooth
        ),
    }


# --- Numba's ---


def numbas() -> dict[str, Callable[[], Any]]:
    import kernels_numba as k

    g = inputs()
    c, out = np.zeros((SIZE, SIZE), np.float32), np.zeros(POINTS, np.float32)
    picture, forces = np.zeros(PICTURE, np.int32), np.zeros((BODIES, 3), np.float32)
    turned, smooth = np.zeros((SIZE, SIZE), np.float32), np.zeros_like(g["cube"])
    return {
        "add": lambda: k.add(g["x"], g["y"], out),
        "matmul": lambda: k.matmul(g["a"], g["b"], c),
        "sum": lambda: k.total(g["x"]),
        "histogram": lambda: k.histogram(g["keys"], BINS),
        "transpose": lambda: k.transpose(g["a"], turned),
        "mandelbrot": lambda: k.mandelbrot(picture, TURNS),
        "bodies": lambda: k.attraction(g["bodies"], forces),
        "stencil": lambda: k.stencil(g["cube"], smooth),
    }


def loops(which: str) -> dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]]:
    """The programs of kernels_loops.py, by the decorators of one of the two."""
    from kernels_loops import programs

    if which == "numba":
        from numba import njit, prange
    else:
        from heddle.numba import njit, prange
    return programs(njit, njit(parallel=True), prange)


def best_of_loops(
    program: tuple[Any, Callable[[], tuple[Any, ...]]], seconds: float
) -> tuple[float, float]:
    """The best call and the first one."""
    function, make = program
    args = make()
    begin = time.perf_counter()
    function(*args)
    first = time.perf_counter() - begin
    found, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        args = make()
        begin = time.perf_counter()
        function(*args)
        found = min(found, time.perf_counter() - begin)
    return found, first


def measured(which: str, only: str, seconds: float) -> dict[str, float]:
    cases = ours() if which == "ours" else numbas()
    made = {name: best(run, seconds) for name, run in cases.items() if only in name}
    for name, program in loops(which).items():
        if only in f"njit {name}":
            made[f"njit {name}"], made[f"njit {name}, first call"] = best_of_loops(program, seconds)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="those whose name has this in it")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each")
    parser.add_argument("--numba", help="an interpreter that has Numba")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measured(options.worker, options.only, options.seconds)))
        return
    times = {}
    for which, python in (("ours", sys.executable), ("numba", options.numba)):
        if python is None:
            continue
        command = [python, __file__, "--worker", which, "--only", options.only]
        command += ["--seconds", str(options.seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{which}: {done.stderr.strip().splitlines()[-1]}")
            continue
        times[which] = json.loads(done.stdout.splitlines()[-1])
    for name, ours_took in times["ours"].items():
        line = f"{name:32} {ours_took * 1e3:9.3f} ms"
        if name in times.get("numba", {}):
            theirs = times["numba"][name]
            line += f"   Numba {theirs * 1e3:9.3f} ms   {theirs / ours_took:6.2f} times as long"
        print(line)


if __name__ == "__main__":
    main()
