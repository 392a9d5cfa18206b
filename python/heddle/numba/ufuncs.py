"""Numba's `vectorize` and `guvectorize`."""

import importlib
from typing import Any

import numpy as np

import heddle as hd
from heddle._compiled.elementwise import Elementwise, read_types
from heddle._compiled.general import guvectorize as general
from heddle._compiled.general import put_into
from heddle.numba.decorators import ALWAYS


def callable_function(given: Any) -> bool:
    """Whether it is what is decorated, and no signature."""
    return hasattr(given, "__code__") or hasattr(given, "py_func")


def _no_options(name: str, options: dict[str, Any]) -> None:
    given = {k: options.pop(k) for k in (*ALWAYS, "identity", "fastmath") if k in options}
    if given.get("target", "cpu") not in ("cpu", "parallel", "cuda"):
        raise ValueError(
            f"{name}: the target is 'cpu', 'parallel' or 'cuda', not {given['target']!r}"
        )
    if options or given.get("identity") is not None or given.get("fastmath"):
        raise TypeError(f"{name}: there is no such option: {[*options] or given}")


def _check_output(name: str, target: Any, result: Any) -> None:
    """Results fit into an array if they need not be broadcast down, and are of its kind of type."""
    if np.broadcast_shapes(target.shape, result.shape) != target.shape:
        raise ValueError(
            f"{name}: a result of the shape {result.shape} does not fit into {target.shape}"
        )
    if not hd.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(f"{name}: cannot cast its result from {result.dtype} to {target.dtype}")


class DUFunc(Elementwise):
    """A function of numbers for all elements, in Numba's types: made by `vectorize`."""

    @property
    def nin(self) -> int:
        """How many arrays it takes."""
        return int(self.function.__code__.co_argcount)

    def __call__(self, *given: Any, out: Any = None) -> Any:
        outs: list[Any] = list(given[self.nin :])
        if out is not None:
            if outs:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            outs = list(out) if isinstance(out, tuple) else [out]
        made = super().__call__(*given[: self.nin])
        results = list(made) if isinstance(made, tuple) else [made]
        if outs and len(outs) != len(results):
            raise TypeError(f"{self.__name__} gives {len(results)} arrays, not {len(outs)}")
        for target, result in zip(outs, results, strict=False):
            _check_output(self.__name__, target, result)
        return put_into(outs, results)

    def outer(self, a: Any, b: Any) -> Any:
        """The function of all pairs of elements."""
        a, b = hd.asarray(a), hd.asarray(b)
        return self(a.reshape(*a.shape, *(1,) * b.ndim), b)


def _of_device() -> Any:
    """The same two whose results are of the kind of their arguments: of the device, or NumPy's."""
    return importlib.import_module("heddle.numba_cuda.ufuncs")


def _without_target(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "target"}


def vectorize(*args: Any, **options: Any) -> Any:
    """Numba's `vectorize`: a function of numbers for all elements of arrays, in Numba's types."""
    if options.get("target") == "cuda":
        return _of_device().vectorize(*args, **_without_target(options))
    _no_options("vectorize", options)
    if args and callable_function(args[0]):
        return DUFunc(args[0], [], numba=True)
    signatures = read_types(args[0]) if args else []
    if signatures is None:
        raise TypeError(f"vectorize: {args[0]!r} are no signatures")
    return lambda function: DUFunc(function, signatures, numba=True)


def guvectorize(*args: Any, **options: Any) -> Any:
    """Numba's `guvectorize`; see `heddle.guvectorize`."""
    if options.get("target") == "cuda":
        return _of_device().guvectorize(*args, **_without_target(options))
    _no_options("guvectorize", options)
    return general(*args, numba=True)
