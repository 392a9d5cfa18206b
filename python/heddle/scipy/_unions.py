"""Sets of elements that many threads join at once. Each is known by its first element, which is its
own parent."""

from heddle import simt
from heddle._typing import KernelArray


@simt.func
def first_of(parents: KernelArray, i: int) -> int:
    """The first element of the set that one is in."""
    while parents[i] != i:
        i = parents[i]
    return i


@simt.func
def join(parents: KernelArray, a: int, b: int) -> None:
    """Makes one set of those of two elements."""
    # The later first element gets the earlier one as its parent, unless somebody has changed it
    # meanwhile: then these two are to be joined.
    going = True
    while going:
        a = first_of(parents, a)
        b = first_of(parents, b)
        if a == b:
            going = False
        else:
            low = min(a, b)
            high = max(a, b)
            before = simt.atomic.min(parents, high, low)
            if before == high:
                going = False
            else:
                a = before
                b = low
