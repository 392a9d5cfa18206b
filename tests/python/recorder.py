"""``--recorder``: a program that was recorded is the program that ran.

Every test runs under a tape. What was recorded is replayed on its own inputs, and what the host saw
has to come out bit for bit. Then the test runs again on other inputs, under another tape: with
other random numbers, or, where that changes nothing, with the elements of its arrays in another
order. As far as both passed the same doors in the same order, the first is replayed on the inputs
of the second, and what the host saw there has to come out. A test that is about what recording
changes is left out by a marker, which says why: ``unrecorded(reason)``. Memory that is written to
past the doors is a failure, but for tests in which somebody outside does that: ``written_outside``.
"""

import collections
import contextlib
import re

import numpy
import pytest
import support

import heddle
from heddle import _core

# What kernels and library steps find when they run names the line, here of the test.
REPORTED = re.compile(r"\.py:\d+\)")


@contextlib.contextmanager
def tape():
    """Gives a list, with what was recorded in it at the end."""
    recorded = []
    _core.start_tape()
    try:
        yield recorded
    finally:
        recorded.append(_core.stop_tape())


def _another(seed):
    if isinstance(seed, (int, numpy.integer)):
        return (int(seed) + 0x9E3779B9) % 2**32
    return seed


@contextlib.contextmanager
def other_numbers():
    """Seeds give other numbers than they do otherwise."""
    random = numpy.random

    def default_rng(seed=None):
        return original["default_rng"](_another(seed))

    def seed(seed=None):
        original["seed"](_another(seed))

    class RandomState(random.RandomState):
        def __init__(self, seed=None):
            super().__init__(_another(seed))

    others = {"default_rng": default_rng, "seed": seed, "RandomState": RandomState}
    original = {name: getattr(random, name) for name in others}
    with pytest.MonkeyPatch.context() as patch:
        for name, other in others.items():
            patch.setattr(random, name, other)
        patch.setattr(support, "variation", 3)
        yield


def _turned_list(items):
    """The numbers of nested lists from the last to the first; None where there is anything else."""
    numbers = []

    def collect(item):
        if isinstance(item, (list, tuple)):
            return all(map(collect, item))
        numbers.append(item)
        return isinstance(item, (bool, int, float, complex))

    def build(item):
        if isinstance(item, (list, tuple)):
            return type(item)([build(part) for part in item])
        return numbers.pop()

    plain = type(items) in (list, tuple) and collect(items)
    return build(items) if plain else None


def _turning(convert):
    """A conversion that sees the elements of what it is given from the last to the first."""

    def turned(obj, *args, **keywords):
        if isinstance(obj, numpy.ndarray) and keywords.get("copy") is not False:
            writeable = obj.flags.writeable and 0 not in obj.strides
            if writeable and obj.dtype.kind != "O":
                before = obj.copy()
                obj[...] = numpy.flip(before)
                try:
                    return convert(obj, *args, **keywords)
                finally:
                    obj[...] = before
        others = _turned_list(obj)
        return convert(obj if others is None else others, *args, **keywords)

    return turned


def _shifted(arange):
    def shifted(*args, **keywords):
        bounds = (0, *args) if len(args) == 1 else args
        return arange(bounds[0] + 1, bounds[1] + 1, *bounds[2:], **keywords)

    return shifted


def _lenient(check):
    def checked(*args, **keywords):
        with contextlib.suppress(AssertionError, pytest.fail.Exception):
            return check(*args, **keywords)

    return checked


@contextlib.contextmanager
def turned_inputs(module):
    """Arrays are made of other elements than the test says, and it does not mind that.

    What NumPy gives is then something else, so comparisons let everything pass. Where the test
    asserts something itself it ends.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("array", "asarray"):
            patch.setattr(heddle, name, _turning(getattr(heddle, name)))
        patch.setattr(heddle, "arange", _shifted(heddle.arange))
        for place in (module, support, numpy.testing):
            for name, check in list(vars(place).items()):
                if name.startswith("assert_") and callable(check):
                    patch.setattr(place, name, _lenient(check))
        yield


class Recorder:
    """The plugin that ``--recorder`` registers."""

    def __init__(self):
        self.replayed = collections.Counter()
        self.left_out = collections.Counter()
        self.rewritten = []
        self.names = collections.defaultdict(list)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        marker = pyfuncitem.get_closest_marker("unrecorded")
        if marker:
            self.left_out[marker.args[0]] += 1
            return (yield)
        with tape() as recorded:
            result = yield
        first = recorded[0]
        if first.incomplete:
            self.left_out[first.incomplete] += 1
        elif not first.looks(first.entries):
            self.left_out["the host looks at nothing that is computed"] += 1
            self.names["looks at nothing that is computed"].append(pyfuncitem.nodeid)
        else:
            try:
                self.replay(pyfuncitem, first)
            except Exception as error:
                if not REPORTED.search(str(error)):
                    raise
                self.left_out["it fails again, as it did"] += 1
        return result

    def replay(self, item, first):
        if first.rewritten:
            self.rewritten.append((item.nodeid, first.rewritten))
            if not item.get_closest_marker("written_outside"):
                pytest.fail(f"memory was written to past the doors:\n{first}")
        check(first, first, first.entries, "on its own inputs")
        best, why = 0, "it has no others"
        for others in (other_numbers(), turned_inputs(item.module)):
            second, error = run_again(item, others)
            if second is None or second.incomplete:
                continue
            common = first.common_entries(second)
            if common < first.entries and not error:
                why = "what it does depends on them"
            if first.looks(common) == 0 or not first.other_inputs(second, common):
                continue
            check(first, second, common, "on other inputs")
            best = max(best, common)
            if best == first.entries:
                break
        if best == first.entries:
            how = "on other inputs"
        elif best:
            how = f"on other inputs for {'the most' if 2 * best > first.entries else 'a'} part"
        else:
            how = f"on its own inputs: {why}"
        self.replayed[how] += 1
        if best < first.entries:
            self.names[how].append(item.nodeid)

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("recorder")
        for how, count in sorted(self.replayed.items(), key=lambda item: -item[1]):
            terminalreporter.line(f"{count:6} replayed {how}")
        for reason, count in sorted(self.left_out.items(), key=lambda item: -item[1]):
            terminalreporter.line(f"{count:6} not replayed: {reason}")
        count = len(self.rewritten)
        terminalreporter.line(f"{count:6} have memory that was written to past the doors")
        if terminalreporter.verbosity > 0:
            for nodeid, count in self.rewritten:
                terminalreporter.line(f"{count:8} {nodeid}")
            for how, nodeids in self.names.items():
                terminalreporter.line(f"{how}:")
                for nodeid in nodeids:
                    terminalreporter.line(f"  {nodeid}")


def run_again(item, others):
    """What is recorded when the test runs on other inputs, and what stopped it."""
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    recorded, error = [], None
    try:
        with others, tape() as recorded:
            item.obj(**arguments)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as stopped:
        error = stopped
    return (recorded[0] if recorded else None), error


def check(program, other, entries, how):
    wrong = program.replay(other, entries)
    if wrong:
        listing = "\n".join(wrong[:5])
        pytest.fail(f"replayed {how}, {len(wrong)} values differ:\n{listing}\n{program}")
