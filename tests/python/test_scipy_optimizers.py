"""SciPy's own optimizers, given functions of ours: what they get of these is NumPy's."""

import numpy as np
import pytest
import scipy.optimize

import heddle as hd

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def rosenbrock(x):
    x = hd.asarray(x)
    return hd.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def decay(x):
    x, t = hd.asarray(x), hd.arange(5.0)
    return hd.exp(-x[0] * t) * x[1] - hd.exp(-0.5 * t)


@pytest.mark.parametrize("method", ["L-BFGS-B", "BFGS", "SLSQP", "TNC", "trust-constr"])
def test_minimize_with_gradients(method):
    found = scipy.optimize.minimize(
        hd.value_and_grad(rosenbrock), np.array([0.5, 0.2, 0.1]), jac=True, method=method
    )
    np.testing.assert_allclose(found.x, 1, atol=3e-3)


def test_minimize_with_hessians_and_constraints():
    start = np.array([0.5, 0.2])
    found = scipy.optimize.minimize(
        rosenbrock, start, jac=hd.grad(rosenbrock), hess=hd.hessian(rosenbrock), method="Newton-CG"
    )
    np.testing.assert_allclose(found.x, 1, atol=1e-4)
    whole = {"type": "eq", "fun": lambda x: float(hd.asarray(x).sum()) - 1}
    found = scipy.optimize.minimize(
        hd.value_and_grad(rosenbrock), start, jac=True, method="SLSQP", constraints=whole
    )
    np.testing.assert_allclose(found.x.sum(), 1)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_with_jacobians(method):
    found = scipy.optimize.least_squares(decay, [1.0, 2.0], hd.jacfwd(decay), method=method)
    np.testing.assert_allclose(found.x, [0.5, 1], atol=1e-6)
