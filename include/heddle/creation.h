/// @file
/// Making arrays: filled, counted, on grids, as matrices; from and as memory of the host. New
/// arrays are on the default device (runtime.h).
///
///     array x = linspace(0, 1, 101);
///     auto grid = meshgrid({x, x});                     // coordinates of all pairs
///     array b = alias(std::span(samples));              // the caller's memory, not copied
///
/// NumPy's functions that read files or text (load, loadtxt, fromstring, ...) are for Python, and
/// so are the ones that convert its objects (asarray, fromiter): array's constructors take vectors,
/// spans and braces.
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include <heddle/array.h>

namespace heddle {

// --- filled ---

HEDDLE_API array zeros(const Dims& shape, Dtype dtype = Dtype::float64);
HEDDLE_API array ones(const Dims& shape, Dtype dtype = Dtype::float64);
/// Without a type it is the value's own: bool, int64, float64 or complex128.
HEDDLE_API array full(const Dims& shape, Scalar value, std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array empty(const Dims& shape, Dtype dtype = Dtype::float64);  ///< any values

/// Of the shape, the type and the device of another array.
HEDDLE_API array zeros_like(const array& a);
HEDDLE_API array ones_like(const array& a);
HEDDLE_API array full_like(const array& a, Scalar value);
HEDDLE_API array empty_like(const array& a);

/// The array itself where its elements lie in C order, or in Fortran's; else a copy that does.
HEDDLE_API array ascontiguousarray(const array& a);
HEDDLE_API array asfortranarray(const array& a);
/// The array; value_error where an element is infinite or nan. It looks at them.
HEDDLE_API array asarray_chkfinite(const array& a);

// --- counted ---

/// start, start + step, ... below stop. int64 for integers, else float64.
HEDDLE_API array arange(Scalar stop, std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array arange(Scalar start, Scalar stop, Scalar step = 1,
                        std::optional<Dtype> dtype = std::nullopt);
/// `count` numbers from start to stop, which is the last one unless endpoint is false.
HEDDLE_API array linspace(double start, double stop, std::int64_t count = 50, bool endpoint = true,
                          Dtype dtype = Dtype::float64);

/// How samples between bounds are made.
struct Spacing {
  std::int64_t count = 50;
  bool endpoint = true;                       ///< whether the last one is the upper bound
  std::optional<Dtype> dtype = std::nullopt;  ///< of the result; by default that of the bounds
  std::int64_t axis = 0;                      ///< of the result, along which samples are
};
/// The same between arrays: for each pair of elements, along a new axis.
HEDDLE_API array linspace(const array& start, const array& stop, const Spacing& how = {});
/// Powers of the base with evenly spaced exponents.
HEDDLE_API array logspace(double start, double stop, const Spacing& how = {}, double base = 10);
HEDDLE_API array logspace(const array& start, const array& stop, const Spacing& how = {},
                          double base = 10);
/// A geometric progression between two numbers that are not zero.
HEDDLE_API array geomspace(double start, double stop, const Spacing& how = {});
HEDDLE_API array geomspace(const array& start, const array& stop, const Spacing& how = {});

// --- grids ---

/// Each vector along an axis of its own, of which the first two change places in `xy` order;
/// broadcast to the others unless they are to be sparse; views of the vectors if not copied.
HEDDLE_API std::vector<array> meshgrid(const std::vector<array>& vectors, bool xy = true,
                                       bool sparse = false, bool copied = true);
/// The index along each axis of a grid, along a new first axis.
HEDDLE_API array indices(const Dims& shape, Dtype dtype = Dtype::int64);
/// The same for each axis by itself, with extents of 1 along the others.
HEDDLE_API std::vector<array> sparse_indices(const Dims& shape, Dtype dtype = Dtype::int64);
/// What f makes of the indices along each axis, which it gets as arrays: it is called once.
///
///     array sums = fromfunction([](auto& at) { return at[0] + at[1]; }, {3, 3});
template <std::invocable<const std::vector<array>&> F>
array fromfunction(F&& f, const Dims& shape, Dtype dtype = Dtype::float64) {
  std::vector<array> along;
  const array grid = indices(shape, dtype);
  for (std::int64_t d = 0; d < shape.size(); ++d) along.push_back(grid[d]);
  return f(along);
}

// --- matrices ---

/// Ones on a diagonal; k > 0 is above the main one. Without columns it is square.
HEDDLE_API array eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt,
                     std::int64_t k = 0, Dtype dtype = Dtype::float64);
inline array identity(std::int64_t n, Dtype dtype = Dtype::float64) {
  return eye(n, std::nullopt, 0, dtype);
}
/// Ones at and below a diagonal.
HEDDLE_API array tri(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt,
                     std::int64_t k = 0, Dtype dtype = Dtype::float64);
/// A copy with zeros above the k-th diagonal of the last two axes, or below it.
HEDDLE_API array tril(const array& a, std::int64_t k = 0);
HEDDLE_API array triu(const array& a, std::int64_t k = 0);
/// The k-th diagonal of a matrix, a view; or a matrix with a vector there.
HEDDLE_API array diag(const array& a, std::int64_t k = 0);
/// A matrix with the flattened array on its k-th diagonal.
HEDDLE_API array diagflat(const array& a, std::int64_t k = 0);
/// Powers of a vector in columns, the highest first unless they increase.
HEDDLE_API array vander(const array& x, std::optional<std::int64_t> columns = std::nullopt,
                        bool increasing = false);

// --- memory of the host ---

/// The caller's own memory as an array: nothing is copied, and writes land there. The memory must
/// outlive every array that shares it.
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

/// An array's own memory, for as long as this lives; nothing is copied. The array must be
/// C-contiguous and of type T. Meanwhile its reads are not deferred, so what is written here is
/// always seen.
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

/// Such memory as elements of a type.
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
