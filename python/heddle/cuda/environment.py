"""Whether there is a GPU, and where CUDA is."""

import os
import shutil

from heddle._core import cuda as _cuda


def is_available() -> bool:
    """Whether a GPU can be used.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.is_available() in (True, False)
    True
    """
    return bool(_cuda.is_available())


def get_cuda_path() -> str | None:
    """The root of the CUDA toolkit, or None.

    Examples
    --------
    >>> from heddle import cuda
    >>> path = cuda.get_cuda_path()
    >>> path is None or isinstance(path, str)
    True
    """
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if path := os.environ.get(variable):
            return path
    if nvcc := shutil.which("nvcc"):
        return os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    return "/usr/local/cuda" if os.path.isdir("/usr/local/cuda") else None


def get_nvcc_path() -> str | None:
    """The command that compiles CUDA C++, or None.

    Examples
    --------
    >>> from heddle import cuda
    >>> path = cuda.get_nvcc_path()
    >>> path is None or path.endswith("nvcc")
    True
    """
    root = get_cuda_path()
    inside = os.path.join(root, "bin", "nvcc") if root else ""
    return inside if os.path.exists(inside) else shutil.which("nvcc")


def get_local_runtime_version() -> int:
    """The version of CUDA that the driver brings, as 13000 for 13.0; there is no other run time.

    Examples
    --------
    >>> from heddle import cuda
    >>> version = cuda.get_local_runtime_version() if cuda.is_available() else 0
    >>> isinstance(version, int)
    True
    """
    return int(_cuda.driver_version())
