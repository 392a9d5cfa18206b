"""Random numbers in compiled functions: after a seed, those of NumPy and of Python."""

import random

import numpy as np
import pytest
from njit_support import check

from heddle import njit, numba, prange


def of_numpy(seed, n):
    np.random.seed(seed)
    one = np.random.random(), np.random.rand(3, 2), np.random.randn(), np.random.uniform(-1.0, 1.0)
    rows = np.random.normal(2.0, 3.0, 5), np.random.standard_normal(3), np.random.random(700)
    whole = np.random.randint(0, 10, 6), np.random.randint(5), np.random.randint(0, 2**40)
    order = np.random.permutation(7)
    mixed = np.arange(5)
    np.random.shuffle(mixed)
    table = np.arange(8.0).reshape(4, 2)
    np.random.shuffle(table)
    taken = np.random.choice(n), np.random.choice(mixed, 4), np.random.exponential(2.0)
    return one, rows, whole, order, mixed, table, taken, np.random.lognormal(0.5, 0.25)


def of_python(seed):
    random.seed(seed)
    one = random.random(), random.uniform(1.0, 3.0), random.gauss(0.0, 2.0), random.gauss(1.0, 1.0)
    whole = random.randint(1, 6), random.randrange(100), random.randrange(3, 9)
    mixed = np.arange(10)
    random.shuffle(mixed)
    chosen = random.choice(mixed)
    return one, whole, mixed, chosen, random.expovariate(1.5), random.randint(0, 2**40)


@pytest.mark.parametrize("decorate", [njit, numba.njit])
def test_after_a_seed(decorate):
    before = np.random.get_state(), random.getstate()
    try:
        drawn = decorate(of_numpy)
        for seed in (0, 42, 2**32 - 1):
            check(drawn(seed, 9), of_numpy(seed, 9), rtol=1e-13)
        drawn = decorate(of_python)
        for seed in (0, 12345, 2**40 + 7):
            check(drawn(seed), of_python(seed), rtol=1e-13)
    finally:
        np.random.set_state(before[0])
        random.setstate(before[1])


def test_threads_draw_for_themselves():
    @njit
    def part(n):
        inside = 0
        for _ in prange(n):
            x, y = np.random.random(), np.random.random()
            inside += x * x + y * y < 1.0
        return 4.0 * inside / n

    first, second = part(200_000), part(200_000)
    assert abs(first - np.pi) < 0.03 and abs(second - np.pi) < 0.03
    assert first != second

    @njit
    def walk(steps):
        if steps == 0:
            return 0.0
        return walk(steps - 1) + np.random.normal()

    np.random.seed(3)
    expected = np.random.normal(size=20).sum()

    @njit
    def seeded():
        np.random.seed(3)
        return walk(20)

    np.testing.assert_allclose(seeded(), expected)


def test_mistakes():
    @njit
    def wrong(seed, low, high):
        np.random.seed(seed)
        return np.random.randint(low, high)

    with pytest.raises(ValueError, match="Seed"):
        wrong(-1, 0, 2)
    with pytest.raises(ValueError, match="low >= high"):
        wrong(1, 3, 3)
