#!/usr/bin/env python3
"""Wraps paragraphs of Markdown that have lines beyond 120 columns.

Tables, code and headings stay as they are, and so do pages that other scripts write. `--check` only
says which paragraphs are too wide, and fails if any is.
"""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

root = Path(__file__).resolve().parent.parent
WIDTH = 120
WRITTEN = ("benchmarks/results/", "docs/coverage.md", "docs/scipy.md", "docs/ufuncs.md")

NO_PROSE = ("|", "#", "<!--", ">")
ITEM = re.compile(r"\s*(?:[-*] |\d+\. )?")
BEGINS_AN_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
# Spans of code and the text of links are found by searching, so they stay on one line.
WHOLE = re.compile(r"(`+)(?:(?!\1).)+\1|\[[^][`]*\]\(")


def wrapped(paragraph: list[str]) -> list[str]:
    first = ITEM.match(paragraph[0])[0]
    text = " ".join([paragraph[0][len(first) :], *(line.strip() for line in paragraph[1:])])
    lines = textwrap.wrap(
        WHOLE.sub(lambda span: span[0].replace(" ", "\0"), text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]


def paragraphs(text: str) -> list[tuple[bool, list[str]]]:
    """The lines of a page in pieces: whether each is prose, and its lines."""
    pieces: list[tuple[bool, list[str]]] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            pieces.append((False, [line]))
        elif fenced or not line.strip() or line.lstrip().startswith(NO_PROSE):
            pieces.append((False, [line]))
        elif not pieces or not pieces[-1][0] or BEGINS_AN_ITEM.match(line):
            pieces.append((True, [line]))
        else:
            pieces[-1][1].append(line)
    return pieces


def main() -> int:
    check = "--check" in sys.argv[1:]
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    wide = []
    for name in names:
        path = root / name
        if name.startswith(WRITTEN) or not path.exists():
            continue
        lines: list[str] = []
        for prose, piece in paragraphs(path.read_text()):
            new = piece
            if prose and max(map(len, piece)) > WIDTH:
                new = wrapped(piece)
            if new != piece:
                wide.append(f"{name}:{len(lines) + 1}: a paragraph is wider than {WIDTH} columns")
            lines += new
        if not check:
            path.write_text("\n".join(lines))
    if check and wide:
        print(*wide, "run scripts/wrap_prose.py", sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
