"""Values, first and second derivatives of many functions, against those of JAX and autograd.

They are in files that `scripts/jax_reference.py` writes, so that nothing here needs either.
"""

import json
import pathlib

import jax_cases
import jax_programs
import numpy as np
import pytest

import heddle as hd

DATA = pathlib.Path(__file__).parent / "data"
REFERENCE = json.loads((DATA / "jax_reference.json").read_text())
PROGRAMS = json.loads((DATA / "jax_programs.json").read_text())
OF_AUTOGRAD = json.loads((DATA / "autograd_reference.json").read_text())
OURS = dict(jax_cases.CASES) | {name: ours for name, (ours, _) in jax_cases.WRITES.items()}
X, ALONG = hd.asarray(jax_cases.X), hd.asarray(jax_cases.ALONG)

pytestmark = pytest.mark.unrecorded("records itself")


class Ours:
    """The module, with what only JAX spells another way."""

    def __getattr__(self, name):
        return getattr(hd, name)

    @staticmethod
    def bincount(x, weights, length):
        return hd.bincount(x, weights, length)


def test_there_are_many():
    assert len(REFERENCE) >= 200
    assert REFERENCE.keys() <= OURS.keys()
    assert len(OF_AUTOGRAD) >= 100


@pytest.mark.parametrize("name", REFERENCE)
def test_against_jax(name):
    value, slope, second = (np.array(part) for part in REFERENCE[name])

    def f(x):
        return OURS[name](Ours(), x)

    def total(x):
        return hd.asarray(f(x)).sum()

    def near(found, wanted, what):
        np.testing.assert_allclose(
            hd.asnumpy(hd.asarray(found)).ravel(), wanted, rtol=1e-7, atol=1e-8, err_msg=what
        )

    near(f(X), value, "value")
    near(hd.grad(total)(X), slope, "first derivative")
    near(hd.jvp(hd.grad(total), (X,), (ALONG,))[1], second, "second derivative")
    near(hd.jit(hd.grad(total))(X), slope, "first derivative, recorded")


@pytest.mark.parametrize("name", OF_AUTOGRAD)
def test_against_autograd(name):
    slope = hd.grad(lambda x: hd.asarray(OURS[name](Ours(), x)).sum())(X)
    np.testing.assert_allclose(hd.asnumpy(slope).ravel(), OF_AUTOGRAD[name], rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("program", jax_programs.PROGRAMS, ids=lambda program: program.__name__)
def test_programs_as_with_jax(program):
    """The same source, with other modules."""
    found = [jax_programs.digest(hd.asnumpy(x)) for x in hd.tree.leaves(program(hd, hd))]
    np.testing.assert_allclose(found, PROGRAMS[program.__name__], rtol=1e-8, atol=1e-8)
