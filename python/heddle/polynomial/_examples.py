"""Examples of the functions of each family: a call, and what it gives. The tests run them."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "polyline": ("polynomial.polyline(1, 2)", "array([1, 2])"),
    "polyadd": ("polynomial.polyadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "polysub": ("polynomial.polysub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "polymulx": ("polynomial.polymulx([1, 2, 3])", "array([0., 1., 2., 3.])"),
    "polymul": ("polynomial.polymul([1, 2], [3, 4])", "array([ 3., 10.,  8.])"),
    "polydiv": ("polynomial.polydiv([1, 2, 3], [1, 2])", "(array([0.25, 1.5 ]), array([0.75]))"),
    "polypow": ("polynomial.polypow([1, 2], 2)", "array([1., 4., 4.])"),
    "polyval": ("polynomial.polyval([0.25, 0.5], [1, 2, 3])", "array([1.6875, 2.75  ])"),
    "polyder": ("polynomial.polyder([1, 2, 3, 4])", "array([ 2.,  6., 12.])"),
    "polyint": ("polynomial.polyint([1, 2, 3])", "array([0., 1., 1., 1.])"),
    "polyfromroots": ("polynomial.polyfromroots([-2, 1])", "array([-2.,  1.,  1.])"),
    "polyvander": (
        "polynomial.polyvander([0.25, 0.5], 2)",
        "array([[1.    , 0.25  , 0.0625],\n       [1.    , 0.5   , 0.25  ]])",
    ),
    "polyfit": ("polynomial.polyfit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)", "array([0.3, 3.8])"),
    "polyroots": ("polynomial.polyroots([-6, 1, 2]).round(6)", "array([-2. ,  1.5])"),
    "polyval2d": ("polynomial.polyval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([22., 47.])"),
    "polyval3d": (
        "polynomial.polyval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([34., 67.])",
    ),
    "polyvalnd": ("polynomial.polyvalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([22., 47.])"),
    "polygrid2d": (
        "polynomial.polygrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[22., 28.],\n       [37., 47.]])",
    ),
    "polygrid3d": (
        "polynomial.polygrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[22., 28.]]])",
    ),
    "polyvander2d": (
        "polynomial.polyvander2d([0.5], [2.0], [1, 1])",
        "array([[1. , 2. , 0.5, 1. ]])",
    ),
    "polyvander3d": (
        "polynomial.polyvander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[1. , 3. , 2. , 6. , 0.5, 1.5, 1. , 3. ]])",
    ),
    "polycompanion": (
        "polynomial.polycompanion([1, 2, 3]).round(6)",
        "array([[ 0.      , -0.333333],\n       [ 1.      , -0.666667]])",
    ),
    "chebline": ("chebyshev.chebline(1, 2)", "array([1, 2])"),
    "chebadd": ("chebyshev.chebadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "chebsub": ("chebyshev.chebsub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "chebmulx": ("chebyshev.chebmulx([1, 2, 3])", "array([1. , 2.5, 1. , 1.5])"),
    "chebmul": ("chebyshev.chebmul([1, 2], [3, 4])", "array([ 7., 10.,  4.])"),
    "chebdiv": ("chebyshev.chebdiv([1, 2, 3], [1, 2])", "(array([-0.5,  3. ]), array([-1.5]))"),
    "chebpow": ("chebyshev.chebpow([1, 2], 2)", "array([3., 4., 2.])"),
    "chebval": ("chebyshev.chebval([0.25, 0.5], [1, 2, 3])", "array([-1.125,  0.5  ])"),
    "chebder": ("chebyshev.chebder([1, 2, 3, 4])", "array([14., 12., 24.])"),
    "chebint": ("chebyshev.chebint([1, 2, 3])", "array([ 0.5, -0.5,  0.5,  0.5])"),
    "chebfromroots": ("chebyshev.chebfromroots([-2, 1])", "array([-1.5,  1. ,  0.5])"),
    "chebvander": (
        "chebyshev.chebvander([0.25, 0.5], 2)",
        "array([[ 1.   ,  0.25 , -0.875],\n       [ 1.   ,  0.5  , -0.5  ]])",
    ),
    "chebfit": ("chebyshev.chebfit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)", "array([0.3, 3.8])"),
    "chebroots": ("chebyshev.chebroots([-6, 1, 2]).round(6)", "array([-1.544727,  1.294727])"),
    "chebval2d": ("chebyshev.chebval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([22., 47.])"),
    "chebval3d": (
        "chebyshev.chebval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([34., 67.])",
    ),
    "chebvalnd": ("chebyshev.chebvalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([22., 47.])"),
    "chebgrid2d": (
        "chebyshev.chebgrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[22., 28.],\n       [37., 47.]])",
    ),
    "chebgrid3d": (
        "chebyshev.chebgrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[22., 28.]]])",
    ),
    "chebvander2d": (
        "chebyshev.chebvander2d([0.5], [2.0], [1, 1])",
        "array([[1. , 2. , 0.5, 1. ]])",
    ),
    "chebvander3d": (
        "chebyshev.chebvander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[1. , 3. , 2. , 6. , 0.5, 1.5, 1. , 3. ]])",
    ),
    "chebcompanion": (
        "chebyshev.chebcompanion([1, 2, 3]).round(6)",
        "array([[ 0.      ,  0.471405],\n       [ 0.707107, -0.333333]])",
    ),
    "chebgauss": (
        "chebyshev.chebgauss(2)",
        "(array([ 0.70710678, -0.70710678]), array([1.57079633, 1.57079633]))",
    ),
    "chebweight": ("chebyshev.chebweight([0.25, 0.5]).round(6)", "array([1.032796, 1.154701])"),
    "cheb2poly": ("chebyshev.cheb2poly([1, 2, 3])", "array([-2.,  2.,  6.])"),
    "poly2cheb": ("chebyshev.poly2cheb([1, 2, 3])", "array([2.5, 2. , 1.5])"),
    "legline": ("legendre.legline(1, 2)", "array([1, 2])"),
    "legadd": ("legendre.legadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "legsub": ("legendre.legsub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "legmulx": (
        "legendre.legmulx([1, 2, 3])",
        "array([0.66666667, 2.2       , 1.33333333, 1.8       ])",
    ),
    "legmul": ("legendre.legmul([1, 2], [3, 4])", "array([ 5.66666667, 10.        ,  5.33333333])"),
    "legdiv": ("legendre.legdiv([1, 2, 3], [1, 2])", "(array([-0.125,  2.25 ]), array([-0.375]))"),
    "legpow": ("legendre.legpow([1, 2], 2)", "array([2.33333333, 4.        , 2.66666667])"),
    "legval": ("legendre.legval([0.25, 0.5], [1, 2, 3])", "array([0.28125, 1.625  ])"),
    "legder": ("legendre.legder([1, 2, 3, 4])", "array([ 6.,  9., 20.])"),
    "legint": (
        "legendre.legint([1, 2, 3])",
        "array([0.33333333, 0.4       , 0.66666667, 0.6       ])",
    ),
    "legfromroots": (
        "legendre.legfromroots([-2, 1])",
        "array([-1.66666667,  1.        ,  0.66666667])",
    ),
    "legvander": (
        "legendre.legvander([0.25, 0.5], 2)",
        "array([[ 1.     ,  0.25   , -0.40625],\n       [ 1.     ,  0.5    , -0.125  ]])",
    ),
    "legfit": ("legendre.legfit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)", "array([0.3, 3.8])"),
    "legroots": ("legendre.legroots([-6, 1, 2]).round(6)", "array([-1.703257,  1.369924])"),
    "legval2d": ("legendre.legval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([22., 47.])"),
    "legval3d": (
        "legendre.legval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([34., 67.])",
    ),
    "legvalnd": ("legendre.legvalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([22., 47.])"),
    "leggrid2d": (
        "legendre.leggrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[22., 28.],\n       [37., 47.]])",
    ),
    "leggrid3d": (
        "legendre.leggrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[22., 28.]]])",
    ),
    "legvander2d": ("legendre.legvander2d([0.5], [2.0], [1, 1])", "array([[1. , 2. , 0.5, 1. ]])"),
    "legvander3d": (
        "legendre.legvander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[1. , 3. , 2. , 6. , 0.5, 1.5, 1. , 3. ]])",
    ),
    "legcompanion": (
        "legendre.legcompanion([1, 2, 3]).round(6)",
        "array([[ 0.      ,  0.19245 ],\n       [ 0.57735 , -0.444444]])",
    ),
    "leggauss": ("legendre.leggauss(2)", "(array([-0.57735027,  0.57735027]), array([1., 1.]))"),
    "legweight": ("legendre.legweight([0.25, 0.5]).round(6)", "array([1., 1.])"),
    "leg2poly": ("legendre.leg2poly([1, 2, 3])", "array([-0.5,  2. ,  4.5])"),
    "poly2leg": ("legendre.poly2leg([1, 2, 3])", "array([2., 2., 2.])"),
    "lagline": ("laguerre.lagline(1, 2)", "array([ 3, -2])"),
    "lagadd": ("laguerre.lagadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "lagsub": ("laguerre.lagsub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "lagmulx": ("laguerre.lagmulx([1, 2, 3])", "array([-1., -1., 11., -9.])"),
    "lagmul": ("laguerre.lagmul([1, 2], [3, 4])", "array([11., -6., 16.])"),
    "lagdiv": ("laguerre.lagdiv([1, 2, 3], [1, 2])", "(array([2.125, 0.75 ]), array([-2.625]))"),
    "lagpow": ("laguerre.lagpow([1, 2], 2)", "array([ 5., -4.,  8.])"),
    "lagval": ("laguerre.lagval([0.25, 0.5], [1, 2, 3])", "array([4.09375, 2.375  ])"),
    "lagder": ("laguerre.lagder([1, 2, 3, 4])", "array([-9., -7., -4.])"),
    "lagint": ("laguerre.lagint([1, 2, 3])", "array([ 1.,  1.,  1., -3.])"),
    "lagfromroots": ("laguerre.lagfromroots([-2, 1])", "array([ 1., -5.,  2.])"),
    "lagvander": (
        "laguerre.lagvander([0.25, 0.5], 2)",
        "array([[1.     , 0.75   , 0.53125],\n       [1.     , 0.5    , 0.125  ]])",
    ),
    "lagfit": ("laguerre.lagfit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)", "array([ 4.1, -3.8])"),
    "lagroots": ("laguerre.lagroots([-6, 1, 2]).round(6)", "array([-0.541381,  5.541381])"),
    "lagval2d": ("laguerre.lagval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([-3.,  4.])"),
    "lagval3d": (
        "laguerre.lagval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([-7.,  8.])",
    ),
    "lagvalnd": ("laguerre.lagvalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([-3.,  4.])"),
    "laggrid2d": (
        "laguerre.laggrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[-3., -5.],\n       [ 2.,  4.]])",
    ),
    "laggrid3d": (
        "laguerre.laggrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[-3., -5.]]])",
    ),
    "lagvander2d": (
        "laguerre.lagvander2d([0.5], [2.0], [1, 1])",
        "array([[ 1. , -1. ,  0.5, -0.5]])",
    ),
    "lagvander3d": (
        "laguerre.lagvander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[ 1. , -2. , -1. ,  2. ,  0.5, -1. , -0.5,  1. ]])",
    ),
    "lagcompanion": (
        "laguerre.lagcompanion([1, 2, 3]).round(6)",
        "array([[ 1.      , -0.333333],\n       [-1.      ,  4.333333]])",
    ),
    "laggauss": (
        "laguerre.laggauss(2)",
        "(array([0.58578644, 3.41421356]), array([0.85355339, 0.14644661]))",
    ),
    "lagweight": ("laguerre.lagweight([0.25, 0.5]).round(6)", "array([0.778801, 0.606531])"),
    "lag2poly": ("laguerre.lag2poly([1, 2, 3])", "array([ 6. , -8. ,  1.5])"),
    "poly2lag": ("laguerre.poly2lag([1, 2, 3])", "array([  9., -14.,   6.])"),
    "hermline": ("hermite.hermline(1, 2)", "array([1., 1.])"),
    "hermadd": ("hermite.hermadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "hermsub": ("hermite.hermsub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "hermmulx": ("hermite.hermmulx([1, 2, 3])", "array([2. , 6.5, 1. , 1.5])"),
    "hermmul": ("hermite.hermmul([1, 2], [3, 4])", "array([19., 10.,  8.])"),
    "hermdiv": ("hermite.hermdiv([1, 2, 3], [1, 2])", "(array([0.25, 1.5 ]), array([-5.25]))"),
    "hermpow": ("hermite.hermpow([1, 2], 2)", "array([9., 4., 4.])"),
    "hermval": ("hermite.hermval([0.25, 0.5], [1, 2, 3])", "array([-3.25,  0.  ])"),
    "hermder": ("hermite.hermder([1, 2, 3, 4])", "array([ 4., 12., 24.])"),
    "hermint": ("hermite.hermint([1, 2, 3])", "array([1. , 0.5, 0.5, 0.5])"),
    "hermfromroots": ("hermite.hermfromroots([-2, 1])", "array([-1.5 ,  0.5 ,  0.25])"),
    "hermvander": (
        "hermite.hermvander([0.25, 0.5], 2)",
        "array([[ 1.  ,  0.5 , -1.75],\n       [ 1.  ,  1.  , -1.  ]])",
    ),
    "hermfit": ("hermite.hermfit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)", "array([0.3, 1.9])"),
    "hermroots": ("hermite.hermroots([-6, 1, 2]).round(6)", "array([-1.25,  1.  ])"),
    "hermval2d": ("hermite.hermval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([ 67., 157.])"),
    "hermval3d": (
        "hermite.hermval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([107., 229.])",
    ),
    "hermvalnd": ("hermite.hermvalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([ 67., 157.])"),
    "hermgrid2d": (
        "hermite.hermgrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[ 67.,  87.],\n       [121., 157.]])",
    ),
    "hermgrid3d": (
        "hermite.hermgrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[67., 87.]]])",
    ),
    "hermvander2d": ("hermite.hermvander2d([0.5], [2.0], [1, 1])", "array([[1., 4., 1., 4.]])"),
    "hermvander3d": (
        "hermite.hermvander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[ 1.,  6.,  4., 24.,  1.,  6.,  4., 24.]])",
    ),
    "hermcompanion": (
        "hermite.hermcompanion([1, 2, 3]).round(6)",
        "array([[ 0.      ,  0.589256],\n       [ 0.707107, -0.333333]])",
    ),
    "hermgauss": (
        "hermite.hermgauss(2)",
        "(array([-0.70710678,  0.70710678]), array([0.88622693, 0.88622693]))",
    ),
    "hermweight": ("hermite.hermweight([0.25, 0.5]).round(6)", "array([0.939413, 0.778801])"),
    "herm2poly": ("hermite.herm2poly([1, 2, 3])", "array([-5.,  4., 12.])"),
    "poly2herm": ("hermite.poly2herm([1, 2, 3])", "array([2.5 , 1.  , 0.75])"),
    "hermeline": ("hermite_e.hermeline(1, 2)", "array([1, 2])"),
    "hermeadd": ("hermite_e.hermeadd([1, 2, 3], [3, 2, 1])", "array([4., 4., 4.])"),
    "hermesub": ("hermite_e.hermesub([1, 2, 3], [3, 2, 2])", "array([-2.,  0.,  1.])"),
    "hermemulx": ("hermite_e.hermemulx([1, 2, 3])", "array([2., 7., 2., 3.])"),
    "hermemul": ("hermite_e.hermemul([1, 2], [3, 4])", "array([11., 10.,  8.])"),
    "hermediv": ("hermite_e.hermediv([1, 2, 3], [1, 2])", "(array([0.25, 1.5 ]), array([-2.25]))"),
    "hermepow": ("hermite_e.hermepow([1, 2], 2)", "array([5., 4., 4.])"),
    "hermeval": ("hermite_e.hermeval([0.25, 0.5], [1, 2, 3])", "array([-1.3125, -0.25  ])"),
    "hermeder": ("hermite_e.hermeder([1, 2, 3, 4])", "array([ 2.,  6., 12.])"),
    "hermeint": ("hermite_e.hermeint([1, 2, 3])", "array([1., 1., 1., 1.])"),
    "hermefromroots": ("hermite_e.hermefromroots([-2, 1])", "array([-1.,  1.,  1.])"),
    "hermevander": (
        "hermite_e.hermevander([0.25, 0.5], 2)",
        "array([[ 1.    ,  0.25  , -0.9375],\n       [ 1.    ,  0.5   , -0.75  ]])",
    ),
    "hermefit": (
        "hermite_e.hermefit([0, 1, 2, 3], [1, 3, 8, 12], 1).round(6)",
        "array([0.3, 3.8])",
    ),
    "hermeroots": ("hermite_e.hermeroots([-6, 1, 2]).round(6)", "array([-2.265564,  1.765564])"),
    "hermeval2d": ("hermite_e.hermeval2d([1, 2], [3, 4], [[1, 2], [3, 4]])", "array([22., 47.])"),
    "hermeval3d": (
        "hermite_e.hermeval3d([1, 2], [3, 4], [5, 6], [[[1, 2]], [[3, 4]]])",
        "array([34., 67.])",
    ),
    "hermevalnd": ("hermite_e.hermevalnd(([1, 2], [3, 4]), [[1, 2], [3, 4]])", "array([22., 47.])"),
    "hermegrid2d": (
        "hermite_e.hermegrid2d([1, 2], [3, 4], [[1, 2], [3, 4]])",
        "array([[22., 28.],\n       [37., 47.]])",
    ),
    "hermegrid3d": (
        "hermite_e.hermegrid3d([1], [2], [3, 4], [[[1, 2]], [[3, 4]]])",
        "array([[[22., 28.]]])",
    ),
    "hermevander2d": (
        "hermite_e.hermevander2d([0.5], [2.0], [1, 1])",
        "array([[1. , 2. , 0.5, 1. ]])",
    ),
    "hermevander3d": (
        "hermite_e.hermevander3d([0.5], [2.0], [3.0], [1, 1, 1])",
        "array([[1. , 3. , 2. , 6. , 0.5, 1.5, 1. , 3. ]])",
    ),
    "hermecompanion": (
        "hermite_e.hermecompanion([1, 2, 3]).round(6)",
        "array([[ 0.      ,  0.666667],\n       [ 1.      , -0.666667]])",
    ),
    "hermegauss": (
        "hermite_e.hermegauss(2)",
        "(array([-1.,  1.]), array([1.25331414, 1.25331414]))",
    ),
    "hermeweight": ("hermite_e.hermeweight([0.25, 0.5]).round(6)", "array([0.969233, 0.882497])"),
    "herme2poly": ("hermite_e.herme2poly([1, 2, 3])", "array([-2.,  2.,  3.])"),
    "poly2herme": ("hermite_e.poly2herme([1, 2, 3])", "array([4., 2., 3.])"),
}


def example(name: str) -> str:
    """What a function's documentation says behind its words."""
    if name not in EXAMPLES:
        return ""
    call, result = EXAMPLES[name]
    module = call.partition(".")[0]
    lines = [
        "Examples",
        "--------",
        f">>> from heddle.polynomial import {module}",
        f">>> {call}",
        *result.split("\n"),
    ]
    return "".join(f"\n    {line}" for line in ["", *lines]) + "\n    "
