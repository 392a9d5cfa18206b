"""Arrays of ours in other libraries, where those are installed."""

import os
import subprocess
import sys

import numpy
import pytest
from support import assert_exact

import heddle
from heddle import _core

pytestmark = pytest.mark.host_memory


# --- pandas ---


@pytest.mark.unrecorded("whoever records hears of elements before they are known")
def test_pandas():
    pandas = pytest.importorskip("pandas")
    x, i = heddle.asarray([1.5, 2.5, 3.5]), heddle.asarray([1, 2])
    assert pandas.Series(list(x)).dtype == "f8"
    assert pandas.Series(x).tolist() == [1.5, 2.5, 3.5]
    frame = pandas.DataFrame({"x": x, "y": x * 2})
    assert frame.dtypes.tolist() == [numpy.float64, numpy.float64]
    series = pandas.Series([10, 20, 30])
    assert series[i[0]] == 20 and series.iloc[i[1]] == 30
    assert (series * x).tolist() == (x * series).tolist() == [15.0, 50.0, 105.0]
    assert series[i.max().item()] == 30
    assert_exact(heddle.asarray(series), numpy.array([10, 20, 30]))


def _columns(np, pandas):
    """What programs do to columns with functions of NumPy's, and of ours."""
    frame = pandas.DataFrame({"a": [1, 1, 2], "b": [1.0, 2.0, 3.0]})
    groups = frame.groupby("a")["b"]
    frame["c"] = np.arange(3)
    frame["d"] = np.where(frame.a > 1, "x", "y")
    frame["e"] = np.log(frame.b)
    frame["m"] = [np.mean([1, 2]), np.max(np.arange(3)), 3.0]
    frame["n"] = frame.b.map(lambda x: np.round(x / 3, 1))
    frame["o"] = frame.apply(lambda row: np.sqrt(row.b) + np.max(np.array([row.a, 2.0])), axis=1)
    mask = np.abs(np.asarray(frame.b) - 2) > 0.5
    yield frame
    yield groups.agg([np.sum, np.mean, np.median, lambda x: np.mean(np.nan_to_num(x))])
    yield frame.pivot_table(index="a", values="b", aggfunc=lambda x: np.sum(np.asarray(x)))
    yield pandas.DataFrame({"s": [np.mean(np.arange(4.0)), np.sum(np.ones(3))]})
    yield frame[mask]
    yield frame.loc[mask, ["a", "b"]]
    yield frame.groupby(np.arange(3) % 2)["b"].sum().to_frame()
    yield frame.groupby([np.arange(3) % 2, "a"])["b"].mean().to_frame()
    yield frame.pivot_table(index=np.arange(3) % 2, columns="a", values="b")
    yield pandas.DataFrame({"u": pandas.unique(np.arange(3) % 2)})
    yield pandas.DataFrame({"f": pandas.factorize(np.arange(3) % 2)[0]})
    yield frame.loc[mask]
    yield frame.iloc[np.arange(2)]
    yield frame.b[mask].to_frame()
    yield pandas.DataFrame(np.ones((2, 2)), columns=["a", "b"])
    frame.loc[mask, "b"] = 0
    yield frame


@pytest.mark.host_memory
def test_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    wanted = _columns(numpy, pandas)
    for ours, theirs in zip(_columns(heddle, pandas), wanted, strict=True):
        pandas.testing.assert_frame_equal(ours, theirs)


# --- xarray ---


def test_xarray():
    xarray = pytest.importorskip("xarray")
    a = numpy.arange(12.0).reshape(3, 4)
    ours = xarray.DataArray(heddle.asarray(a), dims=("row", "column"))
    theirs = xarray.DataArray(a, dims=("row", "column"))
    for use in (
        lambda x: x.sum(),
        lambda x: x.mean() + 1,
        lambda x: x.std("row"),
        lambda x: x.max("column") * 2,
        lambda x: x.isel(row=1),
        lambda x: x.transpose("column", "row"),
        lambda x: (x - x.mean("row")) / x.std("row"),
        lambda x: x.where(x > 3, 0.0),
    ):
        made = use(ours)
        assert isinstance(made.data, _core.own_array)
        numpy.testing.assert_allclose(made.data.get(), use(theirs).data, rtol=1e-14)


# --- Dask ---


@pytest.fixture
def dask():
    return pytest.importorskip("dask.array")


def chunked(dask, a, chunks):
    return (
        dask.from_array(heddle.asarray(a), chunks=chunks, asarray=False),
        dask.from_array(a, chunks=chunks),
    )


MATRIX = numpy.arange(24.0).reshape(4, 6) % 7


@pytest.mark.parametrize(
    "use",
    [
        lambda d, np: d.sum(),
        lambda d, np: d.mean(axis=0),
        lambda d, np: d.std(axis=1),
        lambda d, np: d @ d.T,
        lambda d, np: np.pad(d, 1, mode="constant"),
        lambda d, np: np.pad(d, ((1, 2), (0, 1)), mode="edge"),
        lambda d, np: np.concatenate([d, d]),
        lambda d, np: np.einsum("ij,kj->ik", d, d),
        lambda d, np: np.sin(d) * 2,
        lambda d, np: d[1:3, ::2],
        lambda d, np: np.cumsum(d, axis=1),
        lambda d, np: np.where(d > 3, d, -1.0),
    ],
)
def test_dask(dask, use):
    ours, theirs = chunked(dask, MATRIX, (2, 3))
    made = use(ours, dask).compute()
    assert isinstance(made, _core.own_array)
    numpy.testing.assert_allclose(made.get(), use(theirs, dask).compute(), rtol=1e-14)


def test_dask_argmax(dask):
    ours, theirs = chunked(dask, MATRIX, (2, 3))
    for axis in (None, 0, 1):
        for find in (dask.argmax, dask.argmin, dask.nanargmax):
            made = find(ours, axis=axis).compute()
            # An element of ours, which Dask looks up, may be one of NumPy's numbers.
            kinds = (heddle.ndarray, numpy.generic) if axis is None else heddle.ndarray
            assert isinstance(made, kinds)
            assert_exact(made, find(theirs, axis=axis).compute())


def test_dask_unique(dask):
    ours, theirs = chunked(dask, numpy.arange(24) % 5 * 1.5, 6)
    made = dask.unique(ours).compute()
    assert isinstance(made, _core.own_array)
    assert_exact(made, dask.unique(theirs).compute())
    made = dask.unique(ours, return_index=True, return_inverse=True, return_counts=True)
    expected = dask.unique(theirs, return_index=True, return_inverse=True, return_counts=True)
    for a, b in zip(made, expected, strict=True):  # Dask puts them together in NumPy's records
        numpy.testing.assert_array_equal(a.compute(), b.compute())


def test_arrays_like_ours_of_types_that_ours_do_not_hold():
    for dtype in ([("a", int), ("b", float)], "U3", object):
        for make in (numpy.empty_like, numpy.zeros_like):
            with pytest.raises(TypeError, match="not supported"):
                make(heddle.ones(3), dtype=dtype)


def test_dask_vectors(dask):
    ours, theirs = chunked(dask, numpy.arange(24.0), 6)
    made = dask.percentile(ours, [25, 50]).compute()
    assert isinstance(made, _core.own_array)
    assert_exact(made, dask.percentile(theirs, [25, 50]).compute())
    ours, theirs = chunked(dask, numpy.arange(24) % 5, 6)
    made = dask.bincount(ours, minlength=5).compute()
    assert isinstance(made, _core.own_array)
    assert_exact(made, dask.bincount(theirs, minlength=5).compute())


def test_dask_items_are_written(dask):
    made = []
    for d in chunked(dask, MATRIX, (2, 3)):
        d[1:3, 2] = 100.0
        d[d > 50] = -1
        made.append(d.compute())
    assert isinstance(made[0], _core.own_array)
    assert_exact(made[0], made[1])


def test_dask_solves(dask):
    pytest.importorskip("scipy")  # by which Dask does it, on our chunks, and which gives NumPy's
    a, b = numpy.eye(4) * 3 + 1, numpy.arange(4.0)
    ours = dask.linalg.solve(chunked(dask, a, 2)[0], chunked(dask, b, 2)[0]).compute()
    numpy.testing.assert_allclose(numpy.asarray(ours), numpy.linalg.solve(a, b), rtol=1e-12)


def test_functions_leave_dask_to_dask(dask):
    d = chunked(dask, MATRIX, (2, 3))[0]
    for made in (
        heddle.sum(d),
        heddle.concatenate([d, d]),
        heddle.concatenate([heddle.ones((1, 6)), d]),
        heddle.ones(6) + d,
        heddle.linalg.norm(d),
        heddle.fft.fft(d.rechunk((2, 6))),
        numpy.concatenate([d, heddle.ones((1, 6))]),
    ):
        assert isinstance(made, dask.Array)
    assert float(heddle.sum(d).compute()) == MATRIX.sum()


# --- Numba ---


@pytest.mark.written_outside
def test_numba():
    numba = pytest.importorskip("numba")

    @numba.njit
    def doubled(a):
        total = 0.0
        for i in range(a.shape[0]):
            total += a[i]
            a[i] *= 2
        return total

    @numba.njit
    def total(a):
        return a.sum()

    x = heddle.arange(5.0)
    assert doubled(x) == 10 and x.tolist() == [0, 2, 4, 6, 8]  # in our memory
    assert doubled(x) == 20
    assert doubled(numpy.arange(5.0)) == 10
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[0]):
        for dtype in ("f4", "i8", "c16", "?"):
            a = numpy.arange(12).reshape(3, 4).astype(dtype)
            assert total(view(heddle.asarray(a))) == view(a).sum()
    assert total.signatures  # compiled, not run by the interpreter
    fixed = heddle.ones(3)
    fixed.flags.writeable = False
    with pytest.raises(numba.TypingError):
        doubled(fixed)
    assert numba.njit(lambda n: n + 1)(x.sum()) == 41
    assert_exact(numba.njit(lambda a: a * 2)(x), x.get() * 2)


# --- TensorFlow ---


def test_tensorflow():
    tensorflow = pytest.importorskip("tensorflow")
    a = numpy.arange(6, dtype="f4").reshape(2, 3)
    tensor = tensorflow.experimental.dlpack.from_dlpack(heddle.asarray(a).toDlpack())
    assert_exact(tensor.numpy(), a)
    assert_exact(heddle.from_dlpack(tensor), a)
    assert_exact(heddle.asarray(tensor), a)
    assert_exact(tensorflow.constant(heddle.asarray(a)).numpy(), a)


# --- scikit-learn ---

ESTIMATORS = """
import numpy, sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler
import heddle

x = numpy.random.default_rng(0).standard_normal((60, 5))
y = (x[:, 0] + x[:, 1] > 0).astype(int)
for use in (
    lambda x, y: StandardScaler().fit_transform(x),
    lambda x, y: MinMaxScaler().fit_transform(x),
    lambda x, y: abs(PCA(3, svd_solver="full").fit_transform(x)),
    lambda x, y: Ridge(solver="svd").fit(x, x[:, 0] * 2).predict(x),
    lambda x, y: LinearDiscriminantAnalysis().fit(x, y).predict(x),
):
    with sklearn.config_context(array_api_dispatch=True):
        made = use(heddle.asarray(x), heddle.asarray(y))
    assert isinstance(made, heddle._core.own_array), type(made)
    numpy.testing.assert_allclose(made.get(), use(x, y), rtol=1e-9, atol=1e-12)
with sklearn.config_context(array_api_dispatch=True):
    assert accuracy_score(heddle.asarray(y), heddle.asarray(y)) == 1
"""


def test_estimators_of_scikit_learn():
    pytest.importorskip("sklearn")
    # scikit-learn wants SciPy's mode in the environment, before SciPy is imported.
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", ESTIMATORS], check=True, env=environment)


# --- sparse matrices ---


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia", "lil"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_functions_of_numpys_names_on_sparse_matrices(format, kind):
    """They call the matrix's methods, as NumPy's do."""
    sparse = pytest.importorskip("scipy.sparse")
    a = numpy.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    theirs = getattr(sparse, f"{format}_{kind}")(a)
    for ours in (getattr(heddle.scipy.sparse, f"{format}_{kind}")(heddle.asarray(a)), theirs):
        for name in ("sum", "mean", "size"):
            expected = getattr(numpy, name)(theirs)
            assert float(getattr(heddle, name)(ours)) == float(expected)
        for axis in (0, 1):
            made = heddle.sum(ours, axis=axis)
            assert isinstance(made, _core.own_array)
            assert made.ravel().tolist() == a.sum(axis).tolist()
        assert [part.tolist() for part in heddle.nonzero(ours)] == [[0, 0, 1], [0, 2, 1]]
        if format != "lil":
            for name in ("sqrt", "abs", "sin", "transpose"):
                made = getattr(heddle, name)(ours)
                expected = getattr(numpy, name)(theirs)
                assert type(made).__name__ == type(expected).__name__
                numpy.testing.assert_allclose(
                    heddle.asnumpy(made.toarray()), expected.toarray(), rtol=1e-15
                )
        with pytest.raises(TypeError):  # NumPy makes an array of matrices
            heddle.add(ours, heddle.ones((2, 3)), out=heddle.ones((2, 3)))
