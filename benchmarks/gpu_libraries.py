"""Libraries that compute on a GPU, behind the same few methods; imported when they are made."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as host

Call = Callable[[], Any]


class Library:
    """`np` is the module that workloads are written against. This one is NumPy."""

    transfers = False  # whether copies from and to the host are measured

    def __init__(self) -> None:
        self.np: Any = host
        self.version: str = host.__version__

    def usable(self) -> bool:
        """Whether it computes where it should: the peers on a GPU."""
        return True

    def put(self, array: Any) -> Any:
        return array

    def get(self, result: Any) -> Any:
        return host.asarray(result)

    def get_into(self, result: Any, target: Any) -> None:
        raise NotImplementedError

    def finish(self, result: Any) -> Any:
        """Waits until a result has been computed."""
        return result

    def prepare(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of arrays as users of the library would call it in a loop."""
        return function

    def compiled(self) -> int | None:
        """How many kernels this process has compiled, where the library says."""
        return None

    def copy(self, size: int) -> Call | None:
        """A call that copies this many bytes within the device's memory."""
        source, target = host.ones(size, host.uint8), host.ones(size, host.uint8)
        return lambda: host.copyto(target, source)


class _CuPyNames(Library):
    """Libraries with CuPy's names for what moves arrays."""

    transfers = True

    def put(self, array: Any) -> Any:
        return self.finish(self.np.asarray(array))

    def get(self, result: Any) -> Any:
        return self.np.asnumpy(result)

    def get_into(self, result: Any, target: Any) -> None:
        result.get(out=target)


class Heddle(_CuPyNames):
    def __init__(self) -> None:
        self.np = importlib.import_module("heddle")
        self.version = self.np.__version__

    def usable(self) -> bool:
        return any(name.startswith("cuda") for name in self.np.devices())

    def finish(self, result: Any) -> Any:
        self.np.eval(*result) if isinstance(result, tuple) else result.eval()
        self.np.synchronize()
        return result

    def compiled(self) -> int | None:
        return int(self.np.stats()["compiled"])

    def copy(self, size: int) -> Call | None:
        # Copying an array only shares its memory until somebody writes: this is the driver's copy.
        if not self.usable():
            return None
        runtime = importlib.import_module("heddle.cuda.runtime")
        source, target = runtime.malloc(size), runtime.malloc(size)
        kind = runtime.memcpyDeviceToDevice
        return lambda: runtime.memcpy(target, source, size, kind)


class CuPy(_CuPyNames):
    def __init__(self) -> None:
        self.np = importlib.import_module("cupy")
        self.version = self.np.__version__

    def usable(self) -> bool:
        return bool(self.np.cuda.is_available())

    def finish(self, result: Any) -> Any:
        self.np.cuda.Device().synchronize()
        return result

    def copy(self, size: int) -> Call | None:
        source, target = (self.np.ones(size, self.np.uint8) for _ in range(2))
        return lambda: self.finish(target.data.copy_from_device_async(source.data, size))


class Torch(Library):
    transfers = True

    def __init__(self) -> None:
        self.np = importlib.import_module("torch")
        self.version = str(self.np.__version__)

    def usable(self) -> bool:
        return bool(self.np.cuda.is_available())

    def put(self, array: Any) -> Any:
        return self.finish(self.np.from_numpy(array).to("cuda"))

    def get(self, result: Any) -> Any:
        return result.cpu().numpy()

    def get_into(self, result: Any, target: Any) -> None:
        self.np.from_numpy(target).copy_(result)

    def finish(self, result: Any) -> Any:
        self.np.cuda.synchronize()
        return result

    def copy(self, size: int) -> Call | None:
        source, target = (self.np.ones(size, dtype=self.np.uint8, device="cuda") for _ in range(2))
        return lambda: self.finish(target.copy_(source))


class TorchCompiled(Torch):
    transfers = False

    def prepare(self, function: Callable[..., Any]) -> Callable[..., Any]:
        # It gives up on code it has compiled several times, and all workloads pass through here.
        importlib.import_module("torch._dynamo").reset()
        return self.np.compile(function)  # type: ignore[no-any-return]

    def copy(self, size: int) -> Call | None:
        return None


class JaxJit(Library):
    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        # float32 as the others compute it, rather than TF32.
        self.jax.config.update("jax_default_matmul_precision", "highest")
        self.np = importlib.import_module("jax.numpy")
        self.version = self.jax.__version__

    def usable(self) -> bool:
        return bool(self.jax.default_backend() == "gpu")

    def put(self, array: Any) -> Any:
        return self.finish(self.np.asarray(array))

    def finish(self, result: Any) -> Any:
        return self.jax.block_until_ready(result)

    def prepare(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.jax.jit(function)  # type: ignore[no-any-return]

    def copy(self, size: int) -> Call | None:
        return None


LIBRARIES: dict[str, type[Library]] = {
    "numpy": Library,
    "heddle": Heddle,
    "cupy": CuPy,
    "torch": Torch,
    "torchc": TorchCompiled,
    "jaxjit": JaxJit,
}


_CACHES = (
    "CUDA_CACHE_PATH",
    "CUPY_CACHE_DIR",
    "HEDDLE_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
)


def environment(caches: Path) -> dict[str, str]:
    """For a process that finds nothing compiled but what is in this folder."""
    folders = {name: caches / name.lower() for name in _CACHES}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return {
        **os.environ,
        **{name: str(folder) for name, folder in folders.items()},
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
