"""Where programs of PyCUDA run, and what they compute with."""

import os

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


# PyCUDA's memory is a GPU's, or the host's where there is none: never the shadow device's.
gpu_or_host = pytest.mark.skipif(
    os.environ["HEDDLE_DEVICE"] == "shadow", reason="arrays on a GPU or on the host"
)
