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

TEST(ApiLinalg, Multiplies) {
  array a = matrix(), b = array{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, v{1.0, 2.0, 3.0};
  EXPECT_TRUE(close(matmul(a, b), product(a, b)));
  EXPECT_TRUE(close(matmul(stack({a, a * 2.0}), b), stack({product(a, b), 2.0 * product(a, b)})));
  EXPECT_TRUE(close(matmul(a, v), sum(a * v, 1)));
  EXPECT_TRUE(close(matvec(stack({a, a}), v), stack({matmul(a, v), matmul(a, v)})));
  EXPECT_TRUE(close(vecmat(v, b), sum(expand_dims(v, 1) * b, 0)));
  EXPECT_EQ(dot(v, v).item<double>(), 14);
  EXPECT_EQ(vecdot(array{1, 2}, array{3, 4}).item<std::int32_t>(), 11);
  EXPECT_TRUE(close(dot(a, b), matmul(a, b)));
  EXPECT_TRUE(close(inner(a, b.T()), matmul(a, b)));
  EXPECT_TRUE(close(outer(v, v), expand_dims(v, 1) * v));
  EXPECT_TRUE(close(tensordot(a, b, 1), matmul(a, b)));
  EXPECT_TRUE(close(tensordot(a, b, {0}, {0}), matmul(a.T(), b)));
  EXPECT_TRUE(close(tensordot(a, a), sum(a * a)));
  EXPECT_THROW(matmul(b, a), value_error);
  EXPECT_THROW(dot(b, b), value_error);
  EXPECT_THROW(tensordot(a, b, {0}, {1}), value_error);
  EXPECT_THROW(tensordot(a, b, {0, 0}, {0, 0}), value_error);
  EXPECT_THROW(tensordot(a, b, {5}, {0}), axis_error);
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
