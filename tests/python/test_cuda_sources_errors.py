"""CUDA C++ that does not compile, or ends otherwise than it should."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
from cuda_source_support import i4, launch, needs_compiler, on_gpu, on_host  # noqa: F401

import heddle
from heddle import RawKernel, cuda

pytestmark = needs_compiler


@on_host
@pytest.mark.parametrize(
    "body, message",
    [
        ("x[0] = missing;", r"kern.cu:2:.*missing"),
        ("x[0] = 1", r"expected ';'"),
        ('asm("mov.u32 %0, %%tid.x;" : "=r"(n));', r"kern.cu:2: error: inline PTX"),
        ("x[0] = tex1Dfetch<float>(0, 1);", "kern.cu:2:.*textures and surfaces need a GPU"),
        ("x[0] = tex2D<float>(n, 1.0f, 2.0f);", "kern.cu:2:.*textures and surfaces need a GPU"),
        ("surf2Dwrite(1.0f, n, 1, 2);", "kern.cu:2:.*textures and surfaces need a GPU"),
        ("g<<<1, 1>>>(x);", "kern.cu:2:.*dynamic parallelism, .* needs a GPU"),
        ("cudaDeviceSynchronize();", "kern.cu:2:.*dynamic parallelism, .* needs a GPU"),
        ("cooperative_groups::this_cluster();", "kern.cu:2:.*thread block clusters need a GPU"),
    ],
)
def test_sources_that_are_refused(body, message, capfd):
    before = "#include <cooperative_groups.h>\n__global__ void g(float* x);\n#line 1\n"
    source = f'{before}extern "C" __global__ void f(float* x, int n) {{\n{body}\n}}'
    with pytest.raises(cuda.compiler.CompileException, match=message):
        launch(source, "f", (1,), (1,), numpy.zeros(1, "f4"), i4(1))
    assert capfd.readouterr() == ("", "")


@on_host
@pytest.mark.parametrize(
    "before, message",
    [
        ("texture<float, 2> old;", "kern.cu:1:.*textures and surfaces need a GPU"),
        ("#include <mma.h>", "wmma.* need a GPU"),
        ("#include <cuda/barrier>", "cuda::barrier needs a GPU: use __syncthreads"),
        ("#include <thrust/sort.h>", r"Thrust \(thrust/sort.h\) is not there on a CPU"),
        ("#include <cub/cub.cuh>", r"CUB \(cub/cub.cuh\) is not there on a CPU"),
        ("#include <cuda/pipeline>", "cuda::pipeline needs a GPU: use"),
        ("#include <nothing.h>", "kern.cu:1:.*nothing.h"),
        (
            "__global__ void __cluster_dims__(2, 1, 1) g() {}",
            "kern.cu:1: error: thread block clusters need a GPU",
        ),
    ],
)
def test_declarations_that_are_refused(before, message):
    source = f'{before}\nextern "C" __global__ void f(float* x) {{}}'
    with pytest.raises(cuda.compiler.CompileException, match=message):
        launch(source, "f", (1,), (1,), numpy.zeros(1, "f4"))


@on_host
def test_what_to_install_where_the_compiler_is_missing():
    program = """
import sys
sys.modules["heddle_clang"] = None  # as if it were not installed
import heddle
kernel = heddle.RawKernel('extern "C" __global__ void f(float* x) { x[0] = 1; }', "f")
try:
    kernel((1,), (1,), (heddle.zeros(1, "f4"),))
except RuntimeError as error:
    print(error)
module = heddle.RawModule(code="", name_expressions=["f"])
print(module.get_function("f").name)
print(heddle.ElementwiseKernel("T x", "T y", "y = x + 1", "more")(heddle.zeros(2)).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    first, second, third = done.stdout.strip().split("\n")
    assert "pip install heddle-clang" in first and "NVRTC" in first
    assert second == "f"
    assert third == "[1.0, 1.0]"


@on_host
@pytest.mark.unrecorded("is about when things are stopped")
@pytest.mark.parametrize(
    "body",
    [
        "while (*(volatile int*)x == 0) {}",
        "for (int i = 0; *(volatile int*)x == 0; ++i) { x[1 + threadIdx.x] = i; __syncthreads(); }",
        "while (__any_sync(0xffffffffu, x[0] == 0)) x[1 + threadIdx.x] += 1;",
        "for (;;) { if (atomicAdd(x + 1, 1) < 0 && x[0] > 0) break; }",
    ],
)
@pytest.mark.parametrize("blocks", [1, 64])
def test_interrupted(body, blocks):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    source = f'extern "C" __global__ void f(int* x) {{ {body} }}'
    x = heddle.zeros(40, "i4")
    RawKernel(source, "f").compile()
    alarm = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            alarm.start()
            RawKernel(source, "f")((blocks,), (32,), (x,))
            heddle.eval(x)
            time.sleep(2)
    finally:
        alarm.cancel()
        alarm.join()
        signal.signal(signal.SIGINT, before)
    # It goes on afterwards, and ends where the loop does.
    RawKernel('extern "C" __global__ void f(int* x) { x[0] = 5; }', "f")((1,), (1,), (x,))
    assert x[0] == 5


@on_host
def test_launches_that_are_refused():
    source = 'extern "C" __global__ void f(float* x, long long n) {}'
    x = numpy.zeros(1, "f4")
    record = numpy.zeros(3, "f4,f4")
    for arguments, message in (
        ((x,), "takes 2 arguments"),
        ((x, i4(1)), "argument 2 has 4 bytes"),
        ((x, record[0].tobytes() * 2), "argument 2 has 16 bytes, the parameter 8"),
        ((record, 1), "argument 1 has 24 bytes, the parameter 8"),
    ):
        with pytest.raises(TypeError, match=message):
            launch(source, "f", (1,), (1,), *arguments)
    with pytest.raises(ValueError, match="threads"):
        launch(source, "f", (1,), (2048,), x, 1)
    with pytest.raises(ValueError, match="missing"):
        launch(source, "missing", (1,), (1,), x, 1)


@on_host
def test_assertions_and_output(capfd):
    source = r"""
#include <cstdio>
extern "C" __global__ void f(int n) {
  if (threadIdx.x == 1) printf("%d %s %5.2f %lld%%\\n", n, "words", 1.5, 1ll << 40);
  assert(threadIdx.x < n);
}"""
    launch(source.replace("\\\\", "\\"), "f", (1,), (2,), i4(2))
    assert capfd.readouterr().out == "2 words  1.50 1099511627776%\n"
    with pytest.raises(AssertionError, match=r"kern.cu:5: .*threadIdx.x < n.* thread \(1, 0, 0\)"):
        launch(source.replace("\\\\", "\\"), "f", (1,), (2,), i4(1))


@on_host
@pytest.mark.parametrize(
    "body, message",
    [
        ("x[0] = " + "(" * 3000 + "1" + ")" * 3000 + ";", "nesting level exceeded"),
        ("{" * 3000 + "}" * 3000, "nesting level exceeded"),
        ("float a[1000000000]; a[n] = 1; x[0] = a[0];", "variables of a thread in f take 4000000"),
        ("float a[70000], b[70000]; a[n] = b[n]; x[0] = a[0];", "there is room for 491520"),
    ],
)
def test_sources_that_nest_deeply_or_need_much_memory(body, message):
    source = f'extern "C" __global__ void f(float* x, int n) {{\n{body}\n}}'
    with pytest.raises(cuda.compiler.CompileException, match=message):
        launch(source, "f", (1,), (1,), numpy.zeros(1, "f4"), i4(1))


@on_host
def test_deep_statements_compile():
    body = "if (n) " * 3000 + "x[0] = " + "- " * 3001 + "1;"
    source = f'extern "C" __global__ void f(float* x, int n) {{\n{body}\n}}'
    (x,) = launch(source, "f", (1,), (1,), numpy.zeros(1, "f4"), i4(1))
    assert x[0] == -1
