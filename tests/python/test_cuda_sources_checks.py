"""CUDA C++ that is looked at while it runs: indices, races, and barriers that not all reach."""

import re

import numpy
import pytest
from cuda_source_support import i4, launch, needs_plugin, on_gpu, rng  # noqa: F401

import heddle
from heddle import RawKernel, RawModule
from heddle.simt import RaceError

pytestmark = needs_plugin


def line_of(source, mark):
    """The line that has a text, counted from one."""
    (found,) = [i for i, line in enumerate(source.split("\n"), 1) if mark in line]
    return found


def lines_in(error):
    return [int(n) for n in re.findall(r"kern\.cu:(\d+)", str(error.value))]


def checked(source, *arguments, grid=(1,), block=(32,), name="f", **keywords):
    return launch(source, name, grid, block, *arguments, check=True, **keywords)


# --- indices ---


def test_an_index_past_the_end():
    source = r"""
extern "C" __global__ void f(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    y[i] = x[i];  // here
}"""
    x = rng().random(50, "f4")
    message = r"reads element 50 of x, which has 50, in thread \(18, 0, 0\) of block \(1, 0, 0\)"
    with pytest.raises(IndexError, match=message) as error:
        checked(source, x, numpy.zeros(60, "f4"), i4(50), grid=(2,))
    assert lines_in(error) == [line_of(source, "// here")]
    y = checked(source, x, numpy.zeros(60, "f4"), i4(49), grid=(2,))[1]
    numpy.testing.assert_array_equal(y[:50], x)


def test_a_null_pointer():
    source = r"""
extern "C" __global__ void f(float* x, int n) {
  float* p = n > 3 ? nullptr : x;
  p[threadIdx.x + 1] = 1;  // here
}"""
    message = r"writes 4 bytes through a null pointer, at address 4, in thread \(0, 0, 0\)"
    with pytest.raises(IndexError, match=message) as error:
        checked(source, numpy.zeros(40, "f4"), i4(5))
    assert lines_in(error) == [line_of(source, "// here")]
    assert checked(source, numpy.zeros(40, "f4"), i4(3))[0].sum() == 32


def test_an_index_before_the_beginning_of_a_view():
    source = r"""
extern "C" __global__ void f(int* x) { x[(int)threadIdx.x - 1] = 7; }"""
    with pytest.raises(IndexError, match="writes element -1 of x, which has 8"):
        checked(source, numpy.zeros(8, "i4"), block=(1,))
    # The elements of a view are its own, though memory goes on around it.
    whole = heddle.zeros(20, "i4")
    kernel = RawKernel(source, "f", check=True)
    with pytest.raises(IndexError, match="element -1 of x, which has 5"):
        kernel((1,), (1,), (whole[10:15],))


@pytest.mark.host_memory  # elsewhere the kernel gets a copy
def test_an_index_before_the_first_element_that_is_the_last_one_in_memory():
    source = r"""
extern "C" __global__ void f(int* x) { x[(int)threadIdx.x - 1] = 7; }"""
    whole = heddle.zeros(20, "i4")
    RawKernel(source, "f", check=True)((1,), (1,), (whole[::-1],))
    assert whole.tolist() == [0] * 18 + [7, 0]


@pytest.mark.parametrize("dynamic", [False, True])
def test_indices_of_shared_memory(dynamic):
    declared = "extern __shared__ double tile[];" if dynamic else "__shared__ double tile[20];"
    source = f"""
extern "C" __global__ void f(double* x) {{
  {declared}
  tile[threadIdx.x] = x[threadIdx.x];  // here
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}}"""
    more = {"shared_mem": 160} if dynamic else {}
    x = rng().random(20)
    (y,) = checked(source, x, block=(20,), **more)
    numpy.testing.assert_array_equal(y, x[::-1])
    with pytest.raises(IndexError, match="writes element 20 of tile, which has 20") as error:
        checked(source, rng().random(21), block=(21,), **more)
    assert lines_in(error) == [line_of(source, "// here")]


def test_indices_of_arrays_of_a_thread_and_of_variables():
    source = r"""
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int at(const int* from, int i) { return from[i]; }
extern "C" __global__ void own(int* x) {
  int mine[3] = {5, 6, 7};
  x[threadIdx.x] = at(mine, threadIdx.x);
}
extern "C" __global__ void constant(int* x) { x[threadIdx.x] = at(table, threadIdx.x); }
"""
    for name, size, message in (
        ("own", 3, "element 3 of an array of the thread, which has 3"),
        ("constant", 4, "element 4 of table, which has 4"),
    ):
        checked(source, numpy.zeros(8, "i4"), block=(size,), name=name)
        with pytest.raises(IndexError, match=f"reads {message}"):
            checked(source, numpy.zeros(8, "i4"), block=(size + 1,), name=name)


def test_pointers_that_are_chosen_moved_and_kept():
    source = r"""
struct Two { const int* first; int* second; };
extern "C" __global__ void chosen(const int* x, const int* y, int* out) {
  const int* from = threadIdx.x % 2 ? x : y;
  for (int i = 0; i < 3; ++i) ++from;
  out[threadIdx.x] = *from;  // here
}
extern "C" __global__ void stored(const int* x, const int* y, int* out) {
  Two two = {x, out};
  Two* volatile at = &two;
  at->second[threadIdx.x] = at->first[threadIdx.x + 3];
}
"""
    x, y, out = numpy.arange(4, dtype="i4"), numpy.arange(3, dtype="i4"), numpy.zeros(2, "i4")
    checked(source, x, x, out, name="chosen", block=(2,))
    with pytest.raises(IndexError, match="element 3 of y, which has 3, in thread") as error:
        checked(source, x, y, out, name="chosen", block=(2,))
    assert lines_in(error) == [line_of(source, "// here")]
    checked(source, x, x, out, name="stored", block=(1,))
    with pytest.raises(IndexError, match="element 4 of x, which has 4"):
        checked(source, x, x, out, name="stored", block=(2,))


def test_nothing_is_written_out_of_range():
    source = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] = 1 + threadIdx.x; }'
    whole = heddle.zeros(8, "i4")
    with pytest.raises(IndexError, match="element 4 of x"):
        RawKernel(source, "f", check=True)((1,), (8,), (whole[:4],))
    assert whole.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]


# --- races ---


@pytest.mark.unrecorded("a race reads shared memory that nobody has written yet")
def test_a_missing_barrier():
    source = r"""
extern "C" __global__ void f(float* x) {
  __shared__ float tile[64];
  const int i = threadIdx.x;
  tile[i] = x[i];  // writes
  BARRIER
  x[i] = tile[blockDim.x - 1 - i];  // reads
}"""
    x = rng().random(64, "f4")
    with pytest.raises(RaceError, match="a data race in shared memory") as error:
        checked(source.replace("BARRIER", ""), x, block=(64,))
    assert sorted(lines_in(error)) == [line_of(source, "// writes"), line_of(source, "// reads")]
    (y,) = checked(source.replace("BARRIER", "__syncthreads();"), x, block=(64,))
    numpy.testing.assert_array_equal(y, x[::-1])


@pytest.mark.parametrize("threads", [1, 32])
def test_a_race_of_blocks(threads):
    source = r"""
extern "C" __global__ void f(const int* x, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  HOW
}"""
    x, counts = numpy.zeros(64, "i4"), numpy.zeros(4, "i4")
    plain = source.replace("HOW", "counts[x[i]] += 1;")
    with pytest.raises(RaceError, match=r"global memory.*nothing puts them in order") as error:
        checked(plain, x, counts, grid=(64 // threads,), block=(threads,))
    assert lines_in(error) == [4, 4]
    atomic = source.replace("HOW", "atomicAdd(&counts[x[i]], 1);")
    assert checked(atomic, x, counts, grid=(64 // threads,), block=(threads,))[1][0] == 64


def test_an_atomic_beside_a_plain_access():
    source = r"""
extern "C" __global__ void f(int* count, int* out) {
  atomicAdd(count, 1);  // updates
  out[threadIdx.x] = *count;  // reads
}"""
    with pytest.raises(RaceError, match="updates") as error:
        checked(source, numpy.zeros(1, "i4"), numpy.zeros(32, "i4"))
    assert line_of(source, "// reads") in lines_in(error)


def test_small_elements_side_by_side():
    source = r"""
struct Pixel { unsigned char r, g, b; };
extern "C" __global__ void f(unsigned char* x, Pixel* p, unsigned* w) {
  const int i = threadIdx.x;
  x[i] = i;
  p[i] = Pixel{x[i], 1, 2};
  w[i] = p[i].r;
}"""
    x, p, w = numpy.zeros(32, "u1"), numpy.zeros(96, "u1"), numpy.zeros(32, "u4")
    assert checked(source, x, p, w)[2].tolist() == list(range(32))
    overlapping = r"""
extern "C" __global__ void f(unsigned char* x) {
  ((unsigned short*)x)[threadIdx.x] = 1;  // both
  x[threadIdx.x] = 2;  // one
}"""
    with pytest.raises(RaceError) as error:
        checked(overlapping, numpy.zeros(64, "u1"))
    assert set(lines_in(error)) == {3, 4}


def test_barriers_of_warps_count_within_them():
    source = r"""
extern "C" __global__ void f(const int* x, int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = x[i];
  __syncwarp();
  out[i] = tile[i ^ LANES];
}"""
    x = rng().integers(0, 99, 64).astype("i4")
    out = checked(source.replace("LANES", "1"), x, numpy.zeros_like(x), block=(64,))[1]
    numpy.testing.assert_array_equal(out, x[numpy.arange(64) ^ 1])
    with pytest.raises(RaceError):
        checked(source.replace("LANES", "32"), x, numpy.zeros_like(x), block=(64,))


def test_the_last_block_adds_up():
    source = r"""
extern "C" __global__ void f(const float* x, volatile float* partial, float* total, unsigned* done) {
  __shared__ bool last;
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    FENCE
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *total = all;
  }
}"""  # noqa: E501
    x = numpy.arange(128, dtype="f4")
    given = x, numpy.zeros(4, "f4"), numpy.zeros(1, "f4"), numpy.zeros(1, "u4")
    total = checked(source.replace("FENCE", "__threadfence();"), *given, grid=(4,))[2]
    assert total[0] == x.sum()
    with pytest.raises(RaceError, match="global memory"):
        checked(source.replace("FENCE", ""), *given, grid=(4,))


def test_grids_that_wait():
    source = r"""
#include <cooperative_groups.h>
extern "C" __global__ void f(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;
  WAIT
  y[i] = x[n - 1 - i];
}"""
    arrays = numpy.zeros(64, "i4"), numpy.zeros(64, "i4")
    waits = source.replace("WAIT", "cooperative_groups::this_grid().sync();")
    y = checked(waits, *arrays, grid=(2,), cooperative=True)[1]
    assert y.tolist() == list(range(64))[::-1]
    with pytest.raises(RaceError, match="global memory"):
        checked(source.replace("WAIT", "__syncthreads();"), *arrays, grid=(2,))


# --- barriers ---


def test_a_barrier_that_some_threads_do_not_reach():
    source = r"""
extern "C" __global__ void f(int* x) {
  const int i = threadIdx.x;
  if (i < 20) {  // parts
    __syncthreads();  // barrier
    x[i] = 1;
  }
}"""
    with pytest.raises(RaceError, match="a barrier that 20 of 32 threads of block") as error:
        checked(source, numpy.zeros(32, "i4"))
    assert lines_in(error) == [line_of(source, "// barrier"), line_of(source, "// parts")]


def test_a_barrier_in_a_loop_that_some_leave():
    source = r"""
extern "C" __global__ void f(int* x) {
  for (int k = 0; k < threadIdx.x % 2 + 1; ++k) {  // differs
    x[threadIdx.x] += 1;
    __syncthreads();  // barrier
  }
}"""
    with pytest.raises(RaceError, match="16 of 32 threads") as error:
        checked(source, numpy.zeros(32, "i4"))
    assert lines_in(error) == [line_of(source, "// barrier"), line_of(source, "// differs")]


def test_two_barriers_for_two_halves():
    source = r"""
extern "C" __global__ void f(int* x) {
  if (threadIdx.x < 8) {
    __syncthreads();
    x[threadIdx.x] = 1;
  } else {
    __syncthreads();  // barrier
    x[threadIdx.x] = 2;
  }
}"""
    with pytest.raises(RaceError, match="24 of 32 threads") as error:
        checked(source, numpy.zeros(32, "i4"))
    assert lines_in(error)[0] == line_of(source, "// barrier")


def test_threads_that_have_returned_are_not_waited_for():
    source = r"""
__device__ void all(int* x, int* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  x[i] *= 2;
  __syncthreads();
  y[i] = x[n - 1 - i];
}
extern "C" __global__ void f(int* x, int* y, int n) { all(x, y, n); }"""
    x = numpy.arange(20, dtype="i4")
    y = checked(source, x, numpy.zeros_like(x), i4(20))[1]
    assert y.tolist() == (2 * x[::-1]).tolist()


def test_lanes_that_do_not_come():
    source = r"""
extern "C" __global__ void f(int* x) {
  if (threadIdx.x % 32 < 10)  // parts
    x[threadIdx.x] = __shfl_sync(0xffffffffu, (int)threadIdx.x, 3);  // shuffle
  __syncthreads();
}"""
    with pytest.raises(RaceError, match=r"10 lanes of warp 0 .* wait for 22 others") as error:
        checked(source, numpy.zeros(32, "i4"))
    assert lines_in(error) == [line_of(source, "// shuffle"), line_of(source, "// parts")]


# --- the rest ---


def test_modules_and_functions_that_are_included():
    code = r"""
template <typename T> __device__ T* moved(T* x, int by) { return x + by; }
template <typename T> __global__ void fill(T* x, int by) {
  *moved(x + threadIdx.x, by) = by;
}"""
    module = RawModule(code=code, name_expressions=["fill<short>"], check=True)
    x = heddle.zeros(8, "i2")
    module.get_function("fill<short>")((1,), (8,), (x, i4(0)))
    with pytest.raises(IndexError, match=r"kern.cu:4: .*element 8 of x"):
        module.get_function("fill<short>")((1,), (8,), (x, i4(1)))


def test_what_cannot_be_checked():
    with pytest.raises(ValueError, match="what is checked is a source"):
        RawModule(path="kernels.cubin", check=True)
    with pytest.raises(ValueError, match="no lines for a debugger"):
        RawKernel("", "f", ("-G",), check=True)
