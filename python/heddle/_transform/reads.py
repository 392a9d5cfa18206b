"""Which names code reads."""

from __future__ import annotations

import dataclasses
import dis
import functools
import sys
import types
from collections.abc import Iterator

_ROOTS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
_MACHINERY = ("_transform", "_compiled", "_core", "_kernels", "_runtime", "cuda", "random", "simt")
_BY_TEXT = ("getattr", "hasattr", "attrgetter", "methodcaller")

Tail = tuple[str, ...]


@dataclasses.dataclass
class Reads:
    """What code reads: that of functions inside of it included.

    `names` are its globals and what closures may have, each with the attributes that are read of
    it at once: ``settings.inner.rate`` is the tail ``("inner", "rate")``.
    """

    names: dict[str, set[Tail]]
    attributes: set[str]
    imports: dict[str, set[Tail]]

    def modules(self) -> Iterator[tuple[types.ModuleType, set[Tail]]]:
        """The modules that it imports when it runs, as far as they were imported before."""
        for name, tails in self.imports.items():
            if (module := sys.modules.get(name)) is not None:
                yield module, tails


@functools.lru_cache(maxsize=4096)
def reads_of(code: types.CodeType) -> Reads:
    """What code reads."""
    made = Reads({}, set(), {})
    instructions = list(dis.get_instructions(code))
    for place, instruction in enumerate(instructions):
        if instruction.opname in _ROOTS:
            tail = []
            for later in instructions[place + 1 :]:
                if later.opname not in _ATTRIBUTES:
                    break
                tail.append(later.argval)
            made.names.setdefault(instruction.argval, set()).add(tuple(tail))
        elif instruction.opname in _ATTRIBUTES:
            made.attributes.add(instruction.argval)
        elif instruction.opname == "IMPORT_NAME":
            # Its name is one of a variable from now on, and whoever has it may read anything.
            made.imports.setdefault(instruction.argval, set()).add(())
        elif instruction.opname == "IMPORT_FROM":
            made.attributes.add(instruction.argval)
    if made.names.keys() & set(_BY_TEXT) or made.attributes & set(_BY_TEXT):
        made.attributes |= {one for one in code.co_consts if isinstance(one, str)}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = reads_of(constant)
            made.attributes |= inner.attributes
            for mine, others in ((made.names, inner.names), (made.imports, inner.imports)):
                for name, tails in others.items():
                    mine.setdefault(name, set()).update(tails)
    return made


def is_ours(name: str | None) -> bool:
    """Whether a module is of Heddle or NumPy."""
    return (name or "").partition(".")[0] in ("heddle", "numpy")


def is_standard(name: str | None) -> bool:
    """Whether a module is of Python's own."""
    return (name or "").partition(".")[0] in sys.stdlib_module_names


def is_others(name: str | None) -> bool:
    """Whether a module is no part of the program: its state is nothing that it computes with."""
    return is_ours(name) or is_standard(name)


def is_machinery(name: str | None) -> bool:
    """Whether objects of a module are no data, but functions, generators and their memory."""
    parts = (name or "").split(".")
    return parts[0] == "heddle" and parts[1:2] in ([], *([one] for one in _MACHINERY))
