"""Masked arrays: NumPy's own, in memory of the host.

Their functions take arrays of Heddle's that the host sees, and give NumPy's masked arrays, for
plots and for statistics of what is valid. Functions and operators of Heddle's run NumPy's on masked
arrays (`np.sqrt(masked)`, `x + masked`), which heed masks; `asarray` and `array` give the data, as
NumPy's do. To compute with masks on any device, use `where=` or the nan functions.

Examples
--------
>>> import heddle as np
>>> x = np.arange(5.0)
>>> np.ma.masked_where(x > 2, x)
masked_array(data=[0.0, 1.0, 2.0, --, --],
             mask=[False, False, False,  True,  True],
       fill_value=1e+20)
>>> np.ma.array(x, mask=x > 3).mean()
np.float64(1.5)
"""

from numpy.ma import *  # noqa: F403
from numpy.ma import __all__ as __all__
