"""Files and printing."""
