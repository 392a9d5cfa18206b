// Storage: the mutable cell behind one NumPy base. It holds the current Value; a write puts a new
// one in. Views of an array share its storage.
#pragma once

#include <atomic>
#include <cstdint>

#include "graph/value.h"
#include <heddle/ref.h>

namespace heddle {

namespace detail {
// Which one the innermost recorder of this thread is, of all that there have been in any; 0: nobody
// listens.
extern HEDDLE_API constinit thread_local std::uint64_t recorder_number;
}  // namespace detail

class HEDDLE_API Storage : public RefCounted, public Recycled<Storage> {
 public:
  explicit Storage(Ref<Value> initial)
      : born(detail::recorder_number), value_(std::move(initial)) {}
  static void destroy(Storage* storage);

  const Ref<Value>& value() const { return value_; }
  // The one way contents change; recorders hear of it.
  void rebind(Ref<Value> value);

  // Number of holders outside of Heddle that see this memory. While there are any, its address is
  // fixed and reads of it are not deferred.
  std::atomic<std::int32_t> exports{0};
  // The innermost recorder that listened when it was made, by its number: those with a greater one
  // came later, and did not see it.
  const std::uint64_t born;
  bool writeable = true;  // false for memory of others that must not change
  // A result that NumPy would give as a scalar: in-place operators make a new one.
  bool snapshot = false;
  // False for what was converted on the way into an operation: nobody asked for it to be on this
  // device.
  bool placed = true;

 private:
  friend class WriteLock;
  std::atomic<std::uint32_t> writer_{0};  // the thread that writes; 0: none
  Ref<Value> value_;
};

// Around reading the contents and putting the changed ones in: two threads that write one array do
// so one after the other, and none gets lost. A thread may take it again. Readers take no lock:
// they get the Value of before or after.
class HEDDLE_API WriteLock {
 public:
  explicit WriteLock(Storage& storage);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  Storage& storage_;
  bool again_;  // the thread had it already
};

}  // namespace heddle
