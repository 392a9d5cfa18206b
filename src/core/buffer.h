// Buffer: a piece of a device's memory. Shared, and given back to where it came from when the last
// reference goes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "core/recycled.h"
#include <heddle/export.h>
#include <heddle/ref.h>

namespace heddle {

class Device;

class HEDDLE_API Buffer : public RefCounted, public Recycled<Buffer> {
 public:
  // Memory from the device's pool. Throws out_of_memory.
  static Ref<Buffer> allocate(Device& device, std::size_t bytes);
  // Memory of somebody else: `release` is called when it is no longer needed.
  static Ref<Buffer> adopt(Device& device, void* data, std::size_t bytes,
                           std::function<void()> release);
  static void destroy(Buffer* buffer);

  Device& device() const { return *device_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool foreign() const { return static_cast<bool>(release_); }

  // The stream that used it last, as its device knows it; null where work is done when a call
  // returns. Several threads may use a buffer at the same time: its device orders them.
  std::atomic<void*> stream{nullptr};

 private:
  Buffer(Device& device, void* data, std::size_t bytes)
      : device_(&device), data_(data), bytes_(bytes) {}

  Device* device_;
  void* data_;
  std::size_t bytes_;
  std::function<void()> release_;
};

}  // namespace heddle
