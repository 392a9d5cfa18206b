// Linear algebra through the C++ API.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/look.h"
#include "graph/recorder.h"
#include "graph/value.h"
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
  EXPECT_TRUE(close(product(linalg::pinv(a), b), found.x));
  EXPECT_TRUE(close(linalg::pinv(matrix(), array(1e-15), true), linalg::inv(matrix())));
}

TEST(ApiLinalg, ArgumentsKeepTheirElements) {
  array a = matrix();
  linalg::inv(a);
  linalg::svd(a);
  EXPECT_TRUE(close(a, matrix()));
}

// What recorders hear of failures.

struct Looks : Recorder {
  void look(const Value& value) override { ++count; }
  int count = 0;
};

TEST(ApiLinalg, LooksOnceForFailures) {
  array a = matrix().eval();
  Looks looks;
  linalg::solve(a, ones({3}));
  EXPECT_EQ(std::exchange(looks.count, 0), 1);
  linalg::cholesky(a);
  EXPECT_EQ(std::exchange(looks.count, 0), 1);
  linalg::svd(a);
  EXPECT_EQ(std::exchange(looks.count, 0), 1);
  linalg::qr(a);
  linalg::det(a);
  fft::fft(a);
  EXPECT_EQ(looks.count, 0);
}

TEST(ApiLinalg, IgnoredFailuresNeedNoLook) {
  array a = matrix().eval();
  array x, w, u;
  {
    Looks looks;
    const linalg::FailureScope scope(linalg::Failures::ignore);
    x = linalg::solve(ones({3, 3}), ones({3}));
    w = linalg::eig(a).eigenvalues;
    u = linalg::svd(a).u;
    linalg::cholesky(-a);
    EXPECT_EQ(looks.count, 0);
    EXPECT_TRUE(x.pending() && w.pending() && u.pending());
  }
  EXPECT_EQ(linalg::failures(), linalg::Failures::raise);
  EXPECT_TRUE(all(isnan(x)).item<bool>());
  EXPECT_EQ(w.dtype(), Dtype::complex128);
}

struct Deferring final : Looks {
  bool defers_failures() const override { return true; }
  void fail_if(const Ref<Value>& failed, const char* message) override {
    told.emplace_back(failed, message);
  }
  std::vector<std::pair<Ref<Value>, std::string>> told;
};

bool has_failed(const Ref<Value>& status) {
  return *static_cast<const std::int32_t*>(look(*status).data()) != 0;
}

TEST(ApiLinalg, RecordersMayLookForFailuresThemselves) {
  array a = matrix().eval(), flat = ones({3, 3}).eval();
  array good, bad;
  std::vector<std::pair<Ref<Value>, std::string>> told;
  {
    Deferring recorder;
    Looks inner;  // passes on what it does not know
    good = linalg::inv(a);
    bad = linalg::inv(flat);
    EXPECT_EQ(recorder.count + inner.count, 0);
    told = std::move(recorder.told);
  }
  EXPECT_TRUE(good.pending() && bad.pending());
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].second, "Singular matrix");
  EXPECT_FALSE(has_failed(told[0].first));
  EXPECT_TRUE(has_failed(told[1].first));
  EXPECT_TRUE(close(product(a, good), eye(3)));
}

}  // namespace
}  // namespace heddle
