"""CUDA's objects with cuda.core's names: what needs no GPU, and what does."""

import io
import pickle

import numpy
import pytest

import heddle
from heddle.cuda import core
from heddle.cuda.core import (
    LaunchConfig,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    texture,
    utils,
)
from heddle.cuda.core import graph as graphs

available = heddle.cuda.is_available()
with_gpu = pytest.mark.skipif(not available, reason="needs a GPU")
without_gpu = pytest.mark.skipif(available, reason="needs a machine without GPU")
CUDARuntimeError = heddle.cuda.runtime.CUDARuntimeError


def has(name):
    try:
        return bool(heddle._core.cuda.library_path(name))
    except ImportError:
        return False


with_nvrtc = pytest.mark.skipif(not has("NVRTC"), reason="needs NVRTC")
with_linker = pytest.mark.skipif(not has("nvJitLink"), reason="needs nvJitLink")
FILL = 'extern "C" __global__ void fill(float* x, float v, int n) {\n'
FILL += "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = v;\n}"


# --- without a GPU ---


def test_all_names_are_there():
    for name in dir(core):
        assert getattr(core, name) is not None
    with pytest.raises(AttributeError):
        core.Nothing


@without_gpu
def test_devices_say_why_there_are_none():
    with pytest.raises(CUDARuntimeError, match="no GPU can be used"):
        core.Device()


@with_nvrtc
def test_programs():
    options = ProgramOptions(
        arch="sm_90", define_macro=[("V", "3"), "W"], std="c++17", lineinfo=True
    )
    source = "template <class T> __global__ void f(T* x) {\n#ifdef W\n  *x = V;\n#endif\n}"
    program = Program(source, "c++", options)
    code = program.compile("cubin", name_expressions=("f<int>", "f<float>"))
    assert program.backend == "NVRTC" and code.code[:4] == b"\x7fELF" and code.code_type == "cubin"
    assert set(code.symbol_mapping) == {"f<int>", "f<float>"}
    again = pickle.loads(pickle.dumps(code))
    assert again.code == code.code and again.symbol_mapping == code.symbol_mapping
    assert b".entry" in Program(FILL, "c++", ProgramOptions(arch="sm_90")).compile("ptx").code
    with pytest.raises(CUDARuntimeError, match=r"default_program\(1\).*missing"):
        Program("__global__ void f() { missing(); }", "c++", options).compile("ptx")
    with pytest.raises(ValueError, match="cubin"):
        Program(FILL, "c++", options).compile("exe")
    with pytest.raises(RuntimeError, match="Unsupported code_type"):
        Program(FILL, "fortran")
    log = io.StringIO()
    unused = "__global__ void f() { int unused; }"
    Program(unused, "c++", ProgramOptions(arch="sm_90", name="u.cu")).compile("ptx", logs=log)
    assert "u.cu(1)" in log.getvalue()
    key = utils.make_program_cache_key(
        code=FILL, code_type="c++", options=options, target_type="cubin"
    )
    other = utils.make_program_cache_key(
        code=FILL + " ", code_type="c++", options=options, target_type="cubin"
    )
    assert len(key) == 32 and key != other


@with_nvrtc
@with_linker
def test_linking():
    apart = ProgramOptions(arch="sm_90", relocatable_device_code=True)
    callee = Program("__device__ int g(int x) { return x + 1; }", "c++", apart).compile("ptx")
    caller = 'extern __device__ int g(int);\nextern "C" __global__ void h(int* x) { *x = g(*x); }'
    other = Program(caller, "c++", apart).compile("ptx")
    linked = Linker(callee, other, options=LinkerOptions(arch="sm_90")).link("cubin")
    assert linked.code[:4] == b"\x7fELF"
    with pytest.raises(CUDARuntimeError, match="g"):
        Linker(other, options=LinkerOptions(arch="sm_90")).link("cubin")
    parts = [
        Program(s, "c++", ProgramOptions(arch="sm_90", link_time_optimization=True)).compile(
            "ltoir"
        )
        for s in ("__device__ int g(int x) { return x + 1; }", caller)
    ]
    options = LinkerOptions(arch="sm_90", link_time_optimization=True)
    assert Linker(*parts, options=options).link("cubin").code[:4] == b"\x7fELF"
    program = Program(other.code.decode().rstrip("\0"), "ptx", ProgramOptions(arch="sm_90"))
    assert program.backend == "nvJitLink"


def test_launch_configurations():
    config = LaunchConfig(grid=4, block=(32, 2), shmem_size=16, cluster=2)
    assert config.grid == (4, 1, 1) and config.block == (32, 2, 1) and config.cluster == (2, 1, 1)
    described, _ = config._described(5)
    assert described.gridDimX == 8 and described.numAttrs == 1 and described.hStream == 5
    assert described.attrs[0].value.clusterDim.x == 2
    with pytest.raises(ValueError, match="grid"):
        LaunchConfig(grid=0, block=1)
    with pytest.raises(ValueError, match="block"):
        LaunchConfig(grid=1)


def test_views_of_the_host():
    a = numpy.arange(12.0).reshape(3, 4)
    view = utils.StridedMemoryView.from_any_interface(a[:, ::2], stream_ptr=-1)
    assert view.shape == (3, 2) and view.strides == (4, 2) and view.dtype == a.dtype
    assert view.ptr == a.ctypes.data and not view.is_device_accessible and view.size == 6
    target = numpy.zeros((3, 2))
    view.copy_to(target)
    assert (target == a[:, ::2]).all() and (numpy.from_dlpack(view) == target).all()

    @utils.args_viewable_as_strided_memory((0,))
    def size_of(array, factor):
        return array.view(-1).size * factor

    assert size_of(a, 2) == 24
    with pytest.raises(TypeError, match="protocols"):
        utils.StridedMemoryView.from_any_interface(object(), -1)


def test_views_that_are_given_are_of_what_is_viewed_next():
    first = utils.view_as_array_interface(numpy.ones((2, 3)))
    other = numpy.arange(4, dtype="i4")
    assert utils.view_as_array_interface(other, first) is first
    assert (first.shape, first.dtype, first.ptr) == ((4,), other.dtype, other.ctypes.data)
    with pytest.raises(TypeError, match="StridedMemoryView"):
        utils.view_as_array_interface(other, object())
    with pytest.raises(IndexError):
        utils.args_viewable_as_strided_memory((3,))(lambda a: a)


def test_descriptions_of_textures():
    options = texture.TextureObjectOptions(
        address_mode=("wrap", "border"), filter_mode="linear", normalized_coords=True
    )
    described = options._described()
    assert described.addressMode == [0, 3, 3] and described.filterMode == 1
    assert described.flags & 2
    array = texture.OpaqueArrayOptions((8, 4), "float32", 2, True)._described()
    assert (array.Width, array.Height, array.Depth, array.NumChannels) == (8, 4, 0, 2)
    with pytest.raises(ValueError):
        texture.OpaqueArrayOptions((8,), "float64")._described()


def test_peers():
    assert core.normalize_peer_access_targets(0, [2, 0, 1, 2]) == (1, 2)
    plan = core.plan_peer_access_update(0, [1, 2], [2])
    assert plan.to_add == () and plan.to_remove == (1,) and plan.target_ids == (2,)


# --- on a GPU ---


@pytest.fixture
def device():
    made = core.Device(0)
    made.set_current()
    return made


@pytest.fixture
def fill(device):
    options = ProgramOptions(arch=f"sm_{device.arch}")
    return Program(FILL, "c++", options).compile("cubin").get_kernel("fill")


def host(buffer, dtype="f4"):
    made = numpy.empty(buffer.size // numpy.dtype(dtype).itemsize, dtype)
    heddle.cuda.bindings.checked.cuMemcpyDtoH(made, buffer.handle, buffer.size)
    return made


@with_gpu
def test_devices(device):
    assert core.Device(0) is device and device.name == heddle.cuda.Device(0).name
    assert device.properties.warp_size == 32 and device.properties.unified_addressing is True
    assert f"{device.compute_capability.major}{device.compute_capability.minor}" == device.arch
    assert len(device.uuid) == 36 and int(device.context.handle) and not device.context.is_green
    assert device in core.Device.get_all_devices()
    assert device.resources.sm.sm_count == device.properties.multiprocessor_count
    with pytest.raises(ValueError):
        core.Device(1000)
    device.sync()


@with_gpu
def test_streams_and_events(device):
    stream = device.create_stream(options=core.StreamOptions(priority=0))
    assert stream.is_nonblocking and stream.device == device and stream.__cuda_stream__()[1]
    timed = core.EventOptions(timing_enabled=True)
    start = stream.record(options=timed)
    end = stream.record(options=timed)
    end.sync()
    assert end.is_done and end - start >= 0 and end.is_timing_enabled
    with pytest.raises(RuntimeError, match="timing"):
        stream.record() - start
    other = device.create_stream(heddle.cuda.Stream(non_blocking=True))
    other.wait(stream)
    other.wait(end)
    other.sync()
    with stream:
        x = heddle.ones(10, device="cuda") + 1
    assert x.sum() == 20
    assert core.Stream.from_handle(stream.handle) == stream


@with_gpu
def test_launches(device, fill):
    stream = device.create_stream()
    buffer = device.allocate(4 * 1000, stream=stream)
    config = LaunchConfig(grid=4, block=256)
    core.launch(stream, config, fill, buffer, numpy.float32(3), numpy.int32(1000))
    stream.sync()
    assert (host(buffer) == 3).all()
    array = heddle.zeros(100, dtype="f4", device="cuda")
    core.launch(stream, LaunchConfig(1, None, 128), fill, array, numpy.float32(2), numpy.int32(100))
    stream.sync()
    assert (array.get() == 2).all()
    assert fill.num_arguments == 3 and fill.arguments_info[0] == (0, 8)
    assert fill.attributes.num_regs > 0 and fill.attributes.max_threads_per_block >= 256
    assert fill.occupancy.max_active_blocks_per_multiprocessor(256, 0) > 0
    assert fill.occupancy.max_potential_block_size(0, 0)[1] >= 32
    with pytest.raises(TypeError):
        core.launch(stream, config, "fill", buffer)
    buffer.close(stream)


@with_gpu
def test_buffers(device):
    stream = device.create_stream()
    first = device.allocate(64, stream=stream)
    first.fill(b"\1\2\3\4", stream=stream)
    second = first.copy_to(stream=stream)
    stream.sync()
    assert (host(second, "u4") == 0x04030201).all() and second.is_device_accessible
    seen = utils.StridedMemoryView.from_buffer(second, (4, 4), dtype="u4")
    assert seen.is_device_accessible and seen.shape == (4, 4) and seen.device_id == 0
    assert heddle.from_dlpack(second).nbytes == 64
    pinned = core.LegacyPinnedMemoryResource().allocate(64)
    pinned.copy_from(second, stream=stream)
    stream.sync()
    there = numpy.frombuffer(pinned.__buffer__(0), "u4")
    assert (there == 0x04030201).all() and pinned.is_host_accessible and pinned.device_id == -1
    own = core.DeviceMemoryResource(device, core.DeviceMemoryResourceOptions(max_size=1 << 26))
    third = own.allocate(1 << 20, stream=stream)
    third.fill(7, stream=stream)
    stream.sync()
    assert (host(third, "u1") == 7).all() and own.attributes.used_mem_current >= 1 << 20
    assert len(own.peer_accessible_by) == 0
    third.close(stream)
    mapped = core.VirtualMemoryResource(device).allocate(100)
    mapped.fill(1, stream=stream)
    stream.sync()
    assert (host(mapped, "u1") == 1).all()
    foreign = core.Buffer.from_handle(second.handle, 64, owner=second)
    assert foreign == second and foreign.owner is second and foreign.device_id == 0
    with pytest.raises(ValueError, match="bytes"):
        first.copy_to(mapped, stream=stream)


@with_gpu
def test_graphs_by_capture(device, fill):
    stream = device.create_stream()
    buffers = [device.allocate(400, stream=stream) for _ in range(3)]
    stream.sync()
    config, n = LaunchConfig(grid=1, block=128), numpy.int32(100)
    builder = device.create_graph_builder().begin_building()
    core.launch(builder, config, fill, buffers[0], numpy.float32(1), n)
    left, right = builder.split(2)
    core.launch(left, config, fill, buffers[1], numpy.float32(2), n)
    core.launch(right, config, fill, buffers[2], numpy.float32(3), n)
    called = []
    joined = graphs.GraphBuilder.join(left, right)
    joined.callback(lambda: called.append(1))
    graph = joined.end_building().complete()
    graph.upload(stream)
    graph.launch(stream)
    stream.sync()
    assert [host(b)[0] for b in buffers] == [1, 2, 3] and called == [1]
    assert len(builder.graph_definition.nodes()) == 4


@with_gpu
def test_graphs_by_hand(device, fill, tmp_path):
    stream = device.create_stream()
    first, second = (device.allocate(400, stream=stream) for _ in range(2))
    stream.sync()
    config, n = LaunchConfig(grid=1, block=128), numpy.int32(100)
    graph = graphs.GraphDefinition()
    filled = graph.memset(first, 0, 400)
    launched = filled.launch(config, fill, first, numpy.float32(5), n)
    copied = launched.memcpy(second, first, 400)
    assert graph.nodes() == {filled, launched, copied}
    assert graph.edges() == {(filled, launched), (launched, copied)}
    assert set(copied.pred) == {launched} and launched.kernel is fill and copied.size == 400
    executable = graph.instantiate()
    executable.launch(stream)
    stream.sync()
    assert (host(second) == 5).all()
    executable[launched].update(config, fill, first, numpy.float32(6), n)
    executable.launch(stream)
    stream.sync()
    assert (host(second) == 6).all()
    executable[copied].disable()
    executable[launched].update(config, fill, first, numpy.float32(7), n)
    executable.launch(stream)
    stream.sync()
    assert (host(first) == 7).all() and (host(second) == 6).all()
    graph.debug_dot_print(tmp_path / "graph.dot")
    assert "digraph" in (tmp_path / "graph.dot").read_text()


TEXTURE = """
extern "C" __global__ void sample(cudaTextureObject_t texture, float* out) {
  int i = threadIdx.x, j = threadIdx.y;
  out[j * 8 + i] = tex2D<float>(texture, i + 0.5f, j + 0.5f);
}
"""


@with_gpu
def test_textures(device):
    data = numpy.arange(32, dtype="f4").reshape(4, 8)
    array = device.create_opaque_array(texture.OpaqueArrayOptions((8, 4), "float32"))
    array.copy_from(data)
    back = numpy.zeros_like(data)
    assert (array.copy_to(back) == data).all() and array.size_bytes == 128
    sampled = device.create_texture_object(texture.ResourceDescriptor.from_opaque_array(array))
    options = ProgramOptions(arch=f"sm_{device.arch}")
    kernel = Program(TEXTURE, "c++", options).compile("cubin").get_kernel("sample")
    stream = device.create_stream()
    out = device.allocate(128, stream=stream)
    core.launch(stream, LaunchConfig(grid=1, block=(8, 4)), kernel, sampled, out)
    stream.sync()
    assert (host(out).reshape(4, 8) == data).all()


@with_gpu
def test_code_of_files(device, tmp_path):
    options = ProgramOptions(arch=f"sm_{device.arch}")
    code = Program(FILL, "c++", options).compile("ptx")
    (tmp_path / "fill.ptx").write_bytes(code.code)
    loaded = ObjectCode.from_ptx(str(tmp_path / "fill.ptx"), name="fill")
    assert int(loaded.get_kernel("fill").handle) and int(loaded.get_module())
    with pytest.raises(CUDARuntimeError, match="NOT_FOUND"):
        loaded.get_kernel("missing")
