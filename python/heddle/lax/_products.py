"""Products of matrices, sorting and Fourier transforms, with JAX's names."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, overload

import heddle as hd
from heddle import tree
from heddle._transform.precision import check_precision
from heddle._typing import ArrayLike, DTypeLike, Tree
from heddle.lax._operands import read_axes, read_axis

_Axes = Sequence[int]
DotDimensionNumbers = tuple[tuple[_Axes, _Axes], tuple[_Axes, _Axes]]


def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: DotDimensionNumbers,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """Sums of products over some axes of two arrays, along axes that they share.

    ``dimension_numbers`` is ``((summed_of_lhs, summed_of_rhs), (shared_of_lhs, shared_of_rhs))``.
    The result has the shared axes, the others of ``lhs`` and the others of ``rhs``.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.ones((2, 3, 4)), np.ones((2, 4, 5))
    >>> np.lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))).shape
    (2, 3, 5)
    """
    a, b = hd.asarray(lhs), hd.asarray(rhs)
    check_precision("dot_general", precision)
    (sum_a, sum_b), (share_a, share_b) = dimension_numbers
    sums = read_axes("dot_general", sum_a, a.ndim), read_axes("dot_general", sum_b, b.ndim)
    shared = read_axes("dot_general", share_a, a.ndim), read_axes("dot_general", share_b, b.ndim)
    for ours, theirs in (sums, shared):
        extents = [a.shape[i] for i in ours], [b.shape[i] for i in theirs]
        if extents[0] != extents[1]:
            raise TypeError(
                f"lax.dot_general: axes {ours} of {a.shape} and {theirs} of {b.shape} differ"
            )
    if a.dtype != b.dtype and preferred_element_type is None:
        raise TypeError(f"lax.dot_general: operands are of {a.dtype} and {b.dtype}")
    if set(sums[0]) & set(shared[0]) or set(sums[1]) & set(shared[1]):
        raise TypeError("lax.dot_general: an axis is both summed over and shared")
    wanted = None if preferred_element_type is None else hd.dtype(preferred_element_type)
    if wanted is not None:
        a, b = a.astype(wanted), b.astype(wanted)
    letters = iter(range(52))
    of_a: list[int] = [next(letters) for _ in range(a.ndim)]
    of_b = [-1] * b.ndim
    for ours, theirs in (sums, shared):
        for i, j in zip(ours, theirs, strict=True):
            of_b[j] = of_a[i]
    of_b = [next(letters) if letter < 0 else letter for letter in of_b]
    result = [of_a[i] for i in shared[0]]
    result += [of_a[i] for i in range(a.ndim) if i not in sums[0] + shared[0]]
    result += [of_b[j] for j in range(b.ndim) if j not in sums[1] + shared[1]]
    return hd.einsum(a, of_a, b, of_b, result)


def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    dimension_numbers: DotDimensionNumbers | None = None,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product of vectors and matrices, or `dot_general`.

    >>> import heddle as np
    >>> print(np.lax.dot(np.ones(3), np.arange(3.0)))
    3.0
    """
    a, b = hd.asarray(lhs), hd.asarray(rhs)
    if dimension_numbers is None:
        if not 1 <= a.ndim <= 2 or not 1 <= b.ndim <= 2:
            raise TypeError(
                f"lax.dot: shapes {a.shape} and {b.shape} are no vectors or matrices; "
                "dimension_numbers are needed"
            )
        dimension_numbers = (((a.ndim - 1,), (0,)), ((), ()))
    return dot_general(a, b, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: ArrayLike, rhs: ArrayLike, precision: object = None) -> hd.ndarray:
    """Products of matrices in stacks of one shape.

    >>> import heddle as np
    >>> np.lax.batch_matmul(np.ones((5, 2, 3)), np.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    a, b = hd.asarray(lhs), hd.asarray(rhs)
    if min(a.ndim, b.ndim) < 2 or a.ndim != b.ndim:
        raise ValueError(f"lax.batch_matmul: shapes {a.shape} and {b.shape}")
    stack = tuple(range(a.ndim - 2))
    return dot_general(a, b, (((a.ndim - 1,), (b.ndim - 2,)), (stack, stack)), precision)


@overload
def sort(
    operand: hd.ndarray, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> hd.ndarray: ...
@overload
def sort(
    operand: Sequence[ArrayLike], dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> tuple[hd.ndarray, ...]: ...
@overload
def sort(
    operand: ArrayLike, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> hd.ndarray | tuple[hd.ndarray, ...]: ...
def sort(
    operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> hd.ndarray | tuple[hd.ndarray, ...]:
    """The elements in order along an axis; several arrays are ordered by the first ``num_keys``.

    >>> import heddle as np
    >>> keys, values = np.lax.sort((np.array([3, 1, 2]), np.array([30, 10, 20])))
    >>> print(keys, values)
    [1 2 3] [10 20 30]
    """
    several = isinstance(operand, (tuple, list))
    arrays = [hd.asarray(one) for one in (operand if several else (operand,))]
    if not 1 <= num_keys <= len(arrays):
        raise ValueError(f"lax.sort: num_keys is {num_keys} for {len(arrays)} operands")
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError(f"lax.sort: operands have shapes {[array.shape for array in arrays]}")
    axis = read_axis("sort", dimension, arrays[0].ndim)
    if not several:
        return hd.sort(arrays[0], axis=axis, stable=is_stable)
    if num_keys == 1:
        places = hd.argsort(arrays[0], axis=axis, stable=is_stable)
    else:
        places = hd.lexsort(tuple(reversed(arrays[:num_keys])), axis=axis)
    return tuple(hd.take_along_axis(array, places, axis=axis) for array in arrays)


def sort_key_val(
    keys: ArrayLike, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> tuple[hd.ndarray, hd.ndarray]:
    """Keys in order along an axis, and values with them.

    >>> import heddle as np
    >>> print(np.lax.sort_key_val(np.array([3, 1]), np.array([0, 1]))[1])
    [1 0]
    """
    made = sort((keys, values), dimension, is_stable, 1)
    return made[0], made[1]


class FftType(enum.IntEnum):
    """Which transform `fft` computes.

    >>> import heddle as np
    >>> np.lax.FftType.RFFT.name
    'RFFT'
    """

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


def fft(x: ArrayLike, fft_type: FftType | str, fft_lengths: Sequence[int]) -> hd.ndarray:
    """The Fourier transform over the last axes, as many as there are lengths.

    >>> import heddle as np
    >>> print(np.lax.fft(np.ones(2), "RFFT", (2,)))
    [2.+0.j 0.+0.j]
    """
    kind = FftType[fft_type.upper()] if isinstance(fft_type, str) else FftType(fft_type)
    array, lengths = hd.asarray(x), tuple(fft_lengths)
    if not lengths:
        return array
    if len(lengths) > array.ndim:
        raise ValueError(f"lax.fft: {len(lengths)} lengths for an array of shape {array.shape}")
    wanted = (*lengths[:-1], lengths[-1] // 2 + 1) if kind is FftType.IRFFT else lengths
    if array.shape[-len(lengths) :] != wanted:
        raise ValueError(f"lax.fft: lengths {lengths} for an array of shape {array.shape}")
    compute = {
        FftType.FFT: hd.fft.fftn,
        FftType.IFFT: hd.fft.ifftn,
        FftType.RFFT: hd.fft.rfftn,
        FftType.IRFFT: hd.fft.irfftn,
    }[kind]
    return compute(array, lengths, tuple(range(-len(lengths), 0)))


def platform_dependent(
    *args: Any, default: Callable[..., Any] | None = None, **per_platform: Callable[..., Any]
) -> Tree:
    """What the function for the kind of the default device gives, or the default one.

    >>> import heddle as np
    >>> with np.device("cpu"):
    ...     print(np.lax.platform_dependent(3, cpu=lambda x: x + 1, default=lambda x: x))
    4
    """
    kind = hd.default_device().partition(":")[0]
    names = (kind, "gpu") if kind == "cuda" else (kind,)
    chosen = next((per_platform[name] for name in names if name in per_platform), default)
    if chosen is None:
        raise NotImplementedError(f"lax.platform_dependent: there is no function for {kind}")
    return chosen(*args)


def optimization_barrier(operand: Tree) -> Tree:
    """The same arrays.

    It keeps JAX's compiler from moving work to the other side; what is computed here does not
    depend on where that is done.

    >>> import heddle as np
    >>> print(np.lax.optimization_barrier(np.ones(2) + 1))
    [2. 2.]
    """
    return tree.map(hd.asarray, operand)
