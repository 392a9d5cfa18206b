"""Power series: the functions and the class `Polynomial`, made from the family's table."""

from . import _evaluation
from ._binding import define, public
from ._families import power

polyvalfromroots = public(_evaluation.polyvalfromroots, "polyvalfromroots", __name__)

__all__ = ["polyvalfromroots"]

define(power, globals())
