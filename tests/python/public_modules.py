"""The modules that users may import, for tests that ask something of all of them."""

import functools
import importlib
import pkgutil
import warnings

import heddle


@functools.cache
def public_modules():
    """All of them that can be imported: some are made of other libraries."""
    made = [heddle]
    for found in pkgutil.walk_packages(heddle.__path__, "heddle.", onerror=lambda name: None):
        if any(part.startswith("_") for part in found.name.split(".")):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made.append(importlib.import_module(found.name))
            except ImportError:
                continue
    return made


def own_names(module):
    """The public names that are at home in a module, or that it lists. Ufuncs are in the core."""
    listed = getattr(module, "__all__", None)
    for name in sorted(listed or dir(module)):
        if name.startswith("_"):
            continue
        value = getattr(module, name, None)
        home = getattr(value, "__module__", None) or ""
        if home.startswith("heddle") and (
            listed is not None or home in (module.__name__, "heddle._core")
        ):
            yield name, value
