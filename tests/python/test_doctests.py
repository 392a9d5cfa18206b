"""Every public function has an example, and what the examples say is so."""

import doctest
import importlib
import inspect

import numpy
import pytest

import heddle

MODULES = ("heddle", "heddle.linalg", "heddle.fft", "heddle.emath", "heddle.special")
MODULES += ("heddle.scipy.ndimage", "heddle.cupyx.scipy")
MODULES += ("heddle.scipy.fft", "heddle.scipy.fftpack", "heddle.scipy.linalg")
MODULES += ("heddle.scipy.signal", "heddle.scipy.signal.windows")
MODULES += ("heddle.scipy.interpolate", "heddle.scipy.spatial", "heddle.scipy.spatial.distance")
MODULES += ("heddle.scipy.cluster.vq", "heddle.scipy.cluster.hierarchy")
MODULES += ("heddle.scipy.sparse", "heddle.scipy.sparse.linalg", "heddle.scipy.sparse.csgraph")
MODULES += ("heddle.scipy.stats", "heddle.cupyx.signal", "heddle.lib.stride_tricks")
MODULES += ("heddle.nn", "heddle.optim")
MODULES += ("heddle.nn.initializers", "heddle.polynomial.polyutils")
MODULES += tuple(
    f"heddle.polynomial.{family}"
    for family in ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
)
MODULES += ("heddle.jax", "heddle.jax.numpy", "heddle.jax.random", "heddle.jax.image")
MODULES += ("heddle.jax.custom_batching", "heddle.jax.custom_derivatives", "heddle.jax.scipy")
MODULES += ("heddle.jax.scipy.sparse.linalg", "heddle.jax.scipy.special")
MODULES += ("heddle.jax.scipy.stats", "heddle.jax.ad_checkpoint", "heddle.jax.dtypes")
MODULES += ("heddle.lax.linalg", "heddle.tree_util", "heddle.flatten_util", "heddle.ops")
MODULES += ("heddle.cuda", "heddle.cuda.nvtx", "heddle.cuda.profiler")
MODULES += ("heddle.cuda.device", "heddle.cuda.environment", "heddle.cuda.memory_hook")
MODULES += ("heddle.cuda.module", "heddle.cuda.precision", "heddle.checkpoint_policies")
MODULES += ("heddle.cupyx", "heddle.cupyx.profiler", "heddle.fft.config", "heddle.pycuda.reduction")
MODULES += ("heddle.pycuda.gpuarray", "heddle.pycuda.scan")
MODULES += (
    "heddle.simt",
    "heddle.lax",
    "heddle.tree",
    "heddle.debug",
    "heddle.polynomial",
    "heddle.random",
)
# Of modules whose other names are of types, or of CUDA's own.
SOME = {
    "heddle.numba": ("guvectorize", "jit", "njit", "vectorize"),
    "heddle.numba.extending": (
        *("is_jitted", "overload", "overload_attribute", "overload_method", "register_jitable"),
    ),
    "heddle.numba.object_mode": ("objmode",),
    "heddle.numba.threads": ("get_num_threads", "set_num_threads", "threading_layer"),
    "heddle.numba.types": ("Array", "Tuple", "UniTuple", "from_dtype", "typeof"),
    "heddle.cuda.core": (
        *("BaseLayout", "Buffer", "Device", "DeviceMemoryResource", "DeviceMemoryResourceOptions"),
        *("Event", "EventOptions", "Host", "LaunchConfig", "LegacyPinnedMemoryResource"),
        *("LinkerOptions", "PeerAccessPlan", "ProgramOptions", "Stream", "StreamOptions"),
        *("VirtualMemoryResource", "launch", "normalize_peer_access_targets"),
        "plan_peer_access_update",
    ),
    "heddle.cuda.core.utils": ("args_viewable_as_strided_memory", "view_as_array_interface"),
    "heddle.numba_cuda": (
        *("DeviceNDArray", "In", "Out", "Reduce", "as_cuda_array", "compile_ptx"),
        *("current_context", "device_array", "device_array_like", "event", "event_elapsed_time"),
        *("get_current_device", "guvectorize", "is_available", "is_cuda_array", "jit"),
        *("list_devices", "mapped_array", "pinned_array", "pinned_array_like", "require_context"),
        *("select_device", "stream", "to_device", "vectorize"),
        *("Event", "Stream", "compile", "cuda_error", "default_stream", "defer_cleanup"),
        *("is_bfloat16_supported", "is_float16_supported", "is_fp8_supported"),
        *("is_supported_version", "mapped", "per_thread_default_stream", "pinned", "synchronize"),
    ),
    "heddle.numba_cuda.random": ("create_xoroshiro128p_states",),
    "heddle.pycuda.characterize": ("has_double_support", "has_stack", "platform_bits", "sizeof"),
    "heddle.pycuda.cumath": ("fmod", "frexp", "ldexp", "modf"),
    "heddle.pycuda.curandom": ("rand", "seed_getter_uniform", "seed_getter_unique"),
    "heddle.pycuda.driver": (
        *("CompileError", "DeviceAllocation", "Device", "Error", "Event", "Function", "In"),
        *("InOut", "LogicError", "MemoryError", "Out", "Stream", "aligned_empty"),
        *("aligned_empty_like", "aligned_zeros", "aligned_zeros_like", "dtype_to_array_format"),
        *("from_device", "from_device_like", "get_version", "init", "managed_empty"),
        *("managed_empty_like", "managed_zeros", "managed_zeros_like", "mem_alloc"),
        *("mem_alloc_like", "mem_alloc_pitch", "mem_get_info", "memcpy_dtod"),
        *("memcpy_dtod_async", "memcpy_dtoh", "memcpy_dtoh_async", "memcpy_htod"),
        *("memcpy_htod_async", "memcpy_peer", "memcpy_peer_async", "pagelocked_empty"),
        *("pagelocked_empty_like", "pagelocked_zeros", "pagelocked_zeros_like"),
        *("register_host_memory", "to_device"),
    ),
    "heddle.pycuda.elementwise": ("get_elwise_kernel",),
    "heddle.pycuda.tools": (
        "clear_context_caches",
        *("DeviceMemoryPool", "PageLockedMemoryPool", "ScalarArg", "VectorArg", "bitlog2"),
        *("context_dependent_memoize", "dtype_to_ctype", "get_arg_type", "parse_c_arg"),
        "register_dtype",
    ),
}
# What has no result to show, or shows something else on every machine.
WITHOUT = {"heddle.cuda.PinnedMemoryPointer"}  # what alloc_pinned_memory gives
# Warnings, what classes have in common, and what methods of optimisation keep from step to step.
WITHOUT |= {f"heddle.scipy.sparse.{name}" for name in ("sparray", "spmatrix", "SparseWarning")}
WITHOUT |= {"heddle.scipy.sparse.SparseEfficiencyWarning"}
WITHOUT |= {f"heddle.optim.GradientTransformation{more}" for more in ("", "ExtraArgs")}
WITHOUT |= {f"heddle.optim.{name}" for name in dir(heddle.optim) if name.endswith("State")}

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


def is_numpys(name, value):
    """Whether it is documented as NumPy's own, of which it is a kind."""
    return value.__doc__ == getattr(getattr(numpy.random, name, None), "__doc__", "")


def documented():
    """Functions, classes and ufuncs with their names: aliases once, the modules' own."""
    seen = set()
    for place in MODULES:
        module = importlib.import_module(place)
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            value = getattr(module, name)
            ours = (getattr(value, "__module__", None) or "").startswith("heddle")
            ours = ours and not is_numpys(name, value)
            if not name.startswith("_") and callable(value) and ours and id(value) not in seen:
                seen.add(id(value))
                yield f"{place}.{name}", value
    for place, names in SOME.items():
        module = importlib.import_module(place)
        yield from ((f"{place}.{name}", getattr(module, name)) for name in names)
    for owner in (heddle.ndarray, heddle.random.Generator):
        for name in dir(owner):
            value = getattr(owner, name)
            if not name.startswith("_") and callable(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{owner.__name__}.{name}", value


OBJECTS = dict(documented())


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


@pytest.mark.parametrize("name", [marked(name) for name in OBJECTS])
def test_examples(name, request):
    test = example_of(name)
    if not test.examples:
        assert name in WITHOUT, "a public function needs an example"
        return
    if request.config.getoption("--device") != "cpu":
        pytest.skip("examples are of the CPU")
    if name in NEED_GPUS and not heddle.cuda.is_available():
        pytest.skip("needs a GPU")
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed, _ = runner.run(test, out=said.append)
    assert failed == 0, "".join(said)
