"""Hermite series ("probabilists'"): the functions and the class, made from the family's table."""

from ._binding import define
from ._families import hermite_e

define(hermite_e, globals())
