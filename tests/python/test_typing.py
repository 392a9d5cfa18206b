"""Types: pages of ordinary code that mypy and pyright accept, and stubs that are complete."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import heddle
from heddle._names.absent import NUMPYS

HERE = Path(__file__).parent
PAGES = sorted((HERE / "typed").glob("*.py"))
PACKAGE = Path(heddle.__file__).parent


def run_checker(*command):
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    environment.pop("PYTHONPATH", None)  # pyright takes what is there for the user's own code
    result = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE / "typed",
        env=environment,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def has(name):
    return importlib.util.find_spec(name) is not None


@pytest.mark.skipif(not has("mypy"), reason="mypy is not installed")
def test_mypy_accepts_the_pages():
    options = ("--strict", "--follow-imports=silent", f"--cache-dir={os.devnull}")
    run_checker("mypy", *options, *(page.name for page in PAGES))


@pytest.mark.skipif(not has("mypy"), reason="mypy is not installed")
def test_mypy_knows_which_names_there_are(tmp_path):
    """Modules that import later took every name: a function that is not there was an object."""
    modules = ("heddle", "heddle.jax", "heddle.jax.numpy", "heddle.jax.scipy", "heddle.scipy")
    modules = (*modules, "heddle.scipy.sparse", "heddle.cupyx", "heddle.cuda")
    lines = [f"import {module}" for module in modules]
    for module in modules:
        found = importlib.import_module(module)
        names = dir(found) if "__dir__" in vars(found) else found.__all__
        lines += [f"{module}.{name}" for name in names]
        lines.append(f"{module}.not_there  # type: ignore[attr-defined]")
    page = tmp_path / "page.py"
    page.write_text("\n".join(line for line in lines if "._" not in line))
    run_checker("mypy", "--strict", "--follow-imports=silent", f"--cache-dir={os.devnull}", page)


def examples_in(path):
    """What docstrings of a file show and tests run, each as a function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        text = ast.get_docstring(node) or ""
        if ">>>" not in text or "import" not in text:
            continue
        shown = [
            one.source
            for one in doctest.DocTestParser().get_examples(text)
            if one.exc_msg is None and not one.options.get(doctest.SKIP)
        ]
        line = getattr(node, "lineno", 1)
        body = "".join(shown).rstrip().replace("\n", "\n    ")
        if body:
            yield f"def line_{line}() -> None:\n    {body}\n"


@pytest.mark.skipif(not has("mypy"), reason="mypy is not installed")
def test_mypy_accepts_the_examples_of_the_documentation(tmp_path):
    for path in PACKAGE.rglob("*.py"):
        if examples := list(examples_in(path)):
            name = "__".join(("heddle", *path.relative_to(PACKAGE).parts))
            (tmp_path / name).write_text("import heddle\n\n" + "\n".join(examples))
    # Names are given to several things in turn, and functions that are defined have no types.
    options = ("--disable-error-code=no-redef", "--disable-error-code=var-annotated")
    run_checker(
        "mypy", *options, "--follow-imports=silent", f"--cache-dir={os.devnull}", str(tmp_path)
    )


# Each line is a mistake, which mypy has to find.
MISTAKES = """
np.sum(a, axes=0)
np.zeros(3, order="Z")
a.reshape("2")
a.mean(axis="x")
np.linalg.norm(a, keepdim=True)
np.linalg.eigh(a).eigenvalue
np.random.default_rng("seed")
np.random.default_rng(1).normal(size="x")
np.random.default_rng(1).standard_normals()
number: int = np.add(a, a)
array: np.ndarray = np.linalg.svd(a)
np.concatenate(a, a, a, a, a, a)
sparse.csr_array(a).nosuch
(sparse.csr_array(a) @ a).nnz
stats.linregress(a, a).slopes
signal.lfilter([1.0], [1.0], a).nosuch
np.grad(3)
np.linspace(0, 1, num="5")
a.sort(kind="fast")
np.pad(a, 1, mode=3)
np.quantile(a, 0.5, method="best")
a.astype(int, castings="no")
np.where()
np.njit(3)
np.njit(lambda x: x).nosuch
np.frombuffer(3)
np.split(a)
np.ndarray("x")
text: str = special.factorial(5, exact=True)
""".strip().splitlines()


@pytest.mark.skipif(not has("mypy"), reason="mypy is not installed")
def test_mypy_finds_mistakes(tmp_path):
    page = ["import heddle as np", "from heddle.scipy import signal, sparse, special, stats"]
    page += ["a = np.ones((2, 2))", *MISTAKES]
    (tmp_path / "mistakes.py").write_text("\n".join(page))
    result = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--follow-imports=silent"),
            *(f"--cache-dir={os.devnull}", "mistakes.py"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )
    found = {int(n) for n in re.findall(r"^mistakes\.py:(\d+): error", result.stdout, re.M)}
    missed = [line for n, line in enumerate(page, 1) if line in MISTAKES and n not in found]
    assert missed == [], result.stdout


@pytest.mark.skipif(not has("pyright"), reason="pyright is not installed")
def test_pyright_accepts_the_pages():
    run_checker("pyright", "--pythonpath", sys.executable)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # scripts save what they have computed
    names = runpy.run_path(str(page))
    assert "page" not in names or names["page"]()


MODULES = (heddle, heddle.linalg, heddle.fft, heddle.emath, heddle.lax, heddle.tree, heddle.debug)
MODULES += (heddle.scipy.ndimage, heddle.lax.linalg, heddle.tree_util, heddle.flatten_util)
MODULES += (heddle.ops,)


def public_functions():
    for module in MODULES:
        for name in getattr(module, "__all__", None) or dir(module):
            value = getattr(module, name)
            ours = getattr(value, "__module__", "") in ("heddle", module.__name__)
            if not name.startswith("_") and inspect.isroutine(value) and ours:
                yield pytest.param(value, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("function", list(public_functions()))
def test_every_parameter_and_result_has_a_type(function):
    if function.__name__ in AS_NUMPYS:
        return
    signature = inspect.signature(function)
    bare = [
        p.name for p in signature.parameters.values() if p.annotation is inspect.Parameter.empty
    ]
    assert bare == []
    assert signature.return_annotation is not inspect.Signature.empty


# They have NumPy's signature, whatever it is.
AS_NUMPYS = {"array2string", "genfromtxt", "loadtxt", "savetxt"}


def stub_of(name):
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (found,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    return {n.name for n in found.body if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize("name", ["ndarray", "ufunc"])
def test_the_stub_describes_the_whole_class(name):
    described = stub_of(name)
    kind = getattr(heddle, name)
    there = {n for n in dir(kind) if n not in dir(object)}
    of_python = {"__module__", "__dict__", "__getattr__", "__delitem__"}
    of_numpy = {"__array_priority__", "__array_wrap__"}
    assert sorted(there - described - of_python - of_numpy) == []
    # Python has names for the buffer protocol since 3.12.
    since_312 = {"__buffer__", "__release_buffer__"}
    attributes = {"nargs", "ntypes", "__name__"} if name == "ufunc" else since_312
    assert sorted(described - set(dir(kind)) - attributes) == []


def methods_of_files():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.args.args:
                        yield f"{path.relative_to(PACKAGE)}: {node.name}.{method.name}", method


def test_methods_know_their_class():
    """Parts of a class rest on a class that has what they use, and not on Any."""
    blind = [
        name
        for name, method in methods_of_files()
        if (first := method.args.args[0]).arg == "self"
        and first.annotation is not None
        and ast.unparse(first.annotation) == "Any"
    ]
    assert blind == []


def test_names_that_are_imported_later_have_types():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and "TYPE" in ast.unparse(n.test))
    named = set()
    for line in block.body:
        for alias in line.names:
            if alias.name == "*":
                named |= set(importlib.import_module(line.module).__all__)
            else:
                named.add(alias.asname)
    assert named == {*heddle._modules, *heddle._home_of, *NUMPYS}
