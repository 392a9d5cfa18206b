"""heddle.cuda: on every machine that it is quiet without a GPU; with one, that it works."""

import io
import os
import subprocess
import sys
import threading

import numpy
import pytest
from support import assert_exact

import heddle
from heddle import cuda

with_gpu = pytest.mark.skipif(not cuda.is_available(), reason="needs a GPU")
without_gpu = pytest.mark.skipif(cuda.is_available(), reason="needs a machine without GPU")


def run(program, **environment):
    """What a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


# --- without a GPU ---


def test_import_opens_no_driver():
    program = (
        "import heddle, heddle.cuda; heddle.cuda.Stream.null\n"
        "maps = open('/proc/self/maps').read(); print('libcuda' in maps)"
    )
    assert run(program, HEDDLE_DEVICE="").strip() == "False"


def test_cpu_opens_no_driver():
    program = (
        "import heddle; assert float(heddle.ones(3).sum()) == 3; print(heddle.devices())\n"
        "assert 'libcuda.so' not in open('/proc/self/maps').read()"
    )
    assert run(program, HEDDLE_DEVICE="cpu", HEDDLE_SHADOW_DEVICE="").startswith("['cpu'")


@without_gpu
def test_what_only_gpus_have_is_an_error_without_one():
    assert "cuda:0" not in heddle.devices()
    for use in (
        cuda.runtime.getDeviceCount,
        cuda.runtime.driverGetVersion,
        cuda.get_cublas_handle,
        lambda: cuda.Device(0).compute_capability,
        lambda: cuda.Device(0).pci_bus_id,
        lambda: cuda.Stream().begin_capture(),
    ):
        with pytest.raises(cuda.runtime.CUDARuntimeError, match="no GPU can be used") as error:
            use()
        assert error.value.status == 100
    assert issubclass(cuda.runtime.CUDARuntimeError, RuntimeError)
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="there is no GPU number 1") as error:
        cuda.Device(1)
    assert error.value.status == 101
    for name in ("cuda:0", "cuda"):
        with pytest.raises(ValueError, match=f"there is no device '{name}'"):
            heddle.device(name)
        with pytest.raises(ValueError, match="there is no device"):
            heddle.ones(3).to_device(name)


@without_gpu
def test_ranges_do_nothing_without_gpu():
    assert not cuda.nvtx.available()
    cuda.nvtx.RangePush("a")
    cuda.nvtx.RangePop()
    cuda.nvtx.RangeEnd(cuda.nvtx.RangeStart("b"))
    cuda.nvtx.Mark("c")


@without_gpu
def test_config_says_why_there_is_no_gpu(capsys):
    heddle.show_config()
    assert "cuda: not available: " in capsys.readouterr().out


def test_config_names_every_library():
    config = heddle.show_config("dicts")
    if cuda.is_available():
        for name in ("cuBLAS", "cuFFT", "cuSOLVER", "cuSPARSE", "cuRAND", "NVRTC", "nvJitLink"):
            assert name in config


def test_asking_for_a_missing_gpu_is_an_error():
    program = (
        "import heddle\n"
        "try:\n    heddle.ones(3)\n    print('there is one')\n"
        "except ValueError as error:\n    print(error)"
    )
    said = run(program, HEDDLE_DEVICE="cuda")
    if "there is one" in said:
        pytest.skip("needs a machine without GPU")
    assert "there is no device 'cuda'" in said


# --- with one ---


@with_gpu
def test_devices():
    device = cuda.Device(0)
    assert "cuda:0" in heddle.devices()
    assert device == cuda.Device(0)
    assert int(device.compute_capability) >= 70
    free, total = device.mem_info
    assert 0 < free <= total
    assert device.attributes["MultiProcessorCount"] > 0
    assert cuda.Device.from_pci_bus_id(device.pci_bus_id) == device
    properties = cuda.runtime.getDeviceProperties(0)
    assert properties["name"].decode() == device.name
    with device:
        assert cuda.runtime.getDevice() == 0
        assert heddle.default_device() == "cuda:0"
    with pytest.raises(RuntimeError, match="there is no GPU number 1000"):
        cuda.Device(1000)


@pytest.fixture
def on_gpu():
    with heddle.device("cuda:0"):
        yield


gpu = [with_gpu, pytest.mark.usefixtures("on_gpu")]


def marked(function):
    for mark in gpu:
        function = mark(function)
    return function


@marked
def test_streams_are_ordered_without_the_users_effort():
    n = 1 << 22
    streams = [cuda.Stream(non_blocking=True) for _ in range(4)]
    x = heddle.zeros(n, dtype="f4")
    for step in range(40):
        with streams[step % 4]:
            x = (x + 1).eval()
    assert_exact(x, numpy.full(n, 40, "f4"))


@marked
def test_freed_memory_is_not_used_before_its_time():
    n = 1 << 22
    streams = [cuda.Stream(non_blocking=True) for _ in range(3)]
    sums = []
    for step in range(60):
        with streams[step % 3]:
            block = (heddle.zeros(n, dtype="i4") + step).eval()
            sums.append((block[:1000].max() - block.min()).eval())
            del block
    assert [int(s) for s in sums] == [0] * 60


@marked
def test_current_stream_belongs_to_thread():
    stream = cuda.Stream()
    seen = []
    with stream:
        assert cuda.get_current_stream() == stream
        other = threading.Thread(target=lambda: seen.append(cuda.get_current_stream()))
        other.start()
        other.join()
    assert seen == [cuda.Stream.null]
    assert cuda.get_current_stream() == cuda.Stream.null
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert cuda.Stream.from_external(stream) == stream


@marked
def test_streams_of_threads():
    x = heddle.arange(1 << 20).eval()
    with cuda.Stream.ptds:
        y = (x + 1).eval()
        cuda.Stream.ptds.synchronize()
    assert_exact(y, numpy.arange(1 << 20) + 1)


@marked
def test_events_measure_time():
    start, end = cuda.Event(), cuda.Event()
    start.record()
    x = heddle.ones(1 << 24, dtype="f4")
    for _ in range(10):
        x = (x * 2).eval()
    end.record()
    end.synchronize()
    assert end.done
    assert 0 < cuda.get_elapsed_time(start, end) < 60_000
    with pytest.raises(ValueError, match="Timing must be disabled"):
        cuda.Event(interprocess=True)


@marked
def test_host_functions_are_called_in_order():
    stream, calls = cuda.Stream(), []
    with stream:
        x = (heddle.ones(1 << 20) + 1).eval()
        stream.launch_host_func(calls.append, 1)
        stream.add_callback(lambda s, status, arg: calls.append((s is stream, status, arg)), 2)
        stream.synchronize()
    assert calls == [1, (True, 0, 2)]
    assert float(x[0]) == 2


@marked
def test_graphs_replay():
    stream = cuda.Stream(non_blocking=True)
    x = heddle.zeros(1000, dtype="f4").eval()
    with stream:
        (x + 1).eval()  # so that the kernels are there
        stream.begin_capture()
        assert stream.is_capturing()
        x += 1
        y = x * 2
        graph = stream.end_capture()
        assert not stream.is_capturing()
        for _ in range(5):
            graph.launch(stream)
        stream.synchronize()
    assert_exact(x, numpy.full(1000, 5, "f4"))
    assert_exact(y, numpy.full(1000, 10, "f4"))
    assert "digraph" in graph.debug_dot_str()


@marked
def test_host_memory_cannot_be_read_in_a_capture():
    stream = cuda.Stream(non_blocking=True)
    x = heddle.ones(10).eval()
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="captured"):
            x.get()
        stream.end_capture()


@marked
def test_pool_keeps_blocks():
    pool = heddle.get_default_memory_pool()
    heddle.synchronize()
    before = pool.used_bytes()
    x = heddle.ones(1 << 20, dtype="f4").eval()
    assert pool.used_bytes() >= before + (4 << 20)
    del x
    assert pool.free_bytes() >= 4 << 20
    pool.free_all_blocks()
    assert pool.free_bytes() == 0
    assert pool.n_free_blocks() == 0


@marked
def test_out_of_memory_says_how_much():
    pool = heddle.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(pool.used_bytes() + (1 << 20))
    try:
        with pytest.raises(MemoryError, match=r"could not allocate \d+ bytes of device memory"):
            heddle.ones(1 << 24, dtype="f4").eval()
    finally:
        pool.set_limit(0)
    assert float(heddle.ones(1 << 24, dtype="f4").sum()) == 1 << 24


@marked
@pytest.mark.parametrize("bytes_", [0, 1, 1000, 1 << 16, (1 << 16) + 1, 10_000_001, 200_000_003])
def test_copies_of_every_size(bytes_):
    a = numpy.random.default_rng(0).integers(0, 255, bytes_, dtype="u1")
    x = heddle.asarray(a)
    assert x.device == "cuda:0"
    assert_exact(x.get(), a)
    out = numpy.empty_like(a)
    assert x.get(out=out) is out
    assert_exact(out, a)
    x.set(a[::-1].copy())
    assert_exact(heddle.asnumpy(x), a[::-1])


@marked
def test_page_locked_memory():
    memory = cuda.alloc_pinned_memory(8000)
    a = numpy.frombuffer(memory, "f8", 1000)
    a[:] = numpy.arange(1000)
    assert cuda.runtime.pointerGetMemoryType(memory.ptr) == cuda.runtime.memoryTypeHost
    x = heddle.asarray(a)
    stream = cuda.Stream(non_blocking=True)
    a[:] = 0
    (x * 2).get(stream=stream, out=a, blocking=False)
    stream.synchronize()
    assert_exact(a, numpy.arange(1000.0) * 2)


@marked
def test_allocators():
    sizes = []
    pool = cuda.MemoryPool()

    def allocate(size):
        sizes.append(size)
        return pool.malloc(size)

    with cuda.using_allocator(allocate):
        x = heddle.ones(1000, dtype="f8").eval()
    assert 8000 in sizes
    assert pool.used_bytes() > 0
    assert float(x.sum()) == 1000
    del x
    assert pool.used_bytes() == 0
    with cuda.using_allocator(None):
        assert float(heddle.ones(5).sum()) == 5
    with cuda.using_allocator(cuda.MemoryPool(cuda.malloc_managed).malloc):
        assert float(heddle.ones(5).sum()) == 5


@marked
def test_memory_hooks():
    class Hook(cuda.MemoryHook):
        def __init__(self):
            self.seen = []

        def malloc_postprocess(self, **kwargs):
            self.seen.append(kwargs)

    with Hook() as hook:
        x = heddle.ones(1000, dtype="f8").eval()
    assert [k["size"] for k in hook.seen] == [8000]
    assert hook.seen[0]["device_id"] == 0
    profile = cuda.memory_hooks.LineProfileHook()
    with profile:
        (x + 1).eval()
    report = io.StringIO()
    profile.print_report(report)
    assert "test_memory_hooks" in report.getvalue()


@marked
def test_run_time_functions():
    runtime = cuda.runtime
    assert runtime.getDeviceCount() >= 1
    assert runtime.driverGetVersion() >= 12000
    a, b = numpy.arange(100.0), numpy.zeros(100)
    pointer = runtime.malloc(a.nbytes)
    runtime.memcpy(pointer, a.ctypes.data, a.nbytes, runtime.memcpyHostToDevice)
    runtime.memcpy(b.ctypes.data, pointer, a.nbytes, runtime.memcpyDefault)
    assert_exact(b, a)
    runtime.memset(pointer, 0, a.nbytes)
    runtime.memcpy(b.ctypes.data, pointer, a.nbytes, runtime.memcpyDeviceToHost)
    assert not b.any()
    runtime.free(pointer)
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert runtime.streamGetFlags(stream) == runtime.streamNonBlocking
    start, end = runtime.eventCreate(), runtime.eventCreate()
    runtime.eventRecord(start, stream)
    runtime.eventRecord(end, stream)
    runtime.streamSynchronize(stream)
    assert runtime.eventElapsedTime(start, end) >= 0
    assert runtime.streamQuery(stream) == 0
    runtime.eventDestroy(start)
    runtime.eventDestroy(end)
    calls = []
    runtime.streamBeginCapture(stream)
    runtime.launchHostFunc(stream, calls.append, 7)
    graph = runtime.streamEndCapture(stream)
    executable = runtime.graphInstantiate(graph)
    for _ in range(3):
        runtime.graphLaunch(executable, stream)
    runtime.streamSynchronize(stream)
    assert calls == [7, 7, 7]
    runtime.graphExecDestroy(executable)
    runtime.graphDestroy(graph)
    runtime.streamDestroy(stream)


@marked
def test_pointers():
    source, target = cuda.alloc(800), cuda.alloc(800)
    a, b = numpy.arange(100.0), numpy.zeros(100)
    source.copy_from_host(a.ctypes.data, 800)
    (target + 8).copy_from(source, 792)
    target.memset(0, 8)
    target.copy_to_host(b.ctypes.data, 800)
    assert_exact(b, numpy.concatenate([[0.0], a[:99]]))


@marked
def test_matrix_products_keep_their_precision():
    rng = numpy.random.default_rng(0)
    for dtype in ("f4", "f8", "c8", "c16"):
        a = rng.standard_normal((70, 50)).astype(dtype)
        b = rng.standard_normal((50, 33)).astype(dtype)
        if dtype[0] == "c":
            a, b = a + 1j * a[::-1], b - 1j * b[::-1]
        for left in (a, numpy.asfortranarray(a)):
            ours = (heddle.asarray(left) @ heddle.asarray(b)).get()
            numpy.testing.assert_allclose(ours, a @ b, rtol=1e-4 if dtype[1] == "4" else 1e-5)
    x = rng.standard_normal((512, 512)).astype("f4")
    error = numpy.abs((heddle.asarray(x) @ heddle.asarray(x)).get() - x.astype("f8") @ x).max()
    assert error < 1e-3  # TF32 would be worse by a hundred times


# --- other libraries ---


@marked
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_interfaces_among_ourselves(dtype):
    class Interface:
        def __init__(self, x):
            self.x = x
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    class Capsule:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **kwargs):
            return self.x.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    a = numpy.arange(24).reshape(4, 6).astype(dtype)
    for view in (
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::2, 1::2],
        lambda x: x[::-1],
        lambda x: x[0],
    ):
        x, expected = heddle.asarray(a), a.copy()
        for share in (
            lambda x: heddle.asarray(Interface(x)),
            lambda x: heddle.from_dlpack(Capsule(x)),
        ):
            seen = share(view(x))
            assert_exact(seen, view(expected))
            seen[...] = 1
            view(expected)[...] = 1
            assert_exact(x, expected)
    assert heddle.zeros((0, 3), dtype).__cuda_array_interface__["data"][0] == 0
    with pytest.raises(ValueError, match="ambiguous"):
        x.__dlpack__(stream=0)
    assert_exact(numpy.from_dlpack(Capsule(x).x.to_device("cpu")), expected)


@marked
def test_shared_memory_on_several_streams():
    producer, consumer = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    for _ in range(20):
        with producer:
            x = (heddle.zeros(1 << 22, dtype="f4") + 3).eval()
        with consumer:
            y = heddle.from_dlpack(x)
            total = (y + 1).sum()
        assert float(total) == 4 * (1 << 22)


@marked
def test_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    x = heddle.arange(12.0, dtype="f4").reshape(3, 4)
    for tensor in (torch.from_dlpack(x), torch.as_tensor(x, device="cuda")):
        assert tensor.is_cuda and tensor.data_ptr() == x.__cuda_array_interface__["data"][0]
        tensor += 1
    torch.cuda.synchronize()
    assert_exact(x, numpy.arange(12, dtype="f4").reshape(3, 4) + 2)
    tensor = torch.arange(6, device="cuda", dtype=torch.float32).reshape(2, 3).T
    for shared in (heddle.from_dlpack(tensor), heddle.asarray(tensor)):
        assert_exact(shared, tensor.cpu().numpy())
        assert shared.__cuda_array_interface__["data"][0] == tensor.data_ptr()
    with cuda.Stream(non_blocking=True):
        assert_exact(heddle.from_dlpack(tensor * 2) + 1, tensor.cpu().numpy() * 2 + 1)
    stream = torch.cuda.Stream()
    with cuda.ExternalStream(stream.cuda_stream):
        y = (x * 2).eval()
    assert_exact(y, x.get() * 2)


@marked
def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = heddle.arange(12.0).reshape(3, 4)
    seen = cupy.asarray(x)
    seen += 1
    cupy.cuda.Device().synchronize()
    assert_exact(x, numpy.arange(12.0).reshape(3, 4) + 1)
    theirs = cupy.arange(6.0)
    assert_exact(heddle.asarray(theirs) * 2, numpy.arange(6.0) * 2)
    assert_exact(heddle.from_dlpack(theirs), numpy.arange(6.0))


@marked
def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    x = heddle.arange(12, dtype="f4").reshape(3, 4)
    assert_exact(numpy.asarray(jax.dlpack.from_dlpack(x) + 1), x.get() + 1)
    assert_exact(heddle.from_dlpack(jax.numpy.arange(5.0)), numpy.arange(5, dtype="f4"))


@marked
def test_numba():
    numba_cuda = pytest.importorskip("numba.cuda")
    if not numba_cuda.is_available():
        pytest.skip("Numba has no GPU")

    @numba_cuda.jit
    def doubled(a):
        i = numba_cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    x = heddle.arange(1000.0)
    doubled[4, 256](x)
    numba_cuda.synchronize()
    assert_exact(x, numpy.arange(1000.0) * 2)
    assert_exact(heddle.asarray(numba_cuda.to_device(numpy.arange(5.0))) + 1, numpy.arange(5.0) + 1)


@marked
def test_cudf():
    cudf = pytest.importorskip("cudf")
    series = cudf.Series(heddle.arange(5.0))
    assert series.sum() == 10
    assert_exact(heddle.asarray(series.values) * 2, numpy.arange(5.0) * 2)


@marked
def test_libraries_together():
    cupy = pytest.importorskip("cupy")
    torch = pytest.importorskip("torch")
    x = heddle.ones(1000, dtype="f4")
    y = torch.from_dlpack(x) * 2
    z = cupy.asarray(heddle.from_dlpack(y)) + 1
    assert_exact(heddle.asarray(z) * 2, numpy.full(1000, 6, "f4"))


@with_gpu
def test_two_devices():
    if cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs")
    a = numpy.arange(1 << 20, dtype="f4")
    with cuda.Device(0):
        x = heddle.asarray(a) + 1
    with cuda.Device(1):
        y = heddle.asarray(a) * 2
        assert y.device == "cuda:1"
        with pytest.raises(ValueError, match="cuda:0"):
            x + y
        moved = x.to_device("cuda:1")
        assert_exact(moved + y, a * 3 + 1)
    assert_exact(moved.to_device("cuda:0") - x, numpy.zeros_like(a))


def test_arrays_in_memory_that_was_allocated():
    memory = cuda.alloc(96)
    a = heddle.ndarray((3, 4), "f8", memory)
    a[...] = heddle.arange(12.0, device=a.device).reshape(3, 4)
    whole = heddle.ndarray((4, 3), "f8", memory, order="F")
    assert_exact(whole, numpy.arange(12.0).reshape(3, 4).T)
    last = heddle.ndarray(4, "f8", memptr=memory + 64)
    column = heddle.ndarray((3,), "f8", memory, 8, (32,))
    del memory
    assert last.tolist() == [8, 9, 10, 11] and column.tolist() == [1, 5, 9]
