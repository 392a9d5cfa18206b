"""PyCUDA's exceptions, and what of Heddle's they stand for."""

from __future__ import annotations

import builtins
import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import ParamSpec, TypeVar

from heddle import _core

P = ParamSpec("P")
R = TypeVar("R")


class Error(Exception):
    """What all others are.

    Examples
    --------
    >>> from heddle.pycuda import driver as cuda
    >>> issubclass(cuda.LaunchError, cuda.Error)
    True
    """


class CompileError(Error):
    """A source was refused.

    Examples
    --------
    >>> from heddle.pycuda import driver as cuda
    >>> print(cuda.CompileError("no such name", ["nvcc", "x.cu"], stderr="line 3"))
    no such name
    [nvcc x.cu]
    line 3
    """

    def __init__(
        self,
        msg: str,
        command_line: Sequence[str] = (),
        stdout: str | None = None,
        stderr: str | None = None,
    ) -> None:
        super().__init__(msg)
        self.msg, self.command_line = msg, command_line
        self.stdout, self.stderr = stdout, stderr

    def __str__(self) -> str:
        return f"{self.msg}\n[{' '.join(self.command_line)}]\n{self.stderr or ''}".rstrip()


class MemoryError(Error, builtins.MemoryError):
    """There is not enough memory.

    Examples
    --------
    >>> import builtins
    >>> from heddle.pycuda import driver as cuda
    >>> issubclass(cuda.MemoryError, builtins.MemoryError)
    True
    """


class LogicError(Error):
    """An argument or the order of calls is wrong.

    Examples
    --------
    >>> from heddle.pycuda import driver as cuda
    >>> try:
    ...     cuda.mem_alloc(0)
    ... except cuda.LogicError as error:
    ...     print(error)
    mem_alloc: the size has to be positive
    """


class LaunchError(Error):
    """A kernel failed."""


class RuntimeError(Error, builtins.RuntimeError):
    """Anything else that CUDA says."""


_OUT_OF_MEMORY = 2
_LOGIC = (1, 3, 4, 101, 201, 202, 205, 206, 207, 208, 209, 210, 211, 212, 400, 401, 500)
_LAUNCH = (700, 701, 702, 703, 710, 714, 715, 716, 717, 718, 719, 720)


def _kind(status: int) -> type[Error]:
    if status == _OUT_OF_MEMORY:
        return MemoryError
    return LogicError if status in _LOGIC else LaunchError if status in _LAUNCH else RuntimeError


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """What CUDA says in the block is raised as PyCUDA would."""
    try:
        yield
    except _core.cuda.CUDARuntimeError as error:
        raise _kind(int(getattr(error, "status", 0) or 0))(str(error)) from error
    except builtins.MemoryError as error:
        if isinstance(error, Error):
            raise
        raise MemoryError(str(error)) from error


def translating(function: Callable[P, R]) -> Callable[P, R]:
    """The function, in a block of `translated`."""

    @functools.wraps(function)
    def made(*args: P.args, **named: P.kwargs) -> R:
        with translated():
            return function(*args, **named)

    return made


def gone(what: str) -> NotImplementedError:
    """The error for what CUDA no longer has."""
    return NotImplementedError(
        f"{what}: texture and surface references are gone from CUDA since version 12; use texture "
        "objects (heddle.cuda.core, or heddle.cuda.bindings.driver.cuTexObjectCreate)"
    )


def no_such_kernel(module: str, name: str, instead: str) -> AttributeError:
    """What to raise for a name that a module of kernels has not."""
    if not name.startswith("get_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    return AttributeError(
        f"{module} has no {name!r}: PyCUDA's kernels of single operations are not made "
        f"here; write {instead}, or use operators of arrays"
    )
