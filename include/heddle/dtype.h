/// @file
/// Element types: the enumeration, its properties, promotion and casting rules (NumPy 2's), and
/// the C++ types behind them. Nothing here knows about arrays.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <heddle/export.h>

namespace heddle {

/// The order is NumPy's promotion order: a type never promotes to an earlier one.
enum class Dtype : std::uint8_t {
  bool_,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};
inline constexpr int dtype_count = 15;

/// What elements are.
enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

/// Storage-only half precision types: arithmetic happens in float32.
struct float16 {
  std::uint16_t bits = 0;
  float16() = default;
  HEDDLE_API explicit float16(float value);
  HEDDLE_API explicit operator float() const;
};

/// The upper half of a float32.
struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  HEDDLE_API explicit bfloat16(float value);
  HEDDLE_API explicit operator float() const;
};

namespace detail {
struct DtypeInfo {
  const char* name;
  char code;  // NumPy's type character; 'E' for bfloat16
  std::uint8_t itemsize;
  Kind kind;
};
inline constexpr DtypeInfo dtype_info[dtype_count] = {
    {"bool", '?', 1, Kind::boolean},
    {"int8", 'b', 1, Kind::signed_integer},
    {"uint8", 'B', 1, Kind::unsigned_integer},
    {"int16", 'h', 2, Kind::signed_integer},
    {"uint16", 'H', 2, Kind::unsigned_integer},
    {"int32", 'i', 4, Kind::signed_integer},
    {"uint32", 'I', 4, Kind::unsigned_integer},
    {"int64", 'l', 8, Kind::signed_integer},
    {"uint64", 'L', 8, Kind::unsigned_integer},
    {"float16", 'e', 2, Kind::floating},
    {"bfloat16", 'E', 2, Kind::floating},
    {"float32", 'f', 4, Kind::floating},
    {"float64", 'd', 8, Kind::floating},
    {"complex64", 'F', 8, Kind::complex},
    {"complex128", 'D', 16, Kind::complex},
};
}  // namespace detail

constexpr const detail::DtypeInfo& info(Dtype dtype) {
  return detail::dtype_info[static_cast<int>(dtype)];
}
constexpr const char* name(Dtype dtype) { return info(dtype).name; }
constexpr int itemsize(Dtype dtype) { return info(dtype).itemsize; }
constexpr Kind kind(Dtype dtype) { return info(dtype).kind; }
constexpr bool is_integer(Dtype d) {
  return kind(d) == Kind::signed_integer || kind(d) == Kind::unsigned_integer;
}
constexpr bool is_signed(Dtype d) { return kind(d) == Kind::signed_integer; }
constexpr bool is_floating(Dtype d) { return kind(d) == Kind::floating; }
constexpr bool is_complex(Dtype d) { return kind(d) == Kind::complex; }
constexpr bool is_inexact(Dtype d) { return is_floating(d) || is_complex(d); }
constexpr bool is_half(Dtype d) { return d == Dtype::float16 || d == Dtype::bfloat16; }

/// complex64 -> float32 and so on; other types are their own real type.
constexpr Dtype real_type(Dtype d) {
  if (d == Dtype::complex64) return Dtype::float32;
  if (d == Dtype::complex128) return Dtype::float64;
  return d;
}
constexpr Dtype complex_type(Dtype d) {
  return d == Dtype::float64 || d == Dtype::complex128 ? Dtype::complex128 : Dtype::complex64;
}

/// Which conversions are let through, as in NumPy.
enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

HEDDLE_API bool can_cast(Dtype from, Dtype to, Casting casting = Casting::safe);
HEDDLE_API Dtype promote_types(Dtype a, Dtype b);
HEDDLE_API const char* name(Casting casting);

template <class T>
struct dtype_of_;
#define HEDDLE_DTYPES(X)            \
  X(bool, bool_)                    \
  X(std::int8_t, int8)              \
  X(std::uint8_t, uint8)            \
  X(std::int16_t, int16)            \
  X(std::uint16_t, uint16)          \
  X(std::int32_t, int32)            \
  X(std::uint32_t, uint32)          \
  X(std::int64_t, int64)            \
  X(std::uint64_t, uint64)          \
  X(float16, float16)               \
  X(bfloat16, bfloat16)             \
  X(float, float32)                 \
  X(double, float64)                \
  X(std::complex<float>, complex64) \
  X(std::complex<double>, complex128)
#define HEDDLE_DTYPE_OF(type, dtype_name)             \
  template <>                                         \
  struct dtype_of_<type> {                            \
    static constexpr Dtype value = Dtype::dtype_name; \
  };
HEDDLE_DTYPES(HEDDLE_DTYPE_OF)
#undef HEDDLE_DTYPE_OF
/// long and long long are two types of one size; int64_t is only one of them.
template <>
struct dtype_of_<std::conditional_t<std::is_same_v<std::int64_t, long>, long long, long>> {
  static constexpr Dtype value = Dtype::int64;
};
/// The same without a sign.
template <>
struct dtype_of_<std::conditional_t<std::is_same_v<std::uint64_t, unsigned long>,
                                    unsigned long long, unsigned long>> {
  static constexpr Dtype value = Dtype::uint64;
};
template <class T>
inline constexpr Dtype dtype_of = dtype_of_<T>::value;

/// C++ types that are elements of arrays.
template <class T>
concept Element = requires { dtype_of_<std::remove_cv_t<T>>::value; };

/// Calls f with a value of the C++ type behind dtype: dispatch(d, [&]<class T>(T) { ... }).
template <class F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  switch (dtype) {
#define HEDDLE_DISPATCH_CASE(type, dtype_name) \
  case Dtype::dtype_name:                      \
    return f(type{});
    HEDDLE_DTYPES(HEDDLE_DISPATCH_CASE)
#undef HEDDLE_DISPATCH_CASE
  }
  __builtin_unreachable();
}

}  // namespace heddle
