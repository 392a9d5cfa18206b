"""A hook that sums allocations by the line of the program."""

import sys
import traceback
from typing import Any, TextIO

from heddle.cuda.memory_hook import MemoryHook


class _Frame:
    """A line of the program, and what was allocated below it."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.used = 0  # in blocks that were handed out
        self.acquired = 0  # from the device
        self.children: dict[str, _Frame] = {}


def _readable(count: int) -> str:
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024:
            return f"{value:.2f}{unit}"
        value /= 1024
    return f"{value:.2f}TB"


class LineProfileHook(MemoryHook):
    """Sums allocations by the lines that led to them.

    Work is deferred: what an expression needs is allocated by the line that looks at its result.

    Parameters
    ----------
    max_depth : int
        How many calls deep the report goes; 0 for all.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth: int = 0) -> None:
        self.max_depth = max_depth
        self._root = _Frame("_root")

    def _add(self, used: int, acquired: int) -> None:
        frame = self._root
        lines = [
            s for s in traceback.extract_stack() if "heddle/cuda/memory_hook" not in s.filename
        ]
        frame.used += used
        frame.acquired += acquired
        for line in lines[: self.max_depth or None]:
            where = f"{line.filename}:{line.lineno}:{line.name}"
            frame = frame.children.setdefault(where, _Frame(where))
            frame.used += used
            frame.acquired += acquired

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Counts a block that is asked for."""
        self._add(kwargs["mem_size"], 0)

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Counts memory that is asked of the device."""
        self._add(0, kwargs["mem_size"])

    def print_report(self, file: TextIO = sys.stdout) -> None:
        """Prints the lines, those called indented below their callers: bytes used (acquired)."""
        pending = [(self._root, 0)]
        while pending:
            frame, depth = pending.pop()
            used, acquired = _readable(frame.used), _readable(frame.acquired)
            print(f"{'  ' * depth}{frame.where} ({used}, {acquired})", file=file)
            pending.extend((child, depth + 1) for child in reversed(frame.children.values()))
