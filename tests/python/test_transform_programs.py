"""Random programs that write to arrays: derivatives against differences, batches against loops,
recorded calls against plain ones, and compositions of them."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

SIZE = 6
QUICK = settings(
    max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


def smooth(x):
    """Bounded, so that programs of many statements stay so."""
    return hd.sin(x) + 0.5 * x / (1 + x * x)


SLICES = [slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1)]
OPERATIONS = [
    lambda a, b: a * b,
    lambda a, b: a + 2 * b,
    lambda a, b: a - b * b,
    lambda a, b: hd.tanh(a) * 0.7 + b,
    lambda a, b: a / (1.5 + b * b),
    lambda a, b: hd.where(a > 0.1, b, a * 0.3),
    lambda a, b: hd.maximum(a, b * 0.9 - 0.05),
]


def _where(a, b, place):
    hd.multiply(a, smooth(b), out=a, where=b > 0.1)


def _out(a, b, place):
    hd.add(a[::-1], smooth(b), out=a[::-1])


def _transposed(a, b, place):
    view = a.reshape(2, 3).T
    view[1:] += smooth(b).reshape(3, 2)[1:] * 0.5


def _factors(a, b, place):
    hd.multiply.at(a, np.array([place, 1, 1]), 1 + 0.3 * hd.sin(b)[:3])


def _dropped(a, b, place):
    a[:] = a.at[np.array([place, SIZE + 3, -1])].add(b[:3] * 0.4, mode="drop")


def _sorted(a, b, place):
    a[:] = hd.sort(a) * 0.7 + b * 0.3


def _solved(a, b, place):
    a[:] = hd.linalg.solve(hd.eye(SIZE) * 3 + hd.outer(hd.sin(a), hd.cos(b)) * 0.2, a)


def _transformed(a, b, place):
    a[:] = hd.fft.irfft(hd.fft.rfft(a) * 0.5, SIZE) + 0.1 * b


def _scanned(a, b, place):
    last, rows = hd.lax.scan(lambda c, v: (smooth(c) * 0.5 + v, c * v), hd.asarray(a[place]), b)
    a[::2] = rows[::2]
    a[place] = last


def _looped(a, b, place):
    a[:] = hd.lax.fori_loop(0, 3, lambda _, c: smooth(c) * 0.6 + b * 0.1, a)


def _products(a, b, place):
    a[:] = hd.cumprod(0.9 + 0.1 * hd.sin(b)) * (0.5 + a.std())


def _selected(a, b, place):
    mask = hd.arange(SIZE) % 3 != place % 3
    a[mask] = smooth(a[mask]) * 0.6 + b[mask][::-1] * 0.2


def _running(a, b, place):
    a[:] = hd.logaddexp.accumulate(a - b) * 0.3 + hd.hypot.accumulate(0.2 + hd.abs(b)) * 0.1


def _placed(a, b, place):
    a[place] = hd.quantile(a, 0.5 + 0.4 * hd.sin(b[place])) * 0.5 + hd.median(b) * 0.2


def _iterated(a, b, place):
    for i, element in enumerate(b):
        a[(i + place) % SIZE] += 0.3 * element * a[i]


def _branch(a, b, place):
    a[:] = hd.where(b > 0, hd.sqrt(b), a * 0.5) + hd.sinc(b) * 0.1


# Statements that write to their first array, by name.
WRITES_AND_STEPS = {
    f.__name__: f
    for f in (
        *(_where, _out, _transposed, _factors, _dropped, _sorted, _solved, _transformed),
        *(_scanned, _looped, _products, _selected, _running, _placed, _iterated, _branch),
    )
}


@st.composite
def statements(draw):
    """A program: what is written where, of what."""
    made = []
    for _ in range(draw(st.integers(2, 7))):
        kind = draw(
            st.sampled_from(
                (
                    "assign",
                    "in place",
                    "element",
                    "row",
                    "gather",
                    "scatter",
                    "reduce",
                    "new",
                    "view",
                    *WRITES_AND_STEPS,
                )
            )
        )
        made.append(
            (
                kind,
                draw(st.integers(0, 2)),
                draw(st.integers(0, 2)),
                draw(st.integers(0, len(OPERATIONS) - 1)),
                draw(st.integers(0, len(SLICES) - 1)),
                draw(st.integers(0, SIZE - 1)),
            )
        )
    return made


def run(program, x):
    arrays = [x.copy(), smooth(x), hd.zeros_like(x) + 0.2]
    for kind, target, source, operation, where, place in program:
        a, b = arrays[target], arrays[source]
        f, index = OPERATIONS[operation], SLICES[where]
        if kind == "assign":
            a[index] = f(a, b)[index]
        elif kind == "in place":
            a[index] *= f(b, a)[index] * 0.5
        elif kind == "element":
            a[place] = f(b[place], a[place - 1])
        elif kind == "row":
            for i in range(1, SIZE):
                a[i] = a[i] * 0.5 + smooth(a[i - 1]) * b[i]
        elif kind == "gather":
            a[:] = f(b[np.array([0, place, 2, place, 4, 1])], a)
        elif kind == "scatter":
            hd.add.at(a, np.array([0, place, place]), f(b, a)[:3])
        elif kind == "reduce":
            a += 0.1 * f(a, b).sum() - b.max() * 0.2
        elif kind == "new":
            arrays[target] = f(a, b).cumsum() * 0.3
        elif kind == "view":
            view = a[::2]
            view += smooth(b)[: view.shape[0]]
        else:
            WRITES_AND_STEPS[kind](a, b, place)
    return sum((hd.asarray(smooth(a)) * (i + 1)).sum() for i, a in enumerate(arrays))


def at(seed, *shape):
    return hd.asarray(np.random.default_rng(seed).uniform(-1, 1, size=(*shape, SIZE)))


def differences(f, x, along, step=1e-6):
    return (float(f(x + step * along)) - float(f(x - step * along))) / (2 * step)


def near(found, wanted, rtol=1e-9):
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=rtol, atol=1e-10)


@QUICK
@given(statements(), st.integers(0, 1000))
def test_derivatives_against_differences(program, seed):
    def f(x):
        return run(program, x)

    x, along = at(seed), at(seed + 1)
    wanted = differences(f, x, along)
    slope = float((hd.grad(f)(x) * along).sum())
    # Where a maximum changes sides within the step differences are no derivatives.
    closer = differences(f, x, along, 1e-7)
    if abs(wanted - closer) > 1e-4 * (1 + abs(wanted)):
        return
    assert slope == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    assert float(hd.jvp(f, (x,), (along,))[1]) == pytest.approx(slope, rel=1e-9, abs=1e-10)


@QUICK
@given(statements(), st.integers(0, 1000))
def test_batches_against_loops(program, seed):
    def f(x):
        return run(program, x)

    rows = at(seed, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        near(hd.vmap(f)(rows), hd.stack([hd.asarray(f(row)) for row in rows]))
        slopes = hd.stack([hd.grad(f)(row) for row in rows])
        near(hd.vmap(hd.grad(f))(rows), slopes)
        near(hd.grad(lambda rows: hd.vmap(f)(rows).sum())(rows), slopes)


@QUICK
@given(statements(), st.integers(0, 1000))
def test_calls_that_write_to_their_arguments(program, seed):
    """As one step (see test_whole_calls.py) and step by step."""

    def f(x, seen):
        made = run(program, x)
        x *= 0.5
        x[1:] += seen[:-1]
        seen[...] = smooth(x) + made * 0.01
        return made, x[::2]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for steps in (1, 10**6):
            before = hd._core.set_fewest_whole_steps(steps)
            try:
                jitted = hd.jit(f)
                arrays, wanted = [at(seed), at(seed + 1)], [at(seed), at(seed + 1)]
                for _ in range(4):
                    made, again = jitted(*arrays), f(*wanted)
                    for one, other in zip((*made, *arrays), (*again, *wanted), strict=True):
                        near(one, other)
                    made[1][0] = again[1][0] = 0.3  # a view of the argument
            finally:
                hd._core.set_fewest_whole_steps(before)


@QUICK
@given(statements(), st.integers(0, 1000))
def test_recorded_against_plain(program, seed):
    def f(x):
        return run(program, x)

    jitted, slope = hd.jit(f), hd.jit(hd.grad(f))
    many = hd.jit(hd.vmap(hd.value_and_grad(f)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i in range(3):
            x, rows = at(seed + i), at(seed + i, 2)
            near(jitted(x), f(x))
            near(slope(x), hd.grad(f)(x))
            near(hd.grad(jitted)(x), hd.grad(f)(x))
            near(hd.grad(hd.checkpoint(f))(x), hd.grad(f)(x))
            near(hd.vmap(jitted)(rows), hd.vmap(f)(rows))
            for found, wanted in zip(many(rows), hd.vmap(hd.value_and_grad(f))(rows), strict=True):
                near(found, wanted)


@settings(parent=QUICK, max_examples=5)
@given(statements(), st.integers(0, 1000))
def test_second_derivatives(program, seed):
    def f(x):
        return run(program, x)

    x, along = at(seed), at(seed + 1)
    over_reverse = hd.jvp(hd.grad(f), (x,), (along,))[1]
    twice = hd.grad(lambda x: (hd.grad(f)(x) * along).sum())(x)
    near(over_reverse, twice, 1e-8)
    near(hd.jit(lambda x, v: hd.hvp(f, (x,), (v,)))(x, along), twice, 1e-8)


# --- every kind of layout ---

LAYOUTS = {
    "C": lambda x: x,
    "F": lambda x: hd.asarray(x).T.copy().T,
    "strided": lambda x: hd.stack([x, x * 0], -1)[..., 0],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "broadcast": lambda x: hd.broadcast_to(x[:1], x.shape),
}
FUNCTIONS = {
    "product": lambda x: x * hd.cos(x) + x**2,
    "reduce": lambda x: x.sum(0) * x.prod(-1).max(),
    "scan": lambda x: hd.cumsum(x, -1) * hd.cumprod(x, 0),
    "sort": lambda x: hd.sort(x, 0) ** 2,
    "matmul": lambda x: x @ hd.swapaxes(x, -1, -2),
    "gather": lambda x: x[::-1, 1:] * x[:, :-1],
    "norm": lambda x: hd.linalg.norm(x, axis=-1),
    "softmax": lambda x: hd.exp(x - x.max()) / hd.exp(x - x.max()).sum(-1, keepdims=True),
    "complex": lambda x: hd.abs(hd.exp(1j * x) * x + 1),
    "write": lambda x: written(x),
}


def written(x):
    y = hd.zeros_like(x)
    y[:, 1:] = x[:, :-1] * 2
    y[0] += x[0] ** 2
    return y * x


@QUICK
@given(
    st.sampled_from(sorted(FUNCTIONS)),
    st.sampled_from(sorted(LAYOUTS)),
    st.sampled_from(["f4", "f8", "c16"]),
    st.integers(1, 4),
    st.integers(2, 5),
    st.integers(0, 99),
)
def test_derivatives_to_second_order(name, layout, dtype, rows, columns, seed):
    if dtype == "c16" and name in ("reduce", "sort", "norm", "softmax", "complex"):
        dtype = "f8"  # not analytic
    if dtype == "f4" and name == "complex":
        dtype = "f8"  # differences of differences are too rough in complex64
    generator = np.random.default_rng(seed)
    values = generator.uniform(0.5, 1.5, size=(rows, columns))
    if dtype == "c16":
        values = values + 1j * generator.uniform(-0.5, 0.5, size=values.shape)
    x = LAYOUTS[layout](hd.asarray(values.astype(dtype)))
    tolerance = {"f4": 5e-2, "f8": 1e-4, "c16": 1e-4}[dtype]
    f = FUNCTIONS[name]
    if layout == "broadcast":
        whole, f = f, lambda x: whole(hd.broadcast_to(x, (rows, columns)) * 1.0)
        x = x[:1]
    if name in ("sort", "reduce") and layout == "broadcast":
        return  # ties, where differences are no derivatives
    hd.debug.check_grads(f, (x,), 1 if dtype == "f4" else 2, atol=tolerance, rtol=tolerance)


def test_second_derivatives_of_a_transformer():
    """It is planned in pieces, where updates may end within the kernel that makes them."""
    heads, width = 2, 8
    generator = np.random.default_rng(4)

    def made(*shape):
        return hd.asarray(generator.normal(size=shape) * 0.2)

    params = {
        "qkv": made(2, width, 3 * width),
        "out": made(2, width, width),
        "up": made(2, width, 16),
        "down": made(2, 16, width),
        "scale": hd.ones((2, 2, width)),
    }
    x = made(2, 6, width)

    def normal(x, scale):
        return (x - x.mean(-1, keepdims=True)) / hd.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale

    def block(x, p):
        parts = hd.split(normal(x, p["scale"][0]) @ p["qkv"], 3, -1)
        q, k, v = (part.reshape(2, 6, heads, -1).transpose(0, 2, 1, 3) for part in parts)
        scores = hd.nn.softmax(hd.einsum("bhqd,bhkd->bhqk", q, k) / 2, -1)
        mixed = hd.einsum("bhqk,bhkd->bhqd", scores, v).transpose(0, 2, 1, 3).reshape(2, 6, width)
        x = x + mixed @ p["out"]
        return x + hd.nn.gelu(normal(x, p["scale"][1]) @ p["up"]) @ p["down"], None

    def loss(p):
        return (hd.lax.scan(block, x, p)[0] ** 2).sum()

    along = hd.tree.map(hd.cos, params)
    change = hd.jvp(hd.grad(loss), (params,), (along,))[1]
    eps = 1e-5
    ahead, behind = (hd.tree.map(lambda a, b, e=e: a + e * b, params, along) for e in (eps, -eps))
    ahead, behind = hd.grad(loss)(ahead), hd.grad(loss)(behind)
    for name in params:
        wanted = (ahead[name] - behind[name]) / (2 * eps)
        scale = float(abs(wanted).max())
        np.testing.assert_allclose(
            hd.asnumpy(change[name]), hd.asnumpy(wanted), rtol=1e-5, atol=1e-7 * scale
        )
