"""PyCUDA's arrays, functions and kernels around expressions."""

import numpy
import pytest
from pycuda_support import _on_gpu, gpu_or_host, numbers  # noqa: F401
from support import assert_exact

import heddle.pycuda.driver as drv
from heddle.pycuda import cumath, curandom, gpuarray, tools
from heddle.pycuda.compiler import SourceModule
from heddle.pycuda.elementwise import ElementwiseKernel
from heddle.pycuda.reduction import ReductionKernel
from heddle.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

# --- arrays ---


def test_arrays_of_records_are_arguments():
    module = SourceModule("""
    __global__ void fill(float3 *dest, float3 x) { dest[threadIdx.x] = x; }
    __global__ void twice(float3 *at) { at[threadIdx.x].y *= 2; }""")
    x = gpuarray.vec.make_float3(1, 2, 3)
    for dest in (
        numpy.empty(40, gpuarray.vec.float3),
        numpy.empty((5, 8), gpuarray.vec.float3, order="F"),
    ):
        module.get_function("fill")(drv.Out(dest), x, block=(40, 1, 1))
        assert (dest == x).all()
        module.get_function("twice")(drv.InOut(dest), block=(40, 1, 1))
        assert (dest["y"] == 4).all() and (dest["z"] == 3).all()
    with pytest.raises(TypeError, match="elements of a GPUArray are numbers"):
        gpuarray.to_gpu(dest)
    with pytest.raises(TypeError, match="elements of a GPUArray are numbers"):
        gpuarray.GPUArray(4, gpuarray.vec.float3)


def test_arithmetic_of_arrays():
    a, b = numbers(4, 4), numbers(4, 4, seed=1)
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    assert_exact((2 * a_gpu).get(), 2 * a)
    numpy.testing.assert_allclose((a_gpu + b_gpu * a_gpu - 1).get(), a + b * a - 1, rtol=1e-5)
    numpy.testing.assert_allclose((1 / a_gpu).get(), 1 / a, rtol=1e-6)
    assert_exact(abs(-a_gpu).get(), abs(a))
    assert_exact((a_gpu**2).get(), a**2)
    a_gpu += b_gpu
    a_gpu *= 2
    assert_exact(a_gpu.get(), (a + b) * 2)
    assert_exact((a_gpu > 0).get(), (a + b) * 2 > 0)
    assert_exact(a_gpu.mul_add(2, b_gpu, 3).get(), 2 * a_gpu.get() + 3 * b)
    assert a_gpu.dtype == numpy.float32 and a_gpu.shape == (4, 4) and len(a_gpu) == 4
    assert a_gpu.nbytes == 64 and a_gpu.strides == (16, 4) and a_gpu.flags.c_contiguous
    with pytest.raises(TypeError, match="hashable"):
        hash(a_gpu)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a_gpu)
    with pytest.raises(TypeError, match="get"):
        numpy.asarray(a_gpu)
    with pytest.raises(TypeError):
        a_gpu * [1, 2]
    assert str(gpuarray.arange(3, dtype=numpy.int32)) == "[0 1 2]"


def test_where_results_go():
    a, b = numbers(8), numbers(8, seed=1)
    there, other = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    out = gpuarray.empty_like(there)
    assert there.mul_add(2, other, 3, out=out) is out
    numpy.testing.assert_allclose(out.get(), 2 * a + 3 * b, rtol=1e-6)
    assert cumath.exp(there, out) is out
    numpy.testing.assert_allclose(out.get(), numpy.exp(a), rtol=1e-6)
    numpy.testing.assert_allclose(cumath.exp(there, drv.Stream()).get(), numpy.exp(a), rtol=1e-6)
    largest = ReductionKernel(numpy.float32, "-1e30f", "max(a, b)", arguments="float *x")
    rows = gpuarray.empty(2, numpy.float32)
    largest(there, out=rows[0])
    largest(other, out=rows[1])
    assert rows.get().tolist() == [a.max(), b.max()]


def test_making_and_choosing():
    a = numbers(20)
    there = gpuarray.to_gpu(a)
    assert_exact(gpuarray.zeros((2, 3), numpy.int32).get(), numpy.zeros((2, 3), numpy.int32))
    assert_exact(gpuarray.ones_like(there).get(), numpy.ones_like(a))
    assert_exact(gpuarray.arange(1, 10, 2, dtype=numpy.int64).get(), numpy.arange(1, 10, 2))
    indices = gpuarray.to_gpu(numpy.array([3, 1, 19], numpy.int32))
    assert_exact(gpuarray.take(there, indices).get(), a[[3, 1, 19]])
    assert_exact(
        gpuarray.if_positive(there, there, gpuarray.zeros_like(there)).get(),
        numpy.where(a > 0, a, 0),
    )
    assert_exact(gpuarray.maximum(there, 0).get(), numpy.maximum(a, 0))
    assert_exact(gpuarray.minimum(there, -there).get(), numpy.minimum(a, -a))
    assert_exact(there[::-2].get(), a[::-2])
    assert_exact(there.reverse().get(), a[::-1])
    there[2:5] = 7
    a[2:5] = 7
    assert_exact(there.reshape(4, 5).T.get(), a.reshape(4, 5).T)
    assert_exact(there.astype(numpy.int32).get(), a.astype(numpy.int32))
    assert_exact(there.view(numpy.uint32).get(), a.view(numpy.uint32))
    there[3].fill(9)  # an element is a view
    a[3] = 9
    assert_exact(there.get(), a)
    assert gpuarray.empty(numpy.array(3), numpy.float32).shape == (3,)
    turned = there.reshape((4, 5), order="F")
    assert turned.flags.f_contiguous
    assert_exact(turned.get(), a.reshape((4, 5), order="F"))
    assert_exact(turned.reshape(20).get(), a)
    joined = gpuarray.concatenate([there, there])
    assert joined.size == 40 and gpuarray.stack([there, there]).shape == (2, 20)
    complex_numbers = (numbers(5) + 1j * numbers(5, seed=1)).astype(numpy.complex64)
    c = gpuarray.to_gpu(complex_numbers)
    assert_exact(c.conj().get(), complex_numbers.conj())
    assert_exact((c.real + c.imag).get(), complex_numbers.real + complex_numbers.imag)
    moved = gpuarray.multi_put([indices], gpuarray.to_gpu(numpy.array([2, 0, 1], numpy.int32)))
    assert_exact(moved[0].get(), numpy.array([1, 19, 3], numpy.int32))
    target = gpuarray.empty(20, numpy.float32)
    target.set(a)
    out = numpy.empty_like(a)
    assert target.get(out) is out
    assert_exact(out, a)
    with pytest.raises(ValueError, match="dtype"):
        target.set(a.astype(numpy.float64))


def test_reductions_of_arrays():
    a = numpy.arange(100, dtype=numpy.float32)
    there = gpuarray.to_gpu(a)
    assert gpuarray.sum(there).get() == a.sum() and gpuarray.sum(there).shape == ()
    assert gpuarray.dot(there, there).get() == 328350
    assert gpuarray.max(there).get() == 99 and gpuarray.min(there).get() == 0
    subset = gpuarray.to_gpu(numpy.array([5, 7], numpy.int32))
    assert gpuarray.subset_sum(subset, there).get() == 12
    assert gpuarray.subset_dot(subset, there, there).get() == 74
    assert gpuarray.subset_max(subset, there).get() == 7
    assert gpuarray.subset_min(subset, there).get() == 5
    assert bool(there.any().get()) and not bool(there.all().get())
    assert gpuarray.sum(gpuarray.ones(10, numpy.int8), dtype=numpy.int64).dtype == numpy.int64


@pytest.mark.host_memory
@pytest.mark.written_outside  # by addresses
def test_memory_of_arrays():
    there = gpuarray.to_gpu(numpy.arange(6, dtype=numpy.float32))
    back = numpy.zeros(6, numpy.float32)
    drv.memcpy_dtoh(back, there.gpudata)
    assert_exact(back, numpy.arange(6, dtype=numpy.float32))
    drv.memcpy_htod(there.gpudata, back + 1)
    assert_exact(there.get(), back + 1)
    memory = drv.to_device(numpy.arange(8, dtype=numpy.int32))
    seen = gpuarray.GPUArray((2, 4), numpy.int32, gpudata=memory)
    seen += 1
    assert_exact(drv.from_device(memory, (8,), numpy.int32), numpy.arange(8, dtype=numpy.int32) + 1)
    assert seen.gpudata is memory and seen.ptr == int(memory)


def test_functions():
    a = numpy.abs(numbers(10)) * 0.5
    there = gpuarray.to_gpu(a)
    names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    for name in [
        "fabs",
        "ceil",
        "floor",
        "exp",
        "log",
        "log10",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
    ]:
        found = getattr(cumath, name)(there).get()
        numpy.testing.assert_allclose(found, getattr(numpy, names.get(name, name))(a), rtol=1e-5)
    numpy.testing.assert_allclose(cumath.fmod(there, there + 1).get(), numpy.fmod(a, a + 1))
    mantissa, exponent = cumath.frexp(there)
    assert exponent.dtype == numpy.float32
    assert_exact(cumath.ldexp(mantissa, exponent).get(), a)
    fraction, whole = cumath.modf(there)
    assert_exact((fraction + whole).get(), a)


def test_random_numbers():
    drawn = curandom.rand((1000,)).get()
    assert drawn.dtype == numpy.float32 and drawn.min() >= 0 and drawn.max() < 1
    generator = curandom.XORWOWRandomNumberGenerator(
        lambda n: gpuarray.to_gpu(numpy.arange(n, dtype=numpy.int32))
    )
    again = curandom.XORWOWRandomNumberGenerator(
        lambda n: gpuarray.to_gpu(numpy.arange(n, dtype=numpy.int32))
    )
    first = generator.gen_normal(1000, numpy.float64).get()
    assert_exact(first, again.gen_normal(1000, numpy.float64).get())
    assert abs(first.mean()) < 0.2 and abs(first.std() - 1) < 0.2
    data = gpuarray.empty(1000, numpy.float32)
    generator.fill_uniform(data)
    assert 0.4 < data.get().mean() < 0.6
    assert generator.gen_log_normal(10, numpy.float32).get().min() > 0
    poisson = generator.gen_poisson(1000, numpy.uint32, 4.0).get()
    assert poisson.dtype == numpy.uint32 and 3 < poisson.mean() < 5
    assert generator.gen_uniform(1000, numpy.int32).get().min() < 0


# --- kernels around expressions ---


def test_elementwise_kernels():
    a, b = numbers(50), numbers(50, seed=1)
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    lin_comb = ElementwiseKernel(
        "float a, float *x, float b, float *y, float *z",
        "z[i] = a*x[i] + b*y[i]",
        "linear_combination",
    )
    c_gpu = gpuarray.empty_like(a_gpu)
    lin_comb(5, a_gpu, 6, b_gpu, c_gpu)
    numpy.testing.assert_allclose(c_gpu.get(), 5 * a + 6 * b, rtol=2e-6, atol=1e-6)
    shifted = ElementwiseKernel("float *x, float *z", "z[i] = x[i] + x[n - 1 - i]", "mirrored")
    shifted(a_gpu, c_gpu)
    assert_exact(c_gpu.get(), a + a[::-1])
    some = ElementwiseKernel("float *x", "if (x[i] > 0) x[i] = 0", "cut")
    some(b_gpu)
    assert_exact(b_gpu.get(), numpy.where(b > 0, 0, b).astype(numpy.float32))
    set_ones = ElementwiseKernel("int *x", "x[i] = i + 1", "ones")
    filled = gpuarray.zeros(10, numpy.int32)
    set_ones(filled, range=slice(2, 10, 3))
    assert_exact(filled.get(), numpy.array([0, 0, 3, 0, 0, 6, 0, 0, 9, 0], numpy.int32))
    with pytest.raises(TypeError, match="float32"):
        some(filled)
    with pytest.raises(TypeError, match="5 arguments"):
        lin_comb(5, a_gpu)
    with pytest.raises(ValueError, match="shapes"):
        shifted(a_gpu, c_gpu[:3])


def test_complex_kernels():
    a = (numbers(20) + 1j * numbers(20, seed=1)).astype(numpy.complex64)
    there = gpuarray.to_gpu(a)
    square = ElementwiseKernel(
        "pycuda::complex<float> *x, pycuda::complex<float> *y", "y[i] = x[i] * x[i]", "square"
    )
    out = gpuarray.empty_like(there)
    square(there, out)
    numpy.testing.assert_allclose(out.get(), a * a, rtol=1e-5)


def test_reduction_kernels():
    a = gpuarray.arange(400, dtype=numpy.float32)
    b = gpuarray.arange(400, dtype=numpy.float32)
    krnl = ReductionKernel(
        numpy.float32,
        neutral="0",
        reduce_expr="a+b",
        map_expr="x[i]*y[i]",
        arguments="float *x, float *y",
    )
    numpy.testing.assert_allclose(
        krnl(a, b).get(), float((numpy.arange(400.0) ** 2).sum()), rtol=1e-6
    )
    largest = ReductionKernel(numpy.float32, "-1e30f", "max(a, b)", arguments="const float *a")
    assert largest(a).get() == 399
    weighted = ReductionKernel(numpy.float64, "0", "a+b", "i * x[i] * s", "double *x, double s")
    assert weighted(gpuarray.arange(5, dtype=numpy.float64), 2).get() == 60
    with pytest.raises(TypeError, match="float32"):
        krnl(a, gpuarray.arange(400, dtype=numpy.float64))


def test_scans():
    a = numpy.random.default_rng(0).integers(1, 100, 77).astype(numpy.int32)
    there = gpuarray.to_gpu(a)
    out = gpuarray.empty_like(there)
    InclusiveScanKernel(numpy.int32, "a+b")(there, out)
    assert_exact(out.get(), numpy.cumsum(a, dtype=numpy.int32))
    ExclusiveScanKernel(numpy.int32, "a > b ? a : b", 0)(there, out)
    expected = numpy.concatenate([[0], numpy.maximum.accumulate(a)[:-1]]).astype(numpy.int32)
    assert_exact(out.get(), expected)
    InclusiveScanKernel(numpy.int32, "a > b ? a : b", 0)(there)
    assert_exact(there.get(), numpy.maximum.accumulate(a))


# --- declarations ---


def test_declarations():
    found = tools.parse_c_arg("const unsigned int *__restrict__ x")
    assert isinstance(found, tools.VectorArg) and found.dtype == numpy.uint32 and found.name == "x"
    assert tools.parse_c_arg("double y").struct_char == "d"
    assert tools.VectorArg(numpy.float32, "z").declarator() == "float *z"
    assert tools.dtype_to_ctype(numpy.complex128) == "pycuda::complex<double>"
    with pytest.raises(ValueError, match="unknown type"):
        tools.parse_c_arg("thing x")
    tools.register_dtype(gpuarray.vec.float3, "float3")
    assert tools.parse_c_arg("float3 *v").dtype == gpuarray.vec.float3
    assert gpuarray.vec.make_float3(1, 2, 3)["y"] == 2


def test_results_that_are_remembered():
    calls = []

    @tools.context_dependent_memoize
    def slow(n):
        calls.append(n)
        return n + 1

    assert slow(1) == slow(1) == 2 and calls == [1]
    tools.clear_context_caches()
    assert slow(1) == 2 and calls == [1, 1]


@gpu_or_host
def test_allocators_of_results():
    from heddle.pycuda import driver, gpuarray

    given = []

    def allocator(size):
        given.append(size)
        return driver.mem_alloc(size)

    a = gpuarray.to_gpu(numpy.arange(6, dtype=numpy.float32))
    results = {
        "sum": gpuarray.sum(a, allocator=allocator),
        "max": gpuarray.max(a, allocator=allocator),
        "all": gpuarray.all(a, allocator=allocator),
        "dot": gpuarray.dot(a, a, allocator=allocator),
    }
    assert {name: float(x.get()) for name, x in results.items()} == {
        **{"sum": 15.0, "max": 5.0, "all": 0.0, "dot": 55.0}
    }
    both = gpuarray.concatenate([a, a], allocator=allocator)
    assert both.get().tolist() == [*range(6), *range(6)] and both.allocator is allocator
    assert given == [4, 4, 1, 4, 48]


@gpu_or_host
def test_arguments_that_are_refused():
    from heddle.pycuda import driver, gpuarray, tools
    from heddle.pycuda.scan import InclusiveScanKernel

    a = gpuarray.to_gpu(numpy.arange(6, dtype=numpy.float32))
    with pytest.raises(NotImplementedError, match="add_timer"):
        a.mul_add(1, a, 2, add_timer=print)
    with pytest.raises(NotImplementedError, match="allocator"):
        InclusiveScanKernel(numpy.float32, "a+b")(a, allocator=driver.mem_alloc)
    with pytest.raises(TypeError, match="a context is needed"):
        driver.memcpy_peer(a.gpudata, a.gpudata, 4, "here", None)
    assert tools.dtype_to_ctype(numpy.float32, with_fp_tex_hack=True) == "fp_tex_float"
