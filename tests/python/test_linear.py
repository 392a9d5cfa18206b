"""Products of vectors and matrices against NumPy."""

import math
import pickle

import numpy
import pytest
from compare import check
from support import STANDARD, assert_exact, host, name, random_values, same_error

import heddle

pytestmark = pytest.mark.waiting


def close(actual, expected):
    expected = numpy.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    eps = 1e-3 if expected.dtype == "f2" else 1e-6 if expected.dtype.char in "fF" else 1e-14
    largest = numpy.max(numpy.abs(expected), initial=10)
    numpy.testing.assert_allclose(host(actual), expected, rtol=eps, atol=2 * eps * float(largest))


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((6, 1, 2, 3), (5, 3, 4)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((1, 3), (3, 1)),
    ((1, 0), (0, 1)),
    ((6, 1, 3), (6, 3, 1)),
    ((2, 1, 1, 3), (5, 3, 1)),
    ((0, 1, 3), (3, 1)),
]


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(shapes, dtype):
    a, b = (random_values(dtype, shape, i) for i, shape in enumerate(shapes))
    x, y = heddle.asarray(a), heddle.asarray(b)
    close(x @ y, a @ b)
    close(heddle.matmul(x, y), numpy.matmul(a, b))
    close(heddle.dot(x, y), numpy.dot(a, b))
    close(a @ y, a @ b)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_products(dtype):
    a, b = random_values(dtype, (2, 3)), random_values(dtype, (4, 3), 1)
    v, w = random_values(dtype, 3, 2), random_values(dtype, (3, 5), 3)
    x, y, p, q = (heddle.asarray(m) for m in (a, b, v, w))
    close(heddle.inner(x, y), numpy.inner(a, b))
    close(heddle.outer(x, y), numpy.outer(a, b))
    close(heddle.vdot(x, x + 1), numpy.vdot(a, a + 1))
    close(heddle.vecdot(x, p), numpy.vecdot(a, v))
    close(heddle.matvec(x, p), numpy.matvec(a, v))
    close(heddle.vecmat(p, q), numpy.vecmat(v, w))
    close(heddle.tensordot(x, q, 1), numpy.tensordot(a, w, 1))
    close(heddle.tensordot(x, y, ([1], [1])), numpy.tensordot(a, b, ([1], [1])))
    close(heddle.tensordot(x, x, 2), numpy.tensordot(a, a, 2))
    close(heddle.dot(x, 3), numpy.dot(a, 3))
    out = heddle.zeros((2, 5), dtype)
    assert heddle.matmul(x, q, out=out) is out
    close(out, a @ w)
    square = random_values(dtype, (3, 3), 4)
    z, s = heddle.asarray(square), square.copy()
    z @= z
    s @= s
    close(z, s)


@pytest.mark.parametrize(
    "function",
    [
        lambda m: m.ones((2, 3)) @ m.ones((2, 3)),
        lambda m: m.ones((2, 3)) @ m.ones(2),
        lambda m: m.matmul(m.ones((2, 3)), 2),
        lambda m: m.matmul(m.ones((2, 2, 3)), m.ones((3, 3, 2))),
        lambda m: m.dot(m.ones((2, 3)), m.ones((2, 3))),
        lambda m: m.inner(m.ones((2, 3)), m.ones(2)),
        lambda m: m.vdot(m.ones((2, 3)), m.ones(2)),
        lambda m: m.vecdot(m.ones((2, 3)), m.ones(2)),
        lambda m: m.tensordot(m.ones((2, 3)), m.ones((2, 2, 4))),
        lambda m: m.dot(m.ones((2, 3)), m.ones((3, 2)), out=m.ones((2, 2), int)),
        lambda m: m.matmul(m.ones((2, 3)), m.ones((3, 2)), out=m.ones((2, 2), int)),
    ],
)
def test_errors(function):
    same_error(function)


def test_messages():
    ours, theirs = same_error(lambda m: m.ones((2, 3)) @ m.ones((2, 3)))
    assert ours == theirs
    ours, theirs = same_error(lambda m: m.dot(m.ones((2, 3)), m.ones((2, 3))))
    assert ours == theirs


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(5, 3), (1, 7), (7, 1), (1, 1), (40, 20)])
def test_matrices_in_every_memory_order(shape, dtype):
    rng = numpy.random.default_rng(0)
    rows, columns = shape
    other = rng.random((columns, 4)).astype(dtype)
    sources = [
        rng.random(shape).astype(dtype),
        numpy.asfortranarray(rng.random(shape).astype(dtype)),
        rng.random((columns, rows)).astype(dtype).T,
        rng.random((2 * rows, 2 * columns)).astype(dtype)[::2, ::-2],
    ]
    for source in sources:
        a, b = heddle.asarray(source), heddle.asarray(other)
        for ours, theirs in [
            (a @ b, source @ other),
            (a @ b[:, 2], source @ other[:, 2]),
            (a @ b[:, 2:3], source @ other[:, 2:3]),
            (b.T @ a.T, other.T @ source.T),
        ]:
            numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-5)


PRODUCTS = ["matmul", "vecdot", "matvec", "vecmat"]


@pytest.mark.parametrize("function", PRODUCTS)
def test_products_are_ufuncs(function):
    ours, theirs = getattr(heddle, function), getattr(numpy, function)
    assert isinstance(ours, heddle.ufunc) and repr(ours) == repr(theirs)
    for attribute in ("nin", "nout", "nargs", "signature", "identity", "__name__"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert set(theirs.types) - set(ours.types) == {"qq->q", "QQ->Q", "gg->g", "GG->G", "OO->O"}
    same_error(lambda np: getattr(np, function).reduce(np.ones((2, 2))))
    same_error(lambda np: getattr(np, function).accumulate(np.ones((2, 2))))
    same_error(lambda np: getattr(np, function).outer(np.ones((2, 2)), np.ones((2, 2))))
    same_error(lambda np: getattr(np, function).at(np.ones((2, 2)), 0, np.ones((2, 2))))
    same_error(lambda np: getattr(np, function).reduceat(np.ones((2, 2)), [0]))
    assert pickle.loads(pickle.dumps(ours)) is ours


def ones(np, *shape):
    return np.arange(float(math.prod(shape))).reshape(shape)


@pytest.mark.parametrize(
    ("function", "shapes", "keywords"),
    [
        ("matmul", ((3, 2), (3, 4)), {"axes": [(1, 0), (0, 1), (0, 1)]}),
        ("matmul", ((2, 3, 4), (3, 5, 4)), {"axes": [(0, 1), (0, 1), (0, 2)]}),
        ("matmul", ((2, 3, 4), (3,)), {"axes": [(0, 1), 0, 0]}),
        ("matmul", ((2, 3, 4), (3,)), {"axes": [(0, 1), (0,), (0,)]}),
        ("matmul", ((2, 3), (4, 5, 3, 2)), {"axes": [(0, 1), (2, 3), (0, 1)]}),
        ("matmul", ((2, 2), (2, 2)), {"axes": 1}),
        ("matmul", ((2, 2), (2, 2)), {"axes": [1, 2, 3]}),
        ("matmul", ((2, 2), (2, 2)), {"axes": [(0, 1), (0, 1)]}),
        ("matmul", ((2, 2), (2, 2)), {"axes": [(0, 1), (0, 0), (0, 1)]}),
        ("matmul", ((2, 2), (2, 2)), {"axes": [(0, 1), (0, 2), (0, 1)]}),
        ("matmul", ((2, 2), (2, 2)), {"axes": [(0, 1), (0, 1.0), (0, 1)]}),
        ("matmul", ((2, 2), (2, 2)), {"axis": 0}),
        ("matmul", ((2, 2), (2, 2)), {"keepdims": True}),
        ("matmul", ((2, 2), (2, 2)), {"where": True}),
        ("matmul", ((2, 2), (2, 2)), {"dtype": "f4"}),
        ("matmul", ((2, 2), (2, 2)), {"dtype": int}),
        ("matmul", ((2, 2), (2, 2)), {"dtype": int, "casting": "unsafe"}),
        ("matmul", ((2, 2), (2, 2)), {"signature": "ff->f"}),
        ("matmul", ((2, 2), (2, 2)), {"out": ...}),
        ("matmul", ((2,), (2,)), {"out": ...}),
        ("matmul", ((), (2,)), {}),
        ("vecdot", ((3, 2), (3, 2)), {"axis": 0}),
        ("vecdot", ((3, 2), (3, 2)), {"axis": 0, "keepdims": True}),
        ("vecdot", ((3, 2), (3, 2)), {"keepdims": True}),
        ("vecdot", ((3, 2), (3, 2)), {"keepdims": 1}),
        ("vecdot", ((3, 2), (3, 2)), {"axes": [0, 0]}),
        ("vecdot", ((3, 2), (3, 2)), {"axes": [0, 0, 0], "keepdims": True}),
        ("vecdot", ((3, 2), (3, 2)), {"axes": [0, 0], "axis": 0}),
        ("vecdot", ((3, 2), (3, 2)), {"axes": [0, 0], "keepdims": True}),
        ("vecdot", ((3, 2), (3, 2)), {"axis": 2}),
        ("vecdot", ((3, 2), (3, 2)), {"axis": 1.0}),
        ("matvec", ((3, 2), (3,)), {"axes": [(1, 0), 0, 0]}),
        ("matvec", ((2, 3), (3,)), {"axes": [(1, 0), 0, 0]}),
        ("vecmat", ((3,), (3, 2)), {"axes": [0, (0, 1), 0]}),
        ("vecmat", ((3,), (3, 2)), {"axis": 0}),
    ],
)
def test_keywords_of_products(function, shapes, keywords):
    check(lambda np: getattr(np, function)(*(ones(np, *s) for s in shapes), **keywords))


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2,), (3, 2, 2)])
def test_outputs_of_products(shape):
    def program(np, **keywords):
        out = np.zeros(shape)
        made = np.matmul(ones(np, 3, 2), ones(np, 3, 2), out=out, **keywords)
        return made is out, out

    check(lambda np: program(np, axes=[(1, 0), (0, 1), (1, 0)]))
    check(lambda np: program(np, axes=[(1, 0), (0, 1), (-2, -1)]))


@pytest.mark.parametrize("order", "CFKA")
def test_memory_order_of_products(order):
    check(lambda np: np.matmul(ones(np, 2, 3), ones(np, 3, 4), order=order).flags.f_contiguous)


@pytest.mark.parametrize(
    "dtypes",
    [("f4", "i8", None), ("f4", int, None), ("i1", float, None), ("f8", "f4", "f4")],
)
@pytest.mark.parametrize("function", ["add", "less", "matmul"])
def test_resolve_dtypes(dtypes, function):
    kinds = tuple(numpy.dtype(d) if isinstance(d, str) else d for d in dtypes)
    check(lambda np: getattr(np, function).resolve_dtypes(kinds))


@pytest.mark.parametrize(
    "dtypes",
    [(None, "i2", None), (None, "f4", "f8"), ("i4", "i4", "i4"), ("i4", "i4"), (None, "i4", "f4")],
)
@pytest.mark.parametrize("reduction", [True, False])
def test_resolve_dtypes_of_reductions(dtypes, reduction):
    kinds = tuple(d and numpy.dtype(d) for d in dtypes)
    check(lambda np: np.add.resolve_dtypes(kinds, reduction=reduction))


def test_outputs_larger_than_products():
    def program(np):
        out = np.zeros((4, 3))
        np.vecdot(np.ones((1, 2)), np.ones((3, 2)), out=out)
        return out

    check(program)


STACKS = [
    ((7, 3, 4), (7, 4, 5)),
    ((7, 3, 4), (4, 5)),
    ((3, 4), (7, 4, 5)),
    ((2, 7, 3, 4), (2, 7, 4, 5)),
    ((2, 1, 3, 4), (7, 4, 5)),
    ((6, 1, 3, 4), (1, 7, 4, 5)),
    ((2, 1, 5, 3, 4), (1, 3, 1, 4, 5)),
    ((1, 3, 4), (7, 4, 5)),
    ((300, 2, 2), (300, 2, 2)),
    ((40, 33, 34), (40, 34, 35)),
]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("shapes", STACKS, ids=str)
def test_stacks_of_matrices(shapes, dtype):
    a, b = (random_values(dtype, shape, i) for i, shape in enumerate(shapes))
    expected = numpy.matmul(a.astype("c16"), b.astype("c16"))
    tol = {"f2": 2e-3, "f4": 2e-6, "c8": 2e-6}.get(dtype, 1e-14) * a.shape[-1] ** 0.5 * 40
    for x in (heddle.asarray(a), heddle.asarray(a).swapaxes(-1, -2).copy().swapaxes(-1, -2)):
        for y in (heddle.asarray(b), heddle.asarray(b)[::-1].copy()[::-1]):
            made = x @ y
            assert made.dtype == a.dtype and made.shape == expected.shape
            numpy.testing.assert_allclose(host(made), expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("axes", [(1, 0, 2), (2, 0, 1), (0, 2, 1), (1, 2, 0)])
def test_stacks_in_every_memory_order(axes):
    a, b = random_values("f8", (5, 5, 5)), random_values("f8", (5, 5, 5), 1)
    x, y = heddle.asarray(a), heddle.asarray(b)
    close(x.transpose(axes) @ y, a.transpose(axes) @ b)
    close(y @ x.transpose(axes), b @ a.transpose(axes))
    close(x.transpose(axes) @ y[2], a.transpose(axes) @ b[2])


VECTORS = {
    "dense": lambda a: a[:7],
    "strided": lambda a: a[::3],
    "reversed": lambda a: a[6::-1],
    "column": lambda a: a.reshape(7, 3)[:, 1],
    "repeated": lambda a: (a[:1] * 1)[[0] * 7],
}


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i8"])
@pytest.mark.parametrize("vector", VECTORS)
def test_vectors_in_every_layout(vector, dtype):
    take = VECTORS[vector]
    values, square = random_values(dtype, 21), random_values(dtype, (14, 14), 1)
    matrices = [
        lambda m: m[:7, :7],
        lambda m: m.T[:7, 1:8],
        lambda m: m[::2, ::2],
        lambda m: m[6::-1, 3:10],
        lambda m: m[:7, 3:4],
    ]
    v, x = take(values), take(heddle.asarray(values))
    for choose in matrices:
        a, b = choose(square), choose(heddle.asarray(square))
        close(x @ b, v @ a)
        close(heddle.vecmat(x, b), numpy.vecmat(v, a))
        if a.shape[1] == 7:
            close(b @ x, a @ v)
            close(heddle.dot(b, x), numpy.dot(a, v))
            close(heddle.matvec(b, x), numpy.matvec(a, v))
            stack = heddle.stack([b, b + 1])
            close(stack @ x, numpy.stack([a, a + 1]) @ v)
    close(x @ heddle.broadcast_to(x, (3, 7)).T, v @ numpy.broadcast_to(v, (3, 7)).T)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i8"])
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 4), (4, 1), (70, 40), (33, 65)], ids=str)
def test_a_matrix_with_itself(shape, dtype):
    a = random_values(dtype, shape)
    x = heddle.asarray(a)
    for left, right in ((x, a), (x[::-1], a[::-1]), (x.T.copy().T, a)):
        close(left @ left.T, right @ right.T)
        close(left.T @ left, right.T @ right)
    product = x @ x.T
    if x.device == "cpu":
        assert (product == product.T).all()
    close(heddle.dot(x, x.T), numpy.dot(a, a.T))
    close(x @ (x.T + 0), a @ a.T)


@pytest.mark.parametrize("function", ["matmul", "dot", "inner", "vecdot", "einsum"])
def test_half_precision_is_rounded_once(function):
    a = numpy.full((4, 4096), 0.01, "f2")
    x = heddle.asarray(a)
    exact = a.astype("f8")
    if function == "einsum":
        made, expected = heddle.einsum("ij,kj", x, x), exact @ exact.T
    elif function == "vecdot":
        made, expected = heddle.vecdot(x, x), (exact * exact).sum(1)
    elif function == "inner":
        made, expected = heddle.inner(x, x), exact @ exact.T
    else:
        made, expected = getattr(heddle, function)(x, x.T), exact @ exact.T
    assert made.dtype == "f2"
    numpy.testing.assert_allclose(host(made), expected, rtol=1e-3)


def test_precision_on_gpus_is_a_setting():
    assert heddle.cuda.get_matmul_precision() == "float32"
    heddle.cuda.set_matmul_precision("tf32")
    assert heddle.cuda.get_matmul_precision() == "tf32"
    heddle.cuda.set_matmul_precision("float32")
    with pytest.raises(ValueError, match="tf32"):
        heddle.cuda.set_matmul_precision("float16")


def test_float32_is_not_rounded():
    # 1 + 2**-12 is not in TF32.
    a = numpy.full((64, 64), 1 + 2**-12, "f4")
    close(heddle.asarray(a) @ heddle.eye(64, dtype="f4"), a)


@pytest.mark.parametrize("dtype", ["?", "i2", "i8", "f2", "f4", "c16"])
def test_products_are_in_the_order_of_rows(dtype):
    def operands(xp):
        a = xp.asarray(numpy.arange(24).astype(dtype).reshape(2, 3, 4))
        return a.transpose(1, 0, 2), a.transpose(0, 2, 1)

    for call in (
        lambda xp, a, b: xp.dot(a, b),
        lambda xp, a, b: xp.inner(a, a),
        lambda xp, a, b: xp.tensordot(a, b, ([2], [1])),
        lambda xp, a, b: xp.dot(a[0].T, a[1]),
        lambda xp, a, b: xp.matmul(a[0].T, a[1].T.T),
        lambda xp, a, b: xp.matmul(a[:, :, :2], a[:, :, 2:]),
    ):
        ours, theirs = call(heddle, *operands(heddle)), call(numpy, *operands(numpy))
        assert ours.strides == theirs.strides
        assert_exact(ours, theirs)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(310, 330), (3, 70000), (70000, 3), (20, 20000), (20000, 20)])
def test_products_with_vectors_on_all_cores(shape, dtype):
    rows, columns = shape
    matrix = random_values(dtype, shape)
    padded = random_values(dtype, (rows + 3, columns + 5), 1)
    right, left = random_values(dtype, 2 * columns, 2)[::2], random_values(dtype, rows, 3)
    eps = 1e-5 if dtype in ("f4", "c8") else 1e-13
    for source in (matrix, numpy.asfortranarray(matrix), padded[2:-1, 3:-2]):
        a, x, y = (heddle.asarray(m) for m in (source, right, left))
        for ours, theirs in [(a @ x, source @ right), (y @ a, left @ source)]:
            scale = float(numpy.max(numpy.abs(theirs)))
            numpy.testing.assert_allclose(host(ours), theirs, rtol=eps, atol=eps * scale)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
@pytest.mark.parametrize("size", [32767, 32768, 100_000, 131_073, 1_000_003])
def test_long_dot_products(size, dtype):
    a, b = random_values(dtype, size), random_values(dtype, size, 1)
    x, y = heddle.asarray(a), heddle.asarray(b)
    eps = {"f4": 1e-6, "i8": 0}.get(dtype, 1e-14)
    atol = eps * float(numpy.sum(numpy.abs(a) * numpy.abs(b)))
    for run in (
        lambda m, p, q: m.dot(p, q),
        lambda m, p, q: m.vdot(p, q),
        lambda m, p, q: m.vecdot(p[::2], q[::2]),
        lambda m, p, q: m.dot(p[::-1], q),
    ):
        numpy.testing.assert_allclose(host(run(heddle, x, y)), run(numpy, a, b), eps, atol)
