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
