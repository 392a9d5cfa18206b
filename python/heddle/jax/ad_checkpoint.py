"""Functions that are computed again on the way back, as JAX's ``ad_checkpoint`` has them."""

from heddle import checkpoint, checkpoint_policies

__all__ = ["checkpoint", "checkpoint_policies"]
