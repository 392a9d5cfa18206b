"""Transformations of functions: derivatives of ordinary NumPy code, writes included."""

from heddle._transform.forward import hvp, jvp, linear_transpose, linearize
from heddle._transform.reverse import grad, stop_gradient, value_and_grad, vjp

__all__ = [
    "grad",
    "hvp",
    "jvp",
    "linear_transpose",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
