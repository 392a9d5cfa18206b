"""Compiled code that is kept: caches of bytes, and the keys of what was compiled."""

from __future__ import annotations

import abc
import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from heddle.cuda.core._module import ObjectCode
from heddle.cuda.core.typing import SourceCodeType

if TYPE_CHECKING:
    from heddle.cuda.core._program import ProgramOptions

Key = bytes | str
Code = bytes | bytearray | memoryview | ObjectCode
_STALE_SECONDS = 3600  # what was begun to be written so long ago has nobody to finish it


def _bytes_of(value: object) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if not isinstance(value, ObjectCode):
        raise TypeError(
            f"cache values must be bytes-like or ObjectCode, got {type(value).__name__}"
        )
    try:
        return value._bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"cannot store path-backed ObjectCode in cache: {value.code!s} no longer exists"
        ) from None


def _key_of(key: object) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, (bytes, bytearray)):
        return bytes(key)
    raise TypeError(f"cache keys must be bytes or str, got {type(key).__name__}")


def _size_limit(max_size_bytes: int | None) -> int | None:
    if max_size_bytes is not None and max_size_bytes <= 0:
        raise ValueError("max_size_bytes must be positive or None (0 would evict every write)")
    return max_size_bytes


class ProgramCacheResource(abc.ABC):
    """Bytes of compiled code by keys: what `make_program_cache_key` gives, or names.

    Names that kernels were asked for by are no part of it: what `Program.compile` is given as
    `name_expressions` is not found in code that comes from a cache.
    """

    @abc.abstractmethod
    def __getitem__(self, key: Key) -> bytes: ...

    @abc.abstractmethod
    def __setitem__(self, key: Key, value: Code) -> None: ...

    @abc.abstractmethod
    def __delitem__(self, key: Key) -> None: ...

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def clear(self) -> None:
        """Forget all."""

    # Between an answer of `in` and a read another process may take the entry away: `get` is both.
    __contains__ = None

    def get(self, key: Key, default: bytes | None = None) -> bytes | None:
        """The code, or a default."""
        try:
            return self[key]
        except KeyError:
            return default

    def update(self, items: Mapping[Key, Code] | Iterable[tuple[Key, Code]], /) -> None:
        """Keep all of a mapping, or of pairs."""
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self[key] = value

    def close(self) -> None:  # noqa: B027
        """Nothing has to be given back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class InMemoryProgramCache(ProgramCacheResource):
    """Code that is kept while the process lives; what was not read for longest goes first.

    Examples
    --------
    >>> from heddle.cuda.core.utils import InMemoryProgramCache
    >>> cache = InMemoryProgramCache(max_size_bytes=100)
    >>> cache["a kernel"] = b"its code"
    >>> cache.get(b"a kernel"), cache.get("another")
    (b'its code', None)
    """

    def __init__(self, *, max_size_bytes: int | None = None) -> None:
        self._limit = _size_limit(max_size_bytes)
        self._codes: dict[bytes, bytes] = {}  # the last that were read at the end
        self._size = 0
        self._lock = threading.RLock()

    def __getitem__(self, key: Key) -> bytes:
        inner = _key_of(key)
        with self._lock:
            if inner not in self._codes:
                raise KeyError(key)
            found = self._codes.pop(inner)
            self._codes[inner] = found
            return found

    def __setitem__(self, key: Key, value: Code) -> None:
        data, inner = _bytes_of(value), _key_of(key)
        with self._lock:
            self._size += len(data) - len(self._codes.pop(inner, b""))
            self._codes[inner] = data
            while self._limit is not None and self._size > self._limit:
                self._size -= len(self._codes.pop(next(iter(self._codes))))

    def __delitem__(self, key: Key) -> None:
        inner = _key_of(key)
        with self._lock:
            if inner not in self._codes:
                raise KeyError(key)
            self._size -= len(self._codes.pop(inner))

    def __len__(self) -> int:
        return len(self._codes)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._codes.clear()
            self._size = 0


class FileStreamProgramCache(ProgramCacheResource):
    """Code that is kept in a folder, a file for each, for other processes, too.

    Parameters
    ----------
    path : str or Path, optional
        The folder; by default one of the user's caches.
    max_size_bytes : int, optional
        If there is more, what was not read for longest goes.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, max_size_bytes: int | None = None
    ) -> None:
        self._limit = _size_limit(max_size_bytes)
        base = os.environ.get("HEDDLE_CACHE_DIR") or str(Path.home() / ".cache" / "heddle")
        root = Path(base) / "programs" if path is None else Path(path)
        # What is being written is nobody's but this user's; what is finished may be shared.
        self._entries, self._tmp = root / "entries", root / "tmp"
        self._entries.mkdir(parents=True, exist_ok=True)
        self._tmp.mkdir(mode=0o700, exist_ok=True)
        for left in self._tmp.iterdir():
            with _whatever_others_do():
                if left.stat().st_mtime < time.time() - _STALE_SECONDS:
                    left.unlink()

    def _path(self, key: Key) -> Path:
        name = hashlib.sha256(_key_of(key), usedforsecurity=False).hexdigest()
        return self._entries / name[:2] / name[2:]

    def _files(self) -> Iterator[Path]:
        return (path for path in self._entries.rglob("*") if path.is_file())

    def __getitem__(self, key: Key) -> bytes:
        path = self._path(key)
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            raise KeyError(key) from None
        with _whatever_others_do():
            # Not all file systems keep the time of the last read.
            os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
        return found

    def __setitem__(self, key: Key, value: Code) -> None:
        data, path = _bytes_of(value), self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._tmp.mkdir(mode=0o700, exist_ok=True)
        handle, made = tempfile.mkstemp(prefix="entry-", dir=self._tmp)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
            now = time.time_ns()  # the file system's own clock may be coarser
            os.utime(made, ns=(now, now))
            os.replace(made, path)
        except BaseException:
            with _whatever_others_do():
                os.unlink(made)
            raise
        if self._limit is not None:
            self._keep_within(self._limit)

    def _keep_within(self, limit: int) -> None:
        files = []
        for path in self._files():
            with _whatever_others_do():
                files.append((path.stat().st_atime_ns, path.stat().st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= limit:
                return
            path.unlink(missing_ok=True)
            total -= size

    def __delitem__(self, key: Key) -> None:
        try:
            self._path(key).unlink()
        except FileNotFoundError:
            raise KeyError(key) from None

    def __len__(self) -> int:
        return sum(1 for _ in self._files())

    def clear(self) -> None:
        """Forget all."""
        for path in list(self._files()):
            path.unlink(missing_ok=True)


class _whatever_others_do:
    """Files that another process takes away meanwhile."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> bool:
        return kind is not None and issubclass(kind, FileNotFoundError)


_TARGETS = {
    SourceCodeType.CXX: ("cubin", "ltoir", "ptx"),
    SourceCodeType.PTX: ("cubin", "ptx"),
    SourceCodeType.NVVM: ("ltoir", "ptx"),
}
_OF_FILES = ("include_path", "pre_include", "pch", "use_pch", "pch_dir")
_WRITING = ("create_pch", "time", "fdevice_time_trace")


def make_program_cache_key(
    *,
    code: str | bytes,
    code_type: str,
    options: ProgramOptions,
    target_type: str,
    name_expressions: Sequence[str | bytes] = (),
    extra_digest: bytes | None = None,
) -> bytes:
    """What tells a compilation from others: source, options, compiler.

    Parameters
    ----------
    code, code_type, options, target_type, name_expressions
        As `Program` and its `compile` take them.
    extra_digest : bytes, optional
        Of the files that are read while it is compiled, where the options name some.

    Raises
    ------
    ValueError
        For options that write files beside the code, which are not written again, and for those
        that read files where `extra_digest` is not given.
    """
    kind = _kind_of(code_type)
    target = target_type.lower()
    if target not in _TARGETS[kind]:
        raise ValueError(
            f"target_type={target!r} is not valid for code_type={str(kind)!r} "
            f"(supported: {list(_TARGETS[kind])})"
        )
    if isinstance(code, str):
        data = code.encode()
    elif kind is SourceCodeType.NVVM and isinstance(code, (bytes, bytearray)):
        data = bytes(code)
    else:
        raise TypeError(f"code must be str for code_type={str(kind)!r}")
    _need_a_whole_key(kind, options, extra_digest)
    parts = [str(kind).encode(), target.encode(), repr(_version(kind)).encode()]
    parts += [str(options.name).encode(), data, *_options_of(kind, options, target), b"|"]
    if kind is SourceCodeType.CXX:
        parts += sorted(_tagged(name) for name in name_expressions)
    for name, source in (options.extra_sources or ()) if kind is SourceCodeType.NVVM else ():
        parts += [name.encode(), source.encode() if isinstance(source, str) else bytes(source)]
    if kind is SourceCodeType.NVVM:
        parts.append(b"libdevice" if options.use_libdevice else b"")
    if extra_digest is not None:
        parts += [b"extra", bytes(extra_digest)]
    made = hashlib.sha256(usedforsecurity=False)
    for part in parts:
        made.update(len(part).to_bytes(8, "little") + part)
    return made.digest()


def _kind_of(code_type: str) -> SourceCodeType:
    try:
        return SourceCodeType(code_type.lower())
    except ValueError:
        known = tuple(str(kind) for kind in SourceCodeType)
        raise ValueError(
            f"{code_type.lower()!r} is not a valid SourceCodeType: one of {known}"
        ) from None


def _tagged(name: object) -> bytes:
    if isinstance(name, str):
        return b"s:" + name.encode()
    if isinstance(name, bytes):
        return b"b:" + name
    raise TypeError(f"name_expressions elements must be str or bytes, not {type(name).__name__}")


def _version(kind: SourceCodeType) -> object:
    from heddle.cuda.bindings import checked
    from heddle.cuda.core._linker import Linker

    if kind is SourceCodeType.CXX:
        return checked.nvrtcVersion()
    if kind is SourceCodeType.NVVM:
        return checked.nvvmVersion(), checked.nvvmIRVersion()
    backend = str(Linker.which_backend())
    find: Callable[[], object] = (
        checked.nvJitLinkVersion if backend == "nvJitLink" else checked.cuDriverGetVersion
    )
    return backend, find()


def _options_of(kind: SourceCodeType, options: ProgramOptions, target: str) -> list[bytes]:
    if kind is not SourceCodeType.PTX:
        return options.as_bytes("nvrtc" if kind is SourceCodeType.CXX else "nvvm", target)
    from heddle.cuda.core._program import for_linker

    return [repr(for_linker(options)).encode()]


def _need_a_whole_key(
    kind: SourceCodeType, options: ProgramOptions, extra_digest: bytes | None
) -> None:
    """What is compiled has to follow from the key, and has to be all that compiling does."""

    def is_set(name: str) -> bool:
        value: Any = getattr(options, name)
        if name == "pch" or (name in _OF_FILES[:2] and not isinstance(value, str)):
            return bool(value)
        return value is not None

    if kind is not SourceCodeType.NVVM and options.extra_sources is not None:
        raise ValueError(f"extra_sources is only valid for code_type='nvvm', not for {str(kind)!r}")
    if kind is SourceCodeType.NVVM and options.use_libdevice and extra_digest is None:
        raise ValueError("use_libdevice=True needs an extra_digest, of libdevice's file")
    if kind is not SourceCodeType.CXX:
        return
    writing = [name for name in _WRITING if is_set(name)]
    if writing:
        raise ValueError(
            f"options with side effects ({', '.join(writing)}) have no key: "
            "what they write is not written again where code comes from a cache"
        )
    reading = [name for name in _OF_FILES if is_set(name)]
    if "/" in str(options.name) or "\\" in str(options.name):
        reading.append(
            f"name={options.name!r}, whose directory component is looked into for headers"
        )
    if reading and extra_digest is None:
        raise ValueError(
            f"options that read files ({', '.join(reading)}) need an extra_digest of these"
        )
