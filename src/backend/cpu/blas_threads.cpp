#include "backend/cpu/blas_threads.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "backend/cpu/lapack.h"
#include "core/fork.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr double worth_releasing = 5e5;  // operations: others may run meanwhile
constexpr double worth_sharing = 1e5;    // less is not worth waking other cores
constexpr double worth_team = 2e6;       // less is done before OpenBLAS's own threads have begun
constexpr double worth_threads = 3e7;    // of one matrix: OpenBLAS uses several cores well
constexpr double part_bytes = 192e3;     // of a product with a vector: a few microseconds

// How many threads OpenBLAS uses is one number for the process, and those of several that a call
// works with are taken from it where the number is lowered meanwhile.
struct Setting {
  ForkSafeMutex mutex{[this] { calls = 0; }};
  int calls = 0;    // under way
  int several = 0;  // how many OpenBLAS would use by itself
  bool closed = false;
};

Setting& setting();

// OpenBLAS ends its threads when the process exits, and waits for them for ever where a call gave
// them work meanwhile. So those under way are let to their end first, and none begins any more;
// where one takes long, the process ends without it.
void close(int status, void*) {
  Setting& s = setting();
  constexpr auto patience = std::chrono::milliseconds(300);
  const auto until = std::chrono::steady_clock::now() + patience;
  for (bool waiting = true; waiting;) {
    {
      std::lock_guard lock(s.mutex);
      s.closed = true;
      if (s.calls == 0) return;
    }
    waiting = std::chrono::steady_clock::now() < until;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::fflush(nullptr);
  ::_exit(status);
}

// Whether the user has said how many threads OpenBLAS is to have. Else it may have been loaded with
// one, as Python's package does: threads that are begun then spin while the rest is imported.
bool are_threads_given() {
  for (const char* name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

Setting& setting() {
  static auto* instance = [] {
    ::on_exit(close, nullptr);
    return new Setting;
  }();
  return *instance;
}

}  // namespace

BlasScope::BlasScope(Threads threads) {
  Setting& s = setting();
  std::unique_lock lock(s.mutex);
  if (s.closed) {
    lock.unlock();
    for (;;) ::pause();
  }
  const int now = HEDDLE_OPENBLAS(get_num_threads)();
  if (s.several == 0) {
    s.several = now == 1 && !are_threads_given() ? static_cast<int>(thread_count()) : now;
  } else if (now != 1 && now != s.several) {
    s.several = now;
  }
  const int wanted = threads == Threads::one ? 1 : s.several;
  if (wanted > now || (wanted < now && s.calls == 0)) HEDDLE_OPENBLAS(set_num_threads)(wanted);
  ++s.calls;
}

BlasScope::~BlasScope() {
  Setting& s = setting();
  std::lock_guard lock(s.mutex);
  --s.calls;
}

BlasScope::Threads threads_by_steps(std::int64_t n) {
  constexpr std::int64_t worth_waiting = 256;
  return n < worth_waiting ? BlasScope::Threads::one : BlasScope::Threads::several;
}

bool is_worth_sharing(std::int64_t count, double operations) {
  return count > 1 && thread_count() > 1 &&
         (operations < worth_threads || count >= thread_count()) &&
         operations * static_cast<double>(count) > worth_sharing;
}

void for_each_matrix(std::int64_t count, double operations,
                     const std::function<void(std::int64_t, std::int64_t)>& body,
                     BlasScope::Threads threads) {
  const double total = operations * static_cast<double>(count);
  if (is_worth_sharing(count, operations)) {
    // Several pieces for each core, so that all are done at about the same time; none too small.
    auto least = static_cast<std::int64_t>(worth_sharing / 4 / std::max(operations, 1.0)) + 1;
    auto step = std::max<std::int64_t>(least, count / (8 * thread_count()));
    BlasScope one(BlasScope::Threads::one);
    parallel_for((count + step - 1) / step, true, [&](std::int64_t piece) {
      body(piece * step, std::min(count, (piece + 1) * step));
    });
    return;
  }
  BlockingScope blocking(total > worth_releasing);
  BlasScope scope(total > worth_team ? threads : BlasScope::Threads::one);
  if (operations < worth_releasing) return body(0, count);
  for (std::int64_t i = 0; i < count; ++i) {
    stop_if_interrupted(static_cast<std::int64_t>(operations));
    body(i, i + 1);
  }
}

std::int64_t vector_parts(double bytes) {
  // Two for each core, as others may be at work on some.
  const std::int64_t most = 2 * thread_count();
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / part_bytes), 1, most);
}

void for_each_part(std::int64_t parts, bool interruptible,
                   const std::function<void(std::int64_t)>& body) {
  BlasScope one(BlasScope::Threads::one);
  if (parts == 1) return body(0);
  parallel_for(parts, interruptible, body);
}

}  // namespace heddle::cpu
