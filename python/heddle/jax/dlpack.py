"""Arrays of other libraries without a copy, as JAX's ``dlpack`` has it."""

from heddle import from_dlpack

__all__ = ["from_dlpack"]
