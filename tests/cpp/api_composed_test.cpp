// Functions of NumPy's that are composed of others, each with the numbers that NumPy gives.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

const double nan = std::numeric_limits<double>::quiet_NaN();

array counted(const Dims& shape) { return arange(size_of(shape)).reshape(shape); }
Doubles doubles(const array& a) { return a.to_vector<double>(); }
Integers integers(const array& a) { return a.to_vector<std::int64_t>(); }
std::vector<bool> truths(const array& a) { return a.to_vector<bool>(); }

TEST(ApiComposed, MemoryOfArrays) {
  const array a = counted({2, 3});
  EXPECT_TRUE(is_c_contiguous(ascontiguousarray(a.T()).layout()));
  EXPECT_EQ(asfortranarray(a).layout().strides, (Dims{1, 2}));
  EXPECT_EQ(integers(asfortranarray(a)), integers(a));
  EXPECT_EQ(integers(as_strided(arange(5), {3, 3}, {1, 1})), (Integers{0, 1, 2, 1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(integers(asarray_chkfinite(a)), integers(a));
  EXPECT_THROW(asarray_chkfinite(array{1.0, nan}), value_error);
}

TEST(ApiComposed, Turned) {
  const array a = counted({2, 3});
  EXPECT_EQ(integers(fliplr(a)), (Integers{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(integers(flipud(a)), (Integers{3, 4, 5, 0, 1, 2}));
  EXPECT_THROW(fliplr(arange(3)), value_error);
  const array deep = dstack({arange(2), arange(2) + 10});
  EXPECT_EQ(deep.shape(), (Dims{1, 2, 2}));
  EXPECT_EQ(integers(deep), (Integers{0, 10, 1, 11}));
  EXPECT_EQ(integers(diagflat(arange(2) + 1, 1)), (Integers{0, 1, 0, 0, 0, 2, 0, 0, 0}));
}

TEST(ApiComposed, IndicesOfMatrices) {
  const array square = counted({2, 2}), wide = counted({2, 3});
  auto expect = [](const std::vector<array>& found, const Integers& rows, const Integers& columns) {
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(integers(found[0]), rows);
    EXPECT_EQ(integers(found[1]), columns);
  };
  expect(diag_indices_from(square), {0, 1}, {0, 1});
  expect(tril_indices_from(wide), {0, 1, 1}, {0, 0, 1});
  expect(triu_indices_from(wide, 1), {0, 0, 1}, {1, 2, 2});
  expect(sparse_indices({2, 3}), {0, 1}, {0, 1, 2});
  const auto crossed = ix_({array{0, 1}, array{2, 0}});
  EXPECT_EQ(crossed[0].shape(), (Dims{2, 1}));
  EXPECT_EQ(integers(wide(crossed[0], crossed[1])), (Integers{2, 0, 5, 3}));
}

TEST(ApiComposed, WithoutNans) {
  const array a{1.0, nan, 3.0, 2.0};
  EXPECT_EQ(doubles(nancumsum(a)), (Doubles{1, 1, 4, 6}));
  EXPECT_EQ(doubles(nancumprod(a)), (Doubles{1, 1, 3, 6}));
  EXPECT_EQ(nanquantile(a, 0.5).item<double>(), 2);
  EXPECT_EQ(nanpercentile(a, 100.0).item<double>(), 3);
}

TEST(ApiComposed, NumbersAndTheirParts) {
  EXPECT_EQ(doubles(fix(array{-1.5, 1.5, 2.0})), (Doubles{-1, 1, 2}));
  const array z = array{1.0, 2.0} + array{0.0, 1.0} * Scalar(std::complex<double>(0, 1));
  EXPECT_EQ(truths(iscomplex(z)), (std::vector{false, true}));
  EXPECT_EQ(truths(isreal(z)), (std::vector{true, false}));
  EXPECT_EQ(real_if_close(z).dtype(), Dtype::complex128);
  EXPECT_EQ(real_if_close(z(Slice{0, 1})).dtype(), Dtype::float64);
}

TEST(ApiComposed, Polynomials) {
  EXPECT_EQ(doubles(poly(array{1.0, 2.0})), (Doubles{1, -3, 2}));
  const array p{1.0, 2.0, 3.0}, q{4.0, 5.0};
  EXPECT_EQ(doubles(polyadd(p, q)), (Doubles{1, 6, 8}));
  EXPECT_EQ(doubles(polysub(p, q)), (Doubles{1, -2, -2}));
  const auto [quotient, remainder] = polydiv(array{1.0, -3.0, 2.0}, array{1.0, -1.0});
  EXPECT_EQ(doubles(quotient), (Doubles{1, -2}));
  EXPECT_EQ(doubles(remainder), (Doubles{0}));
}

TEST(ApiComposed, TransformsOfTwoAxes) {
  const array a = counted({2, 2}).astype(Dtype::float64);
  EXPECT_EQ(doubles(real(fft::fft2(a))), (Doubles{6, -2, -4, 0}));
  EXPECT_EQ(doubles(real(fft::ifft2(fft::fft2(a)))), doubles(a));
}

TEST(ApiComposed, Values) {
  const array a{3, 1, 3, 2};
  EXPECT_EQ(integers(unique_values(a)), (Integers{1, 2, 3}));
  const auto found = unique_inverse(a);
  EXPECT_EQ(integers(found.values), (Integers{1, 2, 3}));
  EXPECT_EQ(integers(found.inverse_indices), (Integers{2, 0, 2, 1}));
}

}  // namespace
}  // namespace heddle
