"""Measures what Heddle adds to the libraries it calls on CPUs: OpenBLAS and ducc0.

    ninja -C build heddle_direct && .venv/bin/python benchmarks/libraries.py

Heddle and the library itself take turns in one process, with the same number of threads; the best
time of each counts. The library writes to memory that is there already, and is called in a loop of
C++; Heddle's time has Python's part and a new array for every result. LAPACK gets matrices by
columns, and a copy of them, which is timed, as it overwrites them; Heddle's are by rows. OpenBLAS
comes from the same file as Heddle's, ducc0 is compiled with the same options.
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy
import report
from measure import agrees, best_times, settle_allocator

_LIBRARY = Path(__file__).parent.parent / "build" / "libheddle_direct.so"
_TYPES = {"float32": 0, "float64": 1, "complex64": 2, "complex128": 3}
Array = numpy.ndarray[Any, Any]


class Direct:
    """A call of the library. Its last argument is a number of repetitions."""

    def __init__(self, function: Any, *arguments: Any, result: Any) -> None:
        self.function, self.arguments, self.result = function, arguments, result
        # ctypes would make numbers of 32 bits of them, and Python keeps no memory alive.
        self.held = [self._converted(argument) for argument in arguments]

    @staticmethod
    def _converted(argument: Any) -> Any:
        if isinstance(argument, numpy.ndarray):
            return ctypes.c_void_p(argument.ctypes.data)
        return ctypes.c_int64(argument) if isinstance(argument, int) else argument

    def repeat(self, count: int) -> None:
        self.function(*self.held, ctypes.c_int64(count))

    def __call__(self) -> Any:
        self.repeat(1)
        return self.result


@dataclass
class Case:
    name: str
    direct: Direct
    run: Callable[..., Any]  # of a module with NumPy's names, and the inputs
    inputs: tuple[Array, ...]
    agree: Callable[[Any, Any], bool] = agrees


@dataclass
class Timing:
    name: str
    direct: float
    heddle: float
    numpy: float

    @property
    def over(self) -> float:
        """What Heddle takes more than the library, as a part of the library's time."""
        return self.heddle / self.direct - 1

    def cells(self) -> list[str]:
        # A few microseconds of Python are much of a small call: both numbers are given.
        added = (self.heddle - self.direct) * 1e6
        return [
            self.name,
            report.duration(self.direct),
            report.duration(self.heddle),
            f"{self.over:+.1%}",
            f"{added:+.1f} us" if self.direct < 1e-4 else "",
            report.duration(self.numpy),
            report.ratio(self.numpy / self.heddle),
        ]


_HEADER = ["", "library", "Heddle", "over", "", "NumPy", "faster than NumPy"]


def _values(shape: Any, dtype: str, seed: int = 0) -> Array:
    rng = numpy.random.default_rng(seed)
    made = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def _gemm(library: Any, a: Array, b: Array) -> Direct:
    """Matrices that are dense by rows or by columns, or have gaps between them."""

    def operand(m: Array) -> tuple[int, ctypes.c_int]:
        by_rows = m.strides[1] == m.itemsize
        return m.strides[0 if by_rows else 1] // m.itemsize, ctypes.c_int(not by_rows)

    (rows, depth), columns = a.shape, b.shape[1]
    result = numpy.empty((rows, columns), a.dtype)
    kind = ctypes.c_int(_TYPES[a.dtype.name])
    left, right = operand(a), operand(b)
    return Direct(
        library.gemm, kind, rows, columns, depth, a, *left, b, *right, result, result=result
    )


def products(library: Any) -> Iterator[Case]:
    for dtype in _TYPES:
        for n in (8, 64, 256, 1024, 2048):
            if n == 2048 and dtype.startswith("complex"):
                continue
            a, b = _values((n, n), dtype), _values((n, n), dtype, 1)
            name = f"matmul, {n}x{n} {dtype}"
            yield Case(name, _gemm(library, a, b), lambda np, x, y: x @ y, (a, b))
    a, b = _values((1024, 1024), "float64"), _values((1024, 1024), "float64", 1)
    yield Case("a.T @ b, 1024x1024", _gemm(library, a.T, b), lambda np, x, y: x.T @ y, (a, b))
    yield Case("a @ b.T, 1024x1024", _gemm(library, a, b.T), lambda np, x, y: x @ y.T, (a, b))
    wide = _values((512, 1024), "float64", 2)
    part = wide[:, :512]
    yield Case(
        "a[:, :512] @ b, 512x512",
        _gemm(library, part, b[:512, :512]),
        lambda np, x, y: x[:, :512] @ y[:512, :512],
        (wide, b),
    )
    # What BLAS cannot read is copied, by either.
    yield Case(
        "a[::2, ::2] @ b, 512x512, with a copy",
        _gemm(library, a[::2, ::2].copy(), b[:512, :512]),
        lambda np, x, y: x[::2, ::2] @ y[:512, :512],
        (a, b),
    )
    yield Case("dot, 512x512", _gemm(library, a[:512, :512], part), _dot, (a, wide))
    yield Case(
        "einsum('ij,jk->ik'), 512x512",
        _gemm(library, a[:512, :512], part),
        lambda np, x, y: np.einsum("ij,jk->ik", x[:512, :512], y[:, :512]),
        (a, wide),
    )
    small = _values((8, 8), "float64")
    yield Case(
        "einsum('ij,jk->ik'), 8x8",
        _gemm(library, small, small + 1),
        lambda np, x, y: np.einsum("ij,jk->ik", x, y),
        (small, small + 1),
    )
    cube = _values((64, 32, 256), "float64", 3)
    flat = _values((256, 128), "float64", 4)
    yield Case(
        "tensordot, 64x32x256 with 256x128",
        _reshaped(_gemm(library, cube.reshape(-1, 256), flat), (64, 32, 128)),
        lambda np, x, y: np.tensordot(x, y, 1),
        (cube, flat),
    )
    for count, n in ((1000, 8), (1000, 32), (100, 128), (8, 512)):
        a, b = _values((count, n, n), "float64"), _values((count, n, n), "float64", 1)
        result = numpy.empty_like(a)
        direct = Direct(library.gemms, count, n, n, n, a, b, result, result=result)
        yield Case(f"matmul, {count} x {n}x{n}", direct, lambda np, x, y: x @ y, (a, b))


def _dot(np: Any, x: Any, y: Any) -> Any:
    return np.dot(x[:512, :512], y[:, :512])


def _reshaped(direct: Direct, shape: tuple[int, ...]) -> Direct:
    direct.result = direct.result.reshape(shape)
    return direct


def vectors(library: Any) -> Iterator[Case]:
    for dtype in ("float32", "float64"):
        kind = ctypes.c_int(_TYPES[dtype])
        for n in (64, 512, 2048):
            a, x = _values((n, n), dtype), _values(n, dtype, 1)
            y = numpy.empty(n, dtype)
            for transposed, run in ((0, lambda np, a, x: a @ x), (1, lambda np, a, x: x @ a)):
                name = f"{'x @ a' if transposed else 'a @ x'}, {n}x{n} {dtype}"
                side = ctypes.c_int(transposed)
                arguments = (kind, n, n, a, side, x, 1, y)
                yield Case(name, Direct(library.gemv, *arguments, result=y), run, (a, x))
        for n in (100, 1000, 10_000, 1_000_000):
            x, y = _values(n, dtype), _values(n, dtype, 1)
            result = numpy.empty((), dtype)
            direct = Direct(library.dot, kind, n, x, y, result, result=result)
            yield Case(f"dot, {n} {dtype}", direct, lambda np, x, y: np.dot(x, y), (x, y))


_KINDS = {"fft": 0, "rfft": 1, "irfft": 2}


def _fft(
    library: Any, kind: str, x: Array, result: Array, axes: tuple[int, ...], workers: int
) -> Direct:
    axes = tuple(axis % x.ndim for axis in axes)
    scale = 1 / result.shape[axes[-1]] if kind == "irfft" else 1.0
    # As NumPy does: the last axis first.
    shapes = [numpy.array(v, numpy.int64) for v in (x.shape, result.shape, axes)]
    return Direct(
        library.fft,
        ctypes.c_int(_KINDS[kind]),
        ctypes.c_int(result.dtype.name in ("float32", "complex64")),
        x,
        shapes[0],
        result,
        shapes[1],
        ctypes.c_int(x.ndim),
        shapes[2],
        ctypes.c_int(len(axes)),
        ctypes.c_double(scale),
        workers,
        result=result,
    )


def transforms(library: Any, workers: int) -> Iterator[Case]:
    shapes = [
        *((n,) for n in (64, 1024, 16384, 100_000, 2**17, 1_000_000, 2**20)),
        *((n,) for n in (1009, 100_003)),  # primes
        (10_000, 64),
        (1000, 1000),
        (4096, 1009),
    ]
    for dtype in ("complex64", "complex128"):
        for shape in shapes:
            x = _values(shape, dtype)
            name = f"fft, {'x'.join(map(str, shape))} {dtype}"
            direct = _fft(library, "fft", x, numpy.empty_like(x), (-1,), workers)
            yield Case(name, direct, lambda np, x: np.fft.fft(x), (x,))
        x = _values((1000, 1000), dtype)
        direct = _fft(library, "fft", x, numpy.empty_like(x), (0,), workers)
        yield Case(f"fft along axis 0, 1000x1000 {dtype}", direct, _fft_axis_0, (x,))
        direct = _fft(library, "fft", x, numpy.empty_like(x), (1, 0), workers)
        yield Case(f"fft2, 1000x1000 {dtype}", direct, lambda np, x: np.fft.fft2(x), (x,))
        x = _values((64, 64, 64), dtype)
        direct = _fft(library, "fft", x, numpy.empty_like(x), (2, 1, 0), workers)
        yield Case(f"fftn, 64x64x64 {dtype}", direct, lambda np, x: np.fft.fftn(x), (x,))
    for real, dtype in (("float32", "complex64"), ("float64", "complex128")):
        for shape in ((1024,), (100_000,), (2**20,), (1000, 1000)):
            x = _values(shape, real)
            spectrum = numpy.fft.rfft(x).astype(dtype)
            size = "x".join(map(str, shape))
            direct = _fft(library, "rfft", x, numpy.empty_like(spectrum), (-1,), workers)
            yield Case(f"rfft, {size} {real}", direct, lambda np, x: np.fft.rfft(x), (x,))
            direct = _fft(library, "irfft", spectrum, numpy.empty_like(x), (-1,), workers)
            yield Case(f"irfft, {size} {real}", direct, lambda np, s: np.fft.irfft(s), (spectrum,))


def _fft_axis_0(np: Any, x: Any) -> Any:
    return np.fft.fft(x, axis=0)


def _any(got: Any, want: Any) -> bool:
    """Factors are the same up to signs, which the tests look at."""
    return True


def _svd(np: Any, a: Any) -> Any:
    return tuple(np.linalg.svd(a))


def _eigh(np: Any, a: Any) -> Any:
    return tuple(np.linalg.eigh(a))


def factorisations(library: Any) -> Iterator[Case]:
    for n in (8, 100, 300, 1000):
        a, b = _values((n, n), "float64"), _values((n, 1), "float64", 1)
        positive = a @ a.T + n * numpy.eye(n)
        by_columns = numpy.asfortranarray(a)
        x, s = numpy.empty((n, n)), numpy.empty(n)
        y, z = numpy.empty((n, n)), numpy.empty((n, n))
        one = numpy.asfortranarray(numpy.eye(n))
        size = f"{n}x{n}"

        def direct(name: str, *arguments: Any, order: int = n) -> Direct:
            return Direct(getattr(library, name), order, *arguments, result=None)

        yield Case(
            f"solve, {size}, one right side",
            direct("solve", 1, by_columns, b, numpy.empty(n)),
            lambda np, a, b: np.linalg.solve(a, b),
            (a, b),
            _any,
        )
        calls: list[tuple[str, Direct, Any, Array]] = [
            ("inv", direct("solve", n, by_columns, one, x), lambda np, a: np.linalg.inv(a), a),
            ("det", direct("lu", by_columns, y), lambda np, a: np.linalg.det(a), a),
            (
                "cholesky",
                direct("cholesky", positive, z),
                lambda np, a: np.linalg.cholesky(a),
                positive,
            ),
            ("qr", direct("qr", by_columns, x), lambda np, a: tuple(np.linalg.qr(a)), a),
        ]
        if n < 1000:
            calls.append(
                (
                    "svd",
                    direct("svd", by_columns, x, s, y),
                    lambda np, a: tuple(np.linalg.svd(a)),
                    a,
                )
            )
        calls.append(
            (
                "eigh",
                direct("eigh", positive, s, z),
                lambda np, a: tuple(np.linalg.eigh(a)),
                positive,
            )
        )
        for name, call, run, matrix in calls:
            yield Case(f"{name}, {size}", call, run, (matrix,), _any)


# Processor time leaves out what other programs take, and jumps at times: not the least of it.
_CLOCKS: dict[bool, dict[str, Any]] = {
    False: {"clock": time.perf_counter, "pick": min},
    True: {"clock": time.thread_time, "pick": statistics.median},
}


def measure(case: Case, seconds: float, processor_time: bool) -> Timing:
    import heddle

    how = _CLOCKS[processor_time]
    mine = tuple(heddle.asarray(a) for a in case.inputs)
    ours = case.run(heddle, *mine)
    expected = case.direct()
    if not case.agree(ours, expected):
        raise AssertionError(f"{case.name}: Heddle and the library do not agree")
    direct, found = best_times([case.direct, lambda: case.run(heddle, *mine)], seconds, **how)
    # On its own: the idle threads of NumPy's OpenBLAS would keep a core from the others.
    (theirs,) = best_times([lambda: case.run(numpy, *case.inputs)], seconds / 3, **how)
    return Timing(case.name, direct, found, theirs)


def as_markdown(info: dict[str, str], tables: dict[str, list[Timing]]) -> str:
    lines = ["# Heddle beside the libraries it calls", ""]
    lines += [f"- {key}: {value}" for key, value in info.items()]
    lines += ["", *__doc__.strip().splitlines()[4:]]
    for title, rows in tables.items():
        lines += ["", f"## {title}", "", "| " + " | ".join(_HEADER) + " |"]
        lines += ["|---|" + "---:|" * (len(_HEADER) - 1)]
        lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def as_json(info: dict[str, str], tables: dict[str, list[Timing]]) -> str:
    rows = {title: [asdict(row) for row in rows] for title, rows in tables.items()}
    return json.dumps({"environment": info, "seconds": rows}, indent=1) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each row")
    parser.add_argument("--threads", type=int, help="cores to use; all unless given")
    parser.add_argument(
        "--processor-time", action="store_true", help="of one thread; for a machine that is busy"
    )
    parser.add_argument("--library", default=str(_LIBRARY), help="what heddle_direct built")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    options = parser.parse_args()
    if options.threads:  # before any library counts the cores
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
        if "OPENBLAS_NUM_THREADS" not in os.environ:
            os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
            os.execv(sys.executable, [sys.executable, *sys.argv])
    if not Path(options.library).exists():
        parser.error(f"{options.library} is not there: ninja -C build heddle_direct")
    info = report.environment(options.machine)
    library = ctypes.CDLL(options.library)
    threads = library.threads()
    info["threads"] = str(threads)
    if options.processor_time:
        if threads > 1:
            parser.error("--processor-time is that of one thread: --threads 1")
        info["clock"] = "processor time, medians, as other programs ran"
    settle_allocator()
    tables: dict[str, list[Timing]] = {}
    for title, cases in (
        ("Products of matrices (OpenBLAS)", products(library)),
        ("Vectors (OpenBLAS)", vectors(library)),
        ("Fourier transforms (ducc0)", transforms(library, threads)),
        ("Factorisations, float64 (LAPACK of OpenBLAS)", factorisations(library)),
    ):
        for case in cases:
            if options.only not in case.name:
                continue
            row = measure(case, options.seconds, options.processor_time)
            tables.setdefault(title, []).append(row)
            name, *cells = row.cells()
            print(f"{name:<40}", *(f"{cell:>11}" for cell in cells), flush=True)
    if options.save:
        for path in report.write(
            info, as_markdown(info, tables), as_json(info, tables), "-libraries"
        ):
            print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
