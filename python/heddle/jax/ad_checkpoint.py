"""Functions that are computed again on the way back, as JAX's ``ad_checkpoint`` has them."""

from heddle import checkpoint, checkpoint_policies
from heddle._names.public import publish as _publish
from heddle._typing import Tree

__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies"]


def checkpoint_name(x: Tree, name: str) -> Tree:
    """The same: names are for policies that pick values, which are not there.

    >>> from heddle.jax.ad_checkpoint import checkpoint_name
    >>> checkpoint_name(2.0, "kept")
    2.0
    """
    if not isinstance(name, str):
        raise TypeError(f"checkpoint_name: a name is a text, not {name!r}")
    return x


_publish(__name__, checkpoint_name)
