// Sorting: the public functions, and what the CPU's are made of where Python reaches only the
// whole.
#include "runtime/sorting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "api_support.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_rows.h"
#include "backend/cpu/vector_sort.h"
#include "graph/recorder.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

using testing::raises;
using testing::values;

TEST(Sorting, FunctionsOfArrays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  array a{3.0, nan, -1.0, 2.0};
  EXPECT_EQ(values(argsort(a)), (std::vector<double>{2, 3, 0, 1}));
  auto sorted = values(sort(a));
  EXPECT_EQ(std::vector<double>(sorted.begin(), sorted.end() - 1), (std::vector<double>{-1, 2, 3}));
  EXPECT_TRUE(std::isnan(sorted.back()));

  array m{{3, 1, 2}, {0, 5, 4}};
  EXPECT_EQ(values(sort(m, 0)), (std::vector<double>{0, 1, 2, 3, 5, 4}));
  EXPECT_EQ(values(argsort(m)), (std::vector<double>{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(values(order_statistics(m, {0, 2})), (std::vector<double>{1, 3, 0, 5}));
  EXPECT_EQ(values(partition(m, {1}))[1], 2);
  EXPECT_EQ(values(argpartition(m, {1}))[1], 2);

  array bins{1.0, 2.0, 4.0};
  EXPECT_EQ(values(searchsorted(bins, array{2.0, 5.0, 0.0})), (std::vector<double>{1, 3, 0}));
  EXPECT_EQ(values(searchsorted(bins, array{2.0, 5.0, 0.0}, true)), (std::vector<double>{2, 3, 0}));
  EXPECT_EQ(values(searchsorted(array{1, 2, 3}, array{1.5, 3.5})), (std::vector<double>{1, 3}));
  array places{std::int64_t{1}, std::int64_t{0}, std::int64_t{1}};
  EXPECT_EQ(values(count_bins(places, 3)), (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(values(count_bins(places, 3, array{0.5, 2.0, 1.0})), (std::vector<double>{2, 1.5, 0}));
}

TEST(Sorting, Errors) {
  array m{{3, 1, 2}, {0, 5, 4}};
  EXPECT_TRUE(raises<axis_error>([&] { sort(m, 2); }, "axis 2"));
  EXPECT_TRUE(raises<value_error>([&] { partition(m, {3}); }, "less than 3"));
  EXPECT_TRUE(raises<value_error>([&] { order_statistics(m, {1, 0}); }, "have to ascend"));
  EXPECT_TRUE(raises<value_error>([&] { searchsorted(m, m); }, "too deep"));
}

struct Listener : Recorder {
  void make(const Node&) override { ++made; }
  void look(const Value&) override { ++looks; }
  int made = 0, looks = 0;
};

TEST(Sorting, StepsWaitUntilSomebodyLooks) {
  array a{3.0, 1.0, 2.0};
  a.eval();
  array sorted, places, positions;
  {
    Listener listener;
    sorted = sort(a);
    places = searchsorted(sorted, a);
    positions = argsort(a);
    EXPECT_EQ(listener.looks, 0);
    EXPECT_GE(listener.made, 3);
  }
  EXPECT_TRUE(sorted.pending() && places.pending() && positions.pending());
  EXPECT_EQ(values(places), (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(values(positions), (std::vector<double>{1, 2, 0}));
}

TEST(Sorting, HowMuchAMaskSelectsIsLookedAt) {
  array a{3.0, 1.0, 2.0};
  array mask = a > 1.5;
  eval(a, mask);
  for (const bool pending : {false, true}) {
    const array values_here = pending ? a * 2.0 : a;
    Listener listener;
    const array few = values_here(mask);
    EXPECT_EQ(few.shape(), Dims{2});
    EXPECT_EQ(listener.looks, 1);
    EXPECT_FALSE(few.pending());
    EXPECT_EQ(values(few), (pending ? std::vector<double>{6, 4} : std::vector<double>{3, 2}));
  }
}

template <class K>
class SortingKeys : public ::testing::Test {};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SortingKeys, Widths);

TYPED_TEST(SortingKeys, ShortRowsOfEveryLength) {
  std::mt19937_64 random(1);
  for (std::int64_t length = 1; length <= cpu::longest_short_row; ++length) {
    const std::int64_t rows = 1 + length % 70;
    std::vector<TypeParam> keys(static_cast<std::size_t>(rows * length));
    for (auto& key : keys) key = static_cast<TypeParam>(random());
    auto expected = keys;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::sort(expected.begin() + row * length, expected.begin() + (row + 1) * length);
    }
    cpu::sort_short_rows(keys.data(), rows, length);
    ASSERT_EQ(keys, expected) << length;
  }
}

TYPED_TEST(SortingKeys, SelectionOfManyDistributions) {
  std::mt19937_64 random(2);
  const std::int64_t count = 50'000;
  for (int shape = 0; shape < 6; ++shape) {
    std::vector<TypeParam> keys(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t r = random();
      const std::uint64_t made[] = {r,
                                    r % 3,
                                    r % 1000 == 0 ? r : 7,
                                    static_cast<std::uint64_t>(i),
                                    r >> (r % 64),
                                    ~(r >> (r % 64))};
      keys[static_cast<std::size_t>(i)] = static_cast<TypeParam>(made[shape]);
    }
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t ranks[] = {0, 1, 777, 25'000, 25'000, 49'998, 49'999};
    auto selecting = keys, parted = keys;
    TypeParam selected[std::size(ranks)];
    cpu::select_keys(selecting.data(), count, ranks, selected);
    cpu::partition_keys(parted.data(), count, ranks);
    for (std::size_t i = 0; i < std::size(ranks); ++i) {
      const auto rank = ranks[i];
      const auto at = static_cast<std::size_t>(rank);
      ASSERT_EQ(selected[i], sorted[at]) << shape << " " << rank;
      ASSERT_EQ(parted[at], sorted[at]) << shape << " " << rank;
      ASSERT_LE(*std::max_element(parted.begin(), parted.begin() + rank + 1), sorted[at]);
    }
    std::sort(parted.begin(), parted.end());
    ASSERT_EQ(parted, sorted) << shape;
  }
}

// Rows of many lengths, and on all cores, of keys in many kinds of order.
TYPED_TEST(SortingKeys, WholeRowsOfManyDistributions) {
  std::mt19937_64 random(3);
  for (const std::int64_t count : {1, 2, 15, 63, 500, 513, 1025, 5000, 33'000, 70'001, 400'000}) {
    for (int shape = 0; shape < 8; ++shape) {
      std::vector<TypeParam> keys(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t r = random();
        const auto place = static_cast<std::uint64_t>(i);
        const std::uint64_t made[] = {r,
                                      r % 3,
                                      r % 1000 == 0 ? r : ~std::uint64_t{0},
                                      place,
                                      ~place,
                                      r >> (r % 64),
                                      ~(r >> (r % 64)),
                                      place == static_cast<std::uint64_t>(count - 1) ? 0 : place};
        keys[static_cast<std::size_t>(i)] = static_cast<TypeParam>(made[shape]);
      }
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      auto here = keys;
      cpu::sort_keys_here(here.data(), count);
      ASSERT_EQ(here, expected) << count << " " << shape;
      cpu::sort_keys(keys.data(), count);
      ASSERT_EQ(keys, expected) << count << " " << shape;
    }
  }
}

template <class K>
class SortingWideKeys : public ::testing::Test {};
using WideKeys = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SortingWideKeys, WideKeys);

TYPED_TEST(SortingWideKeys, ArePartedAtAnyPivot) {
  std::mt19937_64 random(4);
  for (const std::int64_t count : {1, 2, 7, 8, 16, 17, 31, 100, 1000, 12'345}) {
    std::vector<TypeParam> keys(static_cast<std::size_t>(count));
    for (auto& key : keys) key = static_cast<TypeParam>(random() % 50);
    for (const TypeParam pivot : {TypeParam{0}, TypeParam{1}, TypeParam{25}, TypeParam{100}}) {
      auto parted = keys;
      const auto below = cpu::vector_part(parted.data(), count, pivot);
      auto is_below = [&](TypeParam key) { return key < pivot; };
      EXPECT_TRUE(std::all_of(parted.begin(), parted.begin() + below, is_below));
      EXPECT_TRUE(std::none_of(parted.begin() + below, parted.end(), is_below));
      EXPECT_TRUE(std::is_permutation(parted.begin(), parted.end(), keys.begin()) || count > 1000);
    }
  }
}

TEST(Sorting, MapsOfFloatsKeepTheirOrder) {
  const KeyMap map{.infinity = 0x7f800000};
  const float inf = std::numeric_limits<float>::infinity();
  const float ascending[] = {-inf, -2.5F, -1e-40F, 0.0F, 1e-40F, 1.0F, 3e38F, inf};
  auto key = [&](float x) { return map(std::bit_cast<std::uint32_t>(x)); };
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(key(ascending[i - 1]), key(ascending[i])) << ascending[i];
  }
  EXPECT_EQ(key(-0.0F), key(0.0F));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(key(inf), key(nan));
  EXPECT_EQ(key(-nan), key(nan));
}

}  // namespace
}  // namespace heddle
