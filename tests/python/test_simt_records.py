"""Records, named tuples and dataclasses as arguments of kernels and of compiled functions."""

import dataclasses
import enum
from typing import NamedTuple

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt
from heddle.numba import cuda, njit

PACKED = np.dtype([("id", "i4"), ("x", "f8"), ("flag", "?"), ("v", "f4", (3,))])
ALIGNED = np.dtype([("id", "i4"), ("x", "f8"), ("flag", "?"), ("v", "f4", (3,))], align=True)
NESTED = np.dtype([("place", [("x", "f4"), ("y", "f4")]), ("mass", "f8"), ("z", "c16")])


def particles(dtype, n):
    made = np.zeros(n, dtype)
    made["id"] = np.arange(n)
    made["x"] = np.linspace(0, 1, n)
    made["flag"] = np.arange(n) % 3 == 0
    made["v"] = np.arange(3 * n).reshape(n, 3)
    return made


def moved_by_numpy(p):
    p = p.copy()
    p["x"] += p["id"] * 2.0
    p["v"][:, 1] = p["v"][:, 0] + p["v"][:, 2]
    p["flag"] = ~p["flag"]
    p["id"] *= 10
    return p


@simt.kernel
def move(p):
    i = simt.grid(1)
    if i < p.size:
        p[i].x += p[i]["id"] * 2.0
        one = p[i]
        one.v[1] = one.v[0] + p[i].v[2]
        p[i]["flag"] = not one.flag
        p["id"][i] *= 10


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED])
@pytest.mark.parametrize("n", [1, 7, 300])
def test_records_in_kernels(dtype, n):
    p = particles(dtype, n)
    wanted = moved_by_numpy(p)
    move.forall(n)(p)
    np.testing.assert_array_equal(p, wanted)


def test_records_through_strides():
    p = particles(PACKED, 40)
    wanted = p.copy()
    wanted[::3] = moved_by_numpy(p[::3])
    move.forall(14)(p[::3])
    np.testing.assert_array_equal(p, wanted)


@simt.kernel
def through_memory(p, out):
    tile = simt.shared.array(32, PACKED)
    own = simt.local.array(2, ALIGNED)
    t = simt.threadIdx.x
    i = simt.grid(1)
    if i < p.size:
        tile[t] = p[i]
    simt.syncthreads()
    other = simt.blockDim.x - 1 - t
    own[0].x = tile[other].x
    own[0].v[0] = 0
    own[1].x = tile[other].id
    own[1].v[2] = 4
    if i < out.size:
        out[i] = own[0].x + own[1].x + own[1].v[2] + own[0].v[0]


def test_records_in_shared_and_local_memory():
    p = particles(PACKED, 64)
    out = hd.zeros(64)
    through_memory[2, 32](p, out)
    turned = p.reshape(2, 32)[:, ::-1].ravel()
    np.testing.assert_array_equal(host(out), turned["x"] + turned["id"] + 4)


@simt.kernel
def in_dynamic_memory(p):
    tile = simt.shared.array(0, NESTED)
    i = simt.threadIdx.x
    tile[i] = p[i]
    simt.syncthreads()
    p[i] = tile[simt.blockDim.x - 1 - i]


def test_records_in_dynamic_memory_and_in_records():
    p = np.zeros(16, NESTED)
    p["mass"], p["place"]["y"], p["z"] = np.arange(16), np.arange(16) / 2, np.arange(16) * 1j
    wanted = p[::-1].copy()
    in_dynamic_memory[1, 16, 0, 16 * NESTED.itemsize](p)
    np.testing.assert_array_equal(p, wanted)


@simt.kernel
def count(p, keys):
    i = simt.grid(1)
    if i < keys.size:
        simt.atomic.add(p["id"], keys[i], 1)
        simt.atomic.max(p.x, keys[i], i)


def test_atomics_on_fields():
    keys = np.arange(1000) % 7
    p = np.zeros(7, ALIGNED)
    count.forall(1000)(p, keys)
    np.testing.assert_array_equal(p["id"], np.bincount(keys))
    np.testing.assert_array_equal(p["x"], [999 - (999 - k) % 7 for k in range(7)])
    with pytest.raises(simt.KernelError, match="not aligned"):
        count.forall(1000)(np.zeros(7, PACKED), keys)


@simt.kernel
def slices(p, out):
    part = p[2:]
    xs = p["x"][1::2]
    i = simt.grid(1)
    if i < out.size:
        out[i] = part[i].id + xs[i] + len(part) + part.shape[0] + p.ndim


def test_slices_of_records():
    p = particles(PACKED, 20)
    out = hd.zeros(8)
    slices[1, 8](p, out)
    np.testing.assert_array_equal(host(out), p["id"][2:10] + p["x"][1::2][:8] + 18 + 18 + 1)


def kinetic(p, scale):
    total = 0.0
    for one in p:
        total += one.x * scale + one.v[0]
    for i in range(len(p)):
        p[i].x = total
        p[i]["id"] += 1
    return total, p["x"][0]


def test_records_in_compiled_functions():
    p, q = particles(PACKED, 10), particles(PACKED, 10)
    total = 0.0
    for one in q:
        total += one["x"] * 2.0 + one["v"][0]
    found = hd.njit(kinetic)(p, 2.0)
    assert found == (pytest.approx(total), pytest.approx(total))
    np.testing.assert_array_equal(p["id"], q["id"] + 1)


@hd.njit
def made(n):
    p = np.zeros(n, NESTED)
    for i in range(n):
        p[i].mass = i
        p[i].place.y = 2 * i
        p[i].z = complex(0, i)
    return p


def test_records_as_results():
    p = made(5)
    assert p.dtype == NESTED
    np.testing.assert_array_equal(p["mass"], np.arange(5))
    np.testing.assert_array_equal(p["place"]["y"], 2 * np.arange(5))
    np.testing.assert_array_equal(p["z"], 1j * np.arange(5))


@hd.njit
def set_one(r):
    r.x = 5.5
    r["id"] += 1
    return r.id


@simt.kernel
def set_one_in_kernel(r, out):
    out[0] = r.x + r["id"]


def test_one_record_as_an_argument():
    p = particles(ALIGNED, 3)
    assert set_one(p[1]) == 2
    assert p["x"][1] == 5.5 and p["id"][1] == 2
    out = hd.zeros(1)
    set_one_in_kernel[1, 1](p[1], out)
    assert out[0] == 7.5


def test_mistakes_with_records():
    @simt.kernel
    def wrong(p):
        p[0].nothing = 1

    with pytest.raises(simt.KernelError, match="no field 'nothing', but id, x, flag, v"):
        wrong[1, 1](np.zeros(1, PACKED))

    @hd.njit
    def gives(p):
        return p["x"]

    with pytest.raises(simt.KernelError, match="copy"):
        gives(np.zeros(1, PACKED))


@cuda.jit
def device_records(p):
    i = cuda.grid(1)
    if i < p.size:
        p[i].x = i


def test_records_on_the_device():
    p = cuda.to_device(particles(ALIGNED, 12))
    device_records[1, 32](p)
    back = p.copy_to_host()
    np.testing.assert_array_equal(back["x"], np.arange(12))
    np.testing.assert_array_equal(back["id"], np.arange(12))


def test_random_numbers_of_threads():
    states = cuda.random.create_xoroshiro128p_states(8, seed=3)

    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            for j in range(out.shape[1]):
                out[i, j] = cuda.random.xoroshiro128p_uniform_float64(states, i)

    out = hd.zeros((8, 100))
    draw[1, 8](states, out)
    found = host(out)
    assert (found >= 0).all() and (found < 1).all() and abs(found.mean() - 0.5) < 0.05
    # The generator as its authors have it, of the first state.
    mask = 2**64 - 1

    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    z = (3 + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    s0 = s1 = z ^ (z >> 31)
    for j in range(100):
        assert found[0, j] == (((s0 + s1) & mask) >> 11) / 2**53
        s1 ^= s0
        s0, s1 = rotated(s0, 55) ^ s1 ^ ((s1 << 14) & mask), rotated(s1, 36)


class Box(NamedTuple):
    low: float
    size: tuple
    data: object


@dataclasses.dataclass
class Model:
    scale: float
    box: Box
    kind: int = 2


class Color(enum.Enum):
    RED = 1
    GREEN = 2.5


class Kind(enum.IntEnum):
    LINEAR = 1
    SQUARE = 2


@simt.kernel
def modelled(model, out):
    i = simt.grid(1)
    if i < out.size:
        value = model.box.data[i] * model.scale + model.box.low
        if model.kind == Kind.SQUARE:
            value *= value
        out[i] = value + model.box.size[1]


def test_named_tuples_and_dataclasses():
    data = np.arange(10.0)
    model = Model(3.0, Box(1.0, (4, 5), data), Kind.SQUARE)
    out = hd.zeros(10)
    modelled[1, 32](model, out)
    np.testing.assert_array_equal(host(out), (data * 3 + 1) ** 2 + 5)

    @hd.njit
    def total(model):
        return model.scale * model.box.data.sum() + model.kind

    assert total(model) == 3 * data.sum() + 2


def test_members_of_enums():
    @simt.kernel
    def kernel(color, out):
        out[0] = 10 if color == Color.RED else 20
        out[1] = Color["GREEN"]
        out[2] = Kind.SQUARE

    out = hd.zeros(3)
    kernel[1, 1](Color.RED, out)
    np.testing.assert_array_equal(host(out), [10, 2.5, 2])
    kernel[1, 1](Color.GREEN, out)
    assert out[0] == 20


@njit("float64(float64, int64)")
def signed(a, b):
    return a + b


def test_records_do_not_disturb_signatures():
    assert signed(1, 2) == 3.0 and isinstance(signed(1, 2), float)
