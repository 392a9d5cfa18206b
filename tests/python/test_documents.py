"""What README.md and docs/*.md show runs as it stands there, and what they name is there."""

import doctest
import functools
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

import heddle

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
# What the text around the examples speaks of as the reader's own.
GIVEN = {
    "array_api.md": "import heddle; x = heddle.ones(3)",
    "cuda.md": "import heddle, numpy; x, a, s = heddle.ones(3), numpy.zeros(3), None",
    "explain.md": "import heddle; m = heddle.ones((40, 50)) + 1; m.eval()",
    "kernels.md": """
import heddle
blocks, threads = 4, 256
x, y, out, z = (heddle.ones(1000, heddle.float32) for _ in range(4))
""",
    "numpy.md": "import heddle as np",
    "scalars.md": """
import datetime, decimal, fractions, json
import heddle
x, i = heddle.array([1.5, 2.5]), heddle.array([0, 1])
pandas = __import__("pytest").importorskip("pandas")
series = pandas.Series([1, 2])
""",
}
# Examples that need what not every machine has, by words of theirs.
NEED_GPUS = ('device("cuda:0")', "stream=s", "begin_capture", "cuMemAlloc", "ProgramOptions")
NEED_OTHERS = ("torch.from_dlpack",)


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.S)


def having(language):
    return [pytest.param(page, id=page.name) for page in PAGES if blocks(page, language)]


def left_out(block):
    if any(words in block for words in NEED_OTHERS):
        return True
    if any(words in block for words in NEED_GPUS):
        return not heddle.cuda.is_available()
    # CUDA C++ runs where there is a GPU or the compiler for CPUs.
    return "RawKernel" in block and not (heddle.cuda.is_available() or has_clang())


def has_clang():
    try:
        import heddle_clang  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.unrecorded("is about what somebody who records changes")
@pytest.mark.parametrize("page", having("python"))
def test_python(page, request, capsys, tmp_path):
    if request.config.getoption("--device") != "cpu":
        pytest.skip("what is shown is of the CPU")
    space = {"__name__": page.stem}
    exec(GIVEN.get(page.name, ""), space)
    here = [block for block in blocks(page, "python") if not left_out(block)]
    if not here:
        pytest.skip("needs a GPU")
    for number, block in enumerate(here):
        if block.startswith(">>>"):
            shown = block.replace("\n\n", "\n<BLANKLINE>\n")
            test = doctest.DocTestParser().get_doctest(shown, space, page.name, None, None)
            said = []
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            assert runner.run(test, out=said.append, clear_globs=False).failed == 0, "".join(said)
            continue
        # Kernels are made of the source of functions, which is looked for in files.
        file = tmp_path / f"{page.stem}_{number}.py"
        file.write_text(block)
        exec(compile(block, file, "exec"), space)
    heddle.synchronize()


CPP_GIVEN = """
#include <heddle/heddle.h>
#include <vector>
using namespace heddle;
array x = zeros({8, 8}), a = zeros({2, 3, 4}), mask = x > 1, rows{0, 1};
std::vector<float> vector(6), buffer(24);
"""


@pytest.mark.parametrize("page", having("cpp"))
def test_cpp(page, tmp_path):
    """Compiles: examples/cpp has programs of all this that run."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    program = [CPP_GIVEN]
    for number, block in enumerate(blocks(page, "cpp")):
        lines = []
        for line in block.splitlines():
            code = line.split("//")[0].rstrip()
            if code and not code.startswith(("#include", "using namespace")):
                lines.append(code if code.endswith((";", "{", "}")) else code + ";")
        program += [f"void block_{number}() {{", *lines, "}"]
    source = tmp_path / "document.cpp"
    source.write_text("\n".join(program))
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Where files may stand that a page names, beside the page's own folder.
PLACES = ("", "src", "src/backend", "src/kernel", "src/backend/cpu", "src/backend/cuda")
PLACES += ("python", "python/heddle", "include", "plugins/clang", "plugins/clang/src")
FOLDERS = ("benchmarks", "cmake", "docs", "examples", "include", "plugins", "python", "scripts")
FOLDERS += ("src", "tests")
FILES = {file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")}
ENDINGS = ("cpp", "h", "py", "pyi", "md", "sh", "cu", "cmake", "txt")
DOCUMENTS = [*PAGES, ROOT / "CONTRIBUTING.md", *ROOT.glob("src/**/README.md")]
DOCUMENTS += ROOT.glob("plugins/*/README.md")


def anchors(page):
    """What GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_named_is_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    absent = []
    for link, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
        target = page.parent / link if link else page
        known = link.startswith("http") or (target.exists() if not anchor else target.is_file())
        if not known or (anchor and anchor not in anchors(target)):
            absent.append(f"{link}#{anchor}")
    for name in re.findall(r"`([^`\s]+)`", text):
        if re.fullmatch(rf"[\w./*-]+\.({'|'.join(ENDINGS)})", name):
            places = (page.parent, *(ROOT / place for place in PLACES))
            if name not in FILES and not any(any(place.glob(name)) for place in places):
                absent.append(name)
    # Files of other people's, and what a reader makes.
    assert set(absent) <= {"kern.cu", "stdio.h", "math.h"}


# What pages about the code name beside files: functions, types, members.
ABOUT_CODE = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "design.md"]
ABOUT_CODE += [*ROOT.glob("src/**/README.md"), *ROOT.glob("plugins/*/README.md")]
SOURCES = ("*.h", "*.cpp", "*.cu", "*.py", "*.pyi", "*.cmake", "*.sh")
# How names are written, and what compilers make of names of ours and have of their own.
NO_NAMES = {"snake_case", "PascalCase", "trailing_", "heddle_special_gamma_d", "__nv_exp"}


@functools.cache
def sources():
    """The words of each file of code."""
    files = [ROOT / "Makefile", ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        files += [file for ending in SOURCES for file in (ROOT / folder).rglob(ending)]
    return {file: set(re.findall(r"\w+", file.read_text())) for file in files}


@pytest.mark.parametrize("page", ABOUT_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_functions_and_types_are_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    absent = []
    for name in re.findall(r"`([A-Za-z_][\w:]*)(?:<[^`]*>)?(?:\(\))?`", text):
        parts = set(re.findall(r"\w+", name))
        if name not in NO_NAMES and not any(parts <= words for words in sources().values()):
            absent.append(name)
    # `name` (`file.h`): there, in this file.
    pattern = r"`([\w:]+)(?:<[^`]*>)?`[^`()\n]{0,30}\(`([\w/.]+\.(?:h|cpp|cu|py))`"
    for name, file in re.findall(pattern, text):
        there = [words for path, words in sources().items() if str(path).endswith(f"/{file}")]
        parts = set(re.findall(r"\w+", name))
        # A method is in the file of its class under its own name; errors are of Python.
        if not any(name.split("::")[-1] in words for words in there) and parts - {"MemoryError"}:
            absent.append(f"{name} in {file}")
    assert absent == []


def test_folders_say_what_they_may_include():
    allowed = runpy.run_path(str(ROOT / "scripts" / "lint_includes.py"))["ALLOWED"]
    for folder, others in allowed.items():
        text = (ROOT / "src" / folder / "README.md").read_text()
        said = re.search(r"^May include: ([^.]*)\.", text, re.M)
        named = set(re.findall(r"`([a-z/]+)`", said[1])) if said else set()
        assert named - {"src"} == others, folder
