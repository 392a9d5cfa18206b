"""What is said of a kernel that cannot be compiled: where, with a caret, and what to do."""

import ast
import builtins
import inspect
import types


class KernelError(TypeError):
    """A kernel has something in it that is no part of the language of kernels.

    It is raised by the first launch, and says the file, the line and the place in it.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle import simt
    >>> @simt.kernel
    ... def ask(out):
    ...     out[0] = input()
    >>> ask[1, 1](np.zeros(1))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heddle.simt...KernelError: ...
    """


class TableError(KernelError):
    """A global array has too many elements for a constant of a kernel."""


class RaceError(RuntimeError):
    """Two threads of a kernel reach the same memory, one of them writes, and nothing puts them in
    order; or a barrier that not all threads of a block reach.

    It is raised by a launch of ``simt.kernel(check=True)``, and names both lines.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle import simt
    >>> @simt.kernel(check=True)
    ... def moved(x):
    ...     i = simt.grid(1)
    ...     if i + 1 < x.shape[0]:
    ...         x[i] = x[i + 1]
    >>> moved[1, 4](np.arange(4.0))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heddle.simt...RaceError: ...
    """


def raised_by(function: types.FunctionType, error: RuntimeError) -> type[Exception] | None:
    """The class of an exception that a kernel raised, where the core has none of that name."""
    name, colon, _ = str(error).partition(": ")
    if not colon or not name.isidentifier():
        return None
    known = inspect.getclosurevars(function)
    for kind in (*known.nonlocals.values(), *known.globals.values(), getattr(builtins, name, None)):
        if isinstance(kind, type) and issubclass(kind, Exception) and kind.__name__ == name:
            return kind
    return None


class Source:
    """The text of a function, and where it is."""

    def __init__(self, name: str, file: str, first_line: int, text: str, indent: int) -> None:
        self.name = name
        self.file = file
        self.first_line = first_line
        self.lines = text.splitlines()
        self.indent = indent

    def line_of(self, node: ast.AST) -> int:
        """The number of the line in the file."""
        return int(getattr(node, "lineno", 1)) + self.first_line - 1

    def where(self, node: ast.AST) -> str:
        return f"{self.file}:{self.line_of(node)}"

    def error(self, node: ast.AST, message: str, kind: type[Exception] = KernelError) -> Exception:
        """The exception for what is wrong at a node."""
        number = int(getattr(node, "lineno", 1))
        text = self.lines[number - 1] if 0 < number <= len(self.lines) else ""
        column = int(getattr(node, "col_offset", 0))
        end = getattr(node, "end_col_offset", None)
        same_line = getattr(node, "end_lineno", number) == number
        width = max(1, (end if same_line and end is not None else len(text)) - column)
        stripped = text.lstrip()
        column = max(
            0, len(text.encode()[:column].decode(errors="ignore")) - (len(text) - len(stripped))
        )
        made: Exception = kind(
            f'{message}\n  File "{self.file}", line {self.line_of(node)}, in {self.name}\n'
            f"    {stripped}\n    {' ' * column}{'^' * min(width, max(1, len(stripped) - column))}"
        )
        return made


class Restart(Exception):
    """What was found out has to be known from the beginning: the function is gone through again."""
