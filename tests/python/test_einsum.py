"""einsum and einsum_path against NumPy's."""

import itertools

import numpy
import pytest
from compare import check
from support import (
    BOOL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    LAYOUTS,
    host,
    in_layout,
    name,
    random_values,
    same_error,
)

import heddle

TOLERANCE = {"f2": 4e-3, "f4": 2e-5, "c8": 2e-5, "f8": 1e-12, "c16": 1e-12}


def close(actual, expected):
    expected = numpy.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    tol = TOLERANCE.get(expected.dtype.str[1:], 0)
    numpy.testing.assert_allclose(host(actual), expected, rtol=tol, atol=20 * tol)


EXPRESSIONS = [
    ("i->", (5,)),
    ("ij->", (3, 4)),
    ("ij->j", (3, 4)),
    ("ij->ji", (3, 4)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->j", (3, 3, 2)),
    ("iji->ij", (3, 2, 3)),
    ("...ii->...i", (2, 3, 3)),
    ("i...->...", (3, 4, 2)),
    ("...", (2, 3)),
    ("ba", (2, 3)),
    ("Ba", (2, 3)),
    ("i,i", (5,), (5,)),
    ("i,i->i", (5,), (5,)),
    ("i,j", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("i,j->", (3,), (4,)),
    (",i->i", (), (4,)),
    (",", (), ()),
    ("ij,j", (3, 4), (4,)),
    ("ij,i", (3, 4), (3,)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ij,jk->ki", (3, 4), (4, 5)),
    ("ij,kj->ik", (3, 4), (5, 4)),
    ("ji,jk->ik", (4, 3), (4, 5)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("ij,ij", (3, 4), (3, 4)),
    ("ij,ji", (3, 4), (4, 3)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bjk->ibk", (2, 3, 4), (2, 4, 5)),
    ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    ("ibj,bjk->bik", (3, 2, 4), (2, 4, 5)),
    ("bij,jk->bik", (2, 3, 4), (4, 5)),
    ("bij,bjk->ik", (2, 3, 4), (2, 4, 5)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("ijkl,klmn->ijmn", (2, 3, 2, 3), (2, 3, 4, 1)),
    ("ij,jk->", (3, 4), (4, 5)),
    ("ij,k->ik", (3, 4), (5,)),
    ("ii,ij->j", (3, 3), (3, 4)),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("i...,i...->...", (3, 2, 4), (3, 4)),
    ("...,...", (2, 3), (3,)),
    ("i,i", (1,), (4,)),
    ("i,i->i", (1,), (4,)),
    ("ij,jk", (3, 1), (4, 5)),
    ("ij,jk", (3, 4), (1, 5)),
    ("ij,jk", (1, 1), (4, 5)),
    ("ij,jk,kl", (2, 3), (3, 4), (4, 2)),
    ("ij,jk,ki", (2, 3), (3, 4), (4, 2)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
    ("ij,j,ij->j", (2, 1), (3,), (2, 1)),
    ("i,i,i->i", (1,), (1,), (3,)),
    ("ij,jk,kl,lm->im", (2, 3), (3, 4), (4, 3), (3, 2)),
    ("abc,cd,de,eab->", (2, 3, 2), (2, 3), (3, 2), (2, 2, 3)),
    ("bij,bjk->bik", (0, 3, 4), (0, 4, 5)),
    ("ij,jk", (3, 0), (0, 5)),
    ("ij->i", (3, 0)),
    (" i j , j k -> i k ", (3, 4), (4, 5)),
]


@pytest.mark.parametrize("optimize", [False, True, "optimal"])
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_expressions(expression, optimize):
    text, *shapes = expression
    for dtype in ("f8", "c8", "i4"):
        given = [random_values(dtype, shape, i) for i, shape in enumerate(shapes)]
        ours = heddle.einsum(text, *map(heddle.asarray, given), optimize=optimize)
        close(ours, numpy.einsum(text, *given, optimize=optimize))


@pytest.mark.parametrize("dtype", BOOL + INTEGERS + FLOATS + COMPLEX, ids=name)
@pytest.mark.parametrize(
    "text", ["ij,jk", "ij,ij->i", "bij,bjk->bik", "ij,jk,kl->il", "ij->j", "ii"]
)
def test_types(text, dtype):
    shapes = {"i": 4, "j": 4, "k": 5, "l": 4, "b": 2}
    terms = text.split("->")[0].split(",")
    given = [
        random_values(dtype, [shapes[label] for label in term], i) for i, term in enumerate(terms)
    ]
    close(heddle.einsum(text, *map(heddle.asarray, given)), numpy.einsum(text, *given))


def test_integers_wrap_and_halves_do_not():
    check(lambda np: np.einsum("i->", np.full(300, 100, "i1")))
    check(lambda np: np.einsum("i,i", np.full(300, 10, "f2"), np.full(300, 10, "f2")))
    check(lambda np: np.einsum("i->", np.ones(4000, "f2")))


@pytest.mark.parametrize("layout", list(itertools.product(LAYOUTS, LAYOUTS)), ids="-".join)
def test_memory_orders(layout):
    a, x = in_layout(random_values("f8", (4, 4)), layout[0])
    b, y = in_layout(random_values("f8", (4, 4), 1), layout[1])
    for text in ("ij,jk", "ij,kj->ki", "ij,ij", "ii,jj->ij", "ij,j...->i..."):
        close(heddle.einsum(text, x, y), numpy.einsum(text, a, b))


@pytest.mark.parametrize("text", ["ij->ji", "ij", "ii->i", "...", "...j->j..."])
def test_views(text):
    def program(np):
        a = np.arange(9.0).reshape(3, 3)
        view = np.einsum(text, a)
        view[...] = -1
        return a, np.shares_memory(a, view), view.flags.writeable

    check(program)


def test_views_of_read_only_arrays():
    check(lambda np: np.einsum("ij->ji", np.broadcast_to(np.ones(3), (2, 3))).flags.writeable)


def test_lists_of_subscripts():
    a, b = random_values("f8", (3, 4)), random_values("f8", (4, 5), 1)
    for program in (
        lambda np: np.einsum(np.asarray(a), [0, 1], np.asarray(b), [1, 2]),
        lambda np: np.einsum(np.asarray(a), [0, 1], np.asarray(b), [1, 2], [2, 0]),
        lambda np: np.einsum(np.asarray(a), [Ellipsis, 1], [Ellipsis]),
        lambda np: np.einsum(np.asarray(a), [51, 0]),
        lambda np: np.einsum(np.asarray(a), [0, 1], []),
    ):
        close(program(heddle), program(numpy))


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(
    "keywords",
    [
        {"dtype": "f4"},
        {"dtype": "f4", "casting": "same_kind"},
        {"dtype": "c16"},
        {"dtype": "i8", "casting": "unsafe"},
        {"casting": "x"},
        {"order": "F"},
        {"order": "C"},
        {"order": "A"},
        {"order": "x"},
        {"where": True},
    ],
    ids=str,
)
def test_keywords(keywords, optimize):
    def program(np):
        made = np.einsum(
            "ij,jk->ki", np.ones((2, 3)), np.ones((3, 4)), optimize=optimize, **keywords
        )
        order = keywords.get("order", "K")
        return made, order == "K" or (made.flags.c_contiguous, made.flags.f_contiguous)

    check(program)


@pytest.mark.parametrize("text", ["ij,jk->ik", "ij,jk->ki", "ij,jk->"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("casting", ["safe", "same_kind", "unsafe"])
def test_outputs(text, dtype, casting):
    def program(np):
        out = np.full({"ik": (2, 3), "ki": (3, 2), "": ()}[text.split("->")[1]], 7, dtype)
        a = np.arange(6.0).reshape(2, 3)
        made = np.einsum(text, a, np.arange(9.0).reshape(3, 3), out=out, casting=casting)
        return made is out, out

    check(program)


def test_an_output_that_is_an_operand():
    def program(np):
        a = np.arange(9.0).reshape(3, 3)
        np.einsum("ij,jk->ik", a, a, out=a)
        return a

    expected = numpy.arange(9.0).reshape(3, 3)
    close(program(heddle), expected @ expected)


@pytest.mark.parametrize(
    "program",
    [
        lambda np: np.einsum(),
        lambda np: np.einsum("i"),
        lambda np: np.einsum("i,j", np.ones(2)),
        lambda np: np.einsum("i", np.ones(2), np.ones(2)),
        lambda np: np.einsum("i,i", np.ones(2), np.ones(3)),
        lambda np: np.einsum("ij", np.ones(3)),
        lambda np: np.einsum("i", np.ones((3, 2))),
        lambda np: np.einsum("i%", np.ones((3, 2))),
        lambda np: np.einsum("ij->ii", np.ones((3, 2))),
        lambda np: np.einsum("ij->k", np.ones((3, 2))),
        lambda np: np.einsum("ij->j->i", np.ones((3, 2))),
        lambda np: np.einsum("ij>j", np.ones((3, 2))),
        lambda np: np.einsum("..ij", np.ones((3, 2))),
        lambda np: np.einsum("...i...", np.ones((3, 2))),
        lambda np: np.einsum("i...->i", np.ones((3, 2))),
        lambda np: np.einsum("ii->i", np.ones((3, 2))),
        lambda np: np.einsum("ii->i", np.ones((1, 2))),
        lambda np: np.einsum("ij->i", np.ones((2, 3)), out=np.zeros(3)),
        lambda np: np.einsum("ij->i", np.ones((2, 3)), out=np.zeros((1, 2))),
        lambda np: np.einsum("ij->i", np.ones((2, 3)), out=3),
        lambda np: np.einsum(np.ones((2, 3)), [0, "x"]),
        lambda np: np.einsum(np.ones((2, 3)), [0, -1]),
        lambda np: np.einsum(np.ones((2, 3)), [0, 52]),
        lambda np: np.einsum("i,i,i", *[np.ones(2)] * 3, optimize="best"),
        lambda np: np.einsum("i,i,i", *[np.ones(2)] * 3, optimize=3),
        lambda np: np.einsum("i,i,i", *[np.ones(2)] * 3, optimize=[1, 2, 3]),
        lambda np: np.einsum("i,i,i", *[np.ones(2)] * 3, optimize=["einsum_path", (0, 1)]),
        lambda np: np.einsum("i", np.ones(2), dtype="no type"),
        lambda np: np.einsum_path("ij,jk", np.ones((2, 3))),
    ],
)
def test_errors(program):
    same_error(program)


PATHS = [
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk,kl", (20, 3), (3, 40), (40, 5)),
    ("ij,jk,kl,lm->im", (2, 30), (30, 4), (4, 50), (50, 6)),
    ("ea,fb,abcd,gc,hd->efgh", (4, 5), (4, 5), (5, 5, 5, 5), (4, 5), (4, 5)),
    ("i,j,k->ijk", (3,), (4,), (5,)),
    ("i,j,k,ij->k", (3,), (4,), (5,), (3, 4)),
    ("a,b,c,d->", (3,), (4,), (5,), (2,)),
    ("abc,bcd,cde,def->af", (2, 3, 4), (3, 4, 5), (4, 5, 2), (5, 2, 3)),
    ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
    ("ij->i", (2, 3)),
]


@pytest.mark.parametrize(
    "optimize", ["greedy", "optimal", True, False, ("greedy", 10), ("optimal", 8)], ids=str
)
@pytest.mark.parametrize("expression", PATHS, ids=str)
def test_paths(expression, optimize):
    text, *shapes = expression
    given = [numpy.ones(shape) for shape in shapes]
    ours = heddle.einsum_path(text, *map(heddle.asarray, given), optimize=optimize)
    assert ours == numpy.einsum_path(text, *given, optimize=optimize)
    path = ours[0]
    close(heddle.einsum(text, *given, optimize=path), numpy.einsum(text, *given, optimize=True))


def test_random_expressions():
    rng = numpy.random.default_rng(0)
    sizes = {"a": 2, "b": 3, "c": 1, "d": 4, "e": 2}
    for _ in range(60):
        count = rng.integers(1, 4)
        terms = ["".join(rng.choice(list("abcde"), rng.integers(0, 4))) for _ in range(count)]
        known = sorted(set("".join(terms)))
        picked = rng.permutation(known)[: rng.integers(0, len(known) + 1)] if known else []
        text = ",".join(terms) + "->" + "".join(picked)
        given = [
            rng.integers(-3, 4, [sizes[label] for label in term]).astype("f8") for term in terms
        ]
        for optimize in (False, True):
            close(
                heddle.einsum(text, *map(heddle.asarray, given), optimize=optimize),
                numpy.einsum(text, *given, optimize=optimize),
            )


def test_half_precision_of_brain():
    a = random_values("f4", (4, 5))
    x = heddle.asarray(a).astype(heddle.bfloat16)
    made = heddle.einsum("ij,kj->ik", x, x)
    assert made.dtype == heddle.bfloat16
    wide = host(x).astype("f4")
    numpy.testing.assert_allclose(host(made).astype("f4"), wide @ wide.T, rtol=1e-2, atol=1e-2)
