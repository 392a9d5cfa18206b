"""Products of vectors and matrices, einsum, and what `heddle.linalg` is made of."""
