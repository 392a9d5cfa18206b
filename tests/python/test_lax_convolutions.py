"""lax.conv and its like, against JAX: values and derivatives over layouts and strides."""

import numpy as np
import pytest

import heddle as hd

jax = pytest.importorskip("jax")
jnp = jax.numpy


def given(*shape):
    return np.sin(np.arange(np.prod(shape)) * 1.7).reshape(shape).astype(np.float32)


GENERAL = {
    "plain": ((2, 3, 9), (4, 3, 3), {"window_strides": (1,), "padding": "SAME"}),
    "lower": ((2, 3, 8), (4, 3, 4), {"window_strides": (2,), "padding": "SAME_LOWER"}),
    "negative": ((1, 2, 9), (4, 2, 3), {"window_strides": (1,), "padding": [(-2, 1)]}),
    "planes": (
        (2, 3, 7, 8),
        (4, 3, 3, 2),
        {
            "window_strides": (2, 1),
            "padding": [(1, 2), (0, 1)],
            "lhs_dilation": (1, 2),
            "rhs_dilation": (2, 1),
        },
    ),
    "groups": (
        (1, 6, 6, 6),
        (8, 3, 2, 3),
        {"window_strides": (1, 2), "padding": "VALID", "feature_group_count": 2},
    ),
    "depthwise": (
        (1, 6, 6, 4),
        (3, 3, 1, 8),
        {
            "window_strides": (1, 1),
            "padding": "SAME",
            "feature_group_count": 4,
            "dimension_numbers": ("NHWC", "HWIO", "NHWC"),
        },
    ),
    "odd layout": (
        (5, 2, 3, 6),
        (2, 3, 4, 3),
        {
            "window_strides": (2, 1),
            "padding": "SAME",
            "dimension_numbers": ("HNCW", "HWOI", "WCNH"),
        },
    ),
    "volumes": ((1, 2, 4, 5, 6), (3, 2, 2, 2, 3), {"window_strides": (1, 2, 1), "padding": "SAME"}),
}


def compare(name, x, kernel, tolerance=1e-4, **options):
    ours, theirs = getattr(hd.lax, name), getattr(jax.lax, name)
    wanted = theirs(x, kernel, **options)
    made = ours(hd.array(x), hd.array(kernel), **options)
    assert made.shape == wanted.shape
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(hd.asnumpy(made), np.asarray(wanted), rtol=tolerance, atol=tolerance)
    slopes = jax.grad(lambda x, k: (theirs(x, k, **options) ** 2).sum(), (0, 1))(x, kernel)
    found = hd.grad(lambda x, k: (ours(x, k, **options) ** 2).sum(), (0, 1))(
        hd.array(x), hd.array(kernel)
    )
    for one, other in zip(found, slopes, strict=True):
        other = np.asarray(other)
        scale = tolerance * max(1.0, float(np.abs(other).max()))
        np.testing.assert_allclose(hd.asnumpy(one), other, atol=scale)


@pytest.mark.parametrize("name", GENERAL)
def test_general(name):
    shape, window, options = GENERAL[name]
    compare("conv_general_dilated", given(*shape), given(*window), **options)


def test_first_channels():
    compare("conv", given(2, 3, 8, 7), given(4, 3, 3, 3), window_strides=(2, 1), padding="SAME")
    compare(
        "conv_with_general_padding",
        given(2, 3, 8),
        given(4, 3, 3),
        window_strides=(2,),
        padding=[(2, 3)],
        lhs_dilation=(2,),
        rhs_dilation=(3,),
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID", [(1, 2), (2, 0)]])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("consistent", [False, True])
def test_transposed(padding, strides, consistent):
    x, kernel = given(2, 4, 5, 3), given(3, 2, 3, 4)
    options = {"padding": padding, "strides": strides, "use_consistent_padding": consistent}
    compare("conv_transpose", x, kernel, **options)
    compare("conv_transpose", x, kernel, rhs_dilation=(1, 2), **options)


def test_transposed_kernels():
    layout = ("NCH", "OIH", "NCH")
    kernel = given(3, 4, 3)
    for strides in ((1,), (2,)):
        compare(
            "conv_transpose",
            given(2, 3, 5),
            kernel,
            strides=strides,
            padding="SAME",
            dimension_numbers=layout,
            transpose_kernel=True,
        )


def test_layouts():
    for layout in (None, ("NHC", "HIO", "NHC"), ("HNC", "OHI", "CHN")):
        made = hd.lax.conv_dimension_numbers((1, 2, 3), (4, 5, 6), layout)
        wanted = jax.lax.conv_dimension_numbers((1, 2, 3), (4, 5, 6), layout)
        assert tuple(made) == (wanted.lhs_spec, wanted.rhs_spec, wanted.out_spec)
    x, kernel = given(1, 5, 2), given(3, 2, 4)
    layout = hd.lax.conv_dimension_numbers(x.shape, kernel.shape, ("NHC", "HIO", "NHC"))
    by_numbers = hd.lax.conv_general_dilated(x, kernel, (1,), "VALID", dimension_numbers=layout)
    by_name = hd.nn.conv(x, kernel, padding="VALID")
    np.testing.assert_array_equal(hd.asnumpy(by_numbers), hd.asnumpy(by_name))


def test_types():
    x, kernel = given(1, 1, 5), given(1, 1, 2)
    made = hd.lax.conv(x, kernel, (1,), "VALID", preferred_element_type="float64")
    assert made.dtype == np.float64
    with pytest.raises(TypeError, match="float32 and a kernel of type float64"):
        hd.lax.conv(x, kernel.astype(float), (1,), "VALID")
    with pytest.raises(TypeError, match="elements of type int32"):
        hd.lax.conv(x.astype("int32"), kernel.astype("int32"), (1,), "VALID")


def test_what_is_not_there():
    x, kernel = given(2, 1, 5), given(2, 1, 2)
    with pytest.raises(ValueError, match="precision is None or one of Precision, not 'much'"):
        hd.lax.conv(x, kernel, (1,), "VALID", precision="much")
    with pytest.raises(NotImplementedError, match="out_sharding"):
        hd.lax.conv_general_dilated(x, kernel, (1,), "VALID", out_sharding="x")
    with pytest.raises(ValueError, match="padding is"):
        hd.lax.conv(x, kernel, (1,), "FULL")
    with pytest.raises(ValueError, match="strides"):
        hd.lax.conv(x, kernel, (1, 1), "VALID")
    with pytest.raises(TypeError, match="different numbers of axes"):
        hd.lax.conv(x, given(2, 1, 2, 2), (1,), "VALID")
    with pytest.raises(TypeError, match="dimension_numbers"):
        hd.lax.conv_general_dilated(x, kernel, (1,), "VALID", dimension_numbers=("NCH", "OIH"))
    with pytest.raises(TypeError, match="a letter for each of 3 axes"):
        hd.lax.conv_general_dilated(
            x, kernel, (1,), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW")
        )


def test_groups_of_the_batch():
    x, kernel = given(6, 2, 5, 4), given(9, 2, 2, 3)

    def whole(x, kernel):
        return hd.lax.conv_general_dilated(x, kernel, (1, 2), "SAME", batch_group_count=3)

    def parts(x, kernel):
        pairs = zip(hd.split(x, 3), hd.split(kernel, 3), strict=True)
        return hd.concatenate([hd.lax.conv(*each, (1, 2), "SAME") for each in pairs], axis=1)

    np.testing.assert_allclose(
        hd.asnumpy(whole(x, kernel)), hd.asnumpy(parts(x, kernel)), rtol=1e-5, atol=1e-5
    )
    for place in (0, 1):
        slopes = [
            hd.asnumpy(hd.grad(lambda x, k, f=f: (f(x, k) ** 2).sum(), place)(x, kernel))
            for f in (whole, parts)
        ]
        np.testing.assert_allclose(*slopes, rtol=1e-4, atol=1e-4)
    for more, text in (
        ({"batch_group_count": 4}, "does not divide the batch, 6"),
        ({"batch_group_count": 2}, "does not divide the kernel's features, 9"),
        ({"batch_group_count": 0}, "not positive"),
        ({"batch_group_count": 3, "feature_group_count": 2}, "one of them has to be 1"),
    ):
        with pytest.raises(ValueError, match=text):
            hd.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", **more)
