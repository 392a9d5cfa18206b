"""Checks of derivatives, as JAX's ``test_util`` has them."""

from heddle.debug import check_grads

__all__ = ["check_grads"]
