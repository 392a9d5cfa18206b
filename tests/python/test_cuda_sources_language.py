# ruff: noqa: E501
"""What of C++ kernels may be written in: templates, structs, numbers, mathematics."""

from fractions import Fraction

import numpy
import pytest
from cuda_source_support import i4, launch, needs_compiler, on_gpu, rng  # noqa: F401
from support import assert_exact, bfloat16

import heddle
from heddle import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, cuda

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


def test_bfloat16():
    source = r"""
#include <cuda_bf16.h>
extern "C" __global__ void f(const __nv_bfloat16* x, const double* d, __nv_bfloat16* y, __nv_bfloat16* total) {
  const int i = threadIdx.x;
  y[5 * i] = x[i] * (x[i] + __float2bfloat16(1.5f));  // a sum of a product may be rounded once
  y[5 * i + 1] = __double2bfloat16(d[i]);
  y[5 * i + 2] = -__habs(x[i]) / __nv_bfloat16(3);
  y[5 * i + 3] = __hmax(x[i], __nv_bfloat16(0.25f));
  const __nv_bfloat162 two = __hadd2(__bfloat162bfloat162(x[i]), make_bfloat162(x[i], x[0]));
  y[5 * i + 4] = two.x > two.y ? __low2bfloat16(two) : __high2bfloat16(two);
  atomicAdd(total, __nv_bfloat16(1.0f));
}"""
    x = rng().standard_normal(64).astype(bfloat16)
    # Numbers that rounding by way of float32 gets wrong are among them.
    d = 1 + 2.0**-8 + numpy.arange(64) * 2.0**-31 - 2.0**-26
    y, total = numpy.zeros((64, 5), bfloat16), numpy.zeros(1, bfloat16)
    _, _, y, total = launch(source, "f", (1,), (64,), x, d, y, total)
    assert_exact(y[:, 0], x * (x + bfloat16.type(1.5)))
    above = numpy.array(1 + 2.0**-7, bfloat16)
    assert_exact(y[:, 1], numpy.where(d > 1 + 2.0**-8, above, numpy.array(1, bfloat16)))
    assert_exact(y[:, 2], -abs(x) / bfloat16.type(3))
    assert_exact(y[:, 3], numpy.maximum(x, bfloat16.type(0.25)))
    assert_exact(y[:, 4], numpy.maximum(x + x, x + x[0]))
    assert total[0] == 64


def test_headers_of_libcudacxx():
    source = r"""
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
template <typename T>
__device__ cuda::std::tuple<T, T> ends(cuda::std::span<const T> all) {
  return cuda::std::make_tuple(all.front(), all.back());
}
extern "C" __global__ void f(const int* x, int* y, int n) {
  const int i = threadIdx.x;
  cuda::std::array<int, 3> three = {i, 2 * i, 3 * i};
  const auto [first, last] = ends(cuda::std::span<const int>(x, n));
  static_assert(cuda::std::is_same<decltype(first), const int>::value, "int");
  const auto pair = cuda::std::make_pair(three[1], cuda::std::plus<>()(three[2], 1));
  const cuda::std::complex<float> z(0, i);
  y[i] = first + last + pair.first * pair.second + (int)(z * z).real() +
         cuda::std::popcount((unsigned)i) + (int)cuda::std::bit_ceil((unsigned)i) +
         (i > cuda::std::numeric_limits<cuda::std::int8_t>::max());
}"""
    x = rng().integers(0, 100, 50).astype("i4")
    y = launch(source, "f", (1,), (200,), x, numpy.zeros(200, "i4"), i4(50))[1]
    want = [
        x[0] + x[-1] + 2 * i * (3 * i + 1) - i * i + i.bit_count()
        + (1 << (i - 1).bit_length() if i > 1 else 1) + (i > 127)
        for i in range(200)
    ]  # fmt: skip
    assert y.tolist() == want


def test_single_precision_under_the_names_of_double():
    source = r"""
extern "C" __global__ void f(const cuComplex* x, const cuDoubleComplex* y, cuComplex* z, double* a) {
  const int i = threadIdx.x;
  z[i] = cuCmul(cuCadd(x[i], cuConj(x[i])), cuComplexDoubleToFloat(y[i]));
  a[i] = cuCabs(y[i]) + cuCreal(x[i]);
}"""
    x = (rng().integers(0, 9, 8) + 1j * rng().integers(0, 9, 8)).astype("c8")
    y = (3 * rng().integers(0, 9, 8) * (1 + 4j / 3)).astype("c16")
    z, a = heddle.zeros(8, "c8"), heddle.zeros(8)
    kernel = RawKernel(source, "f", translate_cucomplex=True)
    kernel((1,), (8,), (heddle.asarray(x), heddle.asarray(y), z, a))
    assert_exact(heddle.asnumpy(z), ((x + x.conj()) * y).astype("c8"))
    assert_exact(heddle.asnumpy(a), abs(y) + x.real)


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


def test_kernels_that_are_pickled():
    import pickle

    source = 'extern "C" __global__ void f(int* x, int v) { x[threadIdx.x] = v; }'
    kernel = RawKernel(source, "f")
    module = RawModule(code=source)
    for made in (kernel, module.get_function("f"), module):
        x = heddle.zeros(3, "i4")
        if made is not module:
            made((1,), (3,), (x, i4(4)))
        again = pickle.loads(pickle.dumps(made))
        again = again.get_function("f") if made is module else again
        again((1,), (2,), (x, i4(7)))
        assert x.tolist()[:2] == [7, 7]


def test_names_that_are_not_there():
    module = RawModule(code='extern "C" __global__ void f() {}')
    with pytest.raises(Exception, match="missing"):
        module.get_function("missing")
    with pytest.raises(cuda.compiler.CompileException):
        RawModule(code="#error no").get_function("f")


def test_extents_along_axes_that_are_computed():
    extents = ElementwiseKernel("raw int32 x", "int32 y", "y = x.shape()[i] * 100 + x.strides()[i]")
    assert extents(heddle.zeros((2, 3), "i4"), size=2).tolist() == [212, 304]


def test_shared_arrays_that_nobody_uses():
    source = r"""
extern "C" __global__ void f(const int* x, int* y) {
  __shared__ int idle[NUMBER], busy[64];
  busy[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = busy[63 - threadIdx.x];
}"""
    x = numpy.arange(64, dtype="i4")
    for number in range(1, 9):
        text = source.replace("NUMBER", str(number))
        out = launch(text, "f", (1,), (64,), x, numpy.zeros_like(x))[1]
        assert_exact(out, x[::-1])


def test_sources_that_define_integers_of_fixed_width():
    # As for NVRTC they are known by <cstdint> only: many sources for it define their own.
    own = heddle.RawKernel(
        r"""
typedef unsigned long long uint64_t;
typedef signed char int8_t;
extern "C" __global__ void f(uint64_t* x) { x[0] = sizeof(int8_t) + (uint64_t(1) << 40); }""",
        "f",
    )
    x = heddle.zeros(1, numpy.uint64)
    own((1,), (1,), (x,))
    assert int(x[0]) == 2**40 + 1
    included = heddle.RawKernel(
        """#include <cuda/std/cstdint>
extern "C" __global__ void f(cuda::std::uint64_t* x) { x[0] = ~0ull - cuda::std::uint8_t(256); }""",
        "f",
    )
    included((1,), (1,), (x,))
    assert int(x[0]) == 2**64 - 1


def test_arrays_of_records_are_structs():
    kernel = heddle.RawKernel(
        r"""
struct Pair { float a; double b; int n[3]; };
extern "C" __global__ void f(Pair p, double3 v, double* out) { out[0] = p.a + p.b + p.n[2] + v.y; }
""",
        "f",
    )
    pair = numpy.dtype([("a", "f4"), ("b", "f8"), ("n", "i4", 3)], align=True)
    double3 = numpy.dtype([("x", "f8"), ("y", "f8"), ("z", "f8")])
    given = numpy.zeros((), pair)
    given["a"], given["b"], given["n"] = 1, 2, [1, 2, 3]
    out = heddle.zeros(1)
    kernel((1,), (1,), (given, numpy.array([1.0, 10.0, 100.0]).view(double3), out))
    assert float(out[0]) == 16
    kernel((1,), (1,), (given[()], numpy.array([1.0, 20.0, 100.0]).view(double3)[0], out))
    assert float(out[0]) == 26
    if heddle.default_device().startswith("cuda"):
        return  # where nobody knows the types of a kernel's arguments
    with pytest.raises(TypeError):
        kernel((1,), (1,), (numpy.zeros(1, double3), given, out))
    with pytest.raises(TypeError):
        kernel((1,), (1,), (given, numpy.zeros(3), out))


# --- mathematics that the C library has not ---


def of_doubles(expression, *columns):
    """A function of doubles (x, y, z: their names), for all elements of arrays."""
    names = "xyz"[: len(columns)]
    arguments = ", ".join(f"const double* {n}s" for n in names)
    read = "".join(f"const double {n} = {n}s[i]; " for n in names)
    source = f"""extern "C" __global__ void f({arguments}, double* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{ {read} out[i] = {expression}; }}
}}"""
    out = heddle.zeros(len(columns[0]))
    given = [heddle.asarray(c) for c in columns]
    RawKernel(source, "f")((len(columns[0]) // 64 + 1,), (64,), (*given, out, len(columns[0])))
    return heddle.asnumpy(out)


def test_special_functions():
    draw = rng()
    special = pytest.importorskip("scipy.special")
    x = numpy.concatenate([draw.uniform(-1, 1, 60), 1 - 10.0 ** -draw.uniform(1, 15, 20)])
    numpy.testing.assert_allclose(of_doubles("erfinv(x)", x), special.erfinv(x), rtol=4e-15)
    p = numpy.concatenate([draw.uniform(0, 2, 40), 10.0 ** -draw.uniform(1, 300, 40)])
    numpy.testing.assert_allclose(of_doubles("erfcinv(x)", p), special.erfcinv(p), rtol=2e-14)
    numpy.testing.assert_allclose(
        of_doubles("normcdfinv(x)", p / 2), special.ndtri(p / 2), rtol=2e-14, atol=1e-15
    )
    b = draw.uniform(-100, 100, 80)
    numpy.testing.assert_allclose(of_doubles("cyl_bessel_i0(x)", b), special.i0(b), rtol=4e-15)
    numpy.testing.assert_allclose(of_doubles("cyl_bessel_i1(x)", b), special.i1(b), rtol=4e-15)
    e = numpy.concatenate([draw.uniform(-5, 30, 40), 10.0 ** draw.uniform(1, 100, 20)])
    numpy.testing.assert_allclose(of_doubles("erfcx(x)", e), special.erfcx(e), rtol=4e-15)
    ends = numpy.array([-1.0, 1.0, 2.0, 0.0])
    assert_exact(of_doubles("erfinv(x)", ends), numpy.array([-numpy.inf, numpy.inf, numpy.nan, 0]))
    lengths = of_doubles("norm4d(x, x, x, x)", numpy.array([1e300, 1e-300]))
    numpy.testing.assert_allclose(lengths, [2e300, 2e-300], rtol=4e-15)


def test_rounding_in_all_directions():
    draw = rng()
    x = numpy.concatenate([draw.standard_normal(60), [1.0, 1e308, 1e-300, 0.1, -0.1, 3.0]])
    y = numpy.concatenate([draw.standard_normal(60), [3.0, 1e308, 1e-20, 0.2, 0.1, 3.0]])
    exact_x, exact_y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    exact = {
        "__dadd": [a + b for a, b in zip(exact_x, exact_y, strict=True)],
        "__dsub": [a - b for a, b in zip(exact_x, exact_y, strict=True)],
        "__dmul": [a * b for a, b in zip(exact_x, exact_y, strict=True)],
        "__ddiv": [a / b for a, b in zip(exact_x, exact_y, strict=True)],
    }
    for name, wanted in exact.items():
        down, up = (of_doubles(f"{name}_{way}(x, y)", x, y) for way in ("rd", "ru"))
        to_zero = of_doubles(f"{name}_rz(x, y)", x, y)
        for low, high, near, value in zip(down, up, to_zero, wanted, strict=True):
            assert low == -numpy.inf or Fraction(low) <= value
            assert high == numpy.inf or Fraction(high) >= value
            with numpy.errstate(over="ignore"):
                assert low == high or numpy.nextafter(low, numpy.inf) == high
            assert near == (low if value > 0 else high)
    thirds = [Fraction(float(v)) / 3 for v in x[:60].astype("f4")]
    down, up = (of_doubles(f"__fdiv_{way}((float)x, 3.0f)", x[:60]) for way in ("rd", "ru"))
    for low, high, value in zip(down, up, thirds, strict=True):
        assert Fraction(low) <= value <= Fraction(high)
        assert low == high or numpy.nextafter(numpy.float32(low), numpy.float32(9)) == high
    assert_exact(
        of_doubles("__double2float_ru(x)", numpy.array([0.1, -0.1]))[:1], [0.10000000149011612]
    )
    assert (
        of_doubles("__ll2double_rd(9007199254740993LL + (long long)x)", numpy.zeros(1))
    ) == 2**53


def test_bytes_and_halves_of_words():
    source = r"""
extern "C" __global__ void f(unsigned* out) {
  const unsigned a = 0x01ff807fu, b = 0x02010101u;
  out[0] = __vadd4(a, b); out[1] = __vaddss4(a, b); out[2] = __vaddus4(a, b); out[3] = __vmaxs4(a, b);
  out[4] = __vmaxu4(a, b); out[5] = __vcmpgtu4(a, b); out[6] = __vabs4(a); out[7] = __vsadu4(a, b);
  out[8] = __vadd2(0xffff0001u, 0x00010002u); out[9] = __vsubus2(0x00010005u, 0x00020003u);
  out[10] = (unsigned)__dp4a((int)a, (int)b, 5); out[11] = __dp4a(a, b, 5u);
  out[12] = __vseteq4(a, a); out[13] = __funnelshift_lc(1u, 2u, 40u); out[14] = __vavgu4(a, b);
  out[15] = __fns(0b101100u, 3u, 2);
}"""
    out = heddle.zeros(16, numpy.uint32)
    RawKernel(source, "f")((1,), (1,), (out,))
    a = numpy.array([0x7F, 0x80, 0xFF, 0x01], numpy.uint8)
    b = numpy.array([1, 1, 1, 2], numpy.uint8)
    s, t = a.view(numpy.int8).astype(int), b.view(numpy.int8).astype(int)
    u, v = a.astype(int), b.astype(int)

    def word(parts):
        return int((numpy.asarray(parts) & 255) @ (1 << numpy.arange(0, 32, 8)))

    wanted = [
        word(u + v),
        word(numpy.clip(s + t, -128, 127)),
        word(numpy.clip(u + v, 0, 255)),
        word(numpy.maximum(s, t)),
        word(numpy.maximum(u, v)),
        word(numpy.where(u > v, 255, 0)),
        word(numpy.abs(s)),
        int(numpy.abs(u - v).sum()),
        0x00000003,
        0x00000002,
        int((s * t).sum() + 5) & 0xFFFFFFFF,
        int((u * v).sum() + 5),
        0x01010101,
        1,
        word((u + v + 1) >> 1),
        5,
    ]
    assert heddle.asnumpy(out).tolist() == wanted
