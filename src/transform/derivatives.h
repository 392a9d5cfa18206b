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
// Operations without a row have no derivative.
#pragma once

// clang-format off
#define HEDDLE_DERIVATIVES(D) \
  D(add,            same, same) \
  D(subtract,       same, negated) \
  D(multiply,       times_y(y), times_x(x)) \
  D(divide,         times_y(reciprocal(y)), times_yz(-z / y)) \
  D(gated,          times_y(y), times_x(x)) \
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
  D(erf,            times_x(exp(-(x * x)) * M_2_SQRTPI)) \
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
// clang-format on
