"""NumPy's functions and methods in compiled functions: one expression each, as NumPy has it."""

import ast
import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from heddle import njit

VALUES = {
    "x": np.array([3.0, -1.5, 2.0, 0.0, 7.25]),
    "y": np.array([1.0, 2.0, -3.0, 4.0, 0.5]),
    "i": np.array([3, 1, 2, 1, 5]),
    "j": np.array([2, 1, 4, 0, 1]),
    "s": np.arange(6.0),
    "b": np.array([True, False, True, True, False]),
    "m": np.arange(12.0).reshape(3, 4) * 1.5 - 4,
    "q": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),
    "k": np.arange(12).reshape(3, 4) - 3,
    "c": np.array([1 + 2j, 3 - 1j, 0j, -1 + 0.5j]),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "f": np.array([1.5, np.nan, -2.5, np.inf, 0.5]),
    "g": np.array([1.5, 2.25, -3.75], np.float32),
    "u": np.array([200, 100, 3], np.uint8),
    "w": np.array([2, -3, 120], np.int8),
    "r": np.array([[1.0, 2], [3, 4], [5, 7]]),
    "n": 4,
    "a": 2.5,
    "h": np.array([1, 2, 3], np.int32),
    "e": np.array([0.0, 0.5, 1.0, 2.0]),
    "z": np.array([[1 + 1j, 2], [0, 1 - 2j]]),
}
# What writes to its argument, which is looked at then.
WRITES = ("np.place(", "np.put(", "np.putmask(", "np.fill_diagonal(", "np.copyto(")
EXPRESSIONS = (Path(__file__).parent / "njit_expressions.txt").read_text().splitlines()


def names_of(expression):
    tree = ast.walk(ast.parse(expression, mode="eval"))
    return sorted({n.id for n in tree if isinstance(n, ast.Name) and n.id in VALUES})


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """A module with a function for each of them: compilers read sources."""
    text = "import numpy as np\n"
    for number, expression in enumerate(EXPRESSIONS):
        names = names_of(expression)
        body = f"    return {expression}\n"
        if expression.startswith(WRITES):
            body = f"    {expression}\n    return {', '.join(names)}\n"
        text += f"def f{number}({', '.join(names)}):\n{body}"
    file = tmp_path_factory.mktemp("expressions") / "expressions.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("expressions", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(got, expected):
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            check(one, other)
        return
    kind, wanted = np.asarray(got).dtype, np.asarray(expected).dtype
    if isinstance(expected, np.ndarray):
        assert isinstance(got, np.ndarray) and kind == wanted and got.shape == expected.shape
    assert kind.kind == wanted.kind
    rtol = 2e-6 if wanted.name in ("float32", "complex64") else 1e-11
    atol = 1e-7 if wanted.name in ("float32", "complex64") else 1e-13
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_expression(functions, number):
    function = getattr(functions, f"f{number}")

    def given():
        values = [VALUES[name] for name in names_of(EXPRESSIONS[number])]
        return [v.copy() if isinstance(v, np.ndarray) else v for v in values]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = function(*given())
        except Exception as error:
            with pytest.raises(type(error)):
                njit(function)(*given())
            return
        check(njit(function)(*given()), expected)


def single(value):
    return value.astype({"f": np.float32, "i": np.int16}.get(value.dtype.kind, value.dtype))


def strided(value):
    room = np.zeros([2 * n for n in value.shape], value.dtype)
    made = room[tuple(slice(None, None, 2) for _ in value.shape)]
    made[...] = value
    return made


@pytest.mark.parametrize("layout", [single, strided, np.asfortranarray])
@pytest.mark.parametrize(
    "expression",
    [
        *("np.linalg.svd(q)[1]", "np.linalg.eigh(q)[0]", "np.linalg.pinv(r)", "np.histogram(x,3)"),
        *("np.append(x,2.0)", "np.insert(x,2,9.0)", "np.vander(x)", "t.sum(axis=1)"),
        *("np.take(m,j)", "np.sort(m,axis=0)", "np.isin(i,j)", "m.view(np.int8)", "c.real"),
        *("np.concatenate((m,k),axis=1)", "np.union1d(i,j)", "u/u", "np.digitize(x,e)"),
    ],
)
def test_other_types_and_layouts(functions, expression, layout):
    function = getattr(functions, f"f{EXPRESSIONS.index(expression)}")

    def given():
        values = [VALUES[name].copy() for name in names_of(expression)]
        return [layout(v) for v in values]

    try:
        expected = function(*given())
    except ValueError:
        with pytest.raises(ValueError):
            njit(function)(*given())
        return
    check(njit(function)(*given()), expected)
