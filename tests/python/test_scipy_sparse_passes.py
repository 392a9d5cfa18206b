"""Passes over sparse matrices on the host, which other devices do in other ways.

Diagonals, products of formats that are not compressed, stacks, elements one by one.
"""

import numpy
import pytest
from sparse_support import KINDS, both, dense, outcome, theirs

import heddle
from heddle.scipy import sparse


def same(call, *pairs):
    """A call on ours and on SciPy's."""
    found = outcome(call, *(pair[0] for pair in pairs))
    expected = outcome(call, *(pair[1] for pair in pairs))
    numpy.testing.assert_equal(found, expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (1, 4), (4, 1)])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
def test_diagonals_and_products_with_vectors(format, shape, dtype):
    pair = both(format, "array", dense(shape, dtype))
    for k in (0, 1, -1, 3, -3, 9, -9):
        same(lambda a, k=k: a.diagonal(k), pair)
    for other in ("bool", "int64", "float64", "complex64"):
        x = dense((shape[1],), other, density=0.8, seed=1)
        same(lambda a, x: a @ x, pair, (heddle.asarray(x), x))
    same(lambda a, x: a @ x, pair, (heddle.ones(9), numpy.ones(9)))


def test_products_add_duplicates():
    rows, columns = numpy.array([1, 0, 1, 2, 1]), numpy.array([2, 0, 2, 1, 0])
    values = numpy.array([1.0, 2.0, 3.0, 4.0, 5.0])
    given = [heddle.asarray(each) for each in (values, rows, columns)]
    ours = sparse.coo_array((given[0], (given[1], given[2])), shape=(3, 3))
    found = heddle.asnumpy(ours @ heddle.arange(3.0))
    numpy.testing.assert_array_equal(found, [0.0, 8.0, 4.0])


@pytest.mark.parametrize("shape", [(4, 4), (3, 6), (6, 3)])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_diagonals(kind, shape):
    data = numpy.arange(12.0).reshape(3, 4)
    for offsets in ([0, 1, -1], [2, -2, 0], [-1, 5, 1], [9, -9, 0]):
        pair = both("dia", kind, (data, numpy.array(offsets)), shape=shape)
        same(lambda a: a.tocsr(), pair)
        same(lambda a: a.tocsc(), pair)
        rows = pair[0].tocsr()
        assert rows.has_canonical_format and bool(heddle.all(rows.data != 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("format", "name"), [("csr", "vstack"), ("csc", "hstack")])
def test_stacks_of_compressed_ones(format, name, kind):
    flat = dense((3, 4)) if name == "vstack" else dense((4, 3))
    parts = [both(format, kind, flat.astype(each)) for each in ("int8", "float32", "complex64")]
    pairs = list(zip(*parts, strict=True))

    def check(ours, expected, **options):
        found = getattr(sparse, name)(list(ours), **options)
        wanted = getattr(theirs, name)(list(expected), **options)
        assert (type(found).__name__, found.dtype) == (type(wanted).__name__, wanted.dtype)
        numpy.testing.assert_array_equal(heddle.asnumpy(found.toarray()), wanted.toarray())

    check(*pairs)
    check(*pairs, dtype="complex128")
    check(*pairs, format="coo")
    check(pairs[0][:1], pairs[1][:1])
    mixed = both("coo", kind, flat)
    check((pairs[0][0], mixed[0]), (pairs[1][0], mixed[1]))
    wrong = both(format, kind, dense((5, 5)))
    for module, given in ((sparse, [parts[0][0], wrong[0]]), (theirs, [parts[0][1], wrong[1]])):
        with pytest.raises(ValueError, match=r"incompatible|mismatching"):
            getattr(module, name)(given)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32", "complex128"])
@pytest.mark.parametrize("format", ["lil", "dok"])
def test_elements_one_by_one(format, dtype):
    values = (0, 3, -1, 2.5, True, 1j, 300, numpy.float64(1.5), numpy.int8(2), 0.0)
    places = ((0, 1), (-1, 2), (1, -4), (5, 0), (0, -9), (numpy.int64(1), 1))
    for place in places:
        beyond = place in ((5, 0), (0, -9))  # one mistake at a time
        for value in values[:1] if beyond else values:

            def write(a, place=place, value=value):
                a[0, 1] = 1
                a[place] = value
                return a.toarray(), a[place], a[1, 1]

            same(write, both(format, "array", (3, 4), dtype=dtype))
