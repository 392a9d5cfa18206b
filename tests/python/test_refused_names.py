"""Names of Numba, CUDA Python and PyCUDA that are not there say why, and what to use instead."""

import importlib

import pytest

REFUSED = {
    "heddle.numba": "cfunc carray optional pndindex",
    "heddle.numba.experimental": "structref",
    "heddle.numba.types": "optional deferred_type ffi dim3 grid_group",
    "heddle.numba.cuda.types": "optional GridGroup",
    "heddle.numba.cuda": "Archive Cubin Fatbin LTOIR Object PTXSource CUSource MemoryPointer "
    "BaseCUDAMemoryManager IpcHandle set_memory_manager extending kernels launchconfig",
    "heddle.cuda.bindings": "cudla cufile nvfatbin nvml",
    "heddle.pycuda": "gl",
    "heddle.pycuda.curandom": "Sobol32RandomNumberGenerator ScrambledSobol64RandomNumberGenerator "
    "generate_direction_vectors generate_scramble_constants32",
}


def found(module):
    if module.endswith("cuda.types"):
        return importlib.import_module("heddle.numba.cuda").types
    return importlib.import_module(module)


rows = [(module, name) for module, names in REFUSED.items() for name in names.split()]


@pytest.mark.parametrize(("module", "name"), rows)
def test_a_reason_is_given(module, name):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}': \\w"):
        getattr(found(module), name)


@pytest.mark.parametrize("module", REFUSED)
def test_other_names_are_just_absent(module):
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        found(module).nonsense
