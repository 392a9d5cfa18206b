"""Loops of writes to parts of arrays, as programs are made of: NumPy's results."""

import itertools

import numpy
import pytest
from support import assert_exact, host, random_values

import heddle

pytestmark = pytest.mark.waiting


def columns(np):
    x = np.ones((5, 12))
    for j in range(1, 12):
        x[:, j] = x[:, j - 1] * 2 - 1 + j
    return x


def rows(np):
    x = np.zeros((40, 7))
    x[0] = np.arange(7.0)
    for i in range(1, 40):
        x[i] = x[i - 1] * 2
        x[i, 3] -= i
    return x


def elements(np):
    x = np.zeros(60, "i8")
    x[:2] = 1
    for i in range(2, 60):
        x[i] = x[i - 1] + x[i - 2]
    return x


def elimination(np):
    x = np.asarray(random_values("f8", (9, 9), 3)) + np.eye(9) * 20
    for k in range(8):
        x[k + 1 :, k] /= x[k, k]
        x[k + 1 :, k + 1 :] -= x[k + 1 :, k, None] * x[k, k + 1 :]
    return x


def elimination_by_outer(np):
    x = np.asarray(random_values("f8", (9, 9), 4)) + np.eye(9) * 20
    for k in range(8):
        x[k + 1 :, k:] -= np.outer(x[k + 1 :, k] / x[k, k], x[k, k:])
    return x


def pivots(np):
    x = np.array(random_values("f8", (8, 8), 5))
    for k in range(7):
        p = k + int(np.argmax(np.abs(x[k:, k])))
        x[[k, p]] = x[[p, k]]
        x[k + 1 :, k:] -= x[k + 1 :, k, None] / x[k, k] * x[k, k:]
    return x


def triangle(np):
    x = np.zeros((30, 30), "i8")
    x[:, 0] = 1
    for i in range(1, 30):
        x[i, 1 : i + 1] = x[i - 1, :i] + x[i - 1, 1 : i + 1]
    return x


def sieve(np):
    x = np.ones(1000, bool)
    x[:2] = False
    for p in range(2, 32):
        if x[p]:
            x[p * p :: p] = False
    return x


def shortest_paths(np):
    d = np.asarray(numpy.arange(144.0).reshape(12, 12) * 37 % 101)
    for k in range(12):
        d[...] = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def diffusion(np):
    u = np.zeros(50)
    u[20:30] = 1024
    for _ in range(40):
        u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def diffusion_on_a_plane(np):
    u = np.zeros((17, 13))
    u[0] = 1
    kept = []
    for step in range(20):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u[:, 0] = u[:, 1]
        u[:, -1] = u[:, -2]
        if step % 7 == 0:
            kept.append(u.copy())
    return [u, *kept]


def red_and_black(np):
    u = np.asarray(numpy.arange(64.0) % 5)
    for _ in range(15):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2])
    return u


def ping_pong(np):
    a, b, c = np.arange(20.0), np.ones(20), np.zeros((2, 20))
    for _ in range(30):
        a[1:-1] = (b[:-2] + b[2:]) * 0.5
        b[::2] -= a[::-2]
        c[0], c[1] = a, c[0]
        a, b = b, a
    return [a, b, c]


def wave(np):
    now, before = np.zeros(40), np.zeros(40)
    now[15:20] = 4
    for _ in range(30):
        after = np.zeros(40)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.25 * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now = now, after
    return [now, before]


def life(np):
    x = np.zeros((12, 12), "i4")
    x[1, 2] = x[2, 3] = x[3, 1] = x[3, 2] = x[3, 3] = 1
    for _ in range(12):
        around = np.zeros_like(x)
        for i, j in itertools.product((-1, 0, 1), repeat=2):
            if i or j:
                around += np.roll(x, (i, j), (0, 1))
        x[(x == 1) & ((around < 2) | (around > 3))] = 0
        x[(x == 0) & (around == 3)] = 1
    return x


def running_sum(np):
    x = np.arange(37.0)
    step = 1
    while step < 37:
        x[step:] += x[:-step]
        step *= 2
    return x


def exchanges(np):
    x = np.asarray(numpy.arange(16.0) * 7 % 16)
    for i in range(15, 0, -1):
        for j in range(i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def distances(np):
    a, b = numpy.arange(11) * 5 % 3, numpy.arange(9) * 7 % 3
    d = np.zeros((12, 10), "i4")
    d[:, 0] = np.arange(12)
    d[0] = np.arange(10)
    for i in range(1, 12):
        d[i, 1:] = np.minimum(d[i - 1, 1:] + 1, d[i - 1, :-1] + np.asarray(b != a[i - 1]))
        for j in range(1, 10):
            d[i, j] = min(int(d[i, j]), int(d[i, j - 1]) + 1)
    return d


def history(np):
    h = np.zeros((25, 6))
    x = np.arange(6.0)
    for i in range(25):
        h[i] = x
        x[1:] += x[:-1]
        x -= x.mean() * 0
        h[i, ::2] += h[i - 1, 1::2]
    return [h, x]


def counters(np):
    total = np.zeros(8, "i8")
    for k in range(20):
        np.add.at(total, np.asarray([k % 8, 3, 3]), np.asarray([1, k, 1]))
        total[k % 5] -= 1
        total[total > 50] = 0
    return total


LOOPS = [
    columns,
    rows,
    elements,
    elimination,
    elimination_by_outer,
    pivots,
    triangle,
    sieve,
    shortest_paths,
    diffusion,
    diffusion_on_a_plane,
    red_and_black,
    ping_pong,
    wave,
    life,
    running_sum,
    exchanges,
    distances,
    history,
    counters,
]


ROUNDED = {elimination, elimination_by_outer, pivots, diffusion_on_a_plane, red_and_black}


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_loop(loop):
    theirs, ours = loop(numpy), loop(heddle)
    pairs = zip(ours, theirs, strict=True) if isinstance(theirs, list) else [(ours, theirs)]
    for a, b in pairs:
        if loop in ROUNDED:
            assert a.dtype == b.dtype
            numpy.testing.assert_allclose(host(a), b, rtol=1e-12, atol=1e-12)
        else:
            assert_exact(a, b)


def _relaxed(np, u, p, passes):
    """A term is carried from one statement to the next by an array that somebody still holds."""
    term = np.zeros_like(p)
    for _ in range(passes):
        term[1:-1] = (u[2:] - u[:-2]) * 0.5
        old = p.copy()
        p[1:-1] = old[2:] + old[:-2] - term[1:-1]
        u[1:-1] = u[1:-1] - p[1:-1]
    return term


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_carried_arrays_that_are_looked_at_in_any_order(passes):
    """The same program, known after the first time, with and without the carried array as a target:
    what was forwarded past stays pending where it is held, and is computed from the same values."""
    for start, looks in enumerate(itertools.product([("p",), ("p", "term"), ("term",)], repeat=3)):
        for names in looks:
            results = []
            for np in (numpy, heddle):
                arrays = {"u": np.arange(24.0) + start, "p": np.ones(24)}
                arrays["term"] = _relaxed(np, arrays["u"], arrays["p"], passes)
                if np is heddle:
                    heddle.eval(*(arrays[name] for name in names))
                results.append(arrays)
            for name, expected in results[0].items():
                assert_exact(results[1][name], expected)


def test_a_convolution_written_place_by_place():
    """A thousand steps of a few bytes each are looked at in a moment."""
    image = random_values("f4", (4, 32, 32, 3), 7)
    weights = random_values("f4", (2, 2, 3, 8), 8)

    def convolved(np, image, weights):
        made = np.empty((4, 31, 31, 8), "f4")
        for i in range(31):
            for j in range(31):
                product = image[:, i : i + 2, j : j + 2, :, None] * weights[None]
                made[:, i, j] = np.sum(product, axis=(1, 2, 3))
        return made

    made = convolved(heddle, heddle.array(image), heddle.array(weights))
    expected = convolved(numpy, image, weights)
    numpy.testing.assert_allclose(host(made), expected, rtol=1e-4, atol=1e-4)
