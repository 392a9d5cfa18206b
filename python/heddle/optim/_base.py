"""What an optimiser is: a pair of functions, and states that are trees of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._typing import ArrayLike, Tree

_Params = TypeVar("_Params")
_Number = TypeVar("_Number")

__all__ = [
    "EmptyState",
    "GradientTransformation",
    "GradientTransformationExtraArgs",
    "apply_updates",
    "chain",
    "global_norm",
    "identity",
]


class GradientTransformation(NamedTuple):
    """``init(params)`` gives a state, ``update(updates, state, params)`` updates and the next one.

    Updates begin as gradients, and end as what is to be added to the parameters.
    """

    init: Callable[[Any], Any]
    update: Callable[..., tuple[Any, Any]]


class GradientTransformationExtraArgs(GradientTransformation):
    """One whose ``update`` takes more, by keywords: a line search needs the function itself."""


class EmptyState(NamedTuple):
    """The state of what has none."""


def without_state(f: Callable[[Any, Any], Any]) -> GradientTransformation:
    """A transformation that is a function of updates and parameters."""
    return GradientTransformation(
        lambda params: EmptyState(),
        lambda updates, state, params=None: (f(updates, params), state),
    )


def identity() -> GradientTransformation:
    """Updates as they are.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.identity()
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 1., -4.])
    """
    return without_state(lambda updates, params: updates)


def chain(*transformations: GradientTransformation) -> GradientTransformationExtraArgs:
    """Transformations one after the other; the state is a tuple of theirs.

    >>> import heddle as np
    >>> rule = np.optim.chain(np.optim.clip(1.0), np.optim.scale(-0.1))
    >>> updates, _ = rule.update(np.array([0.5, 7.0]), rule.init(np.zeros(2)))
    >>> print(updates)
    [-0.05 -0.1 ]
    """

    def init(params: Tree) -> tuple[object, ...]:
        return tuple(one.init(params) for one in transformations)

    def update(
        updates: Tree, state: tuple[object, ...], params: Tree | None = None, **extra: object
    ) -> tuple[Any, tuple[Any, ...]]:
        if len(state) != len(transformations):
            raise ValueError(
                f"chain: {len(state)} states for {len(transformations)} transformations: "
                "the state is of another optimiser"
            )
        made = []
        for one, before in zip(transformations, state, strict=True):
            more = extra if isinstance(one, GradientTransformationExtraArgs) else {}
            updates, after = one.update(updates, before, params, **more)
            made.append(after)
        return updates, tuple(made)

    return GradientTransformationExtraArgs(init, update)


def apply_updates(params: _Params, updates: Tree) -> _Params:
    """``params + updates``, leaf by leaf, in the types of the parameters.

    >>> import heddle as np
    >>> print(np.optim.apply_updates({"w": np.ones(2)}, {"w": np.array([1.0, 2.0])}))
    {'w': array([2., 3.])}
    """

    def moved(p: ArrayLike, u: ArrayLike) -> ndarray:
        p = hd.asarray(p)
        return (p + u).astype(p.dtype, copy=False)

    return cast("_Params", tree.map(moved, params, updates))


def number_like(value: _Number, like: ndarray) -> _Number | ndarray:
    """A factor that does not change the type of an array: one that is an array itself is cast."""
    return value.astype(like.dtype) if isinstance(value, _core.own_array) else value


def dot(a: ArrayLike | None, b: ArrayLike | None) -> ndarray:
    """The sum of products over all leaves of two trees."""
    products = [hd.sum(x * y) for x, y in zip(tree.leaves(a), tree.leaves(b), strict=True)]
    return sum(products[1:], start=products[0]) if products else hd.zeros(())


def global_norm(updates: Tree) -> ndarray:
    """The length of a tree as one vector.

    >>> import heddle as np
    >>> print(np.optim.global_norm({"a": np.array([3.0]), "b": np.array([4.0])}))
    5.0
    """
    return hd.sqrt(dot(updates, updates))
