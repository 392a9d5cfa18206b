"""Functions that are computed again on the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import check_callable, positions_in
from heddle._transform.compiling import Jitted
from heddle._transform.guards import Guards
from heddle._transform.own_steps import static_positions, stepped, vjp_of_leaves, with_fixed
from heddle.checkpoint_policies import keeps_nothing


def _follows(leaves: Sequence[object]) -> bool:
    """Whether somebody who differentiates may want derivatives with respect to one of these."""
    arrays = [one for one in leaves if isinstance(one, hd.ndarray)]
    nodes = _core.rules_are_nodes()
    return any(nodes or _core.is_differentiated(one) or _core.is_stand_in(one) for one in arrays)


def checkpoint(
    fun: Callable[..., Any] | None = None,
    *,
    policy: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[..., Any]:
    """A function that keeps its arguments for the way back, and is computed again there.

    That takes memory for one call at a time instead of all, and the time of a second forward pass.
    What is computed again is the recorded call, as `jit` has it. Arguments at ``static_argnums``,
    or with ``static_argnames``, are compared by value, and have no derivatives. ``policy`` is one
    of `heddle.checkpoint_policies`: what is kept. A function that reads arrays from outside which
    are differentiated is called as it is: pass them as arguments.

    >>> import heddle as np
    >>> step = np.checkpoint(lambda x: np.sin(x) * 2)
    >>> print(np.grad(lambda x: step(step(x)))(0.0))
    4.0
    """
    if fun is None:
        return functools.partial(
            checkpoint,
            policy=policy,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
    f = fun
    check_callable(f, "checkpoint")
    if not keeps_nothing(policy):
        return f
    positions = static_positions(f, static_argnums, static_argnames, "checkpoint")
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)
    recorded = Jitted(f, positions, names)

    @functools.wraps(f)
    def transformed(*args: object, **kwargs: object) -> Any:
        # Others are given by name, or have a value if they are not given.
        inside = tuple(i for i in positions if -len(args) <= i < len(args))
        static = {i: args[i] for i in positions_in(inside, len(args), "checkpoint")}
        constant = {name: kwargs[name] for name in names & kwargs.keys()}
        others = {name: one for name, one in kwargs.items() if name not in names}
        arguments = (*(one for i, one in enumerate(args) if i not in static), others)

        def call(*given: Any, of: Callable[..., Any] = recorded) -> Any:
            return of(*with_fixed(given[:-1], static), **given[-1], **constant)

        as_node = _core.rules_are_nodes()

        def forward(given: Any) -> tuple[Any, Any]:
            # What the function writes to its arguments is not to be seen on the way back.
            kept = tree.map(
                lambda leaf: leaf.copy() if isinstance(leaf, hd.ndarray) else leaf, given
            )
            # Nobody who differentiates hears what a node is computed of, nor may a recorded call
            # be made of that: the way back would repeat it.
            return call(*given, of=f if as_node else recorded), kept

        def back(kept: object, cotangents: Any) -> Any:
            # What leads here from the calls after this one is done with before this one runs again:
            # else all of them would be pending, and then in memory, at the same time.
            given = tree.leaves(cotangents)
            if not any(map(_core.is_stand_in, given)):
                _core.eval(*given)
            leaves, structure = tree.flatten(kept)
            _, pull = vjp_of_leaves(lambda given: call(*structure.unflatten(given)), leaves)
            return structure.unflatten(pull(cotangents))

        # The way back of a step leads to its arguments alone.
        apart = _follows(tree.leaves(arguments)) and not _follows(Guards(f).arrays)
        made = stepped(arguments, forward, back, "checkpoint", recorded) if apart else None
        return f(*args, **kwargs) if made is None else made[0]

    return transformed


remat = checkpoint
