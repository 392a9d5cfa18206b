"""The ufuncs of Python's binary operators, by the symbols that their rows of the op table have."""

from heddle._core import ufunc, ufuncs

operators: dict[str, ufunc] = {
    u.facts["symbol"]: u for u in ufuncs.values() if u.nout == 1 and u.facts["symbol"]
}
