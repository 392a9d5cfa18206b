"""Transformations of functions: derivatives and batches of ordinary NumPy code, writes included."""

from heddle._transform.batching import vmap
from heddle._transform.compiling import jit
from heddle._transform.forward import hvp, jvp, linear_transpose, linearize
from heddle._transform.jacobians import hessian, jacfwd, jacobian, jacrev
from heddle._transform.reverse import grad, stop_gradient, value_and_grad, vjp

__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linear_transpose",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]
