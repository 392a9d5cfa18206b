// Fourier transforms of the public C++ API, against sums written out.
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "api_support.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

using testing::raises;
using Complex = std::complex<double>;

std::vector<Complex> samples(int n) {
  std::vector<Complex> result;
  for (int i = 0; i < n; ++i) result.emplace_back(std::cos(3.0 * i), std::sin(1.0 * i * i));
  return result;
}

std::vector<Complex> sums(const std::vector<Complex>& x, int sign) {
  auto n = static_cast<double>(x.size());
  std::vector<Complex> result;
  for (std::size_t k = 0; k < x.size(); ++k) {
    Complex sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double turns = static_cast<double>(i * k % x.size()) / n;
      sum += x[i] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
    }
    result.push_back(sum);
  }
  return result;
}

void expect_near(const array& got, const std::vector<Complex>& want, double scale = 1) {
  auto values = got.to_vector<Complex>();
  ASSERT_EQ(values.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_LT(std::abs(values[i] - want[i] * scale), 1e-12) << i;
  }
}

TEST(Fft, OfAnyLength) {
  for (int n : {1, 2, 3, 7, 8, 12, 31, 100}) {
    auto x = samples(n);
    array a(x);
    expect_near(fft::fft(a), sums(x, -1));
    expect_near(fft::ifft(a), sums(x, 1), 1.0 / n);
    expect_near(fft::fft(a, {.norm = fft::Norm::ortho}), sums(x, -1), 1 / std::sqrt(n));
    expect_near(fft::ifft(fft::fft(a)), x);
  }
}

TEST(Fft, RealNumbersThereAndBack) {
  array a = arange(24).astype(Dtype::float32).reshape({4, 6});
  array half = fft::rfft(a, {.axis = 0});
  EXPECT_EQ(half.dtype(), Dtype::complex64);
  EXPECT_EQ(half.shape(), (Dims{3, 6}));
  EXPECT_TRUE(all(abs(fft::irfft(half, {.axis = 0}) - a) < 1e-5).item<bool>());
  array whole = fft::rfftn(a);
  EXPECT_EQ(whole.shape(), (Dims{4, 4}));
  EXPECT_TRUE(all(abs(fft::irfftn(whole) - a) < 1e-5).item<bool>());
}

TEST(Fft, SeveralAxesAreOneAfterTheOther) {
  array a = sin(arange(60) * 0.7).reshape({3, 4, 5});
  array want = fft::fft(fft::fft(a, {.points = 6, .axis = 0}), {.points = 3, .axis = 2});
  array got = fft::fftn(a, {.axes = {0, 2}, .points = Dims{6, 3}});
  EXPECT_EQ(got.shape(), (Dims{6, 4, 3}));
  EXPECT_TRUE(all(abs(got - want) < 1e-12).item<bool>());
}

TEST(Fft, ErrorsSayWhatIsWrong) {
  array a = ones({4});
  EXPECT_TRUE(raises<value_error>([&] { fft::fft(a, {.points = 0}); }, "data points (0)"));
  EXPECT_TRUE(raises<axis_error>([&] { fft::fft(a, {.axis = 1}); }, "fft"));
  EXPECT_TRUE(raises<type_error>([&] { fft::rfft(fft::fft(a)); }, "complex128"));
  EXPECT_TRUE(raises<value_error>([&] { fft::fftn(a, {.axes = {0, 0}}); }, "distinct"));
}

}  // namespace
}  // namespace heddle
