"""Masks that differ from row to row inside of vmap: `x[x > 0] *= 2` and its like, against loops."""

import warnings

import numpy
import pytest

import heddle as hd

RNG = numpy.random.default_rng(31)
X, W = RNG.normal(size=(4, 6)), RNG.normal(size=(4, 6, 3))
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def operators(np, x, w):
    x[x > 0] *= 2
    x[x < 0] += x[x < 0] * 3
    x[x != 9] %= 1.1
    x[x > 0.2] **= 0.5


@case
def of_other_arrays(np, x, w):
    mask = x > 0.2
    x[mask] = np.sin(w[mask, 1]) + w[:, 2][mask]
    x[(x > 0) & (w[:, 0] > 0)] = x.mean()


@case
def rows(np, x, w):
    mask = x > 0.2
    w[mask] += np.array([1.0, 2.0, 3.0])
    w[mask, 0] -= x[mask]
    w[~mask] *= 0.5
    w[mask] = w[mask][:, ::-1]


@case
def matrices(np, x, w):
    w[w > 0] = -w[w > 0]
    w[w < -1] = 7
    w.reshape(-1)[w.ravel() > 1] -= 1


@case
def columns(np, x, w):
    turned, mask = w.T, x < 0
    turned[:, mask] *= x[mask]
    turned[0, mask] = 3
    turned[..., mask] += 1


@case
def apart_from_an_integer(np, x, w):
    both, mask = np.stack([w, w * 2]), w[0] > 0
    both[0, :, mask] += 1
    both[1, 2:4, mask] *= np.arange(2.0)
    return both


@case
def views(np, x, w):
    w[:, 1][x > 0] = 5
    w.T[0][x < 0] *= 2
    part = x[1:5]
    part[part > 0] = 0.5


@case
def reductions(np, x, w):
    kept = x[x > -0.3]
    mask = x > -5
    of_rows = np.mean(w[mask], axis=0).sum() + w[mask].max(axis=1).sum() + w[mask].sum()
    some = kept.sum() + kept.mean() + kept.max() - kept.min() + kept.std() + np.var(kept)
    return some + kept.size + np.sum(kept**2) + kept @ kept + np.dot(kept, kept) + of_rows


@case
def vectors(np, x, w):
    x[x > 0] = np.sort(x[x > 0])
    x[x < 0] = np.cumsum(x[x < 0])
    kept = x[x > -9]
    return np.linalg.norm(x[x > 0]) + np.argmax(kept) * x[0] + np.median(kept) + np.argmin(x[x > 0])


@case
def normal(np, x, w):
    mask = np.abs(x) > 0.3
    x[mask] -= x[mask].mean()
    x[mask] /= x[mask].std()


@case
def as_many_as_others(np, x, w):
    mask = np.zeros(6, bool)
    mask[np.argsort(x)[:3]] = True
    x[mask], x[~mask] = x[~mask], x[mask]
    x[mask] = np.array([1.0, 2.0, 3.0])
    w[mask] = np.arange(9.0).reshape(3, 3)


@case
def parts_of_what_is_selected(np, x, w):
    kept = x[x > 0]
    kept[kept > 1] = 1
    kept *= 2
    x[x > 0] = kept
    x[x < 0] = np.where(x[x < 0] < -0.5, np.clip(x[x < 0], -1, 1), w[:, 0][x < 0])


@case
def integers(np, x, w):
    order = np.argsort(x)
    order[order > 2] -= 2
    order[order == 0] = 9
    flags = x > 0
    flags[w[:, 0] > 0] ^= True
    return order, flags


@case
def joined(np, x, w):
    kept, low, mask = x[x > 0], x[x < 0], w[:, 0] > 0
    of_rows = np.concatenate((w[mask], w[:2], w[mask][:, ::-1])).sum(axis=0)
    beside = np.concatenate((w[mask], np.stack((x[mask], w[mask, 1]), axis=-1)), axis=1)
    both = np.hstack([kept, x, low * 2])
    x[:] = np.sort(np.concatenate((kept, low, np.array([9.0] * 6))))[:6].sum()
    some = np.stack((kept, kept**2)).sum(axis=0).max() + np.vstack((kept, kept))[0].sum()
    more = np.append(np.append(low, kept), 0.5).std() + np.append(w[mask], 1.5).mean()
    return of_rows, beside.sum(axis=0), both.max() + some + more, np.cumsum(both)[-1]


@case
def products(np, x, w):
    mask, kept = x > -0.5, x[x > 0]
    grown = np.outer(kept, w[0]).sum(axis=0) + (w[0][:, None] * kept).sum(axis=1)
    gram = w[mask].T @ w[mask] + np.einsum("ij,ik->jk", w[mask], w[mask])
    of_vectors = x[mask] @ w[mask] + w[mask].T.dot(x[mask]) + np.einsum("i,ij", x[mask], w[mask])
    all_pairs = np.einsum("i,j->", kept, w[mask, 1]) + np.dot(kept, 2.0).sum()
    x[mask] = w[mask] @ w[1]
    both = np.average(kept, weights=kept**2) + np.vdot(kept, kept) + all_pairs
    return grown, gram, of_vectors, both


@case
def ranges(np, x, w):
    first = np.argsort(x)
    mask = np.zeros(6, bool)
    mask[first[:4]] = True  # four of each row
    kept, rows = x[mask], w[mask]
    kept[1:3] *= 2
    kept[-1] = 5
    kept[::-1][0] += 1
    rows[0] = rows[-1] + rows[2, 1]
    x[mask] = kept[::-1]
    w[mask] = rows
    ends = kept[0] + kept[-2] * kept[1:].sum() + kept[:-1].max() + kept[::2].sum()
    turned = kept[::-1][1:] - kept[-2::-1] + kept[-3:] * kept[:100][:3]
    return ends, turned.sum(), np.diff(kept).max(), np.diff(kept, n=2).sum(), kept[3:1:-1].sum()


@case
def places(np, x, w):
    at = np.nonzero(x > 0)[0]
    x[at] *= 2
    w[at] += 1
    w[at, 0] -= x[at]
    i, j = np.nonzero(w > 0)
    w[i, j] *= 2
    (low,) = np.where(x < 0)
    x[low] = w[low, 1] * low
    w[np.where(w < -1)] = -1
    return at.sum() + x[at].sum() + (i * j).sum() + np.flatnonzero(w > -9).max()


@case
def functions(np, x, w):
    np.add.at(x, x > 0, 2.0)
    np.multiply.at(x, x > 0, w[x > 0, 0])
    np.place(x, x < 0, np.array([1.0, 2.0]))
    np.putmask(x, x > 0.5, w[:, 0])
    return np.extract(x > 0, w[:, 0]).sum(), np.compress(x > 0, w, axis=0).sum(axis=0)


@case
def copies(np, x, w):
    mask = x > 0
    if np is hd:
        return x.at[mask].set(3.0), x.at[mask].add(w[mask, 0]), w.at[mask].multiply(2.0)
    three, added, doubled = x.copy(), x.copy(), w.copy()
    three[mask] = 3.0
    added[mask] += w[mask, 0]
    doubled[mask] *= 2
    return three, added, doubled


@case
def of_one_truth_value(np, x, w):
    number = np.array(x[0])
    number[number > 0] = 2.0
    number[number < 0] *= x[1]
    x[x[1] > 0] = 3.0
    x[x[2] > 0] += x[3]
    w[0, x[4] > 0] *= 2
    w[x[5] > 0, :, 1] = w[0, 0]
    w[..., x[3] > 0] -= 1
    none = x[:0]
    none[none > 0] = 1.0
    np.add.at(x, x[0] > 0, 0.5)
    return number, x[x[1] > 0].sum()


def results(f, np, x, w):
    x, w = x.copy(), w.copy()
    made = f(np, x, w)
    return [x, w, *([] if made is None else made if isinstance(made, tuple) else [made])]


@pytest.mark.parametrize("name", CASES)
def test_against_a_loop(name):
    f = CASES[name]
    wanted = [results(f, numpy, X[i], W[i]) for i in range(len(X))]

    def g(x, w):
        return results(f, hd, x, w)

    def loss(x, w):
        floats = [hd.asarray(a) for a in g(x, w)]
        return sum((a * hd.cos(a)).sum() for a in floats if a.dtype.kind == "f")

    x, w = hd.asarray(X), hd.asarray(W)
    for mapped in (hd.vmap(g), hd.jit(hd.vmap(g))):
        for _ in range(2):
            for i, found in enumerate(mapped(x, w)):
                one = numpy.stack([numpy.asarray(row[i]) for row in wanted])
                assert found.dtype == one.dtype
                numpy.testing.assert_allclose(hd.asnumpy(found), one, rtol=1e-12, atol=1e-12)
    slope = hd.grad(loss, (0, 1))
    slopes = [slope(hd.asarray(X[i]), hd.asarray(W[i])) for i in range(len(X))]
    whole = hd.grad(lambda x, w: hd.vmap(loss)(x, w).sum(), (0, 1))
    for found in (hd.vmap(slope)(x, w), whole(x, w)):
        for i in range(2):
            one = numpy.stack([hd.asnumpy(row[i]) for row in slopes])
            numpy.testing.assert_allclose(hd.asnumpy(found[i]), one, rtol=1e-9, atol=1e-10)


def test_rows_in_rows():
    def f(x, bound):
        x[x > bound] -= hd.vmap(lambda e: e * 2)(x)[x > bound]
        return x

    x = RNG.normal(size=(2, 3, 5))
    bounds = RNG.normal(size=(2, 3))
    found = hd.vmap(hd.vmap(f, (0, 0)))(hd.asarray(x), hd.asarray(bounds))
    numpy.testing.assert_allclose(hd.asnumpy(found), numpy.where(x > bounds[..., None], -x, x))


def mapped(f):
    return hd.vmap(f)(hd.asarray([[1.0, -1.0, 2.0], [-1.0, 3.0, -2.0]]))


@pytest.mark.unrecorded("is about errors")
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[x > 0],
        lambda x: len(x[x > 0]),
        lambda x: hd.zeros(x[x > 0].shape),
        lambda x: list(x[x > 0]),
        lambda x: hd.concatenate((x[x > 0], x[x < 0])),
        lambda x: hd.outer(x[x > 0], x),
        lambda x: hd.einsum("i,j", x[x > 0], x[x > 0]),
        lambda x: x[x > 0].reshape(1, -1) if x[x > 0] else x,
        lambda x: hd.nn.relu(x[x > 0]),
    ],
)
def test_what_needs_to_know_how_many(f):
    with pytest.raises(TypeError, match="row to row"):
        mapped(f)
    assert not hd._core.recording()


@pytest.mark.unrecorded("is about errors")
def test_numbers_of_elements_that_differ():
    def write(x):
        x[x > 0] = hd.ones(2)
        return x

    def swap(x):
        x[x > 0] = x[x < 0]
        return x

    def shape(x):
        x[hd.stack([x, x])[0, :2] > 0] = 1.5
        return x

    for f in (write, swap):
        with pytest.raises(ValueError, match="another number of elements"):
            mapped(f).tolist()
    with pytest.raises(IndexError, match="boolean index did not match"):
        mapped(shape)
    with pytest.raises(IndexError, match="out of bounds for what a mask selects"):
        mapped(lambda x: x[x > 0][1]).tolist()
    with pytest.raises(ValueError, match="no identity"):
        mapped(lambda x: x[x > 2.5].max()).tolist()
    with pytest.raises(TypeError, match="same_kind"):
        hd.vmap(lambda k: operator_of_integers(k))(hd.arange(6).reshape(2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert hd.isnan(mapped(lambda x: x[x > 2.5].mean())).tolist() == [True, False]
        assert hd.isnan(mapped(lambda x: hd.median(x[x > 2.5]))).tolist() == [True, False]


def operator_of_integers(k):
    k[k > 1] += 0.5
    return k
