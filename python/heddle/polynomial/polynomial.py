"""Power series: the functions and the class `Polynomial`, made from the family's table."""

from heddle.polynomial import _evaluation
from heddle.polynomial._binding import define, public
from heddle.polynomial._families import power

polyvalfromroots = public(_evaluation.polyvalfromroots, "polyvalfromroots", __name__)

__all__ = ["polyvalfromroots"]

define(power, globals())
