"""CuPy's Module and Function, the driver's pools, copies of rows."""

import numpy
import pytest
from support import assert_exact

import heddle
from heddle import cuda

with_gpu = pytest.mark.skipif(not cuda.is_available(), reason="needs a GPU")
SOURCE = 'extern "C" __global__ void twice(float* x, long long n) {\n'
SOURCE += "  long long i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}"


def test_copies_of_rows():
    a, b = numpy.arange(24, dtype="i4").reshape(4, 6), numpy.zeros((4, 3), "i4")
    there = cuda.runtime.malloc(4 * 32)
    to, back = cuda.runtime.memcpyHostToDevice, cuda.runtime.memcpyDeviceToHost
    cuda.runtime.memcpy2D(there, 32, a.ctypes.data + 4, 24, 12, 4, to)
    cuda.runtime.memcpy2D(b.ctypes.data, 12, there, 32, 12, 4, back)
    assert_exact(b, a[:, 1:4])
    with pytest.raises(ValueError, match="pitches"):
        cuda.runtime.memcpy2D(there, 8, a.ctypes.data, 24, 12, 4, to)
    cuda.runtime.free(there)


def test_pools_of_the_driver():
    pool = cuda.MemoryAsyncPool()
    memory = pool.malloc(4000)
    data = numpy.arange(1000, dtype="f4")
    back = numpy.zeros_like(data)
    memory.copy_from_host(data.ctypes.data, 4000)
    memory.copy_to_host(back.ctypes.data, 4000)
    assert_exact(back, data)
    with pytest.raises(ValueError, match="pool_handles"):
        cuda.MemoryAsyncPool("other")
    if cuda.is_available():
        assert pool.used_bytes() >= 4000 and pool.total_bytes() >= pool.used_bytes()
        before = pool.get_limit()
        pool.set_limit(size=1 << 20)
        assert pool.get_limit() == 1 << 20
        pool.set_limit(size=before)
        del memory
        pool.free_all_blocks()


@with_gpu
def test_modules(tmp_path):
    code, _ = cuda.compiler.compile_using_nvrtc(SOURCE)
    (tmp_path / "twice.cubin").write_bytes(code)
    first, second = cuda.Module(), cuda.Module()
    first.load(code)
    second.load_file(str(tmp_path / "twice.cubin"))
    x = heddle.arange(300, dtype="f4", device="cuda")
    first.get_function("twice")((3,), (128,), (x, 300))
    second.get_function("twice").linear_launch(300, (x, 300))
    assert_exact(x.get(), numpy.arange(300, dtype="f4") * 4)


def test_modules_without_code():
    with pytest.raises(RuntimeError, match="load"):
        cuda.Module().get_function("f")
