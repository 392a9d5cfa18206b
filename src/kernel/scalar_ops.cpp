// ScalarEmitter: the choice of a lowering by the type computed in, what is common to all types, and
// booleans.
#include "kernel/scalar_ops.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

void no_lowering(Op op, const char* types) {
  throw std::logic_error(std::string(info(op).name) + ": not defined for " + types);
}

Lane compare(LaneBuilder& l, Op op, bool is_signed, Lane x, Lane y) {
  using P = llvm::CmpInst::Predicate;
  const std::uint8_t where = info(op).holds;
  static_assert(P::FCMP_OEQ == holds::at && P::FCMP_OGT == holds::above &&
                P::FCMP_OLT == holds::below && P::FCMP_UNO == holds::unordered);
  if (x.value->getType()->isFPOrFPVectorTy()) return l(l.b.CreateFCmp(static_cast<P>(where), x, y));
  constexpr int equal = holds::at, above = holds::above, below = holds::below;
  auto predicate = [&] {
    switch (where & ~holds::unordered) {
      case equal:
        return P::ICMP_EQ;
      case above:
        return is_signed ? P::ICMP_SGT : P::ICMP_UGT;
      case above | equal:
        return is_signed ? P::ICMP_SGE : P::ICMP_UGE;
      case below:
        return is_signed ? P::ICMP_SLT : P::ICMP_ULT;
      case below | equal:
        return is_signed ? P::ICMP_SLE : P::ICMP_ULE;
      default:
        return P::ICMP_NE;
    }
  };
  return l(l.b.CreateICmp(predicate(), x, y));
}

Lane lower_bool(LaneBuilder& l, Op op, std::span<const Lane> args) {
  switch (info(op).truth) {
    case Truth::any:
      return args[0] | args[1];
    case Truth::all:
      return args[0] & args[1];
    case Truth::odd:
      return args[0] ^ args[1];
    case Truth::undefined:
      break;
  }
  switch (op) {
    case Op::invert:
      return !args[0];
    case Op::absolute:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return args[0];
    default:
      no_lowering(op, "bool");
  }
}

llvm::Type* ScalarEmitter::memory_type(Dtype dtype) const {
  switch (real_type(dtype)) {
    case Dtype::bool_:
      return b.getInt8Ty();
    case Dtype::float16:
      return b.getHalfTy();
    case Dtype::float32:
      return b.getFloatTy();
    case Dtype::float64:
      return b.getDoubleTy();
    default:
      return b.getIntNTy(8 * itemsize(dtype));
  }
}

llvm::Type* ScalarEmitter::type(Dtype dtype, int lanes) const {
  llvm::Type* scalar = dtype == Dtype::bool_ ? b.getInt1Ty() : memory_type(dtype);
  return LaneBuilder(b, target_, lanes).widen(scalar);
}

Value ScalarEmitter::splat(Value value, int lanes) {
  if (lanes == 1) return value;
  return {b.CreateVectorSplat(lanes, value.re),
          value.im == nullptr ? nullptr : b.CreateVectorSplat(lanes, value.im)};
}

Value ScalarEmitter::constant(Dtype dtype, double value, int lanes) {
  LaneBuilder l(b, target_, lanes);
  llvm::Type* like = type(dtype, lanes);
  switch (kind(dtype)) {
    case Kind::boolean:
      return {l.integer(like, value != 0)};
    case Kind::signed_integer:
      return {l.integer(like, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)))};
    case Kind::unsigned_integer:
      return {l.integer(like, value < 0
                                  ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                  : static_cast<std::uint64_t>(value))};
    case Kind::floating:
      if (dtype == Dtype::bfloat16)
        return {l.integer(like, bfloat16(static_cast<float>(value)).bits)};
      return {l.number(like, value)};
    case Kind::complex:
      return {l.number(like, value), l.number(like, 0)};
  }
  return {};
}

Value ScalarEmitter::identity(Op op, Dtype dtype, int lanes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  LaneBuilder l(b, target_, lanes);
  llvm::Type* like = type(dtype, lanes);
  const Identity identity = info(op).identity;
  if (is_extremum(op)) {
    const bool low = identity == Identity::lowest || identity == Identity::lowest_number;
    const int bits = static_cast<int>(like->getScalarSizeInBits());
    const std::uint64_t lowest = is_signed(dtype) ? std::uint64_t{1} << (bits - 1) : 0;
    switch (kind(dtype)) {
      case Kind::boolean:
        return {l.integer(like, low ? 0 : 1)};
      case Kind::signed_integer:
      case Kind::unsigned_integer:
        return {l.integer(like, low ? lowest : ~lowest)};
      case Kind::floating:
      case Kind::complex: {
        // fmax prefers every number to nan, and an infinity would win against nothing but nans.
        const bool ignores_nan =
            identity == Identity::lowest_number || identity == Identity::highest_number;
        const double loser =
            ignores_nan ? std::numeric_limits<double>::quiet_NaN() : (low ? -infinity : infinity);
        Value value = constant(dtype, loser, lanes);
        if (is_complex(dtype)) value.im = value.re;
        return value;
      }
    }
  }
  switch (identity) {
    case Identity::one:
      return constant(dtype, 1, lanes);
    case Identity::minus_one:
      return dtype == Dtype::bool_ ? constant(dtype, 1, lanes) : constant(dtype, -1, lanes);
    case Identity::minus_infinity:
      return constant(dtype, -infinity, lanes);
    default:
      return constant(dtype, 0, lanes);
  }
}

Value ScalarEmitter::apply(Op op, Dtype compute, Dtype result, std::span<const Value> args,
                           int lanes) {
  LaneBuilder l(b, target_, lanes);
  l.brief = brief;
  auto truth = [&](const Value& value) { return l(cast(value, compute, Dtype::bool_, lanes).re); };
  switch (op) {
    case Op::cast:
      return cast(args[0], compute, result, lanes);
    case Op::select:
      return {b.CreateSelect(args[0].re, args[1].re, args[2].re),
              args[1].im == nullptr ? nullptr : b.CreateSelect(args[0].re, args[1].im, args[2].im)};
    case Op::positive:
    case Op::reported:
    case Op::stopped:
      return args[0];
    case Op::conjugate:
      return is_complex(compute) ? Value{args[0].re, b.CreateFNeg(args[0].im)} : args[0];
    case Op::real:
      return {args[0].re};
    case Op::imag:
      return is_complex(compute) ? Value{args[0].im} : constant(compute, 0, lanes);
    case Op::make_complex:
      return {cast(args[0], compute, real_type(result), lanes).re,
              cast(args[1], compute, real_type(result), lanes).re};
    case Op::gated: {
      const Value product = apply(Op::multiply, compute, result, args, lanes);
      const Value zero = constant(result, 0, lanes);
      llvm::Value* some = truth(args[0]).value;
      return {b.CreateSelect(some, product.re, zero.re),
              is_complex(compute) ? b.CreateSelect(some, product.im, zero.im) : nullptr};
    }
    case Op::logical_and:
      return {truth(args[0]) & truth(args[1])};
    case Op::logical_or:
      return {truth(args[0]) | truth(args[1])};
    case Op::logical_xor:
      return {truth(args[0]) ^ truth(args[1])};
    case Op::logical_not:
      return {!truth(args[0])};
    case Op::unit_interval:
    case Op::normal_deviate:
      return {lower_word(l, op, l(args[0].re))};
    case Op::shuffled: {
      Lane numbers[max_inputs];
      for (std::size_t i = 0; i < args.size(); ++i) numbers[i] = l(args[i].re);
      return {lower_shuffle(l, std::span(numbers, args.size()))};
    }
    case Op::log_gamma:
    case Op::poisson_quantile:
    case Op::binomial_quantile:
    case Op::hypergeometric_quantile:
    case Op::gamma_deviate:
    case Op::poisson_deviate:
    case Op::binomial_deviate:
    case Op::hypergeometric_deviate:
    case Op::zipf_deviate:
    case Op::logseries_deviate:
    case Op::vonmises_deviate: {
      if (is_half(compute)) break;
      Lane numbers[max_inputs];
      for (std::size_t i = 0; i < args.size(); ++i) numbers[i] = l(args[i].re);
      return {lower_distribution(l, op, std::span(numbers, args.size()))};
    }
    default:
      break;
  }
  if (const Known known = info(op).of_integers; known != Known::unknown && !is_inexact(compute))
    return constant(Dtype::bool_, known == Known::yes ? 1 : 0, lanes);
  Lane operands[max_inputs];
  for (std::size_t i = 0; i < args.size(); ++i) operands[i] = l(args[i].re);
  const std::span<const Lane> lane_args(operands, args.size());
  if (info(op).linked) {
    Lane done = is_complex(compute) ? Lane{} : lower_special(l, op, lane_args);
    return done.value ? Value{done} : lower_linked(l, linked_, op, compute, result, args);
  }
  if (is_complex(compute)) return lower_complex(l, op, args);
  if (!is_half(compute)) {
    if (is_comparison(op)) return {compare(l, op, is_signed(compute), operands[0], operands[1])};
    if (compute == Dtype::bool_) return {lower_bool(l, op, lane_args)};
    if (is_integer(compute)) return {lower_integer(l, op, compute, lane_args)};
    return {lower_float(l, op, lane_args)};
  }
  if (Lane done = lower_half(l, op, compute, lane_args); done.value != nullptr) return {done};
  Value singles[max_inputs];
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool other = info(op).takes[i] != Takes::value;
    singles[i] = other ? args[i] : cast(args[i], compute, Dtype::float32, lanes);
  }
  const Dtype single_result = result == compute ? Dtype::float32 : result;
  Value value = apply(op, Dtype::float32, single_result, std::span(singles, args.size()), lanes);
  return result == compute ? cast(value, Dtype::float32, compute, lanes) : value;
}

}  // namespace heddle::kernel
