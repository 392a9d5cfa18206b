#include "core/buffer.h"

#include "runtime/device.h"

namespace heddle {

Ref<Buffer> Buffer::allocate(Device& device, std::size_t bytes) {
  return Ref<Buffer>(new Buffer(device, device.pool().allocate(bytes), bytes));
}

Ref<Buffer> Buffer::adopt(Device& device, void* data, std::size_t bytes,
                          std::function<void()> release) {
  Ref<Buffer> buffer(new Buffer(device, data, bytes));
  buffer->release_ = std::move(release);
  return buffer;
}

void Buffer::destroy(Buffer* buffer) {
  if (buffer->release_) {
    buffer->release_();
  } else {
    buffer->device_->pool().release(buffer->data_, buffer->bytes_);
  }
  delete buffer;
}

}  // namespace heddle
