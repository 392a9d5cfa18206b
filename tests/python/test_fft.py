"""heddle.fft against numpy.fft: types, lengths, axes, layouts, norms, outputs and errors."""

import itertools
import subprocess
import sys

import numpy
import pytest
from compare import check
from support import LAYOUTS, STANDARD, bfloat16, host, in_layout, name, random_values

import heddle
from heddle import _core

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]
TRANSFORMS = ONE + SEVERAL
REAL_INPUT = {"rfft", "ihfft", "rfftn", "rfft2"}
NORMS = [None, "backward", "ortho", "forward"]


def close(ours, theirs):
    """The same type and shape, and values as near as rounding lets them be.

    Errors are those of sums over all elements: they are measured by the largest element.
    """
    theirs = numpy.asarray(theirs)
    assert isinstance(ours, _core.own_array)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if theirs.size == 0:
        return
    eps = numpy.finfo(theirs.dtype).eps
    error = numpy.abs(host(ours).astype(complex) - theirs.astype(complex)).max()
    assert error <= 16 * eps * max(numpy.abs(theirs).max(), 1e-30), f"{error / eps} eps"


def values_for(transform, shape, dtype="f8", seed=0):
    if transform not in REAL_INPUT and numpy.dtype(dtype).kind == "f" and dtype != "f2":
        dtype = numpy.result_type(dtype, 1j)
    return random_values(dtype, shape, seed)


def both(transform, values, *args, **kwargs):
    theirs = getattr(numpy.fft, transform)(values, *args, **kwargs)
    ours = getattr(heddle.fft, transform)(heddle.asarray(values), *args, **kwargs)
    return ours, theirs


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_types(transform, dtype):
    values = random_values(dtype, (4, 6), 1)
    if dtype.kind == "c" and transform in REAL_INPUT:
        with pytest.raises(TypeError, match="real"):
            getattr(heddle.fft, transform)(heddle.asarray(values))
        with pytest.raises(TypeError):
            getattr(numpy.fft, transform)(values)
        return
    ours, theirs = both(transform, values)
    if dtype == numpy.float16:  # NumPy's factors have the precision of the input
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_allclose(host(ours), theirs, rtol=4e-3, atol=4e-3)
    else:
        close(ours, theirs)


def test_bfloat16_is_computed_in_single_precision():
    values = random_values(bfloat16, (6,))
    ours = heddle.fft.fft(heddle.asarray(values))
    assert ours.dtype == numpy.complex64
    close(ours, numpy.fft.fft(values.astype("f4")))
    assert heddle.fft.irfft(heddle.asarray(values)).dtype == bfloat16


@pytest.mark.parametrize("transform", ONE)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_lengths(transform, dtype):
    for n in [*range(1, 34), 49, 64, 97, 100, 121, 128, 143, 251, 1009]:
        values = values_for(transform, (n,), dtype, n)
        if transform in ("irfft", "hfft"):
            close(*both(transform, values, n))
            close(*both(transform, values, 2 * n + 1))
        else:
            close(*both(transform, values))


@pytest.mark.parametrize("transform", ONE)
@pytest.mark.parametrize("n", [100_000, 131_072, 131_074, 140_001, 65_537, 3 << 17])
def test_long(transform, n):
    for dtype in ("f4", "f8"):
        values = values_for(transform, (n,), dtype, n)
        wide = values.astype("c16" if values.dtype.kind == "c" else "f8")
        theirs = getattr(numpy.fft, transform)(wide, n=n, norm="ortho")
        for a in (heddle.asarray(values), heddle.asarray(values[::-1].copy())[::-1]):
            ours = getattr(heddle.fft, transform)(a, n=n, norm="ortho")
            close(ours, theirs.astype(ours.dtype))


@pytest.mark.parametrize("transform", ONE)
def test_cropped_and_padded_along_every_axis(transform):
    values = values_for(transform, (4, 5, 6))
    for axis, n in itertools.product(range(-3, 3), [1, 2, 3, 5, 6, 9]):
        close(*both(transform, values, n, axis))


@pytest.mark.parametrize("transform", ONE)
@pytest.mark.parametrize("norm", NORMS)
def test_norms(transform, norm):
    values = values_for(transform, (3, 10))
    close(*both(transform, values, norm=norm))
    close(*both(transform, values, 7, 0, norm))
    close(*both(transform, values, 1, 1, norm))


@pytest.mark.parametrize("transform", SEVERAL)
@pytest.mark.parametrize("norm", NORMS)
def test_norms_of_several(transform, norm):
    values = values_for(transform, (3, 4, 10))
    close(*both(transform, values, norm=norm))
    close(*both(transform, values, (5, 6), (0, 2), norm))


@pytest.mark.parametrize("transform", SEVERAL)
def test_axes(transform):
    values = values_for(transform, (3, 4, 5, 6))
    for count in range(1, 5):
        for axes in itertools.permutations(range(4), count):
            close(*both(transform, values, axes=axes))
    close(*both(transform, values, axes=(-1, 1)))


@pytest.mark.parametrize("transform", SEVERAL)
def test_shapes(transform):
    values = values_for(transform, (3, 4, 5))
    for s in [(2, 3), (4, 8), (1, 1), (1, 4), (4, 1), (-1, 7), (7, -1)]:
        for axes in [(0, 1), (2, 0), (1, -1)]:
            close(*both(transform, values, s=s, axes=axes))
    close(*both(transform, values, s=[2, 9, 3], axes=[0, 1, 2]))


@pytest.mark.parametrize("transform", SEVERAL)
def test_axes_that_are_named_twice_are_transformed_twice(transform):
    values = values_for(transform, (3, 4, 5))
    for axes in [(0, 0), (1, 2, 1), (-1, 2)]:
        close(*both(transform, values, axes=axes))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(transform, layout):
    values = values_for(transform, (4, 6, 3), "f8")
    theirs, ours = in_layout(values, layout)
    close(getattr(heddle.fft, transform)(ours), getattr(numpy.fft, transform)(theirs))
    if transform in ONE:
        for axis in range(theirs.ndim):
            close(
                getattr(heddle.fft, transform)(ours, axis=axis),
                getattr(numpy.fft, transform)(theirs, axis=axis),
            )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rows_that_begin_at_odd_places(dtype):
    values = random_values(dtype, (9, 7))
    ours = heddle.asarray(values)
    for view in [numpy.s_[1:], numpy.s_[1:, 1:], numpy.s_[::2, 1:4], numpy.s_[3]]:
        close(heddle.fft.rfft(ours[view]), numpy.fft.rfft(values[view]))
        close(heddle.fft.irfft(ours[view]), numpy.fft.irfft(values[view]))
    z = random_values(dtype.replace("f", "c").replace("8", "16").replace("4", "8"), (5, 8))
    close(heddle.fft.rfft(heddle.asarray(z).imag), numpy.fft.rfft(z.imag))


@pytest.mark.parametrize("transform", SEVERAL)
def test_axes_are_transformed_in_the_same_order_whatever_the_layout(transform):
    values = values_for(transform, (8, 7, 13))
    want = host(getattr(heddle.fft, transform)(heddle.asarray(values)))
    close = 8 * numpy.sqrt(numpy.log2(values.size)) * numpy.finfo(float).eps
    turned = heddle.asarray(values[::-1].copy())[::-1]
    for view in (heddle.asarray(values).copy("F"), turned):
        got = host(getattr(heddle.fft, transform)(view))
        numpy.testing.assert_allclose(got, want, rtol=close, atol=close)


@pytest.mark.parametrize("transform", ["irfft", "hfft", "irfftn"])
@pytest.mark.parametrize("n", [8, 9])
def test_imaginary_parts_that_do_not_count(transform, n):
    values = random_values("c16", (3, 5))
    values[:, 0] += 100j
    values[:, 4] -= 50j
    kwargs = {"s": (3, n), "axes": (0, 1)} if transform == "irfftn" else {"n": n}
    before = values.copy()
    a = heddle.asarray(values)
    close(
        getattr(heddle.fft, transform)(a, **kwargs), getattr(numpy.fft, transform)(values, **kwargs)
    )
    numpy.testing.assert_array_equal(host(a), before)


def test_what_was_given_is_not_changed():
    for transform in TRANSFORMS:
        values = values_for(transform, (4, 6))
        a = heddle.asarray(values)
        getattr(heddle.fft, transform)(a)
        numpy.testing.assert_array_equal(host(a), values)


def test_pending_work_goes_in_and_results_go_on():
    x = random_values("f8", (8, 16))
    a = heddle.asarray(x)
    ours = heddle.abs(heddle.fft.ifft(heddle.fft.fft(a * 2 + 1) * 3)) - 1
    theirs = numpy.abs(numpy.fft.ifft(numpy.fft.fft(x * 2 + 1) * 3)) - 1
    close(ours, theirs)
    written = heddle.fft.fft(a)
    a += 1  # after the transform
    close(written, numpy.fft.fft(x))


def test_not_finite():
    for bad in (numpy.nan, numpy.inf):
        x = random_values("f8", (3, 8))
        x[1, 2] = bad
        ours, theirs = both("fft", x)
        close(ours[0], theirs[0])
        close(ours[2], theirs[2])
        assert not numpy.isfinite(host(ours)[1]).any()
        assert not numpy.isfinite(theirs[1]).any()


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_out(transform):
    values = values_for(transform, (4, 6))
    theirs = getattr(numpy.fft, transform)(values)
    out = heddle.zeros(theirs.shape, theirs.dtype)
    assert getattr(heddle.fft, transform)(heddle.asarray(values), out=out) is out
    close(out, theirs)
    strided = heddle.zeros((theirs.shape[0], 2 * theirs.shape[1]), theirs.dtype)[:, ::2]
    getattr(heddle.fft, transform)(heddle.asarray(values), out=strided)
    close(strided, theirs)
    with pytest.raises(ValueError, match="wrong shape"):
        getattr(heddle.fft, transform)(values, out=heddle.zeros((4, 99), theirs.dtype))
    with pytest.raises(TypeError):
        getattr(heddle.fft, transform)(values, out=heddle.zeros(theirs.shape, "i4"))
    with pytest.raises(TypeError):
        getattr(heddle.fft, transform)(values, out=[1, 2])
    # The input itself.
    if theirs.shape == values.shape and theirs.dtype == values.dtype:
        same = heddle.asarray(values)
        getattr(heddle.fft, transform)(same, out=same)
        close(same, theirs)


def test_out_is_rounded_but_does_not_lose_parts():
    values = random_values("c16", (5,))
    out = heddle.zeros(5, "c8")
    heddle.fft.fft(heddle.asarray(values), out=out)
    close(out, numpy.fft.fft(values).astype("c8"))
    with pytest.raises(TypeError, match="same_kind"):
        heddle.fft.fft(heddle.asarray(values), out=heddle.zeros(5))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.fft.fft(m.ones(4), 0),
        lambda m: m.fft.fft(m.ones(4), -2),
        lambda m: m.fft.fft(m.ones(4), 2.0),
        lambda m: m.fft.fft(m.ones(0)),
        lambda m: m.fft.irfft(m.ones(1)),
        lambda m: m.fft.fft(5.0),
        lambda m: m.fft.fft(m.ones(4), axis=1),
        lambda m: m.fft.fft(m.ones(4), 3, axis=1),
        lambda m: m.fft.fft(m.ones(4), norm="wrong"),
        lambda m: m.fft.hfft(m.ones(4), norm="wrong"),
        lambda m: m.fft.ifftn(m.ones((4, 4)), norm=3),
        lambda m: m.fft.fftn(m.ones((4, 4)), s=(2,), axes=(0, 1)),
        lambda m: m.fft.fftn(m.ones((4, 4)), axes=(0, 2)),
        lambda m: m.fft.fftn(m.ones((4, 4)), s=(2, 2), axes=(0, 2)),
        lambda m: m.fft.fftn(m.ones((4, 4)), s=(0, 2), axes=(0, 1)),
        lambda m: m.fft.fft2(m.ones(4)),
        lambda m: m.fft.rfftn(m.ones(4), axes=()),
        lambda m: m.fft.irfftn(m.ones(4), axes=()),
        lambda m: m.fft.rfftn(5.0),
        lambda m: m.fft.fft(["a", "b"]),
        lambda m: m.fft.fftfreq(2.5),
        lambda m: m.fft.rfftfreq(numpy.float64(3)),
        lambda m: m.fft.fftfreq(0),
        lambda m: m.fft.fftshift(m.ones(4), 1),
    ],
)
def test_errors(call):
    check(call)


def test_nothing_to_transform():
    for shape in [(0, 4), (3, 0, 4)]:
        for transform in TRANSFORMS:
            close(
                *both(
                    transform,
                    numpy.zeros(shape),
                    **({"axes": (-1,)} if transform in SEVERAL else {}),
                )
            )
    close(*both("fft", numpy.zeros((2, 0)), 3))
    a = heddle.ones((2, 2), "i4")
    assert heddle.fft.fftn(a, axes=()) is a
    assert heddle.fft.fftn(heddle.asarray(3)).dtype == int


def test_deprecated_arguments():
    values = random_values("f8", (3, 4, 5))
    with pytest.warns(DeprecationWarning, match="axes"):
        ours = heddle.fft.fftn(heddle.asarray(values), s=(2, 3))
    with pytest.warns(DeprecationWarning):
        theirs = numpy.fft.fftn(values, s=(2, 3))
    close(ours, theirs)
    with pytest.warns(DeprecationWarning, match="None"):
        ours = heddle.fft.irfftn(heddle.asarray(values), s=(2, None), axes=(0, 2))
    with pytest.warns(DeprecationWarning):
        theirs = numpy.fft.irfftn(values, s=(2, None), axes=(0, 2))
    close(ours, theirs)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 100])
def test_frequencies(n):
    for d in (1.0, 0.1, 2, numpy.float32(0.5)):
        check(lambda m, d=d: m.fft.fftfreq(n, d))
        check(lambda m, d=d: m.fft.rfftfreq(n, d))
    assert heddle.fft.fftfreq(n, device=heddle.ones(1).device).dtype == numpy.float64


def test_shifts():
    for shape in [(9,), (10,), (3, 4), (2, 3, 5)]:
        x = random_values("f8", shape)
        for function in ("fftshift", "ifftshift"):
            for axes in [None, 0, -1, (0,), tuple(range(len(shape)))]:
                check(lambda m, f=function, a=axes, x=x: getattr(m.fft, f)(m.asarray(x), a))
        a = heddle.asarray(x)
        numpy.testing.assert_array_equal(host(heddle.fft.ifftshift(heddle.fft.fftshift(a))), x)


def test_four_axes_in_two_steps():
    values = random_values("c16", (2, 3, 4, 5, 6))
    close(*both("fftn", values, axes=(1, 2, 3, 4)))
    close(*both("fftn", values))
    close(*both("rfftn", values.real.copy()))
    close(*both("irfftn", values))


def test_numpy_functions_of_our_arrays():
    values = random_values("c16", (4, 6))
    for transform in ("fft", "ifftn", "irfft"):
        ours = getattr(numpy.fft, transform)(heddle.asarray(values))
        close(ours, getattr(numpy.fft, transform)(values))
    assert isinstance(numpy.fft.fftshift(heddle.ones(4)), _core.own_array)


def test_lists_and_numpy_arrays():
    close(heddle.fft.fft([1, 2, 3, 4]), numpy.fft.fft([1, 2, 3, 4]))
    close(heddle.fft.rfft(numpy.arange(6.0)), numpy.fft.rfft(numpy.arange(6.0)))


def test_all_names():
    assert set(numpy.fft.__all__) <= set(heddle.fft.__all__)
    for transform in numpy.fft.__all__:
        assert getattr(heddle.fft, transform).__doc__


def test_is_imported_when_asked_for():
    program = (
        "import sys, heddle; assert 'heddle.fft' not in sys.modules; import heddle.fft;"
        "assert heddle.fft.fft([1]).shape == (1,)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.host_memory
@pytest.mark.parametrize("level", ["v2", "v3"])
def test_levels_of_instructions(level, monkeypatch):
    program = """
import numpy, heddle
for shape in [(16,), (5, 12), (1000,)]:
    x = numpy.random.default_rng(0).standard_normal(shape)
    for f in ("fftn", "rfftn", "irfftn"):
        want = getattr(numpy.fft, f)(x)
        got = numpy.asarray(getattr(heddle.fft, f)(heddle.asarray(x)))
        assert abs(got - want).max() < 1e-13 * abs(want).max()
"""
    monkeypatch.setenv("HEDDLE_CPU_LEVEL", level)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.skipif(not heddle.cuda.is_available(), reason="about cuFFT")
def test_plans():
    cache = heddle.fft.config.get_plan_cache()
    limit = cache.get_size()
    try:
        cache.clear()
        assert cache.get_curr_size() == 0
        x = heddle.ones((8, 8), "c16")
        for n in (4, 5, 6, 4, 5, 6):
            heddle.eval(heddle.fft.fft(x, n))
        assert cache.get_curr_size() == 3
        assert cache.get_counts() == (3, 3)
        cache.set_size(2)
        assert cache.get_curr_size() == 2
        for n in range(2, 9):
            close(heddle.fft.fft(x, n), numpy.fft.fft(numpy.ones((8, 8)), n))
        assert cache.get_curr_size() == 2
        cache.set_size(0)
        close(heddle.fft.fft(x), numpy.fft.fft(numpy.ones((8, 8))))
        assert "cuFFT" in repr(cache)
        with pytest.raises(ValueError, match="negative"):
            cache.set_size(-1)
    finally:
        cache.set_size(limit)


@pytest.mark.skipif(not heddle.cuda.is_available(), reason="about streams of a GPU")
def test_streams_and_graphs():
    values = random_values("c16", (64, 64))
    x = heddle.asarray(values)
    want = numpy.fft.fft2(values)
    streams = [heddle.cuda.Stream(non_blocking=True) for _ in range(3)]
    results = []
    for stream in streams * 4:
        with stream:
            results.append(heddle.fft.fft2(x))
    for result in results:
        close(result, want)
    stream = streams[0]
    with stream:
        heddle.fft.fft2(x * 2).eval()  # so that the kernels and the plan are there
        stream.begin_capture()
        x *= 2
        y = heddle.fft.fft2(x)
        graph = stream.end_capture()
        heddle.fft.config.clear_plan_cache()  # the graph's plan stays
        for _ in range(3):
            graph.launch(stream)
        stream.synchronize()
    close(y, 8 * want)


def test_plan_cache_needs_a_gpu():
    if not heddle.cuda.is_available():
        with pytest.raises(Exception, match=r"GPU|CUDA|driver"):
            heddle.fft.config.get_plan_cache()
    with pytest.raises(AttributeError, match="planned together"):
        heddle.fft.config.enable_nd_planning
