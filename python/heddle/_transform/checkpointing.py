"""Functions that are computed again on the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from heddle import _core, tree
from heddle._transform.arguments import check_callable, positions_in
from heddle._transform.compiling import Jitted, as_input
from heddle._transform.guards import Guards
from heddle._transform.naming import Named, NamedAgain
from heddle._transform.own_steps import (
    arrays_of,
    positions_by_name,
    stepped,
    vjp_of_leaves,
    with_fixed,
)
from heddle._transform.parallel import axes_of_thread
from heddle.checkpoint_policies import everything_saveable, picked_by
from heddle.random._recording import Draws, recordings

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _copied(leaf: object) -> Any:
    """A copy of an array, which cannot be written to where that cannot."""
    if not isinstance(leaf, _core.own_array):
        return leaf
    made = leaf.copy()
    made.setflags(write=leaf.flags.writeable)
    return made


def _follows(leaves: Sequence[object]) -> bool:
    """Whether somebody who differentiates may want derivatives with respect to one of these."""
    arrays = [one for one in leaves if isinstance(one, _core.own_array)]
    nodes = _core.rules_are_nodes()
    return any(nodes or _core.is_differentiated(one) or _core.is_stand_in(one) for one in arrays)


class _DrawsAnew(Exception):
    """What a function draws cannot be drawn once more: it is called as it is."""


@overload
def checkpoint(
    fun: Callable[_P, _R],
    *,
    prevent_cse: bool = True,
    policy: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[_P, _R]: ...
@overload
def checkpoint(
    fun: None = None,
    *,
    prevent_cse: bool = True,
    policy: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...


def checkpoint(
    fun: Callable[..., Any] | None = None,
    *,
    prevent_cse: bool = True,
    policy: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Any:
    """A function that keeps its arguments for the way back, and is computed again there.

    That takes memory for one call at a time instead of all, and the time of a second forward pass.
    What is computed again is the recorded call, as `jit` has it; with a policy that keeps values by
    name it is the function. Arguments at ``static_argnums``,
    or with ``static_argnames``, are compared by value, and have no derivatives. ``policy`` is one
    of `heddle.checkpoint_policies`: what is kept. ``prevent_cse`` may be either: `jit` never makes
    one of the two computations. A function that reads arrays from outside which
    are differentiated is called as it is: pass them as arguments. One that draws random numbers
    draws the same ones again; inside of `jit` it is called as it is.

    >>> import heddle as np
    >>> step = np.checkpoint(lambda x: np.sin(x) * 2)
    >>> print(np.grad(lambda x: step(step(x)))(0.0))
    4.0
    """
    if fun is None:
        return functools.partial(
            checkpoint,
            prevent_cse=prevent_cse,
            policy=policy,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
    f = fun
    check_callable(f, "checkpoint")
    if policy is everything_saveable:
        return f
    picks = picked_by(policy)
    positions = positions_by_name(f, static_argnums, static_argnames, "checkpoint")
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)

    def told(names: Named, args: Any, kwargs: Any) -> Any:
        """The result, and what the arrays are that the function wrote to among its arguments."""
        arrays = arrays_of((args, kwargs))
        before = _core.HeldValues(arrays)
        with names:
            result = f(*args, **kwargs)
        # What cannot be written to is as it was: a recorded call inside gave it its value anew.
        changed = zip(arrays, before.changed(arrays), strict=True)
        return result, [one if new and one.flags.writeable else None for one, new in changed]

    @functools.wraps(f)
    def telling(*args: object, **kwargs: object) -> Any:
        """The same, and what the policy keeps."""
        names = Named(picks)
        return told(names, args, kwargs), names.values

    recorded = Jitted(telling, positions, names)

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

        def once_more(named: list[Any], given: Any) -> Any:
            if picks is None:
                return call(*given)[0]
            # What is kept is no result of what is recorded: the function itself runs again.
            return call(*given, of=lambda *a, **k: told(NamedAgain(picks, named), a, k))

        as_node = _core.rules_are_nodes()

        def forward(given: object) -> tuple[Any, Any]:
            # What the function writes to its arguments is not to be seen on the way back. Who
            # differentiates hears nothing of it either, nor that recording gives arrays that share
            # their values others: the arguments themselves stay as they are.
            kept, own = tree.map(_copied, given), tree.map(_copied, given)
            # Nobody who differentiates hears what a node is computed of, nor may a recorded call
            # be made of that: the way back would repeat it.
            with Draws() as draws:
                made, named = call(*own, of=telling if as_node else recorded)
            # A call that is recorded around this one draws anew each time, of which the way back
            # would not hear.
            if draws.any and (recordings.stack or not draws.can_be_had_again):
                draws.undo()
                raise _DrawsAnew
            return made, (kept, named, draws)

        def back(residuals: Any, cotangents: Any) -> Any:
            kept, named, draws = residuals
            # What leads here from the calls after this one is done with before this one runs again:
            # else all of them would be pending, and then in memory, at the same time.
            given = tree.leaves(cotangents)
            if not any(map(_core.is_stand_in, given)):
                _core.eval(*given)
            leaves, structure = tree.flatten(kept)

            def again(given: Any) -> Any:
                own = structure.unflatten(given)
                result, written = once_more(named, own)
                # Which arrays were written to the first call has said; one that a recorded call
                # inside gave a copy of its value is as it was.
                wanted = zip(arrays_of(own), written, cotangents[1], strict=True)
                return result, [
                    None if one is None else array if new is None else new
                    for array, new, one in wanted
                ]

            with draws.once_more():
                _, pull = vjp_of_leaves(again, leaves)
            return structure.unflatten(pull(cotangents))

        # The way back of a step leads to its arguments alone, and that of a node is walked outside
        # of the axes that have names here.
        outside = Guards(f).arrays
        arrays = arrays_of(arguments)
        apart = _follows(tree.leaves(arguments)) and not _follows(outside)
        apart = apart and not (as_node and axes_of_thread.stack)
        if not apart or _core.share_storage(arrays + outside):
            with Named():  # of this function no policy of another one keeps anything
                return f(*args, **kwargs)
        arguments = tree.map(as_input, arguments)
        arrays = arrays_of(arguments)
        try:
            made = stepped(arguments, forward, back, "checkpoint", recorded, rules=(f,))
        except _DrawsAnew:
            made = None
        if made is None:
            with Named():
                return f(*args, **kwargs)
        result, written = made[0]
        for array, new in zip(arrays, written, strict=True):
            if new is not None:
                array[...] = new
        return result

    return transformed


remat = checkpoint
