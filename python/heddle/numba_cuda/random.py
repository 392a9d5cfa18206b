"""Random numbers of threads by Numba's names: xoroshiro128+, a state for each thread."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heddle._typing import HostArray, KernelArray
from heddle.numba_cuda.arrays import to_device
from heddle.numba_cuda.records import DeviceRecords
from heddle.simt._kernel import func

uint64, float32 = np.uint64, np.float32
xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
_JUMP_0, _JUMP_1 = np.uint64(0xBEAC0467EBA5FACB), np.uint64(0xD86B048B86AA9922)
_STEP, _MIX_0 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_MIX_1 = np.uint64(0x94D049BB133111EB)
_ONE, _UNIT = np.uint64(1), 1.0 / 2**53
_TWO_PI = 2 * math.pi


@func
def init_xoroshiro128p_state(states: KernelArray, index: int, seed: int) -> None:
    """Sets a state by a seed, through SplitMix64."""
    z = uint64(seed) + _STEP
    z = (z ^ (z >> uint64(30))) * _MIX_0
    z = (z ^ (z >> uint64(27))) * _MIX_1
    z = z ^ (z >> uint64(31))
    states[index]["s0"] = z
    states[index]["s1"] = z


@func
def rotl(x: Any, k: Any) -> Any:
    """The bits of an integer, moved to the left and round."""
    return (uint64(x) << uint64(k)) | (uint64(x) >> uint64(64 - k))


@func
def xoroshiro128p_next(states: KernelArray, index: int) -> Any:
    """The next 64 bits of a state."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 = s1 ^ s0
    states[index]["s0"] = rotl(s0, 55) ^ s1 ^ (s1 << uint64(14))
    states[index]["s1"] = rotl(s1, 36)
    return result


@func
def xoroshiro128p_jump(states: KernelArray, index: int) -> None:
    """Moves a state on by 2**64 steps."""
    s0 = uint64(0)
    s1 = uint64(0)
    for i in range(2):
        jump = _JUMP_0 if i == 0 else _JUMP_1
        for b in range(64):
            if jump & (_ONE << uint64(b)):
                s0 = s0 ^ states[index]["s0"]
                s1 = s1 ^ states[index]["s1"]
            xoroshiro128p_next(states, index)
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@func
def uint64_to_unit_float64(x: Any) -> float:
    """From 0 to 1, of 64 bits."""
    return float(uint64(x) >> uint64(11)) * _UNIT


@func
def uint64_to_unit_float32(x: object) -> Any:
    """The same as a float32."""
    return float32(uint64_to_unit_float64(x))


@func
def xoroshiro128p_uniform_float32(states: object, index: object) -> Any:
    """A float32 from 0 to 1."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@func
def xoroshiro128p_uniform_float64(states: object, index: object) -> Any:
    """A float64 from 0 to 1."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@func
def xoroshiro128p_normal_float32(states: object, index: object) -> float:
    """A float32 of the normal distribution, by Box and Muller."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(float32(-2.0) * math.log(u1)) * math.cos(float32(_TWO_PI) * u2)


@func
def xoroshiro128p_normal_float64(states: object, index: object) -> float:
    """A float64 of the normal distribution, by Box and Muller."""
    u1 = xoroshiro128p_uniform_float64(states, index)
    u2 = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * math.log(u1)) * math.cos(_TWO_PI * u2)


def _fill(states: Any, seed: object, subsequence_start: Any) -> None:
    n = states.shape[0]
    if n >= 1:
        init_xoroshiro128p_state(states, 0, seed)
        for _ in range(subsequence_start):
            xoroshiro128p_jump(states, 0)
        for i in range(1, n):
            states[i] = states[i - 1]
            xoroshiro128p_jump(states, i)


_filled: Any = None


def init_xoroshiro128p_states_cpu(states: HostArray, seed: int, subsequence_start: int) -> None:
    """Sets states of the host: each 2**64 steps after the one before.

    Examples
    --------
    >>> import numpy
    >>> from heddle.numba_cuda.random import init_xoroshiro128p_states_cpu, xoroshiro128p_dtype
    >>> states = numpy.empty(2, xoroshiro128p_dtype)
    >>> init_xoroshiro128p_states_cpu(states, seed=1, subsequence_start=0)
    >>> bool(states["s0"][0] != states["s0"][1])
    True
    """
    global _filled
    if _filled is None:
        from heddle._compiled.functions import njit

        _filled = njit(_fill)
    _filled(states, np.uint64(seed), int(subsequence_start))


def init_xoroshiro128p_states(
    states: DeviceRecords, seed: int, subsequence_start: int = 0, stream: object = 0
) -> None:
    """Sets states of the device: each 2**64 steps after the one before.

    Examples
    --------
    >>> from heddle.numba_cuda import random
    >>> states = random.create_xoroshiro128p_states(2, seed=1)
    >>> before = states.copy_to_host()["s0"]
    >>> random.init_xoroshiro128p_states(states, seed=2)
    >>> (states.copy_to_host()["s0"] != before).tolist()
    [True, True]
    """
    host = np.empty(states.shape, xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(host, seed, subsequence_start)
    states.copy_to_device(host)


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: object = 0
) -> DeviceRecords:
    """States of as many threads, on the device.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> from heddle.numba_cuda.random import create_xoroshiro128p_states
    >>> from heddle.numba_cuda.random import xoroshiro128p_uniform_float64
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_uniform_float64(states, i)
    >>> out = numpy.zeros(3)
    >>> draw[1, 4](create_xoroshiro128p_states(4, seed=1), out)
    >>> out
    array([0.13312315, 0.87634871, 0.87109089])
    """
    host = np.empty(n, xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(host, seed, subsequence_start)
    made: DeviceRecords = to_device(host)
    return made
