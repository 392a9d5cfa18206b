// RepeatedWork: work that a device has written down, to be done again without the host: on a GPU,
// one CUDA graph.
#pragma once

#include <span>

namespace heddle {

class Buffer;

class RepeatedWork {
 public:
  RepeatedWork() = default;
  virtual ~RepeatedWork() = default;
  RepeatedWork(const RepeatedWork&) = delete;
  RepeatedWork& operator=(const RepeatedWork&) = delete;

  // Whether it may be done where this thread's work goes now: it was written down for one stream.
  virtual bool is_for_here() const = 0;
  // Does it, on the same memory. `used`: that which it does not own.
  virtual void run(std::span<Buffer* const> used) = 0;
};

}  // namespace heddle
