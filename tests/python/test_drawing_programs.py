"""Random programs that draw from generators inside of transformations: recorded calls draw what
plain code draws, and leave generators where it leaves them."""

import random

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

SIZE = 6
DRAWS = [
    "rng.normal(size=6) * 0.3",
    "rng.random(6)",
    "rng.uniform(0.5, 1.5, 6)",
    "rng.normal(squash({a}), 0.2)",
    "rng.permutation({a})",
    "rng.integers(0, 3, 6) * 0.2",
    "rng.gamma(1.5, abs({a}) + 0.1) * 0.2",
    "rng.choice(6, 6) * 0.1",
    "rng.exponential(0.3, 6)",
    "rng.standard_normal((2, 3)).ravel() * {a}",
    "rng.poisson(2.0, 6) * 0.1",
    "np.resize(rng.random(), 6)",
    "other.normal(size=6) * rng.random()",
    "hd_random.normal(size=6) * 0.2",
]


class DrawingProgram:
    """`f(np, x, rng, other)`: vectors of SIZE numbers, and what two generators draw."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        lines = [
            "def f(np, x, rng, other):",
            "    hd_random = np.random",
            "    squash = lambda v: np.sin(v) + 0.5 * v / (1 + v * v)",
            "    a, b, c = x * 1.0, squash(x) + 0.2, x[::-1] * 0.5",
        ]
        for _ in range(self.random.randint(2, 6)):
            lines += ["    " + line for line in self.statement()]
        self.text = "\n".join([*lines, "    return (squash(a) + 2 * squash(b) * squash(c)).sum()"])

    def name(self):
        return self.random.choice("abc")

    def drawn(self):
        return self.random.choice(DRAWS).format(a=self.name())

    def statement(self):
        a, b = self.name(), self.name()
        draw, other = self.drawn(), self.drawn()
        self.count += 1
        g = f"g{self.count}"
        inner = [f"def {g}(u, w):", f"    u = u * 1.0 + {draw}", "    u[1:] += w[:-1] * u[:-1]"]
        if self.random.random() < 0.5:
            inner.append(f"    u[::2] *= ({other})[:3]")
        inner.append("    return np.tanh(u)")
        return self.random.choice(
            [
                [f"{a} = {b} + {draw}"],
                [f"{a}[1:] += ({draw})[:-1]"],
                [f"{a} = np.where({b} > 0.1379, {draw}, {other})"],
                [f"{a}[{b} > 0.2113] *= rng.random()"],
                [f"np.add.at({a}, [0, 2, 0], ({draw})[:3])"],
                ["for i in range(3):", f"    {a} = {a} * 0.6 + {draw}"],
                ["for i in range(1, 6):", f"    {a}[i] = {a}[i - 1] * rng.normal() + {b}[i]"],
                [f"{a} = np.lax.fori_loop(0, 3, lambda i, v: squash(v) + {draw}, {b})"],
                [
                    "step = lambda v, r: (v * 0.5 + r, v * rng.random())",
                    f"last, rows = np.lax.scan(step, 0.3, {b})",
                    f"{a} = rows + last",
                ],
                [f"rng.shuffle({a})"] if self.random.random() < 0.3 else [f"{a} *= {draw}"],
                [*inner, f"{a} = {g}({a}, {b})"],
                [*inner, f"{a} = np.jit({g})({a}, {b})"],
                [*inner, f"j = np.jit({g})", f"{a} = j({a}, {b})", f"{b} = j({b}, {a})"],
                [*inner, f"{a} = np.checkpoint({g})({a}, {b})"],
                [*inner, f"{a} = np.grad(lambda u: squash({g}(u, {b})).sum())({a}) * 0.3"],
                [*inner, f"{a} = np.jit(np.grad(lambda u: {g}(u, {b} * 1.0).sum()))({a}) * 0.3"],
                [*inner, f"{a} = np.jvp(lambda u: {g}(u, {b}), ({a},), (x * 1.0,))[1] * 0.3"],
                [
                    *inner,
                    f"{a} = np.vmap({g}, (0, None))(np.outer({a}, {b}), {b}).mean(0)",
                ],
                [
                    *inner,
                    f"{a} = np.jit(np.vmap({g}, (0, None)))(np.outer({a}, {b}), {b}).mean(0)",
                ],
            ]
        )


def program(seed):
    names = {}
    exec(DrawingProgram(seed).text, names)
    return names["f"]


def near(found, wanted):
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", [*range(10), 20])
def test_recorded_calls_go_on_as_plain_ones_do(seed):
    f = program(seed)
    xs = [hd.asarray(np.random.default_rng(seed + i).uniform(-1, 1, SIZE)) for i in range(4)]

    def run(transform):
        generators = hd.random.default_rng(seed), hd.random.default_rng(seed + 1)
        hd.random.seed(seed)
        call = transform(lambda x: f(hd, x, *generators))
        made = [call(x) for x in xs]
        return [*made, *(one.random() for one in generators), hd.random.random()]

    plain, slopes = run(lambda g: g), run(hd.grad)
    for found, wanted in (
        (run(hd.jit), plain),
        (run(lambda g: hd.jit(hd.grad(g))), slopes),
        (run(lambda g: hd.grad(hd.jit(g))), slopes),
        (run(lambda g: lambda x: hd.value_and_grad(g)(x)[0]), plain),
    ):
        for one, other in zip(found, wanted, strict=True):
            near(one, other)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(100, 106))
def test_derivatives_of_what_is_drawn(seed):
    """The same words at each point: differences of them are derivatives."""
    f = program(seed)
    x = hd.asarray(np.random.default_rng(seed).uniform(-1, 1, SIZE))
    along = hd.asarray(np.random.default_rng(seed + 1).uniform(-1, 1, SIZE))

    def g(x):
        hd.random.seed(seed)
        return f(hd, x, hd.random.default_rng(seed), hd.random.default_rng(seed + 1))

    slope = float((hd.grad(g)(x) * along).sum())
    near(hd.jvp(g, (x,), (along,))[1], slope)
    near((hd.grad(hd.checkpoint(g))(x) * along).sum(), slope)
    rough, fine = (
        (float(g(x + h * along)) - float(g(x - h * along))) / (2 * h) for h in (1e-6, 1e-7)
    )
    if abs(rough - fine) < 1e-4 * (1 + abs(fine)):  # no edge within the step
        assert slope == pytest.approx(rough, rel=1e-3, abs=1e-4)
