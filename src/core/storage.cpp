#include "core/storage.h"

namespace heddle {

namespace {
std::atomic<std::int64_t> held{0};
}

std::int64_t held_bytes() { return held.load(std::memory_order_relaxed); }

void Storage::destroy(Storage* storage) {
  Value& value = *storage->value;
  if (value.computed() && value.references() > 1 && value.held == 0) {
    value.held = static_cast<std::int64_t>(value.buffer->bytes());
    held += value.held;
  }
  delete storage;
}

void forget_held(Value& value) { held -= value.held; }

}  // namespace heddle
