"""Functions that are computed again on the way back, as JAX's ``ad_checkpoint`` has them."""

from heddle import checkpoint, checkpoint_policies
from heddle._names.public import publish as _publish
from heddle._transform.naming import checkpoint_name

__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies"]


_publish(__name__, checkpoint_name)
