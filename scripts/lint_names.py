#!/usr/bin/env python3
"""A type's name means one thing in its namespace.

Two files may each have a class of one name and be compiled all the same. If both can be seen by
the linker it takes the functions of one for the other's; if not, readers do.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

root = Path(__file__).resolve().parent.parent

NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{")
# At the beginning of a line: types inside of others have their own space.
TYPE = re.compile(
    r"(?:template <.*> )?(?:struct|class|enum class|union) (?:HEDDLE_API )?"
    r"(?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;]*)? ?(?:\{|$)"
)


def types_in(path: Path) -> set[tuple[str, str]]:
    """The types that a file defines, with their namespaces; those without a name do not count."""
    found, spaces = set(), []
    for line in path.read_text().splitlines():
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif kind := TYPE.match(line):
            found.add(("::".join(filter(None, spaces)), kind[1]))
    return found


def main() -> int:
    places = defaultdict(list)
    for top in ("src", "include"):
        for path in sorted((root / top).rglob("*")):
            name = str(path.relative_to(root))
            # src/special is a library of its own, a file at a time.
            if path.suffix in (".h", ".cpp", ".cu") and not name.startswith("src/special/"):
                for key in types_in(path):
                    places[key].append(name)
    twice = {key: names for key, names in places.items() if len(names) > 1}
    for (space, kind), names in sorted(twice.items()):
        print(f"{space}::{kind} is defined in {' and in '.join(names)}")
    return bool(twice)


if __name__ == "__main__":
    sys.exit(main())
