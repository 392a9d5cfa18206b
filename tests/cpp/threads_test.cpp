// Arrays in several threads of C++: what ThreadSanitizer looks at.
#include <atomic>
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

}  // namespace
}  // namespace heddle::test
