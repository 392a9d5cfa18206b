// Every row of the op table over edge values, for every type it allows, on every x86-64 level the
// machine has. References are computed in C++; comparisons with NumPy itself are in tests/python.
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <llvm/Bitcode/BitcodeReader.h>

#include "kernel/linked_bitcode.h"
#include "kernel/linked_code.h"
#include "op_types.h"
#include "scalar_ops_harness.h"

namespace heddle::kernel::testing {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<T> edge_values() {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {0,
            1,
            2,
            3,
            7,
            63,
            100,
            Limits::max(),
            Limits::lowest(),
            static_cast<T>(Limits::lowest() + 1),
            static_cast<T>(-1),
            static_cast<T>(-3)};
  } else {
    std::vector<T> values;
    for (double v : {0.0,   -0.0, 1.0,   -1.0, 0.5, -0.5, 1.5,  2.5,  -2.5, 3.0,  -7.25, 100.0,
                     -88.7, 1e-3, 1e-30, 1e5,  3e9, -3e9, 1e19, 1e30, inf,  -inf, nan}) {
      values.push_back(static_cast<T>(v));
    }
    values.push_back(std::numeric_limits<T>::denorm_min());
    values.push_back(std::numeric_limits<T>::min());
    values.push_back(std::numeric_limits<T>::max());
    return values;
  }
}

template <class T>
Columns<T> edge_pairs() {
  Columns<T> pairs(2);
  for (T x : edge_values<T>()) {
    for (T y : edge_values<T>()) {
      pairs[0].push_back(x);
      pairs[1].push_back(y);
    }
  }
  return pairs;
}

template <class T>
bool same(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y && std::signbit(x) == std::signbit(y);
  } else {
    return x == y;
  }
}

// Units in the last place between a result and a reference of higher precision.
template <class T>
double ulps(T got, long double expected) {
  const T rounded = static_cast<T>(expected);
  if (!std::isfinite(rounded) || !std::isfinite(got) || rounded == 0) {
    return same(got, rounded) || std::abs(got) < std::numeric_limits<T>::min() ? 0 : inf;
  }
  const T size = std::abs(rounded);
  const long double unit = size - std::nextafter(size, T(0));
  return static_cast<double>(std::abs(static_cast<long double>(got) - expected) / unit);
}

template <class T, class F>
void expect_exact(Op op, F reference) {
  const auto pairs = edge_pairs<T>();
  using R = std::invoke_result_t<F, T, T>;
  for (int width : widths()) {
    for (int lanes : {1, 8, 64}) {
      const auto out = run<R>(op, pairs, width, lanes);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const R expected = reference(pairs[0][i], pairs[1][i]);
        ASSERT_TRUE(same(out[i], expected))
            << info(op).name << '(' << +pairs[0][i] << ", " << +pairs[1][i] << ") = " << +out[i]
            << ", not " << +expected << "; " << name(dtype_of<T>) << ", " << lanes << " lanes";
      }
    }
  }
}

template <class T>
class Integers : public ::testing::Test {};
using IntegerTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                      std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

// 128 bits hold every intermediate result.
using Wide = __int128;

TYPED_TEST(Integers, ArithmeticWraps) {
  using T = TypeParam;
  expect_exact<T>(Op::add, [](T x, T y) { return static_cast<T>(Wide(x) + Wide(y)); });
  expect_exact<T>(Op::subtract, [](T x, T y) { return static_cast<T>(Wide(x) - Wide(y)); });
  expect_exact<T>(Op::multiply, [](T x, T y) { return static_cast<T>(Wide(x) * Wide(y)); });
}

TYPED_TEST(Integers, DivisionFloorsAndNeverTraps) {
  using T = TypeParam;
  auto floored = [](T x, T y) {
    const Wide quotient = Wide(x) / y;
    return quotient - (Wide(x) % y != 0 && ((x < 0) != (y < 0)) ? 1 : 0);
  };
  expect_exact<T>(Op::floor_divide,
                  [&](T x, T y) { return y == 0 ? T(0) : static_cast<T>(floored(x, y)); });
  expect_exact<T>(Op::remainder, [&](T x, T y) {
    return y == 0 ? T(0) : static_cast<T>(Wide(x) - floored(x, y) * y);
  });
  expect_exact<T>(Op::fmod, [](T x, T y) { return y == 0 ? T(0) : static_cast<T>(Wide(x) % y); });
}

TYPED_TEST(Integers, ShiftsTakeAnyCount) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  auto valid = [](T y) { return y >= 0 && Wide(y) < bits; };
  expect_exact<T>(Op::left_shift, [&](T x, T y) {
    return valid(y) ? static_cast<T>(Wide(x) * (Wide(1) << static_cast<int>(y))) : T(0);
  });
  expect_exact<T>(Op::right_shift, [&](T x, T y) {
    return static_cast<T>(valid(y) ? x >> static_cast<int>(y) : (x < 0 ? -1 : 0));
  });
}

TYPED_TEST(Integers, PowerAndDivisors) {
  using T = TypeParam;
  using U = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;
  Columns<T> args(2);
  for (T x : edge_values<T>()) {
    for (int y : {0, 1, 2, 3, 5, 10, 63, 100}) {
      args[0].push_back(x);
      args[1].push_back(static_cast<T>(y));
    }
  }
  const auto out = run<T>(Op::power, args, 16, 4);
  for (std::size_t i = 0; i < out.size(); ++i) {
    U expected = 1;
    for (T k = 0; k < args[1][i]; ++k) expected *= static_cast<U>(args[0][i]);
    ASSERT_EQ(out[i], static_cast<T>(expected)) << +args[0][i] << " ** " << +args[1][i];
  }
  EXPECT_EQ((run<T>(Op::gcd, Columns<T>{{12, 0, 7}, {18, 5, 0}}, 16, 1)),
            (std::vector<T>{6, 5, 7}));
  EXPECT_EQ((run<T>(Op::lcm, Columns<T>{{4, 0, 7}, {6, 5, 0}}, 16, 1)), (std::vector<T>{12, 0, 0}));
}

template <class T>
class Floats : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, Comparisons) {
  using T = TypeParam;
  expect_exact<T>(Op::less, [](T x, T y) { return x < y; });
  expect_exact<T>(Op::greater_equal, [](T x, T y) { return x >= y; });
  expect_exact<T>(Op::not_equal, [](T x, T y) { return x != y; });
  expect_exact<T>(Op::logical_xor, [](T x, T y) { return (x != 0) != (y != 0); });
}

TYPED_TEST(Floats, ExtremesAndNan) {
  using T = TypeParam;
  expect_exact<T>(Op::maximum, [](T x, T y) { return std::isnan(x) ? x : x > y ? x : y; });
  expect_exact<T>(Op::minimum, [](T x, T y) { return std::isnan(x) ? x : x < y ? x : y; });
  expect_exact<T>(Op::fmax, [](T x, T y) { return std::isnan(y) ? x : x > y ? x : y; });
  expect_exact<T>(Op::fmin, [](T x, T y) { return std::isnan(y) ? x : x < y ? x : y; });
}

TYPED_TEST(Floats, RepresentationIsExact) {
  using T = TypeParam;
  expect_exact<T>(Op::fmod, [](T x, T y) { return std::fmod(x, y); });
  expect_exact<T>(Op::nextafter, [](T x, T y) { return std::nextafter(x, y); });
  expect_exact<T>(Op::copysign, [](T x, T y) { return std::copysign(x, y); });
}

// NumPy's npy_divmod.
template <class T>
std::pair<T, T> divmod(T x, T y) {
  T modulus = std::fmod(x, y);
  if (y == 0) return {x / y, modulus};
  T quotient = (x - modulus) / y;
  if (modulus != 0) {
    if ((y < 0) != (modulus < 0)) {
      modulus += y;
      quotient -= 1;
    }
  } else {
    modulus = std::copysign(T(0), y);
  }
  if (quotient == 0) return {std::copysign(T(0), x / y), modulus};
  const T floored = std::floor(quotient);
  return {quotient - floored > T(0.5) ? floored + 1 : floored, modulus};
}

TYPED_TEST(Floats, DivisionFollowsPython) {
  using T = TypeParam;
  expect_exact<T>(Op::floor_divide, [](T x, T y) { return divmod(x, y).first; });
  expect_exact<T>(Op::remainder, [](T x, T y) { return divmod(x, y).second; });
}

TYPED_TEST(Floats, Transcendentals) {
  using T = TypeParam;
  std::vector<T> values = edge_values<T>();
  for (int i = -2000; i < 2000; ++i) {
    values.push_back(static_cast<T>(i * 0.0473));
    values.push_back(static_cast<T>(1 + i * 1e-5));
    values.push_back(static_cast<T>(std::exp(i * 0.04)));
  }
  for (int width : widths()) {
    for (const auto& f : heddle::test::library_functions<long double>()) {
      // The C library's own functions serve machines without fused multiply-add.
      const double tolerance = width == 16 ? 4 : info(f.op).ulps;
      const auto out = run<T>(f.op, Columns<T>{values}, width, width / 4);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const long double expected = f.reference(values[i]);
        ASSERT_LE(ulps(out[i], expected), tolerance)
            << info(f.op).name << '(' << values[i] << ") = " << out[i] << ", width " << width;
        if (expected == 0) {
          ASSERT_EQ(std::signbit(out[i]), std::signbit(expected)) << values[i];
        }
      }
    }
  }
}

TYPED_TEST(Floats, PowerAndItsSpecialCases) {
  using T = TypeParam;
  auto pairs = edge_pairs<T>();
  for (int i = 1; i < 2000; ++i) {
    pairs[0].push_back(static_cast<T>(i * 0.01));
    pairs[1].push_back(static_cast<T>(20 - i * 0.02));
  }
  // Near 1 a logarithm has few bits left, and large exponents show their errors.
  for (int i = 0; i < 4000; ++i) {
    const double base = 1 + (i - 1999.5) * 2e-5;
    pairs[0].push_back(static_cast<T>(base));
    pairs[1].push_back(static_cast<T>((i % 2 == 0 ? 80 : -80) / std::log(base)));
  }
  for (int width : widths()) {
    const auto out = run<T>(Op::power, pairs, width, width / 8);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const long double expected =
          std::pow(static_cast<long double>(pairs[0][i]), static_cast<long double>(pairs[1][i]));
      ASSERT_LE(ulps(out[i], expected), 1.5)
          << pairs[0][i] << " ** " << pairs[1][i] << " = " << out[i] << ", width " << width;
    }
  }
}

// A lane's result must not depend on its neighbours or its position.
TYPED_TEST(Floats, LanesAreIndependent) {
  using T = TypeParam;
  std::vector<T> values = edge_values<T>();
  for (int i = 0; i < 100; ++i)
    values.push_back(static_cast<T>(i * 0.37 + (i % 7 == 0 ? 1e12 : 0)));
  for (int width : widths()) {
    for (Op op : {Op::sin, Op::cos, Op::exp, Op::log, Op::tanh, Op::cbrt}) {
      const auto one = run<T>(op, Columns<T>{values}, width, 1);
      for (int lanes : {2, 16, 64}) {
        const auto many = run<T>(op, Columns<T>{values}, width, lanes);
        for (std::size_t i = 0; i < one.size(); ++i) {
          ASSERT_TRUE(same(one[i], many[i])) << info(op).name << '(' << values[i] << "), " << lanes;
        }
      }
    }
  }
}

template <class R, class T>
void expect_cast(const std::vector<T>& from, const std::vector<R>& to) {
  for (int width : widths()) {
    for (int lanes : {1, 16}) {
      const auto out = run<R>(Op::cast, Columns<T>{from}, width, lanes);
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_TRUE(same(out[i], to[i])) << +from[i] << " -> " << +out[i] << ", not " << +to[i];
      }
    }
  }
}

TEST(Casts, FloatToIntegerIsDefinedEverywhere) {
  const auto lowest = std::numeric_limits<std::int32_t>::min();
  expect_cast<std::int32_t, double>({1.9, -1.9, 3e9, -3e9, nan, inf, -inf, 2147483647.5},
                                    {1, -1, lowest, lowest, lowest, lowest, lowest, 2147483647});
  expect_cast<std::int8_t, float>({1.9F, -1.9F, 300.0F, -129.0F, 1e10F}, {1, -1, 44, 127, 0});
  expect_cast<std::uint64_t, double>({1.5, 1e19, -1.0, 0x1p64},
                                     {1, 10000000000000000000ULL, ~std::uint64_t{0}, 0});
  expect_cast<bool, double>({0.0, -0.0, nan, 1e-300}, {false, false, true, true});
}

TEST(Casts, HalfPrecisionRoundsOnce) {
  // Just above a tie: rounding to float32 first would lose what breaks it.
  const std::vector<double> values{
      1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 65519.99999, 65520, 1e-8, nan};
  const std::vector<std::uint16_t> expected{0x3c01, 0x3c00, 0x7bff, 0x7c00, 0x0000, 0x7e00};
  for (int width : widths()) {
    const auto out = run<float16>(Op::cast, Columns<double>{values}, width, 8);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(out[i].bits, expected[i]) << values[i];
  }
}

// Every float16 and bfloat16 through float32 and back, in kernels and in C++.
template <class H>
void expect_round_trip() {
  std::vector<H> all(65536);
  for (int i = 0; i < 65536; ++i) all[i].bits = static_cast<std::uint16_t>(i);
  for (int width : widths()) {
    const auto wide = run<float>(Op::cast, Columns<H>{all}, width, 16);
    const auto back = run<H>(Op::cast, Columns<float>{wide}, width, 16);
    for (int i = 0; i < 65536; ++i) {
      ASSERT_TRUE(same(wide[i], static_cast<float>(all[i]))) << i;
      if (std::isnan(wide[i])) continue;
      ASSERT_EQ(back[i].bits, i);
      ASSERT_EQ(H(wide[i]).bits, i);
    }
  }
}
TEST(Casts, HalfPrecisionRoundTrip) {
  expect_round_trip<float16>();
  expect_round_trip<bfloat16>();
}

// Every float16: what is computed in float32 differs from the exact result by little more than the
// last rounding.
TEST(Half, FunctionsOfEveryNumber) {
  std::vector<float16> all(65536);
  for (int i = 0; i < 65536; ++i) all[i].bits = static_cast<std::uint16_t>(i);
  for (int width : widths()) {
    for (auto [op, reference] : heddle::test::library_functions<double>()) {
      if (!computes_in(info(op).types, Dtype::float16)) continue;
      const auto out = run<float16>(op, Columns<float16>{all}, width, width / 2);
      for (int i = 0; i < 65536; ++i) {
        const double x = static_cast<float>(all[i]), got = static_cast<float>(out[i]);
        const double expected = reference(x);
        const double rounded = static_cast<float>(float16(static_cast<float>(expected)));
        if (same(got, rounded)) continue;
        const int exponent = std::max(std::ilogb(expected), -14);
        ASSERT_LE(std::abs(got - expected), std::ldexp(0.52, exponent - 10))
            << info(op).name << '(' << x << ") = " << got << ", not " << expected;
      }
    }
  }
}

TEST(Complex, ArithmeticAndOrder) {
  using C = std::complex<double>;
  const std::vector<C> x{{1, 2}, {3, -4}, {0, 0}, {1, nan}, {2, 5}};
  const std::vector<C> y{{5, 6}, {0, 2}, {1, 1}, {1, 2}, {2, 3}};
  for (int width : widths()) {
    for (int lanes : {1, 4}) {
      const auto product = run<C>(Op::multiply, Columns<C>{x, y}, width, lanes);
      EXPECT_EQ(product[0], C(-7, 16));
      EXPECT_EQ(product[1], C(8, 6));
      const auto quotient = run<C>(Op::divide, Columns<C>{x, y}, width, lanes);
      EXPECT_EQ(quotient[1], C(-2, -1.5));
      EXPECT_EQ(quotient[2], C(0, 0));
      const auto length = run<double>(Op::absolute, Columns<C>{x}, width, lanes);
      EXPECT_EQ(length[1], 5);
      EXPECT_TRUE(std::isnan(length[3]));
      const auto greater = run<bool>(Op::greater, Columns<C>{x, y}, width, lanes);
      EXPECT_FALSE(greater[0]);
      EXPECT_TRUE(greater[1]);
      EXPECT_FALSE(greater[3]);
      EXPECT_TRUE(greater[4]);
      const auto root = run<C>(Op::sqrt, Columns<C>{x}, width, lanes);
      EXPECT_EQ(root[1], std::sqrt(x[1]));
      const auto power = run<C>(Op::power, Columns<C>{x, y}, width, lanes);
      EXPECT_EQ(power[2], C(0, 0));
    }
  }
}

// Every row compiles for every type it allows.
TEST(OpTable, EveryRowHasALowering) {
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (info(op).linked) continue;  // EveryLinkedRowHasCode
    for (int t = 0; t < dtype_count; ++t) {
      const Dtype dtype = static_cast<Dtype>(t);
      if (!computes_in(info(op).types, dtype)) continue;
      std::vector<Dtype> operands;
      for (int i = 0; i < info(op).inputs; ++i)
        operands.push_back(heddle::test::operand_type_of(op, i, dtype));
      const auto loop = compile_loop(op, dtype, result_type(op, dtype), operands, x86_target(16), 4,
                                     /*optimize=*/false);
      ASSERT_NE(loop.run, nullptr) << info(op).name << ' ' << name(dtype);
    }
  }
}

// Each has a function in the bitcode for every kind of numbers that it allows, and nothing is there
// that no row asks for.
TEST(OpTable, EveryLinkedRowHasCode) {
  llvm::LLVMContext context;
  const std::string_view code = linked_bitcode();
  auto module = llvm::cantFail(llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(llvm::StringRef(code.data(), code.size()), "special"), context));
  std::set<std::string> wanted;
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (!info(op).linked) continue;
    for (bool complex : {false, true}) {
      const Dtype dtype = complex ? Dtype::complex128 : Dtype::float64;
      if (computes_in(info(op).types, dtype)) wanted.insert(linked_name(op, complex));
    }
  }
  std::set<std::string> found;
  for (const llvm::Function& function : *module) {
    if (function.getName().starts_with("heddle_special_")) found.insert(function.getName().str());
  }
  EXPECT_EQ(found, wanted);
}

TEST(Dtypes, PromotionIsNumPys) {
  using enum Dtype;
  EXPECT_EQ(promote_types(bool_, int8), int8);
  EXPECT_EQ(promote_types(int8, uint8), int16);
  EXPECT_EQ(promote_types(int64, uint64), float64);
  EXPECT_EQ(promote_types(int16, float16), float32);
  EXPECT_EQ(promote_types(int32, float32), float64);
  EXPECT_EQ(promote_types(int32, complex64), complex128);
  EXPECT_EQ(promote_types(float64, complex64), complex128);
  EXPECT_EQ(promote_types(float16, bfloat16), float32);
  EXPECT_EQ(promote_types(uint8, bfloat16), bfloat16);
  EXPECT_EQ(promote_types(int16, bfloat16), float32);
  EXPECT_EQ(promote_types(bfloat16, complex64), complex64);
  for (int i = 0; i < dtype_count; ++i) {
    for (int k = 0; k < dtype_count; ++k) {
      const auto a = static_cast<Dtype>(i);
      const auto b = static_cast<Dtype>(k);
      EXPECT_EQ(promote_types(a, b), promote_types(b, a));
      EXPECT_TRUE(can_cast(a, promote_types(a, b)));
    }
  }
  EXPECT_FALSE(can_cast(int64, float32));
  EXPECT_TRUE(can_cast(int64, float32, Casting::same_kind));
  EXPECT_FALSE(can_cast(int8, uint8, Casting::same_kind));
  EXPECT_TRUE(can_cast(uint8, int8, Casting::same_kind));
}

}  // namespace
}  // namespace heddle::kernel::testing
