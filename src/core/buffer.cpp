#include "core/buffer.h"

#include "runtime/device.h"

namespace heddle {

Ref<Buffer> Buffer::allocate(Device& device, std::size_t bytes) {
  if (auto allocator = device.allocator()) {
    if (Ref<Buffer> buffer = allocator(device, bytes)) return buffer;
  }
  MemoryPool::Block block = device.pool().allocate(bytes);
  Ref<Buffer> buffer(new Buffer(device, block.data, bytes));
  buffer->stream = block.stream;
  return buffer;
}

Ref<Buffer> Buffer::adopt(Device& device, void* data, std::size_t bytes,
                          std::function<void()> release) {
  Ref<Buffer> buffer(new Buffer(device, data, bytes));
  buffer->release_ = std::move(release);
  return buffer;
}

void Buffer::destroy(Buffer* buffer) {
  if (buffer->release_) {
    if (buffer->stream) buffer->device_->finish(*buffer);
    buffer->release_();
  } else {
    buffer->device_->pool().release({buffer->data_, buffer->stream}, buffer->bytes_);
  }
  delete buffer;
}

}  // namespace heddle
