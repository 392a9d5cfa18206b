"""Statements of Python as statements of a program, and functions that are called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from heddle.simt import _words as w
from heddle.simt._assignments import Assignments
from heddle.simt._loops import Iteration, iterate
from heddle.simt._state import Around, Scope, Var, own_nodes, parse
from heddle.simt._types import (
    BOOL,
    Array,
    Call,
    Constant,
    Num,
    Number,
    Tuple,
)

_MOST_CALLS = 64
_MOST_INLINED = 2000


class Statements(Assignments):
    """Walks the body of a function."""

    def body(self, statements: list[ast.stmt]) -> bool:
        """Whether its end is never reached: what follows need not make sense, then."""
        for node in statements:
            method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if method is None:
                raise self.error(node, f"kernels have no {_name(node)}")
            if method(node) or isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                return True
        return False

    def inside(self, statements: list[ast.stmt]) -> w.Statements:
        """The statements of a body, as a list of their own."""
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        self.body(statements)
        self.scope.depth -= 1
        made, self.statements = self.statements, before
        return made

    # --- conditions and loops ---

    def _do_if(self, node: ast.If) -> bool:
        condition = self.truth(self.expression(node.test), node.test)
        if condition.constant is not None:
            return self.body(node.body if condition.constant else node.orelse)
        yes, no = self.inside(node.body), self.inside(node.orelse)
        self.statements.append(
            [w.BRANCH, self.line(node), *condition.words, *w.block(yes), *w.block(no)]
        )
        return False

    def _do_while(self, node: ast.While) -> None:
        around = self.begin_loop(node)
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        condition = self.truth(self.expression(node.test), node.test)
        head = self.statements
        self.scope.loops += 1
        self.statements = before
        inside = self.inside(node.body)
        self.scope.loops -= 1
        self.scope.depth -= 1
        self.statements.append(
            [
                w.LOOP,
                self.line(node),
                *w.block(head),
                *condition.words,
                *w.block(inside),
                *w.block([]),
            ]
        )
        self.end_loop(around, node)

    def begin_loop(self, node: ast.While | ast.For, turns: bool = False) -> Around:
        around = Around(turns)
        if node.orelse:
            around.broken = self.local(Number(BOOL))
            self.set(around.broken, self.constant(False), node)
        self.scope.around.append(around)
        return around

    def end_loop(self, around: Around, node: ast.While | ast.For) -> None:
        """What follows where nobody has left it by break."""
        self.scope.around.pop()
        if around.broken is None:
            return
        broken = self.read(around.broken)
        otherwise = self.inside(node.orelse)
        self.statements.append(
            [w.BRANCH, self.line(node), *broken.words, *w.block([]), *w.block(otherwise)]
        )

    def iteration_of(self, node: ast.For) -> Iteration:
        """What a loop goes over, as it is before the first turn: turns may assign to its names."""
        names = self.scope.names
        read = {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}
        before = {
            n.id: names[n.id]
            for n in ast.walk(node)
            if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Store)
            and n.id in read
            and isinstance(names.get(n.id), Var)
        }
        for name, var in before.items():
            names[name] = self.local(var.type)
            self.set(names[name], self.read(var), node)
        try:
            return iterate(self, node.iter)
        finally:
            names.update(before)

    def _do_for(self, node: ast.For) -> None:
        iteration = self.iteration_of(node)
        if iteration.items is not None:
            self.written_out(node, iteration.items)
            return

        def turn(index: Num) -> None:
            self.assign(node.target, iteration.item(index))
            self.body(node.body)

        around = self.begin_loop(node)
        self.counted(iteration.start, iteration.stop, iteration.step, turn, node)
        self.end_loop(around, node)

    def written_out(self, node: ast.For, items: list[object]) -> None:
        """The turns of a loop one after the other: scopes, where break and continue leave them."""
        leaves = _leaves_turns(node.body)
        if not leaves:
            self.scope.depth += 1
            for item in items:
                self.next_item(node.target, item)
                self.body(node.body)
            self.scope.depth -= 1
            if node.orelse:
                self.body(node.orelse)
            return
        around = self.begin_loop(node, turns=True)
        scope, before = self.scope, self.statements
        scope.unrolled += 2
        scope.depth += 1
        turns: w.Statements = []
        for item in items:
            self.statements = []
            self.next_item(node.target, item)
            self.body(node.body)
            turns.append([w.SCOPE, self.line(node), *w.block(self.statements)])
        scope.depth -= 1
        scope.unrolled -= 2
        self.statements = before
        self.statements.append([w.SCOPE, self.line(node), *w.block(turns)])
        self.end_loop(around, node)

    def next_item(self, target: ast.expr, item: object) -> None:
        """A turn that is written out: names of arrays and the like stand for other ones now."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and not isinstance(self.scope.names.get(node.id), Var):
                self.scope.names.pop(node.id, None)
        self.assign(target, self.frozen(item, target))

    def _do_break(self, node: ast.Break) -> None:
        around = self.scope.around[-1]
        if around.broken is not None:
            self.set(around.broken, self.constant(True), node)
        if around.turns:
            self.statements.append([w.LEAVE, self.line(node), 1])
        else:
            self.statements.append([w.BREAK, self.line(node)])

    def _do_continue(self, node: ast.Continue) -> None:
        if self.scope.around[-1].turns:
            self.statements.append([w.LEAVE, self.line(node), 0])
        else:
            self.statements.append([w.CONTINUE, self.line(node)])

    def _do_pass(self, node: ast.Pass) -> None:
        pass

    def _do_expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring, or ...
        value = self.expression(node.value)
        if isinstance(value, Num) and not value.simple and value.words[0] in (w.ATOMIC, w.WARP):
            self.statements.append([w.EVALUATE, self.line(node), *value.words])

    def _do_functiondef(self, node: ast.FunctionDef) -> None:
        made = self.defined(node)
        for decorator in reversed(node.decorator_list):
            made = Constant(self._decorated(made.value, decorator))
        self.scope.names[node.name] = made

    def _decorated(self, function: object, node: ast.expr) -> object:
        """What one of our decorators makes of a function inside of another."""
        call = node if isinstance(node, ast.Call) else None
        decorator = self._plain(self.expression(node if call is None else call.func), node)
        if str(getattr(decorator, "__module__", "")).partition(".")[0] != "heddle":
            raise self.error(
                node, "functions inside of others have simt.func for a decorator, or njit, or none"
            )
        try:
            if call is not None:
                keywords = {
                    str(k.arg): self._plain(self.expression(k.value), node) for k in call.keywords
                }
                given = [self._plain(self.expression(a), node) for a in call.args]
                decorator = decorator(*given, **keywords)
            made = decorator(function)
        except (TypeError, ValueError) as error:
            raise self.error(node, str(error)) from error
        if not getattr(made, "_simt_callable", False):
            raise self.error(node, "this decorator makes nothing that can be called in a kernel")
        return made

    def _do_global(self, node: ast.Global) -> None:
        raise self.error(node, "kernels do not set global names")

    def _do_nonlocal(self, node: ast.Nonlocal) -> None:
        raise self.error(node, "kernels do not set names of functions around them")

    # --- failures ---

    def _do_assert(self, node: ast.Assert) -> None:
        condition = self.truth(self.expression(node.test), node.test)
        said = ast.unparse(node.test)
        if isinstance(node.msg, ast.Constant):
            said = str(node.msg.value)
        self._fail("AssertionError", said, node, condition)

    def _do_raise(self, node: ast.Raise) -> None:
        kind, said = "RuntimeError", ""
        exception = node.exc
        if isinstance(exception, ast.Call):
            if exception.args and isinstance(exception.args[0], ast.Constant):
                said = str(exception.args[0].value)
            exception = exception.func
        if exception is None:
            raise self.error(node, "there is no exception to raise again")
        found = self.expression(exception)
        if not (isinstance(found, Constant) and isinstance(found.value, type)):
            raise self.error(node, "kernels raise exceptions by their class")
        kind = found.value.__name__
        self._fail("IndexError_" if kind == "IndexError" else kind, said, node, None)

    def _fail(self, kind: str, said: str, node: ast.AST, unless: Num | None) -> None:
        source = self.scope.parsed.source
        text = self.program.text(f"{kind}:{source.name} ({source.where(node)}): {said}")
        fail = [w.FAIL, self.line(node), text, 0]
        if unless is None:
            self.statements.append(fail)
            return
        self.statements.append(
            [w.BRANCH, self.line(node), *unless.words, *w.block([]), *w.block([fail])]
        )

    # --- functions ---

    def in_terms_of(self, function: object) -> AbstractContextManager[None]:
        """While a compiled function is taken along: what its decorator says counts for it."""
        return nullcontext()

    def settled(self, value: object, node: ast.AST) -> Any:
        """An argument of a function, as the function has it."""
        return value

    def _do_return(self, node: ast.Return) -> None:
        scope = self.scope
        value = self.expression(node.value) if node.value is not None else Constant(None)
        if scope.kernel:
            if not (isinstance(value, Constant) and value.value is None):
                raise self.error(node, "kernels return nothing; write the result to an array")
        elif scope.ends_with_return:
            scope.result = value
            return
        else:
            self._set_result(value, node)
        self.statements.append([w.LEAVE, self.line(node), scope.unrolled])

    def _set_result(self, value: Any, node: ast.AST) -> None:
        scope = self.scope
        scope.returns += 1
        if isinstance(value, (Constant, Array)) and scope.returns > 1:
            same = (
                isinstance(value, Constant)
                and isinstance(scope.result, Constant)
                and value.value is scope.result.value
            )
            if not same:
                raise self.error(
                    node, "all returns of a function that is called have to be of one kind"
                )
        if isinstance(value, (Constant, Array)):
            scope.result = value
            return
        items = value.items if isinstance(value, Tuple) else [value]
        vars_: list[Any] = []
        known = scope.result.items if isinstance(scope.result, Tuple) else [scope.result]
        if scope.returns > 1 and (
            isinstance(scope.result, Tuple) != isinstance(value, Tuple) or len(known) != len(items)
        ):
            raise self.error(
                node, "all returns of a function that is called have to be of one kind"
            )
        for i, item in enumerate(items):
            number = self.number(item, node, "as a result")
            type_ = self.typed((scope.path, "return", i), number.type, number.constant)
            if scope.returns > 1 and not isinstance(known[i], Var):
                raise self.error(
                    node, "all returns of a function that is called have to be of one kind"
                )
            var = known[i] if scope.returns > 1 else self.local(type_)
            vars_.append(var)
        held = [self._kept(item, node) for item in items]
        for var, item in zip(vars_, held, strict=True):
            self.set(var, item, node)
        scope.result = Tuple(vars_) if isinstance(value, Tuple) else vars_[0]

    def call_function(self, call: Call) -> Any:
        """A function of Python's, taken along."""
        function, node = call.function, call.node
        if len(self.scope.path) // 3 >= _MOST_CALLS:
            raise self.error(
                node, "kernels have no recursion; write a loop, with simt.local.array as the stack"
            )
        self.inlined += 1
        if self.inlined > _MOST_INLINED:
            raise self.error(node, "the kernel calls too many functions")
        parsed = parse(function)
        bound = self.bind_arguments(function, call.args, call.keywords, node)
        outer = self.scope
        path = (*outer.path, function.__code__, node.lineno, node.col_offset)
        said = self.said.get(function, {})
        inner = Scope(function, parsed, path, said=said, calls=(*outer.calls, function))
        if function in self.inner:
            inner.outer = self.inner[function][0]
        self.scope = inner
        for name, value in bound.items():
            if name in said:
                self.bind(name, value, node)
            elif isinstance(value, Num) and name in parsed.assigned:
                # It is changed there.
                type_ = self.typed((path, name), value.type, value.constant)
                var = self.local(type_)
                self.scope = outer
                self.set(var, value, node)
                self.scope = inner
                inner.names[name] = var
            elif isinstance(value, Num):
                self.scope = outer
                inner.names[name] = self.temporary(value, node)
                self.scope = inner
            elif name in parsed.assigned:
                self.enter(name, value, node)
            else:
                inner.names[name] = value
        if isinstance(parsed.node, ast.Lambda):
            result = self.expression(parsed.node.body)
            self.scope = outer
            return result
        statements = parsed.node.body
        returns = [n for n in own_nodes(parsed.node) if isinstance(n, ast.Return)]
        raises = any(isinstance(n, ast.Raise) for n in own_nodes(parsed.node))
        inner.ends_with_return = not raises and (
            not returns or (len(returns) == 1 and statements[-1] is returns[0])
        )
        if inner.ends_with_return:
            self.body(statements)
            self.scope = outer
            if isinstance(inner.result, Num):
                return (
                    inner.result
                    if inner.result.constant is not None
                    else self._kept(inner.result, node)
                )
            return Constant(None) if inner.result is None else inner.result
        before = self.statements
        self.statements = []
        inner.depth = inner.base = 1
        self.body(statements)
        made, self.statements = self.statements, before
        self.statements.append([w.SCOPE, self.line(node), *w.block(made)])
        self.scope = outer
        return Constant(None) if inner.result is None else self.value_of(inner.result)

    def bind_arguments(
        self,
        function: types.FunctionType,
        args: Sequence[object],
        keywords: dict[str, Any],
        node: ast.AST,
    ) -> dict[str, Array | Num]:
        import inspect

        try:
            bound = inspect.signature(function).bind(*args, **keywords)
        except TypeError as error:
            raise self.error(node, f"{function.__name__}: {error}") from error
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind == parameter.VAR_KEYWORD:
                raise self.error(
                    node, f"{function.__name__}: functions in kernels take no **{name}"
                )
            if parameter.kind == parameter.VAR_POSITIONAL:
                bound.arguments[name] = Tuple(list(bound.arguments.get(name, ())))
            elif name not in bound.arguments and parameter.default is not parameter.empty:
                _, known = self.inner.get(function, (None, {}))
                default = known.get(name)
                bound.arguments[name] = (
                    self.known(parameter.default) if default is None else default
                )
        return dict(bound.arguments)


def _leaves_turns(body: list[ast.stmt]) -> bool:
    """Whether break or continue of the loop itself is among statements."""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, (ast.For, ast.While)):
            if _leaves_turns(node.orelse):
                return True
        elif isinstance(node, ast.If) and _leaves_turns([*node.body, *node.orelse]):
            return True
    return False


def _name(node: ast.AST) -> str:
    names = {
        "AsyncFunctionDef": "async functions",
        "ClassDef": "classes inside",
        "Try": "try",
        "TryStar": "try",
        "With": "with",
        "Import": "imports inside",
        "ImportFrom": "imports inside",
        "Delete": "del",
        "Match": "match; use if and elif",
    }
    return names.get(type(node).__name__, f"'{type(node).__name__}'")
