"""Objects of classes, and lists that are given, in compiled functions.

The numbers of an object are a record in memory, its arrays are held in locals. What a function
changes of the arguments beside their memory (which array an object has, how long a list is) is
given back with the result.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from heddle._compiled import containers
from heddle._compiled.shared import put_back, same_object
from heddle.simt import _dictionaries, _lists
from heddle.simt import _words as w
from heddle.simt._host_lists import HostLists
from heddle.simt._operations import describe
from heddle.simt._state import Var
from heddle.simt._types import (
    COMPLEX128,
    FLOAT64,
    INT64,
    NAMES,
    Array,
    Call,
    Constant,
    Dict,
    DictView,
    Instance,
    List,
    Num,
    Number,
    Record,
    RecordArray,
    Slice,
    Tuple,
)
from heddle.simt._whole import Lazy

_INT = Number(INT64, True)
_OPERATORS: dict[type[ast.AST], str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv"},
    **{ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift"},
    **{ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"},
    **{ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"},
}


class Objects(HostLists):
    """What becomes of objects."""

    def begin_objects(self) -> None:
        self.given: list[Instance | List | Dict] = []  # arguments that may be changed
        self.replaced: set[int] = set()  # those that are: kept from one run to the next
        self.given_sets = 0

    def allocate_records(
        self, shape: list[Num], dtype: Any, zeros: bool, numpys: bool, node: ast.AST
    ) -> RecordArray:
        raise NotImplementedError

    def thawed(self, value: Array, node: ast.AST) -> Array:
        """An array that may leave the function."""
        raise NotImplementedError

    # --- arguments and results ---

    def _arguments(self, signature: str) -> list[Any]:
        self.given, self.given_sets = [], 0
        made = [self._own(value) for value in super()._arguments(signature)]  # type: ignore[misc]
        self._need_different()
        return made

    def _need_different(self) -> None:
        """What is changed is one argument, and not two."""
        node = self.scope.parsed.node
        for i, one in enumerate(self.given):
            for j, other in enumerate(self.given[:i]):
                if type(one) is not type(other) or not {i, j} & self.replaced:
                    continue
                both = isinstance(one, Instance) and isinstance(other, Instance)
                if both and one.kind is not other.kind:  # type: ignore[union-attr]
                    continue
                numbers = [self._number_of(given, node) for given in (one, other)]
                said = f"{describe(one)} that is changed is given twice"
                self.fail(ValueError, (said,), node, self.apply("equal", numbers, node))

    def _number_of(self, given: Any, node: ast.AST) -> Num:
        if isinstance(given, Instance):
            return self.field_of_record(given.record, "_number", node)  # type: ignore[no-any-return]
        return self.element(given.mark, [self.constant(0)], node)  # type: ignore[no-any-return]

    def _own(self, value: Any) -> Any:
        if not isinstance(value, Tuple):
            return value
        kind = getattr(value.kind, "_simt_fields", None)
        if kind is None:
            value.items = [self._own(item) for item in value.items]
            return value
        node = self.scope.parsed.node
        number = len(self.given)
        made: Instance | List
        if kind == ("_count", "_rows"):
            whole = self._given_dictionary(value, number, node)
            self.given.append(whole)
            return whole
        if kind == ("_count", "_parts"):
            made = self._given_list(value, number, node)
        else:
            made = self._object(value.kind, value.items, ("argument", number), node)
            made.number = number
        if number in self.replaced:  # what says whose it is has to be there at the end
            if isinstance(made, List):
                made.held = self.held_copy(made.mark, node)
            else:
                of = made.record.of
                made.held = RecordArray(self.held_copy(of.bytes, node), of.dtype)
        self.given.append(made)
        return made

    def _object(self, kind: Any, items: list[Any], key: Any, node: ast.AST) -> Instance:
        records, *arrays = items
        record = Record(records, [self.constant(0)])
        named = zip(kind._simt_fields[1:], arrays, strict=True)
        held = {name: self.held_copy(array, node, (key, name)) for name, array in named}
        return Instance(kind, record, held, key)

    def _given_list(self, value: Tuple, number: int, node: ast.AST) -> List:
        mark, parts = value.items
        key = ("argument", number)
        rows = parts.items if isinstance(parts, Tuple) else [parts]
        pythons = (INT64, FLOAT64, COMPLEX128) if not self.numba else ()
        self.lists[key] = len(rows) if isinstance(parts, Tuple) else 0
        for i, row in enumerate(rows):
            self.typed((key, i), Number(row.dtype, row.dtype in pythons))
        made = List(key, self.local(_INT), False)
        made.number, made.mark, made.fixed = number, mark, True
        made.pairs = isinstance(parts, Tuple)
        if value.kind.__name__ == "List":
            made.kinds = value.kind._simt_kinds
        made.parts = [self.held_copy(row, node) for row in rows]
        self.set(made.length, self.element(mark, [self.constant(1)], node), node)
        return made

    def typed_list(
        self, elements: Any, node: ast.AST, pairs: bool = False, types: Sequence[int] = ()
    ) -> List:
        """A list that is one of Numba's outside."""
        key = (self.scope.path, "list", node.lineno, node.col_offset)  # type: ignore[attr-defined]
        if types:
            self.lists[key] = len(types) if pairs else 0
        for i, dtype in enumerate(types):
            self.typed((key, i), Number(dtype))
        made = _lists.new_list(self, node)
        made.fixed = bool(types)
        made.kinds = containers.List._simt_kinds  # type: ignore[attr-defined]
        if elements is not None:
            _lists.extend(self, made, elements, node)
        return made

    # --- dictionaries ---

    def _dict(self, node: ast.Dict) -> Dict:
        made = self.new_dictionary(None, node)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                _dictionaries._update(self, made, self.expression(value), node)
            else:
                both = self.operands([key, value])
                _dictionaries.set_item(self, made, both[0], both[1], node)
        return made

    def _dictcomp(self, node: ast.DictComp) -> Dict:
        made = self.new_dictionary(None, node)
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        each = ast.copy_location(ast.ListComp(pair, node.generators), node)

        def put(pair: Callable[[], Any]) -> None:
            key, value = pair().items
            _dictionaries.set_item(self, made, key, value, node)

        _lists.each(self, each, put)
        return made

    def new_dictionary(
        self, others: Any, node: ast.AST, types: Sequence[tuple[bool, Sequence[int]]] = ()
    ) -> Dict:
        """One without entries, or with those of another one; `types` of keys and of values."""
        for what, (pairs, dtypes) in zip(("keys", "values"), types, strict=False):
            key = (self.scope.path, what, node.lineno, node.col_offset)  # type: ignore[attr-defined]
            self.lists[key] = len(dtypes) if pairs else 0
            for i, dtype in enumerate(dtypes):
                self.typed((key, i), Number(dtype))
        made = _dictionaries.new(self, node)
        made.keys.fixed = made.values.fixed = bool(types)
        if self.numba or types:
            made.kinds = containers.DictOf
        if others is not None:
            _dictionaries._update(self, made, others, node)
        return made

    def dictionary_as_result(self, of: Dict, node: ast.AST) -> Tuple:
        if of.number >= 0:
            return Tuple([of.mark], kind=same_object)
        rows = _dictionaries.columns(self, of, node)
        kind = containers.DictOf(
            len(of.keys.parts) if of.keys.pairs else 0,
            len(of.values.parts) if of.values.pairs else 0,
            of.kinds is not None,
        )
        return Tuple(list(rows), kind=kind)

    def _given_dictionary(self, value: Tuple, number: int, node: ast.AST) -> Dict:
        mark, rows = value.items
        slots, alive, *both = rows.items
        count = self.local(_INT)
        lists = []
        for what, parts in zip(("keys", "values"), both, strict=True):
            key = ("argument", number, what)
            held = parts.items if isinstance(parts, Tuple) else [parts]
            self.lists[key] = len(held) if isinstance(parts, Tuple) else 0
            for i, row in enumerate(held):
                self.typed((key, i), Number(row.dtype))
            made = List(key, count, False)
            made.pairs, made.fixed = isinstance(parts, Tuple), True
            made.parts = [self.held_copy(row, node) for row in held]
            lists.append(made)
        live = self.local(_INT)
        self.set(count, self.element(mark, [self.constant(1)], node), node)
        self.set(live, self.element(mark, [self.constant(2)], node), node)
        keys, values = lists
        table = [self.held_copy(array, node) for array in (slots, alive)]
        whole = Dict(keys, values, live, table[0], table[1])
        whole.number, whole.mark, whole.kinds = number, mark, containers.DictOf
        whole.held = self.held_copy(mark, node)
        _dictionaries.begin_given(self, whole, node)
        self.replaced.add(number)
        return whole

    def call_dictionary(
        self, of: Dict, name: str, args: list[Any], keywords: dict[str, Any], node: ast.AST
    ) -> Any:
        return _dictionaries.method(self, name, of, args, keywords, node)

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            owner = self.expression(target.value) if isinstance(target, ast.Subscript) else None
            if isinstance(target, ast.Subscript) and isinstance(owner, Dict):
                _dictionaries.delete(self, owner, self.expression(target.slice), node)
            elif isinstance(target, ast.Subscript) and isinstance(owner, List):
                _lists.method(self, "pop", owner, [self.expression(target.slice)], {}, node)
            else:
                said = "elements of lists and dictionaries are deleted, and nothing else"
                raise self.error(node, said)

    def changes_argument(self, number: int) -> None:
        if number not in self.replaced:
            self.replaced.add(number)
            self.again = True

    def changed_arguments(self, result: Any) -> Any:
        """The result of the function, with what Python has to hear of its arguments."""
        if not self.replaced:
            return result
        changes: list[Any] = []
        for number in sorted(self.replaced):
            one = self.given[number]
            if isinstance(one, Dict):
                rows = [one.slots, one.alive, *one.keys.parts, *one.values.parts]
                changes.append(Tuple([one.held, one.keys.length, one.live, *rows]))
            elif isinstance(one, List):
                changes.append(Tuple([one.held, one.length, *one.parts]))
            else:
                changes.append(Tuple([one.held, *one.arrays.values()]))
        return Tuple([Constant(None) if result is None else result, *changes], kind=put_back)

    def _kind(self, value: object) -> Any:
        if isinstance(value, Instance):
            return ("object", value.kind, tuple(self._kind(a) for a in value.arrays.values()))
        return super()._kind(value)

    def _parts(self, value: object) -> list[Num]:
        if isinstance(value, Instance):
            return self._parts(Tuple([value.record.of, *value.arrays.values()]))
        return super()._parts(value)

    def _parameter(self, value: object, function: w.Function) -> Any:
        if isinstance(value, Instance):
            items = Tuple([value.record.of, *value.arrays.values()])
            record, *arrays = super()._parameter(items, function).items
            named = dict(zip(value.arrays, arrays, strict=True))
            made = Instance(value.kind, Record(record, [self.constant(0)]), named, value.key)
            made.lent = "this function calls itself"
            return made
        return super()._parameter(value, function)

    # --- objects ---

    def new_instance(
        self, kind: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Instance:
        """A call of a class."""
        key = (self.scope.path, "object", node.lineno, node.col_offset)
        records = self.allocate_records([self.constant(1)], kind._simt_numbers, True, True, node)
        records.bytes.fresh = False
        arrays = {}
        for name, type_ in kind._simt_arrays.items():
            unit = self.flag(((key, name), "unit"), type_.ndim > 0)
            made = self.held(NAMES.index(type_.numpys.name), type_.ndim, unit, True)
            assert made.held is not None
            self.statements.append([w.RELEASE, self.line(node), made.held.owner])
            for size in made.held.shape:
                self.set(Var(size, _INT), self.constant(0), node)
            made.name = name
            arrays[name] = made
        made_object = Instance(kind, Record(records, [self.constant(0)]), arrays, key)
        made_object.parallel = self.in_parallel
        begin = _method(kind, "__init__")
        if begin is not None:
            self.call_function(Call(begin, [made_object, *args], keywords, node))
        elif args or keywords:
            raise self.error(node, f"{kind.__name__}() takes no arguments")
        return made_object

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        if isinstance(value, Dict):
            if node.attr not in _dictionaries.METHODS:
                said = f"dictionaries have no '{node.attr}' in compiled functions"
                raise self.error(node, said)
            return Constant(("method", node.attr, value))
        if not isinstance(value, Instance):
            return super().attribute(value, node)
        name = node.attr
        if name in value.arrays:
            return value.arrays[name]
        if name in value.kind._simt_numbers.names[1:]:
            return self.field_of_record(value.record, name, node)
        found = inspect.getattr_static(value.kind, name, None)
        getter = getattr(getattr(found, "fget", None), "py_func", None)
        if getter is not None:
            return self._called(getter, [value], node)
        if isinstance(found, staticmethod):
            return self.known(found.__func__)
        if isinstance(getattr(found, "py_func", None), types.FunctionType):
            return Constant(("method", name, value))
        if found is None:
            raise self.error(node, f"{describe(value)} has no '{name}'")
        return self.frozen(self.known(found), node)

    def call_method(
        self, value: Instance, name: str, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        function = _method(value.kind, name)
        assert function is not None
        return self.call_function(Call(function, [value, *args], keywords, node))

    def _called(self, function: types.FunctionType, args: list[Any], node: Any) -> Any:
        call = ast.copy_location(ast.Call(ast.Name("", ast.Load()), [], []), node)
        return self.call_function(Call(function, args, {}, call))

    def special(self, value: Any, name: str, args: list[Any], node: ast.AST) -> Any:
        """What ``value.__name__(*args)`` gives; None where it has no such method."""
        function = _method(value.kind, f"__{name}__") if isinstance(value, Instance) else None
        return None if function is None else self._called(function, [value, *args], node)

    def call_function(self, call: Call) -> Any:
        return self._unboxed(super().call_function(call), call.node)

    def _unboxed(self, made: Any, node: ast.AST) -> Any:
        """An object that one of several returns of a function has given."""
        kind = getattr(made.kind, "_simt_box", None) if isinstance(made, Tuple) else None
        if kind is None:
            return made
        key = (self.scope.path, "object", node.lineno, node.col_offset)  # type: ignore[attr-defined]
        found = self._object(kind, made.items, key, node)
        found.lent = "it is not known here which object it is"
        return found

    def _assign_attribute(self, target: ast.Attribute, value: object) -> None:
        owner = self.expression(target.value)
        if not isinstance(owner, Instance):
            super()._assign_attribute(target, value)
            return
        if isinstance(value, Num):
            value = self.temporary(value, target)
        self.set_attribute(owner, target.attr, value, target)

    def set_attribute(self, owner: Instance, name: str, value: Any, node: ast.AST) -> None:
        if name in owner.kind._simt_numbers.names[1:]:
            if not isinstance(value, (Num, Constant)):
                raise self.error(node, f"'{name}' is a number, not {describe(value)}")
            self.set_field(owner.record, name, value, node)
            return
        if name not in owner.arrays:
            found = inspect.getattr_static(owner.kind, name, None)
            setter = getattr(getattr(found, "fset", None), "py_func", None)
            if setter is None:
                raise self.error(node, f"{describe(owner)} has no '{name}' that can be set")
            self._called(setter, [owner, value], node)
            return
        if isinstance(value, Lazy):
            value = self.made_array(value, node)
        known = owner.arrays[name]
        if isinstance(value, Array):
            value = self.thawed(value, node)
        if not isinstance(value, Array) or (value.dtype, value.ndim) != (known.dtype, known.ndim):
            of = f" of {NAMES[value.dtype]}" if isinstance(value, Array) else ""
            said = f"'{name}' is {owner.kind._simt_arrays[name]}, and not {describe(value)}{of}"
            raise self.error(node, said)
        if value is known:
            return
        own = self.in_parallel and owner.parallel
        why = "turns of prange share it" if self.in_parallel and not own else owner.lent
        if why:
            raise self.error(node, f"'{name}' cannot become another array: {why}; write to [:]")
        if owner.number >= 0:
            self.changes_argument(owner.number)
        known.unit = self.flag(((owner.key, name), "unit"), self.is_unit(value))
        self.set_held(known, value, node)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if not isinstance(target, ast.Name):
            owner = self.expression(target.value) if _plain(target.value) else None
            if isinstance(owner, Instance):
                self._update_object(owner, target, node)
                return
            if isinstance(owner, Dict) and isinstance(target, ast.Subscript):
                right = self.settled(self.expression(node.value), node)
                _dictionaries.update_item(
                    self,
                    owner,
                    self.expression(target.slice),
                    lambda before: self.binary(node.op, before, right, node),
                    node,
                )
                return
        super()._do_augassign(node)

    def _update_object(self, owner: Instance, target: Any, node: ast.AugAssign) -> None:
        if isinstance(target, ast.Subscript):
            index = self.settled(self.expression(target.slice), node)
            before = self.special(owner, "getitem", [index], node)
            value = self.binary(node.op, before, self.expression(node.value), node)
            self.special(owner, "setitem", [index, value], node)
            return
        load = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
        before = self.attribute(owner, load)
        if isinstance(before, Array):
            self.update_part(before, [Slice(None, None, None)] * max(1, before.ndim), node)
            return
        right = self.expression(node.value)
        if isinstance(before, Num) and isinstance(right, Num):
            right = self.temporary(right, node)
        value = self.binary(node.op, before, right, node)
        if isinstance(value, Num):
            value = self.temporary(value, node)
        self.set_attribute(owner, target.attr, value, node)

    def _assign_element(self, target: ast.Subscript, value: object) -> None:
        owner = self.expression(target.value) if _plain(target.value) else None
        if isinstance(owner, Dict):
            if isinstance(value, Num):
                value = self.temporary(value, target)
            _dictionaries.set_item(self, owner, self.expression(target.slice), value, target)
            return
        if not isinstance(owner, Instance):
            super()._assign_element(target, value)
            return
        if isinstance(value, Num):
            value = self.temporary(value, target)
        index = self.expression(target.slice)
        if self.special(owner, "setitem", [index, value], target) is None:
            raise self.error(target, f"{describe(owner)} has no __setitem__")

    def item_of(self, value: object, node: ast.Subscript) -> Any:
        if isinstance(value, Dict):
            return _dictionaries.item(self, value, self.expression(node.slice), node)
        if isinstance(value, Instance):
            made = self.special(value, "getitem", [self.expression(node.slice)], node)
            if made is None:
                raise self.error(node, f"{describe(value)} has no __getitem__")
            return made
        return super().item_of(value, node)

    def binary(self, op: ast.operator, left: object, right: object, node: ast.AST) -> Any:
        name = _OPERATORS.get(type(op), "")
        made = self.special(left, name, [right], node)
        if made is None:
            made = self.special(right, "r" + name, [left], node)
        return super().binary(op, left, right, node) if made is None else made

    def compared(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Any:
        both = isinstance(left, Instance) and isinstance(right, Instance)
        if both and isinstance(op, (ast.Is, ast.IsNot)):
            if left is not right:
                raise self.error(node, "whether two objects are one is not known here")
            return self.constant(isinstance(op, ast.Is))
        made = None
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (Dict, DictView)):
            of = right.of if isinstance(right, DictView) else right
            if isinstance(right, DictView) and right.what != "keys":
                raise self.error(node, "'in' looks into the keys of a dictionary")
            made = _dictionaries.contains(self, of, left, node)
            return made if isinstance(op, ast.In) else self.apply("logical_not", [made], node)
        if isinstance(op, (ast.In, ast.NotIn)):
            made = self.special(right, "contains", [left], node)
            if made is not None:
                made = self.truth(made, node)
            if made is not None and isinstance(op, ast.NotIn):
                made = self.apply("logical_not", [made], node)
        elif type(op) in _OPERATORS:
            made = self.special(left, _OPERATORS[type(op)], [right], node)
        return super().compared(op, left, right, node) if made is None else made

    def truth(self, value: object, node: ast.AST) -> Num:
        if isinstance(value, Dict):
            return self.apply("not_equal", [self.read(value.live), self.constant(0)], node)
        if isinstance(value, Instance):
            made = self.special(value, "bool", [], node)
            if made is None:
                made = self.special(value, "len", [], node)
            return self.constant(True) if made is None else self.truth(made, node)
        return super().truth(value, node)

    def bind(self, name: str, value: object, node: ast.AST) -> None:
        scope = self.scope
        known = scope.names.get(name)
        if known is not None and scope.depth == scope.base and _sort(known) != _sort(value):
            scope.names.pop(name)  # nothing but what follows sees it: it is another name
        if isinstance(value, Dict):
            known = self.scope.names.get(name)
            if known is value:
                return
            if value.name or known is not None:
                said = f"a dictionary has one name, which is '{value.name or name}'; use a .copy()"
                raise self.error(node, said)
            value.name = name
            self.scope.names[name] = value
            return
        if not isinstance(value, Instance):
            super().bind(name, value, node)
            return
        scope = self.scope
        known = scope.names.get(name)
        if known is value:
            return
        items = [value.record.of.bytes, *value.arrays.values()]
        if known is None and not self._is_set_again(name):
            scope.names[name] = value
        elif known is None:
            # The name may become another object.
            scope.names[name] = self._by_another_name(value, (scope.path, name), node)
            scope.names[name].lent = f"'{name}' is one object after the other"
        elif not isinstance(known, Instance) or known.kind is not value.kind:
            said = f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names"
            raise self.error(node, said)
        else:
            for n, array in value.arrays.items():
                unit = self.flag(((known.key, n), "unit"), self.is_unit(array))
                known.arrays[n].unit = unit
            places = [known.record.of.bytes, *known.arrays.values()]
            for place, array in zip(places, items, strict=True):
                self.set_held(place, array, node)

    def _by_another_name(self, value: Instance, key: Any, node: ast.AST) -> Instance:
        """The same object in locals of its own."""
        bytes_ = self.held_copy(value.record.of.bytes, node)
        record = Record(RecordArray(bytes_, value.kind._simt_numbers), [self.constant(0)])
        arrays = {n: self.held_copy(a, node, (key, n)) for n, a in value.arrays.items()}
        return Instance(value.kind, record, arrays, key)

    def chosen_object(
        self, condition: Num, sides: list[Any], done: list[w.Statements], node: ast.AST
    ) -> Instance:
        first, other = sides
        if first.kind is not other.kind:
            said = f"on both sides: {describe(first)} and {describe(other)} are of different kinds"
            raise self.error(node, said)
        places = [side.record.of.bytes for side in sides]
        bytes_ = self.chosen_array(condition, places, done, node)
        arrays = {}
        for name in first.arrays:
            both = [side.arrays[name] for side in sides]
            arrays[name] = self.chosen_array(condition, both, [[], []], node)
        for one in (bytes_, *arrays.values()):
            one.fresh = False
        record = Record(RecordArray(bytes_, first.kind._simt_numbers), [self.constant(0)])
        key = (self.scope.path, "object", node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return Instance(first.kind, record, arrays, key, lent="it is one of two objects")

    def _unpack(self, target: ast.Tuple | ast.List, value: object) -> None:
        if isinstance(value, Tuple) and any(isinstance(item, Instance) for item in value.items):
            # All are there before one of the names becomes another object.
            many = [isinstance(one, ast.Name) and self._is_set_again(one.id) for one in target.elts]
            if any(many):
                key = (self.scope.path, "unpacked", target.lineno, target.col_offset)
                value = Tuple(
                    [
                        self._by_another_name(item, (*key, i), target)
                        if isinstance(item, Instance)
                        else item
                        for i, item in enumerate(value.items)
                    ],
                    value.names,
                    kind=value.kind,
                )
        super()._unpack(target, value)

    def _is_set_again(self, name: str) -> bool:
        return self.scope.parsed.assigned.get(name, 0) > 1

    def boxed(self, value: Instance) -> Tuple:
        """An object as a result."""
        return Tuple([value.record.of, *value.arrays.values()], kind=value.kind._simt_boxes)


def _plain(node: ast.expr) -> bool:
    """Names, and attributes of names: looking at them does nothing."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _plain(node.value))


def _sort(value: Any) -> Any:
    """What a name has to stay where conditions and loops set it."""
    if isinstance(value, Lazy):
        return (value.type.dtype, value.ndim)
    if isinstance(value, Array):
        return (value.dtype, value.ndim)
    if isinstance(value, Tuple):
        return List if value.listed else (len(value.items), value.names)
    if isinstance(value, Instance):
        return value.kind
    if isinstance(value, Constant):
        return (Constant, id(value.value))
    return Num if isinstance(value, Var) else type(value)


def _method(kind: Any, name: str) -> types.FunctionType | None:
    found = inspect.getattr_static(kind, name, None)
    function = getattr(found, "py_func", None)
    return function if isinstance(function, types.FunctionType) else None
