"""Series of what is no numbers (fractions, decimals, text that is none): NumPy's own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from heddle._arguments import of_numbers

_F = TypeVar("_F", bound=Callable[..., Any])


def or_numpys(theirs: Callable[..., Any] | None) -> Callable[[_F], _F]:
    """A function that leaves what is no numbers to NumPy's; None where NumPy has none."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            return of_numbers(lambda: function(*args, **kwargs), theirs, args, kwargs)

        return cast("_F", call)

    return decorate


class OrNumpys(type):
    """The class of classes that have instances of NumPy's class, ``_numpys``, for such objects.

    Those that users derive have none: NumPy's would not be of their class.
    """

    @property
    def __signature__(cls) -> inspect.Signature:
        """What a call takes, as tools ask: that of what makes an instance."""
        signature = inspect.signature(type.__getattribute__(cls, "__init__"))
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        theirs = vars(cls).get("_numpys")
        make = super().__call__
        return of_numbers(lambda: make(*args, **kwargs), theirs, args, kwargs)
