"""heddle.scipy.spatial.transform against SciPy's rotations of NumPy's arrays."""

import pickle

import numpy
import pytest
import scipy
from scipy.spatial import transform as theirs
from scipy_support import assert_near, numbers

import heddle
from heddle import _core
from heddle.scipy.spatial import transform as ours

pytestmark = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17), reason="rotations are generic"
)

KINDS = {"euler": 3, "rotvec": 3, "mrp": 3, "quat": 4}


def pair(count=5, seed=0):
    """The same rotations, of ours and SciPy's."""
    quat = numbers((count, 4), seed=seed)
    return ours.Rotation.from_quat(heddle.asarray(quat)), theirs.Rotation.from_quat(quat)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_forms(kind, shape):
    values = numbers((*shape, KINDS[kind]), seed=len(shape))
    args = ("zxy",) if kind == "euler" else ()
    found = getattr(ours.Rotation, f"from_{kind}")(*args, heddle.asarray(values))
    expected = getattr(theirs.Rotation, f"from_{kind}")(*args, values)
    for form in ("quat", "matrix", "rotvec", "mrp"):
        a, b = getattr(found, f"as_{form}")(), getattr(expected, f"as_{form}")()
        assert_near(a, b, 1e-12)
    assert_near(found.as_euler("XYZ"), expected.as_euler("XYZ"), 1e-12)
    assert found.shape == expected.shape and found.single == expected.single
    again = ours.Rotation.from_matrix(found.as_matrix())
    assert_near(again.magnitude(), numpy.asarray(expected.magnitude()), 1e-12)


def test_algebra():
    (a, at), (b, bt) = pair(), pair(seed=1)
    assert_near((a * b).as_quat(), (at * bt).as_quat(), 1e-13)
    assert_near((a**2.5).as_quat(), (at**2.5).as_quat(), 1e-13)
    assert_near(a.inv().as_matrix(), at.inv().as_matrix(), 1e-13)
    assert_near(a.mean().as_matrix(), at.mean().as_matrix(), 1e-12)
    assert_near(a[1:3].as_quat(), at[1:3].as_quat())
    assert_near(ours.Rotation.concatenate([a, b]).as_quat(), numpy.r_[at.as_quat(), bt.as_quat()])
    assert len(a) == 5 and len(list(a)) == 5 and bool(a)
    assert_near(a.approx_equal(a), numpy.ones(5, bool))
    a[0] = b[0]
    assert_near(a[0].as_quat(), bt[0].as_quat())
    with pytest.raises(TypeError):
        a * 3
    with pytest.raises(TypeError):
        iter(a[0])


@pytest.mark.parametrize("inverse", [False, True])
def test_vectors(inverse):
    a, at = pair()
    vectors = numbers((5, 3), seed=2)
    assert_near(a.apply(heddle.asarray(vectors), inverse), at.apply(vectors, inverse), 1e-13)
    assert_near(a.apply([1.0, 2.0, 3.0]), at.apply([1.0, 2.0, 3.0]), 1e-13)
    found, distance = ours.Rotation.align_vectors(heddle.asarray(at.apply(vectors)), vectors)
    expected, wanted = theirs.Rotation.align_vectors(at.apply(vectors), vectors)
    assert_near(found.as_matrix(), expected.as_matrix(), 1e-11)
    assert float(distance) == pytest.approx(wanted, rel=1e-10)


def test_what_is_made_of_numbers_is_on_the_device():
    for made in (
        ours.Rotation.identity(2),
        ours.Rotation.random(2),
        ours.Rotation.create_group("O"),
    ):
        assert isinstance(made, ours.Rotation) and isinstance(made.as_quat(), _core.own_array)
    quarter = ours.Rotation.from_euler("z", 90, degrees=True)
    assert_near(quarter.apply([1.0, 0, 0]).round(12), numpy.array([0.0, 1, 0]))


def test_between_rotations():
    a, at = pair()
    times, asked = numpy.arange(5.0), numpy.linspace(0, 4, 13)
    found, expected = ours.Slerp(times, a), theirs.Slerp(times, at)
    assert_near(found(heddle.asarray(asked)).as_matrix(), expected(asked).as_matrix(), 1e-12)
    assert_near(found.times, times)
    smooth, wanted = ours.RotationSpline(times, a), theirs.RotationSpline(times, at)
    assert_near(smooth(asked).as_matrix(), wanted(asked).as_matrix(), 1e-12)
    assert_near(smooth(heddle.asarray(asked), 1), wanted(asked, 1), 1e-12)
    assert_near(pickle.loads(pickle.dumps(found))(0.5).as_quat(), expected(0.5).as_quat(), 1e-12)
    with pytest.raises(ValueError, match="increasing"):
        ours.Slerp([1.0, 0.0, 2.0, 3.0, 4.0], a)


@pytest.mark.parametrize("name", ["C4", "D3", "T"])
def test_groups(name):
    a, at = pair()
    group, group_t = ours.Rotation.create_group(name), theirs.Rotation.create_group(name)
    for sides in ((group, None), (None, group), (group, group)):
        sides_t = [None if side is None else group_t for side in sides]
        found, expected = a.reduce(*sides), at.reduce(*sides_t)
        # Several may be as near: then which one is not said.
        assert_near(found.magnitude(), expected.magnitude(), 1e-12)
        made, left, right = a.reduce(*sides, return_indices=True)
        for side, places in zip(sides, (left, right), strict=True):
            assert (places is None) == (side is None)
        turned = a if left is None else group[left] * a
        turned = turned if right is None else turned * group[right]
        assert_near((turned * made.inv()).magnitude().round(7), numpy.zeros(5))
        assert_near(a[1].reduce(*sides).magnitude(), numpy.asarray(expected[1].magnitude()), 1e-12)
    assert a.reduce() is a


def test_rigid_transforms():
    a, at = pair()
    shift, points = numbers((5, 3), seed=3), numbers((5, 3), seed=4)
    found = ours.RigidTransform.from_components(heddle.asarray(shift), a)
    expected = theirs.RigidTransform.from_components(shift, at)
    assert_near(found.apply(heddle.asarray(points)), expected.apply(points), 1e-13)
    assert_near((found * found.inv()).as_matrix().round(12) + 0, numpy.stack([numpy.eye(4)] * 5))
    assert_near(found.as_exp_coords(), expected.as_exp_coords(), 1e-11)
    assert isinstance(found.rotation, ours.Rotation)
    assert_near(pickle.loads(pickle.dumps(found)).as_matrix(), expected.as_matrix(), 1e-13)


def test_errors_are_scipys():
    with pytest.raises(ValueError, match="shape"):
        ours.Rotation.from_quat(heddle.ones((3, 3)))
    with pytest.raises(ValueError):
        ours.Rotation.from_euler("xxy", heddle.ones(3))
    with pytest.raises(AttributeError, match="no attribute 'rotation_of_something'"):
        ours.rotation_of_something


def test_derivatives():
    def turned(v):
        return ours.Rotation.from_rotvec(v).apply(heddle.asarray([1.0, 2.0, 3.0])).sum()

    at = numpy.array([0.1, 0.2, 0.3])
    step = 1e-6 * numpy.eye(3)
    sums = [
        theirs.Rotation.from_rotvec(at + s * e).apply([1, 2, 3]).sum()
        for e in step
        for s in (1, -1)
    ]
    expected = numpy.diff(numpy.reshape(sums, (3, 2)))[:, 0] / -2e-6
    assert_near(heddle.grad(turned)(heddle.asarray(at)), expected, 1e-8)


@pytest.mark.parametrize("make", [heddle.random.default_rng, heddle.random.RandomState])
def test_generators_of_ours(make):
    made, again = (ours.Rotation.random(4, make(0)) for _ in range(2))
    assert len(made) == 4
    assert heddle.asnumpy(made.approx_equal(again)).all()
    if make is heddle.random.default_rng:
        assert ours.RigidTransform.from_rotation(ours.Rotation.random(rng=make(1))).single
