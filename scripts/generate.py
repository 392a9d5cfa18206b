#!/usr/bin/env python
"""Writes what follows from the code: pages of docs/ (ufuncs, coverage, scipy), stubs of the ufuncs
and of the core; and from CUDA's headers, where a toolkit is installed: the tables of
heddle.cuda.bindings.

generate.py            write the files
generate.py --check    fail, and name them, where they are out of date
"""

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_overloads

import core_stub
import coverage_page
import cuda_tables
import scipy_page

from heddle import _core, special

root = Path(__file__).resolve().parent.parent
bfloat16 = "E"  # NumPy has no type character for it

families = [
    ("bool", "?"),
    ("int", "bBhHiIlL"),
    ("float", "eEfd"),
    ("complex", "FD"),
]


def computes_in(u: _core.ufunc) -> str:
    """The types of a ufunc in short: families that are complete, else single types."""
    characters = [loop[0] for loop in u.loops]
    parts = []
    for name, members in families:
        found = [c for c in members if c in characters]
        if len(found) == len(members):
            parts.append(name)
        elif found:
            parts.append("/".join(c.replace(bfloat16, "bfloat16") for c in found))
    return ", ".join(parts)


def gives(u: _core.ufunc) -> str:
    results = {loop.split("->")[1] for loop in u.loops}
    same = all(loop.split("->")[1] == loop[0] * len(loop.split("->")[1]) for loop in u.loops)
    if same:
        return "the same"
    if results == {"?"}:
        return "bool"
    fixed = {"B": "uint8"}
    if len(results) == 1:
        return fixed.get(*results, *results)
    return "see below" if u.nout == 2 else "real"


table_head = ["| name | inputs | computes in | gives | identity | |", "|---|---|---|---|---|---|"]


def row(u: _core.ufunc, aliases: list[str]) -> str:
    names = ", ".join(f"`{n}`" for n in [u.name, *aliases])
    identity = "" if u.identity is None else f"`{u.identity}`"
    return f"| {names} | {u.nin} | {computes_in(u)} | {gives(u)} | {identity} | {u.doc} |"


def ufunc_table() -> str:
    aliases: dict[str, list[str]] = {}
    for alias, name in _core.ufunc_aliases.items():
        aliases.setdefault(name, []).append(alias)
    lines = [
        "# Ufuncs",
        "",
        "Made by `scripts/generate.py` from the op table, `include/heddle/op_table.h`. Each is a",
        "function in C++ (`heddle::sin(a)`) and a ufunc object in Python (`heddle.sin`), with the",
        "keywords and methods of NumPy's.",
        "",
        "*Computes in* names families of types, or single types by NumPy's characters; operands of",
        "others are cast to the first type that holds them safely.",
        "",
        *table_head,
    ]
    lines += [row(u, aliases.get(name, [])) for name, u in _core.ufuncs.items()]
    lines += [
        "",
        "`modf` and `divmod` give two results of the type computed in; `frexp` gives a mantissa of",
        "that type and an int32 exponent.",
        "",
        "## Special functions",
        "",
        "`heddle.special`, in C++ `heddle::special`, with the names and types of `scipy.special`.",
        "",
        *table_head,
        *(row(u, []) for u in _core.special_ufuncs.values()),
        "",
    ]
    return "\n".join(lines)


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts numbers inside of names as numbers: log2 before log10."""
    return [(int(n) if n else -1, t) for n, t in re.findall(r"(\d*)(\D*)", name)]


# What a call of a ufunc takes and gives, by the numbers of operands and of results.
def call_of(nin: int, nout: int) -> tuple[str, str, str]:
    operands = ["Unary", "Binary", "Ternary", "Quaternary", "Quinary"][nin - 1]
    names = ["x"] if nin == 1 else [f"x{i + 1}" for i in range(nin)]
    results = "ndarray" if nout == 1 else f"tuple[{', '.join(['ndarray'] * nout)}]"
    several = {1: "", 2: "Pair", 4: "Quadruple"}[nout]
    return operands + several, ", ".join(f"{name}: ArrayLike" for name in names), results


calls = {
    (u.nin, u.nout): call_of(u.nin, u.nout)
    for u in (_core.ufuncs | _core.special_ufuncs).values()
    if u.nin <= 5
}


generalized_call = [
    "class Generalized(ufunc):",
    "    def __call__(",
    "        self,",
    "        x1: ArrayLike,",
    "        x2: ArrayLike,",
    "        /,",
    "        out: Output | None = None,",
    "        *,",
    '        casting: Casting = "same_kind",',
    '        order: Order = "K",',
    "        dtype: DTypeLike | None = None,",
    "        subok: bool = True,",
    "        signature: Any = None,",
    "        axes: Any = ...,",
    "        axis: Axis = ...,",
    "        keepdims: bool = False,",
    "    ) -> ndarray: ...",
    "",
]


def call_stub(name: str, operands: str, results: str) -> list[str]:
    out = "Output | None"
    if results != "ndarray":
        out = f"tuple[{', '.join([out] * results.count('ndarray'))}] | None"
    return [
        f"class {name}(ufunc):",
        "    def __call__(",
        "        self,",
        *(f"        {operand}," for operand in operands.split(", ")),
        "        /,",
        f"        out: {out} = None,",
        "        *,",
        "        where: ArrayLike = True,",
        '        casting: Casting = "same_kind",',
        '        order: Order = "K",',
        "        dtype: DTypeLike | None = None,",
        "        subok: bool = True,",
        "        signature: Any = None,",
        f"    ) -> {results}: ...",
        "",
    ]


def kind(u: _core.ufunc) -> str:
    return calls[u.nin, u.nout][0]


def ufunc_stub() -> str:
    names = [*_core.ufuncs, *_core.ufunc_aliases]
    kinds = {name: kind(u) for name, u in _core.ufuncs.items()}
    kinds |= {alias: kinds[name] for alias, name in _core.ufunc_aliases.items() if name in kinds}
    lines = [
        '"""NumPy\'s names for the ufuncs. Made by scripts/generate.py from the op table."""',
        "",
        "from typing import Any",
        "",
        "from heddle._core import ndarray, ufunc",
        "from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, Order, Output",
        "",
    ]
    for call in calls.values():
        lines += call_stub(*call)
    lines += [
        *generalized_call,
        *(f"{name}: {kinds.get(name, 'ufunc')}" for name in names),
        "",
        "def is_plain(a: object) -> bool: ...",
        "def handles_ufuncs(a: object) -> bool: ...",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in sorted(["ufunc", *names], key=natural)),
        "]",
        "",
    ]
    return "\n".join(lines)


def special_stub() -> str:
    kinds = sorted({kind(u) for u in _core.special_ufuncs.values()})
    rows = {name: kind(u) for name, u in _core.special_ufuncs.items()}
    rows |= {alias: rows[name] for alias, name in special._aliases.items()}
    rows |= dict.fromkeys(special.special_numpys, "Unary")
    others = [name for name in special.__all__ if name not in rows]
    homes: dict[str, list[str]] = {}
    for part in (special.bessel, special.counting, special.sums):
        homes[part.__name__] = sorted(part.__all__)
    lines = [
        '"""SciPy\'s special functions. Made by scripts/generate.py from the op table."""',
        "",
        "from typing import Any",
        "",
        "from heddle._math.ufuncs import (",
        *(f"    {name}," for name in kinds),
        ")",
    ]
    for home, names in homes.items():
        lines += [f"from {home} import {name} as {name}" for name in names]
    lines += [
        "",
        *(f"{name}: {made}" for name, made in rows.items()),
        "",
        "def __getattr__(name: str) -> Any: ...  # SciPy's own, on the host",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in sorted([*rows, *others], key=natural)),
        "]",
        "",
    ]
    return "\n".join(lines)


def parameters_of(signature: inspect.Signature, bound: int = 0) -> list[str]:
    """Parameters as a stub says them, without the first ones."""
    given = []
    for p in list(signature.parameters.values())[bound:]:
        if p.kind is p.KEYWORD_ONLY and "*" not in given:
            given.append("*")
        default = "" if p.default is p.empty else f" = {p.default!r}"
        given.append(f"{p.name}: {p.annotation}{default}")
    return given


def definition(name: str, given: list[str], result: str) -> str:
    """A function of a stub, in lines of 100 characters."""
    line = f"def {name}({', '.join(given)}) -> {result}: ..."
    if len(line) <= 100:
        return line
    inner = f"    {', '.join(given)}"
    if len(inner) > 100:
        inner = "\n".join(f"    {each}," for each in given)
    return f"def {name}(\n{inner}\n) -> {result}: ..."


def series_function(name: str, function: Callable[..., Any]) -> str:
    """What a stub says of a function of series: the types that it says itself."""
    written = inspect.unwrap(function)
    bound = len(inspect.signature(written).parameters) - len(inspect.signature(function).parameters)
    forms = get_overloads(written) or [written]
    lines = []
    for form in forms:
        signature = inspect.signature(form)
        lines += ["@overload"] if len(forms) > 1 else []
        given = parameters_of(signature, bound)
        lines.append(definition(name, given, signature.return_annotation))
    return "\n".join(lines)


def series_stub(module: str) -> str:
    space = importlib.import_module(f"heddle.polynomial.{module}")
    values = {name: getattr(space, name) for name in sorted(space.__all__, key=natural)}
    numbers = [f"{n}: ndarray" for n, v in values.items() if not callable(v)]
    classes = [f"class {n}(ABCPolyBase): ..." for n, v in values.items() if isinstance(v, type)]
    functions = [
        series_function(n, v) for n, v in values.items() if callable(v) and not isinstance(v, type)
    ]
    text = "\n".join([*numbers, "", *classes, "", *functions])
    names = set(re.findall(r"\w+", text))
    of_abc = [n for n in ("Callable", "Sequence") if n in names]
    of_typing = [n for n in ("Any", "Literal", "SupportsIndex", "overload") if n in names]
    head = [
        f'"""Series of `{module}`. Made by scripts/generate.py from the functions themselves."""',
        "",
        f"from collections.abc import {', '.join(of_abc)}",
        f"from typing import {', '.join(of_typing)}",
        "",
        "from heddle._core import ndarray",
        "from heddle._typing import ArrayLike",
        "from heddle.polynomial._class import ABCPolyBase",
        "",
    ]
    return "\n".join([*head, text, ""])


series = ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial")


def generated() -> dict[Path, str]:
    """The files and what they should say."""
    core = root / "python" / "heddle" / "_core.pyi"
    return {
        root / "docs" / "ufuncs.md": ufunc_table(),
        root / "docs" / "coverage.md": coverage_page.page(),
        root / "docs" / "scipy.md": scipy_page.page(),
        core: core_stub.stub(core),
        root / "python" / "heddle" / "_math" / "ufuncs.pyi": ufunc_stub(),
        root / "python" / "heddle" / "special.pyi": special_stub(),
        **{root / f"python/heddle/polynomial/{m}.pyi": series_stub(m) for m in series},
        **{root / path: text for path, text in cuda_tables.tables()},
    }


def is_current(path: Path, text: str) -> bool:
    if not path.exists():
        return False
    there = path.read_text()
    judge = {"coverage.md": coverage_page.is_current, "scipy.md": scipy_page.is_current}
    return judge[path.name](there) if path.name in judge else there == text


def main() -> int:
    files = generated()
    stale = [p for p, text in files.items() if not is_current(p, text)]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(root)} is out of date: run scripts/generate.py")
        return bool(stale)
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path])
        print(f"wrote {path.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
