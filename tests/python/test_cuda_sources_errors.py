"""CUDA C++ that does not compile, or ends otherwise than it should."""

import numpy
import pytest
from cuda_source_support import i4, launch, needs_compiler, on_gpu, on_host  # noqa: F401

from heddle import cuda

pytestmark = needs_compiler


@on_host
@pytest.mark.parametrize(
    "body, message",
    [
        ("x[0] = missing;", r"kern.cu:2:.*missing"),
        ('asm("mov.u32 %0, %%tid.x;" : "=r"(n));', r"kern.cu:2: error: inline PTX"),
        ("x[0] = tex1Dfetch<float>(0, 1);", "textures and surfaces need a GPU"),
        ("x[0] = 1", r"expected ';'"),
    ],
)
def test_sources_that_are_refused(body, message):
    source = f'extern "C" __global__ void f(float* x, int n) {{\n{body}\n}}'
    with pytest.raises(cuda.compiler.CompileException, match=message):
        launch(source, "f", (1,), (1,), numpy.zeros(1, "f4"), i4(1))


@on_host
def test_launches_that_are_refused():
    source = 'extern "C" __global__ void f(float* x, long long n) {}'
    x = numpy.zeros(1, "f4")
    for arguments, message in (((x,), "takes 2 arguments"), ((x, i4(1)), "argument 2 has 4 bytes")):
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
