"""What recorded functions read beside their arguments is compared at each call."""

from __future__ import annotations

import array
import collections
import dataclasses
import functools
import sys
import types
import weakref

import numpy
import pytest

import heddle as hd

SCALE = 2.0
TABLE = {"a": 1.0}


class Settings:
    rate = 2.0


def check(f, change, x=None):
    """That a recorded call gives what plain code gives, before and after a change."""
    x = hd.ones(2) * 3 if x is None else x
    recorded = hd.jit(f)
    first = recorded(x).tolist()
    assert first == f(x).tolist() == recorded(x).tolist()
    change()
    assert recorded(x).tolist() == f(x).tolist()
    assert f(x).tolist() != first, "the change changes nothing"


def test_attributes_of_classes():
    check(lambda x: x * Settings.rate, lambda: setattr(Settings, "rate", Settings.rate + 1))

    class Base:
        rate = 2.0

    class Derived(Base):
        pass

    check(lambda x: x * Derived.rate, lambda: setattr(Base, "rate", 3.0))
    one = Derived()
    check(lambda x: x * one.rate, lambda: setattr(Base, "rate", 4.0))
    check(lambda x: x * one.rate, lambda: setattr(Derived, "rate", 5.0))
    check(lambda x: x * one.rate, lambda: setattr(one, "rate", 6.0))


def test_methods_and_properties():
    class Model:
        def __init__(self):
            self.power = 2

        @property
        def both(self):
            return self.power * Settings.rate

        @staticmethod
        def fixed(x):
            return x * SCALE

        @classmethod
        def of_class(cls, x):
            return cls.fixed(x) + 1

        @functools.cached_property
        def later(self):
            return SCALE

        def inner(self, x):
            return x * SCALE

        def run(self, x):
            return self.inner(x)

        def __getitem__(self, i):
            return SCALE + i

        @hd.jit
        def jitted(self, x):
            return self.inner(x)

    def change():
        global SCALE
        SCALE += 1

    model = Model()
    check(model.run, change)
    check(lambda x: model.inner(x), change)
    check(lambda x: x * model.both, lambda: setattr(Settings, "rate", Settings.rate + 1))
    check(lambda x: x * model.both, lambda: setattr(model, "power", 7))
    check(lambda x: Model.fixed(x), change)
    check(lambda x: model.of_class(x), change)
    check(lambda x: x * model[1], change)
    check(lambda x: Model().run(x), change)
    check(model.run, lambda: setattr(Model, "inner", lambda self, x: x * 100))
    x = hd.ones(2)
    before = model.jitted(x).tolist()
    Model.inner = lambda self, x: x * 50
    assert before != model.jitted(x).tolist() == [50, 50]


def test_what_is_new():
    class Empty:
        pass

    one = Empty()
    check(lambda x: x * (2 if hasattr(one, "more") else 1), lambda: setattr(one, "more", 1))
    check(lambda x: x * getattr(one, "other", 1), lambda: setattr(one, "other", 4))
    names = {"a": 1.0}
    check(lambda x: x * sum(names.values()), lambda: names.update(b=4.0))
    check(lambda x: x * (2 if "c" in names else 1), lambda: names.update(c=4.0))
    check(lambda x: x * names.get("d", 7.0), lambda: names.update(d=4.0))
    check(lambda x: x * len(TABLE), lambda: TABLE.update(more=4.0))
    check(lambda x: x * next(iter(names.values())), lambda: names.update(a=names.pop("a") + 1))


def test_orders_of_keys():
    def in_order(names):
        return lambda x: x[0] * hd.stack(list(map(hd.asarray, names.values())))

    for names in ({"a": 2.0, "b": 3.0}, {"a": hd.ones(2), "b": hd.zeros(2)}):
        check(in_order(names), lambda names=names: names.update(a=names.pop("a")))
    ordered = collections.OrderedDict(a=1.0, b=2.0)
    check(in_order(ordered), lambda: ordered.move_to_end("a"))
    one = types.SimpleNamespace(a=1.0, b=2.0)
    check(in_order(vars(one)), lambda: vars(one).update(a=vars(one).pop("a")))


def test_names_that_nobody_has_yet():
    names = {}

    def loaded(source):
        exec(source, names)
        return names["f"]

    with_fallback = loaded("def f(x):\n try: return x * late\n except NameError: return x")
    check(with_fallback, lambda: names.update(late=5.0))
    check(loaded("def f(x): return x * abs(-2.0)"), lambda: names.update(abs=lambda value: 7.0))
    module = types.ModuleType("settings_of_another_test")
    names["module"] = module
    with_default = "def f(x):\n try: return x * module.rate\n except AttributeError: return x"
    check(loaded(with_default), lambda: setattr(module, "rate", 3.0))

    def closure():
        def f(x):
            try:
                return x * late
            except NameError:
                return x

        def change():
            nonlocal late
            late = 3.0

        if names is None:
            late = 1.0
        return f, change

    check(*closure())

    class Slots:
        __slots__ = ("__hidden", "rate")

        def hide(self, value):
            self.__hidden = value

        def scaled(self, x):
            return x * getattr(self, "rate", 1.0) * getattr(self, "_Slots__hidden", 1.0)

    one = Slots()
    check(lambda x: one.scaled(x), lambda: setattr(one, "rate", 3.0))
    check(lambda x: one.scaled(x), lambda: one.hide(4.0))
    check(lambda x: one.scaled(x), lambda: one.hide(5.0))


def test_code_that_is_loaded_again():
    def inner(x):
        return x + 1

    def reloaded(x):
        return x * 10

    check(lambda x: inner(x), lambda: setattr(inner, "__code__", reloaded.__code__))


def test_classes_of_classes_views_of_bytes_and_weak_references():
    class Meta(type):
        @property
        def rate(cls):
            return cls.base * 2

    class Rates(metaclass=Meta):
        base = 2.0

    check(lambda x: x * Rates.rate, lambda: setattr(Rates, "base", 5.0))
    view = memoryview(bytearray(b"abc"))
    check(lambda x: x * view[0], lambda: view.__setitem__(0, 1))
    settings = Settings()
    settings.rate = 2.0
    weak, by_name = weakref.ref(settings), weakref.WeakValueDictionary(one=settings)
    check(lambda x: x * weak().rate, lambda: setattr(settings, "rate", 3.0))
    check(lambda x: x * by_name["one"].rate, lambda: setattr(settings, "rate", 4.0))


def test_what_the_function_itself_adds():
    """It is no reason to record again: it happens in the recorded call alone."""
    known, calls = {}, []

    class Memory:
        pass

    memory = Memory()

    def f(x):
        calls.append(None)
        known["shape"] = x.shape
        memory.size = x.size
        return x * 2

    recorded = hd.jit(f)
    for _ in range(4):
        recorded(hd.ones(3))
    assert len(calls) == 1


def test_partial_functions():
    def change():
        global SCALE
        SCALE += 1

    def scaled(factor, x, *, shift=0.0):
        return x * SCALE * factor + shift

    class Shift:
        value = 1.0

    shift = Shift()
    check(functools.partial(scaled, 2.0), change)
    part = functools.partial(scaled, 2.0)
    check(lambda x: part(x), change)
    other = functools.partial(lambda one, x: x * one.value, shift)
    check(lambda x: other(x), lambda: setattr(shift, "value", 8.0))
    keyword = functools.partial(scaled, 2.0, shift=1.0)
    check(lambda x: keyword(x), lambda: keyword.keywords.update(shift=4.0))


def test_defaults():
    def f(x, y=1.0, *, z=1.0):
        return x * y + z

    check(lambda x: f(x), lambda: setattr(f, "__defaults__", (5.0,)))
    check(lambda x: f(x), lambda: setattr(f, "__kwdefaults__", {"z": 9.0}))


def test_modules_that_several_functions_read():
    module = types.ModuleType("settings_of_a_test")
    module.one, module.two = 1.0, 2.0
    module.inner = types.ModuleType("settings_of_a_test.inner")
    module.inner.three = 3.0
    sys.modules["settings_of_a_test"] = module
    try:
        names = {"settings": module, "hd": hd}
        exec("def g(x): return x * settings.two", names)
        exec("def f(x): return g(x) + settings.one", names)
        exec("def of_inner(x): return x * settings.inner.three", names)
        exec("def later(x):\n import settings_of_a_test as s\n return x * s.one", names)
        exec("def named(x):\n from settings_of_a_test import two\n return x * two", names)
        exec("def other(x):\n s = settings\n return x * s.one", names)
        check(names["f"], lambda: setattr(module, "two", 5.0))
        check(names["f"], lambda: setattr(module, "one", 5.0))
        check(names["of_inner"], lambda: setattr(module.inner, "three", 5.0))
        check(names["later"], lambda: setattr(module, "one", 6.0))
        check(names["named"], lambda: setattr(module, "two", 6.0))
        check(names["other"], lambda: setattr(module, "one", 7.0))
    finally:
        del sys.modules["settings_of_a_test"]


def test_other_containers():
    queue = collections.deque([1.0, 2.0])
    check(lambda x: x * sum(queue), lambda: queue.append(4.0))
    check(lambda x: x * queue[0], lambda: queue.__setitem__(0, 4.0))
    numbers = array.array("d", [1.0, 2.0])
    check(lambda x: x * numbers[0], lambda: numbers.__setitem__(0, 4.0))
    octets = bytearray(b"ab")
    check(lambda x: x * octets[0], lambda: octets.__setitem__(0, 4))
    inside = {"a": 1.0}
    proxy = types.MappingProxyType(inside)
    check(lambda x: x * proxy["a"], lambda: inside.update(a=4.0))
    check(lambda x: x * len(proxy), lambda: inside.update(b=4.0))

    class Pair(collections.namedtuple("Pair", "a b")):
        def both(self):
            return (self.a + self.b) * Settings.rate

    pair = Pair(1.0, 2.0)
    check(lambda x: x * pair.both(), lambda: setattr(Settings, "rate", Settings.rate + 1))

    class Named(dict):
        factor = 1.0

    named = Named(a=1.0)
    named.shift = 1.0
    check(lambda x: x * named.shift, lambda: setattr(named, "shift", 2.0))


def test_attributes_that_raise():
    class Raising:
        def __init__(self):
            self.values = {"k": 1.0}

        def __getattr__(self, name):
            return self.__dict__["values"][name]  # KeyError for those that are not there

    one = Raising()
    check(lambda x: x * one.k, lambda: one.values.update(k=4.0))


def test_objects_among_arguments():
    class Slotted:
        __slots__ = ("factor",)

        def times(self, x):
            return x * self.factor * Settings.rate

    @hd.tree.register_dataclass
    @dataclasses.dataclass
    class Layer:
        kernel: hd.ndarray

        def apply(self, x):
            return x * self.kernel * Settings.rate

    def change():
        Settings.rate += 1

    slotted = Slotted()
    slotted.factor = 2.0
    recorded = hd.jit(lambda one, x: one.times(x))
    x = hd.ones(2)
    for step in (change, lambda: setattr(slotted, "factor", 9.0)):
        assert recorded(slotted, x).tolist() == slotted.times(x).tolist()
        step()
        assert recorded(slotted, x).tolist() == slotted.times(x).tolist()
    layer = Layer(hd.ones(2))
    recorded = hd.jit(lambda one, x: one.apply(x))
    assert recorded(layer, x).tolist() == layer.apply(x).tolist()
    change()
    assert recorded(layer, x).tolist() == layer.apply(x).tolist()


def test_functions_inside_of_ours():
    def change():
        global SCALE
        SCALE += 1

    vectorized = hd.vectorize(lambda x: x * SCALE, signature="()->()")
    check(lambda x: vectorized(x), change)

    @hd.custom_jvp
    def own(x):
        return x * 2

    @own.defjvp
    def rule(primals, tangents):
        return own(*primals), tangents[0] * SCALE

    check(hd.grad(lambda x: own(x).sum()), change)
    check(lambda x: hd.grad(lambda x: own(x).sum())(x), change)

    @hd.custom_vjp
    def other(x):
        return x * 2

    other.defvjp(lambda x: (other(x), None), lambda _, g: (g * SCALE,))
    check(lambda x: hd.grad(lambda x: other(x).sum())(x), change)
    batched = hd.vmap(lambda x: x * SCALE)
    check(lambda x: batched(x), change)


def test_objects_of_ours_that_have_arrays():
    series = hd.polynomial.Polynomial([1.0, 2.0])
    check(lambda x: series(x), lambda: series.coef.__setitem__(0, 5.0))
    check(lambda x: series(x), lambda: setattr(series, "coef", hd.array([5.0, 6.0])))
    of_numpy = numpy.polynomial.Polynomial([1.0, 2.0])
    check(lambda x: x * of_numpy(2.0), lambda: of_numpy.coef.__setitem__(0, 5.0))
    matrix = hd.scipy.sparse.csr_matrix(hd.eye(2))
    check(lambda x: matrix @ x, lambda: matrix.data.__setitem__(0, 5.0))
    stretched = hd.vectorize(lambda x: x * SCALE)

    def change():
        global SCALE
        SCALE += 1

    check(lambda x: stretched(x), change)


def test_zeros_have_signs():
    zero = 0.0

    def f(x):
        return hd.copysign(x, zero)

    def change():
        nonlocal zero
        zero = -0.0

    check(f, change)
    zero = 0j

    def of_complex(x):
        return hd.copysign(x, zero.imag)

    def other():
        nonlocal zero
        zero = complex(0.0, -0.0)

    check(of_complex, other)
    recorded = hd.jit(hd.copysign)
    x = hd.ones(2)
    assert [recorded(x, sign).tolist() for sign in (0.0, -0.0, 0.0)] == [[1, 1], [-1, -1], [1, 1]]


def test_scalars_of_numpy_are_compared_by_value():
    calls = []
    factor = numpy.float32(2)

    @hd.jit
    def f(x):
        calls.append(None)
        return x * factor

    for value in (2, 2, 3, 3):
        factor = numpy.float32(value)
        assert f(hd.ones(2, numpy.float32)).tolist() == [value] * 2
    assert len(calls) == 2


def test_too_much_to_compare():
    many = [[i] for i in range(20_000)]
    f = hd.jit(lambda x: x * many[-1][0])
    with pytest.warns(RuntimeWarning, match="more than 10,000 objects"):
        assert f(hd.ones(2)).tolist() == [19_999] * 2
    many[-1][0] = 1
    assert f(hd.ones(2)).tolist() == [1, 1]


def test_settings_that_are_asked_for():
    def scaled(x):
        return x * (2.0 if numpy.geterr()["divide"] == "ignore" else 3.0)

    with numpy.errstate(divide="warn"):
        check(scaled, lambda: numpy.seterr(divide="ignore"))

    def of_ours(x):
        return x * (2.0 if hd.geterr()["over"] == "ignore" else 3.0)

    with hd.errstate(over="warn"):
        check(of_ours, lambda: hd.seterr(over="ignore"))

    def width(x):
        return x * numpy.get_printoptions()["linewidth"]

    with numpy.printoptions(linewidth=60):
        check(width, lambda: numpy.set_printoptions(linewidth=70))


def test_caches_that_are_cleared():
    factor = [2.0]

    @functools.lru_cache
    def cached(power):
        return factor[0] ** power

    def change():
        factor[0] += 3.0
        cached.cache_clear()

    check(lambda x: x * cached(2), change)
    cached(3)
    check(lambda x: x * cached(2), change)
    # What is only looked up again is no other recording.
    count = []
    recorded = hd.jit(lambda x: (count.append(1), x * cached(4))[1])
    for _ in range(4):
        recorded(hd.ones(2))
    assert len(count) <= 2
