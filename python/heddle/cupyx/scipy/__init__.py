"""``cupyx.scipy`` of CuPy: ``heddle.scipy``."""

import sys

from heddle.scipy import special as special

__all__ = ["special"]

sys.modules[f"{__name__}.special"] = special
