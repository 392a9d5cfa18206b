"""What kernels around expressions have in common: declarations, and the sources made of them."""

from __future__ import annotations

from collections.abc import Sequence

from heddle._core import ndarray, own_array
from heddle._kernels import parameters as p
from heddle._kernels.raw import RawModule
from heddle._typing import DType


class ExpressionKernel:
    """Parameters of a kernel, and what was compiled for arguments of each kind."""

    def __init__(
        self, in_params: str, out_params: str, name: str, reduce_dims: bool, preamble: str
    ) -> None:
        if not name.isidentifier():
            raise ValueError(f'Invalid kernel name: "{name}"')
        self.in_params = p.read_parameters(in_params, True)
        self.out_params = p.read_parameters(out_params, False)
        self.params = self.in_params + self.out_params
        p.check_names(self.params)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.name = name
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self._modules: dict[str, RawModule] = {}

    @property
    def cached_codes(self) -> dict[str, str]:
        """The sources that were made, by what they were made for."""
        return {key: str(module.code) for key, module in self._modules.items()}

    @property
    def cached_code(self) -> str:
        """The one source that was made."""
        codes = self.cached_codes
        if len(codes) != 1:
            raise RuntimeError(f"{self.name} was compiled for {len(codes)} kinds of arguments")
        return next(iter(codes.values()))

    def _walked(self, arguments: Sequence[object]) -> list[ndarray]:
        """The arrays among the inputs that are walked element by element."""
        pairs = zip(self.in_params, arguments, strict=True)
        return [a for q, a in pairs if isinstance(a, own_array) and not q.raw]

    def _key(self, known: dict[str, DType], declared: Sequence[str]) -> str:
        """What a source depends on beside the kernel."""
        return ", ".join([*(f"{k}={v.name}" for k, v in sorted(known.items())), *declared])
