"""Writes what JAX makes of the functions of tests/python/jax_cases.py: values, first derivatives,
and second ones along a direction. Run it with JAX (and autograd, which has to agree where it can)
after changing them:

    python scripts/jax_reference.py
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


def main() -> None:
    """Write the file."""
    import jax
    import jax.numpy as jnp
    import jax_cases

    jax.config.update("jax_enable_x64", True)
    found: dict[str, Any] = {}
    by_both: dict[str, Any] = {}
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
        other = by_autograd(f, jax_cases.X)
        if other is not None:
            by_both[name] = numpy.round(numpy.asarray(other).ravel(), 12).tolist()
            if not numpy.allclose(other, slope, rtol=1e-6, atol=1e-8):
                print(f"{name}: autograd differs")
                del by_both[name]
        found[name] = [
            numpy.round(numpy.asarray(part).ravel(), 12).tolist() for part in (value, slope, second)
        ]
    print(f"{len(found)} functions, {len(by_both)} of them with autograd")
    write("jax_reference.json", found)
    if by_both:
        write("autograd_reference.json", by_both)


def write(name: str, found: dict[str, Any]) -> None:
    """A line for each function."""
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(parts)}" for name, parts in found.items())
    (FOLDER / "data").mkdir(exist_ok=True)
    (FOLDER / "data" / name).write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
