"""Taking and putting elements, and walking through them."""
