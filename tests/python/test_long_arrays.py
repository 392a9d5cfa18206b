"""Arrays of many pieces: what is decided piece by piece, and vectors at the edges of pieces."""

import numpy
import pytest
from support import assert_exact, host

import heddle
from heddle import _core

SIZE = 150_000
DENSITIES = [0.0, 0.001, 0.5, 0.999, 1.0]


def mask_of(density, size=SIZE):
    return numpy.random.default_rng(3).random(size) < density


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "i8", "f8", "c16"])
def test_masks_select(dtype, density):
    a = (numpy.random.default_rng(0).random(SIZE) * 9).astype(dtype)
    mask = mask_of(density)
    x, m = heddle.asarray(a), heddle.asarray(mask)
    assert_exact(x[m], a[mask])
    assert_exact(x[7:-3][m[7:-3]], a[7:-3][mask[7:-3]])


@pytest.mark.parametrize("density", DENSITIES)
def test_places_of_true_elements(density):
    for size in (1, 31, 32_768, 32_769, SIZE):
        mask = mask_of(density, size)
        assert_exact(heddle.flatnonzero(heddle.asarray(mask)), numpy.flatnonzero(mask))


def test_bytes_that_are_not_one_are_true():
    octets = numpy.arange(SIZE).astype("u1")
    mask = heddle.asarray(octets).view(bool)
    assert_exact(heddle.flatnonzero(mask), numpy.flatnonzero(octets.view(bool)))
    assert_exact(heddle.asarray(octets)[mask], octets[octets.view(bool)])


@pytest.mark.parametrize("place", [None, 0, 65_535, 65_536, SIZE * 4 - 1])
def test_one_element_decides(place):
    a = numpy.zeros(SIZE * 4, bool)
    if place is not None:
        a[place] = True
    for values in (a, a.astype("f4")):
        x = heddle.asarray(values)
        for function in ("any", "all", "max", "min", "argmax", "argmin"):
            assert_exact(getattr(x, function)(), getattr(values, function)())
        assert_exact((x == 0).all(), (values == 0).all())
    rows = a.reshape(2, -1)
    assert_exact(heddle.asarray(rows).any(axis=1), rows.any(axis=1))


def test_any_beside_other_results():
    a = numpy.random.default_rng(0).random(SIZE)
    x = heddle.asarray(a)
    found, doubled, total = heddle.any(x > 0), x * 2, (x > 0).sum()
    heddle.eval(found, doubled, total)
    assert bool(found)
    assert int(host(total)) == int((a > 0).sum())
    assert_exact(doubled, a * 2)


def test_one_value_for_many_places():
    places = numpy.random.default_rng(0).integers(0, SIZE, SIZE)
    for dtype in ("?", "f4", "c16"):
        a = numpy.zeros(SIZE, dtype)
        x = heddle.asarray(a)
        a[places] = 1
        x[heddle.asarray(places)] = 1
        assert_exact(x, a)


def test_the_last_of_several_values_stays():
    places = numpy.random.default_rng(0).integers(0, 1000, SIZE)
    a, values = numpy.zeros(1000), numpy.arange(SIZE, dtype=float)
    x = heddle.asarray(a)
    a[places] = values
    x[heddle.asarray(places)] = heddle.asarray(values)
    assert_exact(x, a)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_sorted_already(dtype):
    a = numpy.arange(SIZE).astype(dtype)
    a[5:9] = a[5]
    x = heddle.asarray(a)
    assert_exact(heddle.argsort(x, kind="stable"), numpy.argsort(a, kind="stable"))
    assert_exact(heddle.sort(x), a)
    a[-1] = -1
    x = heddle.asarray(a)
    assert_exact(heddle.argsort(x, kind="stable"), numpy.argsort(a, kind="stable"))


@pytest.mark.parametrize("length", [255, 257, 316, 512, 513])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_rows_of_medium_length(dtype, length):
    a = (numpy.random.default_rng(0).random((200, length)) * 1000 - 500).astype(dtype)
    assert_exact(heddle.sort(heddle.asarray(a)), numpy.sort(a))


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
def test_elements_one_by_one(dtype):
    a = (numpy.random.default_rng(0).random(20_000) * 9).astype(dtype)
    x = heddle.asarray(a)
    items = list(x)
    x[...] = 0  # what was read before stays
    assert all(isinstance(item, (_core.own_array, numpy.generic)) for item in items)
    assert all(item.ndim == 0 for item in items)
    numpy.testing.assert_array_equal(numpy.array([item.item() for item in items], dtype), a)


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_reversed_bytes(dtype):
    a = (numpy.random.default_rng(0).random((40, 50)) * 90).astype(dtype)
    x = heddle.asarray(a)
    for ours, theirs in ((x, a), (x.T, a.T), (x[::3, 1:], a[::3, 1:])):
        assert ours.byteswap().tobytes() == theirs.byteswap().tobytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_many_bits(order):
    mask = mask_of(0.5).reshape(30, -1)
    for axis in (None, 0, 1):
        packed = numpy.packbits(mask, axis, order)
        x = heddle.packbits(heddle.asarray(mask), axis, order)
        assert_exact(x, packed)
        assert_exact(
            heddle.unpackbits(x, axis, None, order), numpy.unpackbits(packed, axis, None, order)
        )


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?"])
@pytest.mark.parametrize("exponent", [2, 2.0, -1.0])
def test_powers_that_are_other_operations(dtype, exponent):
    a = (numpy.random.default_rng(0).random(1000) * 9 + 1).astype(dtype)
    expected = numpy.power(a, exponent)
    numpy.testing.assert_array_max_ulp(host(heddle.power(heddle.asarray(a), exponent)), expected, 1)


def test_repeats_of_many_counts():
    counts = numpy.random.default_rng(0).integers(0, 4, 5000)
    a = numpy.arange(5000)
    x, c = heddle.asarray(a), heddle.asarray(counts)
    assert_exact(heddle.repeat(x, c), numpy.repeat(a, counts))
    assert_exact(heddle.repeat(x, c * 0), numpy.repeat(a, counts * 0))
    rows = a.reshape(50, 100)
    assert_exact(
        heddle.repeat(heddle.asarray(rows), counts[:100], axis=1),
        numpy.repeat(rows, counts[:100], axis=1),
    )
