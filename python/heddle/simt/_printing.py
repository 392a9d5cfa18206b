"""`print` in kernels."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from heddle.simt import _words as w
from heddle.simt._device import Position
from heddle.simt._intrinsics import geometry
from heddle.simt._registry import stands_for
from heddle.simt._types import Constant, Num, Tuple

if TYPE_CHECKING:
    from heddle.simt._statements import Statements


def _printed(
    s: Statements, arg: object, node: ast.Call, written: Callable[[object], str]
) -> Iterator[str | Num]:
    """What `print` says of a value: texts, and numbers that are known when it runs."""
    if isinstance(arg, Constant) and isinstance(arg.value, Position):
        where = arg.value._simt_geometry
        arg = Tuple([geometry(s, where, axis) for axis in range(3)])
    if isinstance(arg, Constant):
        yield written(arg.value)
    elif isinstance(arg, Tuple):
        yield "[" if arg.listed else "("
        for i, item in enumerate(arg.items):
            yield (", " if i else "") + (f"{arg.names[i]}=" if arg.names else "")
            yield from _printed(s, item, node, repr)
        yield "]" if arg.listed else "," * (len(arg.items) == 1 and not arg.names) + ")"
    else:
        yield s.number(arg, node, "to be printed")


@stands_for(builtins.print)
def _print(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    if keywords:
        raise s.error(node, "print takes no keywords in kernels")
    texts, values, text = [], [], ""
    for i, arg in enumerate(args):
        text += " " if i else ""
        for piece in _printed(s, arg, node, str):
            if isinstance(piece, str):
                text += piece
                continue
            texts.append(text)
            values.append(piece)
            text = ""
    texts.append(text + "\n")
    words = [w.PRINT, s.line(node), len(values)]
    for i, one in enumerate(texts):
        words.append(s.program.text(one))
        if i < len(values):
            words += values[i].words
    s.statements.append(words)
    return Constant(None)
