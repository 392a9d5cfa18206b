#include "runtime/parallel.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "runtime/interrupt.h"
#include "runtime/watched.h"
#include <heddle/errors.h>

#ifdef HEDDLE_TSAN
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#define HEDDLE_ACQUIRE(address) __tsan_acquire(address)
#define HEDDLE_RELEASE(address) __tsan_release(address)
#else
#define HEDDLE_ACQUIRE(address) (void)(address)
#define HEDDLE_RELEASE(address) (void)(address)
#endif

namespace heddle {

namespace {

// A child made by fork has none of its parent's worker threads, and oneTBB would wait for them.
std::atomic<bool> forked{false};
[[maybe_unused]] const int watching = pthread_atfork(nullptr, nullptr, [] { forked = true; });

// Whether it is time to ask for interrupts again: pieces, and kernels, may each be short.
bool time_to_look() {
  using clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::milliseconds(20);
  constinit thread_local clock::time_point next_look;
  auto now = clock::now();
  if (now < next_look) return false;
  next_look = now + patience;
  return true;
}

[[noreturn]] void stop() { throw interrupted("evaluation was interrupted"); }

}  // namespace

void stop_if_interrupted(std::int64_t work) {
  // Looking at the clock takes as long as some small kernels do.
  constexpr std::int64_t enough = 1 << 20;
  thread_local std::int64_t done = 0;
  done += work;
  if (done < enough) return;
  done = 0;
  if (time_to_look() && interrupt_requested()) stop();
}

bool interrupted_meanwhile() { return time_to_look() && interrupt_requested(); }

int thread_count() { return forked ? 1 : tbb::this_task_arena::max_concurrency(); }

void parallel_for(std::int64_t pieces, bool interruptible,
                  const std::function<void(std::int64_t)>& body) {
  BlockingScope blocking;
  const auto caller = std::this_thread::get_id();
  if (forked) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      if (interruptible && time_to_look() && interrupt_requested()) stop();
      body(piece);
    }
    return;
  }
  std::atomic<bool> stopped{false};
  tbb::task_group_context context;
  char start = 0, done = 0;  // what ThreadSanitizer sees instead of oneTBB's own synchronisation
  HEDDLE_RELEASE(&start);
  tbb::parallel_for(
      std::int64_t{0}, pieces,
      [&](std::int64_t piece) {
        HEDDLE_ACQUIRE(&start);
        if (interruptible && std::this_thread::get_id() == caller && time_to_look() &&
            interrupt_requested()) {
          stopped = true;
          context.cancel_group_execution();
        }
        if (!stopped) body(piece);
        HEDDLE_RELEASE(&done);
      },
      tbb::simple_partitioner{}, context);
  HEDDLE_ACQUIRE(&done);
  if (stopped) stop();
}

namespace {

// Helpers that come late find nothing to do, maybe after the caller has gone on: it is theirs, too.
struct Watched {
  std::int64_t pieces;
  const std::function<void(std::int64_t)>* body;  // while there are pieces that are not done
  std::atomic<std::int64_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr failed;

  // ThreadSanitizer does not see how oneTBB hands it on, nor who is the last to let go of it.
  ~Watched() { HEDDLE_ACQUIRE(this); }

  void help() {
    HEDDLE_ACQUIRE(this);
    work();
    HEDDLE_RELEASE(this);
  }

  void work() {
    for (std::int64_t piece = next++; piece < pieces; piece = next++) {
      try {
        (*body)(piece);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed) failed = std::current_exception();
      }
      if (++done < pieces) continue;
      const std::lock_guard lock(mutex);
      changed.notify_one();
    }
  }
};

}  // namespace

void watched_for(std::int64_t pieces, const std::function<void(std::int64_t)>& body,
                 const std::function<void()>& look) {
  const BlockingScope blocking;
  const auto all = std::make_shared<Watched>();
  all->pieces = pieces;
  all->body = &body;
  if (!forked) {
    tbb::task_arena arena{tbb::task_arena::attach()};
    const std::int64_t helpers = std::min<std::int64_t>(thread_count(), pieces) - 1;
    HEDDLE_RELEASE(all.get());
    for (std::int64_t i = 0; i < helpers; ++i) arena.enqueue([all] { all->help(); });
  }
  all->work();
  std::unique_lock lock(all->mutex);
  constexpr auto patience = std::chrono::milliseconds(20);
  while (!all->changed.wait_for(lock, patience, [&] { return all->done == pieces; })) {
    lock.unlock();
    look();
    lock.lock();
  }
  const std::exception_ptr failed = all->failed;
  lock.unlock();
  HEDDLE_RELEASE(all.get());
  if (failed) std::rethrow_exception(failed);
}

bool Stopping::asked() {
  if (stopped_.load(std::memory_order_relaxed)) return true;
  if (std::this_thread::get_id() != caller_ || !interrupted_meanwhile()) return false;
  stopped_.store(true, std::memory_order_relaxed);
  return true;
}

void Stopping::finish() const {
  if (stopped_.load(std::memory_order_relaxed)) stop();
}

}  // namespace heddle
