// Loops of host programs over ranges. Those that no other loop is inside of are emitted twice where
// that pays: once for when the indices of the first and of the last turn are in range, and so are
// all between them, without checks, which lets LLVM make vectors of it; and once with checks.
// Loops on all cores are functions, which the pool calls for pieces of the range.
#include <algorithm>
#include <span>
#include <utility>

#include <llvm/IR/Intrinsics.h>

#include "simt/emitter.h"

namespace heddle::simt {

namespace {

constexpr std::size_t most_duplicated = 120;  // statements
constexpr int turn_bits = 31, most_bits = 61;

bool has_loop(const Program& p, const std::vector<int>& list) {
  return std::any_of(list.begin(), list.end(), [&](int stmt) {
    const Stmt& s = p.stmt(stmt);
    return s.kind == StmtKind::loop || s.kind == StmtKind::range ||
           std::any_of(s.lists.begin(), s.lists.end(),
                       [&](const auto& inner) { return has_loop(p, inner); });
  });
}

}  // namespace

// --- what is known of indices ---

struct Emitter::LoopFacts {
  struct Access {
    const void* site;
    int array;
    std::span<const int> indices;
  };
  Turns turns;
  llvm::Value* last = nullptr;
  int counter = -1;
  std::vector<int> assigned;    // of locals: how often
  std::vector<int> definition;  // of locals that the body itself sets before all else: by what
  std::vector<Access> accesses;
};

void Emitter::collect_accesses_of(int expr, LoopFacts& facts) {
  const Expr& e = p_.expr(expr);
  for (int arg : e.args) collect_accesses_of(arg, facts);
  if (e.kind == ExprKind::load) facts.accesses.push_back({&e, e.index, e.args});
}

void Emitter::collect_accesses(const std::vector<int>& list, LoopFacts& facts) {
  auto set = [&](int local) { ++facts.assigned[static_cast<std::size_t>(local)]; };
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    for (int e : s.exprs) collect_accesses_of(e, facts);
    for (int local : s.locals) set(local);
    if (s.kind == StmtKind::assign || s.kind == StmtKind::release) set(s.index);
    if (s.kind == StmtKind::store)
      facts.accesses.push_back({&s, s.index, std::span(s.exprs).subspan(1)});
    if (s.kind == StmtKind::allocate) {
      std::vector<bool> locals(p_.locals.size());
      touched_array(s.index, locals);
      for (std::size_t i = 0; i < locals.size(); ++i) facts.assigned[i] += locals[i] ? 1 : 0;
    }
    for (const auto& inner : s.lists) collect_accesses(inner, facts);
  }
}

bool Emitter::is_fixed_array(int array, const LoopFacts& facts) const {
  const Array& a = p_.layout_of(array);
  auto fixed = [&](int local) { return facts.assigned[static_cast<std::size_t>(local)] == 0; };
  return (a.address < 0 || fixed(a.address)) && (a.offset < 0 || fixed(a.offset)) &&
         std::all_of(a.shape.begin(), a.shape.end(), fixed) &&
         std::all_of(a.strides.begin(), a.strides.end(), fixed);
}

// Whether it is the same in all turns, and can be computed before the first.
bool Emitter::is_fixed(int expr, const LoopFacts& facts) const {
  const Expr& e = p_.expr(expr);
  switch (e.kind) {
    case ExprKind::constant:
      return true;
    case ExprKind::local:
      return e.index != facts.counter && facts.assigned[static_cast<std::size_t>(e.index)] == 0;
    case ExprKind::extent:
    case ExprKind::stride:
      return is_fixed_array(e.index, facts);
    case ExprKind::op:
      return std::all_of(e.args.begin(), e.args.end(),
                         [&](int arg) { return is_fixed(arg, facts); });
    default:
      return false;
  }
}

std::optional<Emitter::Ends> Emitter::ends_of(int expr, const LoopFacts& facts, int depth,
                                              std::vector<llvm::Value*>& conditions) {
  const Expr& e = p_.expr(expr);
  if (depth > 16 || e.dtype != Dtype::int64) return std::nullopt;
  if (is_fixed(expr, facts)) {
    llvm::Value* value = emit(expr).at.re;
    return Ends{value, value, 0};
  }
  if (e.kind == ExprKind::local) {
    if (e.index == facts.counter) return Ends{facts.turns.first, facts.last, turn_bits};
    const int by = facts.definition[static_cast<std::size_t>(e.index)];
    if (by < 0 || facts.assigned[static_cast<std::size_t>(e.index)] != 1) return std::nullopt;
    return ends_of(by, facts, depth + 1, conditions);
  }
  if (e.kind != ExprKind::op || e.compute != Dtype::int64) return std::nullopt;
  if (e.op == Op::cast) return ends_of(e.args[0], facts, depth + 1, conditions);
  if (e.op != Op::add && e.op != Op::subtract && e.op != Op::multiply) return std::nullopt;
  auto x = ends_of(e.args[0], facts, depth + 1, conditions);
  if (!x) return std::nullopt;
  auto y = ends_of(e.args[1], facts, depth + 1, conditions);
  if (!y) return std::nullopt;
  Ends made{};
  if (e.op == Op::multiply) {
    if (x->bits > 0 && y->bits > 0) return std::nullopt;
    const Ends& factor = x->bits > 0 ? *y : *x;
    made.bits = std::max(x->bits, y->bits);
    if (made.bits > 0) {
      // The factor has at most 31 bits, so nothing wraps around on the way.
      conditions.push_back(b.CreateICmpULT(b.CreateAdd(factor.first, i64(std::int64_t{1} << 30)),
                                           i64(std::int64_t{1} << 31)));
      made.bits += 30;
    }
    made.first = b.CreateMul(x->first, y->first);
    made.last = b.CreateMul(x->last, y->last);
  } else {
    const bool sum = e.op == Op::add;
    made.first = sum ? b.CreateAdd(x->first, y->first) : b.CreateSub(x->first, y->first);
    made.last = sum ? b.CreateAdd(x->last, y->last) : b.CreateSub(x->last, y->last);
    made.bits =
        x->bits == 0 || y->bits == 0 ? std::max(x->bits, y->bits) : std::max(x->bits, y->bits) + 1;
  }
  if (made.bits > most_bits) return std::nullopt;
  return made;
}

// The condition under which accesses of a loop need no checks; null where there is none to ask.
llvm::Value* Emitter::find_proofs(int stmt, const Turns& turns, std::vector<const void*>& proven) {
  const Stmt& s = p_.stmt(stmt);
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(turns.step);
  const bool down = step != nullptr && step->isNegative();
  if (has_loop(p_, s.lists[0]) || size_of_code(s.lists[0]) > most_duplicated) return nullptr;
  LoopFacts facts;
  facts.turns = turns;
  facts.counter = s.index;
  facts.assigned.assign(p_.locals.size(), 0);
  facts.definition.assign(p_.locals.size(), -1);
  collect_accesses(s.lists[0], facts);
  if (facts.accesses.empty() || facts.assigned[static_cast<std::size_t>(s.index)] > 0)
    return nullptr;
  // Locals that the loop sets first of all stand for what they are set to.
  for (int first : s.lists[0]) {
    const Stmt& a = p_.stmt(first);
    if (a.kind != StmtKind::assign) break;
    std::vector<bool> read(p_.locals.size());
    touched_expr(a.exprs[0], read);
    bool known = true;
    for (std::size_t i = 0; i < read.size(); ++i)
      known &= !read[i] || facts.assigned[i] == 0 || facts.definition[i] >= 0;
    if (!known) break;
    facts.definition[static_cast<std::size_t>(a.index)] = a.exprs[0];
  }
  facts.last = down ? b.CreateAdd(turns.stop, i64(1)) : b.CreateSub(turns.stop, i64(1));
  std::vector<llvm::Value*> conditions;
  for (const LoopFacts::Access& access : facts.accesses) {
    if (!is_fixed_array(access.array, facts)) continue;
    std::vector<llvm::Value*> needs;
    bool known = true;
    for (std::size_t d = 0; known && d < access.indices.size(); ++d) {
      const auto ends = ends_of(access.indices[d], facts, 0, needs);
      known = ends.has_value();
      if (!known) break;
      llvm::Value* extent = extent_of(access.array, static_cast<int>(d)).at.re;
      needs.push_back(b.CreateICmpULT(ends->first, extent));
      if (ends->bits > 0) needs.push_back(b.CreateICmpULT(ends->last, extent));
    }
    if (!known) continue;
    proven.push_back(access.site);
    conditions.insert(conditions.end(), needs.begin(), needs.end());
  }
  if (proven.empty()) return nullptr;
  llvm::Value* distance =
      down ? b.CreateSub(turns.first, turns.stop) : b.CreateSub(turns.stop, turns.first);
  llvm::Value* holds = b.CreateICmpULT(distance, i64(std::int64_t{1} << turn_bits));
  if (step == nullptr) holds = b.CreateAnd(holds, b.CreateICmpSGT(turns.step, i64(0)));
  for (llvm::Value* condition : conditions) holds = b.CreateAnd(holds, condition);
  return holds;
}

// --- loops ---

void Emitter::emit_range(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  if (s.axis == 1) {
    emit_parallel(stmt);
    return;
  }
  llvm::Value* first = emit(s.exprs[0]).at.re;
  llvm::Value* stop = emit(s.exprs[1]).at.re;
  emit_turns(stmt, {first, stop, emit(s.exprs[2]).at.re});
}

void Emitter::emit_turns(int stmt, const Turns& turns) {
  std::vector<const void*> proven;
  llvm::Value* holds = find_proofs(stmt, turns, proven);
  if (holds == nullptr) {
    emit_loop_of(stmt, turns);
    return;
  }
  auto* quick = block("proven");
  auto* slow = block("checked");
  auto* done = block("loop_done");
  b.CreateCondBr(holds, quick, slow, weights(true));
  b.SetInsertPoint(quick);
  const std::set<const void*> before = proven_;
  proven_.insert(proven.begin(), proven.end());
  emit_loop_of(stmt, turns);
  proven_ = before;
  b.CreateBr(done);
  b.SetInsertPoint(slow);
  const bool outer = std::exchange(rare_, true);
  emit_loop_of(stmt, turns);
  rare_ = outer;
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void Emitter::emit_loop_of(int stmt, const Turns& turns) {
  const Stmt& s = p_.stmt(stmt);
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(turns.step);
  auto* head = block("head");
  auto* body = block("body");
  auto* next = block("next");
  auto* end = block("end");
  write_parts(s.index, {turns.first});
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::Value* at = read_local(s.index).at.re;
  llvm::Value* up = b.CreateICmpSLT(at, turns.stop);
  llvm::Value* goes_on = up;
  if (step == nullptr) {
    goes_on =
        b.CreateSelect(b.CreateICmpSGT(turns.step, i64(0)), up, b.CreateICmpSGT(at, turns.stop));
  } else if (step->isNegative()) {
    goes_on = b.CreateICmpSGT(at, turns.stop);
  }
  b.CreateCondBr(goes_on, body, end);
  b.SetInsertPoint(body);
  Frame frame;
  frame.stmt = stmt;
  frame.loop = true;
  frame.end = end;
  frame.next = next;
  frames_.push_back(frame);
  emit_list(s.lists[0]);
  go_on(next);
  frames_.pop_back();
  b.SetInsertPoint(next);
  // A step of one cannot go past the largest number, because the stop is beyond.
  const bool small = step != nullptr && (step->isOne() || step->isMinusOne());
  write_parts(s.index, {b.CreateAdd(read_local(s.index).at.re, turns.step, "", false, small)});
  llvm::BranchInst* back = b.CreateBr(head);
  if (rare_) {
    // Its turns are not written out: that would only be more to compile.
    llvm::LLVMContext& context = b.getContext();
    llvm::Metadata* parts[] = {
        nullptr,
        llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"))};
    llvm::MDNode* mark = llvm::MDNode::getDistinct(context, parts);
    mark->replaceOperandWith(0, mark);
    back->setMetadata(llvm::LLVMContext::MD_loop, mark);
  }
  b.SetInsertPoint(end);
}

// --- on all cores ---

// Locals that the body has of its own, with the values they have before the loop.
std::vector<int> Emitter::captured(int stmt, std::vector<bool>& locals) const {
  const Stmt& s = p_.stmt(stmt);
  touched(s.lists[0], locals);
  locals[static_cast<std::size_t>(s.index)] = true;
  std::vector<int> made;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (locals[i]) made.push_back(static_cast<int>(i));
  }
  return made;
}

void Emitter::emit_parallel(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  llvm::Type* word_type = b.getInt64Ty();
  llvm::Value* first = emit(s.exprs[0]).at.re;
  llvm::Value* stop = emit(s.exprs[1]).at.re;
  llvm::Value* step = emit(s.exprs[2]).at.re;
  // How many turns: the distance over the step, rounded up.
  llvm::Value* up = b.CreateICmpSGT(step, i64(0));
  llvm::Value* distance = b.CreateSelect(up, b.CreateSub(stop, first), b.CreateSub(first, stop));
  llvm::Value* size = b.CreateSelect(up, step, b.CreateNeg(step));
  llvm::Value* turns = b.CreateAdd(b.CreateUDiv(b.CreateSub(distance, i64(1)), size), i64(1));
  turns = b.CreateSelect(b.CreateICmpSGT(distance, i64(0)), turns, i64(0));
  // What the body reads: where it begins, how it goes on, and its locals.
  std::vector<bool> locals(p_.locals.size());
  const std::vector<int> names = captured(stmt, locals);
  std::vector<llvm::Value*> parts = {first, step};
  std::vector<llvm::Type*> types = {word_type, word_type};
  for (int local : names) {
    for (llvm::Value* part : read_parts(local)) {
      parts.push_back(part);
      types.push_back(part->getType());
    }
  }
  auto* context = llvm::StructType::get(b.getContext(), types);
  llvm::Value* memory = slot(context, "context");
  for (std::size_t i = 0; i < parts.size(); ++i)
    b.CreateStore(parts[i], b.CreateStructGEP(context, memory, static_cast<unsigned>(i)));
  auto* type = llvm::FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), word_type, word_type, b.getPtrTy(), word_type},
      false);
  auto* body = llvm::Function::Create(type, llvm::Function::InternalLinkage, "turns", module_);
  Emitter(p_, chunks_, target_, module_).emit_parallel_body(stmt, body, context, locals);

  const auto reduced = static_cast<std::int64_t>(2 * s.locals.size());
  constexpr int count_pieces = 2, run_parallel = 3;
  llvm::Value* pieces = call_service(count_pieces, word_type, {turns});
  llvm::Value* stack = b.CreateStackSave();
  auto* partial = b.CreateAlloca(word_type, b.CreateMul(pieces, i64(reduced)));
  partial->setAlignment(llvm::Align(16));
  call_service(run_parallel, b.getVoidTy(),
               {body, words_, memory, turns, pieces, partial, i64(reduced)});
  // What each piece has found, in their order.
  if (!s.locals.empty()) {
    auto* head = block("partial_head");
    auto* one = block("partial");
    auto* done = block("partial_done");
    llvm::BasicBlock* before = b.GetInsertBlock();
    b.CreateBr(head);
    b.SetInsertPoint(head);
    auto* at = b.CreatePHI(word_type, 2);
    at->addIncoming(i64(0), before);
    b.CreateCondBr(b.CreateICmpSLT(at, pieces), one, done);
    b.SetInsertPoint(one);
    for (std::size_t r = 0; r < s.locals.size(); ++r) {
      const Dtype dtype = p_.locals[static_cast<std::size_t>(s.locals[r])].dtype;
      llvm::Value* place = b.CreateGEP(
          word_type, partial,
          b.CreateAdd(b.CreateMul(at, i64(reduced)), i64(static_cast<std::int64_t>(2 * r))));
      llvm::Type* part = scalars_.memory_type(dtype);
      kernel::Value found{b.CreateLoad(part, place), nullptr};
      if (is_complex(dtype))
        found.im = b.CreateLoad(part, b.CreateConstGEP1_64(word_type, place, 1));
      const kernel::Value both[] = {read_local(s.locals[r]).at, from_memory(found, dtype)};
      const kernel::Value sum = scalars_.apply(s.reductions[r], dtype, dtype, both, 1);
      write_local(s.locals[r], {sum, {Level::block, 0}}, nullptr);
    }
    at->addIncoming(b.CreateAdd(at, i64(1)), b.GetInsertBlock());
    b.CreateBr(head);
    b.SetInsertPoint(done);
  }
  b.CreateStackRestore(stack);
  auto* taken =
      b.CreateLoad(word_type, b.CreateConstInBoundsGEP1_64(word_type, report_, Report::taken));
  auto* stopped = block("turn_failed");
  auto* on = block("turns_done");
  b.CreateCondBr(b.CreateICmpNE(taken, i64(0)), stopped, on, weights(false));
  b.SetInsertPoint(stopped);
  b.CreateStore(b.getTrue(), failed_);
  b.CreateBr(exit_);
  b.SetInsertPoint(on);
}

void Emitter::emit_parallel_body(int stmt, llvm::Function* function, llvm::StructType* context,
                                 const std::vector<bool>& locals) {
  const Stmt& s = p_.stmt(stmt);
  for (unsigned pointer : {0U, 1U, 4U}) function->addParamAttr(pointer, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  function->addParamAttr(1, llvm::Attribute::ReadOnly);
  begin_host(function, function->getArg(5), locals);
  unsigned at = 0;
  auto next = [&] {
    llvm::Value* place = b.CreateStructGEP(context, function->getArg(1), at);
    return b.CreateLoad(context->getElementType(at++), place);
  };
  llvm::Value* first = next();
  llvm::Value* step = next();
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (!locals[i]) continue;
    std::vector<llvm::Value*> parts;
    for (std::size_t n = 0; n < parts_of(static_cast<int>(i)).size(); ++n) parts.push_back(next());
    write_parts(static_cast<int>(i), parts);
  }
  // Memory of names from outside is kept by those who wait for this.
  for (int owner : owners_) write_parts(owner, {i64(0)});
  for (std::size_t r = 0; r < s.locals.size(); ++r) {
    const Dtype dtype = p_.locals[static_cast<std::size_t>(s.locals[r])].dtype;
    const kernel::Value none = scalars_.identity(s.reductions[r], dtype, 1);
    write_local(s.locals[r], {none, {Level::block, 0}}, nullptr);
  }
  auto place_of = [&](llvm::Value* turn) { return b.CreateAdd(first, b.CreateMul(turn, step)); };
  if (const Expr& known = p_.expr(s.exprs[2]); known.kind == ExprKind::constant)
    step = i64(static_cast<std::int64_t>(known.bits[0]));
  emit_host_body([&] {
    emit_turns(stmt, {place_of(function->getArg(2)), place_of(function->getArg(3)), step});
  });
  for (std::size_t r = 0; r < s.locals.size(); ++r) {
    const Dtype dtype = p_.locals[static_cast<std::size_t>(s.locals[r])].dtype;
    const kernel::Value found = to_memory(read_local(s.locals[r]).at, dtype);
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(4), 2 * r);
    b.CreateStore(found.re, place);
    if (found.im != nullptr)
      b.CreateStore(found.im, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), place, 1));
  }
  b.CreateRetVoid();
}

}  // namespace heddle::simt
