"""What compilers are told, by number, as the core has it (src/simt/program.h)."""

# How sums and products may be rounded.
EXACT, CONTRACTED, FAST = range(3)
# Whose division by zero is an error, in host functions.
NO_DIVISIONS, INTEGERS, ALL_DIVISIONS = range(3)
# How something was found that a function has read: `_compiled/saved.py` goes there again.
GLOBAL, CELL, ATTRIBUTE = range(3)
# Functions of these modules are the compiler's own: what they read is known by its sources.
LIBRARIES = (
    *("heddle.simt._library", "heddle.simt._library_matrices", "heddle.simt._library_statistics"),
    *("heddle.simt._library_lists", "heddle.simt._library_random", "heddle.simt._ranges"),
    *("heddle.simt._library_dictionaries", "heddle.simt._library_texts"),
    "heddle.simt._library_heaps",
)


class Absent:
    """What a name stands for that is not there: a builtin is meant."""
