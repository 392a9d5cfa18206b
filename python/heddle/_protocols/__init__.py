"""How arrays meet other libraries."""
