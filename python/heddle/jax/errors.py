"""Errors by JAX's names: here they are Python's own.

What asks for elements of stand-ins, as ``if x > 0`` inside of `vmap`, raises `TypeError`.
"""

JAXTypeError = ConcretizationTypeError = TracerArrayConversionError = TypeError
TracerBoolConversionError = TracerIntegerConversionError = UnexpectedTracerError = TypeError
NonConcreteBooleanIndexError = TypeError
JAXIndexError = IndexError
JaxRuntimeError = RuntimeError

__all__ = [
    "ConcretizationTypeError",
    "JAXIndexError",
    "JAXTypeError",
    "JaxRuntimeError",
    "NonConcreteBooleanIndexError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "UnexpectedTracerError",
]
