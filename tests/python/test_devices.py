"""Arrays of different devices: what mixes, what moves, and what the host may see.

The other device is the shadow device of conftest.py, whose memory the host does not see.
"""

import copy
import inspect

import numpy
import pytest
from support import DTYPES, LAYOUTS, assert_exact, host, in_layout, name, random_values

import heddle

OTHER = "shadow:0"


def there(values):
    return heddle.asarray(values, device=OTHER)


def here(values):
    return heddle.asarray(values, device="cpu")


A = numpy.arange(6.0).reshape(2, 3)
B = numpy.arange(6.0, 0, -1).reshape(2, 3)


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_there_and_back(dtype, layout):
    theirs, ours = in_layout(random_values(dtype, (3, 4)), layout)
    moved = ours.to_device(OTHER)
    assert moved.device == OTHER
    assert_exact(moved, theirs)
    assert_exact(moved.to_device("cpu"), theirs)
    assert moved.to_device(OTHER) is moved


def test_copies_between_devices_wait():
    x = here(A) * 2
    moved = x.to_device(OTHER) + 1
    assert "transfer" in heddle.explain(moved)
    x[0] = 7  # does not change what is on its way
    back = moved.to_device("cpu")
    assert_exact(back * 3, (A * 2 + 1) * 3)
    source = A.copy()
    shared = heddle.asarray(source, copy=False, device="cpu").to_device(OTHER)
    source[0] = 9  # nor does this
    assert_exact(shared, A)


def test_memory_keeps_its_order():
    for source in (A, A.T, A[:, ::2]):
        moved = there(source)
        assert moved.strides == source.copy("K").strides
        assert moved.to_device("cpu").strides == moved.strides


def test_making_arrays_on_a_device():
    for made in (
        heddle.zeros(3, device=OTHER),
        heddle.empty((2, 2), device=OTHER),
        heddle.full(3, 7, device=OTHER),
        heddle.arange(3, device=OTHER),
        heddle.asarray([1, 2, 3], device=OTHER),
        heddle.zeros_like(there(A)),
        heddle.ones_like(there(A)),
    ):
        assert made.device == OTHER
    with heddle.device(OTHER):
        assert heddle.ones(3).device == OTHER
        assert heddle.asarray([1.0]).device == OTHER
        assert heddle.default_device() == OTHER
    with heddle.device("shadow"):
        assert heddle.default_device() == OTHER


MIXED = {
    "list": [[1.0, 2.0, 3.0]],
    "NumPy array": B,
    "NumPy scalar": numpy.float64(2.5),
    "Python number": 2,
    "0-d array of NumPy": numpy.array(3.0),
}


@pytest.mark.parametrize("other", MIXED.values(), ids=MIXED)
def test_what_has_no_device_goes_to_that_of_the_array(other):
    for result, expected in (
        (there(A) + other, A + other),
        (other - there(A), other - A),
        (heddle.maximum(there(A), other), numpy.maximum(A, other)),
        (heddle.where(there(A > 2), other, there(B)), numpy.where(A > 2, other, B)),
        (there(A) > other, numpy.greater(A, other)),
    ):
        assert result.device == OTHER
        assert_exact(result, expected)
    x = there(A)
    x += other
    assert_exact(x, A + other)
    x[...] = other
    assert_exact(x, numpy.broadcast_to(other, A.shape).astype("f8"))


def test_functions_take_lists_and_numpy_arrays_beside_an_array():
    x = there(A)
    for result, expected in (
        (heddle.concatenate([x, B]), numpy.concatenate([A, B])),
        (heddle.stack([x, B.tolist()]), numpy.stack([A, B])),
        (x @ B.T, A @ B.T),
        (B.T @ x, B.T @ A),
        (x[[1, 0]], A[[1, 0]]),
        (x[numpy.array([True, False])], A[[True, False]]),
        (heddle.take(x, numpy.array([4, 1])), A.take([4, 1])),
        (heddle.take_along_axis(x, numpy.array([[0], [2]]), 1), A[[0, 1], [0, 2]][:, None]),
        (heddle.sum(x, where=A > 2), A.sum(where=A > 2)),
        (heddle.clip(x, [1, 2, 3], 4), A.clip([1, 2, 3], 4)),
        (heddle.tril(x), numpy.tril(A)),
        (heddle.diff(x), numpy.diff(A)),
        (heddle.roll(x, 1), numpy.roll(A, 1)),
        (heddle.pad(x, 1), numpy.pad(A, 1)),
        (heddle.repeat(x, [1, 2], axis=0), numpy.repeat(A, [1, 2], axis=0)),
        (heddle.argwhere(x > 2), numpy.argwhere(A > 2)),
        (heddle.vander(x[0]), numpy.vander(A[0])),
        (heddle.cumsum(x, axis=1), A.cumsum(1)),
        (heddle.insert(x, 1, 5.0, axis=1), numpy.insert(A, 1, 5.0, axis=1)),
        (heddle.nanmean(x, axis=0), numpy.nanmean(A, axis=0)),
        (heddle.std(x, axis=1), A.std(1)),
    ):
        assert result.device == OTHER
        numpy.testing.assert_allclose(result.get(), expected)


def test_writes_of_what_has_no_device():
    x, a = there(A), A.copy()
    for target in (x, a):
        target[0] = [7, 8, 9]
        target[:, 1] = B[:, 0]
        target[target > 8] = 0
        target[[0, 1], [0, 1]] = numpy.array([5.0, 6.0])
        target[numpy.array([[True, False, False]] * 2)] += 1
    assert_exact(x, a)
    heddle.put(x, [0, 5], [9, 9])
    numpy.put(a, [0, 5], [9, 9])
    assert_exact(x, a)
    heddle.add.at(x, ([0, 0], [1, 1]), 1)
    numpy.add.at(a, ([0, 0], [1, 1]), 1)
    assert_exact(x, a)


@pytest.mark.parametrize(
    "use",
    [
        lambda x, y: x + y,
        lambda x, y: y - x,
        lambda x, y: heddle.arctan2(x, y),
        lambda x, y: heddle.where(x > 1, x, y),
        lambda x, y: x @ y.T,
        lambda x, y: x.__setitem__(slice(None), y),
        lambda x, y: x.__iadd__(y),
        lambda x, y: heddle.concatenate([x, y]),
        lambda x, y: x[y[0].astype(int)],
        lambda x, y: x[y > 2],
        lambda x, y: heddle.add(x, x, out=y),
        lambda x, y: heddle.dot(x[0], y[0]),
    ],
)
def test_arrays_of_two_devices_do_not_mix(use):
    for x, y in ((there(A), here(B)), (here(A), there(B))):
        before = x.get(), y.get()
        with pytest.raises(ValueError, match="different devices") as error:
            use(x, y)
        assert OTHER in str(error.value) and "cpu" in str(error.value)
        assert_exact(x, before[0])
        assert_exact(y, before[1])


def test_single_numbers_mix():
    for number in (here(2.0), here([3.0])[0], here(A).sum()):
        assert number.ndim == 0 and number.device == "cpu"
        result = there(A) * number
        assert result.device == OTHER
        assert_exact(result, A * host(number))
        assert_exact(number - there(A), host(number) - A)
    x = there(A)
    x[0, 0] = here(5.0)
    assert float(x[0, 0]) == 5
    assert (here(A) + there(1.0)).device == "cpu"


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.sum()[()],
        lambda x: heddle.mean(x)[()],
        lambda x: x.max().round(),
        lambda x: copy.deepcopy(x.sum()),
        lambda x: heddle.take(x, 1),
        lambda x: heddle.asarray(2.0, device=x.device)[()],
    ],
)
def test_single_numbers_stay_where_they_are(use):
    x = here(A)
    with heddle.device(OTHER):
        made = use(x)
        assert made.device == "cpu"
        assert (x.sum() + made).device == "cpu"
    assert use(there(A)).device == OTHER


def test_what_needs_no_memory_is_nowhere_yet():
    with heddle.device("cpu"):
        indices = heddle.arange(3) * 2.0 + 1
        filled = heddle.full((2, 3), 7.0)
        plane = heddle.ones((2, 3)).cumsum(axis=1)
    for pending in (indices, filled, plane):
        assert pending.device == "cpu"
        result = there(A) + pending
        assert result.device == OTHER
        assert_exact(result, A + pending.get())


def test_evaluating_arrays_of_several_devices_together():
    for _ in range(2):
        x, y = here(A) + 1, there(A) + 1
        heddle.eval(x, y)
        assert_exact(x, A + 1)
        assert_exact(y, A + 1)
        y, x = there(A) + 1, here(A) + 1
        heddle.eval(y, x)
        assert x.device == "cpu" and y.device == OTHER


# --- what the host sees ---


@pytest.mark.parametrize(
    "look",
    [
        numpy.asarray,
        numpy.array,
        memoryview,
        bytes,
        lambda x: x.__array__(),
        lambda x: x.data,
        lambda x: x.ctypes,
        lambda x: numpy.from_dlpack(x),
        lambda x: numpy.frombuffer(x),
    ],
)
def test_nothing_is_copied_to_the_host_unasked(look):
    with pytest.raises(TypeError, match=r"heddle\.asnumpy"):
        look(there(A))


def test_no_address_for_the_host():
    assert not hasattr(there(A), "__array_interface__")
    assert not hasattr(there(A), "__cuda_array_interface__")
    assert not hasattr(here(A), "__cuda_array_interface__")


def test_what_asks_for_elements_gets_them(tmp_path):
    x = there(A)
    assert float(x[1, 1]) == 4 and int(x.sum()) == 15 and bool(x.any())
    assert x.tolist() == A.tolist() and x.tobytes() == A.tobytes()
    assert repr(x) == repr(A) and str(x) == str(A)
    assert [row.tolist() for row in x] == A.tolist()
    heddle.save(tmp_path / "x.npy", x)
    assert_exact(numpy.load(tmp_path / "x.npy"), A)
    assert f"{x[0, 1]:.2f}" == "1.00"


def test_get():
    x = there(A)
    assert_exact(x.get(), A)
    assert_exact(x.T.get(), A.T)
    assert x.T.get().flags.c_contiguous
    assert x.T.get(order="A").flags.f_contiguous
    assert x.get(order="F").flags.f_contiguous
    assert x.T.get(order="K").strides == A.T.strides
    for out in (numpy.empty((2, 3)), numpy.empty((2, 3), order="F")):
        assert x.get(out=out) is out
        assert_exact(out, A)
        assert heddle.asnumpy(x + 1, out=out, blocking=False) is out
        assert_exact(out, A + 1)
    with pytest.raises(ValueError, match="out must have shape"):
        x.get(out=numpy.empty(6))
    with pytest.raises(ValueError, match="contiguous"):
        x.get(out=numpy.empty((2, 6))[:, ::2])
    with pytest.raises(TypeError):
        x.get(out=x)
    with pytest.raises(ValueError, match="order"):
        x.get(order="Z")
    mine = x.get()
    mine[...] = 0
    assert_exact(x, A)


def test_set():
    x = there(A)
    x.set(B)
    assert_exact(x, B)
    x[:, 1:].set(numpy.zeros((2, 2)))
    assert float(x.sum()) == B[:, 0].sum()
    with pytest.raises(TypeError, match="cannot be set"):
        x.set(B.astype("f4"))
    with pytest.raises(ValueError, match="Shape mismatch"):
        x.set(B.ravel())
    with pytest.raises(TypeError):
        x.set([1.0])


def test_implicit_copies_can_be_forbidden():
    x = there(A)
    assert heddle.get_implicit_copies() == "allow"
    try:
        with heddle.device(OTHER):
            heddle.set_implicit_copies("warn")
            with pytest.warns(heddle.ImplicitCopyWarning, match="copied to shadow:0"):
                assert_exact(x + B, A + B)
            heddle.set_implicit_copies("raise")
            for use in (lambda: x + B, lambda: [1, 2, 3] * x, lambda: heddle.maximum(x, B)):
                with pytest.raises(TypeError, match=r"heddle\.asarray"):
                    use()
            assert_exact(x + heddle.asarray(B) * 2 - numpy.float64(3), A + B * 2 - 3)
            x.set(B)
            assert_exact(heddle.array(A.tolist()) + x, A + B)
        with pytest.raises(ValueError, match="mode"):
            heddle.set_implicit_copies("abacus")
    finally:
        heddle.set_implicit_copies("allow")
    assert_exact(x + B, B + B)


# --- indices that the device finds out of bounds


def line_of_caller():
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def test_an_index_out_of_bounds_is_found_when_the_host_waits():
    x, bad = there(numpy.arange(10.0)), there([1, 2, -10, 9, -11, 3])
    taken, line = x[bad], line_of_caller()
    with pytest.raises(
        IndexError, match=r"index -11 is out of bounds for axis 0 with size 10"
    ) as e:
        taken.get()
    assert line in str(e.value)
    # Said once; the others have their elements, and no memory outside was read.
    assert taken.get().tolist() == [1, 2, 0, 9, 0, 3]


@pytest.mark.parametrize(
    "use",
    [
        lambda x, i: heddle.take(x, i, 1),
        lambda x, i: x[:, i],
        lambda x, i: (x * 2)[i - 1, i],
        lambda x, i: x[i[:1], 1:3],
        lambda x, i: heddle.take_along_axis(x, i[None], 1),
        lambda x, i: x[1][i].sum(),
        lambda x, i: x.T[i] @ x,
    ],
)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8"])
@pytest.mark.unrecorded("is about errors")
def test_uses_of_an_index_out_of_bounds(use, dtype):
    x = there(A)
    for wrong in (3, 100, -4) if dtype[0] == "i" else (3, 200):
        result = use(x, there(numpy.array([wrong, 0], dtype)))
        heddle.eval(result)
        with pytest.raises(IndexError, match="out of bounds for axis"):
            heddle.synchronize()
        heddle.synchronize()


def test_lists_go_where_the_array_is():
    x = there(numpy.arange(6.0))
    assert heddle.compress([True, False, True], x).get().tolist() == [0, 2]
    assert heddle.delete(x, [1, 2]).get().tolist() == [0, 3, 4, 5]
    assert heddle.average(x, weights=[0, 1, 0, 0, 0, 1]).get() == 3
    assert heddle.trapezoid(x[:3], [0.0, 1.0, 3.0]).get() == 3.5
    assert heddle.diff(x[:2], prepend=[-1.0]).get().tolist() == [1, 1]
    assert x.at[numpy.array([0, 9])].add(2.0, mode="drop")[0].get() == 2
    assert sorted(heddle.random.default_rng(0).permutation(x).get()) == [0, 1, 2, 3, 4, 5]
    heddle.random.default_rng(0).shuffle(x)
    assert sorted(x.get().tolist()) == [0, 1, 2, 3, 4, 5]


def test_long_chains_of_fresh_numbers_go_where_the_array_is():
    def chain(x):
        for i in range(700):
            x = x * 0.9 + heddle.sin(heddle.arange(1000.0) + i) * 0.1
        return x

    wanted = chain(heddle.ones(1000))
    found = chain(there(numpy.ones(1000)))
    assert found.device == OTHER
    numpy.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-13)


def test_writes_at_an_index_out_of_bounds():
    x = there(numpy.arange(6.0))
    x[there([1, 6, 2])] = 9
    with pytest.raises(IndexError, match="index 6"):
        heddle.synchronize()
    assert x.get().tolist() == [0, 9, 9, 3, 4, 5]
    heddle.add.at(x, there([0, -7, 0]), 1)
    with pytest.raises(IndexError, match="index -7"):
        x.get()
    assert x.get().tolist() == [2, 9, 9, 3, 4, 5]


def test_what_the_host_knows_is_checked_at_once():
    x = there(numpy.arange(6.0))
    for bad in ([0, 6], numpy.array([-7]), (numpy.array([6]),)):
        with pytest.raises(IndexError, match="out of bounds"):
            x[bad]
        with pytest.raises(IndexError, match="out of bounds"):
            x[bad] = 1
    with pytest.raises(IndexError, match="out of bounds"):
        x[:0][there([0])]
    with pytest.raises(IndexError, match="out of bounds"):
        x.reshape(2, 3)[there([2]), :0]
    assert x.get().tolist() == [0, 1, 2, 3, 4, 5]


def test_many_uses_of_indices_at_a_time():
    x, i = there(numpy.arange(6.0)), there([5, -6])
    kept = [x[i] * n for n in range(3000)]
    assert all(a.get().tolist() == [5.0 * n, 0] for n, a in enumerate(kept))
    # The wait for room for another report, should it fall here, is a look as well.
    with pytest.raises(IndexError, match=r"index 6|index 7"):
        for a in [x[i + n] for n in range(3)]:
            a.get()


def test_indices_that_are_reduced_in_the_same_kernel():
    a = numpy.arange(30.0).reshape(2, 3, 5)
    counts = numpy.arange(2 * 3 * 5 * 4).reshape(2, 3, 5, 4) % 3 % 2
    for use in (
        lambda np, x, n: np.take_along_axis(x, n.sum(-1), -1),
        lambda np, x, n: x[n.sum((0, 3)) % 2, 1, 2] * 2,
        lambda np, x, n: x[0, n.max(-1) % 3],
        lambda np, x, n: x[1, 2][n.sum(-1).argmax(-1)] + n.sum(-1)[..., 0],
    ):
        assert_exact(use(heddle, there(a), there(counts)), use(numpy, a, counts))
        assert_exact(use(heddle, here(a), here(counts)), use(numpy, a, counts))
