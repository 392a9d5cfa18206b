"""Indexing, reads and writes: random index expressions, and the functions that take and put."""

import numpy
from compare import outcome
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_exact

import heddle

SETTINGS = settings(max_examples=300, deadline=None)


# --- random index expressions ---


def slices(extent):
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    return st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2]))


@st.composite
def index_arrays(draw, extent, shape):
    """Integers, mostly in range."""
    low, high = (-extent, extent - 1) if extent else (0, 0)
    if draw(st.integers(0, 19)) == 0:
        low, high = low - 1, high + 1
    size = int(numpy.prod(shape))
    values = draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
    dtype = draw(st.sampled_from(["i8", "i8", "i4", "u1" if low >= 0 else "i2"]))
    return numpy.array(values, dtype).reshape(shape)


@st.composite
def expressions(draw, shape):
    """An index tuple for an array of this shape, of everything that NumPy takes."""
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3), (2, 1), (0,)]))
    items, axis, ellipsis = [], 0, False
    while axis < len(shape):
        kind = draw(
            st.sampled_from(
                ["slice", "slice", "integer", "array", "mask", "none", "ellipsis", "stop", "flag"]
            )
        )
        extent = shape[axis]
        if kind == "slice":
            items.append(draw(slices(extent)))
            axis += 1
        elif kind == "integer":
            reach = extent + (draw(st.integers(0, 19)) == 0)
            items.append(draw(st.integers(-reach, max(reach - 1, -reach))))
            axis += 1
        elif kind == "array":
            items.append(draw(index_arrays(extent, common)))
            axis += 1
        elif kind == "mask":
            rank = draw(st.integers(1, min(2, len(shape) - axis)))
            wanted = shape[axis : axis + rank]
            if 0 in wanted:  # NumPy does not check the extents of empty masks
                continue
            bits = draw(
                st.lists(
                    st.booleans(),
                    min_size=int(numpy.prod(wanted)),
                    max_size=int(numpy.prod(wanted)),
                )
            )
            items.append(numpy.array(bits, bool).reshape(wanted))
            axis += rank
        elif kind == "none":
            items.append(None)
        elif kind == "flag" and draw(st.integers(0, 3)) == 0:
            items.append(draw(st.sampled_from([True, False, numpy.True_])))
        elif kind == "ellipsis" and not ellipsis:
            items.append(Ellipsis)
            ellipsis = True
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "stop":
            break
    if len(items) == 1 and draw(st.booleans()):
        return items[0]
    return tuple(items)


def for_heddle(index, convert):
    """The same index with arrays of ours, NumPy's, or lists."""

    def one(item):
        if not isinstance(item, numpy.ndarray):
            return item
        if convert == "heddle":
            return heddle.asarray(item)
        return item.tolist() if convert == "list" and item.size else item

    return tuple(map(one, index)) if isinstance(index, tuple) else one(index)


shapes = st.lists(st.sampled_from([1, 2, 3, 4, 5, 0]), min_size=0, max_size=4).map(tuple)
layouts = st.sampled_from(["C", "F", "reversed", "strided"])


def sources(shape, layout):
    """A NumPy and a heddle array of this shape and their bases."""
    wide = (*shape[:-1], shape[-1] * 2) if layout == "strided" and shape else shape
    count = int(numpy.prod(wide))
    base = numpy.arange(count, dtype=numpy.int32).reshape(wide)
    if layout == "F":
        base = base.copy("F")
    ours = heddle.asarray(base)

    def view(a):
        if layout == "reversed" and shape:
            return a[..., ::-1]
        return a[..., ::2] if layout == "strided" and shape else a

    return base, view(base), ours, view(ours)


def assert_same_outcome(function_theirs, function_ours):
    theirs, expected = outcome(lambda _: function_theirs(), None)
    ours, error = outcome(lambda _: function_ours(), None)
    if expected is not None:
        assert error is not None, f"no error, where NumPy raises {expected!r}"
        # Where both the index and the value are wrong either may be named.
        wrong = (IndexError, ValueError) if isinstance(expected, ValueError) else type(expected)
        assert isinstance(error, wrong), f"{error!r} where NumPy raises {expected!r}"
        return None
    if error is not None:
        raise error
    return theirs, ours


@SETTINGS
@given(st.data())
def test_read(data):
    shape = data.draw(shapes)
    _, theirs, _, ours = sources(shape, data.draw(layouts))
    index = data.draw(expressions(shape))
    mine = for_heddle(index, data.draw(st.sampled_from(["heddle", "numpy", "list"])))
    result = assert_same_outcome(lambda: theirs[index], lambda: ours[mine])
    if result:
        assert_exact(result[1], result[0])
        items = index if isinstance(index, tuple) else (index,)
        basic = not any(isinstance(item, (numpy.ndarray, bool, numpy.bool)) for item in items)
        # Our 0-d arrays stand for scalars: an index of one is an integer.
        scalars = any(isinstance(item, numpy.ndarray) and item.ndim == 0 for item in items)
        if isinstance(result[0], numpy.ndarray) and result[0].size and not scalars:
            assert heddle.shares_memory(ours, result[1]) == basic


@SETTINGS
@given(st.data())
def test_write(data):
    shape = data.draw(shapes)
    base, theirs, our_base, ours = sources(shape, data.draw(layouts))
    index = data.draw(expressions(shape))
    mine = for_heddle(index, data.draw(st.sampled_from(["heddle", "numpy", "list"])))
    selected, _ = outcome(lambda _: theirs[index], None)
    inner = () if selected is None else numpy.shape(selected)
    kind = data.draw(st.sampled_from(["scalar", "full", "row", "wrong", "self"]))
    if kind == "scalar":
        value = data.draw(st.sampled_from([-7, 3.9, True, numpy.float32(2.5)]))
    elif kind == "full":
        value = -1 - numpy.arange(int(numpy.prod(inner)), dtype=numpy.float64).reshape(inner)
    elif kind == "row":
        # One element of a vector is an element for us, and an error for some of NumPy's versions.
        value = -1 - numpy.arange(inner[-1]) if inner else numpy.array(-1)
    elif kind == "wrong":
        value = numpy.arange(7)
    else:
        value = None
    our_value = value
    if kind == "self":
        if selected is None or isinstance(selected, numpy.generic):
            return
        # Repeated indices make the order visible; otherwise the old values are read.
        value, our_value = -theirs[index], -ours[mine]
    elif isinstance(value, numpy.ndarray) and data.draw(st.booleans()):
        our_value = heddle.asarray(value)

    def write(array, where, what):
        array[where] = what

    done = assert_same_outcome(
        lambda: write(theirs, index, value), lambda: write(ours, mine, our_value)
    )
    if done or heddle.default_device() == "cpu":  # devices behind the host write what they can
        assert_exact(our_base, base)


@SETTINGS
@given(st.data())
def test_in_place_through_index(data):
    shape = data.draw(shapes)
    base, theirs, our_base, ours = sources(shape, data.draw(layouts))
    index = data.draw(expressions(shape))
    mine = for_heddle(index, "heddle")

    def add(array, where):
        array[where] += 3

    done = assert_same_outcome(lambda: add(theirs, index), lambda: add(ours, mine))
    if done or heddle.default_device() == "cpu":
        assert_exact(our_base, base)


@SETTINGS
@given(st.data())
def test_chained_reads(data):
    shape = data.draw(shapes)
    _, theirs, _, ours = sources(shape, data.draw(layouts))
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(expressions(theirs.shape))
        result = assert_same_outcome(
            lambda i=index, t=theirs: t[i], lambda i=index, o=ours: o[for_heddle(i, "heddle")]
        )
        if result is None or not isinstance(result[0], numpy.ndarray):
            break
        theirs, ours = result
    assert_exact(ours, theirs)
