"""What turns of a `prange` may not tell each other: found in the syntax, before it is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_LEAVES = (ast.Continue, ast.Return, ast.Raise, ast.Break)


def uses(node: ast.AST) -> Iterator[tuple[ast.Name, bool]]:
    """Names in the order of Python, and whether they are set; branches one after the other."""
    if isinstance(node, ast.Name):
        yield node, not isinstance(node.ctx, ast.Load)
        return
    if isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Name):
            yield node.target, False
        parts: Iterable[ast.AST] = (node.value, node.target)
    elif isinstance(node, ast.Assign):
        parts = (node.value, *node.targets)
    elif isinstance(node, ast.AnnAssign):
        parts = (node.value, node.target) if node.value is not None else ()
    elif isinstance(node, ast.For):
        parts = (node.iter, node.target, *node.body, *node.orelse)
    elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
        parts = ()  # has names of its own
    else:
        parts = ast.iter_child_nodes(node)
    for part in parts:
        yield from uses(part)


def set_names(statements: Iterable[ast.AST]) -> set[str]:
    """Names that are set."""
    return {name.id for one in statements for name, is_set in uses(one) if is_set}


def carried(body: list[ast.stmt], names: set[str]) -> ast.Name | None:
    """The first of the names that a turn reads before it has set it: one that the turn before has
    left. Loops inside are taken to have a turn."""
    known: set[str] = set()
    for statement in body:
        if (found := _unset(statement, names, known)) is not None:
            return found
    return None


def _unset(node: ast.AST, names: set[str], known: set[str]) -> ast.Name | None:
    """The first of the names that is read and not known; adds those that are certainly set."""
    if isinstance(node, ast.If):
        found = _unset(node.test, names, known)
        left = []
        for side in (node.body, node.orelse):
            inner = set(known)
            for one in side:
                found = found or _unset(one, names, inner)
            left.append(set(names) if side and isinstance(side[-1], _LEAVES) else inner)
        known |= left[0] & left[1]
        return found
    if isinstance(node, (ast.For, ast.While)):
        head = [node.iter, node.target] if isinstance(node, ast.For) else [node.test]
        for part in (*head, *node.body, *node.orelse):
            if (found := _unset(part, names, known)) is not None:
                return found
        return None
    for name, is_set in uses(node):
        if is_set:
            known.add(name.id)
        elif name.id in names and name.id not in known:
            return name
    return None


def read_later(function: ast.AST, loop: ast.For, names: set[str]) -> ast.Name | None:
    """The first of the names that is read behind a loop without being set before."""
    end = loop.end_lineno or loop.lineno
    known: set[str] = set()
    for name, is_set in (use for one in getattr(function, "body", []) for use in uses(one)):
        if name.lineno <= end or name.id not in names or name.id in known:
            continue
        if not is_set:
            return name
        known.add(name.id)
    return None


def read_inside(body: list[ast.stmt], name: str) -> ast.Name | None:
    """Where a name that all turns add to is read by one, beside its updates."""
    updates: set[ast.AST] = set()
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            if isinstance(node.value, ast.BinOp):
                updates.add(node.value.left)
            elif isinstance(node.value, ast.Call):
                updates.update(node.value.args[:1])
    for node in (inner for statement in body for inner in ast.walk(statement)):
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Name) and is_read and node.id == name and node not in updates:
            return node
    return None
