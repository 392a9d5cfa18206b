"""Meshes of devices, as JAX's ``sharding`` has them."""

from heddle import Mesh, PartitionSpec

__all__ = ["Mesh", "PartitionSpec"]
