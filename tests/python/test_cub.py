"""libheddle_cub.so, which nvcc compiles: it is found, opens and answers, also without a GPU."""

import ctypes
import pathlib
import subprocess

import pytest

import heddle

PATH = pathlib.Path(heddle.__file__).parent / "lib" / "libheddle_cub.so"
FUNCTIONS = ["version", "error", "sort", "argsort", "search", "count", "sums"]


class Keys(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("rows", ctypes.c_int64),
        ("length", ctypes.c_int64),
    )


def test_it_is_found_where_it_was_built():
    assert heddle._core.cuda.libraries()["CUB"] == (str(PATH) if PATH.exists() else None)


@pytest.mark.skipif(not PATH.exists(), reason="built without nvcc")
def test_its_interface():
    library = ctypes.CDLL(str(PATH))
    for function in FUNCTIONS:
        assert hasattr(library, f"heddle_cub_{function}")
    assert library.heddle_cub_version() == 3
    library.heddle_cub_error.restype = ctypes.c_char_p
    assert b"no error" in library.heddle_cub_error(0)
    size = ctypes.c_size_t(7)
    empty = Keys(None, 4, 1, 0)
    assert library.heddle_cub_sort(ctypes.byref(empty), None, ctypes.byref(size), None) == 0
    assert size.value == 0
    odd = Keys(None, 3, 1, 10)
    assert library.heddle_cub_sort(ctypes.byref(odd), None, ctypes.byref(size), None) != 0


@pytest.mark.skipif(not PATH.exists(), reason="built without nvcc")
def test_it_needs_nothing_of_cuda():
    needed = subprocess.run(["ldd", PATH], capture_output=True, text=True, check=True).stdout
    assert "libcu" not in needed
    assert "not found" not in needed


def test_configuration_names_it():
    if not heddle.cuda.is_available():
        pytest.skip("without a GPU nothing of CUDA is listed")
    config = heddle.show_config("dicts")
    assert config["CUB"] == str(PATH) if PATH.exists() else "nvcc" in config["CUB"]
