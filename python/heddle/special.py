"""Special functions, as ``scipy.special``: ufuncs with the keywords and methods of NumPy's.

They are computed by kernels as everything else, and fuse with what is around them. Types are
SciPy's: float32 and float64, and everything else that is real is converted to float64. Complex
numbers are refused.

>>> import heddle
>>> heddle.special.erf(heddle.array([0.0, 0.5, -heddle.inf])).round(6)
array([ 0.    ,  0.5205, -1.    ])
"""

from heddle._core import special_ufuncs

globals().update(special_ufuncs)

__all__ = list(special_ufuncs)
