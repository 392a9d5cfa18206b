"""Structures of neighbours, as small arrays."""

import numpy

from heddle._core import ndarray
from heddle._creation.arrays import asarray


def generate_binary_structure(rank: int, connectivity: int) -> ndarray:
    """The neighbours of an element, up to so many steps along axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.generate_binary_structure(2, 1)
    array([[False,  True, False],
           [ True,  True,  True],
           [False,  True, False]])
    """
    if rank < 1:
        return asarray(numpy.array(True))
    steps = abs(numpy.indices([3] * rank) - 1).sum(axis=0)
    return asarray(steps <= max(connectivity, 1))
