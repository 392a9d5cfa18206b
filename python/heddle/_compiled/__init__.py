"""Functions of Python's that are compiled whole: `njit`, and its kin."""
