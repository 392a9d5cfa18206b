#include <cmath>

#include <gtest/gtest.h>

#include <heddle/array.h>

#include "core/storage.h"
#include "graph/graph.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/reduction.h"
#include "runtime/device.h"

namespace heddle {
namespace {

array counted(std::int64_t n, Dtype dtype = Dtype::float32) {
  return cast(index_along({n}, 0, cpu_device()), dtype);
}

TEST(Array, FusesAnExpressionIntoOneKernel) {
  array a = counted(1000).eval();
  auto before = statistics().launched;
  array y = elementwise(
      Op::add, {elementwise(Op::multiply, {elementwise(Op::sin, {a}), Scalar(2)}),
                elementwise(Op::sqrt, {elementwise(Op::absolute, {a})})});
  EXPECT_TRUE(y.pending());
  auto values = y.to_vector<float>();
  EXPECT_LE(statistics().launched - before, 1u);
  for (int i = 0; i < 1000; ++i) {
    auto x = static_cast<float>(i);
    EXPECT_NEAR(values[i], std::sin(x) * 2 + std::sqrt(x), 1e-5 * std::sqrt(x) + 1e-6);
  }
}

TEST(Array, WritesThroughViews) {
  array x = counted(12).reshape({3, 4}).copy();
  array view = x.T()(Slice{1, {}}, Slice{{}, {}, -2});
  view += Scalar(100);
  auto values = x.to_vector<float>();
  for (int i = 0; i < 12; ++i) {
    bool touched = i % 4 >= 1 && (i / 4) % 2 == 0;
    EXPECT_EQ(values[i], static_cast<float>(i + (touched ? 100 : 0))) << i;
  }
}

TEST(Array, OverlappingUpdateReadsOldValues) {
  array x = counted(10);
  array tail = x.slice(0, {1, {}});
  tail += x.slice(0, {{}, -1});
  auto values = x.to_vector<float>();
  EXPECT_EQ(values[0], 0);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(values[i], static_cast<float>(2 * i - 1));
}

TEST(Array, ReductionsAndSoftmax) {
  array x = elementwise(Op::divide, {counted(6 * 50).reshape({6, 50}), Scalar(100)}).eval();
  auto before = statistics().launched;
  array e = elementwise(Op::exp, {x});
  array s = reduce(Op::add, e, 2, true, Dtype::float32);
  array y = elementwise(Op::divide, {e, s});
  e = array();
  s = array();
  y.eval();
  EXPECT_EQ(statistics().launched - before, 1u);
  array total = reduce(Op::add, y, 3, false, Dtype::float32);
  EXPECT_NEAR(total.item<float>(), 6, 1e-5);
}

TEST(Array, LongSumsSplit) {
  array x = cast(index_along({1000000}, 0, cpu_device()), Dtype::float64);
  EXPECT_EQ(reduce(Op::add, x, 1, false, Dtype::float64).item<double>(), 499999500000.0);
}

TEST(Array, GatherAndScatter) {
  array x = counted(10);
  array index(std::vector<std::int64_t>{3, -1, 3});
  std::vector<IndexItem> items{{IndexItem::Kind::array, 0, {}, index}};
  EXPECT_EQ(get_item(x, items).to_vector<float>(), (std::vector<float>{3, 9, 3}));
  set_item(x, items, array(Scalar(7), Dtype::float32));
  EXPECT_EQ(x.to_vector<float>()[9], 7);
  update_item(x, items, Op::add, array(Scalar(1), Dtype::float32));
  EXPECT_EQ(x.to_vector<float>()[3], 9);
}

}  // namespace
}  // namespace heddle
