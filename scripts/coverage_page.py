"""The text of docs/coverage.md: which of NumPy's public names are here, by looking at both modules.

What differs, and why something is not here, is in the tables below; the rest is found out.
"""

import importlib
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from types import ModuleType
from typing import Any

import numpy

import heddle
from heddle._names.absent import NUMPYS, REASONS

# Names that are here and do something else than in NumPy, with what they do.
DIFFERS = {
    "numpy.array asarray asanyarray": "arrays of NumPy's are copied unless `copy=False`",
    "numpy.asarray_chkfinite ascontiguousarray asfortranarray": "as `asarray`",
    "numpy.errstate seterr": "floating-point errors are looked for where somebody asks: where they "
    "are to raise, call, print or log, and in blocks of `errstate` also to warn; every operation "
    "runs at its call then. `errstate(linalg='ignore')`: nan instead of `LinAlgError`, without "
    "waiting for it",
    "numpy.object_ str_ bytes_ void datetime64 timedelta64 character flexible longdouble "
    "clongdouble": "arrays of such elements are NumPy's",
    f"numpy.{' '.join(sorted(NUMPYS))}": "NumPy's own, in memory of the host",
    "numpy.ndarray": "classes derived from it are NumPy's and computed by NumPy (`own=True` makes "
    "one of Heddle's); results that are NumPy scalars are 0-d arrays that `isinstance` takes for "
    "those",
    "numpy.vectorize apply_along_axis apply_over_axes piecewise fromfunction fromiter": "calls the "
    "Python function on the host, or on arrays of ours",
    "numpy.loadtxt genfromtxt": "columns of numbers of one type; others are NumPy's arrays",
    "numpy.ndindex ndenumerate": "iterates on the host",
    "numpy.get_printoptions set_printoptions printoptions": "NumPy's own: they are for both",
    "numpy.ufunc": "made from the op table",
    "numpy.nditer": "iterates on the host",
    "ndarray.data": "for arrays in memory that the host sees",
    "ndarray.ctypes": "for arrays in memory that the host sees",
    "ndarray.flags": "`owndata` and `writeable` as in NumPy; all arrays are aligned",
    "ndarray.resize": "views of the array keep the elements that it had",
    "random.Generator": "of `Philox`, the default, computed by devices; of other bit generators "
    "NumPy draws on the host",
    "random.Generator.bytes random uniform spawn bit_generator": "",
    "random.Generator.integers": "NumPy's numbers for scalar bounds; words of its own for each "
    "element of arrays of bounds",
    "random.Generator.choice": "NumPy's numbers with replacement",
    "random.Generator.*": "numbers of its own, the same on every device and for any number of "
    "threads",
    "random.RandomState.*": "NumPy draws, on the host",
    "random.MT19937 PCG64 PCG64DXSM SFC64 SeedSequence BitGenerator": "NumPy's own",
    "random.Philox default_rng": "",
    "random.*": "by `Philox` on the device, until a seed or a state is asked for; NumPy's stream "
    "from then on",
    "polynomial.*.chebdiv legmul legdiv lagmul lagdiv hermmul hermdiv hermemul hermediv": "float32 "
    "stays float32, also where NumPy's is float64",
}

# Names that are not here, with the reason.
NOT_HERE = {
    **{f"numpy.{names}": why for names, why in REASONS.items()},
    "ndarray.getfield setfield": "there are no records; `view` gives other types of the same bytes",
    "random.bit_generator mtrand": "modules of NumPy's implementation",
    "testing.overrides": "for libraries that override NumPy's functions",
    "linalg.linalg": "a module of NumPy's implementation",
    "fft.helper": "a module of NumPy's implementation",
    "*.test": "runs NumPy's tests",
}

FAMILIES = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")

SPACES = {
    "numpy": numpy,
    "ndarray": numpy.ndarray,
    "linalg": numpy.linalg,
    "fft": numpy.fft,
    "random": numpy.random,
    "random.Generator": numpy.random.Generator,
    "random.RandomState": numpy.random.RandomState,
    "emath": numpy.emath,
    "polynomial": numpy.polynomial,
    **{
        f"polynomial.{name}": importlib.import_module(f"numpy.polynomial.{name}")
        for name in (*FAMILIES, "polyutils")
    },
    "lib.stride_tricks": numpy.lib.stride_tricks,
    "testing": numpy.testing,
    "ctypeslib": numpy.ctypeslib,
}


def public(space: Any) -> list[str]:
    """The public names of a module or class."""
    names = getattr(space, "__all__", None) if isinstance(space, ModuleType) else None
    found = dir(space) if names is None else names
    return sorted({n for n in found if not n.startswith("_")}, key=lambda n: (n.lower(), n))


def ours(title: str) -> Any:
    """Heddle's module or class for one of NumPy's; None where there is none."""
    found: Any = heddle
    for part in () if title == "numpy" else title.split("."):
        found = getattr(found, part, None)
    return found


def said(table: dict[str, str], title: str, name: str) -> str | None:
    """What a table says about a name."""
    for key, reason in table.items():
        space, _, first = key.split()[0].rpartition(".")
        patterns = [first, *key.split()[1:]]
        if fnmatch(title, space) and any(fnmatch(name, pattern) for pattern in patterns):
            return reason
    return None


def states(title: str) -> Iterator[tuple[str, str, str]]:
    """Each name of a namespace with its state and what there is to say."""
    mine = ours(title)
    for name in public(SPACES[title]):
        if mine is not None and hasattr(mine, name):
            note = said(DIFFERS, title, name)
            yield name, "differs" if note else "here", note or ""
        else:
            yield name, "missing", said(NOT_HERE, title, name) or "not yet"


def listing(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    sections, totals = [], {"here": 0, "differs": 0, "missing": 0}
    summary = ["| | here | differs | not here |", "|---|---:|---:|---:|"]
    for title in SPACES:
        found = list(states(title))
        counts = {state: sum(s == state for _, s, _ in found) for state in totals}
        for state, count in counts.items():
            totals[state] += count
        anchor = re.sub(r"[^\w-]", "", title.lower())
        summary.append(
            f"| [`{title}`](#{anchor}) | {counts['here']} | {counts['differs']} "
            f"| {counts['missing']} |"
        )
        here = [name for name, state, _ in found if state == "here"]
        lines = [f"## {title}", "", *([listing(here), ""] if here else [])]
        for state, heading in (("differs", "differs"), ("missing", "not here")):
            notes: dict[str, list[str]] = {}
            for name, s, note in found:
                if s == state:
                    notes.setdefault(note, []).append(name)
            if notes:
                lines += [f"| {heading} | |", "|---|---|"]
                lines += [f"| {listing(names)} | {note} |" for note, names in notes.items()]
                lines.append("")
        sections += lines
    summary.append(
        f"| **in all** | **{totals['here']}** | **{totals['differs']}** | **{totals['missing']}** |"
    )
    return "\n".join(
        [
            "# NumPy's names",
            "",
            "Made by `scripts/generate.py`: the public names of NumPy's modules and classes, and",
            f"whether Heddle has them. Listed is NumPy {release(numpy.__version__)}.",
            "",
            *summary,
            "",
            *sections,
        ]
    )


def release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def listed_by(text: str, library: str = "NumPy") -> str | None:
    """The release of a library that a page lists."""
    found = re.search(rf"Listed\sis {library} (\d+\.\d+)\.", text)
    return found[1] if found else None


def lost(text: str) -> list[str]:
    """Names that a page of another release of NumPy says are here, and are not."""
    missing = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        mine = ours(title)
        promised = body.split("| not here |")[0].splitlines()
        cells = [line.split("|")[1] if line.startswith("|") else line for line in promised]
        names = re.findall(r"`(\w+)`", " ".join(cells))
        missing += [f"{title}.{n}" for n in names if not hasattr(mine, n)]
    return missing


def is_current(text: str) -> bool:
    """Whether a page is up to date; under another release of NumPy, that nothing of it is lost."""
    if listed_by(text) == release(numpy.__version__):
        return text == page()
    return listed_by(text) is not None and not lost(text)
