// Storage: the mutable cell behind one NumPy base. It holds the current Value; a write puts a new
// one in. Views of an array share its storage.
#pragma once

#include <atomic>
#include <cstdint>

#include "graph/value.h"
#include "runtime/sole_thread.h"
#include <heddle/ref.h>

namespace heddle {

namespace detail {
// Which one the innermost recorder of this thread is, of all that there have been in any; 0: nobody
// listens.
extern HEDDLE_API constinit thread_local std::uint64_t recorder_number;
}  // namespace detail

// How many holders outside of Heddle see some memory. A count that reaches its end stays there: the
// memory is then taken for seen for good.
class Holders {
 public:
  operator int() const { return count_; }
  int load(std::memory_order order) const { return count_.load(order); }
  void operator++() { change(1); }
  void operator--() { change(-1); }

 private:
  static constexpr std::uint16_t most = 0xffff;

  void change(int by) {
    std::uint16_t count = count_.load(std::memory_order_relaxed);
    while (count != most &&
           !count_.compare_exchange_weak(count, static_cast<std::uint16_t>(count + by))) {
    }
  }

  std::atomic<std::uint16_t> count_{0};
};

// There are millions of them: three words.
class HEDDLE_API Storage : public RefCounted, public Recycled<Storage> {
 public:
  explicit Storage(Ref<Value> initial)
      : born_high_(static_cast<std::uint8_t>(detail::recorder_number >> 32)),
        born_low_(static_cast<std::uint32_t>(detail::recorder_number)),
        value_(std::move(initial)) {}
  static void destroy(Storage* storage);

  // What it holds now; another thread may put something else in at any time. For a look at what it
  // is, a Glance costs less.
  Ref<Value> value() const;
  // The same for whoever keeps others from that: has a WriteLock, or has made the storage and not
  // shown it to anybody yet.
  Value& contents() const { return *value_; }
  // Whether others hold the same.
  bool shares() const;
  // The one way contents change; recorders hear of it.
  void rebind(Ref<Value> value);

  // The innermost recorder that listened when it was made, by its number: those with a greater one
  // came later, and did not see it.
  std::uint64_t born() const { return std::uint64_t{born_high_} << 32 | born_low_; }

  // Holders outside of Heddle that see this memory. While there are any, its address is fixed and
  // reads of it are not deferred.
  Holders exports;
  bool writeable : 1 = true;  // false for memory of others that must not change
  // A result that NumPy would give as a scalar: in-place operators make a new one.
  bool snapshot : 1 = false;
  // False for what was converted on the way into an operation: nobody asked for it to be on this
  // device.
  bool placed : 1 = true;

 private:
  friend class Glance;
  friend class WriteLock;
  void lock() const {
    if (glanced_at_.exchange(true, std::memory_order_acquire)) wait_for_lock();
  }
  void unlock() const { glanced_at_.store(false, std::memory_order_release); }
  void wait_for_lock() const;

  const std::uint8_t born_high_ : 5;
  mutable std::atomic<bool> glanced_at_{false};  // where there are several threads
  const std::uint32_t born_low_;
  std::atomic<std::uint32_t> writer_{0};  // the thread that writes; 0: none
  Ref<Value> value_;
};

// A look at what a storage holds, which nobody replaces or lets go of meanwhile. One at a time, and
// nothing is done that could take long or take another one.
class Glance {
 public:
  explicit Glance(const Storage& storage) : storage_(storage), alone_(enter_alone()) {
    if (!alone_) storage_.lock();
  }
  ~Glance() { alone_ ? leave_alone() : storage_.unlock(); }
  Glance(const Glance&) = delete;
  Glance& operator=(const Glance&) = delete;
  Value& operator*() const { return *storage_.value_; }
  Value* operator->() const { return storage_.value_.get(); }

 private:
  const Storage& storage_;
  const bool alone_;
};

inline bool Storage::shares() const { return Glance(*this)->references() > 1; }

inline Ref<Value> Storage::value() const {
  const Glance now(*this);
  return Ref<Value>(&*now);
}

// Around reading the contents and putting the changed ones in: two threads that write one array do
// so one after the other, and none gets lost. A thread may take it again. Readers do not wait for
// it: they get the Value of before or after.
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
