"""Recorded calls that are repeated as one step, planned once: the same bits as plain code, whatever
is written, joined and called in them, and memory that nobody shares."""

import numpy as np
import pytest
from long_programs import JOINS, LIBRARY, VIEW_WRITES, VIEWS, formula

import heddle as hd
from heddle import _core

pytestmark = pytest.mark.unrecorded("records itself")


@pytest.fixture(autouse=True)
def _always_whole():
    before = _core.set_fewest_whole_steps(1)
    yield
    _core.set_fewest_whole_steps(before)


def inputs(seed, *shape):
    return hd.asarray(np.random.default_rng(seed).integers(1, 9, shape or (6, 4)).astype(float))


def listed(results):
    return [hd.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]


def check(f, *shapes, bits=True):
    """Calls on other arrays and on one array twice give what plain code gives."""
    jitted = hd.jit(f)
    kept = []
    for seed in range(4):
        a = inputs(seed, *shapes)
        b = a if seed == 3 else inputs(seed + 10, *shapes)
        before = a.get(), b.get()
        made, wanted = listed(jitted(a, b)), listed(f(a, b))
        kept.append((made, [w.get() for w in wanted]))
        for m, w in zip(made, wanted, strict=True):
            assert m.dtype == w.dtype and m.shape == w.shape
        assert np.array_equal(before[0], a.get()) and np.array_equal(before[1], b.get())
    for made, wanted in kept:  # later calls left them alone
        for m, w in zip(made, wanted, strict=True):
            if bits:
                assert np.array_equal(m.get(), w, equal_nan=True)
            else:
                np.testing.assert_allclose(m.get(), w, rtol=1e-12)
            if m.size:
                m[...] = m + 1  # and may be written to
                assert np.array_equal(m.get(), w + 1, equal_nan=True)


@pytest.mark.parametrize("name", JOINS)
def test_joins(name):
    check(lambda a, b: JOINS[name](hd, a * 2, b + 1) * 1)


@pytest.mark.parametrize(
    "name", [n for n in LIBRARY if n not in ("nonzero", "select", "unique", "unique inverse")]
)
def test_library_calls(name):
    check(lambda a, b: (LIBRARY[name](hd, a + b) + 1, b * 3), bits=False)


@pytest.mark.parametrize("view", ["itself", "rows", "backwards", "every other", "transposed"])
@pytest.mark.parametrize("name", [n for n in VIEW_WRITES if not n.startswith("mask of")])
def test_writes(name, view):
    def f(a, b):
        x = a + 1
        v = VIEWS[view](x)
        other = b[: v.shape[0], : v.shape[1]] if view != "transposed" else v * 2 - 1
        VIEW_WRITES[name](hd, v, x, other)
        return x, x * b

    check(f, 4, 4)


@pytest.mark.parametrize("length", [5, 40, 120])
def test_formulas(length):
    check(lambda a, b: formula(hd, a, b, length, length))


def test_results_that_are_arguments_parts_and_each_other():
    def f(a, b):
        x = a * b + 1
        y = x[1:]
        return a, b[0], x, y, x

    jitted = hd.jit(f)
    for seed in range(3):
        a, b = inputs(seed), inputs(seed + 5)
        r = jitted(a, b)
        r[3][0] = -1  # a view of another result
        assert r[2].get()[1].tolist() == [-1] * 4
        assert np.array_equal(r[0].get(), a.get())
        a[0] = 100  # the first is the argument itself
        assert r[0].get()[0].tolist() == [100] * 4


def test_random_numbers_effects_and_looks_are_not_planned_away():
    drawn = hd.random.default_rng(3)

    @hd.jit
    def noise(a):
        return a + drawn.random(a.shape)

    first, second = noise(hd.zeros(5)).get(), noise(hd.zeros(5)).get()
    third = noise(hd.zeros(5)).get()
    assert not np.array_equal(first, second) and not np.array_equal(second, third)

    @hd.jit
    def stepwise(a):
        return a * 2 if a.sum() > 10 else a - 1

    for seed in range(6):
        a = inputs(seed, 3) - 2
        assert np.array_equal(stepwise(a).get(), (a * 2 if a.sum() > 10 else a - 1).get())


def test_under_other_transformations():
    @hd.jit
    def f(x):
        y = hd.sin(x) * x
        y[1:] += y[:-1]
        return (y * y).sum()

    x = inputs(1, 7) / 9
    for _ in range(3):
        plain = f(x)
    want = hd.grad(lambda x: f(x))(x).get()
    assert np.allclose(hd.jit(hd.grad(f))(x).get(), want)
    assert np.allclose(hd.jit(hd.grad(f))(x).get(), want)
    rows = hd.stack((x, x * 2))
    assert np.allclose(hd.vmap(f)(rows).get(), [float(f(x)), float(f(x * 2))])
    assert np.allclose(float(plain), float(f(x)))


def test_arguments_that_are_pending_or_written_to_afterwards():
    @hd.jit
    def f(x):
        return hd.cumsum(x * 2)[::-1] + 1

    for n in range(4):
        x = hd.arange(6.0) + n
        y = f(x + 1)
        z = f(x)
        x += 100  # the call has read it before
        assert np.array_equal(y.get(), (np.cumsum((np.arange(6.0) + n + 1) * 2)[::-1] + 1))
        assert np.array_equal(z.get(), (np.cumsum((np.arange(6.0) + n) * 2)[::-1] + 1))


def test_steps_that_fail_leave_the_call_pending():
    @hd.jit
    def f(a):
        return hd.linalg.cholesky(a) * 2

    good, bad = hd.eye(3) * 4, -hd.eye(3)
    for _ in range(3):
        assert np.array_equal(f(good).get(), np.eye(3) * 4)
    with pytest.raises(hd.linalg.LinAlgError):
        hd.asarray(f(bad)).get()
    assert np.array_equal(f(good).get(), np.eye(3) * 4)


def test_memory_without_elements_is_no_constant():
    @hd.jit
    def f(a, b):
        z = hd.empty(2 * a.shape[0])
        z[: a.shape[0]] = a * b
        z[a.shape[0] :] = a - b
        return hd.concatenate((z, a + 1))

    x, y = hd.arange(5.0), hd.ones(5)
    assert "constant" not in f.lower(x, y).as_text()
    for n in range(3):
        want = np.concatenate((x.get() * n, x.get() - n, x.get() + 1))
        assert np.array_equal(f(x, y * n).get(), want)


def test_writes_to_arguments_and_arrays_outside():
    total, seen = hd.zeros(4), hd.zeros(2)

    def step(parameters, moments, x):
        slope = 2 * parameters * x.sum() - 0.5
        moments *= 0.9
        moments += 0.1 * slope
        parameters[1:] -= 0.01 * moments[1:] / (1 + hd.sqrt(hd.abs(moments[1:])))
        parameters[0] = parameters[1] * 2
        total[...] = total + slope
        seen[:1] = parameters[:1]
        parameters[2:] += 0  # and once more
        return parameters, slope, moments[1:]

    jitted = hd.jit(step)

    def run(f):
        total[...] = 0
        seen[...] = 0
        parameters, moments = hd.arange(4.0), hd.ones(4)
        part = parameters[1:3]  # a view of it sees what is written
        made = []
        for i in range(6):
            out = f(parameters, moments, hd.arange(3.0) + i)
            assert out[0] is parameters or out[0].tolist() == parameters.tolist()
            out[2][0] += 1  # a view of the moments
            made += [out[1].tolist(), moments.tolist(), part.tolist(), total.tolist()]
        return [*made, parameters.tolist(), seen.tolist()]

    assert run(jitted) == run(step)

    # Two arguments change places.
    def swap(a, b):
        before = a.copy()
        a[:] = b
        b[:] = before
        return a - b

    jitted = hd.jit(swap)
    x, y = hd.array([1.0, 2.0]), hd.array([5.0, 7.0])
    for i in range(4):
        assert jitted(x, y).tolist() == ([4, 5] if i % 2 == 0 else [-4, -5])
    assert x.tolist() == [1, 2]


def test_an_error_leaves_what_was_there():
    calls = []

    def f(x, matrix):
        calls.append(None)
        x += 1
        x += hd.linalg.inv(matrix)[0]
        return x * 2

    jitted = hd.jit(f)
    x = hd.zeros(2)
    for _ in range(3):
        jitted(x, hd.eye(2))
    assert x.tolist() == [6, 3]
    assert len(calls) == 1


def drawn(x, g, other):
    y = x
    for _ in range(3):
        y = hd.sin(y) * g.normal(size=x.shape) + other.uniform(size=x.shape)
    chosen = g.permutation(x.shape[0])
    return y, y[chosen], g.gamma(2.0, size=3), g.integers(0, 9, 5), hd.sort(g.random(6))


def test_calls_that_draw_go_on_as_plain_code():
    recorded = [hd.random.default_rng(seed) for seed in (1, 2)]
    plain = [hd.random.default_rng(seed) for seed in (1, 2)]
    calls = []

    def f(x):
        calls.append(None)
        return drawn(x, *recorded)

    function = hd.jit(f)
    for i in range(5):
        x = inputs(i, 8)
        for m, w in zip(function(x), drawn(x, *plain), strict=True):
            assert np.array_equal(m.get(), w.get())
        if i == 2:  # they go on from wherever they are
            for generators in (recorded, plain):
                generators[0].random(8)
    assert len(calls) <= 4  # one for each part of a block that may be left


def test_gradients_of_calls_that_draw():
    recorded, plain = hd.random.default_rng(4), hd.random.default_rng(4)

    def loss(x, g):
        return (hd.tanh(x + g.normal(size=x.shape)) * g.normal(x, 1.0)).sum()

    function = hd.jit(hd.grad(lambda x: loss(x, recorded)))
    for i in range(4):
        x = inputs(i, 6)
        assert np.array_equal(function(x).get(), hd.grad(lambda x: loss(x, plain))(x).get())


def test_effects_happen_in_every_call():
    seen = []

    def f(x):
        y = hd.sin(x) * 2
        hd.debug.callback(
            lambda total, given: seen.append((total.item(), given[0].item())), y.sum(), x
        )
        x += 1
        return y

    function = hd.jit(f)
    expected = []
    for i in range(4):
        x = hd.ones(3) * i
        made = function(x)
        expected.append((made.sum().item(), float(i)))
        assert np.array_equal(x.get(), np.full(3, i + 1.0))
    assert seen == expected


def test_what_is_computed_again_reads_what_is_written_elsewhere():
    def f(a, b):
        a = hd.clip(a, 2.0, 6.0)
        b = hd.sqrt(hd.abs((b - a) * b)) + 1
        a[1:-1, 1:-1] *= hd.exp(-b[1:-1, :-2])
        b *= 2
        return a, b

    check(f, 8, 16)
