// The pool: size classes, limits, observers, and blocks that move between streams.
#include "runtime/memory_pool.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <heddle/errors.h>

namespace heddle {
namespace {

class TestPool final : public MemoryPool {
 public:
  void* stream = nullptr;
  std::vector<std::pair<void*, void*>> handed_over;
  std::size_t allocations = 0;
  std::size_t available = std::size_t{1} << 30;

 protected:
  void* system_allocate(std::size_t bytes) override {
    if (bytes > available) return nullptr;
    ++allocations;
    available -= bytes;
    return std::malloc(bytes);
  }
  void system_release(void* pointer, std::size_t bytes) override {
    available += bytes;
    std::free(pointer);
  }
  std::string what() const override { return "test memory"; }
  void* current_stream() override { return stream; }
  void hand_over(void* before, void* after) override { handed_over.emplace_back(before, after); }
};

int first_stream, second_stream;

TEST(MemoryPool, BlocksOfTheSameStreamComeBackAtOnce) {
  TestPool pool;
  pool.stream = &first_stream;
  auto block = pool.allocate(5000);
  EXPECT_EQ(block.stream, &first_stream);
  pool.release(block, 5000);
  auto again = pool.allocate(5000);
  EXPECT_EQ(again.data, block.data);
  EXPECT_TRUE(pool.handed_over.empty());
  pool.release(again, 5000);
  pool.free_all_blocks();
}

TEST(MemoryPool, EverySizeHasBlocksOfItsOwn) {
  for (std::size_t bytes = 1; bytes < std::size_t{1} << 28; bytes += bytes / 9 + 1) {
    TestPool pool;
    const auto before = pool.available;
    const auto larger = MemoryPool::rounded(bytes) + 1;
    pool.release(pool.allocate(bytes), bytes);
    EXPECT_EQ(pool.free_bytes(), MemoryPool::rounded(bytes));
    pool.release(pool.allocate(MemoryPool::rounded(bytes)), bytes);
    EXPECT_EQ(pool.allocations, 1u);
    pool.release(pool.allocate(larger), larger);
    EXPECT_EQ(pool.allocations, 2u);
    pool.free_all_blocks();
    EXPECT_EQ(pool.available, before) << bytes;
  }
}

TEST(MemoryPool, BlocksOfAnotherStreamAreHandedOver) {
  TestPool pool;
  pool.stream = &first_stream;
  auto block = pool.allocate(100);
  pool.release(block, 100);
  pool.stream = &second_stream;
  auto taken = pool.allocate(100);
  EXPECT_EQ(taken.data, block.data);
  EXPECT_EQ(taken.stream, &second_stream);
  ASSERT_EQ(pool.handed_over.size(), 1u);
  EXPECT_EQ(pool.handed_over[0].first, &first_stream);
  EXPECT_EQ(pool.handed_over[0].second, &second_stream);
  pool.release(taken, 100);
  pool.free_all_blocks();
}

TEST(MemoryPool, OwnBlocksArePreferredToNewerOnesOfOthers) {
  TestPool pool;
  pool.stream = &first_stream;
  auto own = pool.allocate(1 << 20);
  pool.stream = &second_stream;
  auto other = pool.allocate(1 << 20);
  pool.release(own, 1 << 20);
  pool.release(other, 1 << 20);
  pool.stream = &first_stream;
  auto taken = pool.allocate(1 << 20);
  EXPECT_EQ(taken.data, own.data);
  EXPECT_TRUE(pool.handed_over.empty());
  EXPECT_EQ(pool.free_blocks(), 1u);
  pool.release(taken, 1 << 20);
  pool.free_all_blocks();
}

TEST(MemoryPool, UseElsewhereDecidesWhoWaits) {
  TestPool pool;
  pool.stream = &first_stream;
  auto block = pool.allocate(100);
  block.stream = &second_stream;  // work there used it last
  pool.release(block, 100);
  auto taken = pool.allocate(100);
  ASSERT_EQ(pool.handed_over.size(), 1u);
  EXPECT_EQ(pool.handed_over[0].first, &second_stream);
  pool.release(taken, 100);
  pool.free_all_blocks();
}

TEST(MemoryPool, CachedBlocksGoBackWhenTheSystemHasNoMore) {
  TestPool pool;
  pool.available = 10000;
  auto block = pool.allocate(8192);
  pool.release(block, 8192);
  auto taken = pool.allocate(9000);
  EXPECT_EQ(pool.free_bytes(), 0u);
  EXPECT_THROW(pool.allocate(9000), out_of_memory);
  EXPECT_EQ(pool.used_bytes(), MemoryPool::rounded(9000));
  pool.release(taken, 9000);
  pool.free_all_blocks();
  EXPECT_EQ(pool.available, 10000u);
}

TEST(MemoryPool, FiguresAreInTheError) {
  TestPool pool;
  pool.set_limit(1000);
  try {
    pool.allocate(5000);
    FAIL();
  } catch (const out_of_memory& error) {
    EXPECT_STREQ(error.what(),
                 "could not allocate 5000 bytes of test memory: 0 bytes in use, 0 cached, limit "
                 "1000 bytes");
  }
}

std::vector<MemoryNotice::Kind> seen;

TEST(MemoryPool, ObserversAreTold) {
  using Kind = MemoryNotice::Kind;
  TestPool pool;
  seen.clear();
  set_memory_observer([](const MemoryNotice& notice) { seen.push_back(notice.kind); });
  pool.release(pool.allocate(10), 10);
  pool.release(pool.allocate(10), 10);
  set_memory_observer(nullptr);
  pool.free_all_blocks();
  std::vector<Kind> expected{Kind::request,      Kind::allocate,     Kind::allocate_done,
                             Kind::request_done, Kind::release,      Kind::release_done,
                             Kind::request,      Kind::request_done, Kind::release,
                             Kind::release_done};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace heddle
