"""Every public function has an example, and what the examples say is so."""

import doctest
import fnmatch
import inspect
import sys

import numpy
import pytest
from public_modules import own_names, public_modules

import heddle

# What has none, by its reason: patterns of names.
WITHOUT = {
    "CUDA's own functions and types, under their names in C": """
        heddle.cuda.bindings.*           heddle.cuda.runtime.*
        heddle.cuda.core.typing.*        heddle.pycuda.driver.*
    """,
    "instructions, each of which its name and CUDA's manual say": """
        heddle.numba_cuda.libdevice.*    heddle.numba_cuda.bf16.*
        heddle.numba_cuda.fp16.*         heddle.numba_cuda.*[1-4]
        heddle.numba_cuda.ld*            heddle.numba_cuda.st[cw]*
        heddle.cupyx.jit.*
    """,
    "errors and warnings": "*Error *Exception *Warning",
    "what functions give, and nobody makes": """
        heddle.cuda.PinnedMemoryPointer  heddle.cuda.memory.PooledMemory
        heddle.cuda.core.*               heddle.cuda.stream.*
        heddle.numba_cuda.devices.*      heddle.numba_cuda.DeviceRecords
        heddle.numba_cuda.dispatcher.*   heddle.numba_cuda.arrays.on_device
        heddle.optim.*State              heddle.pycuda.compiler.*Module
        heddle.pycuda.tools.*
    """,
    "what classes have in common": """
        heddle.optim.GradientTransformation*
        heddle.scipy.sparse.sparray      heddle.scipy.sparse.spmatrix
    """,
    "what it needs is on few machines: a driver, nvcc, a GPU to be profiled": """
        heddle.cuda.compiler.*           heddle.cuda.memory_hooks.*
        heddle.numba_cuda.profil*        heddle.numba_cuda.runtime.*
        heddle.numba_cuda.close          heddle.numba_cuda.detect
        heddle.numba_cuda.external_stream
        heddle.numba_cuda.compile_for_current_device
        heddle.numba_cuda.from_cuda_array_interface
        heddle.pycuda.compiler.*         heddle.pycuda.curandom.get_curand_version
    """,
}
PATTERNS = [pattern for text in WITHOUT.values() for pattern in text.split()]

# What shows kernels or numbers that are others while somebody records.
UNRECORDED = {"heddle.draw", "heddle.explain", "heddle.linalg.eig", "heddle.linalg.eigvals"}

NEED_GPUS = {"heddle.RawKernel", "heddle.RawModule"}
NEED_GPUS |= {f"heddle.fft.config.{n}" for n in heddle.fft.config.__all__}
NEED_GPUS |= {
    f"heddle.cuda.core.{name}"
    for name in (
        *("Buffer", "Device", "DeviceMemoryResource", "Event", "LegacyPinnedMemoryResource"),
        *("Stream", "VirtualMemoryResource", "launch"),
    )
}
NEED_GPUS |= {f"heddle.cuda.{n}" for n in ("Graph", "MemoryHook", "Module", "get_cublas_handle")}


def is_theirs(module, name, value):
    """Whether it is documented as NumPy's or SciPy's own, of which it is a kind."""
    inside = module.__name__.removeprefix("heddle.")
    theirs = sys.modules.get(inside) if inside.startswith("scipy.") else numpy.random
    same = value.__doc__ == getattr(getattr(theirs, name, None), "__doc__", None)
    return bool(value.__doc__) and same


def documented():
    """Functions, classes and ufuncs with their names: each once, by the shortest."""
    seen = set()
    for module in sorted(public_modules(), key=lambda m: (m.__name__.count("."), m.__name__)):
        for name, value in own_names(module):
            if callable(value) and id(value) not in seen and not is_theirs(module, name, value):
                seen.add(id(value))
                yield f"{module.__name__}.{name}", value
    for owner in (heddle.ndarray, heddle.random.Generator):
        for name in dir(owner):
            value = getattr(owner, name)
            if not name.startswith("_") and callable(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{owner.__name__}.{name}", value


OBJECTS = dict(documented())


def has_example(value):
    return ">>> " in (value.__doc__ or "")


def may_be_without(name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in PATTERNS)


def test_what_has_no_example_has_its_reason():
    without = [name for name, value in OBJECTS.items() if not has_example(value)]
    assert [name for name in without if not may_be_without(name)] == []
    unused = [p for p in PATTERNS if not any(fnmatch.fnmatchcase(n, p) for n in without)]
    assert unused == []


def example_of(name):
    value = OBJECTS[name]
    home = inspect.getmodule(value)
    space = dict(vars(home)) if name.startswith("heddle.tree") else {"heddle": heddle}
    return doctest.DocTestParser().get_doctest(
        inspect.cleandoc(value.__doc__ or ""), space, name, None, None
    )


def marked(name):
    marker = pytest.mark.unrecorded("is about what somebody who records changes")
    return pytest.param(name, marks=[marker] if name in UNRECORDED else [])


@pytest.mark.parametrize("name", [marked(n) for n, value in OBJECTS.items() if has_example(value)])
def test_examples(name, request):
    test = example_of(name)
    if request.config.getoption("--device") != "cpu":
        pytest.skip("examples are of the CPU")
    if name in NEED_GPUS and not heddle.cuda.is_available():
        pytest.skip("needs a GPU")
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed, _ = runner.run(test, out=said.append)
    assert failed == 0, "".join(said)
