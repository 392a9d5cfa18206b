"""Where programs of PyCUDA run, and what they compute with."""

import numpy
import pytest

import heddle

available = heddle.cuda.is_available()


@pytest.fixture(autouse=True)
def _on_gpu():
    if not available:
        yield
        return
    with heddle.default_device("cuda"):
        yield


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)
