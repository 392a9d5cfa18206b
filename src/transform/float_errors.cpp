#include "transform/float_errors.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "graph/explain.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/reported.h"
#include "transform/support.h"
#include <heddle/ufuncs.h>

namespace heddle::transform {

namespace {

constinit thread_local const array* counted = nullptr;

array read(const Operand& operand) {
  if (!operand.value) return to_array(Number{operand.dtype, operand.scalar});
  if (operand.layout) return holding(operand.value, *operand.layout, operand.dtype);
  return holding(operand.value, operand.value->shape.dense(), operand.dtype);
}

std::vector<array> read_all(const Heard& heard) {
  std::vector<array> operands;
  for (const Operand& operand : heard.operands) operands.push_back(read(operand));
  return operands;
}

array made_by(const Heard& heard, std::size_t output = 0) {
  const Ref<Value>& value = heard.outputs[output];
  return holding(value, value->shape.dense(), value->dtype);
}

array truth(bool value, const array& beside) {
  return full({}, Scalar(value), Dtype::bool_, beside.device());
}

// Where all operands are finite, and where any of them is nan: 0-d where none can be otherwise.
array all_finite(const std::vector<array>& operands) {
  array all = truth(true, operands[0]);
  for (const array& x : operands) {
    if (is_inexact(x.dtype())) all = logical_and(all, isfinite(x));
  }
  return all;
}

array any_nan(const std::vector<array>& operands) {
  array any = truth(false, operands[0]);
  for (const array& x : operands) {
    if (is_inexact(x.dtype())) any = logical_or(any, isnan(x));
  }
  return any;
}

double smallest_normal(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return 0x1p-14;
    case Dtype::float64:
      return std::numeric_limits<double>::min();
    default:
      return std::numeric_limits<float>::min();
  }
}

Scalar least_of(Dtype signed_integer) {
  return std::numeric_limits<std::int64_t>::min() >> (64 - 8 * itemsize(signed_integer));
}

// Where a float is no number of an integer type, or is far beyond it: machines convert in 32 or 64
// bits, and smaller types wrap.
array does_not_convert(const array& x, Dtype to) {
  const bool narrow = is_signed(to) && itemsize(to) < 8;
  const double low = narrow ? -0x1p31 : -0x1p63;
  const double high = narrow ? 0x1p31 : is_signed(to) ? 0x1p63 : 0x1p64;
  const array wholes = cast(x, Dtype::float64);
  return logical_not(logical_and(trunc(wholes) >= low, wholes < high));
}

// NumPy's name of what was called.
std::string called(const Heard& heard) {
  switch (heard.node->kind) {
    case NodeKind::reduce:
      return "reduce";
    case NodeKind::scan:
      return "accumulate";
    default:
      return graph::name_of(*heard.node);
  }
}

}  // namespace

CountedWhere::CountedWhere(const array* mask) : before_(std::exchange(counted, mask)) {}
CountedWhere::~CountedWhere() { counted = before_; }

void FloatChecking::check(const Heard& heard) {
  if (heddle::detail::harmless_depth > 0) return;
  for (const Ref<Value>& value : heard.outputs) {
    if (!value || value->size() == 0) return;
  }
  switch (heard.node->kind) {
    case NodeKind::elementwise:
      return check_elementwise(heard);
    case NodeKind::reduce:
      return check_reduction(heard);
    case NodeKind::library:
      if (!heard.node->primitive->tells_errors) return;
      [[fallthrough]];
    case NodeKind::scan:
    case NodeKind::update:
      return check_whole(heard);
    case NodeKind::argreduce:
    case NodeKind::index:
    case NodeKind::random:
    case NodeKind::gather:
      return;  // they make nothing that was not there
  }
}

void FloatChecking::tell(const Heard& heard, FloatError error, const array& where) {
  array seen = where;
  if (counted && seen.ndim() == counted->ndim() && seen.shape() == counted->shape()) {
    seen = logical_and(seen, *counted);
  }
  if (is_true_anywhere(seen)) found(error, called(heard));
}

void FloatChecking::check_elementwise(const Heard& heard) {
  using enum FloatError;
  const auto wanted = [&](FloatError error) { return kinds[static_cast<std::size_t>(error)]; };
  const OpInfo& row = info(heard.node->op);
  const array made = made_by(heard);
  const std::vector<array> operands = read_all(heard);
  if (!is_inexact(made.dtype())) {
    if (made.dtype() == Dtype::bool_) return;
    if (heard.node->op == Op::cast && is_inexact(operands[0].dtype()) && wanted(invalid)) {
      tell(heard, invalid, does_not_convert(real(operands[0]), made.dtype()));
    }
    if (row.divides && wanted(divide)) {
      tell(heard, divide, (operands.back() == 0).broadcast_to(made.shape()));
    }
    if (row.divides && wanted(over) && is_signed(made.dtype())) {
      // The least integer has no opposite. Its remainder is zero, and no error.
      const Scalar least = least_of(made.dtype());
      const array wraps = logical_and(operands.front() == least, operands.back() == -1);
      tell(heard, over, logical_and(made == least, wraps));
    }
    return;
  }

  const array finite = all_finite(operands);
  if (wanted(divide) || wanted(over)) {
    const array beyond = logical_and(isinf(made), finite);
    // A pole is where an operand is zero, or at an end of where the operation has real results.
    array pole = truth(false, made);
    for (const array& x : operands) pole = logical_or(pole, x == 0);
    for (const double end : {row.domain.low, row.domain.high}) {
      if (std::isfinite(end)) pole = logical_or(pole, operands[0] == end);
    }
    if (wanted(divide)) tell(heard, divide, logical_and(beyond, pole));
    if (wanted(over)) tell(heard, over, logical_and(beyond, logical_not(pole)));
  }
  if (wanted(under) && row.underflows && !is_complex(made.dtype())) {
    const double least = smallest_normal(made.dtype());
    array small = logical_and(absolute(made) < least, finite);
    for (const array& x : operands) {
      small = logical_and(small, x != 0);
      // What was small before may be exact.
      if (x.dtype() == made.dtype()) {
        small = logical_and(small, logical_or(made == 0, absolute(x) >= least));
      }
    }
    tell(heard, under, small);
  }
  if (wanted(invalid)) {
    tell(heard, invalid, logical_and(isnan(made), logical_not(any_nan(operands))));
  }
}

void FloatChecking::check_reduction(const Heard& heard) {
  const array made = made_by(heard), x = read(heard.operands[0]);
  if (!is_inexact(made.dtype())) return;
  const auto any = [&](const array& a) {
    return reduce(Op::logical_or, a, heard.node->axes, false, Dtype::bool_).reshape(made.shape());
  };
  if (kinds[static_cast<std::size_t>(FloatError::over)]) {
    tell(heard, FloatError::over,
         logical_and(isinf(made), logical_not(any(logical_not(isfinite(x))))));
  }
  if (kinds[static_cast<std::size_t>(FloatError::invalid)]) {
    tell(heard, FloatError::invalid, logical_and(isnan(made), logical_not(any(isnan(x)))));
  }
}

// What depends on elements in any way: an error where an output has what no operand has.
void FloatChecking::check_whole(const Heard& heard) {
  const std::vector<array> operands = read_all(heard);
  const auto has = [&](const auto& what) {
    for (const array& x : operands) {
      if (is_inexact(x.dtype()) && is_true_anywhere(what(x))) return true;
    }
    return false;
  };
  const bool nans = has([](const array& x) { return isnan(x); });
  const bool others = nans || has([](const array& x) { return isinf(x); });
  for (std::size_t i = 0; i < heard.outputs.size(); ++i) {
    if (!is_inexact(heard.outputs[i]->dtype)) continue;
    const array made = made_by(heard, i);
    if (!others && kinds[static_cast<std::size_t>(FloatError::over)]) {
      tell(heard, FloatError::over, isinf(made));
    }
    if (!nans && kinds[static_cast<std::size_t>(FloatError::invalid)]) {
      tell(heard, FloatError::invalid, isnan(made));
    }
  }
}

}  // namespace heddle::transform
