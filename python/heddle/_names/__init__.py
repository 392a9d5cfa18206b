"""Names apart from NumPy's topics: those left out, CuPy's, those that moved, and help."""
