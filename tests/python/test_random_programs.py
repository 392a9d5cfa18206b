"""Random programs over several live arrays and views, run by NumPy and by heddle side by side.

The same programs every time; HEDDLE_TEST_RANDOM=1 draws new ones, and HEDDLE_TEST_EXAMPLES=20 runs
twenty times as many.
"""

import os

import large_programs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_programs import LongProgram
from mixed_programs import MixedProgram
from programs import Program
from support import waiting

pytestmark = pytest.mark.written_outside


def examples(count):
    return settings(
        max_examples=count * int(os.environ.get("HEDDLE_TEST_EXAMPLES", 1)),
        deadline=None,
        derandomize=not os.environ.get("HEDDLE_TEST_RANDOM"),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def run_twice(kind, longest, data):
    """The second time everything about the program is known."""
    drawn = []

    def draw(strategy):
        drawn.append(data.draw(strategy))
        return drawn[-1]

    def run(draw):
        program = kind(draw)
        for _ in range(draw(st.integers(1, longest))):
            program.step()
        program.finish()

    with waiting(draw(st.booleans())):
        run(draw)
        again = iter(drawn[1:])
        run(lambda strategy: next(again))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@examples(400)
@given(st.data())
def test_random_program(data):
    run_twice(Program, 30, data)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@examples(300)
@given(st.data())
def test_long_random_program(data):
    run_twice(LongProgram, 40, data)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@examples(300)
@given(st.data())
def test_mixed_random_program(data):
    run_twice(MixedProgram, 20, data)


@examples(20)
@given(st.integers(0, 2**31))
def test_large_random_program(seed):
    large_programs.check(seed)
