"""Indexing of compressed formats."""

from __future__ import annotations

from typing import Any


class Indexing:
    """Reads and writes parts."""

    def __getitem__(self: Any, key: Any) -> Any:
        raise NotImplementedError
