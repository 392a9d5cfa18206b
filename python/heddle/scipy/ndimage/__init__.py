"""Images of any number of dimensions: SciPy's ``ndimage``."""

from heddle.scipy._generic import open_module as _open_module

__all__: list[str] = []
__getattr__ = _open_module(__name__)
