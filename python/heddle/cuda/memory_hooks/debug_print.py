"""A hook that prints every allocation."""

from __future__ import annotations

import sys
from typing import TextIO

from heddle.cuda.memory_hook import MemoryHook


class DebugPrintHook(MemoryHook):
    """Prints what pools do.

    Parameters
    ----------
    file : text file
        Where to.
    flush : bool
        Whether every line is flushed.
    """

    name = "DebugPrintHook"

    def __init__(self, file: TextIO = sys.stdout, flush: bool = True) -> None:
        self.file, self.flush = file, flush

    def _print(self, event: str, figures: dict[str, object]) -> None:
        shown = ",".join(f'"{key}":{value}' for key, value in figures.items())
        print(f'{{"hook":"{event}",{shown}}}', file=self.file, flush=self.flush)

    def alloc_postprocess(self, **kwargs: object) -> None:
        """Prints memory that came from the device."""
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs: object) -> None:
        """Prints a block that was handed out."""
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs: object) -> None:
        """Prints a block that went back."""
        self._print("free", kwargs)
