"""NumPy's functions inside of compiled functions: those that are loops there."""

import os
import subprocess
import sys

import numpy as np
import pytest

import heddle as hd
from heddle import _core, numba, simt
from heddle.simt import KernelError

ROW = np.array([3.0, -1.5, 7.25, 0.0, 7.25, -8.0, 2.0, 5.5])
WITH_NAN = np.array([1.0, np.nan, 3.0, -2.0])
INTEGERS = np.array([5, 3, 9, 1, 3, 0], np.int32)
MATRIX = np.arange(12.0).reshape(3, 4) - 5


def argmax(x):
    return np.argmax(x), x.argmax(), np.argmin(x), x.argmin()


def sums(x):
    return np.cumsum(x), x.cumsum(), np.cumprod(x)


def order(x):
    return np.sort(x), np.sort(x * 2 + 1)


def places(x):
    return np.argsort(x, kind="stable"), np.median(x)


def search(x):
    ordered = np.sort(x)
    return (
        np.searchsorted(ordered, 3),
        np.searchsorted(ordered, 3, side="right"),
        np.searchsorted(ordered, x),
        np.digitize(x, ordered),
    )


def moved(x):
    return np.diff(x), np.roll(x, 3), np.roll(x, -1), np.repeat(x, 2), np.concatenate((x, x[:2]))


def compared(x):
    return np.clip(x, 0, 4), x.clip(1, 2), np.isclose(x, x + 1e-9), np.allclose(x, x * 2), np.ptp(x)


def picked(x):
    return x[x > 1], x[np.array([2, 0, 1])], np.flatnonzero(x), np.nonzero(x > 2)[0]


def products(x):
    return np.outer(x, x[:2]), np.cross(x[:3], x[1:4]), np.linalg.norm(x * 1.0)


@pytest.mark.parametrize("x", [ROW, INTEGERS, ROW[::-2], ROW.astype("f4")], ids=str)
@pytest.mark.parametrize(
    "function", [argmax, sums, order, places, search, moved, compared, picked, products]
)
def test_of_a_row(function, x):
    for got, wanted in zip(numba.njit(function)(x), function(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
        assert np.shape(got) == np.shape(wanted)
        if isinstance(wanted, np.ndarray):
            assert type(got) is np.ndarray and got.dtype.kind == wanted.dtype.kind


@pytest.mark.parametrize("x", [WITH_NAN, WITH_NAN[::-1], np.array([np.nan, 1.0, np.nan])], ids=str)
def test_what_is_no_number_comes_last(x):
    @numba.njit
    def compiled(x):
        return np.argmax(x), np.argmin(x), np.sort(x), np.argsort(x), np.median(x)

    wanted = np.argmax(x), np.argmin(x), np.sort(x), np.argsort(x, kind="stable"), np.median(x)
    for got, one in zip(compiled(x), wanted, strict=True):
        np.testing.assert_array_equal(got, one)


@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 31, 33, 100, 1000, 4097])
def test_sorting_of_any_length(count):
    @numba.njit
    def compiled(x):
        return np.sort(x), np.argsort(x)

    x = np.random.default_rng(count).integers(0, 50, count)
    ordered, at = compiled(x)
    np.testing.assert_array_equal(ordered, np.sort(x))
    np.testing.assert_array_equal(at, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?"])
def test_of_rows_and_columns(dtype):
    @numba.njit
    def compiled(x):
        return (
            (np.sum(x, axis=0), x.sum(axis=1), x.sum(-1), np.prod(x, 0), np.mean(x, axis=1)),
            (x.min(axis=0), np.max(x, axis=1), x.mean(0), np.argmax(x), np.trace(x), x.flatten()),
        )

    x = MATRIX.astype(dtype)
    wanted = compiled.py_func(x)
    for some, others in zip(compiled(x), wanted, strict=True):
        for got, one in zip(some, others, strict=True):
            np.testing.assert_allclose(got, one, rtol=1e-6)
            if isinstance(one, np.ndarray):
                assert got.dtype == one.dtype


def test_matrices_and_tables():
    @numba.njit
    def compiled(x):
        made = np.eye(3), np.eye(2, 3, 1), np.identity(2), np.eye(2, dtype=np.int32)
        turned = np.ascontiguousarray(x.T)
        return (*made, turned, np.round(x / 3, 2), np.bincount(np.array([0, 3, 1, 3]), minlength=6))

    wanted = compiled.py_func(MATRIX)
    for got, one in zip(compiled(MATRIX), wanted, strict=True):
        np.testing.assert_array_equal(got, one)


def test_interpolation():
    @numba.njit
    def compiled(x, xp, fp):
        return np.interp(x, xp, fp), np.interp(2.5, xp, fp)

    xp, fp = np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.0, 8.0])
    x = np.array([0.0, 1.0, 1.5, 3.0, 4.0, 9.0])
    got = compiled(x, xp, fp)
    np.testing.assert_allclose(got[0], np.interp(x, xp, fp))
    assert got[1] == np.interp(2.5, xp, fp)


def test_results_are_of_whose_function_was_called():
    @hd.njit
    def compiled(x):
        return np.cumsum(x), hd.cumsum(x)

    of_numpy, ours = compiled(ROW)
    assert type(of_numpy) is np.ndarray and isinstance(ours, _core.own_array)
    np.testing.assert_array_equal(hd.asnumpy(ours), of_numpy)


def test_mistakes():
    @numba.njit
    def matrix(x):
        return np.convolve(x, x)

    with pytest.raises(KernelError, match="one dimension") as caught:
        matrix(MATRIX)
    assert "test_njit_numpy.py" in str(caught.value)

    @numba.njit
    def axis(x, n):
        return x.sum(axis=n)

    with pytest.raises(KernelError, match="an axis has to be known"):
        axis(MATRIX, 1)

    @numba.njit
    def empty(x):
        return np.argmax(x)

    with pytest.raises(ValueError, match="empty sequence"):
        empty(np.zeros(0))

    @numba.njit
    def mask(x, m):
        return x[m]

    with pytest.raises(IndexError):
        mask(ROW, np.array([True, False]))
    with pytest.raises(IndexError):
        mask(ROW, np.array([3, 99]))


def test_kernels_search_and_make_nothing():
    @simt.kernel
    def find(table, x, out):
        i = simt.grid(1)
        if i < x.size:
            out[i] = np.searchsorted(table, x[i]) + 10 * np.argmax(table)

    table, x, out = hd.arange(0.0, 8.0), hd.asarray([0.5, 3.0, 99.0]), hd.zeros(3, dtype="int64")
    find[1, 32](table, x, out)
    np.testing.assert_array_equal(hd.asnumpy(out), [71, 73, 78])

    @simt.kernel
    def made(x):
        x[0] = np.sort(x)[0]

    with pytest.raises(KernelError, match="kernels make none"):
        made[1, 1](hd.ones(3))


def test_the_next_process_finds_what_was_compiled(tmp_path):
    program = """
import numpy as np
from heddle.numba import njit
from heddle.simt import _host


@njit
def compiled(x):
    return np.argsort(x), np.median(x)


runs = []
plain = _host.HostCompiler._run
_host.HostCompiler._run = lambda self, signature: runs.append(1) or plain(self, signature)
print(compiled(np.array([3.0, 1.0, 2.0]))[0], len(runs) > 0)
"""
    file = tmp_path / "program.py"
    file.write_text(program)
    run = [sys.executable, str(file)]
    env = dict(os.environ, HEDDLE_CACHE_DIR=str(tmp_path / "cache"))
    said = [subprocess.check_output(run, env=env, text=True).strip() for _ in range(2)]
    assert said == ["[1 2 0] True", "[1 2 0] False"]
