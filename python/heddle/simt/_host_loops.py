"""Loops of host functions: over ranges, written out where they are short, and on all cores."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from heddle.simt import _turns
from heddle.simt import _words as w
from heddle.simt._state import Var
from heddle.simt._statements import Statements
from heddle.simt._types import BOOL, INT64, OPS, Constant, Num, Number

_INT = Number(INT64, True)
_REDUCTIONS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "add",
    ast.Mult: "multiply",
    ast.Div: "multiply",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_MOST_TURNS, _MOST_UNROLLED = 4, 80  # of loops that are written out; nodes of their syntax


class HostLoops(Statements):
    """What `for` becomes."""

    parallel = True  # whether prange is
    in_parallel: bool = False
    in_function = False

    def fail(
        self, kind: object, arguments: tuple[object, ...], node: ast.AST, when: Num | None = None
    ) -> None:
        raise NotImplementedError

    def is_own(self, value: object) -> bool:
        raise NotImplementedError

    def counted(
        self, start: Num, stop: Num, step: Num, turn: Callable[..., Any], node: ast.AST
    ) -> None:
        self._ranged(start, stop, step, turn, node, None)

    def _ranged(
        self,
        start: Num,
        stop: Num,
        step: Num,
        turn: Callable[..., Any],
        node: ast.AST,
        reduced: list[tuple[Var, str]] | None,
    ) -> None:
        if step.constant is None:
            step = self.temporary(step, node)
            zero = super().apply("equal", [step, self.constant(0)], node)
            self.fail(ValueError, ("range() arg 3 must not be zero",), node, zero)
        counter = self.local(Number(INT64, not self.numba))
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        self.scope.loops += 1
        turn(self.read(counter))
        self.scope.loops -= 1
        self.scope.depth -= 1
        body, self.statements = self.statements, before
        parallel = reduced is not None
        words = [w.RANGE, self.line(node), counter.number, int(parallel)]
        for value in (start, stop, step):
            words += self.cast(value, _INT, node).words
        reduced = reduced or []
        words += (len(reduced), *(var.number for var, _ in reduced))
        words += (OPS[op][0] for _, op in reduced)
        self.statements.append([*words, *w.block(body)])

    def _do_for(self, node: ast.For) -> None:
        if not self._is_parallel(node):
            if not self._unrolled(node):
                super()._do_for(node)
            return
        if node.orelse:
            raise self.error(node, "prange has no else: nobody leaves it")
        iteration = self.iteration_of(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return):
                raise self.error(inner, "prange has no return inside")
            if isinstance(inner, ast.Break) and self._leaves(node, inner):
                raise self.error(inner, "prange has no break")
            if isinstance(inner, ast.Name) and self.is_own(self.scope.names.get(inner.id)):
                raise self.error(
                    inner,
                    f"'{inner.id}' is memory of the function, which turns of prange do not have; "
                    "make it inside of the loop",
                )
        reduced = self._reductions(node)
        self._refuse_shared_names(node, {var.number for var, _ in reduced})

        def turn(index: Num) -> None:
            self.assign(node.target, iteration.item(index))
            self.body(node.body)

        names = dict(self.scope.names)
        self.in_parallel = True
        around = self.begin_loop(node)
        self._ranged(iteration.start, iteration.stop, iteration.step, turn, node, reduced)
        self.end_loop(around, node)
        self.in_parallel = False
        # What the turns had for themselves is gone.
        self.scope.names = {k: v for k, v in self.scope.names.items() if k in names}

    def _refuse_shared_names(self, loop: ast.For, reduced: set[int]) -> None:
        """Turns tell each other nothing but what they add up."""
        names = {
            name: self.scope.names[name]
            for name in _turns.set_names([loop])
            if name in self.scope.names
        }
        own = set()
        for name, known in names.items():
            if not (isinstance(known, Var) and known.number in reduced):
                own.add(name)
            elif (read := _turns.read_inside(loop.body, name)) is not None:
                raise self.error(
                    read,
                    f"'{name}' is added up by all turns of prange, and none of them knows it "
                    "before the end",
                )
        counters = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        read = _turns.carried(loop.body, own - counters)
        if read is not None:
            raise self.error(
                read,
                f"'{read.id}' is what the turn before has left, and turns of prange do not follow "
                "each other; use range, or update it in one way: +=, *=, min, max",
            )
        read = _turns.read_later(self.scope.parsed.node, loop, own)
        if read is not None:
            raise self.error(
                read,
                f"'{read.id}' belongs to the turns of prange before, and is gone; set an element "
                "of an array",
            )

    def _unrolled(self, node: ast.For) -> bool:
        """A short loop whose numbers are known is written out: its indices are known, then."""
        target = node.target
        if not isinstance(target, ast.Name) or not isinstance(node.iter, ast.Call):
            return False
        if self.scope.parsed.assigned.get(target.id, 0) != 1 or len(node.iter.args) > 3:
            return False
        if node.orelse:
            return False
        inner = list(ast.walk(node))
        if len(inner) > _MOST_UNROLLED or any(
            isinstance(n, (ast.Break, ast.Continue, ast.Return, ast.While)) for n in inner
        ):
            return False
        if not all(isinstance(a, (ast.Constant, ast.UnaryOp)) for a in node.iter.args):
            return False
        function = self.expression(node.iter.func)
        if not isinstance(function, Constant) or function.value is not range:
            return False
        numbers = [self.expression(a) for a in node.iter.args]
        known = [n.constant for n in numbers if isinstance(n, Num) and type(n.constant) is int]
        if len(known) != len(numbers) or not known or (len(known) == 3 and known[2] == 0):
            return False
        turns = range(*known)
        if not 0 < len(turns) <= _MOST_TURNS:
            return False
        self.scope.depth += 1
        for i in turns:
            self.scope.names[target.id] = self.constant(i)
            self.body(node.body)
        self.scope.depth -= 1
        return True

    def _leaves(self, loop: ast.For, leave: ast.AST) -> bool:
        inner = [n for n in ast.walk(loop) if isinstance(n, (ast.For, ast.While)) and n is not loop]
        return not any(leave in ast.walk(n) for n in inner)

    def _is_parallel(self, node: ast.For) -> bool:
        if not self.parallel or self.in_parallel or not isinstance(node.iter, ast.Call):
            return False
        if self.in_function:
            return False
        if not isinstance(node.iter.func, (ast.Name, ast.Attribute)):
            return False
        function = self.expression(node.iter.func)
        return isinstance(function, Constant) and getattr(function.value, "_simt_parallel", False)

    def _reductions(self, loop: ast.For) -> list[tuple[Var, str]]:
        """Names that all turns add to: set before the loop, and only ever updated inside."""
        found: dict[str, str] = {}
        plain: set[str] = set()
        for node in ast.walk(loop):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                op = _REDUCTIONS.get(type(node.op))
                name = node.target.id
                if op is None or found.get(name, op) != op:
                    plain.add(name)
                else:
                    found[name] = op
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    name = target.id if isinstance(target, ast.Name) else ""
                    how = self._update(name, node.value) if name else None
                    if how is not None and found.get(name, how) == how:
                        found[name] = how
                    else:
                        plain |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        made = []
        for name, op in found.items():
            known = self.scope.names.get(name)
            if isinstance(known, Num) and name not in plain:
                # A constant so far.
                var = self.local(self.typed((self.scope.path, name), known.type, known.constant))
                self.set(var, known, loop)
                self.scope.names[name] = known = var
            if name in plain or not isinstance(known, Var):
                continue
            if known.type.dtype == BOOL and op in ("add", "multiply"):
                continue
            made.append((known, op))
        return made

    def _update(self, name: str, value: ast.expr) -> str | None:
        """How an expression updates a name: name + ..., max(name, ...)."""
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name):
            same = value.left.id == name
            return _REDUCTIONS.get(type(value.op)) if same else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args:
            first = value.args[0]
            if isinstance(first, ast.Name) and first.id == name:
                return {"min": "minimum", "max": "maximum"}.get(value.func.id)
        return None
