"""Functions of random statements: compiled they do what Python does, errors included."""

import linecache
import os
import random

import numpy as np
import pytest

from heddle.numba import njit

SEEDS = 120 if os.environ.get("HEDDLE_TEST_ALL") else 6
NUMBERS = ("0", "1", "2", "-1", "-7", "255", "2**31", "-2**40")  # products stay below 2**63
BINARY = ("+", "-", "% 65536 *", "&", "|", "^", "//", "%")
COMPARED = ("<", "<=", "==", "!=", ">", ">=")
STEPS = ("", ":1", ":2", ":-1", ":-2")
BOUNDS = ("", "1", "-1", "3", "-3", "20", "-20", "(a % 5)", "-(b % 4)")


class Writer:
    """Writes functions of two integers, a float, and arrays and a tuple of numbers.

    Elements are made Python's numbers, which raise where they are divided by zero.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def part(self):
        bound = self.random.choice
        return f"{bound(BOUNDS)}:{bound(BOUNDS)}{bound(STEPS)}"

    def integer(self, depth=0):
        choose = self.random.choice
        if depth > 3 or self.random.random() < 0.3:
            return choose(("a", "b", *NUMBERS))
        one, other = (self.integer(depth + 1) for _ in range(2))
        return choose(
            (
                *(f"({one} {choose(BINARY)} {other})" for _ in range(4)),
                f"({one} % 65536 {choose(('<<', '>>'))} ({other} & 15))",
                *(f"(-{one})", f"(~{one})", f"abs({one})", f"int(x[{one} % x.size])", "t[-1]"),
                *(f"min({one}, {other})", f"max({one}, {other})", f"divmod({one}, {other})[1]"),
                *(f"int({self.real(depth + 1)} % 1000.0)", f"len(x[{self.part()}])"),
                f"({one} if {self.condition(depth + 1)} else {other})",
            )
        )

    def real(self, depth=0):
        choose = self.random.choice
        if depth > 3 or self.random.random() < 0.3:
            return choose(("f", "0.5", "-1.25", "1e10"))
        one, other = (self.real(depth + 1) for _ in range(2))
        return choose(
            (
                *(f"({one} {op} {other})" for op in ("+", "-", "*", "/", "//", "%")),
                f"({self.integer(depth + 1)} / {self.integer(depth + 1)})",
                *(f"abs({one})", f"float(y[{self.integer(depth + 1)} % y.size])"),
                *(f"float(y[{self.part()}].sum())", f"max({one}, {other})"),
            )
        )

    def condition(self, depth=0):
        choose = self.random.choice
        kind = choose((self.integer, self.integer, self.real))
        one, other = kind(depth + 1), kind(depth + 1)
        made = f"({one} {choose(COMPARED)} {other})"
        if depth > 2:
            return made
        more = self.condition(depth + 1)
        last = f"({one} < {other} <= {kind(depth + 1)})"
        return choose((made, last, f"(not {more})", f"({made} and {more})", f"({more} or {made})"))

    def block(self, depth):
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth)]

    def statement(self, depth):
        choose, space = self.random.choice, "    " * depth
        kind = self.random.random()
        if kind < 0.3 or depth > 4:
            return [f"{space}{choose('ab')} = {self.integer()} % 10007"]
        if kind < 0.4:
            return [f"{space}f = {self.real()}", f"{space}if not (-1e9 < f < 1e9): f = 1.5"]
        if kind < 0.5:
            return [f"{space}x[{self.integer()} % x.size] = {self.integer()} % 1000"]
        if kind < 0.55:
            return [f"{space}y[{self.part()}] {choose(('=', '+='))} {self.real()} % 100.0"]
        if kind < 0.6:
            return [f"{space}a, b = {self.integer()} % 1009, {self.integer()} % 1009"]
        if kind < 0.63:
            return [
                f"{space}if {self.condition()}: {choose(('return b, a, f', 'raise ValueError'))}"
            ]
        if kind < 0.8:
            lines = [f"{space}if {self.condition()}:", *self.block(depth + 1)]
            return [*lines, f"{space}else:", *self.block(depth + 1)]
        self.loops += 1
        name = f"i{self.loops}"
        if kind < 0.87:
            lines = [f"{space}{name} = 0", f"{space}while {name} < 5:", f"{space}    {name} += 1"]
        else:
            given = (f"range({self.integer(2)} % 7)", f"range(6, {self.integer(2)} % 5 - 3, -2)")
            lines = [f"{space}for {name} in {choose((*given, 'x', 't', f'x[{self.part()}]'))}:"]
        lines += [*self.block(depth + 1), f"{space}    a += int({name})"]
        lines += [f"{space}    if {self.condition()}: {choose(('break', 'continue'))}"]
        return [*lines, *self.block(depth + 1), f"{space}else:", *self.block(depth + 1)]


def written(seed):
    writer = Writer(seed)
    lines = [line for _ in range(3) for line in writer.statement(1)]
    text = "\n".join(["def written(a, b, f, x, y, t):", *lines, "    return a, b, f", ""])
    file = f"<statements {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["written"]


def outcome(function, given):
    a, b, f, x, y, t = given
    x, y = x.copy(), y.copy()
    try:
        made = function(a, b, f, x, y, t)
    except (ZeroDivisionError, ValueError, IndexError) as error:
        made = type(error).__name__
    return made, x, y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_statements(seed):
    function, numbers = written(seed), random.Random(seed)
    compiled = njit(function)
    for _ in range(3):
        x = np.array([numbers.randint(-9, 9) for _ in range(numbers.randint(1, 7))])
        y = np.array([numbers.uniform(-4, 4) for _ in range(numbers.randint(1, 6))])
        given = (numbers.randint(-20, 20), numbers.randint(-20, 20), -2.25, x, y, (3, -4, 1))
        expected, *arrays = outcome(function, given)
        made, *ours = outcome(compiled, given)
        assert type(made) is type(expected)
        if isinstance(made, tuple):
            np.testing.assert_allclose(made, expected, rtol=1e-12)
        else:
            assert made == expected
        for one, other in zip(ours, arrays, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
