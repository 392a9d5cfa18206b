"""NVRTC's functions and types (nvrtc.h); calls give tuples that begin with the error."""

from heddle.cuda.bindings._libraries import names_of

__getattr__, __dir__ = names_of("nvrtc", globals())
