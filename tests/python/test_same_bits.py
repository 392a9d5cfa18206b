"""The bits of a result do not depend on what else is computed with it.

Every reduction is computed alone, of an array in memory, and then of the same formula fused into
it, with intermediates held, beside other results and beside other reductions. All have to agree in
every bit.
"""

import os

import numpy
import pytest

import heddle

pytestmark = pytest.mark.waiting

# On a GPU the vectors that a kernel reads decide the order of its sums, and they depend on all that
# the kernel reads: a program has the same bits in every run there, but not however it is cut.
by_the_reduction_alone = pytest.mark.skipif(
    os.environ.get("HEDDLE_DEVICE") == "cuda", reason="kernels of GPUs choose the order of sums"
)

SHAPES = [
    ((1000,), None),
    ((70_001,), None),
    ((37, 1003), 1),
    ((1003, 37), 0),
    ((203, 5), 0),
    ((40_000, 3), 0),
    ((300, 211), None),
    ((9, 40, 33), (0, 2)),
    ((5, 7, 20_000), 2),
    ((1001, 3), 1),
    ((70, 3, 8), 2),
    ((40, 2, 2, 4), (1, 3)),
]


def light(x):
    return x * 2 + 1


def medium(x):
    return ((x * 2 + 1) * x - 0.5) * (x + 0.25) * x + x * x * 3 - x


def heavy(x):
    return heddle.exp(x) * heddle.tanh(x) + heddle.sqrt(x * x + 1)


def branching(x):
    return heddle.where(heddle.isfinite(x), x, 0.0) * 1.5


CASES = [(f, d) for f in (light, medium, heavy, branching) for d in ("float32", "float64")]
CASES += [(light, d) for d in ("float16", "complex64", "complex128")]


REDUCTIONS = {
    "sum": lambda y, axis: heddle.sum(y, axis=axis),
    "mean": lambda y, axis: heddle.mean(y, axis=axis),
    "prod": lambda y, axis: heddle.prod(1 + y / 1000, axis=axis),
    "max": lambda y, axis: heddle.max(y, axis=axis),
    "var": lambda y, axis: heddle.var(y, axis=axis),
    "nansum": lambda y, axis: heddle.nansum(y, axis=axis),
    "square": lambda y, axis: heddle.sum(y * y, axis=axis),
}


def values(shape, dtype):
    rng = numpy.random.default_rng(3)
    a = rng.normal(size=shape)
    if numpy.dtype(dtype).kind == "c":
        a = a + 1j * rng.normal(size=shape)
    return a.astype(dtype)


def in_memory(a):
    heddle.eval(a)
    return a


def bits(a):
    return heddle.asnumpy(a).tobytes()


@by_the_reduction_alone
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize(("formula", "dtype"), CASES, ids=lambda v: getattr(v, "__name__", v))
def test_reductions_do_not_see_the_kernel_around_them(formula, shape, axis, dtype):
    a = values(shape, dtype)
    x = in_memory(heddle.array(a))
    y = in_memory(formula(x))
    for name, reduce in REDUCTIONS.items():
        if name == "max" and y.dtype.kind == "c":
            continue
        expected = bits(reduce(y, axis))

        assert bits(reduce(formula(x), axis)) == expected, (name, "fused")

        held = formula(x)
        result = reduce(held, axis)
        assert bits(result) == expected, (name, "held")
        assert bits(held) == bits(y)

        held = [formula(x), x * 3, x - 1]
        result = reduce(held[0], axis)
        heddle.eval(result, *held)
        assert bits(result) == expected, (name, "other outputs")

        held = formula(x)
        others = [reduce(held, axis), heddle.sum(heddle.real(x), axis=axis, dtype="float64")]
        others += [heddle.sum(heddle.real(x).astype("float32"), axis=axis)]
        others += [heddle.any(held != 0, axis=axis), heddle.max(heddle.real(held), axis=axis)]
        others += [reduce(held, axis) * 2, reduce(held, axis) + 1]
        heddle.eval(*others)
        assert bits(others[0]) == expected, (name, "other reductions")

        held = formula(x)
        result = reduce(held, axis)
        back = held - heddle.sum(held, axis=axis, keepdims=True)
        heddle.eval(result, back)
        assert bits(result) == expected, (name, "a later phase")


UFUNCS = [u for u in vars(heddle).values() if isinstance(u, heddle.ufunc) and u.nout == 1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_elements_do_not_see_the_kernel_around_them(dtype):
    """Nor where they are in it: in vectors, behind the last of them, or alone."""
    size = 203
    operands = [in_memory(heddle.array(a)) for a in values((2, size), dtype)]
    apart = [in_memory(heddle.array(numpy.stack([a] * 3, 1))) for a in values((2, size), dtype)]
    for u in UFUNCS:
        if u.nin > 2 or u.signature is not None:
            continue
        try:
            with numpy.errstate(all="ignore"):
                expected = bits(u(*operands[: u.nin]))
        except TypeError:
            continue
        assert bits(u(*(a[:, 1] for a in apart[: u.nin]))) == expected, (u, "with strides")
        single = [bits(u(*(a[i : i + 1] for a in operands[: u.nin]))) for i in range(0, size, 7)]
        step = len(expected) // size
        found = [expected[i * step : (i + 1) * step] for i in range(0, size, 7)]
        assert single == found, (u, "alone")
        result = u(*operands[: u.nin])
        others = [result, heddle.real(result).astype("float64") + 1]
        others += [heddle.sum(result, dtype=None if result.dtype.kind in "fc" else "int64")]
        heddle.eval(*others)
        assert bits(result) == expected, (u, "beside others")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_vectors(dtype):
    a, b = values((2, 50_000), dtype)
    x, y = in_memory(heddle.array(a)), in_memory(heddle.array(b))
    expected = bits(heddle.sum(in_memory(x * y)))
    assert bits(heddle.sum(x * y)) == expected
    product = x * y
    results = [heddle.sum(product), heddle.sum(x), heddle.sum(y * 2), product]
    heddle.eval(*results)
    assert bits(results[0]) == expected


@by_the_reduction_alone
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_operands_of_other_types(dtype, axis):
    """A kernel's vectors are as wide as its widest type allows, sums are not."""
    shape = (301, 1003)
    x = in_memory(heddle.array(values(shape, dtype)))
    small = in_memory(
        heddle.array(numpy.arange(shape[0] * shape[1], dtype="i8").reshape(shape) % 7)
    )
    y = in_memory(x * (small > 2))
    expected = bits(heddle.sum(y, axis=axis))
    assert bits(heddle.sum(x * (small > 2), axis=axis)) == expected
    wide = [heddle.sum(x * (small > 2), axis=axis), heddle.sum(small, axis=axis), small + 1]
    heddle.eval(*wide)
    assert bits(wide[0]) == expected


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_in_other_orders(dtype):
    x = in_memory(heddle.array(values((64, 1003), dtype)))
    for view in (x.T, x[:, ::2], x[::-1], x[3:50, 1:900]):
        for axis in (0, 1):
            expected = bits(heddle.sum(view, axis=axis))
            results = [
                heddle.sum(view, axis=axis),
                heddle.mean(view, axis=axis),
                view + 1,
                view * 2,
            ]
            heddle.eval(*results)
            assert bits(results[0]) == expected
            fused = view * 1
            assert bits(heddle.sum(fused, axis=axis)) == expected


SNIPPET = """
import sys
import numpy
import heddle
x = heddle.array(numpy.random.default_rng(0).normal(size=(3, 700_001)).astype("float32"))
heddle.eval(x)
y = heddle.exp(x)
results = [y.sum(), y.sum(axis=1), x.mean(axis=0), x.var(), heddle.nansum(x * x, axis=1)]
target = heddle.zeros(100, "float32")
heddle.add.at(target, (heddle.abs(x) * 20).astype("int64") % 100, x)
results.append(target)
index = (heddle.abs(x[0]) * 20).astype("int64")
results.append(heddle.bincount(index, weights=x[0]))
results.append(heddle.histogram(x, bins=50, weights=y)[0])
print(b"".join(heddle.asnumpy(r).tobytes() for r in results).hex())
"""


@pytest.mark.forks
def test_the_number_of_cores_changes_no_bit():
    import os
    import subprocess
    import sys

    found = set()
    cores = sorted(os.sched_getaffinity(0))
    for count in {1, len(cores)}:
        code = f"import os; os.sched_setaffinity(0, {cores[:count]!r})\n" + SNIPPET
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            found.add(done.stdout)
    assert len(found) == 1


def exact_sums(target, places, values, sign=1):
    """NumPy's result with all additions in a wide type, one rounding at the end."""
    wide = numpy.clongdouble if target.dtype.kind == "c" else numpy.longdouble
    total = target.astype(wide)
    numpy.add.at(total, places, sign * numpy.asarray(values).astype(wide))
    return total


def near(result, exact, magnitude):
    eps = heddle.finfo(result.dtype).eps
    return numpy.all(numpy.abs(result.astype(exact.dtype) - exact) <= 64 * float(eps) * magnitude)


TARGETS = {
    "few": ((50,), lambda t: t, lambda i: i % 50),
    "many": ((5000,), lambda t: t, lambda i: i % 5000 - 5000),
    "sparse": ((2_000_000,), lambda t: t, lambda i: i % 100 * 9999 + i % 7),
    "strided": ((3, 400), lambda t: t[1, ::-2], lambda i: i % 200),
    "rows": ((40, 30), lambda t: t, lambda i: i[:1000] % 40),
    "columns": ((30, 40), lambda t: t.T, lambda i: i[:1000] % 40),
    "pairs": ((40, 30), lambda t: t, lambda i: (i % 40, i // 40 % 30)),
    "parts": ((40, 5, 30), lambda t: t, lambda i: (i[:800] % 40, slice(1, None, 2), i[:800] % 30)),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("kind", TARGETS)
def test_sums_at_places(kind, dtype):
    shape, view, places_of = TARGETS[kind]
    rng = numpy.random.default_rng(5)
    places = places_of(rng.integers(0, 1 << 30, 20_000))
    start = values(shape, dtype)
    spread = 1.0 if dtype == "float16" else 10.0 ** rng.integers(-3, 4, 20_000)
    given = (values((20_000,), dtype) * spread).astype(dtype)
    needed = view(start)[places].shape
    given = numpy.resize(given, needed)
    for sign, add in ((1, heddle.add), (-1, heddle.subtract)):
        found = set()
        for _ in range(3):
            target = heddle.array(start)
            index = tuple(
                p if isinstance(p, slice) else heddle.array(p)
                for p in (places if isinstance(places, tuple) else (places,))
            )
            add.at(view(target), index, heddle.array(given))
            found.add(bits(target))
        assert len(found) == 1
        expected = start.copy()
        viewed = view(expected)
        exact = exact_sums(viewed, places, given, sign)
        magnitude = exact_sums(abs(viewed), places, abs(given))
        result = view(numpy.frombuffer(found.pop(), start.dtype).reshape(shape))
        assert near(result, exact, magnitude)


def test_sums_leave_other_elements_alone():
    start = numpy.full(1000, -0.0)
    start[3] = numpy.nan
    target = heddle.array(start)
    index = numpy.tile([5, 7, 9, 11, -1], 200)
    given = numpy.tile([1.0, numpy.inf, numpy.nan, 1e-310, -2.5], 200)
    heddle.add.at(target, heddle.array(index), heddle.array(given))
    numpy.add.at(start, index, given)
    result = heddle.asnumpy(target)
    assert numpy.array_equal(result, start, equal_nan=True)
    numbers = ~numpy.isnan(start)
    assert numpy.array_equal(numpy.signbit(result)[numbers], numpy.signbit(start)[numbers])

    both = heddle.zeros(3)
    heddle.add.at(both, heddle.array([1] * 400), heddle.array([numpy.inf, -numpy.inf] * 200))
    assert numpy.isnan(heddle.asnumpy(both)).tolist() == [False, True, False]


def test_a_number_at_many_places_and_an_array_at_itself():
    x = heddle.zeros(10)
    heddle.add.at(x, heddle.arange(1000) % 7, 0.5)
    assert (
        heddle.asnumpy(x).tolist()
        == (numpy.bincount(numpy.arange(1000) % 7, minlength=10) / 2).tolist()
    )
    a = values((500,), "float64")
    x = heddle.array(a)
    old = x + 0
    heddle.subtract.at(x, heddle.arange(500)[::-1], x)
    assert heddle.asnumpy(x).tolist() == (a - a[::-1]).tolist()
    assert heddle.asnumpy(old).tolist() == a.tolist()


@pytest.mark.parametrize("name", ["multiply", "maximum", "minimum", "fmax", "divide"])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_other_updates_at_places(name, dtype):
    if dtype == "complex64" and name not in ("multiply", "divide"):
        return
    start = values((50,), dtype)
    index = numpy.random.default_rng(1).integers(0, 50, 3000)
    given = (1 + values((3000,), dtype) / 100).astype(dtype)
    found = set()
    for _ in range(3):
        target = heddle.array(start)
        getattr(heddle, name).at(target, heddle.array(index), heddle.array(given))
        found.add(bits(target))
    assert len(found) == 1
    expected = start.copy()
    getattr(numpy, name).at(expected, index, given)
    result = numpy.frombuffer(found.pop(), dtype)
    assert numpy.allclose(result, expected, rtol=2e-5)


@pytest.mark.parametrize("count", [3, 700, 5000, 300_000])
def test_weights_of_bins(count):
    rng = numpy.random.default_rng(2)
    index = rng.integers(0, count, 200_000)
    weights = rng.normal(size=200_000) * 10.0 ** rng.integers(-20, 20, 200_000)
    found = {bits(heddle.bincount(heddle.array(index), heddle.array(weights))) for _ in range(4)}
    found |= {bits(heddle.histogram(heddle.array(index * 1.0), 7, weights=weights)[0])}
    assert len(found) == 2
    result = heddle.asnumpy(heddle.bincount(heddle.array(index), heddle.array(weights)))
    exact = exact_sums(numpy.zeros(result.size), index, weights)
    assert near(result, exact, exact_sums(numpy.zeros(result.size), index, abs(weights)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "complex64"])
@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_products_of_short_vectors_in_memory(dtype, step):
    """They are numbers at once, with the bits that waiting for them gives."""
    rng = numpy.random.default_rng(7)
    memory = (rng.standard_normal((2, 4000)) * 3).astype(dtype)
    if dtype == "complex64":
        memory = memory + 1j * memory[::-1].astype(dtype)
    a, b = (heddle.array(row) for row in memory)
    heddle.eval(a, b)
    lengths = [*range(1, 40), 63, 64, 65, 127, 128, 129, 255, 256, 511, 512, 513, 1023, 1024, 1025]
    for n in lengths:
        u, v = a[::step][:n], b[3 : n + 3]
        waiting = heddle.maximum(u, u) if dtype != "complex64" else heddle.positive(u)
        for left, right, pending in ((u, v, waiting @ v), (v, u, v @ waiting), (u, u, waiting @ u)):
            want = numpy.asarray(pending.get() if hasattr(pending, "get") else pending)
            for got in (left @ right, heddle.dot(left, right), heddle.inner(left, right)):
                assert numpy.asarray(got.get() if hasattr(got, "get") else got) == want, n
