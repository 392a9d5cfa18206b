"""try, in host functions: what fails goes on in another list of statements."""

from __future__ import annotations

import ast

from heddle.simt import _words as w
from heddle.simt._host_loops import HostLoops
from heddle.simt._state import Var
from heddle.simt._types import BOOL, Constant, Num, Number

_LEAVING = (ast.Return, ast.Break, ast.Continue)


class Attempts(HostLoops):
    """All that fails is caught, or nothing: which exception it was is known outside only."""

    attempting = 0  # how many try are around a statement

    def _is_parallel(self, node: ast.For) -> bool:
        # Where a loop that fails goes on, it is known how far it came.
        return not self.attempting and super()._is_parallel(node)

    def _do_try(self, node: ast.Try) -> bool:
        if self.in_parallel:
            raise self.error(node, "turns of prange have no try; ask before, with if")
        if node.finalbody:
            return self._finally(node)
        return self._caught(node)

    def _listed(self, statements: list[ast.stmt]) -> tuple[w.Statements, bool]:
        """Statements as a list of their own, and whether their end is never reached."""
        before, self.statements = self.statements, []
        self.scope.depth += 1
        ends = self.body(statements)
        self.scope.depth -= 1
        made, self.statements = self.statements, before
        return made, ends

    def _caught(self, node: ast.Try) -> bool:
        if not node.handlers:  # beside finally
            return self.body([*node.body, *node.orelse])
        handler = self._handler(node)
        done: Var | None = None
        if node.orelse:
            done = self.local(Number(BOOL))
            self.set(done, self.constant(False), node)
        self.attempting += 1
        tried, tried_ends = self._listed(node.body)
        self.attempting -= 1
        if done is not None and not tried_ends:
            before, self.statements = self.statements, tried
            self.set(done, self.constant(True), node)
            self.statements = before
        instead, instead_ends = self._listed(handler.body)
        line = self.line(node)
        self.statements.append([w.ATTEMPT, line, 0, *w.block(tried), *w.block(instead)])
        if done is not None:
            otherwise, ends = self._listed(node.orelse)
            condition: Num = self.read(done)
            self.statements.append(
                [w.BRANCH, line, *condition.words, *w.block(otherwise), *w.block([])]
            )
            tried_ends = tried_ends or ends
        return tried_ends and instead_ends

    def _handler(self, node: ast.Try) -> ast.ExceptHandler:
        handler = node.handlers[0]
        if len(node.handlers) > 1:
            raise self.error(
                node.handlers[1], "one except catches all here: which exception it was is not known"
            )
        if handler.type is not None:
            kind = self.expression(handler.type)
            if not isinstance(kind, Constant) or kind.value not in (Exception, BaseException):
                raise self.error(
                    handler.type,
                    "except catches all exceptions here; write 'except Exception:', and ask with "
                    "if what it was",
                )
        if handler.name is not None:
            raise self.error(handler, "exceptions have no names here; write 'except Exception:'")
        for inner in ast.walk(ast.Module(handler.body, [])):
            if isinstance(inner, ast.Raise) and inner.exc is None:
                raise self.error(inner, "an exception is not raised again; raise one of its own")
        return handler

    def _finally(self, node: ast.Try) -> bool:
        """What comes last is there twice: after what went well, and on the way out."""
        for inner in ast.walk(ast.Module([ast.Try(node.body, node.handlers, node.orelse, [])], [])):
            if isinstance(inner, _LEAVING):
                raise self.error(
                    inner, "nothing leaves a try that has a finally but exceptions; leave it after"
                )
        before, self.statements = self.statements, []
        self.scope.depth += 1
        self.attempting += 1
        ends = self._caught(node)
        self.attempting -= 1
        self.scope.depth -= 1
        tried, self.statements = self.statements, before
        last, last_ends = self._listed(node.finalbody)
        self.statements.append([w.ATTEMPT, self.line(node), 1, *w.block(tried), *w.block(last)])
        if ends:
            return True
        return self.body(node.finalbody) or last_ends
