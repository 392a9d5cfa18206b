"""Pictures of pending work: operations, what they read, and the kernels that they become."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Callable
from os import PathLike
from typing import Any

from heddle import _core, tree
from heddle._typing import Tree

_MEMORY = -2  # as the core numbers kernels: a value that is there


class Drawing:
    """What `draw` gives: ``str`` of it is text, notebooks show the picture.

    Attributes
    ----------
    dot : str
        The graph in the language of graphviz.
    """

    def __init__(self, nodes: list[Any]) -> None:
        self._nodes = nodes
        self.dot = _as_dot(nodes)

    def svg(self) -> str | None:
        """The picture, drawn by graphviz; None where that is not installed."""
        program = shutil.which("dot")
        if program is None:
            return None
        made = subprocess.run(
            [program, "-Tsvg"], input=self.dot, capture_output=True, text=True, check=True
        )
        return made.stdout

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file; without graphviz the text in its language."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg() or self.dot)

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def __str__(self) -> str:
        return _as_text(self._nodes)

    def __repr__(self) -> str:
        return str(self)


def _type_of(node: Any) -> str:
    _, dtype, shape, *_ = node
    return f"{dtype}[{','.join(map(str, shape))}]"


def _by_kernel(nodes: list[Any]) -> dict[int, list[int]]:
    kernels: dict[int, list[int]] = {}
    for place, (_, _, _, kernel, *_) in enumerate(nodes):
        if kernel >= 0:
            kernels.setdefault(kernel, []).append(place)
    return dict(sorted(kernels.items()))


def _as_text(nodes: list[Any]) -> str:
    if not nodes:
        return "nothing is pending: the data is in memory"
    kernels = _by_kernel(nodes)
    # What is computed where it is read stands with its readers.
    lines = []
    for number, (kernel, places) in enumerate(kernels.items(), 1):
        kind = "library call" if nodes[places[0]][4] else "kernel"
        lines.append(f"{kind} {number}")
        for place in places + [p for p in _inside(nodes, places) if nodes[p][3] != kernel]:
            label, _, _, _, _, stored, reads = nodes[place]
            given = ", ".join(_name(nodes, read) for read in reads)
            mark = " -> memory" if stored else ""
            lines.append(f"  %{place} {_type_of(nodes[place])} = {label}({given}){mark}")
    return "\n".join(lines)


def _name(nodes: list[Any], place: int) -> str:
    return f"memory {_type_of(nodes[place])}" if nodes[place][3] == _MEMORY else f"%{place}"


def _inside(nodes: list[Any], places: list[int]) -> list[int]:
    """What is in no kernel of its own, and read by these."""
    found: list[int] = []
    left = list(places)
    while left:
        for read in nodes[left.pop()][6]:
            if nodes[read][3] == -1 and read not in found:
                found.append(read)
                left.append(read)
    return sorted(found)


def _as_dot(nodes: list[Any]) -> str:
    lines = [
        "digraph {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica"];',
        '  graph [fontname="Helvetica"];',
    ]

    def node(place: int) -> str:
        label, _, _, kernel, _, stored, _ = nodes[place]
        shape = ", shape=cylinder, fillcolor=lightgrey" if kernel == _MEMORY else ""
        thick = ", penwidth=2" if stored else ""
        text = html.escape(f"{label}\\n{_type_of(nodes[place])}", quote=False)
        return f'n{place} [label="{text}"{shape}{thick}];'

    in_kernels = set()
    for number, places in enumerate(_by_kernel(nodes).values(), 1):
        kind = "library call" if nodes[places[0]][4] else "kernel"
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f'    label="{kind} {number}"; style="rounded,filled"; fillcolor=aliceblue;')
        lines += [f"    {node(place)}" for place in places]
        lines.append("  }")
        in_kernels.update(places)
    lines += [f"  {node(place)}" for place in range(len(nodes)) if place not in in_kernels]
    for place, (*_, reads) in enumerate(nodes):
        lines += [f"  n{read} -> n{place};" for read in reads]
    return "\n".join([*lines, "}"])


def draw(x: Tree | Callable[..., Tree], *args: object, **kwargs: object) -> Drawing:
    """A picture of what is pending: operations, and the kernels that they become, as boxes.

    ``x`` is an array, or a tree of them; or a function, which is called with the other arguments
    and whose results are drawn. Nothing is computed but what the function looks at, work on few
    elements included, which is done at the call elsewhere.

    >>> import heddle as np
    >>> print(np.draw(lambda x: np.sin(x) * 2, np.ones(3).eval()))
    kernel 1
      %1 float64[3] = sin(memory float64[3])
      %2 float64[3] = multiply(%1) -> memory
    """
    if callable(x):
        before = _core.exchange_at_once(0)
        try:
            x = x(*args, **kwargs)
        finally:
            _core.exchange_at_once(before)
    elif args or kwargs:
        raise TypeError("draw: arguments are for a function")
    arrays = [leaf for leaf in tree.leaves(x) if isinstance(leaf, _core.own_array)]
    if not arrays:
        raise TypeError("draw: there is no array to draw")
    return Drawing(_core.picture(*arrays))


__all__ = ["draw"]
