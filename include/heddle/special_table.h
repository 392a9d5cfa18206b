// The rows of the op table (heddle/op_table.h) that are functions of scipy.special. All but a few,
// which have vector code in src/kernel/scalar_special.cpp, are C++ functions of src/special,
// compiled to LLVM bitcode when Heddle is built and linked into the kernels that call them.
//
// X(space, op, inputs, types, result, code, doc, facts...) as there; what code says of them:
//   xsf      a template of xsf, which comes with SciPy's source package
//   boost    Boost.Math, called as SciPy calls it
//   scipy    other C and C++ of SciPy's
//   written  written here after SciPy's Cython
// The function of that name, or its overloads, are in src/special/<code>.cpp.
#pragma once

// clang-format off
#define HEDDLE_SPECIAL_OPS(X) \
  HEDDLE_SPECIAL_SINGLES(X) \
  HEDDLE_SPECIAL_TUPLES(HEDDLE_ROWS_OF_TUPLE, X)

// Functions with one result.
#define HEDDLE_SPECIAL_SINGLES(X) \
  /* error function and the normal distribution */ \
  X(special, erf, 1, analytic, same, xsf, "The error function: twice the integral of exp(-t**2) from 0 to x, over sqrt(pi).", \
    .doubles_first = true) \
  X(special, erfc, 1, analytic, same, xsf, "The complementary error function, 1 - erf(x).", \
    .doubles_first = true) \
  X(special, erfcx, 1, analytic, same, xsf, "The scaled complementary error function, exp(x**2) * erfc(x).", \
    .cost = routine, .doubles_first = true) \
  X(special, erfi, 1, analytic, same, xsf, "The imaginary error function, -1j * erf(1j*x).", \
    .cost = routine, .doubles_first = true) \
  X(special, erfinv, 1, singles, same, boost, "Inverse of erf.") \
  X(special, erfcinv, 1, singles, same, xsf, "Inverse of erfc.") \
  X(special, dawsn, 1, analytic, same, xsf, "Dawson's integral.", \
    .cost = routine, .doubles_first = true) \
  X(special, wofz, 1, complexes, same, xsf, "The Faddeeva function, exp(-z**2) * erfc(-1j*z).", \
    .cost = routine, .doubles_first = true) \
  X(special, voigt_profile, 3, singles, same, xsf, "The Voigt profile of x, sigma and gamma.", \
    .cost = routine, .doubles_first = true) \
  X(special, ndtr, 1, analytic, same, xsf, "Cumulative distribution of the standard normal distribution.", \
    .doubles_first = true) \
  X(special, log_ndtr, 1, analytic, same, xsf, "Logarithm of ndtr.", \
    .doubles_first = true) \
  X(special, ndtri, 1, singles, same, xsf, "Inverse of ndtr.") \
  X(special, ndtri_exp, 1, singles, same, written, "Inverse of log_ndtr.", \
    .cost = routine) \
  X(special, owens_t, 2, singles, same, xsf, "Owen's T function of h and a.", \
    .cost = routine) \
  /* the gamma function and its relatives */ \
  X(special, gamma, 1, analytic, same, xsf, "The gamma function.", \
    .doubles_first = true) \
  X(special, gammaln, 1, singles, same, xsf, "Logarithm of the absolute value of the gamma function.", \
    .doubles_first = true) \
  X(special, gammasgn, 1, singles, same, xsf, "Sign of the gamma function.", \
    .cost = routine, .doubles_first = true) \
  X(special, loggamma, 1, analytic, same, xsf, "Principal branch of the logarithm of the gamma function.", \
    .cost = routine, .doubles_first = true) \
  X(special, rgamma, 1, analytic, same, xsf, "Reciprocal of the gamma function.", \
    .cost = routine, .doubles_first = true) \
  X(special, digamma, 1, analytic, same, xsf, "The digamma function: derivative of the logarithm of gamma.", \
    .doubles_first = true) \
  X(special, poch, 2, singles, same, xsf, "The Pochhammer symbol, gamma(z + m) / gamma(z).", \
    .cost = routine) \
  X(special, beta, 2, singles, same, xsf, "The beta function.", \
    .cost = routine, .doubles_first = true) \
  X(special, betaln, 2, singles, same, xsf, "Logarithm of the absolute value of the beta function.", \
    .doubles_first = true) \
  X(special, binom, 2, singles, same, xsf, "The binomial coefficient as a function of two real numbers.", \
    .cost = routine) \
  X(special, gammainc, 2, singles, same, xsf, "The regularised lower incomplete gamma function of a and x.", \
    .cost = routine, .doubles_first = true) \
  X(special, gammaincc, 2, singles, same, xsf, "The regularised upper incomplete gamma function of a and x.", \
    .cost = routine, .doubles_first = true) \
  X(special, gammaincinv, 2, singles, same, xsf, "Inverse of gammainc in x.", \
    .cost = routine, .doubles_first = true) \
  X(special, gammainccinv, 2, singles, same, xsf, "Inverse of gammaincc in x.", \
    .cost = routine, .doubles_first = true) \
  X(special, betainc, 3, singles, same, boost, "The regularised incomplete beta function of a, b and x.", \
    .cost = routine) \
  X(special, betaincc, 3, singles, same, boost, "The complement of betainc.", \
    .cost = routine) \
  X(special, betaincinv, 3, singles, same, boost, "Inverse of betainc in x.", \
    .cost = routine) \
  X(special, betainccinv, 3, singles, same, boost, "Inverse of betaincc in x.", \
    .cost = routine) \
  X(special, zetac, 1, singles, same, xsf, "Riemann's zeta function minus 1.", \
    .cost = routine, .doubles_first = true) \
  /* exponentials and logarithms */ \
  X(special, expit, 1, singles, same, xsf, "The logistic function, 1 / (1 + exp(-x)).", \
    .doubles_first = true) \
  X(special, log_expit, 1, singles, same, xsf, "Logarithm of expit.", \
    .doubles_first = true) \
  X(special, logit, 1, singles, same, xsf, "Inverse of expit, log(p / (1 - p)).", \
    .doubles_first = true) \
  X(special, exp10, 1, singles, same, xsf, "10 to the power of the argument.", \
    .cost = routine, .doubles_first = true) \
  X(special, exprel, 1, singles, same, xsf, "(exp(x) - 1) / x, and 1 at 0.", \
    .cost = routine, .doubles_first = true) \
  X(special, xlogy, 2, analytic, same, xsf, "x * log(y), and 0 where x is 0.", \
    .doubles_first = true) \
  X(special, xlog1py, 2, analytic, same, xsf, "x * log1p(y), and 0 where x is 0.", \
    .doubles_first = true) \
  X(special, powm1, 2, singles, same, boost, "x**y - 1, accurate near zero.", \
    .cost = routine) \
  X(special, cosm1, 1, singles, same, xsf, "cos(x) - 1, accurate near zero.", \
    .cost = routine, .doubles_first = true) \
  X(special, boxcox, 2, singles, same, written, "The Box-Cox transformation of x with lambda.", \
    .cost = routine) \
  X(special, boxcox1p, 2, singles, same, written, "The Box-Cox transformation of 1 + x with lambda.", \
    .cost = routine) \
  X(special, inv_boxcox, 2, singles, same, written, "Inverse of boxcox.", \
    .cost = routine) \
  X(special, inv_boxcox1p, 2, singles, same, written, "Inverse of boxcox1p.", \
    .cost = routine) \
  X(special, entr, 1, singles, same, written, "Entropy of an element, -x * log(x).") \
  X(special, rel_entr, 2, singles, same, written, "Relative entropy of elements, x * log(x / y).") \
  X(special, kl_div, 2, singles, same, written, "Elements of the Kullback-Leibler divergence, x * log(x / y) - x + y.") \
  X(special, huber, 2, singles, same, written, "The Huber loss of delta and r.") \
  X(special, pseudo_huber, 2, singles, same, written, "The pseudo-Huber loss of delta and r.") \
  /* angles */ \
  X(special, cosdg, 1, singles, same, xsf, "Cosine of an angle in degrees.", \
    .cost = routine, .doubles_first = true) \
  X(special, sindg, 1, singles, same, xsf, "Sine of an angle in degrees.", \
    .cost = routine, .doubles_first = true) \
  X(special, tandg, 1, singles, same, xsf, "Tangent of an angle in degrees.", \
    .cost = routine, .doubles_first = true) \
  X(special, cotdg, 1, singles, same, xsf, "Cotangent of an angle in degrees.", \
    .cost = routine, .doubles_first = true) \
  X(special, radian, 3, singles, same, xsf, "Degrees, minutes and seconds as radians.", \
    .cost = routine, .doubles_first = true) \
  /* Bessel functions */ \
  X(special, j0, 1, singles, same, xsf, "Bessel function of the first kind of order 0.", \
    .cost = routine, .doubles_first = true) \
  X(special, j1, 1, singles, same, xsf, "Bessel function of the first kind of order 1.", \
    .cost = routine, .doubles_first = true) \
  X(special, y0, 1, singles, same, xsf, "Bessel function of the second kind of order 0.", \
    .cost = routine, .doubles_first = true) \
  X(special, y1, 1, singles, same, xsf, "Bessel function of the second kind of order 1.", \
    .cost = routine, .doubles_first = true) \
  X(special, i0, 1, singles, same, xsf, "Modified Bessel function of order 0.", \
    .doubles_first = true) \
  X(special, i0e, 1, singles, same, xsf, "exp(-abs(x)) * i0(x).", \
    .doubles_first = true) \
  X(special, i1, 1, singles, same, xsf, "Modified Bessel function of order 1.", \
    .doubles_first = true) \
  X(special, i1e, 1, singles, same, xsf, "exp(-abs(x)) * i1(x).", \
    .doubles_first = true) \
  X(special, k0, 1, singles, same, xsf, "Modified Bessel function of the second kind of order 0.", \
    .cost = routine, .doubles_first = true) \
  X(special, k0e, 1, singles, same, xsf, "exp(x) * k0(x).", \
    .cost = routine, .doubles_first = true) \
  X(special, k1, 1, singles, same, xsf, "Modified Bessel function of the second kind of order 1.", \
    .cost = routine, .doubles_first = true) \
  X(special, k1e, 1, singles, same, xsf, "exp(x) * k1(x).", \
    .cost = routine, .doubles_first = true) \
  X(special, jv, 2, analytic, same, xsf, "Bessel function of the first kind of a real order.", \
    .cost = routine, .takes = {parameter}) \
  X(special, jve, 2, analytic, same, xsf, "jv(v, z) * exp(-abs(z.imag)).", \
    .cost = routine, .takes = {parameter}) \
  X(special, yv, 2, analytic, same, xsf, "Bessel function of the second kind of a real order.", \
    .cost = routine, .takes = {parameter}) \
  X(special, yve, 2, analytic, same, xsf, "yv(v, z) * exp(-abs(z.imag)).", \
    .cost = routine, .takes = {parameter}) \
  X(special, yn, 2, singles, same, xsf, "Bessel function of the second kind of an integer order.", \
    .cost = routine, .of_orders = Op::yn_order) \
  X(internal, yn_order, 2, float64s, same, xsf, "yn of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, iv, 2, analytic, same, xsf, "Modified Bessel function of a real order.", \
    .cost = routine, .takes = {parameter}) \
  X(special, ive, 2, analytic, same, xsf, "iv(v, z) * exp(-abs(z.real)).", \
    .cost = routine, .takes = {parameter}) \
  X(special, kv, 2, analytic, same, xsf, "Modified Bessel function of the second kind of a real order.", \
    .cost = routine, .takes = {parameter}) \
  X(special, kve, 2, analytic, same, xsf, "kv(v, z) * exp(z).", \
    .cost = routine, .takes = {parameter}) \
  X(special, kn, 2, singles, same, xsf, "Modified Bessel function of the second kind of an integer order.", \
    .cost = routine, .of_orders = Op::kn_order) \
  X(internal, kn_order, 2, float64s, same, xsf, "kn of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, hankel1, 2, complexes, same, xsf, "Hankel function of the first kind.", \
    .cost = routine, .takes = {parameter}) \
  X(special, hankel1e, 2, complexes, same, xsf, "hankel1(v, z) * exp(-1j*z).", \
    .cost = routine, .takes = {parameter}) \
  X(special, hankel2, 2, complexes, same, xsf, "Hankel function of the second kind.", \
    .cost = routine, .takes = {parameter}) \
  X(special, hankel2e, 2, complexes, same, xsf, "hankel2(v, z) * exp(1j*z).", \
    .cost = routine, .takes = {parameter}) \
  X(special, wright_bessel, 3, singles, same, xsf, "Wright's generalised Bessel function of a, b and x.", \
    .cost = routine, .doubles_first = true) \
  X(special, log_wright_bessel, 3, singles, same, xsf, "Logarithm of wright_bessel.", \
    .cost = routine, .doubles_first = true) \
  X(special, besselpoly, 3, singles, same, xsf, "Weighted integral of a Bessel function: of x**lambda * jv(nu, 2*a*x) from 0 to 1.", \
    .cost = routine, .doubles_first = true) \
  X(special, struve, 2, singles, same, xsf, "The Struve function of order v.", \
    .cost = routine, .doubles_first = true) \
  X(special, modstruve, 2, singles, same, xsf, "The modified Struve function of order v.", \
    .cost = routine, .doubles_first = true) \
  X(special, itstruve0, 1, singles, same, xsf, "Integral of the Struve function of order 0.", \
    .cost = routine) \
  X(special, it2struve0, 1, singles, same, xsf, "Integral of the Struve function of order 0 over t, from x on.", \
    .cost = routine) \
  X(special, itmodstruve0, 1, singles, same, xsf, "Integral of the modified Struve function of order 0.", \
    .cost = routine) \
  /* Kelvin functions */ \
  X(special, ber, 1, singles, same, xsf, "Kelvin function ber.", \
    .cost = routine) \
  X(special, bei, 1, singles, same, xsf, "Kelvin function bei.", \
    .cost = routine) \
  X(special, berp, 1, singles, same, xsf, "Derivative of ber.", \
    .cost = routine) \
  X(special, beip, 1, singles, same, xsf, "Derivative of bei.", \
    .cost = routine) \
  X(special, ker, 1, singles, same, xsf, "Kelvin function ker.", \
    .cost = routine) \
  X(special, kei, 1, singles, same, xsf, "Kelvin function kei.", \
    .cost = routine) \
  X(special, kerp, 1, singles, same, xsf, "Derivative of ker.", \
    .cost = routine) \
  X(special, keip, 1, singles, same, xsf, "Derivative of kei.", \
    .cost = routine) \
  /* elliptic functions and integrals */ \
  X(special, ellipk, 1, singles, same, xsf, "Complete elliptic integral of the first kind.", \
    .cost = routine, .doubles_first = true) \
  X(special, ellipkm1, 1, singles, same, xsf, "ellipk(1 - p), accurate for small p.", \
    .cost = routine, .doubles_first = true) \
  X(special, ellipkinc, 2, singles, same, xsf, "Incomplete elliptic integral of the first kind of phi and m.", \
    .cost = routine, .doubles_first = true) \
  X(special, ellipe, 1, singles, same, xsf, "Complete elliptic integral of the second kind.", \
    .cost = routine, .doubles_first = true) \
  X(special, ellipeinc, 2, singles, same, xsf, "Incomplete elliptic integral of the second kind of phi and m.", \
    .cost = routine, .doubles_first = true) \
  X(special, elliprc, 2, analytic, same, scipy, "Degenerate symmetric elliptic integral RC.", \
    .cost = routine) \
  X(special, elliprd, 3, analytic, same, scipy, "Symmetric elliptic integral of the second kind, RD.", \
    .cost = routine) \
  X(special, elliprf, 3, analytic, same, scipy, "Completely symmetric elliptic integral of the first kind, RF.", \
    .cost = routine) \
  X(special, elliprg, 3, analytic, same, scipy, "Completely symmetric elliptic integral of the second kind, RG.", \
    .cost = routine) \
  X(special, elliprj, 4, analytic, same, scipy, "Symmetric elliptic integral of the third kind, RJ.", \
    .cost = routine) \
  X(special, agm, 2, singles, same, written, "The arithmetic-geometric mean.", \
    .cost = routine) \
  /* integrals */ \
  X(special, exp1, 1, analytic, same, xsf, "The exponential integral E1.", \
    .cost = routine) \
  X(special, expi, 1, analytic, same, xsf, "The exponential integral Ei.", \
    .cost = routine) \
  X(special, expn, 2, singles, same, xsf, "The generalised exponential integral En of an integer order.", \
    .cost = routine, .of_orders = Op::expn_order) \
  X(internal, expn_order, 2, float64s, same, xsf, "expn of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, spence, 1, analytic, same, written, "Spence's function, the dilogarithm of 1 - z.", \
    .cost = routine) \
  X(special, wrightomega, 1, analytic, same, scipy, "The Wright omega function, w + log(w) = z.", \
    .cost = routine) \
  /* hypergeometric functions */ \
  X(special, hyp0f1, 2, analytic, same, written, "The confluent hypergeometric limit function 0F1 of v and z.", \
    .cost = routine, .takes = {parameter}) \
  X(special, hyp1f1, 3, analytic, same, boost, "The confluent hypergeometric function 1F1 of a, b and x.", \
    .cost = routine, .takes = {parameter, parameter}) \
  X(special, hyp2f1, 4, analytic, same, xsf, "Gauss' hypergeometric function 2F1 of a, b, c and z.", \
    .cost = routine, .takes = {parameter, parameter, parameter}, .doubles_first = true) \
  X(special, hyperu, 3, singles, same, written, "The confluent hypergeometric function U of a, b and x.", \
    .cost = routine) \
  /* parabolic cylinder, Mathieu and spheroidal functions */ \
  X(special, mathieu_a, 2, singles, same, xsf, "Characteristic value of even Mathieu functions of m and q.", \
    .cost = routine) \
  X(special, mathieu_b, 2, singles, same, xsf, "Characteristic value of odd Mathieu functions of m and q.", \
    .cost = routine) \
  X(special, obl_cv, 3, singles, same, xsf, "Characteristic value of oblate spheroidal functions of m, n and c.", \
    .cost = routine) \
  X(special, pro_cv, 3, singles, same, xsf, "Characteristic value of prolate spheroidal functions of m, n and c.", \
    .cost = routine) \
  /* orthogonal polynomials */ \
  X(special, lpmv, 3, singles, same, xsf, "The associated Legendre function of integer order m and real degree v.", \
    .cost = routine) \
  X(special, eval_jacobi, 4, analytic, same, written, "The Jacobi polynomial of degree n with alpha and beta.", \
    .cost = routine, .takes = {parameter, parameter, parameter}, .of_orders = Op::eval_jacobi_order) \
  X(internal, eval_jacobi_order, 4, float64s, same, written, "eval_jacobi of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_sh_jacobi, 4, analytic, same, written, "The shifted Jacobi polynomial of degree n with p and q.", \
    .cost = routine, .takes = {parameter, parameter, parameter}, .of_orders = Op::eval_sh_jacobi_order) \
  X(internal, eval_sh_jacobi_order, 4, float64s, same, written, "eval_sh_jacobi of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_gegenbauer, 3, analytic, same, written, "The Gegenbauer polynomial of degree n with alpha.", \
    .cost = routine, .takes = {parameter, parameter}, .of_orders = Op::eval_gegenbauer_order) \
  X(internal, eval_gegenbauer_order, 3, float64s, same, written, "eval_gegenbauer of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_chebyt, 2, analytic, same, written, "The Chebyshev polynomial of the first kind of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_chebyt_order) \
  X(internal, eval_chebyt_order, 2, float64s, same, written, "eval_chebyt of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_chebyu, 2, analytic, same, written, "The Chebyshev polynomial of the second kind of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_chebyu_order) \
  X(internal, eval_chebyu_order, 2, float64s, same, written, "eval_chebyu of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_chebyc, 2, analytic, same, written, "The Chebyshev polynomial of the first kind of degree n on [-2, 2].", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_chebyc_order) \
  X(internal, eval_chebyc_order, 2, float64s, same, written, "eval_chebyc of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_chebys, 2, analytic, same, written, "The Chebyshev polynomial of the second kind of degree n on [-2, 2].", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_chebys_order) \
  X(internal, eval_chebys_order, 2, float64s, same, written, "eval_chebys of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_sh_chebyt, 2, analytic, same, written, "The shifted Chebyshev polynomial of the first kind of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_sh_chebyt_order) \
  X(internal, eval_sh_chebyt_order, 2, float64s, same, written, "eval_sh_chebyt of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_sh_chebyu, 2, analytic, same, written, "The shifted Chebyshev polynomial of the second kind of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_sh_chebyu_order) \
  X(internal, eval_sh_chebyu_order, 2, float64s, same, written, "eval_sh_chebyu of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_legendre, 2, analytic, same, written, "The Legendre polynomial of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_legendre_order) \
  X(internal, eval_legendre_order, 2, float64s, same, written, "eval_legendre of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_sh_legendre, 2, analytic, same, written, "The shifted Legendre polynomial of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_sh_legendre_order) \
  X(internal, eval_sh_legendre_order, 2, float64s, same, written, "eval_sh_legendre of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_genlaguerre, 3, analytic, same, written, "The generalised Laguerre polynomial of degree n with alpha.", \
    .cost = routine, .takes = {parameter, parameter}, .of_orders = Op::eval_genlaguerre_order) \
  X(internal, eval_genlaguerre_order, 3, float64s, same, written, "eval_genlaguerre of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_laguerre, 2, analytic, same, written, "The Laguerre polynomial of degree n.", \
    .cost = routine, .takes = {parameter}, .of_orders = Op::eval_laguerre_order) \
  X(internal, eval_laguerre_order, 2, float64s, same, written, "eval_laguerre of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_hermite, 2, float64s, same, written, "The physicists' Hermite polynomial of degree n.", \
    .cost = routine, .takes = {order}) \
  X(special, eval_hermitenorm, 2, float64s, same, written, "The probabilists' Hermite polynomial of degree n.", \
    .cost = routine, .takes = {order}) \
  /* distributions */ \
  X(special, bdtr, 3, singles, same, xsf, "Binomial distribution: up to k of n successes of probability p.", \
    .cost = routine, .of_orders = Op::bdtr_order, .orders_last = true) \
  X(internal, bdtr_order, 3, float64s, same, xsf, "bdtr of an integer.", \
    .cost = routine, .takes = {value, order}) \
  X(special, bdtrc, 3, singles, same, xsf, "Binomial distribution: more than k of n successes.", \
    .cost = routine, .of_orders = Op::bdtrc_order, .orders_last = true) \
  X(internal, bdtrc_order, 3, float64s, same, xsf, "bdtrc of an integer.", \
    .cost = routine, .takes = {value, order}) \
  X(special, bdtri, 3, singles, same, xsf, "Inverse of bdtr in p.", \
    .cost = routine, .of_orders = Op::bdtri_order, .orders_last = true) \
  X(internal, bdtri_order, 3, float64s, same, xsf, "bdtri of an integer.", \
    .cost = routine, .takes = {value, order}) \
  X(special, bdtrik, 3, singles, same, scipy, "Inverse of bdtr in k.", \
    .cost = routine) \
  X(special, bdtrin, 3, singles, same, scipy, "Inverse of bdtr in n.", \
    .cost = routine) \
  X(special, btdtria, 3, singles, same, boost, "Inverse of the beta distribution in a.", \
    .cost = routine) \
  X(special, btdtrib, 3, singles, same, boost, "Inverse of the beta distribution in b.", \
    .cost = routine) \
  X(special, chdtr, 2, singles, same, xsf, "Chi-square distribution of v and x.", \
    .cost = routine) \
  X(special, chdtrc, 2, singles, same, xsf, "Complement of chdtr.", \
    .cost = routine) \
  X(special, chdtri, 2, singles, same, xsf, "Inverse of chdtrc in x.", \
    .cost = routine) \
  X(special, chdtriv, 2, singles, same, boost, "Inverse of chdtr in v.", \
    .cost = routine) \
  X(special, chndtr, 3, singles, same, boost, "Non-central chi-square distribution of x, df and nc.", \
    .cost = routine) \
  X(special, chndtridf, 3, singles, same, boost, "Inverse of chndtr in df.", \
    .cost = routine) \
  X(special, chndtrinc, 3, singles, same, boost, "Inverse of chndtr in nc.", \
    .cost = routine) \
  X(special, chndtrix, 3, singles, same, boost, "Inverse of chndtr in x.", \
    .cost = routine) \
  X(special, fdtr, 3, singles, same, boost, "F distribution of dfn, dfd and x.", \
    .cost = routine) \
  X(special, fdtrc, 3, singles, same, boost, "Complement of fdtr.", \
    .cost = routine) \
  X(special, fdtri, 3, singles, same, boost, "Inverse of fdtr in x.", \
    .cost = routine) \
  X(special, fdtridfd, 3, singles, same, scipy, "Inverse of fdtr in dfd.", \
    .cost = routine) \
  X(special, gdtr, 3, singles, same, xsf, "Gamma distribution of rate a, shape b and x.", \
    .cost = routine) \
  X(special, gdtrc, 3, singles, same, xsf, "Complement of gdtr.", \
    .cost = routine) \
  X(special, gdtria, 3, singles, same, xsf, "Inverse of gdtr in a.", \
    .cost = routine) \
  X(special, gdtrib, 3, singles, same, xsf, "Inverse of gdtr in b.", \
    .cost = routine) \
  X(special, gdtrix, 3, singles, same, xsf, "Inverse of gdtr in x.", \
    .cost = routine) \
  X(special, kolmogorov, 1, singles, same, xsf, "Complement of the Kolmogorov distribution.", \
    .cost = routine) \
  X(special, kolmogi, 1, singles, same, xsf, "Inverse of kolmogorov.", \
    .cost = routine) \
  X(special, smirnov, 2, singles, same, xsf, "Complement of the Kolmogorov-Smirnov distribution of n.", \
    .cost = routine, .of_orders = Op::smirnov_order) \
  X(internal, smirnov_order, 2, float64s, same, xsf, "smirnov of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, smirnovi, 2, singles, same, xsf, "Inverse of smirnov.", \
    .cost = routine, .of_orders = Op::smirnovi_order) \
  X(internal, smirnovi_order, 2, float64s, same, xsf, "smirnovi of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, nbdtr, 3, singles, same, xsf, "Negative binomial distribution of k, n and p.", \
    .cost = routine, .of_orders = Op::nbdtr_order) \
  X(internal, nbdtr_order, 3, float64s, same, xsf, "nbdtr of an integer.", \
    .cost = routine, .takes = {order, order}) \
  X(special, nbdtrc, 3, singles, same, xsf, "Complement of nbdtr.", \
    .cost = routine, .of_orders = Op::nbdtrc_order) \
  X(internal, nbdtrc_order, 3, float64s, same, xsf, "nbdtrc of an integer.", \
    .cost = routine, .takes = {order, order}) \
  X(special, nbdtri, 3, singles, same, xsf, "Inverse of nbdtr in p.", \
    .cost = routine, .of_orders = Op::nbdtri_order) \
  X(internal, nbdtri_order, 3, float64s, same, xsf, "nbdtri of an integer.", \
    .cost = routine, .takes = {order, order}) \
  X(special, nbdtrik, 3, singles, same, scipy, "Inverse of nbdtr in k.", \
    .cost = routine) \
  X(special, nbdtrin, 3, singles, same, scipy, "Inverse of nbdtr in n.", \
    .cost = routine) \
  X(special, ncfdtr, 4, singles, same, boost, "Non-central F distribution of dfn, dfd, nc and f.", \
    .cost = routine) \
  X(special, ncfdtri, 4, singles, same, boost, "Inverse of ncfdtr in f.", \
    .cost = routine) \
  X(special, ncfdtridfd, 4, singles, same, scipy, "Inverse of ncfdtr in dfd.", \
    .cost = routine) \
  X(special, ncfdtridfn, 4, singles, same, scipy, "Inverse of ncfdtr in dfn.", \
    .cost = routine) \
  X(special, ncfdtrinc, 4, singles, same, scipy, "Inverse of ncfdtr in nc.", \
    .cost = routine) \
  X(special, nctdtr, 3, singles, same, boost, "Non-central t distribution of df, nc and t.", \
    .cost = routine) \
  X(special, nctdtridf, 3, singles, same, scipy, "Inverse of nctdtr in df.", \
    .cost = routine) \
  X(special, nctdtrinc, 3, singles, same, scipy, "Inverse of nctdtr in nc.", \
    .cost = routine) \
  X(special, nctdtrit, 3, singles, same, boost, "Inverse of nctdtr in t.", \
    .cost = routine) \
  X(special, nrdtrimn, 3, singles, same, scipy, "Mean of a normal distribution of p, std and x.", \
    .cost = routine) \
  X(special, nrdtrisd, 3, singles, same, scipy, "Standard deviation of a normal distribution of mean, p and x.", \
    .cost = routine) \
  X(special, pdtr, 2, singles, same, xsf, "Poisson distribution: up to k events of mean m.", \
    .cost = routine) \
  X(special, pdtrc, 2, singles, same, xsf, "Poisson distribution: more than k events.", \
    .cost = routine) \
  X(special, pdtri, 2, singles, same, xsf, "Inverse of pdtr in m.", \
    .cost = routine, .of_orders = Op::pdtri_order) \
  X(internal, pdtri_order, 2, float64s, same, xsf, "pdtri of an integer.", \
    .cost = routine, .takes = {order}) \
  X(special, pdtrik, 2, singles, same, boost, "Inverse of pdtr in k.", \
    .cost = routine) \
  X(special, stdtr, 2, singles, same, boost, "Student's t distribution of df and t.", \
    .cost = routine) \
  X(special, stdtridf, 2, singles, same, scipy, "Inverse of stdtr in df.", \
    .cost = routine) \
  X(special, stdtrit, 2, singles, same, boost, "Inverse of stdtr in t.", \
    .cost = routine) \
  X(special, tklmbda, 2, singles, same, xsf, "Tukey's lambda distribution of x and lambda.", \
    .cost = routine) \
  /* what functions in Python are made of */ \
  X(internal, zeta_of, 2, analytic, same, xsf, "Hurwitz' zeta function of x and q.", \
    .cost = routine, .takes = {value, parameter}) \
  X(internal, riemann_zeta, 1, analytic, same, xsf, "Riemann's zeta function.", \
    .cost = routine, .doubles_first = true) \
  X(internal, lambertw_of, 3, complexes, same, xsf, "Branch x2 of the Lambert W function, with the tolerance x3.", \
    .cost = routine, .takes = {value, order, parameter}, .doubles_first = true) \
  X(internal, spherical_j, 2, analytic, same, xsf, "Spherical Bessel function of the first kind.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_y, 2, analytic, same, xsf, "Spherical Bessel function of the second kind.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_i, 2, analytic, same, xsf, "Modified spherical Bessel function of the first kind.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_k, 2, analytic, same, xsf, "Modified spherical Bessel function of the second kind.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_j_slope, 2, analytic, same, xsf, "Derivative of spherical_j.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_y_slope, 2, analytic, same, xsf, "Derivative of spherical_y.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_i_slope, 2, analytic, same, xsf, "Derivative of spherical_i.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_k_slope, 2, analytic, same, xsf, "Derivative of spherical_k.", \
    .cost = routine, .takes = {order}, .doubles_first = true) \
  X(internal, spherical_harmonic, 4, float64s, pair, xsf, "The spherical harmonic of degree n and order m at polar angle theta and azimuth phi.", \
    .cost = routine, .takes = {order, order}) \
  X(internal, sinpi, 1, analytic, same, xsf, "sin(pi * x).", \
    .cost = routine) \
  X(internal, cospi, 1, analytic, same, xsf, "cos(pi * x).", \
    .cost = routine)

// Functions with several results: T(X, name, outputs, inputs, types, result, code, doc, facts...).
// Each result is a row, name_0, name_1 and so on: those of one call that a kernel wants are computed
// together.
#define HEDDLE_SPECIAL_TUPLES(T, X) \
  T(X, airy, 4, 1, analytic, same, xsf, "Airy functions Ai and Bi with their derivatives: Ai, Ai', Bi, Bi'.", \
    .cost = routine) \
  T(X, airye, 4, 1, analytic, same, xsf, "Exponentially scaled Airy functions and their derivatives.", \
    .cost = routine) \
  T(X, itairy, 4, 1, singles, same, xsf, "Integrals of Airy functions from 0 to x, and to -x.", \
    .cost = routine) \
  T(X, itj0y0, 2, 1, singles, same, xsf, "Integrals of j0 and y0 from 0 to x.", \
    .cost = routine) \
  T(X, it2j0y0, 2, 1, singles, same, xsf, "Integrals of (1 - j0(t))/t from 0 to x and of y0(t)/t from x on.", \
    .cost = routine) \
  T(X, iti0k0, 2, 1, singles, same, xsf, "Integrals of i0 and k0 from 0 to x.", \
    .cost = routine) \
  T(X, it2i0k0, 2, 1, singles, same, xsf, "Integrals of (i0(t) - 1)/t from 0 to x and of k0(t)/t from x on.", \
    .cost = routine) \
  T(X, kelvin, 4, 1, singles, pair, xsf, "Kelvin functions as complex numbers: Be, Ke, Be', Ke'.", \
    .cost = routine) \
  T(X, ellipj, 4, 2, singles, same, xsf, "Jacobi's elliptic functions of u and m: sn, cn, dn and the amplitude.", \
    .cost = routine, .doubles_first = true) \
  T(X, sici, 2, 1, analytic, same, xsf, "Sine and cosine integrals.", \
    .cost = routine) \
  T(X, shichi, 2, 1, analytic, same, xsf, "Hyperbolic sine and cosine integrals.", \
    .cost = routine) \
  T(X, fresnel, 2, 1, analytic, same, xsf, "Fresnel integrals, of the sine and of the cosine.", \
    .cost = routine, .doubles_first = true) \
  T(X, modfresnelp, 2, 1, singles, pair, xsf, "Modified Fresnel positive integrals.", \
    .cost = routine) \
  T(X, modfresnelm, 2, 1, singles, pair, xsf, "Modified Fresnel negative integrals.", \
    .cost = routine) \
  T(X, pbdv, 2, 2, singles, same, xsf, "The parabolic cylinder function D and its derivative.", \
    .cost = routine) \
  T(X, pbvv, 2, 2, singles, same, xsf, "The parabolic cylinder function V and its derivative.", \
    .cost = routine) \
  T(X, pbwa, 2, 2, singles, same, xsf, "The parabolic cylinder function W and its derivative.", \
    .cost = routine) \
  T(X, mathieu_cem, 2, 3, singles, same, xsf, "The even Mathieu function and its derivative.", \
    .cost = routine) \
  T(X, mathieu_sem, 2, 3, singles, same, xsf, "The odd Mathieu function and its derivative.", \
    .cost = routine) \
  T(X, mathieu_modcem1, 2, 3, singles, same, xsf, "The even modified Mathieu function of the first kind and its derivative.", \
    .cost = routine) \
  T(X, mathieu_modcem2, 2, 3, singles, same, xsf, "The even modified Mathieu function of the second kind and its derivative.", \
    .cost = routine) \
  T(X, mathieu_modsem1, 2, 3, singles, same, xsf, "The odd modified Mathieu function of the first kind and its derivative.", \
    .cost = routine) \
  T(X, mathieu_modsem2, 2, 3, singles, same, xsf, "The odd modified Mathieu function of the second kind and its derivative.", \
    .cost = routine) \
  T(X, obl_ang1, 2, 4, singles, same, xsf, "The oblate spheroidal angular function and its derivative.", \
    .cost = routine) \
  T(X, obl_ang1_cv, 2, 5, singles, same, xsf, "obl_ang1 with the characteristic value.", \
    .cost = routine) \
  T(X, obl_rad1, 2, 4, singles, same, xsf, "The oblate spheroidal radial function of the first kind and its derivative.", \
    .cost = routine) \
  T(X, obl_rad1_cv, 2, 5, singles, same, xsf, "obl_rad1 with the characteristic value.", \
    .cost = routine) \
  T(X, obl_rad2, 2, 4, singles, same, xsf, "The oblate spheroidal radial function of the second kind and its derivative.", \
    .cost = routine) \
  T(X, obl_rad2_cv, 2, 5, singles, same, xsf, "obl_rad2 with the characteristic value.", \
    .cost = routine) \
  T(X, pro_ang1, 2, 4, singles, same, xsf, "The prolate spheroidal angular function and its derivative.", \
    .cost = routine) \
  T(X, pro_ang1_cv, 2, 5, singles, same, xsf, "pro_ang1 with the characteristic value.", \
    .cost = routine) \
  T(X, pro_rad1, 2, 4, singles, same, xsf, "The prolate spheroidal radial function of the first kind and its derivative.", \
    .cost = routine) \
  T(X, pro_rad1_cv, 2, 5, singles, same, xsf, "pro_rad1 with the characteristic value.", \
    .cost = routine) \
  T(X, pro_rad2, 2, 4, singles, same, xsf, "The prolate spheroidal radial function of the second kind and its derivative.", \
    .cost = routine) \
  T(X, pro_rad2_cv, 2, 5, singles, same, xsf, "pro_rad2 with the characteristic value.", \
    .cost = routine)

#define HEDDLE_ROWS_OF_TUPLE(X, name, outputs, ...) HEDDLE_ROWS_##outputs(X, name, outputs, __VA_ARGS__)
#define HEDDLE_ROWS_2(X, name, outputs, ...) \
  HEDDLE_ROW_OF_TUPLE(X, name, outputs, 0, __VA_ARGS__) HEDDLE_ROW_OF_TUPLE(X, name, outputs, 1, __VA_ARGS__)
#define HEDDLE_ROWS_4(X, name, outputs, ...) \
  HEDDLE_ROWS_2(X, name, outputs, __VA_ARGS__) \
  HEDDLE_ROW_OF_TUPLE(X, name, outputs, 2, __VA_ARGS__) HEDDLE_ROW_OF_TUPLE(X, name, outputs, 3, __VA_ARGS__)
#define HEDDLE_ROW_OF_TUPLE(X, name, outputs_, number, inputs, types, result, code, doc, ...) \
  X(internal, name##_##number, inputs, types, result, code, doc, __VA_ARGS__, \
    .function = #name, .output = number, .outputs = outputs_)

// Second names: X(alias, op).
#define HEDDLE_SPECIAL_ALIASES(X) \
  X(jn, jv) \
  X(psi, digamma)
// clang-format on
