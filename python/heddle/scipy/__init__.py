"""Parts of SciPy that run on heddle's arrays, on every device: ``heddle.scipy.special``."""

import sys

from heddle import special as special

__all__ = ["special"]

sys.modules[f"{__name__}.special"] = special
