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

class HEDDLE_API Buffer : public RefCounted {
 public:
  // Memory from the device's pool. Throws out_of_memory.
  static Ref<Buffer> allocate(Device& device, std::size_t bytes);
  // Memory of somebody else: `release` is called when it is no longer needed.
  static Ref<Buffer> adopt(Device& device, void* data, std::size_t bytes,
                           std::function<void()> release);
  static void destroy(Buffer* buffer);

  Device& device() const { return *device_; }
  void* data() const;
  std::size_t bytes() const { return bytes_; }
  bool foreign() const { return kind_ == Kind::foreign; }

 private:
  // Where the memory is: behind the Buffer in the same block (few bytes, which the host sees), or
  // elsewhere, of the pool or of somebody else.
  enum class Kind : std::uint8_t { small, pooled, foreign };
  class Pooled;
  class Foreign;
  Buffer(Kind kind, Device& device, std::size_t bytes)
      : kind_(kind), device_(&device), bytes_(bytes) {}

  Kind kind_;
  Device* device_;
  std::size_t bytes_;

 public:
  // The stream that used it last, as its device knows it; null where work is done when a call
  // returns. Several threads may use a buffer at the same time: its device orders them.
  std::atomic<void*> stream{nullptr};
};

class Buffer::Pooled : public Buffer, public Recycled<Pooled> {
 public:
  Pooled(Device& device, void* data, std::size_t bytes, Kind kind = Kind::pooled)
      : Buffer(kind, device, bytes), data_(data) {}

 private:
  friend class Buffer;
  void* data_;
};

inline void* Buffer::data() const {
  if (kind_ == Kind::small) return const_cast<Buffer*>(this) + 1;
  return static_cast<const Pooled*>(this)->data_;
}

}  // namespace heddle
