"""The examples in the documentation of ufuncs, by their names; the tests run them."""

EXAMPLES = {
    "add": """
>>> np.add([1, 2, 3], 10)
array([11, 12, 13])
""",
    "subtract": """
>>> np.subtract([5, 7], [1, 2])
array([4, 5])
""",
    "multiply": """
>>> np.multiply([1, 2, 3], [4, 5, 6])
array([ 4, 10, 18])
""",
    "divide": """
>>> np.divide([1, 2, 3], 2)
array([0.5, 1. , 1.5])
""",
    "floor_divide": """
>>> np.floor_divide([7, -7], 2)
array([ 3, -4])
""",
    "remainder": """
>>> np.remainder([7, -7], 3)
array([1, 2])
""",
    "fmod": """
>>> np.fmod([7, -7], 3)
array([ 1, -1])
""",
    "power": """
>>> np.power([1, 2, 3], 2)
array([1, 4, 9])
""",
    "float_power": """
>>> np.float_power([1, 2, 3], 2)
array([1., 4., 9.])
""",
    "negative": """
>>> np.negative([1, -2])
array([-1,  2])
""",
    "positive": """
>>> np.positive([1, -2])
array([ 1, -2])
""",
    "absolute": """
>>> np.absolute([-1.5, 2])
array([1.5, 2. ])
>>> np.absolute(3 + 4j)
np.float64(5.0)
""",
    "fabs": """
>>> np.fabs([-1, 2])
array([1., 2.])
""",
    "sign": """
>>> np.sign([-3.0, 0.0, 5.0])
array([-1.,  0.,  1.])
""",
    "rint": """
>>> np.rint([0.5, 1.5, -2.7])
array([ 0.,  2., -3.])
""",
    "floor": """
>>> np.floor([1.7, -1.2])
array([ 1., -2.])
""",
    "ceil": """
>>> np.ceil([1.2, -1.7])
array([ 2., -1.])
""",
    "trunc": """
>>> np.trunc([1.7, -1.7])
array([ 1., -1.])
""",
    "sqrt": """
>>> np.sqrt([4.0, 9.0])
array([2., 3.])
""",
    "cbrt": """
>>> np.cbrt([8.0, -27.0])
array([ 2., -3.])
""",
    "square": """
>>> np.square([2, -3])
array([4, 9])
""",
    "reciprocal": """
>>> np.reciprocal([2.0, 4.0])
array([0.5 , 0.25])
""",
    "exp": """
>>> np.exp([0.0, 1.0])
array([1.        , 2.71828183])
""",
    "exp2": """
>>> np.exp2([3.0, -1.0])
array([8. , 0.5])
""",
    "expm1": """
>>> np.expm1(1e-10)
np.float64(1.00000000005e-10)
""",
    "log": """
>>> np.log([1.0, np.e])
array([0., 1.])
""",
    "log2": """
>>> np.log2([1.0, 8.0])
array([0., 3.])
""",
    "log10": """
>>> np.log10([1.0, 1000.0])
array([0., 3.])
""",
    "log1p": """
>>> np.log1p(1e-10)
np.float64(9.999999999500001e-11)
""",
    "logaddexp": """
>>> np.logaddexp(0.0, 0.0)
np.float64(0.6931471805599453)
""",
    "logaddexp2": """
>>> np.logaddexp2(2.0, 2.0)
np.float64(3.0)
""",
    "sin": """
>>> np.sin([0.0, np.pi / 2])
array([0., 1.])
""",
    "cos": """
>>> np.cos([0.0, np.pi])
array([ 1., -1.])
""",
    "tan": """
>>> np.tan([0.0, np.pi / 4]).round(6)
array([0., 1.])
""",
    "arcsin": """
>>> np.arcsin([0.0, 1.0])
array([0.        , 1.57079633])
""",
    "arccos": """
>>> np.arccos([1.0, 0.0])
array([0.        , 1.57079633])
""",
    "arctan": """
>>> np.arctan([0.0, 1.0])
array([0.        , 0.78539816])
""",
    "arctan2": """
>>> np.arctan2([1.0, -1.0], [1.0, 1.0])
array([ 0.78539816, -0.78539816])
""",
    "hypot": """
>>> np.hypot(3.0, [4.0, 0.0])
array([5., 3.])
""",
    "sinh": """
>>> np.sinh([0.0, 1.0])
array([0.        , 1.17520119])
""",
    "cosh": """
>>> np.cosh([0.0, 1.0])
array([1.        , 1.54308063])
""",
    "tanh": """
>>> np.tanh([0.0, 1.0])
array([0.        , 0.76159416])
""",
    "arcsinh": """
>>> np.arcsinh([0.0, 1.0])
array([0.        , 0.88137359])
""",
    "arccosh": """
>>> np.arccosh([1.0, 2.0])
array([0.       , 1.3169579])
""",
    "arctanh": """
>>> np.arctanh([0.0, 0.5])
array([0.        , 0.54930614])
""",
    "rad2deg": """
>>> np.rad2deg([0.0, np.pi])
array([  0., 180.])
""",
    "deg2rad": """
>>> np.deg2rad([0.0, 180.0])
array([0.        , 3.14159265])
""",
    "maximum": """
>>> np.maximum([1, 5], [3, 2])
array([3, 5])
""",
    "minimum": """
>>> np.minimum([1, 5], [3, 2])
array([1, 2])
""",
    "fmax": """
>>> np.fmax([1.0, np.nan], 0.5)
array([1. , 0.5])
""",
    "fmin": """
>>> np.fmin([1.0, np.nan], 0.5)
array([0.5, 0.5])
""",
    "heaviside": """
>>> np.heaviside([-1.5, 0.0, 2.0], 0.5)
array([0. , 0.5, 1. ])
""",
    "copysign": """
>>> np.copysign([1.0, 2.0], [-0.0, 3.0])
array([-1.,  2.])
""",
    "nextafter": """
>>> np.nextafter(1.0, 2.0) > 1.0
np.True_
""",
    "spacing": """
>>> np.spacing(1.0)
np.float64(2.220446049250313e-16)
""",
    "signbit": """
>>> np.signbit([-1.0, 0.0, -0.0])
array([ True, False,  True])
""",
    "ldexp": """
>>> np.ldexp([1.0, 1.5], [3, 1])
array([8., 3.])
""",
    "frexp": """
>>> mantissa, exponent = np.frexp([8.0, 3.0])
>>> mantissa, exponent
(array([0.5 , 0.75]), array([4, 2], dtype=int32))
""",
    "modf": """
>>> fraction, whole = np.modf([1.5, -2.25])
>>> fraction, whole
(array([ 0.5 , -0.25]), array([ 1., -2.]))
""",
    "divmod": """
>>> quotient, rest = np.divmod([7, -7], 3)
>>> quotient, rest
(array([ 2, -3]), array([1, 2]))
""",
    "gcd": """
>>> np.gcd([12, 18], 8)
array([4, 2])
""",
    "lcm": """
>>> np.lcm([4, 6], 10)
array([20, 30])
""",
    "isnan": """
>>> np.isnan([1.0, np.nan])
array([False,  True])
""",
    "isinf": """
>>> np.isinf([1.0, -np.inf])
array([False,  True])
""",
    "isfinite": """
>>> np.isfinite([1.0, np.inf, np.nan])
array([ True, False, False])
""",
    "equal": """
>>> np.equal([1, 2], [1, 3])
array([ True, False])
""",
    "not_equal": """
>>> np.not_equal([1, 2], [1, 3])
array([False,  True])
""",
    "less": """
>>> np.less([1, 2], 2)
array([ True, False])
""",
    "less_equal": """
>>> np.less_equal([1, 2], 1)
array([ True, False])
""",
    "greater": """
>>> np.greater([1, 2], 1)
array([False,  True])
""",
    "greater_equal": """
>>> np.greater_equal([1, 2], 2)
array([False,  True])
""",
    "logical_and": """
>>> np.logical_and([True, False], [True, True])
array([ True, False])
""",
    "logical_or": """
>>> np.logical_or([True, False], [False, False])
array([ True, False])
""",
    "logical_xor": """
>>> np.logical_xor([True, False], [True, True])
array([False,  True])
""",
    "logical_not": """
>>> np.logical_not([1, 0])
array([False,  True])
""",
    "bitwise_and": """
>>> np.bitwise_and([5, 6], 3)
array([1, 2])
""",
    "bitwise_or": """
>>> np.bitwise_or([5, 6], 3)
array([7, 7])
""",
    "bitwise_xor": """
>>> np.bitwise_xor([5, 6], 3)
array([6, 5])
""",
    "invert": """
>>> np.invert(np.array([0, 5], dtype=np.uint8))
array([255, 250], dtype=uint8)
""",
    "left_shift": """
>>> np.left_shift([1, 2], 3)
array([ 8, 16])
""",
    "right_shift": """
>>> np.right_shift([16, 9], 2)
array([4, 2])
""",
    "bitwise_count": """
>>> np.bitwise_count([1, 7, 255])
array([1, 3, 8], dtype=uint8)
""",
    "conjugate": """
>>> np.conjugate([1 + 2j, 3])
array([1.-2.j, 3.-0.j])
""",
    "matmul": """
>>> np.matmul([[1, 2], [3, 4]], [[0, 1], [1, 0]])
array([[2, 1],
       [4, 3]])
>>> np.matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape
(5, 2, 4)
""",
    "vecdot": """
>>> np.vecdot([[1, 2], [3, 4]], [1, 1])
array([3, 7])
""",
    "matvec": """
>>> np.matvec([[1, 2], [3, 4]], [1, 1])
array([3, 7])
""",
    "vecmat": """
>>> np.vecmat([1, 1], [[1, 2], [3, 4]])
array([4, 6])
""",
    "erf": """
>>> np.special.erf([0.0, 0.5, -np.inf]).round(6)
array([ 0.    ,  0.5205, -1.    ])
""",
}
