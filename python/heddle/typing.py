"""Names for annotations, as `numpy.typing` has them.

`NDArray[float64]` is an array with elements of a type, `ArrayLike` what functions make arrays of,
`DTypeLike` what they take for a type. Checkers of types read `NDArray[...]` as `ndarray`: the
element's type is for who reads the code.

Examples
--------
>>> import heddle as np
>>> from heddle.typing import ArrayLike, NDArray
>>> def distance(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
...     return np.hypot(x, y)
>>> distance([3.0], 4)
array([5.])
"""

from typing import TYPE_CHECKING, TypeVar

import numpy

from heddle._core import ndarray
from heddle._typing import ArrayLike as ArrayLike
from heddle._typing import DTypeLike as DTypeLike

if TYPE_CHECKING:
    from typing_extensions import TypeAliasType

    _Element = TypeVar("_Element", bound=numpy.generic)
    NDArray = TypeAliasType("NDArray", ndarray, type_params=(_Element,))
else:
    NDArray = ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]
