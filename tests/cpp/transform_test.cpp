// Transformations of C++ functions.
#include <heddle/transform.h>

#include <cmath>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle {
namespace {

array written(const array& x) {
  array y = zeros_like(x);
  y(Slice{1, {}}) = square(x(Slice{1, {}}));
  y(0) = x(0) * 3.0;
  return sum(y);
}

TEST(Transform, GradientOfWrites) {
  const array x{1.0, 2.0, 3.0};
  EXPECT_EQ(grad(written)(x).to_vector<double>(), (std::vector{3.0, 4.0, 6.0}));
  auto [value, slope] = value_and_grad(written)(x);
  EXPECT_EQ(value.item<double>(), 16.0);
  EXPECT_EQ(slope.to_vector<double>(), (std::vector{3.0, 4.0, 6.0}));
}

TEST(Transform, HigherOrders) {
  auto f = [](const array& x) { return sin(x) * x; };
  const array x(0.5);
  EXPECT_NEAR(grad(grad(f))(x).item<double>(), 2 * std::cos(0.5) - 0.5 * std::sin(0.5), 1e-15);
  auto [value, change] = jvp(grad(f), x, array(2.0));
  EXPECT_NEAR(value.item<double>(), std::sin(0.5) + 0.5 * std::cos(0.5), 1e-15);
  EXPECT_NEAR(change.item<double>(), 2 * (2 * std::cos(0.5) - 0.5 * std::sin(0.5)), 1e-15);
}

TEST(Transform, WaysBack) {
  const array x{1.0, 2.0, 3.0};
  auto f = [](const array& a) { return a * a(Slice{{}, {}, -1}); };
  const auto [value, pull] = vjp(f, x);
  EXPECT_EQ(value.to_vector<double>(), (std::vector{3.0, 4.0, 3.0}));
  EXPECT_EQ(pull(array{1.0, 0.0, 0.0}).to_vector<double>(), (std::vector{3.0, 0.0, 1.0}));
  EXPECT_EQ(pull(array{0.0, 1.0, 0.0}).to_vector<double>(), (std::vector{0.0, 4.0, 0.0}));
  EXPECT_EQ(vjp([](const array& a) { return stop_gradient(a); }, x).second(x).to_vector<double>(),
            (std::vector{0.0, 0.0, 0.0}));
}

TEST(Transform, Jacobians) {
  // Of rows and columns, so that neither is square.
  const array x{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  auto f = [](const array& a, const array& by) { return sum(square(a) * by, 0); };
  const array by{{1.0}, {10.0}};
  const std::vector expected{2.0, 0.0,   0.0, 80.0, 0.0, 0.0, 0.0, 4.0, 0.0,
                             0.0, 100.0, 0.0, 0.0,  0.0, 6.0, 0.0, 0.0, 120.0};
  for (const array& found : {jacrev(f)(x, by), jacfwd(f)(x, by), jacobian(f)(x, by)}) {
    EXPECT_EQ(found.shape(), (Dims{3, 2, 3}));
    EXPECT_EQ(found.to_vector<double>(), expected);
  }
}

TEST(Transform, Hessians) {
  auto f = [](const array& x) { return x(0) * x(0) * x(1) + sin(x(2)); };
  const array x{1.0, 2.0, 0.5};
  const std::vector expected{4.0, 2.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, -std::sin(0.5)};
  const auto found = hessian(f)(x).to_vector<double>();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
  EXPECT_EQ(hvp(f, x, array{1.0, 1.0, 0.0}).to_vector<double>(), (std::vector{6.0, 2.0, 0.0}));
}

TEST(Transform, Convolution) {
  const array x = arange(Scalar(10.0)).reshape({1, 5, 2});
  const array kernel = ones({3, 2, 1});
  EXPECT_EQ(conv(x, kernel).to_vector<double>(), (std::vector{15.0, 27.0, 39.0}));
  Convolution how;
  how.before = how.after = {1};
  how.strides = {2};
  EXPECT_EQ(conv(x, kernel, how).to_vector<double>(), (std::vector{6.0, 27.0, 30.0}));
  auto total = [&](const array& k) { return sum(square(conv(x, k, how))); };
  // Twice what each window sums up to, times what it has there.
  EXPECT_EQ(grad(total)(kernel).to_vector<double>(),
            (std::vector{2 * (27 * 2.0 + 30 * 6.0), 2 * (27 * 3.0 + 30 * 7.0),
                         2 * (6 * 0.0 + 27 * 4.0 + 30 * 8.0), 2 * (6 * 1.0 + 27 * 5.0 + 30 * 9.0),
                         2 * (6 * 2.0 + 27 * 6.0), 2 * (6 * 3.0 + 27 * 7.0)}));
  EXPECT_THROW(conv(x, ones({3, 3, 1})), value_error);
  EXPECT_THROW(conv(x.astype(Dtype::int64), kernel.astype(Dtype::int64)), type_error);
}

TEST(Transform, RowsOfABatch) {
  const array rows{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  EXPECT_EQ(vmap(written)(rows).to_vector<double>(), (std::vector{16.0, 73.0}));
  EXPECT_EQ(vmap(grad(written))(rows).to_vector<double>(),
            (std::vector{3.0, 4.0, 6.0, 3.0, 10.0, 12.0}));
  auto both = [](const array& a, const array& b) { return std::tuple(a * b, sum(a)); };
  auto [product, total] = vmap(both)(rows, rows);
  EXPECT_EQ(product.to_vector<double>(), (std::vector{1.0, 4.0, 9.0, 16.0, 25.0, 36.0}));
  EXPECT_EQ(total.to_vector<double>(), (std::vector{6.0, 15.0}));
}

TEST(Transform, RecordedCalls) {
  int calls = 0;
  auto f = jit([&calls](const array& x) {
    ++calls;
    x(0) = 5.0;
    return x * 2.0;
  });
  for (double first : {1.0, 2.0, 3.0}) {
    array x{first, first + 1};
    EXPECT_EQ(f(x).to_vector<double>(), (std::vector{10.0, 2 * first + 2}));
    EXPECT_EQ(x.to_vector<double>(), (std::vector{5.0, first + 1}));
  }
  EXPECT_EQ(calls, 1);
  f(array{1.0, 2.0, 3.0});
  EXPECT_EQ(calls, 2);
  auto branch = jit([](const array& x) { return sum(x).item<double>() > 0 ? x * 2.0 : -x; });
  for (double sign : {1.0, -1.0, 2.0, -2.0}) {
    const double wanted = sign > 0 ? 2 * sign : -sign;
    EXPECT_EQ(branch(array{sign, sign}).to_vector<double>(), (std::vector{wanted, wanted}));
  }
}

TEST(Transform, Errors) {
  const array x{1.0, 2.0};
  EXPECT_THROW(grad([](const array& a) { return a; })(x), type_error);
  EXPECT_THROW(grad([](const array& a) { return sum(a); })(array{1, 2}), type_error);
  EXPECT_THROW(vmap([](const array& a) { return a.item<double>() > 0 ? a : -a; })(x), type_error);
  EXPECT_THROW(jvp([](const array& a) { return a; }, x, array{1.0}), value_error);
  EXPECT_EQ(grad([](const array& a) { return sum(a); })(x).to_vector<double>(),
            (std::vector{1.0, 1.0}));
}

TEST(Transform, RowsDrawNumbersOfTheirOwn) {
  random::Generator mine(3), other(3);
  auto f = [&](const array& x) { return x + mine.random({5}); };
  EXPECT_EQ(vmap(f)(zeros({4, 1})).to_vector<double>(), other.random({4, 5}).to_vector<double>());
  EXPECT_EQ(mine.normal(0, 1, {{2}}).to_vector<double>(),
            other.normal(0, 1, {{2}}).to_vector<double>());
}

TEST(Transform, RecordedCallsThatDrawRunAsTheyAre) {
  random::Generator mine(3), other(3);
  auto f = jit([&](const array& x) { return x + mine.random({5}); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f(zeros({5})).to_vector<double>(), other.random({5}).to_vector<double>());
  }
}

TEST(Transform, AnArrayThatSharesAnArgumentsElementsIsNoArgument) {
  const array x{1.0, 2.0};
  x.eval();
  const array hidden = x.copy();
  auto f = jit([&hidden](const array& a) { return a * 10.0 + hidden; });
  EXPECT_EQ(f(x).to_vector<double>(), (std::vector{11.0, 22.0}));
  EXPECT_EQ(f(x + 1.0).to_vector<double>(), (std::vector{21.0, 32.0}));
}

}  // namespace
}  // namespace heddle
