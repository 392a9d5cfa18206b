"""C++ users get what Python users have: every public function is in a header, or is named here."""

import inspect
import re
from pathlib import Path

import numpy
import pytest

import heddle
from heddle import emath, fft, linalg, polynomial, random, special

HEADERS = Path(__file__).parents[2] / "include" / "heddle"

# What C++ calls otherwise.
OTHER_NAMES = {
    "amax": "max",
    "amin": "min",
    "astype": "array::astype",
    "concat": "concatenate",
    "copy": "array::copy",
    "delete": "delete_",
    "ndim": "array::ndim",
    "shape": "array::shape",
    "size": "array::size",
    "std": "stddev",
    "trapz": "trapezoid",
    "in1d": "isin",
    "msort": "sort",
    "asfarray": "array::astype",
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "asnumpy": "array::to_vector",
    "asarray": "array::array",
    "asanyarray": "array::array",
    "frombuffer": "alias",
    "require": "ascontiguousarray",
    "common_type": "promote_types",
    "row_stack": "vstack",
    "get_array_module": "array",
    # Of random: names of NumPy's older generator.
    "default_rng": "Generator",
    "rand": "random",
    "random_sample": "random",
    "ranf": "random",
    "sample": "random",
    "randn": "standard_normal",
    "randint": "integers",
    "random_integers": "integers",
}

# What is Python's alone, and why.
PYTHON_ONLY = {
    "objects and types of Python's: C++ has numeric_limits, and the predicates of dtype.h": {
        *("finfo", "isdtype", "issubdtype", "isscalar", "iterable", "min_scalar_type"),
        *("mintypecode", "typename", "fuse", "memoize", "clear_memo", "who", "is_available"),
        *("find_common_type", "issctype", "issubclass_", "issubsctype", "obj2sctype"),
        "sctype2char",
    },
    "functions that are called for elements or parts: vmap, and loops": {
        *("apply_along_axis", "apply_over_axes", "piecewise", "nditer", "nested_iters"),
    },
    "functions of Python's that are compiled": {
        *("guvectorize", "njit", "prange", "reduce", "stencil"),
    },
    "text, and how numbers are written": {
        *("array2string", "array_repr", "array_str", "base_repr", "binary_repr"),
        *("format_float_positional", "format_float_scientific", "fromstring"),
        *("genfromtxt", "get_printoptions", "loadtxt", "printoptions", "savetxt"),
        *("set_printoptions", "fromiter", "fromregex", "disp", "safe_eval"),
    },
    "archives, which Python's zipfile reads and writes: C++ has save and load for one array": {
        *("savez", "savez_compressed"),
    },
    "other libraries of Python's": {"from_dlpack", "fromDlpack", "toDlpack"},
    "addresses, which NumPy compares: C++ has may_share_memory": {"shares_memory", "byte_bounds"},
    "pictures of programs": {"draw"},
    "how Python warns": {"geterr", "geterrcall", "seterr", "seterrcall"},
    "memory pools and settings, which runtime.h has in its own way": {
        *("default_device", "devices", "get_default_memory_pool", "show_config"),
        *("get_default_pinned_memory_pool", "get_implicit_copies", "set_implicit_copies"),
    },
    "what C++ composes of vjp, jvp and vmap": {
        *("linear_transpose", "linearize", "pmap", "shard_map", "make_mesh"),
    },
    "about functions and numbers of Python's": {
        *("checkpoint", "remat", "custom_gradient", "eval_shape"),
        *("get_lost_gradients", "set_lost_gradients"),
    },
    "the generator that all modules of a process share, and its state": {
        *("bytes", "get_bit_generator", "get_random_state", "get_state", "reset_states"),
        *("seed", "set_bit_generator", "set_random_state", "set_state"),
    },
    "coefficients as lists, and how series print": {
        *("as_series", "format_float", "set_default_printstyle", "trimseq"),
    },
}


# Functions and types as headers declare them, and as rows of tables do: X(space, name, ...),
# X(name, ...) and T(X, name, ...).
DECLARED = (
    r"\b(\w+)\(",
    r"\b(?:class|struct|using) (?:HEDDLE_API )?(\w+)",
    r"\bX\((\w+)",
    r"\b[XT]\(\w+, (\w+)",
)


@pytest.fixture(scope="module")
def declared():
    """What the headers declare, rows of the op table among it, and what macros put together for
    each family of series."""
    text = "\n".join(path.read_text() for path in HEADERS.glob("*.h"))
    text = re.sub(r"//.*", "", text)
    made = {name for pattern in DECLARED for name in re.findall(pattern, text)}
    for every, prefix in re.findall(r"^HEDDLE_(ORTHOGONAL_)?SERIES\((\w+), \w+\)$", text, re.M):
        body = text if every else text.split("HEDDLE_ORTHOGONAL_SERIES")[0]
        made |= {prefix + name for name in re.findall(r"\bprefix##(\w+)", body)}
        made |= {name + prefix for name in re.findall(r"\b(\w+)##prefix\b", body)}
    return made


def functions(space):
    names = getattr(space, "__all__", None) or dir(space)
    return sorted(
        name
        for name in names
        if not name.startswith("_")
        and callable(getattr(space, name))
        and not inspect.isclass(getattr(space, name))
    )


def missing(space, declared):
    known = set().union(*PYTHON_ONLY.values())
    return [
        name
        for name in functions(space)
        if name not in known and OTHER_NAMES.get(name, name).split("::")[-1] not in declared
    ]


def is_public_module(value):
    return inspect.ismodule(value) and not value.__name__.split(".")[-1].startswith("_")


SPACES = [heddle, linalg, fft, emath, random, special, polynomial]
SPACES += [value for value in vars(polynomial).values() if is_public_module(value)]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_headers_have_every_function(space, declared):
    assert missing(space, declared) == []


# Methods of Python's generator that C++'s has not, and why.
GENERATOR = {
    "objects of Python's": {"bit_generator", "bytes"},
}


def test_the_generator_has_every_distribution():
    text = re.sub(r"//.*", "", (HEADERS / "random.h").read_text())
    there = set(re.findall(r"\b(\w+)\(", text))
    names = {name for name in dir(heddle.random.Generator) if not name.startswith("_")}
    assert names - there == set().union(*GENERATOR.values())


def test_lists_name_what_is_there(declared):
    everything = set(dir(numpy)).union(*(dir(space) for space in SPACES))
    for name in (*OTHER_NAMES, *set().union(*PYTHON_ONLY.values())):
        assert name in everything or hasattr(heddle, name), name
    # What has come to C++ since is no exception any more; the reduce of kernels is no function.
    alone = {name for names in PYTHON_ONLY.values() for name in names}
    assert sorted(alone & declared - {"reduce"}) == []


# Tables, which X-macros read.
TABLES = {"op_table.h", "special_table.h"}
TYPE = re.compile(
    r"(?:template <.*>\n)?^(?:struct|class|enum class) (?:HEDDLE_API )?\w+[^;]*?\{", re.M
)


@pytest.mark.parametrize("header", sorted(HEADERS.glob("*.h")), ids=lambda header: header.name)
def test_headers_say_what_they_have(header):
    text = header.read_text()
    if header.name in TABLES:
        return
    assert text.startswith("/// @file\n/// "), "a header begins with what lives there"
    of_users = re.sub(r"^namespace detail \{.*?^\}", "", text, flags=re.S | re.M)
    bare = [
        found[0].splitlines()[-1]
        for found in TYPE.finditer(of_users)
        if not of_users[: found.start()].rstrip("\n").splitlines()[-1].startswith("///")
    ]
    assert bare == []
