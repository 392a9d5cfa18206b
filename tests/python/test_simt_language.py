"""The language of kernels, against Python: loops with else, functions inside, whole arrays."""

import enum
import math

import numpy
import pytest
from support import assert_exact, host

import heddle
from heddle import simt
from heddle.numba import cuda, literal_unroll, njit

TABLE = numpy.array([[1.5, -2.0, 4.0], [0.25, 8.0, -1.0]])
LONG = numpy.zeros(5000)


class Kind(enum.Enum):
    FIRST = 1
    SECOND = 2


def _search(x, wanted):
    found = -1
    for i in range(x.size):
        if x[i] == wanted:
            found = i
            break
    else:
        found = -5
    n = 0
    while n < 3:
        n += 1
        if n == wanted:
            break
    else:
        found *= 10
    total = 0
    for k in (1, 2, 3, 4):
        if k == 2:
            continue
        if k > wanted:
            break
        for j in (5, 6):
            if j == wanted:
                break
            total += k * j
    else:
        total += 1000
    return found, total


@pytest.mark.parametrize("wanted", [0, 1, 2, 3, 5, 6, 9])
def test_loops_with_else(wanted):
    @simt.kernel
    def run(x, out, wanted):
        i = simt.grid(1)
        if i < out.shape[0]:
            out[i, 0], out[i, 1] = _search(x, wanted + i)

    x = numpy.array([4, 5, 9, 2])
    out = heddle.zeros((3, 2), int)
    run[1, 4](heddle.asarray(x), out, wanted)
    assert_exact(out, numpy.array([_search(x, wanted + i) for i in range(3)]))
    assert njit(_search)(x, wanted) == _search(x, wanted)


def test_return_out_of_turns():
    @simt.func
    def first(x):
        for k in (10, 20, 30):
            for j in (1, 2):
                if j == 2:
                    break
                if x < k:
                    return k + j
        return -1

    @simt.kernel
    def run(out):
        i = simt.grid(1)
        out[i] = first(i * 7)

    out = heddle.zeros(8, int)
    run[2, 4](out)
    assert out.tolist() == [11, 11, 21, 31, 31, -1, -1, -1]


def test_functions_inside():
    factor = 3

    @simt.kernel
    def run(x, out):
        i = simt.grid(1)
        shift = i * 10

        def scaled(v, by=factor, *, more=0):
            def twice(u):
                return 2 * u + shift

            return twice(v * by) + more

        plus = lambda a, b=shift: a + b  # noqa: E731
        out[i] = scaled(x[i]) + scaled(x[i], 1, more=100) + plus(1)

    x = numpy.arange(4)
    out = heddle.zeros(4, int)
    run[1, 4](heddle.asarray(x), out)
    assert_exact(out, 2 * x * 3 + 10 * x + 2 * x + 10 * x + 100 + 1 + 10 * x)


def test_global_arrays():
    @simt.kernel
    def run(out):
        i = simt.grid(1)
        out[i] = TABLE[i % 2, i % 3] + TABLE.shape[1]

    out = heddle.zeros(6)
    run[1, 6](out)
    assert_exact(out, numpy.array([TABLE[i % 2, i % 3] + 3 for i in range(6)]))

    @njit
    def total(n):
        made = 0.0
        for row in range(TABLE.shape[0]):
            for column in range(n):
                made += TABLE[row, column]
        return made

    assert total(3) == TABLE.sum()

    @simt.kernel
    def sets(out):
        TABLE[0, 0] = out[0]

    with pytest.raises(simt.KernelError, match="a global array is a constant"):
        sets[1, 1](heddle.zeros(1))

    @simt.kernel
    def long(out):
        out[0] = LONG[3]

    with pytest.raises(simt.KernelError, match="5000 elements is an argument"):
        long[1, 1](heddle.zeros(1))
    ours = heddle.zeros(3)

    @simt.kernel
    def device(out):
        out[0] = ours[0]

    with pytest.raises(simt.KernelError, match="an array of a device is an argument"):
        device[1, 1](heddle.zeros(1))


def test_enumerations():
    @simt.kernel
    def run(out, kind):
        if kind == Kind.SECOND and kind is Kind.SECOND and kind is not Kind.FIRST:
            out[0] = Kind.SECOND.value

    out = heddle.zeros(1)
    run[1, 1](out, Kind.SECOND)
    assert out.tolist() == [2]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "u1"])
def test_whole_arrays(dtype):
    @simt.kernel
    def run(a, b, out, numbers):
        out[:] = a * 2 + b
        out[1:3] += 1
        out[3:5] = (7, 8)
        numbers[0], numbers[1], numbers[2] = a.sum(), a.mean(), a.min()
        numbers[3], numbers[4], numbers[5] = a.max(), a.var(), a.std()
        numbers[6], numbers[7] = a.any(), a.all()
        numbers[8] = numpy.count_nonzero(a)
        numbers[9], numbers[10] = numpy.nansum(a), numpy.nanmax(a)
        numbers[11] = abs(a - 5).sum() if a.dtype == numpy.float64 else 0

    a = numpy.arange(7).astype(dtype)
    b = numpy.arange(7)[::-1].astype(dtype)
    out, numbers = heddle.zeros(7, dtype), heddle.zeros(12)
    run[1, 1](heddle.asarray(a), heddle.asarray(b), out, numbers)
    wanted = a * 2 + b
    wanted[1:3] += 1
    wanted[3:5] = (7, 8)
    assert_exact(out, wanted)
    expected = [a.sum(), a.mean(), a.min(), a.max(), a.var(), a.std(), a.any(), a.all()]
    expected += [6, a.sum(), a.max(), abs(a - 5).sum() if dtype == "f8" else 0]
    numpy.testing.assert_allclose(host(numbers), expected, rtol=1e-6)


def test_missing_numbers():
    functions = (numpy.nansum, numpy.nanprod, numpy.nanmin, numpy.nanmax, numpy.nanmean)

    @simt.kernel
    def run(a, out):
        out[0], out[1], out[2] = numpy.nansum(a), numpy.nanprod(a), numpy.nanmin(a)
        out[3], out[4] = numpy.nanmax(a), numpy.nanmean(a)

    a = numpy.array([3.0, numpy.nan, -2.0, 5.0])
    out = heddle.zeros(5)
    run[1, 1](heddle.asarray(a), out)
    assert_exact(out, numpy.array([f(a) for f in functions]))

    @njit
    def all_of_them(a):
        return numpy.nansum(a), numpy.nanprod(a), numpy.nanmin(a), numpy.nanmax(a), numpy.nanmean(a)

    numpy.testing.assert_array_equal(all_of_them(a), [f(a) for f in functions])


def test_views_of_other_shapes():
    @simt.kernel
    def run(a, out):
        b = a.reshape(3, 2)
        out[0], out[1] = b[2, 0], a.ravel()[3]
        out[2], out[3] = a.transpose()[2, 1], a.reshape((-1, 6))[0, 5]
        tile = simt.local.array((2, 3), numpy.float64)
        tile[1, 2] = 9
        out[4] = tile.reshape(6)[5]
        out[5] = a.transpose(1, 0)[0, 1]

    a = numpy.arange(6.0).reshape(2, 3)
    out = heddle.zeros(6)
    run[1, 1](heddle.asarray(a), out)
    assert out.tolist() == [4, 3, 5, 5, 9, 3]
    with pytest.raises(ValueError, match="C order"):
        run[1, 1](heddle.asarray(a.T.copy()).T, out)

    @simt.kernel
    def wrong(a):
        a.reshape(4, 2)[0, 0] = 1

    with pytest.raises(ValueError, match="the sizes differ"):
        wrong[1, 1](heddle.zeros((2, 3)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_ldexp(dtype):
    @simt.kernel
    def run(x, e, out):
        i = simt.grid(1)
        if i < x.size:
            out[i] = numpy.ldexp(x[i], e[i])
            out[i + x.size] = math.ldexp(x[i], e[i])
            out[i + 2 * x.size] = heddle.ldexp(x[i], 3)

    x = numpy.array([0.3, -1.5, 1e-30, 0.0, numpy.inf, 3.0], dtype)
    e = numpy.array([3, -4, 20, 5, -2, -160])
    out = heddle.zeros(18, dtype)
    run[1, 8](heddle.asarray(x), heddle.asarray(e), out)
    wanted = numpy.concatenate([numpy.ldexp(x, e), numpy.ldexp(x, e), numpy.ldexp(x, 3)])
    assert_exact(out, wanted)
    assert njit(lambda_ldexp)(0.3, 5) == math.ldexp(0.3, 5)


def lambda_ldexp(x, n):
    return numpy.ldexp(x, n)


def test_other_names_of_ufuncs():
    @simt.kernel
    def run(out):
        out[0], out[1] = numpy.radians(90.0), numpy.degrees(1.0)
        out[2], out[3] = numpy.divmod(-7, 3)
        numpy.add(out[4:6], 2.0, out[4:6])

    out = heddle.zeros(6)
    run[1, 1](out)
    assert_exact(
        out, numpy.array([numpy.radians(90.0), numpy.degrees(1.0), *divmod(-7, 3), 2.0, 2.0])
    )


def test_literal_unroll():
    @cuda.jit
    def run(out, values):
        total = 0.0
        for x in literal_unroll(values):
            total += x
        out[0] = total

    out = numpy.zeros(1)
    run[1, 1](out, (1, 2.5, numpy.float32(3)))
    assert out[0] == 6.5


def test_rounding_to_digits_that_are_known_when_the_kernel_runs():
    @simt.kernel
    def rounded(x, digits, out):
        i = simt.grid(1)
        out[i, 0] = round(x[i], digits[i])
        out[i, 1] = round(x[i], 2)
        out[i, 2] = round(x[i], -2)
        out[i, 3] = round(x[i], 400)

    @heddle.njit
    def one(x, digits):
        return round(x, digits)

    x = numpy.array(
        [1.005, 2.5, 1234.5678, -0.125, 1e300, numpy.inf, -numpy.inf, 0.3, 5e-324, 71.0]
    )
    digits = numpy.array([2, 0, -2, 2, 20, 3, -3, 400, 5, -400])
    out = heddle.zeros((x.size, 4))
    rounded[1, x.size](heddle.asarray(x), heddle.asarray(digits), out)

    def wanted(v, d):  # as Numba does it: scaled, rounded, scaled back
        scale = 10.0 ** min(abs(int(d)), 308)
        with numpy.errstate(all="ignore"):
            large = v * scale if d >= 0 else v / scale
            near = numpy.rint(large)
            return (near / scale if d >= 0 else near * scale) if numpy.isfinite(large) else v

    expected = [[wanted(v, d) for d in (k, 2, -2, 400)] for v, k in zip(x, digits, strict=True)]
    numpy.testing.assert_array_equal(host(out), expected)
    assert [one(float(v), int(d)) for v, d in zip(x, digits, strict=True)] == [
        row[0] for row in expected
    ]


def test_names_become_arrays_of_other_shapes():
    @simt.kernel
    def reversed_rows(x, out):
        x = x.reshape(2, 3)
        x = x.T
        i = simt.grid(1)
        for j in range(2):
            out[i, j] = x[i, j]

    out = heddle.zeros((3, 2))
    reversed_rows[1, 3](heddle.arange(6.0), out)
    numpy.testing.assert_array_equal(host(out), numpy.arange(6.0).reshape(2, 3).T)


def counted(x):
    x[0] += 1
    return 1


def first_of(x, y):
    x[2] += 1
    return y


def updates(x):
    x[counted(x)] += 10
    first_of(x, x)[3] += 100
    x[counted(x) + 3 :] += 1000


def test_places_that_are_updated_are_looked_for_once():
    wanted = numpy.zeros(6, int)
    updates(wanted)
    made = numpy.zeros(6, int)
    njit(updates)(made)
    assert_exact(made, wanted)
    on_device = heddle.zeros(6, int)
    simt.kernel(updates)[1, 1](on_device)
    assert_exact(host(on_device), wanted)


@pytest.mark.parametrize("step", [None, 3, "twice"])
def test_options_that_are_none_or_words(step):
    def walk(x):
        if step == None:  # noqa: E711
            x[0] = 1
        elif step != "twice":
            x[0] = 10 * step
        else:
            x[0] = 2

    wanted = numpy.zeros(1, int)
    walk(wanted)
    out = heddle.zeros(1, int)
    simt.kernel(walk)[1, 1](out)
    assert_exact(host(out), wanted)
    made = numpy.zeros(1, int)
    njit(walk)(made)
    assert_exact(made, wanted)


def test_elements_of_generators_and_rows():
    @simt.kernel
    def looked(x, out):
        i = simt.grid(1)
        if i < x.shape[0]:
            a, b = x[i, :2]
            out[i, 0] = sum(v * v for v in x[i]) + (a - b)
            out[i, 1] = max(abs(v) for v in x[i]) + sum(x[i]) + min(x[i])
            out[i, 2] = any(v > 0.9 for v in x[i]) + 2 * all(v > 0.01 for v in x[i] if v < 0.5)

    x = numpy.random.default_rng(0).random((40, 5))
    out = numpy.zeros((40, 3))
    looked[2, 32](x, out)
    expected = numpy.empty((40, 3))
    expected[:, 0] = (x * x).sum(1) + x[:, 0] - x[:, 1]
    expected[:, 1] = x.max(1) + x.sum(1) + x.min(1)
    expected[:, 2] = (x > 0.9).any(1) + 2 * ((x > 0.01) | (x >= 0.5)).all(1)
    numpy.testing.assert_allclose(out, expected)
