"""Running results and selections over rows of many tiles, as a GPU works on them.

Elements are such that results are exact, so that every one of them is compared bit for bit.
"""

import numpy
import pytest
from support import assert_exact, host

import heddle

pytestmark = pytest.mark.waiting

# Around the sizes of groups, tiles (1024, 2048 and 4096 elements) and 32 tiles.
SIZES = [1, 63, 64, 65, 1023, 2048, 2049, 4097, 16385, 65536, 131072, 131073, 139269, 1_300_003]
LONG = 4_300_003  # more than 32 * 32 tiles of the largest size


def signs(dtype, size, seed=0):
    """Sums of these stay small."""
    random = numpy.random.default_rng(seed)
    low = 0 if numpy.dtype(dtype).kind in "bu" else -2
    return random.integers(low, 3, size).astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_sizes(dtype, size):
    a = signs(dtype, size)
    assert_exact(heddle.cumsum(heddle.asarray(a)), numpy.cumsum(a))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_long_rows(dtype):
    a = signs(dtype, LONG if dtype in ("i4", "f4") else 300_001)
    x = heddle.asarray(a)
    if dtype != "f2":
        assert_exact(heddle.cumsum(x), numpy.cumsum(a))
    for name in ("maximum", "minimum"):
        function = getattr(numpy, name)
        assert_exact(getattr(heddle, name).accumulate(x), function.accumulate(a))


@pytest.mark.parametrize("name", ["multiply", "bitwise_xor", "bitwise_or", "logical_and"])
def test_other_functions(name):
    a = numpy.random.default_rng(1).integers(-(2**31), 2**31, 200_005).astype("i4") | 1
    ours = getattr(heddle, name).accumulate(heddle.asarray(a))
    with numpy.errstate(over="ignore"):
        assert_exact(ours, getattr(numpy, name).accumulate(a))


@pytest.mark.parametrize("shape", [(3, 70_001), (2, 65536), (700, 2500), (40, 5000), (5000, 40)])
def test_rows(shape):
    a = signs("f4", shape)
    x = heddle.asarray(a)
    for axis in (0, 1, None):
        assert_exact(heddle.cumsum(x, axis), numpy.cumsum(a, axis))


@pytest.mark.parametrize("device", [None, "shadow:0"])
@pytest.mark.parametrize("shape", [(100,), (5000,), (300_001,), (3, 5000), (2000, 3)])
def test_running_results_of_running_results(device, shape):
    a = signs("i8", shape)

    def chained(np, x):
        sums = np.cumsum(x, axis=-1)
        peaks = np.maximum.accumulate(sums * 2 - x, axis=-1)
        return sums, np.cumsum(np.where(peaks > sums, peaks, x) ^ sums, axis=-1), peaks + 1

    for ours, theirs in zip(
        chained(heddle, heddle.asarray(a, device=device)), chained(numpy, a), strict=True
    ):
        assert_exact(ours, theirs)


def test_layouts():
    a = signs("f4", (260, 1030))
    x = heddle.asarray(a)
    for view in (lambda m: m[1:, 1:], lambda m: m[:, ::2], lambda m: m[:, ::-1], lambda m: m.T):
        assert_exact(heddle.cumsum(view(x)), numpy.cumsum(view(a)))
        assert_exact(heddle.cumsum(view(x), 1), numpy.cumsum(view(a), 1))
    flat, b = x.ravel()[1:], a.ravel()[1:]
    assert_exact(heddle.cumsum(flat), numpy.cumsum(b))
    assert_exact(heddle.cumsum(flat[3:200_000]), numpy.cumsum(b[3:200_000]))


def test_fused():
    a, b = signs("f4", 200_003), signs("f4", 200_003, 1)
    x, y = heddle.asarray(a), heddle.asarray(b)
    result = heddle.cumsum(x * y + 1) * 2 - x
    assert_exact(result, numpy.cumsum(a * b + 1) * 2 - a)
    both = heddle.cumsum(x), heddle.maximum.accumulate(x)
    heddle.eval(*both)
    assert_exact(both[0], numpy.cumsum(a))
    assert_exact(both[1], numpy.maximum.accumulate(a))


def test_in_place():
    a = signs("f8", 150_001)
    x = heddle.asarray(a)
    heddle.cumsum(x, out=x)
    assert_exact(x, numpy.cumsum(a))
    heddle.cumsum(x[5:], out=x[5:])
    expected = numpy.cumsum(a)
    expected[5:] = numpy.cumsum(expected[5:])
    assert_exact(x, expected)


def test_signed_zeros_and_nan():
    a = numpy.full(100_000, -0.0, "f4")
    x = heddle.cumsum(heddle.asarray(a))
    assert numpy.signbit(host(x)).all()
    x = heddle.cumsum(heddle.asarray(a.astype("c8") * (1 + 0j) - 0j))
    expected = numpy.cumsum(a.astype("c8") * (1 + 0j) - 0j)
    assert_exact(x, expected)
    a[70_000] = numpy.nan
    for function in ("add", "maximum"):
        expected = getattr(numpy, function).accumulate(a)
        assert_exact(getattr(heddle, function).accumulate(heddle.asarray(a)), expected)


def test_rounding_does_not_depend_on_timing():
    a = numpy.random.default_rng(2).standard_normal(2_000_003).astype("f4")
    x = heddle.asarray(a)
    first = host(heddle.cumsum(x))
    for _ in range(4):
        again = host(heddle.cumsum(x))
        assert (first.view("u4") == again.view("u4")).all()
    exact = numpy.cumsum(a.astype("f8"))
    bound = 8e-7 * numpy.cumsum(abs(a.astype("f8"))) + 1e-6
    assert (abs(first - exact) <= bound).all()


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "f4", "i8", "c16", "f2", "c8"])
@pytest.mark.parametrize("size", [1, 64, 2049, 70_001])
def test_selections(dtype, size):
    a = numpy.random.default_rng(3).integers(0, 100, size).astype(dtype)
    x = heddle.asarray(a)
    for density in (0.0, 0.01, 0.5, 1.0):
        mask = numpy.random.default_rng(4).random(size) < density
        m = heddle.asarray(mask)
        assert_exact(x[m], a[mask])
        assert_exact(heddle.flatnonzero(m), numpy.flatnonzero(mask))


def test_selections_of_views():
    a = numpy.arange(300 * 401, dtype="f4").reshape(300, 401)
    mask = a % 7 == 3
    x, m = heddle.asarray(a), heddle.asarray(mask)
    assert_exact(x[m], a[mask])
    assert_exact(x.T[m.T], a.T[mask.T])
    assert_exact(x[1:, ::-1][m[1:, :]], a[1:, ::-1][mask[1:, :]])
    assert_exact(x[::2, 1:][m[::2, 1:]], a[::2, 1:][mask[::2, 1:]])
    assert_exact((x * 2)[x > 5000], (a * 2)[a > 5000])
    assert_exact(x[m.any(1)], a[mask.any(1)])
    assert_exact(x[heddle.asarray([True] * 300), 3], a[:, 3])
    taken = x[m]
    taken += 1  # a copy
    assert_exact(x, a)


def test_long_selection():
    a = (numpy.arange(LONG) * 7919 % 10007).astype("f4")
    x = heddle.asarray(a)
    assert_exact(x[x > 5000], a[a > 5000])
    assert_exact(heddle.nonzero(x > 9000)[0], numpy.nonzero(a > 9000)[0])
