"""Sources that nobody would write: each ends in a result or in an exception, never in a crash."""

import array
import contextlib
import linecache
import random

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import heddle as hd
from heddle import _core, simt

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")
# What a source may end with. Anything else is a mistake of ours.
ALLOWED = (
    *(simt.KernelError, SyntaxError, TypeError, ValueError, OverflowError, IndexError),
    *(ZeroDivisionError, RecursionError, AssertionError, MemoryError),
)
_count = iter(range(1_000_000))
quick = hypothesis.settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)


def tried(text, decorate, run):
    """Compiles and runs a function of a text."""
    file = f"<fuzzed {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"simt": simt, "np": np, "hd": hd}
    try:
        # What Python itself says of a text is no matter of ours.
        with contextlib.suppress(Exception):
            exec(compile(text, file, "exec"), names)
        if "f" in names:
            run(decorate(names["f"]))
    except ALLOWED:
        pass
    finally:
        del linecache.cache[file]


def as_kernel(text):
    tried(text, simt.kernel, lambda k: k[1, 4](np.zeros(4), np.arange(4), 3))


def as_function(text):
    tried(text, hd.njit, lambda f: f(np.zeros(4), np.arange(4), 3))


names = st.sampled_from(
    [
        *("x", "y", "n", "a", "b", "x[0]", "y[1]", "x[n]", "x[:2]", "len(x)", "x.shape", "np.pi"),
        *("simt.grid(1)", "simt.threadIdx.x", "None", "True", "'text'", "()", "...", "np.sin"),
        *("0", "1", "-1", "2**63", "1e400", "1j", "10**30", "0xFFFFFFFFFFFFFFFF", "-(2**63)"),
    ]
)
operators = st.sampled_from(
    [
        *("({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} // {})", "({} % {})"),
        *("({} << {})", "({} & {})", "({} < {})", "({} == {})", "({} and {})", "min({}, {})"),
        *("({}, {})", "({})[{}]", "({} if {} else 0)", "np.maximum({}, {})", "({} @ {})"),
        *("np.where({}, {}, 1)", "simt.atomic.add(x, {}, {})", "f({}, {}, 1)", "[{}, {}]"),
        *("range({}, {})", "pow({}, {})", "({} is {})", "({} in {})", "x[{}:{}]"),
    ]
)
expressions = st.recursive(
    names,
    lambda inner: st.builds(lambda o, a, b: o.format(a, b), operators, inner, inner),
    max_leaves=8,
)
targets = st.sampled_from(
    ["a", "b", "a, b", "x[0]", "x[a]", "x[1:]", "y[n]", "a.b", "x", "(a, x[0])"]
)


def indented(lines):
    return "\n".join("    " + line for part in lines for line in part.split("\n"))


statements = st.recursive(
    st.one_of(
        st.builds("{} = {}".format, targets, expressions),
        st.builds("{} += {}".format, targets, expressions),
        st.builds("return {}".format, expressions),
        st.builds("assert {}".format, expressions),
        st.builds("{}".format, expressions),
        st.sampled_from(["break", "continue", "pass", "return", "raise ValueError('no')"]),
        st.sampled_from(["simt.syncthreads()", "import os", "del a", "global a", "lambda: 1"]),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda c, body: f"if {c}:\n{indented(body)}",
            expressions,
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(
            lambda c, body: f"for a in range(min({c}, 3)):\n{indented(body)}",
            expressions,
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(
            lambda t, e, body: f"for {t} in {e}:\n{indented(body)}",
            targets,
            expressions,
            st.lists(inner, min_size=1, max_size=2),
        ),
    ),
    max_leaves=6,
)


@quick
@hypothesis.given(st.lists(statements, min_size=1, max_size=4))
def test_random_statements(body):
    text = f"def f(x, y, n):\n{indented(body)}\n"
    as_kernel(text)
    as_function(text)


@quick
@hypothesis.given(st.one_of(st.binary(max_size=80), st.text(max_size=80)))
def test_random_bytes(given):
    body = given.decode("latin-1") if isinstance(given, bytes) else given
    text = f"def f(x, y, n):\n    {body}\n"
    as_kernel(text)
    as_function(text)


@pytest.mark.parametrize("depth", [10, 90, 300, 3000, 100_000])
@pytest.mark.parametrize("pieces", [("(", ")"), ("-", ""), ("not ", ""), ("x[", "]"), ("(n+", ")")])
def test_deep_expressions(depth, pieces):
    text = f"def f(x, y, n):\n    x[0] = {pieces[0] * depth}1{pieces[1] * depth}\n"
    as_kernel(text)
    as_function(text)


@pytest.mark.parametrize("depth", [5, 19, 60, 150])
@pytest.mark.parametrize("head", ["if n > {}:", "for i{} in range(1):", "while n < {}:"])
def test_deep_statements(depth, head):
    lines = ["def f(x, y, n):"]
    lines += ["  " * (i + 1) + head.format(i) for i in range(depth)]
    text = "\n".join([*lines, "  " * (depth + 1) + "x[0] = n"]) + "\n"
    as_kernel(text)
    as_function(text)


@pytest.mark.parametrize(
    "literal",
    [
        *("1" + "0" * 400, "1" + "0" * 5000, "0x" + "f" * 300, "1e99999", "-1e99999", "1e-99999"),
        *("9" * 4000 + ".5", "1" * 4299 + "j", "2**10000", "1 << 100000", "10**10**3"),
        *("'" + "a" * 100_000 + "'", "(" + "1," * 3000 + ")", "x[" + "0," * 100 + "]"),
    ],
)
def test_huge_literals(literal):
    text = f"def f(x, y, n):\n    a = {literal}\n    x[0] = a\n"
    as_kernel(text)
    as_function(text)


def test_many_statements():
    lines = "".join(f"    a{i} = x[{i % 4}] + {i}\n" for i in range(3000))
    as_function(f"def f(x, y, n):\n{lines}    x[0] = a2999\n")


def test_words_that_are_no_program():
    """What reads programs refuses what none is, whatever it is."""
    kernel = simt.kernel(lambda: None)
    kept = []

    def real(x, n):
        i = simt.grid(1)
        for j in range(n):
            if i < x.size:
                x[i] += j

    inner = simt.kernel(real)
    inner._core = _core.SimtKernel(
        lambda signature: kept.append(inner._compile(signature)) or kept[0]
    )
    inner._core.specialize((np.zeros(3), 2))
    words, texts, name, _ = kept[0]
    numbers = array.array("q", words)
    generator = random.Random(0)
    for _ in range(400):
        made = array.array("q", numbers)
        for _ in range(generator.randrange(1, 4)):
            where = generator.randrange(len(made))
            made[where] = generator.choice(
                [-1, 0, 1, 2, 5, 17, 2**31, -(2**63), 2**63 - 1, generator.randrange(-9, 99)]
            )
        cut = generator.randrange(len(made)) if generator.random() < 0.3 else len(made)
        data = made[:cut].tobytes()
        core = _core.SimtKernel(lambda signature, data=data: (data, texts, name, []))
        with contextlib.suppress(ValueError, TypeError):
            core.specialize((np.zeros(3), 2))
    assert kernel is not None


@pytest.mark.parametrize("block", [1025, (32, 32, 2), (1, 1, 65), 0, -3, 2**40])
def test_too_many_threads(block):
    @simt.kernel
    def k(x):
        x[0] = 1

    x = hd.zeros(1)
    with pytest.raises((ValueError, OverflowError)):
        k[1, block](x)
    assert x[0] == 0


@pytest.mark.parametrize("grid", [0, (1, 70000), (1, 1, 2**20), -1])
def test_too_many_blocks(grid):
    @simt.kernel
    def k(x):
        x[0] = 1

    with pytest.raises(ValueError):
        k[grid, 1](hd.zeros(1))


def test_too_much_shared_memory():
    @simt.kernel
    def k(x):
        tile = simt.shared.array(1 << 20, np.float64)
        tile[simt.threadIdx.x] = 1
        x[0] = tile[0]

    with pytest.raises(ValueError, match="bytes of shared memory"):
        k[1, 1](hd.zeros(1))

    @simt.kernel
    def dynamic(x):
        tile = simt.shared.array(0, np.float64)
        x[0] = tile[0]

    with pytest.raises(ValueError, match="bytes of shared memory"):
        dynamic[1, 1, 0, 1 << 30](hd.zeros(1))


def endless(n):
    return endless(n + 1) + 1


def ping(n):
    return pong(n) + 1


def pong(n):
    return ping(n) + 1


@pytest.mark.parametrize("function", [endless, ping])
def test_endless_recursion(function):
    @simt.kernel
    def k(x):
        x[0] = function(1)

    with pytest.raises(RecursionError, match="maximum recursion depth"):
        k[1, 1](hd.zeros(1))
    with pytest.raises(RecursionError):
        hd.njit(function)(1)
