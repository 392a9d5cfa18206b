"""Laguerre series: the functions and the class, made from the family's table."""

from heddle.polynomial._binding import define
from heddle.polynomial._families import laguerre

define(laguerre, globals())
