"""The pack of prebuilt kernels on a GPU that it has code for: first steps compile nothing."""

import os
import subprocess
import sys

import pytest

import heddle

PROGRAM = """
import numpy, heddle as np
a = np.asarray(numpy.arange({size}, dtype={dtype!r}))
b = np.asarray(numpy.arange({size}, dtype={dtype!r}))
np.reset_stats()
c = {expression}
c.eval()
print(np.stats()["compiled"], np.stats()["pack_hits"])
"""
PACK = os.path.join(os.path.dirname(heddle.__file__), "lib", "heddle.pack")


def serves_this_gpu():
    if not heddle.cuda.is_available() or not os.path.exists(PACK):
        return False
    return heddle._core.cuda.compute_capability(0) == (9, 0)  # what every build has code for


pytestmark = [
    pytest.mark.unrecorded("is about which kernels there are"),
    pytest.mark.skipif(not serves_this_gpu(), reason="nothing is prebuilt for this GPU"),
]


@pytest.mark.parametrize("size", [1000, 20_000_000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("expression", ["a + b", "a * 2", "a > b", "a.sum()", "abs(a)"])
def test_first_steps_are_not_compiled(expression, dtype, size):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(dtype=dtype, expression=expression, size=size)],
        env={**os.environ, "HEDDLE_CACHE_DIR": "", "HEDDLE_DEVICE": "cuda"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "1"]
