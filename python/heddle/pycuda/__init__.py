"""PyCUDA's names: programs run with the import changed.

``import heddle.pycuda.autoinit``, ``import heddle.pycuda.driver as drv``, ``from
heddle.pycuda.compiler import SourceModule`` and so on. Memory is CUDA's, arrays are Heddle's, and
kernels are `heddle.RawModule`'s. Without a GPU the CPU is device 0: arrays and kernels around
expressions run there, and sources of CUDA C++ where `heddle.RawModule` can run them.

There is one context for each device, the primary one, which Heddle's arrays use, too. Texture
references are gone from CUDA since version 12; what asks for one says so.

Examples
--------
>>> import heddle.pycuda.autoinit
>>> import heddle.pycuda.gpuarray as gpuarray
>>> import numpy
>>> a_gpu = gpuarray.to_gpu(numpy.arange(4, dtype=numpy.float32))
>>> (2 * a_gpu).get()
array([0., 2., 4., 6.], dtype=float32)
"""

VERSION = (2026, 1)  # of PyCUDA, whose names these are
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS

__all__ = ["VERSION", "VERSION_STATUS", "VERSION_TEXT"]


def __getattr__(name: str) -> object:
    why = ": memory that OpenGL draws is not shared" if name == "gl" else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
