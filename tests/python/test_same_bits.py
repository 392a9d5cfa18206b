"""The bits of a result do not depend on what else is computed with it.

Every reduction is computed alone, of an array in memory, and then of the same formula fused into
it, with intermediates held, beside other results and beside other reductions. All have to agree in
every bit.
"""

import numpy
import pytest

import heddle

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
