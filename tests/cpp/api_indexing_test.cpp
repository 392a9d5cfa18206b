// The public C++ API, index expressions and writes; long chains; threads.
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "api_support.h"
#include "graph/graph.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

using testing::raises;
using testing::values;

TEST(ApiIndexing, SlicesAreViews) {
  array x = arange(12.0).reshape({3, 4});
  EXPECT_EQ(values(x(1)), (std::vector<double>{4, 5, 6, 7}));
  EXPECT_EQ(values(x(Slice{1, {}}, 0)), (std::vector<double>{4, 8}));
  EXPECT_EQ(values(x(-1, Slice{{}, {}, -2})), (std::vector<double>{11, 9}));
  EXPECT_EQ(values(x(ellipsis, 3)), (std::vector<double>{3, 7, 11}));
  EXPECT_EQ(x(newaxis, ellipsis, newaxis).shape(), (Dims{1, 3, 4, 1}));
  EXPECT_EQ(x(Slice{5, 9}).shape(), (Dims{0, 4}));
  EXPECT_EQ(x(2, 3).item<double>(), 11);
  EXPECT_EQ(values(x[0]), (std::vector<double>{0, 1, 2, 3}));
}

TEST(ApiIndexing, AssigningToAnIndexWritesAndToANameDoesNot) {
  array x = zeros({2, 3});
  array y = x(0);
  y = ones({3});
  EXPECT_EQ(sum(x).item<double>(), 0) << "y is another array";
  x(0) = array{1.0, 2.0, 3.0};
  x(1, 2) = 7;
  x[1](Slice{0, 2}) = 5;
  EXPECT_EQ(values(x), (std::vector<double>{1, 2, 3, 5, 5, 7}));
  array view = x(Slice{}, 1);
  view += 10;
  view.assign(view * 2);
  EXPECT_EQ(values(x), (std::vector<double>{1, 24, 3, 5, 30, 7}));
}

TEST(ApiIndexing, WritesThroughChainsOfViews) {
  array x = zeros({3, 4});
  x.T()(Slice{1, {}}, Slice{{}, {}, -2}) += 1;
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1}));
  array before = x + 0;
  array held = x;
  held *= 3;
  EXPECT_EQ(sum(x).item<double>(), 18) << "a copy of the handle shares the elements";
  EXPECT_EQ(sum(before).item<double>(), 6) << "a value made before the write keeps its elements";
  array own = x.copy();
  own(0) = 100;
  EXPECT_EQ(sum(x).item<double>(), 18);
}

TEST(ApiIndexing, OverlappingWritesReadOldElements) {
  array x = arange(6.0);
  x(Slice{1, {}}) += x(Slice{{}, -1});
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 3, 5, 7, 9}));
  x = arange(5.0);
  x(Slice{}) = x(Slice{{}, {}, -1});
  EXPECT_EQ(values(x), (std::vector<double>{4, 3, 2, 1, 0}));
  array m = arange(9.0).reshape({3, 3});
  m(ellipsis) = m.T();
  EXPECT_EQ(values(m), (std::vector<double>{0, 3, 6, 1, 4, 7, 2, 5, 8}));
}

TEST(ApiIndexing, WritesAllocateNothing) {
  array x = ones({100000}).eval(), y = ones({100000}).eval();
  reset_stats();
  x(Slice{1, -1}) += 1;
  x(Slice{1, -1}) += sin(y(Slice{1, -1}));
  x(Slice{1, -1}) = sqrt(y(Slice{1, -1})) + x(Slice{1, -1});
  x.eval();
  EXPECT_EQ(stats().launched, 1u);
  EXPECT_EQ(stats().bytes_allocated, 0u) << "a value went somewhere else than to its target";
  EXPECT_NEAR(x(1).item<double>(), 3 + std::sin(1.0), 1e-12);
}

TEST(ApiIndexing, MasksReadAndWrite) {
  array x = arange(6.0).reshape({2, 3});
  array mask = x > 2;
  EXPECT_EQ(values(x(mask)), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(values(x(mask) * 2), (std::vector<double>{6, 8, 10}));
  EXPECT_EQ(sum(x(mask)).item<double>(), 12);
  x(mask) = 0;
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 2, 0, 0, 0}));
  x(x == 0) = array{9.0, 8.0, 7.0, 6.0};
  EXPECT_EQ(values(x), (std::vector<double>{9, 1, 2, 8, 7, 6}));
  x(x > 6) -= 6;
  EXPECT_EQ(values(x), (std::vector<double>{3, 1, 2, 2, 1, 6}));
  x(array{true, false}) = -1;
  EXPECT_EQ(values(x), (std::vector<double>{-1, -1, -1, 2, 1, 6}));
}

TEST(ApiIndexing, IntegerArraysReadAndWrite) {
  array x = arange(12.0).reshape({3, 4});
  array rows{2, 0};
  EXPECT_EQ(values(x(rows, 1)), (std::vector<double>{9, 1}));
  EXPECT_EQ(values(x(rows, array{0, -1})), (std::vector<double>{8, 3}));
  EXPECT_EQ(x(rows, Slice{1, 3}).to_vector<double>(), (std::vector<double>{9, 10, 1, 2}));
  EXPECT_EQ(array(x(newaxis, rows)).shape(), (Dims{1, 2, 4}));
  x(rows, 1) = array{-1.0, -2.0};
  EXPECT_EQ(x(2, 1).item<double>(), -1);
  EXPECT_EQ(x(0, 1).item<double>(), -2);
  array counts = zeros({3});
  counts(array{1, 1, 2}) += 1;
  EXPECT_EQ(values(counts), (std::vector<double>{0, 1, 1})) << "twice named, once changed";
  array y = zeros({2, 4});
  y(array{1, 0}) = x(array{0, 1});
  EXPECT_EQ(values(y(0)), values(x(1)));
  EXPECT_EQ(values(take(x, array{3, 0}, 1)), (std::vector<double>{3, 0, 7, 4, 11, 8}));
  EXPECT_EQ(values(take(x, array{11, 4})), (std::vector<double>{11, 4}));
  EXPECT_EQ(values(nonzero(array{0, 5, 0, 7})[0]), (std::vector<double>{1, 3}));
}

TEST(ApiIndexing, Errors) {
  array x = zeros({2, 3});
  EXPECT_TRUE(
      raises<index_error>([&] { x(2); }, "index 2 is out of bounds for axis 0 with size 2"));
  EXPECT_TRUE(
      raises<index_error>([&] { x(0, -4); }, "index -4 is out of bounds for axis 1 with size 3"));
  EXPECT_TRUE(raises<index_error>([&] { x(0, 0, 0); }, "too many indices for array"));
  EXPECT_TRUE(
      raises<index_error>([&] { (void)array(x(array{0, 2})); }, "index 2 is out of bounds"));
  EXPECT_TRUE(raises<index_error>([&] { (void)array(x(array{0.5})); },
                                  "arrays used as indices must be of integer"));
  EXPECT_TRUE(raises<index_error>([&] { (void)array(x(array{true, false, true})); },
                                  "boolean index did not match"));
  EXPECT_TRUE(raises<value_error>([&] { x(Slice{0, 1, 0}); }, "slice step cannot be zero"));
  EXPECT_TRUE(raises<value_error>([&] { x(0) = zeros({2}); }, "could not broadcast"));
  EXPECT_EQ(sum(x).item<double>(), 0);
}

TEST(ApiIndexing, FailingWritesLeaveTheTarget) {
  array n{1, 2, 3};
  EXPECT_TRUE(raises<casting_error>(
      [&] { n += 0.5; },
      "Cannot cast ufunc 'add' output from dtype('float64') to dtype('int32') with casting rule "
      "'same_kind'"));
  EXPECT_TRUE(raises<casting_error>([&] { n(n > 1) *= 1.5; }, "same_kind"));
  EXPECT_TRUE(raises<value_error>([&] { n += zeros({2, 3}, Dtype::int32); },
                                  "non-broadcastable output operand with shape (3,)"));
  EXPECT_TRUE(raises<value_error>([&] { n(0) = NAN; }, "cannot convert float NaN to integer"));
  EXPECT_TRUE(raises<overflow_error>([&] { n(0) = std::int64_t{1} << 40; }, "out of bounds"));
  EXPECT_TRUE(raises<index_error>([&] { n(array{0, 7}) = 5; }, "index 7 is out of bounds"));
  EXPECT_EQ(n.to_vector<int>(), (std::vector<int>{1, 2, 3}));
}

TEST(ApiChains, AHundredThousandOperations) {
  array x = zeros({4});
  for (int i = 0; i < 100000; ++i) x = x + 1;
  EXPECT_EQ(values(x), (std::vector<double>(4, 100000)));
}

// With the limits on pending nodes out of the way, and nothing computed at the call, the whole
// chain is one graph: walking and destroying it must not recurse.
class Unlimited {
 public:
  Unlimited() {
    limits().pending = 1 << 30;
    limits().at_once = 0;
  }
  ~Unlimited() { limits() = before_; }

 private:
  Limits before_ = limits();
};

TEST(ApiChains, OneGraphEvaluated) {
  Unlimited scope;
  array x = zeros({4}).eval();
  for (int i = 0; i < 100000; ++i) x = x + 1;
  EXPECT_TRUE(x.pending());
  EXPECT_EQ(values(x), (std::vector<double>(4, 100000)));
}

TEST(ApiChains, OneGraphDestroyed) {
  Unlimited scope;
  array x = zeros({4}).eval();
  array y = x;
  for (int i = 0; i < 100000; ++i) x = sqrt(x) + 1;
  for (int i = 0; i < 5000; ++i) y = sqrt(y) + y;
  EXPECT_TRUE(x.pending() && y.pending());
  x = y = array();
}

TEST(ApiChains, ManyWrites) {
  array x = zeros({100});
  for (int i = 0; i < 1000; ++i) x(Slice{i % 50, {}}) += 1;
  EXPECT_EQ(x(99).item<double>(), 1000);
  EXPECT_EQ(x(0).item<double>(), 20);
}

TEST(ApiThreads, DistinctArrays) {
  constexpr int count = 4;
  std::vector<double> totals(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([t, &totals] {
      for (int i = 0; i < 20; ++i) {
        array x = full({1000}, t + 1.0);
        array y = sqrt(x * x) + i - i;
        y(Slice{0, 500}) *= 2;
        totals[static_cast<std::size_t>(t)] += sum(y).item<double>();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < count; ++t)
    EXPECT_NEAR(totals[static_cast<std::size_t>(t)], 30000 * (t + 1), 1e-6);
}

TEST(ApiThreads, SharedForReading) {
  array x = sin(linspace(0, 1, 1000));
  double expected = 0;
  for (int i = 0; i < 1000; ++i) expected += std::sin(i / 999.0);
  std::vector<std::thread> threads;
  std::vector<double> totals(4);
  for (double& total : totals) {
    threads.emplace_back([&x, &total] {
      for (int i = 0; i < 10; ++i) total = sum(x(Slice{}) * 1).item<double>();
    });
  }
  for (auto& thread : threads) thread.join();
  for (double total : totals) EXPECT_NEAR(total, expected, 1e-9);
}

}  // namespace
}  // namespace heddle
