"""The pack of prebuilt kernels: first steps compile nothing."""

import os
import subprocess
import sys

import pytest

import heddle

PROGRAM = """
import numpy, heddle as np
a = np.asarray(numpy.arange(1000, dtype={dtype!r}))
b = np.asarray(numpy.arange(1000, dtype={dtype!r}))
np.reset_stats()
c = {expression}
c.eval()
print(np.stats()["compiled"], np.stats()["pack_hits"])
"""

pytestmark = [
    pytest.mark.unrecorded("is about which kernels there are"),
    pytest.mark.host_memory,  # its kernels are the CPU's
    pytest.mark.skipif(
        not os.path.exists(os.path.join(os.path.dirname(heddle.__file__), "lib", "heddle.pack"))
        or os.environ.get("HEDDLE_CPU_LEVEL") == "v2",
        reason="built without a pack",
    ),
]


def run(dtype, expression, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(dtype=dtype, expression=expression)],
        env={**os.environ, "HEDDLE_CACHE_DIR": "", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(int(n) for n in done.stdout.split())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "complex64"])
def test_first_sum_is_not_compiled(dtype):
    assert run(dtype, "a + b") == (0, 1)


@pytest.mark.parametrize("expression", ["a * 2", "1 - a", "a > b", "np.sin(a)", "a.sum()"])
def test_first_steps_are_not_compiled(expression):
    assert run("float64", expression) == (0, 1)


def test_the_pack_serves_the_older_target_too():
    assert run("float32", "a + b", HEDDLE_CPU_LEVEL="v3") == (0, 1)


def test_other_kernels_are_compiled():
    assert run("float64", "np.sin(a) * 3 + np.cos(b) * a - 1") == (1, 0)
