// What a mask selects: the places of its true elements, or the elements of another array there; and
// the way back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/buffer.h"

namespace heddle {

// Elements that lie one after the other, from a byte of a buffer on.
struct Run {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;
  void* data() const { return static_cast<char*>(buffer->data()) + offset; }
};

class Compaction {
 public:
  virtual ~Compaction() = default;
  // Offsets (int64) of the true elements of a bool array, ascending.
  virtual Ref<Buffer> nonzero(const Run& mask, std::int64_t size) = 0;
  // The elements, of `width` bytes (1, 2, 4, 8 or 16), where the mask is true.
  virtual Ref<Buffer> select(const Run& mask, const Run& values, int width, std::int64_t size) = 0;
  // `size` elements: where the mask is true, one value after the other. There are as many values as
  // true elements, at least one; what is elsewhere is not said.
  virtual Ref<Buffer> expand(const Run& mask, const Run& values, int width, std::int64_t size) = 0;
};

// For devices whose memory the host does not see, by kernels: the true elements are counted, and a
// running count says where each goes.
class KernelCompaction final : public Compaction {
 public:
  explicit KernelCompaction(Device& device) : device_(device) {}
  Ref<Buffer> nonzero(const Run& mask, std::int64_t size) override;
  Ref<Buffer> select(const Run& mask, const Run& values, int width, std::int64_t size) override;
  Ref<Buffer> expand(const Run& mask, const Run& values, int width, std::int64_t size) override;

 private:
  Device& device_;
};

}  // namespace heddle
