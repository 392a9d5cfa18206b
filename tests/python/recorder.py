"""``--recorder``: a program that was recorded is the program that ran.

Every test runs under a tape, and once more, on other random numbers, under another one. Where both
passed the same doors in the same order, the first is replayed on the inputs of the second, and what
the host saw there has to come out bit for bit. Where they did not, because the program depends on
what it computes, the first is replayed on its own inputs. A test that is about what recording
changes is left out by a marker, which says why: ``unrecorded(reason)``.
"""

import collections
import contextlib

import numpy
import pytest
import support

from heddle import _core


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


class Recorder:
    """The plugin that ``--recorder`` registers."""

    def __init__(self):
        self.replayed = collections.Counter()
        self.left_out = collections.Counter()
        self.without_origin = []

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
            return result
        if first.inputs_without_origin:
            self.without_origin.append((pyfuncitem.nodeid, first.inputs_without_origin))
        how, other = self.run_again(pyfuncitem, first)
        wrong = first.replay(other)
        if wrong:
            listing = "\n".join(wrong[:5])
            pytest.fail(f"replayed {how}, {len(wrong)} values differ:\n{listing}\n{first}")
        self.replayed[how] += 1
        return result

    def run_again(self, item, first):
        """How the program can be replayed, and on whose inputs."""
        arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
        recorded = []
        try:
            with other_numbers(), tape() as recorded:
                item.obj(**arguments)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception):
            return "on its own inputs: the test fails on others", first
        second = recorded[0]
        if second.incomplete:
            return f"on its own inputs: the second time {second.incomplete}", first
        if first.difference(second):
            return "on its own inputs: the program depends on them", first
        if not first.other_inputs(second):
            return "on the same inputs again: the test has no others", second
        return "on other inputs", second

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("recorder")
        for how, count in sorted(self.replayed.items(), key=lambda kv: -kv[1]):
            terminalreporter.line(f"{count:6} replayed {how}")
        for reason, count in sorted(self.left_out.items(), key=lambda kv: -kv[1]):
            terminalreporter.line(f"{count:6} not replayed: {reason}")
        terminalreporter.line(
            f"{len(self.without_origin):6} have inputs that came neither from outside nor from a node"
        )
        if terminalreporter.verbosity > 0:
            for nodeid, count in self.without_origin:
                terminalreporter.line(f"{count:8} {nodeid}")
