"""Memory for kernels: it ends with a MemoryError, and many kernels are few mappings."""

import os
import subprocess
import sys

import pytest

PREAMBLE = """
import resource, sys
import numpy, heddle

def kernel(kind):
    "A new one for every kind."
    x, y = heddle.ones(8), heddle.ones(8)
    for bit in bin(kind + 64)[2:]:
        x = x * y + 1 if bit == "1" else heddle.maximum(x, y) - x
    return x

def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

def mappings():
    return sum(1 for _ in open("/proc/self/maps"))
"""


def run(script, *arguments):
    environment = {**os.environ, "HEDDLE_CACHE_DIR": "", "HEDDLE_DEVICE": "cpu"}
    return subprocess.run(
        [sys.executable, "-c", PREAMBLE + script, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("megabytes", [0, 1, 3, 8, 12, 17, 18, 19, 20, 22, 25, 30, 40])
def test_memory_that_ends_while_kernels_are_made(megabytes):
    script = """
for kind in range(4):
    kernel(kind).eval()
room = mapped() + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
ended = 0
held = []
try:
    for kind in range(100, 500):
        held.append(bytearray(2**17))
        last = kernel(kind)
        last.eval()
except MemoryError:
    ended = 1
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert ended
held.clear()
assert numpy.isfinite(last.get()).all()
assert numpy.isfinite(kernel(600).get()).all()
print("done")
"""
    result = run(script, megabytes)
    assert result.stdout == "done\n", result.stderr[-2000:]


def test_code_that_does_not_load_is_a_matter_of_memory():
    """With kernels of the pack, nothing is compiled."""
    script = """
x = heddle.ones(8)
(x + 1).eval()
resource.setrlimit(resource.RLIMIT_AS, (mapped(), resource.RLIM_INFINITY))
ended = 0
try:
    for function in (numpy.subtract, numpy.multiply, numpy.divide, numpy.sqrt, numpy.sin):
        for dtype in "fdilhH":
            y = x.astype(dtype)
            function(*[y] * function.nin).eval()
except MemoryError:
    ended = 1
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert ended
assert (x * 3).sum().item() == 24
print("done")
"""
    result = run(script)
    assert result.stdout == "done\n", result.stderr[-2000:]


def test_many_kernels_are_few_mappings():
    script = """
kernel(0).eval()
before = mappings()
for kind in range(1, 250):
    kernel(kind).eval()
assert heddle.stats()["compiled"] > 240
print(mappings() - before)
"""
    result = run(script)
    assert int(result.stdout) < 60, result.stderr[-2000:]
