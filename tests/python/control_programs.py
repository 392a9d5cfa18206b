"""Random programs as people write them around arrays: loops and branches on values, exceptions,
early returns, closures that rebind, lists, dictionaries and objects as state, views of views,
results that go into other arrays, what masks select, and transformations inside of them.

A program is text, made from a seed: `f(np, x, y)` of two vectors of SIZE numbers gives one number.
"""

import random

SIZE = 6
VECTORS = ["a", "b", "c"]
# Nothing that is computed comes near them, so that rounding decides nothing.
EDGES = ["0.1379", "-0.2213", "0.4157", "-0.0671"]
RULES = """
def squash(v):
    return np.sin(v) + 0.5 * v / (1 + v * v)

wave = np.custom_vjp(lambda u, w: np.sin(u) * w)
wave.defvjp(
    lambda u, w: (np.sin(u) * w, (u, w)),
    lambda kept, g: (g * np.cos(kept[0]) * kept[1], g * np.sin(kept[0])),
)
bell = np.custom_jvp(lambda u, w: np.exp(-u * u) * w)

@bell.defjvp
def along(primals, tangents):
    (u, w), (du, dw) = primals, tangents
    made = np.exp(-u * u)
    return made * w, made * dw - 2 * u * made * w * du

class Cell:
    def __init__(self, state):
        self.state = state
        self.seen = []

    def step(self, v):
        self.seen.append(v.sum())
        self.state = np.tanh(self.state * 0.7 + v)
        return self.state

class Enough(Exception):
    pass
"""


class ControlProgram:
    """`batched`: values are not looked at, as inside of `vmap`."""

    def __init__(self, seed, batched=False):
        self.random = random.Random(seed)
        self.batched = batched
        self.lines, self.depth, self.count = [], 1, 0
        for _ in range(self.whole(3, 9)):
            self.statement()
        self.text = self.head() + "\n".join(self.lines) + "\n" + self.end("    ")

    def head(self):
        return (
            "def f(np, x, y):\n"
            + "".join("    " + line + "\n" for line in RULES.strip("\n").split("\n"))
            + "    a, b, c = x.copy(), squash(y) + 0.3 * x, np.zeros(6) + 0.2\n"
            "    m, s = (x * y).reshape(2, 3) + 0.1, x[0] * y[1]\n"
        )

    def end(self, space):
        return (
            f"{space}return (squash(a).sum() + (squash(b) * 2).sum() + (squash(c) * 3).sum() "
            "+ squash(m).sum() + squash(s))\n"
        )

    # --- what is chosen ---

    def one(self, things):
        return self.random.choice(things)

    def whole(self, low, high):
        return self.random.randint(low, high)

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def emit(self, *lines):
        self.lines += ["    " * self.depth + line for line in lines]

    def name(self):
        return self.one(VECTORS)

    def index(self):
        return str(self.whole(-SIZE, SIZE - 1))

    def part(self):
        """An index that selects three elements."""
        return self.one(["[:3]", "[3:]", "[::2]", "[::-2]", "[1::2]", "[[0, 4, 2]]", "[-4:-1]"])

    # --- expressions ---

    def scalar(self):
        a, b = self.name(), self.name()
        return self.one(
            [
                *("s", f"{a}[{self.index()}]", f"{a}.mean()", f"({a} @ {b}) * 0.2", "m[1, 2]"),
                *(f"np.max({a})", f"np.linalg.norm({a} + 0.01)", "m.T[0].sum()", f"{a}.std()"),
                *(f"np.median({a})", f"np.tanh({a}[{self.index()}] * s)", f"{a}[2:].prod()"),
            ]
        )

    def vector(self, depth=1):
        a, b = self.name(), self.name()
        kinds = [a, f"{a} * {b}", f"np.tanh({a} + {b})", f"{a} * {self.scalar()}", f"squash({a})"]
        if depth:
            one, other = self.vector(depth - 1), self.vector(depth - 1)
            kinds += [
                f"({one}) - ({other}) * 0.5",
                f"np.where({a} > {self.one(EDGES)}, {one}, {other})",
                f"np.concatenate(({a}{self.part()}, {b}{self.part()}))",
                f"np.cumsum({one}) * 0.3",
                f"np.roll({one}, {self.whole(1, 4)})",
                f"np.sort({one})",
                f"np.maximum({one}, {other})",
                f"m.{self.one(['ravel()', 'T.ravel()', 'reshape(-1)[::-1]'])}",
                f"np.repeat(m[{self.whole(-2, 1)}], 2)",
                f"np.outer({a}, {b}){self.one(['.sum(0)', '.T @ c', '[:, 2]'])} * 0.5",
                f"np.array([{self.scalar()}, *{a}[1:5], {self.scalar()}])",
                f"np.stack([{one}, {other}]){self.one(['.mean(0)', '[1]', '.T[:, 0]', '.max(0)'])}",
                f"np.interp({one}, np.array([-2.0, 0.0, 0.5, 2.0]), {a}[:4])",
                f"wave({one}, {b})",
                f"bell({one}, {b})",
                f"np.fft.irfft(np.fft.rfft({one})[:4] * 0.5, 6)",
            ]
        return self.one(kinds)

    def condition(self):
        return self.one(
            [
                f"{self.scalar()} > {self.one(EDGES)}",
                f"{self.name()}[{self.index()}] < {self.one(EDGES)}",
                f"(abs({self.name()}) > 0.6213).any()",
                f"({self.name()} > {self.one(EDGES)}).sum() > {self.whole(1, 4)}",
                f"not np.all({self.name()} < {self.one(EDGES)})",
            ]
        )

    def mask(self):
        return self.one(
            [
                f"{self.name()} > {self.one(EDGES)}",
                f"(a > {self.one(EDGES)}) & ({self.name()} < 0.9137)",
                f"~({self.name()} < {self.one(EDGES)})",
                f"squash({self.name()}) > 0.2113",
            ]
        )

    # --- statements ---

    def statement(self):
        kinds = [
            *(self.assigned, self.views_of_views, self.out, self.masked, self.joined, self.at),
            *(self.state, self.closure, self.object, self.generator, self.lax, self.inner),
            *(self.rows, self.loop, self.aliased, self.rule),
        ]
        if not self.batched:
            kinds += [self.branch, self.loop_on_values, self.exception, self.early, self.recursion]
        self.one(kinds)()

    def block(self, most=2):
        self.depth += 1
        for _ in range(self.whole(1, most)):
            if self.depth > 3:
                self.assigned()
            else:
                self.statement()
        self.depth -= 1

    def assigned(self):
        a = self.name()
        self.emit(
            self.one(
                [
                    f"{a} = {self.vector()}",
                    f"{a}[:] = {self.vector()}",
                    f"{a}[1:] {self.one(['+=', '=', '*='])} ({self.vector()})[:-1] * 0.7",
                    f"{a}{self.part()} {self.one(['+=', '='])} ({self.vector()}){self.part()}",
                    f"{a}[{self.index()}] {self.one(['+=', '='])} {self.scalar()}",
                    f"{a}[::-1] = {a} * 0.6 + {self.name()} * 0.3",
                    f"m[{self.whole(-2, 1)}] {self.one(['+=', '='])} {a}{self.part()} * 0.5",
                    f"m.T[1:] -= ({self.vector()})[:4].reshape(2, 2) * 0.2",
                    f"m = np.tanh(m @ m.T @ m) + {a}.reshape(2, 3) * 0.4",
                    f"s = {self.scalar()} * 0.8 + s * 0.3",
                    f"s, {a} = {a}[2] * 0.5, {self.vector()}",
                    f"m[:, [2, 0]] = m[:, :2] * {self.scalar()}",
                    f"{a} **= 2",
                    f"{a} /= 1 + {self.name()} ** 2",
                ]
            )
        )

    def views_of_views(self):
        a, v, w = self.name(), self.fresh("v"), self.fresh("w")
        source = self.one(
            [
                *(f"{a}[1:]", f"{a}[::-1]", f"{a}.reshape(2, 3).T", "m.T", "m[:, ::-1]", "m[1:]"),
                *(f"np.split({a}, 2)[1]", f"np.expand_dims({a}, 0)", "np.swapaxes(m, 0, 1)[1:]"),
                *(f"{a}[None, ::2]", "np.atleast_2d(m[0])", "m.reshape(3, 2)", f"np.flip({a})"),
            ]
        )
        self.emit(
            f"{v} = {source}",
            f"{w} = {v}{self.one(['[1:]', '[::-1]', '[..., 1:]', '.T', '.reshape(-1)[:2]'])}",
        )
        for _ in range(self.whole(1, 3)):
            self.emit(
                self.one(
                    [
                        f"{w} *= 0.6",
                        f"{w} += {self.scalar()} * 0.3",
                        f"{w}[...] = squash({w}) - 0.1",
                        f"{v}[-1] = {w}.sum() * 0.2",
                        f"{v}[0] -= {v}[-1] * 0.5",
                        f"np.tanh({w}, out={w})",
                        f"s = s * 0.5 + {w}.mean() * {v}.max()",
                        f"{a}[{self.index()}] = {w}.ravel()[0] * 0.7",
                    ]
                )
            )

    def out(self):
        a, b, c = self.name(), self.name(), self.name()
        self.emit(
            self.one(
                [
                    f"np.multiply({a}, {b}, out={c})",
                    f"np.add({a}[::-1], {b}, out={a}[::-1])",
                    f"np.sin({a}, out={b}, where={c} > {self.one(EDGES)})",
                    f"np.cumsum({a} * 0.3, out={b})",
                    f"np.concatenate(({a}[3:], {b}[:3]), out={c})",
                    f"np.sum(m * 0.7, axis=0, out={a}[:3])",
                    f"np.matmul(m, {a}{self.part()} * 0.5, out={b}[1:3])",
                    f"np.clip({a}, -0.7513, 0.6579, out={c})",
                    f"np.take({a}, np.array([5, 0, 0, 3, 1, 2]), out={c})",
                    f"np.maximum({a}, {b}, out=m.reshape(-1))",
                    f"np.subtract({a}, {a}.mean(), {a})",
                    f"np.dot(m * 0.5, m.T[:, 0], out={b}[2:4])",
                    f"np.mean(m, axis=1, out={c}[2:4])",
                    f"np.add.reduce(m, axis=0, out={a}[3:])",
                    f"np.multiply.accumulate({a} * 0.5 + 0.4, out={a})",
                    f"np.stack(({a}[:3], {b}[3:]), out=m)",
                    f"np.einsum('ij,j->i', m, {a}{self.part()}, out={c}[:2])",
                ]
            )
        )

    def masked(self):
        a, b, mask = self.name(), self.name(), self.mask()
        lines = [
            f"{a}[{mask}] {self.one(['*=', '+=', '='])} {self.one(['0.4', 's * 0.5'])}",
            f"{a}[{mask}] = np.sin({a}[{mask}]) * 0.5" if a == b else f"{b}[{mask}] *= 0.3",
            f"np.copyto({a}, {self.vector()}, where={mask})",
            f"np.putmask({a}, {mask}, {self.vector()})",
            f"{a} = np.select([{mask}, {self.mask()}], [{self.vector()}, {b}], s)",
            f"np.add.at({a}, {mask}, 0.25)",
            f"m[m > {self.one(EDGES)}] *= 0.5",
            f"{a} = np.where({mask}, np.sqrt(np.where({mask}, {b} ** 2 + 0.1, 1.0)), {b})",
        ]
        self.emit(self.one(lines))
        if self.random.random() < 0.4:
            k = self.fresh("k")
            self.emit(
                f"{k} = {mask}",
                self.one([f"{a}[{k}] = {b}[{k}] * 0.8", f"{a}[{k}] += squash({b}[{k}])"]),
            )

    def joined(self):
        t, a, b = self.fresh("t"), self.name(), self.name()
        self.emit(f"{t} = {a}[{self.mask()}]")
        self.emit(
            self.one(
                [
                    f"s = s * 0.5 + np.concatenate(({t}, {b}[{self.mask()}])).sum() * 0.2",
                    f"s = s + np.concatenate(({t} * 0.5, {b}[:2], {t})).sum() * 0.2",
                    f"s = s * 0.4 + ({t} @ {t}) * 0.3",
                    f"s = s * 0.4 + np.stack(({t}, {t} * 0.5)).sum() * 0.1",
                    f"s = s * 0.4 + np.sort(np.append({t}, 0.3))[0] * 0.5",
                    f"s = s * 0.4 + np.cumsum({t}).sum() * 0.1",
                    f"s = s * 0.4 + np.dot({t}, {t} ** 2) * 0.1",
                    f"{b} = {b} * 0.5 + np.append({t}, 0.1).max()",
                    f"{b} = {b} * 0.5 + np.hstack([{t}, {b}]).mean()",
                    f"m = m * 0.5 + np.outer({t}, {a}[:3]).sum(0) * 0.2",
                    f"{b} = ({t}[:, None] * {b}).sum(0) * 0.3",
                    f"s = s * 0.4 + np.einsum('i,i', {t}, {t}) * 0.1",
                    f"{b}[:3] = np.vstack((m, {t}.sum() + m)).mean(0)",
                ]
            )
        )

    def at(self):
        a, b = self.name(), self.name()
        places = self.one(["[0, 2, 0]", "[1, 1, -1]", "[5, 3, 4]"])
        self.emit(
            self.one(
                [
                    f"np.add.at({a}, {places}, {b}{self.part()} * 0.5)",
                    f"np.multiply.at({a}, {places}, 0.5 + {b}{self.part()} * 0.2)",
                    f"np.subtract.at({a}, {places}, squash({b}){self.part()})",
                    f"np.maximum.at({a}, {places}, {b}{self.part()} * 0.9)",
                    f"np.add.at(m, ([0, 1, 0], {self.one(['[0, 0, 0]', '[2, 1, 0]'])}), {b}[:3])",
                    f"np.divide.at({a}, {places}, 1.5 + {b}{self.part()} ** 2)",
                    f"{a} = {a}.at[np.array({places})].add({b}{self.part()})",
                    f"{a} = {a}.at[1:4].multiply({b}[1:4]).at[0].set(s)",
                    f"np.add.at({a}[::-1], {places}, s * 0.5)",
                ]
            )
        )

    def state(self):
        d, a, b = self.fresh("d"), self.name(), self.name()
        self.emit(f"{d} = {{'p': {a}, 'q': [{b}, m[0]], 'r': {{'s': s}}}}")
        for _ in range(self.whole(1, 3)):
            self.emit(
                self.one(
                    [
                        f"{d}['p'][1:] += {d}['q'][0][:-1] * 0.3",
                        f"{d}['q'][1] *= 0.5",
                        f"{d}['q'].append({self.vector()})",
                        f"{d}['r']['s'] = {d}['r']['s'] * 0.5 + {d}['q'][-1].sum() * 0.2",
                        f"{d}['p'] = {d}['p'] * {d}['r']['s']",
                        f"{d}['q'][0] = {d}.setdefault('z', {self.vector()}) * 0.7",
                        f"{d}['r'].update(s=np.tanh({d}['p'][0]))",
                    ]
                )
            )
        self.emit(f"s = {d}['r']['s'] * 0.5 + sum(one.sum() for one in {d}['q']) * 0.1")
        self.emit(
            self.one(
                [
                    f"{a} = {d}['p'] * 0.9",
                    f"{a} = np.tanh(sum(np.tree.leaves({d}['q'][:1])))",
                    f"{d} = np.tree.map(lambda one: one * 0.5, {d}); {a} = {d}['p']",
                ]
            )
        )

    def aliased(self):
        a, b, o = self.name(), self.name(), self.fresh("o")
        self.emit(
            *self.one(
                [
                    [f"{o} = {a}", f"{o} *= 0.7", f"{b} = {a} + {o}"],
                    [f"{o} = {a}", f"{a} = {a} * 2", f"{o}[2:] = {b}[2:] * 0.4", f"c = {o} + {a}"],
                    [f"{o} = {a}[:]", f"{a} = {self.vector()}", f"{o} += 0.1", f"{b} = {o} * {a}"],
                    [
                        f"{o} = [{a}, {a}]",
                        f"{o}[0][1] = s",
                        f"{o}[1] = {o}[1] * {o}[0]",
                        f"{b} = {o}[1]",
                    ],
                    [f"{o} = {a}.copy()", f"{a} *= {o}", f"{o}[:] = {b}", f"{b} = {o} * {a}"],
                ]
            )
        )

    def closure(self):
        g, a, b = self.fresh("g"), self.name(), self.name()
        self.emit(f"def {g}(v, scale=0.5):")
        self.depth += 1
        changed = self.one(["s", "m", a])
        self.emit(f"nonlocal {changed}")
        self.emit(
            *self.one(
                [
                    [f"{b}[1:] += v[1:] * scale" if b != changed else "v = v * scale"],
                    ["v = v + scale"],
                    [f"h = lambda u: u * scale + {self.name()}", "v = h(v)"],
                ]
            )
        )
        self.emit(
            {
                "s": "s = s * 0.5 + v.mean() * 0.4",
                "m": "m = m * 0.6 + v[:3]",
            }.get(changed, f"{changed} = {changed} * 0.5 + v * scale")
        )
        self.emit(f"return np.tanh(v) * {self.one(['scale', 's', 'm[0, 0]'])}")
        self.depth -= 1
        result = self.name()
        self.emit(f"{result} = {g}({self.vector()}) + {g}({self.name()}, scale={self.scalar()})")

    def object(self):
        o, a = self.fresh("o"), self.name()
        self.emit(
            f"{o} = Cell({a})",
            f"for {o}_t in range({self.whole(1, 3)}):",
            f"    {o}.step({self.one([self.name(), f'{a} * {o}_t', 'm.ravel()'])})",
            *self.one(
                [
                    [f"{a} = {o}.state", f"s = s * 0.5 + {o}.seen[-1] * 0.3"],
                    [f"{o}.state[1:4] *= s", f"{a} = {o}.state"],
                    [f"{a} = {a} * 0.5 + np.stack({o}.seen).sum() * 0.1"],
                ]
            ),
        )

    def generator(self):
        g, a = self.fresh("g"), self.name()
        self.emit(
            f"def {g}(v):",
            "    last = 0.1",
            "    for one in v:",
            f"        last = last * 0.4 + {self.one(['np.sin(one)', 'one * s', 'one'])}",
            "        yield last",
        )
        b = self.name()
        self.emit(
            self.one(
                [
                    f"{b} = np.stack(list({g}({a})))",
                    f"{b} = np.array([one * 0.7 for one in {g}({a})])",
                    f"s = s * 0.5 + sum({g}({a})) * 0.1",
                    f"{b}[:3] = [one for one, _ in zip({g}({a}), range(3))]",
                    f"m = np.array([*{g}({a})]).reshape(2, 3)",
                ]
            )
        )

    def rows(self):
        a = self.name()
        self.emit(
            *self.one(
                [
                    ["for row in m:", f"    row[1:] += {a}[:2] * 0.4", "    row *= s"],
                    ["for i, row in enumerate(m.T):", f"    {a}[i] = row.sum() * 0.4"],
                    [f"for u, v in zip({a}, m.ravel()):", "    s = s * 0.7 + u * v * 0.3"],
                    ["for i in range(1, 6):", f"    {a}[i] = {a}[i] * 0.5 + squash({a}[i - 1])"],
                    ["p, q = m", "p += q * 0.3", "q[:] = squash(p)"],
                    [f"p, *q, r = {a}", "s = p * r + sum(q) * 0.1", f"{a}[0] = q[1]"],
                    [f"{a} = np.array([[one * 0.5, s] for one in {a}[:3]]).ravel()"],
                    [f"{a}[[i for i in range(6) if i % 2]] *= m[0]"],
                ]
            )
        )

    def loop(self):
        i = self.fresh("i")
        over = self.one(["range(2)", "range(3)", "(1, 4)", "range(4, 0, -2)", "[0]"])
        self.emit(f"for {i} in {over}:")
        self.block()
        if self.random.random() < 0.5:
            self.emit(f"    {self.name()}[{i}] *= 0.5")
        if self.random.random() < 0.3:
            self.emit(f"    if {i} == 1:", f"        {self.one(['break', 'continue'])}")
            self.emit(f"    s = s * 0.9 + {self.name()}[{i}] * 0.1")

    def lax(self):
        a, b, limit = self.name(), self.name(), self.one(EDGES)
        loop = f"np.lax.fori_loop(0, {self.whole(1, 3)}, lambda i, k: "
        carried = f"k * 0.5 + np.tanh({b} * r.sum()), r * k[:3]"
        chosen = "np.lax.cond(k > 0.1371, lambda u: u * 0.6, lambda u: u + t, k), None"
        nested = "np.lax.scan(lambda h, r: (h * 0.5 + r.sum() * k, None), k, m)[0]"
        branches = f"[lambda u: u * 2, lambda u: u * {b}, np.sin]"
        self.emit(
            self.one(
                [
                    f"{a}, m = np.lax.scan(lambda k, r: ({carried}), {a}, m)",
                    f"s, {a} = np.lax.scan(lambda k, v: (k * 0.5 + v * s, np.sin(k) * v), s, {b})",
                    f"s, _ = np.lax.scan(lambda k, t: ({chosen}), s, {b})",
                    f"{a} = {loop}squash(k) * 0.6 + {b} * 0.2 * i, {a})",
                    f"{a} = {loop}k.at[i].add(s * k[i + 1]), {a})",
                    f"{a} = {loop}{nested}, {a})",
                    f"{a} = {loop}np.lax.dynamic_update_slice(k, k[1:3] * {b}[i], (i,)), {a})",
                    f"{a} = np.lax.cond({self.scalar()} > {limit}, np.sort, lambda u: u * s, {a})",
                    f"{a} = np.lax.switch({self.whole(0, 2)}, {branches}, {a})",
                    f"{a} = np.lax.map(lambda v: v * s + np.sin(v), {b})",
                    f"{a} = np.lax.associative_scan(np.add, {b}) * 0.2",
                ]
            )
        )

    def rule(self):
        """Rules that read what the program made, and overwrites afterwards."""
        g, k, a, b = self.fresh("g"), self.fresh("k"), self.name(), self.name()
        self.emit(f"{k} = np.arange(6) * 0.1 + 0.3")
        self.emit(
            *self.one(
                [
                    [
                        f"{g} = np.custom_vjp(lambda u: np.sin(u) * {k})",
                        f"{g}.defvjp(lambda u: (np.sin(u) * {k}, u), lambda u, t: "
                        f"(t * np.cos(u) * {k},))",
                    ],
                    [
                        f"{g} = np.custom_jvp(lambda u: np.sin(u) * {k})",
                        f"{g}.defjvp(lambda p, t: (np.sin(p[0]) * {k}, t[0] * np.cos(p[0]) * {k}))",
                    ],
                    [
                        f"{g} = np.custom_gradient(lambda u: "
                        f"(np.sin(u) * {k}, lambda t: t * np.cos(u) * {k}))"
                    ],
                    [f"{g} = np.checkpoint(lambda u: np.sin(u) * {k})"],
                ]
            ),
            f"{a} = {g}({b})",
            f"{k}[1:] {self.one(['*= 0.5', '= 0.7', '+= 0.2'])}",
            self.one(
                [
                    f"{b} = {g}({a})",
                    f"{b} = {b} * {k}",
                    f"m = np.vmap({g})(np.stack([{a}, {b}]))[:, ::2]",
                ]
            ),
        )

    def inner(self):
        a, b, w = self.name(), self.name(), self.fresh("w")
        kinds = [
            f"{a} = np.grad(lambda u: (squash(u) * {b}).sum())({a})",
            f"{a} = np.grad(lambda u: squash(u * s).sum() + (u * m.ravel()).sum())({b})",
            f"{a} = np.jvp(lambda u: squash(u) * {b}, ({a},), ({self.vector()},))[1]",
            "m = np.vmap(lambda r: squash(r) * np.sort(r) + s)(m)",
            f"{a} = np.vmap(lambda u, r: (u * r).sum() * 0.3, (0, None))({b}, m)",
            f"{a} = np.jacrev(lambda u: u * u[::-1] * s)({a}) @ {b} * 0.4",
            f"{a} = np.jacfwd(lambda u: np.sin(u) * {b})({a}) @ {b}",
            f"{a} = np.hvp(lambda u: (u ** 3 * {b}).sum() * 0.2, ({a},), ({b},))",
            f"{a} = np.jit(lambda u: squash(u) * {b} + s)({a})",
            f"{a} = np.checkpoint(lambda u: squash(u) * {b} + s)({a})",
            f"{a} = np.checkpoint(lambda u, v: squash(u) * v)({a}, {b})",
            f"s, {a} = np.value_and_grad(lambda u: (np.tanh(u) * {b}).sum() * 0.3)({a})",
            f"{a} = np.vmap(np.grad(lambda u, v: np.sin(u * v) * s))({a}, {b})",
            "m = np.vmap(lambda r: np.cumsum(r) * 0.4, in_axes=1, out_axes=1)(m)",
            f"{a} = np.vjp(lambda u: squash(u) * s, {a})[1]({b})[0]",
            f"{a} = np.linearize(lambda u: squash(u) * s, {a})[1]({b})",
            f"{a} = np.where({self.mask()}, np.stop_gradient(np.ones(6)) * {b}, {a})",
            f"{a} = np.linalg.solve(np.eye(6) * 2 + np.outer(np.sin({a}), np.cos({b})) * 0.2, {b})",
            f"{a} = np.vectorize(lambda u: np.sin(u) * 0.5 + u, signature='()->()')({a})",
        ]
        if self.random.random() < 0.7:
            self.emit(self.one(kinds))
            return
        # Functions that write to what they get, or to what is outside of them.
        written = self.one(["u", "u", "c"])
        self.emit(
            f"def {w}(u):",
            f"    {written}[1:] = {written}[1:] * u[:-1] * 0.5 + {b if b != written else 'y'}[1:]",
            f"    {written}[{self.index()}] += s",
            "    return squash(u) * 0.8",
        )
        ways = [
            f"{a} = np.jit({w})({a})",
            f"{a} = np.checkpoint({w})({a})" if written == "u" else f"{a} = {w}({a})",
            f"{a} = np.grad(lambda u: {w}(u).sum())({a})" if written == "u" else f"{a} = {w}({a})",
            f"{a} = np.jvp({w}, ({a},), ({a} * 0.5,))[1]" if written == "u" else f"{a} = {w}({a})",
            f"{a} = {w}({a}[::-1])",
        ]
        self.emit(self.one(ways))

    # --- what looks at values ---

    def branch(self):
        self.emit(f"if {self.condition()}:")
        self.block()
        if self.random.random() < 0.6:
            self.emit("else:")
            self.block(1)
        elif self.random.random() < 0.5:
            a = self.name()
            self.emit(f"{a} = {self.vector()} if {self.condition()} else {a} * 0.5")

    def loop_on_values(self):
        k, a = self.fresh("k"), self.name()
        self.emit(
            f"{k} = 0", f"while {self.condition()} and {k} < {self.whole(1, 4)}:", f"    {k} += 1"
        )
        self.block()
        if self.random.random() < 0.4:
            self.emit(f"    if {self.condition()}:", f"        {self.one(['break', 'continue'])}")
            self.emit(f"    {a} *= 0.8")
        if self.random.random() < 0.3:
            self.emit("else:", f"    {a}[1] = s")

    def exception(self):
        a = self.name()
        self.emit("try:")
        self.block(1)
        self.emit(
            f"    if {self.condition()}:",
            f"        raise Enough({self.name()} * 0.5)",
            f"    {a}[2:] *= 0.7",
            "except Enough as stop:",
            f"    {a} = {a} * 0.4 + stop.args[0]",
        )
        if self.random.random() < 0.4:
            self.emit("else:", f"    s = s * 0.5 + {a}[0]")
        if self.random.random() < 0.4:
            self.emit("finally:", f"    {self.name()}[-1] = s * 0.6")
        if self.random.random() < 0.3:
            self.emit(
                "try:",
                f"    {a}[1:3] = {self.name()}[2:4]",
                f"    {a}[1:3] = {self.name()}[:3]",
                "except ValueError:",
                f"    {a}[3] = {a}[1] * 0.5",
            )

    def early(self):
        self.emit(f"if {self.condition()} and {self.condition()}:")
        self.depth += 1
        self.assigned()
        self.lines.append(self.end("    " * self.depth).rstrip("\n"))
        self.depth -= 1

    def recursion(self):
        g, a = self.fresh("g"), self.name()
        self.emit(
            f"def {g}(v, depth):",
            f"    if depth == 0 or v.sum() < {self.one(EDGES)}:",
            "        return v * 0.5",
            f"    v[depth] = v[depth - 1] * {self.scalar()}",
            f"    return {self.one(['v * 0.3', self.name()])} + {g}(squash(v), depth - 1)",
            f"{a} = {g}({a} * 1.0, {self.whole(1, 3)})",
        )

    # --- running ---

    def function(self):
        names = {}
        exec(compile(self.text, "program", "exec"), names)
        return names["f"]
