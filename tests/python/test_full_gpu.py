"""Where a GPU has no memory left, a result is right or an error, and right again when there is.

Others on that GPU have no memory meanwhile, so these run by themselves: ``HEDDLE_TEST_FULL_GPU=1``.
"""

import contextlib
import os

import numpy
import pytest

import heddle as np
from heddle import cuda, lax

pytestmark = pytest.mark.skipif(
    not os.environ.get("HEDDLE_TEST_FULL_GPU") or not cuda.is_available(),
    reason="takes all memory of a GPU: HEDDLE_TEST_FULL_GPU=1",
)


class Filled:
    """All memory of the GPU but ``spare`` bytes, taken from the driver."""

    def __init__(self, spare):
        self.spare = spare

    def __enter__(self):
        from heddle.cuda.bindings import driver

        self.driver = driver
        np.get_default_memory_pool().free_all_blocks()
        self.blocks = []
        size = 1 << 34
        while size >= 1 << 21:
            free, _ = cuda.Device(0).mem_info
            fits = free - size >= self.spare
            error, block = driver.cuMemAlloc(size) if fits else (1, 0)
            if int(error) == 0:
                self.blocks.append(block)
            else:
                size //= 2

    def __exit__(self, *_):
        for block in self.blocks:
            self.driver.cuMemFree(block)


def pieces(xp, x, y):
    z = xp.zeros_like(x)
    z[1:-1] = x[2:] - x[:-2]
    z *= y
    return z.cumsum() + z.mean()


def many_kernels(xp, x, y):
    for _ in range(12):
        x = xp.sort(x) + y[::-1].cumsum() * 1e-3
        x -= x.mean()
    return x


def products(xp, x, y):
    a = x[:10000].reshape(100, 100)
    return (a @ a.T + xp.eye(100) * y[0]).sum(axis=0) * 2


def solves(xp, x, y):
    a = x[:10000].reshape(100, 100) + 100 * xp.eye(100)
    return xp.linalg.solve(a, y[:100])


def transforms(xp, x, y):
    return xp.fft.ifft(xp.fft.fft(x) * xp.fft.fft(y)).real


def selected(xp, x, y):
    return xp.concatenate((x[x > 0.5], y[y < 0.25]))


def taken(xp, x, y):
    i = (abs(y) * 1e5).astype("int64") % len(x)
    out = x.copy()
    out[i] = y
    return out[i[::-1]] + x[i]


programs = [pieces, many_kernels, products, solves, transforms, selected, taken]


def recorded(x, y):
    for _ in range(10):
        x = np.sin(x)[::-1] + y.cumsum() / (1 + abs(x).max())
    return x


def looped(x, y):
    def body(i, carry):
        return carry.at[i].add(y[i] * carry[i - 1])

    return lax.fori_loop(1, 300, body, x[:300])


@pytest.mark.parametrize("spare", [0, 1 << 22, 1 << 24, 1 << 27])
def test_results_are_right_or_errors(spare):
    rng = numpy.random.default_rng(spare)
    sizes = [20_000, 300_000, 3_000_000]
    inputs = [(rng.random(n), rng.random(n)) for n in sizes]
    wanted = [[program(numpy, *pair) for program in programs] for pair in inputs]
    ours = [(np.asarray(x), np.asarray(y)) for x, y in inputs]
    jitted, loop = np.jit(recorded), np.jit(looped)
    usual = [(np.asnumpy(recorded(*pair)), np.asnumpy(looped(*pair))) for pair in ours]
    seen = []

    def check(call, wanted):
        try:
            found = np.asnumpy(call())
        except MemoryError:
            seen.append(False)
            return
        seen.append(True)
        numpy.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)

    with Filled(spare):
        for _ in range(4):
            for pair, results, recordings in zip(ours, wanted, usual, strict=True):
                for program, result in zip(programs, results, strict=True):
                    check(lambda program=program, pair=pair: program(np, *pair), result)
                check(lambda pair=pair: jitted(*pair), recordings[0])
                check(lambda pair=pair: loop(*pair), recordings[1])
    print(f"spare {spare}: {sum(seen)} results, {len(seen) - sum(seen)} errors")
    errors = seen.count(False)
    for pair, results in zip(ours, wanted, strict=True):
        for program, result in zip(programs, results, strict=True):
            check(lambda program=program, pair=pair: program(np, *pair), result)
    assert seen.count(False) == errors


def neighbours(xp, x):
    x[1:] += x[:-1] * xp.sort(x)[-1] * 1e-9


def totals(xp, x):
    x += xp.sort(x)[::-1].cumsum()[-1] * 1e-12


def test_writes_are_done_once():
    """An update that found no memory is done when there is some, and not twice."""
    x = np.arange(1_000_000, dtype="float64")
    expected = numpy.arange(1_000_000, dtype="float64")
    with Filled(0):
        for _ in range(8):
            for statement in (neighbours, totals):
                try:
                    statement(np, x)
                except MemoryError:
                    continue
                statement(numpy, expected)
            with contextlib.suppress(MemoryError):
                x.sum().item()
    numpy.testing.assert_allclose(np.asnumpy(x), expected, rtol=1e-9)
