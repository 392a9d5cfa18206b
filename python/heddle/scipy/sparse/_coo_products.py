"""Products and indexing of coordinates with any number of axes."""

from __future__ import annotations

from typing import Any


class Products:
    """What coordinates of more than two axes are multiplied by, and indexed with."""

    def __getitem__(self: Any, key: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not subscriptable")
