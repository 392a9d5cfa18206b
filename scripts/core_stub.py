"""The last part of the stub of the compiled core: what its first part, which is written by hand,
does not describe, with the types that the bindings themselves know."""

import ast
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from heddle import _core

MARK = "# --- the rest, as the bindings say it; made by scripts/generate.py ---\n"
WIDTH = 100  # of lines


def _plain(signature: str) -> str:
    """A signature of nanobind's with the names of the stub."""
    text = signature.replace("collections.abc.", "").replace("heddle._core.", "")
    text = re.sub(r" = \\\d+", " = ...", text.replace("None | None", "None"))
    text = re.sub(r"\b(object)\b", "Any", text).replace("Any | None", "Any")
    text = re.sub(r"\*(\*?)(args|kwargs)\b", r"*\1\2: Any", text)
    full = {"tuple": "tuple[Any, ...]", "list": "list[Any]", "dict": "dict[Any, Any]"}
    for name, whole in full.items():
        text = re.sub(rf"\b{name}\b(?!\[)", whole, text)
    return text


def _lines(signature: str, indent: str = "") -> list[str]:
    line = f"{indent}{signature}: ..."
    if len(line) <= WIDTH:
        return [line]
    head, rest = signature.split("(", 1)
    arguments, result = rest.rsplit(")", 1)
    parts = [""]
    for part in arguments.split(", "):  # not those inside of brackets
        inside = parts[-1].count("[") > parts[-1].count("]")
        parts[-1:] = [f"{parts[-1]}, {part}"] if inside else [parts[-1], part]
    parts = parts[1:]
    return [f"{indent}{head}(", *(f"{indent}    {p}," for p in parts), f"{indent}){result}: ..."]


def _function(name: str, value: Any, indent: str = "", static: bool = False) -> list[str]:
    made: list[str] = []
    signatures = [_plain(each[0]) for each in value.__nb_signature__]
    for signature in signatures:
        if len(signatures) > 1:
            made.append(f"{indent}@overload")
        if static:
            made.append(f"{indent}@staticmethod")
        made += _lines(signature, indent)
    return made


def _class(name: str, value: type) -> list[str]:
    made = []
    kept = ("__init__", "__call__", "__enter__", "__exit__")
    for member, what in sorted(vars(value).items()):
        if member.startswith("__") and member not in kept:
            continue
        if isinstance(what, property):
            found = _plain(getattr(what.fget, "__nb_signature__")[0][0])  # noqa: B009
            made += ["    @property", *_lines(found.replace("def (", f"def {member}("), "    ")]
        elif hasattr(what, "__nb_signature__"):
            made += _function(member, what, "    ")
    return [f"class {name}:", *made, ""] if made else [f"class {name}: ...", ""]


def _module(name: str, value: ModuleType) -> list[str]:
    made = [f"class _{name.capitalize()}:"]
    for member in sorted(dir(value)):
        if hasattr(getattr(value, member), "__nb_signature__"):
            made += _function(member, getattr(value, member), "    ", True)
    return [*made, "", f"{name}: _{name.capitalize()}", ""]


def _described(text: str) -> set[str]:
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def stub(path: Path) -> str:
    first = path.read_text().split(MARK)[0]
    known = _described(first)
    functions: list[str] = []
    classes: list[str] = []
    for name in sorted(dir(_core)):
        value = getattr(_core, name)
        if name in known or name.startswith("__"):
            continue
        if isinstance(value, type):
            classes += _class(name, value)
        elif isinstance(value, ModuleType):
            classes += _module(name, value)
        elif hasattr(value, "__nb_signature__"):
            functions += _function(name, value)
    return "\n".join([first.rstrip() + "\n\n" + MARK, *classes, *functions, ""])
