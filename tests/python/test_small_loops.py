"""Loops whose bodies have few elements: one program for all passes, whatever the steps do.

Each is compared with the same body in a loop of Python, pass by pass.
"""

import os

import numpy as np
import pytest

import heddle as hd
from heddle import lax

N = 7


def plain(first, end, body, carry):
    for i in range(first, end):
        carry = body(i, carry)
    return carry


def matrix(seed=0, shape=(N, N)):
    return hd.asarray(np.random.default_rng(seed).normal(size=shape))


def assert_same_tree(ours, theirs):
    assert hd.tree.structure(ours) == hd.tree.structure(theirs)
    for mine, other in zip(hd.tree.leaves(ours), hd.tree.leaves(theirs), strict=True):
        mine, other = hd.asnumpy(mine), hd.asnumpy(other)
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


def element_of_two(i, a):
    return a.at[i, N - 1 - i].set(a[i, i] * 2 - a[0, i])


def column_by_column(i, a):
    return a.at[:, i].set(a[:, i - 1] * 0.5 + a[:, i - 2][::-1])


def shifted_in_itself(i, a):
    return a.at[1:].set(a[:-1] + i)


def masked_by_the_counter(i, a):
    row = hd.where(hd.arange(N) < i, a[i, :], 0.0)
    return a.at[i, :].set(a[i, :] - row @ a)


def added_up_at_places(i, a):
    return a.at[hd.array([0, 2, 2, 5]), i].add(a[i, :4])


def exchanged(i, pair):
    a, b = pair
    return b, a.T * 0.5 + b.sum() * 0.01


def both_from_the_old(i, pair):
    a, b = pair
    return a + 0.1 * b, b - 0.1 * a[::-1]


def what_is_overwritten_is_read_later(i, pair):
    a, b = pair
    old = a[i] * 2
    a = a.at[i].set(b[i])
    return a, b.at[i].add(old)


def read_before_and_after(i, pair):
    a, total = pair
    before = a[i].sum()
    a = a.at[i].multiply(0.5)
    return a, total + before - a[i].sum()


def extrema(i, pair):
    a, v = pair
    return a.at[i].set(hd.minimum(a[i], v)), hd.maximum(v, a.max(axis=0)) - a.min()


def unchanged(i, pair):
    a, v = pair
    return a, v * 0.5 + a[i]


def rolled(i, a):
    return hd.roll(a, i, axis=1) + hd.roll(a, (1, i), (0, 1))


def counted(i, carry):
    a, count = carry
    return a + count, count + (a > 0).sum()


def negative_indices(i, a):
    return a.at[-i - 1].set(a[i] + a[-i - 1])


def types(i, carry):
    flags, numbers, half = carry
    return flags.at[i].set(numbers[i] > 3), numbers + flags, half * 1.5 + numbers[0].astype("f2")


def complex_numbers(i, z):
    return z.at[i].set(z[i] * z[i - 1].conj() / (1 + abs(z[i])))


def triangle(i, a):
    return lax.fori_loop(0, i, lambda j, a: a.at[i, j].set(a[i, j] - a[j, i] * a[j, j]), a)


def until_small(i, a):
    def shrink(carry):
        x, passes = carry
        return x * 0.5, passes + 1

    x, passes = lax.while_loop(lambda c: abs(c[0]).sum() > 0.3, shrink, (a[i], 0))
    return a.at[i].set(x + passes)


def scanned_rows(i, a):
    def add(total, row):
        return total + row, (total.max(), total)

    total, (largest, totals) = lax.scan(add, a[i], a)
    return a * 0.1 + totals * 0.01 + largest[:, None] + total


BODIES = [
    (element_of_two, matrix),
    (column_by_column, matrix),
    (shifted_in_itself, matrix),
    (masked_by_the_counter, matrix),
    (added_up_at_places, matrix),
    (exchanged, lambda: (matrix(), matrix(1))),
    (both_from_the_old, lambda: (matrix(), matrix(1))),
    (what_is_overwritten_is_read_later, lambda: (matrix(), matrix(1))),
    (read_before_and_after, lambda: (matrix(), hd.zeros(()))),
    (extrema, lambda: (matrix(), matrix(1, (N,)))),
    (unchanged, lambda: (matrix(), matrix(1, (N,)))),
    (rolled, matrix),
    (counted, lambda: (matrix(), hd.array(0))),
    (negative_indices, matrix),
    (types, lambda: (hd.zeros(N, bool), hd.arange(N), hd.ones(3, "f2"))),
    (complex_numbers, lambda: matrix(0, (N,)) + 1j * matrix(1, (N,))),
    (triangle, matrix),
    (until_small, matrix),
    (scanned_rows, matrix),
]


@pytest.mark.parametrize(("body", "begin"), BODIES, ids=lambda given: given.__name__)
def test_passes_one_after_the_other(body, begin):
    expected = plain(0, N, body, begin())
    assert_same_tree(lax.fori_loop(0, N, body, begin()), expected)
    jitted = hd.jit(lambda carry: lax.fori_loop(0, N, body, carry))
    for _ in range(3):
        given = begin()
        assert_same_tree(jitted(given), expected)
        assert_same_tree(given, begin())


@pytest.mark.parametrize("body", [element_of_two, masked_by_the_counter, triangle, until_small])
def test_rows_of_a_batch(body):
    rows = matrix(3, (3, N, N))
    batched = hd.vmap(lambda a: lax.fori_loop(0, N, body, a))(rows)
    for row, one in zip(rows, batched, strict=True):
        assert_same_tree(one, plain(0, N, body, row))


@pytest.mark.parametrize("body", [element_of_two, column_by_column, masked_by_the_counter])
def test_derivatives(body):
    a = matrix()
    through = hd.grad(lambda a: (lax.fori_loop(0, N, body, a) ** 2).sum())(a)
    expected = hd.grad(lambda a: (plain(0, N, body, a) ** 2).sum())(a)
    assert_same_tree(through, expected)


@pytest.mark.unrecorded("is about which kernels there are")
def test_no_pass_launches_anything():
    if hd.zeros(1).device != "cpu":
        pytest.skip("for devices whose memory the host sees")
    a = matrix()
    run = hd.jit(lambda a: lax.fori_loop(0, N, triangle, a))
    hd.eval(run(a))
    before = hd.stats()["launched"]
    hd.eval(run(a))
    assert hd.stats()["launched"] - before < N


def test_indices_out_of_bounds():
    x = hd.arange(4.0)
    with pytest.raises(IndexError, match="out of bounds"):
        hd.asnumpy(lax.fori_loop(0, 6, lambda i, total: total + x[i], 0.0))
    with pytest.raises(IndexError, match="out of bounds"):
        hd.asnumpy(lax.fori_loop(0, 6, lambda i, x: x.at[i].set(1.0), x))
    assert x.tolist() == [0, 1, 2, 3]
    run = hd.jit(lambda n, x: lax.fori_loop(0, 3, lambda i, total: total + x[i + n], 0.0))
    assert run(hd.array(1), x) == 6
    assert run(hd.array(0), x) == 3
    with pytest.raises(IndexError, match="out of bounds"):
        hd.asnumpy(run(hd.array(2), x))
    assert run(hd.array(-3), x) == 1 + 2 + 3

    def inner(i, total):
        return lax.fori_loop(0, i, lambda k, total: total + x[k], total)

    assert lax.fori_loop(0, 5, inner, 0.0) == 0 + 0 + 1 + 3 + 6
    with pytest.raises(IndexError, match="out of bounds"):
        hd.asnumpy(lax.fori_loop(0, 6, inner, 0.0))


def test_a_loop_inside_that_has_no_pass_reads_nothing():
    x = hd.arange(3.0)
    body = lambda i, total: lax.fori_loop(i, 3, lambda k, t: t + x[k], total)  # noqa: E731
    assert lax.fori_loop(0, 5, body, 0.0) == 3 + 3 + 2


def test_numbers_take_the_type_that_the_body_makes():
    assert lax.while_loop(lambda c: c < 3, lambda c: c + 0.5, 0) == 3.0
    total, parts = lax.scan(lambda c, x: (c + x, c), 0, hd.arange(3.0))
    assert total.dtype == parts.dtype == float
    assert lax.fori_loop(0, 3, lambda i, c: (c[0] * 0.5, c[1]), (1, 2))[0] == 0.125
    with pytest.raises(TypeError, match="body makes it float64"):
        lax.fori_loop(0, 3, lambda i, c: c * 0.5, hd.array(1))


class RandomBody:
    """Statements on a matrix, a vector and a number, which are carried."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.steps = [self.step(rng) for _ in range(rng.integers(2, 7))]

    def step(self, rng):
        kind = rng.integers(0, 14)
        k, shift, factor = int(rng.integers(0, N)), int(rng.integers(-3, 4)), rng.normal() * 0.4
        at = rng.choice(["set", "add", "multiply", "min"])

        def do(i, a, v, s):
            j = (i * 3 + k) % N
            match kind:
                case 0:
                    return getattr(a.at[i, j], at)(v[k] * factor), v, s
                case 1:
                    return getattr(a.at[j], at)(a[i] * factor + v), v, s
                case 2:
                    return getattr(a.at[:, j], at)(a[:, i][::-1]), v, s
                case 3:
                    return a, getattr(v.at[j], at)(s * factor + v[i]), s
                case 4:
                    return a, v + hd.where(hd.arange(N) < i, a[j], s) * factor, s
                case 5:
                    return a, a.sum(axis=k % 2) * 0.1 + v, s
                case 6:
                    return a, v, s * 0.5 + (a[i] * v).sum() * 0.1 + a.max()
                case 7:
                    return a.T * factor + a, v, s
                case 8:
                    return a, hd.roll(v, shift) + v[::-1] * factor, s
                case 9:
                    return a.at[1:, : N - 1].add(a[:-1, 1:] * factor), v, s
                case 10:
                    return hd.where(a > v, a * factor, v - s), v, s
                case 11:
                    inner = lambda m, v: getattr(v.at[m], at)(v[i] + m)  # noqa: E731
                    return a, lax.fori_loop(0, i, inner, v), s
                case 12:
                    return a, hd.tanh(v), s + v[-j - 1]
                case _:
                    return a.at[hd.arange(N) % 3, i].add(v), v, s.astype(s.dtype)

        return do

    def __call__(self, i, carry):
        a, v, s = carry
        for step in self.steps:
            a, v, s = step(i, a, v, s)
        return hd.tanh(a), hd.tanh(v), hd.tanh(s)


@pytest.mark.parametrize("seed", range(int(os.environ.get("HEDDLE_TEST_EXAMPLES", "40"))))
def test_random_bodies(seed):
    body = RandomBody(seed)
    begin = matrix(seed), matrix(seed + 1, (N,)), hd.asarray(0.5)
    with np.errstate(all="ignore"):
        expected = plain(0, N, body, begin)
        assert_same_tree(lax.fori_loop(0, N, body, begin), expected)
        run = hd.jit(lambda *carry: lax.fori_loop(0, N, body, carry))
        for _ in range(2):
            assert_same_tree(run(*begin), expected)
