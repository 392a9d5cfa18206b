"""Kernels that run band by band: what they hand to one another never is memory."""

import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest
from banded_programs import chain_of_matrices, levels, results_in_between, results_of
from support import random_values

import heddle

pytestmark = pytest.mark.waiting

HERE = pathlib.Path(__file__).parent

# Rows that all others need first, in any order, or that were there before and are overwritten.
APART = {"backwards", "rolled", "columns", "in_place"}


def on_the_host():
    if heddle.default_device() != "cpu":
        pytest.skip("only CPUs run kernels so")


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.parametrize("size", [1, 20000])
def test_small_programs_in_bands_of_few_rows(size):
    on_the_host()
    found = subprocess.run(
        [sys.executable, HERE / "banded_programs.py"],
        env={**os.environ, "HEDDLE_BAND_BYTES": str(size)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    banded = dict(line.split() for line in found.stdout.splitlines())
    if size == 1:
        assert {name for name, is_banded in banded.items() if is_banded == "False"} == APART


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("program", [chain_of_matrices, results_in_between])
def test_large_programs(program, dtype):
    on_the_host()
    if program is results_in_between and dtype == "c16":
        pytest.skip("compares elements")
    values = random_values(dtype, (700, 900), 0, 0, 1)
    ours = heddle.asarray(values)
    assert "band by band" in heddle.explain(*results_of(program, heddle, ours))
    expected = results_of(program, numpy, values)
    for _ in range(2):
        for made, wanted in zip(results_of(program, heddle, ours), expected, strict=True):
            tolerance = 1e-4 if dtype == "f4" else 1e-10
            numpy.testing.assert_allclose(made.get(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.unrecorded("is about which kernels there are")
def test_what_is_held_is_memory():
    on_the_host()
    values = random_values("f8", (700, 900), 0, 0, 1)
    a = heddle.asarray(values)
    between = heddle.sqrt(heddle.exp(a) + heddle.log1p(a))
    result = between[2:] * heddle.exp(between[:-2]) - between[1:-1]
    result = heddle.exp(-result)[1:] - heddle.exp(result)[:-1]
    result.eval()
    numpy.testing.assert_allclose(
        between.get(), numpy.sqrt(numpy.exp(values) + numpy.log1p(values))
    )


COUNT = """
import json
import sys

import heddle as np

sys.path.insert(0, sys.argv[1])
from banded_programs import chain_of_matrices, levels, results_in_between, results_of


def moved(program, *shape):
    a = (np.arange(np.prod(np.asarray(shape)).item()) % 97 / 97.0).reshape(shape).eval()
    for _ in range(2):
        before = np.stats()
        made = results_of(program, np, a)
        np.eval(*made)
        del made
    after = np.stats()
    return [after[name] - before[name] for name in ("bytes_read", "bytes_written")]


print(json.dumps({
    "chain": moved(chain_of_matrices, 1000, 1000),
    "levels": moved(levels, 200, 200, 20),
    "results": moved(results_in_between, 1000, 1000),
}))
"""


def test_bytes_that_move():
    """Inputs are read once, and results written once."""
    on_the_host()
    found = subprocess.run(
        [sys.executable, "-c", COUNT, HERE],
        env={**os.environ, "HEDDLE_COUNT_BYTES": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == {
        "chain": [8_000_000, 994 * 994 * 8],
        "levels": [6_400_000, 2 * 6_400_000],
        "results": [8_000_000, 3 * 8_000_000],
    }


@pytest.mark.unrecorded("is about which kernels there are")
def test_it_is_explained():
    on_the_host()
    a = heddle.asarray(random_values("f8", (1000, 1000), 0, 0, 1))
    text = heddle.explain(*results_of(levels, heddle, a.reshape(250, 200, 20)))
    line = next(line for line in text.splitlines() if "band by band" in line)
    assert line.startswith("  runs with the kernels up to ")
    assert " of 50,000 rows at a time: " in line
    assert line.endswith(" bytes, never leave the caches")


@pytest.mark.unrecorded("is about what is interrupted")
def test_threads():
    """Each thread has rows of its own, also those of several programs at once."""
    on_the_host()
    from concurrent.futures import ThreadPoolExecutor

    values = [random_values("f8", (600, 700), seed, 0, 1) for seed in range(4)]
    expected = [results_of(chain_of_matrices, numpy, each)[0] for each in values]
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(lambda each: chain_of_matrices(heddle, heddle.asarray(each)).get(), values)
        for got, wanted in zip(made, expected, strict=True):
            numpy.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-10)
