"""NumPy's names that are left out on purpose, and what to use instead."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import numpy

REASONS = {
    "busday* is_busday datetime_as_string datetime_data isnat": "there are no dates; use counts of "
    "a unit as integers",
    "char strings": "there are no strings",
    "rec recarray record": "there are no records; use one array for each field",
    "matrix asmatrix bmat": "deprecated in NumPy; use two-dimensional arrays",
    "float128 complex256": "processors and GPUs have no such arithmetic; use float64",
    "f2py ctypeslib get_include core test": "about NumPy itself: import it from there",
    "show_runtime": "about NumPy itself; `show_config` tells about Heddle",
    "memmap": "arrays are in memory of devices; `load(file, mmap_mode)` shares a file's memory",
    "getbufsize setbufsize": "kernels have no buffers; those of NumPy's ufuncs are set there",
    "frompyfunc": "gives arrays of objects; `vectorize` calls Python functions",
    "fromregex": "makes records; `loadtxt` reads numbers",
}


def reason(name: str) -> str | None:
    """Why a name is left out; None for one that is not."""
    for names, why in REASONS.items():
        if any(fnmatch(name, pattern) for pattern in names.split()):
            return why
    return None


def why_not(name: str) -> str:
    """What to say to who asks the module for a name that it has not."""
    text = f"module 'heddle' has no attribute {name!r}"
    try:
        getattr(numpy, name)
    except AttributeError as error:  # NumPy tells what to use for the names of older releases
        return text if "has no attribute" in str(error) else f"{text}: {error}"
    why = reason(name)
    return f"{text}: {why}" if why else f"{text} yet; NumPy's own works on heddle.asnumpy(x)"


class _Asked(type):
    """A class that programs ask for with isinstance, of which no objects are made here."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, getattr(numpy, cls.__name__))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, getattr(numpy, cls.__name__))

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        raise TypeError(f"{cls.__name__}: {reason(cls.__name__)}")


CLASSES = {name: _Asked(name, (), {}) for name in ("matrix", "memmap", "recarray", "record")}
