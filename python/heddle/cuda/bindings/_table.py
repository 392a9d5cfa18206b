"""The tables of what CUDA's headers declare; scripts/cuda_tables.py makes them, and says how.

Lines are found by the names they are about, and looked into when somebody asks for the name.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "tables"


class Table:
    """The lines of one library."""

    def __init__(self, name: str) -> None:
        self.name = name

    @functools.cached_property
    def lines(self) -> dict[str, str]:
        """Kind and words by name."""
        found = {}
        for line in (FOLDER / f"{self.name}.txt").read_text().splitlines():
            kind, name, rest = line.split(" ", 2) if line.count(" ") > 1 else (*line.split(), "")
            found[name] = f"{kind} {rest}"
        return found

    @functools.cached_property
    def enumerators(self) -> dict[str, str]:
        """The enumeration that each enumerator is of."""
        found = {}
        for name, line in self.lines.items():
            if line.startswith("E "):
                found.update(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", line[2:]), name))
        return found

    def kind(self, name: str) -> str:
        """The letter of a line; empty where there is none."""
        return self.lines.get(name, "")[:1]

    def words(self, name: str) -> list[str]:
        """The words of a line."""
        return self.lines[name][2:].split()

    def resolved(self, name: str) -> str:
        """The name that another one stands for."""
        while self.kind(name) == "A":
            name = self.words(name)[0]
        return name

    @functools.cached_property
    def shown(self) -> dict[str, str]:
        """The name by which people know a structure or an enumeration that has several."""
        found: dict[str, str] = {}
        for name, line in self.lines.items():
            # Typedefs go from the tag by way of the version to the plain name.
            if line.startswith("A ") and not re.search(r"_v\d+$", name):
                found.setdefault(self.resolved(name), name)
        return found


@functools.cache
def table(name: str) -> Table:
    """The table of a library."""
    return Table(name)
