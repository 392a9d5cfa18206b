#include "graph/storage.h"

#include <thread>
#include <utility>

#include "graph/recorder.h"
#include "runtime/interrupt.h"
#include "runtime/thread_number.h"

namespace heddle {

namespace detail {
constinit thread_local std::uint64_t recorder_number = 0;
}

void Storage::rebind(Ref<Value> value) {
  if (Recorder* recorder = Recorder::current()) recorder->rebind(*this, value);
  {
    const Glance before(*this);
    std::swap(value_, value);
  }
  // What it held goes when nobody can come to it any more.
}

// Who has it lets go of it within nanoseconds, if it runs.
void Storage::wait_for_lock() const {
  do {
    std::this_thread::yield();
  } while (glanced_at_.exchange(true, std::memory_order_acquire));
}

WriteLock::WriteLock(Storage& storage) : storage_(storage) {
  const std::uint32_t self = thread_number();
  auto& writer = storage.writer_;
  // Only its own thread finds itself there.
  again_ = writer.load(std::memory_order_relaxed) == self;
  if (again_) return;
  std::uint32_t none = 0;
  if (writer.compare_exchange_strong(none, self, std::memory_order_acquire)) return;
  BlockingScope blocking;
  do {
    writer.wait(none, std::memory_order_relaxed);
    none = 0;
  } while (!writer.compare_exchange_strong(none, self, std::memory_order_acquire));
}

WriteLock::~WriteLock() {
  if (again_) return;
  storage_.writer_.exchange(0);  // in order with the look at who waits
  storage_.writer_.notify_one();
}

}  // namespace heddle
