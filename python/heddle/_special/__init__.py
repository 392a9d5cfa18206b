"""Functions of ``heddle.special`` that are composed of ufuncs, by topic."""
