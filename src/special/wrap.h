// How kernels call a function of this folder: heddle_special_<name>_d for real numbers and _D for
// complex ones take operands one after the other in memory, and leave results there. A kernel that
// such a call is linked into has them in registers once it is inlined. What the operands are is
// said by the row of heddle/special_table.h; types are double precision throughout: single
// precision is converted by the caller.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <heddle/op_table.h>

namespace heddle::special {

using Complex = std::complex<double>;

// Where the operands begin, counted in numbers.
template <class T, Op op>
constexpr auto places() {
  std::array<int, max_inputs> at{};
  int next = 0;
  for (int i = 0; i < info(op).inputs; ++i) {
    at[static_cast<std::size_t>(i)] = next;
    next += info(op).takes[i] == Takes::value && std::is_same_v<T, Complex> ? 2 : 1;
  }
  return at;
}

template <class T, Op op, std::size_t i>
auto operand(const double* in) {
  const double* at = in + places<T, op>()[i];
  if constexpr (info(op).takes[i] == Takes::order) {
    return static_cast<long>(std::bit_cast<std::int64_t>(*at));
  } else if constexpr (info(op).takes[i] == Takes::parameter || !std::is_same_v<T, Complex>) {
    return *at;
  } else {
    return Complex(at[0], at[1]);
  }
}

inline void store(double value, double*& to) { *to++ = value; }
inline void store(const Complex& value, double*& to) {
  *to++ = value.real();
  *to++ = value.imag();
}

// The results of f for operands of type T, as the row of op says.
template <class T, Op op, class F>
[[gnu::always_inline]] inline void call(F f, const double* in, double* out) {
  constexpr bool complex_result = std::is_same_v<T, Complex> || info(op).result == Result::pair;
  using R = std::conditional_t<complex_result, Complex, double>;
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    if constexpr (info(op).outputs == 1) {
      store(static_cast<R>(f(operand<T, op, i>(in)...)), out);
    } else {
      R results[info(op).outputs];
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        f(operand<T, op, i>(in)..., results[k]...);
      }(std::make_index_sequence<info(op).outputs>());
      for (const R& result : results) store(result, out);
    }
  }(std::make_index_sequence<info(op).inputs>());
}

}  // namespace heddle::special

// The functions of the rows whose code is where this is used: functions::<name> of this scope.
#define HEDDLE_WRAP_REAL(op, name)                                           \
  extern "C" void heddle_special_##name##_d(const double* in, double* out) { \
    heddle::special::call<double, heddle::Op::op>(                           \
        [](auto&&... x) { return functions::name(x...); }, in, out);         \
  }
#define HEDDLE_WRAP_COMPLEX(op, name)                                        \
  extern "C" void heddle_special_##name##_D(const double* in, double* out) { \
    heddle::special::call<heddle::special::Complex, heddle::Op::op>(         \
        [](auto&&... x) { return functions::name(x...); }, in, out);         \
  }
#define HEDDLE_WRAP_singles(op, name) HEDDLE_WRAP_REAL(op, name)
#define HEDDLE_WRAP_float64s(op, name) HEDDLE_WRAP_REAL(op, name)
#define HEDDLE_WRAP_complexes(op, name) HEDDLE_WRAP_COMPLEX(op, name)
#define HEDDLE_WRAP_analytic(op, name) HEDDLE_WRAP_REAL(op, name) HEDDLE_WRAP_COMPLEX(op, name)
#define HEDDLE_WRAP_doubles(op, name) HEDDLE_WRAP_REAL(op, name) HEDDLE_WRAP_COMPLEX(op, name)

#define HEDDLE_WRAP_ROW(space, op, inputs, types, result, code, ...) \
  HEDDLE_IF_##code(HEDDLE_WRAP_##types(op, op))
#define HEDDLE_WRAP_TUPLE(X, name, outputs, inputs, types, result, code, ...) \
  HEDDLE_IF_##code(HEDDLE_WRAP_##types(name##_0, name))
#define HEDDLE_WRAP_ROWS()                \
  HEDDLE_SPECIAL_SINGLES(HEDDLE_WRAP_ROW) \
  HEDDLE_SPECIAL_TUPLES(HEDDLE_WRAP_TUPLE, )
