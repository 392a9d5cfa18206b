"""Looking at what `jit` recorded: the steps, and the kernels that they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.shapes import ShapeDtypeStruct, is_shape
from heddle.random._recording import Draws

if TYPE_CHECKING:
    from heddle._transform.compiling import Jitted
    from heddle._transform.drawing import Drawing


class Lowered:
    """A call that was recorded: what it does, step by step."""

    def __init__(self, jitted: Jitted[..., Any], script: Any, arrays: list[hd.ndarray]) -> None:
        self._jitted, self._script, self._arrays = jitted, script, arrays

    def as_text(self) -> str:
        """A line for each step. Numbers of Python's are constants of it."""
        return self._script.text()  # type: ignore[no-any-return]

    def cost_analysis(self) -> dict[str, int]:
        """What the kernels that the steps become move: see `Compiled.cost_analysis`."""
        return self.compile().cost_analysis()

    def compile(self) -> Compiled:
        """The kernels that the steps become."""
        return Compiled(self._jitted, self._script, self._arrays)


class Compiled:
    """The kernels of a recorded call, planned as one program."""

    def __init__(self, jitted: Jitted[..., Any], script: Any, arrays: list[hd.ndarray]) -> None:
        self._jitted = jitted
        copies = [a.copy() for a in arrays]
        hd.eval(*copies)
        # Which words are drawn makes no difference to the kernels.
        streams = [((0, 0), (0, 0, 0, 0))] * len(script.sources)
        made = script.repeat(copies, (), streams, apart=True)
        if made is None:
            raise ValueError("compile: the call cannot be repeated")
        results = [*made, *copies]
        self._text: str = _core.explain(*results)
        self._picture = _core.picture(*results)
        kernels, calls, read, written = _core.cost(*results)
        self._cost = {
            "kernels": kernels,
            "library calls": calls,
            "bytes read": read,
            "bytes written": written,
            "bytes accessed": read + written,
        }
        outputs = sum(a.nbytes for a in made)
        stored = sum(
            hd.dtype(dtype).itemsize * _size(shape)
            for _, dtype, shape, kernel, _, is_stored, _ in self._picture
            if is_stored and kernel >= 0 and dtype != "bfloat16"
        )
        self._memory = {
            "argument_size_in_bytes": sum(a.nbytes for a in arrays),
            "output_size_in_bytes": outputs,
            "temp_size_in_bytes": max(stored - outputs, 0),
        }

    def as_text(self) -> str:
        """What `explain` says: kernels, what they move, and why they are not one."""
        return self._text

    def draw(self) -> Drawing:
        """A picture of it, as `heddle.draw` gives it."""
        from heddle._transform.drawing import Drawing

        return Drawing(self._picture)

    def cost_analysis(self) -> dict[str, int]:
        """How many kernels and calls of libraries there are, and the bytes that they move."""
        return dict(self._cost)

    def memory_analysis(self) -> dict[str, int]:
        """The bytes of arguments, of results, and of what is memory in between."""
        return dict(self._memory)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself."""
        return self._jitted(*args, **kwargs)


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def lower(
    jitted: Jitted[..., Any],
    f: Callable[..., Any],
    args: tuple[object, ...],
    kwargs: dict[str, Any],
) -> Lowered:
    """Record a call on copies of its arguments; shapes and types alone stand for zeros."""

    def copied(leaf: object) -> Any:
        if isinstance(leaf, ShapeDtypeStruct):
            return hd.zeros(leaf.shape, leaf.dtype)
        return leaf.copy() if isinstance(leaf, _core.own_array) else leaf

    given, named = tree.map(copied, (list(args), kwargs), is_leaf=is_shape)
    arrays = [leaf for leaf in tree.leaves((given, named)) if isinstance(leaf, _core.own_array)]
    before = [a.copy() for a in arrays]
    draws = Draws()
    _core.start_script(arrays)
    try:
        with draws:
            result = f(*given, **named)
        leaves = [leaf for leaf in tree.leaves(result) if isinstance(leaf, _core.own_array)]
        script = _core.take_script(leaves)
    finally:
        _core.stop_script()
        draws.undo()
    if script.impossible or draws.problem:
        raise ValueError(f"lower: {script.impossible or draws.problem}")
    return Lowered(jitted, script, before)
