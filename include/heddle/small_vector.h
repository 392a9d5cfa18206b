/// @file
/// A vector of trivially copyable elements that keeps the first N inline: shapes and strides are
/// made on every call, and almost never have more than a few entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <type_traits>

namespace heddle {

/// See the head of this file.
template <class T, int N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(std::int64_t count, T value = T{}) { resize(count, value); }
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <std::input_iterator It>
  SmallVector(It first, It last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& other) { copy(other); }
  SmallVector(SmallVector&& other) noexcept { steal(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) copy(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  SmallVector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }
  ~SmallVector() { release(); }

  template <std::input_iterator It>
  void assign(It first, It last) {
    auto count = std::distance(first, last);
    reserve(count);
    std::copy(first, last, data_);
    size_ = static_cast<std::uint32_t>(count);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }

  void clear() { size_ = 0; }
  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * static_cast<std::int64_t>(capacity_));
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void resize(std::int64_t count, T value = T{}) {
    reserve(count);
    for (std::int64_t i = size_; i < count; ++i) data_[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  void insert(std::int64_t at, T value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::int64_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void reserve(std::int64_t count) {
    if (count <= static_cast<std::int64_t>(capacity_)) return;
    T* grown = new T[static_cast<std::size_t>(count)];
    std::memcpy(static_cast<void*>(grown), static_cast<const void*>(data_), sizeof(T) * size_);
    release();
    data_ = grown;
    capacity_ = static_cast<std::uint32_t>(count);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::uint32_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  // Raw memory: of the elements inside only those that are there are ever written.
  T* inside() { return reinterpret_cast<T*>(inline_); }
  void release() {
    if (data_ != inside()) delete[] data_;
    data_ = inside();
    capacity_ = N;
  }
  // A number of bytes that the compiler knows is a few instructions, any other a call: where N
  // elements are enough, all N are copied.
  void copy(const SmallVector& other) {
    reserve(other.size_);
    size_ = other.size_;
    if (size_ <= N) {
      std::memcpy(static_cast<void*>(data_), static_cast<const void*>(other.data_),
                  sizeof(inline_));
    } else {
      std::memcpy(static_cast<void*>(data_), static_cast<const void*>(other.data_),
                  sizeof(T) * size_);
    }
  }
  void steal(SmallVector& other) {
    size_ = other.size_;
    if (other.data_ == other.inside()) {
      std::memcpy(static_cast<void*>(inline_), static_cast<const void*>(other.inline_),
                  sizeof(inline_));
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inside();
      other.capacity_ = N;
    }
    other.size_ = 0;
  }

  T* data_ = inside();
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[N * sizeof(T)];
};

// One entry per dimension.
using Dims = SmallVector<std::int64_t, 6>;

}  // namespace heddle
