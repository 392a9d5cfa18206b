#include "ops/operators.h"

#include <cmath>

#include <fmt/format.h>

#include "graph/numbers.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/reported.h"
#include "ops/write.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

constexpr const char* not_a_number = "cannot convert float NaN to integer";
constexpr const char* negative_power = "Integers to negative integer powers are not allowed.";

bool integral(const Input& input) {
  if (input.is_scalar()) return input.scalar_->kind() <= Scalar::Kind::integer;
  return is_integer(input.array_->dtype()) || input.array_->dtype() == Dtype::bool_;
}

// The exponents that NumPy treats as other operations.
std::optional<Op> simple_power(const Input& base, const Input& exponent) {
  if (base.is_scalar() || !exponent.is_scalar()) return std::nullopt;
  const Scalar& e = *exponent.scalar_;
  if (is_inexact(base.array_->dtype()) && e.kind() != Scalar::Kind::complex) {
    double value = e.real();
    if (value == 2) return Op::square;
    if (value == 1) return Op::positive;
    if (value == 0.5) return Op::sqrt;
    if (value == -1) return Op::reciprocal;
  }
  if (integral(base) && e.kind() == Scalar::Kind::integer && e.integer() == 2) return Op::square;
  return std::nullopt;
}

// Integers of which uint64 holds one side and int64 the other compare as the numbers they are, not
// as the float64 that holds neither.
array compare_signs(Op op, const array& a, const array& b) {
  if (!is_signed(a.dtype())) return compare_signs(mirrored(op), b, a);
  array same_sign = elementwise(op, {cast(a, Dtype::uint64), b});
  bool below = info(op).holds & holds::below;
  const Scalar zero(0);
  if (below) return elementwise(Op::logical_or, {elementwise(Op::less, {a, zero}), same_sign});
  return elementwise(Op::logical_and, {elementwise(Op::greater_equal, {a, zero}), same_sign});
}

bool differ_in_sign(const Input& a, const Input& b) {
  if (a.is_scalar() || b.is_scalar()) return false;
  auto x = a.array_->dtype(), y = b.array_->dtype();
  return (x == Dtype::uint64 && is_signed(y)) || (y == Dtype::uint64 && is_signed(x));
}

array compare(Op op, const Input& a, const Input& b) {
  if (a.is_scalar() && !b.is_scalar()) return compare(mirrored(op), b, a);
  if (differ_in_sign(a, b)) return compare_signs(op, *a.array_, *b.array_);
  // Truth values are compared as int64, which an integer has to fit.
  if (!a.is_scalar() && b.is_scalar() && is_integer(a.array_->dtype()) &&
      (b.scalar_->is_beyond() || !b.scalar_->fits(a.array_->dtype()))) {
    bool above = b.scalar_->huge() || b.scalar_->integer() > 0;
    bool truth = info(op).holds & (above ? holds::below : holds::above);
    array known = full(a.array_->shape(), truth, Dtype::bool_, a.array_->device());
    known.storage().snapshot = known.ndim() == 0;
    return known;
  }
  return elementwise(op, {a, b});
}

// An integer that the other operand's type does not hold is not zero.
array combine_truths(Op op, const Input& a, const Input& b) {
  auto beyond = [](const Input& x, const Input& other) {
    return x.is_scalar() && !other.is_scalar() && is_integer(other.array_->dtype()) &&
           !x.scalar_->fits(other.array_->dtype());
  };
  const Scalar truth(true);
  return elementwise(op, {beyond(a, b) ? Input(truth) : a, beyond(b, a) ? Input(truth) : b});
}

}  // namespace

array without_negative_powers(const Input& base, const Input& exponent, array made) {
  if (!integral(base) || !integral(exponent) || !is_signed(made.dtype()) || made.size() == 0)
    return made;
  if (exponent.is_scalar()) {
    // Unsigned types do not hold it, and say so.
    if (exponent.scalar_->integer() < 0 && !exponent.scalar_->huge())
      throw value_error(negative_power);
  } else if (const array& e = *exponent.array_; is_signed(e.dtype())) {
    if (e.number()) {
      if (e.item<std::int64_t>() < 0) throw value_error(negative_power);
      return made;
    }
    const Scalar zero(0);
    return refused_where<value_error>(elementwise(Op::less, {e, zero}), made, negative_power,
                                      "power");
  }
  return made;
}

array binary(Op op, std::span<const Input, 2> inputs) {
  const Input &a = inputs[0], &b = inputs[1];
  if (is_comparison(op)) return compare(op, a, b);
  if (is_logical(op)) return combine_truths(op, a, b);
  if (op == Op::power) {
    if (auto simple = simple_power(a, b)) return elementwise(*simple, inputs.first(1));
    return without_negative_powers(a, b, elementwise(op, inputs));
  }
  return elementwise(op, inputs);
}

namespace {

void check_type_in_place(Op op, Dtype target, Dtype value) {
  if (can_cast(value, target, Casting::same_kind)) return;
  throw casting_error(
      fmt::format("Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule "
                  "'same_kind'",
                  info(op).name, name(value), name(target)));
}

}  // namespace

array binary_in_place(Op op, const array& target, const Input& a, const Input& b) {
  try {
    return binary(op, a, b);
  } catch (const value_error&) {
    const Input both[] = {a, b};
    check_type_in_place(op, target.dtype(), resolve(op, both, std::nullopt).result);
    throw;
  }
}

void check_in_place(Op op, const array& target, const array& value) {
  check_type_in_place(op, target.dtype(), value.dtype());
  if (value.shape() != target.shape()) {
    throw value_error(
        fmt::format("non-broadcastable output operand with shape {} doesn't match the broadcast "
                    "shape {}",
                    to_string(target.shape()), to_string(value.shape())));
  }
}

void write_in_place(Op op, const array& target, array value) {
  check_in_place(op, target, value);
  write(target, std::move(value));
}

namespace {

// Python's int(): towards zero, of any size.
Scalar truncated(double value) {
  if (std::isnan(value)) throw value_error(not_a_number);
  if (std::isinf(value)) throw overflow_error("cannot convert float infinity to integer");
  value = std::trunc(value);
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<std::int64_t>(value);
  if (value >= 0 && value < 0x1p64) return static_cast<std::uint64_t>(value);
  return Scalar::beyond(value);
}

// The only element, as int() sees it.
Scalar whole_number(const array& value) {
  return dispatch(value.dtype(), [&]<class T>(T) -> Scalar {
    const T element = value.item<T>();
    if constexpr (std::integral<T>) {
      return element;
    } else if constexpr (requires { element.real(); }) {
      return truncated(element.real());
    } else if constexpr (std::floating_point<T>) {
      return truncated(element);
    } else {
      return truncated(static_cast<float>(element));
    }
  });
}

// The value, or an error once its device has found that it is none of this type.
array refused_beyond(const array& value, Dtype dtype) {
  constexpr const char* operation = "assigned";
  const auto limit = std::uint64_t{1} << (8 * itemsize(dtype) - 1);
  const std::string beyond = fmt::format("number out of bounds for {}", name(dtype));
  auto either = [](const array& a, const array& b) { return elementwise(Op::logical_or, {a, b}); };
  if (is_integer(value.dtype())) {
    const Scalar below(-static_cast<std::int64_t>(limit - 1) - 1), above(limit - 1);
    return refused_where<overflow_error>(
        either(binary(Op::less, value, below), binary(Op::greater, value, above)), value, beyond,
        operation);
  }
  const array number =
      cast(is_complex(value.dtype()) ? elementwise(Op::real, {value}) : value, Dtype::float64);
  const array whole = elementwise(Op::trunc, {number});
  const Scalar below(-static_cast<double>(limit)), above(static_cast<double>(limit));
  array checked = refused_where<overflow_error>(
      either(elementwise(Op::less, {whole, below}), elementwise(Op::greater_equal, {whole, above})),
      value, beyond, operation);
  return refused_where<value_error>(elementwise(Op::isnan, {number}), checked, not_a_number,
                                    operation);
}

}  // namespace

array to_element(const Scalar& value, Dtype dtype) {
  if (value.kind() == Scalar::Kind::complex && !is_complex(dtype) && dtype != Dtype::bool_) {
    throw type_error("float() argument must be a string or a real number, not 'complex'");
  }
  bool cut = value.kind() == Scalar::Kind::floating && is_integer(dtype);
  ScalarWords words = (cut ? truncated(value.real()) : value).bits(dtype);
  return to_array({dtype, {{words.word[0], words.word[1]}}});
}

array to_element(const array& value, Dtype dtype) {
  if (kind(dtype) != Kind::signed_integer || can_cast(value.dtype(), dtype)) return value;
  if (runs_behind(value)) return refused_beyond(value, dtype);
  static_cast<void>(whole_number(value).bits(dtype));  // what it says if it does not fit
  return value;
}

void check_truth(const array& a) {
  if (a.size() == 0) {
    throw value_error(
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
        "array is not empty.");
  }
  if (a.size() > 1) {
    throw value_error(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or "
        "a.all()");
  }
}

}  // namespace heddle
