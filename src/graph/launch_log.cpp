#include "graph/launch_log.h"

namespace heddle::graph {

namespace {
constinit thread_local LaunchLog* listening = nullptr;
}

LaunchLog::LaunchLog() : before_(listening) { listening = this; }
LaunchLog::~LaunchLog() { listening = before_; }
LaunchLog* LaunchLog::current() { return listening; }

void LaunchLog::add(const Launch& launch, const FoundKernel& found,
                    std::span<Buffer* const> by_slot) {
  Entry& entry = entries_.emplace_back();
  entry.found = found;
  for (std::size_t i = 0; i < by_slot.size(); ++i) {
    const auto* at = static_cast<const char*>(launch.pointers[i]);
    const Buffer* buffer = by_slot[i];
    const auto* begin = buffer ? static_cast<const char*>(buffer->data()) : nullptr;
    entry.places.push_back({begin, buffer ? buffer->bytes() : 0, at - begin});
  }
  entry.strides.assign(launch.strides.begin(), launch.strides.end());
  entry.extents.assign(launch.extents.begin(), launch.extents.end());
  entry.scalars.assign(launch.scalars.begin(), launch.scalars.end());
  entry.scratch_bytes = launch.scratch_bytes;
  entry.serial = launch.serial;
}

}  // namespace heddle::graph
