"""Options of programs, caches of what they are compiled to, and the compilers' own functions.

Nothing here needs a GPU; what is compiled needs the libraries of a CUDA toolkit.
"""

import os
import threading
import time

import pytest

from heddle.cuda.bindings import checked, nvjitlink, nvvm
from heddle.cuda.core import Kernel, ObjectCode, Program, ProgramOptions, utils
from heddle.cuda.runtime import CUDARuntimeError

SOURCE = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1; }'
NINETY = ProgramOptions(arch="sm_90")


def has(name):
    try:
        getattr(checked, name)()
    except (CUDARuntimeError, RuntimeError, OSError):
        return False
    return True


with_nvrtc = pytest.mark.skipif(not has("nvrtcVersion"), reason="needs NVRTC")
with_nvvm = pytest.mark.skipif(not has("nvvmVersion"), reason="needs NVVM")
with_linker = pytest.mark.skipif(not has("nvJitLinkVersion"), reason="needs nvJitLink")


def options(backend="nvrtc", **given):
    return [o.decode() for o in ProgramOptions(arch="sm_80", **given).as_bytes(backend)]


def test_options_of_compilers():
    assert options() == ["-arch=sm_80"] and options("nvvm") == ["-arch=compute_80"]
    assert options(define_macro=("A", "1"))[1:] == ["--define-macro=A=1"]
    assert options(define_macro=["A", ("B", "2")])[1:] == [
        "--define-macro=A",
        "--define-macro=B=2",
    ]
    assert options(undefine_macro=["A", "B"])[1:] == ["--undefine-macro=A", "--undefine-macro=B"]
    assert options("nvvm", debug=True, device_code_optimize=True, ftz=True, numba_debug=True)[
        1:
    ] == ["-g", "-numba-debug", "-opt=3", "-ftz=1"]
    assert b"-gen-lto" in NINETY.as_bytes("nvvm", "ltoir")
    # What is off is no option.
    assert options("nvvm", lineinfo=False, use_fast_math=False) == ["-arch=compute_80"]
    with pytest.raises(CUDARuntimeError, match="not supported by NVVM backend: lineinfo, std"):
        options("nvvm", lineinfo=True, std="c++17")
    with pytest.raises(ValueError, match="Unknown backend"):
        options("gcc")
    assert ProgramOptions(name=None).name == "default_program"
    assert repr(ProgramOptions(name="a", arch="sm_80")) == "ProgramOptions(name='a', arch='sm_80')"


@pytest.mark.parametrize("macro", [("A",), ("A", 1), [1], [("A", 1, 2)], 5])
def test_macros_that_are_none(macro):
    with pytest.raises(RuntimeError, match="Expected define_macro"):
        options(define_macro=macro)


@pytest.mark.parametrize(
    ("sources", "error"),
    [
        ("text", TypeError),
        ([["a", "b"]], TypeError),
        ([("a",)], TypeError),
        ([(1, "b")], TypeError),
        ([("a", 1)], TypeError),
        ([("a", "")], ValueError),
    ],
)
def test_more_sources_that_are_none(sources, error):
    with pytest.raises(error, match=r"index 0|extra_sources"):
        ProgramOptions(arch="sm_80", extra_sources=sources)


def test_what_is_refused():
    with pytest.raises(RuntimeError, match="cannot be instantiated directly"):
        Kernel()
    with pytest.raises(RuntimeError, match="cannot be instantiated directly"):
        ObjectCode()
    for handle in ("text", 1.5, b"bytes", None):
        with pytest.raises(TypeError):
            Kernel.from_handle(handle)
    with pytest.raises(RuntimeError, match='Unsupported code type "ltoir"'):
        _ = ObjectCode.from_ltoir(b"code").handle
    more = ProgramOptions(arch="sm_80", extra_sources=[("a", "b")])
    for kind in ("c++", "ptx"):
        with pytest.raises(ValueError, match="extra_sources is not supported"):
            Program("source", kind, more)
    with pytest.raises(TypeError, match="NVVM IR code"):
        Program(5, "nvvm")
    with pytest.raises(TypeError, match="a str"):
        Program(b"source", "c++")


@pytest.fixture(params=["memory", "files"])
def cache_of(request, tmp_path):
    if request.param == "memory":
        return utils.InMemoryProgramCache
    return lambda **given: utils.FileStreamProgramCache(tmp_path / "kept", **given)


def test_caches_hold_bytes(cache_of, tmp_path):
    file = tmp_path / "code.cubin"
    file.write_bytes(b"of a file")
    with cache_of() as cache:
        cache[b"a"] = ObjectCode.from_cubin(b"code")
        cache["b"] = bytearray(b"more")
        cache.update({"c": memoryview(b"view")})
        cache.update([(b"d", ObjectCode.from_cubin(str(file)))])
        assert [cache[k] for k in ("a", b"b", b"c", "d")] == [
            b"code",
            b"more",
            b"view",
            b"of a file",
        ]
        assert len(cache) == 4 and cache.get("e") is None and cache.get("e", b"") == b""
        cache["a"] = b"other"
        assert cache["a"] == b"other" and len(cache) == 4
        del cache[b"a"]
        for missing in (lambda: cache["a"], lambda: cache.__delitem__("a")):
            with pytest.raises(KeyError, match="a"):
                missing()
        with pytest.raises(TypeError, match="bytes-like or ObjectCode"):
            cache["a"] = "text"
        with pytest.raises(TypeError, match="bytes or str"):
            cache[5] = b"code"
        with pytest.raises(TypeError):  # another process may take it away in between
            _ = "b" in cache
        file.unlink()
        with pytest.raises(FileNotFoundError, match="no longer exists"):
            cache["d"] = ObjectCode.from_cubin(str(file))
        cache.clear()
        assert len(cache) == 0


def test_caches_forget_what_was_not_read(cache_of):
    cache = cache_of(max_size_bytes=250)
    for name in "abcd":
        if name == "c":
            assert cache["a"]
        cache[name] = b"x" * 100
        time.sleep(0.01)  # files have times
    assert [cache.get(name) is not None for name in "abcd"] == [False, False, True, True]
    cache["large"] = b"x" * 300
    assert cache.get("large") is None
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            cache_of(max_size_bytes=wrong)


def test_a_cache_of_files_is_for_several(tmp_path):
    cache = utils.FileStreamProgramCache(tmp_path)
    left = tmp_path / "tmp" / "entry-left"
    left.write_bytes(b"begun")
    young = tmp_path / "tmp" / "entry-young"
    young.write_bytes(b"begun")
    os.utime(left, (0, 0))
    errors = []

    def work(number):
        mine = utils.FileStreamProgramCache(tmp_path)
        try:
            for i in range(30):
                mine[f"{i % 5}"] = b"%d" % (i % 5) * 50
                assert mine.get(f"{i % 5}") in (None, b"%d" % (i % 5) * 50)
                if i % 7 == number:
                    mine.clear()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and not left.exists() and young.exists()
    cache["one"] = b"bytes as they are"
    (stored,) = [
        p
        for p in (tmp_path / "entries").rglob("*")
        if p.is_file() and p.read_bytes() == b"bytes as they are"
    ]
    assert stored.stat().st_mode & 0o077 == 0
    assert (tmp_path / "tmp").stat().st_mode & 0o777 == 0o700


def key(code=SOURCE, code_type="c++", target_type="cubin", names=(), digest=None, **given):
    return utils.make_program_cache_key(
        code=code,
        code_type=code_type,
        options=ProgramOptions(arch="sm_90", **given),
        target_type=target_type,
        name_expressions=names,
        extra_digest=digest,
    )


@with_nvrtc
def test_keys_of_programs():
    one = key()
    assert one == key(code_type="C++", target_type="CUBIN") and len(one) == 32
    others = [key(SOURCE + " "), key(target_type="ptx"), key(names=("f",)), key(names=(b"f",))]
    others += [key(name="n"), key(lineinfo=True), key(define_macro="A"), key(digest=b"1")]
    assert len({one, *others}) == 9
    assert key(names=("f", "g")) == key(names=("g", "f"))
    for refused in ("include_path", "pre_include", "use_pch", "pch_dir"):
        with pytest.raises(ValueError, match=f"{refused}.*extra_digest"):
            key(**{refused: "path"})
        assert key(**{refused: "path"}, digest=b"of files") != one
    assert key(include_path=[]) == one and key(pch=False) == one
    with pytest.raises(ValueError, match="directory component"):
        key(name="folder/f.cu")
    for refused in ("create_pch", "time", "fdevice_time_trace"):
        with pytest.raises(ValueError, match="side effects"):
            key(**{refused: "path"}, digest=b"of files")
    with pytest.raises(ValueError, match="not a valid SourceCodeType"):
        key(code_type="fortran")
    with pytest.raises(ValueError, match="not valid for code_type='ptx'"):
        key(code_type="ptx", target_type="ltoir")
    with pytest.raises(TypeError, match="must be str"):
        key(code=b"bytes")
    with pytest.raises(TypeError, match="name_expressions"):
        key(names=(bytearray(b"f"),))


@with_nvrtc
def test_programs_with_a_cache(cache_of):
    cache = cache_of()
    first = Program(SOURCE, "c++", NINETY).compile("cubin", cache=cache)
    assert len(cache) == 1
    again = Program(SOURCE, "c++", NINETY).compile("CUBIN", cache=cache)
    assert again.code == first.code and again.name == first.name and len(cache) == 1
    other = Program(SOURCE, "c++", ProgramOptions(arch="sm_90", name="n"))
    assert other.compile("cubin", cache=cache).name == "n" and len(cache) == 2
    with pytest.raises(ValueError, match="name_expressions"):
        other.compile("cubin", name_expressions=("f",), cache=cache)
    with pytest.raises(TypeError, match="ProgramCacheResource"):
        other.compile("cubin", cache={})
    with pytest.raises(CUDARuntimeError):
        Program("no C++", "c++", NINETY).compile("cubin", cache=cache)
    assert len(cache) == 2
    with pytest.raises(ValueError, match="Unsupported target_type"):
        other.compile("fatbin", cache=cache)


@with_nvrtc
def test_backends_are_of_an_enumeration():
    from heddle.cuda.core.typing import CompilerBackendType

    program = Program(SOURCE, "c++", NINETY)
    assert program.backend is CompilerBackendType.NVRTC
    assert repr(program) == "<Program backend='NVRTC'>"


@with_nvvm
def test_functions_of_nvvm():
    assert len(nvvm.version()) == 2 and len(nvvm.ir_version()) == 4
    assert nvvm.version() == nvvm.nvvmVersion()[1:]
    program = nvvm.create_program()
    assert isinstance(program, int) and program
    with pytest.raises(nvvm.nvvmError, match=r"^ERROR_NO_MODULE_IN_PROGRAM \(8\)$") as caught:
        nvvm.compile_program(program, 0, [])
    assert caught.value.status == nvvm.Result.ERROR_NO_MODULE_IN_PROGRAM
    text = b"This is no IR"
    nvvm.add_module_to_program(program, text, len(text), "name.ll")
    with pytest.raises(nvvm.nvvmError, match="ERROR_INVALID_OPTION"):
        nvvm.compile_program(program, 1, ["-nothing"])
    log = bytearray(nvvm.get_program_log_size(program))
    nvvm.get_program_log(program, log)
    assert b"nothing" in log
    nvvm.destroy_program(program)
    assert nvvm.get_error_string(nvvm.Result.SUCCESS) == "NVVM_SUCCESS"
    with pytest.raises(AttributeError):
        _ = nvvm.no_function


@with_nvrtc
@with_linker
def test_functions_of_the_linker():
    ptx = Program(SOURCE, "c++", NINETY).compile("ptx").code
    handle = nvjitlink.create(1, ["-arch=sm_90"])
    nvjitlink.add_data(handle, nvjitlink.InputType.PTX, ptx, len(ptx), "name")
    nvjitlink.complete(handle)
    code = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, code)
    assert code[:4] == b"\x7fELF"
    nvjitlink.destroy(handle)
    with pytest.raises(nvjitlink.nvJitLinkError, match="ERROR_UNRECOGNIZED_OPTION"):
        nvjitlink.create(1, ["-nothing"])
    assert nvjitlink.version()[0] >= 12


def test_modules_of_libraries_are_found_without_these():
    """Names of errors and enumerations come from tables."""
    assert nvvm.Result.ERROR_COMPILATION == 9 and issubclass(nvvm.nvvmError, Exception)
    assert nvjitlink.InputType.CUBIN == nvjitlink.nvJitLinkInputType.NVJITLINK_INPUT_CUBIN
