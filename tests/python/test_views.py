"""Views and writes: what shares memory, what is seen through it, and what is not."""

import copy
import gc
import operator
import pickle

import numpy
import pytest
from compare import check
from support import DTYPES, assert_exact, host, launches, name

import heddle

pytestmark = pytest.mark.waiting


def grid(np, *shape, dtype=int):
    return np.arange(int(numpy.prod(shape)), dtype=dtype).reshape(shape)


# --- writes through chains of views ---

CHAINS = {
    "slice": lambda a: a[1:, ::2],
    "transpose": lambda a: a.T,
    "transposed slice": lambda a: a.T[1:, ::-2],
    "negative": lambda a: a[::-1, ::-1],
    "negative of negative": lambda a: a[::-1][1:][::-1],
    "row": lambda a: a[1],
    "column": lambda a: a[:, 2],
    "element as 0-d": lambda a: a[1, 2, ...],
    "newaxis": lambda a: a[None, :, None, 1:3],
    "reshape": lambda a: a.reshape(2, 10)[1, 3:],
    "ravel": lambda a: a.ravel()[::3],
    "swapaxes": lambda a: a.reshape(2, 2, 5).swapaxes(0, 2)[1:3],
    "empty": lambda a: a[2:2],
    "real": lambda a: a.real,
}


@pytest.mark.parametrize("chain", CHAINS)
def test_writes_through_views(chain):
    view = CHAINS[chain]

    def assign(np):
        a = grid(np, 4, 5)
        view(a)[...] = -1
        return a

    def add(np):
        a = grid(np, 4, 5)
        v = view(a)
        v += 100
        v *= 2
        return [a, v]

    def augment(np):
        a = grid(np, 4, 5)
        b = a * 2
        v = view(a)
        v += view(b)
        return [a, b]

    def later(np):
        a = grid(np, 4, 5)
        v = view(a)
        a += 1
        first = v + 0
        a[...] = 7
        return [a, v, first]

    for program in (assign, add, augment, later):
        check(program)


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_writes_of_every_type(dtype):
    def program(np):
        a = np.ones((3, 4), dtype)
        a[1:, ::2] = 0
        a.T[1, ::-1] = np.asarray([1, 0, 1], dtype)
        return a

    check(program)


def test_in_place_expression_of_the_issue():
    def program(np):
        x = grid(np, 4, 6, dtype=float)
        x.T[1:, ::-2] += 1
        x[:, 1:][:, ::2] *= 3
        return x

    check(program)


# --- overlapping reads and writes ---


def test_overlap():
    def shift_right(np):
        x = np.arange(10)
        x[1:] += x[:-1]
        return x

    def shift_left(np):
        x = np.arange(10)
        x[:-1] += x[1:]
        return x

    def reverse(np):
        x = np.arange(10)
        x[:] = x[::-1]
        return x

    def reverse_add(np):
        x = np.arange(10)
        x += x[::-1]
        return x

    def transpose(np):
        x = grid(np, 4, 4)
        x[...] = x.T
        return x

    def transpose_add(np):
        x = grid(np, 4, 4)
        x += x.T
        return x

    def broadcast_row(np):
        x = grid(np, 4, 4)
        x += x[1]
        return x

    def broadcast_column(np):
        x = grid(np, 4, 4)
        x -= x[:, :1]
        return x

    def rows_swapped(np):
        x = grid(np, 4, 3)
        x[[0, 2]] = x[[2, 0]]
        return x

    def windows(np):
        x = np.arange(12)
        x[2:8] = x[1:7] + x[3:9]
        x[::2] -= x[1::2]
        return x

    def far_apart(np):
        x = np.arange(12)
        x[:4] = x[8:]
        return x

    def by_mask(np):
        x = np.arange(12) - 6
        x[x < 0] = -x[x < 0]
        return x

    def element(np):
        x = np.arange(5)
        x += x[2]
        return x

    for program in (
        shift_right, shift_left, reverse, reverse_add, transpose, transpose_add, broadcast_row,
        broadcast_column, rows_swapped, windows, far_apart, by_mask, element,
    ):  # fmt: skip
        check(program)


def test_large_overlap():
    # Beyond one block of work: threads must not see each other's writes.
    def program(np):
        x = np.arange(300_000, dtype=np.float32)
        x[1:] += x[:-1]
        x[:-1] -= x[1:]
        x[...] = x[::-1]
        return x

    check(program)


# --- snapshots and copies ---


def test_elements_are_snapshots():
    x = heddle.arange(4)
    y = x[0]
    total = x.sum()
    x[0] = 5
    assert int(y) == 0
    assert int(total) == 6
    y += 1
    assert int(x[0]) == 5


SCALARS = {
    "element": lambda np, a: a[1],
    "element of none": lambda np, a: np.array(3.0)[()],
    "view of none": lambda np, a: np.array(3.0)[...],
    "view of an element": lambda np, a: a[1, ...],
    "copy.copy": lambda np, a: copy.copy(a[1]),
    "copy.deepcopy": lambda np, a: copy.deepcopy([a[1], a[1]])[1],
    "pickle": lambda np, a: pickle.loads(pickle.dumps(a[1])),
    "iteration": lambda np, a: list(a)[1],
    "unstack": lambda np, a: np.unstack(a)[1],
    "sum": lambda np, a: a.sum(),
    "sum of none": lambda np, a: np.sum(a[:0], initial=1),
    "median": lambda np, a: np.median(a),
    "nanmedian": lambda np, a: np.nanmedian(a),
    "quantile": lambda np, a: np.quantile(a, 0.5),
    "where": lambda np, a: np.where(a[1] > 0, a[1], a[2]),
    "real_if_close": lambda np, a: np.real_if_close(a[1]),
    "argsort": lambda np, a: np.argsort(a)[0],
    "array": lambda np, a: np.array(a[1]),
    "view": lambda np, a: a[1].view(),
    "imag": lambda np, a: a[1].imag,
    "imag of an array": lambda np, a: np.zeros(()).imag,
    "reshape": lambda np, a: a[1].reshape(()),
    "squeeze": lambda np, a: np.squeeze(a[1]),
    "flip": lambda np, a: np.flip(a[1]),
    "flip of an array": lambda np, a: np.flip(np.zeros(())),
    "take": lambda np, a: np.take(a, 1),
    "matmul": lambda np, a: a @ a,
    "tensordot": lambda np, a: np.tensordot(a, a, 1),
    "comparison beyond the type": lambda np, a: np.array(1, "u1") < -1,
    "iscomplex": lambda np, a: np.iscomplex(a[1]),
    "cond": lambda np, a: np.linalg.cond(np.eye(2)),
    "select": lambda np, a: np.select([a[1] > 0], [a[1]]),
    "i0": lambda np, a: np.i0(a[1]),
    "isin": lambda np, a: np.isin(a[1], a),
    "broadcast_arrays": lambda np, a: np.broadcast_arrays(a[1], a[2])[0],
}


@pytest.mark.parametrize("make", SCALARS.values(), ids=list(SCALARS))
def test_what_is_a_scalar_and_what_an_array(make):
    theirs, ours = make(numpy, numpy.arange(4.0)), make(heddle, heddle.arange(4.0))
    assert_exact(ours, theirs)
    scalar = isinstance(ours, numpy.generic) or ours._is_scalar
    assert scalar == isinstance(theirs, numpy.generic)


def test_views_of_scalars_do_not_change_them():
    x = heddle.arange(4)
    total = x.sum()
    v = heddle.atleast_1d(total)
    v[0] = 100
    assert int(total) == 6
    total.fill(3)
    zero = heddle.array(total)
    zero[...] = 3
    assert int(total) == 6
    same = total
    total[...] = 3  # as the array API standard wants
    assert int(same) == 3 and int(x.sum()) == 6


def test_zero_dimensional_views_write_through():
    def program(np):
        x = np.arange(4)
        v = x[1, ...]
        v += 10
        v[...] = v * 2
        z = np.zeros(())
        z[...] = 4
        z += 1
        return [x, z]

    check(program)


def test_results_made_before_a_write_keep_their_values():
    def program(np):
        x = np.arange(6.0)
        before = x * 2
        view_sum = x[1:4].sum()
        x[2:] = -1
        middle = x + before
        x *= 10
        return [x, before, view_sum, middle]

    check(program)


def test_copy_on_write():
    def program(np):
        a = np.arange(6)
        b = a.copy()
        c = b.copy()
        a[0] = 10
        b[1] = 20
        d = c[::2].copy()
        c[:] = 7
        return [a, b, c, d]

    check(program)


SELF_ASSIGNMENTS = {
    "row": lambda np, a, c: operator.setitem(a, 1, a[1]),
    "row of the copy": lambda np, a, c: operator.setitem(a, 1, c[1]),
    "columns of the copy": lambda np, a, c: operator.setitem(a, np.s_[:, 1:3], c[:, 1:3]),
    "pending": lambda np, a, c: operator.setitem(a, 1, (a + c)[1]),
    "masked": lambda np, a, c: np.copyto(a, a, where=a > 3),
    "masked copy": lambda np, a, c: np.copyto(a, c, where=a > 3),
    "indexed": lambda np, a, c: operator.setitem(a, [0, 1], c[[0, 1]]),
}


@pytest.mark.parametrize("assign", SELF_ASSIGNMENTS.values(), ids=list(SELF_ASSIGNMENTS))
def test_copies_survive_assignments_of_an_array_to_itself(assign):
    def program(np):
        a = np.asarray(numpy.arange(12.0).reshape(3, 4))
        c = a.copy()
        flat = a.flatten()
        assign(np, a, c)
        a[0, 0] = 99
        c[2, 2] = -1
        return [a, c, flat]

    check(program)


def test_copy_shares_until_written():
    a = heddle.ones(1_000_000).eval()
    heddle.reset_stats()
    b = a.copy()
    heddle.eval(b)
    assert heddle.stats()["bytes_allocated"] == 0
    b[0] = 2
    assert float(a[0]) == 1
    assert float(b[0]) == 2


@pytest.mark.unrecorded("is about memory, which recording holds")
def test_writes_in_place_do_not_copy():
    a = heddle.ones(1_000_000).eval()
    heddle.reset_stats()
    a[::2] += 1
    a *= 3
    a.eval()
    assert heddle.stats()["bytes_allocated"] < a.nbytes
    assert float(a[0]) == 6


# --- broadcast and strides ---


def test_broadcast_views():
    def program(np):
        a = np.arange(3)
        b = np.broadcast_to(a, (2, 3))
        first = b + 1
        a[0] = 50
        return [b, first, b.sum()]

    check(program)


def test_windows_see_writes():
    def program(np):
        a = np.arange(6)
        w = np.lib.stride_tricks.sliding_window_view(a, 3)
        before = w.sum(axis=1)
        a[2] = 100
        return [w, before, w.max(axis=1)]

    check(program)


def test_reinterpreted_views():
    def program(np):
        a = np.arange(4, dtype=np.float32)
        bits = a.view(np.int32)
        bits[1] = 0x40490FDB
        a[2] = -0.0
        halves = a.view(np.uint16)
        return [a, bits, halves]

    check(program)

    def parts(np):
        z = np.zeros(3, np.complex64)
        z.real[...] = [1, 2, 3]
        z.imag[1:] = -1
        z.real *= 2
        return [z, z.real, z.imag]

    check(parts)


# --- memory shared with NumPy ---


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_exported_memory_is_shared_both_ways():
    a = heddle.arange(6.0)
    outside = numpy.asarray(a)
    outside[1] = 50
    assert float(a[1]) == 50
    a[2] = 60
    a *= 2
    heddle.eval(a)
    assert outside[2] == 120
    assert_exact(a, outside)


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_outside_writes_never_change_earlier_results():
    a = heddle.arange(6.0)
    before = a + 1
    outside = numpy.asarray(a)
    after = a * 2
    view = a[1:3]
    outside[:] = -1
    assert_exact(before, numpy.arange(6.0) + 1)
    assert_exact(after, numpy.arange(6.0) * 2)
    assert_exact(view, [-1.0, -1.0])


def test_writes_to_views_of_exported_memory():
    host = numpy.arange(12.0).reshape(3, 4)
    a = heddle.asarray(host, copy=False)
    a.T[1:, ::2] += 100
    a[a > 105] = 0
    heddle.eval(a)
    expected = numpy.arange(12.0).reshape(3, 4)
    expected.T[1:, ::2] += 100
    expected[expected > 105] = 0
    numpy.testing.assert_array_equal(host, expected)


@pytest.mark.host_memory
def test_alias_outlives_its_array():
    a = heddle.arange(1000)
    outside = numpy.asarray(a)
    del a
    gc.collect()
    other = heddle.zeros(1000, int).eval()
    assert outside[999] == 999
    del other


def test_read_only_memory():
    host = numpy.arange(3.0)
    host.flags.writeable = False
    a = heddle.asarray(host, copy=False)
    with pytest.raises(ValueError):
        a[0] = 1
    with pytest.raises(ValueError):
        a += 1
    assert host[0] == 0


# --- failing writes change nothing ---


def test_failing_writes_leave_the_target():
    a = heddle.arange(6)
    failing = [
        lambda: a.__iadd__(heddle.ones(6)),
        lambda: a.__iadd__(heddle.ones(5, int)),
        lambda: a.__setitem__(slice(2), heddle.arange(3)),
        lambda: a.__setitem__([0, 1, 17], 5),
        lambda: a.__setitem__(0, 2**70),
    ]
    for attempt in failing:
        with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
            attempt()
        assert_exact(a, numpy.arange(6))


def test_many_views_of_one_array():
    def program(np):
        a = np.zeros(200, int)
        views = [a[i::7] for i in range(7)]
        for i, v in enumerate(views):
            v += i
            v[::2] *= 2
        return [a, *views]

    check(program)


# --- memory order of results ---


def test_results_keep_the_order_around_axes_of_one():
    for shape in [(2, 1, 2), (3, 1, 1, 2), (1, 2, 3), (2, 3, 1)]:
        values = numpy.arange(6 if 3 in shape else 4).reshape(shape).copy("F")
        a = heddle.asarray(values)
        assert a.flags.f_contiguous == values.flags.f_contiguous
        assert (a + 1).flags.c_contiguous == (values + 1).flags.c_contiguous


def test_single_elements_through_views_of_other_shapes():
    def program(np):
        one = np.asarray([[2.0]])
        return np.floor((one * np.asarray([0.0, 1.0, 2.0])).T)

    check(program)


def test_imaginary_parts_that_get_lost_are_warned_of():
    x = heddle.zeros(3)
    for value in (heddle.array([1j, 2, 3]), numpy.complex64(1j)):
        with pytest.warns(numpy.exceptions.ComplexWarning):
            x[:] = value


# --- views that refuse writes ---


def refuses(np, make):
    """Whether the view refuses, and whether what it was made of still takes writes."""
    a = np.arange(9).reshape(3, 3)
    view = make(np, a)
    try:
        view[...] = 5
    except ValueError:
        a[0] = 7
        return view.flags.writeable, memoryview(view).readonly, np.asarray(view).tolist()
    return "written"


def frozen(np, a):
    a.flags.writeable = False
    return a


@pytest.mark.host_memory
@pytest.mark.parametrize(
    "make",
    [
        lambda np, a: a.diagonal(),
        lambda np, a: np.broadcast_to(a, a.shape),
        lambda np, a: np.broadcast_to(a, a.shape)[1:].T,
        lambda np, a: np.broadcast_to(a, a.shape).reshape(9),
        lambda np, a: np.broadcast_to(a, (2, 3, 3)),
        lambda np, a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=0),
        lambda np, a: np.lib.stride_tricks.as_strided(a, writeable=False),
        lambda np, a: frozen(np, a[:]),
        lambda np, a: frozen(np, a[1])[1:],
        lambda np, a: frozen(np, a[1]).copy(),
        lambda np, a: np.array(np.broadcast_to(a, a.shape)),
    ],
)
def test_read_only_views(make):
    check(lambda np: refuses(np, make))


def test_views_of_read_only_bases():
    def program(np):
        a = np.arange(4)
        before, a.flags.writeable = a[1:], False
        after = a[1:]
        flags = [before.flags.writeable, after.flags.writeable]
        try:
            after.flags.writeable = True
        except ValueError:
            flags.append("refused")
        a.flags.writeable = True
        after.flags.writeable = True
        after[0] = 9
        return flags, a.tolist()

    check(program)
    memory = numpy.arange(3)
    memory.flags.writeable = False
    with pytest.raises(ValueError):
        heddle.asarray(memory, copy=False).flags.writeable = True


def test_results_have_strides_of_their_own():
    check(lambda np: (np.ones((1, 3))[::-1] + 1).strides)
    check(lambda np: np.sin(np.ones(1)[::-1]).strides)


@pytest.mark.parametrize("shapes", [((3, 3), (2, 1, 3)), ((3, 1), (2, 1, 3)), ((2, 3), (4, 2, 3))])
def test_memory_order_of_broadcast_results(shapes):
    def program(np, first, second):
        return (np.ones(shapes[0], order=first) + np.ones(shapes[1], order=second)).strides

    check(lambda np: [program(np, a, b) for a in "CF" for b in "CF"])
    check(lambda np: np.asarray(np.ones((2, 3, 4)).transpose(1, 2, 0)).copy("K").strides)
    check(lambda np: (np.ones((2, 3, 4)).transpose(2, 0, 1) * np.ones(2)[:, None]).strides)


# All of shape (3, 4), some of them in C's order with others in between, some in none.
PARTS = {
    "whole": lambda np, dtype: grid(np, 3, 4, dtype=dtype),
    "slice": lambda np, dtype: grid(np, 5, 9, dtype=dtype)[1:4, 2:9:2],
    "reversed": lambda np, dtype: grid(np, 3, 4, dtype=dtype)[::-1, ::-1],
    "transposed": lambda np, dtype: grid(np, 4, 3, dtype=dtype).T,
    "transposed slice": lambda np, dtype: grid(np, 9, 5, dtype=dtype)[::2, 1:4].T[:, :4],
    "repeated row": lambda np, dtype: np.broadcast_to(np.arange(4, dtype=dtype), (3, 4)),
    "repeated column": lambda np, dtype: np.broadcast_to(grid(np, 3, 1, dtype=dtype), (3, 4)),
    "level": lambda np, dtype: grid(np, 3, 4, 2, dtype=dtype)[:, :, 1],
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("first", PARTS)
@pytest.mark.parametrize("second", [*PARTS, "number"])
def test_operations_on_parts(first, second, dtype):
    def values(np):
        a = PARTS[first](np, dtype)
        b = 3 if second == "number" else PARTS[second](np, dtype)
        return a, b, a == b

    check(lambda np: (lambda a, b, _: a + b)(*values(np)))
    check(lambda np: (lambda a, b, _: (a + b).strides)(*values(np)))
    check(lambda np: (lambda a, b, _: np.negative(a).strides)(*values(np)))
    check(lambda np: (lambda a, b, same: np.where(same, a, b))(*values(np)))
    check(lambda np: (lambda a, b, same: np.where(same, a, b).strides)(*values(np)))

    def written(np):
        a, b, _ = values(np)
        target = np.zeros((4, 6), dtype)
        target[1:, 1:5] = a
        target.T[:4, :3] += np.asarray(a + b).T[:4]
        target[:3, ::-2][:, :3] = np.asarray(b)[..., :3]
        return target

    if second != "number":
        check(written)


def test_strides_of_single_elements_may_be_anything():
    view = heddle.lib.stride_tricks.as_strided(heddle.ones((1, 4)), strides=(-1, 8))
    assert view.tolist() == [[1.0] * 4]
    with pytest.raises(ValueError, match="multiple"):
        heddle.lib.stride_tricks.as_strided(heddle.ones((2, 4)), strides=(1, 8))


def test_assigning_a_view_to_itself_does_nothing():
    x = heddle.arange(12.0)
    y = heddle.ones(3)

    def assign():
        x[2:5] = x[2:5]
        x[...] = x
        return x

    def add():
        x[2:5] += y
        return x

    assert launches(assign, x, y) == 0
    assert launches(add, x, y) == 1
    x[2:5] = x[4:1:-1]  # the same elements in another order
    assert host(x).tolist() == [0, 1, 5, 4, 3, *range(5, 12)]
    fixed = x.view()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fixed[2:5] = fixed[2:5]


@pytest.mark.parametrize("dtype", ["i4", "u8", "c16", "f2", "u1", "?", "text"])
def test_type_that_is_set(dtype):
    def seen(np):
        x = np.arange(6.0).reshape(3, 2)
        y = x
        y.dtype = dtype
        return x

    check(seen)
    check(lambda np: setattr(np.arange(6.0)[::2], "dtype", dtype))
    with pytest.raises(AttributeError):
        heddle.arange(3).sum().dtype = dtype
