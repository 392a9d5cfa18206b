"""Sources, compiled."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda.bindings import checked, nvrtc, nvvm
from heddle.cuda.compiler import _include_options
from heddle.cuda.core._linker import Linker, LinkerOptions
from heddle.cuda.core._module import ObjectCode
from heddle.cuda.core.typing import CompilerBackendType, PCHStatusType, SourceCodeType

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle
    from heddle.cuda.core._program_cache import ProgramCacheResource

Text = str | bytes
_TARGETS = {
    CompilerBackendType.NVRTC: ("ptx", "cubin", "ltoir"),
    CompilerBackendType.NVVM: ("ptx", "ltoir"),
    CompilerBackendType.NVJITLINK: ("cubin", "ptx"),
}


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _macro(value: object) -> str:
    if isinstance(value, tuple):
        if len(value) == 2 and all(isinstance(v, str) for v in value):
            return "=".join(value)
        raise RuntimeError(f"Expected define_macro tuple[str, str], got {value}")
    if isinstance(value, str):
        return value
    raise RuntimeError(
        f"Expected define_macro str, tuple[str, str] or a list of these, got {value}"
    )


def _macros(value: object) -> list[str]:
    if value is None:
        return []
    many = isinstance(value, list) or (
        isinstance(value, tuple) and any(isinstance(v, (list, tuple)) for v in value)
    )
    return [_macro(one) for one in (value if many else [value])]  # type: ignore[attr-defined]


def _on(value: bool) -> str:
    return "true" if value else "false"


@dataclasses.dataclass(repr=False)
class ProgramOptions:
    """Options of compilers. Those that are None are left to the compiler.

    `arch` is the kind of GPU, as "sm_90", that of the current one by default; `define_macro` are
    names, pairs of names and values, or lists of these.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.ProgramOptions(std="c++17", arch="sm_90").arch
    'sm_90'
    """

    name: str | None = "default_program"
    arch: str | None = None
    relocatable_device_code: bool | None = None
    extensible_whole_program: bool | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    device_code_optimize: bool | None = None
    ptxas_options: str | Sequence[str] | None = None
    max_register_count: int | None = None
    ftz: bool | None = None
    prec_sqrt: bool | None = None
    prec_div: bool | None = None
    fma: bool | None = None
    use_fast_math: bool | None = None
    extra_device_vectorization: bool | None = None
    link_time_optimization: bool | None = None
    gen_opt_lto: bool | None = None
    define_macro: Any = None
    undefine_macro: str | Sequence[str] | None = None
    include_path: str | Sequence[str] | None = None
    pre_include: str | Sequence[str] | None = None
    no_source_include: bool | None = None
    std: str | None = None
    builtin_move_forward: bool | None = None
    builtin_initializer_list: bool | None = None
    disable_warnings: bool | None = None
    restrict: bool | None = None
    device_as_default_execution_space: bool | None = None
    device_int128: bool | None = None
    optimization_info: str | None = None
    no_display_error_number: bool | None = None
    diag_error: int | Sequence[int] | None = None
    diag_suppress: int | Sequence[int] | None = None
    diag_warn: int | Sequence[int] | None = None
    brief_diagnostics: bool | None = None
    time: str | None = None
    split_compile: int | None = None
    fdevice_syntax_only: bool | None = None
    minimal: bool | None = None
    no_cache: bool | None = None
    fdevice_time_trace: str | None = None
    device_float128: bool | None = None
    frandom_seed: str | None = None
    ofast_compile: str | None = None
    pch: bool | None = None
    create_pch: str | None = None
    use_pch: str | None = None
    pch_dir: str | None = None
    pch_verbose: bool | None = None
    pch_messages: bool | None = None
    instantiate_templates_in_pch: bool | None = None
    extra_sources: Sequence[tuple[str, Text | bytearray]] | None = None  # of NVVM
    use_libdevice: bool | None = None  # of NVVM
    numba_debug: bool | None = None

    def __post_init__(self) -> None:
        if self.name is None:
            self.name = "default_program"
        if self.extra_sources is None:
            return
        if not isinstance(self.extra_sources, (list, tuple)):
            raise TypeError(
                "extra_sources must be a sequence of 2-tuples: ((name, source), ...), "
                f"not {type(self.extra_sources).__name__}"
            )
        for i, one in enumerate(self.extra_sources):
            if not isinstance(one, tuple) or len(one) != 2:
                raise TypeError(
                    f"Each extra module must be a 2-tuple (name, source), not {one!r} at index {i}"
                )
            name, source = one
            if not isinstance(name, str):
                raise TypeError(
                    f"Module name at index {i} must be a string, got {type(name).__name__}"
                )
            if not isinstance(source, (str, bytes, bytearray)):
                raise TypeError(
                    f"Module source at index {i} must be str, bytes or bytearray, "
                    f"got {type(source).__name__}"
                )
            if not source:
                raise ValueError(f"Module source for '{name}' (index {i}) cannot be empty")

    def __repr__(self) -> str:
        return f"ProgramOptions(name={self.name!r}, arch={self.arch!r})"

    def _architecture(self) -> str:
        if self.arch is not None:
            return self.arch
        from heddle.cuda.core._device import Device

        return f"sm_{Device().arch}"

    def as_bytes(self, backend: str, target_type: str | None = None) -> list[bytes]:
        """The options as a compiler takes them: "nvrtc" or "nvvm"."""
        how = {"nvrtc": self._of_nvrtc, "nvvm": self._of_nvvm}.get(str(backend).lower())
        if how is None:
            raise ValueError(f"Unknown backend '{backend}'. Must be one of: 'nvrtc', 'nvvm'")
        made = how()
        if target_type == "ltoir" and how == self._of_nvvm:
            made.append("-gen-lto")
        return [option.encode() for option in made]

    def _of_nvrtc(self) -> list[str]:
        made = [f"-arch={self._architecture()}"]
        for field, spelled, style in _NVRTC:
            value = getattr(self, field)
            if value is None:
                continue
            if style == "flag":
                made += [f"--{spelled}"] if value else []
            elif style == "bool":
                made.append(f"--{spelled}={_on(value)}")
            elif style == "each":
                made += [f"--{spelled}={one}" for one in _list(value)]
            elif style == "joined":
                made.append(f"--{spelled}={','.join(str(one) for one in _list(value))}")
            else:
                made.append(f"--{spelled}={value}")
        made += [f"--define-macro={one}" for one in _macros(self.define_macro)]
        made += [f"--undefine-macro={one}" for one in _list(self.undefine_macro)]
        if self.numba_debug:
            made.append("--numba-debug")
        return made

    def _of_nvvm(self) -> list[str]:
        made = [f"-arch={self._architecture().replace('sm_', 'compute_')}"]
        if self.debug:
            made.append("-g")
        if self.numba_debug:
            made.append("-numba-debug")
        if self.device_code_optimize is not None:
            made.append("-opt=3" if self.device_code_optimize else "-opt=0")
        for field, name in (("ftz", "ftz"), ("prec_sqrt", "prec-sqrt"), ("prec_div", "prec-div")):
            value = getattr(self, field)
            if value is not None:
                made.append(f"-{name}={int(value)}")
        if self.fma is not None:
            made.append(f"-fma={int(self.fma)}")
        flags = {field for field, _, style in _NVRTC if style == "flag"}
        unknown = [
            f.name
            for f in dataclasses.fields(self)
            if f.name not in _OF_NVVM
            and getattr(self, f.name) is not None
            and (f.name not in flags or getattr(self, f.name))
        ]
        if unknown:
            raise _core.cuda.CUDARuntimeError(
                f"The following options are not supported by NVVM backend: {', '.join(unknown)}"
            )
        return made


_OF_NVVM = {
    "name",
    "arch",
    "debug",
    "device_code_optimize",
    "ftz",
    "prec_sqrt",
    "prec_div",
    "fma",
    "link_time_optimization",
    "extra_sources",
    "use_libdevice",
    "numba_debug",
}


def for_linker(options: ProgramOptions) -> LinkerOptions:
    """What the linker is told of a program of PTX: those options that it has."""
    names = {f.name for f in dataclasses.fields(LinkerOptions)} - {"numba_debug"}
    given = {
        f.name: getattr(options, f.name) for f in dataclasses.fields(options) if f.name in names
    }
    return LinkerOptions(**given)


# Fields, NVRTC's names for them, and how a value is said.
_NVRTC = [
    ("relocatable_device_code", "relocatable-device-code", "bool"),
    ("extensible_whole_program", "extensible-whole-program", "flag"),
    ("debug", "device-debug", "flag"),
    ("lineinfo", "generate-line-info", "flag"),
    ("device_code_optimize", "dopt=on", "flag"),
    ("ptxas_options", "ptxas-options", "each"),
    ("max_register_count", "maxrregcount", "value"),
    ("ftz", "ftz", "bool"),
    ("prec_sqrt", "prec-sqrt", "bool"),
    ("prec_div", "prec-div", "bool"),
    ("fma", "fmad", "bool"),
    ("use_fast_math", "use_fast_math", "flag"),
    ("extra_device_vectorization", "extra-device-vectorization", "flag"),
    ("link_time_optimization", "dlink-time-opt", "flag"),
    ("gen_opt_lto", "gen-opt-lto", "flag"),
    ("include_path", "include-path", "each"),
    ("pre_include", "pre-include", "each"),
    ("no_source_include", "no-source-include", "flag"),
    ("std", "std", "value"),
    ("builtin_move_forward", "builtin-move-forward", "bool"),
    ("builtin_initializer_list", "builtin-initializer-list", "bool"),
    ("disable_warnings", "disable-warnings", "flag"),
    ("restrict", "restrict", "flag"),
    ("device_as_default_execution_space", "device-as-default-execution-space", "flag"),
    ("device_int128", "device-int128", "flag"),
    ("optimization_info", "optimization-info", "value"),
    ("no_display_error_number", "no-display-error-number", "flag"),
    ("diag_error", "diag-error", "joined"),
    ("diag_suppress", "diag-suppress", "joined"),
    ("diag_warn", "diag-warn", "joined"),
    ("brief_diagnostics", "brief-diagnostics", "bool"),
    ("time", "time", "value"),
    ("split_compile", "split-compile", "value"),
    ("fdevice_syntax_only", "fdevice-syntax-only", "flag"),
    ("minimal", "minimal", "flag"),
    ("no_cache", "no-cache", "flag"),
    ("fdevice_time_trace", "fdevice-time-trace", "value"),
    ("device_float128", "device-float128", "flag"),
    ("frandom_seed", "frandom-seed", "value"),
    ("ofast_compile", "Ofast-compile", "value"),
    ("pch", "pch", "flag"),
    ("create_pch", "create-pch", "value"),
    ("use_pch", "use-pch", "value"),
    ("pch_dir", "pch-dir", "value"),
    ("pch_verbose", "pch-verbose", "bool"),
    ("pch_messages", "pch-messages", "bool"),
    ("instantiate_templates_in_pch", "instantiate-templates-in-pch", "bool"),
]


class Program:
    """A source: C++ for NVRTC, PTX for the linker, NVVM IR for NVVM.

    Parameters
    ----------
    code : str or bytes
    code_type : {'c++', 'ptx', 'nvvm'}
    options : ProgramOptions, optional

    Examples
    --------
    >>> from heddle.cuda.core import Program, ProgramOptions
    >>> ProgramOptions(arch="sm_90", lineinfo=True).as_bytes("nvrtc")
    [b'-arch=sm_90', b'--generate-line-info']
    >>> program = Program(source, "c++", ProgramOptions(arch="sm_90"))  # doctest: +SKIP
    """

    def __init__(
        self,
        code: Text | bytearray,
        code_type: str,
        options: ProgramOptions | dict[str, Any] | None = None,
    ) -> None:
        kinds = tuple(kind.value for kind in SourceCodeType)
        given = ProgramOptions(**options) if isinstance(options, dict) else options
        self._options = given or ProgramOptions()
        if code_type.lower() not in kinds:
            raise RuntimeError(
                f"Unsupported code_type={code_type.lower()!r} (supported_code_types={kinds})"
            )
        self._kind = SourceCodeType(code_type.lower())
        if self._kind is SourceCodeType.NVVM:
            if not isinstance(code, (str, bytes, bytearray)):
                raise TypeError("NVVM IR code must be provided as str, bytes, or bytearray")
        elif not isinstance(code, str):
            raise TypeError(f"a source of {self._kind} is a str, not {type(code).__name__}")
        elif self._options.extra_sources is not None:
            raise ValueError(
                "extra_sources is not supported by the "
                + (
                    "NVRTC backend (C++ code_type)"
                    if self._kind is SourceCodeType.CXX
                    else "PTX backend"
                )
            )
        self._code = code.encode() if isinstance(code, str) else bytes(code)
        self._handle: Any = None
        self._linker: Linker | None = None
        self._pch: PCHStatusType | None = None
        if self._kind is SourceCodeType.CXX:
            name = str(self._options.name).encode()
            self._handle = checked.nvrtcCreateProgram(self._code, name, 0, [], [])
        elif self._kind is SourceCodeType.NVVM:
            self._handle = self._made_for_nvvm()
        else:
            self._linker = self._made_for_linker()

    def _made_for_nvvm(self) -> Any:
        handle = checked.nvvmCreateProgram()
        name = str(self._options.name).encode()
        checked.nvvmAddModuleToProgram(handle, self._code, len(self._code), name)
        for given, code in self._options.extra_sources or ():
            data = code.encode() if isinstance(code, str) else bytes(code)
            checked.nvvmAddModuleToProgram(handle, data, len(data), given.encode())
        if self._options.use_libdevice:
            from pathlib import Path

            for folder in _core.cuda.toolkit_folders():
                path = Path(folder) / "nvvm/libdevice/libdevice.10.bc"
                if path.exists():
                    data = path.read_bytes()
                    checked.nvvmLazyAddModuleToProgram(handle, data, len(data), b"libdevice")
                    break
            else:
                raise FileNotFoundError("libdevice.10.bc is in no installation of CUDA")
        return handle

    def _made_for_linker(self) -> Linker:
        if self._options.numba_debug:
            warnings.warn(
                "numba_debug is ignored for code_type='ptx', which is processed by the linker",
                UserWarning,
                stacklevel=4,
            )
        code = ObjectCode._of(self._code, "ptx", str(self._options.name))
        return Linker(code, options=for_linker(self._options))

    @property
    def backend(self) -> CompilerBackendType:
        """What compiles it."""
        if self._kind is SourceCodeType.CXX:
            return CompilerBackendType.NVRTC
        if self._kind is SourceCodeType.NVVM:
            return CompilerBackendType.NVVM
        return Linker.which_backend()

    def __repr__(self) -> str:
        return f"<Program backend='{self.backend}'>"

    @property
    def handle(self) -> Handle:
        """The compiler's handle."""
        return self._linker.handle if self._linker is not None else self._handle

    @property
    def pch_status(self) -> str | None:
        """What came of making a precompiled header; None before it is compiled."""
        return self._pch

    def close(self) -> None:
        """Let go of it."""
        if self._linker is not None:
            self._linker.close()
            self._linker = None
        if self._handle is not None:
            destroy = (
                nvrtc.nvrtcDestroyProgram
                if self._kind is SourceCodeType.CXX
                else nvvm.nvvmDestroyProgram
            )
            destroy(self._handle)
            self._handle = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def compile(
        self,
        target_type: str,
        name_expressions: Sequence[Text] = (),
        logs: IO[str] | None = None,
        *,
        cache: ProgramCacheResource | None = None,
    ) -> ObjectCode:
        """Compile it to "cubin", "ptx" or "ltoir".

        Parameters
        ----------
        target_type : str
        name_expressions : sequence of str
            Names of instances of templates, as the source has them.
        logs : file, optional
            Where what the compiler says is written.
        cache : ProgramCacheResource, optional
            Where the code is looked for and kept; `logs` then hears nothing of what was found.
        """
        target, supported = str(target_type).lower(), _TARGETS[self.backend]
        if target not in supported:
            raise ValueError(
                f'Unsupported target_type="{target}" for {self.backend} '
                f"(supported: {', '.join(repr(t) for t in supported)})"
            )
        if cache is None:
            return self._compiled(target, name_expressions, logs)
        from heddle.cuda.core._program_cache import ProgramCacheResource, make_program_cache_key

        if not isinstance(cache, ProgramCacheResource):
            raise TypeError(
                "cache must be an instance of cuda.core.utils.ProgramCacheResource; "
                f"got {type(cache).__name__}"
            )
        if name_expressions:
            raise ValueError(
                "Program.compile(cache=...) does not support name_expressions: the names that "
                "these have in the code are not kept with it. Compile without cache="
            )
        key = make_program_cache_key(
            code=self._code if self._kind is SourceCodeType.NVVM else self._code.decode(),
            code_type=self._kind,
            options=self._options,
            target_type=target,
        )
        found = cache.get(key)
        if found is not None:
            return ObjectCode._of(found, target, str(self._options.name))
        made = self._compiled(target, (), logs)
        cache[key] = made
        return made

    def _compiled(self, target: str, name_expressions: Sequence[Text], logs: Any) -> ObjectCode:
        if self._kind is SourceCodeType.CXX:
            return self._by_nvrtc(target, name_expressions, logs)
        if name_expressions:
            raise ValueError("name_expressions are for sources of C++")
        if self._kind is SourceCodeType.NVVM:
            return self._by_nvvm(target, logs)
        if self._linker is None:
            raise RuntimeError("the program was closed")
        made = self._linker.link(target)
        if logs is not None:
            logs.write(self._linker.get_info_log())
        return made

    def _by_nvrtc(self, target: str, names: Sequence[Text], logs: Any) -> ObjectCode:
        options = [*self._options.as_bytes("nvrtc"), *(o.encode() for o in _include_options())]
        if target == "ltoir" and b"--dlink-time-opt" not in options:
            options.append(b"--dlink-time-opt")
        texts = [n.encode() if isinstance(n, str) else n for n in names]
        for name in texts:
            checked.nvrtcAddNameExpression(self._handle, name)
        error = nvrtc.nvrtcCompileProgram(self._handle, len(options), options)[0]
        said = b"\0" * checked.nvrtcGetProgramLogSize(self._handle)
        checked.nvrtcGetProgramLog(self._handle, said)
        log = said.rstrip(b"\0").decode(errors="replace")
        if error:
            raise _refused("NVRTC", error, log)
        if logs is not None:
            logs.write(log)
        if self._options.pch or self._options.create_pch:
            self._pch = self._status_of_pch()
        kind = target.upper()
        code = b"\0" * getattr(checked, f"nvrtcGet{kind}Size")(self._handle)
        getattr(checked, f"nvrtcGet{kind}")(self._handle, code)
        symbols = {
            name.decode(): checked.nvrtcGetLoweredName(self._handle, name).decode()
            for name in texts
        }
        return ObjectCode._of(code, target, str(self._options.name), symbols)

    def _status_of_pch(self) -> PCHStatusType:
        status = nvrtc.nvrtcGetPCHCreateStatus(self._handle)[0]
        if not status:
            return PCHStatusType.CREATED
        if status == nvrtc.nvrtcResult.NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED:
            return PCHStatusType.NOT_ATTEMPTED
        return PCHStatusType.FAILED

    def _by_nvvm(self, target: str, logs: Any) -> ObjectCode:
        options = self._options.as_bytes("nvvm", target)
        error = nvvm.nvvmCompileProgram(self._handle, len(options), options)[0]
        said = b"\0" * checked.nvvmGetProgramLogSize(self._handle)
        checked.nvvmGetProgramLog(self._handle, said)
        log = said.rstrip(b"\0").decode(errors="replace")
        if error:
            raise _refused("NVVM", error, log)
        if logs is not None:
            logs.write(log)
        code = b"\0" * checked.nvvmGetCompiledResultSize(self._handle)
        checked.nvvmGetCompiledResult(self._handle, code)
        return ObjectCode._of(code, target, str(self._options.name))


def _refused(compiler: str, error: Any, log: str) -> Exception:
    made = _core.cuda.CUDARuntimeError(f"{compiler}: {error.name}\n{log}")
    made.status = int(error)
    return made  # type: ignore[no-any-return]
