"""Jitted programs of GPUs that are written down once and repeated: results as those of plain code,
whatever memory arguments have and whoever keeps results."""

import gc
import threading

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(16, 8)), rng.normal(size=(16, 3))
P = {"a": rng.normal(size=(8, 12)), "b": rng.normal(size=12), "c": rng.normal(size=(12, 3))}


def loss(p, x, y):
    return ((hd.tanh(x @ p["a"] + p["b"]) @ p["c"] - y) ** 2).mean()


def step(p, x, y):
    slopes = hd.grad(loss)(p, x, y)
    return {name: p[name] - 0.1 * slopes[name] for name in p}


def on_device(tree):
    return hd.tree.map(hd.asarray, tree)


def assert_same(found, expected):
    for one, other in zip(hd.tree.leaves(found), hd.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(other), rtol=1e-12, atol=1e-14)


def test_results_go_into_the_next_call(request):
    hd.reset_stats()
    fast, x, y = hd.jit(step), hd.asarray(X), hd.asarray(Y)
    p, q = on_device(P), on_device(P)
    for _ in range(20):
        p, q = fast(p, x, y), step(q, x, y)
        assert_same(p, q)
    if request.config.getoption("--device") != "cpu":
        assert hd.stats()["replayed"] > 10 * 16  # of most calls all launches


def test_results_that_are_kept_stay():
    fast, x, y = hd.jit(step), hd.asarray(X), hd.asarray(Y)
    p, kept, expected = on_device(P), [], []
    for _ in range(12):
        kept.append(fast(p, x, y))
        expected.append(hd.tree.map(hd.asnumpy, kept[-1]))
        p = kept[-1]
    for one, other in zip(kept, expected, strict=True):
        assert_same(one, other)


def test_results_are_written_to():
    fast, x, y = hd.jit(step), hd.asarray(X), hd.asarray(Y)
    p = on_device(P)
    first = hd.tree.map(hd.asnumpy, step(p, x, y))
    for _ in range(10):
        made = fast(p, x, y)
        assert_same(made, first)
        made["a"] += 1
        made["b"][3:] = 7
        view = made["c"][::2]
        view *= 2
        assert_same(fast(p, x, y), first)


def test_other_memory_at_each_call():
    fast = hd.jit(step)
    held = []
    for i in range(14):
        x, y = hd.asarray(X + i), hd.asarray(Y - i)
        held.append((x, y))
        p = on_device(P)
        assert_same(fast(p, x, y), step(p, x, y))


def test_arguments_that_are_one_array():
    def f(a, b):
        c = a @ b
        for _ in range(8):
            c = hd.sin(c) @ a + b
        return c, c.sum(axis=0), hd.flip(c)

    fast = hd.jit(f)
    a, b = hd.asarray(rng.normal(size=(6, 6))), hd.asarray(rng.normal(size=(6, 6)))
    for pair in [(a, b), (a, a), (b, a), (b, b)] * 4:
        assert_same(fast(*pair), f(*pair))


def test_arguments_change_in_place():
    fast, y, p = hd.jit(step), hd.asarray(Y), on_device(P)
    x = hd.asarray(X)
    for i in range(10):
        x[i % 4] += 1
        assert_same(fast(p, x, y), step(p, x, y))


def test_written_pieces_and_transforms():
    def f(u):
        v = hd.zeros_like(u)
        v[1:-1] = u[2:] - u[:-2]
        v[0], v[-1] = u[1], -u[-2]
        w = hd.fft.irfft(hd.fft.rfft(v) * 0.5, len(u))
        for _ in range(6):
            w = w.at[2:5].add(1.0) * hd.cos(v) + hd.cumsum(w)
        return w, v

    fast = hd.jit(f)
    for i in range(10):
        u = hd.asarray(rng.normal(size=64) + i)
        assert_same(fast(u), f(u))


def test_threads():
    fast, y = hd.jit(step), hd.asarray(Y)
    wrong = []

    def work(number):
        p, x = on_device(P), hd.asarray(X + number)
        expected = hd.tree.map(hd.asnumpy, step(p, x, y))
        for _ in range(15):
            try:
                assert_same(fast(p, x, y), expected)
            except AssertionError as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_goes_back():
    def used():
        gc.collect()
        return hd.get_default_memory_pool().used_bytes()

    x, y, p = hd.asarray(X), hd.asarray(Y), on_device(P)
    hd.eval(x, y, p)
    before = used()
    fast = hd.jit(step)
    for _ in range(6):
        fast(p, x, y)
    del fast
    assert used() <= before


def test_memory_of_what_is_in_between_stays_with_the_program():
    def smooth(x):
        wide = hd.pad(x, ((4, 4), (0, 0)), mode="symmetric")
        total = wide[:16] * 1.0
        for k in range(1, 9):
            total = total + wide[k : k + 16] * (k + 1.0)
        return total

    fast, x = hd.jit(smooth), hd.asarray(X)
    expected = hd.asnumpy(smooth(x))
    for _ in range(6):
        np.testing.assert_allclose(hd.asnumpy(fast(x)), expected, rtol=1e-12)
    # As large as what is in between: none of them may be where the program writes.
    others = [hd.zeros((24, 8)) + k for k in range(20)]
    hd.eval(*others)
    np.testing.assert_allclose(hd.asnumpy(fast(x)), expected, rtol=1e-12)
    for k, other in enumerate(others):
        np.testing.assert_array_equal(hd.asnumpy(other), np.full((24, 8), float(k)))
