"""Kernels of Numba's and CuPy's users, as they stand apart from the import."""

import subprocess
import sys

import numpy as np
import pytest
from support import host

import heddle as cupy
import heddle as hd
from heddle import _core, numba, simt
from heddle.cupyx import jit
from heddle.numba import cuda, float32

TPB = 16


@cuda.jit
def add_one_kernel(A):
    x, y = cuda.grid(2)
    if x < A.shape[0] and y < A.shape[1]:
        A[x, y] += 1


def test_add_one_to_a_matrix():
    A = np.random.rand(100, 70)
    wanted = A + 1
    threads_per_block = (16, 16)
    blocks_per_grid = (
        (A.shape[0] + threads_per_block[0] - 1) // threads_per_block[0],
        (A.shape[1] + threads_per_block[1] - 1) // threads_per_block[1],
    )
    add_one_kernel[blocks_per_grid, threads_per_block](A)
    np.testing.assert_array_equal(A, wanted)


@cuda.jit
def gpu_add(x, y, out):
    idx = cuda.grid(1)
    out[idx] = x[idx] + y[idx]


@pytest.mark.host_memory
def test_unguarded_sum():
    array_size = 1000000
    a, b = np.random.rand(array_size), np.random.rand(array_size)
    c = np.zeros_like(a)
    threads_per_block = 256
    blocks_per_grid = (array_size + threads_per_block - 1) // threads_per_block
    gpu_add[blocks_per_grid, threads_per_block](a, b, c)
    np.testing.assert_array_equal(c, a + b)


@cuda.jit
def my_kernel(data):
    idx = cuda.grid(1)
    data[idx] *= 2  # Each GPU thread processes one element


def test_doubling():
    data = cuda.to_device(np.arange(256.0))
    my_kernel[4, 64](data)
    np.testing.assert_array_equal(data.copy_to_host(), 2 * np.arange(256.0))


@cuda.jit
def fast_matmul(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bpg = cuda.gridDim.x
    tmp = float32(0.0)
    for i in range(bpg):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TPB) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TPB]
        if x < B.shape[1] and (ty + i * TPB) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TPB, x]
        cuda.syncthreads()
        for j in range(TPB):
            tmp += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp


def test_tiled_product():
    a, b = (np.random.rand(50, 50).astype(np.float32) for _ in range(2))
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    d_c = cuda.device_array((50, 50), np.float32)
    fast_matmul[(4, 4), (TPB, TPB)](d_a, d_b, d_c)
    cuda.synchronize()
    np.testing.assert_allclose(d_c.copy_to_host(), a @ b, rtol=1e-5)


@cuda.jit
def custom_process(arr):
    idx = cuda.grid(1)
    if idx < arr.size:
        arr[idx] *= 2


def test_an_array_of_a_transform():
    data = hd.asarray(np.random.rand(1000))
    result = hd.fft.fft(data)
    wanted = np.fft.fft(host(data)) * 2
    threads = 256
    blocks = (data.size + threads - 1) // threads
    custom_process[blocks, threads](result)
    np.testing.assert_allclose(host(result), wanted, atol=1e-10)


@jit.rawkernel()
def elementwise_copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def test_a_loop_with_the_stride_of_the_grid():
    size = cupy.uint32(2**16)
    x = cupy.random.normal(size=(size,), dtype=cupy.float32)
    y = cupy.empty((size,), dtype=cupy.float32)
    elementwise_copy((128,), (1024,), (x, y, size))
    assert (x == y).all()
    y[...] = 0
    elementwise_copy[128, 1024](x, y, size)
    assert (x == y).all()


@cuda.jit
def widens(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * 1000 * 1000


def test_numbers_are_promoted_as_numbas():
    x = np.full(5, 100, np.int8)
    out = hd.zeros(5, np.int64)
    widens[1, 32](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), np.full(5, 10**8))


@cuda.jit(device=True)
def helper(v):
    return v + 1


@cuda.jit
def uses_helper(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = helper(x[i])
        cuda.atomic.add(x, 0, 1)


def test_device_functions_and_atomics():
    x = hd.zeros(10)
    uses_helper[1, 32](x)
    assert host(x)[1:].tolist() == [1] * 9 and host(x)[0] >= 10
    with pytest.raises(NotImplementedError, match="link"):
        cuda.jit(link=["a.cu"])


def test_numbas_own_finder_does_not_take_the_module():
    # As numba-cuda has one: it takes every import of such a name for Numba's, and calls itself.
    script = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        assert "numba.cuda" not in name
sys.meta_path.insert(0, Finder())
import heddle.numba.cuda
from heddle.numba import cuda
from heddle import numba_cuda
assert cuda is numba_cuda is heddle.numba.cuda
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@cuda.jit
def _increments(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.vectorize(["float64(float64, float64)"], target="cuda")
def _added(a, b):
    return a + b


def test_views_of_device_arrays():
    d = cuda.to_device(np.arange(6.0))
    part = d[1:]
    part[0] = 9
    _increments[1, 2](d[2:4])
    assert part.copy_to_host().tolist() == [9, 3, 4, 4, 5]
    assert d.reshape(2, 3).T.copy_to_host().shape == (3, 2)
    assert d.ravel().copy_to_host().tolist() == [0, 9, 3, 4, 4, 5] and float(d[1]) == 9
    assert _added(d, d).copy_to_host().tolist() == [0, 18, 6, 8, 8, 10]
    assert isinstance(_added(np.ones(2), np.ones(2)), np.ndarray)


def test_types_and_what_is_not_there():
    assert cuda.float32 is numba.float32 and not cuda.is_fp8_supported()
    with pytest.raises(AttributeError, match="foreign code that is linked in"):
        cuda.compile_all
    with pytest.raises(AttributeError, match="jitclass"):
        numba.experimental.structref
    with pytest.raises(ImportError):
        from heddle.numba import cfunc  # noqa: F401
    with pytest.raises(AttributeError, match=r"heddle\.matmul"):
        hd.cuda.cublas


TABLES = (np.arange(3.0), np.arange(4))


def test_other_arrays_by_one_name():
    @cuda.jit
    def run(out):
        x = 1
        out[0] = x
        x = 2.5
        out[1] = x
        x = out[0:2]
        out[2] = x[1]
        for table in numba.literal_unroll(TABLES):
            out[3] += table[2]

    out = np.zeros(4)
    run[1, 1](out)
    assert out.tolist() == [1, 2.5, 2.5, 4]


def test_shifts_of_unsigned_numbers():
    @cuda.jit
    def run(x, out):
        i = cuda.grid(1)
        y = x[i]
        y ^= y << 13
        y ^= y >> 7
        y ^= y << 17
        out[i] = y & 0xFFFFFFFF | (y >> 63)

    x = np.array([1, 2**63 + 5, 12345678901234567], np.uint64)
    out = np.zeros(3, np.uint64)
    run[1, 3](x, out)
    wanted = x.copy()
    wanted ^= wanted << np.uint64(13)
    wanted ^= wanted >> np.uint64(7)
    wanted ^= wanted << np.uint64(17)
    np.testing.assert_array_equal(out, wanted & np.uint64(0xFFFFFFFF) | wanted >> np.uint64(63))


@numba.vectorize(["float64(float64, float64)", "float32(float32, float32)"])
def longer(a, b):
    return a if abs(a) > abs(b) else b


@pytest.mark.parametrize("xp", [np, hd])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_for_the_results_of_vectorized_functions(xp, dtype):
    a = xp.asarray(np.random.default_rng(0).normal(size=(3, 4)).astype(dtype))
    b = xp.asarray(np.random.default_rng(1).normal(size=4).astype(dtype))
    wanted = np.where(abs(host(a)) > abs(host(b)), host(a), host(b))
    for given in ({"out": xp.zeros((3, 4), dtype)}, {"out": (xp.zeros((3, 4)),)}):
        out = given["out"][0] if isinstance(given["out"], tuple) else given["out"]
        assert longer(a, b, **given) is out
        np.testing.assert_array_equal(host(out), wanted)
    turned = xp.zeros((4, 3), dtype).T
    assert longer(a, b, turned) is turned
    np.testing.assert_array_equal(host(turned), wanted)
    wide = xp.zeros((2, 3, 4), dtype)
    longer(a, b, wide)
    np.testing.assert_array_equal(host(wide), np.broadcast_to(wanted, (2, 3, 4)))
    assert longer.__name__ == "longer" and longer.nin == 2
    with pytest.raises(ValueError, match="does not fit into"):
        longer(a, b, out=xp.zeros(4, dtype))
    with pytest.raises(TypeError, match="cannot cast"):
        longer(a, b, out=xp.zeros((3, 4), "int32"))
    with pytest.raises(TypeError, match="both a positional and keyword"):
        longer(a, b, turned, out=turned)


def test_vectorized_functions_for_the_device():
    @numba.vectorize(["float64(float64, float64)"], target="cuda")
    def added(a, b):
        return a + b

    @numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")
    def doubled(x, out):
        for i in range(x.size):
            out[i] = 2 * x[i]

    x = np.arange(4.0)
    on_device = cuda.to_device(x)
    np.testing.assert_array_equal(added(on_device, on_device).copy_to_host(), x + x)
    np.testing.assert_array_equal(doubled(on_device).copy_to_host(), x + x)
    assert type(added(x, x)) is np.ndarray and type(doubled(x)) is np.ndarray
    out = cuda.device_array(4)
    added(on_device, on_device, out=out, stream=cuda.stream())
    np.testing.assert_array_equal(out.copy_to_host(), x + x)


def test_results_are_of_the_kind_of_the_arguments():
    @numba.vectorize(["int64(int64, int64)", "float64(float64, float64)"])
    def added(x, y):
        return x + y

    a = np.arange(12).reshape(3, 4)
    for made, wanted in (
        (added(a, a), a + a),
        (added.reduce(a, axis=1), a.sum(1)),
        (added.accumulate(a), a.cumsum(0)),
        (added.outer(a[0], a[1]), np.add.outer(a[0], a[1])),
    ):
        assert type(made) is np.ndarray
        np.testing.assert_array_equal(made, wanted)
    assert type(added(2, 3)) is np.int64 and type(added.reduce(a[0])) is np.int64
    assert isinstance(added(hd.asarray(a), a), _core.own_array)
    assert isinstance(added.reduce(hd.asarray(a)), _core.own_array)
    assert added.types == ["ll->l", "dd->d"]


def test_types_that_were_called_with():
    @numba.vectorize
    def product(x, y):
        return x * y

    assert product(3, 4) == 12 and product.types == ["ll->l"]
    assert product(1.0, 2.0) == 2.0 and product.types == ["ll->l", "dd->d"]
    assert product(1, 2.0) == 2.0 and product.types == ["ll->l", "dd->d"]

    @numba.guvectorize("(n),()->(n)")
    def moved(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + y

    out = np.zeros(5, int)
    moved(np.arange(5), 10, out)
    np.testing.assert_array_equal(out, np.arange(10, 15))
    assert moved.types == ["ll->l"]


def test_rows_of_one_and_numbers_of_guvectorize():
    @numba.guvectorize(["void(float64[:], int64[:], float64[:])"], "(n),()->(n)")
    def mean_of_last(x, width, out):
        for i in range(x.size):
            first = max(0, i - width[0] + 1)
            out[i] = x[first : i + 1].sum() / (i + 1 - first)

    x = np.arange(20.0).reshape(2, 10)
    wanted = [np.mean(x[1][max(0, i - 2) : i + 1]) for i in range(10)]
    np.testing.assert_allclose(mean_of_last(x, 3)[1], wanted)

    @numba.guvectorize([(numba.int64[:], numba.int64, numba.int64[:])], "(n),()->()")
    def total(x, y, out):
        s = 0
        for i in range(x.shape[0]):
            s += x[i] + y
        out[0] = s

    made = total(np.arange(5), 2)
    assert isinstance(made, np.integer) and made == 20
    assert total(hd.arange(5), 2).shape == ()


def test_functions_of_rows_that_write_to_what_they_are_given():
    def start(given, made):
        given[0] = 6.5
        made[0] = 4.2

    types = [(numba.float64[:], numba.float64[:])]
    plain = numba.guvectorize(types, "()->()")(start)
    x = np.zeros((3, 3))
    np.testing.assert_array_equal(plain(x), np.full((3, 3), 4.2))
    np.testing.assert_array_equal(x, np.full((3, 3), 6.5))
    narrow = np.zeros((3, 3), np.float32)
    plain(narrow)
    assert not narrow.any()  # it was converted
    numba.guvectorize(types, "()->()", writable_args=("given",))(start)(narrow)
    np.testing.assert_array_equal(narrow, np.full((3, 3), 6.5))


def test_functions_of_rows_inside_of_compiled_functions():
    @numba.guvectorize("(n)->(n)")
    def copied(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i]

    @numba.njit
    def call(x, out):
        copied(x, out)

    out = np.zeros(5)
    call(np.arange(5.0), out)
    np.testing.assert_array_equal(out, np.arange(5.0))
    with pytest.raises(simt.KernelError, match="Loop and array shapes are incompatible"):
        call(np.ones((1, 5)), out)
