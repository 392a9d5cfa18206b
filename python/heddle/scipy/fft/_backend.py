"""SciPy's hook: ``scipy.fft`` of our arrays is ours.

``scipy.fft`` asks backends, which are modules with the two names below. Ours answers for our arrays
and leaves all others to the next; where SciPy's module is there already when this one is imported,
it is asked without being set.
"""

from __future__ import annotations

import sys
from typing import Any

from heddle._core import own_array

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method: object, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
    module = sys.modules["heddle.scipy.fft"]
    found = vars(module).get(getattr(method, "__name__", ""))
    if found is None or not any(isinstance(x, own_array) for x in (*args, *kwargs.values())):
        return NotImplemented
    return found(*args, **kwargs)


def register() -> None:
    """Has ``scipy.fft`` ask for our arrays, if it is imported."""
    theirs = sys.modules.get("scipy.fft")
    if theirs is not None and hasattr(theirs, "register_backend"):
        theirs.register_backend(sys.modules["heddle.scipy.fft"])
