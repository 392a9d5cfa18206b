"""Libraries that run whole programs, on a CPU or a GPU, behind the methods of gpu_libraries.py.

Programs are written once, in NumPy's style. What a library lacks is put in between here: arrays
that can be written to for JAX, some names for PyTorch, functions without the argument `xp` for
Numba. JAX and PyTorch see all of this only while they trace.
"""

import ast
import functools
import importlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_libraries
import numpy
from program_workloads import Program

Run = Callable[..., Any]


class Numpy(gpu_libraries.Library):
    def __init__(self, device: str) -> None:
        super().__init__()

    def bind(self, program: Program) -> Run:
        """The program as a function of its arrays."""
        return self.prepare(functools.partial(program.run, self.np))


class Heddle(gpu_libraries.Heddle):
    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device
        self.np.set_default_device(device)

    def usable(self) -> bool:
        return self.device == "cpu" or super().usable()

    def bind(self, program: Program) -> Run:
        return functools.partial(program.run, self.np)

    def counts(self) -> dict[str, int]:
        return dict(self.np.stats())


class HeddleJit(Heddle):
    """The same program under jit."""

    def bind(self, program: Program) -> Run:
        run, names = program.run, self.np
        return names.jit(lambda *arrays: run(names, *arrays))  # type: ignore[no-any-return]


class CuPy(gpu_libraries.CuPy):
    def __init__(self, device: str) -> None:
        if device == "cpu":
            raise ImportError("it has no CPU")
        super().__init__()

    def bind(self, program: Program) -> Run:
        return functools.partial(program.run, self.np)


# --- PyTorch ---


def torch_names(torch: Any) -> Any:
    """The module as programs want it: NumPy's names, and numbers beside arrays."""
    names = types.ModuleType("torch_names")
    names.__dict__.update({name: getattr(torch, name) for name in dir(torch) if name[0] != "_"})

    def maximum(a: Any, b: Any) -> Any:
        return torch.maximum(a, b) if torch.is_tensor(b) else torch.clamp(a, min=b)

    def minimum(a: Any, b: Any) -> Any:
        return torch.minimum(a, b) if torch.is_tensor(b) else torch.clamp(a, max=b)

    changed = {
        "copy": torch.clone,
        "gradient": lambda a: torch.gradient(a)[0],
        "maximum": maximum,
        "minimum": minimum,
    }
    names.__dict__.update(changed)
    return names


class Torch(gpu_libraries.Torch):
    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device
        self.np.set_default_dtype(self.np.float64)
        self.np.set_default_device(device)
        self.names = torch_names(self.np)

    def usable(self) -> bool:
        return self.device == "cpu" or super().usable()

    def put(self, array: Any) -> Any:
        return self.finish(self.np.from_numpy(array.copy()).to(self.device))

    def finish(self, result: Any) -> Any:
        return result if self.device == "cpu" else super().finish(result)

    def bind(self, program: Program) -> Run:
        names, run = self.names, program.run
        return self.prepare(lambda *arrays: run(names, *arrays))


class TorchCompiled(Torch):
    prepare = gpu_libraries.TorchCompiled.prepare


# --- JAX ---


class Mutable:
    """An array of JAX that can be written to: it holds another one from then on."""

    __hash__ = None  # type: ignore[assignment]
    names: Any = None  # jax.numpy

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        return Mutable(self.value[bare(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = bare(index), bare(value)
        if getattr(index, "dtype", None) == numpy.bool_:
            # Masks that are not known while it traces: JAX's users write this.
            self.value = self.names.where(index, value, self.value)
        else:
            self.value = self.value.at[index].set(value)

    def __getattr__(self, name: str) -> Any:
        return Mutable(self.value.T) if name == "T" else getattr(self.value, name)


def _operator(name: str, in_place: bool = False) -> Callable[..., Any]:
    def apply(self: Mutable, *others: Any) -> Any:
        result = getattr(self.value, name)(*(bare(other) for other in others))
        if not in_place:
            return Mutable(result)
        self.value = result
        return self

    return apply


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    setattr(Mutable, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(Mutable, f"__r{_name}__", _operator(f"__r{_name}__"))
    setattr(Mutable, f"__i{_name}__", _operator(f"__{_name}__", in_place=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "and", "or", "invert"):
    setattr(Mutable, f"__{_name}__", _operator(f"__{_name}__"))


def bare(value: Any) -> Any:
    if isinstance(value, Mutable):
        return value.value
    if isinstance(value, tuple | list):
        return type(value)(bare(each) for each in value)
    return value


class MutableNames:
    """jax.numpy, for arrays that can be written to."""

    def __init__(self, jax: Any, module: Any) -> None:
        self.jax, self.module = jax, module

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.module, name)
        if not callable(function) or isinstance(function, type):
            return function

        def call(*args: Any, **options: Any) -> Any:
            result = function(*bare(args), **{key: bare(each) for key, each in options.items()})
            return Mutable(result) if isinstance(result, self.jax.Array) else result

        return call

    def bincount(self, x: Any, minlength: int) -> Any:
        # A compiled function knows all shapes beforehand.
        return Mutable(self.module.bincount(bare(x), length=minlength))


class JaxJit(gpu_libraries.JaxJit):
    def __init__(self, device: str) -> None:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_platforms", device)
        super().__init__()
        self.device = device
        Mutable.names = self.np

    def usable(self) -> bool:
        return self.device == "cpu" or super().usable()

    def bind(self, program: Program) -> Run:
        names = MutableNames(self.jax, self.np)
        return self.prepare(lambda *arrays: bare(program.run(names, *map(Mutable, arrays))))


# --- Numba ---


def _takes_module(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args[:1]] == ["xp"]


class _WithoutModule(ast.NodeTransformer):
    """Drops `xp` from what functions take and are called with: it becomes a global name."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if _takes_module(node):
            del node.args.args[0]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == "xp":
            del node.args[0]
        return self.generic_visit(node)


class Numba(Numpy):
    """Compiled as they are, with its parallel array expressions."""

    def __init__(self, device: str) -> None:
        if device != "cpu":
            raise ImportError("it has no arrays on a GPU")
        super().__init__(device)
        self.numba = importlib.import_module("numba")
        self.version = self.numba.__version__

    def bind(self, program: Program) -> Run:
        run = program.run
        path = Path(run.__code__.co_filename)
        tree = ast.parse(path.read_text())
        tree.body = [node for node in tree.body if _takes_module(node)]
        names = run.__globals__ | {"xp": numpy}
        exec(compile(_WithoutModule().visit(tree), str(path), "exec"), names)
        for node in tree.body:
            function = names[node.name]  # type: ignore[attr-defined]
            names[function.__name__] = self.numba.njit(parallel=not program.overlaps)(function)
        return names[run.__name__]  # type: ignore[no-any-return]


LIBRARIES: dict[str, Callable[[str], Any]] = {
    "numpy": Numpy,
    "heddle": Heddle,
    "heddlejit": HeddleJit,
    "cupy": CuPy,
    "torch": Torch,
    "torchc": TorchCompiled,
    "jaxjit": JaxJit,
    "numba": Numba,
}

TITLES = {
    "numpy": "NumPy",
    "heddle": "Heddle",
    "heddlejit": "heddle.jit",
    "cupy": "CuPy",
    "torch": "PyTorch",
    "torchc": "torch.compile",
    "jaxjit": "jax.jit",
    "numba": "Numba",
}
