"""Other libraries, where they are installed: the same workloads, for comparison only."""

import importlib
from collections.abc import Callable
from typing import Any

from measure import best_times


def _jax() -> tuple[Any, Callable[[Any], Any]]:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    numpy = importlib.import_module("jax.numpy")
    return numpy, numpy.asarray


def _torch() -> tuple[Any, Callable[[Any], Any]]:
    torch = importlib.import_module("torch")
    return torch, torch.as_tensor


_LOADERS = {"jax": _jax, "torch": _torch}


def available(names: str) -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """The libraries among `names` that can be imported."""
    found = {}
    for name in filter(None, names.split(",")):
        try:
            found[name] = _LOADERS[name]()
        except ImportError:
            print(f"{name} is not installed: left out")
    return found


def measure(libraries: dict[str, Any], workload: Any, args: Any, seconds: float) -> dict[str, Any]:
    """Seconds per library; None where it cannot run the workload."""
    times: dict[str, Any] = {}
    for name, (module, put) in libraries.items():
        try:
            mine = tuple(put(a.copy()) for a in args)
            times[name] = best_times([lambda m=module, x=mine: workload.run(m, *x)], seconds)[0]
        except Exception:
            times[name] = None
    return times
