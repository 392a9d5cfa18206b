"""Series of what is no numbers (fractions, decimals, text that is none): NumPy's own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from heddle._core import NoNumbers

_F = TypeVar("_F", bound=Callable[..., Any])


def numpys(
    theirs: Callable[..., Any] | None, args: tuple[object, ...], kwargs: dict[str, Any]
) -> Any:
    """What NumPy's function or class makes, while an error is handled that there are no numbers."""
    if theirs is None:
        raise
    from heddle._protocols.numpy import numpys_own  # which imports this package

    return numpys_own(theirs, args, kwargs)


def or_numpys(theirs: Callable[..., Any] | None) -> Callable[[_F], _F]:
    """A function that leaves what is no numbers to NumPy's; None where NumPy has none."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            try:
                return function(*args, **kwargs)
            except NoNumbers:
                return numpys(theirs, args, kwargs)

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
        try:
            return type.__call__(cls, *args, **kwargs)
        except NoNumbers:
            return numpys(vars(cls).get("_numpys"), args, kwargs)
