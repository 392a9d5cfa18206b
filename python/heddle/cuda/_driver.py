"""What the package is made of: CUDA's driver or, where no GPU can be used, the CPU.

Which of the two is found out when somebody first asks for something that they do differently.
"""

from typing import Any

from heddle import _core


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from heddle.cuda import _on_cpu

    here = name in _on_cpu.__all__ and not _core.cuda.is_available()
    value = getattr(_on_cpu if here else _core.cuda, name)
    globals()[name] = value
    return value
