"""Making arrays: from data, filled, counted; grids, triangles and diagonals."""
