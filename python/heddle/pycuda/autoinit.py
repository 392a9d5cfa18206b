"""Importing it makes a device current: number 0, or what CUDA_DEVICE in the environment says."""

from heddle.pycuda.tools import make_default_context

context = make_default_context()
device = context.get_device()
