"""Writes of few elements through indices and masks: what is done at the call has to leave what
NumPy leaves, whatever else is pending, shared or wrong."""

import numpy as np
import pytest

import heddle as hd

LENGTH = 12


def begin(lib, dtype, view):
    """An array in memory and the part of it that is written."""
    a = lib.asarray(np.arange(LENGTH * 3).astype(dtype)) * 1
    hd.eval(a) if lib is hd else None
    return a, a[view] if view is not None else a


def assert_same(ours, theirs):
    ours = hd.asnumpy(ours)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


VIEWS = [None, slice(3, 20), slice(None, None, 2), slice(None, None, -3)]
INDICES = [[0, 2, 5], [-1, 3, -7], [4, 4, 4], [], [1]]
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex128"]


@pytest.mark.parametrize("view", VIEWS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", INDICES, ids=str)
def test_indices(dtype, view, indices):
    results = []
    for lib in (np, hd):
        whole, part = begin(lib, dtype, view)
        at = lib.array(indices, dtype="int64")
        for _ in range(2):  # what was written to before is written at once
            part[at] = 1
            part[at] = part[::-1][at]
            part[at] = part[at] + lib.ones(len(indices), dtype)
            part[at] += 1 if dtype != "bool" else True
            part[at[::-1]] = part[at]
        results.append(whole)
    assert_same(results[1], results[0])


@pytest.mark.parametrize("view", VIEWS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(dtype, view):
    results = []
    for lib in (np, hd):
        whole, part = begin(lib, dtype, view)
        mask = lib.asarray(np.arange(len(part)) % 3 == 1)
        for _ in range(2):
            part[mask] = part[::-1][mask]
            part[~mask] = 1
            part[mask] = lib.arange(int(mask.sum())).astype(dtype)
        square = whole[:9].reshape(3, 3)
        square[square == square.T] = lib.ones(int((square == square.T).sum()), dtype)
        results.append(whole)
    assert_same(results[1], results[0])


def test_values_that_are_broadcast_where_a_mask_says_so():
    """A row with as many elements as the mask has true ones is a row all the same."""
    results = []
    for lib in (np, hd):
        a = lib.zeros((3, 4)) + 1
        mask = lib.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]], dtype=bool)
        row = lib.arange(4.0) * 10
        if lib is hd:
            hd.eval(a, mask, row)
        a[0, 0] = 7
        lib.copyto(a, row, where=mask)
        lib.add(a, row, out=a, where=mask)
        lib.copyto(a[1], row, where=mask[1])
        results.append(a)
    assert_same(results[1], results[0])


def test_pending_work_and_copies_keep_what_they_read():
    a, _ = begin(hd, "float64", None)
    a[0] = 7
    copied, pending, at = a.copy(), a * 2, hd.array([0, 1])
    a[at] = hd.array([-1.0, -2.0])
    assert_same(copied[:3], np.array([7.0, 1.0, 2.0]))
    assert_same(pending[:3], np.array([14.0, 2.0, 4.0]))
    assert_same(a[:3], np.array([-1.0, -2.0, 2.0]))


def test_arrays_are_written_with_their_own_elements():
    results = []
    for lib in (np, hd):
        a, _ = begin(lib, "int64", None)
        order = a[1:7]
        a[order] = a[:6]
        a[a[:5]] = a[5:10]
        a[a] = a
        a[lib.array([0, 1, 2])] = a[lib.array([1, 2, 0])]
        results.append(a)
    assert_same(results[1], results[0])


@pytest.mark.host_memory
def test_memory_of_others_is_written_in_place():
    memory = np.arange(6.0)
    a = hd.asarray(memory, copy=False)
    a[hd.array([0, 3])] = hd.array([8.0, 9.0])
    a[hd.array([False, True, False, False, False, True])] = hd.array([6.0, 7.0])
    assert memory.tolist() == [8.0, 6.0, 2.0, 9.0, 4.0, 7.0]


BEHIND = pytest.mark.host_memory  # devices that run behind the host say so later
WRONG = [
    pytest.param([0, LENGTH * 3], 1.0, marks=BEHIND),
    pytest.param([0, -LENGTH * 3 - 1], 1.0, marks=BEHIND),
    ([0, 1, 2], [1.0, 2.0]),
    ("mask", [1.0, 2.0]),
    ("mask", [[1.0]]),
    ("short mask", 1.0),
]


@pytest.mark.parametrize(("index", "value"), WRONG, ids=str)
def test_what_is_wrong_changes_nothing(index, value):
    kinds, left = [], []
    for lib in (np, hd):
        a, _ = begin(lib, "float64", None)
        a[0] = 5
        at = lib.array(index) if isinstance(index, list) else lib.arange(LENGTH * 3) % 9 == 2
        if index == "short mask":
            at = at[1:]
        with pytest.raises((IndexError, ValueError, TypeError)) as raised:
            a[at] = lib.array(value) if isinstance(value, list) else value
            hd.synchronize()
        kinds.append(raised.type)
        left.append(a)
    assert issubclass(kinds[1], kinds[0])
    assert_same(left[1], left[0])


def test_read_only_arrays_refuse():
    a = hd.arange(5.0) * 1
    a.flags.writeable = False
    for index in (hd.array([1]), a > 2):
        with pytest.raises(ValueError, match="read-only"):
            a[index] = 1.0


def test_iteration_sees_what_is_written_meanwhile():
    results = []
    for lib in (np, hd):
        a = lib.arange(5) * 1
        seen = []
        for i, x in enumerate(a):
            seen.append(int(x))
            a[-1 - i] += 10
        results.append(seen)
    assert results[1] == results[0]


@pytest.mark.parametrize("a", [hd.ones(()), hd.array(1.0)[()]], ids=["0-d", "scalar"])
def test_what_has_no_dimension_is_not_iterated_over(a):
    with pytest.raises(TypeError):
        iter(a)


def test_rows_and_ends_of_iteration():
    a = hd.arange(6.0).reshape(3, 2)
    assert [row.shape for row in a] == [(2,)] * 3
    steps = iter(a[:1])
    next(steps)
    assert next(steps, None) is None
    assert list(hd.zeros((0, 3))) == []
