"""Modules that are found by a second name: ``import heddle.cupyx.scipy.ndimage``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast


class _Finder:
    """Finds the modules of a package that are modules of another place, and modules in these."""

    def __init__(self, package: str, home_of: Callable[[str], str | None]) -> None:
        self._package = package
        self._home_of = home_of

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        if not name.startswith(f"{self._package}."):
            return None
        module, dot, inside = name.removeprefix(f"{self._package}.").partition(".")
        home = self._home_of(module)
        home = f"{home}{dot}{inside}" if home else None
        return ModuleSpec(name, cast("Any", self), origin=home) if home and home != name else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        assert spec.origin is not None
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state  # it stays the module that it was


def alias_modules(package: str, homes: dict[str, str]) -> Callable[[str], ModuleType]:
    """The ``__getattr__`` of a package whose modules, by name, are at home somewhere else.

    They are imported when somebody asks for them, by attribute or by import.
    """

    def find(name: str) -> ModuleType:
        if name not in homes:
            text = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(text if name.startswith("_") else f"{text} yet")
        return importlib.import_module(f"{package}.{name}")

    # First: modules inside are files of the place that they are at home, and would be loaded twice.
    sys.meta_path.insert(0, _Finder(package, homes.get))
    return find
