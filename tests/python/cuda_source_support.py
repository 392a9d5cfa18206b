"""Shared by the tests of CUDA C++: launches, on a GPU or by heddle-clang."""

import numpy
import pytest

import heddle
from heddle import RawKernel, _core, cuda
from heddle._kernels.host import is_installed

needs_compiler = pytest.mark.skipif(
    not cuda.is_available() and not is_installed(),
    reason="needs a GPU or heddle-clang",
)
on_host = pytest.mark.skipif(cuda.is_available(), reason="messages of the compiler for CPUs")
needs_plugin = pytest.mark.skipif(not is_installed(), reason="needs heddle-clang")


@pytest.fixture(autouse=True)
def on_gpu():
    """Arrays are where the kernels run: on a GPU where there is one."""
    if not cuda.is_available():
        yield
        return
    with heddle.default_device("cuda"):
        yield


def rng():
    return numpy.random.default_rng(7)


def launch(source, name, grid, block, *arguments, **keywords):
    """Run a kernel on copies of NumPy's arrays; what is in all arrays afterwards."""
    options = keywords.pop("options", ())
    cooperative = keywords.pop("cooperative", False)
    check = keywords.pop("check", False)
    kernel = RawKernel(source, name, options, enable_cooperative_groups=cooperative, check=check)
    given = [heddle.asarray(a) if isinstance(a, numpy.ndarray) else a for a in arguments]
    kernel(grid, block, given, **keywords)
    return [heddle.asnumpy(a) for a in given if isinstance(a, _core.own_array)]


def i4(value):
    return numpy.int32(value)
