"""Values that a checkpointed function names, for policies that keep some of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from heddle import _core, tree
from heddle._core import ndarray
from heddle._typing import Tree

Picks = Callable[[str], bool] | None  # which names are kept; None: none


class Named:
    """What names do inside of a ``with``: values that are picked are kept in `values`.

    Only those that are made where the function itself runs: not inside of functions that it maps,
    differentiates or records, where they stand for more than one value, or are not named again.
    """

    def __init__(self, picks: Picks = None) -> None:
        self._picks = picks
        self.values: list[ndarray] = []

    def __enter__(self) -> Named:
        self._number = _core.recorder_number()
        inside.stack.append(self)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        inside.stack.remove(self)

    def picks(self, name: str) -> bool:
        here = self._number == _core.recorder_number()
        return here and self._picks is not None and self._picks(name)

    def take(self, value: ndarray) -> ndarray:
        self.values.append(_core.as_now(value))
        return value


class NamedAgain(Named):
    """The same for a second run: values that were kept are not computed again."""

    def __init__(self, picks: Picks, values: Sequence[ndarray]) -> None:
        super().__init__(picks)
        self._kept = iter(values)

    def __exit__(self, kind: object, *rest: object) -> None:
        super().__exit__(kind, *rest)
        if kind is None and next(self._kept, None) is not None:
            raise _differs()

    def take(self, value: ndarray) -> ndarray:
        kept = next(self._kept, None)
        if kept is None or (kept.shape, kept.dtype) != (value.shape, value.dtype):
            raise _differs()
        from heddle._transform.own_steps import as_step

        made = as_step(
            (value,), lambda _: (kept, None), lambda _, slope: (slope,), "checkpoint_name"
        )
        return _core.as_now(kept) if made is None else made[0]


def _differs() -> RuntimeError:
    return RuntimeError(
        "checkpoint: the function names other values when it is computed again than it did first"
    )


class _Thread(threading.local):
    def __init__(self) -> None:
        self.stack: list[Named] = []


inside = _Thread()


def checkpoint_name(x: Tree, name: str) -> Tree:
    """The same values, with a name that policies of `checkpoint` know them by.

    >>> import heddle as np
    >>> from heddle.jax.ad_checkpoint import checkpoint_name
    >>> keep = np.checkpoint_policies.save_only_these_names("inner")
    >>> f = np.checkpoint(lambda x: np.sin(checkpoint_name(x * x, "inner")), policy=keep)
    >>> print(np.grad(f)(0.0))
    0.0
    """
    if not isinstance(name, str):
        raise TypeError(f"checkpoint_name: a name is a text, not {name!r}")
    names = inside.stack[-1] if inside.stack else None

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, _core.own_array):
            return leaf
        # Another array, so that writes to it do the same, whether it is kept or not.
        made = leaf.copy()
        return names.take(made) if names is not None and names.picks(name) else made

    return tree.map(one, x)
