"""Functions of `cuda.libdevice`, `fp16` and `bf16` that round down, up and to zero, against
fractions."""

from fractions import Fraction

import numpy
import pytest
from heddle.numba.cuda import bf16, fp16, libdevice
from support import host

import heddle
from heddle import simt

OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}
TYPES = {"d": numpy.float64, "f": numpy.float32}
MODES = ("rd", "ru", "rz")


def rounded(exact, dtype, mode):
    """A fraction as a number of a type, by trying its neighbours."""
    below = dtype(min(max(float(exact), float(numpy.finfo(dtype).min)), numpy.finfo(dtype).max))
    while Fraction(float(below)) > exact:
        below = numpy.nextafter(below, dtype(-numpy.inf))
    while Fraction(float(numpy.nextafter(below, dtype(numpy.inf)))) <= exact:
        below = numpy.nextafter(below, dtype(numpy.inf))
    above = below
    if Fraction(float(below)) != exact:
        above = numpy.nextafter(below, dtype(numpy.inf))
    return {"rd": below, "ru": above, "rz": below if exact > 0 else above}[mode]


def called(function, dtype, *arrays):
    """function(x[i], y[i], ...) for all elements."""
    if len(arrays) == 1:

        @simt.kernel(contract=False)
        def run(out, a):
            i = simt.grid(1)
            if i < out.size:
                out[i] = function(a[i])

    elif len(arrays) == 2:

        @simt.kernel(contract=False)
        def run(out, a, b):
            i = simt.grid(1)
            if i < out.size:
                out[i] = function(a[i], b[i])

    else:

        @simt.kernel(contract=False)
        def run(out, a, b, c):
            i = simt.grid(1)
            if i < out.size:
                out[i] = function(a[i], b[i], c[i])

    out = heddle.zeros(arrays[0].size, dtype)
    run.forall(out.size)(out, *(heddle.asarray(a) for a in arrays))
    return host(out)


def operands(dtype, count=60):
    rng = numpy.random.default_rng(3)
    most = 150 if dtype == numpy.float64 else 18
    made = []
    for _ in range(3):
        x = rng.standard_normal(count) * 10.0 ** rng.integers(-most, most, count)
        x[:20] = rng.standard_normal(20)
        x[20:30] = rng.integers(1, 5, 10)
        x[30:40] *= 10.0**-most
        made.append(x.astype(dtype))
    return made


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic(name, letter, mode):
    dtype = TYPES[letter]
    a, b, _ = operands(dtype)
    made = called(getattr(libdevice, f"{letter}{name}_{mode}"), dtype, a, b)
    most = Fraction(float(numpy.finfo(dtype).max))
    for x, y, z in zip(a, b, made, strict=True):
        exact = OPERATIONS[name](Fraction(float(x)), Fraction(float(y)))
        if exact != 0 and abs(exact) <= most:
            assert z == rounded(exact, dtype, mode), (x, y)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("letter", TYPES)
def test_fused_and_roots(letter, mode):
    dtype = TYPES[letter]
    a, b, c = (x[:30] for x in operands(dtype))
    name = "fma" if letter == "d" else "fmaf"
    made = called(getattr(libdevice, f"{name}_{mode}"), dtype, a, b, c)
    for x, y, z, result in zip(a, b, c, made, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert result == rounded(exact, dtype, mode)
    a = abs(operands(dtype)[0])
    made = called(getattr(libdevice, f"{letter}sqrt_{mode}"), dtype, a)
    for x, root in zip(a, made, strict=True):
        near = [numpy.nextafter(root, dtype(way)) for way in (-numpy.inf, numpy.inf)]
        square, below, above = (Fraction(float(r)) ** 2 for r in (root, *near))
        wanted = Fraction(float(x))
        assert below < wanted <= square if mode == "ru" else square <= wanted < above
    made = called(getattr(libdevice, f"{letter}rcp_{mode}"), dtype, a)
    assert all(
        r == rounded(1 / Fraction(float(x)), dtype, mode) for x, r in zip(a, made, strict=True)
    )


def test_too_large_and_signs_of_zero():
    big = numpy.array([1e308, -1e308, 3.0, numpy.inf])
    for mode, wanted in (
        ("rd", [numpy.finfo(float).max, -numpy.inf, -0.0, numpy.inf]),
        ("ru", [numpy.inf, numpy.finfo(float).min, 0.0, numpy.inf]),
        ("rz", [numpy.finfo(float).max, numpy.finfo(float).min, 0.0, numpy.inf]),
    ):
        other = numpy.array([1e308, -1e308, -3.0, 1.0])
        made = called(getattr(libdevice, f"dadd_{mode}"), numpy.float64, big, other)
        assert made.tolist() == wanted
        assert numpy.signbit(made[2]) == numpy.signbit(wanted[2])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target", ["double", "float"])
@pytest.mark.parametrize("source", ["ll", "ull"])
def test_integers(source, target, mode):
    values = [0, 1, 3, 2**24 + 1, 2**53 + 1, 2**60 - 1, 2**62 + 1, 2**63 - 1]
    values += [-v for v in values] + [-(2**63)] if source == "ll" else [2**63 + 1, 2**64 - 1]
    given = numpy.array(values, numpy.int64 if source == "ll" else numpy.uint64)
    dtype = numpy.float64 if target == "double" else numpy.float32
    made = called(getattr(libdevice, f"{source}2{target}_{mode}"), dtype, given)
    assert [float(x) for x in made] == [
        float(rounded(Fraction(v), dtype, mode)) if v else 0.0 for v in values
    ]


@pytest.mark.parametrize("mode", MODES)
def test_halves(mode):
    values = [1.0003, -1.0003, 70000, -70000, 1e-9, -1e-9, 65000, 3.14159, 6e-8, 2049, -0.1]
    x = numpy.array(values, numpy.float32)
    made = called(getattr(fp16, f"__float2half_{mode}"), numpy.float16, x)
    largest = numpy.finfo(numpy.float16).max
    for value, got in zip(x, made, strict=True):
        if abs(value) <= largest:
            assert got == rounded(Fraction(float(value)), numpy.float16, mode)
        else:
            beyond = (mode == "ru") if value > 0 else (mode == "rd")
            assert abs(got) == (numpy.inf if beyond else largest)
    made = called(getattr(bf16, f"float32_to_bfloat16_{mode}"), numpy.float32, x)
    for value, got in zip(x, made, strict=True):
        step = Fraction(2) ** (int(numpy.frexp(value)[1]) - 8)
        down = step * (Fraction(float(value)) // step)
        up = down if down == Fraction(float(value)) else down + step
        wanted = {"rd": down, "ru": up, "rz": down if value > 0 else up}[mode]
        assert Fraction(float(got)) == wanted


def test_bits_of_numbers():
    @simt.kernel
    def run(out, numbers):
        out[0], out[1] = libdevice.double2hiint(1.5), libdevice.double2loint(1.1)
        out[2], out[3] = libdevice.umul64hi(2**63, 6), libdevice.mul64hi(-5, 2**62)
        out[4] = libdevice.byte_perm(0x03020100, 0x07060504, 0x7531)
        out[5] = libdevice.abs(-7)
        numbers[0] = libdevice.hiloint2double(out[0], 0)
        numbers[1], numbers[2] = libdevice.remquo(7.0, 4.0)
        numbers[3], numbers[4] = libdevice.remquo(-29.0, 3.0)

    out, numbers = heddle.zeros(6, int), heddle.zeros(5)
    run[1, 1](out, numbers)
    assert out.tolist() == [1073217536, -1717986918, 3, -2, 0x07050301, 7]
    assert numbers.tolist() == [1.5, -1, 2, 1, -2]
