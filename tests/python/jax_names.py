"""Functions of JAX by name: each case is a function of (jax, jnp) that gives a tree of numbers,
and runs with JAX's modules and with `heddle.jax` alike. `scripts/jax_reference.py names` writes
what JAX gives.
"""

import numpy

RNG = numpy.random.default_rng(3)
X = RNG.uniform(0.2, 0.8, (2, 3))
Y = RNG.uniform(0.2, 0.8, (2, 3))
LARGE = X + 1
INTEGERS = RNG.integers(-9, 9, (2, 3))
OTHERS = RNG.integers(1, 5, (2, 3)) * numpy.array([1, -1, 1])
IMAGE = RNG.normal(size=(2, 6, 5, 3))
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


ONE = "abs neg sign sin cos tan asin acos atan sinh cosh tanh asinh atanh exp exp2 expm1 log log1p"
ONE += " sqrt rsqrt cbrt square reciprocal logistic floor ceil is_finite erf erfc erf_inv lgamma"
ONE += " digamma bessel_i0e bessel_i1e"
TWO = "add sub mul div max min rem atan2 nextafter pow eq ne lt le gt ge igamma igammac"
BITS = "add sub mul div rem max min bitwise_and bitwise_or bitwise_xor eq ne lt le gt ge"


@case
def elements_and_slopes(jax, jnp):
    made = {}
    for name in ONE.split():
        f = getattr(jax.lax, name)
        made[name] = f(jnp.asarray(X)), f(jnp.asarray(X.astype("f4"))).dtype.name == "float32"
        if name != "is_finite":
            made[f"{name}, slope"] = jax.grad(lambda x, f=f: f(x).sum())(jnp.asarray(X))
    made["acosh"] = jax.lax.acosh(jnp.asarray(LARGE))
    made["zeta"] = jax.lax.zeta(jnp.asarray(LARGE), jnp.asarray(X))
    made["polygamma"] = jax.lax.polygamma(jnp.full((2, 3), 2.0), jnp.asarray(X))
    made["betainc"] = jax.lax.betainc(jnp.asarray(X), jnp.asarray(LARGE), jnp.asarray(Y))
    return made


@case
def pairs_and_slopes(jax, jnp):
    made = {}
    for name in TWO.split():
        f = getattr(jax.lax, name)
        made[name] = f(jnp.asarray(X), jnp.asarray(Y))
    for name in ("add", "sub", "mul", "div", "max", "min", "atan2", "pow", "igamma"):
        f = getattr(jax.lax, name)
        slopes = jax.grad(lambda x, y, f=f: f(x, y).sum(), (0, 1))
        made[f"{name}, slope"] = slopes(jnp.asarray(X), jnp.asarray(Y))
    made["integer_pow"] = jax.lax.integer_pow(jnp.asarray(X), -3)
    made["clamp"] = jax.lax.clamp(0.3, jnp.asarray(X), jnp.asarray(Y))
    return made


@case
def integers(jax, jnp):
    lax = jax.lax
    a, b = jnp.asarray(INTEGERS), jnp.asarray(OTHERS)
    made = {name: getattr(lax, name)(a, b) for name in BITS.split()}
    for dtype in ("int8", "uint8", "int32", "uint32", "int64"):
        x = jnp.asarray(INTEGERS.astype(dtype))
        by = jnp.asarray(numpy.array([[0, 1, 7], [8, 31, 64]]).astype(dtype))
        made[dtype] = [
            lax.shift_left(x, by),
            lax.shift_right_arithmetic(x, by),
            lax.shift_right_logical(x, by),
            lax.population_count(x),
            lax.clz(x),
            lax.bitwise_not(x),
        ]
    made["words"] = lax.bitcast_convert_type(jnp.asarray(X.astype("f4")), "int32")
    made["bytes"] = lax.bitcast_convert_type(jnp.asarray(X.astype("f4")), "uint8")
    made["back"] = lax.bitcast_convert_type(jnp.asarray(INTEGERS[:, :2].astype("i4")), "int64")
    made["convert"] = lax.convert_element_type(jnp.asarray(X * 9), "int8")
    return made


@case
def complex_and_rounded(jax, jnp):
    lax = jax.lax
    z = lax.complex(jnp.asarray(X), jnp.asarray(Y))
    halves = jnp.asarray(numpy.array([0.5, 1.5, -0.5, -2.5, 0.49999999999999994, 2.3]))
    rounding = lax.RoundingMethod
    narrow = jnp.asarray(numpy.array([0.1, 70000.0, 1e-9, -3.14159, 65519.0, numpy.inf, 2.0**-14]))
    return {
        "parts": (lax.real(z), lax.imag(z), lax.conj(z), lax.conj(jnp.asarray(X)), lax.abs(z)),
        "away": lax.round(halves, rounding.AWAY_FROM_ZERO),
        "even": lax.round(halves, rounding.TO_NEAREST_EVEN),
        "narrow": lax.reduce_precision(narrow, 5, 10),
        "narrower": lax.reduce_precision(jnp.asarray(X.astype("f4")), 8, 7),
    }


@case
def shapes(jax, jnp):
    lax = jax.lax
    x, v = jnp.asarray(X), jnp.asarray(X[0])
    return {
        "broadcast": lax.broadcast(v, (2, 2)),
        "in_dim": lax.broadcast_in_dim(v, (2, 3, 2), (1,)),
        "iota": lax.broadcasted_iota("int32", (2, 3), 1),
        "collapse": lax.collapse(jnp.asarray(IMAGE), 1, 3),
        "concatenate": lax.concatenate([x, x], 1),
        "expand": lax.expand_dims(x, (0, 2)),
        "squeeze": lax.squeeze(lax.expand_dims(x, (0, 2)), (0,)),
        "reshape": lax.reshape(x, (3, 2), (1, 0)),
        "rev": lax.rev(x, (0, 1)),
        "split": lax.split(x, (1, 2), 1),
        "pad": lax.pad(x, 7.0, ((1, 0, 2), (-1, 2, 1))),
        "cut": lax.pad(x, 7.0, ((-1, -1, 3), (0, -2, 0))),
        "slice": lax.slice(x, (0, 1), (2, 3), (1, 2)),
        "slice_in_dim": lax.slice_in_dim(x, 1, -1, axis=1),
        "index_in_dim": lax.index_in_dim(x, -1, 1, keepdims=False),
        "select_n": lax.select_n(jnp.asarray(OTHERS % 3), x, -x, x * 2),
        "full_like": lax.full_like(x, 3, "int32"),
        "slope of pad": jax.grad(
            lambda a, p: (lax.pad(a, p, ((1, 0, 2), (-1, 2, 1))) ** 2).sum(), (0, 1)
        )(x, 0.5),
    }


@case
def reductions(jax, jnp):
    lax = jax.lax
    x, i = jnp.asarray(IMAGE), jnp.asarray(INTEGERS)
    strange = lambda a, b: a + b + a * b  # noqa: E731

    def pairs(a, b):
        first = a[0] >= b[0]
        return lax.select(first, a[0], b[0]), lax.select(first, a[1], b[1])

    places = lax.broadcasted_iota("int64", (2, 3), 1)
    return {
        "sum": lax.reduce_sum(x, (0, 2)),
        "max": lax.reduce_max(x, (1,)),
        "min": lax.reduce_min(i, (0, 1)),
        "prod": lax.reduce_prod(x, (3,)),
        "bits": (lax.reduce_and(i, (1,)), lax.reduce_or(i, (0,)), lax.reduce_xor(i, (0, 1))),
        "reduce": lax.reduce(x, 0.0, lax.add, (1, 3)),
        "strange": lax.reduce(x, 0.0, strange, (1, 3)),
        "slope": jax.grad(lambda a: lax.reduce(a, 0.0, strange, (1, 3)).sum())(x),
        "several": lax.reduce((i, places), (-99, -1), pairs, (1,)),
        "empty": lax.reduce(jnp.zeros((2, 0)), 3.0, lax.add, (1,)),
        "argmax": (lax.argmax(x, 2, "int32"), lax.argmin(x, 0, "int64")),
        "first": lax.top_k(x, 2),
    }


@case
def windows(jax, jnp):
    lax = jax.lax
    x = jnp.asarray(IMAGE)
    whole = (1, 3, 2, 1)

    def pooled(a, f, first, strides=(1, 1, 1, 1), padding="VALID", base=None, dilation=None):
        return lax.reduce_window(a, first, f, whole, strides, padding, base, dilation)

    return {
        "add": pooled(x, lax.add, 0.0),
        "max": pooled(x, lax.max, -jnp.inf, (1, 2, 2, 1), "SAME"),
        "min": pooled(x, lax.min, jnp.inf, padding=((0, 0), (1, 2), (0, 1), (0, 0))),
        "mul": pooled(x, lax.mul, 1.0, (1, 1, 2, 1), "SAME_LOWER"),
        "apart": pooled(x, lax.add, 0.0, (1, 2, 1, 1), "SAME", (1, 2, 3, 1), (1, 1, 2, 1)),
        "strange": pooled(x, lambda a, b: a + b + a * b, 0.0),
        "slope": jax.grad(lambda a: (pooled(a, lax.add, 0.0, padding="SAME") ** 2).sum())(x),
        "slope of max": jax.grad(lambda a: (pooled(a, lax.max, -jnp.inf) ** 2).sum())(x),
        "rows": jax.vmap(
            lambda a: lax.reduce_window(a, 0.0, lax.add, (2, 2, 1), (1, 1, 1), "SAME")
        )(x),
        "pads": lax.padtype_to_pads((5, 6), (3, 2), (2, 1), "SAME"),
    }


@case
def places(jax, jnp):
    lax = jax.lax
    x = jnp.asarray(numpy.arange(20.0).reshape(4, 5))
    rows = lax.GatherDimensionNumbers((1,), (0,), (0,))
    blocks = lax.GatherDimensionNumbers((1, 2), (), (0, 1))
    first = lax.GatherDimensionNumbers((0,), (1,), (1,))
    at = jnp.asarray(numpy.array([[1], [3], [9], [-1]]))
    corners = jnp.asarray(numpy.array([[0, 1], [2, 3], [3, 4]]))
    one = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    block = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
    new = jnp.asarray(RNG_FIXED[:4, :5])
    parts = jnp.asarray(RNG_FIXED[:3, :4].reshape(3, 2, 2))
    batched = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
    return {
        "rows": lax.gather(x, at, rows, (1, 5)),
        "clip": lax.gather(x, at, rows, (1, 5), mode="clip"),
        "filled": lax.gather(x, at, rows, (1, 5), mode="fill", fill_value=-7),
        "blocks": lax.gather(x, corners, blocks, (2, 2)),
        "blocks inside": lax.gather(x, corners, blocks, (2, 2), mode="clip"),
        "columns": lax.gather(x, at, first, (4, 1), mode="clip"),
        "batched": lax.gather(x, jnp.asarray(numpy.array([[0], [2], [4], [1]])), batched, (1, 1)),
        "scatter": lax.scatter(x, at, new, one),
        "add": lax.scatter_add(x, at, new, one, mode="clip"),
        "mul": lax.scatter_mul(x, at[:2], new[:2], one),
        "min": lax.scatter_min(x, at, new, one),
        "max": lax.scatter_max(x, at, new * 20, one),
        "block": lax.scatter_add(x, corners, parts, block),
        "block inside": lax.scatter_add(x, corners, parts, block, mode="clip"),
        "slope": jax.grad(
            lambda a: (lax.gather(a, corners, blocks, (2, 2), mode="clip") ** 2).sum()
        )(x),
        "slope of add": jax.grad(lambda u: (lax.scatter_add(x, at, u, one) ** 2).sum())(new),
        "take": lax.index_take(x, (at[:2, 0], at[:2, 0]), (0, 1)),
    }


RNG_FIXED = numpy.random.default_rng(4).uniform(size=(6, 6))


@case
def products(jax, jnp):
    lax = jax.lax
    a, b = jnp.asarray(RNG_FIXED.reshape(2, 3, 6)), jnp.asarray(RNG_FIXED.reshape(3, 6, 2))
    numbers = (((2,), (1,)), ((), ()))
    keys = jnp.asarray(numpy.array([[3, 1, 3, 2], [0, 5, 0, -1]]))
    values = jnp.asarray(RNG_FIXED[:2, :4])
    return {
        "dot_general": lax.dot_general(a, b, numbers),
        "shared": lax.dot_general(a, b, (((2,), (1,)), ((0,), (2,)))),
        "dot": (lax.dot(a[0], b[0]), lax.dot(a[0, 0], a[0, 1])),
        "batch": lax.batch_matmul(a, jnp.transpose(a, (0, 2, 1))),
        "slope": jax.grad(lambda x: (lax.dot_general(x, b, numbers) ** 2).sum())(a),
        "sort": lax.sort(keys),
        "sort several": lax.sort((keys, values, values * 2), dimension=0, num_keys=2),
        "sort_key_val": lax.sort_key_val(keys, values),
        "fft": lax.fft(a.astype("complex128"), "FFT", (3, 6)),
        "rfft": lax.fft(a, "RFFT", (6,)),
        "irfft": lax.fft(lax.fft(a, "RFFT", (6,)), lax.FftType.IRFFT, (6,)),
    }


@case
def matrices(jax, jnp):
    la = jax.lax.linalg
    a = jnp.asarray(RNG_FIXED[:4, :4] + 2 * numpy.eye(4))
    b = jnp.asarray(RNG_FIXED[:4, 4:])
    solved = {
        f"{left} {lower} {turned}": la.triangular_solve(
            a, b if left else b.T, left_side=left, lower=lower, transpose_a=turned
        )
        for left in (True, False)
        for lower in (True, False)
        for turned in (True, False)
    }
    three = jnp.asarray(RNG_FIXED[:3, :4])
    return solved | {
        "cholesky": la.cholesky(a @ a.T),
        "eigenvalues": la.eigh(a + a.T)[1],
        "lu": la.lu(a),
        "order": la.lu_pivots_to_permutation(jnp.asarray(numpy.array([2, 3, 2, 3], "int32")), 4),
        "values": la.svd(a, compute_uv=False),
        "product": la.symmetric_product(a, a + a.T, alpha=2.0, beta=0.5),
        "tridiagonal": la.tridiagonal_solve(three[0], three[1] + 3, three[2], b),
        "slope": jax.grad(lambda m: la.triangular_solve(m, b, left_side=True, lower=True).sum())(a),
    }


@case
def rows_exchanged(jax, jnp):
    lax = jax.lax
    x = jnp.asarray(RNG_FIXED[:4, :4])

    def over(f):
        return jax.vmap(f, axis_name="i")(x)

    return {
        "ppermute": over(lambda v: lax.ppermute(v, "i", [(0, 1), (1, 3), (3, 0), (2, 2)])),
        "pshuffle": over(lambda v: lax.pshuffle(v, "i", [3, 1, 0, 2])),
        "all_to_all": over(lambda v: lax.all_to_all(v, "i", 0, 0)),
        "pswapaxes": over(lambda v: lax.pswapaxes(v, "i", 0)),
        "slope": jax.grad(
            lambda a: (
                jax.vmap(
                    lambda v: lax.ppermute(v, "i", [(0, 1), (1, 0), (2, 3), (3, 2)]), axis_name="i"
                )(a)[0]
                ** 2
            ).sum()
        )(x),
    }


@case
def segments(jax, jnp):
    data = jnp.asarray(RNG_FIXED)
    ids = jnp.asarray(numpy.array([0, 2, 2, 5, -1, 0]))
    ops = jax.ops
    made = {
        name: getattr(ops, f"segment_{name}")(data, ids, 4)
        for name in ("sum", "prod", "min", "max")
    }
    made["known"] = ops.segment_sum(data, jnp.abs(ids))
    made["integers"] = ops.segment_max(jnp.asarray(INTEGERS[0]), ids[:3], 4)
    made["slope"] = jax.grad(lambda d: (ops.segment_sum(d, ids, 4) ** 2).sum())(data)
    made["rows"] = jax.vmap(lambda d: ops.segment_sum(d, ids, 4))(data)
    made["jit"] = jax.jit(lambda d: ops.segment_sum(d, ids, num_segments=4))(data)
    return made


@case
def vectors_of_trees(jax, jnp):
    tree = {"w": jnp.asarray(X), "b": (jnp.asarray(INTEGERS), 2.5)}
    flat, unravel = jax.flatten_util.ravel_pytree(tree)
    loss = lambda v: (unravel(v)["w"] ** 3).sum() * unravel(v)["b"][1]  # noqa: E731
    return flat, unravel(flat * 2), jax.grad(loss)(flat), jax.hessian(loss)(flat)


@case
def sized(jax, jnp):
    x = jnp.asarray(numpy.array([[0, 3, 0, 1], [3, 0, 1, 0]]))
    y = jnp.asarray(numpy.array([1, 5, 3, 5]))
    return {
        "nonzero": jax.jit(lambda a: jnp.nonzero(a, size=6, fill_value=-1))(x),
        "cut": jnp.nonzero(x, size=2),
        "flat": jnp.flatnonzero(x, size=5),
        "argwhere": jax.jit(lambda a: jnp.argwhere(a, size=5))(x),
        "where": jax.vmap(lambda a: jnp.where(a > 0, size=3, fill_value=9)[0])(x),
        "unique": jnp.unique(x, size=5),
        "all of it": jnp.unique(x, True, True, True, size=4, fill_value=-1),
        "rows": jnp.unique(jnp.stack([y, y, y * 2]), axis=0, size=3),
        "union": jnp.union1d(x, y, size=6),
        "difference": jnp.setdiff1d(x, y, size=4, fill_value=8),
        "both": jnp.intersect1d(x, y, size=3),
        "bincount": jax.jit(lambda a: jnp.bincount(a, length=4))(y),
        "repeat": jax.jit(lambda n: jnp.repeat(x[0], n, total_repeat_length=7))(y - 1),
        "sort": (jnp.sort(y, descending=True), jnp.argsort(y, descending=True)),
        "diagonal": jnp.fill_diagonal(x[:, :2], 7, inplace=False),
        "put": jnp.put(x, jnp.asarray(numpy.array([0, 7])), 5, inplace=False),
        "along": jnp.put_along_axis(x, jnp.asarray(numpy.array([[1], [2]])), 9, 1, inplace=False),
        "take": jnp.take(x * 1.0, jnp.asarray(numpy.array([1, 4, -1])), axis=1),
        "take along": jnp.take_along_axis(x * 1.0, jnp.asarray(numpy.array([[1, 4], [-1, 0]])), 1),
        "einsum": jnp.einsum(
            "ij,ij->i", x, x, precision="highest", preferred_element_type="float64"
        ),
    }


@case
def images(jax, jnp):
    x, resize = jnp.asarray(IMAGE), jax.image.resize
    made = {
        f"{method} {antialias}": (
            resize(x, (2, 4, 9, 3), method, antialias),
            resize(x, (2, 12, 3, 3), method, antialias),
        )
        for method in ("nearest", "linear", "cubic", "lanczos3", "lanczos5")
        for antialias in (True, False)
    }
    scale, move = jnp.asarray(numpy.array([0.7, 1.9])), jnp.asarray(numpy.array([0.4, -1.2]))
    made["moved"] = jax.image.scale_and_translate(x, (2, 5, 8, 3), (1, 2), scale, move, "cubic")
    made["slope"] = jax.grad(lambda a: (resize(a, (2, 4, 4, 3), "linear") ** 2).sum())(x)
    return made


@case
def keys_and_bits(jax, jnp):
    random = jax.random
    key = random.PRNGKey(42)
    return {
        "keys": (random.PRNGKey(2**40 + 3), random.PRNGKey(-5), random.split(key, (2, 3))),
        "folded": (
            random.fold_in(key, 77),
            jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(3)),
        ),
        "bits": [random.bits(key, (3, 2), f"uint{n}").astype("float64") for n in (8, 16, 32, 64)],
        "uniform": [random.uniform(key, (5,), d, -1, 3) for d in ("float16", "float32", "float64")],
        "normal": [random.normal(key, (5,), d) for d in ("float32", "float64", "complex128")],
        "integers": [
            random.randint(key, (6,), low, high, dtype)
            for dtype, low, high in (
                ("int64", 0, 10),
                ("int32", -7, 1000),
                ("uint8", 0, 256),
                ("int8", -128, 128),
                ("int16", 5, 5),
            )
        ],
        "many": jax.vmap(lambda k: random.normal(k, (2,)))(random.split(key, 3)),
        "jit": jax.jit(lambda k: random.uniform(random.split(k)[1], (3,)))(key),
        "loop": jax.lax.scan(
            lambda k, _: (random.split(k)[0], random.normal(k)), key, None, length=5
        )[1],
    }


@case
def draws(jax, jnp):
    random = jax.random
    key = random.PRNGKey(7)
    names = "exponential gumbel laplace logistic cauchy maxwell"
    weights = jnp.asarray(numpy.array([0.1, 0.2, 0.3, 0.2, 0.2]))
    logits = jnp.log(jnp.asarray(numpy.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]])))
    square = jnp.asarray(numpy.array([[2.0, 0.5], [0.5, 1.0]]))
    return {name: getattr(random, name)(key, (5,)) for name in names.split()} | {
        "permutation": random.permutation(key, 11),
        "rows": random.permutation(key, jnp.asarray(INTEGERS)),
        "each row": random.permutation(key, jnp.asarray(INTEGERS), axis=1, independent=True),
        "choice": [
            random.choice(key, 7, (4,)),
            random.choice(key, 7, (4,), replace=False),
            random.choice(key, 5, (6,), p=weights),
            random.choice(key, 5, (3,), replace=False, p=weights),
            random.choice(key, jnp.asarray(X), (2,), axis=1),
        ],
        "bernoulli": random.bernoulli(key, 0.3, (6,)),
        "rademacher": random.rademacher(key, (5,)),
        "categorical": [
            random.categorical(key, logits),
            random.categorical(key, logits, shape=(4, 2)),
            random.categorical(key, logits, axis=0),
            random.categorical(key, logits, shape=(2, 2), replace=False),
        ],
        "truncated": random.truncated_normal(key, -1.0, 2.0, (5,)),
        "vectors": random.multivariate_normal(key, jnp.ones(2), square, (3,)),
        "pareto": random.pareto(key, 3.0, (4,)),
        "rayleigh": random.rayleigh(key, 2.0, (4,)),
        "weibull": random.weibull_min(key, 2.0, 3.0, (4,)),
        "triangular": random.triangular(key, 0.0, 0.3, 1.0, (4,)),
        "lognormal": random.lognormal(key, 2.0, (3,)),
        "wald": random.wald(key, 2.0, (4,)),
        "geometric": random.geometric(key, 0.3, (6,)),
        "orthogonal": random.orthogonal(key, 3, (2,)),
    }


@case
def draws_by_rejection(jax, jnp):
    random = jax.random
    key = random.PRNGKey(11)
    a = jnp.asarray(numpy.array([0.3, 1.0, 2.5, 9.0]))
    return {
        "gamma": random.gamma(key, a),
        "logs": random.loggamma(key, a),
        "slope": jax.grad(lambda b: random.gamma(key, b).sum())(a),
        "slope of logs": jax.grad(lambda b: random.loggamma(key, b).sum())(a),
        "beta": random.beta(key, 2.0, 3.0, (4,)),
        "dirichlet": random.dirichlet(key, jnp.asarray(numpy.array([1.0, 2.0, 3.0])), (2,)),
        "chisquare": random.chisquare(key, 3.0, (4,)),
        "t": random.t(key, 3.0, (4,)),
        "f": random.f(key, 3.0, 5.0, (4,)),
        "generalized": random.generalized_normal(key, 1.5, (4,)),
        "ball": random.ball(key, 3, 2, (2,)),
        "poisson": (random.poisson(key, 2.0, (10,)), random.poisson(key, 50.0, (10,))),
        "many": jax.vmap(lambda k: random.gamma(k, 2.0))(random.split(key, 3)),
    }


@case
def rules_for_batches(jax, jnp):
    @jax.custom_batching.custom_vmap
    def f(x, y):
        return x * y, x.sum()

    @f.def_vmap
    def rule(axis_size, in_batched, x, y):
        first, second = in_batched
        made = x * 10 * (y[:, None] if second else y), (x.sum(-1) if first else x.sum())
        return made, (True, first)

    x = jnp.asarray(X)
    y = jnp.asarray(Y[0, :2])
    slow = jax.custom_batching.sequential_vmap(lambda v: jnp.cumsum(v) * 2)
    return f(x, 2.0), jax.vmap(f)(x, y), jax.vmap(f, (None, 0))(x[0], y), jax.vmap(slow)(x)


@case
def trees(jax, jnp):
    util = jax.tree_util
    tree = {"a": (1.0, 2.0), "b": [3.0, None, {"c": 4.0}]}
    add = util.Partial(jnp.add, jnp.asarray(X))
    return {
        "paths": [len(util.keystr(path)) for path, _ in util.tree_leaves_with_path(tree)],
        "keys": [p[0].key == "a" and p[1].idx for p, _ in util.tree_leaves_with_path(tree)][:2],
        "sum": util.tree_reduce(lambda a, b: a + b, tree),
        "pairs": util.tree_reduce_associative(lambda a, b: a + b, tree),
        "broadcast": util.tree_broadcast({"a": 1, "b": 2}, tree),
        "partial": jax.jit(lambda f, x: f(x))(add, 2.0),
        "slope of partial": jax.grad(lambda f: f(jnp.asarray(Y)).prod())(add).args[0],
        "transposed": util.tree_transpose(
            util.tree_structure([0, 0]), util.tree_structure((0, 0)), [(1, 2), (3, 4)]
        ),
        "nodes": [util.tree_structure(tree).num_nodes, util.tree_structure(tree).num_leaves],
    }


@case
def counts_of_trials(jax, jnp):
    random, key = jax.random, jax.random.key(4)
    chances = jnp.asarray(numpy.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]))
    odd = jnp.asarray(numpy.array([-1.0, numpy.inf, 5.0, numpy.nan]))
    return {
        "few": random.binomial(key, 10, 0.3, (20,)),
        "often": random.binomial(key, 30, 0.9, (20,)),
        "many": random.binomial(key, 1000, 0.37, (40,)),
        "narrow": random.binomial(key, 500, jnp.float32(0.4), (20,), "float32"),
        "none": random.binomial(key, odd, 0.3),
        "several": random.multinomial(key, 1000, chances),
        "of each": random.multinomial(key, jnp.asarray(numpy.array([5, 20000])), chances),
    }


@case
def keywords_of_numpy(jax, jnp):
    def ends(row, width, axis, kwargs):
        row = row.at[: width[0]].set(kwargs.get("padder", 10))
        return row.at[-width[1] :].set(kwargs.get("padder", 10))

    x, mask = jnp.asarray(X), jnp.asarray(INTEGERS) > 0
    vector, unravel = jax.flatten_util.ravel_pytree({"a": x, "b": x[0]})
    return {
        "rows by a function": [jnp.pad(x, 2, ends), jnp.pad(x, 1, ends, padder=7)],
        "counts": jnp.bincount(jnp.asarray(INTEGERS).ravel(), jnp.asarray(X).ravel(), length=9),
        "negative": jnp.bincount(jnp.asarray(INTEGERS).ravel()),
        "extract": jnp.extract(mask, x, size=4, fill_value=-1),
        "compress": jnp.compress(jnp.array([True, False, True]), x, 1, size=3, fill_value=5),
        "convolve": jnp.convolve(x[0], x[1], "same", precision="highest"),
        "correlate": jnp.correlate(x[0], x[1], "full", preferred_element_type="float64"),
        "places": jnp.searchsorted(jnp.sort(x[0]), x[1], method="sort"),
        "bins": jnp.digitize(x, jnp.sort(x[0]), method="scan"),
        "unravelled": unravel(vector > 0.5),
    }
