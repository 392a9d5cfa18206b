# ruff: noqa: E501
"""What of C++ kernels may be written in: templates, structs, numbers, mathematics."""

import numpy
from cuda_source_support import i4, launch, needs_compiler, on_gpu, rng  # noqa: F401
from support import assert_exact

import heddle
from heddle import ElementwiseKernel, RawModule, ReductionKernel

pytestmark = needs_compiler


# --- templates, structs, C++ ---


def test_templates_and_names():
    source = r"""
template <typename T, int N>
struct Polynomial {
  T c[N];
  __device__ T operator()(T x) const {
    T y = 0;
    for (int i = N; i-- > 0;) y = y * x + c[i];
    return y;
  }
};
template <typename T, int N>
__global__ void evaluate(Polynomial<T, N> p, const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = p(x[i]);
}
namespace inner { __global__ void fill(int* x, int v) { x[threadIdx.x] = v; } }
"""
    names = ["evaluate<float, 3>", "evaluate<double, 2>", "evaluate<int, 4>", "inner::fill"]
    module = RawModule(code=source, name_expressions=names)
    for dtype, coefficients in (("f4", [1, 2, 3]), ("f8", [4, 5]), ("i4", [1, 0, 2, 1])):
        name = {"f4": names[0], "f8": names[1], "i4": names[2]}[dtype]
        x = numpy.arange(10).astype(dtype)
        a, y = heddle.asarray(x), heddle.zeros(10, dtype)
        given = numpy.array(coefficients, dtype)
        record = numpy.zeros((), [("c", dtype, len(given))])
        record["c"] = given
        module.get_function(name)((1,), (32,), (record[()], a, y, i4(10)))
        assert_exact(heddle.asnumpy(y), numpy.polyval(given[::-1], x).astype(dtype))
    x = heddle.zeros(4, "i4")
    module.get_function("inner::fill")((1,), (4,), (x, i4(7)))
    assert x.tolist() == [7] * 4


def test_struct_by_value_that_the_thread_changes():
    source = r"""
struct State { long long count; float values[3]; char mark; };
extern "C" __global__ void run(State s, float* out) {
  for (int i = 0; i < 3; ++i) s.values[i] += threadIdx.x;
  s.count += threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s.values[threadIdx.x % 3] + s.count + s.mark;
}"""
    kind = numpy.dtype([("count", "i8"), ("values", "f4", 3), ("mark", "i1")], align=True)
    state = numpy.zeros((), kind)
    state["count"], state["values"], state["mark"] = 5, [1, 2, 3], 9
    out = launch(source, "run", (1,), (8,), state[()], numpy.zeros(8, "f4"))[0]
    t = numpy.arange(8)
    assert_exact(out, (numpy.array([1, 2, 3])[t % 3] + t + 5 + t + 9).astype("f4"))


def test_classes_with_virtual_functions_and_recursion():
    source = r"""
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape {
  float a;
  __device__ Square(float a) : a(a) {}
  __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3 * r * r; }
};
__device__ long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void areas(float* out, long* f) {
  const int i = threadIdx.x;
  Square s(i);
  Circle c(i);
  const Shape* shape = i % 2 ? (const Shape*)&s : (const Shape*)&c;
  out[i] = shape->area();
  f[i] = fibonacci(i);
}"""
    out, f = launch(source, "areas", (1,), (12,), numpy.zeros(12, "f4"), numpy.zeros(12, "i8"))
    i = numpy.arange(12)
    assert_exact(out, numpy.where(i % 2, i * i, 3 * i * i).astype("f4"))
    assert f.tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]


def test_complex_numbers_and_half_precision():
    source = r"""
#include <cupy/complex.cuh>
#include <cuda_fp16.h>
extern "C" __global__ void f(const complex<float>* z, complex<float>* w, const __half* h, __half* g) {
  const int i = threadIdx.x;
  w[i] = z[i] * conj(z[i]) + exp(z[i]) / complex<float>(2, 1);
  g[i] = __hadd(h[i], __float2half(1.5f)) * h[i];
}"""
    z = (rng().standard_normal(20) + 1j * rng().standard_normal(20)).astype("c8")
    h = rng().random(20).astype("f2")
    _, w, _, g = launch(source, "f", (1,), (20,), z, numpy.zeros_like(z), h, numpy.zeros_like(h))
    numpy.testing.assert_allclose(w, z * z.conj() + numpy.exp(z) / (2 + 1j), rtol=2e-5)
    assert_exact(g, (h + numpy.float16(1.5)) * h)


def test_mathematics():
    source = r"""
extern "C" __global__ void f(const double* x, double* y, float* z) {
  const int i = threadIdx.x;
  y[i] = sin(x[i]) + exp(-x[i]) * log1p(x[i]) + pow(x[i], 1.5) + atan2(x[i], 2.0) + erf(x[i]) + fmod(x[i], 0.3);
  z[i] = sinf((float)x[i]) + rsqrtf((float)x[i]) + __expf((float)x[i]) + fabsf(-2.5f) + min(i, 3) + max(1.5f, 0.5f);
}"""
    from scipy.special import erf

    x = rng().random(50) + 0.1
    _, y, z = launch(source, "f", (1,), (50,), x, numpy.zeros(50), numpy.zeros(50, "f4"))
    want = (
        numpy.sin(x) + numpy.exp(-x) * numpy.log1p(x) + x**1.5
        + numpy.arctan2(x, 2) + erf(x) + numpy.fmod(x, 0.3)
    )  # fmt: skip
    numpy.testing.assert_allclose(y, want, rtol=1e-13)
    least = numpy.minimum(numpy.arange(50), 3)
    numpy.testing.assert_allclose(
        z, numpy.sin(x) + 1 / numpy.sqrt(x) + numpy.exp(x) + 4 + least, rtol=2e-5
    )


def test_bits():
    source = r"""
extern "C" __global__ void f(const unsigned* x, int* out) {
  const int i = threadIdx.x;
  out[6 * i] = __popc(x[i]); out[6 * i + 1] = __clz(x[i]); out[6 * i + 2] = __ffs(x[i]);
  out[6 * i + 3] = __brev(x[i]); out[6 * i + 4] = __umulhi(x[i], x[i]); out[6 * i + 5] = __byte_perm(x[i], 0, 0x0123);
}"""
    x = numpy.array([0, 1, 5, 0x80000000, 0xFFFFFFFF, 12345678], "u4")
    out = launch(source, "f", (1,), (6,), x, numpy.zeros((6, 6), "i4"))[1].view("u4")
    for value, row in zip(x.tolist(), out.tolist(), strict=True):
        bits = f"{value:032b}"
        assert row[:3] == [
            bits.count("1"), 32 - value.bit_length(), (value & -value).bit_length()
        ]  # fmt: skip
        assert row[3:] == [
            int(bits[::-1], 2), value * value >> 32, int.from_bytes(value.to_bytes(4, "little"), "big")
        ]  # fmt: skip


# --- kernels around expressions that are more than expressions ---


def test_bodies_of_statements():
    power = ElementwiseKernel(
        "T x, int32 n",
        "T y",
        "T p = 1; for (int k = 0; k < n; ++k) { if (k > 3) break; p *= x; } y = twice(p)",
        "power",
        preamble="template <typename T> __device__ T twice(T x) { return x + x; }",
    )
    x = rng().integers(1, 9, (30, 7)).astype("f8")
    assert_exact(heddle.asnumpy(power(heddle.asarray(x), 3)), 2 * x**3)
    assert_exact(heddle.asnumpy(power(heddle.asarray(x).T, 2)), 2 * x.T**2)


def test_reductions_of_structs():
    farthest = ReductionKernel(
        "T x", "T y", "Best{x, i}", "a.value < b.value ? b : a", "y = a.place", "Best{0, 0}",
        "farthest", "Best", preamble="struct Best { float value; long long place; };",
    )  # fmt: skip
    x = rng().random((3, 5000), "f4")
    made = heddle.asnumpy(farthest(heddle.asarray(x), axis=1))
    assert made.tolist() == (x.argmax(1) + 5000 * numpy.arange(3)).tolist()
