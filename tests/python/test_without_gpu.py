"""Programs written for GPUs, on machines that have none: the CPU does their work."""

import threading
import time

import numpy
import pytest
from support import assert_exact

import heddle
from heddle import cuda

pytestmark = pytest.mark.skipif(cuda.is_available(), reason="needs a machine without GPU")


def test_nothing_pretends_to_be_a_gpu():
    assert not cuda.is_available()
    assert not any(name.startswith("cuda") for name in heddle.devices())


def test_benchmark_of_a_tutorial():
    start, end = cuda.Event(), cuda.Event()
    start.record()
    x = heddle.linspace(0, 1, 100_000)
    y = heddle.sin(x) * 2 + heddle.sqrt(heddle.abs(x))
    end.record()
    assert not y.pending  # what was written before an event is done when the event is
    end.synchronize()
    assert end.done and start.done
    assert 0 < cuda.get_elapsed_time(start, end) < 60_000
    z = y * 2
    cuda.Stream.null.synchronize()
    assert not z.pending
    numpy.testing.assert_allclose(heddle.asnumpy(z)[-1], 2 * (numpy.sin(1) * 2 + 1), rtol=1e-15)


def test_events_measure_time():
    start, end = cuda.Event(), cuda.Event(block=True)
    with pytest.raises(cuda.runtime.CUDARuntimeError):
        cuda.get_elapsed_time(start, end)
    start.record()
    time.sleep(0.02)
    end.record(cuda.Stream.null)
    assert 20 <= cuda.get_elapsed_time(start, end) < 10_000
    assert cuda.get_elapsed_time(end, start) < 0
    untimed = cuda.Event(disable_timing=True)
    untimed.record()
    with pytest.raises(cuda.runtime.CUDARuntimeError):
        cuda.get_elapsed_time(start, untimed)
    with pytest.raises(ValueError, match="Timing must be disabled"):
        cuda.Event(interprocess=True)


def test_streams():
    first, second = cuda.Stream(non_blocking=True), cuda.Stream(priority=-1)
    assert first != second and first.is_non_blocking and second.priority == -1
    with first as entered:
        assert entered is first is cuda.get_current_stream()
        x = heddle.ones(1000) + 1
        event = first.record()
    assert not x.pending
    assert cuda.get_current_stream() == cuda.Stream.null
    second.wait_event(event)
    with second:
        y = x * 3
    second.synchronize()
    assert second.done and not y.pending
    assert_exact(y, numpy.full(1000, 6.0))
    calls = []
    second.launch_host_func(calls.append, 1)
    second.add_callback(lambda s, status, arg: calls.append((s is second, status, arg)), 2)
    assert calls == [1, (True, 0, 2)]
    assert cuda.ExternalStream(first.ptr) == first
    seen = []
    with first:
        other = threading.Thread(target=lambda: seen.append(cuda.get_current_stream()))
        other.start()
        other.join()
    assert seen == [cuda.Stream.null]
    second.use()
    assert cuda.get_current_stream() is second
    cuda.Stream.null.use()


def test_device_zero_is_the_cpu():
    device = cuda.Device(0)
    assert device == cuda.Device() and int(device) == 0 and device.name
    free, total = device.mem_info
    assert 0 < free <= total
    with cuda.Device(0) as entered:
        assert entered == device
        x = heddle.array([1, 2, 3, 4, 5])
        assert x.device == "cpu"
        assert cuda.runtime.getDevice() == 0
    device.use()
    device.synchronize()
    cuda.runtime.deviceSynchronize()
    properties = cuda.runtime.getDeviceProperties(0)
    assert properties["name"].decode() == device.name
    assert properties["totalGlobalMem"] == total and properties["multiProcessorCount"] > 0


def test_default_device_is_a_context():
    name = heddle.default_device()
    with heddle.default_device("cpu"):
        assert heddle.default_device() == "cpu"
        assert heddle.ones(3).device == "cpu"
        with heddle.default_device("shadow"):
            assert heddle.ones(3).device == "shadow:0"
        with heddle.default_device("gpu"):  # the first device that is not the CPU
            assert heddle.ones(3).device == "shadow:0"
    assert heddle.default_device() == name
    assert heddle.ones(3).to_device("gpu").device == "shadow:0"
    assert heddle.asarray([1.0], device="gpu").device == "shadow:0"
    with pytest.raises(ValueError, match="there is no device 'tpu'"):
        heddle.default_device("tpu")


@pytest.mark.unrecorded("is about memory, which recording holds")
def test_pools():
    with heddle.device("cpu"):
        pool = heddle.get_default_memory_pool()
        pinned = heddle.get_default_pinned_memory_pool()
        heddle.synchronize()
        before = pool.used_bytes()
        x = heddle.ones(1 << 20, dtype="f4").eval()
        assert pool.used_bytes() >= before + (4 << 20)
        assert pool.total_bytes() >= pool.used_bytes()
        del x
        assert pool.used_bytes() < before + (4 << 20)
        pool.free_all_blocks()
        assert pool.free_bytes() < 4 << 20 and pool.get_limit() == 0
        pool.set_limit(size=2**40)
        assert pool.get_limit() == 2**40
        pool.set_limit(fraction=0.5)
        assert pool.get_limit() == int(0.5 * cuda.Device(0).mem_info[1])
        pool.set_limit(size=0)
        assert pinned.n_free_blocks() >= 0
        pinned.free_all_blocks()
    own = cuda.MemoryPool()
    memory = own.malloc(1000)
    assert own.used_bytes() >= 1000 and memory.device_id == 0
    del memory
    assert own.used_bytes() == 0 and own.n_free_blocks() == 1
    own.free_all_blocks()
    assert own.n_free_blocks() == 0


def test_page_locked_memory():
    memory = cuda.alloc_pinned_memory(8000)
    a = numpy.frombuffer(memory, "f8", 1000)
    a[:] = numpy.arange(1000)
    assert memory.size() == 8000 and memory.ptr == a.ctypes.data
    stream = cuda.Stream(non_blocking=True)
    x = heddle.asarray(a)
    a[:] = 0
    (x * 2).get(stream=stream, out=a, blocking=False)
    stream.synchronize()
    assert_exact(a, numpy.arange(1000.0) * 2)
    assert cuda.PinnedMemory(100).ptr
    cuda.set_pinned_memory_allocator(cuda.PinnedMemoryPool().malloc)
    assert cuda.alloc_pinned_memory(16).size() == 16
    cuda.set_pinned_memory_allocator()


def test_memory():
    for make in (cuda.alloc, cuda.malloc_managed, cuda.malloc_async, cuda.MemoryPool().malloc):
        source, target = make(800), make(800)
        a, b = numpy.arange(100.0), numpy.zeros(100)
        source.copy_from_host(a.ctypes.data, 800)
        (target + 8).copy_from(source, 792)
        target.memset(0, 8)
        target.copy_to_host(b.ctypes.data, 800)
        assert_exact(b, numpy.concatenate([[0.0], a[:99]]))
    unowned = cuda.UnownedMemory(a.ctypes.data, a.nbytes, a)
    assert unowned.device_id == 0 and unowned.device == cuda.Device(0)


def test_allocators_can_be_set():
    pool = cuda.MemoryPool(cuda.malloc_managed)
    cuda.set_allocator(pool.malloc)
    try:
        assert cuda.get_allocator() == pool.malloc
        assert float(heddle.ones(1000).sum()) == 1000
        memory = cuda.alloc(100)
        assert pool.used_bytes() >= 100
        del memory
    finally:
        cuda.set_allocator(cuda.memory.default_pool.malloc)
    with cuda.using_allocator(None):
        assert float(heddle.ones(1000).sum()) == 1000


def test_run_time_functions():
    runtime = cuda.runtime
    a, b = numpy.arange(100.0), numpy.zeros(100)
    pointer = runtime.malloc(a.nbytes)
    runtime.memcpy(pointer, a.ctypes.data, a.nbytes, runtime.memcpyHostToDevice)
    runtime.memcpy(b.ctypes.data, pointer, a.nbytes, runtime.memcpyDefault)
    assert_exact(b, a)
    runtime.memset(pointer, 0, a.nbytes)
    runtime.memcpy(b.ctypes.data, pointer, a.nbytes, runtime.memcpyDeviceToHost)
    assert not b.any()
    runtime.free(pointer)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.free(pointer)
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert runtime.streamGetFlags(stream) == runtime.streamNonBlocking
    start, end = runtime.eventCreate(), runtime.eventCreate()
    runtime.eventRecord(start, stream)
    runtime.eventRecord(end, stream)
    runtime.streamSynchronize(stream)
    assert runtime.eventElapsedTime(start, end) >= 0
    assert runtime.streamQuery(stream) == 0 and runtime.eventQuery(end) == 0
    runtime.eventDestroy(start)
    runtime.eventDestroy(end)
    calls = []
    runtime.launchHostFunc(stream, calls.append, 7)
    assert calls == [7]
    runtime.streamDestroy(stream)
    with pytest.raises(runtime.CUDARuntimeError, match="there is no stream"):
        runtime.streamSynchronize(stream)
    with cuda.profile():
        pass
