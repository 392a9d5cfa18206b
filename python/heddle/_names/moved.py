"""Where private modules of older versions have gone: pickles name them.

Pickles of arrays and ufuncs that are made today name them as well, so that older versions read
them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

HOMES = {
    "_methods": "_array.methods",
    "_flatiter": "_array.flatiter",
    "_transfer": "_array.transfer",
    "_creation": "_creation.arrays _creation.fills _creation.ranges",
    "_grids": "_creation.grids",
    "_manipulation": "_manipulation.shapes",
    "_joining": "_manipulation.joining",
    "_editing": "_manipulation.editing",
    "_padding": "_manipulation.padding",
    "_stride_tricks": "_manipulation.stride_tricks",
    "_indexing": "_indexing.elements",
    "_iteration": "_indexing.iteration",
    "_ufuncs": "_math.ufuncs",
    "_ufunc_methods": "_math.ufunc_methods",
    "_logic": "_math.logic",
    "_differences": "_math.differences",
    "_signal": "_math.signal",
    "_windows": "_math.windows",
    "_reductions": "_statistics.reductions _statistics.running",
    "_nan": "_statistics.nan",
    "_statistics": "_statistics.quantiles",
    "_histograms": "_statistics.histograms",
    "_sorting": "_sorting.sorting",
    "_sets": "_sorting.sets",
    "_linear": "_linalg.products",
    "_einsum": "_linalg.einsum",
    "_decompositions": "_linalg.decompositions",
    "_norms": "_linalg.norms",
    "_matrix_products": "_linalg.matrices",
    "_io": "_io.files",
    "_protocols": "_protocols.numpy",
    "_runtime": "_runtime.control",
    "_cupy": "_names.cupy",
    "_help": "_names.help",
    "_polynomials": "polynomial._older",
}


def _answer_as(module: ModuleType, name: str) -> None:
    """Lets a module have what the one has that was called so."""
    homes = [importlib.import_module("heddle." + home) for home in HOMES[name].split()]

    def find(attribute: str) -> Any:
        for home in homes[:-1]:
            if hasattr(home, attribute):
                return getattr(home, attribute)
        return getattr(homes[-1], attribute)

    setattr(module, "__getattr__", find)  # noqa: B010


class _Finder:
    """Finds modules by their old names, when everybody else has failed to."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        return (
            ModuleSpec(name, cast("Any", self)) if package == "heddle" and module in HOMES else None
        )

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        _answer_as(module, module.__name__.rpartition(".")[2])


def find_moved() -> None:
    """Lets modules be found by their old names; some are folders now."""
    for name in HOMES:
        folder = sys.modules.get(f"heddle.{name}")
        if folder is not None:
            _answer_as(folder, name)
    sys.meta_path.append(_Finder())
