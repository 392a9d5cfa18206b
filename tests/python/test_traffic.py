"""Bytes that kernels and libraries move are counted where the environment asks for it."""

import json
import os
import subprocess
import sys

import heddle

COUNT = """
import json
import heddle as np

def moved(make):
    make().eval()
    before = np.stats()
    make().eval()
    after = np.stats()
    return [after[name] - before[name] for name in ("bytes_read", "bytes_written")]

a, b, m = np.arange(1000.0).eval(), np.ones(1000).eval(), np.ones((20, 50)).eval()
print(json.dumps({
    "sum of two": moved(lambda: a + b),
    "shifted": moved(lambda: a[1:] - a[:-1]),
    "stencil": moved(lambda: m[2:, 1:-1] + m[:-2, 1:-1] + m[1:-1, 2:] + m[1:-1, :-2]),
    "every other": moved(lambda: a[::2] * 2),
    "rows": moved(lambda: m * m[0]),
    "reduction": moved(lambda: m.sum(axis=0)),
    "library": moved(lambda: m @ m.T),
}))
"""


def test_bytes_that_move_are_counted():
    found = subprocess.run(
        [sys.executable, "-c", COUNT],
        env={**os.environ, "HEDDLE_COUNT_BYTES": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == {
        "sum of two": [16000, 8000],
        "shifted": [8000, 7992],
        # Between the first and the last of what is read: all but two corners.
        "stencil": [7984, 18 * 48 * 8],
        "every other": [4000, 4000],
        "rows": [8000, 8000],
        "reduction": [8000, 400],
        "library": [16000, 3200],
    }


def test_nothing_is_counted_otherwise():
    if "HEDDLE_COUNT_BYTES" not in os.environ:
        assert heddle.stats()["bytes_read"] == 0
