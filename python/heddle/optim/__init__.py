"""Optimisers of parameters in trees, with the names and signatures of optax.

An optimiser is a pair of functions: ``init`` makes a state of the parameters, ``update`` makes of
gradients what is to be added to the parameters. States are trees of arrays.

>>> import heddle as np
>>> def loss(params):
...     return ((params["w"] - 3) ** 2).sum()
>>> params = {"w": np.zeros(2)}
>>> optimizer = np.optim.adam(0.1)
>>> state = optimizer.init(params)
>>> for _ in range(200):
...     updates, state = optimizer.update(np.grad(loss)(params), state, params)
...     params = np.optim.apply_updates(params, updates)
>>> print(params["w"].round(2))
[3. 3.]
"""

from heddle.optim import _base, _gradients, _lbfgs, _line_search, _schedules
from heddle.optim._base import *
from heddle.optim._gradients import *
from heddle.optim._lbfgs import *
from heddle.optim._line_search import *
from heddle.optim._schedules import *

__all__ = [
    *_base.__all__,
    *_gradients.__all__,
    *_lbfgs.__all__,
    *_line_search.__all__,
    *_schedules.__all__,
]
