"""Memory hooks for everyday use."""

from heddle.cuda.memory_hooks.debug_print import DebugPrintHook
from heddle.cuda.memory_hooks.line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook"]
