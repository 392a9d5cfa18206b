"""Functions of numbers for arrays of the device, by Numba's names."""

from typing import Any

import heddle as hd
from heddle._compiled.general import Reduction
from heddle._compiled.sources import make_function
from heddle.numba.ufuncs import guvectorize as guvectorize
from heddle.numba.ufuncs import vectorize as vectorize
from heddle.simt._kernel import func


class Reduce:
    """All elements of an array put together by a function of two numbers."""

    def __init__(self, functor: Any) -> None:
        function = func(getattr(functor, "py_func", functor))
        text = "def pair(a, b):\n    return function(a, b)\n"
        self._reduction = Reduction(make_function(text, "pair", {"function": function}))

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0
    ) -> Any:
        """The result; with `res` its first element is the result, and nothing is copied back."""
        part = hd.asarray(arr)[: arr.size if size is None else size]
        made = self._reduction(part, initial=init) if part.size else init
        if res is not None:
            res[0] = made
            return None
        return made.item() if hasattr(made, "item") else made


reduce = Reduce
