// Storage: the mutable cell behind one NumPy base. It holds the current Value; a write puts a new
// one in. Views of an array share its storage.
#pragma once

#include <atomic>

#include "core/value.h"
#include <heddle/ref.h>

namespace heddle {

class HEDDLE_API Storage : public RefCounted, public Recycled<Storage> {
 public:
  explicit Storage(Ref<Value> initial) : value(std::move(initial)) {}
  static void destroy(Storage* storage);

  Ref<Value> value;
  // Number of holders outside of Heddle that see this memory. While there are any, its address is
  // fixed and reads of it are not deferred.
  std::atomic<std::int64_t> exports{0};
  bool writeable = true;  // false for memory of others that must not change
  // A result that NumPy would give as a scalar: in-place operators make a new one.
  bool snapshot = false;
  // False for what was converted on the way into an operation: nobody asked for it to be on this
  // device.
  bool placed = true;
};

// Memory of values that no storage holds any more and pending work still needs.
HEDDLE_API std::int64_t held_bytes();

}  // namespace heddle
