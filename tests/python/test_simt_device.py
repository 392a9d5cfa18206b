"""The vocabulary of kernels: geometry, barriers, atomics, warps, bits, shared memory."""

import linecache
import re

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt


@simt.kernel
def geometry(out):
    x, y, z = simt.grid(3)
    w, h, _ = simt.gridsize(3)
    at = (z * h + y) * w + x
    out[at, 0] = simt.threadIdx.x + 10 * simt.threadIdx.y + 100 * simt.threadIdx.z
    out[at, 1] = simt.blockIdx.x + 10 * simt.blockIdx.y + 100 * simt.blockIdx.z
    out[at, 2] = simt.blockDim.x * simt.blockDim.y * simt.blockDim.z
    out[at, 3] = simt.gridDim.x * simt.gridDim.y * simt.gridDim.z


@pytest.mark.parametrize("block", [(4, 3, 2), (1, 6, 1), (17, 1, 2), (2, 2, 5), (32, 1, 1)])
def test_geometry(block):
    grid = (2, 3, 2)
    sizes = [g * b for g, b in zip(grid, block, strict=True)]
    out = hd.zeros((int(np.prod(sizes)), 4), np.int64)
    geometry[grid, block](out)
    wanted = np.zeros((sizes[2], sizes[1], sizes[0], 4), np.int64)
    for z in range(sizes[2]):
        for y in range(sizes[1]):
            for x in range(sizes[0]):
                t = (x % block[0]) + 10 * (y % block[1]) + 100 * (z % block[2])
                b = x // block[0] + 10 * (y // block[1]) + 100 * (z // block[2])
                wanted[z, y, x] = t, b, np.prod(block), np.prod(grid)
    np.testing.assert_array_equal(host(out), wanted.reshape(-1, 4))


@simt.kernel
def histogram(x, out):
    bins = simt.shared.array(16, np.int32)
    t = simt.threadIdx.x
    if t < 16:
        bins[t] = 0
    simt.syncthreads()
    for i in range(simt.grid(1), x.size, simt.gridsize(1)):
        simt.atomic.add(bins, x[i], 1)
    simt.syncthreads()
    if t < 16:
        simt.atomic.add(out, t, bins[t])


def test_histogram():
    x = np.random.randint(0, 16, 5000)
    out = hd.zeros(16, np.int32)
    histogram[3, 100](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), np.bincount(x, minlength=16))


@simt.kernel
def atomics(x, out, old):
    i = simt.grid(1)
    if i < x.size:
        v = x[i]
        simt.atomic.add(out, 0, v)
        simt.atomic.sub(out, 1, v)
        simt.atomic.max(out, 2, v)
        simt.atomic.min(out, 3, v)
        old[i] = simt.atomic.add(out, 4, 1)
        simt.atomic.exch(out, 5, 9)
        simt.atomic.cas(out, 6, 0, 5)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "float32", "float64", "float16"])
def test_atomics(dtype):
    x = np.random.permutation(50).astype(dtype)
    out, old = hd.zeros(7, dtype), hd.zeros(50, np.int64)
    out[3] = 100
    atomics[2, 32](hd.asarray(x), out, old)
    got = host(out).astype(np.float64)
    total = float(x.astype(np.float64).sum())
    minus = float((-x.astype(np.float64)).sum()) % 2**32 if dtype == "uint32" else -total
    np.testing.assert_array_equal(got, [total, minus, 49, 0, 50, 9, 5])
    np.testing.assert_array_equal(np.sort(host(old)), np.arange(50))


@simt.kernel
def bit_atomics(x, out):
    i = simt.grid(1)
    if i < x.size:
        simt.atomic.and_(out, 0, x[i])
        simt.atomic.or_(out, 1, x[i])
        simt.atomic.xor(out, 2, x[i])
        simt.atomic.inc(out, 3, 6)
        simt.atomic.dec(out, 4, 6)


def test_atomics_of_bits():
    x = np.random.randint(0, 2**31, 40).astype(np.uint32)
    out = hd.asarray(np.array([2**32 - 1, 0, 0, 0, 0], np.uint32))
    bit_atomics[2, 20](hd.asarray(x), out)
    up = down = 0
    for _ in range(40):
        up = 0 if up >= 6 else up + 1
        down = 6 if down == 0 or down > 6 else down - 1
    wanted = [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x), up, down]
    np.testing.assert_array_equal(host(out), np.array(wanted, np.uint32))


@simt.kernel
def counting(x, out):
    t = simt.threadIdx.x
    v = x[simt.blockIdx.x, t]
    n = simt.syncthreads_count(v > 0)
    every = simt.syncthreads_and(v > -1)
    some = simt.syncthreads_or(v > 8)
    out[simt.blockIdx.x, t] = n * 100 + every * 10 + some


def test_barriers_that_count():
    x = np.random.randint(-1, 10, (6, 50))
    x[2] = 3
    out = hd.zeros((6, 50), np.int64)
    counting[6, 50](hd.asarray(x), out)
    wanted = (x > 0).sum(1) * 100 + (x > -1).all(1) * 10 + (x > 8).any(1)
    np.testing.assert_array_equal(host(out), np.repeat(wanted[:, None], 50, 1))


@simt.kernel
def warp_sums(x, out):
    i = simt.grid(1)
    v = x[i]
    d = 16
    while d > 0:
        v += simt.shfl_down_sync(0xFFFFFFFF, v, d)
        d //= 2
    if simt.laneid == 0:
        out[i // 32] = v


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8"])
def test_sums_by_shuffles(dtype):
    x = np.random.randint(0, 4, 256).astype(dtype)
    out = hd.zeros(8, dtype)
    warp_sums[2, 128](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), x.reshape(8, 32).sum(1, dtype=dtype))


@simt.kernel
def warp_moves(x, out):
    i = simt.threadIdx.x + simt.threadIdx.y * simt.blockDim.x
    v = x[i]
    out[0, i] = simt.shfl_sync(0xFFFFFFFF, v, 5)
    out[1, i] = simt.shfl_up_sync(0xFFFFFFFF, v, 3)
    out[2, i] = simt.shfl_xor_sync(0xFFFFFFFF, v, 1)
    out[3, i] = simt.shfl_sync(0xFFFFFFFF, v, simt.laneid + 1, 8)
    out[4, i] = simt.ballot_sync(0xFFFFFFFF, v > 50)
    out[5, i] = simt.all_sync(0xFFFFFFFF, v >= 0) + 2 * simt.any_sync(0xFFFFFFFF, v > 98)
    out[6, i] = simt.match_any_sync(0xFFFFFFFF, v % 3)
    bits, same = simt.match_all_sync(0xFFFFFFFF, v // 1000)
    out[7, i] = bits if same else 0
    out[8, i] = simt.lanemask_lt()


@pytest.mark.parametrize("block", [(64, 1), (8, 8)])
def test_what_lanes_tell_one_another(block):
    x = np.random.randint(0, 100, 64)
    out = hd.zeros((9, 64), np.int64)
    warp_moves[1, block](hd.asarray(x), out)
    got = host(out)
    for warp in range(2):
        v, rows = x[warp * 32 : warp * 32 + 32], got[:, warp * 32 : warp * 32 + 32]
        lane = np.arange(32)
        bits = 1 << lane.astype(np.int64)
        np.testing.assert_array_equal(rows[0], np.full(32, v[5]))
        np.testing.assert_array_equal(rows[1], np.where(lane < 3, v, np.roll(v, 3)))
        np.testing.assert_array_equal(rows[2], v[lane ^ 1])
        np.testing.assert_array_equal(rows[3], v[(lane & ~7) | ((lane + 1) & 7)])
        np.testing.assert_array_equal(rows[4], np.full(32, bits[v > 50].sum()))
        np.testing.assert_array_equal(rows[5], np.full(32, 1 + 2 * (v > 98).any()))
        np.testing.assert_array_equal(rows[6], [bits[v % 3 == m % 3].sum() for m in v])
        np.testing.assert_array_equal(rows[7], np.full(32, 2**32 - 1))
        np.testing.assert_array_equal(rows[8], bits - 1)


@simt.kernel
def bits(x, out):
    i = simt.grid(1)
    if i < x.size:
        out[i, 0] = simt.popc(x[i])
        out[i, 1] = simt.clz(x[i])
        out[i, 2] = simt.ffs(x[i])
        out[i, 3] = simt.brev(x[i])
        out[i, 4] = simt.selp(x[i] > 5, 1, 2)


def test_bits():
    x = np.array([0, 1, 2, 5, 12, 2**31, 2**32 - 1], np.uint32)
    out = hd.zeros((x.size, 5), np.int64)
    bits.forall(x.size)(hd.asarray(x), out)
    for row, v in zip(host(out), x.tolist(), strict=True):
        text = f"{v:032b}"
        low = text[::-1].find("1") + 1
        zeros = len(text) - len(text.lstrip("0"))
        assert row.tolist() == [text.count("1"), zeros, low, int(text[::-1], 2), 1 if v > 5 else 2]


@simt.kernel
def dynamic(x, out):
    memory = simt.shared.array(0, np.float32)
    t = simt.threadIdx.x
    memory[t] = x[simt.grid(1)]
    simt.syncthreads()
    out[simt.grid(1)] = memory[simt.blockDim.x - 1 - t] + len(memory)


def test_dynamic_shared_memory():
    x = np.arange(120, dtype=np.float32)
    out = hd.zeros(120, np.float32)
    dynamic[3, 40, 0, 160](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), x.reshape(3, 40)[:, ::-1].ravel() + 40)
    with pytest.raises(ValueError, match="shared memory"):
        dynamic[3, 40, 0, 1 << 24](hd.asarray(x), out)


@simt.kernel
def barrier_in_condition(x, out):
    shared = simt.shared.array(64, np.int64)
    t = simt.threadIdx.x
    i = simt.grid(1)
    if i >= x.size:
        return
    shared[t] = x[i]
    total = 0
    turns = 0
    while turns < 3:
        simt.syncthreads()
        if simt.blockIdx.x % 2 == 0:
            total += shared[(t + turns) % 32]
            simt.syncthreads()
            shared[t] += 1
        turns += 1
        if turns == 2 and simt.blockIdx.x == 2:
            break
    out[i] = total


def test_barriers_in_control_flow():
    x = np.arange(128)
    out = hd.zeros(128, np.int64)
    barrier_in_condition[5, 32](hd.asarray(x), out)
    wanted = np.zeros(128, np.int64)
    for block in (0, 2):
        s = x[block * 32 : block * 32 + 32].copy()
        for turn in range(3 if block == 0 else 2):
            wanted[block * 32 : block * 32 + 32] += np.roll(s, -turn)
            s += 1
    np.testing.assert_array_equal(host(out), wanted)


@simt.kernel
def scan(x, out):
    shared = simt.shared.array(256, np.int64)
    t = simt.threadIdx.x
    shared[t] = x[t]
    simt.syncthreads()
    d = 1
    while d < simt.blockDim.x:
        v = shared[t]
        if t >= d:
            v += shared[t - d]
        simt.syncthreads()
        shared[t] = v
        simt.syncthreads()
        d *= 2
    out[t] = shared[t]


@pytest.mark.parametrize("n", [32, 100, 256])
def test_prefix_sums(n):
    x = np.random.randint(0, 100, n)
    out = hd.zeros(n, np.int64)
    scan[1, n](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), np.cumsum(x))


@simt.kernel
def transpose(x, out):
    tile = simt.shared.array((16, 17), np.float32)
    i = simt.blockIdx.x * 16 + simt.threadIdx.x
    j = simt.blockIdx.y * 16 + simt.threadIdx.y
    if j < x.shape[0] and i < x.shape[1]:
        tile[simt.threadIdx.y, simt.threadIdx.x] = x[j, i]
    simt.syncthreads()
    i = simt.blockIdx.y * 16 + simt.threadIdx.x
    j = simt.blockIdx.x * 16 + simt.threadIdx.y
    if j < out.shape[0] and i < out.shape[1]:
        out[j, i] = tile[simt.threadIdx.x, simt.threadIdx.y]


def test_transposition():
    x = np.random.rand(45, 70).astype(np.float32)
    out = hd.zeros((70, 45), np.float32)
    transpose[(5, 3), (16, 16)](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), x.T)


def test_print(capfd):
    @simt.kernel
    def says(x):
        i = simt.grid(1)
        if i == 2:
            print("thread", i, "has", x[i], "%")

    says[1, 8](hd.arange(8.0))
    hd.synchronize()
    assert capfd.readouterr().out == "thread 2 has 2 %\n"


def test_ptx_is_assembled_without_a_gpu():
    x = hd.zeros(4)
    text = scan.inspect_ptx(hd.zeros(4, np.int64), hd.zeros(4, np.int64))
    assert "bar" in text and ".entry heddle_program" in text
    del x


def printed(capfd, kernel, *args, threads=1):
    kernel[1, threads](*args)
    hd.synchronize()
    return capfd.readouterr().out


def test_print_writes_what_python_writes(capfd):
    @simt.kernel
    def truths(x):
        print(True, x[0] > 0, x[0] < 0)

    @simt.kernel
    def tuples(t, x):
        print(t, x[0], (x[0], "a"), (), (1,))

    @simt.kernel
    def complexes(z):
        print(z[0], z[0].real)

    assert printed(capfd, truths, hd.ones(1)) == "True True False\n"
    given = (1, ((2, 4), 3.5), (4,), 5)
    wanted = "(1, ((2, 4), 3.5), (4,), 5) 1 (1, 'a') () (1,)\n"
    assert printed(capfd, tuples, given, hd.ones(1)) == wanted
    assert printed(capfd, complexes, hd.asarray([2 - 3j])) == "(2-3j) 2\n"


def test_print_of_places(capfd):
    @simt.kernel
    def places():
        print(simt.threadIdx, simt.blockDim)

    places[1, (2, 2)]()
    hd.synchronize()
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == [f"({x}, {y}, 0) (2, 2, 1)" for x in range(2) for y in range(2)]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_atomic_extrema_keep_what_is_there_beside_nan(dtype):
    # As Numba's: an element that is nan stays so, a value that is nan changes nothing.
    @simt.kernel
    def extrema(x, low, high, lower, higher):
        i = simt.grid(1)
        simt.atomic.min(low, 0, x[i])
        simt.atomic.max(high, 0, x[i])
        simt.atomic.nanmin(lower, 0, x[i])
        simt.atomic.nanmax(higher, 0, x[i])

    x = np.arange(1, 65).astype(dtype)
    x[::2] = np.nan
    for start in (30, np.nan):
        found = [np.full(1, start, dtype) for _ in range(4)]
        extrema[2, 32](x, *found)
        wanted = [2, 64, 2, 64] if start == 30 else [np.nan, np.nan, 2, 64]
        np.testing.assert_array_equal(np.concatenate(found), np.array(wanted, dtype))


@simt.kernel
def two_ways(x, out):
    i = simt.threadIdx.x
    odd = simt.ballot_sync(0xFFFFFFFF, i % 2 == 1)
    if i % 2 == 1:
        simt.syncwarp(odd)
        out[i] = x[i]
    else:
        simt.syncwarp(mask=~odd & 0xFFFFFFFF)
        out[i] = simt.shfl_sync(~odd & 0xFFFFFFFF, x[i], 0)
    simt.syncwarp()


def test_barriers_of_some_threads_of_a_warp():
    """Those of all waited for ever on a GPU where the others had gone another way."""
    x, out = hd.arange(32.0), hd.zeros(32)
    two_ways[1, 32](x, out)
    expected = np.arange(32.0)
    expected[::2] = 0
    np.testing.assert_array_equal(host(out), expected)
    barriers = re.findall(r"bar\.warp\.sync\s+(\S+);", two_ways.inspect_ptx(x, out))
    assert len(barriers) == 3 and sum(members == "-1" for members in barriers) == 1


def test_mistakes_at_barriers_of_warps():
    for wrong in ("simt.syncwarp(1, 2)", "simt.syncwarp(members=1)", "simt.threadfence(1)"):
        space = {"simt": simt}
        linecache.cache["<wrong>"] = (
            len(text := f"def f(x):\n    {wrong}\n"), None, text.splitlines(True), "<wrong>"
        )  # fmt: skip
        exec(compile(text, "<wrong>", "exec"), space)
        with pytest.raises(simt.KernelError, match=r"takes a mask|take no arguments"):
            simt.kernel(space["f"])[1, 1](hd.zeros(1))
