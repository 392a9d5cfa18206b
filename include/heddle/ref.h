// Intrusive reference counting: one word, atomic, no control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace heddle {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  void retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  // True when this was the last reference.
  bool drop() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  std::int64_t references() const { return references_.load(std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::int64_t> references_{0};
};

// T provides `static void destroy(T*)`, called when the last reference goes.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* pointer) : pointer_(pointer) {
    if (pointer_) pointer_->retain();
  }
  Ref(const Ref& other) : Ref(other.pointer_) {}
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Ref() { reset(); }
  void reset() {
    if (T* old = std::exchange(pointer_, nullptr); old && old->drop()) T::destroy(old);
  }
  T* get() const { return pointer_; }
  T& operator*() const { return *pointer_; }
  T* operator->() const { return pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.pointer_ == b.pointer_; }

 private:
  T* pointer_ = nullptr;
};

}  // namespace heddle
