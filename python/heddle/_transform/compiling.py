"""jit: a function whose calls are recorded once, and repeated without Python.

The first call of a signature runs the function as it is, while the core writes a script
(src/transform/script.h). Later calls repeat the script on their arguments. What the function
looked at is compared on the way: where it differs, the function runs again, and is recorded again.
"""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import name_of, to_positions
from heddle._transform.guards import Guards

_MOST_SCRIPTS = 8  # of one signature: beyond, the function just runs
_NUMBERS = (bool, int, float, complex)


class _Recorded:
    """The scripts of one signature."""

    def __init__(self) -> None:
        self.scripts: list[tuple[Any, Guards, list[hd.ndarray], Any]] = []
        self.recordings = 0
        self.plain = ""  # why the function just runs; empty: it does not


def _static_leaf(leaf: Any, what: str) -> Any:
    """What a leaf that is no array has in the key of a signature: it is compared by value."""
    try:
        hash(leaf)
    except TypeError:
        raise TypeError(
            f"{what}: an argument of type {type(leaf).__name__} is neither an array nor hashable: "
            "make it a tree of arrays"
        ) from None
    return type(leaf), leaf


class Jitted:
    """A function that `jit` made; called as the function itself."""

    def __init__(
        self, f: Callable[..., Any], static_argnums: tuple[int, ...], static_argnames: set[str]
    ) -> None:
        functools.update_wrapper(self, f)
        self._f = f
        self._static_argnums = static_argnums
        self._static_argnames = static_argnames
        self._known: dict[Any, _Recorded] = {}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"jit({self._f!r})"

    def clear_cache(self) -> None:
        """Forget all that was recorded."""
        self._known.clear()

    def _parts(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """What tells signatures apart but for arrays, and the arrays."""
        if not kwargs and not self._static_argnums:
            for one in args:
                if type(one) is not hd.ndarray:
                    break
            else:
                return len(args), list(args)
        count = len(args)
        static = {i % count for i in self._static_argnums if -count <= i < count}
        fixed: list[Any] = [
            (i, _static_leaf(args[i], f"jit: static argument {i}")) for i in sorted(static)
        ]
        fixed += [
            (name, _static_leaf(kwargs[name], f"jit: static argument {name!r}"))
            for name in sorted(self._static_argnames & kwargs.keys())
        ]
        leaves, structure = tree.flatten(
            (
                [one for i, one in enumerate(args) if i not in static],
                {name: one for name, one in kwargs.items() if name not in self._static_argnames},
            )
        )
        arrays, others = [], []
        for leaf in leaves:
            if isinstance(leaf, hd.ndarray):
                arrays.append(leaf)
                others.append(None)
            elif isinstance(leaf, (numpy.ndarray, numpy.generic)) and leaf.dtype != object:
                raise TypeError(
                    "jit: an argument is an array of NumPy's, which is not tracked: "
                    "convert it by heddle.asarray first"
                )
            else:
                others.append(_static_leaf(leaf, f"jit of {name_of(self._f)}"))
        return (count, tuple(fixed), structure, tuple(others)), arrays

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fixed, arrays = self._parts(args, kwargs)
        key = (fixed, _core.signature(arrays))
        known = self._known.get(key)
        if known is None:
            known = self._known.setdefault(key, _Recorded())
        stands_in = any(map(_core.is_stand_in, arrays))
        for script, guards, captured, structure in known.scripts:
            # Nobody can compare what differs from row to row.
            if not (stands_in and script.looks) and guards.hold():
                made = script.repeat(arrays + captured)
                if made is not None:
                    return made[0] if structure is None else structure.unflatten(made)
        if known.plain or stands_in:
            return self._f(*args, **kwargs)
        return self._record(known, args, kwargs, arrays)

    def _record(self, known: _Recorded, args: Any, kwargs: Any, arrays: list[hd.ndarray]) -> Any:
        known.recordings += 1
        if known.recordings > _MOST_SCRIPTS:
            known.plain = "it went another way in each of many calls"
            self._warn(known.plain)
            return self._f(*args, **kwargs)
        # Objects among the arguments are compared by identity, and so are their attributes.
        objects = [one for one in (*args, *kwargs.values()) if hasattr(one, "__dict__")]
        before = Guards(self._f, objects)
        _core.start_script(arrays + before.arrays)
        try:
            result = self._f(*args, **kwargs)
            leaves, structure = tree.flatten(result)
            made = [leaf if isinstance(leaf, hd.ndarray) else None for leaf in leaves]
            others = any(leaf is None for leaf in made)
            script = _core.take_script([leaf for leaf in made if leaf is not None])
        finally:
            _core.stop_script()
        if others:
            # Numbers that are constant, or that were looked at, and so are compared.
            fixed = [
                None if one is not None else leaf for leaf, one in zip(leaves, made, strict=True)
            ]
            structure = _Filled(structure, [one is not None for one in made], fixed)
        # What the function itself has done to numbers and lists belongs to this call alone.
        before.drop_changed()
        why = script.impossible
        if not Guards(self._f, objects).has_arrays_of(before):
            why = "it gives names or attributes outside of it other arrays"
        if why:
            known.plain = why
            if "random" not in why:
                self._warn(why)
        else:
            single = structure is tree._LEAF
            known.scripts.insert(0, (script, before, before.arrays, None if single else structure))
        return result

    def _warn(self, why: str) -> None:
        code = getattr(self._f, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        warnings.warn(
            f"jit: {name_of(self._f)}{place} runs as plain code: {why}",
            RuntimeWarning,
            stacklevel=4,
        )


class _Filled:
    """The structure of a result that has leaves which are no arrays."""

    def __init__(self, structure: tree.Structure, is_array: list[bool], fixed: list[Any]) -> None:
        self._structure, self._is_array, self._fixed = structure, is_array, fixed

    def unflatten(self, arrays: list[Any]) -> Any:
        remaining = iter(arrays)
        return self._structure.unflatten(
            next(remaining) if is_array else fixed
            for is_array, fixed in zip(self._is_array, self._fixed, strict=True)
        )


def jit(
    f: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Any:
    """A function that does what ``f`` does, recorded once and repeated without Python.

    A call is recorded for each combination of types, shapes and layouts of the arrays among the
    arguments, and of the values of all others. Arrays that ``f`` reads from outside are read anew
    at each call, and what it writes to arguments and to arrays outside is written; results that
    are views stay views. Numbers that it looks at (``if x > 0``) are compared at each call: where
    one differs, the function runs and is recorded again, up to eight times for a signature.
    What it reads beside arrays (globals, closures, attributes) is compared, too. Files, clocks and
    other effects belong to the recorded call alone. A function that draws random numbers, or whose
    results depend in shape on elements, runs as plain code.

    >>> import heddle as np
    >>> @np.jit
    ... def step(x):
    ...     return np.tanh(x) * 2 + 1
    >>> print(step(np.array([0.0, 1.0])))
    [1.         2.52318831]
    """
    if f is None:
        return functools.partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames
        )
    if not callable(f):
        raise TypeError(f"jit: a function is needed, not {type(f).__name__}")
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)
    return Jitted(f, to_positions(static_argnums, "jit"), names)
