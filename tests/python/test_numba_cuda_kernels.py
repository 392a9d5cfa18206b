"""Kernels under ``heddle.numba.cuda.jit``: what Numba's do beside those of `simt.kernel`."""

import numpy as np
import pytest

from heddle.numba import cuda


@pytest.mark.unrecorded("is about errors")
def test_debug_mode_finds_divisions_by_zero():
    def divide(r, x, y):
        r[0] = y[0] / x[0]
        r[1] = y[0]

    r, x, y = np.zeros(2), np.zeros(1), np.ones(1)
    cuda.jit(divide)[1, 1](r, x, y)
    assert np.isinf(r[0]) and r[1] == 1
    checked = cuda.jit(debug=True, opt=False)(divide)
    with pytest.raises(ZeroDivisionError, match=r"division by zero.*thread \(0, 0, 0\)"):
        checked[1, 1](np.zeros(2), x, y)

    @cuda.jit(debug=True, opt=False)
    def whole(r, x):
        i = cuda.grid(1)
        r[i] = 7 // x[i] + 7 % x[i]

    r = np.zeros(4, np.int64)
    whole[1, 4](r, np.arange(1, 5))
    assert r.tolist() == [7, 4, 3, 4]
    with pytest.raises(ZeroDivisionError):
        whole[1, 4](r, np.arange(4))


def test_debug_mode_finds_items_that_a_tuple_has_not():
    def item(a, out):
        x = cuda.threadIdx.x
        if x < out.size:
            out[x] = a.shape[x - 2]

    out = np.zeros(3, np.int64)
    cuda.jit(debug=True, opt=False)(item)[1, 2](np.zeros((2, 5)), out[:2])
    assert out.tolist() == [2, 5, 0]
    with pytest.raises(IndexError, match="tuple index out of range"):
        cuda.jit(debug=True, opt=False)(item)[1, 3](np.zeros(2), out)


def test_ufuncs_of_numbers_write_to_arrays():
    @cuda.jit
    def functions(a, b, out, sums):
        np.sin(a, out)
        np.add(a, b, sums)

    out, sums = np.zeros(1), np.zeros(3)
    functions[1, 1](0.5, 2.0, out, sums)
    np.testing.assert_allclose(out, np.sin(0.5), rtol=1e-15)
    np.testing.assert_array_equal(sums, [2.5, 2.5, 2.5])
