"""What a first use costs: compiling kernels never seen before, and the import itself."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

_COMPILE = """
import random, time
import numpy, heddle as np
random.seed(1)
a, b = np.asarray(numpy.linspace(0.1, 0.9, 64, dtype="f4")), np.asarray(numpy.ones(64, "f4"))
unary = [np.sin, np.exp, np.sqrt, np.abs, np.log1p, np.cos, np.tanh, np.square]
binary = [np.add, np.multiply, np.subtract, np.maximum, np.divide]
(a + b).eval()
times = []
for n in range({count}):
    before = np.stats()["compiled"]
    x = a
    for _ in range(random.randint(2, 12)):
        x = random.choice(binary)(random.choice(unary)(x), b)
    if n % 4 == 1:
        x = x.sum()
    if n % 4 == 2:
        x = x.reshape(8, 8).max(axis=1)
    start = time.perf_counter()
    x.eval()
    took = time.perf_counter() - start
    if np.stats()["compiled"] > before:
        times.append(took)
print(*times)
"""

_FIRST = """
import time
import numpy, heddle as np
a, b = np.asarray(numpy.ones(1000, "f4")), np.asarray(numpy.ones(1000, "f4"))
start = time.perf_counter()
(a + b).eval()
print(time.perf_counter() - start, np.stats()["compiled"], np.stats()["pack_hits"])
"""


def _python(code: str, **variables: str) -> str:
    environment = {**os.environ, "HEDDLE_CACHE_DIR": "", **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout


def compile_times(count: int) -> list[float]:
    """Seconds of the first evaluation of expressions that nobody compiled before."""
    return [float(t) for t in _python(_COMPILE.format(count=count)).split()]


def first_operation() -> dict[str, float]:
    """The first `a + b` of a process without a cache on disk."""
    runs = [[float(x) for x in _python(_FIRST).split()] for _ in range(3)]
    seconds, compiled, pack_hits = min(runs)
    return {"seconds": seconds, "compiled": compiled, "pack_hits": pack_hits}


def import_time(repeat: int) -> dict[str, float]:
    """Seconds that `import heddle` takes in a process that has imported numpy: the median and the
    best by the clock, and the best of the processor's time, which a busy machine changes less."""
    code = (
        "import time, numpy\nstart, busy = time.perf_counter(), time.process_time()\n"
        "import heddle\nprint(time.perf_counter() - start, time.process_time() - busy)"
    )
    # Bytecode is there, as it is for an installed package.
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        _python(code, **bytecode)
        runs = [[float(x) for x in _python(code, **bytecode).split()] for _ in range(repeat)]
    seconds, busy = zip(*runs, strict=True)
    return {"median": statistics.median(seconds), "best": min(seconds), "processor": min(busy)}


def copy_rate(np: Any, megabytes: int = 64) -> float:
    """Bytes per second of asarray on a NumPy array, the copy alone."""
    import numpy

    source = numpy.ones(megabytes << 17)
    best = float("inf")
    for _ in range(12):
        start = time.perf_counter()
        np.asarray(source).eval()
        best = min(best, time.perf_counter() - start)
    return float(source.nbytes) / best
