"""Legendre series: the functions and the class, made from the family's table."""

from ._binding import define
from ._families import legendre

define(legendre, globals())
