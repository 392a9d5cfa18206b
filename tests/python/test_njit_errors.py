"""Random sources under njit end as they do in Python, or in an error; never in a crash."""

import contextlib
import enum
import math
import random

import numpy as np
import pytest

from heddle import njit
from heddle.simt import KernelError

NAMES = ("a", "b", "c", "i")


def value(rng, depth):
    kind = rng.randrange(9 if depth > 0 else 4)
    if kind == 0:
        return str(rng.choice([0, 1, -3, 2.5, 7, "True"]))
    if kind == 1:
        return rng.choice(NAMES)
    if kind == 2:
        return f"x[{rng.choice([0, 1, -1, 'i', 'i + 1', 'len(x) - 1'])}]"
    if kind == 3:
        return rng.choice(["x.size", "len(x)", "x.shape[0]", "y.sum()", "y[0]"])
    inner = [value(rng, depth - 1) for _ in range(3)]
    if kind == 4:
        op = rng.choice(["+", "-", "*", "/", "//", "%", "<", "==", "and", "or"])
        return f"({inner[0]} {op} {inner[1]})"
    if kind == 5:
        return f"({inner[0]} if {inner[1]} else {inner[2]})"
    if kind == 6:
        function = rng.choice(["abs", "min", "max"])
        return (
            f"{function}({inner[0]})"
            if function == "abs"
            else f"{function}({inner[0]}, {inner[1]})"
        )
    if kind == 7:
        return f"({inner[0]}, {inner[1]})[{rng.choice([0, 1, -1])}]"
    return f"x[{rng.choice(['', '1', 'i'])}:{rng.choice(['', '-1', '5'])}].sum()"


def statements(rng, depth):
    lines = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(9)
        inner = statements(rng, depth - 1) if depth > 0 else ["pass"]
        indented = ["    " + line for line in inner]
        if kind < 3 or depth == 0:
            lines.append(f"{rng.choice(NAMES[:3])} {rng.choice(['=', '+=', '-='])} {value(rng, 2)}")
        elif kind == 3:
            lines.append(f"x[{rng.choice(['i', '0', '-2', 'i * 2'])}] = {value(rng, 1)}")
        elif kind == 4:
            lines += [f"if {value(rng, 2)}:", *indented]
        elif kind == 5:
            lines += [f"for i in range({rng.randrange(-2, 6)}, {rng.randrange(6)}):", *indented]
            if rng.random() < 0.3:
                lines.append(f"    if {value(rng, 1)}: {rng.choice(['break', 'continue'])}")
        elif kind == 6:
            lines.append(rng.choice(["y = x + 1", "y = x.copy()", "x[1:3] = 7", "x, y = y, x"]))
        elif kind == 7:
            lines.append("y += x * 2" if rng.random() < 0.5 else "y[:] = x - y")
        else:
            lines.append(f"a, b = {value(rng, 1)}, {value(rng, 1)}")
    return lines


def run(function, x):
    try:
        with np.errstate(all="ignore"):
            return function(x), None
    except KernelError:
        return None, KernelError
    except Exception as error:
        return None, type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_random_functions(seed, tmp_path):
    rng = random.Random(seed)
    body = ["a, b, c, i, y = 1, 2.0, 3, 0, x * 3", *statements(rng, 3), "return a, b, c, x.sum()"]
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in body)
    path = tmp_path / "function.py"
    path.write_text(text)
    space = {}
    exec(compile(text, str(path), "exec"), space)
    x = np.arange(8.0)
    got, failed = run(njit(space["f"]), x.copy())
    expected, failed_in_python = run(space["f"], x.copy())
    if failed is KernelError:
        return
    if failed is not None or failed_in_python is not None:
        # A division of floats by zero is none of NumPy's numbers' errors.
        assert failed == failed_in_python or ZeroDivisionError in (failed, failed_in_python), text
        return
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(float(a), float(b), rtol=1e-9, err_msg=text)


@pytest.mark.parametrize(
    "line",
    [
        "return " + "(" * 180 + "1" + ")" * 180,
        "return " + "-" * 3000 + "1",
        "return " + "1+" * 3000 + "1",
        "return " + "9" * 4000,
        "return 1e999 + 2 ** 10000",
        "return " + "x[" * 100 + "0" + "]" * 100,
        "return f(f(f(x)))",
        "return lambda: x",
        "x = " * 50 + "1",
        "return np.zeros((1,) * 70)",
        "for i in range(3, 1, 0): pass",
        "while True: return x",
        "return [x, [x, [x]]]",
        "x.shape = 3",
        "del x",
        "import os",
        "return x[...], x[None], x[1:, None]",
        "return '\\udcff'",
    ],
)
def test_sources_of_no_sense(line, tmp_path):
    text = f"import numpy as np\n\ndef f(x):\n    {line}\n"
    path = tmp_path / "function.py"
    path.write_text(text, errors="surrogateescape")
    space = {}
    try:
        exec(compile(text, str(path), "exec"), space)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    function = njit(space["f"])
    try:
        function(np.arange(4.0))
    except Exception as error:
        assert not isinstance(error, SystemError), error


def test_random_bytes(tmp_path):
    rng = random.Random(0)
    for n in range(30):
        path = tmp_path / f"f{n}.py"
        path.write_text("def f(x):\n    return x\n")
        space = {}
        exec(compile(path.read_text(), str(path), "exec"), space)
        path.write_bytes(bytes(rng.randrange(256) for _ in range(60)))
        with contextlib.suppress(KernelError, SyntaxError, UnicodeDecodeError):
            assert njit(space["f"])(1) == 1


def test_arange_by_keywords_and_without_a_stop():
    @njit
    def ranges(n):
        return np.arange(stop=n), np.arange(2, stop=n, step=2), np.arange(n, step=3)

    wanted = np.arange(9), np.arange(2, 9, 2), np.arange(0, 9, 3)
    for made, expected in zip(ranges(9), wanted, strict=True):
        np.testing.assert_array_equal(made, expected)

    @njit
    def nothing():
        return np.arange()

    with pytest.raises(KernelError, match="arange needs a stop"):
        nothing()


def test_items_of_tuples_by_numbers_that_are_not_known():
    @njit
    def item(i):
        return (4, 5, 6)[i]

    assert [item(i) for i in (0, 1, 2, -1, -3)] == [4, 5, 6, 6, 4]
    for i in (3, -4):
        with pytest.raises(IndexError, match="tuple index out of range"):
            item(i)


def test_powers_of_math_are_fractions():
    @njit
    def power(a, b):
        return math.pow(a, b)

    assert power(2, -4) == 0.0625
    assert isinstance(power(2, 3), float)


def test_the_item_of_several_elements():
    @njit
    def item(x):
        return x.item()

    assert item(np.array([[3.0]])) == 3.0
    with pytest.raises(ValueError, match="array of size 1"):
        item(np.arange(3.0))


PLACES = np.array([0, 1])


def test_a_global_array_as_an_index():
    @njit
    def chosen(x):
        return x[PLACES, 0]

    x = np.arange(4.0).reshape(2, 2)
    np.testing.assert_array_equal(chosen(x), x[PLACES, 0])


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Shape(enum.Enum):
    CIRCLE = 1


def test_members_of_enumerations():
    @njit
    def member():
        return Colour.RED

    @njit
    def chosen(k):
        colour = Colour.RED
        if k > 0:
            colour = Colour.GREEN
        return 1, colour

    assert member() is Colour.RED
    assert chosen(1) == (1, Colour.GREEN)
    assert chosen(0) == (1, Colour.RED)

    @njit
    def number(k):
        colour = Colour.GREEN if k > 0 else Colour.RED
        return colour.value, colour == Colour.RED, Colour.RED == Shape.CIRCLE

    assert number(1) == (2, False, False)
    assert number(0) == (1, True, False)

    @njit
    def among(one, other):
        return one in (Shape.CIRCLE, Colour.GREEN), one in (1, 2), other.imag

    assert among(Colour.RED, 1.5) == among.py_func(Colour.RED, 1.5)
    assert among(Colour.GREEN, 1.5) == among.py_func(Colour.GREEN, 1.5)

    @njit
    def same(one, other):
        return one is other

    with pytest.raises(KernelError, match="compare by =="):
        same((1, 2), (1, 2))


def test_rows_out_of_range():
    """They were empty, and what was written to them was lost."""

    @njit
    def total(x, i):
        return x[i].sum()

    @njit
    def changed(x, i):
        x[:, i] = 5.0

    for i in (3, -4):
        with pytest.raises(IndexError, match="out of bounds for axis 0"):
            total(np.ones((3, 4)), i)
    with pytest.raises(IndexError, match="out of bounds for axis 1"):
        changed(np.ones((3, 4)), 4)
    assert total(np.ones((3, 4)), -3) == 4


PREFIX = "too large: "


def test_what_is_raised_is_put_together_of_texts():
    @njit
    def f(n, x):
        if n > 5:
            raise ValueError(PREFIX + str(n))
        if n > 4:
            raise ValueError("at " + str(x) + ", " + f"{n:03d}" + "!")
        assert n < 3, "n is " + str(n)
        return n

    assert f(1, 2.5) == 1
    with pytest.raises(ValueError, match=r"^too large: 9"):
        f(9, 2.5)
    with pytest.raises(ValueError, match=r"^at 2.5, 005!"):
        f(5, 2.5)
    with pytest.raises(AssertionError, match=r"^n is 4"):
        f(4, 2.5)
