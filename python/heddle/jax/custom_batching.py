"""Functions with a rule of their own for batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import name_of

__all__ = ["custom_vmap", "sequential_vmap"]


class custom_vmap:
    """A function that `vmap` batches by a rule; a decorator.

    ``def_vmap`` takes the rule: ``rule(axis_size, in_batched, *args)`` gets all rows of those
    arguments that ``in_batched`` says have rows, in front, and gives what all rows give, and which
    of that has rows.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.jax.custom_batching import custom_vmap
    >>> @custom_vmap
    ... def double(x):
    ...     return x + x
    >>> @double.def_vmap
    ... def rule(axis_size, in_batched, xs):
    ...     print(f"{axis_size} rows")
    ...     return xs * 2, in_batched[0]
    >>> print(np.vmap(double)(np.arange(3)))
    3 rows
    [0 2 4]
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.vmap_rule: Callable[..., Any] | None = None

    def def_vmap(self, vmap_rule: Callable[..., Any]) -> Callable[..., Any]:
        """Take the rule."""
        self.vmap_rule = vmap_rule
        return vmap_rule

    def __call__(self, *args: Any) -> Any:
        leaves, structure = tree.flatten(args)
        depth = _core.batch_depth() - 1
        arrays = [hd.asarray(leaf) for leaf in leaves]
        has_rows = [depth >= 0 and _core.is_stand_in(array) for array in arrays]
        if not any(has_rows):
            return self.fun(*args)
        if self.vmap_rule is None:
            raise AttributeError(
                f"custom_vmap: there is no rule for {name_of(self.fun)}: see def_vmap"
            )
        rows = [
            _core.rows_along(array, depth) if one else array
            for array, one in zip(arrays, has_rows, strict=True)
        ]
        count = next(row.shape[0] for row, one in zip(rows, has_rows, strict=True) if one)
        made = self.vmap_rule(
            count, list(structure.unflatten(has_rows)), *structure.unflatten(rows)
        )
        if not isinstance(made, tuple) or len(made) != 2:
            raise ValueError(
                f"custom_vmap: the rule of {name_of(self.fun)} has to give a pair: results, and "
                "which of them have rows"
            )
        results, which = made
        return tree.map(
            lambda one, result: _core.enter_batch_at(hd.asarray(result), depth) if one else result,
            tree.broadcast(which, results),
            results,
        )


def sequential_vmap(f: Callable[..., Any]) -> custom_vmap:
    """A function that `vmap` applies to one row after the other; a decorator.

    >>> import heddle as np
    >>> from heddle.jax.custom_batching import sequential_vmap
    >>> print(np.vmap(sequential_vmap(np.sum))(np.ones((3, 2))))
    [2. 2. 2.]
    """
    made = custom_vmap(f)

    @made.def_vmap
    def rule(axis_size: int, in_batched: list[Any], *args: Any) -> Any:
        leaves, structure = tree.flatten(args)
        has_rows = tree.leaves(in_batched)

        def one_row(rows: list[Any]) -> Any:
            given = iter(rows)
            filled = [
                next(given) if one else leaf for leaf, one in zip(leaves, has_rows, strict=True)
            ]
            return f(*structure.unflatten(filled))

        batched = [leaf for leaf, one in zip(leaves, has_rows, strict=True) if one]
        results = hd.lax.map(one_row, batched)
        return results, tree.map(lambda _: True, results)

    return made
