#include "kernel/llvm_emitter.h"

#include <algorithm>

#include "kernel/llvm_function_emitter.h"

namespace heddle::kernel {
namespace {

constexpr int chunk_steps = 16;  // additions in a row before pairwise summation takes over

// The same for partial results, in elements: twice as many additions for float64.
int chunk_of(const Target& target) { return chunk_steps * target.vector_bytes; }

}  // namespace

FunctionEmitter::FunctionEmitter(const Kernel& kernel, const Schedule& schedule,
                                 const Target& target, llvm::Module& module)
    : k(kernel),
      schedule_(schedule),
      target_(target),
      module_(module),
      b(module.getContext()),
      ops_(b, target) {}

void FunctionEmitter::begin(const std::string& name, llvm::ArrayRef<llvm::Type*> parameters) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr("target-cpu", target_.cpu);
  if (!target_.features.empty()) function_->addFnAttr("target-features", target_.features);
  function_->setDoesNotThrow();
  entry_ = llvm::BasicBlock::Create(b.getContext(), "entry", function_);
  b.SetInsertPoint(entry_);
  values_.assign(k.instrs.size(), {});
  finished_.assign(k.instrs.size(), {});
  needed_.assign(k.instrs.size(), 1);
  index_.assign(k.dims(), nullptr);
  steps_ = stack_variable(b.getInt64Ty());
  flushes_ = stack_variable(b.getInt64Ty());
  started_ = stack_variable(b.getInt1Ty());
}

// Reads sizes, strides and pointers once. What is not used disappears again.
void FunctionEmitter::load_arguments() {
  llvm::Value* args = function_->getArg(0);
  auto* ptr = b.getPtrTy();
  auto field = [&](int n) {
    return b.CreateAlignedLoad(ptr, b.CreateConstInBoundsGEP1_64(ptr, args, n), llvm::Align(8));
  };
  auto entry = [&](llvm::Type* type, llvm::Value* base, std::int64_t n) {
    return b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(type, base, n), llvm::Align(8));
  };
  llvm::Value* pointers = field(0);
  llvm::Value* strides = field(1);
  llvm::Value* extents = field(2);
  llvm::Value* origin = field(3);
  scalars_ = field(4);
  llvm::Value* scratch = field(5);
  prepare_streams();
  origin_.assign(k.dims(), nullptr);
  for (const Instr& instr : k.instrs) {
    if (instr.op == Op::index && !origin_[instr.slot])
      origin_[instr.slot] = entry(b.getInt64Ty(), origin, instr.slot);
  }
  set_arguments([&](int d) { return entry(b.getInt64Ty(), extents, d); },
                [&](int s) -> llvm::Value* {
                  llvm::Value* pointer = entry(ptr, pointers, s);
                  if (!k.slots[s].scratch) return pointer;
                  return address(scratch, b.CreatePtrToInt(pointer, b.getInt64Ty()));
                },
                [&](int s, int d) { return entry(b.getInt64Ty(), strides, s * k.dims() + d); });
}

void FunctionEmitter::set_arguments(const std::function<llvm::Value*(int)>& extent,
                                    const std::function<llvm::Value*(int)>& pointer,
                                    const std::function<llvm::Value*(int, int)>& stride) {
  const int dims = k.dims();
  extents_.clear();
  for (int d = 0; d < dims; ++d) extents_.push_back(extent(d));
  nothing_reduced_ = b.getFalse();
  for (int d = k.kept_dims; d < dims; ++d)
    nothing_reduced_ = b.CreateOr(nothing_reduced_, b.CreateICmpSLE(extents_[d], i64(0)));
  dummy_ = stack_variable(b.getInt8Ty(), i64(schedule_.lanes * 16));
  pointers_.clear();
  strides_.assign(k.slots.size(), std::vector<llvm::Value*>(dims, nullptr));
  for (int s = 0; s < static_cast<int>(k.slots.size()); ++s) {
    const Slot& slot = k.slots[s];
    pointers_.push_back(pointer(s));
    for (int d = 0; d < dims; ++d) {
      if (slot.zero_dims >> d & 1) continue;
      const bool unit = d == schedule_.lane_dim && slot.lane == Stride::unit;
      strides_[s][d] = unit ? static_cast<llvm::Value*>(i64(itemsize(slot.dtype))) : stride(s, d);
    }
  }
}

void FunctionEmitter::prepare_streams() {
  streams_.clear();
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    const Instr& instr = k.instrs[i];
    if (instr.op != Op::random) continue;
    std::array<llvm::Value*, 6> words;
    for (std::size_t n = 0; n < words.size(); ++n) {
      llvm::Value* at =
          b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scalars_, 16 * instr.slot + 8 * n);
      words[n] = b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8));
    }
    streams_[static_cast<int>(i)] = {{words[0], words[1]},
                                     {words[2], words[3], words[4], words[5]}};
  }
}

void FunctionEmitter::return_if_nothing_kept() {
  llvm::Value* nothing = b.getFalse();
  for (int d = 0; d < k.kept_dims; ++d)
    nothing = b.CreateOr(nothing, b.CreateICmpSLE(extents_[d], i64(0)));
  auto* leave = llvm::BasicBlock::Create(b.getContext(), "nothing", function_);
  auto* go = llvm::BasicBlock::Create(b.getContext(), "start", function_);
  b.CreateCondBr(nothing, leave, go);
  b.SetInsertPoint(leave);
  b.CreateRetVoid();
  b.SetInsertPoint(go);
}

void FunctionEmitter::emit_run(const std::string& name) {
  begin(name, {b.getPtrTy()});
  load_arguments();
  return_if_nothing_kept();
  if (schedule_.lanes == 1) lanes_ = 1;
  nest(0);
  finish_streams();
  b.CreateRetVoid();
}

// --- split kernels: kept extents are 1, so there are no loops over kept dimensions ---

void FunctionEmitter::need(const std::function<bool(const Instr&)>& root) {
  for (int i = static_cast<int>(k.instrs.size()) - 1; i >= 0; --i) needed_[i] = 0;
  for (int i = static_cast<int>(k.instrs.size()) - 1; i >= 0; --i) {
    const Instr& instr = k.instrs[i];
    if (root(instr)) needed_[i] = 1;
    // What earlier phases reduced comes from memory, not from its arguments.
    if (!needed_[i] || (is_reduction(instr.op) && !root(instr))) continue;
    for (std::uint16_t arg : instr.args) {
      if (arg != no_arg) needed_[arg] = 1;
    }
  }
}

void FunctionEmitter::emit_part(const std::string& name) {
  begin(name, {b.getPtrTy(), b.getInt64Ty(), b.getPtrTy(), b.getPtrTy()});
  load_arguments();
  if (schedule_.lanes == 1) lanes_ = 1;
  for (int d = 0; d < k.kept_dims; ++d) index_[d] = i64(0);
  for (int p = 0; p < k.phases; ++p) {
    need([p](const Instr& instr) {
      const bool effect =
          is_reduction(instr.op) || (instr.level == Level::body && instr.op == Op::store);
      return effect && instr.phase == p;
    });
    when(b.CreateICmpEQ(function_->getArg(1), i64(p)), [&] { phase_once(p); });
  }
  b.CreateRetVoid();
}

void FunctionEmitter::phase_once(int p) {
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    const Instr& instr = k.instrs[i];
    if (needed_[i] && is_reduction(instr.op) && instr.phase < p) {
      const Running saved = read_saved(instr, function_->getArg(2), ordinal(static_cast<int>(i)));
      define(static_cast<int>(i),
             instr.op == Op::reduce ? saved.value : Value{saved.index, nullptr});
    }
  }
  for (int d = 0; d < k.kept_dims; ++d) emit_all(d, 0);
  for (int stage = 0; stage <= p; ++stage) emit_all(k.kept_dims, stage);
  phase(p);
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    const Instr& instr = k.instrs[i];
    if (!is_reduction(instr.op) || instr.phase != p) continue;
    save(instr, function_->getArg(3), ordinal(static_cast<int>(i)), finished_[i]);
  }
}

void FunctionEmitter::emit_combine(const std::string& name) {
  begin(name, {b.getInt64Ty(), b.getPtrTy(), b.getPtrTy()});
  for (int p = 0; p < k.phases; ++p) {
    when(b.CreateICmpEQ(function_->getArg(0), i64(p)), [&] {
      for (std::size_t i = 0; i < k.instrs.size(); ++i) {
        const Instr& instr = k.instrs[i];
        if (!is_reduction(instr.op) || instr.phase != p) continue;
        const int n = ordinal(static_cast<int>(i));
        const Running first = read_saved(instr, function_->getArg(1), n);
        const Running second = read_saved(instr, function_->getArg(2), n);
        save(instr, function_->getArg(1), n, combine(instr, first, second, 1));
      }
    });
  }
  b.CreateRetVoid();
}

void FunctionEmitter::emit_finish(const std::string& name) {
  begin(name, {b.getPtrTy(), b.getPtrTy()});
  load_arguments();
  lanes_ = 1;
  for (int d = 0; d < k.kept_dims; ++d) index_[d] = i64(0);
  need([](const Instr& instr) { return instr.op == Op::store && instr.level != Level::body; });
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    const Instr& instr = k.instrs[i];
    if (!needed_[i] || !is_reduction(instr.op)) continue;
    const int n = static_cast<int>(i);
    const Running saved = read_saved(instr, function_->getArg(1), ordinal(n));
    define(n, instr.op == Op::reduce ? saved.value : Value{saved.index, nullptr});
  }
  for (int d = 0; d < k.kept_dims; ++d) emit_all(d, 0);
  for (int stage = 0; stage <= k.phases; ++stage) emit_all(k.kept_dims, stage);
  b.CreateRetVoid();
}

// --- loops ---

void FunctionEmitter::emit_all(int depth, int stage) {
  for (std::uint16_t i : schedule_.at(depth, stage)) {
    // Reductions are defined by the phase that ends before this stage.
    if (needed_[i] && !is_reduction(k.instrs[i].op)) emit(i);
  }
}

void FunctionEmitter::nest(int depth) {
  if (depth == k.kept_dims) return row();
  emit_all(depth, 0);
  loop(depth, [&] { nest(depth + 1); });
}

void FunctionEmitter::row() {
  for (int stage = 0; stage <= k.phases; ++stage) {
    emit_all(k.kept_dims, stage);
    if (stage < k.phases) phase(stage);
  }
}

void FunctionEmitter::phase(int p) {
  phase_ = p;
  begin_phase(p, k.lanes == Lanes::kept ? lanes_ : schedule_.lanes);
  if (settling(p) >= 0) {
    settled_ = stack_variable(b.getInt1Ty());
    b.CreateStore(b.getFalse(), settled_);
  }
  loop(k.kept_dims, [&] { phase_loops(k.kept_dims + 1, p); });
  settled_ = nullptr;
  end_phase(p);
  phase_ = -1;
}

void FunctionEmitter::phase_loops(int depth, int p) {
  emit_all(depth, p);
  if (depth < k.dims()) {
    loop(depth, [&] { phase_loops(depth + 1, p); });
    return;
  }
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    if (is_reduction(k.instrs[i].op) && k.instrs[i].phase == p) accumulate(static_cast<int>(i));
  }
  mark_started();
  if (settled_) note_settled(settling(p));
}

void FunctionEmitter::enter(int dim, llvm::Value* index, const Body& body) {
  const auto outer = pointers_;
  index_[dim] = index;
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    if (strides_[s][dim]) pointers_[s] = address(pointers_[s], distance(index, strides_[s][dim]));
  }
  body();
  pointers_ = outer;
}

void FunctionEmitter::counted(llvm::Value* first, llvm::Value* last, llvm::Value* step,
                              const std::function<void(llvm::Value*)>& body) {
  auto& context = b.getContext();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* start = llvm::BasicBlock::Create(context, "loop", function_);
  auto* after = llvm::BasicBlock::Create(context, "after", function_);
  b.CreateCondBr(unsettled(b.CreateICmpSLT(first, last)), start, after);
  b.SetInsertPoint(start);
  auto* index = b.CreatePHI(first->getType(), 2);
  index->addIncoming(first, before);
  body(index);
  llvm::Value* next = b.CreateAdd(index, step, "", true, true);
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(unsettled(b.CreateICmpSLT(next, last)), start, after);
  b.SetInsertPoint(after);
}

void FunctionEmitter::when(llvm::Value* condition, const Body& body) {
  auto* then = llvm::BasicBlock::Create(b.getContext(), "then", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function_);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void FunctionEmitter::loop(int dim, const Body& body) {
  llvm::Value* extent = extents_[dim];
  if (takes_parts(dim)) return parts(dim, body);
  if (dim != schedule_.lane_dim || schedule_.lanes == 1) {
    steps(dim, i64(0), extent, 1, body);
    return;
  }
  llvm::Value* whole = b.CreateAnd(extent, i64(-schedule_.lanes));
  lanes_ = schedule_.lanes;
  steps(dim, i64(0), whole, schedule_.lanes, body);
  tail(dim, whole, extent, body);
  lanes_ = 0;
}

// Whether a loop goes over the elements of reductions that have partial results.
bool FunctionEmitter::takes_parts(int dim) const {
  return phase_ >= 0 && dim == schedule_.lane_dim && has_parts(phase_);
}

// How many elements are done at a time.
int FunctionEmitter::turn() const {
  if (schedule_.rolling[phase_]) return schedule_.lanes;
  return std::max(schedule_.lanes, *std::ranges::max_element(schedule_.width));
}

// Element n belongs to partial result n % width of each reduction.
void FunctionEmitter::parts(int dim, const Body& body) {
  const int lanes = schedule_.lanes, round = turn();
  lanes_ = lanes;
  llvm::Value* chunk = i64(chunk_of(target_));
  llvm::Value* whole = b.CreateAnd(extents_[dim], i64(-round));
  counted(i64(0), whole, chunk, [&](llvm::Value* start) {
    llvm::Value* end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                               b.CreateAdd(start, chunk, "", true, true), whole);
    counted(start, end, i64(round), [&](llvm::Value* first) {
      for (part_ = 0; part_ < round; part_ += lanes) {
        part_index_ = schedule_.rolling[phase_] ? first : nullptr;
        enter(dim, b.CreateAdd(first, i64(part_), "", true, true), body);
      }
    });
    if (!phase_cascades(phase_)) return;
    when(b.CreateICmpEQ(b.CreateSub(end, start), chunk), [&] { flush(); });
  });
  part_ = 0;
  if (round > 1) {
    when(b.CreateICmpSLT(whole, extents_[dim]), [&] { rest_of_parts(dim, whole, body); });
  }
  if (k.reduced_dims > 1 && phase_cascades(phase_)) {
    // What no chunk took, in whole turns of the widest reduction: the same for every kernel.
    const int unit = target_.vector_bytes;
    llvm::Value* rest = b.CreateAnd(extents_[dim], i64(chunk_of(target_) - 1));
    count_steps(b.CreateAnd(b.CreateAdd(rest, i64(unit - 1)), i64(-unit)));
    flush_if_full(chunk_of(target_));
  }
  part_index_ = nullptr;
  lanes_ = lanes == 1 ? 1 : 0;
}

void FunctionEmitter::rest_of_parts(int dim, llvm::Value* first, const Body& body) {
  llvm::Value* last = extents_[dim];
  if (schedule_.masked_tail) {
    const int lanes = schedule_.lanes;
    for (part_ = 0; part_ < turn(); part_ += lanes) {
      llvm::Value* start = b.CreateAdd(first, i64(part_), "", true, true);
      auto step = [&] {
        llvm::Value* count =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(last, start), i64(lanes));
        count = b.CreateTrunc(count, b.getInt8Ty());
        mask_ =
            b.CreateICmpULT(lane_numbers(b.getInt8Ty(), lanes), b.CreateVectorSplat(lanes, count));
        part_index_ = schedule_.rolling[phase_] ? start : nullptr;
        enter(dim, start, body);
        mask_ = nullptr;
      };
      part_ == 0 ? step() : when(b.CreateICmpSLT(start, last), step);
    }
    part_ = 0;
  } else {
    if (schedule_.lanes > 1) {
      lanes_ = 1;
      begin_phase(phase_, 1);
    }
    spill_parts(false);
    counted(first, last, i64(1), [&](llvm::Value* index) {
      part_index_ = index;
      enter(dim, index, body);
    });
    spill_parts(true);
    lanes_ = schedule_.lanes;
    if (schedule_.lanes > 1) merge_tail(phase_);
  }
}

void FunctionEmitter::steps(int dim, llvm::Value* first, llvm::Value* last, int step,
                            const Body& body) {
  if (phase_ >= 0 && dim == k.dims() - 1 && phase_cascades(phase_))
    return chunks(dim, first, last, body);
  counted(first, last, i64(step), [&](llvm::Value* i) { enter(dim, i, body); });
}

// One accumulator for each lane: chunks go on from row to row, so that they are the same where the
// reduced dimensions are one loop.
void FunctionEmitter::chunks(int dim, llvm::Value* first, llvm::Value* last, const Body& body) {
  llvm::AllocaInst* place = stack_variable(b.getInt64Ty());
  b.CreateStore(first, place);
  auto* start = llvm::BasicBlock::Create(b.getContext(), "chunk", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function_);
  b.CreateCondBr(b.CreateICmpSLT(first, last), start, after);
  b.SetInsertPoint(start);
  llvm::Value* from = b.CreateLoad(b.getInt64Ty(), place);
  llvm::Value* room = b.CreateSub(i64(chunk_steps), b.CreateLoad(b.getInt64Ty(), steps_));
  llvm::Value* end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(from, room), last);
  counted(from, end, i64(1), [&](llvm::Value* i) { enter(dim, i, body); });
  count_steps(b.CreateSub(end, from));
  flush_if_full(chunk_steps);
  b.CreateStore(end, place);
  b.CreateCondBr(b.CreateICmpSLT(end, last), start, after);
  b.SetInsertPoint(after);
}

void FunctionEmitter::tail(int dim, llvm::Value* first, llvm::Value* last, const Body& body) {
  const bool reducing = dim >= k.kept_dims;
  if (schedule_.masked_tail) {
    when(unsettled(b.CreateICmpSLT(first, last)), [&] {
      auto* small = b.getInt8Ty();
      llvm::Value* rest = b.CreateTrunc(b.CreateSub(last, first), small);
      mask_ = b.CreateICmpULT(lane_numbers(small, lanes_), b.CreateVectorSplat(lanes_, rest));
      enter(dim, first, body);
      mask_ = nullptr;
    });
    return;
  }
  lanes_ = 1;
  if (reducing) begin_phase(phase_, 1);
  steps(dim, first, last, 1, body);
  lanes_ = schedule_.lanes;
  if (reducing) merge_tail(phase_);
}

// --- instructions ---

void FunctionEmitter::define(int i, Value value) {
  Held& held = values_[i];
  held = {value, {}};
  const bool wide_use = schedule_.splat[i] && schedule_.lanes > 1 && lanes_ != 1;
  if (wide_use) held.splat = ops_.splat(value, schedule_.lanes);
}

Value FunctionEmitter::operand(int i, int lanes) {
  const Held& held = values_[i];
  if (lanes == 1 || schedule_.vector[i]) return held.value;
  return held.splat.re ? held.splat : ops_.splat(held.value, lanes);
}

void FunctionEmitter::emit(int i) {
  const Instr& instr = k.instrs[i];
  const int lanes = lanes_of(i);
  switch (instr.op) {
    case Op::scalar:
      return define(i, scalar(instr));
    case Op::load:
      return define(i, load(i, lanes));
    case Op::store:
      return store(instr, lanes);
    case Op::index:
      return define(i, index(instr, lanes));
    case Op::scan:
      return scan(i);
    case Op::random:
      return define(i, random(i, lanes));
    default:
      return define(i, elementwise(instr, lanes));
  }
}

Value FunctionEmitter::elementwise(const Instr& instr, int lanes) {
  Value args[max_args];
  int count = 0;
  for (std::uint16_t arg : instr.args) {
    if (arg != no_arg) args[count++] = operand(arg, lanes);
  }
  const Dtype first = k.instrs[instr.args[0]].dtype;
  if (instr.op == Op::cast) return ops_.cast(args[0], first, instr.dtype, lanes);
  const Dtype compute = k.instrs[instr.args[typed_operand(instr.op)]].dtype;
  ops_.brief = mask_ != nullptr;
  const Value result =
      ops_.apply(instr.op, compute, instr.dtype, std::span<const Value>(args, count), lanes);
  if (instr.op == Op::bounded) report_index(instr, result, lanes);
  if (instr.op == Op::reported) report(instr, args[1].re, i64(1), lanes);
  return result;
}

// Leaves an index that has no place where the host looks for it.
void FunctionEmitter::report_index(const Instr& instr, Value place, int lanes) {
  const Value index = operand(instr.args[0], lanes), extent = operand(instr.args[1], lanes);
  llvm::Value* lost = b.CreateAnd(b.CreateICmpNE(place.re, index.re),
                                  b.CreateICmpNE(place.re, b.CreateAdd(index.re, extent.re)));
  report(instr, lost, index.re, lanes);
}

// Leaves what was found where the host looks for it; of several, any one.
void FunctionEmitter::report(const Instr& instr, llvm::Value* condition, llvm::Value* found,
                             int lanes) {
  if (mask_ && lanes > 1) condition = b.CreateAnd(condition, mask_);
  if (llvm::Value* guard = instr.level == Level::body ? body_guard_ : row_guard_)
    condition = b.CreateAnd(condition, lanes > 1 ? b.CreateVectorSplat(lanes, guard) : guard);
  llvm::Type* pointer = b.getPtrTy();
  if (lanes > 1) pointer = llvm::FixedVectorType::get(pointer, lanes);
  llvm::Value* at = b.CreateIntToPtr(operand(instr.args[2], lanes).re, pointer);
  const Dtype type = k.instrs[instr.args[2]].dtype;
  if (lanes == 1) return when(condition, [&] { store_scalar(type, {found, nullptr}, at); });
  if (!found->getType()->isVectorTy()) found = b.CreateVectorSplat(lanes, found);
  store_lanes(type, {found, nullptr}, at, condition, lanes);
}

Value FunctionEmitter::index(const Instr& instr, int lanes) {
  llvm::Value* value = b.CreateAdd(index_[instr.slot], origin_[instr.slot]);
  if (lanes > 1)
    value = b.CreateAdd(b.CreateVectorSplat(lanes, value), lane_numbers(b.getInt64Ty(), lanes));
  return {value, nullptr};
}

Value FunctionEmitter::scalar(const Instr& instr) {
  llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scalars_, 16 * instr.slot);
  llvm::Type* type = ops_.memory_type(instr.dtype);
  auto word = [&](llvm::Value* pointer) {
    return from_memory(instr.dtype, b.CreateAlignedLoad(type, pointer, llvm::Align(8)), 1);
  };
  Value value{word(at), nullptr};
  if (is_complex(instr.dtype)) value.im = word(address(at, i64(8)));
  return value;
}

Value FunctionEmitter::random(int i, int lanes) {
  const Instr& instr = k.instrs[i];
  const Instr& source = k.instrs[instr.args[0]];
  LaneBuilder l(b, target_, lanes);
  PhiloxPlace place;
  if (source.op == Op::index && (lanes == 1 || source.slot == schedule_.lane_dim))
    place.first = index(source, 1).re;
  else
    place.position = operand(instr.args[0], lanes).re;
  return {philox_at(l, streams_.at(i), place, instr.dtype == Dtype::uint32), nullptr};
}

llvm::AllocaInst* FunctionEmitter::stack_variable(llvm::Type* type, llvm::Value* count) {
  llvm::IRBuilder<> top(entry_, entry_->begin());
  return top.CreateAlloca(type, count);
}

llvm::Constant* FunctionEmitter::lane_numbers(llvm::Type* element, int lanes) {
  std::vector<llvm::Constant*> numbers;
  for (int n = 0; n < lanes; ++n) numbers.push_back(llvm::ConstantInt::get(element, n));
  return llvm::ConstantVector::get(numbers);
}

// --- modules ---

std::unique_ptr<llvm::Module> emit_module(const Kernel& kernel, const Target& target,
                                          llvm::LLVMContext& context, const std::string& prefix) {
  auto module = std::make_unique<llvm::Module>("kernel", context);
  module->setTargetTriple(llvm::Triple(target.triple));
  const Schedule schedule = make_schedule(kernel, target);
  auto emitter = [&] { return FunctionEmitter(kernel, schedule, target, *module); };
  if (kernel.split) {
    emitter().emit_part(prefix + "part");
    emitter().emit_combine(prefix + "combine");
    emitter().emit_finish(prefix + "finish");
  } else {
    emitter().emit_run(prefix + "run");
  }
  return module;
}

}  // namespace heddle::kernel
