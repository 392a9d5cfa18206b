"""What users and their pickles rely on: public names, `__module__`, modules of old pickles."""

import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import heddle as hd

ROWS = []
for line in (Path(__file__).parent / "public_names.txt").read_text().splitlines()[1:]:
    place, names = line.split(": ")
    ROWS.append((*place.split(), names.split()))


def row_id(row):
    return " ".join(row[:3])


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_names_stay(row):
    space, module, _, names = row
    found = importlib.import_module(space)
    assert [n for n in names if not hasattr(found, n)] == []
    if module != "-":
        assert {getattr(found, n).__module__ for n in names} == {module}


@pytest.mark.parametrize("row", [r for r in ROWS if r[2] != "-"], ids=row_id)
def test_old_pickles_of_functions(row):
    space, _, old, names = row
    found = importlib.import_module(space)
    for name in names:
        function = getattr(found, name)
        assert pickle.loads(f"c{old}\n{function.__name__}\n.".encode()) is function
        assert pickle.loads(pickle.dumps(function)) is function


# Made by version 0.1, where modules were not in folders yet.
ARRAY = (
    b"cheddle._methods\n_rebuild\n(cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\nt"
    b"c_codecs\nencode\n(Vb\nVlatin1\ntRtR(I1\n(I2\ntcnumpy\ndtype\n(Vi2\nI00\nI01\ntR(I3\nV<\n"
    b"NNNI-1\nI-1\nI0\ntbI00\nc_codecs\nencode\n(V\\u0005\\u0000\\u0007\\u0000\nVlatin1\ntRtbI0%d\ntR."
)


def test_old_pickles_of_arrays():
    read = pickle.loads(ARRAY % 0)
    assert type(read) is hd.ndarray
    numpy.testing.assert_array_equal(hd.asnumpy(read), numpy.array([5, 7], numpy.int16))
    assert read.dtype == numpy.int16


def test_old_pickles_of_other_values():
    assert pickle.loads(b"cheddle._ufunc_methods\n_rebuild\n(Vadd\ntR.") is hd.add
    assert pickle.loads(b"cheddle._ufunc_methods\n_rebuild\n(Verf\ntR.") is hd.special.erf
    warning = pickle.loads(b"cheddle._runtime\nImplicitCopyWarning\n(Va\ntR.")
    assert type(warning) is hd.ImplicitCopyWarning
    for module, name, owner in (
        ("_sets", "UniqueAllResult", hd.unique_all(hd.arange(3))),
        ("_sorting", "TopKResult", hd.topk(hd.arange(3), 1)),
        ("_decompositions", "QRResult", hd.linalg.qr(hd.eye(2))),
    ):
        assert pickle.loads(f"cheddle.{module}\n{name}\n.".encode()) is type(owner)


@pytest.mark.parametrize("value", [hd.arange(3), hd.arange(3).sum(), hd.add, hd.matmul])
def test_pickles_of_today_are_read_by_older_versions(value):
    text = pickle.dumps(value, 0)
    assert text.startswith((b"cheddle._methods\n_rebuild\n", b"cheddle._ufunc_methods\n_rebuild\n"))


def test_modules_that_never_were_are_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"heddle\._no_such_module"):
        importlib.import_module("heddle._no_such_module")
    with pytest.raises(AttributeError):
        importlib.import_module("heddle._sorting").no_such_name


@pytest.mark.parametrize("given", [None, "1"])
def test_the_import_begins_no_threads(given):
    """Those of OpenBLAS would spin meanwhile. The environment is left as it was."""
    code = """
import os, numpy
def threads(): return len(os.listdir("/proc/self/task"))
before, environment = threads(), dict(os.environ)
import heddle
assert threads() == before and dict(os.environ) == environment
"""
    environment = {k: v for k, v in os.environ.items() if "NUM_THREADS" not in k}
    if given:
        environment["OPENBLAS_NUM_THREADS"] = given
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_the_import_is_small():
    """What is imported beside NumPy, and what waits until somebody asks for it."""
    code = (
        "import sys, numpy; before = set(sys.modules); import heddle; "
        "print(*sorted(set(sys.modules) - before))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = result.stdout.split()
    others = {m.partition(".")[0] for m in loaded} - {"heddle", "ml_dtypes", "numpy"}
    small = {"__future__", "_string", "atexit", "cmath", "importlib", "string", "threading"}
    assert others <= small | {"contextlib", "fnmatch", "inspect", "numbers"}
    assert "importlib.resources" not in loaded  # 20 ms
    ours = {m for m in loaded if m.startswith("heddle.") and "._" not in m}
    assert ours <= {"heddle.dtypes", "heddle.exceptions"} | {m for m in ours if ".lib" in m}


@pytest.mark.parametrize(
    "use", ["np.hessian(lambda x: (x**3).sum())(np.ones(3))", "numpy.sum(np.ones(3))"]
)
def test_usual_work_imports_no_tools(use):
    """Neither a first derivative nor NumPy's functions of our arrays load what NumPy has beside."""
    code = f"import sys, numpy, heddle as np; {use}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split())
    assert not loaded & {"numpy.f2py", "numpy.testing", "numpy.polynomial", "unittest", "logging"}


def binds(function):
    get = getattr(type(function), "__get__", None)
    return get is not None and get(function, 3, int) is not function


def test_functions_are_methods_of_classes_where_numpys_are():
    # NumPy's `zeros` and its kind are written in C: as attributes of classes they are called as
    # they stand, without the instance.
    names = [n for n in dir(numpy) if callable(getattr(numpy, n)) and callable(hd.__dict__.get(n))]
    theirs = {n: binds(getattr(numpy, n)) for n in names if not isinstance(getattr(numpy, n), type)}
    assert {n: binds(getattr(hd, n)) for n in theirs} == theirs

    class Backend:
        asarray, zeros, total = hd.asarray, hd.zeros, hd.sum

        def __array__(self, dtype=None, copy=None):
            return numpy.arange(3.0)

    assert Backend().zeros((2, 3), dtype="i4").shape == (2, 3)
    assert Backend().asarray([1, 2]).shape == (2,)
    assert Backend().total() == 3


def test_modules_of_lib():
    for name in ("array_utils", "format", "mixins", "npyio", "recfunctions", "stride_tricks"):
        module = importlib.import_module(f"heddle.lib.{name}")
        assert module is getattr(hd.lib, name)
    assert hd.lib.scimath.sqrt(-1) == 1j
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hd.lib.nothing
    assert hd.lib.format.magic(1, 0) == b"\x93NUMPY\x01\x00"
