"""What `checkpoint` keeps for the way back: JAX's names.

A checkpointed call keeps its arguments and is computed again as a whole. So everything may be
kept, which is no checkpoint, or nothing; policies that pick some of the values in between are
refused: put what is to be kept into an argument, by a checkpoint on either side of it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["everything_saveable", "nothing_saveable"]


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


def __getattr__(name: str) -> Any:
    refused = (
        "checkpoint_dots",
        "checkpoint_dots_with_no_batch_dims",
        "dots_saveable",
        "dots_with_no_batch_dims_saveable",
        "offload_dot_with_no_batch_dims",
        "save_and_offload_only_these_names",
        "save_any_names_but_these",
        "save_from_both_policies",
        "save_only_these_names",
    )
    if name in refused:
        raise NotImplementedError(
            f"checkpoint_policies.{name}: a checkpointed call is computed again as a whole; "
            "end one checkpoint before the values that are to be kept, and begin another after them"
        )
    raise AttributeError(f"checkpoint_policies has no {name!r}")


def keeps_nothing(policy: object) -> bool:
    """Whether a call is computed again: NotImplementedError for a policy that picks values."""
    if policy is None or policy is nothing_saveable:
        return True
    if policy is everything_saveable:
        return False
    raise NotImplementedError(
        "checkpoint: policy is checkpoint_policies.nothing_saveable or everything_saveable; a "
        f"call is computed again as a whole, and {policy!r} would pick values inside of it"
    )
