"""The array's own: methods, attributes, flags, `flat`, and its way to NumPy's arrays and back."""
