"""The runtime's functions and types (cuda_runtime_api.h); calls give tuples."""

from heddle.cuda.bindings._libraries import names_of

__getattr__, __dir__ = names_of("runtime", globals())
