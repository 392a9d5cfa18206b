// Accumulators: reductions, first extremes and running results.
//
// Sums of floating-point numbers are pairwise: a few steps are added up in a register, which is
// then flushed to a stack of partial sums where entry n holds the sum of 2^n flushes; a flush
// merges as the carry of a binary counter does. The error grows with the logarithm of the length.
#include "kernel/llvm_function_emitter.h"

namespace heddle::kernel {
namespace {

constexpr int stack_levels = 44;  // 2^44 flushes are never reached

}  // namespace

int FunctionEmitter::accumulator_lanes(int i) const {
  if (k.lanes == Lanes::kept) return lanes_of(i);
  if (takes_bits(i)) return 1;
  if (schedule_.width[i]) return schedule_.width[i];
  return lanes_ == 0 ? schedule_.lanes : lanes_;
}

FunctionEmitter::Cell& FunctionEmitter::cell(int i, int lanes) {
  Cell& c = cells_[{i, lanes}];
  if (c.re) return c;
  const Dtype dtype = accumulator_type(k, k.instrs[i]);
  c.re = stack_variable(ops_.type(dtype, lanes));
  if (is_complex(dtype)) c.im = stack_variable(ops_.type(dtype, lanes));
  const Op op = k.instrs[i].op;
  if (op == Op::argmin || op == Op::argmax)
    c.index = stack_variable(ops_.type(Dtype::int64, lanes));
  return c;
}

FunctionEmitter::Running FunctionEmitter::read(const Cell& c) {
  auto get = [&](llvm::AllocaInst* from) -> llvm::Value* {
    return from ? b.CreateLoad(from->getAllocatedType(), from) : nullptr;
  };
  Running running;
  running.value.re = get(c.re);
  running.value.im = get(c.im);
  running.index = get(c.index);
  return running;
}

void FunctionEmitter::write(const Cell& c, const Running& running) {
  b.CreateStore(running.value.re, c.re);
  if (c.im) b.CreateStore(running.value.im, c.im);
  if (c.index) b.CreateStore(running.index, c.index);
}

FunctionEmitter::Running FunctionEmitter::empty(const Instr& instr, int lanes) {
  const Dtype dtype = accumulator_type(k, instr);
  if (instr.op == Op::argmin || instr.op == Op::argmax) {
    const Op op = instr.op == Op::argmin ? Op::minimum : Op::maximum;
    return {ops_.identity(op, dtype, lanes), ops_.constant(Dtype::int64, -1, lanes).re};
  }
  if (instr.op == Op::scan && instr.combine == Op::add && is_inexact(dtype)) {
    // 0.0 + -0.0 would lose the sign.
    Value zero = ops_.constant(real_type(dtype), -0.0, lanes);
    if (is_complex(dtype)) zero.im = zero.re;
    return {zero, nullptr};
  }
  return {ops_.identity(instr.combine, dtype, lanes), nullptr};
}

FunctionEmitter::Running FunctionEmitter::choose(llvm::Value* condition, const Running& a,
                                                 const Running& b_) {
  auto pick = [&](llvm::Value* x, llvm::Value* y) {
    return x ? b.CreateSelect(condition, x, y) : nullptr;
  };
  return {{pick(a.value.re, b_.value.re), pick(a.value.im, b_.value.im)}, pick(a.index, b_.index)};
}

// Whether v replaces `than` as the extreme. A nan is more extreme than every number.
llvm::Value* FunctionEmitter::better(const Instr& instr, Value v, Value than, int lanes) {
  const Dtype dtype = accumulator_type(k, instr);
  const Op op = instr.op == Op::argmin ? Op::less : Op::greater;
  if (is_floating(dtype) && !is_half(dtype)) {
    // Unordered comparisons hold for a nan on either side.
    const auto beyond = op == Op::less ? llvm::CmpInst::FCMP_ULT : llvm::CmpInst::FCMP_UGT;
    return b.CreateAnd(b.CreateFCmp(beyond, v.re, than.re), b.CreateFCmpORD(than.re, than.re));
  }
  const Value pair[] = {v, than};
  llvm::Value* wins = ops_.apply(op, dtype, Dtype::bool_, pair, lanes).re;
  if (!is_inexact(dtype)) return wins;
  llvm::Value* v_nan = ops_.apply(Op::isnan, dtype, Dtype::bool_, std::span(&v, 1), lanes).re;
  llvm::Value* nan = ops_.apply(Op::isnan, dtype, Dtype::bool_, std::span(&than, 1), lanes).re;
  return b.CreateAnd(b.CreateOr(wins, v_nan), b.CreateNot(nan));
}

FunctionEmitter::Running FunctionEmitter::combine(const Instr& instr, const Running& first,
                                                  const Running& second, int lanes) {
  if (instr.op == Op::reduce || instr.op == Op::scan) {
    const Value pair[] = {first.value, second.value};
    return {ops_.apply(instr.combine, instr.dtype, instr.dtype, pair, lanes), nullptr};
  }
  llvm::Value* none = llvm::Constant::getNullValue(first.index->getType());
  llvm::Value* earlier = b.CreateAnd(b.CreateNot(better(instr, first.value, second.value, lanes)),
                                     b.CreateICmpSLT(second.index, first.index));
  llvm::Value* wins = b.CreateOr(better(instr, second.value, first.value, lanes), earlier);
  wins = b.CreateOr(wins, b.CreateICmpSLT(first.index, none));
  wins = b.CreateAnd(wins, b.CreateICmpSGE(second.index, none));
  return choose(wins, second, first);
}

FunctionEmitter::Running FunctionEmitter::upper_half(const Running& running, int lanes,
                                                     bool upper) {
  const int half = lanes / 2;
  auto part = [&](llvm::Value* v) -> llvm::Value* {
    if (!v) return nullptr;
    if (half == 1) return b.CreateExtractElement(v, static_cast<std::uint64_t>(upper));
    std::vector<int> order;
    for (int n = 0; n < half; ++n) order.push_back(upper ? half + n : n);
    return b.CreateShuffleVector(v, order);
  };
  return {{part(running.value.re), part(running.value.im)}, part(running.index)};
}

FunctionEmitter::Running FunctionEmitter::across_lanes(const Instr& instr, Running running,
                                                       int lanes) {
  if (instr.op == Op::reduce && instr.dtype == Dtype::bool_ && lanes > 1) {
    switch (info(instr.combine).truth) {
      case Truth::any:
        return {{b.CreateOrReduce(running.value.re), nullptr}, nullptr};
      case Truth::all:
        return {{b.CreateAndReduce(running.value.re), nullptr}, nullptr};
      default:
        break;
    }
  }
  for (; lanes > 1; lanes /= 2) {
    running = combine(instr, upper_half(running, lanes, false), upper_half(running, lanes, true),
                      lanes / 2);
  }
  return running;
}

// --- a phase ---

// Empties the accumulators of this width. The element-wise tail of a vector loop has its own.
void FunctionEmitter::begin_phase(int p, int lanes) {
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    const Instr& instr = k.instrs[n];
    if (instr.phase != p || !(is_reduction(instr.op) || instr.op == Op::scan)) continue;
    const int i = static_cast<int>(n);
    const bool tail = lanes != schedule_.lanes;
    if (tail && (takes_bits(i) || schedule_.width[i])) continue;  // for all lanes and the tail
    int width = k.lanes == Lanes::kept ? lanes_of(i) : takes_bits(i) ? 1 : lanes;
    if (schedule_.width[i]) width = schedule_.width[i];
    write(cell(i, width), empty(instr, width));
  }
  if (k.lanes == Lanes::reduced && lanes != schedule_.lanes) return;
  b.CreateStore(b.getFalse(), started_);
  b.CreateStore(i64(0), steps_);
  b.CreateStore(i64(0), flushes_);
}

void FunctionEmitter::mark_started() { b.CreateStore(b.getTrue(), started_); }

void FunctionEmitter::accumulate(int i) {
  if (takes_bits(i)) return accumulate_bits(i);
  if (schedule_.width[i]) return accumulate_parts(i);
  const Instr& instr = k.instrs[i];
  const int lanes = accumulator_lanes(i);
  const Cell& c = cell(i, lanes);
  const Running old = read(c);
  Running next{operand(instr.args[0], lanes), nullptr};
  if (c.index) {
    next.index = operand(instr.args[1], lanes).re;
    return accumulate_extreme(instr, c, old, next, lanes);
  }
  const Running combined = combine(instr, old, next, lanes);
  next =
      needs_first(instr) ? choose(b.CreateLoad(b.getInt1Ty(), started_), combined, next) : combined;
  if (mask_ && k.lanes == Lanes::reduced) next = choose(mask_, next, old);
  if (counts_) next = choose(counts_, next, old);
  write(c, next);
}

// Elements come in order in every lane, so an equal one is never the first extreme. A new extreme
// is rare: the usual step is a comparison and a branch.
void FunctionEmitter::accumulate_extreme(const Instr& instr, const Cell& c, const Running& old,
                                         const Running& next, int lanes) {
  llvm::Value* wins = better(instr, next.value, old.value, lanes);
  llvm::Value* active = k.lanes == Lanes::reduced ? mask_ : nullptr;
  if (active) wins = b.CreateAnd(wins, active);
  auto update = [&] {
    llvm::Value* none = llvm::Constant::getNullValue(old.index->getType());
    llvm::Value* first = b.CreateICmpSLT(old.index, none);
    if (active) first = b.CreateAnd(first, active);
    write(c, choose(b.CreateOr(wins, first), next, old));
  };
  if (lanes == 1) return update();
  llvm::Value* started = b.CreateLoad(b.getInt1Ty(), started_);
  when(b.CreateOr(b.CreateOrReduce(wins), b.CreateNot(started)), update);
}

// --- partial results ---

bool FunctionEmitter::has_parts(int p) const {
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    if (k.instrs[i].phase == p && schedule_.width[i]) return true;
  }
  return false;
}

// Combines the elements of the lanes with the partial results that they belong to.
void FunctionEmitter::accumulate_parts(int i) {
  const Instr& instr = k.instrs[i];
  const int width = schedule_.width[i];
  const Cell& all = cell(i, width);
  const Value value = operand(instr.args[0], lanes_);
  auto next = [&](const Running& old, Value element, llvm::Value* mask, int lanes) {
    const Running combined = combine(instr, old, {element, nullptr}, lanes);
    return mask ? choose(mask, combined, old) : combined;
  };
  if (part_index_ && lanes_ < width) {
    const Cell& cells = spilled_ ? spilled_cells_.at(i) : all;
    llvm::Value* number = b.CreateAnd(part_index_, i64(width - 1));
    llvm::Type* type = ops_.type(instr.dtype, lanes_);
    llvm::Type* element = type->getScalarType();
    const llvm::Align align(component_size(instr.dtype));
    auto at = [&](llvm::Value* memory) { return b.CreateInBoundsGEP(element, memory, number); };
    Running old{{b.CreateAlignedLoad(type, at(cells.re), align), nullptr}, nullptr};
    if (cells.im) old.value.im = b.CreateAlignedLoad(type, at(cells.im), align);
    const Running sum = next(old, value, mask_, lanes_);
    b.CreateAlignedStore(sum.value.re, at(cells.re), align);
    if (cells.im) b.CreateAlignedStore(sum.value.im, at(cells.im), align);
    return;
  }
  // A slice of a vector, and a vector with a slice replaced.
  auto slice = [&](llvm::Value* v, int first, int lanes) -> llvm::Value* {
    if (!v || static_cast<int>(llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements()) ==
                  lanes)
      return v;
    return b.CreateExtractVector(llvm::FixedVectorType::get(v->getType()->getScalarType(), lanes),
                                 v, static_cast<std::uint64_t>(first));
  };
  Running sums = read(all);
  if (lanes_ >= width) {  // several elements for each, one after the other
    for (int first = 0; first < lanes_; first += width) {
      const Value element{slice(value.re, first, width), slice(value.im, first, width)};
      sums = next(sums, element, slice(mask_, first, width), width);
    }
  } else {
    const int first = part_ % width;
    const Running old{{slice(sums.value.re, first, lanes_), slice(sums.value.im, first, lanes_)},
                      nullptr};
    const Running sum = next(old, value, mask_, lanes_);
    auto put = [&](llvm::Value* to, llvm::Value* v) {
      return to ? b.CreateInsertVector(to->getType(), to, v, static_cast<std::uint64_t>(first))
                : nullptr;
    };
    sums = {{put(sums.value.re, sum.value.re), put(sums.value.im, sum.value.im)}, nullptr};
  }
  write(all, sums);
}

// Moves partial results that are in registers to where an index reaches them, and back.
void FunctionEmitter::spill_parts(bool back) {
  if (schedule_.rolling[phase_]) return;
  spilled_ = !back;
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    const int i = static_cast<int>(n);
    if (k.instrs[n].phase != phase_ || !schedule_.width[n]) continue;
    const Cell& home = cell(i, schedule_.width[n]);
    Cell& away = spilled_cells_[i];
    if (!away.re) {
      away.re = stack_variable(home.re->getAllocatedType());
      if (home.im) away.im = stack_variable(home.im->getAllocatedType());
    }
    back ? write(home, read(away)) : write(away, read(home));
  }
}

// --- truth values as bits ---

void FunctionEmitter::accumulate_bits(int i) {
  const Instr& instr = k.instrs[i];
  llvm::Value* bits = operand(schedule_.truth[i], lanes_).re;
  if (instr.op == Op::argmin) bits = b.CreateNot(bits);
  if (mask_) bits = b.CreateAnd(bits, mask_);
  if (lanes_ > 1) bits = b.CreateBitCast(bits, b.getIntNTy(static_cast<unsigned>(lanes_)));
  const Cell& c = cell(i, 1);
  if (instr.op != Op::reduce) return note_first(instr, c, bits, lanes_);
  llvm::Value* total = read(c).value.re;
  llvm::Value* count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
  write(c, {{b.CreateAdd(total, b.CreateZExtOrTrunc(count, total->getType())), nullptr}, nullptr});
}

// The place of the first bit, once; until then, that of the first element.
void FunctionEmitter::note_first(const Instr& instr, const Cell& c, llvm::Value* bits, int lanes) {
  llvm::Value* wanted = b.getInt1(instr.op == Op::argmax);
  llvm::Value* other = b.getInt1(instr.op == Op::argmin);
  when(b.CreateNot(b.CreateLoad(b.getInt1Ty(), started_)),
       [&] { write(c, {{other, nullptr}, place_of(instr, i64(0), lanes)}); });
  llvm::Value* found = b.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
  when(b.CreateAnd(found, b.CreateICmpEQ(read(c).value.re, other)), [&] {
    llvm::Value* lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue());
    write(c,
          {{wanted, nullptr}, place_of(instr, b.CreateZExtOrTrunc(lane, b.getInt64Ty()), lanes)});
  });
}

// Where the element of a lane is, as an extreme tells it.
llvm::Value* FunctionEmitter::place_of(const Instr& instr, llvm::Value* lane, int lanes) {
  const Instr& source = k.instrs[instr.args[1]];
  if (lanes == 1) return operand(instr.args[1], 1).re;
  if (source.op == Op::index && source.slot == schedule_.lane_dim)
    return b.CreateAdd(index(source, 1).re, lane);
  return b.CreateExtractElement(operand(instr.args[1], lanes).re, lane);
}

int FunctionEmitter::settling(int p) const {
  if (target_.model != Model::simd || k.lanes != Lanes::reduced) return -1;
  int only = -1;
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    const Instr& instr = k.instrs[n];
    if (instr.phase != p) continue;
    if (instr.op == Op::scan || (instr.op == Op::store && instr.level == Level::body)) return -1;
    if (!is_reduction(instr.op)) continue;
    if (only >= 0 || !settling_truth(k, instr)) return -1;
    only = static_cast<int>(n);
  }
  return only;
}

void FunctionEmitter::note_settled(int i) {
  const Instr& instr = k.instrs[i];
  const int lanes = accumulator_lanes(i);
  const bool truth = *settling_truth(k, instr);
  llvm::Value* value = read(cell(i, lanes)).value.re;
  if (lanes > 1) value = truth ? b.CreateOrReduce(value) : b.CreateAndReduce(value);
  b.CreateStore(truth ? value : b.CreateNot(value), settled_);
}

llvm::Value* FunctionEmitter::unsettled(llvm::Value* condition) {
  if (!settled_) return condition;
  return b.CreateAnd(condition, b.CreateNot(b.CreateLoad(b.getInt1Ty(), settled_)));
}

void FunctionEmitter::scan(int i) {
  const Instr& instr = k.instrs[i];
  const int lanes = lanes_of(i);
  const Cell& c = cell(i, lanes);
  const Running value{operand(instr.args[0], lanes), nullptr};
  Running next = combine(instr, read(c), value, lanes);
  if (needs_first(instr)) next = choose(b.CreateLoad(b.getInt1Ty(), started_), next, value);
  write(c, next);
  define(i, next.value);
}

// Adds what the element-wise tail found to lane 0.
void FunctionEmitter::merge_tail(int p) {
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    const Instr& instr = k.instrs[n];
    const int i = static_cast<int>(n);
    if (!is_reduction(instr.op) || instr.phase != p || takes_bits(i) || schedule_.width[i])
      continue;
    const Cell& main = cell(i, schedule_.lanes);
    const Running wide = read(main);
    auto lane = [&](llvm::Value* v) {
      return v ? b.CreateExtractElement(v, std::uint64_t{0}) : nullptr;
    };
    const Running first{{lane(wide.value.re), lane(wide.value.im)}, lane(wide.index)};
    const Running sum = combine(instr, first, read(cell(i, 1)), 1);
    auto put = [&](llvm::Value* v, llvm::Value* element) {
      return v ? b.CreateInsertElement(v, element, std::uint64_t{0}) : nullptr;
    };
    write(main, {{put(wide.value.re, sum.value.re), put(wide.value.im, sum.value.im)},
                 put(wide.index, sum.index)});
  }
}

void FunctionEmitter::end_phase(int p) {
  if (phase_cascades(p)) drain(p);
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    const Instr& instr = k.instrs[n];
    if (!is_reduction(instr.op) || instr.phase != p) continue;
    const int i = static_cast<int>(n);
    const int lanes = accumulator_lanes(i);
    Running total = read(cell(i, lanes));
    if (k.lanes == Lanes::reduced) total = across_lanes(instr, total, lanes);
    total = across_threads(i, total);
    finished_[i] = total;
    define(i, instr.op == Op::reduce ? total.value : Value{total.index, nullptr});
  }
}

// --- pairwise summation ---

bool FunctionEmitter::cascades(const Instr& instr) const {
  // The many threads of a grid add up few elements each, and combine them pairwise.
  return target_.model == Model::simd && instr.op == Op::reduce && instr.combine == Op::add &&
         is_inexact(instr.dtype);
}

bool FunctionEmitter::phase_cascades(int p) const {
  for (const Instr& instr : k.instrs) {
    if (instr.phase == p && cascades(instr)) return true;
  }
  return false;
}

FunctionEmitter::Stack& FunctionEmitter::stack(int i, int lanes) {
  Stack& st = stacks_[{i, lanes}];
  if (st.re) return st;
  llvm::Type* type = ops_.type(k.instrs[i].dtype, lanes);
  st.re = stack_variable(type, i64(stack_levels));
  if (is_complex(k.instrs[i].dtype)) st.im = stack_variable(type, i64(stack_levels));
  return st;
}

void FunctionEmitter::count_steps(llvm::Value* steps) {
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), steps_), steps), steps_);
}

void FunctionEmitter::flush_if_full(int full) {
  llvm::Value* steps = b.CreateLoad(b.getInt64Ty(), steps_);
  when(b.CreateICmpSGE(steps, i64(full)), [&] { flush(); });
}

// Adds the entry of a level to the accumulators of the phase.
void FunctionEmitter::add_level(int p, llvm::Value* level) {
  for_cascades(p, [&](int i, int lanes) {
    const Stack& st = stack(i, lanes);
    const Cell& c = cell(i, lanes);
    auto get = [&](llvm::AllocaInst* from) -> llvm::Value* {
      if (!from) return nullptr;
      llvm::Type* type = from->getAllocatedType();
      return b.CreateLoad(type, b.CreateInBoundsGEP(type, from, level));
    };
    const Running earlier{{get(st.re), get(st.im)}, nullptr};
    write(c, combine(k.instrs[i], earlier, read(c), lanes));
  });
}

void FunctionEmitter::for_cascades(int p, const std::function<void(int, int)>& each) {
  for (std::size_t n = 0; n < k.instrs.size(); ++n) {
    if (k.instrs[n].phase != p || !cascades(k.instrs[n])) continue;
    each(static_cast<int>(n), accumulator_lanes(static_cast<int>(n)));
  }
}

void FunctionEmitter::flush() {
  llvm::Value* count = b.CreateAdd(b.CreateLoad(b.getInt64Ty(), flushes_), i64(1));
  b.CreateStore(count, flushes_);
  llvm::Value* carry = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, count, b.getTrue());
  counted(i64(0), carry, i64(1), [&](llvm::Value* level) { add_level(phase_, level); });
  for_cascades(phase_, [&](int i, int lanes) {
    const Stack& st = stack(i, lanes);
    const Cell& c = cell(i, lanes);
    const Running sum = read(c);
    auto put = [&](llvm::AllocaInst* to, llvm::Value* value) {
      if (to) b.CreateStore(value, b.CreateInBoundsGEP(to->getAllocatedType(), to, carry));
    };
    put(st.re, sum.value.re);
    put(st.im, sum.value.im);
    write(c, empty(k.instrs[i], lanes));
  });
  b.CreateStore(i64(0), steps_);
}

void FunctionEmitter::drain(int p) {
  llvm::Value* count = b.CreateLoad(b.getInt64Ty(), flushes_);
  llvm::Value* entries = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, count);
  counted(i64(0), entries, i64(1), [&](llvm::Value*) {
    llvm::Value* rest = b.CreateLoad(b.getInt64Ty(), flushes_);
    add_level(p, b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b.getTrue()));
    b.CreateStore(b.CreateAnd(rest, b.CreateSub(rest, i64(1))), flushes_);
  });
}

// --- accumulators of split kernels in memory ---

int FunctionEmitter::ordinal(int i) const {
  int count = 0;
  for (int n = 0; n < i; ++n) count += is_reduction(k.instrs[n].op);
  return count;
}

FunctionEmitter::Running FunctionEmitter::read_saved(const Instr& instr, llvm::Value* saved,
                                                     int ordinal) {
  llvm::Value* at =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), saved, ordinal * sizeof(Accumulator));
  Running running{load_scalar(accumulator_type(k, instr), at), nullptr};
  if (instr.op != Op::reduce) {
    running.index = b.CreateAlignedLoad(
        b.getInt64Ty(), address(at, i64(offsetof(Accumulator, index))), llvm::Align(8));
  }
  return running;
}

void FunctionEmitter::save(const Instr& instr, llvm::Value* saved, int ordinal,
                           const Running& running) {
  llvm::Value* at =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), saved, ordinal * sizeof(Accumulator));
  store_scalar(accumulator_type(k, instr), running.value, at);
  if (running.index) {
    b.CreateAlignedStore(running.index, address(at, i64(offsetof(Accumulator, index))),
                         llvm::Align(8));
  }
}

}  // namespace heddle::kernel
