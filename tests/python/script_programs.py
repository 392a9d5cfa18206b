"""Random scripts as scientists write them: stencils that write into their own arrays, boundaries,
loops, masks, means that are subtracted, views that are written through, functions in between.

A script is text, made from a seed, over named arrays: fields u, v, w of (n, m) floats, rows p, q of
m, a column c of n, whole numbers k of (n, m), and places i, j along both axes. It runs under NumPy
and under heddle with the same meaning.
"""

import random

import numpy

FIELDS = ["u", "v", "w"]
ROWS = ["p", "q"]
COLUMN = "c"
WHOLE = "k"
SHIFTS = {-1: ":-2", 0: "1:-1", 1: "2:"}
NUMBERS = ["0.5", "2", "-1", "0.1", "3.0", "np.float32(0.25)", "0.25"]
# Nothing that is computed comes near it, so that rounding decides nothing.
EDGE = 0.137
PADDING = ["edge", "constant", "reflect", "wrap"]
BINARY = ["add", "multiply", "subtract", "maximum"]
FUNCTIONS = [
    "np.sin(np.clip({0}, -9, 9))",
    "np.tanh({0})",
    "np.abs({0})",
    "(-({0}))",
    "({0})**2",
    "np.sqrt(np.abs({0}))",
    "np.exp(-np.abs({0}))",
    "np.maximum({0}, 0)",
    "np.clip({0}, -1, 1)",
    "np.log1p(np.abs({0}))",
    "np.where({0} > 0, {0}, 0.1 * {0})",
]


class Nobody(list):
    """Who holds nothing."""

    def append(self, thing):
        pass


class Script:
    """`text`: the statements; `smooth`: only what has a derivative nearly everywhere, and no value
    that the host looks at."""

    floats = (*FIELDS, *ROWS, COLUMN)  # names of what has derivatives
    names = (*floats, WHOLE, "i", "j")  # of all arrays, places last

    def __init__(self, seed, smooth=False):
        self.random = random.Random(seed)
        self.smooth = smooth
        self.n, self.m = self.one([5, 8, 16, 33, 64]), self.one([4, 7, 16, 40])
        self.lines, self.depth, self.views = [], 0, 0
        for _ in range(self.random.randint(3, 14)):
            self.statement()
        self.text = "\n".join(self.lines)

    def one(self, things):
        return self.random.choice(things)

    def number(self):
        return self.one(NUMBERS)

    def whole(self, low, high):
        return self.random.randint(low, high)

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    # --- expressions ---

    def function_of(self, expression):
        return self.one(FUNCTIONS).format(expression)

    def shifted(self, name):
        return f"{name}[{SHIFTS[self.whole(-1, 1)]}, {SHIFTS[self.whole(-1, 1)]}]"

    def inner(self, depth=0):
        """What has the shape of a field without its edges."""
        kinds = [
            lambda: self.shifted(self.one(FIELDS)),
            lambda: self.shifted(self.one(FIELDS)),
            self.number,
            lambda: self.function_of(self.inner(depth + 1)),
            lambda: f"{self.one(ROWS)}[1:-1]",
            lambda: f"{COLUMN}[1:-1, None]",
            lambda: f"({self.inner(depth + 1)} - np.mean({self.one(FIELDS)}[1:-1, 1:-1]))",
            *[lambda: f"({self.inner(depth + 1)} {self.one('+-*')} {self.inner(depth + 1)})"] * 4,
        ]
        return (kinds[0] if depth > 3 else self.one(kinds))()

    def field(self, depth=0):
        """What has the shape of a field, or spreads to it."""
        a, b = self.one(FIELDS), self.one(FIELDS)
        axis, shift = self.whole(0, 1), self.whole(-2, 2)
        kinds = [
            lambda: a,
            lambda: a,
            self.number,
            lambda: self.function_of(self.field(depth + 1)),
            lambda: self.function_of(self.field(depth + 1)),
            lambda: f"np.roll({a}, {shift}, axis={axis})",
            lambda: f"np.flip({a}, {axis})",
            lambda: f"{a}[::-1, ::-1]",
            lambda: f"np.pad({a}[1:-1, 1:-1], 1, mode={self.one(PADDING)!r})",
            lambda: f"np.cumsum({a}, axis={axis}) * 0.1",
            lambda: f"np.gradient({a}, axis={axis})",
            lambda: self.one(ROWS),
            lambda: f"{COLUMN}[:, None]",
            lambda: f"({a} - {a}.mean(axis={axis}, keepdims=True))",
            lambda: f"({a} / (1 + np.abs({a}).max(axis=1, keepdims=True)))",
            lambda: f"np.concatenate(({a}[1:], {b}[:1]), axis=0)",
            lambda: f"(({a} @ {b}.T) @ {self.one(FIELDS)}) * 0.001",
            lambda: f"np.sort({a}, axis={axis})",
            lambda: f"np.outer({COLUMN}, {self.one(ROWS)})",
            lambda: f"np.take({a}, j, axis=1)",
            lambda: f"np.tril({a}, {shift})",
            lambda: f"np.diff({a}, axis=0, append={b}[-1:])",
            lambda: f"({WHOLE} * 0.5)",
            *[lambda: f"({self.field(depth + 1)} {self.one('+-*')} {self.field(depth + 1)})"] * 4,
        ]
        return (kinds[0] if depth > 3 else self.one(kinds))()

    # --- statements ---

    def statement(self):
        x, y = self.one(FIELDS), self.one(FIELDS)
        p, change = self.one(ROWS), self.one(["=", "+=", "-=", "*="])
        place = self.one(["0", "-1", "1", str(self.whole(0, self.n - 1))])
        statistic = self.one(["sum", "mean", "max", "min", "std", "var"])
        kinds = [
            *self.more_kinds(),
            *[lambda: f"{x}[1:-1, 1:-1] {change} {self.inner()}"] * 3,
            *[lambda: f"{x} = {self.field()} + 0 * {y}"] * 2,
            lambda: f"{x} {self.one(['+=', '-=', '*='])} {self.field()}",
            lambda: f"{x}[{place}] {change} {y}[{self.whole(-3, 2)}]{self.one(['', '[::-1]'])}",
            lambda: (
                f"{x}[:, {self.whole(-2, 2)}] {self.one(['=', '-='])} "
                f"{self.one([f'{y}[:, {self.whole(-2, 2)}]', COLUMN, self.number()])}"
            ),
            lambda: f"{x}[{x} {self.one('<>')} {EDGE}] = {self.one(['0.5', f'{x}.mean()'])}",
            lambda: f"{p} = {x}.{statistic}(axis=0) * 0.1",
            lambda: f"{COLUMN} = {x}.{statistic}(axis=1) * 0.1",
            lambda: f"{p}[1:] {self.one(['+=', '=', '-='])} {p}[:-1] * 0.5",
            lambda: f"np.{self.one(BINARY)}({self.field()}, {y}, out={x})",
            lambda: f"np.add.at({x}, (i, j[:3]), 0.5)",
            lambda: f"{x}[i] = {y}[i[::-1]]",
            lambda: f"{x}[:, j[:2]] += 1",
            lambda: f"{x} = np.where({y} > {EDGE}, {self.field()}, {self.field()})",
            lambda: f"{x}, {y} = {y}, {x}",
            lambda: f"{x} = {y}.copy()",
            lambda: f"{x}[1:, :] = {x}[:-1, :]",
            lambda: f"{x}[:, 1:] += {x}[:, :-1] * 0.5",
            lambda: f"np.copyto({x}, {self.field()}, where={y} > {EDGE}, casting='unsafe')",
            lambda: f"{x}.{self.one(['fill(0.5)', 'sort(axis=0)', 'sort(axis=1)'])}",
            lambda: f"np.clip({x}, -2, 2, out={x})",
            lambda: f"{x} = np.clip(np.nan_to_num({x}), -3, 3)",
            *[lambda: f"held.append({self.one([x, p, f'{x}[1:]', self.held()])})"] * 2,
            self.pieces,
            self.stack,
            self.view,
            *([] if self.smooth else [self.decision, self.counts]),
            *([] if self.depth > 1 else [self.loop] * 3),
        ]
        made = self.one(kinds)()
        if made:
            self.emit(made)
        if self.random.random() < 0.15:
            self.emit(f"{x} = np.clip(np.nan_to_num({x}), -3, 3)")

    def more_kinds(self):
        """More statements, as functions that give their text."""
        return []

    def pieces(self):
        x, y = self.one(FIELDS), self.one(FIELDS)
        self.emit(f"z = np.zeros_like({x})")
        self.emit(f"z[1:-1] = {x}[2:] - {x}[:-2]")
        self.emit(f"z[0] = {self.number()}")
        self.emit(f"z[-1] = {self.one(ROWS)}")
        self.emit(f"{y} = z")

    def stack(self):
        together = f"np.stack([{self.one(FIELDS)}, {self.one(FIELDS)}, {self.field()} + 0 * u])"
        return f"{self.one(FIELDS)} = {together}.{self.one(['mean', 'max', 'sum'])}(axis=0)"

    def held(self):
        """What somebody may hold on to: also steps on the way to something else."""
        x, y = self.one(FIELDS), self.one(FIELDS)
        name = f"part{self.views}"
        self.views += 1
        made = self.one(
            [
                f"np.sort({x}, axis=0)",
                f"{x} @ {y}.T",
                f"{x} - {x}.mean()",
                f"np.where({x} > {EDGE}, {y}, 0)",
                f"np.cumsum({x}, axis=1)",
                f"{x}.copy()",
                f"np.fft.rfft({x}, axis=1).real",
            ]
        )
        self.emit(f"{name} = {made}")
        self.emit(f"{self.one(ROWS)} += np.abs({name}).sum() * 0.001")
        if self.random.random() < 0.5:
            self.emit(f"{self.one(FIELDS)}[{self.whole(0, 2)}] += ({name} * 2 + 1)[0].sum() * 0.01")
        return name

    def view(self):
        name = f"view{self.views}"
        self.views += 1
        views = ["[::2]", "[1:]", ".T", "[:, ::-1]", "[1:-1, 1:-1]", ".reshape(-1)", ".ravel()"]
        self.emit(f"{name} = {self.one(FIELDS)}{self.one(views)}")
        if self.random.random() < 0.6:
            return f"{name} {self.one(['+=', '*=', '-='])} {self.number()}"
        return f"{name}[{self.one(['0', '-1', '::2', '1:'])}] = {self.number()}"

    def decision(self):
        return f"{self.one(ROWS)} *= 1.0 if float({self.one(FIELDS)}.sum()) > {EDGE} else 0.5"

    def counts(self):
        x = self.one(FIELDS)
        kinds = [
            f"{WHOLE} = ({x} > {EDGE}) * 2 + {WHOLE} // 2",
            f"{WHOLE}[1:] -= {WHOLE}[:-1] % 3",
            f"{WHOLE} = np.argsort(np.round({x}, 3), axis=1, kind='stable')",
            f"{WHOLE}[{x} > {EDGE}] += 1",
            f"{WHOLE} ^= np.cumsum({WHOLE}, axis=0) & 3",
        ]
        return self.one(kinds)

    def loop(self):
        name = ["step", "inside"][self.depth]
        self.emit(f"for {name} in range({self.one([1, 2, 3, 5])}):")
        self.depth += 1
        for _ in range(self.whole(1, 4)):
            self.statement()
        x, y = self.one(FIELDS), self.one(FIELDS)
        if self.random.random() < 0.5:
            value = self.one([name, f"{y}[({name} + 1) % {self.n}]", self.number()])
            self.emit(f"{x}[{name} % {self.n}] {self.one(['=', '+=', '*='])} {value}")
        if self.random.random() < 0.3:
            self.emit(f"{x}[{name}:, {name}:] -= {y}[{name}:, {name}:] * 0.5")
        self.depth -= 1

    # --- running ---

    def inputs(self, seed, dtype="f8"):
        """NumPy's arrays by name."""
        rng = numpy.random.default_rng(seed)
        shapes = {**dict.fromkeys(FIELDS, (self.n, self.m)), **dict.fromkeys(ROWS, (self.m,))}
        made = {
            name: rng.standard_normal(shape).astype(dtype)
            for name, shape in (shapes | {COLUMN: (self.n,)}).items()
        }
        made[WHOLE] = rng.integers(-5, 6, (self.n, self.m))
        made["i"] = rng.integers(-self.n, self.n, 3)
        made["j"] = rng.integers(-self.m, self.m, self.m)
        return made

    def function(self):
        """f(np, held, *arrays in the order of names) -> all that has a name in the end, in that
        order but for the places. What is held on to is appended to `held`."""
        body = "\n".join("    " + line for line in self.lines)
        results = ", ".join(self.names[:-2])
        text = f"def f(np, held, {', '.join(self.names)}):\n{body}\n    return {results}\n"
        names = {}
        exec(compile(text, "script", "exec"), names)
        return names["f"]
