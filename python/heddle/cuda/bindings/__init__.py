"""CUDA's functions by their own names: driver, runtime, NVRTC, nvJitLink, NVVM.

``driver``, ``runtime`` and ``nvrtc`` are as CUDA Python's ``cuda.bindings`` has them: what C writes
to an address is a result, and every call gives a tuple that begins with the error. ``checked`` has
the same functions, which give their results alone and raise `CUDARuntimeError`. ``nvjitlink`` and
``nvvm`` have C's names, too.

Nothing is opened before a function is called. Without a GPU, functions of the driver and of the
runtime say that there is no device.

Examples
--------
>>> from heddle.cuda.bindings import driver, nvrtc
>>> driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
<CUresult.CUDA_ERROR_OUT_OF_MEMORY: 2>
>>> nvrtc.nvrtcGetPTXSize.__doc__
'nvrtcGetPTXSize(prog) -> (nvrtcResult, ptxSizeRet)'
"""

_ABSENT = {
    "cudla": "deep-learning accelerators of Jetson boards are not used",
    "cufile": "files are read by the host; give the array to heddle.asarray",
    "nvfatbin": "heddle.RawModule and cuda.core.ObjectCode read fatbins, nothing writes them",
    "nvml": "heddle.cuda.core.system asks NVML",
}


def __getattr__(name: str) -> object:
    why = f": {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
