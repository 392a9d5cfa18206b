#include "runtime/owned_mutex.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using heddle::OwnedMutex;

namespace {

TEST(OwnedMutex, OwnersAndGuestsExcludeOneAnother) {
  OwnedMutex mutex;
  std::int64_t counted = 0;  // by whoever has the mutex
  std::atomic<std::int64_t> entered{0};
  std::atomic<bool> ended{false};
  auto enter = [&] {
    ++counted;
    entered.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> guests;
  for (int g = 0; g < 3; ++g) {
    guests.emplace_back([&, g] {
      for (int i = 0; !ended; ++i) {
        if (i % 3 == g) {
          std::lock_guard lock(mutex);
          std::lock_guard again(mutex);
          enter();
        } else if (mutex.try_lock()) {
          enter();
          mutex.unlock();
        }
        if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20 * g));
      }
    });
  }
  // One owner after the other, as threads take graphs over.
  for (int owner = 0; owner < 3; ++owner) {
    std::thread([&] {
      mutex.own();
      for (int i = 0; i < 200'000; ++i) {
        std::lock_guard lock(mutex);
        enter();
        if (i % 8 == 0) {
          std::lock_guard again(mutex);
          enter();
        }
      }
      mutex.disown();
    }).join();
  }
  ended = true;
  for (auto& guest : guests) guest.join();
  EXPECT_EQ(counted, entered);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(OwnedMutex, GuestsBecomeOwners) {
  OwnedMutex mutex;
  auto others_enter = [&] {
    bool entered = false;
    std::thread([&] {
      entered = mutex.try_lock();
      if (entered) mutex.unlock();
    }).join();
    return entered;
  };
  mutex.lock();
  mutex.lock();
  mutex.own();
  mutex.unlock();
  EXPECT_FALSE(others_enter());
  mutex.unlock();
  EXPECT_TRUE(others_enter());
  mutex.lock();
  EXPECT_FALSE(others_enter());
  mutex.unlock();
}

TEST(OwnedMutex, AbandonLetsGoOfAll) {
  OwnedMutex mutex;
  mutex.own();
  mutex.lock();
  mutex.lock();
  mutex.abandon();
  std::thread([&] {
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_TRUE(mutex.try_lock());
    mutex.abandon();
  }).join();
  EXPECT_TRUE(mutex.try_lock());
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
}

}  // namespace
