"""Control flow as functions, changed copies, and the check of derivatives."""

import numpy as np
import pytest

import heddle as hd
from heddle import lax

RNG = np.random.default_rng(8)
pytestmark = pytest.mark.unrecorded("records itself")


def close(found, wanted):
    np.testing.assert_allclose(hd.asnumpy(hd.asarray(found)), wanted, rtol=1e-12)


def test_scan():
    x = RNG.normal(size=(5, 3))

    def f(c, v):
        return (c * 0.5 + v["a"], {"r": c.sum()})

    carry, made = lax.scan(f, hd.zeros(3), {"a": hd.asarray(x)})
    c, sums = np.zeros(3), []
    for row in x:
        sums.append(c.sum())
        c = c * 0.5 + row
    close(carry, c)
    close(made["r"], sums)
    _, back = lax.scan(lambda c, v: (c + v, c), hd.array(0.0), hd.arange(4.0), reverse=True)
    assert back.tolist() == [6, 5, 3, 0]
    carry, _none = lax.scan(lambda c, _: (c * 2, None), hd.array(1.0), length=5)
    assert float(carry) == 32
    slope = hd.grad(lambda w: lax.scan(lambda c, v: (hd.sin(c * w) + v, c), w, hd.arange(3.0))[0])
    step = 1e-6

    def g(w):
        return lax.scan(lambda c, v: (hd.sin(c * w) + v, c), w, hd.arange(3.0))[0]

    w = hd.array(0.7)
    wanted = (float(g(w + step)) - float(g(w - step))) / (2 * step)
    np.testing.assert_allclose(float(slope(w)), wanted, rtol=1e-6)
    many = hd.vmap(lambda v: lax.scan(lambda c, u: (c + u, c * u), hd.array(1.0), v)[0])
    close(many(hd.asarray(x)), 1 + x.sum(1))


def test_loops():
    assert int(lax.fori_loop(2, 6, lambda i, v: v + i, hd.array(0))) == 14
    assert int(lax.while_loop(lambda v: v < 100, lambda v: v * 2, hd.array(3))) == 192
    halved = hd.vmap(lambda v: lax.while_loop(lambda u: u > 1, lambda u: u / 2, v))
    close(halved(hd.array([8.0, 3.0, 0.5])), [1, 0.75, 0.5])
    slope = hd.grad(lambda v: lax.fori_loop(0, 3, lambda i, u: u * v, v))
    assert float(slope(2.0)) == 32


def test_branches():
    def f(v):
        return lax.cond(v > 0, lambda u: u * 2, lambda u: -u, v)

    assert [float(f(hd.array(v))) for v in (3.0, -3.0)] == [6, 3]
    close(hd.vmap(f)(hd.array([1.0, -3.0])), [2, 3])
    close(hd.vmap(hd.grad(f))(hd.array([1.0, -3.0])), [2, -1])

    def g(i, v):
        return lax.switch(i, [hd.sin, hd.square, lambda u: u], v)

    assert float(g(7, hd.array(3.0))) == 3
    close(hd.vmap(g)(hd.array([0, 1, 2]), hd.array([1.0, 3.0, 5.0])), [np.sin(1), 9, 5])


def test_maps_and_associative_scans():
    x = RNG.normal(size=(7, 3))
    close(lax.map(hd.sum, hd.asarray(x)), x.sum(1))
    close(lax.map(hd.sum, hd.asarray(x), batch_size=3), x.sum(1))
    close(lax.associative_scan(hd.add, hd.asarray(x)), np.cumsum(x, 0))
    close(lax.associative_scan(hd.add, hd.asarray(x), reverse=True), np.cumsum(x[::-1], 0)[::-1])
    close(lax.associative_scan(hd.multiply, hd.asarray(x), axis=1), np.cumprod(x, 1))


def test_changed_copies():
    x = hd.arange(5.0)
    close(x.at[1:3].set(7), [0, 7, 7, 3, 4])
    close(x.at[hd.array([0, 0])].add(1), [2, 1, 2, 3, 4])
    close(x.at[hd.array([0, 0])].multiply(3), [0, 1, 2, 3, 4])
    close(x.at[2].divide(4), [0, 1, 0.5, 3, 4])
    close(x.at[1:].power(2), [0, 1, 4, 9, 16])
    close(x.at[::2].min(1), [0, 1, 1, 3, 1])
    close(x.at[::2].max(3), [3, 1, 3, 3, 4])
    close(x.at[3:].apply(hd.sqrt), [0, 1, 2, 3**0.5, 2])
    close(x.at[1].get(), 1)
    close(x.at[1].subtract(1), [0, 0, 2, 3, 4])
    assert x.tolist() == [0, 1, 2, 3, 4]
    close(hd.grad(lambda v: (v.at[1:].add(v[:-1]) ** 2).sum())(x), [2, 8, 16, 24, 14])


def test_check_grads():
    x = hd.asarray(RNG.uniform(0.5, 1, size=3))
    hd.debug.check_grads(lambda v: (hd.sin(v) * v, {"a": v.sum()}), (x,), order=2)
    hd.debug.check_grads(lambda v, w: v @ w, (x, x), order=2, modes="rev")

    @hd.custom_vjp
    def wrong(v):
        return v**2

    wrong.defvjp(lambda v: (v**2, v), lambda v, g: (3 * g * v,))
    with pytest.raises(AssertionError, match="vjp"):
        hd.debug.check_grads(wrong, (x,), order=1, modes=["rev"])
    with pytest.raises(ValueError, match="modes"):
        hd.debug.check_grads(hd.sin, (x,), 1, modes=["both"])


BAD = [
    (lambda: lax.scan(lambda c, v: (c, v), 0.0), ValueError, "nor a length"),
    (lambda: lax.scan(lambda c, v: c, 0.0, hd.ones(3)), TypeError, "pair"),
    (lambda: lax.scan(lambda c, v: (hd.ones(2), v), 0.0, hd.ones(3)), TypeError, "carry"),
    (lambda: lax.switch(0, []), ValueError, "no branches"),
    (lambda: lax.cond(hd.ones(2) > 0, hd.sin, hd.cos, 1.0), TypeError, "shape"),
    (lambda: lax.select(True, hd.ones(2), hd.ones(3)), TypeError, "cases"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()


def power(count, x):
    return lax.while_loop(lambda c: c[0] < count, lambda c: (c[0] + 1, c[1] * x), (0, 1.0))[1]


def test_rows_that_go_on_for_longer():
    counts, x = hd.array([0, 3, 5]), hd.array([2.0, 3.0, 0.5])
    for f in (
        power,  # what the condition closes over differs
        lambda count, x: lax.fori_loop(0, count, lambda i, c: c * x, 1.0),
        lambda count, x: lax.fori_loop(-count, 0, lambda i, c: c * x, 1.0),
    ):
        close(hd.vmap(f)(counts, x), [1, 27, 0.5**5])
        close(hd.jit(hd.vmap(f))(counts, x), [1, 27, 0.5**5])
        slopes = hd.vmap(hd.grad(f, argnums=1))(counts, x)
        close(slopes, [0, 27, 5 * 0.5**4])
    # The condition reads what differs only after a pass, or two.
    grown = hd.vmap(lambda x: lax.while_loop(lambda c: c < 50, lambda c: c * x, 1.0))
    close(grown(hd.array([2.0, 3.0])), [64, 81])
    later = hd.vmap(
        lambda x: lax.while_loop(lambda c: c[0] < 50, lambda c: (c[1], c[1] * x), (1.0, 1.0))[1]
    )
    close(later(hd.array([2.0, 3.0])), [128, 243])
    # All rows go on together: still one step.
    close(hd.vmap(lambda x: power(3, x))(x), np.array([2.0, 3.0, 0.5]) ** 3)


MODES = ["drop", "fill", "clip", "wrap"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("index", [[0, 2, 5, -1, -7], 3, -9, 1], ids=str)
def test_indices_out_of_bounds(mode, index):
    y = np.arange(12.0).reshape(3, 4)
    x = hd.asarray(y)
    numbers = np.array(index)
    where = numbers % 3 if mode == "wrap" else np.where(numbers < 0, numbers + 3, numbers)
    if mode == "clip":
        where = np.clip(where, 0, 2)
    inside = (where >= 0) & (where < 3)
    place = x.at[hd.asarray(index)]
    wanted = np.full((*numbers.shape, 4), 7.0)
    wanted[inside] = y[where[inside]]
    close(place.get(mode=mode, fill_value=7), wanted)
    for name, ufunc in {"add": np.add, "multiply": np.multiply, "max": np.maximum}.items():
        changed = y.copy()
        ufunc.at(changed, where[inside], 5.0)
        close(getattr(place, name)(5.0, mode=mode), changed)
    changed = y.copy()
    changed[where[inside], 1:3] = -1
    close(x.at[hd.asarray(index), 1:3].set(-1, mode=mode), changed)


def test_indices_out_of_bounds_elsewhere():
    x = hd.arange(12.0).reshape(3, 4)
    y = hd.asnumpy(x)
    close(x.at[..., 4].set(0, mode="drop"), y)
    close(x.at[None, 4].get(mode="clip"), y[None, 2])
    close(x.at[x > 5].set(0, mode="drop"), np.where(y > 5, 0, y))
    close(x.at[9].get(mode="fill"), np.full(4, np.nan))
    assert int(hd.arange(3, dtype="int8").at[3].get(mode="fill")) == -128
    assert int(hd.arange(3, dtype="uint8").at[3].get(mode="fill")) == 255
    rows = hd.vmap(lambda row, i: row.at[i].set(-1, mode="drop"))(x, hd.array([1, 9, 0]))
    wanted = y.copy()
    wanted[0, 1] = wanted[2, 0] = -1
    close(rows, wanted)

    def dropped(x):
        return (x.at[hd.array([0, 7, 2])].multiply(x[0, 1], mode="drop") ** 2).sum()

    def kept(x):
        return (x.at[hd.array([0, 2])].multiply(x[0, 1]) ** 2).sum()

    close(hd.grad(dropped)(x), hd.asnumpy(hd.grad(kept)(x)))
    close(hd.jit(hd.grad(dropped))(x), hd.asnumpy(hd.grad(kept)(x)))
    with pytest.raises(ValueError, match="mode is one of"):
        x.at[0].set(1, mode="raise")
    with pytest.raises(IndexError):
        x.at[9].set(1)


def test_steps_that_are_made_of_others_in_loops():
    matrix = hd.eye(3) * 4 + hd.arange(9.0).reshape(3, 3) * 0.1

    def by_loop(x):
        for _ in range(4):
            x = hd.sort(hd.linalg.solve(matrix + hd.outer(x, x), x + 1))
        return x.sum()

    def by_fori(x):
        return lax.fori_loop(
            0, 4, lambda _, x: hd.sort(hd.linalg.solve(matrix + hd.outer(x, x), x + 1)), x
        ).sum()

    x = hd.array([0.5, -1.0, 2.0])
    close(hd.grad(by_fori)(x), hd.asnumpy(hd.grad(by_loop)(x)))
    jitted = hd.jit(by_fori)
    for _ in range(2):
        close(jitted(x), hd.asnumpy(by_loop(x)))
        close(hd.grad(jitted)(x), hd.asnumpy(hd.grad(by_loop)(x)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
def test_running_results(name, reverse):
    like = {
        "cumsum": np.add,
        "cumprod": np.multiply,
        "cummax": np.maximum,
        "cummin": np.minimum,
        "cumlogsumexp": np.logaddexp,
    }[name]
    x = np.random.default_rng(1).normal(size=(3, 5))
    for axis in (0, 1):
        expected = like.accumulate(np.flip(x, axis) if reverse else x, axis=axis)
        found = getattr(hd.lax, name)(hd.asarray(x), axis=axis, reverse=reverse)
        np.testing.assert_allclose(
            hd.asnumpy(found), np.flip(expected, axis) if reverse else expected, rtol=1e-14
        )
    function = getattr(hd.lax, name)
    hd.debug.check_grads(lambda x: function(x, 1, reverse), (hd.asarray(x),), 2)
    assert function(hd.array([1, 2], "f4")).dtype == np.float32
    with pytest.raises(ValueError, match="out of bounds"):
        function(hd.asarray(x), axis=2)


def test_operands_by_name_and_unrolled_loops():
    assert hd.lax.cond(True, hd.square, hd.sin, operand=hd.array(3.0)) == 9
    assert hd.lax.switch(0, [hd.square, hd.sin], operand=hd.array(3.0)) == 9
    with pytest.raises(TypeError, match="not both"):
        hd.lax.cond(True, hd.square, hd.sin, 1.0, operand=2.0)
    for unroll in (None, 1, 3, True, False):
        made = hd.lax.fori_loop(0, 10, lambda i, x: x * 2 + i, hd.array(1), unroll=unroll)
        assert made == 2037


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: hd.lax.switch(1.5, [hd.sin], 1.0), TypeError, "float64, not an integer"),
        (lambda: hd.lax.switch(0, [3], 1.0), TypeError, "branches are functions"),
        (lambda: hd.lax.cond(True, 3, hd.sin, 1.0), TypeError, "are functions"),
        (lambda: hd.lax.cond(hd.ones(2), hd.sin, hd.sin, 1.0), TypeError, r"shape \(2,\)"),
        (lambda: hd.lax.scan(lambda c, x: (c, x), 0.0, 1.0), ValueError, "no rows"),
        (
            lambda: hd.vmap(lambda p: hd.lax.cond(p, lambda: hd.ones(2), lambda: hd.ones(1)))(
                hd.ones(3)
            ),
            TypeError,
            r"false_fun gives float64\[1\], true_fun float64\[2\]",
        ),
        (lambda: hd.lax.fori_loop(0, 2, lambda i, c: c, 0, unroll=-1), ValueError, "unroll"),
    ],
)
def test_more_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_promises_about_indices():
    x = hd.arange(5.0)
    places = hd.array([1, 1, 3])
    np.testing.assert_array_equal(
        hd.asnumpy(x.at[places].apply(lambda v: v + 10)), [0, 21, 2, 13, 4]
    )
    rows = hd.vmap(lambda i: x.at[i].apply(lambda v: v + 10))(hd.array([[1, 1], [2, 3]]))
    np.testing.assert_array_equal(hd.asnumpy(rows), [[0, 21, 2, 3, 4], [0, 1, 12, 13, 4]])
    unique = x.at[hd.array([1, 9])].add(5.0, mode="drop", unique_indices=True)
    np.testing.assert_array_equal(hd.asnumpy(unique), [0, 6, 2, 3, 4])
    sorted_ones = x.at[hd.array([1, 3])].get(indices_are_sorted=True)
    np.testing.assert_array_equal(hd.asnumpy(sorted_ones), [1, 3])
    with pytest.raises(TypeError, match="no keyword 'sorted'"):
        x.at[0].set(1.0, sorted=True)


# Starts beyond the array and below zero: JAX moves the slice inside.
STARTS = [(0, 0), (1, 2), (2, 3), (7, 9), (-1, -2), (-9, 1)]


def begin(start, size, extent):
    return min(max(start + extent if start < 0 else start, 0), extent - size)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex64", "bool"])
@pytest.mark.parametrize("starts", STARTS)
def test_dynamic_slices(starts, dtype):
    x = (RNG.normal(size=(4, 5)) * 9).astype(dtype)
    a, b = begin(starts[0], 2, 4), begin(starts[1], 3, 5)
    for given in (starts, tuple(hd.asarray(s, dtype="int32") for s in starts), hd.asarray(starts)):
        for mine in (hd.asarray(x), hd.asarray(x.T.copy()).T, hd.asarray(x[::-1].copy())[::-1]):
            close(lax.dynamic_slice(mine, given, (2, 3)), x[a : a + 2, b : b + 3])
            new = np.ones((2, 3), dtype)
            wanted = x.copy()
            wanted[a : a + 2, b : b + 3] = new
            found = lax.dynamic_update_slice(mine, hd.asarray(new), given)
            assert found.dtype == dtype
            close(found, wanted)
            close(mine, x)
    close(lax.dynamic_slice_in_dim(hd.asarray(x), starts[1], 3, axis=1), x[:, b : b + 3])
    row = begin(starts[0], 1, 4)
    close(lax.dynamic_index_in_dim(hd.asarray(x), starts[0], 0), x[row : row + 1])
    close(lax.dynamic_index_in_dim(hd.asarray(x), starts[0], -2, keepdims=False), x[row])
    wanted = x.copy()
    wanted[row] = 1
    ones = hd.ones(5, dtype=dtype)
    close(lax.dynamic_update_index_in_dim(hd.asarray(x), ones, starts[0], 0), wanted)


def test_dynamic_slices_without_elements():
    x = hd.arange(6.0).reshape(2, 3)
    assert lax.dynamic_slice(x, (1, 1), (0, 2)).shape == (0, 2)
    close(lax.dynamic_update_slice(x, hd.zeros((0, 2)), (1, 1)), np.arange(6.0).reshape(2, 3))
    close(lax.dynamic_slice(hd.asarray(3.0), (), ()), 3.0)
    close(lax.dynamic_update_slice(hd.asarray(3.0), hd.asarray(4.0), ()), 4.0)


def test_dynamic_slices_under_transformations():
    x = RNG.normal(size=(6, 3))
    starts = np.array([0, 5, 2, -1])

    def f(start, v):
        part = lax.dynamic_slice(v, (start, 1), (2, 2))
        return lax.dynamic_update_slice(v, part * part, (start + 1, 0))

    def plain(start):
        a, wanted = begin(start, 2, 6), x.copy()
        c = begin(start + 1, 2, 6)
        wanted[c : c + 2, :2] = x[a : a + 2, 1:] ** 2
        return wanted

    mine = hd.asarray(x)
    rows = hd.vmap(f, in_axes=(0, None))(hd.asarray(starts), mine)
    close(rows, np.stack([plain(s) for s in starts]))
    recorded = hd.jit(f)
    for s in starts:
        close(recorded(hd.asarray(s), mine), plain(s))
    for s in starts:
        hd.debug.check_grads(lambda v, s=s: f(s, v), (mine,), order=2)

    def body(i, v):
        return lax.dynamic_update_slice(v, lax.dynamic_slice(v, (i, 0), (1, 3)) + 1.0, (i + 1, 0))

    wanted = x.copy()
    for i in range(5):
        wanted[i + 1] = wanted[i] + 1
    close(lax.fori_loop(0, 5, body, mine), wanted)
    close(hd.jit(lambda v: lax.fori_loop(0, 5, body, v))(mine), wanted)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: lax.dynamic_slice(x, (0,), (1, 1)), ValueError, "1 starts and 2 sizes"),
        (lambda x: lax.dynamic_slice(x, (0, 0), (1, 9)), ValueError, "9 along axis 1"),
        (
            lambda x: lax.dynamic_slice(x, (0, 0.5), (1, 1)),
            TypeError,
            "axis 1 has to be an integer",
        ),
        (lambda x: lax.dynamic_slice_in_dim(x, 0, 1, axis=2), ValueError, "axis 2"),
        (
            lambda x: lax.dynamic_update_slice(x, hd.ones((1, 1), "int32"), (0, 0)),
            TypeError,
            "int32",
        ),
        (lambda x: lax.dynamic_update_slice(x, hd.ones(1), (0, 0)), ValueError, "1 dimensions"),
    ],
)
def test_bad_slices(call, error, text):
    with pytest.raises(error, match=text):
        call(hd.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1"])
def test_top_k(dtype):
    x = RNG.integers(0, 5, size=(3, 7)).astype(dtype)
    for axis in (0, 1, -1):
        values, places = lax.top_k(hd.asarray(x), 3, axis=axis)
        # NumPy's sort of negative numbers, with the first of equal ones first.
        wanted = np.take(np.argsort(-x.astype(int), axis=axis, kind="stable"), range(3), axis=axis)
        np.testing.assert_array_equal(hd.asnumpy(places), wanted)
        np.testing.assert_array_equal(hd.asnumpy(values), np.take_along_axis(x, wanted, axis))
    slope = hd.grad(lambda x: (lax.top_k(x, 2)[0] * hd.array([1.0, 2.0])).sum())
    close(slope(hd.array([3.0, 1.0, 5.0, 4.0])), [0, 0, 1, 2])
    with pytest.raises(ValueError, match="not k=8"):
        lax.top_k(hd.asarray(x), 8)
    with pytest.raises(ValueError, match="axis 2"):
        lax.top_k(hd.asarray(x), 1, axis=2)


def test_tangents_say_which_one_is_wrong():
    x = hd.ones(3)
    with pytest.raises(TypeError, match="argument 0 is of type float32, the argument of float64"):
        hd.jvp(hd.sin, (x,), (hd.ones(3, "f4"),))
    with pytest.raises(ValueError, match=r"argument 1\['k'\] has shape \(2,\)"):
        hd.jvp(lambda a, b: a + b["k"], (x, {"k": x}), (x, {"k": hd.ones(2)}))
    with pytest.raises(ValueError, match=r"result\['v'\] has shape \(2,\)"):
        hd.vjp(lambda a: {"u": a, "v": a}, x)[1]({"u": x, "v": hd.ones(2)})


def test_equations_in_mapped_loops():
    # Steps that a composed step is computed of are not heard by those who differentiate.
    a = hd.array([[2.0, 0.3], [0.1, 1.5]])

    def f(p):
        def step(c, row):
            return hd.linalg.solve(a * p, c) + row, None

        return hd.lax.scan(step, hd.ones(2), hd.arange(6.0).reshape(3, 2))[0].sum()

    p = hd.array([1.0, 2.0, 3.0])
    each = [float(hd.grad(f)(one)) for one in p]
    np.testing.assert_allclose(hd.asnumpy(hd.vmap(hd.grad(f))(p)), each)
    np.testing.assert_allclose(hd.asnumpy(hd.grad(lambda p: hd.vmap(f)(p).sum())(p)), each)


def test_bodies_that_write_to_arrays_outside_run_as_often_as_passes():
    count, log = hd.zeros(1), hd.zeros(5)

    def body(i, carry):
        count[0] += 1
        log[i] = log.sum() + 1
        return carry + log[i]

    assert lax.fori_loop(0, 5, body, hd.zeros(())) == 31
    assert count[0] == 5
    np.testing.assert_array_equal(hd.asnumpy(log), [1, 2, 4, 8, 16])
    lax.scan(lambda c, x: (body(0, c), x), hd.zeros(()), hd.ones(3))
    assert count[0] == 8
    lax.while_loop(lambda c: c < 3, lambda c: body(1, c) * 0 + c + 1, hd.zeros(()))
    assert count[0] == 11
    generator = hd.random.default_rng(0)

    def draws(i, carry):
        count[0] += 1
        return carry + generator.random()

    lax.fori_loop(0, 5, draws, hd.zeros(()))
    assert count[0] == 16
    with pytest.raises(ZeroDivisionError):
        lax.fori_loop(0, 5, lambda i, c: body(i, c) / 0 if c.ndim else 1 // 0, hd.zeros(()))


def test_counters_between_numbers_yield():
    x = hd.ones(3, "f4")
    for unroll in (1, True):
        made = lax.fori_loop(1, 4, lambda i, a: a / i + hd.sin(a * i), x, unroll=unroll)
        assert made.dtype == np.float32
    assert lax.fori_loop(0, 3, lambda i, a: a + i, hd.ones((), "i1")).dtype == np.int8
    with pytest.raises(TypeError, match="float64"):
        lax.fori_loop(hd.array(1), 4, lambda i, a: a / i, x)


@pytest.mark.parametrize(
    ("loop", "dtype", "wanted"),
    [
        # A number that stays a number in every pass yields, inside of the loop and after it.
        (lambda x: lax.fori_loop(0, 3, lambda i, c: c + 1, 0) * x, "f4", [4.5, 7.5]),
        (lambda x: lax.scan(lambda c, r: (c + 1, c * r), 0.5, x)[1], "f4", [0.75, 3.75]),
        (lambda x: lax.while_loop(lambda c: c < 3, lambda c: c * 2, 1.0) * x, "f4", [6, 10]),
        (lambda x: lax.fori_loop(0, 0, lambda i, c: c + 1, 2) * x, "f4", [3, 5]),
        (
            lambda x: lax.scan(
                lambda c, r: (lax.fori_loop(0, 2, lambda _, d: d + 1, c), c * r), 0.0, x
            )[1],
            *("f4", [0, 5]),
        ),
        (
            lambda x: hd.vmap(
                lambda r: (
                    (
                        lax.while_loop(
                            lambda c: c[0] < r, lambda c: (c[0] + 1, c[1] * 0.5), (0, 1.0)
                        )
                    )[1]
                    * r
                )
            )(x),
            *("f4", [0.375, 0.3125]),
        ),
        (
            lambda x: hd.jit(lambda n: lax.fori_loop(0, 2, lambda i, c: c + n, n))(2) * x,
            "f4",
            [9, 15],
        ),
        # One that the body gives a type has it in all passes.
        (lambda x: lax.fori_loop(0, 3, lambda i, c: c + x.astype("i4")[0], 0), "i4", 3),
        (
            lambda x: lax.while_loop(
                lambda c: c[0] > 0,
                lambda c: (c[0] >> 1, c[1] + (c[0] & 1)),
                (hd.asarray(3, "i4"), 0),
            )[1],
            *("i4", 2),
        ),
        (lambda x: lax.scan(lambda c, r: (c + r, c * r), 0.5, x)[1], "f4", [0.75, 5]),
        (lambda x: lax.scan(lambda c, r: (c.astype("f8"), c * r), 2.0, x)[1], "f8", [3, 5]),
    ],
)
def test_numbers_that_are_carried_yield(loop, dtype, wanted):
    made = loop(hd.asarray([1.5, 2.5], "f4"))
    assert made.dtype == dtype
    np.testing.assert_array_equal(hd.asnumpy(made), wanted)


def test_what_comes_out_of_a_loop_is_not_what_went_in():
    for f in (
        lambda x: lax.fori_loop(0, 0, lambda i, a: a, x),
        lambda x: lax.fori_loop(0, 2, lambda i, a: a, x),
        lambda x: lax.fori_loop(0, 2, lambda i, a: a, x, unroll=True),
        lambda x: lax.fori_loop(0, 2, lambda i, a: a if a.sum() > 0 else a * 2, x),
        lambda x: lax.while_loop(lambda a: a.sum() < 0, lambda a: a * 2, x),
        lambda x: lax.while_loop(lambda a: bool(a.sum() < 0), lambda a: a * 2, x),
        lambda x: lax.scan(lambda c, r: (c, r), x, hd.zeros((0, 2)))[0],
        lambda x: lax.scan(lambda c, r: (c, r), x, hd.zeros((3, 2)))[0],
        lambda x: lax.scan(lambda c, r: (c if c.sum() > 0 else -c, r), x, hd.zeros((3, 2)))[0],
    ):
        x = hd.ones(3)
        made = f(x)
        made[0] = 7
        assert x[0] == 1 and made[0] == 7


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: lax.fori_loop(0, 2.5, lambda i, c: c, 0.0), TypeError, r"upper is one .* float64"),
        (lambda: lax.fori_loop(hd.arange(2), 3, lambda i, c: c, 0.0), TypeError, r"lower .*\[2\]"),
        (lambda: lax.scan(lambda c, x: (c, x), 0.0), ValueError, "nor a length"),
        (lambda: lax.scan(lambda c, x: (c, x), 0.0, hd.ones(3), length=4), ValueError, r"\[3, 4\]"),
        (lambda: lax.scan(42, 0.0, hd.ones(3)), TypeError, "scan: expected a callable"),
        (lambda: lax.fori_loop(0, 1, 42, 0.0), TypeError, "fori_loop: expected a callable"),
        (lambda: lax.while_loop(42, hd.sin, 0.0), TypeError, "while_loop: expected a callable"),
        (lambda: lax.cond(None, hd.sin, hd.cos, 1.0), TypeError, "cond: the condition .* None"),
        (lambda: lax.map(hd.sin, 1.0), ValueError, r"map: an array of shape \(\) has no axis 0"),
        (lambda: lax.associative_scan(hd.add, 1.0), ValueError, "associative_scan: .* no axis 0"),
        (
            lambda: lax.associative_scan(lambda a, b: a, (hd.ones(3), hd.ones(4))),
            ValueError,
            r"along axis 0, but there are \[3, 4\]",
        ),
    ],
)
def test_mistakes_in_loops_are_named(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
