"""Kernels in CUDA C++: RawKernel, RawModule, ElementwiseKernel, ReductionKernel."""

import io
import sys

import numpy
import pytest
from support import assert_exact

import heddle
from heddle import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, cuda
from heddle._kernels import host
from heddle.cuda import compiler

with_gpu = pytest.mark.skipif(not cuda.is_available(), reason="needs a GPU")
without_gpu = pytest.mark.skipif(cuda.is_available(), reason="needs a machine without GPU")
with_nvrtc = pytest.mark.skipif(
    heddle._core.cuda.libraries()["NVRTC"] is None, reason="NVRTC is not installed"
)


@pytest.fixture(autouse=True)
def _on_gpu():
    if not cuda.is_available():
        yield
        return
    with heddle.default_device("cuda"):
        yield


def numbers(shape, dtype="f4"):
    return numpy.random.default_rng(3).standard_normal(shape).astype(dtype)


# --- the compiler, which needs no GPU ---


@with_nvrtc
def test_compilation():
    source = "template <class T> __global__ void fill(T* x, T v) { x[threadIdx.x] = v; }"
    names = ["fill<float>", "fill<long long>"]
    code, found = compiler.compile_using_nvrtc(source, arch="sm_80", name_expressions=names)
    assert code[:4] == b"\x7fELF" and list(found) == names
    assert len(set(found.values())) == 2 and all("fill" in name for name in found.values())
    assert compiler.compile_using_nvrtc(source, arch="sm_80", name_expressions=names)[0] == code


@with_nvrtc
def test_source_that_is_refused():
    source = "__global__ void f(float* x) {\n  x[0] = missing;\n}"
    with pytest.raises(compiler.CompileException, match=r"kern.cu\(2\).*missing") as caught:
        compiler.compile_using_nvrtc(source, ("-DX=1",), arch="sm_80")
    assert caught.value.source == source and "-DX=1" in caught.value.options
    text = io.StringIO()
    caught.value.dump(text)
    assert "2   x[0] = missing;" in text.getvalue()


@with_nvrtc
@pytest.mark.parametrize("header", ["complex", "half", "arrays"])
def test_headers(header):
    source = f"#include <heddle/{header}.cuh>\n__global__ void f() {{}}"
    compiler.compile_using_nvrtc(source, arch="sm_80")


@pytest.fixture
def _without_plugin(monkeypatch):
    monkeypatch.setitem(sys.modules, "heddle_clang", None)
    host._plugin.cache_clear()
    yield
    host._plugin.cache_clear()


@without_gpu
@pytest.mark.usefixtures("_without_plugin")
def test_without_a_gpu():
    x = heddle.ones(3)
    add = RawKernel('extern "C" __global__ void add() {}', "add")
    for call in (
        lambda: add((1,), (1,), ()),
        lambda: RawModule(code="").get_global("x"),
    ):
        with pytest.raises(RuntimeError, match=r"GPU.*pip install heddle-clang"):
            call()
    assert x.tolist() == [1] * 3


# --- declarations ---


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: ElementwiseKernel("T", "T y", ""), SyntaxError),
        (lambda: ElementwiseKernel("T i", "T y", ""), ValueError),
        (lambda: ElementwiseKernel("T _x", "T y", ""), ValueError),
        (lambda: ElementwiseKernel("T x", "T x", ""), ValueError),
        (lambda: ElementwiseKernel("const T x", "T y", ""), ValueError),
        (lambda: ElementwiseKernel("float99 x", "T y", ""), TypeError),
        (lambda: ElementwiseKernel("T x", "T y", "", "a b"), ValueError),
        (lambda: ReductionKernel("T x", "T x", "", "", "", "0"), ValueError),
        (lambda: RawKernel("", "f", backend="gcc"), ValueError),
        (lambda: RawKernel("", "f", options="-O3"), TypeError),
        (lambda: RawKernel("", 3), TypeError),
        (lambda: RawKernel("", "f", jitify=True), NotImplementedError),
        (lambda: RawModule(), TypeError),
        (lambda: RawModule(code="", path="x"), TypeError),
        (lambda: RawModule(path="x", name_expressions=["f"]), ValueError),
    ],
)
def test_bad_declarations(make, error):
    with pytest.raises(error):
        make()


def test_parameters():
    kernel = ElementwiseKernel("T x, raw float32 y", "S z, raw S w", "", "f", return_tuple=True)
    assert (kernel.nin, kernel.nout, kernel.nargs) == (2, 2, 4)
    assert [q.name for q in kernel.params] == ["x", "y", "z", "w"]
    assert [q.raw for q in kernel.params] == [False, True, False, True]
    assert kernel.params[1].dtype == "f4" and kernel.params[0].placeholder == "T"


# --- raw kernels ---

ADD = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}"""


@with_gpu
def test_raw_kernel():
    x, y = heddle.asarray(numbers(1000)), heddle.asarray(numbers(1000)[::-1].copy())
    z = heddle.zeros(1000, "f4")
    add = RawKernel(ADD, "add")
    add((4,), (256,), (x, y, z, 1000))
    assert_exact(z, x.get() + y.get())
    add(4, 256, [z, y, z, numpy.int64(10)])  # in place, beside work that is pending
    assert_exact(z[:10], (x[:10].get() + y[:10].get()) + y[:10].get())
    assert add.max_threads_per_block >= 256 and add.num_regs > 0
    assert add.attributes["binary_version"] >= 70


@with_gpu
def test_work_around_a_launch_is_in_order():
    add = RawKernel(ADD, "add")
    x = heddle.arange(1000, dtype="f4")
    kept = x.copy()
    shared = x[:]
    y = x * 2  # pending
    before = y + 0
    add((4,), (256,), (x, y, y, 1000))
    after = y * 10
    add((4,), (256,), (after, x, x, 1000))
    want = numpy.arange(1000, dtype="f4")
    assert_exact(before, 2 * want)
    assert_exact(y, 3 * want)
    assert_exact(x, 31 * want)
    assert_exact(shared, 31 * want)
    assert_exact(kept, want)


@with_gpu
def test_views_are_addresses():
    add = RawKernel(ADD, "add")
    x = heddle.arange(20, dtype="f4")
    z = heddle.zeros((4, 5), "f4")
    add((1,), (32,), (x[5:], x[10:], z[1], 5))
    want = numpy.zeros((4, 5), "f4")
    want[1] = numpy.arange(5, 10) + numpy.arange(10, 15)
    assert_exact(z, want)


@with_gpu
def test_numbers_and_structs():
    source = r"""
struct Pair { int first; double second; };
extern "C" __global__ void f(double* out, int a, float b, bool c, double d, long long e, Pair p,
                             unsigned char g, double2 h) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = p.first; out[6] = p.second;
  out[7] = g; out[8] = h.x; out[9] = h.y;
}"""
    pair = numpy.zeros((), numpy.dtype([("first", "i4"), ("second", "f8")], align=True))
    pair["first"], pair["second"] = 6, 7.5
    out = heddle.zeros(10)
    arguments = (numpy.int32(-1), numpy.float32(2.5), True, 4.25, 5, pair[()], numpy.uint8(8))
    RawKernel(source, "f")((1,), (1,), (out, *arguments, 9 + 10j))
    assert out.tolist() == [-1, 2.5, 1, 4.25, 5, 6, 7.5, 8, 9, 10]


@with_gpu
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers(dtype):
    kind = {"c8": "float", "c16": "double"}[dtype]
    source = f"""
#include <cupy/complex.cuh>
extern "C" __global__ void f(complex<{kind}>* x) {{
  x[threadIdx.x] = conj(x[threadIdx.x]) * complex<{kind}>(0, 2);
}}"""
    given = (numbers(8) + 1j * numbers(8)[::-1]).astype(dtype)
    x = heddle.asarray(given)
    RawKernel(source, "f")((1,), (8,), (x,))
    numpy.testing.assert_allclose(x.get(), given.conj() * 2j, rtol=1e-6)


@with_gpu
def test_modules():
    source = """
__constant__ float factors[4];
__device__ int calls = 0;
template <typename T> __global__ void scale(T* x) {
  x[threadIdx.x] *= (T)factors[threadIdx.x % 4];
  if (threadIdx.x == 0) ++calls;
}"""
    module = RawModule(code=source, name_expressions=["scale<float>", "scale<int>", "&calls"])
    memory = module.get_global("factors")
    heddle.ndarray((4,), "f4", memory)[...] = heddle.asarray([1, 2, 3, 4], "f4")
    for dtype, name in (("f4", "scale<float>"), ("i4", "scale<int>")):
        x = heddle.ones(8, dtype)
        module.get_function(name)((1,), (8,), (x,))
        assert x.tolist() == [1, 2, 3, 4] * 2
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="missing"):
        module.get_function("missing")((1,), (1,), ())
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="missing"):
        module.get_global("missing")


@with_gpu
def test_compiled_files(tmp_path):
    code, _ = compiler.compile_using_nvrtc(ADD)
    ptx, _ = compiler.compile_using_nvrtc(ADD, arch="compute_80")
    for name, text in (("add.cubin", code), ("add.ptx", ptx.rstrip(b"\0"))):
        (tmp_path / name).write_bytes(text)
        z = heddle.zeros(4, "f4")
        add = RawModule(path=tmp_path / name).get_function("add")
        add((1,), (4,), (heddle.ones(4, "f4"), heddle.ones(4, "f4"), z, 4))
        assert z.tolist() == [2] * 4


@with_gpu
def test_dynamic_shared_memory():
    source = r"""
extern "C" __global__ void reverse(const double* x, double* y) {
  extern __shared__ double cells[];
  for (int i = threadIdx.x; i < 8000; i += blockDim.x) cells[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 8000; i += blockDim.x) y[i] = cells[7999 - i];
}"""
    kernel = RawKernel(source, "reverse")
    x, y = heddle.arange(8000.0), heddle.zeros(8000)
    with pytest.raises(ValueError, match="max_dynamic_shared_size_bytes"):
        kernel((1,), (256,), (x, y), shared_mem=64000)
    kernel.max_dynamic_shared_size_bytes = 64000
    kernel((1,), (256,), (x, y), shared_mem=64000)
    assert_exact(y, numpy.arange(8000.0)[::-1])


@with_gpu
def test_cooperative_groups():
    source = r"""
#include <cooperative_groups.h>
extern "C" __global__ void f(int* x, int* out) {
  atomicAdd(x, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *x;
}"""
    x, out = heddle.zeros(1, "i4"), heddle.zeros(16, "i4")
    kernel = RawKernel(source, "f", enable_cooperative_groups=True)
    kernel((16,), (64,), (x, out))
    assert out.tolist() == [1024] * 16


@with_gpu
def test_bad_launches():
    add = RawKernel(ADD, "add")
    x = heddle.ones(4, "f4")
    for call, error in (
        (lambda: add((1,), (2048,), (x, x, x, 4)), ValueError),
        (lambda: add((0,), (4,), (x, x, x, 4)), ValueError),
        (lambda: add((1, 1, 1, 1), (4,), (x, x, x, 4)), ValueError),
        (lambda: add((1,), (4,), (numpy.ones(4, "f4"), x, x, 4)), TypeError),
        (lambda: add((1,), (4,), (heddle.ones(4, device="cpu"), x, x, 4)), ValueError),
        (lambda: add((1,), (4,), ("x", x, x, 4)), TypeError),
    ):
        with pytest.raises(error):
            call()
    assert x.tolist() == [1] * 4
    with pytest.raises(compiler.CompileException, match="error"):
        RawKernel("not C", "f")((1,), (1,), ())


@with_gpu
@pytest.mark.skipif(cuda.get_nvcc_path() is None, reason="nvcc is not installed")
def test_nvcc():
    z = heddle.zeros(4, "f4")
    RawKernel(ADD, "add", backend="nvcc")((1,), (4,), (z + 1, z + 2, z, 4))
    assert z.tolist() == [3] * 4


# --- elementwise ---

DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise_types(dtype):
    x = (numbers((4, 5), "f4") * 10).astype(dtype)
    y = (numbers((5,), "f4") * 7).astype(dtype)
    kernel = ElementwiseKernel("T x, T y", "T z", "z = x * y" if dtype != "?" else "z = x && y")
    made = kernel(heddle.asarray(x), heddle.asarray(y))
    want = x * y
    assert made.dtype == want.dtype
    numpy.testing.assert_allclose(made.get(), want, rtol=1e-2 if dtype == "f2" else 1e-6)


LAYOUTS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1],
    "stepped": lambda x: x[:, ::2],
    "row": lambda x: x[1],
    "element": lambda x: x[1, 2, ...],
    "nothing": lambda x: x[:0],
    "newaxis": lambda x: x[:, None],
}


@pytest.mark.parametrize("reduce_dims", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_elementwise_layouts(layout, reduce_dims):
    x = numbers((6, 8))
    kernel = ElementwiseKernel("T x, S y", "T z", "z = x * 2 + y", "f", reduce_dims)
    ours, theirs = LAYOUTS[layout](heddle.asarray(x)), LAYOUTS[layout](x)
    assert_exact(kernel(ours, 1), theirs * 2 + 1)
    out = heddle.zeros((6, 8), "f4")
    target = LAYOUTS[layout](out)
    kernel(ours, 1, target)
    want = numpy.zeros((6, 8), "f4")
    LAYOUTS[layout](want)[...] = theirs * 2 + 1
    assert_exact(out, want)


def test_elementwise_features():
    x = heddle.asarray(numbers(10))
    flipped = ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]")(x, x)
    assert_exact(flipped, x.get() + x.get()[::-1])
    places = ElementwiseKernel("raw T x", "raw T y", "y[n - 1 - i] = x[i] * i", "f")
    assert_exact(
        places(x, heddle.zeros(10, "f4"), size=10), (x.get() * numpy.arange(10, dtype="f4"))[::-1]
    )
    both = ElementwiseKernel("T x", "T y, int32 z", "y = -x; z = x > 0", "two")
    y, z = both(x)
    assert_exact(y, -x.get())
    assert_exact(z, (x.get() > 0).astype("i4"))
    assert ElementwiseKernel("T x", "T y", "y = x", no_return=True)(x) is None
    assert isinstance(ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x), tuple)
    grid = ElementwiseKernel(
        "T x", "int64 y", "y = _ind.get()[0] * 100 + _ind.get()[1]", "g", False
    )
    want = numpy.add.outer(numpy.arange(3) * 100, numpy.arange(4))
    assert_exact(grid(heddle.zeros((3, 4))[:, ::1]), want)


@with_gpu
def test_elementwise_code():
    x = heddle.asarray(numbers(10))
    whole = ElementwiseKernel(
        "T x",
        "T y",
        "y = f(x) * k",
        preamble="__device__ float f(float x) { return x + 1; }",
        name="scaled",
        loop_prep="const float k = 3",
        options=("--use_fast_math",),
    )
    assert_exact(whole(x), (x.get() + 1) * numpy.float32(3))
    assert "void scaled_elementwise" in whole.cached_code


# Statements, and what they set z to for x and y.
BODIES = {
    "z = x / y": lambda x, y: numpy.trunc(x / y),
    "z = x % y": numpy.fmod,
    "z = x > y ? x : -y": lambda x, y: numpy.where(x > y, x, -y),
    "if (x > y) z = 1; else { z = 2; if (y == 3) z += 4; }": lambda x, y: numpy.where(
        x > y, 1, numpy.where(y == 3, 6, 2)
    ),
    "T t = x * x; const int k = 2; z = t - k * y, ++z": lambda x, y: x * x - 2 * y + 1,
    "z = (int)(x * 0.4) + int(y / 2.0f)": lambda x, y: (
        numpy.trunc(x * 0.4) + numpy.trunc(y / numpy.float32(2))
    ),
    "z = (x & 7) | (y << 2) ^ ~x": lambda x, y: (x & 7) | (y << 2) ^ ~x,
    "z = min(x, y) + max(x, 3) + abs(x) + sqrt(float(y * y))": lambda x, y: (
        numpy.minimum(x, y) + numpy.maximum(x, 3) + numpy.abs(x) + numpy.abs(y)
    ),
    "z = !x || (y >= 2 && x != 5)": lambda x, y: (x == 0) | ((y >= 2) & (x != 5)),
    "auto s = x; s -= y; s *= 2; z = s--; z += s /* and so on */": lambda x, y: 4 * (x - y) - 1,
    "z = fabs(1.0 * x) + 0x10 + 1e1 + 010": lambda x, y: numpy.abs(x) + 34,
    "z = i * 100 + n": lambda x, y: numpy.arange(x.size) * 100 + x.size,
}


@pytest.mark.parametrize("body", BODIES)
def test_bodies(body):
    x = numpy.arange(-20, 20, dtype="i4")
    y = numpy.tile(numpy.array([-3, -2, 1, 2, 3], "i4"), 8)
    kernel = ElementwiseKernel("T x, T y", "T z", body, "body")
    assert_exact(kernel(heddle.asarray(x), heddle.asarray(y)), BODIES[body](x, y).astype("i4"))


def test_round_takes_halves_away_from_zero():
    x = numpy.array([numpy.nextafter(0.5, 0), 2.0**52 + 1, -2.5, -0.0, numpy.nan, numpy.inf])
    made = ElementwiseKernel("T x", "T z", "z = round(x)", "rounded")(heddle.asarray(x))
    assert_exact(made, numpy.array([0.0, 2.0**52 + 1, -3.0, -0.0, numpy.nan, numpy.inf]))


@pytest.mark.parametrize(
    "a, b", [("f4", "f8"), ("i4", "f4"), ("i8", "f4"), ("i1", "i1"), ("u4", "i4")]
)
def test_types_are_those_of_c(a, b):
    x = numpy.arange(1, 9).astype(a) * a_little(a)
    y = numpy.arange(2, 10).astype(b)
    made = ElementwiseKernel("A x, B y", "float64 z", "z = x * y / 3", "typed")
    types = {("f4", "f8"): "f8", ("i4", "f4"): "f4", ("i8", "f4"): "f4", ("i1", "i1"): "i4"}
    kind = types.get((a, b), "u4")
    product = x.astype(kind) * y.astype(kind)
    want = (
        product // numpy.asarray(3, kind) if kind[0] in "iu" else product / numpy.asarray(3, kind)
    )
    assert_exact(made(heddle.asarray(x), heddle.asarray(y)), want.astype("f8"))


def a_little(dtype):
    return numpy.asarray(1.1 if dtype[0] == "f" else 1, dtype)


@without_gpu
@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 0; k < 3; ++k) z = k",
        "z = f(x)",
        "T* p = &z",
        "__syncthreads(); z = x",
        "z = @",
    ],
)
@pytest.mark.usefixtures("_without_plugin")
def test_what_needs_a_compiler(body):
    with pytest.raises(NotImplementedError, match="GPU"):
        ElementwiseKernel("T x", "T z", body, "body")(heddle.ones(3))


def test_elementwise_errors():
    x = heddle.ones(3, "f4")
    add = ElementwiseKernel("T x, T y", "T z", "z = x + y")
    for call, error in (
        (lambda: add(x), TypeError),
        (lambda: add(x, x.astype("f8")), TypeError),
        (lambda: add(x, numpy.ones(3, "f4")), TypeError),
        (lambda: add(x, heddle.ones(4, "f4")), ValueError),
        (lambda: add(x, x, heddle.ones((2, 2), "f4")), ValueError),
        (lambda: add(x, x, size=3), ValueError),
        (lambda: ElementwiseKernel("raw T x", "T z", "z = x[i]")(x), ValueError),
        (lambda: ElementwiseKernel("T x", "S z", "z = x")(x), ValueError),
        (lambda: ElementwiseKernel("float64 x", "T z", "z = x")(x), (TypeError, ValueError)),
        (
            lambda: ElementwiseKernel("T x", "T z", "z = what")(x),
            (compiler.CompileException, NotImplementedError),
        ),
    ):
        with pytest.raises(error):
            call()


# --- reductions ---


@pytest.mark.parametrize("dtype", ["i4", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), -1, ()])
def test_reductions(dtype, axis):
    x = (numbers((5, 30, 7), "f8") * 3).astype(dtype)
    kernel = ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    made = kernel(heddle.asarray(x), axis=axis)
    wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    want = (wide * wide).sum(axis).astype(dtype)
    assert made.dtype == want.dtype and made.shape == want.shape
    numpy.testing.assert_allclose(made.get(), want, rtol=3e-2 if dtype == "f2" else 1e-4)
    kept = kernel(heddle.asarray(x), axis=axis, keepdims=True)
    assert kept.shape == (wide * wide).sum(axis, keepdims=True).shape


@pytest.mark.parametrize("shape, axis", [((3_000_000,), 0), ((2, 1_000_000), 1), ((100_000, 3), 0)])
def test_long_reductions(shape, axis):
    x = numpy.random.default_rng(0).integers(-1000, 1000, shape)
    total = ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    assert_exact(total(heddle.asarray(x), axis=axis), x.sum(axis))
    least = ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", None, "least")
    assert_exact(least(heddle.asarray(x)[::-1], axis=axis), x.min(axis))


def test_reduction_features():
    x = heddle.asarray(numbers((4, 6)))
    norm = ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    numpy.testing.assert_allclose(
        norm(x, axis=1).get(), numpy.linalg.norm(x.get(), axis=1), rtol=1e-6
    )
    dot = ReductionKernel("T x, T y", "float64 z", "(double)x * y", "a + b", "z = a", "0")
    numpy.testing.assert_allclose(float(dot(x, 2)), 2 * x.get().astype("f8").sum(), rtol=1e-6)
    empty = ReductionKernel("T x", "T y", "x", "a * b", "y = a", "1")
    assert empty(x[:0], axis=0).tolist() == [1] * 6 and float(empty(x[:0])) == 1
    out = heddle.zeros(6, "f4")
    assert norm(x, axis=0, out=out) is out
    numpy.testing.assert_allclose(out.get(), numpy.linalg.norm(x.get(), axis=0), rtol=1e-6)
    least = ReductionKernel("T x", "T y", "x", "a < b ? a : b", "y = a", None)
    assert_exact(least(x, axis=1), x.get().min(1))
    assert_exact(least(x[:, :5], axis=1), x.get()[:, :5].min(1))
    with pytest.raises(ValueError, match="identity"):
        least(x.reshape(-1)[:0])
    with pytest.raises(ValueError, match="output"):
        norm(x, axis=0, out=heddle.zeros(4, "f4"))
    with pytest.raises(TypeError):
        norm(x, x, x)


@with_gpu
def test_reduced_structs():
    preamble = """
struct Place { double value; int at; };
__device__ Place place(double value, int at) { Place p; p.value = value; p.at = at; return p; }
__device__ Place less(Place a, Place b) { return a.value <= b.value ? a : b; }
"""
    where = ReductionKernel(
        "T x, raw T all",
        "int32 y",
        "place(x, i)",
        "less(a, b)",
        "y = a.at",
        None,
        "where",
        "Place",
        preamble=preamble,
    )
    long = heddle.asarray(numbers(50_000))
    assert int(where(long, long)) == int(long.get().argmin())


@pytest.mark.parametrize("text", ["0b1111'0000", "0xF0", "0360", "2'4'0", "240u", "0B11110000ull"])
def test_integers_of_all_bases(text):
    x = numpy.arange(300).astype(numpy.uint32)
    masked = heddle.ElementwiseKernel("uint32 x", "uint32 y", f"y = x & {text}", "masked")
    numpy.testing.assert_array_equal(heddle.asnumpy(masked(heddle.asarray(x))), x & 240)
    either = heddle.ReductionKernel(
        "uint32 x", "uint32 y", "x", f"(a | b) & {text}", "y = a", "0", "e"
    )
    assert int(either(heddle.asarray(x))) == numpy.bitwise_or.reduce(x) & 240


@pytest.mark.parametrize("reduce", ["a + b c", "a + 0b12", "(a + b) 3"])
def test_what_follows_an_expression_is_not_ignored(reduce):
    kernel = heddle.ReductionKernel("int32 x", "int32 y", "x", reduce, "y = a", "0", "odd")
    with pytest.raises(Exception, match=r"odd|error|expected"):
        kernel(heddle.arange(4, dtype="int32")).item()
