"""Loops that are rolled up: plain loops under jit, and those of heddle.lax."""

import functools
import signal
import threading

import numpy as np
import pytest

import heddle as hd
from heddle import lax

RNG = np.random.default_rng(20)
pytestmark = pytest.mark.unrecorded("records itself")
PASSES = 600  # times the operations of a body: enough to be rolled up


def same(found, wanted, rtol=0.0):
    found, wanted = hd.tree.leaves(found), hd.tree.leaves(wanted)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        a, b = hd.asnumpy(hd.asarray(a)), hd.asnumpy(hd.asarray(b))
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1, np.abs(b).max(initial=0)))


def waves(u):
    for _ in range(PASSES):
        u = u + 0.1 * hd.sin(u)
    return u


def lorenz(u):
    def slope(u):
        x, y, z = u[0], u[1], u[2]
        return hd.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    for _ in range(PASSES):
        u = u + 1e-3 * slope(u + 0.5e-3 * slope(u))
    return u


def two_carried(u):
    v = u * 0.5
    for _ in range(PASSES):
        u, v = v, (u + v) * 0.51
    return u, v


def history(u):
    a, b, c = u, u * 0.9, u * 0.8
    for _ in range(PASSES):
        a, b, c = b, c, 0.4 * a + 0.3 * b - 0.2 * c
    return a + b * c


def numbers(u):
    for i in range(PASSES):
        u = u * 0.99 + i * 1e-3 - 0.1 * u
    return u


def constants(u):
    given = [hd.asarray(np.full(u.shape, 0.01 * i)) for i in range(PASSES)]
    for one in given:
        u = hd.cos(u + one) * 1.5
    return u


def rows_read(u):
    x = hd.linspace(0, 1, PASSES * 3).reshape(PASSES, 3)
    for i in range(PASSES):
        u = u * 0.9 + x[i, 0] * hd.sin(u) - x[i, 2]
    return u


def rows_read_backwards(u):
    x = hd.linspace(0, 1, PASSES)
    for i in reversed(range(PASSES)):
        u = u * 0.9 + x[i] * hd.sin(u)
    return u


def rows_written(u):
    out = hd.zeros((PASSES, *u.shape))
    for i in range(PASSES):
        u = u + 0.1 * hd.cos(u)
        out[i] = u
    return out, u


def columns_written(u):
    out = hd.zeros((*u.shape, PASSES))
    for i in range(PASSES):
        u = u + 0.1 * hd.cos(u)
        out[..., PASSES - 1 - i] = u
    return out


def collected(u):
    out = []
    for _ in range(PASSES):
        u = u + 0.1 * hd.cos(u)
        out.append(u.ravel()[0] * 2)
    return hd.stack(out), out[0], out[17], out[-2]


def recurrence(u):
    x = hd.zeros(PASSES)
    x[0] = u.ravel()[0]
    for i in range(1, PASSES):
        x[i] = x[i - 1] * 0.99 + 0.1 * hd.sin(x[i - 1])
    return x


def stencil(u):
    v = u.ravel().copy()
    for _ in range(PASSES):
        v[1:-1] += 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
    return v


def argument_written(u):
    for _ in range(PASSES):
        u *= 0.999
        u += 0.01 * hd.sin(u)
    return u.sum()


def masked(u):
    for _ in range(PASSES):
        u = hd.where(u > 0, u - 0.01, u * 0.5 + 1)
        u[u > 1.5] = 0.25
    return u


def reduced(u):
    for _ in range(PASSES):
        u = u / hd.sqrt((u * u).mean()) + 0.01 * u.max()
    return u


def short_sums(u):
    for _ in range(PASSES):
        u = u * 0.9 + 0.05 * u.sum(axis=0)
    return u


def product(u):
    a = hd.asarray(np.eye(u.shape[-1]) * 0.9 + 0.01)
    for _ in range(PASSES):
        u = hd.tanh(u @ a) + 0.1 * u
    return u


def sorted_each(u):
    for _ in range(PASSES):
        u = hd.sort(u, axis=-1) * 0.99 + 0.001 * u
    return u


def nested(u):
    for _ in range(30):
        for _ in range(30):
            u = u + 0.01 * hd.cos(u)
        u = u * 0.5
    return u


def after_and_before(u):
    v = hd.exp(u)
    for _ in range(PASSES):
        v = v * 0.99 + 0.01 * u
    w = v.cumsum(axis=-1)
    for _ in range(PASSES):
        w = hd.sin(w) + v
    return v, w


def two_loops(u):
    made = []
    for _ in range(PASSES):
        u = u * 0.999 + 0.01 * hd.sin(u)
        made.append(u)
    total = u
    for one in reversed(made):
        total = total * 0.99 + one * 0.01
    return total


def transposed(u):
    for _ in range(PASSES):
        u = u + 0.001 * (u.T @ u if u.ndim == 1 else u[::-1])
    return u


def gathered(u):
    places = hd.asarray(np.arange(u.size)[::-1].copy())
    x = u.ravel()
    y = x
    for _ in range(PASSES):
        y = 0.5 * y + 0.4 * x[places] + 0.05
    return y


BODIES = [
    waves,
    lorenz,
    two_carried,
    history,
    numbers,
    constants,
    rows_read,
    rows_read_backwards,
    rows_written,
    columns_written,
    collected,
    recurrence,
    stencil,
    argument_written,
    masked,
    reduced,
    short_sums,
    product,
    sorted_each,
    nested,
    after_and_before,
    two_loops,
    transposed,
    gathered,
]
# Whose order of additions depends on what is fused.
SUMS = (argument_written, reduced, short_sums, product, transposed)


@pytest.mark.parametrize("shape", [(3, 4), (3, 33)])
@pytest.mark.parametrize("f", BODIES, ids=lambda f: f.__name__)
def test_plain_loops(f, shape):
    x, y = RNG.normal(size=shape), RNG.normal(size=shape)
    recorded = hd.jit(f)
    near = 1e-12 if f in SUMS else 0.0
    for given in (x, y, x):
        mine, plain = hd.asarray(given), hd.asarray(given)
        same(recorded(mine), f(plain), near)
        same(mine, plain, near)  # what was written to arguments
    text = hd.jit(f).lower(hd.asarray(x)).as_text()
    assert " = loop(" in text or f in (columns_written,)
    assert text.count("\n") < 64


def laplacian(u):
    return hd.roll(u, 1) - 2 * u + hd.roll(u, -1)


def leapfrog(u):
    before = u * 0.99
    for _ in range(PASSES):
        u, before = 2 * u - before + 0.1 * laplacian(u), u
    return u, before


def all_states(u):
    made = []
    for _ in range(PASSES):
        u = u + 0.1 * laplacian(u)
        made.append(u)
    return hd.stack(made)


def forced(u):
    x = hd.asarray(np.random.default_rng(1).normal(size=(PASSES, *u.shape)))
    for i in range(PASSES):
        u = 0.9 * u + 0.1 * laplacian(u) + x[i]
    return u


def three_before(u):
    a, b, c = u, u * 2, u * 3
    for _ in range(PASSES):
        a, b, c = b, c, 0.2 * laplacian(a) + 0.3 * c
    return a, b, c


def unchanged(u):
    v, total = hd.sin(u), u * 0
    for _ in range(PASSES):
        v, total = v + 0, total * 0.99 + laplacian(total + v)
    return v, total


def counted(u):
    return lax.fori_loop(3, PASSES, lambda i, v: v * 0.9 + 1e-3 * i + 0.01 * laplacian(v), u)


def in_place(u):
    for _ in range(PASSES):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[-1] * 0.5
    return u


def products(u):
    a = hd.asarray(np.random.default_rng(2).normal(size=(u.size, u.size)) * 0.02)
    for _ in range(PASSES):
        u = hd.tanh(a @ u) + 0.1 * laplacian(u)
    return u


def numbered(u):
    for i in range(PASSES):
        u = 0.9 * u + 0.1 * laplacian(u) + 1.0 / (i + 1)
    return u


def counted_in_floats(u):
    """Bits of 4.0, 5.0, 6.0 and 7.0 are evenly apart, and those of 8.0 are not."""
    return lax.fori_loop(0, PASSES, lambda i, v: 0.9 * laplacian(v) + i * hd.ones(v.shape), u)


def swapped(u):
    a, b, c = u, u * 0.5, hd.cos(u)
    for _ in range(PASSES):
        a, b, c = b, a, 0.9 * c + 0.05 * laplacian(a)
    return a, b, c


def loops_inside(u):
    def twice(_, pair):
        a, b = pair
        return b * 0.5, a + 0.1 * laplacian(b)

    for _ in range(PASSES):
        a, b = lax.fori_loop(0, 3, twice, (u, u * 0.9))
        u = 0.5 * a + 0.3 * hd.sort(b)
    return u


NEIGHBOURS = [
    leapfrog,
    all_states,
    forced,
    three_before,
    unchanged,
    counted,
    in_place,
    products,
    numbered,
    counted_in_floats,
    swapped,
    loops_inside,
]


@pytest.mark.parametrize("f", NEIGHBOURS, ids=lambda f: f.__name__)
def test_passes_that_are_launched_again(f):
    """Too many elements for one thread, and each needs its neighbours."""
    x, y = RNG.normal(size=700), RNG.normal(size=700)
    recorded = hd.jit(f)
    for given in (x, y, x):
        mine, plain = hd.asarray(given), hd.asarray(given)
        near = {counted: 1e-13, products: 1e-11}.get(f, 0.0)
        same(recorded(mine), f(plain), near)
        same(mine, plain)


@pytest.mark.parametrize("f", NEIGHBOURS, ids=lambda f: f.__name__)
def test_passes_are_kept(f):
    x = hd.asarray(RNG.normal(size=3000))
    recorded = hd.jit(f)
    hd.eval(recorded(x.copy()))
    before = hd.stats()["kept"]
    hd.eval(recorded(x.copy()))
    assert hd.stats()["kept"] - before > PASSES // 4


@pytest.mark.parametrize("dtype", ["float32", "complex128", "complex64", "float16", "int64"])
def test_types(dtype):
    x = RNG.normal(size=(2, 5)) * 3
    x = (x + 1j * RNG.normal(size=x.shape)).astype(dtype) if "c" in dtype else x.astype(dtype)

    def f(u):
        v = u
        for i in range(PASSES):
            u = u * 3 // 4 + i if dtype == "int64" else u * 0.75 + i * 0.001
            v = v + u * v // 7 if dtype == "int64" else v * 0.5 + u * u * 0.1
        return u, v

    recorded = hd.jit(f)
    for _ in range(3):
        same(recorded(hd.asarray(x)), f(hd.asarray(x)))


DERIVED = [waves, lorenz, two_carried, history, numbers, rows_read, rows_written, stencil]
DERIVED += [recurrence, masked, reduced, product, two_loops, nested]


@pytest.mark.parametrize("f", DERIVED, ids=lambda f: f.__name__)
def test_gradients(f):
    x = RNG.normal(size=(3, 4))

    def loss(u):
        return sum((leaf * leaf).sum() for leaf in hd.tree.leaves(f(u)))

    wanted = hd.grad(loss)(hd.asarray(x))
    recorded = hd.jit(hd.grad(loss))
    for _ in range(3):
        same(recorded(hd.asarray(x)), wanted, 1e-10)
    assert " = loop(" in recorded.lower(hd.asarray(x)).as_text()
    inner = hd.grad(hd.jit(loss))
    for _ in range(3):
        same(inner(hd.asarray(x)), wanted, 1e-10)


@pytest.mark.parametrize("f", [waves, lorenz, rows_written, stencil, two_loops])
def test_batches(f):
    x = RNG.normal(size=(5, 3, 4))
    wanted = hd.vmap(f)(hd.asarray(x))
    for transformed in (hd.jit(hd.vmap(f)), hd.vmap(hd.jit(f))):
        for _ in range(3):
            same(transformed(hd.asarray(x)), wanted, 1e-12)


def test_a_loop_that_changes_midway():
    def f(u):
        for i in range(PASSES):
            u = u + 0.1 * hd.sin(u) if i != 211 else hd.cos(u)
        return u

    recorded = hd.jit(f)
    for _ in range(3):
        same(recorded(hd.ones(5)), f(hd.ones(5)))
    assert recorded.lower(hd.ones(5)).as_text().count(" = loop(") == 2


def test_looks_around_loops():
    def f(u):
        u = waves(u)
        u = u * 2 if u.sum() > 0 else u - 1
        return waves(u)

    recorded = hd.jit(f)
    for sign in (1, -1, 1, -1, 1):
        same(recorded(hd.full(4, 0.3 * sign)), f(hd.full(4, 0.3 * sign)), 1e-15)


def test_loops_are_not_planned_pass_by_pass():
    recorded = hd.jit(waves)
    x = hd.ones(1000)
    for _ in range(3):
        hd.eval(recorded(x))
    before = hd.stats()["launched"]
    hd.eval(recorded(x))
    assert hd.stats()["launched"] == before  # the loop is one step


def test_random_bodies():
    def f(u, seed):
        generator = hd.random.default_rng(seed)
        for _ in range(PASSES):
            u = u * 0.9 + generator.normal(size=u.shape) * 0.1 - 0.01 * u
        return u

    recorded = hd.jit(f, static_argnums=1)
    for _ in range(3):
        same(recorded(hd.ones(4), 3), f(hd.ones(4), 3))


# --- heddle.lax ---------------------------------------------------------------------------------


def test_scan_is_a_loop():
    x = RNG.normal(size=(700, 3))
    w = hd.asarray(RNG.normal(size=3))

    def f(c, v):
        after = hd.tanh(c * w + v["a"])
        return after, {"r": (c * v["a"]).sum(), "i": v["b"]}

    def run(c, rows):
        return lax.scan(f, c, {"a": rows, "b": hd.arange(len(rows))})

    wanted = run(hd.zeros(3), hd.asarray(x))
    c = np.zeros(3)
    for row in x:
        c = np.tanh(c * hd.asnumpy(w) + row)
    same(wanted[0], c, 1e-12)
    assert wanted[1]["i"].tolist() == list(range(700))
    recorded = hd.jit(run)
    for _ in range(3):
        same(recorded(hd.zeros(3), hd.asarray(x)), wanted)
    assert recorded.lower(hd.zeros(3), hd.asarray(x)).as_text().count("\n") < 16
    same(hd.jit(hd.grad(lambda c, v: run(c, v)[0].sum()))(hd.zeros(3), hd.asarray(x)),
         hd.grad(lambda c, v: run(c, v)[0].sum())(hd.zeros(3), hd.asarray(x)), 1e-12)  # fmt: skip


def test_scan_runs_its_body_once():
    calls = []

    def f(c, v):
        calls.append(1)
        return c + v, c

    lax.scan(f, hd.array(0.0), hd.arange(1000.0))
    assert len(calls) == 1
    many = hd.grad(lambda c: lax.scan(f, c, hd.arange(50.0))[0])(hd.array(1.0))
    assert (float(many), len(calls)) == (1, 2)


def test_scan_corners():
    carry, none = lax.scan(lambda c, v: (c * 2, v + c), hd.ones(2), hd.zeros((0, 2)))
    assert carry.tolist() == [1, 1]
    assert none.shape == (0, 2)
    reverse = functools.partial(lax.scan, lambda c, v: (c + v, c * v), hd.array(1.0))
    for unroll in (1, 3, True, False):
        carry, made = reverse(hd.arange(1.0, 6.0), reverse=True, unroll=unroll)
        assert (float(carry), made.tolist()) == (16, [15, 26, 30, 24, 5])
    # What is carried on may be what is carried, a row, or an array outside.
    outside = hd.arange(3.0)
    carry, made = lax.scan(
        lambda c, v: ((c[1], v, outside), (c[0], outside)),
        (hd.zeros(3), hd.ones(3), hd.zeros(3)),
        hd.arange(12.0).reshape(4, 3),
    )
    same(carry, (np.array([6.0, 7, 8]), np.array([9.0, 10, 11]), np.arange(3.0)))
    same(made[0], np.array([[0.0] * 3, [1.0] * 3, [0, 1, 2], [3, 4, 5]]))
    same(made[1], np.tile(np.arange(3.0), (4, 1)))
    carry[2][0] = 7  # a result of its own
    assert outside.tolist() == [0, 1, 2]


def test_bodies_that_write():
    def body(i, u):
        u[1:] += u[:-1] * 0.5
        u *= 0.9
        return u

    x = RNG.normal(size=6)
    v = x.copy()
    for _ in range(9):
        v[1:] += v[:-1] * 0.5
        v *= 0.9
    given = hd.asarray(x)
    same(lax.fori_loop(0, 9, body, given), v, 1e-14)
    same(given, x)
    placed = lax.fori_loop(0, 6, lambda i, u: u.at[i].set(i * 2.0), hd.zeros(6))
    assert placed.tolist() == [0, 2, 4, 6, 8, 10]
    read = lax.fori_loop(0, 6, lambda i, t: t + given[i] * (i + 1), hd.array(0.0))
    same(read, (x * np.arange(1, 7)).sum(), 1e-14)


def test_while_loops_of_any_length():
    def f(x, limit):
        return lax.while_loop(
            lambda c: (c[0].sum() < limit) & (c[1] < 1000),
            lambda c: (c[0] * 1.5 + 0.1, c[1] + 1),
            (x, hd.array(0)),
        )

    def plain(x, limit):
        n = 0
        while x.sum() < limit and n < 1000:
            x, n = x * 1.5 + 0.1, n + 1
        return x, np.asarray(n)

    recorded = hd.jit(f)
    for limit in (10.0, 1e6, -1.0, 50.0, 1e12, 2.0, 3.0, 1e3, 1e4, 1e5):
        for shape in ((), (3,), (40,)):
            x = RNG.uniform(size=shape)
            for run in (f, recorded):
                same(run(hd.asarray(x), hd.asarray(limit)), plain(x, limit), 1e-12)
    assert len(recorded._known) <= 3


def test_while_loops_under_transformations():
    def f(x):
        return lax.while_loop(lambda u: u < 100, lambda u: u * u, x)

    assert float(hd.grad(f)(3.0)) == 8 * 3.0**7
    assert float(hd.jit(hd.grad(f))(hd.array(3.0))) == pytest.approx(8 * 3.0**7)
    assert float(hd.grad(hd.jit(f))(hd.array(3.0))) == pytest.approx(8 * 3.0**7)
    same(hd.vmap(hd.jit(f))(hd.array([3.0, 11.0, 200.0])), np.array([6561.0, 121.0, 200.0]))


def test_bodies_that_cannot_be_recorded_once():
    generator = hd.random.default_rng(5)
    made = lax.fori_loop(0, 5, lambda i, u: u + generator.normal(), hd.array(0.0))
    again = hd.random.default_rng(5)
    assert float(made) == pytest.approx(sum(float(again.normal()) for _ in range(5)))
    seen = []

    def body(i, u):
        hd.debug.callback(lambda v: seen.append(int(v)), i)
        return u + i

    assert int(lax.fori_loop(0, 4, body, hd.array(0))) == 6
    assert seen == [0, 1, 2, 3]
    looked = lax.fori_loop(0, 6, lambda i, u: u + 1 if u < 3 else u * 2, hd.array(0))
    assert int(looked) == 24


def test_long_loops_can_be_interrupted():
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals go to the main thread")
    x = hd.ones(8)
    endless = hd.jit(lambda u: lax.while_loop(lambda c: c.min() > 0, lambda c: c * 1.0, u))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            hd.eval(endless(x))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert x.tolist() == [1] * 8


def test_threads():
    recorded = hd.jit(waves)
    wanted = hd.asnumpy(waves(hd.ones(50)))
    found = [None] * 4

    def work(i):
        for _ in range(3):
            found[i] = hd.asnumpy(recorded(hd.ones(50)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for one in found:
        np.testing.assert_array_equal(one, wanted)
