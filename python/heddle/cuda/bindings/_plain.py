"""The functions of a library in words with underscores, which give results and raise its error.

cuda-python has those of NVVM and nvJitLink so: ``nvvm.create_program()`` gives a number, and an
error is an `nvvmError` with its `status`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from heddle.cuda.bindings._calls import Function
from heddle.cuda.bindings._libraries import LIBRARIES


class LibraryError(Exception):
    """An error of a library; `status` is its number."""

    status: int


def _shortened(found: Any, name: str, prefix: str) -> enum.EnumMeta:
    members = {m.name.removeprefix(prefix): m.value for m in found}
    return enum.IntEnum(name, members)  # type: ignore[return-value]


def plain_names(
    library: str, prefix: str, handle: str, enumerations: dict[str, tuple[str, str]], module: str
) -> Callable[[str], Any]:
    """What finds a name.

    Parameters
    ----------
    library : str
        Its name in `LIBRARIES`.
    prefix : str
        What its functions begin with: "nvJitLink".
    handle : str
        The type of its handles, which are numbers here.
    enumerations : dict
        By their names here: those of the header, and what their members begin with there.
    """
    here = LIBRARIES[library]
    made: dict[str, Any] = {}

    def result() -> Any:
        return find("Result")

    def initialise(self: Any, status: int) -> None:
        self.status = status
        words = result()(status)
        Exception.__init__(self, f"{words.name} ({words.value})")

    def reduce(self: Any) -> tuple[Any, ...]:
        return type(self), (self.status,)

    error: Any = type(
        f"{prefix}Error",
        (LibraryError,),
        {"__init__": initialise, "__reduce__": reduce, "__module__": module},
    )

    def check_status(status: int) -> int:
        """Raise the error of a status that is none of success."""
        if status:
            raise error(int(status))
        return status

    def function(name: str) -> Any:
        wanted = (prefix + name.replace("_", "")).lower()
        for full, line in here.table.lines.items():
            if full.lower() == wanted and line.startswith("F "):
                return calling(name, here.find(full))
        raise KeyError(name)

    def calling(name: str, called: Function) -> Any:
        destroyed = here.types.find(handle) if name.startswith("destroy") else None

        def call(*args: Any) -> Any:
            # What destroys takes the address of a handle.
            given = args if destroyed is None else [destroyed(int(value)) for value in args]
            found: Any = called(*given)
            if not isinstance(found[0], here.errors):  # what an error is called
                return found[0]
            check_status(found[0])
            plain = [r.decode() if isinstance(r, bytes) else int(r) for r in found[1:]]
            return None if not plain else plain[0] if len(plain) == 1 else tuple(plain)

        call.__name__ = call.__qualname__ = name
        call.__doc__, call.__module__ = called.__doc__, module
        return call

    def find(name: str) -> Any:
        if name in made:
            return made[name]
        if name == error.__name__:
            value = error
        elif name == "check_status":
            value = check_status
        elif name in enumerations:
            value = _shortened(here.find(enumerations[name][0]), name, enumerations[name][1])
        elif name.lower() != name or name.startswith("_"):
            raise KeyError(name)
        else:
            value = function(name)
        made[name] = value
        return value

    return find
