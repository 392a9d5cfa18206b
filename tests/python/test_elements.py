"""Single elements: read and written one by one, and arithmetic on the numbers they are."""

import copy
import ctypes
import decimal
import enum
import fractions
import json
import operator
import pickle
import threading
import warnings

import numpy
import pytest
from support import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    UNSIGNED,
    assert_exact,
    bfloat16,
    edge_values,
    host,
    name,
    random_values,
)

import heddle


def both(values):
    """The same elements for NumPy and here, in memory already."""
    mine = heddle.array(values)
    mine.eval()
    return values.copy(), mine


def raised(action):
    """What an action raises, or nothing."""
    try:
        action()
    except Exception as error:
        return type(error)
    return None


# --- reading ---


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_elements_are_read_with_all_their_bits(dtype):
    theirs, mine = both(edge_values(dtype))
    for i in range(-len(theirs), len(theirs)):
        element = mine[i]
        assert element.shape == () and element.ndim == 0 and element.size == 1
        assert element.dtype == dtype
        assert_exact(host(element), theirs[[i]].reshape(()))


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::-1, 1::2],
        lambda a: a[1:].T[::-1],
        lambda a: a.reshape(10, 2),
        lambda a: a[:, None, :][:, 0],
    ],
)
def test_elements_of_views_are_where_numpy_has_them(view):
    theirs, mine = both(numpy.arange(20.0).reshape(4, 5))
    theirs, mine = view(theirs), view(mine)
    for i in range(theirs.shape[0]):
        for j in range(-theirs.shape[1], 0):
            assert float(mine[i, j]) == theirs[i, j]
            mine[i, j] = theirs[i, j] = 100 * i + j
    assert_exact(host(mine), theirs)


@pytest.mark.parametrize(
    "index", [4, -5, (0, 5), (4, 0), (-5, -6), (0, -6), (0, 0, 0), 2**70, -(2**70), (0, 2**64)]
)
def test_what_is_out_of_range_raises_and_changes_nothing(index):
    theirs, mine = both(numpy.arange(20.0).reshape(4, 5))
    for a in (theirs, mine):
        with pytest.raises(IndexError):
            a[index]
        with pytest.raises(IndexError):
            a[index] = 1
    assert_exact(host(mine), theirs)


def test_messages_name_the_index_as_numpy_does():
    theirs, mine = both(numpy.zeros((2, 3)))
    for index in [(2, 0), (0, -4), (-3, 0)]:
        with pytest.raises(IndexError) as expected:
            theirs[index]
        with pytest.raises(IndexError) as given:
            mine[index]
        assert str(given.value) == str(expected.value)


def test_an_element_that_was_read_keeps_its_value():
    _, x = both(numpy.arange(5.0))
    before = x[2]
    later = before + 1
    x[2] = 9
    assert (float(before), float(later), float(x[2])) == (2, 3, 9)


def test_elements_of_pending_work_are_read():
    x = heddle.arange(6.0) * 2
    element = x[3]
    x[3] = 1.0
    assert float(element) == 6 and float(x[3]) == 1


def test_an_element_is_a_scalar_that_is_never_written():
    _, x = both(numpy.arange(5.0))
    element = same = x[1]
    element += 1
    assert float(same) == 1 and float(element) == 2 and float(x[1]) == 1
    if isinstance(same, numpy.generic):
        with pytest.raises(TypeError):
            same[()] = 3
    view = same[...]
    view[...] = 7
    assert float(same) == 1 and float(x[1]) == 1


def test_an_element_is_an_array_to_all_that_ask_for_one():
    for value in (1.5, 3, True, 1 + 2j):
        theirs, mine = both(numpy.array([value, value]))
        element = mine[1]
        assert str(element) == str(theirs[1])
        assert hash(element) == hash(theirs[1])
        assert element.item() == theirs[1].item()
        assert_exact(host(pickle.loads(pickle.dumps(mine[1]))), numpy.asarray(theirs[1]))
        assert_exact(host(copy.copy(mine[1])), numpy.asarray(theirs[1]))
        assert_exact(host(mine[0].reshape(1, 1)), theirs[:1].reshape(1, 1))
        assert_exact(host(heddle.stack([mine[0], mine[1]])), theirs)
        assert_exact(host(mine[0].astype("c16")), numpy.asarray(theirs[0].astype("c16")))
        assert_exact(host(mine[0].copy()), numpy.asarray(theirs[0]))
    indices = heddle.array([2, 0])
    assert float(heddle.arange(5.0)[indices[0]]) == 2
    assert list(range(5))[indices[0]] == 2


def test_iteration_gives_elements():
    theirs, mine = both(numpy.arange(7, dtype="i2"))
    assert [int(v) for v in mine] == list(theirs)
    assert [int(v) for v in reversed(mine)] == list(theirs)[::-1]
    rows = [host(row) for row in heddle.arange(6).reshape(2, 3)]
    assert_exact(numpy.stack(rows), numpy.arange(6).reshape(2, 3))


# --- writing ---


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_numbers_are_written_as_numpy_writes_them(dtype):
    numbers = [0, 1, -1, 2.5, -0.0, True, 3 + 4j, 300, 2**40, 2**63, 2**70, -(2**63)]
    numbers += [float("nan"), float("inf"), 1e300]
    if dtype == bfloat16:
        numbers.remove(2**63)  # ml_dtypes takes none beyond int64
        numbers.remove(2**70)
    for number in numbers:
        theirs, mine = both(numpy.zeros(3, dtype))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = raised(lambda a=theirs, n=number: operator.setitem(a, 1, n))
            assert raised(lambda a=mine, n=number: operator.setitem(a, 1, n)) == expected, number
        assert_exact(host(mine), theirs)


@pytest.mark.parametrize("source", DTYPES, ids=name)
@pytest.mark.parametrize("target", DTYPES, ids=name)
def test_elements_are_cast_on_their_way_to_another(source, target):
    values = random_values(source, 4, low=0, high=3)
    theirs, mine = both(numpy.zeros(4, target))
    _, elements = both(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(4):
            theirs[i] = values.astype(target)[i]
            mine[i] = elements[i]
    assert_exact(host(mine), theirs)


def test_a_cast_that_loses_the_imaginary_part_warns():
    x, z = heddle.zeros(3), heddle.array([1 + 2j])
    with pytest.warns(numpy.exceptions.ComplexWarning):
        x[1] = z[0]
    assert host(x).tolist() == [0, 1, 0]


def test_a_write_is_seen_through_views_of_views():
    _, x = both(numpy.arange(12.0).reshape(3, 4))
    row = x[1]
    part = row[::-1][1:]
    part[0] = 50
    x[1, 0] = 60
    assert host(row).tolist() == [60, 5, 50, 7]
    assert host(part).tolist() == [50, 5, 60]
    assert float(x[1, 2]) == 50


def test_a_write_is_not_seen_by_copies_nor_by_what_was_pending():
    _, x = both(numpy.arange(4.0))
    copied = x.copy()
    doubled = x * 2
    total = x.sum()
    last = x[3:] + 1
    x[3] = 100
    assert host(copied).tolist() == [0, 1, 2, 3]
    assert host(doubled).tolist() == [0, 2, 4, 6]
    assert float(total) == 6 and host(last).tolist() == [4]
    copied[0] = 7
    assert host(x).tolist() == [0, 1, 2, 100]


def test_a_pending_number_is_written_after_it_has_read_the_target():
    _, x = both(numpy.arange(5.0))
    x[2] = x[1:].sum() + x[2]
    x[0] = x.max()
    x[1] -= x @ x
    assert host(x).tolist() == [12, 1 - (144 + 1 + 144 + 9 + 16), 12, 3, 4]


def test_constants_that_are_not_in_memory_yet_are_written():
    x = heddle.zeros(4, int)
    y = heddle.full((2, 2), 3.0)
    x[1] = 5
    y[0, 1] = x[1]
    assert host(x).tolist() == [0, 5, 0, 0] and host(y).tolist() == [[3, 5], [3, 3]]
    assert host(heddle.zeros(4, int)).tolist() == [0, 0, 0, 0]


def test_read_only_arrays_refuse():
    x = heddle.arange(4.0)
    x.flags.writeable = False
    for value in (1.0, heddle.arange(3.0)[1]):
        with pytest.raises(ValueError, match="read-only"):
            x[1] = value
    with pytest.raises(ValueError, match="read-only"):
        heddle.broadcast_to(heddle.arange(3.0), (2, 3))[0, 1] = 1
    assert host(x).tolist() == [0, 1, 2, 3]


def test_an_element_takes_no_sequence():
    theirs, mine = both(numpy.arange(4.0))
    for a, np in ((theirs, numpy), (mine, heddle)):
        with pytest.raises(ValueError):
            a[1] = np.arange(2.0)
        with pytest.raises(ValueError):
            a[1] = [1.0, 2.0]
    assert_exact(host(mine), theirs)


def test_zero_dimensional_arrays_are_written():
    for np in (numpy, heddle):
        a = np.zeros(())
        view = a[...]
        a[()] = 2.5
        assert float(view) == 2.5
        view[...] = np.arange(3.0)[1]
        assert float(a) == 1
        a += np.arange(3.0)[2]
        assert float(view) == 3


@pytest.mark.host_memory
def test_shared_memory_is_read_and_written_in_place():
    theirs = numpy.arange(4.0)
    alias = heddle.asarray(theirs, copy=False)
    alias[1] = 10
    theirs[2] = 20
    assert theirs[1] == 10 and float(alias[2]) == 20
    lent = heddle.arange(4.0)
    view = numpy.from_dlpack(lent)
    lent[3] = 30
    assert view[3] == 30


def test_elements_go_to_other_types_of_views():
    theirs, mine = both(numpy.zeros(4, "f4"))
    for a in (theirs, mine):
        a.view("u4")[1] = 0x3F800000
        a[2] = a.view("i4")[1]
    assert_exact(host(mine), theirs)
    for a in (theirs, mine):
        assert int(a.view("u2")[3]) == 0x3F80


def test_slices_and_elements_fill_with_numbers():
    theirs, mine = both(numpy.arange(12.0).reshape(3, 4))
    for a in (theirs, mine):
        a[1] = a[0, 1]
        a[:, 2] = a[2, 3]
        a[a > 8] = a[0, 0]
        a[[0, 2], 1] = a[1, 1]
        a[2:, :1] += a[1, 0]
    assert_exact(host(mine), theirs)


# --- arithmetic ---

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]


def number(x, i):
    """An element as a result of ours, which computes as arrays do."""
    return heddle.array(x[i])[()]


def in_arrays(operation, *operands):
    """What arrays of one element give, which the other tests hold against NumPy; or the error."""
    try:
        return host(operation(*operands).eval()).reshape(())
    except Exception as error:
        return type(error)


def of_elements(operation, *operands):
    try:
        return host(operation(*operands))
    except Exception as error:
        return type(error)


def assert_same(given, expected):
    if isinstance(expected, type) or isinstance(given, type):
        assert given == expected
    else:
        assert_exact(given, expected)


@pytest.mark.host_memory
@pytest.mark.unrecorded("is about numbers, which are pending while somebody records")
def test_numbers_are_computed_at_once():
    _, x = both(numpy.arange(4.0))
    assert not (number(x, 1) + number(x, 2)).pending
    assert not (number(x, 1) + x[2]).pending
    assert not heddle.sqrt(x.sum().eval() * 2).pending
    assert (heddle.arange(1000.0).sum() + x[1]).pending


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize("operation", BINARY, ids=lambda f: f.__name__)
def test_numbers_compute_what_arrays_do(operation, dtype):
    values = edge_values(dtype)[:10]
    _, mine = both(values)
    for i in range(len(values)):
        a, b = number(mine, i), number(mine, -1 - i)
        one, other = mine[i : i + 1], mine[::-1][i : i + 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_same(of_elements(operation, a, b), in_arrays(operation, one, other))
            for weak in (2, -1, 0.5, True, 3, 300, 2**64):
                assert_same(of_elements(operation, a, weak), in_arrays(operation, one, weak))
                assert_same(of_elements(operation, weak, a), in_arrays(operation, weak, one))


@pytest.mark.parametrize("left", DTYPES, ids=name)
@pytest.mark.parametrize("right", DTYPES, ids=name)
def test_types_of_numbers_mix_as_those_of_arrays(left, right):
    _, a = both(random_values(left, 3, seed=1, low=1))
    _, b = both(random_values(right, 3, seed=2, low=1))
    for operation in (operator.add, operator.truediv, operator.lt, heddle.maximum):
        expected = in_arrays(operation, a[1:2], b[1:2])
        if isinstance(expected, type):
            assert raised(lambda f=operation: f(number(a, 1), number(b, 1))) == expected
        else:
            assert_exact(host(operation(number(a, 1), number(b, 1))), expected)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, *INTEGERS], ids=name)
@pytest.mark.parametrize(
    "function", ["sqrt", "exp", "sin", "isfinite", "negative", "absolute", "square", "sign"]
)
def test_functions_of_numbers_are_those_of_arrays(function, dtype):
    values = random_values(dtype, 4, low=1)
    theirs, mine = both(values)
    function = getattr(heddle, function)
    for i in range(4):
        expected = host(function(mine[i : i + 1]))
        given = host(function(mine[i]))
        assert given.dtype == expected.dtype
        numpy.testing.assert_allclose(given, expected[0], rtol=4 * 2.0**-10)
    assert_exact(host(mine), theirs)


def test_integers_that_their_type_does_not_hold_overflow():
    for dtype in [*UNSIGNED, numpy.dtype("i1")]:
        theirs, mine = both(numpy.ones(2, dtype))
        for a in (theirs, mine):
            with pytest.raises(OverflowError):
                a[0] + 2**70
            assert bool(a[0] < 2**70)
            assert bool(a[0] > -(2**70))


def test_numbers_meet_arrays():
    theirs, mine = both(numpy.arange(6.0).reshape(2, 3))
    for operation in (operator.add, operator.truediv, operator.pow, operator.le):
        with numpy.errstate(all="ignore"):
            assert_exact(host(operation(mine, mine[1, 1])), operation(theirs, theirs[1, 1]))
            assert_exact(host(operation(mine[1, 1], mine)), operation(theirs[1, 1], theirs))
    small, element = heddle.arange(3, dtype="f4"), mine[1, 0]
    assert (small * element).dtype == numpy.float64
    assert (small * heddle.arange(3)[1]).dtype == numpy.float64
    assert (heddle.arange(3, dtype="i2") + heddle.ones(2, "i1")[0]).dtype == numpy.int16
    assert_exact(host(heddle.where(mine[0] > 0, mine[1, 1], mine[0, 1])), numpy.array([1.0, 4, 4]))


def test_truth_and_conversions():
    theirs, mine = both(numpy.array([0.0, -0.0, 2.5, numpy.nan]))
    for a, b in zip(theirs, mine, strict=True):
        assert bool(a) == bool(b)
        assert str(complex(a)) == str(complex(b))
    assert int(mine[2]) == 2
    assert raised(lambda: int(mine[3])) is ValueError
    assert raised(lambda: operator.index(mine[2])) is TypeError
    assert operator.index(heddle.arange(4)[3]) == 3
    assert round(float(mine[2])) == 2
    assert divmod(mine[2], 2) == divmod(2.5, 2)


def test_threads_may_share_a_number():
    _, x = both(numpy.arange(100.0))
    elements = [x[i] for i in range(100)]
    sums = [0.0] * 4

    def work(n):
        for element in elements:
            sums[n] += float((element.reshape(1) + element).sum())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [2 * 4950.0] * 4


def test_loops_of_linear_algebra_give_the_factors():
    rng = numpy.random.default_rng(0)
    start = rng.uniform(-1, 1, (12, 12)) + 12 * numpy.eye(12)
    results = []
    for np in (numpy, heddle):
        a = np.array(start)
        for i in range(12):
            for j in range(i):
                a[i, j] -= a[i, :j] @ a[:j, j]
                a[i, j] /= a[j, j]
            for j in range(i, 12):
                a[i, j] -= a[i, :i] @ a[:i, j]
        results.append(a)
    numpy.testing.assert_allclose(host(results[1]), results[0], rtol=1e-13)


# --- rows of few elements ---


def _orthogonal(np, a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r, a


def _toeplitz(np, a):
    r = a[0] / 20
    y = np.empty_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return (y,)


def _sparse(np, a):
    rows, columns = np.array([0, 2, 2, 5, 9]), np.array([3, -1, 0, 1, 2, 3, 3, -2, 1])
    y = np.zeros(4)
    for i in range(4):
        at = slice(rows[i], rows[i + 1])
        y[i] = a.ravel()[at] @ a[1][columns[at]]
    return (y,)


def _shifted(np, a):
    for i in range(1, a.shape[0]):
        a[i, 1:] += a[i, :-1] * 0.5 - a[i - 1, 1:]  # reads what it writes one place further
        a[i, ::2] = a[i, ::-2] + 1
        a[1:, i % a.shape[1]] *= 2
        a[i, [0, -1]] += a[0][np.array([1, 1])]
    return (a,)


@pytest.mark.parametrize("loop", [_orthogonal, _toeplitz, _sparse, _shifted])
def test_loops_over_rows(loop):
    start = numpy.random.default_rng(3).uniform(1, 2, (7, 5))
    for _ in range(3):  # memory that was made by a write is written to in another way
        expected, found = loop(numpy, start.copy()), loop(heddle, heddle.array(start))
        for want, got in zip(expected, found, strict=True):
            numpy.testing.assert_allclose(host(got), want, rtol=1e-12, atol=1e-12)


def test_rows_that_are_written_leave_what_was_read():
    a = heddle.array(numpy.arange(20.0))
    a[0:2] = a[2:4] * 1  # from here on it is memory that a write made
    heddle.eval(a)
    before, view, doubled = a.copy(), a[5:10], a[5:10] * 2  # pending, of the old elements
    held = a[1:4] + 1
    a[5:8] += a[6:9]
    a[10:13] = held
    assert doubled.tolist() == [10.0, 12.0, 14.0, 16.0, 18.0]
    assert before[5:8].tolist() == [5.0, 6.0, 7.0] and view.tolist() == [11.0, 13.0, 15.0, 8.0, 9.0]
    assert a[10:13].tolist() == held.tolist() == [4.0, 3.0, 4.0]


@pytest.mark.parametrize(
    "items",
    [
        [numpy.float64(1.5), 2, True],
        [numpy.int64(-3), numpy.int64(2**62), 4],
        [numpy.bool_(True), False],
        [numpy.complex128(1 + 2j), numpy.float64(0.5), 3],
        [[numpy.float64(1), numpy.int64(2)], (3.0, numpy.bool_(False))],
        [numpy.float32(0.1), numpy.float64(0.1)],
        [numpy.uint8(200), numpy.int64(1)],
        [numpy.float64(numpy.nan), numpy.float64(-0.0)],
    ],
    ids=repr,
)
def test_lists_of_numbers(items):
    for dtype in (None, "float64", "float32", "complex128", "int64"):
        expected = found = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = numpy.array(items, dtype=dtype)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    heddle.array(items, dtype=dtype)
                continue
            found = heddle.array(items, dtype=dtype)
        if dtype == "int64" and expected.size and not numpy.isfinite(items[0]).all():
            continue  # nan as an integer is whatever it is
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(host(found), expected)
    numbers = [heddle.sin(numpy.float64(1.0)), heddle.array([2.0])[0] * 2, 3]
    for _ in range(2):  # making an array of them leaves them what they are
        assert host(heddle.array(numbers)).tolist() == [numpy.sin(1.0), 4.0, 3.0]


def test_elements_of_little_work():
    a = heddle.array(numpy.arange(4.0))
    b = a * 2 + 1
    assert b[1] == 3 and [float(v) for v in (b + a)[1:]] == [4.0, 7.0, 10.0]
    c = b - a
    d = c * c
    a[0] = 100
    assert (c[0], d[3]) == (1.0, 16.0)


@pytest.mark.unrecorded("elements of what is recorded are pending")
@pytest.mark.skipif(heddle.default_device() != "cpu", reason="elements of host memory")
def test_elements_of_ranges_are_numpys():
    for made in (heddle.arange(3.0), heddle.arange(5)[1:] * 2, heddle.eye(2)[0]):
        expected = made.copy().get()[1]
        assert type(made[1]) is type(expected) and made[1] == expected
    assert json.dumps(heddle.arange(3.0)[1]) == "1.0"


def test_few_indices_are_checked():
    a = heddle.array(numpy.arange(5.0))
    heddle.eval(a)
    indices = heddle.array([0, -5, 4])
    assert a[indices].tolist() == [0.0, 0.0, 4.0]
    for wrong in (5, -6, 2**62):
        indices[1] = wrong
        with pytest.raises(
            IndexError, match=f"index {wrong} is out of bounds for axis 0 with size 5"
        ):
            a[indices].tolist()


# --- numbers that are not quite Python's ---


class _Count(int):
    pass


class _Length(float):
    pass


class _Wave(complex):
    pass


class _Colour(enum.IntEnum):
    RED = 1
    LARGE = 300


@pytest.mark.parametrize("operation", ["eq", "ne", "lt", "add", "sub", "mul", "floordiv", "pow"])
@pytest.mark.parametrize(
    "number", [_Count(2), _Length(0.5), _Wave(1 + 2j), _Colour.RED, _Colour.LARGE], ids=repr
)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f4", "c8"])
def test_numbers_of_derived_classes(dtype, number, operation):
    values = numpy.array([0, 1, 2, 3]).astype(dtype)
    operate = getattr(operator, operation)

    def use(x):
        try:
            return operate(x, number), operate(number, x)
        except TypeError:
            return None

    expected, found = use(values), use(heddle.asarray(values))
    assert (expected is None) == (found is None)
    for theirs, ours in zip(expected or (), found or (), strict=True):
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-6)


@pytest.mark.parametrize("relation", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("number", [fractions.Fraction(3, 2), decimal.Decimal(1)], ids=repr)
def test_numbers_that_no_array_holds_are_compared(number, relation):
    compare = getattr(operator, relation)
    values = numpy.array([[0.5, 1.0, 1.5], [2.0, -1.0, 1.5]])
    x = heddle.asarray(values)
    assert_exact(compare(x, number), compare(values, number))


@pytest.mark.host_memory
def test_numbers_that_no_array_holds_are_objects():
    values = numpy.array([0.5, 1.0, 1.5])
    x, half = heddle.asarray(values), fractions.Fraction(1, 2)
    assert (x + half).tolist() == (values + half).tolist()
    assert (half * x).tolist() == (half * values).tolist()
    with pytest.raises(TypeError):
        x + decimal.Decimal(1)


def put_at(module, mode):
    x = module.arange(3)
    module.put(x, [7], 1, mode=mode)
    return x


@pytest.mark.parametrize("mode", [None, 0, 1, 2, "raise", "wrap", "clip", "r", 1.5])
def test_modes_by_name_and_by_number(mode):
    for call in (
        lambda m: m.take(m.arange(3), [5, 1], mode=mode),
        lambda m: m.take(m.arange(3), [2, 1], mode=mode),
        lambda m: m.arange(3).take([5], mode=mode),
        lambda m: m.choose([0, 3], [[1, 2], [3, 4]], mode=mode),
        lambda m: m.ravel_multi_index(([5], [0]), (3, 4), mode=mode),
        lambda m: m.ravel_multi_index(([5], [0]), (3, 4), mode=(mode, "raise")),
        lambda m: put_at(m, mode),
    ):
        try:
            expected = call(numpy)
        except (IndexError, ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                host(call(heddle))
        else:
            numpy.testing.assert_array_equal(host(call(heddle)), expected)


@pytest.mark.host_memory
def test_sequences_of_c_have_bounds():
    put = ctypes.pythonapi.PySequence_SetItem
    put.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object]
    for np in (numpy, heddle):
        x = np.arange(4)
        for i in (-4, 3):
            put(x, i, 7)
        for i in (-5, 4):
            with pytest.raises(IndexError):
                put(x, i, 9)
        assert x.tolist() == [7, 1, 2, 7]
