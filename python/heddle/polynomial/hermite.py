"""Hermite series ("physicists'"): the functions and the class, made from the family's table."""

from heddle.polynomial._binding import define
from heddle.polynomial._families import hermite

define(hermite, globals())
