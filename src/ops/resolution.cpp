// The types that element-wise operations compute in and give.
#include "ops/resolution.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/dtype.h"
#include "core/op_types.h"
#include "ops/elementwise.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

[[noreturn]] void unsupported(Op op, std::span<const Input> inputs) {
  std::string types;
  bool any_bool = false;
  for (const Input& input : inputs) {
    const Dtype dtype = input.is_scalar() ? input.scalar_->default_dtype() : input.array_->dtype();
    any_bool |= dtype == Dtype::bool_;
    types += fmt::format("{}{}", types.empty() ? "" : ", ", name(dtype));
  }
  if (const char* words = info(op).refuses_bool; words && *words && any_bool)
    throw type_error(words);
  throw type_error(
      fmt::format("ufunc '{}' not supported for the input types ({}): they could not be safely "
                  "coerced to any supported types according to the casting rule 'safe'",
                  info(op).name, types));
}

// The kind of a dtype on the scale of weak scalars.
Scalar::Kind scalar_kind(Dtype dtype) {
  if (dtype == Dtype::bool_) return Scalar::Kind::boolean;
  if (is_integer(dtype)) return Scalar::Kind::integer;
  return is_floating(dtype) ? Scalar::Kind::floating : Scalar::Kind::complex;
}

// Of an input that is weak.
Scalar::Kind weak_kind(const Input& input) {
  return input.is_scalar() ? input.scalar_->kind() : scalar_kind(input.array_->dtype());
}

// The type for integers in an operation on floats: like NumPy the first one that holds each
// operand, which may be smaller than one that holds their common type (int8 and uint8: float16).
std::optional<Dtype> float_loop(Op op, std::span<const Input> inputs) {
  const Types types = info(op).types;
  if (types != Types::floating && types != Types::inexact && types != Types::singles)
    return std::nullopt;
  std::optional<Dtype> strong;
  for (const Input& input : inputs) {
    if (input.is_weak()) continue;
    auto own = input.array_->dtype();
    strong = strong ? promote_types(*strong, own) : own;
  }
  // A scalar that raised the kind has its own say.
  if (!strong || common_type(inputs) != *strong) return std::nullopt;
  for (int t = 0; t < dtype_count; ++t) {
    auto candidate = static_cast<Dtype>(t);
    bool fits = computes_in(types, candidate);
    for (const Input& input : inputs) {
      fits = fits && (input.is_weak() || can_cast(input.array_->dtype(), candidate));
    }
    if (fits) return candidate;
  }
  return std::nullopt;
}

// Whether it can be an operand that is a signed integer.
bool is_exponent(const Input& input) {
  if (input.is_weak()) return weak_kind(input) <= Scalar::Kind::integer;
  return can_cast(input.array_->dtype(), Dtype::int64);
}

}  // namespace

Dtype common_type(std::span<const Input> inputs) {
  std::optional<Dtype> strong;
  std::optional<Scalar::Kind> weak;
  for (const Input& input : inputs) {
    if (input.is_weak()) {
      const Scalar::Kind kind = weak_kind(input);
      weak = weak ? std::max(*weak, kind) : kind;
      if (kind == Scalar::Kind::boolean) {
        strong = strong ? promote_types(*strong, Dtype::bool_) : Dtype::bool_;
      }
    } else {
      auto dtype = input.array_->dtype();
      strong = strong ? promote_types(*strong, dtype) : dtype;
    }
  }
  if (!weak || (strong && scalar_kind(*strong) >= *weak)) return *strong;
  if (!strong || *strong == Dtype::bool_ || is_integer(*strong)) {
    switch (*weak) {
      case Scalar::Kind::boolean:
        return Dtype::bool_;
      case Scalar::Kind::integer: {
        if (strong && is_integer(*strong)) return *strong;
        for (const Input& input : inputs) {
          if (!strong && input.is_scalar() && input.scalar_->huge()) return Dtype::uint64;
        }
        return Dtype::int64;
      }
      case Scalar::Kind::floating:
        return Dtype::float64;
      case Scalar::Kind::complex:
        return Dtype::complex128;
    }
  }
  return complex_type(*strong);  // a complex scalar beside floats
}

namespace {

// One or two arrays of the same inexact type, or one and a real scalar: nothing to work out.
std::optional<Resolution> evident_types(Op op, std::span<const Input> inputs) {
  std::optional<Dtype> dtype;
  for (const Input& input : inputs) {
    if (input.is_weak()) {
      if (weak_kind(input) == Scalar::Kind::complex) return std::nullopt;
      continue;
    }
    const Dtype own = input.array_->dtype();
    if (dtype && *dtype != own) return std::nullopt;
    dtype = own;
  }
  if (!dtype) return std::nullopt;
  const auto result = evident_results().of[static_cast<int>(op)][static_cast<int>(*dtype)];
  if (result == EvidentResults::none) return std::nullopt;
  return Resolution{*dtype, static_cast<Dtype>(result)};
}

// The operands that the type follows from, which are neighbours in every row: not a condition, an
// exponent or an address.
std::span<const Input> typed_operands(Op op, std::span<const Input> inputs) {
  if (has_equal_operands(op)) return inputs;
  auto typed = [&](std::size_t i) {
    return info(op).takes[i] == Takes::value || info(op).takes[i] == Takes::any_type;
  };
  std::size_t first = 0;
  while (!typed(first)) ++first;
  std::size_t last = first;
  while (last < inputs.size() && typed(last)) ++last;
  return inputs.subspan(first, last - first);
}

// The first type that SciPy's ufunc of this name finds a loop for.
std::optional<Dtype> scipys_type(Op op, std::span<const Input> inputs) {
  const bool all_weak = std::ranges::all_of(inputs, &Input::is_weak);
  auto own_type = [](const Input& input) {
    return input.is_scalar() ? input.scalar_->default_dtype() : input.array_->dtype();
  };
  auto is_one = [&](Dtype compute) {  // all are of its types already
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!all_weak && inputs[i].is_weak()) return false;
      if (own_type(inputs[i]) != linked_operand_type(op, i, compute)) return false;
    }
    return true;
  };
  // Beside integers alone a number with a fraction is not weak: int8 and 0.5 give float64. Beside
  // truth values alone no number is: bool and 2 give float64.
  const bool any_inexact = std::ranges::any_of(inputs, [](const Input& input) {
    return !input.is_weak() && is_inexact(input.array_->dtype());
  });
  const bool any_number = std::ranges::any_of(inputs, [](const Input& input) {
    return !input.is_weak() && input.array_->dtype() != Dtype::bool_;
  });
  const auto strongest = any_number ? Scalar::Kind::integer : Scalar::Kind::boolean;
  auto yields = [&](const Input& input) {
    return !all_weak && input.is_weak() && (any_inexact || weak_kind(input) <= strongest);
  };
  auto holds = [&](Dtype compute) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Dtype wanted = linked_operand_type(op, i, compute);
      if (yields(inputs[i])) {
        if (weak_kind(inputs[i]) > scalar_kind(wanted)) return false;
      } else if (!can_cast(own_type(inputs[i]), wanted)) {
        return false;
      }
    }
    return true;
  };
  constexpr Dtype order[] = {Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128};
  auto first = [&](auto is_right, bool doubles) -> std::optional<Dtype> {
    for (Dtype compute : order) {
      if (doubles && itemsize(real_type(compute)) == 4) continue;
      if (computes_in(info(op).types, compute) && is_right(compute)) return compute;
    }
    return std::nullopt;
  };
  if (auto same = first(is_one, false)) return same;
  return first(holds, info(op).doubles_first);
}

}  // namespace

Op row_for(Op op, std::span<const Input> inputs, std::optional<Dtype> dtype) {
  const Op of_orders = info(op).of_orders;
  if (of_orders == no_op || (dtype && *dtype != Dtype::float64)) return op;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (info(of_orders).takes[i] == Takes::order && !is_exponent(inputs[i])) return op;
  }
  if (!scipys_type(of_orders, inputs)) return op;
  if (!info(op).orders_last || dtype) return of_orders;
  return scipys_type(op, inputs) == Dtype::float64 ? of_orders : op;
}

Resolution resolve(Op op, std::span<const Input> inputs, std::optional<Dtype> dtype) {
  if (info(op).linked && !dtype) {
    const auto compute = scipys_type(row_for(op, inputs), inputs);
    if (!compute) unsupported(op, inputs);
    return {*compute, result_type(op, *compute)};
  }
  if (!dtype) {
    if (const auto evident = evident_types(op, inputs)) return *evident;
  } else {
    if (!computes_in(info(op).types, *dtype)) unsupported(op, inputs);
    return {*dtype, result_type(op, *dtype)};
  }
  auto typed = typed_operands(op, inputs);
  Dtype common = common_type(typed);
  if (common == Dtype::bool_ && info(op).refuses_bool) unsupported(op, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (info(op).takes[i] == Takes::exponent && !is_exponent(inputs[i])) unsupported(op, inputs);
  }
  bool exact = common == Dtype::bool_ || is_integer(common);
  if (info(op).float64_of_others && !computes_in(info(op).types, common) &&
      can_cast(common, Dtype::float64)) {
    return {Dtype::float64, result_type(op, Dtype::float64)};
  }
  auto compute = exact ? float_loop(op, typed) : std::nullopt;
  if (!compute) compute = loop_type(op, common);
  if (!compute) unsupported(op, inputs);
  return {*compute, result_type(op, *compute)};
}

}  // namespace heddle
