"""Functions of one row, for all rows of a batch at once: against a loop over the rows."""

import warnings

import numpy as np
import pytest
from transform_cases import MATRIX, REDUCTIONS, VIEWS, WRITES

import heddle as hd

RNG = np.random.default_rng(6)
# As near to one another as functions that depend on the order of elements allow.
BATCH = MATRIX + RNG.uniform(-1e-3, 1e-3, size=(5, 3, 4))
# How many elements there are depends on them, so that rows differ in shape.
CASES = {**REDUCTIONS, **VIEWS, **{f.__name__: f for f in WRITES}}


def rows(f, *batches):
    """What a loop gives."""
    made = [f(*(hd.asarray(b[i]) for b in batches)) for i in range(len(batches[0]))]
    return np.stack([hd.asnumpy(hd.asarray(one)) for one in made])


def same(found, wanted, tolerance=1e-12):
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_against_a_loop(name):
    f = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        same(hd.vmap(f)(hd.asarray(BATCH)), rows(f, BATCH))
        same(hd.vmap(f, in_axes=-1)(hd.asarray(np.moveaxis(BATCH, 0, -1))), rows(f, BATCH))
        # Both ways around, and twice.
        g = hd.grad(lambda x: hd.asarray(f(x)).sum())
        same(hd.vmap(g)(hd.asarray(BATCH)), rows(g, BATCH), 1e-9)

        def whole(x):
            return (hd.vmap(f)(x) * 2).sum()

        def alone(x):
            return hd.asarray(f(x)).sum() * 2

        wanted = rows(hd.grad(alone), BATCH)
        same(hd.grad(whole)(hd.asarray(BATCH)), wanted, 1e-9)
        twice = hd.stack([hd.asarray(BATCH)] * 2)
        same(hd.vmap(hd.vmap(f))(twice), np.stack([rows(f, BATCH)] * 2))


SIZED = {
    "a mask's elements": lambda x: x[x > 0],
    "joined": lambda x: hd.concatenate([x[x > 0], x[0]]),
    "places": lambda x: hd.nonzero(x > 0)[0],
    "unique": lambda x: hd.unique(x),
}


@pytest.mark.parametrize("name", SIZED)
def test_shapes_that_depend_on_elements_are_refused(name):
    with pytest.raises(TypeError, match="row to row"):
        hd.vmap(SIZED[name])(hd.asarray(BATCH)).eval()


def test_axes():
    x, y = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 5))

    def f(a, b):
        return a * b + a[0]

    wanted = rows(f, x, y.T)
    same(hd.vmap(f, (0, 1))(hd.asarray(x), hd.asarray(y)), wanted)
    same(hd.vmap(f, (0, -1), out_axes=1)(hd.asarray(x), hd.asarray(y)), wanted.T)
    same(
        hd.vmap(f, (0, None))(hd.asarray(x), hd.asarray(y[:, 0])), rows(lambda a: f(a, y[:, 0]), x)
    )
    same(hd.vmap(lambda a, *, b: a * b)(hd.asarray(x), b=hd.asarray(x)), x * x)
    tree = {"a": hd.asarray(x), "b": (hd.asarray(y), 2.0)}
    made = hd.vmap(lambda t: {"r": t["a"] * t["b"][0] * t["b"][1]}, ({"a": 0, "b": (1, None)},))(
        tree
    )
    same(made["r"], x * y.T * 2)
    a, b = hd.vmap(lambda v: (v, v.sum()), out_axes=(1, 0))(hd.asarray(x))
    assert (a.shape, b.shape) == ((3, 5), (5,))


def test_results_without_rows():
    x = hd.ones((4, 2))
    assert hd.vmap(lambda v: hd.arange(3))(x).tolist() == [[0, 1, 2]] * 4
    assert hd.vmap(lambda v: hd.arange(3), out_axes=None)(x).tolist() == [0, 1, 2]
    assert hd.vmap(lambda: hd.ones(2), axis_size=3)().shape == (3, 2)
    with pytest.raises(ValueError, match="differs from row to row"):
        hd.vmap(lambda v: v, out_axes=None)(x)


def test_indices_with_rows():
    x, i = RNG.normal(size=(4, 5)), np.array([0, 4, -1, 2])
    same(hd.vmap(lambda v, j: v[j])(hd.asarray(x), hd.asarray(i)), x[np.arange(4), i])
    same(hd.vmap(lambda j: hd.asarray(x)[j])(hd.asarray(i % 4)), x[i % 4])
    same(
        hd.vmap(lambda v, j: v[hd.stack([j, j])])(hd.asarray(x), hd.asarray(i)),
        x[np.arange(4), i][:, None].repeat(2, 1),
    )

    def put(v, j):
        w = v.copy()
        w[j] = 7
        hd.add.at(w, hd.stack([j, j]), 1.0)
        return w

    wanted = x.copy()
    wanted[np.arange(4), i] = 9
    same(hd.vmap(put)(hd.asarray(x), hd.asarray(i)), wanted)
    with pytest.raises(IndexError, match="5 is out of bounds for axis 0 with size 5"):
        hd.vmap(lambda v, j: v[j])(hd.asarray(x), hd.array([0, 5, 1, 2])).tolist()


def test_an_index_of_the_only_row_into_the_only_element():
    x = hd.array([3.0])

    def f(x):
        return (hd.vmap(lambda i: x[i] * 2)(hd.array([0])) ** 2).sum()

    for g in (hd.grad(f), hd.jit(hd.grad(f))):
        assert g(x).tolist() == [24.0]


def test_linear_algebra():
    a = RNG.normal(size=(6, 3, 3)) + 3 * np.eye(3)
    b = RNG.normal(size=(6, 3))
    symmetric = a @ a.transpose(0, 2, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("inv", "det", "cholesky", "eigvalsh", "pinv"):
            given = symmetric if name in ("cholesky", "eigvalsh") else a
            wanted = getattr(np.linalg, name)(given)
            same(hd.vmap(getattr(hd.linalg, name))(hd.asarray(given)), wanted, 1e-9)
        made = hd.vmap(hd.linalg.solve)(hd.asarray(a), hd.asarray(b))
        same(made, np.linalg.solve(a, b[..., None])[..., 0], 1e-9)
        made = hd.vmap(hd.linalg.solve, (None, 0))(hd.asarray(a[0]), hd.asarray(b))
        same(made, np.linalg.solve(a[0], b.T).T, 1e-9)
        _, s, _ = hd.vmap(hd.linalg.svd)(hd.asarray(a))
        same(s, np.linalg.svd(a)[1], 1e-9)
    a[2] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        hd.vmap(hd.linalg.inv)(hd.asarray(a))


def test_jacobians():
    x = hd.asarray(RNG.normal(size=3))

    def f(v):
        return hd.stack([v[0] * v[1], hd.sin(v[2]), v.sum() ** 2, v[1]])

    wanted = np.array(
        [
            [float(x[1]), float(x[0]), 0],
            [0, 0, np.cos(float(x[2]))],
            [2 * float(x.sum())] * 3,
            [0, 1, 0],
        ]
    )
    for jacobian in (hd.jacrev, hd.jacfwd, hd.jacobian):
        same(jacobian(f)(x), wanted)

    def g(p, q):
        return {"s": p["w"] @ q, "t": (p["w"] ** 2).sum()}

    w = hd.asarray(RNG.normal(size=(2, 3)))
    for jacobian in (hd.jacrev, hd.jacfwd):
        made = jacobian(g)({"w": w}, x)
        same(made["s"]["w"], np.einsum("ik,j->ikj", np.eye(2), hd.asnumpy(x)))
        same(made["t"]["w"], 2 * hd.asnumpy(w))
        by_p, by_q = jacobian(g, argnums=(0, 1))({"w": w}, x)["s"]
        assert by_p["w"].shape == (2, 2, 3)
        same(by_q, hd.asnumpy(w))
        made, aux = jacobian(lambda v: (v * v, "aux"), has_aux=True)(x)
        assert aux == "aux"
        same(made, np.diag(2 * hd.asnumpy(x)))

    def rosenbrock(v):
        return (100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2).sum()

    made = hd.asnumpy(hd.hessian(rosenbrock)(x))
    np.testing.assert_allclose(made, made.T)
    np.testing.assert_allclose(made[2, 2], 200)
    with pytest.raises(TypeError, match="holomorphic"):
        hd.jacrev(lambda v: v * 1j)(x)


BAD = [
    (lambda: hd.vmap(lambda v: v)(hd.ones(())), ValueError, "no axis 0"),
    (lambda: hd.vmap(lambda v, w: v)(hd.ones(3), hd.ones(4)), ValueError, "argument 1 has 4"),
    (lambda: hd.vmap(lambda v: v, (0, 0))(hd.ones(3)), ValueError, "in_axes has 2"),
    (lambda: hd.vmap(lambda v: v, None)(hd.ones(3)), ValueError, "no argument with an axis"),
    (lambda: hd.vmap(lambda v: v, "a"), TypeError, "in_axes"),
    (lambda: hd.vmap(lambda v: v, True), TypeError, "in_axes is an integer"),
    (lambda: hd.vmap(lambda v: v, ({"a": 0},))(hd.ones(3)), ValueError, "does not fit"),
    (lambda: hd.vmap(lambda v: v, axis_size=4)(hd.ones(3)), ValueError, "axis_size has 4"),
    (lambda: hd.vmap(lambda v: 1 if v > 0 else 0)(hd.ones(3)), TypeError, "where"),
    (lambda: hd.vmap(float)(hd.ones(3)), TypeError, "row to row"),
    (lambda: hd.vmap(lambda v: "a")(hd.ones(3)), TypeError, "str"),
    (lambda: hd.vmap(lambda v: v, 0, 2)(hd.ones(3)), ValueError, "out_axes is 2 for the result"),
    (lambda: hd.vmap(lambda v: {"a": v}, 0, -2)(hd.ones(3)), ValueError, "out_axes is -2"),
]


@pytest.mark.unrecorded("is about who records")
@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert not hd._core.recording()


def test_arrays_outside_are_not_written_with_rows():
    kept = hd.zeros(3)

    def f(v):
        kept[0] = 5  # the same for all rows
        kept[1] = v
        return v

    with pytest.raises(TypeError, match="outside"):
        hd.vmap(f)(hd.arange(4.0))
    assert kept.tolist() == [5, 0, 0]


@pytest.mark.unrecorded("is about who records")
def test_a_stand_in_after_its_time():
    left = []
    hd.vmap(lambda v: left.append(v * 2) or v)(hd.arange(3.0))
    with pytest.raises(TypeError, match=r"stands for .* has ended"):
        float(left[0].sum())


def test_warnings_are_about_any_row():
    x = hd.array([[1.0, 2.0], [np.nan, np.nan]])
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        hd.vmap(hd.nanmean)(x)


def test_primitives_without_a_rule_are_named():
    x = hd.asarray(RNG.normal(size=(3, 5)))
    with pytest.warns(RuntimeWarning, match="(?!foreign)[a-z_]+ is computed row by row"):
        made = hd.vmap(lambda v: hd.scipy.ndimage.zoom(v, 2.0))(x)
    rows = [hd.asnumpy(hd.scipy.ndimage.zoom(v, 2.0)) for v in x]
    np.testing.assert_allclose(hd.asnumpy(made), rows)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("axes", [(0, 0), (None, 0), (0, None)])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool", "complex64"])
def test_searches_in_rows(dtype, axes, side):
    for count in (1, 2, 5, 16):
        rows = np.sort(RNG.integers(0, 7, size=(3, count)).astype(dtype), axis=1)
        values = RNG.integers(0, 8, size=(3, 4, 2)).astype(dtype)
        if dtype == "float64":
            rows[0, -1] = values[0, 0, 0] = np.nan
            values[1, 0] = np.inf, -np.inf
        given = [a if axis == 0 else a[0] for a, axis in zip((rows, values), axes, strict=True)]
        made = hd.vmap(lambda a, v: hd.searchsorted(a, v, side), axes)(*map(hd.asarray, given))
        wanted = [
            np.searchsorted(rows[i if axes[0] == 0 else 0], values[i if axes[1] == 0 else 0], side)
            for i in range(3)
        ]
        np.testing.assert_array_equal(hd.asnumpy(made), wanted)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["int64", "uint8"])
def test_counts_of_rows(dtype):
    from heddle.jax.numpy import bincount

    bins, weights = RNG.integers(0, 6, size=(3, 9)), RNG.normal(size=(3, 9))
    x, w = hd.asarray(bins.astype(dtype)), hd.asarray(weights)
    made = hd.vmap(lambda x: bincount(x, length=6))(x)
    np.testing.assert_array_equal(hd.asnumpy(made), [np.bincount(b, minlength=6) for b in bins])
    sums = [np.bincount(b, v, 6) for b, v in zip(bins, weights, strict=True)]
    made = hd.vmap(lambda x, w: bincount(x, weights=w, length=6))(x, w)
    np.testing.assert_allclose(hd.asnumpy(made), sums)
    slopes = hd.vmap(hd.grad(lambda w, x: (bincount(x, weights=w, length=6) ** 2).sum()))(w, x)
    wanted = [2 * total[b] for total, b in zip(sums, bins, strict=True)]
    np.testing.assert_allclose(hd.asnumpy(slopes), wanted)


@pytest.mark.filterwarnings("error")
def test_interpolation_of_rows():
    points, heights = np.sort(RNG.normal(size=(3, 7)), axis=1), RNG.normal(size=(3, 7))
    x = 2 * RNG.normal(size=(3, 5))
    given = [hd.asarray(a) for a in (x, points, heights)]
    wanted = [np.interp(*row) for row in zip(x, points, heights, strict=True)]
    np.testing.assert_allclose(hd.asnumpy(hd.jit(hd.vmap(hd.interp))(*given)), wanted)


def test_arrays_of_other_devices():
    x = hd.asarray(RNG.normal(size=(3, 4)))
    scale = hd.asarray(2.0, device="cpu")

    def f(v):
        return (v * scale).sum() + hd.arange(4).sum()

    same(hd.vmap(f)(x), rows(f, hd.asnumpy(x)))
    g = hd.grad(lambda v: (hd.asarray(v, device="cpu") ** 2).sum())
    same(hd.vmap(g)(x), 2 * hd.asnumpy(x))


def test_pieces_and_least_squares():
    generator = np.random.default_rng(5)
    x = hd.asarray(generator.normal(size=(3, 6)))

    def pieces(x):
        return hd.piecewise(x, [x < -0.5, x > 0.5], [lambda v: v**2, hd.sin, 0.25])

    np.testing.assert_allclose(hd.asnumpy(hd.vmap(pieces)(x)), hd.asnumpy(pieces(x)))
    slopes = hd.vmap(hd.grad(lambda x: pieces(x).sum()))(x)
    wanted = hd.grad(lambda x: pieces(x).sum())(x)
    np.testing.assert_allclose(hd.asnumpy(slopes), hd.asnumpy(wanted))
    for shape, sides in (((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 5), (3,))):
        a = hd.asarray(generator.normal(size=(4, *shape)))
        b = hd.asarray(generator.normal(size=(4, *sides)))
        a[3, :, -1] = a[3, :, 0]  # another rank
        found = [hd.asnumpy(one) for one in hd.vmap(hd.linalg.lstsq)(a, b)]
        for i in range(4):
            wanted = np.linalg.lstsq(hd.asnumpy(a[i]), hd.asnumpy(b[i]))
            np.testing.assert_allclose(found[0][i], wanted[0], rtol=1e-9, atol=1e-12)
            assert int(found[2][i]) == wanted[2]
            np.testing.assert_allclose(found[3][i], wanted[3], atol=1e-12)
            if wanted[1].size:
                np.testing.assert_allclose(np.atleast_1d(found[1][i]), wanted[1])


def test_masks_without_rows_select_from_rows():
    rows = hd.arange(12.0).reshape(3, 4)
    mask = hd.array([True, False, True, True])

    def f(x):
        y = hd.zeros(4)
        y[mask] = x[mask] ** 2
        return y, hd.compress(mask, x), hd.extract(mask, x)

    for mapped in (hd.vmap(f), hd.jit(hd.vmap(f))):
        for _ in range(2):
            written, compressed, extracted = mapped(rows)
            np.testing.assert_array_equal(hd.asnumpy(written), hd.asnumpy(rows**2 * mask))
            np.testing.assert_array_equal(hd.asnumpy(compressed), hd.asnumpy(rows[:, mask]))
            np.testing.assert_array_equal(hd.asnumpy(extracted), hd.asnumpy(rows[:, mask]))
    values = hd.arange(6.0).reshape(2, 3)
    placed = hd.vmap(lambda v: hd.zeros(4).at[mask].set(v))(values)
    np.testing.assert_array_equal(hd.asnumpy(placed[:, mask]), hd.asnumpy(values))


def test_a_condition_on_a_row_says_its_line():
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(TypeError, match=r"test_vmap.py:\d+\)\. Write where"):
        hd.vmap(f)(hd.ones(3))


def test_loops_over_the_rows_of_an_array():
    x = hd.arange(12.0).reshape(2, 3, 2)
    found = hd.vmap(lambda a: sum(e * i for i, row in enumerate(a) for e in row))(x)
    np.testing.assert_array_equal(
        hd.asnumpy(found), hd.asnumpy((x * hd.arange(3.0)[:, None]).sum((1, 2)))
    )


@pytest.mark.parametrize("name", ["allclose", "array_equal", "array_equiv"])
def test_comparisons_of_whole_rows(name):
    compared = getattr(hd, name)
    a, b = hd.array([[1.0, 2.0], [3.0, 4.0]]), hd.array([[1.0, 2.0], [3.0, 5.0]])
    assert hd.vmap(compared)(a, b).tolist() == [True, False]
    assert compared(a, b) is False
    if name != "allclose":  # which refuses other shapes
        unlike = hd.vmap(lambda row: hd.asarray(compared(row, hd.ones(3))))
        assert unlike(a).tolist() == [False, False]


@pytest.mark.host_memory
def test_memory_that_numpy_sees_beside_nested_batches():
    weights = np.array([0.7, -0.2, 0.5])
    shared = hd.asarray(weights, copy=False)
    rows = np.arange(12.0).reshape(2, 2, 3)
    products = hd.vmap(hd.vmap(lambda row: hd.sin(row) * shared))
    dots = hd.vmap(hd.vmap(lambda row: shared @ row))
    slopes = hd.grad(lambda rows: products(rows).sum())(hd.asarray(rows))
    np.testing.assert_allclose(products(hd.asarray(rows)), np.sin(rows) * weights, rtol=1e-15)
    np.testing.assert_allclose(dots(hd.asarray(rows)), rows @ weights, rtol=1e-15)
    np.testing.assert_allclose(slopes, np.cos(rows) * weights, rtol=1e-15)


def test_vectorize_with_a_signature_inside_of_batches():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    dot = hd.vectorize(lambda u, v: (u * v).sum(), signature="(n),(n)->()")
    np.testing.assert_array_equal(hd.asnumpy(hd.vmap(dot)(hd.asarray(a), hd.asarray(b))), a.sum(1))
    both = hd.vectorize(lambda u: (u * 2, u.sum()), signature="(n)->(n),()", otypes="ff")
    doubled, sums = hd.vmap(both)(hd.asarray(a))
    assert doubled.dtype == sums.dtype == np.float32
    np.testing.assert_array_equal(hd.asnumpy(doubled), 2 * a)
    np.testing.assert_array_equal(hd.asnumpy(sums), a.sum(1))
