// The pool: size classes, limits, observers, and blocks that move between streams.
#include "runtime/memory_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/slabs.h"
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

// With caches of threads. Such pools live as long as the process.
class HostTestPool final : public MemoryPool {
 public:
  HostTestPool() : MemoryPool(Threads::cached) {}
  std::atomic<std::int64_t> outside{0};  // bytes that the system has given

 protected:
  void* system_allocate(std::size_t bytes) override {
    outside += static_cast<std::int64_t>(bytes);
    return std::malloc(bytes);
  }
  void system_release(void* pointer, std::size_t bytes) override {
    outside -= static_cast<std::int64_t>(bytes);
    std::free(pointer);
  }
  std::string what() const override { return "test memory"; }
};

HostTestPool& host_pool() {
  static auto* pool = new HostTestPool;
  pool->free_all_blocks();
  pool->reset_statistics();
  return *pool;
}

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

TEST(MemoryPool, ThreadCachesCountAsTheirPoolDoes) {
  HostTestPool& pool = host_pool();
  auto small = pool.allocate(100), other = pool.allocate(100), large = pool.allocate(1 << 20);
  EXPECT_EQ(pool.used_bytes(), 2u * 128 + (1 << 20));
  EXPECT_EQ(pool.allocated_bytes(), 200u + (1 << 20));
  pool.release(small, 100);
  EXPECT_EQ(pool.used_bytes(), 128u + (1 << 20));
  EXPECT_EQ(pool.free_bytes(), 128u);
  EXPECT_EQ(pool.free_blocks(), 1u);
  auto again = pool.allocate(120);
  EXPECT_EQ(again.data, small.data);
  EXPECT_EQ(pool.peak_bytes(), 2u * 128 + (1 << 20));
  pool.release(again, 120);
  pool.release(other, 100);
  pool.release(large, 1 << 20);
  EXPECT_EQ(pool.used_bytes(), 0u);
  pool.reset_statistics();
  EXPECT_EQ(pool.peak_bytes(), 0u);
  EXPECT_EQ(pool.allocated_bytes(), 0u);
  pool.free_all_blocks();
  EXPECT_EQ(pool.total_bytes(), 0u);
  EXPECT_EQ(pool.outside, 0);
}

TEST(MemoryPool, ThreadsAllocateAndFreeWhatOthersFreed) {
  HostTestPool& pool = host_pool();
  std::mutex mutex;
  std::vector<std::pair<MemoryPool::Block, std::size_t>> between;
  auto work = [&](int seed) {
    std::vector<std::pair<MemoryPool::Block, std::size_t>> mine;
    for (int i = 0; i < 20000; ++i) {
      const std::size_t bytes = 1 + static_cast<std::size_t>(i * 7919 + seed) % 20000;
      auto block = pool.allocate(bytes);
      std::memset(block.data, seed, bytes);
      mine.emplace_back(block, bytes);
      if (mine.size() < 8) continue;
      std::lock_guard lock(mutex);
      std::swap(mine[static_cast<std::size_t>(i) % 8], mine.back());
      between.push_back(mine.back());
      mine.pop_back();
      if (between.size() > 4) {
        auto [other, size] = between.front();
        between.erase(between.begin());
        pool.release(other, size);
      }
      if (i % 5000 == 0) pool.free_all_blocks();
    }
    for (auto [block, bytes] : mine) pool.release(block, bytes);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  for (auto [block, bytes] : between) pool.release(block, bytes);
  EXPECT_EQ(pool.used_bytes(), 0u);
  EXPECT_EQ(pool.free_bytes(), pool.total_bytes());
  EXPECT_EQ(static_cast<std::int64_t>(pool.total_bytes()), pool.outside);
  pool.free_all_blocks();
  EXPECT_EQ(pool.outside, 0);
}

TEST(MemoryPool, ManySmallBlocksGoBackToTheSystem) {
  HostTestPool& pool = host_pool();
  std::vector<MemoryPool::Block> blocks;
  for (int i = 0; i < 1'000'000; ++i) blocks.push_back(pool.allocate(80));
  EXPECT_EQ(pool.used_bytes(), 128'000'000u);
  for (auto block : blocks) pool.release(block, 80);
  EXPECT_EQ(pool.used_bytes(), 0u);
  EXPECT_LT(pool.free_bytes(), std::size_t{8} << 20);
  pool.free_all_blocks();
  EXPECT_EQ(pool.outside, 0);
}

TEST(MemoryPool, TightBlocksAreOfOtherSizes) {
  HostTestPool& pool = host_pool();
  constexpr auto tight = MemoryPool::Fit::tight;
  for (std::size_t bytes = 1; bytes <= 5000; ++bytes) {
    const auto size = MemoryPool::rounded(bytes, tight);
    ASSERT_EQ(size, bytes <= 512 ? (bytes + 15) / 16 * 16 : MemoryPool::rounded(bytes));
    auto block = pool.allocate(bytes, tight), aligned = pool.allocate(bytes);
    ASSERT_EQ(pool.used_bytes(), size + MemoryPool::rounded(bytes));
    pool.release(block, bytes, tight);
    pool.release(aligned, bytes);
  }
  EXPECT_EQ(pool.used_bytes(), 0u);
  pool.free_all_blocks();
  EXPECT_EQ(pool.outside, 0);
}

TEST(Slabs, BlocksAreAlignedAndApart) {
  Slabs slabs(64);
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20000; ++i) {
      const std::size_t bytes = 64 * (1 + static_cast<std::size_t>(i) % 16);
      auto* block = static_cast<char*>(slabs.allocate(bytes));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
      std::memset(block, i % 128, bytes);
      blocks.emplace_back(block, bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      auto [block, bytes] = blocks[i];
      ASSERT_EQ(block[0], static_cast<char>(i % 128));
      ASSERT_EQ(block[bytes - 1], static_cast<char>(i % 128));
    }
    // In another order than they came.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      auto [block, bytes] = blocks[(i * 7919) % blocks.size()];
      slabs.release(block, bytes);
    }
    blocks.clear();
  }
}

TEST(Slabs, GiveSeveralBlocksAtOnce) {
  Slabs slabs(8);
  std::vector<void*> blocks(50'000);
  ASSERT_EQ(slabs.allocate(24, blocks), blocks.size());
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    ASSERT_GE(static_cast<char*>(blocks[i]) - static_cast<char*>(blocks[i - 1]), 24);
  }
  slabs.release(blocks, 24);
  ASSERT_EQ(slabs.allocate(40, std::span(blocks).first(7)), 7u);
  slabs.release(std::span(blocks).first(7), 40);
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
