"""Breakpoints of a debugger in CUDA C++ on the CPU."""

import shutil
import subprocess
import sys

import numpy
import pytest
from cuda_source_support import i4, launch, needs_plugin, rng

pytestmark = needs_plugin

SOURCE = r"""
__device__ float twice(float v) {
  return v + v;
}
extern "C" __global__ void f(float* x, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  float y = x[i] + 1;
  tile[i] = y;
  __syncthreads();
  float z = tile[n - 1 - i];
  x[i] = twice(z) + y;  // here
}"""

PROGRAM = f"""
import numpy, heddle
with heddle.default_device("cpu"):
    x = heddle.arange(64, dtype="f4")
    heddle.RawKernel({SOURCE!r}, "f", ("-G",))((1,), (64,), (x, numpy.int32(64)))
    print("the first is", x[0])
"""


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
def test_breakpoints_of_gdb(tmp_path):
    line = SOURCE[: SOURCE.index("// here")].count("\n") + 1
    commands = [
        "set pagination off",
        "set print thread-events off",
        "set breakpoint pending on",
        f"break kern.cu:{line} if threadIdx.x == 3",
        "run",
        "backtrace 1",
        "print y",
        "print z",
        "print blockDim",
        "list",
        "delete",
        "continue",
    ]
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = ["gdb", "-q", "-batch", "-nx", *(w for c in commands for w in ("-ex", c))]
    done = subprocess.run(
        [*words, "--args", sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    out = done.stdout
    if "ptrace" in done.stderr or "Could not trace" in out + done.stderr:
        pytest.skip("gdb may not trace processes here")
    assert f"kern.cu:{line}" in out
    assert "f (x=0x" in out and "n=64" in out
    assert "$1 = 4" in out and "$2 = 61" in out
    assert "$3 = {x = 64, y = 1, z = 1}" in out
    assert "float y = x[i] + 1;" in out
    assert "the first is 129.0" in out


def test_code_for_a_debugger_computes_the_same():
    source = r"""
struct Sum { double total; int count; };
__device__ Sum add(Sum a, Sum b) { return {a.total + b.total, a.count + b.count}; }
extern "C" __global__ void f(const double* x, double* out, int n) {
  __shared__ Sum sums[64];
  Sum mine = {0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine = add(mine, Sum{x[i], 1});
  sums[threadIdx.x] = mine;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] = add(sums[threadIdx.x], sums[threadIdx.x + d]);
  }
  double v = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) out[0] = sums[0].total / sums[0].count + v;
}"""
    x = rng().integers(0, 100, 1000).astype("f8")
    given = x, numpy.zeros(1), i4(1000)
    fast = launch(source, "f", (1,), (64,), *given)[1]
    slow = launch(source, "f", (1,), (64,), *given, options=("-G",))[1]
    assert fast[0] == slow[0] == x.mean() + 496
