// Complex functions and the integer functions that loop, on every x86-64 level the machine has:
// accuracy against long double, special values against the C library.
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "scalar_ops_harness.h"

namespace heddle::kernel::testing {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Wide = std::complex<long double>;

struct Function {
  Op op;
  Wide (*reference)(const Wide&);
};

Wide exp2_of(const Wide& z) { return std::exp(z * std::log(2.0L)); }
Wide log2_of(const Wide& z) { return std::log(z) / std::log(2.0L); }
Wide log10_of(const Wide& z) { return std::log(z) / std::log(10.0L); }
Wide expm1_of(const Wide& z) {
  const long double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}
Wide log1p_of(const Wide& z) {
  const long double x = z.real();
  const long double y = z.imag();
  const long double excess = x * (x + 2) + y * y;
  const Wide log = std::log(Wide(1 + x, y));
  return {std::abs(excess) < 0.5L ? std::log1p(excess) / 2 : log.real(), log.imag()};
}

const Function functions[] = {
    {Op::sqrt, std::sqrt},     {Op::exp, std::exp},       {Op::exp2, exp2_of},
    {Op::expm1, expm1_of},     {Op::log, std::log},       {Op::log2, log2_of},
    {Op::log10, log10_of},     {Op::log1p, log1p_of},     {Op::sin, std::sin},
    {Op::cos, std::cos},       {Op::tan, std::tan},       {Op::arcsin, std::asin},
    {Op::arccos, std::acos},   {Op::arctan, std::atan},   {Op::sinh, std::sinh},
    {Op::cosh, std::cosh},     {Op::tanh, std::tanh},     {Op::arcsinh, std::asinh},
    {Op::arccosh, std::acosh}, {Op::arctanh, std::atanh},
};

// Ordinary numbers, and those where formulas cancel: around 0, 1, -1, i, -i, the unit circle and
// the axes, at all distances.
template <class T>
std::vector<std::complex<T>> hard_values() {
  std::vector<std::complex<T>> values;
  for (int i = 0; i < 400; ++i) {
    const double angle = i * 0.7;
    const double size = std::exp(-i * 0.08);
    const std::complex<double> step = std::polar(size, angle);
    for (std::complex<double> centre : {std::complex<double>(0), {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
      values.emplace_back(centre + step);
    values.emplace_back(std::polar(1 + size, angle));
    values.emplace_back(std::polar(1 / size, angle));
    values.emplace_back(std::complex<double>(i * 0.02 - 4, 0));
    values.emplace_back(std::complex<double>(i * 0.02 - 4, size));
    values.emplace_back(std::complex<double>(-size, i * 0.02 - 4));
  }
  return values;
}

template <class T>
class ComplexFunctions : public ::testing::Test {};
using ComponentTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexFunctions, ComponentTypes);

TYPED_TEST(ComplexFunctions, AreAccurate) {
  using T = TypeParam;
  const auto values = hard_values<T>();
  const long double tolerance = sizeof(T) == 4 ? 1 : 5;  // of the modulus
  for (int width : widths()) {
    for (const Function& f : functions) {
      const auto out =
          run<std::complex<T>>(f.op, Columns<std::complex<T>>{values}, width, width / 8);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Wide expected = f.reference(Wide(values[i]));
        if (!(std::abs(expected) < std::numeric_limits<T>::max())) continue;
        const long double unit =
            std::max<long double>(std::abs(expected) * std::numeric_limits<T>::epsilon(),
                                  std::numeric_limits<T>::denorm_min());
        // exp2 rounds its argument's product with log(2).
        const long double allowed =
            f.op == Op::exp2 && sizeof(T) == 8 ? 2 + std::abs(Wide(values[i])) : 0;
        ASSERT_LE(std::abs(Wide(out[i]) - expected), (tolerance + allowed) * unit)
            << info(f.op).name << values[i] << " = " << out[i] << ", width " << width;
      }
    }
  }
}

template <class T>
bool same_special(T got, T expected) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || expected == 0)
    return got == expected && std::signbit(got) == std::signbit(expected);
  return std::abs(got - expected) <= 16 * std::numeric_limits<T>::epsilon() * std::abs(expected);
}

// All pairs of zeros, ones, infinities, nans and the ends of the range. log1p and expm1 are NumPy's
// and have no specification; exp2 rounds before it looks.
TYPED_TEST(ComplexFunctions, SpecialValuesAreTheLibrarys) {
  using T = TypeParam;
  using C = std::complex<T>;
  const std::pair<Op, C (*)(const C&)> specified[] = {
      {Op::sqrt, std::sqrt},     {Op::exp, std::exp},       {Op::log, std::log},
      {Op::sin, std::sin},       {Op::cos, std::cos},       {Op::tan, std::tan},
      {Op::arcsin, std::asin},   {Op::arccos, std::acos},   {Op::arctan, std::atan},
      {Op::sinh, std::sinh},     {Op::cosh, std::cosh},     {Op::tanh, std::tanh},
      {Op::arcsinh, std::asinh}, {Op::arccosh, std::acosh}, {Op::arctanh, std::atanh},
  };
  std::vector<C> values;
  const T max = std::numeric_limits<T>::max();
  const T min = std::numeric_limits<T>::min();
  const T parts[] = {0,      T(-0.0), 1,    -1,  T(2.5), T(-2.5),  T(inf), -T(inf),
                     T(nan), max,     -max, min, -min,   T(0.001), 800,    -800};
  for (T re : parts) {
    for (T im : parts) values.emplace_back(re, im);
  }
  for (int width : widths()) {
    for (auto [op, reference] : specified) {
      const auto out = run<C>(op, Columns<C>{values}, width, width / 8);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const C expected = reference(values[i]);
        ASSERT_TRUE(same_special(out[i].real(), expected.real()) &&
                    same_special(out[i].imag(), expected.imag()))
            << info(op).name << values[i] << " = " << out[i] << ", not " << expected << ", width "
            << width;
      }
    }
  }
}

TYPED_TEST(ComplexFunctions, PowersOfWholeExponentsAreProducts) {
  using C = std::complex<TypeParam>;
  const std::vector<C> base{{2, 1}, {2, 1}, {2, 1},  {0, 2}, {2, 1},   {1, 1},
                            {0, 0}, {0, 0}, {0, -0}, {3, 4}, {-1, -1}, {2, 0}};
  const std::vector<C> exponent{{2, 0}, {3, 0}, {0, 0},  {4, 0},  {1, 0},  {-2, 0},
                                {0, 0}, {2, 1}, {-1, 0}, {-1, 0}, {99, 0}, {-3, 0}};
  const TypeParam far = std::ldexp(TypeParam(1), 49);
  const std::vector<C> expected{{3, 4},     {2, 11},         {1, 0},      {16, 0},
                                {2, 1},     {0, -0.5},       {1, 0},      {0, 0},
                                {nan, nan}, {0.12F, -0.16F}, {far, -far}, {0.125, 0}};
  for (int width : widths()) {
    for (int lanes : {1, 4}) {
      const auto out = run<C>(Op::power, Columns<C>{base, exponent}, width, lanes);
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (std::isnan(expected[i].real())) {
          ASSERT_TRUE(std::isnan(out[i].real()) && std::isnan(out[i].imag())) << base[i];
          continue;
        }
        ASSERT_LE(std::abs(out[i] - expected[i]), 1e-7 * std::abs(expected[i]))
            << base[i] << " ** " << exponent[i];
      }
    }
  }
}

// The steps that its neighbours still need must not change what a lane has found.
TYPED_TEST(ComplexFunctions, LanesAreIndependent) {
  using C = std::complex<TypeParam>;
  std::vector<C> base, exponent;
  for (int i = 0; i < 128; ++i) {
    base.emplace_back(0.3 * (i % 11) - 1, 0.2 * (i % 7) - 0.5);
    exponent.emplace_back(i % 13 - 6, i % 5 == 0 ? 0.5 : 0);
  }
  for (int width : widths()) {
    const auto one = run<C>(Op::power, Columns<C>{base, exponent}, width, 1);
    const auto many = run<C>(Op::power, Columns<C>{base, exponent}, width, 16);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_TRUE(same_special(many[i].real(), one[i].real()) &&
                  same_special(many[i].imag(), one[i].imag()))
          << base[i] << " ** " << exponent[i];
    }
  }
}

template <class T>
class IntegerLoops : public ::testing::Test {};
using IntegerTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                      std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerLoops, IntegerTypes);

TYPED_TEST(IntegerLoops, DivisorsAndMultiplesOfEdgeValues) {
  using T = TypeParam;
  using U = std::uint64_t;
  using Limits = std::numeric_limits<T>;
  Columns<T> args(2);
  const T values[] = {0,
                      1,
                      2,
                      3,
                      4,
                      6,
                      12,
                      35,
                      64,
                      97,
                      100,
                      120,
                      T(-1),
                      T(-4),
                      T(-6),
                      T(-100),
                      Limits::max(),
                      Limits::max() - 1,
                      Limits::lowest(),
                      Limits::lowest() + 1};
  for (T x : values) {
    for (T y : values) {
      args[0].push_back(x);
      args[1].push_back(y);
    }
  }
  auto magnitude = [](T x) { return static_cast<U>(x < 0 ? U(0) - static_cast<U>(x) : U(x)); };
  for (int width : widths()) {
    for (int lanes : {1, 8, 64}) {
      const auto gcd = run<T>(Op::gcd, args, width, lanes);
      const auto lcm = run<T>(Op::lcm, args, width, lanes);
      for (std::size_t i = 0; i < gcd.size(); ++i) {
        const U x = magnitude(args[0][i]);
        const U y = magnitude(args[1][i]);
        const U divisor = std::gcd(x, y);
        ASSERT_EQ(gcd[i], static_cast<T>(divisor)) << +args[0][i] << ' ' << +args[1][i];
        ASSERT_EQ(lcm[i], static_cast<T>(divisor == 0 ? 0 : x / divisor * y))
            << +args[0][i] << ' ' << +args[1][i];
      }
    }
  }
}

}  // namespace
}  // namespace heddle::kernel::testing
