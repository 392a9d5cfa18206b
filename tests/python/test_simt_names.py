"""Names in kernels and compiled functions that stand for different arrays, one after the other."""

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import numba, simt
from heddle.numba import cuda
from heddle.simt import KernelError


@pytest.mark.parametrize("which", [0, 1])
def test_a_name_becomes_another_array_for_all_threads(which):
    @simt.kernel
    def pick(a, b, out, k):
        i = simt.grid(1)
        source = a
        if k % 2 == 1:
            source = b
        if i < out.size:
            out[i] = source[i] + source.size

    a, b, out = hd.arange(100.0), -hd.arange(200.0), hd.zeros(100)
    pick[4, 32](a, b, out, which)
    wanted = (np.arange(100.0) + 100, -np.arange(100.0) + 200)[which]
    np.testing.assert_array_equal(host(out), wanted)


def test_threads_have_different_arrays():
    @simt.kernel
    def pick(a, b, out):
        i = simt.grid(1)
        source = b if i % 3 == 0 else a[::-1]
        if i < out.size:
            out[i] = source[i]

    a, b, out = hd.arange(100.0), -hd.arange(200.0), hd.zeros(100)
    pick[4, 32](a, b, out)
    i = np.arange(100.0)
    np.testing.assert_array_equal(host(out), np.where(i % 3 == 0, -i, i[::-1]))


def test_threads_write_to_different_arrays():
    @simt.kernel
    def fill(a, b, counts, other):
        i = simt.grid(1)
        target = a if i & 1 else b
        counted = counts if i & 1 else other
        if i < a.size:
            target[i] = i
            simt.atomic.add(counted, 1, 1)

    a, b = hd.zeros(1000), hd.zeros(1000)
    counts, other = hd.zeros(4, dtype="int32"), hd.zeros(2, dtype="int32")
    fill[32, 32](a, b, counts, other)
    i = np.arange(1000)
    np.testing.assert_array_equal(host(a), np.where(i & 1, i, 0))
    np.testing.assert_array_equal(host(b), np.where(i & 1, 0, i))
    np.testing.assert_array_equal(host(counts), [0, 500, 0, 0])
    np.testing.assert_array_equal(host(other), [0, 500])


@pytest.mark.parametrize("options", [{}, {"debug": True}, {"check": True}])
def test_two_arrays_take_turns(options):
    @simt.kernel(**options)
    def steps(a, b, n):
        i = simt.threadIdx.x
        for t in range(n):
            if i < a.size:
                b[i] = a[i] * 2 + a[(i + 1) % a.size] + t
            a, b = b, a
            simt.syncthreads()

    x, y = hd.arange(50.0), hd.zeros(50)
    steps[1, 64](x, y, 3)
    a, b = np.arange(50.0), np.zeros(50)
    for t in range(3):
        b[:] = a * 2 + np.roll(a, -1) + t
        a, b = b, a
    np.testing.assert_array_equal(host(y), a)
    np.testing.assert_array_equal(host(x), b)


def test_shared_memory_takes_turns():
    @simt.kernel
    def scan(x, out):
        first = simt.shared.array(64, hd.float64)
        second = simt.shared.array(64, hd.float64)
        i = simt.threadIdx.x
        first[i] = x[i]
        simt.syncthreads()
        source, target = first, second
        step = 1
        while step < 64:
            target[i] = source[i] + source[i - step] if i >= step else source[i]
            simt.syncthreads()
            kept = source
            source = target
            target = kept
            step *= 2
        out[i] = source[i]

    x = np.random.default_rng(0).integers(0, 9, 64).astype(float)
    out = hd.zeros(64)
    scan[1, 64](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), x.cumsum())


def test_an_index_beyond_the_array_that_a_name_has_become():
    @simt.kernel
    def read(a, b, out):
        i = simt.grid(1)
        source = a
        if i > 3:
            source = b
        out[i] = source[i]

    a, b, out = hd.ones(8), hd.full(5, 2.0), hd.full(8, 9.0)
    if a.device != "cpu":
        pytest.skip("on a GPU nobody looks")
    read[1, 8](a, b, out)
    np.testing.assert_array_equal(host(out), [1, 1, 1, 1, 2, 0, 0, 0])
    checked = simt.kernel(debug=True)(read.py_func)
    with pytest.raises(IndexError, match="5"):
        checked[1, 8](a, b, out)
        hd.synchronize()


def test_what_cannot_become_another():
    @simt.kernel
    def own(x, out):
        mine = simt.local.array(4, hd.float64)
        i = simt.grid(1)
        source = mine
        if i > 2:
            source = x
        out[i] = source[0]

    with pytest.raises(KernelError, match="one name"):
        own[1, 4](hd.ones(4), hd.ones(4))

    @simt.kernel
    def typed(x, y, out):
        i = simt.grid(1)
        source = x if i > 2 else y
        out[i] = source[0]

    with pytest.raises(KernelError, match="different kinds"):
        typed[1, 4](hd.ones(4), hd.ones(4, dtype="int32"), hd.ones(4))


def test_atomics_of_functions_that_call_themselves():
    def count(total, n):
        if n > 0:
            simt.atomic.add(total, 0, 1)
            count(total, n - 1)

    @simt.kernel
    def all_of(total):
        count(total, 5)

    total = hd.zeros(1, dtype="int64")
    all_of[400, 64](total)
    assert int(total[0]) == 5 * 400 * 64


def test_a_function_that_is_taken_along_has_names_of_its_own():
    def first_of_the_rest(a):
        a = a[1:]
        return a[0]

    @hd.njit
    def both(x):
        y = x.copy()
        y = y * 2
        return first_of_the_rest(y) + y.size

    assert both(np.arange(5.0)) == 7.0

    @simt.kernel
    def kernel(x, y, out):
        i = simt.grid(1)
        z = x if i < 2 else y
        out[i] = first_of_the_rest(z) + z.size

    out = hd.zeros(4)
    kernel[1, 4](hd.arange(5.0), hd.arange(7.0) * 2, out)
    np.testing.assert_array_equal(host(out), [6, 6, 9, 9])


def test_one_of_two_arrays_in_a_compiled_function():
    @hd.njit
    def one(x, y, first):
        z = x if first else y[1:]
        z[0] = 7
        return z

    x, y = np.arange(3.0), np.arange(4.0)
    np.testing.assert_array_equal(one(x, y, True), [7, 1, 2])
    np.testing.assert_array_equal(one(x, y, False), [7, 2, 3])
    np.testing.assert_array_equal(y, [0, 7, 2, 3])


def test_the_heat_equation_of_numbas_manual():
    @cuda.jit
    def solve(first, second, steps, factor):
        i = cuda.grid(1)
        if i >= len(first):
            return
        grid = cuda.cg.this_grid()
        for step in range(steps):
            if (step % 2) == 0:
                data = first
                following = second
            else:
                data = second
                following = first
            now = data[i]
            if i == 0 or i == len(data) - 1:
                following[i] = 0.0
            else:
                following[i] = now + factor * (data[i - 1] - 2 * now + data[i + 1])
            grid.sync()

    start = np.zeros(101)
    start[50] = 1000.0
    a, b = cuda.to_device(start), cuda.to_device(start)
    solve.forall(len(start))(a, b, 20, 0.25)
    data = start.copy()
    for _ in range(20):
        following = np.zeros_like(data)
        following[1:-1] = data[1:-1] + 0.25 * (data[:-2] - 2 * data[1:-1] + data[2:])
        data = following
    np.testing.assert_allclose(a.copy_to_host(), data, rtol=1e-13)


def test_a_name_for_records_of_two_arrays():
    kind = np.dtype([("x", "f8"), ("n", "i4")])

    @numba.njit
    def total(a, b, first):
        rows = a
        if not first:
            rows = b
        s = 0.0
        for i in range(len(rows)):
            s += rows[i].x * rows[i].n
        return s

    a, b = np.zeros(3, kind), np.zeros(5, kind)
    a["x"], a["n"], b["x"], b["n"] = 2.0, 3, 1.5, 2
    assert total(a, b, True) == 18.0
    assert total(a, b, False) == 15.0
