"""Rewrites a compilation database made for GCC so that clang tools can read it.

Usage: clang_database.py INPUT OUTPUT
"""

import json
import pathlib
import shlex
import sys

DROPPED = {"-fpch-preprocess", "-Winvalid-pch", "-fno-semantic-interposition", "-mtls-dialect=gnu2"}


def clang_arguments(command: str) -> list[str]:
    words = shlex.split(command)
    # What comes before the compiler is a launcher such as ccache.
    first = next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++")))
    kept: list[str] = []
    rest = iter(words[first:])
    for word in rest:
        if word == "-include":
            header = next(rest)
            if "cmake_pch" not in header:
                kept += [word, header]
        elif word not in DROPPED:
            kept.append(word)
    return kept


def main() -> None:
    source, target = map(pathlib.Path, sys.argv[1:3])
    entries = json.loads(source.read_text())
    entries = [entry for entry in entries if entry["file"].endswith(".cpp")]  # not nvcc's
    for entry in entries:
        entry["arguments"] = clang_arguments(entry.pop("command"))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(entries, indent=1))


if __name__ == "__main__":
    main()
