"""What compilers are told, by number, as the core has it (src/simt/program.h)."""

# How sums and products may be rounded.
EXACT, CONTRACTED, FAST = range(3)
# Whose division by zero is an error, in host functions.
NO_DIVISIONS, INTEGERS, ALL_DIVISIONS = range(3)
