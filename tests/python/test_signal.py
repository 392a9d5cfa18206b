"""Convolution, correlation, interpolation, windows and i0 against NumPy."""

import io
import itertools

import numpy
import pytest
from compare import check
from support import LAYOUTS, STANDARD, assert_exact, bfloat16, host, in_layout, name, random_values

import heddle
from heddle import _core

MODES = ["full", "same", "valid"]
FUNCTIONS = ["convolve", "correlate"]


def close(ours, theirs, scale=None, eps=8):
    """The same type and shape; errors are measured by the largest element."""
    theirs = numpy.asarray(theirs)
    assert isinstance(ours, _core.own_array)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if theirs.dtype.kind not in "fc":
        assert_exact(ours, theirs)
        return
    size = numpy.abs(theirs[numpy.isfinite(theirs)]).max(initial=0) if scale is None else scale
    tolerance = eps * numpy.finfo(theirs.dtype).eps * size
    numpy.testing.assert_allclose(host(ours), theirs, rtol=0, atol=tolerance)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_sums_of_products(function, dtype):
    for n, m in [(1, 1), (5, 3), (3, 5), (7, 7), (10, 1), (1, 4), (8, 2), (40, 20)]:
        a, v = random_values(dtype, n, 1), random_values(dtype, m, 2)
        for mode in MODES:
            ours = getattr(heddle, function)(heddle.asarray(a), heddle.asarray(v), mode)
            close(ours, getattr(numpy, function)(a, v, mode), eps=32 if dtype == "f2" else 8)
            assert ours.flags.c_contiguous


@pytest.mark.parametrize("function", FUNCTIONS)
def test_types_of_both(function):
    for first, second in itertools.product(["?", "i1", "u8", "i8", "f2", "f4", "c8"], repeat=2):
        a, v = random_values(first, 6, 1), random_values(second, 4, 2)
        close(
            getattr(heddle, function)(heddle.asarray(a), heddle.asarray(v)),
            getattr(numpy, function)(a, v),
            eps=32,
        )
    check(lambda m: getattr(m, function)([1, 2, 3], [0, 1, 0.5]))
    check(lambda m: getattr(m, function)([1, 2, 3], [0, 1]))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("taps", [1, 2, 5, 8, 9, 50])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_long_sequences(function, mode, taps, dtype):
    a, v = random_values(dtype, 6001, 1), random_values(dtype, taps, 2)
    ours = getattr(heddle, function)(heddle.asarray(a), heddle.asarray(v), mode)
    theirs = getattr(numpy, function)(a, v, mode)
    if dtype == "f4":
        wide = getattr(numpy, function)(a.astype("f8"), v.astype("f8"), mode)
        close(ours, wide.astype("f4"), eps=16)
    else:
        close(ours, theirs, eps=16)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i8"])
@pytest.mark.parametrize("sizes", [(20000, 150), (3000, 3000), (1500, 2600)], ids=str)
def test_through_spectra(function, dtype, sizes):
    a, v = (random_values(dtype, n, i) for i, n in enumerate(sizes))
    for mode in MODES:
        ours = getattr(heddle, function)(heddle.asarray(a), heddle.asarray(v), mode)
        wide = {"f2": "f8", "f4": "f8", "c8": "c16"}.get(dtype, dtype)
        theirs = getattr(numpy, function)(a.astype(wide), v.astype(wide), mode)
        close(ours, theirs.astype(dtype), eps=16)


def test_large_sequences_that_spectra_would_spoil():
    a, v = random_values("f8", 20000, 1), random_values("f8", 200, 2)
    for bad in (numpy.nan, numpy.inf):
        spoilt = a.copy()
        spoilt[777] = bad
        ours = host(heddle.convolve(heddle.asarray(spoilt), heddle.asarray(v)))
        theirs = numpy.convolve(spoilt, v)
        numpy.testing.assert_array_equal(numpy.isfinite(ours), numpy.isfinite(theirs))
    peaked = a.copy()
    peaked[5] = 1e18
    ours = heddle.convolve(heddle.asarray(peaked), heddle.asarray(v))
    close(ours[1000:], numpy.convolve(peaked, v)[1000:])
    large = a * 1e153
    close(
        heddle.convolve(heddle.asarray(large), heddle.asarray(v * 1e150)),
        numpy.convolve(large, v * 1e150),
        eps=64,
    )


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("layout", [n for n in LAYOUTS if n not in ("transposed", "F")])
def test_layouts(function, layout):
    a, x = in_layout(random_values("f8", (2, 9)), layout)
    v, y = in_layout(random_values("f8", (2, 4), 1), layout)
    close(getattr(heddle, function)(x[0], y[1]), getattr(numpy, function)(a[0], v[1]))
    close(
        getattr(heddle, function)(x[1], x[0], "same"), getattr(numpy, function)(a[1], a[0], "same")
    )


def test_convolution_of_halves_in_bfloat16():
    a = random_values(bfloat16, 12)
    ours = heddle.convolve(heddle.asarray(a), heddle.asarray(a[:3]))
    assert ours.dtype == bfloat16
    theirs = numpy.convolve(a.astype("f4"), a[:3].astype("f4")).astype(bfloat16)
    numpy.testing.assert_array_equal(host(ours), theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.convolve([], [1]),
        lambda m: m.convolve([1], []),
        lambda m: m.correlate([], [1.0]),
        lambda m: m.correlate([1.0], []),
        lambda m: m.convolve([[1, 2]], [1]),
        lambda m: m.correlate([1, 2], [[1]]),
        lambda m: m.correlate(1, [1, 2]),
        lambda m: m.convolve([1, 2], [1], mode="wrong"),
        lambda m: m.correlate([1, 2], [1], mode=None),
        lambda m: m.correlate([1, 2], [1], mode=3),
        lambda m: m.convolve(2, 3),
        lambda m: m.convolve([1, 2], 3),
        lambda m: m.interp([1.0], [], []),
        lambda m: m.interp([1.0], [1, 2], [1]),
        lambda m: m.interp([1.0], [[1, 2]], [1, 2]),
        lambda m: m.interp([1.0], [1, 2], [1, 2], period=0),
        lambda m: m.interp([1.0], [[1, 2]], [[1, 2]], period=3),
        lambda m: m.interp([1.0], [1, 2], [1], period=3),
        lambda m: m.interp([1j], [1, 2], [1, 2]),
        lambda m: m.interp(m.ones(2, "c16"), [1, 2], [1, 2]),
        lambda m: m.interp([1.0], m.ones(2, "c16"), [1, 2]),
        lambda m: m.i0(1j),
        lambda m: m.hanning([1, 2]),
        lambda m: m.kaiser(3, "a"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_errors(call):
    check(call)


POINTS = [
    ([0.0], [3.0]),
    ([0.0, 1.0], [1.0, 2.0]),
    ([0, 1, 2, 5], [1, 3, -2, 4]),
    (numpy.sort(random_values("f8", 50)), random_values("f8", 50, 1)),
    (numpy.sort(random_values("f4", 50)), random_values("f4", 50, 1)),
    ([0.0, 1.0, 2.0], [1.0, numpy.inf, 2.0]),
    ([0.0, 1.0, 2.0], [numpy.inf, numpy.inf, numpy.nan]),
    ([0.0, 1.0, numpy.inf], [1.0, 2.0, 3.0]),
    ([-numpy.inf, 1.0, 2.0], [1.0, 2.0, 3.0]),
    ([0.0, 1.0, 2.0], [1 + 2j, 3 - 1j, 2j]),
    ([0.0, 1.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]),
]


@pytest.mark.parametrize("points", POINTS, ids=range(len(POINTS)))
def test_interp(points):
    xp, fp = map(numpy.asarray, points)
    x = numpy.concatenate(
        [numpy.linspace(-6, 6, 97), xp.astype(float), [numpy.nan, numpy.inf, -numpy.inf, -0.0]]
    )
    kind = "c16" if fp.dtype.kind == "c" else "f8"
    for arguments in [{}, {"left": -10}, {"right": 2.5, "left": numpy.nan}, {"right": 7}]:
        with numpy.errstate(all="ignore"):
            theirs = numpy.interp(x, xp, fp, **arguments)
        ours = heddle.interp(heddle.asarray(x), heddle.asarray(xp), heddle.asarray(fp), **arguments)
        assert ours.dtype == theirs.dtype == kind
        numpy.testing.assert_allclose(host(ours), theirs, rtol=4e-15, atol=1e-15)


@pytest.mark.parametrize("points", POINTS, ids=range(len(POINTS)))
def test_interp_at_many_points(points):
    xp, fp = map(numpy.asarray, points)
    x = numpy.concatenate([numpy.linspace(-6, 6, 5_001), xp.astype(float), [numpy.nan]])
    for order in (x, x[::-1], numpy.random.default_rng(0).permutation(x)):
        with numpy.errstate(all="ignore"):
            theirs = numpy.interp(order, xp, fp)
        ours = heddle.interp(heddle.asarray(order), heddle.asarray(xp), heddle.asarray(fp))
        numpy.testing.assert_allclose(host(ours), theirs, rtol=4e-15, atol=1e-15)


def test_interp_shapes_and_scalars():
    xp, fp = [1.0, 2.0, 3.0], [3.0, 2.0, 0.0]
    for x in (2.5, 3.14, 0, numpy.float32(1.5), [[1, 2], [2, 3]], [], numpy.zeros((0, 2))):
        theirs = numpy.interp(x, xp, fp)
        ours = heddle.interp(x, xp, fp)
        assert ours.shape == numpy.shape(theirs)
        numpy.testing.assert_array_equal(host(ours), theirs)
    made = heddle.interp(1.5, xp, heddle.array([1j, 2, 3]))
    close(made, numpy.interp(1.5, xp, [1j, 2, 3]))


@pytest.mark.parametrize("period", [360, -360, 2.5, 11])
def test_interp_with_a_period(period):
    x = [-180, -170, -185, 185, -10, -5, 0, 365]
    xp, fp = [190, -190, 350, -350], [5, 10, 3, 4]
    for values in (fp, [5 + 1j, 10, 3j, 4]):
        theirs = numpy.interp(x, xp, values, period=period)
        ours = heddle.interp(x, xp, values, period=period, left=99)
        numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-14)


@pytest.mark.parametrize("window", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(window):
    for count in (-3, 0, 1, 2, 3, 8, 51, 5.5, True, numpy.int8(7), numpy.float32(9)):
        close(getattr(heddle, window)(count), getattr(numpy, window)(count), scale=1, eps=4)
    assert getattr(heddle, window)(heddle.asarray(5)).shape == (5,)


@pytest.mark.parametrize("beta", [0, 1, 5.0, 14, 30.5])
def test_kaiser(beta):
    for count in (0, 1, 2, 3, 8, 51):
        close(heddle.kaiser(count, beta), numpy.kaiser(count, beta), scale=1)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
def test_i0(dtype):
    x = numpy.concatenate([numpy.linspace(-20, 20, 1001), [0, 8, 8.000001, 80, -70]]).astype(dtype)
    theirs = numpy.i0(x)
    ours = heddle.i0(heddle.asarray(x))
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-14 if theirs.dtype == "f8" else 4e-6)
    special = numpy.array([numpy.inf, -numpy.inf, numpy.nan, 1000.0])
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_array_equal(host(heddle.i0(special)), numpy.i0(special))
    assert heddle.i0(0.0).shape == () and float(heddle.i0(0.0)) == 1
    assert heddle.i0(heddle.ones((2, 3))).shape == (2, 3)
    assert heddle.i0(heddle.ones(3, "f2")).dtype == numpy.float16


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_nditer_walks_over_our_memory():
    a = heddle.arange(6).reshape(2, 3)
    assert [int(x) for x in heddle.nditer(a)] == list(range(6))
    assert [int(x) for x in heddle.nditer(a, order="F")] == [0, 3, 1, 4, 2, 5]
    with heddle.nditer(a, op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = 2 * x
    assert a.tolist() == [[0, 2, 4], [6, 8, 10]]
    b = heddle.arange(3)
    with heddle.nditer([a, b, None]) as walk:
        for x, y, z in walk:
            z[...] = x + y
        assert walk.operands[2].tolist() == [[0, 3, 6], [6, 9, 12]]
    seen = []
    outer, inner = heddle.nested_iters(a, [[0], [1]], flags=["multi_index"])
    for _ in outer:
        seen += [(outer.multi_index, inner.multi_index) for _ in inner]
    assert len(seen) == 6
    fixed = heddle.broadcast_to(b, (2, 3))
    with pytest.raises(ValueError):
        heddle.nditer(fixed, op_flags=["readwrite"])


def test_nditer_of_memory_that_the_host_does_not_see():
    a = heddle.arange(4.0)
    if a.device == "cpu":
        pytest.skip("about other devices")
    assert [float(x) for x in heddle.nditer(a)] == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="host"):
        heddle.nditer(a, op_flags=["readwrite"])


def test_info():
    text = io.StringIO()
    heddle.info(heddle.ones((2, 3), "f4"), output=text)
    assert "(2, 3)" in text.getvalue() and "float32" in text.getvalue()
    text = io.StringIO()
    heddle.info(heddle.convolve, output=text)
    assert "Convolution" in text.getvalue()
    text = io.StringIO()
    heddle.info("interp", output=text)
    assert "interpolation" in text.getvalue()
