"""Modules of `heddle` under JAX's names: ``from heddle.jax.tree_util import tree_map``.

Each is one module with two names, and not loaded a second time.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PREFIX = "heddle.jax."
_MODULES = {
    **{name: f"heddle.{name}" for name in ("debug", "flatten_util", "lax", "nn", "ops")},
    **{name: f"heddle.{name}" for name in ("tree", "tree_util")},
    **{f"numpy.{name}": f"heddle.{name}" for name in ("fft", "linalg")},
    **{f"scipy.{name}": f"heddle.scipy.{name}" for name in ("cluster", "fft", "interpolate")},
    **{f"scipy.{name}": f"heddle.scipy.{name}" for name in ("linalg", "signal")},
    "scipy.spatial": "heddle.scipy.spatial",
}


def module_for(name: str) -> str | None:
    """The module that a name below ``heddle.jax`` means, None where it has one of its own."""
    if not name.startswith(_PREFIX):
        return None
    parts = name[len(_PREFIX) :].split(".")
    for count in range(len(parts), 0, -1):
        known = _MODULES.get(".".join(parts[:count]))
        if known:
            return ".".join((known, *parts[count:]))
    return None


class _Names(MetaPathFinder, Loader):
    def __init__(self) -> None:
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if module_for(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        wanted = module_for(spec.name)
        assert wanted is not None
        try:
            module = importlib.import_module(wanted)
        except ModuleNotFoundError as error:
            if error.name != wanted:
                raise
            raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name) from None
        self._specs[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The machinery has told it that it is the other one.
        module.__spec__ = self._specs.pop(module.__name__)


def install() -> None:
    """Has Python find them."""
    if not any(isinstance(one, _Names) for one in sys.meta_path):
        sys.meta_path.insert(0, _Names())
