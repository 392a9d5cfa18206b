"""NumPy's names that are its own here, or left out on purpose, with what to use instead."""

from __future__ import annotations

from fnmatch import fnmatch

import numpy

# NumPy's own: classes and functions of what only its arrays hold, or are, in memory of the host.
NUMPYS = frozenset(
    (
        *("busday_count", "busday_offset", "busdaycalendar", "is_busday", "isnat"),
        *("datetime_as_string", "datetime_data", "char", "strings", "rec", "recarray", "record"),
        *("fromregex", "frompyfunc", "memmap", "matrix", "asmatrix", "bmat"),
    )
)

REASONS = {
    "float128 complex256": "processors and GPUs have no such arithmetic; use float64",
    "f2py get_include core test": "about NumPy itself: import it from there",
    "show_runtime": "about NumPy itself; `show_config` tells about Heddle",
    "getbufsize setbufsize": "kernels have no buffers; those of NumPy's ufuncs are set there",
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
