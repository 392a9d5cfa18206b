// Special functions that are composed of element-wise ones: derivatives of Bessel functions,
// spherical ones, and relatives of the gamma function.
#include <heddle/special.h>

#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>

namespace heddle::special {

namespace {

array inexact(const array& x) { return as_type(x, inexact_type(x.dtype())); }

// By the formula of derivatives of orders v - n ... v + n (DLMF 10.6.7, 10.29.5).
array derivative_of(Op function, const array& v, const array& z, std::int64_t n, double phase,
                    double sign = 1) {
  if (n < 0) throw value_error("n must be a non-negative integer.");
  if (n == 0) return apply(function, v, z);
  array order = v;
  order.set_weak(false);  // as SciPy has it, whose orders are arrays
  array total = apply(function, order - n, z);
  double coefficient = 1;
  for (std::int64_t i = 1; i <= n; ++i) {
    coefficient = phase * coefficient * static_cast<double>(n - i + 1) / static_cast<double>(i);
    total = total + coefficient * apply(function, order - n + i * 2, z);
  }
  return std::pow(sign, n) * total / std::pow(2.0, n);
}

struct Spherical {
  Op value, slope;
  bool is_odd;  // where its order is even
};

array spherical(const Spherical& kind, const array& n, const array& z, bool derivative) {
  const array order = as_type(n, Dtype::int64);
  const Op function = derivative ? kind.slope : kind.value;
  if (is_complex(z.dtype())) return apply(function, order, z);
  // Even or odd (DLMF 10.47.v).
  const array odd = (order % 2 == 1) ^ (kind.is_odd != derivative);
  const array made = apply(function, order, absolute(z));
  return where(odd & (z < 0), -made, made);
}

}  // namespace

array jvp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::jv, v, z, n, -1);
}
array yvp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::yv, v, z, n, -1);
}
array ivp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::iv, v, z, n, 1);
}
array kvp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::kv, v, z, n, 1, -1);
}
array h1vp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::hankel1, v, z, n, -1);
}
array h2vp(const array& v, const array& z, std::int64_t n) {
  return derivative_of(Op::hankel2, v, z, n, -1);
}

array spherical_jn(const array& n, const array& z, bool derivative) {
  return spherical({Op::spherical_j, Op::spherical_j_slope, false}, n, z, derivative);
}
array spherical_yn(const array& n, const array& z, bool derivative) {
  return spherical({Op::spherical_y, Op::spherical_y_slope, true}, n, z, derivative);
}
array spherical_in(const array& n, const array& z, bool derivative) {
  return spherical({Op::spherical_i, Op::spherical_i_slope, false}, n, z, derivative);
}

array spherical_kn(const array& n, const array& z, bool derivative) {
  const array order = as_type(n, Dtype::int64);
  const Op function = derivative ? Op::spherical_k_slope : Op::spherical_k;
  array made = apply(function, order, z);
  if (is_complex(z.dtype())) return made;
  // Its real part on the other side.
  const array turned = apply(function, order, z + Scalar(std::complex<double>(0)));
  return where(z < 0, real(turned), made);
}

array sph_harm_y(const array& n, const array& m, const array& theta, const array& phi) {
  if (is_inexact(n.dtype()) || is_inexact(m.dtype())) {
    throw type_error("sph_harm_y: the degree and the order are whole numbers");
  }
  const array operands[] = {n, m, theta, phi};
  return apply(Op::spherical_harmonic, operands);
}

// --- relatives of the gamma function ---

array zeta(const array& x) { return apply(Op::riemann_zeta, x); }
array zeta(const array& x, const array& q) { return apply(Op::zeta_of, x, q); }

array polygamma(const array& order, const array& x) {
  const array n = is_inexact(order.dtype()) ? order : as_type(order, Dtype::float64);
  const array made = power(Scalar(-1.0), n + 1) * gamma(n + 1) * zeta(n + 1, x);
  return where(n == 0, digamma(x), made);
}

array multigammaln(const array& given, std::int64_t d) {
  const array a = as_type(given, Dtype::float64);  // as SciPy's constant term makes it
  const auto dimension = static_cast<double>(d);
  const double bound = 0.5 * (dimension - 1);
  if (any(a <= bound).item<bool>()) {
    throw value_error(fmt::format("condition a > 0.5 * (d-1) ({:f}) not met", bound));
  }
  const array halves = to_device(arange(d, a.dtype()), a.device()) / 2;
  const array total = sum(gammaln(expand_dims(a, -1) - halves), -1);
  return total + dimension * (dimension - 1) * 0.25 * std::log(std::numbers::pi);
}

array lambertw(const array& z, const array& k, double tolerance) {
  const array operands[] = {z, as_type(k, Dtype::int64), array(Scalar(tolerance))};
  return apply(Op::lambertw_of, operands);
}

// --- counting ---

array comb(const array& n, const array& k, bool repetition) {
  if (repetition) return where((k == 0) & (n >= 0), Scalar(1.0), binom(n + k - 1, k));
  return where((k <= n) & (n >= 0) & (k >= 0), binom(n, k), Scalar(0.0));
}

array perm(const array& n, const array& k) {
  return where((k <= n) & (n >= 0) & (k >= 0), poch(n - k + 1, k), Scalar(0.0));
}

namespace {

// n (n - k) (n - 2k) ... in float64, and 0 where n is negative.
array product_down(const array& n, double k) {
  if (n.size() == 0) return n;
  const array x = inexact(n);
  if (k == 1) return where(x < 0, Scalar(0.0), as_type(gamma(x + 1), Dtype::float64));
  const array rest = x % k;
  const array corrected = power(Scalar(k), -rest / k) / gamma(rest / k + 1) * rest;
  const array made =
      power(Scalar(k), x / k) * gamma(x / k + 1) * where(rest == 0, Scalar(1.0), corrected);
  return where(x < 0, Scalar(0.0), as_type(made, Dtype::float64));
}

// gamma(x + 1), and nan where that of a real number is infinite: at -1.
array gamma1p(const array& x) {
  const array made = gamma(x + 1);
  return is_complex(x.dtype()) ? made : where(x == -1, Scalar(std::nan("")), made);
}

array product_of_gammas(const array& n, Scalar k) {
  const array x = inexact(n);
  if (k.kind() != Scalar::Kind::complex && k.real() == 1) return gamma1p(x);
  const bool is_complex_step = k.kind() == Scalar::Kind::complex;
  const std::complex<double> step(k.real(), k.imag());
  const Scalar inverse = is_complex_step ? Scalar(1.0 / step) : Scalar(1.0 / k.real());
  // Powers of negative numbers are complex.
  const bool turning = is_complex_step || k.real() < 0;
  const array base = array(turning ? Scalar(step) : Scalar(k.real()));
  const array factor = rgamma(array(inverse) + 1) / power(base, inverse);
  const array powers = power(turning ? base : as_type(base, x.dtype()), x / k);
  return powers * gamma1p(x / k) * (turning ? factor : as_type(factor, x.dtype()));
}

array multifactorial(const char* name, const array& n, Scalar k, Extend extend) {
  if (n.dtype() == Dtype::bool_) {
    throw value_error(fmt::format("Unsupported data type for `n` in {}: bool", name));
  }
  if (k.real() == 0 && k.imag() == 0) throw value_error("Parameter k cannot be zero!");
  if (extend == Extend::complex) return product_of_gammas(n, k);
  if (k.kind() != Scalar::Kind::integer || k.integer() < 1) {
    throw value_error(
        fmt::format("{}: the step of a product that ends at zero is a positive "
                    "whole number: Extend::complex",
                    name));
  }
  return product_down(n, k.real());
}

}  // namespace

array factorial(const array& n, Extend extend) {
  if (extend == Extend::zero && is_complex(n.dtype())) {
    throw value_error("factorial: complex numbers have none that ends at zero: Extend::complex");
  }
  return multifactorial("factorial", n, Scalar(1), extend);
}

array factorial2(const array& n, Extend extend) { return factorialk(n, Scalar(2), extend); }

array factorialk(const array& n, Scalar k, Extend extend) {
  if (extend == Extend::zero && is_inexact(n.dtype())) {
    throw value_error(
        "factorialk: numbers that are not whole have no product that ends at zero: "
        "Extend::complex");
  }
  return multifactorial("factorialk", n, k, extend);
}

array diric(const array& given, const array& count) {
  const array x = inexact(given), n = as_type(count, x.dtype());
  const array half = x / 2, low = sin(half);
  const array at_turn = absolute(low) < (x.dtype() == Dtype::float64 ? 1e-7 : 1e-3);
  const array turns = heddle::round(x / (2 * std::numbers::pi));
  const array made = sin(n * half) / (n * where(at_turn, Scalar(1.0), low));
  const array whole = where(at_turn, apply(Op::cospi, (n - 1) * turns), made);
  return where((n > 0) & (n == floor(n)), whole, Scalar(std::nan("")));
}

}  // namespace heddle::special
