/// @file
/// Intrusive reference counting: atomic, in the object itself, no control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace heddle {

/// The number of references to an object, inside of it.
template <class Count>
class CountedBy {
 public:
  CountedBy() = default;
  CountedBy(const CountedBy&) = delete;
  CountedBy& operator=(const CountedBy&) = delete;
  void retain() const {
    // Nobody else knows an object without references: it is new, and an atomic step not needed.
    if (references_.load(std::memory_order_relaxed) == 0) {
      references_.store(1, std::memory_order_relaxed);
    } else {
      references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // For whoever has no reference, of an object that is dropped with drop_watched(). False when the
  // last reference has gone already: then the object is about to be destroyed.
  bool try_retain() const {
    auto count = references_.load(std::memory_order_relaxed);
    while (count > 0 &&
           !references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
    }
    return count > 0;
  }
  // True when this was the last reference. Whoever has the only one need not count down.
  bool drop() const { return references() == 1 || drop_watched(); }
  // The same of an object that others may try to retain meanwhile.
  bool drop_watched() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  // What others did with the object before they let go of it is done.
  std::int64_t references() const { return references_.load(std::memory_order_acquire); }

 private:
  mutable std::atomic<Count> references_{0};
};

/// Leaves four bytes of its word to the object: there are millions of some kinds.
using RefCounted = CountedBy<std::uint32_t>;

/// A reference. T provides `static void destroy(T*)`, called when the last reference goes.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* pointer) : pointer_(pointer) {
    if (pointer_) pointer_->retain();
  }
  // A reference to an object that another thread may be letting go of; null if it has.
  static Ref lock(T* pointer) {
    Ref ref;
    if (pointer->try_retain()) ref.pointer_ = pointer;
    return ref;
  }
  Ref(const Ref& other) : Ref(other.pointer_) {}
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Ref& operator=(const Ref& other) noexcept {  // NOLINT(bugprone-unhandled-self-assignment)
    return *this = Ref(other);
  }
  Ref& operator=(Ref&& other) noexcept {
    let_go(std::exchange(pointer_, std::exchange(other.pointer_, nullptr)));
    return *this;
  }
  ~Ref() { let_go(pointer_); }
  void reset() { let_go(std::exchange(pointer_, nullptr)); }
  // The reference is the caller's to drop.
  T* detach() { return std::exchange(pointer_, nullptr); }
  T* get() const { return pointer_; }
  // For a reference that several threads may want to set: the first one to do so does.
  bool is_set() const {
    return std::atomic_ref<T*>(const_cast<T*&>(pointer_)).load(std::memory_order_acquire);
  }
  void set_once(Ref other) {
    T* none = nullptr;
    if (std::atomic_ref<T*>(pointer_).compare_exchange_strong(none, other.pointer_)) {
      other.pointer_ = nullptr;
    }
  }
  T& operator*() const { return *pointer_; }
  T* operator->() const { return pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.pointer_ == b.pointer_; }

 private:
  static void let_go(T* old) {
    if (old && old->drop()) T::destroy(old);
  }

  T* pointer_ = nullptr;
};

}  // namespace heddle
