// Arrays in several threads of C++: what ThreadSanitizer looks at.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle::test {
namespace {

template <class F>
void in_threads(int count, F&& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (auto& thread : threads) thread.join();
}

TEST(Threads, DistinctArrays) {
  in_threads(4, [](int t) {
    for (int k = 0; k < 50; ++k) {
      array x = full({1000}, static_cast<double>(t));
      array y = sqrt(x * 4.0) + k;
      y(Slice{0, 500}) = 0.0;
      ASSERT_EQ(y(999).item<double>(), std::sqrt(t * 4.0) + k);
      ASSERT_EQ(y(0).item<double>(), 0);
    }
  });
}

TEST(Threads, SharedArraysThatAreRead) {
  const array x = arange(100'000.0);
  const array pending = x * 2.0 + 1.0;
  in_threads(4, [&](int t) {
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ((x + t)(5).item<double>(), 5.0 + t);
      ASSERT_EQ(pending(t).item<double>(), 2.0 * t + 1);
      ASSERT_EQ((pending * x)(2).item<double>(), 10.0);
    }
  });
}

TEST(Threads, PendingWorkIsDroppedWhileOthersEvaluate) {
  std::atomic<bool> stop{false};
  std::thread dropping([&] {
    while (!stop) {
      array x = full({100}, 1.0);
      for (int i = 0; i < 10; ++i) x = x + 1.0;
    }
  });
  for (int k = 0; k < 50; ++k) {
    array x = full({100'000}, 1.0);
    array y = x * 2.0;
    x(Slice{1, -1}) = 5.0;  // runs the readers of x
    ASSERT_EQ(y(7).item<double>(), 2.0);
    ASSERT_EQ(x(7).item<double>(), 5.0);
  }
  stop = true;
  dropping.join();
}

TEST(Threads, OneThreadMakesAnotherEvaluates) {
  for (int k = 0; k < 20; ++k) {
    array x = full({50'000}, static_cast<double>(k)) + 1.0;
    std::thread evaluating([y = x * 2.0, k] { ASSERT_EQ(y(3).item<double>(), 2.0 * (k + 1)); });
    x = array();
    evaluating.join();
  }
}

TEST(Threads, Statistics) {
  in_threads(3, [](int t) {
    for (int k = 0; k < 20; ++k) {
      full({100}, static_cast<double>(t)).eval();
      ASSERT_GE(stats().launched, 0u);
    }
  });
}

// --- values that cross from one thread to another ---

TEST(Threads, PendingWorkIsEvaluatedWhileItsMakerGoesOn) {
  for (int k = 0; k < 50; ++k) {
    array x = full({2000}, static_cast<double>(k));
    array y = x + 1.0;
    std::thread evaluating([y] { y.eval(); });
    array z = y * 2.0;  // of what the other thread evaluates
    for (int i = 0; i < 10; ++i) z = z - y + y;
    ASSERT_EQ(z(3).item<double>(), 2.0 * (k + 1));
    evaluating.join();
    ASSERT_EQ(y(1999).item<double>(), k + 1.0);
  }
}

TEST(Threads, ThreadsEndWithPendingWork) {
  std::vector<array> made(8);
  in_threads(8, [&](int t) {
    array x = arange(500.0) * static_cast<double>(t);
    x(Slice{10, 20}) = -1.0;
    made[static_cast<std::size_t>(t)] = sqrt(x * x) + 1.0;
  });
  array total = full({500}, 0.0);
  for (const array& each : made) total = total + each;
  for (int t = 0; t < 8; ++t) {
    const array& each = made[static_cast<std::size_t>(t)];
    ASSERT_EQ(each(12).item<double>(), 2.0);
    ASSERT_EQ(each(30).item<double>(), 30.0 * t + 1);
  }
  ASSERT_EQ(total(12).item<double>(), 16.0);
}

TEST(Threads, ThreadsNeedEachOthersPendingWork) {
  for (int k = 0; k < 40; ++k) {
    array made[2];
    std::atomic<int> ready{0};
    in_threads(2, [&](int t) {
      made[t] = full({1000}, static_cast<double>(k)) + static_cast<double>(t);
      array mine = made[t];
      ++ready;
      while (ready < 2) std::this_thread::yield();
      for (int i = 0; i < 5; ++i) mine = mine + made[1 - t];
      ASSERT_EQ(mine(7).item<double>(), k + t + 5.0 * (k + 1 - t));
    });
  }
}

TEST(Threads, PendingWorkIsDroppedElsewhere) {
  for (int k = 0; k < 100; ++k) {
    array x = full({100}, 1.0) + static_cast<double>(k);
    std::vector<array> chain{x};
    for (int i = 0; i < 20; ++i) chain.push_back(chain.back() + 1.0);
    array kept = chain[10] * 2.0;
    std::thread dropping([gone = std::move(chain)]() mutable { gone.clear(); });
    ASSERT_EQ(kept(5).item<double>(), 2.0 * (k + 11));
    dropping.join();
  }
}

// Each thread has rows of its own; all rows are in one storage.
TEST(Threads, RowsOfOneArray) {
  array x = full({8, 500}, 0.0).eval();
  const array before = x + 1.0;
  in_threads(4, [&](int t) {
    array mine = x(Slice{2 * t, 2 * t + 2});
    for (int k = 0; k < 50; ++k) {
      mine(0) = static_cast<double>(k);
      mine(1) = mine(0) * 2.0;
    }
  });
  for (int t = 0; t < 4; ++t) {
    ASSERT_EQ(x(2 * t, 3).item<double>(), 49.0);
    ASSERT_EQ(x(2 * t + 1, 499).item<double>(), 98.0);
  }
  ASSERT_EQ(before(7, 7).item<double>(), 1.0);
}

TEST(Threads, IncrementsDoNotGetLost) {
  array x = full({300}, 0.0).eval();
  in_threads(4, [&](int) {
    array whole = x;
    array part = x(Slice{100, 200});
    for (int k = 0; k < 100; ++k) {
      whole += 1.0;
      part += 1.0;
    }
  });
  ASSERT_EQ(x(5).item<double>(), 400.0);
  ASSERT_EQ(x(150).item<double>(), 800.0);
}

TEST(Threads, ManyThreads) {
  in_threads(64, [](int t) {
    array x = arange(100.0);
    for (int k = 0; k < 20; ++k) x = x * 0.0 + static_cast<double>(k + t);
    ASSERT_EQ(x(3).item<double>(), 19.0 + t);
  });
}

// --- nobody waits for others ---

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A chain of five operations on 1000 elements, evaluated.
void small_chain(const array& a) { ((abs(a * 2.0 + 1.0) - a) * 0.5).eval(); }

// Chains that `count` threads evaluate in a second, all together.
double chains_in_a_second(int count) {
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> done{0};
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&] {
      const array a = arange(1000.0).eval();
      for (int k = 0; k < 100; ++k) small_chain(a);
      ++ready;
      std::int64_t mine = 0;
      for (; !stop; ++mine) small_chain(a);
      done += mine;
    });
  }
  while (ready < count) std::this_thread::yield();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  stop = true;
  const double took = seconds_since(start);
  for (auto& thread : threads) thread.join();
  return static_cast<double>(done) / took;
}

// A figure to look at: other processes take the cores away as they like. What it tells for sure is
// that threads do not stop each other.
TEST(Threads, ThroughputOfSmallChains) {
  double one = 0, two = 0;
  for (int k = 0; k < 3; ++k) {
    one = std::max(one, chains_in_a_second(1));
    two = std::max(two, chains_in_a_second(2));
  }
  std::printf(
      "  chains of five operations on 1000 elements: %.0f/s in one thread, %.0f/s in two: %.2fx\n",
      one, two, two / one);
  EXPECT_GT(two, 0.5 * one);
}

TEST(Threads, SmallOperationsBesideALongKernel) {
  std::atomic<bool> done{false};
  double longest = 0;
  const array a = arange(1000.0).eval();
  small_chain(a);
  std::thread busy([&] {
    const auto start = Clock::now();
    array x = arange(60'000'000.0);
    for (int k = 0; k < 4; ++k) x = sin(x) + 0.25;
    sum(x).eval();
    longest = seconds_since(start);
    done = true;
  });
  std::vector<double> times;
  while (!done) {
    const auto start = Clock::now();
    small_chain(a);
    times.push_back(seconds_since(start));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  busy.join();
  std::sort(times.begin(), times.end());
  const double p99 = times[times.size() * 99 / 100];
  std::printf("  beside a kernel of %.2f s: p50 %.3f ms, p99 %.3f ms, most %.3f ms of %zu\n",
              longest, times[times.size() / 2] * 1e3, p99 * 1e3, times.back() * 1e3, times.size());
  EXPECT_LT(times[times.size() / 2], std::max(0.02, longest / 4));
}

}  // namespace
}  // namespace heddle::test
