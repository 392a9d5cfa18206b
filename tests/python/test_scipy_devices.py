"""What modules of SciPy's do otherwise on devices that are not the host, against SciPy.

On the CPU's runs these take the shadow device, whose memory the host does not see.
"""

import contextlib

import numpy
import pytest
import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.stats
from scipy_support import numbers

import heddle
from heddle.scipy import fft as scipy_fft
from heddle.scipy import interpolate, linalg, ndimage, signal, sparse, spatial, stats

BUTTER = scipy.signal.butter(6, 0.1, output="sos")
SLOW = scipy.signal.butter(2, 0.001, output="sos")


@pytest.fixture(autouse=True)
def away_from_the_host():
    device = heddle.default_device()
    with heddle.device("shadow" if device == "cpu" else device):
        yield


def near(got, want, tolerance):
    got = heddle.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind == "b":
        assert numpy.array_equal(got, want)
    else:
        assert numpy.abs(got - want).max() <= tolerance * numpy.abs(want).max()


def test_ranges_that_were_computed_on_the_device():
    d, e = numbers(6), numbers(5, seed=1)
    values = scipy.linalg.eigvalsh_tridiagonal(d, e)
    ours = heddle.asarray(d), heddle.asarray(e)
    bounds = heddle.asarray(values[1:5:3]) - 1e-9
    got = linalg.eigvalsh_tridiagonal(*ours, select="v", select_range=(bounds[0], bounds[1]))
    near(got, values[1:4], 1e-12)


# --- filters ---


@pytest.mark.parametrize(
    "shape, axis", [((30000,), 0), ((3, 5000), 1), ((5000, 3), 0), ((2, 900, 3), 1), ((50,), 0)]
)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_filters_in_pieces(shape, axis, dtype):
    x = numbers(shape, dtype)
    for sos in (BUTTER, SLOW):
        near(
            signal.sosfilt(sos, heddle.asarray(x), axis), scipy.signal.sosfilt(sos, x, axis), 1e-10
        )
    b, a = scipy.signal.butter(4, 0.1)
    at_rest = list(shape)
    at_rest[axis] = 4
    zi = numbers(at_rest, seed=1)
    got = signal.lfilter(b, a, heddle.asarray(x), axis, heddle.asarray(zi))
    want = scipy.signal.lfilter(b, a, x, axis, zi)
    near(got[0], want[0], 1e-10)
    near(got[1], want[1], 1e-10)


def test_slow_filters_of_few_digits_in_pieces():
    x, sos = numbers((3, 5000)).astype("f4"), SLOW.astype("f4")
    exact = scipy.signal.sosfilt(sos.astype("f8"), x.astype("f8"))
    want = numpy.abs(scipy.signal.sosfilt(sos, x) - exact).max()
    got = heddle.asnumpy(signal.sosfilt(sos, heddle.asarray(x)))
    assert numpy.abs(got - exact).max() <= 2 * want


@pytest.mark.parametrize("a", [[1.0, -1.0], [1.0, -2.0, 1.0], [1.0, -1.01], [1.0, 0.5, 3.0]])
def test_filters_that_do_not_forget(a):
    x = numbers((3000,))
    with numpy.errstate(all="ignore"):
        want = scipy.signal.lfilter([1.0], a, x)
    got = heddle.asnumpy(signal.lfilter([1.0], a, heddle.asarray(x)))
    assert numpy.allclose(got, want, rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
def test_what_is_not_finite_is_never_forgotten(value):
    x = numbers((2, 9000))
    x[0, 777] = value
    for b, a in (([1.0], [1.0, -0.5]), scipy.signal.butter(4, 0.1)):
        got = heddle.asnumpy(signal.lfilter(b, a, heddle.asarray(x)))
        want = scipy.signal.lfilter(b, a, x)
        assert numpy.array_equal(numpy.isnan(got), numpy.isnan(want))
        assert numpy.allclose(got[1], want[1])


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("shapes", [((20, 30), (5, 5)), ((3, 3), (5, 4)), ((40, 40), (9, 9))])
def test_correlation_sees_what_is_around(name, shapes):
    for dtype in ("f8", "c16", "i4"):
        a, b = (10 * numbers(shape) for shape in shapes)
        a, b = a.astype(dtype), b.astype(dtype)
        for mode in ("full", "same"):
            for fill in (0, 3):
                want = getattr(scipy.signal, name)(a, b, mode, "fill", fill)
                given = heddle.asarray(a), heddle.asarray(b)
                near(getattr(signal, name)(*given, mode, "fill", fill), want, 1e-13)


@pytest.mark.parametrize("device", ["cpu", "default"])
def test_an_infinity_stays_where_it_is(device):
    x, taps = numpy.arange(20.0), numpy.array([1.0, 2.0, 3.0])
    x[0] = numpy.inf
    with heddle.device("cpu" if device == "cpu" else heddle.default_device()):
        got = signal.convolve(heddle.asarray(x), heddle.asarray(taps), "valid", "direct")
        want = scipy.signal.convolve(x, taps, "valid", "direct")
        assert numpy.array_equal(heddle.asnumpy(got), want)
        got = heddle.asnumpy(signal.upfirdn(heddle.asarray(taps), heddle.asarray(x)))
        assert numpy.array_equal(got, scipy.signal.upfirdn(taps, x))


# --- sparse products ---


def matrix(rows, columns, density, dtype, seed=0):
    rng = numpy.random.default_rng(seed)
    made = scipy.sparse.random_array((rows, columns), density=density, rng=rng)
    return (made * 20).astype(dtype)


def uneven(dtype):
    """A few rows have most of the elements."""
    rng = numpy.random.default_rng(1)
    rows = numpy.concatenate([rng.integers(0, 3, 6000) * 100, rng.integers(0, 500, 2000)])
    parts = (rng.random(8000) * 9, (rows, rng.integers(0, 500, 8000)))
    return scipy.sparse.coo_array(parts, shape=(500, 500)).tocsr().astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "c16", "?"])
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.unrecorded("sums that many threads add to are in no order")
def test_products(dtype, format):
    pairs = [
        (uneven(dtype), uneven(dtype)),
        (matrix(40, 70, 0.4, dtype), matrix(70, 30, 0.3, dtype, 1)),
        (matrix(5, 4, 1.0, dtype), matrix(4, 3, 1.0, dtype)),
        (scipy.sparse.csr_array((3, 4), dtype=dtype), matrix(4, 3, 0.5, dtype)),
        (scipy.sparse.csr_array((0, 4), dtype=dtype), scipy.sparse.csr_array((4, 0), dtype=dtype)),
    ]
    for a, b in pairs:
        a, b = a.asformat(format), b.asformat(format)
        ours = [getattr(sparse, f"{format}_array")(each) for each in (a, b)]
        x = (9 * numbers((a.shape[1],))).astype(dtype)
        want = a @ x
        tolerance = 1e-5 if dtype == "f4" else 1e-12
        if want.size:
            near(ours[0] @ heddle.asarray(x), want, tolerance)
        got, want = ours[0] @ ours[1], a @ b
        assert got.format == want.format and got.dtype == want.dtype and got.shape == want.shape
        want.eliminate_zeros()
        got.sort_indices()
        want.sort_indices()
        assert numpy.array_equal(heddle.asnumpy(got.indptr), want.indptr)
        assert numpy.array_equal(heddle.asnumpy(got.indices), want.indices)
        assert numpy.allclose(heddle.asnumpy(got.data), want.data, rtol=tolerance)


# --- images ---


def structures(ndim):
    found = [scipy.ndimage.generate_binary_structure(ndim, k) for k in range(1, ndim + 1)]
    if ndim == 2:
        found += [numpy.eye(3, dtype=bool), numpy.ones((5, 5), bool), numpy.ones((1, 3), bool)]
        found += [numpy.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], bool)]  # not mutual
        found += [numpy.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], bool)]
    return found


@pytest.mark.parametrize("shape", [(40, 50), (200,), (9, 10, 11), (1, 7)])
def test_what_is_reached(shape):
    rng = numpy.random.default_rng(0)
    a, mask = rng.random(shape) < 0.6, rng.random(shape) < 0.6
    seeds, rare = a & (rng.random(shape) < 0.05), ~(rng.random(shape) < 0.05)
    for structure in structures(len(shape)):
        got = ndimage.binary_fill_holes(heddle.asarray(a), structure)
        assert numpy.array_equal(heddle.asnumpy(got), scipy.ndimage.binary_fill_holes(a, structure))
        for name, given in (("binary_dilation", seeds), ("binary_erosion", rare)):
            for border in (0, 1):
                for where in (None, mask):
                    options = {"structure": structure, "iterations": -1, "border_value": border}
                    want = getattr(scipy.ndimage, name)(given, mask=where, **options)
                    where = None if where is None else heddle.asarray(where)
                    got = getattr(ndimage, name)(heddle.asarray(given), mask=where, **options)
                    assert numpy.array_equal(heddle.asnumpy(got), want)


@pytest.mark.parametrize("dtype", ["f8", "u1"])
def test_ranks_in_registers(dtype):
    a = (200 * numpy.random.default_rng(0).random((20, 30))).astype(dtype)
    got = ndimage.percentile_filter(heddle.asarray(a), 30, (6, 7))
    assert numpy.array_equal(heddle.asnumpy(got), scipy.ndimage.percentile_filter(a, 30, (6, 7)))


# --- triangles ---


def test_triangles_are_asked_once():
    a, b = numbers((6, 6)) + 6 * numpy.eye(6), numbers((6, 2), seed=1)
    got = heddle.asnumpy(linalg.solve_triangular(heddle.asarray(a), heddle.asarray(b)))
    assert numpy.allclose(got, scipy.linalg.solve_triangular(a, b))
    for place, value, error in (
        ((2, 2), 0.0, numpy.linalg.LinAlgError),
        ((0, 3), numpy.nan, ValueError),
    ):
        bad = a.copy()
        bad[place] = value
        with pytest.raises(error):
            linalg.solve_triangular(heddle.asarray(bad), heddle.asarray(b))
    with pytest.raises(ValueError, match="NaN"):
        linalg.solve_triangular(heddle.asarray(a), heddle.asarray(b * numpy.inf))


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize(
    "indices, indptr", [([7, 0], [0, 1, 2]), ([-5, 0], [0, 1, 2]), ([0, 1], [0, 90, 2])]
)
def test_indices_out_of_bounds_are_left_out(format, indices, indptr):
    # SciPy reads and writes beyond arrays here; what comes out is nobody's business.
    parts = (heddle.asarray(a) for a in ([1.0, 2.0], indices, indptr))
    a = getattr(sparse, f"{format}_array")(tuple(parts), shape=(2, 2))
    for other in (heddle.ones(2), heddle.ones((2, 3))):
        with contextlib.suppress(IndexError, ValueError):
            assert heddle.asnumpy(a @ other).shape == other.shape
    with pytest.raises(ValueError):
        a.check_format()


# --- splines ---


def test_splines_of_numpys_arrays_without_checks():
    t, c = numpy.sort(numbers((12,))), numbers((8,))
    made = interpolate.BSpline.construct_fast(t, c, 3)
    places = numpy.linspace(t[3], t[8], 5)
    want = scipy.interpolate.BSpline(t, c, 3)(places)
    assert numpy.allclose(heddle.asnumpy(made(heddle.asarray(places))), want)
    assert numpy.allclose(heddle.asnumpy(made(list(places))), want)
    pieces = interpolate.PPoly.construct_fast(c.reshape(4, 2), numpy.array([0.0, 1.0, 2.0]))
    want = scipy.interpolate.PPoly(c.reshape(4, 2), [0.0, 1.0, 2.0])([0.5, 1.5])
    assert numpy.allclose(heddle.asnumpy(pieces([0.5, 1.5])), want)


def test_exponentials_of_the_hosts_matrices():
    """Where another device is the usual one; whatever is known of the norm is no reason to move."""
    for scale in (1e-3, 1.0, 30.0):
        a = numbers((3, 3)) * scale
        found = linalg.expm(heddle.asarray(a, device="cpu"))
        assert found.device == "cpu"
        near(found, scipy.linalg.expm(a), 1e-11)
    a = numbers((3, 3)) * 100 + 300 * numpy.eye(3)
    near(
        linalg.fractional_matrix_power(heddle.asarray(a), 0.9),
        scipy.linalg.fractional_matrix_power(a, 0.9),
        1e-11,
    )


def test_small_arguments_and_results_of_functions_may_be_arrays_of_the_device():
    a = heddle.asarray([[2.0, 1.0], [0.5, 3.0]])
    found = heddle.scipy.linalg.funm(a, lambda x: heddle.exp(heddle.asarray(x)))
    expected = scipy.linalg.expm(heddle.asnumpy(a))
    numpy.testing.assert_allclose(heddle.asnumpy(found), expected, rtol=1e-12)
    diagonal, beside = heddle.arange(4.0), heddle.ones(3)
    bounds = heddle.asarray([0, 1])
    few = heddle.scipy.linalg.eigvalsh_tridiagonal(
        diagonal, beside, select="i", select_range=bounds
    )
    assert few.shape == (2,)


def test_filters_as_lists_of_several_lengths():
    places = numpy.array([0.5, 1.0])
    want = scipy.signal.group_delay(([1.0], [1.0, 0.5]), w=places)
    got = signal.group_delay(([1.0], [1.0, 0.5]), w=heddle.asarray(places))
    near(got[1], want[1], 1e-12)


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_rank_tests(method):
    x, y = numbers(7), numbers(6, seed=1) + 0.5
    want = scipy.stats.mannwhitneyu(x, y, method=method)
    got = stats.mannwhitneyu(heddle.asarray(x), heddle.asarray(y), method=method)
    assert float(got.statistic) == want.statistic
    assert abs(float(got.pvalue) - want.pvalue) < 1e-12


def test_no_rotations_of_a_list():
    from heddle.scipy.spatial.transform import Rotation

    turns = Rotation.from_quat(heddle.asarray(numbers((3, 4))))
    assert len(turns[[]]) == 0 and len(turns[[0, 2]]) == 2


# --- operators of SciPy's ---


class Doubled(scipy.sparse.linalg.LinearOperator):
    """A user's class, written for SciPy."""

    def __init__(self, size):
        super().__init__("f8", (size, size))

    def _matvec(self, x):
        return 2.0 * x

    def _adjoint(self):
        return self


def test_operators_of_scipy():
    a = numbers((6, 6))
    a = a @ a.T + 6 * numpy.eye(6)
    theirs, x = scipy.sparse.linalg.aslinearoperator(a), numbers(6, seed=1)
    sparse_one = scipy.sparse.linalg.aslinearoperator(scipy.sparse.csr_array(a))
    of_functions = scipy.sparse.linalg.LinearOperator(
        (6, 6), matvec=lambda v: 3 * v, rmatvec=lambda v: 3 * v, dtype="f8"
    )
    made = [theirs, sparse_one, of_functions, Doubled(6), Doubled(6).H, theirs.T]
    made += [theirs + Doubled(6), theirs @ sparse_one, 2 * theirs, theirs**2, of_functions.H]
    on_device, columns = heddle.asarray(x), numbers((6, 2), seed=2)
    for each in made:
        ours = sparse.linalg.aslinearoperator(each)
        near(ours.matvec(on_device), each.matvec(x), 1e-13)
        near(ours.rmatvec(on_device), each.rmatvec(x), 1e-13)
        near(ours @ heddle.asarray(columns), each @ columns, 1e-13)
    for solve in (sparse.linalg.cg, sparse.linalg.gmres, sparse.linalg.minres):
        found, info = solve(theirs + Doubled(6), on_device, rtol=1e-10)
        assert info == 0
        near(found, numpy.linalg.solve(a + 2 * numpy.eye(6), x), 1e-8)
    values = sparse.linalg.eigsh(theirs + Doubled(6), k=2, return_eigenvectors=False)
    near(heddle.sort(values), numpy.linalg.eigvalsh(a)[-2:] + 2, 1e-9)


# --- systems ---


def test_systems_of_arrays_on_the_device():
    matrices = numpy.eye(2) * -0.5, numpy.ones((2, 1)), numpy.ones((1, 2)), numpy.zeros((1, 1))
    theirs = scipy.signal.StateSpace(*matrices)
    ours = signal.StateSpace(*map(heddle.asarray, matrices))
    assert isinstance(ours, signal.StateSpace) and isinstance(ours, signal.lti)
    assert not isinstance(ours, signal.dlti) and issubclass(signal.StateSpace, signal.StateSpace)
    near(signal.step(ours)[1], scipy.signal.step(theirs)[1], 1e-14)
    b, a = heddle.array([1.0, 0.5]), heddle.array([1.0, -0.25, 0.5])
    for made in (signal.lti(b, a), signal.TransferFunction(b, a), signal.dlti(b, a, dt=0.1)):
        assert made.poles.tolist() == scipy.signal.lti([1, 0.5], [1, -0.25, 0.5]).poles.tolist()
    gain = signal.ZerosPolesGain(heddle.array([0.5]), heddle.array([-1.0]), 2.0)
    assert gain.to_tf().num.tolist() == [2, -1]


# --- functions of users, which give numbers of the device ---


def test_functions_that_scipy_calls_on_the_host():
    ours = interpolate.approximate_taylor_polynomial(heddle.exp, 0.0, 4, 1.0)
    theirs = scipy.interpolate.approximate_taylor_polynomial(numpy.exp, 0.0, 4, 1.0)
    numpy.testing.assert_allclose(ours.coeffs, theirs.coeffs, rtol=1e-12)
    x = numbers((6, 7))
    found = ndimage.generic_filter(heddle.asarray(x), heddle.max, 3)
    near(found, scipy.ndimage.maximum_filter(x, 3), 0)


# --- numbers that were computed, where NumPy has its scalars ---


def test_numbers_of_the_device_as_arguments():
    one, half = heddle.asarray(1.0), heddle.asarray(0.5)
    x = numbers((6, 7))
    ours = heddle.asarray(x)
    near(ndimage.shift(ours, [one, half]), scipy.ndimage.shift(x, [1.0, 0.5]), 1e-12)
    near(
        ndimage.affine_transform(ours, [[one, half], [half, one]], offset=[one, half]),
        scipy.ndimage.affine_transform(x, [[1, 0.5], [0.5, 1]], offset=[1, 0.5]),
        1e-12,
    )
    weights = scipy.ndimage.convolve1d(x, [1, 0.5, 1])
    near(ndimage.convolve1d(ours, [one, half, one]), weights, 1e-12)
    row, theirs = ours[0], x[0]
    near(
        signal.zoom_fft(row, [half, one], m=5),
        scipy.signal.zoom_fft(theirs, [0.5, 1.0], m=5),
        1e-12,
    )
    near(signal.lfilter([half], [one], row), theirs * 0.5, 0)
    near(signal.firwin(11, [half * 0.5, half]), scipy.signal.firwin(11, [0.25, 0.5]), 1e-12)
    expected = scipy.signal.savgol_filter(theirs, 5, 2)
    near(signal.savgol_filter(row, heddle.asarray(5), heddle.asarray(2)), expected, 1e-12)
    smooth = scipy.signal.symiirorder1(numpy.ones(60), 0.25, 0.5)
    near(signal.symiirorder1(heddle.ones(60), half * half, half), smooth, 1e-12)
    near(scipy_fft.fht(row, half, one), scipy.fft.fht(theirs, 0.5, 1.0), 1e-12)
    corners = [[half - half, half * 0], [one, half * 0], [half * 0, one]]
    assert spatial.Delaunay(corners).simplices.shape == (1, 3)


def test_borders_of_peaks_that_were_computed():
    x = numpy.array([0.0, 1, 0, 2, 0, 3, 0])
    ours = heddle.asarray(x)
    found, _ = signal.find_peaks(ours, height=(ours.mean(), ours.max() - 1))
    assert found.tolist() == scipy.signal.find_peaks(x, height=(x.mean(), 2.0))[0].tolist()
