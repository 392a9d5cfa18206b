"""Drivers that are too old: the message says which one is needed."""

import os
import shutil
import subprocess
import sys

import pytest

SOURCE = "int cuDriverGetVersion(int* version) { *version = %d; return 0; }\nint cuInit(unsigned f) { return 0; }\n"


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
@pytest.mark.parametrize(
    ("version", "message"),
    [(11080, "one of CUDA 11.8, and one of CUDA 12.0 or newer is needed"), (12040, "has no cu")],
)
def test_driver_that_is_too_old(tmp_path, version, message):
    (tmp_path / "driver.c").write_text(SOURCE % version)
    library = tmp_path / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "driver.c"], check=True)
    script = "import heddle\ntry: heddle.cuda.Device(0).use()\nexcept Exception as e: print(e)"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    environment.pop("HEDDLE_DEVICE", None)
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert message in result.stdout, result.stdout + result.stderr
