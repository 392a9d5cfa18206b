"""Functions of kernels that call themselves and one another."""

import numpy
import pytest
from support import host

import heddle
from heddle import simt
from heddle.numba import cuda


@simt.func
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@simt.func
def even(n):
    if n == 0:
        return True
    return odd(n - 1)


@simt.func
def odd(n):
    if n == 0:
        return False
    return even(n - 1)


@simt.func
def find(tree, left, right, key):
    """Binary search of a part of an array."""
    if left >= right:
        return -1
    middle = (left + right) // 2
    if tree[middle] == key:
        return middle
    if tree[middle] < key:
        return find(tree, middle + 1, right, key)
    return find(tree, left, middle, key)


@simt.func
def sort(x):
    """Quicksort, of views of views."""
    if x.size < 2:
        return
    pivot = x[x.size // 2]
    i, j = 0, x.size - 1
    while i <= j:
        while x[i] < pivot:
            i += 1
        while x[j] > pivot:
            j -= 1
        if i <= j:
            x[i], x[j] = x[j], x[i]
            i += 1
            j -= 1
    sort(x[: j + 1])
    sort(x[i:])


@simt.func
def hanoi(n, a, b, c):
    """Several numbers as the result."""
    if n == 0:
        return 0, 0.0
    moves, weight = hanoi(n - 1, a, c, b)
    more, other = hanoi(n - 1, c, b, a)
    return moves + more + 1, weight + other + n * 0.5


@simt.func
def endless(n):
    return endless(n + 1) + endless(n + 2)


def test_numbers():
    @simt.kernel
    def run(out, parity):
        i = simt.grid(1)
        if i < out.size:
            out[i] = fibonacci(i)
            parity[i] = even(i)

    out, parity = heddle.zeros(20, int), heddle.zeros(20, bool)
    run[3, 8](out, parity)
    wanted = [0, 1]
    while len(wanted) < 20:
        wanted.append(wanted[-1] + wanted[-2])
    assert out.tolist() == wanted
    assert parity.tolist() == [i % 2 == 0 for i in range(20)]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_arrays(dtype):
    @simt.kernel
    def run(tree, keys, out):
        i = simt.grid(1)
        if i < keys.size:
            out[i] = find(tree, 0, tree.size, keys[i])

    tree = numpy.arange(0, 300, 3).astype(dtype)
    keys = numpy.arange(-5, 305).astype(dtype)
    out = heddle.zeros(keys.size, "i8")
    run[10, 32](heddle.asarray(tree), heddle.asarray(keys), out)
    assert out.tolist() == [int(k) // 3 if k % 3 == 0 and 0 <= k < 300 else -1 for k in keys]


def test_written_views():
    @simt.kernel
    def run(x):
        i = simt.grid(1)
        if i < x.shape[0]:
            sort(x[i])

    a = numpy.random.default_rng(1).random((17, 41))
    x = heddle.asarray(a)
    kept = x + 0
    run[3, 8](x)
    assert numpy.array_equal(host(x), numpy.sort(a, axis=1))
    assert numpy.array_equal(host(kept), a)


def test_several_results():
    @simt.kernel
    def run(moves, weights):
        i = simt.grid(1)
        if i < moves.size:
            moves[i], weights[i] = hanoi(i, 0, 1, 2)

    moves, weights = heddle.zeros(9, int), heddle.zeros(9)
    run[1, 16](moves, weights)
    weight = [0.0]
    for n in range(1, 9):
        weight.append(2 * weight[-1] + n * 0.5)
    assert moves.tolist() == [2**n - 1 for n in range(9)]
    assert weights.tolist() == weight


def test_memory_of_threads():
    @simt.func
    def permutations(used, depth):
        if depth == used.size:
            return 1
        found = 0
        for i in range(used.size):
            if used[i] == 0:
                used[i] = 1
                found += permutations(used, depth + 1)
                used[i] = 0
        return found

    @simt.kernel
    def run(out):
        i = simt.grid(1)
        used = simt.local.array(5, numpy.int32)
        for j in range(5):
            used[j] = 0
        out[i] = permutations(used, 0) + i

    out = heddle.zeros(6, int)
    run[2, 3](out)
    assert out.tolist() == [120 + i for i in range(6)]


def test_beside_barriers_and_warps():
    @simt.kernel
    def run(x, out, sums):
        i = simt.threadIdx.x
        shared = simt.shared.array(64, numpy.int64)
        shared[i] = fibonacci(i % 10)
        simt.syncthreads()
        value = shared[63 - i]
        if i % 3 == 0:
            value += fibonacci(value % 7)
        x[i] = value
        out[i] = find(shared, 0, 0, 1)
        total = value
        for step in (16, 8, 4, 2, 1):
            total += simt.shfl_down_sync(0xFFFFFFFF, total, step)
        if i % 32 == 0:
            sums[i // 32] = total

    x, out, sums = heddle.zeros(64, int), heddle.zeros(64, int), heddle.zeros(2, int)
    run[1, 64](x, out, sums)
    known = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    wanted = []
    for i in range(64):
        value = known[(63 - i) % 10]
        wanted.append(value + (known[value % 7] if i % 3 == 0 else 0))
    assert x.tolist() == wanted and out.tolist() == [-1] * 64
    assert sums.tolist() == [sum(wanted[:32]), sum(wanted[32:])]


def test_too_deep():
    @simt.kernel
    def run(x):
        i = simt.grid(1)
        if i == 5:
            x[i] = endless(0)

    x = heddle.zeros(8, int)
    with pytest.raises(RecursionError, match=r"endless.*maximum recursion depth"):
        run[2, 4](x)
    run[1, 4](x)  # where nobody calls it
    assert x.tolist() == [0] * 8


def test_failures_inside():
    @simt.func
    def down(n):
        if n < 0:
            raise ValueError("below zero")
        return down(n - 2) + 1 if n != 0 else 0

    @simt.kernel
    def run(x):
        i = simt.grid(1)
        x[i] = down(2 * i if i < 3 else 7)

    x = heddle.zeros(3, int)
    run[1, 3](x)
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="below zero"):
        run[1, 4](heddle.zeros(4, int))


def test_indices_are_checked():
    @simt.func
    def last(x, n):
        if n > 100:
            return x[n]
        return last(x, n + 50)

    @simt.kernel(debug=True)
    def checked(x):
        x[0] = last(x, 0)

    @simt.kernel
    def plain(x):
        x[0] = last(x, 0)

    with pytest.raises(IndexError, match=r"index 150 .*size 4"):
        checked[1, 1](heddle.ones(4))


@pytest.mark.host_memory
def test_out_of_range_reads_nothing():
    @simt.func
    def last(x, n):
        if n > 100:
            x[n] = 5
            return x[n]
        return last(x, n + 50)

    @simt.kernel
    def run(x):
        x[0] = last(x, 0)

    x = heddle.ones(4)
    run[1, 1](x)
    assert x.tolist() == [0, 1, 1, 1]


def test_what_is_refused():
    @simt.func
    def waits(n):
        simt.syncthreads()
        return waits(n - 1) if n > 0 else 0

    @simt.func
    def shares(n):
        a = simt.shared.array(4, numpy.int32)
        return shares(n - 1) if n > 0 else a[0]

    @simt.func
    def gives(x, n):
        if n == 0:
            return x
        return gives(x, n - 1)

    for function, said in ((waits, "syncthreads"), (shares, "shared.array")):

        @simt.kernel
        def run(x):
            x[0] = function(3)  # noqa: B023

        with pytest.raises(simt.KernelError, match=f"{said} cannot be in a function that calls"):
            run[1, 1](heddle.zeros(1))

    @simt.kernel
    def arrays(x):
        y = gives(x, 2)
        x[0] = y[0]

    with pytest.raises(simt.KernelError, match="returns numbers, and no arrays"):
        arrays[1, 1](heddle.zeros(1))


def test_as_numba_has_it():
    @cuda.jit("int64(int64)", device=True)
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @cuda.jit
    def run(x):
        i = cuda.grid(1)
        x[i] = factorial(i)

    x = numpy.zeros(8, numpy.int64)
    run[1, 8](x)
    assert x.tolist() == [1, 1, 2, 6, 24, 120, 720, 5040]


def test_code_of_gpus():
    @simt.kernel
    def run(x, y):
        i = simt.grid(1)
        shared = simt.shared.array(8, numpy.float64)
        shared[i % 8] = x[i]
        simt.syncthreads()
        y[i] = fibonacci(i) + find(shared, 0, 8, x[i])
        sort(x)

    ptx = run.inspect_ptx(heddle.zeros(8), heddle.zeros(8, int))
    assert ptx.count(".func") >= 3 and "call" in ptx
