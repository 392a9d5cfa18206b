// A call of code that is not made here, as a kernel that somebody wrote: it reads and writes the
// memory of arrays, on one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/buffer.h"

namespace heddle {

class Device;

// An argument: bytes as they are, or, with `array`, the address of an array and then bytes.
struct ForeignArgument {
  std::vector<char> bytes;
  bool array = false;
  // Where the elements of the array are, in bytes from its address.
  std::int64_t low = 0, high = 0;

  std::size_t size() const { return bytes.size() + (array ? sizeof(void*) : 0); }
};

// Arguments in memory, as code is given them: each where anything may begin.
class PackedArguments {
 public:
  PackedArguments(std::span<const ForeignArgument> arguments, std::span<void* const> addresses);

  std::vector<void*>& pointers() { return pointers_; }

 private:
  struct alignas(16) Block {
    char bytes[16];
  };
  std::vector<Block> memory_;
  std::vector<void*> pointers_;
};

// All that tells a call with these arguments from others.
void write_key(std::span<const ForeignArgument> arguments, std::vector<std::uint64_t>& key);

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
  // Called after it was run at once, to throw what the user is to know of where arrays stay as it
  // left them: that it was interrupted.
  virtual void after() const {}
};

}  // namespace heddle
