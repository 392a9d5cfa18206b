"""CuPy's ``cupyx.jit.thrust``: functions of ranges, for one thread each."""

import numpy as np
import pytest

import heddle as hd
from heddle.cupyx import jit
from heddle.simt import KernelError

thrust = jit.thrust
RNG = np.random.default_rng(3)
SORTED = np.sort(RNG.integers(0, 9, (4, 12)), axis=1)


def run(kernel, *arrays):
    """The arrays after a launch with a thread for each row of the first."""
    given = [hd.asarray(a.copy()) for a in arrays]
    kernel[1, len(arrays[0])](*given)
    return [hd.asnumpy(a) for a in given]


def test_searches():
    @jit.rawkernel()
    def search(x, out):
        i = jit.threadIdx.x
        row = x[i]
        out[i, 0] = thrust.lower_bound(thrust.seq, row.begin(), row.end(), 4) - row.begin()
        out[i, 1] = thrust.upper_bound(thrust.seq, row.begin(), row.end(), 4) - row.begin()
        out[i, 2] = thrust.binary_search(thrust.seq, row.begin(), row.end(), 4)
        out[i, 3] = thrust.count(thrust.device, row.begin() + 2, row.end() - 1, 4)
        out[i, 4] = thrust.find(thrust.device, row.begin(), row.end(), 4) - row.begin()
        low, high = thrust.equal_range(thrust.seq, row.begin(), row.end(), 5)
        out[i, 5] = high - low
        out[i, 6] = thrust.is_sorted(thrust.seq, row.begin(), row.end())
        out[i, 7] = thrust.reduce(thrust.seq, row.begin(), row.end(), 100)

    _, found = run(search, SORTED, np.zeros((4, 8), np.int64))
    for row, (low, high, there, count, place, equal, is_sorted, total) in zip(
        SORTED, found, strict=True
    ):
        assert low == np.searchsorted(row, 4) and high == np.searchsorted(row, 4, "right")
        assert there == (4 in row) and count == (row[2:-1] == 4).sum()
        assert place == (list(row).index(4) if 4 in row else row.size)
        assert equal == (row == 5).sum() and is_sorted == 1 and total == row.sum() + 100


@pytest.mark.parametrize("name", ["sort", "stable_sort"])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_sorts(name, dtype):
    function = getattr(thrust, name)

    @jit.rawkernel()
    def order(x):
        row = x[jit.threadIdx.x]
        function(thrust.device, row.begin(), row.end())

    x = RNG.integers(-50, 50, (8, 33)).astype(dtype)
    np.testing.assert_array_equal(run(order, x)[0], np.sort(x, axis=1))


def test_sorts_by_key_are_stable():
    @jit.rawkernel()
    def order(keys, values):
        i = jit.threadIdx.x
        thrust.stable_sort_by_key(thrust.seq, keys[i].begin(), keys[i].end(), values[i].begin())

    keys = RNG.integers(0, 4, (5, 20))
    values = np.tile(np.arange(20), (5, 1))
    got_keys, got = run(order, keys, values)
    order_of = np.argsort(keys, axis=1, kind="stable")
    np.testing.assert_array_equal(got, order_of)
    np.testing.assert_array_equal(got_keys, np.take_along_axis(keys, order_of, 1))


def test_scans_and_sums_by_key():
    @jit.rawkernel()
    def scan(keys, x, inclusive, exclusive, totals, sizes):
        i = jit.threadIdx.x
        k, v = keys[i], x[i]
        thrust.inclusive_scan_by_key(
            thrust.seq, k.begin(), k.end(), v.begin(), inclusive[i].begin()
        )
        thrust.exclusive_scan(thrust.seq, v.begin(), v.end(), exclusive[i].begin(), 7)
        ends = thrust.reduce_by_key(
            thrust.seq, k.begin(), k.end(), v.begin(), totals[i].begin(), sizes[i].begin()
        )
        totals[i, 11] = ends[0] - totals[i].begin()

    x = RNG.integers(0, 9, SORTED.shape)
    zeros = np.zeros_like(x)
    _, _, inclusive, exclusive, unique, sums = run(scan, SORTED, x, zeros, zeros, zeros, zeros)
    for row in range(4):
        keys = np.unique(SORTED[row])
        parts = [x[row][SORTED[row] == key] for key in keys]
        np.testing.assert_array_equal(inclusive[row], np.concatenate([p.cumsum() for p in parts]))
        np.testing.assert_array_equal(exclusive[row], 7 + x[row].cumsum() - x[row])
        assert unique[row, 11] == keys.size
        np.testing.assert_array_equal(unique[row, : min(keys.size, 11)], keys[:11])
        np.testing.assert_array_equal(sums[row, : keys.size], [p.sum() for p in parts])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("set_union", np.union1d),
        ("set_intersection", np.intersect1d),
        ("set_difference", np.setdiff1d),
        ("set_symmetric_difference", np.setxor1d),
    ],
)
def test_sets(name, expected):
    function = getattr(thrust, name)

    @jit.rawkernel()
    def combine(a, b, out, size):
        end = function(thrust.seq, a.begin(), a.end(), b.begin(), b.end(), out.begin())
        size[0] = end - out.begin()

    a, b = np.array([1, 3, 4, 8, 9]), np.array([0, 3, 5, 9])
    given = [hd.asarray(v) for v in (a, b, np.zeros(9, np.int64), np.zeros(1, np.int64))]
    combine[1, 1](*given)
    made = hd.asnumpy(given[2])[: int(given[3][0])]
    np.testing.assert_array_equal(made, expected(a, b))


def test_shared_memory_and_computed_iterators():
    @jit.rawkernel()
    def count(x, out):
        i = jit.threadIdx.x
        mine = jit.shared_memory(np.int32, 32)
        mine[i] = x[i] % 4
        jit.syncthreads()
        numbers = thrust.make_counting_iterator(10)
        same = thrust.make_constant_iterator(2)
        out[i] = thrust.count(thrust.device, mine, mine + 32, i) * numbers[i] + same[i]

    x, out = np.arange(32), np.zeros(32, np.int64)
    _, made = run(count, x, out)
    np.testing.assert_array_equal(made, [8 * (10 + i) + 2 if i < 4 else 2 for i in range(32)])


def test_mistakes_name_the_line():
    @jit.rawkernel()
    def no_policy(x):
        thrust.sort(x.begin(), x.end())

    @jit.rawkernel()
    def of_a_matrix(x):
        thrust.sort(thrust.seq, x.begin(), x.end())

    with pytest.raises(KernelError, match="takes a policy, the begin and the end"):
        no_policy[1, 1](hd.arange(3))
    with pytest.raises(KernelError, match="has no iterators"):
        of_a_matrix[1, 1](hd.zeros((2, 2)))
    with pytest.raises(RuntimeError, match="inside of kernels"):
        thrust.sort(thrust.seq, 1, 2)
