// Making arrays: filled, counted, from and as memory of the host. New arrays are on the default
// device (runtime.h).
#pragma once

#include <heddle/array.h>

namespace heddle {

HEDDLE_API array zeros(const Dims& shape, Dtype dtype = Dtype::float64);
HEDDLE_API array ones(const Dims& shape, Dtype dtype = Dtype::float64);
// Without a type it is the value's own: bool, int64, float64 or complex128.
HEDDLE_API array full(const Dims& shape, Scalar value, std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array empty(const Dims& shape, Dtype dtype = Dtype::float64);  // any values

HEDDLE_API array zeros_like(const array& a);
HEDDLE_API array ones_like(const array& a);
HEDDLE_API array full_like(const array& a, Scalar value);

// start, start + step, ... below stop. int64 for integers, else float64.
HEDDLE_API array arange(Scalar stop, std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array arange(Scalar start, Scalar stop, Scalar step = 1,
                        std::optional<Dtype> dtype = std::nullopt);
// `count` numbers from start to stop, which is the last one unless endpoint is false.
HEDDLE_API array linspace(double start, double stop, std::int64_t count = 50, bool endpoint = true,
                          Dtype dtype = Dtype::float64);
// Ones on a diagonal; k > 0 is above the main one. Without columns it is square.
HEDDLE_API array eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt,
                     std::int64_t k = 0, Dtype dtype = Dtype::float64);

// The caller's own memory as an array: nothing is copied, and writes land there. The memory must
// outlive every array that shares it.
HEDDLE_API array alias_memory(void* data, std::size_t count, Dtype dtype, const Dims& shape);
template <Element T>
array alias(std::span<T> memory, const Dims& shape) {
  static_assert(!std::is_const_v<T>, "an alias may be written to; copy const memory instead");
  return alias_memory(memory.data(), memory.size(), dtype_of<T>, shape);
}
template <Element T>
array alias(std::span<T> memory) {
  return alias(memory, {static_cast<std::int64_t>(memory.size())});
}

// An array's own memory, for as long as this lives; nothing is copied. The array must be
// C-contiguous and of type T. Meanwhile its reads are not deferred, so what is written here is
// always seen.
class HEDDLE_API HostMemory {
 public:
  HostMemory(const array& a, Dtype dtype);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  void* data() const { return data_; }
  std::size_t size() const { return static_cast<std::size_t>(array_.size()); }

 private:
  array array_;
  void* data_ = nullptr;
};

template <Element T>
class HostSpan {
 public:
  explicit HostSpan(const array& a) : memory_(a, dtype_of<T>) {}
  operator std::span<T>() const { return {data(), size()}; }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return memory_.size(); }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  HostMemory memory_;
};

}  // namespace heddle
