"""NumPy's names that are left out on purpose, and what to use instead."""

from fnmatch import fnmatch

REASONS = {
    "busday* is_busday datetime_as_string datetime_data isnat": "there are no dates; use counts of "
    "a unit as integers",
    "char strings": "there are no strings",
    "rec recarray record": "there are no records; use one array for each field",
    "ma": "there are no masked arrays; use `where=` or the nan functions",
    "matrix asmatrix bmat": "deprecated in NumPy; use two-dimensional arrays",
    "float128 complex256": "processors and GPUs have no such arithmetic; use float64",
    "f2py ctypeslib get_include core test": "about NumPy itself: import it from there",
    "typing": "types of NumPy's stubs: import them from there",
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
