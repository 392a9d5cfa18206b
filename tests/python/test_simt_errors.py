"""What is said of kernels that are wrong, and that nothing crashes."""

import contextlib
import random

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt


@simt.kernel(debug=True)
def reads_far(x, out):
    i = simt.grid(1)
    out[i] = x[i + 3]


def test_an_index_out_of_range_says_where():
    x, out = hd.arange(8.0), hd.zeros(8)
    with pytest.raises(IndexError) as info:
        reads_far[1, 8](x, out)
    text = str(info.value)
    assert "test_simt_errors.py" in text and "x[i + 3]" in text
    assert "is out of bounds for axis 0 with size 8" in text and "thread (" in text
    np.testing.assert_array_equal(host(out), np.zeros(8))  # what it was
    np.testing.assert_array_equal(host(x), np.arange(8.0))


@pytest.mark.unrecorded("fails, and so does its replay")
def test_asserts_and_raises():
    @simt.kernel
    def checks(x):
        i = simt.grid(1)
        if i < x.size:
            assert x[i] >= 0, "only what is positive"
            if x[i] > 100:
                raise ValueError("too large")
            x[i] = 1

    x = hd.arange(5.0)
    checks.forall(5)(x)
    np.testing.assert_array_equal(host(x), np.ones(5))
    x[3] = -1
    with pytest.raises(AssertionError, match=r"only what is positive.*thread \(3, 0, 0\)"):
        checks.forall(5)(x)
    x[3] = 101
    with pytest.raises(ValueError, match="too large"):
        checks.forall(5)(x)
    np.testing.assert_array_equal(host(x), [1, 1, 1, 101, 1])


def _list(x):
    a = [1, 2]
    x[0] = a[0]


def _comprehension(x):
    x[0] = len([v * 2 for v in x])


def _attempt(x):
    try:
        x[0] = 1
    except ValueError:
        x[0] = 2


def _unknown(x):
    x[0] = nothing_of_this_name  # noqa: F821


def _before(x):
    x[0] = a  # noqa: F821
    a = 1  # noqa: F841


def _index(x):
    x[1.5] = 0


def _too_many(x):
    x[0, 1] = 0


def _returned(x):
    return 1


def _method(x):
    x[0] = x.partition(1)


def _string(x):
    x[0] = "a"


def _two_kinds(x):
    y = x[0]
    if y > 0:
        y = x
    x[1] = 2


def _made(x):
    y = x + 1
    x[0] = y[0]


def _shape(x):
    n = x.size
    a = simt.shared.array(n, np.float32)
    x[0] = a[0]


def _inner(x):
    def f(n):
        return f(n - 1) if n > 0 else 1

    x[0] = f(3)


def _with(x):
    with x:
        x[0] = 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_list, "kernels have no lists"),
        (_comprehension, "list comprehensions"),
        (_attempt, "kernels have no try"),
        (_unknown, "nothing called 'nothing_of_this_name'"),
        (_before, "'a' is read before it is set"),
        (_index, "an integer is needed as an index"),
        (_too_many, "2 indices for an array with 1 dimensions"),
        (_returned, "kernels return nothing"),
        (_method, "arrays have no 'partition' in kernels"),
        (_string, "a number is needed"),
        (_two_kinds, "use two names"),
        (_made, "kernels make none"),
        (_shape, "has to be known when the kernel is compiled"),
        (_inner, "calls itself is defined outside"),
        (_with, "kernels have no with"),
    ],
)
def test_what_is_not_in_the_language(function, message):
    with pytest.raises(simt.KernelError, match=message) as info:
        simt.kernel(function)[1, 1](hd.zeros(4))
    assert 'test_simt_errors.py", line ' in str(info.value) and "^" in str(info.value)


def _statements(rng, depth):
    names = ["a", "b", "c", "i"]

    def value(d):
        kind = rng.randrange(9 if d > 0 else 4)
        if kind == 0:
            return str(rng.choice([0, 1, -3, 2.5, 1e300, "1j", "True", 2**62]))
        if kind == 1:
            return rng.choice(names)
        if kind == 2:
            return f"x[{rng.choice(names)}]"
        if kind == 3:
            return rng.choice(["x.size", "len(x)", "x.shape[0]", "simt.threadIdx.x", "None", "x"])
        if kind == 4:
            op = rng.choice(
                ["+", "-", "*", "/", "//", "%", "**", "&", "<<", "<", "==", "and", "or"]
            )
            return f"({value(d - 1)} {op} {value(d - 1)})"
        if kind == 5:
            return f"({value(d - 1)} if {value(d - 1)} else {value(d - 1)})"
        if kind == 6:
            return f"{rng.choice(['abs', 'int', 'float', 'min', 'round'])}({value(d - 1)})"
        if kind == 7:
            return f"({value(d - 1)}, {value(d - 1)})[{value(0)}]"
        return f"x[{value(d - 1)}:{value(d - 1)}]"

    lines = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(8)
        if kind < 3 or depth == 0:
            lines.append(f"{rng.choice(names)} {rng.choice(['=', '+=', '*='])} {value(2)}")
        elif kind == 3:
            lines.append(f"x[{value(1)}] = {value(2)}")
        elif kind == 4:
            lines += [f"if {value(2)}:", *("    " + t for t in _statements(rng, depth - 1))]
        elif kind == 5:
            loop = f"for {rng.choice(names)} in range({rng.randrange(6)}):"
            lines += [loop, *("    " + t for t in _statements(rng, depth - 1))]
            if rng.random() < 0.4:
                lines.append("    " + rng.choice(["break", "continue"]))
        elif kind == 6:
            lines.append(
                rng.choice(["simt.syncthreads()", "return", "pass", "simt.atomic.add(x, i, 1)"])
            )
        else:
            lines.append(f"a, b = {value(1)}, {value(1)}")
    return lines


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_sources_end_in_an_error_or_a_result(seed, tmp_path):
    rng = random.Random(seed)
    body = ["i = simt.grid(1)", "a = 1", "b = 2.0", "c = i", *_statements(rng, 3)]
    text = "from heddle import simt\n\ndef f(x):\n" + "".join(f"    {line}\n" for line in body)
    path = tmp_path / "kernel.py"
    path.write_text(text)
    space = {}
    exec(compile(text, str(path), "exec"), space)
    x = hd.arange(20.0)
    try:
        simt.kernel(space["f"])[2, 16](x)
        host(x)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError, IndexError):
        pass


@pytest.mark.parametrize(
    "line",
    [
        "x[0] = " + "(" * 180 + "1" + ")" * 180,
        "x[0] = " + "-" * 3000 + "1",
        "x[0] = " + "1+" * 3000 + "1",
        "x[0] = " + "9" * 4000,
        "x[0] = 1e999",
        "x[0] = 2 ** 10000",
        "x[0] = x[" * 100 + "0" + "]" * 100,
    ],
)
def test_sources_of_no_sense(line, tmp_path):
    text = f"def f(x):\n    {line}\n"
    path = tmp_path / "kernel.py"
    path.write_text(text)
    space = {}
    try:
        exec(compile(text, str(path), "exec"), space)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        simt.kernel(space["f"])[1, 1](hd.zeros(4))


def test_words_that_are_no_program():
    rng = random.Random(1)
    for _ in range(300):
        words = [rng.choice([0, 1, 2, 3, 5, 7, 12, -1, 2**40]) for _ in range(rng.randrange(40))]
        data = np.array(words, np.int64).tobytes()
        kernel = hd._core.SimtKernel(lambda signature, data=data: (data, ["a"], "f", []))
        with pytest.raises((ValueError, TypeError)):
            kernel.launch([1], [1], 0, (hd.zeros(1),))


def test_axes_that_are_too_long():
    @simt.kernel
    def first(x, out):
        out[0] = x[0]

    out = hd.zeros(1)
    with pytest.raises(ValueError, match=r"first cannot take an array of shape .*too long"):
        first[1, 1](hd.broadcast_to(hd.ones(1), (1 << 50,)), out)
    first[1, 1](hd.broadcast_to(hd.ones(1), (1 << 40,)), out)
    assert float(out[0]) == 1


class ToldError(Exception):
    """One of the user's own."""


@pytest.mark.parametrize("kind", [ToldError, KeyError, NotImplementedError, FloatingPointError])
def test_kernels_raise_exceptions_of_any_class(kind):
    @simt.kernel
    def refuses(x):
        if x[simt.grid(1)] > 2:
            raise kind("too large")

    refuses[1, 4](hd.zeros(4))
    with pytest.raises(kind, match=r"too large in thread \(3, 0, 0\)"):
        refuses[1, 4](hd.arange(4.0))
