// Loops over the lanes of one vector for operations that have no vector instructions: the C
// library's scalar functions, complex functions as NumPy defines them, and integer algorithms.
#include "kernel/runtime_math.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace {

using std::int64_t;

template <class T, class F>
void loop(T* out, const T* x, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i]);
}

template <class T, class F>
void loop(T* out, const T* x, const T* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i], y[i]);
}

template <class T, class F>
void complex_loop(T* out, const T* x, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) {
    const std::complex<T> r = f(std::complex<T>(x[i], x[n + i]));
    out[i] = r.real();
    out[n + i] = r.imag();
  }
}

// --- complex functions ---------------------------------------------------------------------------

template <class T>
struct ComplexMath {
  using C = std::complex<T>;
  static constexpr T ln2 = T(0.693147180559945309417232121458176568L);
  static constexpr T log2e = T(1.442695040888963407359924681001892137L);
  static constexpr T log10e = T(0.434294481903251827651128918916605082L);

  static C sqrt(C x) { return std::sqrt(x); }
  static C exp(C x) { return std::exp(x); }
  static C exp2(C x) { return std::exp(C(x.real() * ln2, x.imag() * ln2)); }
  static C expm1(C x) {
    const T a = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * a * a,
            std::exp(x.real()) * std::sin(x.imag())};
  }
  static C log(C x) { return std::log(x); }
  static C log2(C x) { return scaled(std::log(x), log2e); }
  static C log10(C x) { return scaled(std::log(x), log10e); }
  static C log1p(C x) {
    return {std::log(std::hypot(x.real() + 1, x.imag())), std::atan2(x.imag(), x.real() + 1)};
  }
  static C sin(C x) { return std::sin(x); }
  static C cos(C x) { return std::cos(x); }
  static C tan(C x) { return std::tan(x); }
  static C arcsin(C x) { return std::asin(x); }
  static C arccos(C x) { return std::acos(x); }
  static C arctan(C x) { return std::atan(x); }
  static C sinh(C x) { return std::sinh(x); }
  static C cosh(C x) { return std::cosh(x); }
  static C tanh(C x) { return std::tanh(x); }
  static C arcsinh(C x) { return std::asinh(x); }
  static C arccosh(C x) { return std::acosh(x); }
  static C arctanh(C x) { return std::atanh(x); }

  static C scaled(C x, T by) { return {x.real() * by, x.imag() * by}; }
  static C multiply(C x, C y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
  // Smith's algorithm, as the divide of kernels.
  static C reciprocal(C x) {
    if (std::abs(x.real()) >= std::abs(x.imag())) {
      if (x.real() == 0 && x.imag() == 0) return {1 / std::abs(x.real()), 0 / std::abs(x.real())};
      const T ratio = x.imag() / x.real();
      const T scale = 1 / (x.real() + x.imag() * ratio);
      return {scale, (0 - ratio) * scale};
    }
    const T ratio = x.real() / x.imag();
    const T scale = 1 / (x.imag() + x.real() * ratio);
    return {(ratio + 0) * scale, -scale};
  }

  // NumPy's: small whole exponents by repeated multiplication, exact where the product is.
  static C power(C x, C y) {
    if (y.real() == 0 && y.imag() == 0) return {1, 0};
    if (x.real() == 0 && x.imag() == 0) {
      if (y.real() > 0) return {0, 0};
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      return {nan, nan};
    }
    const bool is_small = y.imag() == 0 && y.real() > -100 && y.real() < 100;
    if (!is_small || y.real() != std::trunc(y.real())) return std::pow(x, y);
    const int whole = static_cast<int>(y.real());
    if (whole == 1) return x;
    if (whole == 2) return multiply(x, x);
    if (whole == 3) return multiply(x, multiply(x, x));
    const int n = std::abs(whole);
    C result(1, 0);
    C factor = x;
    for (int mask = 1;;) {
      if ((n & mask) != 0) result = multiply(result, factor);
      mask <<= 1;
      if (n < mask) break;
      factor = multiply(factor, factor);
    }
    return whole < 0 ? reciprocal(result) : result;
  }
};

// --- integers ------------------------------------------------------------------------------------

// Arithmetic in the unsigned type wraps where the signed one would be undefined; small types are
// computed in 32 bits so that promotion to int cannot overflow.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;

template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    // NumPy refuses these before any kernel runs.
    if (exponent < 0) return base == 1 ? T(1) : base == -1 ? T((exponent & 1) != 0 ? -1 : 1) : T(0);
  }
  auto factor = static_cast<Wrapping<T>>(base);
  auto bits = static_cast<Wrapping<T>>(exponent);
  Wrapping<T> result = 1;
  while (bits != 0) {
    const auto chosen = Wrapping<T>{0} - (bits & 1U);  // no branch: bits are hard to predict
    result *= (factor & chosen) | (~chosen & 1U);
    factor *= factor;
    bits >>= 1;
  }
  return static_cast<T>(result);
}

// Many at once, one bit of all exponents after the other: vectors, where they can multiply.
template <class T>
void integer_powers(T* out, const T* x, const T* y, int64_t n) {
  using U = Wrapping<T>;
  if constexpr (sizeof(U) == 8) return loop(out, x, y, n, integer_power<T>);
  constexpr int64_t block = 16;
  for (int64_t first = 0; first < n; first += block) {
    const int64_t count = std::min(block, n - first);
    U factor[block] = {}, bits[block] = {}, result[block];
    U left = 0;
    bool negative = false;
    for (int64_t i = 0; i < count; ++i) {
      factor[i] = static_cast<U>(x[first + i]);
      bits[i] = static_cast<U>(y[first + i]);
      left |= bits[i];
      if constexpr (std::is_signed_v<T>) negative |= y[first + i] < 0;
    }
    if (negative) {
      for (int64_t i = first; i < first + count; ++i) out[i] = integer_power(x[i], y[i]);
      continue;
    }
    std::fill_n(result, block, U{1});
    for (; left != 0; left >>= 1) {
      for (int64_t i = 0; i < block; ++i) {
        const U chosen = U{0} - (bits[i] & 1U);
        result[i] *= (factor[i] & chosen) | (~chosen & 1U);
        factor[i] *= factor[i];
        bits[i] >>= 1;
      }
    }
    for (int64_t i = 0; i < count; ++i) out[first + i] = static_cast<T>(result[i]);
  }
}

template <class T>
std::make_unsigned_t<T> magnitude(T x) {
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (x < 0) return static_cast<U>(U(0) - static_cast<U>(x));
  }
  return static_cast<U>(x);
}

template <class T>
T gcd(T x, T y) {
  auto a = magnitude(x);
  auto b = magnitude(y);
  while (a != 0) {
    const auto c = a;
    a = static_cast<decltype(a)>(b % a);
    b = c;
  }
  return static_cast<T>(b);
}

template <class T>
T lcm(T x, T y) {
  const auto divisor = static_cast<std::make_unsigned_t<T>>(gcd(x, y));
  if (divisor == 0) return 0;
  const auto quotient = static_cast<Wrapping<T>>(magnitude(x) / divisor);
  return static_cast<T>(quotient * static_cast<Wrapping<T>>(magnitude(y)));
}

}  // namespace

extern "C" {

#define HEDDLE_RT_DEFINE(name)                                           \
  void heddle_rt_##name##_f32(float* out, const float* x, int64_t n) {   \
    loop(out, x, n, [](float v) { return std::name(v); });               \
  }                                                                      \
  void heddle_rt_##name##_f64(double* out, const double* x, int64_t n) { \
    loop(out, x, n, [](double v) { return std::name(v); });              \
  }
HEDDLE_RT_UNARY_MATH(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

#define HEDDLE_RT_DEFINE(name)                                                            \
  void heddle_rt_##name##_f32(float* out, const float* x, const float* y, int64_t n) {    \
    loop(out, x, y, n, [](float v, float w) { return std::name(v, w); });                 \
  }                                                                                       \
  void heddle_rt_##name##_f64(double* out, const double* x, const double* y, int64_t n) { \
    loop(out, x, y, n, [](double v, double w) { return std::name(v, w); });               \
  }
HEDDLE_RT_BINARY_MATH(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

#define HEDDLE_RT_DEFINE(name)                                            \
  void heddle_rt_##name##_c64(float* out, const float* x, int64_t n) {    \
    complex_loop(out, x, n, ComplexMath<float>::name);                    \
  }                                                                       \
  void heddle_rt_##name##_c128(double* out, const double* x, int64_t n) { \
    complex_loop(out, x, n, ComplexMath<double>::name);                   \
  }
HEDDLE_RT_UNARY_COMPLEX(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

#define HEDDLE_RT_DEFINE(suffix, T)                                             \
  void heddle_rt_power_##suffix(T* out, const T* x, const T* y, int64_t n) {    \
    for (int64_t i = 0; i < n; ++i) {                                           \
      const auto r = ComplexMath<T>::power({x[i], x[n + i]}, {y[i], y[n + i]}); \
      out[i] = r.real();                                                        \
      out[n + i] = r.imag();                                                    \
    }                                                                           \
  }
HEDDLE_RT_DEFINE(c64, float)
HEDDLE_RT_DEFINE(c128, double)
#undef HEDDLE_RT_DEFINE

#define HEDDLE_RT_DEFINE(op, suffix, T)                                       \
  void heddle_rt_##op##_##suffix(T* out, const T* x, const T* y, int64_t n) { \
    loop(out, x, y, n, op<T>);                                                \
  }
HEDDLE_RT_INTEGERS(HEDDLE_RT_DEFINE, gcd)
HEDDLE_RT_INTEGERS(HEDDLE_RT_DEFINE, lcm)
#undef HEDDLE_RT_DEFINE
#define HEDDLE_RT_DEFINE(op, suffix, T)                                       \
  void heddle_rt_##op##_##suffix(T* out, const T* x, const T* y, int64_t n) { \
    integer_powers(out, x, y, n);                                             \
  }
HEDDLE_RT_INTEGERS(HEDDLE_RT_DEFINE, power)
#undef HEDDLE_RT_DEFINE

}  // extern "C"
