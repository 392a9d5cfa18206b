/// @file
/// Reductions and running results. Over which axes is said by one of
///
///     sum(a)                                      // all of them
///     sum(a, 1)    sum(a, Axes{0, 2})             // these; negative ones count from the end
///     sum(a, {.axis = 1, .keepdims = true})       // the same with options
///
/// Functions whose name begins with nan leave nans out. Those of NumPy's that are only other names
/// (amax, alltrue, ...) are not here.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <utility>

#include <heddle/array.h>

namespace heddle {

/// Axes that are reduced: one, several, or all.
class Axes {
 public:
  Axes() = default;  // all
  template <std::integral T>
  Axes(T axis) : list_(Dims{static_cast<std::int64_t>(axis)}) {}
  Axes(std::initializer_list<std::int64_t> axes) : list_(Dims(axes)) {}
  Axes(const Dims& axes) : list_(axes) {}
  const std::optional<Dims>& list() const { return list_; }

 private:
  std::optional<Dims> list_;
};

/// Options of a reduction.
struct Reduction {
  // Members are set by name: {0, 1} looks like two axes, and must not be an axis and a flag.
  class ByName {
   public:
    constexpr ByName() {}  // NOLINT: with a constructor of its own this is no aggregate
  };
  ByName by_name = {};
  Axes axis = {};
  bool keepdims = false;                      ///< reduced axes stay, with extent 1
  std::optional<Dtype> dtype = std::nullopt;  ///< to compute in; without it NumPy's rule
  double ddof = 0;                            ///< var, stddev: divide by n - ddof
};

#define HEDDLE_REDUCTIONS(X)                                                       \
  X(sum) /* of bool and small integers in int64 or uint64 */                       \
  X(prod)                                                                          \
  X(min) /* a nan wins; value_error for no elements */                             \
  X(max)                                                                           \
  X(any)                                                                           \
  X(all)                                                                           \
  X(mean) /* of integers in float64; float16 and bfloat16 are summed in float32 */ \
  X(var)                                                                           \
  X(stddev) /* the square root of var; NumPy's std */                              \
  X(ptp)    /* largest minus smallest */                                           \
  X(count_nonzero)                                                                 \
  X(argmin) /* index of the first one along one axis, or in the flattened array */ \
  X(argmax)                                                                        \
  X(nansum) /* nans count as zero */                                               \
  X(nanprod)                                                                       \
  X(nanmin) /* nan where there is nothing else */                                  \
  X(nanmax)                                                                        \
  X(nanmean)                                                                       \
  X(nanvar) /* nan where no degree of freedom is left */                           \
  X(nanstd)                                                                        \
  X(nanargmin) /* value_error where there are only nans */                         \
  X(nanargmax)
// The forms with an axis are templates so that braces always mean the options. Temporaries are let
// go of at once (see ufuncs.h).
#define HEDDLE_DECLARE_REDUCTION(name)                              \
  HEDDLE_API array name(const array& a, const Reduction& how = {}); \
  inline array name(array&& a, const Reduction& how = {}) {         \
    array last = std::move(a);                                      \
    return name(last, how);                                         \
  }                                                                 \
  template <class A>                                                \
    requires(std::integral<A> || std::same_as<A, Axes>)             \
  array name(const array& a, const A& axis) {                       \
    return name(a, Reduction{.axis = axis});                        \
  }                                                                 \
  template <class A>                                                \
    requires(std::integral<A> || std::same_as<A, Axes>)             \
  array name(array&& a, const A& axis) {                            \
    return name(std::move(a), Reduction{.axis = axis});             \
  }
HEDDLE_REDUCTIONS(HEDDLE_DECLARE_REDUCTION)
#undef HEDDLE_DECLARE_REDUCTION

/// The running result along an axis; of the flattened array without one.
HEDDLE_API array cumsum(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                        std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array cumprod(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                         std::optional<Dtype> dtype = std::nullopt);
/// The same with nans taken as zero, or as one.
HEDDLE_API array nancumsum(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                           std::optional<Dtype> dtype = std::nullopt);
HEDDLE_API array nancumprod(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                            std::optional<Dtype> dtype = std::nullopt);

/// Options of running sums and products.
struct Cumulative {
  Reduction::ByName by_name = {};
  std::optional<std::int64_t> axis = std::nullopt;  ///< has to be said of more than one dimension
  std::optional<Dtype> dtype = std::nullopt;
  bool include_initial = false;  ///< begins with the zero, or the one, that it starts from
};
/// The array API standard's running sums and products.
HEDDLE_API array cumulative_sum(const array& a, const Cumulative& how = {});
HEDDLE_API array cumulative_prod(const array& a, const Cumulative& how = {});

}  // namespace heddle
