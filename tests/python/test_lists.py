"""Arrays of lists of short vectors, and of NumPy's scalars."""

import numpy
import pytest
from support import DTYPES, assert_exact, bfloat16, name, random_values

import heddle


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_lists_of_short_vectors(dtype):
    """Few elements that are in memory are copied at the call, others are joined."""
    a = random_values(dtype, (6, 5), 11)
    x = heddle.asarray(a).eval()
    for rows in (
        lambda v: [v[0], v[1]],
        lambda v: (v[2][::-1], v[:5, 1], v[3]),
        lambda v: [v[0]] * 300,
        lambda v: [v[0], v[1] + v[2]],
        lambda v: [v[0, :0], v[1, :0]],
    ):
        assert_exact(heddle.array(rows(x)), numpy.array(rows(a)))
    made = heddle.array([x[0], x[1]])
    made[0] = made[1]
    assert_exact(x, a)
    assert_exact(heddle.array([x[0], a[1].tolist()], dtype), numpy.array([a[0], a[1]], dtype))
    with pytest.raises(ValueError, match="inhomogeneous"):
        heddle.array([x[0], x[1, :2]])


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_arrays_of_numpys_scalars(dtype):
    if dtype == bfloat16:
        pytest.skip("no scalar of NumPy's")
    for value in random_values(dtype, (3,), 5):
        for function in ("array", "asarray"):
            made = getattr(heddle, function)(value)
            assert type(made) is heddle.ndarray
            assert_exact(made, getattr(numpy, function)(value))
            made[...] = made + made
