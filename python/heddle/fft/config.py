"""The plans that cuFFT keeps on a GPU, with CuPy's names: ``heddle.fft.config.get_plan_cache()``.

A plan is what transforms of one shape, type and layout have in common. Work areas are not part of
it: they come from the memory pool for the time of a transform.
"""

import operator
from typing import Any

from heddle import _core

__all__ = ["PlanCache", "clear_plan_cache", "get_plan_cache", "show_plan_cache_info"]


class PlanCache:
    """The most recently used plans of one GPU. Plans that captured graphs use are never dropped.

    Examples
    --------
    >>> plans = heddle.fft.config.PlanCache(0)
    >>> plans.set_size(8)
    >>> plans.get_size()
    8
    """

    def __init__(self, dev: int) -> None:
        self._device = dev
        self._info()  # there has to be such a GPU

    def _info(self) -> tuple[int, int, int, int]:
        return _core.fft_plans(self._device)

    def get_curr_size(self) -> int:
        """How many plans are kept now."""
        return self._info()[0]

    def get_size(self) -> int:
        """How many are kept at most."""
        return self._info()[1]

    def set_size(self, size: int) -> None:
        """Keep at most this number of plans; drops those that were not used for longest."""
        size = operator.index(size)
        if size < 0:
            raise ValueError(f"the number of plans must not be negative, not {size}")
        _core.set_fft_plans(self._device, size)

    def get_counts(self) -> tuple[int, int]:
        """How often a plan was there, and how often one had to be made."""
        return self._info()[2:]

    def clear(self) -> None:
        """Drop all plans."""
        _core.clear_fft_plans(self._device)

    def show_info(self) -> None:
        """Print what the others say."""
        print(self)

    def __repr__(self) -> str:
        size, limit, hits, misses = self._info()
        return (
            f"cuFFT plans of cuda:{self._device}: {size} of at most {limit}, found {hits} times, "
            f"made {misses} times"
        )


def get_plan_cache() -> PlanCache:
    """The plans of the current GPU.

    Examples
    --------
    >>> heddle.fft.config.get_plan_cache().get_curr_size() >= 0
    True
    """
    from heddle import cuda

    return PlanCache(cuda.get_device_id())


def clear_plan_cache() -> None:
    """Drop all plans of the current GPU.

    Examples
    --------
    >>> heddle.fft.config.clear_plan_cache()
    >>> heddle.fft.config.get_plan_cache().get_curr_size()
    0
    """
    get_plan_cache().clear()


def show_plan_cache_info() -> None:
    """Print what is kept, for every GPU.

    Examples
    --------
    >>> heddle.fft.config.show_plan_cache_info()  # doctest: +ELLIPSIS
    cuFFT plans of cuda:0: ...
    """
    for device in range(_core.cuda.device_count()):
        PlanCache(device).show_info()


def __getattr__(name: str) -> Any:
    if name in ("enable_nd_planning", "use_multi_gpus", "set_cufft_gpus", "set_cufft_callbacks"):
        raise AttributeError(
            f"heddle.fft.config has no {name}: transforms along several axes are always planned "
            "together, on one GPU; scaling and other work on results is fused by itself"
        )
    raise AttributeError(f"module 'heddle.fft.config' has no attribute {name!r}")
