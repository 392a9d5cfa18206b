"""Measures every function that works on arrays against NumPy's, one call at a time.

The calls are in sweep_calls.py. Results are compared with NumPy's, evaluation is part of the time,
and the libraries take turns. What seems slower is measured again, for longer. Ctrl-C ends it early.
"""

import argparse
import ast
import io
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import report
from measure import SPINNING, Row, agrees, best_times, compare, settle_allocator
from sweep_calls import SECTIONS

import heddle


def _values(n: int, dtype: str, seed: int = 0, low: float = -1.0) -> Any:
    """Numbers in (low, 1); integers in (100 low, 100)."""
    rng = numpy.random.default_rng(seed)
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if kind in "iu":
        return rng.integers(1 if low >= 0 or kind == "u" else -100, 100, n).astype(dtype)
    made = rng.uniform(low, 1, n)
    return (made + 1j * rng.uniform(low, 1, n) if kind == "c" else made).astype(dtype)


class Inputs:
    """The arrays that calls name, made when they are first asked for."""

    def __init__(self, n: int, dtype: str, folder: Path) -> None:
        self.n, self.dtype, self.folder = n, dtype, folder
        self.side = int(n**0.5)
        self.square = self.side**2
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            self.made[name] = MAKERS[name](self)
        return self.made[name]

    def of(self, n: int, seed: int, low: float = -1.0) -> Any:
        return _values(n, self.dtype, seed, low)

    def whole(self, high: int, n: int) -> Any:
        return numpy.random.default_rng(5).integers(0, high, n)

    def constants(self) -> dict[str, Any]:
        """What calls name that is the same for both libraries."""
        x = self["x"]
        saved, text = io.BytesIO(), io.BytesIO()
        numpy.save(saved, x)
        if self.dtype == "float64":
            numpy.savetxt(text, x)
        return {
            "n": self.n,
            "side": self.side,
            "dtype": numpy.dtype(self.dtype),
            "numbers": x,
            "listed": x.tolist(),
            "data": x.tobytes(),
            "letters": text.getvalue().decode(),
            "saved": lambda: io.BytesIO(saved.getvalue()),
            "text": lambda: io.BytesIO(text.getvalue()),
            "BytesIO": io.BytesIO,
        }


def _definite(on: Inputs) -> Any:
    matrix = on["M"]
    return matrix @ matrix.T.conj() + on.side * numpy.eye(on.side, dtype=matrix.dtype)


def _holes(on: Inputs) -> Any:
    made = on["x"].copy()
    made[on["mask"][::-1] & on["mask"]] = numpy.nan
    return made


def _edges(on: Inputs) -> Any:
    inexact = on["x"].dtype.kind in "fc"
    return numpy.linspace(-1, 1, 101) if inexact else numpy.arange(-100, 101)


def _path(on: Inputs) -> str:
    path = on.folder / f"{on.n}.bin"
    on["x"].tofile(path)
    return str(path)


MAKERS: dict[str, Callable[[Inputs], Any]] = {
    "x": lambda on: on.of(on.n, 0),
    "y": lambda on: on.of(on.n, 1),
    "positive": lambda on: on.of(on.n, 2, 0.05),
    "half": lambda on: on.of((on.n + 1) // 2, 3),
    "short": lambda on: on.of(10_000, 4),
    "row": lambda on: on.of(on.side, 5),
    "coefficients": lambda on: on.of(6, 6),
    "column": lambda on: on.of(on.side, 5)[:, None],
    "strided": lambda on: on.of(2 * on.n, 7)[::2],
    "M": lambda on: on.of(on.square, 8).reshape(on.side, -1),
    "T": lambda on: on.of(on.square, 8).reshape(on.side, -1).T,
    "C": lambda on: on.of(on.n // 1000 * 1000, 9).reshape(-1, 50, 20),
    "tall": lambda on: on.of(on.n // 10 * 10, 9).reshape(-1, 10),
    "wide": lambda on: on.of(on.n // 10 * 10, 9).reshape(10, -1),
    "column_of_tall": lambda on: on.of(on.n // 10, 9),
    "triples": lambda on: on.of(on.n // 3 * 3, 9).reshape(-1, 3),
    "stack": lambda on: on.of(on.n // 64 * 64, 9).reshape(-1, 8, 8),
    "ordered": lambda on: numpy.sort(on["x"]),
    "mask": lambda on: _values(on.n, "bool", 10),
    "index": lambda on: on.whole(on.square, on.n),
    "short_index": lambda on: on.whole(on.n, 1000),
    "row_index": lambda on: on.whole(on.side, on.side),
    "square_index": lambda on: on.whole(on.side, on.n),
    "row_of_columns": lambda on: on.whole(on.side, on.square).reshape(on.side, -1),
    "small": lambda on: on.whole(4, on.n),
    "counts": lambda on: on.whole(4, on.n),
    "bytes": lambda on: on.whole(256, on.n).astype(numpy.uint8),
    "offsets": lambda on: numpy.arange(0, on.n, 100),
    "edges": _edges,
    "definite": _definite,
    "holes": _holes,
    "holed": lambda on: on["holes"][: on.square].reshape(on.side, -1),
    "path": _path,
}


@dataclass
class Call:
    """A line of sweep_calls as a function of a module and of inputs."""

    text: str
    run: Callable[..., Any]
    names: list[str]  # of the inputs


def compiled(text: str, constants: dict[str, Any]) -> Call:
    tree = ast.parse(text)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names = sorted(name for name in found if name in MAKERS)
    only = tree.body[0]
    assert len(tree.body) == 1
    value = f"return {text}" if isinstance(only, ast.Expr) else f"{text}\n    return {target(only)}"
    space = dict(constants)
    exec(f"def run(np, {', '.join(names)}):\n    {value}", space)
    run = space["run"]
    # Functions that write return nothing: the array that they wrote to has to be evaluated.
    place = next((i for i, name in enumerate(names) if name in ("x", "M")), None)
    if place is None:
        return Call(text, run, names)

    def run_or_write(np: Any, *args: Any) -> Any:
        result = run(np, *args)
        return args[place] if result is None else result

    return Call(text, run_or_write, names)


def target(statement: ast.stmt) -> str:
    """The name of the array that a statement writes to."""
    node = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target  # type: ignore[attr-defined]
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id


def has_loop(call: Call, inputs: Inputs) -> bool:
    """Whether NumPy does this for the dtype."""
    try:
        with numpy.errstate(all="ignore"):
            call.run(numpy, *(numpy.copy(inputs[name]) for name in call.names))
    except (TypeError, ValueError, AttributeError):
        return False
    return True


# Calls whose order of equal, or of all elements is not said.
_ANY_ORDER = ("partition(", "argsort(", "unique_values(")


def same_kind(got: Any, want: Any) -> bool:
    """Whether a result has NumPy's type and shape."""
    return bool(got.dtype == want.dtype and got.shape == want.shape)


def same(got: Any, want: Any) -> bool:
    if want is None or isinstance(want, int | str):
        return bool(got == want)
    if isinstance(want, tuple | list) and len(want) > 64:
        return len(got) == len(want)
    return agrees(got, want)


def measured(call: Call, inputs: Inputs, name: str, seconds: float) -> Row:
    args = [inputs[n] for n in call.names]
    # Inputs of their own: some calls write to them. A view stays a view.
    mine = [_placed(n, inputs) for n in call.names]
    theirs = [_own(a) for a in args]
    ours = lambda: call.run(heddle, *mine)  # noqa: E731
    numpys = lambda: call.run(numpy, *theirs)  # noqa: E731
    free = any(f in call.text for f in _ANY_ORDER) and "stable" not in call.text
    agree = same_kind if free else same
    row = compare(name, ours, numpys, target=1.0, seconds=seconds, agree=agree)
    if row.speedup is not None and row.speedup < 1.1:
        with numpy.errstate(all="ignore"):
            again = best_times([numpys, ours], 6 * seconds, turn=2 * SPINNING)
        row.numpy, row.heddle = min(row.numpy, again[0]), min(row.heddle, again[1])
    return row


def _own(value: Any) -> Any:
    """A copy with the same strides."""
    if not isinstance(value, numpy.ndarray) or value.base is None:
        return value.copy() if isinstance(value, numpy.ndarray) else value
    base = value
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    return numpy.lib.stride_tricks.as_strided(base.copy(), value.shape, value.strides)


def _placed(name: str, inputs: Inputs) -> Any:
    value = inputs[name]
    if name == "strided":
        return heddle.asarray(value.base)[::2]
    if name == "T":
        return heddle.asarray(inputs["M"]).T
    return heddle.asarray(value) if isinstance(value, numpy.ndarray) else value


def calls(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    for section, parts in SECTIONS.items():
        if options.sections and section not in options.sections.split(","):
            continue
        for dtypes, lines in parts:
            for text in lines.strip().splitlines():
                for dtype in dtypes.split():
                    if options.only in f"{text} {dtype}":
                        yield section, text, dtype


def sweep(options: argparse.Namespace) -> Iterator[Row]:
    made: dict[tuple[int, str], tuple[Inputs, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _, text, dtype in calls(options):
            for n in (int(float(size)) for size in options.sizes.split(",")):
                if (n, dtype) not in made:
                    inputs = Inputs(n, dtype, Path(folder))
                    made[n, dtype] = inputs, inputs.constants()
                inputs, constants = made[n, dtype]
                call = compiled(text, constants)
                if has_loop(call, inputs):
                    name = f"{text} {dtype}, {n:.0e}".replace("e+0", "e")
                    yield measured(call, inputs, name, options.seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1e5,1e6", help="numbers of elements")
    parser.add_argument("--sections", default="", help=", ".join(SECTIONS))
    parser.add_argument("--only", default="", metavar="TEXT", help="calls that have this text")
    parser.add_argument("--seconds", type=float, default=0.1, help="time for each row")
    parser.add_argument("--below", type=float, default=1.0, help="print those less times faster")
    parser.add_argument("--verbose", action="store_true", help="print all")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    settle_allocator()
    info = report.environment(options.machine)
    print(report.header())
    rows = []
    try:
        for row in sweep(options):
            rows.append(row)
            late = row.speedup is not None and row.speedup < options.below
            if late or row.wrong or row.error or options.verbose:
                print(report.line(row), flush=True)
    except KeyboardInterrupt:
        print("stopped: what follows is of the calls so far")
    for text in report.summary(rows, "calls"):
        print(text)
    if options.save:
        for path in report.save_sweep(info, rows):
            print(f"wrote {path}")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
