// The public C++ API, functions: only <heddle/heddle.h>, as a user has it.
#include <cmath>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "api_support.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

using testing::raises;
using testing::values;

TEST(Api, ExpressionsReadLikeTheMaths) {
  array a = linspace(0, 10, 1001, true, Dtype::float32);
  array y = sin(a) * 2 + sqrt(abs(a));
  EXPECT_EQ(y.dtype(), Dtype::float32);
  auto x = a.to_vector<float>(), got = y.to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(got[i], std::sin(x[i]) * 2 + std::sqrt(x[i]), 2e-6) << i;
  }
}

TEST(Api, OneKernelEvenWithinAStatement) {
  array a = ones({1000}).eval();
  reset_stats();
  double total = sum(sin(a) * 2 + sqrt(abs(a))).item<double>();
  EXPECT_NEAR(total, 1000 * (std::sin(1.0) * 2 + 1), 1e-9);
  EXPECT_EQ(stats().launched, 1u);
  EXPECT_LT(stats().bytes_allocated, 1000u) << "temporaries were written to memory";
}

TEST(Api, ScalarsOnEitherSide) {
  array a{1.0, 2.0, 4.0};
  EXPECT_EQ(values(8 / a), (std::vector<double>{8, 4, 2}));
  EXPECT_EQ(values(a - 1), (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(values(1 - a), (std::vector<double>{0, -1, -3}));
  EXPECT_EQ(values(maximum(a, 3)), (std::vector<double>{3, 3, 4}));
  EXPECT_EQ(values(power(2, a)), (std::vector<double>{2, 4, 16}));
  EXPECT_EQ(values(pow(a, 2)), (std::vector<double>{1, 4, 16}));
  EXPECT_EQ(values(-a), (std::vector<double>{-1, -2, -4}));
  EXPECT_EQ(values(a % 3), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(values(where(a > 1, a, 0)), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(values(where(a > 1, 5, 6)), (std::vector<double>{6, 5, 5}));
  EXPECT_EQ(values(clip(a, 1.5, 3)), (std::vector<double>{1.5, 2, 3}));
}

TEST(Api, ScalarsAreWeak) {
  array f{1.f, 2.f};
  array i{std::int8_t{1}, std::int8_t{2}};
  EXPECT_EQ((f * 2.5).dtype(), Dtype::float32);
  EXPECT_EQ((i + 1).dtype(), Dtype::int8);
  EXPECT_EQ((i * 1.5).dtype(), Dtype::float64);
  EXPECT_EQ((f * std::complex<double>(0, 1)).dtype(), Dtype::complex64);
  EXPECT_EQ((i / i).dtype(), Dtype::float64);
  EXPECT_TRUE(
      raises<overflow_error>([&] { i + 300; }, "Python integer 300 out of bounds for int8"));
  // But comparisons know what 300 is.
  EXPECT_EQ((i < 300).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_EQ((300 < i).to_vector<bool>(), (std::vector<bool>{false, false}));
}

TEST(Api, BitsAndComparisons) {
  array a{1, 2, 3, 4};
  EXPECT_EQ(((a > 1) & (a < 4)).to_vector<bool>(), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(((a == 1) | (a == 4)).to_vector<bool>(), (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ((~(a != 1)).to_vector<bool>(), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ((a ^ 1).to_vector<int>(), (std::vector<int>{0, 3, 2, 5}));
  EXPECT_EQ((a << 2).to_vector<int>(), (std::vector<int>{4, 8, 12, 16}));
  EXPECT_TRUE(all(a >= 1));
  EXPECT_FALSE(any(a > 4));
}

TEST(Api, EveryRowOfTheTableIsAFunction) {
  array x{0.25, 0.5};
  array n{3, 5};
  int count = 0;
#define HEDDLE_CALL_1(op)                                                                     \
  (info(Op::op).types == Types::bits || info(Op::op).types == Types::integer ? op(n) : op(x)) \
      .eval();
#define HEDDLE_CALL_2(op)                                                       \
  (info(Op::op).types == Types::bits || info(Op::op).types == Types::integer || \
           !has_equal_operands(Op::op)                                          \
       ? op(n, n)                                                               \
       : op(x, x))                                                              \
      .eval();
#define HEDDLE_IN_heddle(op, inputs) \
  {                                  \
    HEDDLE_CALL_##inputs(op);        \
    ++count;                         \
  }
#define HEDDLE_IN_special(op, inputs)  // ApiSpecial has them
#define HEDDLE_IN_random(op, inputs)
#define HEDDLE_IN_internal(op, inputs)
#define HEDDLE_CALL(space, op, inputs, ...) HEDDLE_IN_##space(op, inputs)
  HEDDLE_OPS(HEDDLE_CALL)
#undef HEDDLE_CALL
#undef HEDDLE_IN_heddle
#undef HEDDLE_IN_special
#undef HEDDLE_IN_random
#undef HEDDLE_IN_internal
#undef HEDDLE_CALL_1
#undef HEDDLE_CALL_2
  EXPECT_GT(count, 70);
  EXPECT_EQ(values(asin(array{1.0})), values(arcsin(array{1.0})));
  EXPECT_EQ(values(conj(array{1.0})), values(array{1.0}));
}

TEST(Api, SpecialFunctions) {
  EXPECT_NEAR(special::gamma(array{4.0}).item<double>(), 6, 1e-13);
  EXPECT_NEAR(special::betainc(array{1.0}, array{1.0}, array{0.25}).item<double>(), 0.25, 1e-15);
  EXPECT_NEAR(special::jv(array{0.0}, 1.0).item<double>(), 0.7651976865579666, 1e-15);
  EXPECT_EQ(special::eval_chebyt(array{2}, array{0.5}).item<double>(), -0.5);
  const auto [ai, aip, bi, bip] = special::airy(array{0.0});
  EXPECT_NEAR(ai.item<double>(), 0.3550280538878172, 1e-15);
  EXPECT_NEAR(bip.item<double>(), 0.4482883573538264, 1e-15);
  EXPECT_EQ(special::gamma(array{1.5f}).dtype(), Dtype::float32);
  EXPECT_EQ(special::wofz(array{1.5}).dtype(), Dtype::complex128);
}

TEST(Api, TwoResults) {
  auto [quotient, rest] = divmod(array{7.0, -7.0}, 3);
  EXPECT_EQ(values(quotient), (std::vector<double>{2, -3}));
  EXPECT_EQ(values(rest), (std::vector<double>{1, 2}));
  auto [fraction, whole] = modf(array{2.5});
  EXPECT_EQ(fraction.item<double>(), 0.5);
  EXPECT_EQ(whole.item<double>(), 2);
  auto [mantissa, exponent] = frexp(array{8.0});
  EXPECT_EQ(mantissa.item<double>(), 0.5);
  EXPECT_EQ(exponent.item<int>(), 4);
}

TEST(Api, Creation) {
  EXPECT_EQ(array({1, 2}).dtype(), Dtype::int32);
  EXPECT_EQ((array{{1.f, 2.f}, {3.f, 4.f}}).shape(), (Dims{2, 2}));
  EXPECT_EQ(full({2}, 7).dtype(), Dtype::int64);
  EXPECT_EQ(full({2}, 7, Dtype::float16).dtype(), Dtype::float16);
  EXPECT_EQ(values(arange(3)), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values(arange(5, 0, -2)), (std::vector<double>{5, 3, 1}));
  EXPECT_EQ(arange(3).dtype(), Dtype::int64);
  EXPECT_EQ(arange(0, 1, 0.25).size(), 4);
  EXPECT_EQ(arange(5, 0).size(), 0);
  EXPECT_EQ(values(linspace(0, 1, 3)), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(values(linspace(0, 1, 2, false)), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(values(eye(2)), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(values(eye(2, 3, 1)), (std::vector<double>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values(zeros_like(array{1, 2})), (std::vector<double>{0, 0}));
  EXPECT_EQ(array(std::vector<long long>{1}).dtype(), Dtype::int64);
  EXPECT_EQ(array(3).ndim(), 0);
  EXPECT_TRUE(raises<value_error>([] { array(std::vector<int>{1, 2, 3}, {2, 2}); },
                                  "array: 3 elements do not fill the shape (2,2)"));
  EXPECT_TRUE(raises<value_error>([] { zeros({-1}); }, "negative dimensions are not allowed"));
  EXPECT_TRUE(raises<value_error>([] { array{{1, 2}, {3}}; },
                                  "array: rows of different lengths have no common shape"));
}

TEST(Api, Reductions) {
  array a = arange(6).reshape({2, 3});
  EXPECT_EQ(sum(a).item<int>(), 15);
  EXPECT_EQ(values(sum(a, 0)), (std::vector<double>{3, 5, 7}));
  EXPECT_EQ(values(sum(a, -1)), (std::vector<double>{3, 12}));
  EXPECT_EQ(sum(a, Axes{0, 1}).ndim(), 0);
  EXPECT_EQ(sum(a, {.axis = {0, 1}, .keepdims = true}).shape(), (Dims{1, 1}));
  EXPECT_EQ(sum(a, {.axis = 1, .dtype = Dtype::float32}).dtype(), Dtype::float32);
  EXPECT_EQ(prod(a(1)).item<int>(), 60);
  EXPECT_EQ(values(min(a, 1)), (std::vector<double>{0, 3}));
  EXPECT_EQ(values(max(a, 0)), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(values(ptp(a, 1)), (std::vector<double>{2, 2}));
  EXPECT_EQ(mean(a).item<double>(), 2.5);
  EXPECT_NEAR(var(a).item<double>(), 35.0 / 12, 1e-15);
  EXPECT_NEAR(var(a, {.ddof = 1}).item<double>(), 3.5, 1e-15);
  EXPECT_NEAR(stddev(a).item<double>(), std::sqrt(35.0 / 12), 1e-15);
  EXPECT_EQ(values(argmax(a, 1)), (std::vector<double>{2, 2}));
  EXPECT_EQ(argmin(a).item<int>(), 0);
  EXPECT_EQ(count_nonzero(a).item<int>(), 5);
  EXPECT_EQ(values(cumsum(a)), (std::vector<double>{0, 1, 3, 6, 10, 15}));
  EXPECT_EQ(values(cumprod(a, 1)), (std::vector<double>{0, 0, 0, 3, 12, 60}));
  EXPECT_EQ(sum(array{true, true}).dtype(), Dtype::int64);
  EXPECT_EQ(mean(full({4}, 60000, Dtype::float16)).item<float>(), 60000.f);
  std::complex<double> z{3, 4};
  EXPECT_NEAR(var(array{z, -z}).item<double>(), 25, 1e-12);
}

TEST(Api, MeanAndVarianceAreOneKernel) {
  array a = arange(10000.0).reshape({100, 100}).eval();
  reset_stats();
  array y = (a - mean(a, {.axis = 1, .keepdims = true})) / stddev(a, {.axis = 1, .keepdims = true});
  y.eval();
  EXPECT_EQ(stats().launched, 1u);
}

TEST(Api, EmptyAndZeroDimensional) {
  array none = zeros({0, 3});
  EXPECT_EQ(sum(none).item<double>(), 0);
  EXPECT_EQ(sum(none, 0).shape(), (Dims{3}));
  EXPECT_EQ((none + 1).shape(), (Dims{0, 3}));
  EXPECT_TRUE(std::isnan(mean(none).item<double>()));
  EXPECT_TRUE(none.to_vector<double>().empty());
  EXPECT_TRUE(raises<value_error>(
      [&] { max(none); }, "zero-size array to reduction operation maximum which has no identity"));
  array zero_d = array(2.0) * 3;
  EXPECT_EQ(zero_d.ndim(), 0);
  EXPECT_EQ(zero_d.item<double>(), 6);
  EXPECT_EQ(sum(zero_d).item<double>(), 6);
  EXPECT_EQ(cumsum(zero_d).shape(), (Dims{1}));
  EXPECT_EQ(to_string(none), "[]");
}

TEST(Api, Manipulation) {
  array a = arange(6).reshape({2, 3});
  EXPECT_EQ(values(transpose(a)), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(flip(a, 1)), (std::vector<double>{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values(roll(a, 1)), (std::vector<double>{5, 0, 1, 2, 3, 4}));
  EXPECT_EQ(values(roll(a, -1, 1)), (std::vector<double>{1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(expand_dims(a, Axes{0, -1}).shape(), (Dims{1, 2, 3, 1}));
  EXPECT_EQ(squeeze(zeros({1, 2, 1})).shape(), (Dims{2}));
  EXPECT_EQ(squeeze(zeros({1, 2, 1}), 0).shape(), (Dims{2, 1}));
  EXPECT_EQ(moveaxis(zeros({2, 3, 4}), 0, -1).shape(), (Dims{3, 4, 2}));
  EXPECT_EQ(moveaxis(zeros({2, 3, 4}), Dims{0, 1}, Dims{1, 2}).shape(), (Dims{4, 2, 3}));
  EXPECT_THROW(moveaxis(zeros({2, 3}), Dims{0, 0}, Dims{0, 1}), value_error);
  EXPECT_EQ(swapaxes(zeros({2, 3, 4}), 0, 2).shape(), (Dims{4, 3, 2}));
  EXPECT_EQ(concatenate({a, a}, 1).shape(), (Dims{2, 6}));
  EXPECT_EQ(values(concatenate({array{1}, array{2.5}})), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(stack({a, a}, 1).shape(), (Dims{2, 2, 3}));
  EXPECT_EQ(broadcast_to(array{1, 2, 3}, {2, 3}).shape(), (Dims{2, 3}));
  EXPECT_EQ(broadcast_arrays({zeros({3, 1}), zeros({4})})[1].shape(), (Dims{3, 4}));
  EXPECT_EQ(reshape(a, {-1}).shape(), (Dims{6}));
}

TEST(Api, ErrorsSayWhatPythonSays) {
  array a = zeros({3}), b = zeros({4});
  EXPECT_TRUE(raises<value_error>(
      [&] { a + b; }, "add: operands could not be broadcast together with shapes (3,) (4,)"));
  EXPECT_TRUE(raises<axis_error>([&] { sum(a, 1); }, "axis 1 is out of bounds"));
  EXPECT_TRUE(raises<type_error>([&] { sin(a) & a; }, "ufunc 'bitwise_and' not supported"));
  EXPECT_TRUE(raises<value_error>([&] { a.reshape({2, 2}); },
                                  "cannot reshape array of size 3 into shape (2,2)"));
  EXPECT_TRUE(raises<value_error>([&] { concatenate({a, zeros({2, 2})}); },
                                  "must have same number of dimensions"));
  EXPECT_TRUE(raises<value_error>([&] { squeeze(a, 0); }, "size not equal to one"));
  EXPECT_TRUE(raises<value_error>([&] { pow(array{2}, -1); },
                                  "Integers to negative integer powers are not allowed."));
  EXPECT_TRUE(raises<value_error>([&] { static_cast<void>(static_cast<bool>(a)); },
                                  "The truth value of an array with more than one element"));
  EXPECT_TRUE(
      raises<value_error>([&] { a.item<double>(); }, "can only convert an array of size 1"));
  EXPECT_TRUE(raises<value_error>([&] { set_default_device("abacus"); }, "abacus"));
}

TEST(Api, HostMemory) {
  std::vector<float> memory{1, 2, 3, 4};
  array copied{std::span<const float>(memory)};
  array shared = alias(std::span<float>(memory), {2, 2});
  shared(0) = 9;
  EXPECT_EQ(memory, (std::vector<float>{9, 9, 3, 4}));
  memory[3] = 5;
  EXPECT_EQ(sum(shared).item<float>(), 26);
  EXPECT_EQ(sum(copied).item<float>(), 10);

  std::vector<double> out(4);
  copied.copy_to(std::span<double>(out));
  EXPECT_EQ(out, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(raises<value_error>([&] { copied.copy_to(std::span<double>(out).first(3)); },
                                  "copy_to: room for 3 elements"));

  array before = copied + 0;
  {
    HostSpan<float> span(copied);
    span[0] = 100;
    std::span<float> plain = span;
    EXPECT_EQ(plain.size(), 4u);
    EXPECT_EQ(sum(copied).item<float>(), 109);
  }
  EXPECT_EQ(sum(before).item<float>(), 10) << "a value taken before the write changed";
  EXPECT_TRUE(raises<type_error>([&] { HostSpan<double> wrong(copied); }, "float32, not float64"));
  EXPECT_TRUE(raises<value_error>([&] { HostSpan<float> wrong(shared.T()); }, "not C-contiguous"));
}

TEST(Api, DtypesConvert) {
  for (int t = 0; t < dtype_count; ++t) {
    auto dtype = static_cast<Dtype>(t);
    array a = array{0, 1}.astype(dtype);
    EXPECT_EQ(a.dtype(), dtype);
    EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{0, 1})) << name(dtype);
    EXPECT_EQ((a + a).dtype(), dtype);
    EXPECT_TRUE(all(a == array{0, 1})) << name(dtype);
  }
  EXPECT_EQ(array{float16(1.5f)}.to_vector<float>()[0], 1.5f);
  EXPECT_EQ(array{bfloat16(1.5f)}.item<double>(), 1.5);
  EXPECT_EQ((array{std::complex<float>(1, 2)}.item<std::complex<double>>()),
            std::complex<double>(1, 2));
  EXPECT_EQ(values(real(array{std::complex<double>(1, 2)})), (std::vector<double>{1}));
  EXPECT_EQ(values(imag(array{std::complex<double>(1, 2)})), (std::vector<double>{2}));
}

TEST(Api, Printing) {
  std::ostringstream out;
  out << array{{1.0, 2.5}, {-3.0, 0.125}};
  EXPECT_EQ(out.str(), "[[ 1.     2.5  ]\n [-3.     0.125]]");
  EXPECT_EQ(to_string(array{1, 10, 100}), "[  1  10 100]");
  EXPECT_EQ(to_string(array{true, false}), "[ True False]");
  EXPECT_EQ(to_string(array(1.0)), "1.0");
  EXPECT_EQ(to_string(array{1e10, 1.5, double{NAN}, -double{INFINITY}}),
            "[1.0e+10 1.5e+00     nan    -inf]");
  EXPECT_EQ(to_string(array{0.1f, 0.3f}), "[0.1 0.3]");
  EXPECT_EQ(to_string(array{1.0 / 3}), "[0.33333333]");
  EXPECT_EQ(to_string(array{float16(0.1f)}), "[0.1]");
  EXPECT_EQ(to_string(array{std::complex<double>(1, 2), std::complex<double>(-3.5, 0)}),
            "[ 1. +2.j -3.5+0.j]");
  EXPECT_EQ(to_string(arange(1200)), "[   0    1    2 ... 1197 1198 1199]");
  EXPECT_EQ(to_string(ones({2, 1, 2})), "[[[1. 1.]]\n\n [[1. 1.]]]");
  EXPECT_EQ(to_string(arange(30)),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29]");
}

TEST(Api, Devices) {
  EXPECT_FALSE(device_names().empty());
  DeviceScope on("cpu");
  EXPECT_EQ(default_device_name(), "cpu");
  EXPECT_EQ(zeros({1}).device_name(), "cpu");
  EXPECT_EQ(values(to_device(array{1.0}, "cpu")), (std::vector<double>{1}));
}

TEST(Api, EvaluatesTogetherAndExplains) {
  array a = ones({1000}).eval();
  array x = a * 2;
  array y = x + 1;
  EXPECT_NE(explain(x, y).find("1 kernel for 2 operations"), std::string::npos) << explain(x, y);
  reset_stats();
  eval(x, y);
  EXPECT_EQ(stats().launched, 1u);
  EXPECT_FALSE(x.pending());
  EXPECT_FALSE(y.pending());
  synchronize();
}

}  // namespace
}  // namespace heddle
