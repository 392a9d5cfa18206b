"""CUDA's functions by name: tables, types, arguments and results, with and without a GPU."""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import heddle
from heddle.cuda.bindings import checked, driver, nvjitlink, nvrtc, nvvm, runtime
from heddle.cuda.bindings._calls import Library
from heddle.cuda.bindings._table import FOLDER, table

available = heddle.cuda.is_available()
with_gpu = pytest.mark.skipif(not available, reason="needs a GPU")
without_gpu = pytest.mark.skipif(available, reason="needs a machine without GPU")
modules = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}


@functools.cache
def has_library(name):
    try:
        return bool(heddle._core.cuda.library_path(name))
    except ImportError:
        return False


def toolkit():
    for root in (os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        header = Path(root or "/") / "include" / "cuda.h"
        if header.exists() and "#define CUDA_VERSION 13000\n" in header.read_text():
            return header.parent
    return None


# --- tables ---


def test_everything_is_found_and_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 250_000
    for name, module in {**modules, "nvjitlink": nvjitlink, "nvvm": nvvm}.items():
        for found in dir(module):
            assert getattr(module, found) is not None, (name, found)
    with pytest.raises(AttributeError, match="cuNothing"):
        driver.cuNothing
    scope = {}
    exec("from heddle.cuda.bindings.nvrtc import *", scope)
    assert scope["nvrtcVersion"] is nvrtc.nvrtcVersion


def test_nothing_is_read_before_it_is_used():
    script = (
        "import sys, heddle, heddle.cuda\n"
        "assert not any('bindings' in m or 'pycuda' in m for m in sys.modules), sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "function, signature",
    [
        (driver.cuInit, "cuInit(Flags) -> (CUresult)"),
        (driver.cuMemAlloc, "cuMemAlloc(bytesize) -> (CUresult, dptr)"),
        (driver.cuDeviceGetName, "cuDeviceGetName(len, dev) -> (CUresult, name)"),
        (driver.cuCtxCreate, "cuCtxCreate(ctxCreateParams, flags, dev) -> (CUresult, pctx)"),
        (
            driver.cuGraphGetNodes,
            "cuGraphGetNodes(hGraph, numNodes=0) -> (CUresult, nodes, numNodes)",
        ),
        (driver.cuPointerGetAttribute, "cuPointerGetAttribute(attribute, ptr) -> (CUresult, data)"),
        (runtime.cudaMallocPitch, "cudaMallocPitch(width, height) -> (cudaError_t, devPtr, pitch)"),
        (nvrtc.nvrtcVersion, "nvrtcVersion() -> (nvrtcResult, major, minor)"),
        (checked.cuDeviceGet, "cuDeviceGet(ordinal) -> device"),
        (checked.cuInit, "cuInit(Flags) -> None"),
        (checked.nvrtcVersion, "nvrtcVersion() -> (major, minor)"),
    ],
)
def test_signatures(function, signature):
    assert function.__doc__ == signature


# --- types ---


def test_enumerations():
    assert driver.CUresult.CUDA_ERROR_NO_DEVICE == 100
    assert driver.CUDA_ERROR_NO_DEVICE is driver.CUresult.CUDA_ERROR_NO_DEVICE
    assert driver.CUresult(0).name == "CUDA_SUCCESS" and driver.CUresult.__name__ == "CUresult"
    assert runtime.cudaError_t is runtime.cudaError and runtime.cudaError_t(2).name.endswith(
        "Allocation"
    )
    assert driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE == 10
    assert runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost == 2
    assert driver.CU_STREAM_PER_THREAD == 2 and driver.CUDA_VERSION == 13000


def test_attributes_have_the_numbers_of_the_headers():
    from heddle.cuda._attributes import NUMBERS

    found = runtime.cudaDeviceAttr
    names = {
        name.removeprefix("cudaDevAttr").lower(): value for name, value in found.__members__.items()
    }
    same = [name for name in NUMBERS if names.get(name.lower()) == NUMBERS[name]]
    other = {
        n: (NUMBERS[n], names[n.lower()]) for n in NUMBERS if n.lower() in names and n not in same
    }
    assert len(same) > 90 and not other


def test_handles():
    pointer = driver.CUdeviceptr(64)
    assert int(pointer) == 64 and pointer == driver.CUdeviceptr(64) and hash(pointer) == hash(64)
    assert ctypes.c_ulonglong.from_address(pointer.getPtr()).value == 64
    assert repr(driver.CUstream(5)) == "<CUstream 0x5>" and int(driver.CUcontext()) == 0
    assert driver.CUstream is not driver.CUevent and isinstance(pointer, driver.CUdeviceptr)


def test_structures():
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    data = numpy.arange(4.0)
    copy.srcHost = data
    copy.WidthInBytes, copy.Height = 32, 1
    assert copy.srcHost == data.ctypes.data and copy.srcMemoryType.name == "CU_MEMORYTYPE_HOST"
    with pytest.raises(AttributeError):
        copy.nothing
    resource = driver.CUDA_RESOURCE_DESC()
    resource.res.linear.devPtr = driver.CUdeviceptr(8)
    resource.res.linear.numChannels = 2
    assert resource.res.linear.devPtr == 8 and isinstance(
        resource.res.linear.devPtr, driver.CUdeviceptr
    )
    config, one = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
    one.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    one.value.clusterDim.x = 4
    config.attrs, config.numAttrs = [one], 1
    assert config.attrs[0].value.clusterDim.x == 4
    assert "clusterDim" in repr(one) and driver.CUlaunchConfig(config.getPtr()).numAttrs == 1
    identity = driver.CUuuid()
    identity.bytes = b"\1\0\2" + b"\0" * 13
    assert identity.bytes == b"\1\0\2" + b"\0" * 13
    assert driver.CUtensorMap().getPtr() % 64 == 0
    assert driver.CUDA_MEMCPY2D is driver.CUDA_MEMCPY2D_v2


@pytest.mark.parametrize("name", ["driver", "runtime"])
def test_layouts_are_those_of_the_compiler(name, tmp_path):
    headers, cc = toolkit(), shutil.which("cc") or shutil.which("clang-22")
    if headers is None or cc is None:
        pytest.skip("needs the headers of CUDA 13.0 and a C compiler")
    lines, expected = [], []
    for found in table(name).lines:
        if table(name).kind(found) not in ("S", "U") or "." in found:
            continue
        known = table(name).shown.get(found)
        spelled = known or f"{'struct' if table(name).kind(found) == 'S' else 'union'} {found}"
        record = getattr(modules[name], found)
        lines.append(f'printf("%s %zu\\n", "{found}", sizeof({spelled}));')
        expected.append(f"{found} {ctypes.sizeof(record)}")
        for field, _ in record._fields_:
            if not field.startswith("_~"):
                lines.append(f'printf("%zu\\n", offsetof({spelled}, {field[1:]}));')
                expected.append(f"{getattr(record, field).offset}")
    header = "cuda.h" if name == "driver" else "cuda_runtime_api.h"
    source = tmp_path / "layouts.c"
    body = "\n".join(lines)
    source.write_text(
        f"#include <{header}>\n#include <stddef.h>\n#include <stdio.h>\nint main() {{\n{body}\n}}\n"
    )
    program = tmp_path / "layouts"
    subprocess.run([cc, "-w", f"-I{headers}", "-o", program, source], check=True)
    there = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    assert there[:-1] == expected and len(expected) > 400


# --- calls, of a library that says what it was given ---

SOURCE = r"""
#include <stddef.h>
#include <string.h>
typedef unsigned long long u64;
int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
int cuDeviceGet(int* device, int ordinal) { *device = ordinal + 10; return ordinal == 9 ? 101 : 0; }
int cuDeviceGetName(char* name, int length, int device) {
  strncpy(name, "a device", length);
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 101 ? "no such" : 0;
  return 0;
}
int cuMemAlloc_v2(u64* pointer, size_t bytes) { *pointer = bytes * 2; return 0; }
int cuGraphGetNodes(void* graph, void** nodes, size_t* count) {
  if (nodes) for (size_t i = 0; i < *count; ++i) nodes[i] = (char*)graph + i;
  *count = nodes ? 2 : 3;
  return 0;
}
int cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
  if (attribute < 4) *(int*)value = attribute; else *(u64*)value = 1ull << 40;
  return 0;
}
int cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return attribute < 4 ? *(int*)value : *(u64*)value == 1ull << 40 ? 0 : 1;
}
int cuPointerGetAttributes(unsigned n, int* which, void** data, u64 pointer) {
  for (unsigned i = 0; i < n; ++i) {
    if (which[i] == 2) *(int*)data[i] = 2;
    if (which[i] == 3) *(u64*)data[i] = pointer;
  }
  return 0;
}
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
  if (extra || gx != 2 || bz != 3 || stream != (void*)7) return 1;
  if (!arguments) return 2;
  return **(u64**)arguments == 64 && *(float*)arguments[1] == 1.5f ? 0 : 400;
}
int cuGraphAddEmptyNode(void** node, void* graph, void* const* dependencies, size_t count) {
  *node = count ? dependencies[count - 1] : 0;
  return 0;
}
int cuMemcpyHtoD_v2(u64 to, const void* from, size_t bytes) {
  memcpy((void*)to, from, bytes);
  return 0;
}
int cuStreamGetCaptureInfo_v3(void* stream, int* status, u64* id, void** graph, void* const** nodes,
                              const void** edges, size_t* count) {
  static void* list[] = {(void*)8, (void*)9};
  *status = 1; *id = 5; *graph = stream; *nodes = list; *edges = 0; *count = 2;
  return 0;
}
typedef struct { unsigned x, y, z; } launch;
int cuModuleLoadDataEx(void** module, const void* image, unsigned n, int* options, void** values) {
  *module = n == 2 && options[1] == 4 && values[1] == (void*)64 ? values[0] : 0;
  return strcmp(image, "image") == 0 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    cc = shutil.which("cc") or shutil.which("clang-22")
    if cc is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(SOURCE)
    path = folder / "libfake.so"
    subprocess.run([cc, "-w", "-shared", "-fPIC", "-o", path, folder / "driver.c"], check=True)
    library = Library("driver", "CUresult", lambda: str(path))

    class Names:
        def __getattr__(self, name):
            return library.find(name)

    return Names()


def test_results_and_errors(fake):
    assert fake.cuInit(0) == (0,) and fake.cuInit(1) == (fake.CUresult.CUDA_ERROR_INVALID_VALUE,)
    error, device = fake.cuDeviceGet(3)
    assert (
        error is fake.CUresult.CUDA_SUCCESS and isinstance(device, fake.CUdevice) and device == 13
    )
    assert fake.cuDeviceGet(ordinal=9) == (fake.CUresult.CUDA_ERROR_INVALID_DEVICE, None)
    assert fake.cuDeviceGetName(16, device) == (0, b"a device" + b"\0" * 8)
    assert fake.cuDeviceGetName(length=16, dev=device)[0] == 0
    assert fake.cuGetErrorString(fake.CUresult(101)) == (0, b"no such")
    assert fake.cuGetErrorString(fake.CUresult(0)) == (0, None)
    assert fake.cuMemAlloc(8) == (0, 16)
    with pytest.raises(TypeError, match=r"cuMemAlloc\(\) needs the argument 'bytesize'"):
        fake.cuMemAlloc()
    with pytest.raises(TypeError, match=r"takes 1 arguments but 2 were given"):
        fake.cuMemAlloc(1, 2)
    with pytest.raises(TypeError, match="no argument 'size'"):
        fake.cuMemAlloc(1, size=2)
    with pytest.raises(RuntimeError, match="has no cuCtxSynchronize"):
        fake.cuCtxSynchronize()


def test_lists_and_attributes(fake):
    assert fake.cuGraphGetNodes(64) == (0, [], 3)
    _, nodes, count = fake.cuGraphGetNodes(fake.CUgraph(64), 3)
    assert nodes == [64, 65] and count == 2 and isinstance(nodes[0], fake.CUgraphNode)
    names = fake.CUmemPool_attribute
    assert fake.cuMemPoolGetAttribute(0, names.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC) == (0, 2)
    assert fake.cuMemPoolGetAttribute(0, names.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == (0, 2**40)
    threshold = fake.cuuint64_t(2**40)
    assert fake.cuMemPoolSetAttribute(0, names.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, threshold) == (0,)
    which = fake.CUpointer_attribute
    asked = [which.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, which.CU_POINTER_ATTRIBUTE_DEVICE_POINTER]
    _, (kind, pointer) = fake.cuPointerGetAttributes(2, asked, 4096)
    assert kind is fake.CUmemorytype.CU_MEMORYTYPE_DEVICE and pointer == 4096
    assert fake.cuGraphAddEmptyNode(5, [fake.CUgraphNode(3), fake.CUgraphNode(4)], 2) == (0, 4)
    assert fake.cuGraphAddEmptyNode(5, None, 0) == (0, 0)
    _, status, identity, graph, nodes, edges, count = fake.cuStreamGetCaptureInfo(24)
    assert status.name == "CU_STREAM_CAPTURE_STATUS_ACTIVE" and identity == 5 and graph == 24
    assert nodes == [8, 9] and edges == [] and count == 2
    options = fake.CUjit_option
    names = [options.CU_JIT_INFO_LOG_BUFFER, options.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]
    log = numpy.zeros(64, "u1")
    assert fake.cuModuleLoadDataEx(b"image", 2, names, [log, 64]) == (0, log.ctypes.data)


def test_addresses_and_arguments_of_kernels(fake):
    def launch(arguments):
        return fake.cuLaunchKernel(fake.CUfunction(1), 2, 1, 1, 1, 1, 3, 0, 7, arguments, 0)[0]

    assert launch(0) == 2
    assert launch(((fake.CUdeviceptr(64), 1.5), (ctypes.c_void_p, ctypes.c_float))) == 0
    assert launch(((fake.CUdeviceptr(64), ctypes.c_float(1.5)), (None, None))) == 0
    held = numpy.array([64], "u8"), numpy.array([1.5], "f4")
    assert launch(numpy.array([h.ctypes.data for h in held], "u8")) == 0
    with pytest.raises(TypeError, match="2 values and 1 types"):
        launch(((1, 2), (ctypes.c_int,)))
    to = numpy.zeros(3)
    for given in (numpy.arange(3.0), numpy.arange(3.0).tobytes(), memoryview(numpy.arange(3.0))):
        to[:] = 0
        assert fake.cuMemcpyHtoD(to.ctypes.data, given, 24) == (0,)
        assert (to == [0, 1, 2]).all()
    with pytest.raises(TypeError, match="expected an address"):
        fake.cuMemcpyHtoD(to.ctypes.data, object(), 24)


# --- without a GPU ---


@without_gpu
def test_no_device():
    assert driver.cuInit(0) == (driver.CUresult.CUDA_ERROR_NO_DEVICE,)
    assert driver.cuDeviceGetCount() == (driver.CUresult.CUDA_ERROR_NO_DEVICE, None)
    assert runtime.cudaMallocPitch(4, 4) == (runtime.cudaError_t.cudaErrorNoDevice, None, None)
    assert (
        runtime.cudaGetErrorString(runtime.cudaError_t(2))[0]
        == runtime.cudaError_t.cudaErrorNoDevice
    )
    with pytest.raises(
        heddle.cuda.runtime.CUDARuntimeError, match=r"cuDeviceGet: .*no GPU can be used"
    ) as e:
        checked.cuDeviceGet(0)
    assert e.value.status == 100


def test_program_that_makes_a_context():
    """Of a guide to CUDA Python, which calls the driver as CUDA 12 does."""
    cuda = driver
    err, device = cuda.cuDeviceGet(0)
    err, context = cuda.cuCtxCreate(0, device)
    if not available:
        assert err == cuda.CUresult.CUDA_ERROR_NO_DEVICE and context is None
        return
    assert err == cuda.CUresult.CUDA_SUCCESS and int(context) != 0
    assert cuda.cuCtxGetCurrent() == (cuda.CUresult.CUDA_SUCCESS, context)
    assert cuda.cuCtxDestroy(context) == (cuda.CUresult.CUDA_SUCCESS,)
    heddle.cuda.Device(0).use()


# --- NVRTC, which needs no GPU ---

ADD = b"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
"""


def compiled(source, *options):
    program = checked.nvrtcCreateProgram(source, b"program.cu", 0, [], [])
    checked.nvrtcCompileProgram(program, len(options), list(options))
    code = b" " * checked.nvrtcGetCUBINSize(program)
    checked.nvrtcGetCUBIN(program, code)
    checked.nvrtcDestroyProgram(program)
    return code


@pytest.mark.skipif(not has_library("NVRTC"), reason="needs NVRTC")
def test_compilation():
    assert compiled(ADD, b"--gpu-architecture=sm_90")[:4] == b"\x7fELF"
    error, program = nvrtc.nvrtcCreateProgram(b"nonsense", b"program.cu", 0, [], [])
    assert error == nvrtc.nvrtcResult.NVRTC_SUCCESS
    assert nvrtc.nvrtcCompileProgram(program, 0, []) == (nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION,)
    with pytest.raises(heddle.cuda.runtime.CUDARuntimeError, match="NVRTC_ERROR_COMPILATION"):
        checked.nvrtcCompileProgram(program, 0, [])
    error, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    assert b"program.cu(1)" in log
    assert nvrtc.nvrtcDestroyProgram(program) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    assert 90 in nvrtc.nvrtcGetSupportedArchs()[1]
    names = [b"twice<int>"]
    program = checked.nvrtcCreateProgram(
        b'#include "h"\ntemplate <class T> __global__ void twice(T* x) { *x *= TWO; }',
        b"program.cu",
        1,
        [b"#define TWO 2"],
        [b"h"],
    )
    checked.nvrtcAddNameExpression(program, names[0])
    checked.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_90"])
    assert b"twice" in checked.nvrtcGetLoweredName(program, names[0])


@pytest.mark.skipif(not has_library("nvJitLink"), reason="needs nvJitLink")
def test_linking():
    handle = checked.nvJitLinkCreate(1, [b"-arch=sm_90"])
    ptx = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f() { ret; }\n\0"
    kind = nvjitlink.nvJitLinkInputType.NVJITLINK_INPUT_PTX
    checked.nvJitLinkAddData(handle, kind, ptx, len(ptx), b"f")
    checked.nvJitLinkComplete(handle)
    code = b" " * checked.nvJitLinkGetLinkedCubinSize(handle)
    checked.nvJitLinkGetLinkedCubin(handle, code)
    checked.nvJitLinkDestroy(handle)
    assert code[:4] == b"\x7fELF"


# --- on a GPU ---


@pytest.fixture
def context():
    heddle.cuda.Device(0).use()
    return checked.cuCtxGetCurrent()


@with_gpu
def test_driver(context):
    device = checked.cuDeviceGet(0)
    assert (
        checked.cuDeviceGetName(100, device).split(b"\0")[0].decode() == heddle.cuda.Device(0).name
    )
    major = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    minor = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    arch = "".join(str(checked.cuDeviceGetAttribute(a, device)) for a in (major, minor))
    assert arch == heddle.cuda.Device(0).compute_capability
    n = 1000
    x = numpy.random.default_rng(0).random(n, "f4")
    y = numpy.random.default_rng(1).random(n, "f4")
    z = numpy.zeros(n, "f4")
    pointers = [checked.cuMemAlloc(4 * n) for _ in range(3)]
    stream = checked.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)
    for pointer, data in zip(pointers, (x, y), strict=False):
        checked.cuMemcpyHtoDAsync(pointer, data, data.nbytes, stream)
    module = checked.cuModuleLoadData(compiled(ADD, f"--gpu-architecture=sm_{arch}".encode()))
    function = checked.cuModuleGetFunction(module, b"add")
    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    arguments = ((*pointers, n), kinds)
    checked.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, arguments, 0)
    checked.cuMemcpyDtoHAsync(z, pointers[2], z.nbytes, stream)
    checked.cuStreamSynchronize(stream)
    assert (z == x + y).all()
    kind = driver.CUpointer_attribute
    asked = [kind.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, kind.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL]
    assert checked.cuPointerGetAttributes(2, asked, pointers[0]) == [2, 0]
    there = checked.cuPointerGetAttribute(kind.CU_POINTER_ATTRIBUTE_CONTEXT, pointers[0])
    assert there == context and isinstance(there, driver.CUcontext)
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = 4, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = 256, 1, 1
    config.hStream = stream
    swapped = ((pointers[2], pointers[1], pointers[0], n), kinds)
    checked.cuLaunchKernelEx(config, function, swapped, 0)
    checked.cuStreamSynchronize(stream)
    checked.cuMemcpyDtoH(z, pointers[0], z.nbytes)
    assert (z == (x + y) + y).all()
    for pointer in pointers:
        checked.cuMemFree(pointer)
    checked.cuModuleUnload(module)
    checked.cuStreamDestroy(stream)
    error = driver.cuMemFree(3)[0]
    assert error == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(
        heddle.cuda.runtime.CUDARuntimeError, match="cuMemFree: CUDA_ERROR_INVALID_VALUE"
    ):
        checked.cuMemFree(3)


@with_gpu
def test_graph_of_the_driver(context):
    graph = checked.cuGraphCreate(0)
    first = checked.cuGraphAddEmptyNode(graph, None, 0)
    pointer = checked.cuMemAlloc(16)
    fill = driver.CUDA_MEMSET_NODE_PARAMS()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = pointer, 7, 4, 4, 1
    second = checked.cuGraphAddMemsetNode(graph, [first], 1, fill, context)
    nodes, count = checked.cuGraphGetNodes(graph, 2)
    assert count == 2 and set(nodes) == {first, second}
    assert checked.cuGraphGetNodes(graph) == ([], 2)
    begins, ends, _, count = checked.cuGraphGetEdges(graph, 1)
    assert begins == [first] and ends == [second] and count == 1
    executable = checked.cuGraphInstantiate(graph, 0)
    checked.cuGraphLaunch(executable, 0)
    there = numpy.zeros(4, "i4")
    checked.cuMemcpyDtoH(there, pointer, 16)
    assert (there == 7).all()
    checked.cuGraphExecDestroy(executable)
    checked.cuGraphDestroy(graph)
    checked.cuMemFree(pointer)


@with_gpu
def test_pools_of_the_driver(context):
    pool = checked.cuDeviceGetDefaultMemPool(0)
    threshold = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    before = checked.cuMemPoolGetAttribute(pool, threshold)
    checked.cuMemPoolSetAttribute(pool, threshold, driver.cuuint64_t(1 << 20))
    assert checked.cuMemPoolGetAttribute(pool, threshold) == 1 << 20
    checked.cuMemPoolSetAttribute(pool, threshold, before)


@with_gpu
@pytest.mark.skipif(not has_library("CUDA runtime"), reason="needs the CUDA runtime")
def test_runtime(context):
    count = checked.cudaGetDeviceCount()
    assert count == heddle.cuda.runtime.getDeviceCount()
    properties = checked.cudaGetDeviceProperties(0)
    assert properties.name.split(b"\0")[0].decode() == heddle.cuda.Device(0).name
    assert properties.warpSize == 32
    data, back = numpy.arange(12.0), numpy.zeros(12)
    pointer = checked.cudaMalloc(data.nbytes)
    kind = runtime.cudaMemcpyKind
    checked.cudaMemcpy(pointer, data, data.nbytes, kind.cudaMemcpyHostToDevice)
    checked.cudaMemcpy2D(back, 32, pointer, 32, 16, 3, kind.cudaMemcpyDeviceToHost)
    assert (back.reshape(3, 4)[:, :2] == data.reshape(3, 4)[:, :2]).all() and (
        back.reshape(3, 4)[:, 2:] == 0
    ).all()
    checked.cudaFree(pointer)
    assert (
        runtime.cudaGetErrorString(runtime.cudaError_t.cudaErrorInvalidValue)[1]
        == b"invalid argument"
    )
    described = checked.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind(2))
    assert described.x == 32 and described.f.name == "cudaChannelFormatKindFloat"
