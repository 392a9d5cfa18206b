"""PyCUDA's names: programs as those of its manual, on a GPU and on a CPU."""

import functools
import os
import subprocess
import sys

import numpy
import pytest
from pycuda_support import _on_gpu, available, gpu_or_host, numbers  # noqa: F401
from support import assert_exact

import heddle
import heddle.pycuda.autoinit
import heddle.pycuda.driver as drv
from heddle.pycuda import characterize, gpuarray, tools
from heddle.pycuda.compiler import SourceModule, compile

# autoinit makes a GPU current: not for the arrays of modules that are imported after this one.
heddle._core.set_scoped_device(os.environ["HEDDLE_DEVICE"])

with_gpu = pytest.mark.skipif(not available, reason="needs a GPU")
without_gpu = pytest.mark.skipif(available, reason="needs a machine without GPU")


MULTIPLY = """
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
"""


def multiplied():
    a = numpy.random.default_rng(1).standard_normal(400).astype(numpy.float32)
    b = numpy.random.default_rng(2).standard_normal(400).astype(numpy.float32)
    dest = numpy.zeros_like(a)
    multiply_them = SourceModule(MULTIPLY).get_function("multiply_them")
    multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1))
    return dest, a * b


@functools.cache
def compiles():
    if available:
        return True
    try:
        return bool(numpy.array_equal(*multiplied()))
    except Exception:
        return False


@pytest.fixture
def compiler():
    if not compiles():
        pytest.skip("no compiler of CUDA C++ is here")


# --- devices ---


def test_devices_and_contexts():
    drv.init()
    device = heddle.pycuda.autoinit.device
    assert drv.Device.count() >= 1 and device.name() == heddle.cuda.Device(0).name
    assert device == drv.Device(0) and hash(device) == hash(drv.Device(0))
    assert device.total_memory() > 2**20 and drv.mem_get_info()[1] == device.total_memory()
    assert device.multiprocessor_count > 0
    with pytest.raises(drv.LogicError):
        drv.Device(1000)
    context = device.make_context()
    assert drv.Context.get_device() == device and drv.Context.get_current() == context
    drv.Context.synchronize()
    drv.Context.pop()
    assert drv.get_version()[0] == 13
    assert drv.device_attribute.MAX_THREADS_PER_BLOCK == 1
    assert drv.jit_target.COMPUTE_20 == 20 and drv.jit_fallback.PREFER_PTX == 0
    if available:
        assert device.compute_capability() == tuple(
            map(int, heddle.cuda.Device(0).compute_capability)
        )
        assert device.get_attributes()[drv.device_attribute.WARP_SIZE] == 32 == device.warp_size
        assert context.get_limit(drv.limit.STACK_SIZE) > 0 and context.get_api_version() > 0
        record = tools.OccupancyRecord(tools.DeviceData(), 256, shared_mem=1024)
        assert 0 < record.occupancy <= 1 and record.tb_per_mp * 8 == record.warps_per_mp
        assert characterize.sizeof("float4") == 16


def test_streams_and_events():
    stream, start, end = drv.Stream(), drv.Event(), drv.Event()
    start.record(stream)
    end.record(stream).synchronize()
    assert end.query() and end.time_since(start) >= 0 and start.time_till(end) >= 0
    stream.wait_for_event(end)
    stream.synchronize()
    assert stream.is_done() and isinstance(stream.handle, int)


def test_errors():
    assert issubclass(drv.LogicError, drv.Error) and issubclass(drv.MemoryError, MemoryError)
    with pytest.raises(drv.LogicError):
        drv.mem_alloc(0)
    with pytest.raises(NotImplementedError, match="texture objects"):
        drv.TextureReference()
    with pytest.raises(NotImplementedError, match="HEDDLE_CACHE_DIR"):
        SourceModule(MULTIPLY, cache_dir="/tmp")
    if available:
        with pytest.raises(drv.MemoryError):
            drv.mem_alloc(1 << 60)
        with pytest.raises(drv.LogicError):
            SourceModule(MULTIPLY).get_function("missing")
    elif not compiles():
        with pytest.raises(RuntimeError, match="CUDA C"):
            multiplied()


def has_nvrtc():
    try:
        return bool(heddle._core.cuda.library_path("NVRTC"))
    except ImportError:
        return False


@pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC")
def test_compilation(capsys):
    assert compile(MULTIPLY, arch="sm_90")[:4] == b"\x7fELF"
    with pytest.raises(drv.CompileError, match=r"source.cu\(3\).*missing") as caught:
        compile("#include <stdio.h>\n__global__ void f(int *x) {\n  *x = missing;\n}", arch="sm_90")
    assert "missing" in caught.value.stderr and "-arch=sm_90" in caught.value.command_line
    template = """
    #include <stdint.h>
    template <class T> __device__ T twice(T x) { return 2 * x; }
    extern "C" __global__ void f(int32_t *x) { *x = twice(*x); }
    """
    assert compile(template, no_extern_c=True, arch="sm_90", keep=True)[:4] == b"\x7fELF"
    assert "compiler output in" in capsys.readouterr().out


# --- memory ---


def test_memory_and_copies():
    a = numbers(4, 5)
    there = drv.mem_alloc_like(a)
    drv.memcpy_htod(there, a)
    back = numpy.empty_like(a)
    drv.memcpy_dtoh(back, there)
    assert_exact(back, a)
    second = drv.to_device(numpy.zeros_like(a))
    drv.memcpy_dtod(second, there, a.nbytes)
    assert_exact(drv.from_device(second, a.shape, a.dtype), a)
    assert_exact(drv.from_device_like(int(second), a), a)
    drv.memcpy_htod(int(second) + 4 * 5, numpy.zeros(5, numpy.float32))
    assert (drv.from_device_like(second, a)[1] == 0).all()
    drv.memcpy_htod(int(second), memoryview(numpy.float32(5)))
    assert drv.from_device_like(second, a)[0, 0] == 5
    drv.memset_d32(second, 0x3F800000, 20)
    assert (drv.from_device_like(second, a) == 1).all()
    drv.memset_d2d8(second, 20, 0, 4, 4)
    assert_exact(drv.from_device_like(second, a)[:, 0], numpy.zeros(4, numpy.float32))
    stream = drv.Stream()
    pinned = drv.pagelocked_empty_like(a)
    pinned[:] = a
    drv.memcpy_htod_async(second, pinned, stream)
    result = drv.pagelocked_zeros(a.shape, a.dtype)
    drv.memcpy_dtoh_async(result, second, stream)
    stream.synchronize()
    assert_exact(numpy.asarray(result), a)
    with pytest.raises(ValueError, match="contiguous"):
        drv.memcpy_htod(second, a[:, ::2])
    second.free()
    with pytest.raises(drv.LogicError, match="freed before"):
        second.free()


def test_memory_of_the_host():
    made = drv.pagelocked_zeros((3, 4), numpy.float64, order="F")
    assert made.strides == (8, 24) and made.base.get_device_pointer()
    assert isinstance(made.base, drv.PagelockedHostAllocation)
    aligned = drv.aligned_zeros(10, numpy.int32, alignment=512)
    assert aligned.ctypes.data % 512 == 0 and aligned.sum() == 0
    registered = drv.register_host_memory(aligned)
    assert registered.ctypes.data == aligned.ctypes.data
    registered.base.unregister()
    managed = drv.managed_zeros((2, 3), numpy.float32)
    managed += 1
    assert managed.sum() == 6 and int(managed.base.get_device_pointer()) == managed.ctypes.data


def test_copies_of_rectangles():
    a = numpy.arange(48, dtype=numpy.float32).reshape(6, 8)
    there, pitch = drv.mem_alloc_pitch(4 * 3, 4, 4)
    copy = drv.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_device(there)
    copy.src_pitch, copy.dst_pitch = a.strides[0], pitch
    copy.src_x_in_bytes, copy.src_y = 8, 1
    copy.width_in_bytes, copy.height = 12, 4
    copy(aligned=True)
    back = numpy.zeros((4, 3), numpy.float32)
    copy = drv.Memcpy2D()
    copy.set_src_device(there)
    copy.set_dst_host(back)
    copy.src_pitch, copy.dst_pitch = pitch, 12
    copy.width_in_bytes, copy.height = 12, 4
    copy()
    assert_exact(back, a[1:5, 2:5])
    box = numpy.arange(60, dtype=numpy.int32).reshape(3, 4, 5)
    there, part = drv.mem_alloc(2 * 2 * 3 * 4), numpy.zeros((2, 2, 3), numpy.int32)
    copy = drv.Memcpy3D()
    copy.set_src_host(box)
    copy.set_dst_device(there)
    copy.src_pitch, copy.src_height, copy.dst_pitch, copy.dst_height = 20, 4, 12, 2
    copy.src_x_in_bytes, copy.src_y, copy.src_z = 4, 1, 1
    copy.width_in_bytes, copy.height, copy.depth = 12, 2, 2
    copy()
    drv.memcpy_dtoh(part, there)
    assert_exact(part, box[1:3, 1:3, 1:4])


def test_pools():
    pool = tools.DeviceMemoryPool()
    first = pool.allocate(1000)
    assert pool.active_blocks == 1 and pool.active_bytes == 1000 == len(first)
    drv.memcpy_htod(first, numpy.ones(250, numpy.float32))
    first.free()
    assert pool.active_blocks == 0
    pool.free_held()
    assert pool.held_blocks == 0
    array = gpuarray.to_gpu(numpy.ones(4, numpy.float32), allocator=pool.allocate)
    assert pool.active_blocks == 1 and gpuarray.sum(array).get() == 4
    pinned = tools.PageLockedMemoryPool()
    made = pinned.allocate((2, 3), numpy.float32)
    made[:] = 1
    assert pinned.active_blocks == 1 and made.shape == (2, 3)
    made.base.free()
    assert pinned.active_blocks == 0
    for pool, one in ((tools.DeviceMemoryPool(), (1000,)), (pinned, ((2, 3), numpy.float32))):
        held = pool.allocate(*one)
        pool.stop_holding()
        assert (pool.active_blocks, pool.held_blocks) == (1, 0)
        (held if pool is not pinned else held.base).free()
        assert (pool.active_blocks, pool.held_blocks) == (0, 0)


test_pools = pytest.mark.host_memory(test_pools)


# --- sources ---


def test_tutorial_with_handlers(compiler):
    found, expected = multiplied()
    assert_exact(found, expected)


@gpu_or_host
def test_values_that_go_both_ways(compiler):
    a = numbers(4, 4)
    module = SourceModule(
        """
        #include <stdio.h>
        #include <math.h>
        __global__ void doublify(float *a)
        {
          int idx = threadIdx.x + threadIdx.y*4;
          a[idx] *= 2;
        }
        """
    )
    doubled = a.copy()
    module.get_function("doublify")(drv.InOut(doubled), block=(4, 4, 1))
    assert_exact(doubled, 2 * a)
    there = gpuarray.to_gpu(a)
    module.get_function("doublify")(there, block=(4, 4, 1))
    assert_exact(there.get(), 2 * a)


def test_numbers_and_shared_memory(compiler):
    module = SourceModule(
        """
        __global__ void sum_of(const double *x, double *out, int n, double scale)
        {
          extern __shared__ double part[];
          int t = threadIdx.x;
          part[t] = t < n ? x[t] : 0;
          __syncthreads();
          for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (t < half) part[t] += part[t + half];
            __syncthreads();
          }
          if (t == 0) *out = scale * part[0];
        }
        """
    )
    x, out = numpy.arange(50.0), numpy.zeros(1)
    function = module.get_function("sum_of")
    scale = numpy.float64(2)
    function(drv.In(x), drv.Out(out), numpy.int32(50), scale, block=(64, 1, 1), shared=8 * 64)
    assert out[0] == 2 * x.sum()
    with pytest.raises(TypeError, match="parameter #2"):
        function(drv.In(x), drv.Out(out), 50, scale, block=(64, 1, 1))
    with pytest.raises(ValueError, match="block size"):
        function(drv.In(x), drv.Out(out), numpy.int32(50), scale)


@with_gpu
def test_tutorial_with_memory():
    a = numbers(4, 4)
    a_gpu = drv.mem_alloc(a.nbytes)
    drv.memcpy_htod(a_gpu, a)
    mod = SourceModule(
        """
        __constant__ float factor;
        __global__ void scale(float *a) { a[threadIdx.x + threadIdx.y*4] *= factor; }
        """
    )
    pointer, size = mod.get_global("factor")
    assert size == 4
    drv.memcpy_htod(pointer, numpy.float32(3))
    func = mod.get_function("scale")
    seconds = func(a_gpu, block=(4, 4, 1), time_kernel=True)
    result = numpy.empty_like(a)
    drv.memcpy_dtoh(result, a_gpu)
    assert_exact(result, a * numpy.float32(3))
    assert seconds > 0 and func.num_regs > 0 and func.shared_size_bytes == 0
    func.prepare("P")
    stream = drv.Stream()
    func.prepared_call((1, 1), (4, 4, 1), a_gpu)
    func.prepared_async_call((1, 1), (4, 4, 1), stream, a_gpu)
    stream.synchronize()
    assert func.prepared_timed_call((1, 1), (4, 4, 1), a_gpu)() > 0
    drv.memcpy_dtoh(result, a_gpu)
    numpy.testing.assert_allclose(result, a * 81, rtol=1e-6)


@with_gpu
def test_tutorial_with_structures():
    mod = SourceModule(
        """
        struct DoubleOperation { int datalen, __padding; float *ptr; };
        __global__ void double_array(DoubleOperation *a) {
          a = &a[blockIdx.x];
          for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x) {
            a->ptr[idx] *= 2;
          }
        }
        """
    )
    size = 8 + numpy.uintp(0).nbytes
    arrays = numpy.array([1, 2, 3], numpy.float32), numpy.array([0, 4], numpy.float32)
    structures = drv.mem_alloc(2 * size)
    held = []
    for i, array in enumerate(arrays):
        data = drv.to_device(array)
        held.append(data)
        at = int(structures) + i * size
        drv.memcpy_htod(at, memoryview(numpy.int32(array.size)))
        drv.memcpy_htod(at + 8, memoryview(numpy.uintp(int(data))))
    func = mod.get_function("double_array")
    func(structures, block=(32, 1, 1), grid=(2, 1))
    for data, array in zip(held, arrays, strict=True):
        assert_exact(drv.from_device_like(data, array), 2 * array)
    func(numpy.uintp(int(structures) + size), block=(32, 1, 1), grid=(1, 1))
    assert_exact(drv.from_device_like(held[0], arrays[0]), 2 * arrays[0])
    assert_exact(drv.from_device_like(held[1], arrays[1]), 4 * arrays[1])


@with_gpu
def test_modules_of_files(tmp_path):
    code = compile(MULTIPLY)
    assert code[:4] == b"\x7fELF"
    (tmp_path / "module.cubin").write_bytes(code)
    a, b, dest = numbers(32), numbers(32, seed=1), numpy.zeros(32, numpy.float32)
    for module in (
        drv.module_from_buffer(code),
        drv.module_from_file(str(tmp_path / "module.cubin")),
    ):
        dest[:] = 0
        module.get_function("multiply_them")(drv.Out(dest), drv.In(a), drv.In(b), block=(32, 1, 1))
        assert_exact(dest, a * b)


@with_gpu
def test_arrays_for_textures():
    a = numbers(6, 8)
    made = drv.matrix_to_array(a, "C")
    described = made.get_descriptor()
    assert (described.width, described.height) == (8, 6)
    assert described.format == drv.array_format.FLOAT
    back = numpy.zeros_like(a)
    copy = drv.Memcpy2D()
    copy.set_src_array(made)
    copy.set_dst_host(back)
    copy.dst_pitch = copy.width_in_bytes = 32
    copy.height = 6
    copy(aligned=True)
    assert_exact(back, a)


def test_memory_that_lives_as_long_as_the_interpreter():
    """Its end is no time for errors of what frees it."""
    code = """
import builtins
import heddle.pycuda.autoinit
from heddle.pycuda import driver

builtins.kept = driver.mem_alloc(64)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
