"""Functions with a rule of their own for batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, cast

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import has_derivatives, name_of
from heddle._transform.own_steps import (
    as_step,
    of_inner_rules,
    parameter_count,
    positional,
    vjp_of_leaves,
)
from heddle.random._recording import rows_along

__all__ = ["custom_vmap", "sequential_vmap"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _has_rows(leaf: object) -> bool:
    return _core.batch_depth() > 0 and isinstance(leaf, _core.own_array) and _core.is_stand_in(leaf)


class custom_vmap(Generic[_P, _R]):
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

    def __init__(self, fun: Callable[_P, _R]) -> None:
        functools.update_wrapper(self, fun)
        self.fun: Callable[..., Any] = fun
        self._parameters = parameter_count(fun)
        self.vmap_rule: Callable[..., Any] | None = None

    def __getattr__(self, name: str) -> Any:
        return of_inner_rules(self, name)

    def def_vmap(self, vmap_rule: Callable[..., Any]) -> Callable[..., Any]:
        """Take the rule."""
        self.vmap_rule = vmap_rule
        return vmap_rule

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        what = f"custom_vmap of {name_of(self.fun)}"
        arguments: tuple[Any, ...] = args
        if kwargs or len(args) < self._parameters:
            arguments = positional(self.fun, args, kwargs, what)
        has_rows = [_has_rows(leaf) for leaf in tree.leaves(arguments)]
        if not any(has_rows):
            return cast("_R", self.fun(*arguments))
        if self.vmap_rule is None:
            raise AttributeError(
                f"custom_vmap: there is no rule for {name_of(self.fun)}: see def_vmap"
            )
        # Who differentiates inside of the batch does not see what rows are computed of.
        made = as_step(
            arguments,
            lambda given: (self._in_rows(given, has_rows), given),
            self._pull,
            what,
        )
        result: _R = self._in_rows(arguments, has_rows) if made is None else made[0]
        return result

    def _in_rows(self, args: object, has_rows: list[bool]) -> Any:
        depth = _core.batch_depth() - 1
        leaves, structure = tree.flatten(args)
        rows = [
            rows_along(leaf, depth) if one else leaf
            for leaf, one in zip(leaves, has_rows, strict=True)
        ]
        count = next(row.shape[0] for row, one in zip(rows, has_rows, strict=True) if one)
        results, which = self._by_rule(
            count, structure.unflatten(has_rows), structure.unflatten(rows)
        )
        return tree.map(
            lambda one, result: _core.enter_batch_at(hd.asarray(result), depth) if one else result,
            which,
            results,
        )

    def _by_rule(self, count: int, has_rows: Any, rows: Any) -> tuple[Any, Any]:
        assert self.vmap_rule is not None
        made = self.vmap_rule(count, list(has_rows), *rows)
        if not isinstance(made, tuple) or len(made) != 2:
            raise ValueError(
                f"custom_vmap: the rule of {name_of(self.fun)} has to give a pair: results, and "
                "which of them have rows"
            )
        return made[0], tree.broadcast(made[1], made[0])

    def _pull(self, args: object, cotangents: object) -> Any:
        """The way back, which has a rule for batches, too: that back along the rule for rows."""

        @custom_vmap
        def back(args: object, cotangents: object) -> Any:
            raise AssertionError("it is called where arguments have rows")

        @back.def_vmap
        def rule(axis_size: int, in_batched: list[Any], args: object, cotangents: object) -> Any:
            def spread(leaf: Any, one: bool) -> Any:
                return leaf if one else hd.broadcast_to(leaf, (axis_size, *leaf.shape))

            # Each row has a cotangent of its own, also of what is the same for all of them.
            leaves, structure = tree.flatten(args)
            of_args, of_cotangents = in_batched
            follows = [has_derivatives(leaf) for leaf in map(hd.asarray, leaves)]
            rows = [one or other for one, other in zip(tree.leaves(of_args), follows, strict=True)]
            given = [
                spread(hd.asarray(leaf), one) if other else leaf
                for leaf, one, other in zip(leaves, tree.leaves(of_args), follows, strict=True)
            ]

            def results(given: list[Any]) -> Any:
                made, which = self._by_rule(
                    axis_size, structure.unflatten(rows), structure.unflatten(given)
                )
                return tree.map(lambda one, made: spread(hd.asarray(made), one), which, made)

            _, pull = vjp_of_leaves(results, given)
            found = pull(tree.map(spread, cotangents, of_cotangents))
            return found, [one is not None for one in found]

        return tree.structure(args).unflatten(back(args, cotangents))


def sequential_vmap(f: Callable[_P, _R]) -> custom_vmap[_P, _R]:
    """A function that `vmap` applies to one row after the other; a decorator.

    >>> import heddle as np
    >>> from heddle.jax.custom_batching import sequential_vmap
    >>> print(np.vmap(sequential_vmap(np.sum))(np.ones((3, 2))))
    [2. 2. 2.]
    """
    made = custom_vmap(f)
    function: Callable[..., Any] = f

    @made.def_vmap
    def rule(axis_size: int, in_batched: list[Any], *args: object) -> Any:
        leaves, structure = tree.flatten(args)
        has_rows = tree.leaves(in_batched)

        def one_row(rows: list[Any]) -> Any:
            given = iter(rows)
            filled = [
                next(given) if one else leaf for leaf, one in zip(leaves, has_rows, strict=True)
            ]
            return function(*structure.unflatten(filled))

        batched = [leaf for leaf, one in zip(leaves, has_rows, strict=True) if one]
        results = hd.lax.map(one_row, batched)
        return results, tree.map(lambda _: True, results)

    return made
