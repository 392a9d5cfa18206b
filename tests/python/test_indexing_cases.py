"""Indexing by particular means: functions that take and put, masks, orders of memory, errors."""

import itertools
import warnings

import numpy
import pytest
from compare import check, outcome
from support import DTYPES, assert_exact, grid, name

import heddle

# --- particular cases ---


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_every_type(dtype):
    values = numpy.arange(12).reshape(3, 4).astype(dtype)
    a = heddle.asarray(values)
    index = numpy.array([2, 0, 2])
    assert_exact(a[index], values[index])
    assert_exact(a[1:, [0, 3]], values[1:, [0, 3]])
    assert_exact(a[values != 0], values[values != 0])
    a[index] = heddle.ones((3, 4), dtype)
    values[index] = 1
    a[:, 1] = 0
    values[:, 1] = 0
    assert_exact(a, values)


def test_errors():
    check(lambda np: grid(np, 3)[3])
    check(lambda np: grid(np, 3)[-4])
    check(lambda np: grid(np, 3)[0, 0])
    check(lambda np: grid(np, 3)[[3]])
    check(lambda np: grid(np, 3)[[0, -4]])
    check(lambda np: grid(np, 3)[1.0])
    check(lambda np: grid(np, 3)["a"])
    check(lambda np: grid(np, 3)[[0.5]])
    check(lambda np: grid(np, 3)[[True, False]])
    check(lambda np: grid(np, 3, 2)[..., ...])
    check(lambda np: grid(np, 3, 2)[[0, 1], [0, 1, 2]])
    check(lambda np: grid(np, 3)[::0])
    check(lambda np: np.asarray(5)[0])
    check(lambda np: grid(np, 3)[{}])
    check(lambda np: grid(np, 3)[np.zeros(2)])


def test_values_for_a_mask_of_every_element():
    def changed(np, mask, value):
        a = grid(np, 2, 3)
        a[mask(a)] = np.asarray(value)
        return a

    for mask in (lambda a: a > 1, lambda a: (a > 1,), lambda a: a[:, 0] > 1, lambda a: a > 9):
        for value in (7, [7], [[7]], [[1, 2, 3, 4]], [1, 2, 3, 4], numpy.ones((2, 3), int)):
            check(lambda np, m=mask, v=value: changed(np, m, v))


def test_errors_leave_the_target_alone():
    a = heddle.arange(6)
    for index, value in [([0, 9], 1), ([0, 1], [1, 2, 3]), (slice(None), [1, 2]), (7, 1)]:
        with pytest.raises((IndexError, ValueError)):
            a[index] = value
        assert_exact(a, numpy.arange(6))


def test_assigning_out_of_range_numbers():
    def assigned(np, dtype, value):
        a = np.zeros(2, dtype)
        a[0] = value
        return a

    check(lambda np: assigned(np, np.uint8, 256))
    check(lambda np: assigned(np, np.uint8, -1))
    check(lambda np: assigned(np, np.int8, 2.9))
    check(lambda np: assigned(np, np.float32, 1e300))
    check(lambda np: assigned(np, bool, 5))
    check(lambda np: assigned(np, int, 1j))
    check(lambda np: assigned(np, np.uint8, np.asarray(300)))


def test_repeated_indices_last_wins():
    def written(np):
        a = np.zeros(3, int)
        a[[0, 0, 2, 2]] = [1, 2, 3, 4]
        return a

    check(written)


def test_take():
    for mode in ("raise", "wrap", "clip"):
        check(lambda np, m=mode: np.take(grid(np, 3, 4), [0, -1, 2], axis=1, mode=m))
        check(lambda np, m=mode: np.take(grid(np, 3, 4), [[0, 11], [5, 20]], mode=m))
        check(lambda np, m=mode: np.take(grid(np, 3, 4).T, [0, -9], axis=0, mode=m))
        for index in ([3, -4, 0], [4, 1], [-5], [100, -100]):
            check(lambda np, m=mode, i=index: np.take(grid(np, 4), i, mode=m))
            check(lambda np, m=mode, i=index: np.take(grid(np, 9)[::-2], [i, i], mode=m))
    check(lambda np: np.take(grid(np, 3, 4), 1))
    check(lambda np: np.take(grid(np, 3, 4), 1, axis=0))
    check(lambda np: np.take([4, 3, 5], []))
    check(lambda np: np.take([4, 3, 5], [True, False]))
    check(lambda np: np.take([4, 3, 5], np.asarray([0.5])))
    check(lambda np: np.take(np.zeros((0, 2)), [0], axis=0))
    check(lambda np: np.take(np.zeros((0, 2)), [], axis=0))
    check(lambda np: np.take([4, 3], [0], axis=1))
    check(lambda np: np.take([4, 3], [0], mode="nothing"))
    check(lambda np: np.take([4, 3, 5], [0, 2], out=np.zeros(2, int)))
    check(lambda np: np.take([4, 3, 5], [0, 2], out=np.zeros(3, int)))


def test_takes_of_nothing():
    check(lambda np: np.take(np.zeros((0, 2)), [2], axis=1))
    check(lambda np: np.take(np.zeros((0, 2)), [1], axis=0))
    check(lambda np: np.take(np.zeros((0, 0)), [1], axis=1))
    check(lambda np: np.compress([True, True, True], np.zeros((0, 2)), axis=-1))


def test_put():
    def put(np, target, *args, **kwargs):
        np.put(target, *args, **kwargs)
        return target

    for mode in ("raise", "wrap", "clip"):
        check(lambda np, m=mode: put(np, grid(np, 3, 4), [0, -2, 5], [7, 8], mode=m))
        check(lambda np, m=mode: put(np, grid(np, 3, 4), [0, 30], [7, 8], mode=m))
    check(lambda np: put(np, grid(np, 5), [], [1]))
    check(lambda np: put(np, grid(np, 5), [1], []))
    check(lambda np: put(np, grid(np, 5), 1, 2.7))
    check(lambda np: np.put([1, 2], 0, 1))

    def put_transposed(np):
        a = grid(np, 3, 4)
        np.put(a.T, [1, -1, 5], [70, 80, 90])
        return a

    check(put_transposed)


def test_along_axis():
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([[2, 0], [1, -1]]), 1))
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([[1, 0, 1]]), axis=0))
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([5, 0]), axis=None))
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([[3], [0]]), axis=1))
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([0]), axis=1))
    check(lambda np: np.take_along_axis(grid(np, 2, 3), np.asarray([[0.0]]), axis=1))

    def put(np, *args):
        a = grid(np, 2, 3)
        np.put_along_axis(a, *args)
        return a

    check(lambda np: put(np, np.asarray([[2], [0]]), 9, 1))
    check(lambda np: put(np, np.asarray([[1, 0, 1]]), np.asarray([[5, 6, 7]]), 0))
    check(lambda np: put(np, np.asarray([5, 0]), 9, None))
    check(lambda np: put(np, np.asarray([[3]]), 9, 1))


def test_choose_where_select():
    choices = [[0, 1, 2], [10, 11, 12], [20, 21, 22]]
    check(lambda np: np.choose([2, 0, 1], choices))
    check(lambda np: np.asarray([2, 0, 1]).choose(*np.asarray(choices)))
    check(lambda np: np.asarray([5, 0, 1]).choose(*np.asarray(choices), mode="clip"))
    check(lambda np: np.choose([2, 0, 1], np.asarray(choices) * 1.5))
    check(lambda np: np.choose([[2], [0]], [1, np.arange(3), 5.5]))
    check(lambda np: np.choose([3, 0, 1], choices))
    check(lambda np: np.choose([-1, 0, 1], choices))
    check(lambda np: np.choose([3, -1, 1], choices, mode="wrap"))
    check(lambda np: np.choose([3, -1, 1], choices, mode="clip"))
    check(lambda np: np.choose([0, 1, 1], choices, out=np.zeros(3, int)))
    check(lambda np: np.choose([0, 0], [[5, 6]]))
    check(lambda np: np.where([True, False], [1, 2], [3.5, 4.5]))
    check(lambda np: np.where(np.asarray([[1], [0]]), np.arange(3, dtype=np.int8), 1))
    check(lambda np: np.where(np.asarray([1, 0]), np.arange(2, dtype=np.float32), 1.5))
    check(lambda np: np.where(True, 1, 2))
    check(lambda np: np.where([0, 3, 0, 4]))
    check(lambda np: np.where([0, 3], 1))
    check(lambda np: np.where([0, 3], [1, 2], [1, 2, 3]))
    a = [1, 5, 9]
    check(lambda np: np.select([np.asarray(a) < 3, np.asarray(a) < 6], [a, np.asarray(a) * 2.0]))
    check(lambda np: np.select([[True, False]], [[1, 2]], default=7))
    check(lambda np: np.select([[True, False], [True, True]], [1, 2.5]))
    check(lambda np: np.select([], []))
    check(lambda np: np.select([[True]], [1, 2]))
    check(lambda np: np.select([[1, 0]], [1]))


def test_nonzero_family():
    values = [[0, 1, 0], [2, 0, 3]]
    for dtype in (bool, int, float, complex, numpy.float16):
        check(lambda np, t=dtype: np.nonzero(np.asarray(values, t)))
        check(lambda np, t=dtype: np.flatnonzero(np.asarray(values, t)))
        check(lambda np, t=dtype: np.argwhere(np.asarray(values, t)))
    check(lambda np: np.nonzero(np.zeros((0, 2))))
    check(lambda np: np.nonzero(np.zeros((2, 2)).T))
    check(lambda np: np.nonzero(5))
    check(lambda np: np.argwhere(5).shape)
    check(lambda np: np.nonzero([float("nan"), -0.0]))
    check(lambda np: np.compress([True, False, True], grid(np, 3, 4), axis=0))
    check(lambda np: np.compress([0, 1], grid(np, 3, 4), axis=1))
    check(lambda np: np.compress([0, 1, 1, 0], grid(np, 3, 4)))
    check(lambda np: np.compress([[True]], grid(np, 3)))
    check(lambda np: np.compress([0, 0, 0, 1], grid(np, 3)))
    check(lambda np: np.extract(grid(np, 3, 4) % 3 == 0, grid(np, 3, 4)))


def test_place_and_putmask():
    def changed(np, function, *args):
        a = grid(np, 2, 3)
        getattr(np, function)(a, *args)
        return a

    mask = [[True, False, True], [True, True, False]]
    for function in ("place", "putmask"):
        for values in ([9], [7, 8], [1, 2, 3, 4, 5, 6, 7], 5, [[10, 20, 30], [40, 50, 60]], [2.5]):
            check(lambda np, f=function, v=values: changed(np, f, mask, v))
        check(lambda np, f=function: changed(np, f, [True], 5))
        check(lambda np, f=function: getattr(np, f)([1], [True], 5))
        for values in ([1j], []):  # the size of the mask comes before the type of the values
            check(lambda np, f=function, v=values: changed(np, f, [True], np.asarray(v)))
        for values in (numpy.array([2.5]), numpy.array(2.5), numpy.float64(2.5), numpy.int8(3)):
            given = (lambda np, v: np.asarray(v)) if numpy.ndim(values) else (lambda np, v: v)
            check(lambda np, f=function, v=values, g=given: changed(np, f, mask, g(np, v)))
    check(lambda np: changed(np, "place", mask, []))
    check(lambda np: changed(np, "place", np.zeros((2, 3), bool), []))


def test_index_builders():
    check(lambda np: grid(np, 4, 5)[np.ix_([0, 2], [1, 3, 4])])
    check(lambda np: np.ix_([True, False, True], [2, 1]))
    check(lambda np: np.ix_([], [2, 1]))
    check(lambda np: np.ix_([[1]]))
    for order in "CF":
        check(lambda np, o=order: np.ravel_multi_index(([0, 1], [2, 0]), (2, 3), order=o))
        check(lambda np, o=order: np.unravel_index([0, 5, 3], (2, 3), o))
    check(lambda np: np.ravel_multi_index((3, -1), (2, 3), mode=("clip", "wrap")))
    check(lambda np: np.ravel_multi_index(([2], [0]), (2, 3)))
    check(lambda np: np.ravel_multi_index(([1],), (2, 3)))
    # No coordinates at all, however wrong those are that are broadcast to none.
    for shape in ((3, 1), (3, 0)):
        check(lambda np, s=shape: np.ravel_multi_index((-1, np.empty((0, 1), int)), s))
    check(lambda np: np.ravel_multi_index(np.asarray([[0, 1], [2, 0]]), (2, 3)))
    check(lambda np: np.unravel_index(6, (2, 3)))
    check(lambda np: np.unravel_index(-1, (2, 3)))
    check(lambda np: np.unravel_index(5, (2, 3)))
    check(lambda np: np.unravel_index([], (2, 3)))
    check(lambda np: np.unravel_index([0.5], (2, 3)))
    check(lambda np: np.unravel_index([0], ()))
    check(lambda np: np.unravel_index(1, (2**40, 2**40)))
    check(lambda np: np.unravel_index(np.asarray([5, 1], np.uint64), (2, 3)))
    check(lambda np: np.ravel_multi_index((0.5, 0), (2, 3)))
    check(lambda np: np.ravel_multi_index(([], []), (2, 3)))
    check(lambda np: np.ravel_multi_index(np.asarray([[0, 1], [2, 0]], np.uint64), (2, 3)))
    check(lambda np: np.ravel_multi_index((), ()))
    check(lambda np: np.ravel_multi_index((0,), (0,), mode="clip"))
    check(lambda np: np.ravel_multi_index((0, 0), (2**40, 2**40)))


def test_masks_without_elements():
    for mask in (numpy.zeros(0, bool), numpy.zeros((0, 3), bool)):
        check(lambda np, m=mask: grid(np, 2, 3)[np.asarray(m)])

        def written(np, m=mask):
            a = grid(np, 2, 3)
            a[np.asarray(m)] = 9
            return a

        check(written)
    check(lambda np: grid(np, 2, 3)[:, np.asarray(numpy.zeros(0, bool))])
    check(lambda np: grid(np, 2, 3)[np.asarray(numpy.zeros(1, bool))])


def test_zero_dimensions_along_an_axis():
    check(lambda np: np.take(np.asarray(3), [0, 0], axis=0))
    check(lambda np: np.take(np.asarray(3), 0, axis=1))
    check(lambda np: np.repeat(np.asarray(3), 2, axis=-1))
    check(lambda np: np.compress([True], np.asarray(3), axis=0))
    check(lambda np: np.squeeze(np.asarray(3), axis=0))
    check(lambda np: np.squeeze(np.asarray(3), axis=1))


def test_values_of_puts_are_converted_first():
    for function in ("put", "place", "putmask"):
        where = [0, 2] if function == "put" else [True, False, True]
        check(lambda np, f=function, w=where: getattr(np, f)(grid(np, 3), w, [1j, 2]))
        check(lambda np, f=function, w=where: getattr(np, f)(grid(np, 3, dtype="u1"), w, [300]))
    check(lambda np: grid(np, 3).fill(np.asarray([1])))
    check(lambda np: np.take(np.asarray([1.5, 2.5]), [1], out=np.zeros(1, int)))


FLAT_KEYS = (
    *((), (0,), (0, 1), (slice(1, 3),), ([1, 2],), ..., None, "a", 5, 99, [0, 2], [[0, 2]], []),
    *([True, 1], [True, True], numpy.array([1.0]), numpy.array([[True, False]]), range(2), "ab"),
    *(numpy.arange(6) % 2 == 0, numpy.ones(7, bool), numpy.array([], bool), numpy.array(3), [[]]),
)


def assign(np, key, value=50):
    made = grid(np, 2, 3)
    made.flat[key] = value
    return made


def test_flat_keys():
    for key in FLAT_KEYS:
        check(lambda np, k=key: grid(np, 2, 3).flat[k])
        check(lambda np, k=key: assign(np, k))


@pytest.mark.skipif(numpy.__version__[:3] != "2.4", reason="what NumPy 2.4 deprecates")
def test_flat_keys_that_are_deprecated():
    for key in (True, False, numpy.array(True), 1.0, [1.0, 2.0], numpy.float64(1)):
        for filtered in ("error", "ignore"):
            with warnings.catch_warnings():
                warnings.simplefilter(filtered, DeprecationWarning)
                check(lambda np, k=key: grid(np, 2, 3).flat[k])
                check(lambda np, k=key: assign(np, k))


def test_lists_that_are_no_indices():
    for key in ([slice(None)], ["1"], [None], ([0], ["a"]), (slice(0.5, None), 0.0), slice(0.5, 1)):
        check(lambda np, k=key: grid(np, 3, 4)[k])
    masked = numpy.ma.array([0, 1], mask=[True, False])
    with pytest.raises(TypeError, match="masked"):
        grid(heddle, 3)[masked]


def test_errors_of_writes_say_the_shape():
    def write(np):
        np.zeros((3, 4, 5))[[0, 1], ..., 0] = np.zeros((100, 100))

    error = outcome(write, heddle)[1]
    assert isinstance(error, ValueError) and str(error) == str(outcome(write, numpy)[1])


def test_diagonals():
    for offset in (-2, -1, 0, 1, 3, 9):
        check(lambda np, k=offset: np.diagonal(grid(np, 3, 4), k))
        check(lambda np, k=offset: np.diagonal(grid(np, 2, 3, 4), k, 2, 0))
        check(lambda np, k=offset: np.trace(grid(np, 3, 4), k))
        check(lambda np, k=offset: np.trace(grid(np, 2, 3, 4), k, 1, -1, dtype=float))
    check(lambda np: np.diagonal(grid(np, 3)))
    check(lambda np: np.diagonal(grid(np, 3, 3), 0, 0, 0))
    check(lambda np: np.trace(grid(np, 3, 4, dtype=np.int8)))

    def filled(np, *args, shape=(3, 3)):
        a = np.zeros(shape, int)
        np.fill_diagonal(a, *args)
        return a

    check(lambda np: filled(np, 5))
    check(lambda np: filled(np, [1, 2]))
    check(lambda np: filled(np, 5, shape=(7, 3)))
    check(lambda np: filled(np, 5, True, shape=(9, 3)))
    check(lambda np: filled(np, 5, shape=(2, 4)))
    check(lambda np: filled(np, [1, 2, 3], shape=(3, 3, 3)))
    check(lambda np: filled(np, 1, shape=(3,)))
    check(lambda np: filled(np, 1, shape=(3, 2, 3)))


def test_windows():
    for np in (numpy, heddle):
        a = grid(np, 4, 5)
        window = np.lib.stride_tricks.sliding_window_view(a, (2, 3))
        assert window.shape == (3, 3, 2, 3)
    check(lambda np: np.lib.stride_tricks.sliding_window_view(grid(np, 4, 5), (2, 3)))
    check(lambda np: np.lib.stride_tricks.sliding_window_view(grid(np, 4, 5), 3, axis=1))
    check(lambda np: np.lib.stride_tricks.sliding_window_view(grid(np, 4, 5), 6, axis=1))
    check(lambda np: np.lib.stride_tricks.sliding_window_view(grid(np, 4, 5), 2))
    check(lambda np: np.lib.stride_tricks.as_strided(grid(np, 6), (2, 3), (8, 16)))
    for bounds in ({}, {"check_bounds": True}):
        with pytest.raises(ValueError, match="out of bounds"):
            heddle.lib.stride_tricks.as_strided(heddle.arange(3), (4,), (8,), **bounds)


def test_python_functions():
    check(lambda np: np.apply_along_axis(lambda r: r.sum(), 1, grid(np, 2, 3)))
    check(lambda np: np.apply_along_axis(lambda r: r * 2, 0, grid(np, 2, 3)))
    check(lambda np: np.apply_along_axis(lambda r: np.diag(r), -1, grid(np, 2, 3)))
    check(lambda np: np.apply_over_axes(np.sum, grid(np, 2, 3, 4), [0, 2]))
    x = [-1.0, 0.0, 2.0]
    check(lambda np: np.piecewise(x, [np.asarray(x) < 0], [-1, lambda v: v * 3]))
    check(lambda np: np.piecewise(x, [np.asarray(x) < 0], [lambda v: -v, 10]))
    check(lambda np: np.piecewise(x, [np.asarray(x) < 0], [1, 2, 3]))
    check(lambda np: [(i, int(v)) for i, v in np.ndenumerate(grid(np, 2, 2))])
    check(lambda np: list(np.ndindex(2, 2)))
    check(lambda np: np.vectorize(lambda a, b: a + b)([1, 2], np.asarray([[3], [4]])))
    calls = []
    named = heddle.vectorize(calls.append, otypes=[bool])
    named.cache = True
    assert named.__name__ == calls.append.__name__
    assert named(heddle.arange(3)).shape == (3,)
    assert len(calls) == 3


def test_memory_order_follows_the_indices():
    def program(np):
        a, b = np.arange(10), np.arange(10).reshape(5, 2).T
        column = a.reshape(-1, 1)
        return [a[b].strides, column[b, 0].strides, a[b], column[b, 0]]

    check(program)


EVERY = slice(None)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize(
    "index",
    [
        ([0, 2],),
        (EVERY, [0, 2, 1]),
        (EVERY, EVERY, [[0, 2, 1], [1, 1, 3]]),
        ([0, 1], EVERY, [1, 3]),
        (slice(None, None, -1), [2, 0]),
        (EVERY, [True, False, True, True]),
        (..., 1, [0, 1, 0]),
    ],
    ids=str,
)
def test_memory_order_follows_the_array(index, axes):
    """Arrays in C's order give results in C's order; of others, as NumPy's."""
    back = numpy.argsort(axes)
    a = numpy.arange(60).reshape([(3, 4, 5)[axis] for axis in axes]).transpose(back)
    made = heddle.asarray(numpy.ascontiguousarray(a.transpose(axes))).transpose(back)[index]
    assert_exact(made, a[index])
    expected = a[index] if axes != (0, 1, 2) else a[index].copy("C")
    assert made.strides == expected.strides


def test_select_casts_its_choices():
    check(lambda np: np.select([np.asarray([True, False])], [np.zeros(2, "u1")], -1))
    check(lambda np: np.select([np.asarray([True, False])], [300], np.zeros(2, "i1")))


def test_flat_iterators_as_indices():
    check(lambda np: np.arange(9).reshape(3, 3).flat[np.array([[0, 5, 6]]).flat])


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize("width", [1, 5, 64, 133])
def test_whole_rows_at_given_places(dtype, width):
    rng = numpy.random.default_rng(width)
    x = rng.integers(0, 2 if dtype.kind == "b" else 100, (40, width)).astype(dtype)
    places = rng.integers(-40, 40, 70)
    a, i = heddle.asarray(x), heddle.asarray(places)
    assert_exact(a[i], x[places])
    assert_exact(a.take(i, 0), x.take(places, 0))
    assert_exact(a[i][:, 1:], x[places][:, 1:])
    assert_exact(a[:, 1:][i], x[:, 1:][places])
    assert_exact(a[i[:6], None, ::2], x[places[:6], None, ::2])
    # Of rows that are written more than once the last one stays.
    rows = rng.integers(0, 2, (70, width)).astype(dtype)
    a[i], x[places] = heddle.asarray(rows), rows
    assert_exact(a, x)
    a[i] = a[i[::-1]]
    x[places] = x[places[::-1]]
    assert_exact(a, x)
    if dtype.kind in "iu":
        heddle.add.at(a, i, heddle.asarray(rows))
        numpy.add.at(x, places, rows)
        assert_exact(a, x)


@pytest.mark.parametrize(
    "shape", [s for n in range(4) for s in itertools.product(range(3), repeat=n)], ids=str
)
@pytest.mark.parametrize("target", [(5,), (5, 2), (5, 0)], ids=str)
def test_writes_of_nothing(target, shape):
    def write(np):
        a = np.zeros(target)
        a[np.asarray([], dtype="i8")] = np.zeros(shape)
        return a

    check(write)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
def test_where_of_arrays_and_numbers(dtype):
    for x in (2.5, 3, True, numpy.float32(1.5), numpy.arange(4.0), [1, 2, 3, 4]):
        for y in (0.5, numpy.zeros((3, 1), "f4"), 1j):
            check(lambda np, x=x, y=y: np.where(np.ones((3, 4), dtype), x, y))
            check(lambda np, x=x, y=y: np.where(np.asarray(True), x, y))
            check(lambda np, x=x, y=y: np.where(np.arange(12).reshape(3, 4) % 2 == 0, x, y))


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0,), (2, 3, 0), (2, 0, 3), (0, 0)])
@pytest.mark.parametrize("indices", [[5], [0], [], [-1], [[0, 1]], [-5]])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_of_arrays_without_elements(shape, indices, mode):
    for axis in (None, *range(len(shape))):
        if mode == "wrap" and (axis is None or shape[axis] == 0):
            continue  # there NumPy may go round for ever
        check(lambda np, a=axis: np.take(np.ones(shape), np.asarray(indices, int), a, mode=mode))
        check(lambda np, a=axis: np.ones(shape).take(indices or np.zeros(0, int), a, mode=mode))


@pytest.mark.parametrize(
    "index",
    [
        (5, slice(0, 2, 0)),
        (slice(0, 2, 0), 5),
        (slice(0, 2, 0), 1, 1),
        ([5], slice(0, 2, 0)),
        (slice(None, None, 0),),
        (slice(0, 2, 0), "text"),
        (slice("a", 2, 0), 5),
        (..., slice(0, 2, numpy.int8(0))),
        (None, slice(0, 2, False)),
    ],
    ids=str,
)
def test_steps_of_zero_have_their_turn(index):
    def assign(x):
        x[index] = 1

    for use in (lambda x: x[index], assign):
        errors = []
        for np in (numpy, heddle):
            with pytest.raises((IndexError, ValueError, TypeError)) as error:
                use(np.ones((3, 3)))
            errors.append((error.type, str(error.value)))
        assert errors[1] == errors[0]


@pytest.mark.parametrize(
    "index", [(0,), (0, slice(None)), (slice(None), 1), (None, 0), (0, ..., 1)]
)
def test_integers_in_arrays_select_copies(index):
    """An integer is part of a view, an array of indices is not, even if it has no dimensions."""

    def written(np, made):
        x = np.arange(24).reshape(2, 3, 4)
        part = x[tuple(made(np, i) if isinstance(i, int) else i for i in index)]
        part[...] = -1
        return x

    check(lambda np: written(np, lambda np, i: np.array(i)))
    check(lambda np: written(np, lambda np, i: numpy.array(i)))
    check(lambda np: written(np, lambda np, i: numpy.int64(i)))
    check(lambda np: written(np, lambda np, i: np.array([i, 3]).min()))  # a number, as in NumPy
