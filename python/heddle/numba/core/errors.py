"""Numba's ``numba.core.errors``: what is caught and filtered by their names.

Whatever cannot be compiled is a `heddle.simt.KernelError`: all names of errors stand for it. There
are no warnings; filters of them are of classes that nothing here warns with.
"""

from heddle.simt._errors import KernelError

NumbaError = TypingError = UnsupportedError = LoweringError = KernelError
UnsupportedBytecodeError = NumbaTypeError = NumbaValueError = NumbaAttributeError = KernelError


class NumbaWarning(Warning):
    """Numba's warnings."""


class NumbaPerformanceWarning(NumbaWarning):
    """What could be quicker."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """What will be gone."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """What will be gone later."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """What may change."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """Types that may not hold all values."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """Loops that may not run on all cores."""


class NumbaDebugInfoWarning(NumbaWarning):
    """What debuggers may not see."""


class NumbaIRAssumptionWarning(NumbaWarning):
    """What the compiler took for granted."""


__all__ = [
    *("KernelError", "LoweringError", "NumbaAttributeError", "NumbaDebugInfoWarning"),
    *("NumbaDeprecationWarning", "NumbaError", "NumbaExperimentalFeatureWarning"),
    *("NumbaIRAssumptionWarning", "NumbaParallelSafetyWarning", "NumbaPendingDeprecationWarning"),
    *("NumbaPerformanceWarning", "NumbaTypeError", "NumbaTypeSafetyWarning", "NumbaValueError"),
    *("NumbaWarning", "TypingError", "UnsupportedBytecodeError", "UnsupportedError"),
]
