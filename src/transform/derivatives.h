// The derivatives of element-wise operations: a row for a row of the op table.
//
// D(op, with respect to x[, to y[, to the third, and so on]])
//
// x, y and w are the operands, z is the result. A derivative is one of
//   times_OF(f)    f of what OF names. The cotangent is multiplied by it, and stays 0 where it is
//                  0: a branch that was not taken has no part in the result, whatever its slope
//   same, negated  the cotangent itself
//   flat           zero: it is a step function there, or the operand a whole number or a truth
//   as_OF(f)       an expression of the cotangent g, for those that are not holomorphic
//   unknown        there is one, but nothing here that computes it: an error where it is wanted
// Operations without a row have no derivative.
#pragma once

// clang-format off
#define HEDDLE_DERIVATIVES(D) \
  D(add,            same, same) \
  D(subtract,       same, negated) \
  D(multiply,       times_y(y), times_x(x)) \
  D(divide,         times_y(reciprocal(y)), times_yz(-z / y)) \
  D(gated,          times_y(y), as_x(gated(x, g))) \
  D(floor_divide,   flat, flat) \
  D(remainder,      same, times_xy(-floor_divide(x, y))) \
  D(fmod,           same, times_xy(-trunc(x / y))) \
  D(power,          times_xy(slope_of_power(x, y)), times_xz(z * log(or_one(x)))) \
  D(float_power,    times_xy(slope_of_power(x, y)), times_xz(z * log(or_one(x)))) \
  D(negative,       negated) \
  D(positive,       same) \
  D(absolute,       as_x(is_complex(x.dtype()) ? gated(cast(g, x.dtype()), conjugate(sign(x))) : gated(g, sign(x)))) \
  D(fabs,           times_x(sign(x))) \
  D(sign,           as_x(slope_of_sign(g, x))) \
  D(square,         times_x(x + x)) \
  D(reciprocal,     times_z(-(z * z))) \
  D(sqrt,           times_z(0.5 / z)) \
  D(cbrt,           times_z(1 / (3 * (z * z)))) \
  D(conjugate,      as_none(conjugate(g))) \
  D(exp,            times_z(z)) \
  D(exp2,           times_z(z * M_LN2)) \
  D(expm1,          times_z(z + 1)) \
  D(log,            times_x(reciprocal(x))) \
  D(log2,           times_x(1 / (x * M_LN2))) \
  D(log10,          times_x(1 / (x * M_LN10))) \
  D(log1p,          times_x(1 / (x + 1))) \
  D(logaddexp,      times_xz(exp(difference(x, z))), times_yz(exp(difference(y, z)))) \
  D(logaddexp2,     times_xz(exp2(difference(x, z))), times_yz(exp2(difference(y, z)))) \
  D(sin,            times_x(cos(x))) \
  D(cos,            times_x(-sin(x))) \
  D(tan,            times_z(z * z + 1)) \
  D(arcsin,         times_x(1 / sqrt(1 - x * x))) \
  D(arccos,         times_x(-1 / sqrt(1 - x * x))) \
  D(arctan,         times_x(1 / (x * x + 1))) \
  D(sinh,           times_x(cosh(x))) \
  D(cosh,           times_x(sinh(x))) \
  D(tanh,           times_z((1 - z) * (1 + z))) \
  D(arcsinh,        times_x(1 / sqrt(x * x + 1))) \
  D(arccosh,        times_x(1 / (sqrt(x - 1) * sqrt(x + 1)))) \
  D(arctanh,        times_x(1 / ((1 - x) * (1 + x)))) \
  D(arctan2,        times_xy(y / (x * x + y * y)), times_xy(-x / (x * x + y * y))) \
  D(hypot,          times_xz(x / or_one(z)), times_yz(y / or_one(z))) \
  D(deg2rad,        as_none(deg2rad(g))) \
  D(rad2deg,        as_none(rad2deg(g))) \
  D(maximum,        times_xy(share(x > y, x == y, x.dtype())), times_xy(share(y > x, x == y, x.dtype()))) \
  D(minimum,        times_xy(share(x < y, x == y, x.dtype())), times_xy(share(y < x, x == y, x.dtype()))) \
  D(fmax,           times_xy(share((x > y) | isnan(y), x == y, x.dtype())), times_xy(share((y > x) | isnan(x), x == y, x.dtype()))) \
  D(fmin,           times_xy(share((x < y) | isnan(y), x == y, x.dtype())), times_xy(share((y < x) | isnan(x), x == y, x.dtype()))) \
  D(copysign,       times_xy(copysign(sign(x), y) * sign(x)), flat) \
  D(floor,          flat) \
  D(ceil,           flat) \
  D(trunc,          flat) \
  D(rint,           flat) \
  D(heaviside,      flat, times_x(cast(x == 0, x.dtype()))) \
  D(ldexp,          as_y(ldexp(g, y)), flat) \
  D(cast,           as_none(g)) \
  D(select,         flat, as_x(where(x, g, Scalar(0))), as_x(where(x, Scalar(0), g))) \
  D(real,           as_none(g)) \
  D(imag,           as_none(-imaginary(g))) \
  D(make_complex,   as_none(real(g)), as_none(-imag(g))) \
  HEDDLE_SPECIAL_DERIVATIVES(D) \
  D(modf_fraction,  same) \
  D(modf_integer,   flat) \
  D(frexp_mantissa, times_xz(z / or_one(x))) \
  D(nextafter,      same, flat) \
  D(poisson_quantile,        flat, flat) \
  D(binomial_quantile,       flat, flat, flat) \
  D(hypergeometric_quantile, flat, flat, flat, flat) \
  D(gamma_deviate,           flat, flat, times_wz(gamma_slope(w, z))) \
  D(poisson_deviate,         flat, flat, flat) \
  D(binomial_deviate,        flat, flat, flat, flat) \
  D(hypergeometric_deviate,  flat, flat, flat, flat, flat) \
  D(zipf_deviate,            flat, flat, flat) \
  D(logseries_deviate,       flat, flat, flat) \
  D(reported,       same, flat, flat) \
  D(stopped,        flat)

#define HEDDLE_SPECIAL_DERIVATIVES(D) \
  D(erf,            times_x(exp(-(x * x)) * M_2_SQRTPI)) \
  D(erfc,           times_x(exp(-(x * x)) * -M_2_SQRTPI)) \
  D(erfcx,          times_xz(2 * x * z - M_2_SQRTPI)) \
  D(erfi,           times_x(exp(x * x) * M_2_SQRTPI)) \
  D(erfinv,         times_z(exp(z * z) * (1 / M_2_SQRTPI))) \
  D(erfcinv,        times_z(exp(z * z) * (-1 / M_2_SQRTPI))) \
  D(dawsn,          times_xz(1 - 2 * x * z)) \
  D(ndtr,           times_x(exp(x * x * -0.5) * normal_density)) \
  D(log_ndtr,       times_xz(exp(x * x * -0.5 - z) * normal_density)) \
  D(ndtri,          times_z(exp(z * z * 0.5) * (1 / normal_density))) \
  D(gamma,          times_xz(z * special::digamma(x))) \
  D(gammaln,        times_x(special::digamma(x))) \
  D(loggamma,       times_x(special::digamma(x))) \
  D(rgamma,         times_xz(-z * special::digamma(x))) \
  D(digamma,        times_x(trigamma(x))) \
  D(beta,           as_xy(gated(g, special::beta(x, y) * (special::digamma(x) - special::digamma(x + y)))), \
                    as_xy(gated(g, special::beta(x, y) * (special::digamma(y) - special::digamma(x + y))))) \
  D(betaln,         times_xy(special::digamma(x) - special::digamma(x + y)), times_xy(special::digamma(y) - special::digamma(x + y))) \
  D(gammainc,       times_xy(incomplete_slope(x, y)), times_xy(exp((x - 1) * log(y) - y - special::gammaln(x)))) \
  D(gammaincc,      times_xy(-incomplete_slope(x, y)), times_xy(-exp((x - 1) * log(y) - y - special::gammaln(x)))) \
  D(expit,          times_z(z * (1 - z))) \
  D(log_expit,      times_x(special::expit(-x))) \
  D(logit,          times_x(1 / (x * (1 - x)))) \
  D(exp10,          times_z(z * M_LN10)) \
  D(exprel,         times_xz(where(x == 0, Scalar(0.5), (exp(x) - z) / or_one(x)))) \
  D(xlogy,          times_y(log(y)), times_xy(x / y)) \
  D(xlog1py,        times_y(log1p(y)), times_xy(x / (y + 1))) \
  D(entr,           times_x(-(log(x) + 1))) \
  D(rel_entr,       times_xy(log(x / y) + 1), times_xy(-x / y)) \
  D(kl_div,         times_xy(log(x / y)), times_xy(1 - x / y)) \
  D(huber,          times_xy(where(absolute(y) <= x, Scalar(0), absolute(y) - x)), times_xy(where(absolute(y) <= x, y, x * sign(y)))) \
  D(pseudo_huber,   times_xy(2 * x * (bend(x, y) - 1) - y * y / (x * bend(x, y))), times_xy(y / bend(x, y))) \
  D(boxcox,         times_xy(power(x, y - 1)), times_xy(boxcox_slope(x, y))) \
  D(cosm1,          times_x(-sin(x))) \
  D(sinpi,          times_x(apply(Op::cospi, x) * M_PI)) \
  D(cospi,          times_x(apply(Op::sinpi, x) * -M_PI)) \
  D(j0,             times_x(-special::j1(x))) \
  D(j1,             times_xz(where(x == 0, Scalar(0.5), special::j0(x) - z / or_one(x)))) \
  D(y0,             times_x(-special::y1(x))) \
  D(y1,             times_xz(special::y0(x) - z / x)) \
  D(i0,             times_x(special::i1(x))) \
  D(i1,             times_xz(where(x == 0, Scalar(0.5), special::i0(x) - z / or_one(x)))) \
  D(i0e,            times_xz(special::i1e(x) - sign(x) * z)) \
  D(i1e,            times_xz(where(x == 0, Scalar(0.5), special::i0e(x) - z * (sign(x) + 1 / or_one(x))))) \
  D(k0,             times_x(-special::k1(x))) \
  D(k1,             times_xz(-special::k0(x) - z / x)) \
  D(k0e,            times_xz(z - special::k1e(x))) \
  D(k1e,            times_xz(z - special::k0e(x) - z / x)) \
  D(jv,             unknown, times_xy((special::jv(x - 1, y) - special::jv(x + 1, y)) * 0.5)) \
  D(yv,             unknown, times_xy((special::yv(x - 1, y) - special::yv(x + 1, y)) * 0.5)) \
  D(iv,             unknown, times_xy((special::iv(x - 1, y) + special::iv(x + 1, y)) * 0.5)) \
  D(kv,             unknown, times_xy((special::kv(x - 1, y) + special::kv(x + 1, y)) * -0.5)) \
  D(airy_0,         times_x(apply(Op::airy_1, x))) \
  D(airy_1,         times_x(x * apply(Op::airy_0, x))) \
  D(airy_2,         times_x(apply(Op::airy_3, x))) \
  D(airy_3,         times_x(x * apply(Op::airy_2, x))) \
  D(ellipk,         times_xz((z - difference_of_integrals(x)) / (2 * (1 - x)))) \
  D(ellipe,         times_x(difference_of_integrals(x) * -0.5)) \
  D(exp1,           times_x(-exp(-x) / x)) \
  D(expi,           times_x(exp(x) / x)) \
  D(sici_0,         times_x(where(x == 0, Scalar(1), sin(x) / or_one(x)))) \
  D(sici_1,         times_x(cos(x) / x)) \
  D(shichi_0,       times_x(where(x == 0, Scalar(1), sinh(x) / or_one(x)))) \
  D(shichi_1,       times_x(cosh(x) / x)) \
  D(fresnel_0,      times_x(sin(x * x * M_PI_2))) \
  D(fresnel_1,      times_x(cos(x * x * M_PI_2))) \
  D(spence,         times_x(where(x == 1, Scalar(-1), log(x) / or_one(1 - x)))) \
  D(lambertw_of,    times_xz(z / (x * (z + 1))), flat, flat) \
  D(zeta_of,        unknown, times_xy(-x * apply(Op::zeta_of, x + 1, y))) \
  D(betainc,        unknown, unknown, times_xyw(beta_density(x, y, w))) \
  D(betaincc,       unknown, unknown, times_xyw(-beta_density(x, y, w))) \
  D(chdtr,          unknown, times_xy(chi_square_density(x, y))) \
  D(chdtrc,         unknown, times_xy(-chi_square_density(x, y))) \
  D(stdtr,          unknown, times_xy(student_density(x, y))) \
  D(hyp1f1,         unknown, unknown, times_xyw(x / y * apply_all(Op::hyp1f1, {x + 1, y + 1, w}))) \
  D(kve,            unknown, as_xyz(gated(g, z - (special::kve(x - 1, y) + special::kve(x + 1, y)) * 0.5))) \
  D(sindg,          times_x(special::cosdg(x) * (M_PI / 180))) \
  D(cosdg,          times_x(special::sindg(x) * (-M_PI / 180))) \
  D(spherical_j,    flat, times_xy(apply(Op::spherical_j_slope, x, y))) \
  D(spherical_y,    flat, times_xy(apply(Op::spherical_y_slope, x, y))) \
  D(spherical_i,    flat, times_xy(apply(Op::spherical_i_slope, x, y))) \
  D(spherical_k,    flat, times_xy(apply(Op::spherical_k_slope, x, y))) \
  D(eval_chebyt_order,   flat, times_xy(of_degree(x, y) * special::eval_chebyu(maximum(x - 1, 0), y))) \
  D(eval_legendre_order, flat, times_xy(where(x <= 0, Scalar(0), (of_degree(x, y) + 1) * 0.5 * apply_all(Op::eval_jacobi, {maximum(x - 1, 0), array(1.0), array(1.0), y})))) \
  D(eval_laguerre_order, flat, times_xy(where(x <= 0, Scalar(0), -apply_all(Op::eval_genlaguerre, {maximum(x - 1, 0), array(1.0), y})))) \
  D(eval_hermite,        flat, times_xy(of_degree(x, y) * 2 * special::eval_hermite(maximum(x - 1, 0), y))) \
  D(eval_hermitenorm,    flat, times_xy(of_degree(x, y) * special::eval_hermitenorm(maximum(x - 1, 0), y)))
// clang-format on
