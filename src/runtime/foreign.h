// A call of code that is not made here, as a kernel that somebody wrote: it reads and writes the
// memory of arrays, on one device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/buffer.h"

namespace heddle {

class Device;

class ForeignCall {
 public:
  virtual ~ForeignCall() = default;

  virtual std::string name() const = 0;
  // All that tells it from other calls.
  virtual void write_key(std::vector<std::uint64_t>& key) const = 0;
  // `addresses`: where the elements of each array begin. `buffers`: all the memory they are in.
  virtual void run(Device& device, std::span<void* const> addresses,
                   std::span<Buffer* const> buffers) const = 0;
  // Whether it is run when it is called, as it says something to the user.
  virtual bool at_once() const { return false; }
  // Whether it may throw what the user is to know of: the arrays are what they were then, and it is
  // run when it is called.
  virtual bool may_fail() const { return false; }
};

}  // namespace heddle
