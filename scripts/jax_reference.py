"""Writes what JAX makes of the functions of tests/python/jax_cases.py: values, first derivatives,
and second ones along a direction; of whole programs (tests/python/jax_programs.py) sums of what
they give; and what autograd makes of those functions that it can, which has to agree. Run it with
both after changing them:

    python scripts/jax_reference.py
    python scripts/jax_reference.py autograd    # that alone, beside what is there of JAX
    python scripts/jax_reference.py programs    # those alone
    python scripts/jax_reference.py names       # functions by name (tests/python/jax_names.py)
"""

import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import numpy

FOLDER = pathlib.Path(__file__).parent.parent / "tests/python"
sys.path.insert(0, str(FOLDER))


def by_autograd(f: Callable[..., Any], x: Any) -> Any:
    """The derivative as autograd has it; None where it has none."""
    try:
        import autograd
        import autograd.numpy

        return autograd.grad(lambda y: autograd.numpy.sum(f(autograd.numpy, y)))(x)
    except Exception:
        return None


def write_jax() -> None:
    """Values and derivatives, a line for each function."""
    import jax
    import jax.numpy as jnp
    import jax_cases

    jax.config.update("jax_enable_x64", True)
    found: dict[str, Any] = {}
    cases = {name: (f, f) for name, f in jax_cases.CASES.items()} | jax_cases.WRITES
    for name, (_, f) in cases.items():

        def total(x: Any, f: Callable[..., Any] = f) -> Any:
            return jnp.sum(f(jnp, x))

        x, along = jnp.asarray(jax_cases.X), jnp.asarray(jax_cases.ALONG)
        try:
            value = f(jnp, x)
            slope = jax.grad(total)(x)
            second = jax.jvp(jax.grad(total), (x,), (along,))[1]
        except Exception as problem:
            print(f"{name}: {type(problem).__name__} {problem}".partition("\n")[0][:150])
            continue
        found[name] = [rounded(part) for part in (value, slope, second)]
    print(f"{len(found)} functions by JAX")
    write("jax_reference.json", found)


def write_programs() -> None:
    """Sums of all that programs give."""
    import jax
    import jax.numpy as jnp
    import jax.scipy.sparse.linalg
    import jax_programs

    jax.config.update("jax_enable_x64", True)
    found = {
        program.__name__: [jax_programs.digest(leaf) for leaf in jax.tree.leaves(program(jnp, jax))]
        for program in jax_programs.PROGRAMS
    }
    write("jax_programs.json", found)


def write_names() -> None:
    """All that functions by name give, a line for each case."""
    import jax
    import jax.custom_batching
    import jax.flatten_util
    import jax.image
    import jax.numpy as jnp
    import jax_names

    jax.config.update("jax_enable_x64", True)
    found = {}
    for name, case in jax_names.CASES.items():
        print(name, flush=True)
        made = [numpy.asarray(leaf) for leaf in jax.tree.leaves(case(jax, jnp))]
        found[name] = [[leaf.dtype.name, list(leaf.shape), numbers(leaf)] for leaf in made]
    write("jax_names.json", found)


def numbers(leaf: Any) -> list[float]:
    """Elements as numbers, the two of complex ones one after the other."""
    if leaf.dtype.kind == "c":
        leaf = numpy.stack([leaf.real, leaf.imag], -1)
    flat = leaf.astype("float64").ravel()
    return [float(f"{one:.13g}") for one in flat]


def write_autograd() -> None:
    """First derivatives, of what JAX has too."""
    import jax_cases

    reference = json.loads((FOLDER / "data/jax_reference.json").read_text())
    cases = dict(jax_cases.CASES) | {name: f for name, (_, f) in jax_cases.WRITES.items()}
    found: dict[str, Any] = {}
    for name, (_, slope, _) in reference.items():
        other = by_autograd(cases[name], jax_cases.X)
        if other is None:
            continue
        if numpy.allclose(numpy.ravel(other), slope, rtol=1e-6, atol=1e-8):
            found[name] = rounded(other)
        else:
            print(f"{name}: autograd differs from JAX")
    print(f"{len(found)} functions by autograd")
    write("autograd_reference.json", found)


def rounded(part: Any) -> Any:
    return numpy.round(numpy.asarray(part).ravel(), 12).tolist()


def write(name: str, found: dict[str, Any]) -> None:
    """A line for each function."""
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(parts)}" for name, parts in found.items())
    (FOLDER / "data").mkdir(exist_ok=True)
    (FOLDER / "data" / name).write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["programs"]):
        write_programs()
    if sys.argv[1:] in ([], ["names"]):
        write_names()
    if not sys.argv[1:]:
        write_jax()
    if sys.argv[1:] in ([], ["autograd"]):
        write_autograd()
