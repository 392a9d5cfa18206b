"""CUDA C++ on CPUs: the compiler of Heddle's RawKernel and its kin where arrays are in host memory.

There is nothing here to call: `heddle` loads the library when it is first needed.
"""

from pathlib import Path

__version__ = "0.1.0"
__all__ = ["library", "mark"]

_folder = Path(__file__).parent


def library() -> str:
    """The file that Heddle loads."""
    return str(_folder / "libheddle_clang.so")


def mark() -> str:
    """What tells this compiler from every other one: code that another has made is not used."""
    return (_folder / "mark.txt").read_text().strip()
