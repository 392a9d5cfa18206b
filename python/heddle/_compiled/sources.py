"""Functions made of text, whose source can be read as that of others."""

import itertools
import linecache
import types
from typing import Any

_count = itertools.count()


def make_function(text: str, name: str, names: dict[str, Any]) -> types.FunctionType:
    """The function `name` of a text, which sees these names."""
    file = f"<heddle {name} {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = dict(names)
    exec(compile(text, file, "exec"), namespace)
    made: types.FunctionType = namespace[name]
    return made


def as_it_is(function: types.FunctionType) -> types.FunctionType:
    """The same function, with the globals and what is around it as they are now."""
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(types.CellType(cell.cell_contents))
        except ValueError:  # it has no value yet
            cells.append(cell)
    made = types.FunctionType(
        function.__code__,
        dict(function.__globals__),
        function.__name__,
        function.__defaults__,
        tuple(cells) or None,
    )
    made.__globals__.setdefault(function.__name__, made)  # it may call itself
    made.__kwdefaults__, made.__doc__ = function.__kwdefaults__, function.__doc__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made
