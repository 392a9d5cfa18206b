"""clang-tidy over the C++ sources, remembered by content: a file is looked at again only when it, a
header of the project, or what clang-tidy is told has changed.

Where many files are to be looked at, nearly all the time would go into headers, which each of them
parses and has checked again. So headers are parsed once, into a precompiled header for all files
that are compiled alike, and checked once, in a file that includes all of them; of the others only
what stands in them is checked (tidy/main_file.cpp). What a check finds in a header's template only
as some file uses it is found when that file is looked at by itself: after an edit to it.

Usage: lint_tidy.py BUILD
"""

import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

CLANG = "clang++-22"
TIDY = ["clang-tidy-22", "--quiet"]
MODULE = "scripts/tidy/main_file.cpp"
# The flags are GCC's; clang does not know all of them.
DROPPED = {
    "-c",
    "-Winvalid-pch",
    "-fpch-preprocess",
    "-fno-semantic-interposition",
    "-mtls-dialect=gnu2",
}
# Of the compiler's own warnings: names that hide others, and what nobody uses.
WARNINGS = ("-Wno-everything", "-Wshadow", "-Wunused", "-Wno-unused-parameter")
FEW = 8  # Files that are quicker to look at one by one than by way of a precompiled header.
INCLUDE = re.compile(r"^#include ([<\"](?:\w+|[^>\"]+\.h)[>\"])", re.MULTILINE)

Files = list[pathlib.Path]


def clang_flags(command: str) -> tuple[str, ...]:
    """What the compiler is told, without files and GCC's precompiled headers."""
    words = shlex.split(command)
    # What comes before the compiler is a launcher such as ccache.
    first = next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++")))
    kept: list[str] = []
    rest = iter(words[first + 1 :])
    for word in rest:
        if word in ("-o", "-include"):
            next(rest)
        elif word not in DROPPED and not word.endswith(".cpp"):
            kept.append(word)
    return (*kept, *WARNINGS)


def groups_of(build: pathlib.Path) -> Iterator[tuple[tuple[str, ...], Files]]:
    """Files that are compiled alike, with the flags."""
    groups: dict[tuple[tuple[str, ...], bool], Files] = {}
    entries = json.loads((build / "compile_commands.json").read_text())
    root = pathlib.Path.cwd()
    # A file that is compiled for several instruction sets is looked at once.
    for name, command in sorted({entry["file"]: entry["command"] for entry in entries}.items()):
        path = pathlib.Path(name)
        file = path.relative_to(root) if path.is_relative_to(root) else path
        # Not src/special: it is made of other people's headers, and compiled by itself.
        if (
            file.suffix != ".cpp"
            or file.parts[0] not in ("src", "tests")
            or file.parts[1] == "special"
        ):
            continue
        # Highway has a file include itself, for one instruction set after another.
        again = "HWY_TARGET_INCLUDE" in file.read_text()
        groups.setdefault((clang_flags(command), again), []).append(file)
    for (flags, _), files in groups.items():
        yield flags, files


def run(*command: str) -> str:
    """What a command says where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (
        (done.stdout or done.stderr or f"failed: {shlex.join(command)}") if done.returncode else ""
    )


@dataclasses.dataclass
class Many:
    """Files whose headers are precompiled."""

    flags: tuple[str, ...]
    files: Files
    header: pathlib.Path  # the source of what is precompiled

    @property
    def precompiled(self) -> str:
        return str(self.header.with_suffix(".pch"))

    def precompile(self) -> str:
        flags = [*self.flags, "-fpch-instantiate-templates"]
        return run(CLANG, "-x", "c++-header", *flags, str(self.header), "-o", self.precompiled)

    def write_headers(self, all_files: Files) -> None:
        """What files of the group include: the project's headers, others' where several do."""
        used: collections.Counter[str] = collections.Counter()
        for file in all_files:
            for name in INCLUDE.findall(file.read_text()):
                beside = file.parent / name[1:-1]
                used[f'"{beside.resolve()}"' if beside.exists() else name] += 1
        names = [
            name for name, uses in used.items() if uses > 1 or name.startswith(('"', "<heddle/"))
        ]
        # Others' come first, and of these Python's.
        names.sort(key=lambda name: (name.startswith('"'), "nanobind" not in name, name))
        self.header.write_text("".join(f"#include {name}\n" for name in names))
        self.header.with_suffix(".cpp").write_text(self.header.read_text())


class Tidy:
    def __init__(self, build: pathlib.Path) -> None:
        self.folder = build / "tidy"
        self.folder.mkdir(exist_ok=True)
        self.module = self.folder / "main_file.so"
        headers = [
            path
            for top in ("include", "src", "tests/cpp")
            for path in pathlib.Path(top).rglob("*.h")
        ]
        told = [
            pathlib.Path(name) for name in (".clang-tidy", __file__, MODULE, "scripts/setup.sh")
        ]
        texts = b"".join(path.read_bytes() for path in [*sorted(headers), *told])
        self.common = hashlib.sha256(texts).hexdigest()

    def passed(self, file: pathlib.Path) -> pathlib.Path:
        """What is there when a file passed as it is now."""
        name = hashlib.sha256(f"{self.common} {file} {file.read_text()}".encode()).hexdigest()
        return self.folder / name[:32]

    def build_module(self) -> str:
        flags = [
            "-std=c++20",
            "-O1",
            "-fPIC",
            "-shared",
            "-fno-rtti",
            "-w",
            "-isystem",
            "/usr/lib/llvm-22/include",
        ]
        return run("g++", *flags, MODULE, "-o", str(self.module))

    def check(self, file: pathlib.Path, flags: tuple[str, ...], precompiled: str = "") -> str:
        """Looks at a file, with its headers or, where these are precompiled, without."""
        scope = [f"--load={self.module}", "--checks=heddle-main-file"] if precompiled else []
        header = ["-include-pch", precompiled] if precompiled else []
        failed = run(*TIDY, *scope, str(file), "--", *flags, *header)
        # A name of the file's own may be in a header that it does not include: without that one.
        if precompiled and "[clang-diagnostic-error]" in failed:
            return self.check(file, flags)
        if not failed:
            self.passed(file).touch()
        return failed


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    # Headers that the build writes.
    marks = [f"generated/heddle_{what}_mark.h" for what in ("kernel", "program")]
    subprocess.run(
        ["cmake", "--build", build, "--target", *marks], stdout=subprocess.DEVNULL, check=True
    )
    tidy = Tidy(build)
    many: list[Many] = []
    singly: list[tuple[pathlib.Path, tuple[str, ...]]] = []
    for number, (flags, files) in enumerate(groups_of(build)):
        left = [file for file in files if not tidy.passed(file).exists()]
        if len(left) > FEW:
            many.append(Many(flags, left, tidy.folder / f"headers_{number}.h"))
            many[-1].write_headers(files)
        else:
            singly += [(file, flags) for file in left]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        begun = [pool.submit(group.precompile) for group in many]
        begun += [pool.submit(tidy.build_module)] if many else []
        begun += [
            pool.submit(tidy.check, group.header.with_suffix(".cpp"), group.flags) for group in many
        ]
        begun += [pool.submit(tidy.check, file, flags) for file, flags in singly]
        failures = [job.result() for job in begun]
        if not any(failures):
            begun = [
                pool.submit(tidy.check, file, group.flags, group.precompiled)
                for group in many
                for file in group.files
            ]
            failures = [job.result() for job in begun]
    print(*filter(None, failures), sep="\n", end="")
    return int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
