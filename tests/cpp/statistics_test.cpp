// Counters of several threads.
#include "runtime/statistics.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Statistics, AreSummedOverThreads) {
  reset_statistics();
  count(Counter::disk_hits);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 10000; ++i) count(Counter::launched);
      count(Counter::pack_hits);
    });
  }
  for (auto& thread : threads) thread.join();
  const Statistics all = read_statistics();  // also of threads that have ended
  EXPECT_EQ(all.launched, 40000u);
  EXPECT_EQ(all.pack_hits, 4u);
  EXPECT_EQ(all.disk_hits, 1u);
  EXPECT_EQ(all.compiled, 0u);
}

TEST(Statistics, ResetLosesNothingThatComesLater) {
  std::thread([] {
    for (int i = 0; i < 100; ++i) count(Counter::memory_hits);
  }).join();
  reset_statistics();
  EXPECT_EQ(read_statistics().memory_hits, 0u);
  std::thread([] { count(Counter::memory_hits); }).join();
  count(Counter::memory_hits);
  EXPECT_EQ(read_statistics().memory_hits, 2u);
}

}  // namespace
}  // namespace heddle
