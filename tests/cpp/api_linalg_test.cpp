// Linear algebra through the C++ API.
#include <vector>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle {
namespace {

bool close(const array& a, const array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         (a.size() == 0 || max(abs(a - b)).item<double>() < 1e-12);
}

array matrix() { return array{{4.0, 1.0, 0.5}, {1.0, 3.0, 0.25}, {0.5, 0.25, 2.0}}; }

array product(const array& a, const array& b) {
  return sum(expand_dims(a, -1) * expand_dims(b, -3), -2);
}

TEST(ApiLinalg, SolvesAndInverts) {
  array a = matrix(), b{1.0, 2.0, 3.0};
  array x = linalg::solve(a, b);
  EXPECT_TRUE(close(sum(a * x, 1), b));
  EXPECT_TRUE(close(product(a, linalg::inv(a)), eye(3)));
  EXPECT_TRUE(close(linalg::solve(stack({a, a * 2.0}), b), stack({x, x / 2.0})));
  EXPECT_THROW(linalg::inv(ones({2, 2})), linalg_error);
  EXPECT_THROW(linalg::inv(ones({2, 3})), linalg_error);
  EXPECT_THROW(linalg::solve(a, ones({2})), value_error);
  EXPECT_THROW(linalg::inv(ones({2, 2}, Dtype::float16)), type_error);
  EXPECT_TRUE(all(isnan(linalg::inv_or_nan(ones({2, 2})))).item<bool>());
}

TEST(ApiLinalg, Factors) {
  array a = matrix();
  array l = linalg::cholesky(a);
  EXPECT_TRUE(close(product(l, l.T()), a));
  auto [q, r] = linalg::qr(a);
  EXPECT_TRUE(close(product(q, r), a));
  EXPECT_TRUE(close(product(q.T(), q), eye(3)));
  auto [u, s, vh] = linalg::svd(a);
  EXPECT_TRUE(close(product(u * s, vh), a));
  auto [w, v] = linalg::eigh(a);
  EXPECT_TRUE(close(product(a, v), v * w));
  EXPECT_TRUE(close(prod(w), linalg::det(a)));
  auto [sign, logabsdet] = linalg::slogdet(a);
  EXPECT_TRUE(close(sign * exp(logabsdet), linalg::det(a)));
  EXPECT_THROW(linalg::cholesky(-a), linalg_error);
}

TEST(ApiLinalg, EigenvaluesOfRealMatricesMayBeComplex) {
  array turn{{0.0, -1.0}, {1.0, 0.0}};
  EXPECT_EQ(linalg::eig(turn).eigenvalues.dtype(), Dtype::complex128);
  EXPECT_EQ(linalg::eig(matrix()).eigenvalues.dtype(), Dtype::float64);
}

TEST(ApiLinalg, LeastSquares) {
  array a{{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}};
  array b{{1.0}, {3.0}, {5.0}};
  auto found = linalg::lstsq(a, b);
  EXPECT_TRUE(close(found.x, array{{1.0}, {2.0}}));
  EXPECT_EQ(found.rank, 2);
}

TEST(ApiLinalg, ArgumentsKeepTheirElements) {
  array a = matrix();
  linalg::inv(a);
  linalg::svd(a);
  EXPECT_TRUE(close(a, matrix()));
}

}  // namespace
}  // namespace heddle
