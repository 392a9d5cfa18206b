"""``heddle.scipy`` under CuPy's name: ``from heddle.cupyx.scipy import ndimage``."""

from __future__ import annotations

from types import ModuleType

import heddle.scipy as _scipy
from heddle._core import own_array
from heddle._names.aliases import alias_modules as _alias_modules

__all__ = ["get_array_module", *_scipy.__all__]
__getattr__ = _alias_modules(__name__, _scipy._modules)


def get_array_module(*args: object) -> ModuleType:
    """SciPy for these arguments: ``heddle.scipy``, or ``scipy`` where none of them is ours.

    Examples
    --------
    >>> import heddle
    >>> heddle.cupyx.scipy.get_array_module(heddle.ones(3)).__name__
    'heddle.scipy'
    """
    if any(isinstance(a, own_array) for a in args):
        return _scipy
    import scipy

    found: ModuleType = scipy
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
