"""The flags of an array: how its memory lies and whether it may be written."""

from __future__ import annotations

from heddle._core import ndarray

_names = {
    "C_CONTIGUOUS": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "F": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
    "WRITEBACKIFCOPY": "writebackifcopy",
    "X": "writebackifcopy",
    "BEHAVED": "behaved",
    "B": "behaved",
    "CARRAY": "carray",
    "CA": "carray",
    "FARRAY": "farray",
    "FA": "farray",
    "FNC": "fnc",
    "FORC": "forc",
}


class flagsobj:
    """Information about the memory layout of an array; ``writeable`` can be set."""

    __slots__ = ("_array",)

    def __init__(self, array: ndarray) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        return self._array._c_contiguous

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        return self._array._f_contiguous

    fortran = f_contiguous

    @property
    def owndata(self) -> bool:
        return self._array.base is None

    @property
    def writeable(self) -> bool:
        return self._array._writeable and not self._array._is_scalar

    @writeable.setter
    def writeable(self, flag: bool) -> None:
        self._array._writeable = bool(flag)

    @property
    def aligned(self) -> bool:
        return True

    @property
    def writebackifcopy(self) -> bool:
        return False

    @property
    def behaved(self) -> bool:
        return self.writeable

    @property
    def carray(self) -> bool:
        return self.behaved and self.c_contiguous

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def farray(self) -> bool:
        return self.behaved and self.fnc

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    @property
    def num(self) -> int:
        return (
            self.c_contiguous
            | self.f_contiguous << 1
            | self.owndata << 2
            | self.aligned << 8
            | self.writeable << 10
        )

    def __getitem__(self, key: object) -> bool:
        if not isinstance(key, str) or key not in _names:
            raise KeyError("Unknown flag")
        return bool(getattr(self, _names[key]))

    def __setitem__(self, key: str, value: bool) -> None:
        if _names.get(key) != "writeable":
            raise KeyError("Unknown flag" if key not in _names else f"{key} cannot be set")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, flagsobj) and self.num == other.num

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
        lines = [f"  {name} : {self[name]}" for name in (*shown, "WRITEBACKIFCOPY")]
        return "\n".join(lines) + "\n"


def setflags(
    self: ndarray, write: bool | None = None, align: object = None, uic: object = None
) -> None:
    """Sets the flag ``writeable``; the others follow from the memory and cannot be changed.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.zeros(3)
    >>> x.setflags(write=False)
    >>> x.flags.writeable
    False
    """
    if align is not None and not align:
        raise ValueError("setflags: arrays are always aligned")
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self.flags.writeable = write
