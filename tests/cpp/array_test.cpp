#include <heddle/array.h>

#include <cmath>

#include <gtest/gtest.h>

#include "graph/look.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/operators.h"
#include "ops/reduction.h"
#include "runtime/device.h"
#include "runtime/statistics.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

array counted(std::int64_t n, Dtype dtype = Dtype::float32) {
  return cast(index_along({n}, 0, cpu_device()), dtype);
}

TEST(Array, FusesAnExpressionIntoOneKernel) {
  array a = counted(10000).eval();
  auto before = read_statistics().launched;
  array y = elementwise(Op::add, {elementwise(Op::multiply, {elementwise(Op::sin, {a}), Scalar(2)}),
                                  elementwise(Op::sqrt, {elementwise(Op::absolute, {a})})});
  EXPECT_TRUE(y.pending());
  auto values = y.to_vector<float>();
  EXPECT_LE(read_statistics().launched - before, 1u);
  for (int i = 0; i < 10000; ++i) {
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
  array x = elementwise(Op::divide, {counted(6 * 500).reshape({6, 500}), Scalar(1000)}).eval();
  auto before = read_statistics().launched;
  array e = elementwise(Op::exp, {x});
  array s = reduce(Op::add, e, 2, true, Dtype::float32);
  array y = elementwise(Op::divide, {e, s});
  e = array();
  s = array();
  y.eval();
  EXPECT_EQ(read_statistics().launched - before, 1u);
  array total = reduce(Op::add, y, 3, false, Dtype::float32);
  EXPECT_NEAR(total.item<float>(), 6, 1e-5);
}

TEST(Array, LongSumsSplit) {
  array x = cast(index_along({1000000}, 0, cpu_device()), Dtype::float64);
  EXPECT_EQ(reduce(Op::add, x, 1, false, Dtype::float64).item<double>(), 499999500000.0);
}

TEST(Array, NumbersAreArrays) {
  array x = counted(5);
  x.eval();
  const std::int64_t at[] = {2}, last[] = {-1};
  array two = get_element(x, at);
  ASSERT_TRUE(two.number());
  EXPECT_FALSE(two.pending());
  array sum = binary(Op::add, two, get_element(x, last));
  ASSERT_TRUE(sum.number());
  EXPECT_EQ(sum.item<float>(), 6);
  EXPECT_EQ(sum.item<std::int64_t>(), 6);
  array same = two;  // copies share the element, as those of every array do
  same += Scalar(1);
  EXPECT_EQ(two.item<float>(), 3);
  EXPECT_EQ(x.to_vector<float>()[2], 2);
  set_element(x, at, sum);
  x(1) = Scalar(8);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 8, 6, 3, 4}));
  const std::int64_t beyond[] = {5};
  EXPECT_THROW(get_element(x, beyond), index_error);
  EXPECT_THROW(set_element(x, beyond, sum), index_error);
  EXPECT_THROW(set_element(x, at, x), value_error);
}

TEST(Array, GatherAndScatter) {
  array x = counted(10);
  array index(std::vector<std::int64_t>{3, -1, 3});
  std::vector<IndexItem> items{index_item(index)};
  EXPECT_EQ(get_item(x, items).to_vector<float>(), (std::vector<float>{3, 9, 3}));
  set_item(x, items, array(Scalar(7), Dtype::float32));
  EXPECT_EQ(x.to_vector<float>()[9], 7);
  update_item(x, items, Op::add, array(Scalar(1), Dtype::float32));
  EXPECT_EQ(x.to_vector<float>()[3], 9);
}

}  // namespace
}  // namespace heddle
namespace heddle {
namespace {

TEST(Array, PartialWritesHappenInPlace) {
  array x = counted(100000).eval();
  const void* before = look(*x.storage().value()).data();
  auto& pool = cpu_device().pool();
  pool.reset_statistics();
  array view = x.slice(0, {{}, {}, 2});
  for (int i = 0; i < 10; ++i) view += Scalar(1);
  EXPECT_EQ(look(*x.storage().value()).data(), before);
  EXPECT_LT(pool.allocated_bytes(), 1000u);
  EXPECT_EQ(x.to_vector<float>()[2], 12);
}

TEST(Array, PendingReadersSeeOldValues) {
  array x = counted(1000).eval();
  array doubled = elementwise(Op::multiply, {x, Scalar(2)});
  array copy = x.copy();
  x.slice(0, {0, 10}).assign(Scalar(-1));
  EXPECT_EQ(doubled.to_vector<float>()[5], 10);
  EXPECT_EQ(copy.to_vector<float>()[5], 5);
  EXPECT_EQ(x.to_vector<float>()[5], -1);
}

TEST(Array, HeldMemoryIsBounded) {
  auto saved = limits();
  limits().held_bytes = 1 << 20;
  std::vector<array> sums;
  auto& pool = cpu_device().pool();
  auto used = pool.used_bytes();
  for (int i = 0; i < 50; ++i) {
    array big = counted(100000).eval();  // dies at the end of the round, its sum is pending
    sums.push_back(reduce(Op::add, big, 1, false, Dtype::float32));
  }
  EXPECT_LT(pool.used_bytes() - used, std::size_t{4} << 20);
  limits() = saved;
  EXPECT_EQ(sums[49].item<float>(), sums[0].item<float>());
}

// What a million arrays are held by: see also tests/python/test_footprint.py.
TEST(Array, SmallArraysAreSmall) {
  EXPECT_LE(sizeof(array), 32u);
  EXPECT_LE(sizeof(Storage), 24u);
  EXPECT_LE(sizeof(Value), 40u);
  EXPECT_LE(sizeof(Buffer), 32u);
  auto& pool = cpu_device().pool();
  const auto used = pool.used_bytes();
  array x = full({10}, 1.0, Dtype::float64, cpu_device()).eval();
  EXPECT_EQ(pool.used_bytes() - used, 80 + sizeof(Buffer));
}

TEST(Array, LayoutsAreShared) {
  array x = counted(24).reshape({4, 6}), y = counted(24).reshape({4, 6});
  array sum = x + y, other = x - y;
  EXPECT_EQ(&sum.layout(), &other.layout());
  EXPECT_EQ(&sum.layout(), &sum.storage().value()->shape.dense().operator*());
  EXPECT_EQ(&sum.layout(), &sum.copy().layout());
  // Those that differ in anything are apart.
  array view = x(Slice{1, 3}), below = x(Slice{2, 4}), turned = x.T();
  EXPECT_EQ(view.layout().offset, 6);
  EXPECT_EQ(below.layout().offset, 12);
  EXPECT_EQ(turned.shape(), (Dims{6, 4}));
  EXPECT_EQ(turned.layout().strides, (Dims{1, 6}));
  EXPECT_EQ(counted(4).reshape({4, 1}).shape(), (Dims{4, 1}));
  EXPECT_EQ(counted(4).reshape({1, 4}).shape(), (Dims{1, 4}));
}

TEST(Array, NumbersMoveAndAreCopied) {
  array number = array::of_number(Scalar(2.5).bits(Dtype::float64), Dtype::float64);
  array moved = std::move(number);
  EXPECT_TRUE(moved.number());
  EXPECT_EQ(moved.ndim(), 0);
  array copy = moved;  // shares a storage, which the number gets for it
  EXPECT_EQ(&copy.storage(), &moved.storage());
  EXPECT_EQ(moved.layout(), Layout{});
  array x = counted(3);
  x = moved;
  EXPECT_EQ(x.item<double>(), 2.5);
  x = counted(3);
  EXPECT_EQ(x.shape(), Dims{3});
  moved = std::move(x);
  EXPECT_EQ(moved.to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(copy.item<double>(), 2.5);
}

// Blocks are aligned to huge pages from their size on, but are no multiples of it. The sanitizers'
// allocators hold callers to what the standard says about that.
TEST(Array, MemoryOfAnySize) {
  for (double size : {262'143.0, 262'144.0, 262'145.0, 300'000.0, 1'000'003.0})
    EXPECT_EQ((arange(size) + 1.0)(-1).item<double>(), size);
}

TEST(Array, OutOfMemoryLeavesEverythingAsItWas) {
  auto& pool = cpu_device().pool();
  array x = counted(1 << 20).eval();
  pool.set_limit(pool.used_bytes() + (1 << 16));
  pool.free_all_blocks();
  array y = elementwise(Op::add, {x, Scalar(1)});
  EXPECT_THROW(y.eval(), out_of_memory);
  pool.set_limit(0);
  EXPECT_EQ(y.to_vector<float>()[3], 4);
}

}  // namespace
}  // namespace heddle
