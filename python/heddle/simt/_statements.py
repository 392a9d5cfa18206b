"""Statements of Python as statements of a program, and functions that are called."""

import ast
import types
from typing import Any

from heddle.simt import _words as w
from heddle.simt._expressions import Expressions
from heddle.simt._loops import Iteration, iterate
from heddle.simt._operations import describe
from heddle.simt._state import Around, Scope, Var, own_nodes, parse
from heddle.simt._types import (
    BOOL,
    INT64,
    Array,
    Call,
    Constant,
    Num,
    Number,
    Record,
    RecordArray,
    Tuple,
)

_MOST_CALLS = 64
_MOST_INLINED = 2000


class Statements(Expressions):
    """Walks the body of a function."""

    def body(self, statements: list[ast.stmt]) -> None:
        for node in statements:
            method = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if method is None:
                raise self.error(node, f"kernels have no {_name(node)}")
            method(node)
            if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                return  # what follows is never reached

    def inside(self, statements: list[ast.stmt]) -> w.Statements:
        """The statements of a body, as a list of their own."""
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        self.body(statements)
        self.scope.depth -= 1
        made, self.statements = self.statements, before
        return made

    # --- assignments ---

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value)
        elif isinstance(target, ast.Starred):
            raise self.error(target, "kernels have no starred assignments")
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        else:
            raise self.error(target, "this cannot be set in kernels")

    def _assign_attribute(self, target: ast.Attribute, value: Any) -> None:
        owner = self.expression(target.value)
        if not isinstance(owner, (Record, RecordArray)):
            raise self.error(target, "of attributes only fields of records can be set in kernels")
        if isinstance(owner, Record):
            self.set_field(owner, target.attr, value, target)
            return
        field = self.field_of(owner, target.attr, target)
        if not isinstance(field, Array):
            raise self.error(target, "records are set one by one")
        self.fill(field, value, target)

    def enter(self, name: str, value: Any, node: ast.AST) -> None:
        """An argument as a name of the function: a local of its own where it is assigned to."""
        scope = self.scope
        if isinstance(value, Num) and name in scope.parsed.assigned:
            var = self.local(self.typed((scope.path, name), value.type))
            self.set(var, value, node)
            value = var
        scope.names[name] = value

    def bind(self, name: str, value: Any, node: ast.AST) -> None:
        """A name becomes a value."""
        scope = self.scope
        known = scope.names.get(name)
        if (
            known is not None
            and scope.depth == 0
            and not self.host
            and _kind(known) != _kind(value)
        ):
            known = None  # nothing but what follows sees it: it is another name
            scope.names.pop(name)
        if isinstance(value, Num):
            once = scope.parsed.assigned.get(name, 0) == 1 and scope.depth == 0
            if value.constant is not None and once and known is None:
                scope.names[name] = value
                return
            if known is not None and not isinstance(known, (Var, Num)):
                raise self.error(
                    node, f"'{name}' was {describe(known)} and becomes a number; use two names"
                )
            type_ = self.typed((scope.path, name), value.type)
            if isinstance(known, Num):
                known = None
            var = known or self.local(type_)
            scope.names[name] = var
            self.set(var, value, node)
        elif isinstance(value, Tuple):
            if known is not None and not (
                isinstance(known, Tuple) and len(known.items) == len(value.items)
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
            held = [
                self.temporary(item, node) if isinstance(item, Num) else item
                for item in value.items
            ]
            parts = []
            for i, item in enumerate(held):
                part = f"{name}[{i}]"
                if isinstance(known, Tuple):
                    scope.names[part] = known.items[i]
                elif part in scope.names:
                    del scope.names[part]
                self.bind(part, item, node)
                parts.append(scope.names[part])
            scope.names[name] = Tuple(parts, value.names)
        elif isinstance(value, Array):
            self._bind_array(name, value, known, node)
        elif isinstance(value, (Record, RecordArray)):
            self._bind_records(name, value, known, node)
        else:
            if known is not None and not (
                isinstance(known, Constant) and known.value is value.value
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
            scope.names[name] = value

    def _bind_records(
        self, name: str, value: Record | RecordArray, known: Any, node: ast.AST
    ) -> None:
        records = value.of if isinstance(value, Record) else value
        if known is not None:
            before = known.of if isinstance(known, Record) else known
            if type(known) is not type(value) or (before.dtype, before.at) != (
                records.dtype,
                records.at,
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
        names = self.scope.names
        if isinstance(value, RecordArray):
            part = f"{name}[bytes]"
            self.bind(part, records.bytes, node)
            names[name] = RecordArray(names[part], records.dtype, records.at, records.step)
            return
        if isinstance(known, Record) and known.of.bytes is not records.bytes:
            raise self.error(node, f"'{name}' becomes a record of another array; use two names")
        parts = []
        for i, index in enumerate(value.indices):
            self.bind(f"{name}[{i}]", index, node)
            parts.append(names[f"{name}[{i}]"])
        names[name] = Record(records, parts)

    def _bind_array(self, name: str, value: Array, known: Any, node: ast.AST) -> None:
        if known is None or known is value:
            # Views keep their place where the name is set again.
            self.scope.names[name] = value
            return
        same = (
            isinstance(known, Array)
            and known.root == value.root
            and known.ndim == value.ndim
            and known.view is not None
            and known.unit <= value.unit
        )
        if not same:
            raise self.error(
                node, f"'{name}' was {describe(known)} and becomes another one; use two names"
            )
        assert known.view is not None
        offsets = [known.view.offset, *known.view.shape, *known.view.strides]
        values = [
            self._offset(value),
            *(self.extent(value, axis) for axis in range(value.ndim)),
            *(self.stride(value, axis) for axis in range(value.ndim)),
        ]
        for number, one in zip(offsets, values, strict=True):
            self.set(Var(number, Number(INT64, True)), one, node)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        if isinstance(value, Array) and value.view is None and value.extents:
            value = Tuple(
                [self.element(value, [self.constant(i)], target) for i in range(value.extents[0])]
            )
        if not isinstance(value, Tuple):
            raise self.error(target, f"{describe(value)} cannot be unpacked")
        if len(value.items) != len(target.elts):
            raise self.error(
                target, f"there are {len(value.items)} values for {len(target.elts)} names"
            )
        # All are computed before one of the names changes.
        held = [self._kept(item, target) if isinstance(item, Num) else item for item in value.items]
        for one, item in zip(target.elts, held, strict=True):
            self.assign(one, item)

    def _kept(self, value: Num, node: ast.AST) -> Num:
        if value.constant is not None:
            return value
        var = self.local(value.type)
        self.set(var, value, node)
        return self.read(var)

    def _assign_element(self, target: ast.Subscript, value: Any) -> None:
        array = self.expression(target.value)
        if isinstance(array, (Record, RecordArray)):
            self._assign_record(array, target, value)
            return
        if not isinstance(array, Array):
            raise self.error(target, f"items of {describe(array)} cannot be set")
        before = len(self.statements)
        items = self.index_items(target.slice)
        if isinstance(value, Num) and len(self.statements) > before and not value.simple:
            later = self.statements[before:]
            del self.statements[before:]
            value = self.temporary(value, target)
            self.statements += later
        indices = self.indices(array, items, target)
        if indices is not None:
            self.store(array, indices, self.number(value, target, "as an element"), target)
            return
        self.fill(self.sliced(array, items, target), value, target)

    def _assign_record(
        self, owner: Record | RecordArray, target: ast.Subscript, value: Any
    ) -> None:
        if isinstance(value, Num):
            value = self.temporary(value, target)
        if isinstance(owner, Record):
            name = self.name_of_field(owner, self.expression(target.slice), target)
            self.set_field(owner, name, value, target)
            return
        found = self.records_at(owner, self.index_items(target.slice), target)
        if isinstance(found, Record):
            self.set_record(found, value, target)
        elif isinstance(found, Array):
            self.fill(found, value, target)
        else:
            raise self.error(target, "records are set one by one")

    def fill(self, view: Array, value: Any, node: ast.AST) -> None:
        """Every element of a view, of a number or of as many elements."""
        if isinstance(value, Array) and value.ndim > view.ndim:
            raise self.error(node, f"{describe(value)} does not fit into {describe(view)}")
        if isinstance(value, Num):
            value = self.temporary(value, node)
        elif not isinstance(value, Array):
            raise self.error(node, f"{describe(value)} cannot be written to an array")

        def along(axis: int, indices: list[Num]) -> None:
            if axis == view.ndim:
                element = value
                if isinstance(value, Array):
                    skipped = view.ndim - value.ndim
                    element = self.element(value, [*indices[skipped:]], node)
                self.store(view, indices, element, node)
                return
            self.counted(
                self.constant(0),
                self.extent(view, axis),
                self.constant(1),
                lambda index: along(axis + 1, [*indices, index]),
                node,
            )

        along(0, [])

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        if len(node.targets) > 1 and isinstance(value, Num):
            value = self.temporary(value, node)
        for target in node.targets:
            self.assign(target, value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            left, right = self.operands([load, node.value])
            self.assign(target, self.binary(node.op, left, right, node))
            return
        array = self.expression(target.value)
        if isinstance(array, Record):
            if isinstance(target, ast.Attribute):
                name = target.attr
            else:
                name = self.name_of_field(array, self.expression(target.slice), target)
            right = self.expression(node.value)
            if isinstance(right, Num):
                right = self.temporary(right, node)
            before = self.field_of_record(array, name, target)
            self.set_field(array, name, self.binary(node.op, before, right, node), target)
            return
        if not isinstance(target, ast.Subscript):
            raise self.error(target, "of attributes only fields of records can be set in kernels")
        if not isinstance(array, Array):
            raise self.error(target, f"items of {describe(array)} cannot be set")
        items = [
            self.temporary(item, target) if isinstance(item, Num) else item
            for item in self.index_items(target.slice)
        ]
        indices = self.indices(array, items, target)
        if indices is None:
            self.update_part(array, items, node)
            return
        right = self.expression(node.value)
        before = self.element(array, list(indices), target)
        if isinstance(right, Num) and right.reads:
            right = self.temporary(right, node)
        value = self.binary(node.op, before, right, node)
        self.store(array, indices, self.number(value, node), target)

    def update_part(self, array: Array, items: list[Any], node: ast.AugAssign) -> None:
        """``a[1:] += x``."""
        raise self.error(node, "slices are not updated in place in kernels; write the loop")

    # --- conditions and loops ---

    def _do_if(self, node: ast.If) -> None:
        condition = self.truth(self.expression(node.test), node.test)
        if condition.constant is not None:
            self.body(node.body if condition.constant else node.orelse)
            return
        yes, no = self.inside(node.body), self.inside(node.orelse)
        self.statements.append(
            [w.BRANCH, self.line(node), *condition.words, *w.block(yes), *w.block(no)]
        )

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

    def counted(self, start: Num, stop: Num, step: Num, turn: Any, node: ast.AST) -> None:
        """A loop over a range: turn(index) writes its body."""
        counter = self.local(Number(INT64, not self.numba), counter=True)
        stop = self.temporary(stop, node)
        step = self.temporary(step, node)
        self.set(counter, start, node)
        at = self.read(counter)
        if step.constant is not None:
            condition = self.apply("less" if step.constant > 0 else "greater", [at, stop], node)
        else:
            up = self.apply("greater", [step, self.constant(0)], node)
            down = self.apply("less", [step, self.constant(0)], node)
            condition = self.apply(
                "logical_or",
                [
                    self.apply("logical_and", [up, self.apply("less", [at, stop], node)], node),
                    self.apply(
                        "logical_and", [down, self.apply("greater", [at, stop], node)], node
                    ),
                ],
                node,
            )
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        self.scope.loops += 1
        turn(at)
        self.scope.loops -= 1
        self.scope.depth -= 1
        body, self.statements = self.statements, []
        self.set(counter, self.apply("add", [at, step], node), node)
        after, self.statements = self.statements, before
        self.statements.append(
            [
                w.LOOP,
                self.line(node),
                *w.block([]),
                *condition.words,
                *w.block(body),
                *w.block(after),
            ]
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

    def written_out(self, node: ast.For, items: list[Any]) -> None:
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

    def next_item(self, target: ast.expr, item: Any) -> None:
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
        if node.decorator_list:
            raise self.error(node, "functions inside of others have no decorators")
        self.scope.names[node.name] = self.defined(node)

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
        fail = [w.FAIL, self.line(node), text]
        if unless is None:
            self.statements.append(fail)
            return
        self.statements.append(
            [w.BRANCH, self.line(node), *unless.words, *w.block([]), *w.block([fail])]
        )

    # --- functions ---

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
            type_ = self.typed((scope.path, "return", i), number.type)
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
        inner = Scope(function, parsed, path)
        if function.__code__ in self.inner:
            inner.outer = self.inner[function.__code__][0]
        self.scope = inner
        for name, value in bound.items():
            if isinstance(value, Num) and name in parsed.assigned:
                # It is changed there.
                type_ = self.typed((path, name), value.type)
                var = self.local(type_)
                self.scope = outer
                self.set(var, value, node)
                self.scope = inner
                inner.names[name] = var
            elif isinstance(value, Num):
                self.scope = outer
                inner.names[name] = self.temporary(value, node)
                self.scope = inner
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
        inner.depth = 1
        self.body(statements)
        made, self.statements = self.statements, before
        self.statements.append([w.SCOPE, self.line(node), *w.block(made)])
        self.scope = outer
        return Constant(None) if inner.result is None else self.value_of(inner.result)

    def bind_arguments(
        self, function: types.FunctionType, args: list[Any], keywords: dict[str, Any], node: ast.AST
    ) -> dict[str, Any]:
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
                _, known = self.inner.get(function.__code__, (None, {}))
                default = known.get(name)
                bound.arguments[name] = (
                    self.known(parameter.default) if default is None else default
                )
        return dict(bound.arguments)


def _kind(value: Any) -> Any:
    """What a name has to stay, where conditions and loops set it."""
    if isinstance(value, (Num, Var)):
        return "number"
    if isinstance(value, Array):
        return (value.root, value.ndim, value.unit, value.view is not None)
    if isinstance(value, Tuple):
        return (len(value.items), value.names)
    return type(value)


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
