"""Kernels with types that are given, their options, and what can be asked of them."""

import ml_dtypes
import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt
from heddle.numba import cuda, float32, float64, int32, int64, jit, njit, typeof, types, void


def scaled(x, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] * factor


@pytest.mark.parametrize(
    "signature",
    [
        "void(float32[:], int32, float32[:])",
        "(float32[:], int32, float32[::1])",
        void(float32[:], int32, float32[:]),
        (float32[:], int32, float32[:]),
        ["void(float64[:], int32, float64[:])", "void(float32[:], int32, float32[:])"],
        [void(types.Array(float32, 1, "C"), int32, float32[:])],
    ],
)
def test_types_that_are_given(signature):
    for decorator in (cuda.jit, simt.kernel):
        kernel = decorator(signature)(scaled)
        x, out = np.arange(8, dtype=np.float32), hd.zeros(8, np.float32)
        kernel[1, 32](x, 2.9, out)  # converted to an integer
        np.testing.assert_array_equal(host(out), 2 * x)
        with pytest.raises(TypeError, match="no matching definition for argument type"):
            kernel[1, 32](x.astype(np.int64), 2, out)
        with pytest.raises(TypeError, match="no matching definition"):
            kernel[1, 32](x, 2)


def test_mistakes_in_types():
    with pytest.raises(ValueError, match="is no signature"):
        cuda.jit("void(float33[:])")(scaled)
    with pytest.raises(TypeError, match="kernels return nothing"):
        cuda.jit("int32(float32[:], int32, float32[:])")(scaled)
    with pytest.raises(simt.KernelError):
        cuda.jit("void(float32[:], float32[:])")(scaled)  # too few


def half(a, b):
    return a + b


@pytest.mark.parametrize("given", ["float32(float64, int32)", float32(float64, int32)])
def test_types_of_functions(given):
    for decorator in (njit, jit, hd.njit):
        f = decorator(given)(half)
        assert f(1, 2.7) == 3.0
        assert isinstance(f(1, 2), (float, np.floating)) or f(1, 2).dtype == np.float32
        with pytest.raises(TypeError, match="no matching definition"):
            f(np.ones(3), 1)


def test_one_of_several():
    f = njit([int64(int64, int64), float64(float64, float64)])(half)
    assert f(1, 2) == 3 and isinstance(f(1, 2), int)
    assert f(1.5, 2.5) == 4.0
    assert f(b=1, a=2) == 3
    assert f.signatures == ["int64(int64, int64)", "float64(float64, float64)"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1, "int64"),
        (1.0, "float64"),
        (np.float32(1), "float32"),
        (np.zeros(3, np.int8), "int8[::1]"),
        (np.zeros((3, 4))[:, ::2], "float64[:, :]"),
        (np.zeros((3, 4)).T, "float64[::1, :]"),
        ((1, 2.0), "Tuple(int64, float64)"),
        (None, "none"),
    ],
)
def test_typeof(value, said):
    assert str(typeof(value)) == said


def test_agrees_with_numbas_typeof():
    numba = pytest.importorskip("numba")
    for value in (1, 2.0, 1j, np.int16(1), np.ones(2), np.ones((2, 2), np.float32)):
        theirs = numba.typeof(value)
        assert str(typeof(value)).partition("[")[0] == str(getattr(theirs, "dtype", theirs))


@simt.kernel(fastmath=True, max_registers=32, lineinfo=True)
def tuned(x, out):
    i = simt.grid(1)
    if i < out.size:
        s = x.dtype.type(0)
        for j in range(4):
            s += x[i] * j
        out[i] = s


def test_options():
    x = np.arange(40, dtype=np.float32)
    out = hd.zeros(40, np.float32)
    tuned.forall(40)(x, out)
    np.testing.assert_allclose(host(out), 6 * x, rtol=1e-6)
    ptx = tuned.inspect_ptx(x, x)
    assert ".maxnreg 32" in ptx
    assert ".loc" in ptx and "test_simt_options.py" in ptx
    with pytest.raises(ValueError, match="max_registers"):
        simt.kernel(max_registers=1000)(scaled)
    plain = simt.kernel(opt=False)(tuned.py_func)
    plain.forall(40)(x, out)
    if hd.default_device() == "cpu":  # GPUs' assemblers do the rest
        assert len(plain.inspect_llvm(x, x)) > len(simt.kernel(tuned.py_func).inspect_llvm(x, x))


def test_what_a_kernel_takes():
    @simt.kernel
    def tiled(x):
        tile = simt.shared.array((16, 16), np.float32)
        i = simt.threadIdx.x
        tile[i, 0] = x[i]
        simt.syncthreads()
        x[i] = tile[15 - i, 0]

    x = hd.zeros(16, np.float32)
    found = tiled.attributes(x)
    assert found["shared_bytes"] >= 1024 and found["max_threads"] >= 256
    blocks, threads = tiled.suggest_block_size(x)
    assert blocks >= 1 and 32 <= threads <= 1024
    assert 0 < tiled.occupancy(256, x) <= 1


def test_numbas_dispatcher():
    kernel = cuda.jit(scaled)
    assert not kernel.specialized and kernel.overloads == {}
    x, out = np.arange(4.0), hd.zeros(4)
    kernel[1, 4](x, 2, out)
    ((args, overload),) = kernel.overloads.items()
    assert [str(a) for a in args] == ["float64[::1]", "int64", "float64[::1]"]
    assert ".entry" in kernel.inspect_asm()[args] and "define" in kernel.inspect_llvm()[args]
    assert kernel.get_shared_mem_per_block()[args] == 0
    assert overload.max_cooperative_grid_blocks(32) >= 1
    special = kernel.specialize(x, 2, x)
    assert special.specialized and special is kernel.specialize(x, 2, x)
    assert [".entry" in text for text in special.inspect_asm().values()] == [True]
    assert special.get_shared_mem_per_block() == 0
    special[1, 4](x, 3, out)
    np.testing.assert_array_equal(host(out), 3 * x)
    ptx, result = cuda.compile_ptx(scaled, "(float32[:], int32, float32[:])", cc=(8, 0))
    assert "sm_80" in ptx and result is void


@cuda.jit("float32(float32, float32)", device=True)
def summed(a, b):
    return a + b


def test_types_of_device_functions():
    @cuda.jit
    def kernel(out):
        out[0] = summed(1, 2.5)

    out = hd.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 3.5


def test_vectors():
    @cuda.jit
    def kernel(v, out):
        i = cuda.grid(1)
        a = cuda.float32x2(i, 2.5)
        b = cuda.float4(a, a.y, 7)
        out[i] = b.x + b.y * b.z + b.w + v.x

    out = hd.zeros(5)
    kernel[1, 5](cuda.float64x2(0.5, 1), out)
    np.testing.assert_array_equal(host(out), np.arange(5) + 2.5**2 + 7 + 0.5)
    assert cuda.int3 is cuda.int32x3
    with pytest.raises(TypeError, match="made of 2 numbers"):
        cuda.float32x2(1)


TABLE = np.array([[1.5, 2.5], [3.5, 4.5]])


def test_tables_and_hints():
    @cuda.jit
    def kernel(x, out):
        table = cuda.const.array_like(TABLE)
        i = cuda.grid(1)
        cuda.stcg(out, i, cuda.ldca(x, i) * table[i % 2, 1])

    x, out = np.arange(4.0), hd.zeros(4)
    kernel[1, 4](x, out)
    np.testing.assert_array_equal(host(out), x * TABLE[np.arange(4) % 2, 1])


def test_numbas_host_names():
    stream = cuda.stream()
    begin, end = cuda.event(), cuda.event()
    a = cuda.to_device(np.arange(10.0), stream=stream)
    begin.record(stream)
    cuda.jit(scaled)[1, 16, stream](a, 2, a)
    end.record(stream)
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) >= 0
    with stream.auto_synchronize():
        np.testing.assert_array_equal(a.copy_to_host(), 2 * np.arange(10.0))
    out = np.zeros(4)
    cuda.jit(scaled)[1, 4](cuda.In(np.ones(4)), 3, cuda.Out(out))
    np.testing.assert_array_equal(out, 3)
    assert cuda.get_current_device().id == 0 and len(cuda.gpus) >= 1
    with cuda.pinned(out):
        pass
    assert isinstance(cuda.synchronize(), type(None))
    total = cuda.reduce(lambda a, b: a + b) if False else cuda.Reduce(half)
    assert total(np.arange(5.0)) == 10 and total(np.arange(5.0), init=2) == 12


def test_libdevice_and_halves():
    libdevice, fp16, bf16 = cuda.libdevice, cuda.fp16, cuda.bf16

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i, 0] = libdevice.sinf(x[i])
        out[i, 1] = libdevice.fma(x[i], 2, 3)
        s, c = libdevice.sincos(x[i])
        out[i, 2] = s * c
        out[i, 3] = libdevice.float2int_rn(x[i])
        out[i, 4] = fp16.hadd(x[i], 0.1)
        out[i, 5] = libdevice.mulhi(1 << 30, 1 << 10)
        out[i, 6] = libdevice.round(x[i])
        out[i, 7] = libdevice.float_as_int(x[i])
        out[i, 8] = bf16.hmul(x[i], 3) + fp16.hisnan(x[i])
        for value in cuda.literal_unroll((1, 2.5)):
            out[i, 9] += value

    x, out = np.linspace(0.25, 3.75, 8), hd.zeros((8, 10))
    kernel[1, 8](x, out)
    found = host(out)
    single = x.astype(np.float32)
    np.testing.assert_allclose(found[:, 0], np.sin(single), rtol=1e-6)
    np.testing.assert_array_equal(found[:, 1], 2 * x + 3)
    np.testing.assert_allclose(found[:, 2], np.sin(x) * np.cos(x), rtol=1e-12)
    np.testing.assert_array_equal(found[:, 3], np.rint(single))
    np.testing.assert_array_equal(found[:, 4], x.astype(np.float16) + np.float16(0.1))
    assert (found[:, 5] == 256).all()
    np.testing.assert_array_equal(found[:, 6], np.floor(x + 0.5))
    np.testing.assert_array_equal(found[:, 7], single.view(np.int32))
    product = x.astype(ml_dtypes.bfloat16) * ml_dtypes.bfloat16(3)
    np.testing.assert_array_equal(found[:, 8], product.astype(np.float64))
    assert (found[:, 9] == 3.5).all()


def test_cupys_groups_and_reductions():
    from heddle.cupyx import jit as cupyx_jit

    block_sum = cupyx_jit.cub.BlockReduce[np.float64, 48]
    warp_sum = cupyx_jit.cub.WarpReduce[np.float64]

    @cupyx_jit.rawkernel()
    def reduce(x, out):
        group = cupyx_jit.cg.this_thread_block()
        memory = cupyx_jit.shared_memory(block_sum.TempStorage, 1)
        small = cupyx_jit.shared_memory(warp_sum.TempStorage, 2)
        rank = group.thread_rank()
        first = block_sum(memory[0]).Sum(x[rank])
        group.sync()
        second = block_sum(memory[0]).Reduce(x[rank], cupyx_jit.cub.Max())
        third = warp_sum(small[0]).Sum(x[rank])
        if rank == 0:
            out[0] = first
            out[1] = second
            out[2] = group.size()
            out[3] = third

    x, out = np.random.default_rng(0).random(48), hd.zeros(4)
    reduce[1, 48](x, out)
    found = host(out)
    np.testing.assert_allclose(found, [x.sum(), x.max(), 48, x[:32].sum()])


def test_copies_by_groups():
    from heddle.cupyx import jit as cupyx_jit

    @cupyx_jit.rawkernel()
    def copy(x, out):
        group = cupyx_jit.cg.this_thread_block()
        tile = cupyx_jit.shared_memory(np.float64, 100)
        cupyx_jit.cg.memcpy_async(group, tile, 0, x, 5, 80 * 8)
        cupyx_jit.cg.wait(group)
        for i in range(group.thread_rank(), 80, group.num_threads()):
            out[i] = tile[79 - i]

    x, out = np.arange(100.0), hd.zeros(80)
    copy((1,), (32,), (x, out))
    np.testing.assert_array_equal(host(out), x[5:85][::-1])


def assembled(ptx, *options):
    """What NVIDIA's assembler says of PTX, where it is there."""
    import shutil
    import subprocess

    tool = shutil.which("ptxas")
    if tool is None:
        pytest.skip("there is no ptxas")
    command = [tool, "-v", "-arch=sm_90", *options, "-o", "/dev/null", "/dev/stdin"]
    done = subprocess.run(command, input=ptx, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


RECORD = [("a", "u1"), ("x", "f8"), ("v", "f4", (3,)), ("z", "c8")]


@pytest.mark.parametrize("align", [False, True])
def test_records_are_assembled(align):
    dtype = np.dtype(RECORD, align=align)

    @simt.kernel
    def kernel(p, out):
        own = simt.local.array(4, dtype)
        tile = simt.shared.array(32, dtype)
        more = simt.shared.array(0, dtype)
        i = simt.grid(1)
        if i < p.size:
            own[i % 4] = p[i]
            tile[simt.threadIdx.x].v[1] = own[i % 4].x
            more[i].z = tile[i].z
            simt.syncthreads()
            p[i].x += tile[31 - simt.threadIdx.x].v[1] + own[0].a
            out[i] = p[i].z * more[i].z

    ptx = kernel.inspect_ptx(np.zeros(4, dtype), np.zeros(4, np.complex64))
    assembled(ptx)
    # What is aligned is moved whole.
    assert ("ld.global.b64" in ptx or "ld.global.f64" in ptx) == align


def test_options_are_assembled():
    x = np.zeros(4, np.float32)
    said = assembled(tuned.inspect_ptx(x, x), "-lineinfo")
    assert int(said.partition("Used ")[2].partition(" registers")[0]) <= 32

    @simt.kernel
    def waits(x):
        i = simt.grid(1)
        x[i] += 1
        simt.cg.this_grid().sync()
        x[i] = x[x.size - 1 - i]

    assembled(waits.inspect_ptx(x))
    assembled(simt.kernel(opt=False)(waits.py_func).inspect_ptx(x))
