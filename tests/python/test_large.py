"""Results larger than the caches, which are written past them."""

import numpy
import pytest
from support import host

import heddle as np

SIZE = (12 << 20) + 37  # an odd rest


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_large_results_are_complete(dtype):
    a = (numpy.arange(SIZE) % 101).astype(dtype)
    b = (numpy.arange(SIZE) % 13).astype(dtype)
    x, y = np.asarray(a), np.asarray(b)
    numpy.testing.assert_array_equal(host(x + y), a + b)
    numpy.testing.assert_array_equal(host(x[1:] * y[:-1]), a[1:] * b[:-1])
    numpy.testing.assert_array_equal(host(x == y), a == b)


def test_large_results_feed_the_next_kernel():
    a = numpy.arange(3_000_001, dtype=numpy.float64)
    x = np.asarray(a)
    first = x + 1
    first.eval()
    second = first * 2
    second += first
    numpy.testing.assert_array_equal(host(second), (a + 1) * 3)
    assert float(second.sum()) == float(((a + 1) * 3).sum())


@pytest.mark.parametrize("columns", [900, 1024, 1025, 1900, 2047, 2050, 4094])
def test_rows_that_no_vector_fits_are_complete(columns):
    a = (numpy.arange(13 * (columns + 2)) % 101).astype("f4").reshape(13, columns + 2)
    x = np.asarray(a)
    expected = (a[:-2, 1:-1] + a[2:, 1:-1]) * a[1:-1, :-2] - a[1:-1, 2:]
    numpy.testing.assert_array_equal(
        host((x[:-2, 1:-1] + x[2:, 1:-1]) * x[1:-1, :-2] - x[1:-1, 2:]), expected
    )
    y = np.zeros((14, columns + 3), "f4")
    y[1:-2, 2:-1] = x[1:-1, :-2] + x[:-2, 2:]
    a_whole = numpy.zeros((14, columns + 3), "f4")
    a_whole[1:-2, 2:-1] = a[1:-1, :-2] + a[:-2, 2:]
    numpy.testing.assert_array_equal(host(y), a_whole)
