"""``scipy.cluster`` for arrays of every device: `vq`, and `hierarchy`."""

from heddle.scipy.cluster import hierarchy, vq

__all__ = ["hierarchy", "vq"]
