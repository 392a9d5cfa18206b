"""Shapes and axes, joining and splitting, editing, padding, views by strides."""
