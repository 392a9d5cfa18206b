"""Functions of random statements whose numbers stay small, for compiled functions and kernels.

Integers and floats keep their kinds, divisors are never zero, and what is assigned is taken modulo
something: so Python's numbers and those of machines are the same, and every difference is a fault.
"""

import random


class Statements:
    """Writes statements over integers, floats, the arrays x and y, and a matrix A."""

    def __init__(self, seed, writes):
        self.random = random.Random(seed)
        self.integers, self.floats, self.truths = ["n", "m"], ["u", "v"], []
        self.fixed = {"n"}  # names that are not set
        self.writes = writes  # whether arrays are
        self.functions = []
        self.count = 0

    def one(self, *choices):
        return self.random.choice(choices)

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def index(self):
        return self.one("0", "1", "-1", "2", "n % 5", "m % 6", f"({self.integer(0)}) % 4")

    def divisor(self, depth):
        known = self.one(1, 2, 3, 5, -2, -3, 7, 8, 16, -4)
        return str(known) if self.random.random() < 0.5 else f"({self.integer(depth)} | 1)"

    def integer(self, depth):
        kind = self.random.randrange(14 if depth > 0 else 3)
        a, b = (self.integer(depth - 1), self.integer(depth - 1)) if kind > 2 else ("", "")
        if kind == 0:
            return str(self.one(0, 1, 2, 3, -1, -2, 5, 7, -7, 13, 100))
        if kind == 1:
            return self.one(*self.integers)
        if kind == 2:
            return self.one("len(x)", "A.shape[1]", f"y[{self.index()}]", "y.size", "A.ndim")
        if kind == 3 and self.functions:
            return f"{self.one(*self.functions)}({a}, {b})"
        if kind < 6:
            return f"({a} {self.one('+', '-', '*')} {b})"
        if kind < 8:
            return f"({a} {self.one('//', '%')} {self.divisor(depth - 1)})"
        if kind == 8:
            return f"(({a}) {self.one('&', '|', '^')} ({b}))"
        if kind == 9:
            return f"(({a}) {self.one('<<', '>>')} {self.random.randrange(6)})"
        if kind == 10:
            return f"({a} if {self.truth(depth - 1)} else {b})"
        if kind == 11:
            return f"{self.one('min', 'max')}({a}, {b})"
        if kind == 12:
            return self.one(f"abs({a})", f"(-{a})", f"(~({a}))", f"int({self.truth(depth - 1)})")
        return f"({a}, {b}, n)[{self.one(0, 1, 2, -1, -3)}]"

    def float(self, depth):
        kind = self.random.randrange(11 if depth > 0 else 3)
        a, b = (self.float(depth - 1), self.float(depth - 1)) if kind > 2 else ("", "")
        if kind == 0:
            return str(self.one(0.5, 1.5, -2.25, 3.0, 1e-3, -0.0, 10.0))
        if kind == 1:
            return self.one(*self.floats)
        if kind == 2:
            return self.one(f"x[{self.index()}]", f"A[{self.index()}, {self.one(0, 1, -1)}]")
        if kind < 5:
            return f"({a} {self.one('+', '-', '*')} {self.one(b, self.integer(depth - 1))})"
        if kind == 5:
            return f"({a} / (abs({b}) + 1.0))"
        if kind == 6:
            return f"({a} if {self.truth(depth - 1)} else {b})"
        if kind == 7:
            return f"{self.one('min', 'max')}({a}, {b})"
        if kind == 8:
            return f"{self.one('math.sin', 'math.floor', 'abs', 'math.atan', 'float')}({a})"
        if kind == 9:
            return f"({a} {self.one('//', '%')} {self.one('2.0', '-1.5', '0.75', '3')})"
        return f"({self.integer(depth - 1)} / {self.divisor(0)})"

    def truth(self, depth):
        kind = self.random.randrange(7 if depth > 0 else 2)
        if kind == 0 and self.truths:
            return self.one(*self.truths)
        if kind < 3:
            op = self.one("<", "<=", "==", "!=", ">", ">=")
            return f"({self.integer(depth - 1)} {op} {self.integer(depth - 1)})"
        if kind == 3:
            return f"({self.float(depth - 1)} {self.one('<', '<=', '>')} {self.float(depth - 1)})"
        if kind == 4:
            return f"({self.truth(depth - 1)} {self.one('and', 'or')} {self.truth(depth - 1)})"
        if kind == 5:
            return f"(not {self.truth(depth - 1)})"
        return f"({self.integer(0)} < {self.integer(depth - 1)} <= {self.integer(0)})"

    def assignment(self):
        settable = [name for name in self.integers if name not in self.fixed]
        name, number = self.one(*settable), self.one(*self.floats)
        kind = self.random.randrange(9 if self.writes else 7)
        if kind < 2:
            return [f"{name} = ({self.integer(3)}) % 1000"]
        if kind < 4:
            return [f"{number} = ({self.float(3)}) % 50.0"]
        if kind == 4:
            return [
                f"{name} {self.one('+=', '-=', '^=', '|=')} {self.integer(1)}",
                f"{name} %= 997",
            ]
        if kind == 5:
            return [f"{name}, {number} = ({self.integer(2)}) % 99, ({self.float(2)}) % 50.0"]
        if kind == 6:
            made, value = self.fresh("t"), self.truth(2)
            self.truths.append(made)
            return [f"{made} = {value}"]
        if kind == 7:
            return [f"x[{self.index()}] {self.one('=', '+=')} ({self.float(2)}) % 50.0"]
        views = (
            "x[1:4]",
            "x[::2]",
            "x[::-1]",
            "A[1, :3]",
            "A.T[0]",
            "x[n % 3 :]",
            "x[:: n % 2 + 1]",
        )
        made = self.fresh("a")
        return [
            f"{made} = {self.one(*views)}",
            f"{made}[{self.one(0, 1)}] {self.one('=', '+=', '*=')} ({self.float(1)}) % 50.0",
            f"{number} = ({made}.sum()) % 50.0",
        ]

    def inside(self, depth):
        kept = list(self.integers), list(self.floats), list(self.truths)
        made = self.body(depth)
        self.integers, self.floats, self.truths = kept
        return ["    " + line for line in made]

    def body(self, depth):
        return [line for _ in range(self.random.randrange(1, 4)) for line in self.statement(depth)]

    def statement(self, depth):
        kind = self.random.randrange(9)
        if kind < 4 or depth == 0:
            return self.assignment()
        if kind < 6:
            made = [f"if {self.truth(2)}:", *self.inside(depth - 1)]
            if self.random.random() < 0.4:
                made += [f"elif {self.truth(2)}:", *self.inside(depth - 1)]
            return made + (["else:", *self.inside(depth - 1)] if self.random.random() < 0.6 else [])
        head, name = [], self.fresh("i")
        if kind < 8:
            over = self.one("n", "4", "1, 5", "5, 0, -1", "0, 9, 2", "m % 5", "3, m % 7, -1")
            head = [f"for {name} in range({over}):"]
        else:
            also = self.one("", f" and {self.truth(1)}")
            head = [f"{name} = {self.one(1, 3, 5)}", f"while {name} > 0{also}:", f"    {name} -= 1"]
        self.integers.append(name)
        self.fixed.add(name)
        made = [*head, *self.inside(depth - 1)]
        if self.random.random() < 0.5:
            made += [f"    if {self.truth(1)}:", f"        {self.one('break', 'continue')}"]
            made += self.inside(0)
        self.integers.remove(name)
        return made + (["else:", *self.inside(0)] if self.random.random() < 0.25 else [])

    def helper(self, name):
        """A function of two integers, with a loop, a return inside, and perhaps itself."""
        lines = [f"def {name}(a, b):", "    while a > 10:", "        a //= 2"]
        lines += ["        b = (b ^ a) % 77", f"        if b == {self.one(3, 5, 8)}:"]
        lines += ["            return a % 30"]
        if self.random.random() < 0.4:
            lines += ["    if b % 100 > 90:", f"        return {name}((a + 1) % 50, b % 90)"]
        self.functions.append(name)
        return [*lines, f"    return (a * {self.one(2, 3, -5)} + b) % 1000"]


def program(seed, head, end, writes):
    """The text of a function whose first and last lines are given."""
    made = Statements(seed, writes)
    helpers = made.helper("g0") if made.random.random() < 0.6 else []
    body = [line for _ in range(made.random.randrange(3, 7)) for line in made.statement(3)]
    inner = "".join(f"    {line}\n" for line in body)
    return "import math\n" + "".join(f"{line}\n" for line in helpers) + head + inner + end
