"""What `checkpoint` keeps for the way back: JAX's names.

A checkpointed call keeps its arguments and is computed again as a whole: nothing is kept of what
it computes, which is usual, everything, which is no checkpoint, or what it has given names to by
``checkpoint_name`` of `heddle.jax.ad_checkpoint`. Policies that pick operations are refused: name
what they make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "everything_saveable",
    "nothing_saveable",
    "save_any_names_but_these",
    "save_from_both_policies",
    "save_only_these_names",
]


def everything_saveable(*_: object, **__: object) -> bool:
    """Keep all that the way back needs: nothing is computed again.

    >>> import heddle as np
    >>> f = np.checkpoint(np.sin, policy=np.checkpoint_policies.everything_saveable)
    >>> print(np.grad(f)(0.0))
    1.0
    """
    return True


def nothing_saveable(*_: object, **__: object) -> bool:
    """Keep the arguments alone, as `checkpoint` does if nothing is said.

    >>> import heddle as np
    >>> f = np.checkpoint(np.sin, policy=np.checkpoint_policies.nothing_saveable)
    >>> print(np.grad(f)(0.0))
    1.0
    """
    return False


class _Names:
    """A policy that picks values by their names."""

    def __init__(self, picks: Callable[[str], bool]) -> None:
        self.picks = picks

    def __call__(self, primitive: object, *_: object, name: str = "", **__: object) -> bool:
        return bool(name) and self.picks(name)


def save_only_these_names(*names_which_can_be_saved: str) -> Callable[..., bool]:
    """Keep the values of these names.

    >>> import heddle as np
    >>> from heddle.jax.ad_checkpoint import checkpoint_name
    >>> def f(x):
    ...     return np.sin(checkpoint_name(np.exp(x), "grown"))
    >>> f = np.checkpoint(f, policy=np.checkpoint_policies.save_only_these_names("grown"))
    >>> print(np.grad(f)(0.0).round(3))
    0.54
    """
    names = frozenset(names_which_can_be_saved)
    return _Names(lambda name: name in names)


def save_any_names_but_these(*names_not_to_save: str) -> Callable[..., bool]:
    """Keep the values of all names but some, and nothing without a name.

    >>> import heddle as np
    >>> policy = np.checkpoint_policies.save_any_names_but_these("large")
    >>> print(np.grad(np.checkpoint(np.sin, policy=policy))(0.0))
    1.0
    """
    names = frozenset(names_not_to_save)
    return _Names(lambda name: name not in names)


def save_from_both_policies(
    policy_1: Callable[..., bool], policy_2: Callable[..., bool]
) -> Callable[..., bool]:
    """Keep what either of two policies keeps.

    >>> import heddle as np
    >>> by_name = np.checkpoint_policies.save_only_these_names
    >>> policy = np.checkpoint_policies.save_from_both_policies(by_name("a"), by_name("b"))
    >>> print(np.grad(np.checkpoint(np.sin, policy=policy))(0.0))
    1.0
    """
    if everything_saveable in (policy_1, policy_2):
        return everything_saveable
    one, other = picked_by(policy_1), picked_by(policy_2)
    if one is None or other is None:
        return policy_2 if one is None else policy_1
    return _Names(lambda name: one(name) or other(name))


def __getattr__(name: str) -> Any:
    refused = (
        "checkpoint_dots",
        "checkpoint_dots_with_no_batch_dims",
        "dots_saveable",
        "dots_with_no_batch_dims_saveable",
        "offload_dot_with_no_batch_dims",
        "save_and_offload_only_these_names",
        "save_anything_except_these_names",
    )
    if name in refused:
        raise NotImplementedError(
            f"checkpoint_policies.{name}: a checkpointed call keeps what has a name: give one by "
            "checkpoint_name, and say save_only_these_names"
        )
    raise AttributeError(f"checkpoint_policies has no {name!r}")


def picked_by(policy: object) -> Callable[[str], bool] | None:
    """Which names a policy keeps, if any: NotImplementedError for one that picks operations."""
    if policy is None or policy is nothing_saveable:
        return None
    if isinstance(policy, _Names):
        return policy.picks
    raise NotImplementedError(
        "checkpoint: policy is one of checkpoint_policies: a call keeps what has a name, and "
        f"{policy!r} would pick operations inside of it"
    )
