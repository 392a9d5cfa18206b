"""Pieces of neural networks as functions of arrays: activations, losses, layers, initializers.

Names and signatures are those of jax.nn, losses those of optax, convolution and pooling those of
flax's functions: channels come last. Parameters are arrays in trees of your own making.
"""

from heddle.nn import _activations, _convolution, _layers, _losses, _normalizing, initializers
from heddle.nn._activations import *
from heddle.nn._convolution import *
from heddle.nn._layers import *
from heddle.nn._losses import *
from heddle.nn._normalizing import *

__all__ = [
    *_activations.__all__,
    *_convolution.__all__,
    *_layers.__all__,
    *_losses.__all__,
    *_normalizing.__all__,
    "initializers",
]
