"""Kernels that look for data races and for barriers that not all threads reach."""

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt
from heddle.numba import cuda


def line_of(function, text):
    """The line of a file that has a text, in a function."""
    import inspect

    lines, first = inspect.getsourcelines(function)
    (found,) = [first + i for i, line in enumerate(lines) if text in line]
    return found


def lines_in(error):
    import re

    return [int(n) for n in re.findall(r"test_simt_checks.py:(\d+)", str(error.value))]


@simt.kernel(check=True)
def reversed_in_shared(x):
    tile = simt.shared.array(64, np.float32)
    i = simt.threadIdx.x
    tile[i] = x[i]  # written
    x[i] = tile[simt.blockDim.x - 1 - i]  # read


def test_a_missing_barrier():
    x = hd.arange(64, dtype=np.float32)
    with pytest.raises(simt.RaceError, match="a data race in shared memory") as error:
        reversed_in_shared[1, 64](x)
    function = reversed_in_shared.py_func
    assert sorted(lines_in(error)) == [line_of(function, "# written"), line_of(function, "# read")]


@simt.kernel(check=True)
def reversed_rightly(x):
    tile = simt.shared.array(64, np.float32)
    i = simt.threadIdx.x
    tile[i] = x[i]
    simt.syncthreads()
    x[i] = tile[simt.blockDim.x - 1 - i]


@pytest.mark.parametrize("threads", [1, 5, 64])
def test_with_the_barrier_there_is_none(threads):
    x = hd.arange(threads, dtype=np.float32)
    reversed_rightly[1, threads](x)
    np.testing.assert_array_equal(host(x), np.arange(threads)[::-1])


@simt.kernel(check=True)
def counted(x, counts):
    i = simt.grid(1)
    if i < x.size:
        counts[x[i]] += 1  # not atomic


@simt.kernel(check=True)
def counted_rightly(x, counts):
    i = simt.grid(1)
    if i < x.size:
        simt.atomic.add(counts, x[i], 1)


@pytest.mark.parametrize("threads", [1, 32])
def test_a_race_of_blocks(threads):
    x, counts = np.zeros(64, np.int32), np.zeros(4, np.int32)
    with pytest.raises(simt.RaceError, match=r"global memory.*nothing puts them in order") as error:
        counted[64 // threads, threads](x, counts)
    assert set(lines_in(error)) == {line_of(counted.py_func, "# not atomic")}
    counted_rightly[64 // threads, threads](x, counts)
    assert counts[0] >= 64


@simt.kernel(check=True)
def mixed(counts, out):
    i = simt.grid(1)
    simt.atomic.add(counts, 0, 1)  # updates
    out[i] = counts[0]  # reads


def test_an_atomic_beside_a_plain_access():
    with pytest.raises(simt.RaceError, match="updates") as error:
        mixed[1, 32](hd.zeros(1, np.int32), hd.zeros(32, np.int32))
    assert line_of(mixed.py_func, "# reads") in lines_in(error)


@simt.kernel(check=True)
def parted(x):
    i = simt.threadIdx.x
    if i < 20:  # parts
        simt.syncthreads()  # barrier
        x[i] = 1


def test_a_barrier_that_some_threads_do_not_reach():
    with pytest.raises(simt.RaceError, match="20 of 32 threads") as error:
        parted[1, 32](hd.zeros(32))
    function = parted.py_func
    assert lines_in(error) == [line_of(function, "# barrier"), line_of(function, "# parts")]


@simt.kernel(check=True)
def turns(x):
    i = simt.threadIdx.x
    for _ in range(i % 2 + 1):  # differs
        x[i] += 1
        simt.syncthreads()  # barrier


def test_a_barrier_in_a_loop_that_some_leave():
    with pytest.raises(simt.RaceError, match="16 of 32 threads") as error:
        turns[1, 32](hd.zeros(32))
    assert lines_in(error) == [
        line_of(turns.py_func, "# barrier"),
        line_of(turns.py_func, "# differs"),
    ]


@simt.kernel(check=True)
def some_end(x, out):
    i = simt.grid(1)
    if i >= x.size:
        return
    x[i] *= 2
    simt.syncthreads()
    out[i] = x[x.size - 1 - i]


def test_threads_that_have_ended_are_not_waited_for():
    x, out = hd.arange(20.0), hd.zeros(20)
    some_end[1, 32](x, out)
    np.testing.assert_array_equal(host(out), 2 * np.arange(20.0)[::-1])


@simt.kernel(check=True)
def sums(x, partial, total, done):
    tile = simt.shared.array(32, np.float64)
    last = simt.shared.array(1, np.int32)
    t = simt.threadIdx.x
    tile[t] = x[simt.grid(1)]
    simt.syncthreads()
    d = 16
    while d > 0:
        if t < d:
            tile[t] += tile[t + d]
        simt.syncthreads()
        d //= 2
    if t == 0:
        partial[simt.blockIdx.x] = tile[0]
        simt.threadfence()
        last[0] = simt.atomic.add(done, 0, 1)
    simt.syncthreads()
    if last[0] == simt.gridDim.x - 1 and t == 0:
        for i in range(simt.gridDim.x):
            total[0] += partial[i]


def test_the_last_block_adds_up():
    x = np.arange(128.0)
    total = hd.zeros(1)
    sums[4, 32](x, hd.zeros(4), total, hd.zeros(1, np.int32))
    assert total[0] == x.sum()


@simt.kernel(check=True)
def in_warps(x, out):
    tile = simt.shared.array(64, np.float64)
    i = simt.threadIdx.x
    tile[i] = x[i]
    simt.syncwarp()
    out[i] = tile[i ^ 1]


def test_barriers_of_warps_count_within_them():
    x, out = hd.arange(64.0), hd.zeros(64)
    in_warps[1, 64](x, out)
    np.testing.assert_array_equal(host(out), np.arange(64) ^ 1)

    @simt.kernel(check=True)
    def across(x, out):
        tile = simt.shared.array(64, np.float64)
        i = simt.threadIdx.x
        tile[i] = x[i]
        simt.syncwarp()
        out[i] = tile[i ^ 32]

    with pytest.raises(simt.RaceError):
        across[1, 64](x, out)


@simt.kernel(check=True)
def outside(x):
    x[simt.grid(1) + 1] = 0


def test_indices_are_checked_as_well():
    with pytest.raises(IndexError, match="out of bounds"):
        outside[1, 8](hd.zeros(8))


@simt.kernel(check=True)
def grid_wide(x, out):
    i = simt.grid(1)
    x[i] = i
    simt.cg.this_grid().sync()
    out[i] = x[x.size - 1 - i]


def test_a_barrier_of_the_grid_puts_blocks_in_order():
    x, out = hd.zeros(96), hd.zeros(96)
    grid_wide[3, 32](x, out)
    np.testing.assert_array_equal(host(out), np.arange(96)[::-1])


@cuda.jit
def steps(x, y, turns):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for _ in range(turns):
        left = x[i - 1] if i > 0 else 0.0
        y[i] = left + 1
        grid.sync()
        x[i] = y[i]
        grid.sync()


@pytest.mark.parametrize("threads", [1, 7, 32])
def test_blocks_wait_for_one_another(threads):
    n = 4 * threads
    x, y = hd.zeros(n), hd.zeros(n)
    steps[4, threads](x, y, 6)
    wanted = np.zeros(n)
    for _ in range(6):
        wanted = np.concatenate([[0], wanted[:-1]]) + 1
    np.testing.assert_array_equal(host(x), wanted)


@simt.kernel
def shared_across(x, out):
    tile = simt.shared.array(8, np.int64)
    t, b = simt.threadIdx.x, simt.blockIdx.x
    tile[t] = x[simt.grid(1)]
    simt.cg.this_grid().sync()
    many = simt.syncthreads_count(tile[t] > 3 * b)
    own = 0
    while own < b:
        simt.syncthreads()
        own += 1
    simt.cg.this_grid().sync()
    out[simt.grid(1)] = 100 * many + tile[7 - t] + own


@pytest.mark.parametrize("blocks", [1, 3])
def test_each_block_keeps_its_memory(blocks):
    x = np.random.default_rng(0).integers(0, 9, 8 * blocks)
    out = hd.zeros(8 * blocks, np.int64)
    shared_across[blocks, 8](x, out)
    rows = x.reshape(blocks, 8)
    b = np.arange(blocks)[:, None]
    wanted = 100 * (rows > 3 * b).sum(1, keepdims=True) + rows[:, ::-1] + b
    np.testing.assert_array_equal(host(out), wanted.ravel())


def test_ptx_of_a_barrier_of_the_grid():
    text = shared_across.inspect_ptx(np.zeros(8, np.int64), np.zeros(8, np.int64))
    assert "grid_arrivals" in text and "bar" in text
