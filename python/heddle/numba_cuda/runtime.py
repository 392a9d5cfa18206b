"""CUDA's runtime, by Numba's name."""


def get_version() -> tuple[int, int]:
    """The version of CUDA's runtime; an error where there is none."""
    from heddle.cuda import runtime

    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def is_supported_version() -> bool:
    """Whether the CUDA that is there can be used: none is needed."""
    return True
