"""What many small arrays take of the process's memory, and that it goes back when they die.

In processes of their own: what other tests left behind would be used first.
"""

import os
import pathlib
import struct
import subprocess
import sys

import pytest

import heddle
from heddle import _core

COUNT = 100_000
# Ten float64 and all that belongs to them; the list that holds an array in Python takes 8 more.
GOAL = 250

pytestmark = pytest.mark.unrecorded("is about memory, which recording holds")

SETUP = """
import ctypes, gc, sys
import numpy, heddle

def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

count = int(sys.argv[1])
x = heddle.arange(40.0).reshape(4, 10).eval()
def make(n):
    {make}
    return kept
kept = make(100)  # kernels and pools are there
del kept
start = resident()
kept = make(count)
most = resident() - start
assert [float(kept[i][3]) for i in (0, 1, count - 1)] == {expected}
del kept
left = resident() - start
heddle.get_default_memory_pool().free_all_blocks()
ctypes.CDLL(None).malloc_trim(0)
rest = resident() - start
print(most / count, left / count, rest / count)
"""

MADE = {
    "computed": ("kept = [(x[i % 4] + 1).eval() for i in range(n)]", "[4, 14, 34]"),
    "copied": ("kept = [x[i % 4].copy().eval() for i in range(n)]", "[3, 13, 33]"),
    "from numpy": (
        "a = numpy.arange(10.0); kept = [heddle.asarray(a) for i in range(n)]",
        "[3, 3, 3]",
    ),
    "written": (
        "kept = [heddle.zeros(10) for i in range(n)]\n"
        "    for i, k in enumerate(kept): k[3] = i % 4\n"
        "    heddle.eval(*kept)",
        "[0, 1, 3]",
    ),
    "evaluated at once": (
        "kept = [x[i % 4] * 2 for i in range(n)]\n    heddle.eval(*kept)",
        "[6, 26, 66]",
    ),
}


@pytest.fixture(scope="module", params=MADE)
def footprint(request):
    make, expected = MADE[request.param]
    done = subprocess.run(
        [sys.executable, "-c", SETUP.format(make=make, expected=expected), str(COUNT)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    most, left, rest = map(float, done.stdout.split())
    print(f"{most:.0f} bytes an array, {left:.0f} left, {rest:.0f} when asked to give all back")
    return most, left, rest


@pytest.mark.host_memory
def test_memory_of_a_small_array(request, footprint):
    # What was pending at one time, 16384 nodes at most, may not have gone back yet.
    transient = request.node.callspec.params["footprint"] in ("written", "evaluated at once")
    assert footprint[0] <= GOAL + 8 + transient * 100


@pytest.mark.host_memory
def test_memory_goes_back(footprint):
    """Less stays than of NumPy's arrays, of whose 220 bytes the C library keeps 130."""
    assert footprint[1] <= 0.5 * GOAL


@pytest.mark.host_memory
def test_memory_goes_back_when_asked_to(footprint):
    assert footprint[2] <= 0.2 * GOAL


def words_of_threads(path):
    """How many bytes each thread has of a library: the segment of that kind, if there is one."""
    with open(path, "rb") as file:
        header = file.read(64)
        start, size, count = (
            *struct.unpack_from("<Q", header, 32),
            *struct.unpack_from("<HH", header, 54),
        )
        for i in range(count):
            file.seek(start + i * size)
            entry = file.read(size)
            if struct.unpack_from("<I", entry)[0] == 7:
                return struct.unpack_from("<Q", entry, 40)[0]
    return 0


@pytest.mark.skipif(sys.platform != "linux", reason="is about ELF")
def test_words_of_threads_are_few():
    """glibc has 512 bytes for all libraries that come while a program runs; where they do not do,
    every use of such a word looks up where it is, and each new thread makes room for them."""
    sanitized = any(name in os.environ.get("LD_PRELOAD", "") for name in ("asan", "tsan"))
    if sanitized:
        pytest.skip("sanitizers have words of their own")
    folder = pathlib.Path(heddle.__file__).parent
    core = words_of_threads(_core.__file__)
    library = words_of_threads(folder / "lib" / "libheddle.so")
    assert library <= 416 and core <= 96, (library, core)
