// Expressions: registers that hold one value for all lanes, the first of an affine row, or a
// vector.
#include <algorithm>

#include "simt/emitter.h"

namespace heddle::simt {

llvm::Value* Emitter::iota(llvm::Type* scalar) {
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes_; ++i)
    numbers.push_back(llvm::ConstantInt::get(scalar, static_cast<std::uint64_t>(i)));
  return llvm::ConstantVector::get(numbers);
}

kernel::Value Emitter::widened(const Val& value, Dtype dtype) {
  if (lanes_ == 1 || value.spread.level == Level::varying) return value.at;
  kernel::Value wide = scalars_.splat(value.at, lanes_);
  if (value.spread.level != Level::affine) return wide;
  llvm::Type* type = b.getInt64Ty();
  llvm::Value* steps = b.CreateMul(iota(type), b.CreateVectorSplat(lanes_, i64(value.spread.step)));
  return {b.CreateAdd(wide.re, steps), nullptr};
}

kernel::Value Emitter::lane_of(const kernel::Value& value, llvm::Value* lane) {
  return {b.CreateExtractElement(value.re, lane),
          value.im == nullptr ? nullptr : b.CreateExtractElement(value.im, lane)};
}

// --- locals ---

Emitter::Val Emitter::read_local(int local) {
  const LocalPlace& place = locals_[static_cast<std::size_t>(local)];
  const Dtype dtype = p_.locals[static_cast<std::size_t>(local)].dtype;
  llvm::Type* type = scalars_.type(dtype, place.spread.level == Level::varying ? lanes_ : 1);
  auto read = [&](llvm::Value* from) {
    return from == nullptr ? nullptr : b.CreateLoad(type, from);
  };
  return {{read(place.re), read(place.im)}, place.spread};
}

void Emitter::write_local(int local, const Val& value, Mask blend) {
  const LocalPlace& place = locals_[static_cast<std::size_t>(local)];
  const Dtype dtype = p_.locals[static_cast<std::size_t>(local)].dtype;
  kernel::Value at = place.spread.level == Level::varying ? widened(value, dtype) : value.at;
  auto write = [&](llvm::Value* to, llvm::Value* part) {
    if (to == nullptr) return;
    if (blend != nullptr) part = b.CreateSelect(blend, part, b.CreateLoad(part->getType(), to));
    b.CreateStore(part, to);
  };
  write(place.re, at.re);
  write(place.im, at.im);
}

// --- expressions ---

Emitter::Val Emitter::constant(const Expr& e) {
  auto part = [&](std::uint64_t bits) -> llvm::Value* {
    const Dtype dtype = real_type(e.dtype);
    llvm::Type* type = scalars_.type(dtype, 1);
    if (!type->isFloatingPointTy()) return llvm::ConstantInt::get(type, bits, false, true);
    const unsigned width = type->getPrimitiveSizeInBits();
    return llvm::ConstantFP::get(
        type, llvm::APFloat(type->getFltSemantics(), llvm::APInt(width, bits, false, true)));
  };
  return {{part(e.bits[0]), is_complex(e.dtype) ? part(e.bits[1]) : nullptr}, {Level::block, 0}};
}

llvm::Value* Emitter::emit_uniform(int expr) { return emit(expr).at.re; }

llvm::Value* Emitter::emit_condition(int expr, bool& one) {
  const Val value = emit(expr);
  one = lanes_ == 1 || is_uniform(value.spread);
  return value.at.re;
}

Emitter::Val Emitter::emit(int expr) {
  const Expr& e = p_.expr(expr);
  switch (e.kind) {
    case ExprKind::constant:
      return constant(e);
    case ExprKind::local:
      return read_local(e.index);
    case ExprKind::op:
      return emit_op(e);
    case ExprKind::geometry:
      return emit_geometry(e);
    case ExprKind::load:
      return load(e);
    case ExprKind::extent:
      return extent_of(e.index, e.axis);
    case ExprKind::stride:
      return stride_of(e.index, e.axis);
    case ExprKind::atomic:
      return emit_atomic(e);
    case ExprKind::warp:
      return grid_ ? emit_warp_of_grid(e) : emit_warp(e);
    case ExprKind::bits:
      return emit_bits(e);
    case ExprKind::address:
      return address_of(e.index);
  }
  return {};
}

namespace {

// Products that are added may be fused; formulas of functions may not be touched.
bool may_contract(Op op, Dtype compute) {
  return is_inexact(compute) && !is_half(compute) &&
         (op == Op::add || op == Op::subtract || op == Op::multiply);
}

}  // namespace

Emitter::Val Emitter::emit_op(const Expr& e) {
  std::vector<Val> args;
  std::vector<Spread> spreads;
  for (int arg : e.args) {
    args.push_back(emit(arg));
    spreads.push_back(args.back().spread);
  }
  Spread spread = Uniformity::of_op(p_, e, spreads);
  if (lanes_ == 1) spread = {std::min(spread.level, Level::chunk), 0};
  if (spread.level == Level::affine ||
      (spread.level == Level::chunk && e.dtype == Dtype::int64 &&
       std::any_of(spreads.begin(), spreads.end(), [](Spread s) { return !is_uniform(s); }))) {
    // The first lane's, by the same operation.
    std::vector<kernel::Value> firsts;
    for (const Val& arg : args) firsts.push_back(arg.at);
    return {scalars_.apply(e.op, e.compute, e.dtype, firsts, 1), spread};
  }
  const int lanes = is_uniform(spread) ? 1 : lanes_;
  std::vector<kernel::Value> values;
  for (std::size_t i = 0; i < args.size(); ++i)
    values.push_back(lanes == 1 ? args[i].at : widened(args[i], p_.expr(e.args[i]).dtype));
  const bool plain = p_.rounding != Rounding::exact && may_contract(e.op, e.compute);
  if (plain) {
    llvm::FastMathFlags flags;
    p_.rounding == Rounding::fast ? flags.setFast() : flags.setAllowContract(true);
    b.setFastMathFlags(flags);
  }
  const kernel::Value made = scalars_.apply(e.op, e.compute, e.dtype, values, lanes);
  if (plain) b.clearFastMathFlags();
  return {made, spread};
}

Emitter::Val Emitter::emit_geometry(const Expr& e) {
  switch (static_cast<Geometry>(e.index)) {
    case Geometry::thread:
      return thread_index_[e.axis];
    case Geometry::block:
      return uniform(block_index_[e.axis]);
    case Geometry::block_size:
      return uniform(block_size_[e.axis]);
    case Geometry::grid_size:
      return uniform(grid_size_[e.axis]);
    case Geometry::lane:
      if (grid_) return uniform(b.CreateZExt(machine_->lane(), b.getInt64Ty()));
      return {{i64(0), nullptr}, {lanes_ == 1 ? Level::chunk : Level::affine, 1}};
    case Geometry::clock:
      if (grid_) return uniform(machine_->clock());
      return {{b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, llvm::ArrayRef<llvm::Value*>()),
               nullptr},
              {Level::chunk, 0}};
    case Geometry::dynamic_bytes:
      return uniform(dynamic_);
    case Geometry::numbers:
      return uniform(emit_numbers(e.axis));
  }
  return {};
}

Emitter::Val Emitter::emit_bits(const Expr& e) {
  std::vector<Val> args;
  Spread spread;
  for (int arg : e.args) {
    args.push_back(emit(arg));
    spread.level = std::max(spread.level, args.back().spread.level);
  }
  if (!is_uniform(spread)) spread.level = Level::varying;
  const int lanes = is_uniform(spread) || lanes_ == 1 ? 1 : lanes_;
  std::vector<llvm::Value*> values;
  for (std::size_t i = 0; i < args.size(); ++i) {
    values.push_back(lanes == 1 ? args[i].at.re : widened(args[i], p_.expr(e.args[i]).dtype).re);
  }
  llvm::Value* x = values[0];
  const Dtype given = p_.expr(e.args[0]).dtype;
  auto as_result = [&](llvm::Value* value) -> Val {
    return {scalars_.cast({value, nullptr}, given, e.dtype, lanes), spread};
  };
  switch (static_cast<Bits>(e.axis)) {
    case Bits::population:
      return as_result(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x));
    case Bits::leading_zeros:
      return as_result(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse()));
    case Bits::first_set: {
      // One more than the number of the lowest bit; 0 if there is none.
      llvm::Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x, b.getFalse());
      llvm::Value* none = llvm::Constant::getNullValue(x->getType());
      llvm::Value* first = b.CreateAdd(zeros, llvm::ConstantInt::get(x->getType(), 1));
      return as_result(b.CreateSelect(b.CreateICmpEQ(x, none), none, first));
    }
    case Bits::reverse:
      return as_result(b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, x));
    case Bits::fused:
      return {{b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, values), nullptr}, spread};
  }
  return {};
}

}  // namespace heddle::simt
