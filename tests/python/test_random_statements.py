"""Functions of random statements, compiled and as kernels, against Python."""

import contextlib

import cooperating_statements
import numpy as np
import pytest
from random_statements import program

from heddle import njit, simt

SEEDS = range(20)
THREADS = 40


def made(text, path):
    path.write_text(text)
    space = {"simt": simt}
    exec(compile(text, str(path), "exec"), space)
    return space["f"]


def arrays(seed):
    rng = np.random.default_rng(seed)
    x, rows = np.round(rng.random(7) * 8 - 4, 2), np.round(rng.random((6, 6)) * 4 - 2, 2)
    return x, rng.integers(-20, 20, 6), rows


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled(seed, tmp_path):
    head = "def f(x, y, A, n, m, u, v):\n"
    end = "    return n, m, u, v, x.sum(), A.sum()\n"
    text = program(seed, head, end, True)
    function = made(text, tmp_path / "function.py")
    compiled = njit(function)
    for n, m in ((0, -7), (3, 20), (6, 5)):
        ours, theirs = arrays(seed), arrays(seed)
        got = compiled(*ours, n, m, 1.25, -2.5)
        expected = function(*theirs, n, m, 1.25, -2.5)
        np.testing.assert_allclose(
            [float(a) for a in got], [float(a) for a in expected], rtol=1e-9, err_msg=text
        )
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, err_msg=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_kernels(seed, tmp_path):
    """Threads go different ways, and each gives what Python gives for its index."""
    begin = "    n, m, u, v = {} % 7, {} * 3 - 50, x[{} % 7], -2.5\n".replace("{}", "i")
    end = "    out[i, 0], out[i, 1], out[i, 2] = m, u, v\n"
    text = program(seed, "def f(x, y, A, out, i):\n" + begin, end, False)
    function = made(text, tmp_path / "function.py")
    inside = "def k(x, y, A, out):\n    i = simt.grid(1)\n    if i < out.shape[0]:\n"
    space = {"simt": simt, "f": function}
    path = tmp_path / "kernel.py"
    path.write_text(inside + "        f(x, y, A, out, i)\n")
    exec(compile(path.read_text(), str(path), "exec"), space)
    out, expected = np.zeros((THREADS, 3)), np.zeros((THREADS, 3))
    given = arrays(seed)
    with contextlib.suppress(RecursionError):
        simt.kernel(space["k"], contract=False)[2, 32](*given, out)
        for i in range(THREADS):
            function(*given, expected, i)
        np.testing.assert_allclose(out, expected, rtol=1e-9, err_msg=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_threads_that_cooperate(seed, tmp_path):
    """Barriers, votes and shuffles in loops that are left and in branches."""
    ours, theirs = cooperating_statements.program(seed)
    out, expected = np.zeros((128, 3)), np.zeros((128, 3))
    given = (*arrays(seed), np.array([3, 1, 1]))
    generators = compile(theirs, "generators", "exec")

    def generator(block):
        space = {"simt": block, "atomic": cooperating_statements.atomic}
        space["FIRST"] = cooperating_statements.first
        exec(generators, space)
        return space["k"]

    cooperating_statements.run(generator, 2, 64, (*given, expected))
    path = tmp_path / "kernel.py"
    path.write_text(ours)
    space = {"simt": simt}
    exec(compile(ours, str(path), "exec"), space)
    simt.kernel(space["k"], contract=False)[2, 64](*given, out)
    np.testing.assert_allclose(out, expected, rtol=1e-9, err_msg=ours)
