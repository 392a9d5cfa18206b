// Statements that run chunk by chunk: uniform conditions are branches, others are masks.
#include <algorithm>

#include "simt/emitter.h"
#include "simt/watch.h"

namespace heddle::simt {

namespace {
// Statements that may be emitted twice, for chunks with all lanes on and for others.
constexpr std::size_t most_duplicated = 60;
constexpr int most_duplications = 2;
}  // namespace

llvm::BasicBlock* Emitter::block(const char* name) {
  return llvm::BasicBlock::Create(b.getContext(), name, function_);
}

// Unless a branch has ended the block already.
bool Emitter::go_on(llvm::BasicBlock* to) {
  if (b.GetInsertBlock()->getTerminator() != nullptr) return false;
  b.CreateBr(to);
  return true;
}

// --- masks ---

llvm::Value* Emitter::bits_of(llvm::Value* mask) {
  return b.CreateBitCast(mask, b.getIntNTy(static_cast<unsigned>(lanes_)));
}

llvm::Value* Emitter::mask_or_all(Mask mask) {
  if (mask != nullptr) return mask;
  return llvm::Constant::getAllOnesValue(
      llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_)));
}

Emitter::Mask Emitter::both(Mask a, Mask c) {
  if (a == nullptr) return c;
  return c == nullptr ? a : b.CreateAnd(a, c);
}

llvm::Value* Emitter::any(Mask mask) {
  if (mask == nullptr) return b.getTrue();
  llvm::Value* bits = bits_of(mask);
  return b.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

llvm::Value* Emitter::all(llvm::Value* mask) {
  llvm::Value* bits = bits_of(mask);
  return b.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

// Marks frames that have lanes of their own, and that statements of a list may leave. `loops`,
// `scopes`: how many of them are inside of the list itself.
void Emitter::left_by(const std::vector<int>& list, int loops, int scopes,
                      std::vector<bool>& frames) {
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    switch (s.kind) {
      case StmtKind::leave_loop:
      case StmtKind::next_turn:
        if (loops == 0) frames[frames_.size() - 1] = true;
        break;
      case StmtKind::leave: {
        int out = s.index - scopes;
        if (out < 0) break;
        for (std::size_t i = frames_.size(); i-- > 0;) {
          if (!frames_[i].loop && out-- == 0) frames[i] = true;
        }
        break;
      }
      case StmtKind::fail:
        if (!frames_.empty()) frames[0] = true;
        break;
      default:
        break;
    }
    const bool loop = s.kind == StmtKind::loop, scope = s.kind == StmtKind::scope;
    for (const auto& inner : s.lists)
      left_by(inner, scope ? 0 : loops + (loop ? 1 : 0), scopes + (scope ? 1 : 0), frames);
  }
}

std::vector<std::size_t> Emitter::left_by(const std::vector<int>& list) {
  if (uniformity_ == nullptr) return {};
  std::vector<bool> frames(frames_.size());
  left_by(list, 0, 0, frames);
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] && frames_[i].varying) made.push_back(i);
  }
  return made;
}

Emitter::Mask Emitter::without_left(Mask mask, const std::vector<std::size_t>& frames) {
  for (std::size_t i : frames) {
    for (llvm::Value* left : {frames_[i].out, frames_[i].skip}) {
      if (left == nullptr) continue;
      auto* type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_));
      mask = both(mask, b.CreateNot(b.CreateLoad(type, left)));
    }
  }
  return mask;
}

std::size_t Emitter::size_of_code(const std::vector<int>& list, std::size_t from) const {
  std::size_t size = 0;
  for (std::size_t i = from; i < list.size(); ++i) {
    const Stmt& s = p_.stmt(list[i]);
    size += 1;
    for (const auto& inner : s.lists) size += size_of_code(inner);
  }
  return size;
}

std::vector<std::size_t> Emitter::left_by_sides(const Stmt& branch) {
  std::vector<std::size_t> left = left_by(branch.lists[0]);
  for (std::size_t i : left_by(branch.lists[1])) {
    if (std::find(left.begin(), left.end(), i) == left.end()) left.push_back(i);
  }
  return left;
}

// `size`: of what it emits. Leaves the insertion point behind it, and the mask to the caller.
void Emitter::emit_where(Mask on, Mask before, std::size_t size,
                         const std::function<void()>& body) {
  auto* some = block("some");
  auto* done = block("joined");
  if (before == nullptr && duplicated_ < most_duplications && size <= most_duplicated) {
    auto* every = block("every");
    auto* not_every = block("not_every");
    b.CreateCondBr(all(on), every, not_every);
    b.SetInsertPoint(every);
    mask_ = nullptr;
    ++duplicated_;
    body();
    go_on(done);
    --duplicated_;
    b.SetInsertPoint(not_every);
  }
  b.CreateCondBr(any(on), some, done);
  b.SetInsertPoint(some);
  mask_ = on;
  body();
  go_on(done);
  b.SetInsertPoint(done);
}

// --- lists ---

bool Emitter::emit_list(const std::vector<int>& list, std::size_t from) {
  for (std::size_t i = from; i < list.size(); ++i) {
    const Stmt& s = p_.stmt(list[i]);
    const Mask before = mask_;
    if (!emit_stmt(list[i])) return false;
    const bool may_part =
        s.kind == StmtKind::branch || s.kind == StmtKind::loop || s.kind == StmtKind::scope;
    if (grid_ || !may_part || mask_ == before || mask_ == nullptr || i + 1 == list.size()) continue;
    // Some lanes have left. What follows runs if others are there, and knows if all are.
    const Mask on = mask_;
    emit_where(on, before, size_of_code(list, i + 1), [&] { emit_list(list, i + 1); });
    mask_ = on;  // what is on now is found anew by whatever this list is part of
    return true;
  }
  return true;
}

bool Emitter::emit_stmt(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  at_line(s.line);
  switch (s.kind) {
    case StmtKind::assign:
      emit_assign(stmt);
      return true;
    case StmtKind::store:
      store(s);
      return true;
    case StmtKind::branch:
      return emit_branch(stmt);
    case StmtKind::loop:
      emit_loop(stmt);
      return true;
    case StmtKind::scope:
      emit_scope(stmt);
      return true;
    case StmtKind::leave_loop:
      leave(frames_.back());
      return false;
    case StmtKind::next_turn:
      next_turn(frames_.back());
      return false;
    case StmtKind::leave:
      leave(frame_of(s));
      return false;
    case StmtKind::barrier:
      emit_barrier_of_grid(s);
      return true;
    case StmtKind::evaluate:
      emit(s.exprs[0]);
      return true;
    case StmtKind::fence:
      if (p_.checks == Checks::races && !grid_ && s.index != 1)
        watch_fence(s.index == 0 ? Watch::warp : Watch::fence);
      if (grid_) {
        if (s.index == 0) {
          machine_->warp_barrier(b.CreateTrunc(emit(s.exprs[0]).at.re, b.getInt32Ty()));
        } else if (s.index == 1) {
          machine_->block_fence();
        } else {
          machine_->fence();
        }
      } else if (s.index == 2) {
        b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      }
      return true;
    case StmtKind::print:
      emit_print(s);
      return true;
    case StmtKind::range:
      emit_range(stmt);
      return true;
    case StmtKind::allocate:
      emit_allocate(s);
      return true;
    case StmtKind::retain:
      emit_retain(s.index);
      return true;
    case StmtKind::release:
      emit_release(s.index);
      return true;
    case StmtKind::call:
      p_.host ? emit_call(s) : emit_call_of_threads(stmt);
      return true;
    case StmtKind::attempt:
      return emit_attempt(s);
    case StmtKind::fail:
      if (p_.host) {
        llvm::Value* said[] = {i64(0), i64(0), i64(0)};
        for (std::size_t i = 0; i < s.exprs.size(); ++i) said[i] = word_of(s.exprs[i]);
        fail(s.index, said[0], said[1], said[2]);
        return false;
      }
      report(s.index, grid_ || lanes_ == 1 ? b.getTrue() : mask_or_all(mask_), nullptr, nullptr, 0);
      if (failed_ != nullptr) b.CreateStore(b.getTrue(), failed_);
      leave(frames_.front());
      return false;
  }
  return true;
}

void Emitter::emit_assign(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  const bool blends = uniformity_ && uniformity_->blends(stmt);
  write_local(s.index, emit(s.exprs[0]), blends ? mask_ : nullptr);
}

bool Emitter::emit_branch(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  bool one = true;
  llvm::Value* condition = emit_condition(s.exprs[0], one);
  if (!one) {
    emit_varying_branch(stmt, condition);
    return true;
  }
  auto* yes = block("yes");
  auto* no = s.lists[1].empty() ? nullptr : block("no");
  auto* done = block("after");
  const Mask before = mask_;
  b.CreateCondBr(condition, yes, no != nullptr ? no : done);
  bool reached = no == nullptr;
  for (std::size_t n = 0; n < 2; ++n) {
    llvm::BasicBlock* at = n == 0 ? yes : no;
    if (at == nullptr) continue;
    b.SetInsertPoint(at);
    mask_ = before;
    emit_list(s.lists[n]);
    reached |= go_on(done);
  }
  if (!reached) {
    done->eraseFromParent();
    return false;
  }
  b.SetInsertPoint(done);
  // Frames that have lanes of their own may have been left inside.
  mask_ = without_left(before, left_by_sides(s));
  return true;
}

void Emitter::emit_varying_branch(int stmt, llvm::Value* condition) {
  const Stmt& s = p_.stmt(stmt);
  const Mask before = mask_;
  for (std::size_t n = 0; n < 2; ++n) {
    if (s.lists[n].empty()) continue;
    llvm::Value* holds = n == 0 ? condition : b.CreateNot(condition);
    const Mask on = both(before, holds);
    emit_where(on, before, size_of_code(s.lists[n]), [&] { emit_list(s.lists[n]); });
  }
  mask_ = without_left(before, left_by_sides(s));
}

// --- loops and scopes ---

Emitter::Frame& Emitter::frame_of(const Stmt& leave) {
  int scopes = leave.index;
  std::size_t i = frames_.size() - 1;
  while (frames_[i].loop || scopes-- > 0) --i;
  return frames_[i];
}

void Emitter::leave(Frame& frame) {
  if (!frame.varying) {
    b.CreateBr(frame.end);
    return;
  }
  auto* type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_));
  b.CreateStore(b.CreateOr(b.CreateLoad(type, frame.out), mask_or_all(mask_)), frame.out);
}

void Emitter::next_turn(Frame& frame) {
  if (!frame.varying) {
    b.CreateBr(frame.next);
    return;
  }
  auto* type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_));
  b.CreateStore(b.CreateOr(b.CreateLoad(type, frame.skip), mask_or_all(mask_)), frame.skip);
}

void Emitter::emit_loop(int stmt) {
  if (uniformity_ && uniformity_->exits(stmt) > Level::chunk) {
    emit_varying_loop(stmt);
    return;
  }
  const Stmt& s = p_.stmt(stmt);
  auto* head = block("head");
  auto* body = block("body");
  auto* step = block("step");
  auto* end = block("end");
  const Mask before = mask_;
  b.CreateBr(head);
  b.SetInsertPoint(head);
  emit_list(s.lists[0]);
  b.CreateCondBr(emit_uniform(s.exprs[0]), body, end);
  b.SetInsertPoint(body);
  Frame frame;
  frame.stmt = stmt;
  frame.loop = true;
  frame.end = end;
  frame.next = step;
  frames_.push_back(frame);
  emit_list(s.lists[1]);
  go_on(step);
  frames_.pop_back();
  b.SetInsertPoint(step);
  mask_ = before;
  emit_list(s.lists[2]);
  if (grid_) assume_no_wrap(*step);
  b.CreateBr(head);
  b.SetInsertPoint(end);
  mask_ = before;
}

// What a loop adds to its counter does not go past the largest integer on GPUs, as in CUDA C++: so
// the number of turns is known, and that a counter which begins at zero is never negative.
void Emitter::assume_no_wrap(llvm::BasicBlock& step) {
  for (llvm::Instruction& instruction : step) {
    if (instruction.getOpcode() == llvm::Instruction::Add) instruction.setHasNoSignedWrap();
  }
}

void Emitter::emit_varying_loop(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  auto* type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_));
  llvm::Value* nobody = llvm::Constant::getNullValue(type);
  Frame frame;
  frame.stmt = stmt;
  frame.loop = frame.varying = true;
  frame.out = slot(type, "out");
  frame.skip = slot(type, "skip");
  auto* head = block("head");
  auto* body = block("body");
  auto* step = block("step");
  auto* end = block("end");
  const Mask before = mask_;
  const std::vector<std::size_t> outer = left_by({stmt});
  b.CreateStore(nobody, frame.out);
  b.CreateStore(nobody, frame.skip);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  frames_.push_back(frame);
  std::vector<std::size_t> left = outer;
  left.push_back(frames_.size() - 1);
  mask_ = without_left(before, left);
  emit_list(s.lists[0]);
  bool one = false;
  llvm::Value* condition = emit_condition(s.exprs[0], one);
  if (one) condition = b.CreateVectorSplat(lanes_, condition);
  const Mask at_head = mask_;
  const Mask on = both(at_head, condition);
  llvm::Value* gone = b.CreateAnd(mask_or_all(at_head), b.CreateNot(condition));
  b.CreateStore(b.CreateOr(b.CreateLoad(type, frame.out), gone), frame.out);
  b.CreateCondBr(any(on), body, end);
  b.SetInsertPoint(body);
  mask_ = on;
  emit_list(s.lists[1]);
  go_on(step);
  b.SetInsertPoint(step);
  // Who waited for the next turn is on again.
  b.CreateStore(nobody, frame.skip);
  mask_ = without_left(on, left);
  emit_list(s.lists[2]);
  b.CreateBr(head);
  frames_.pop_back();
  b.SetInsertPoint(end);
  mask_ = without_left(before, outer);
}

void Emitter::emit_scope(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  Frame frame;
  frame.stmt = stmt;
  frame.varying = uniformity_ && uniformity_->exits(stmt) > Level::chunk;
  frame.end = block("scope_end");
  const Mask before = mask_;
  const std::vector<std::size_t> outer = left_by({stmt});
  if (frame.varying) {
    auto* type = llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_));
    frame.out = slot(type, "out");
    b.CreateStore(llvm::Constant::getNullValue(type), frame.out);
  }
  frames_.push_back(frame);
  emit_list(s.lists[0]);
  frames_.pop_back();
  go_on(frame.end);
  b.SetInsertPoint(frame.end);
  mask_ = without_left(before, outer);
}

// --- print ---

namespace {

// How C's printf writes what Python's print is given.
const char* print_format(Dtype dtype) {
  if (dtype == Dtype::bool_) return "%s";
  if (is_complex(dtype)) return "(%g%+gj)";
  if (is_floating(dtype)) return "%g";
  return kind(dtype) == Kind::unsigned_integer ? "%llu" : "%lld";
}

// The type that printf takes it in.
Dtype print_type(Dtype dtype) {
  if (is_complex(dtype)) return Dtype::complex128;
  if (is_floating(dtype)) return Dtype::float64;
  return kind(dtype) == Kind::unsigned_integer ? Dtype::uint64 : Dtype::int64;
}

}  // namespace

void Emitter::emit_print(const Stmt& s) {
  std::string format;
  std::vector<Val> values;
  auto escaped = [&](int text) {
    for (char c : p_.texts[static_cast<std::size_t>(text)]) {
      format += c;
      if (c == '%') format += c;
    }
  };
  for (std::size_t i = 0; i < s.exprs.size(); ++i) {
    escaped(s.texts[i]);
    const Dtype dtype = p_.expr(s.exprs[i]).dtype;
    values.push_back(emit(s.exprs[i]));
    format += print_format(dtype);
  }
  escaped(s.texts.back());
  llvm::Value* text = b.CreateGlobalString(format, "format");
  auto add = [&](std::vector<llvm::Value*>& to, const kernel::Value& value, Dtype dtype) {
    if (dtype == Dtype::bool_) {
      llvm::Value* holds = b.CreateICmpNE(value.re, llvm::ConstantInt::get(value.re->getType(), 0));
      to.push_back(
          b.CreateSelect(holds, b.CreateGlobalString("True"), b.CreateGlobalString("False")));
      return;
    }
    const kernel::Value wide = scalars_.cast(value, dtype, print_type(dtype), 1);
    to.push_back(wide.re);
    if (is_complex(dtype)) to.push_back(wide.im);
  };
  if (grid_) {
    // The device's own takes the values in memory.
    std::vector<llvm::Value*> numbers;
    std::vector<llvm::Type*> types;
    for (std::size_t i = 0; i < values.size(); ++i)
      add(numbers, values[i].at, p_.expr(s.exprs[i]).dtype);
    for (llvm::Value* number : numbers) types.push_back(number->getType());
    auto* packed = llvm::StructType::get(b.getContext(), types);
    llvm::Value* memory = slot(packed, "printed");
    for (std::size_t i = 0; i < numbers.size(); ++i)
      b.CreateStore(numbers[i], b.CreateStructGEP(packed, memory, static_cast<unsigned>(i)));
    auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false);
    b.CreateCall(module_.getOrInsertFunction("vprintf", type), {text, memory});
    return;
  }
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, true);
  llvm::FunctionCallee printer = module_.getOrInsertFunction("printf", type);
  std::vector<kernel::Value> wide;
  for (std::size_t i = 0; i < values.size(); ++i)
    wide.push_back(lanes_ == 1 ? values[i].at : widened(values[i], p_.expr(s.exprs[i]).dtype));
  for_lanes(mask_, [&](llvm::Value* lane) {
    std::vector<llvm::Value*> arguments = {text};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const kernel::Value value = lanes_ == 1 ? wide[i] : lane_of(wide[i], lane);
      add(arguments, value, p_.expr(s.exprs[i]).dtype);
    }
    b.CreateCall(printer, arguments);
  });
}

}  // namespace heddle::simt
