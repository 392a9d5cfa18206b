"""What ufuncs are asked for beside their methods: names, signatures, documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from heddle import _core
from heddle._arguments import no_value
from heddle._core import ufunc
from heddle._typing import DTypeLike

_attributes: dict[str, Callable[[ufunc], Any]] = {
    "__name__": lambda u: u.name,
    "__qualname__": lambda u: u.name,
    "nargs": lambda u: u.nin + u.nout,
    "ntypes": lambda u: len(u.types),
    "__signature__": lambda u: inspect.Signature(
        [
            *(inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in _operand_names(u)),
            inspect.Parameter("out", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None),
            *(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in (_keywords if u.signature is None else _axes_keywords).items()
            ),
        ]
    ),
}

_keywords: dict[str, Any] = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "signature": None,
}


_axes_keywords: dict[str, Any] = {
    **{name: default for name, default in _keywords.items() if name != "where"},
    "axes": no_value,
    "axis": no_value,
    "keepdims": False,
}


def _operand_names(u: ufunc) -> list[str]:
    return [f"x{i + 1}" for i in range(u.nin)] if u.nin > 1 else ["x"]


def get_attribute(self: ufunc, name: str) -> Any:
    if name in _attributes:
        return _attributes[name](self)
    raise AttributeError(f"'ufunc' object has no attribute '{name}'")


class Doc:
    """The docstring of the class on the class, that of the function on an instance."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, instance: Any, owner: DTypeLike) -> str | None:
        if instance is None:
            return self.text
        from heddle._math.examples import EXAMPLES

        text = f"{instance.name}{instance.__signature__}\n\n{instance.doc}\n"
        example = EXAMPLES.get("rint" if instance.name == "round" else instance.name)
        if example is None and instance.name in _core.special_ufuncs:
            from heddle._special.examples import example_of

            example = example_of(instance.name)
        if example is None:
            return text
        return f"{text}\nExamples\n--------\n>>> import heddle as np{example}"
