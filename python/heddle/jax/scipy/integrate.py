"""Integrals of samples, as JAX's ``scipy.integrate`` has them."""

from heddle import trapezoid

__all__ = ["trapezoid"]
