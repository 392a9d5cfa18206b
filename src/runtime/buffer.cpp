#include "runtime/buffer.h"

#include <functional>

#include "runtime/device.h"

namespace heddle {

namespace {
constexpr auto tight = MemoryPool::Fit::tight;
}

class Buffer::Foreign final : public Pooled {
 public:
  Foreign(Device& device, void* data, std::size_t bytes, std::function<void()> release)
      : Pooled(device, data, bytes, Kind::foreign), release_(std::move(release)) {}

 private:
  friend class Buffer;
  std::function<void()> release_;
};

Ref<Buffer> Buffer::allocate(Device& device, std::size_t bytes) {
  static_assert(sizeof(Buffer) % MemoryPool::tight_unit == 0);
  if (auto allocator = device.allocator()) {
    if (Ref<Buffer> buffer = allocator(device, bytes)) return buffer;
  }
  MemoryPool& pool = device.pool();
  if (bytes <= MemoryPool::tight_limit - sizeof(Buffer) && pool.of_host()) {
    MemoryPool::Block block = pool.allocate(sizeof(Buffer) + bytes, tight);
    return Ref<Buffer>(new (block.data) Buffer(Kind::small, device, bytes));
  }
  MemoryPool::Block block = pool.allocate(bytes);
  Ref<Buffer> buffer(new Pooled(device, block.data, bytes));
  buffer->stream = block.stream;
  return buffer;
}

Ref<Buffer> Buffer::adopt(Device& device, void* data, std::size_t bytes,
                          std::function<void()> release) {
  return Ref<Buffer>(new Foreign(device, data, bytes, std::move(release)));
}

void Buffer::destroy(Buffer* buffer) {
  MemoryPool& pool = buffer->device_->pool();
  const std::size_t bytes = buffer->bytes_;
  switch (buffer->kind_) {
    case Kind::small:
      buffer->~Buffer();
      pool.release({buffer}, sizeof(Buffer) + bytes, tight);
      break;
    case Kind::pooled:
      pool.release({buffer->data(), buffer->stream}, bytes);
      delete static_cast<Pooled*>(buffer);
      break;
    case Kind::foreign:
      if (buffer->stream) buffer->device_->finish(*buffer);
      static_cast<Foreign*>(buffer)->release_();
      delete static_cast<Foreign*>(buffer);
      break;
  }
}

}  // namespace heddle
