"""Sorting and searching; sets."""
