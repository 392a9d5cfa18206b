// All threads of a group, one after the other or in vectors; and one thread alone.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "kernel_lowering.h"
#include "widening.h"

namespace heddle::clang_plugin {

Value* Lowering::field(llvm::IRBuilder<>& build, Value* frame, llvm::Type* type,
                       std::size_t offset) {
  return build.CreateLoad(type, build.CreateConstInBoundsGEP1_64(i8_, frame, offset));
}

llvm::AllocaInst* Lowering::copy_of(llvm::IRBuilder<>& build, llvm::Function& f, Value* from,
                                    llvm::Type* type, llvm::Align align) {
  llvm::IRBuilder<> top(&f.getEntryBlock(), f.getEntryBlock().begin());
  llvm::AllocaInst* made = top.CreateAlloca(type);
  made->setAlignment(align);
  build.CreateMemCpy(made, align, from, align, layout_.getTypeAllocSize(type).getFixedValue());
  return made;
}

std::vector<Value*> Lowering::load_frame(llvm::IRBuilder<>& build, llvm::Function& f) {
  Value* frame = f.getArg(0);
  std::vector<Value*> values(Given::count, nullptr);
  for (unsigned d = 0; d < 3; ++d) {
    values[Given::block_x + d] = field(build, frame, i32_, offsetof(BlockFrame, block) + 4 * d);
    values[Given::block_size_x + d] =
        field(build, frame, i32_, offsetof(BlockFrame, block_size) + 4 * d);
    values[Given::grid_size_x + d] =
        field(build, frame, i32_, offsetof(BlockFrame, grid_size) + 4 * d);
  }
  values[Given::dynamic_bytes] = field(build, frame, i32_, offsetof(BlockFrame, dynamic_bytes));
  values[Given::frame] = frame;
  values[Given::shared] = field(build, frame, ptr_, offsetof(BlockFrame, shared));
  values[Given::dynamic] = field(build, frame, ptr_, offsetof(BlockFrame, dynamic));
  values[Given::variables] = field(build, frame, ptr_, offsetof(BlockFrame, variables));
  values[Given::rows] = field(build, frame, ptr_, offsetof(BlockFrame, rows));
  values[Given::stride] = field(build, frame, i64_, offsetof(BlockFrame, stride));
  values[Given::masks] = field(build, frame, ptr_, offsetof(BlockFrame, masks));
  values[Given::sources] = field(build, frame, ptr_, offsetof(BlockFrame, sources));
  values[Given::given] = field(build, frame, ptr_, offsetof(BlockFrame, given));
  values[Given::taken] = field(build, frame, ptr_, offsetof(BlockFrame, taken));
  values[Given::given_wide] = field(build, frame, ptr_, offsetof(BlockFrame, given_wide));
  values[Given::taken_wide] = field(build, frame, ptr_, offsetof(BlockFrame, taken_wide));
  Value* parameters = field(build, frame, ptr_, offsetof(BlockFrame, parameters));
  for (llvm::Argument& a : kernel_.args()) {
    Value* at =
        build.CreateLoad(ptr_, build.CreateConstInBoundsGEP1_64(ptr_, parameters, a.getArgNo()));
    if (a.hasByValAttr()) {
      llvm::Type* type = a.getParamByValType();
      values.push_back(copy_of(build, f, at, type, layout_.getABITypeAlign(type)));
    } else {
      values.push_back(build.CreateLoad(a.getType(), at));
    }
  }
  return values;
}

const llvm::ConstantInt* Lowering::single_result(const llvm::Function& f) {
  const llvm::ConstantInt* single = nullptr;
  for (const llvm::BasicBlock& block : f) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!ret) continue;
    const auto* value = llvm::dyn_cast<llvm::ConstantInt>(ret->getReturnValue());
    if (!value || (single && single != value)) return nullptr;
    single = value;
  }
  return single;
}

void Lowering::emit_all() {
  llvm::Function* f =
      llvm::Function::Create(llvm::FunctionType::get(i32_, {ptr_, i32_, i32_, i32_, ptr_}, false),
                             llvm::Function::ExternalLinkage, made_.run_all, module_);
  f->setDoesNotThrow();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", f);
  llvm::BasicBlock* nowhere = llvm::BasicBlock::Create(context_, "nowhere", f);
  llvm::IRBuilder<> build(entry);
  All all;
  all.function = f;
  all.values = load_frame(build, *f);
  all.first = f->getArg(2);
  all.end = f->getArg(3);
  if (const std::uint64_t bytes = crossing_.uniform_bytes; bytes != 0) {
    all.uniform =
        copy_of(build, *f, f->getArg(4), llvm::ArrayType::get(i8_, bytes), llvm::Align(16));
  }
  Value* size_x = all.values[Given::block_size_x];
  Value* size_y = all.values[Given::block_size_y];
  if (made_.warps) {
    Value* line = build.CreateUDiv(all.first, size_x);
    all.x = build.CreateURem(all.first, size_x);
    all.y = build.CreateURem(line, size_y);
    all.z = build.CreateUDiv(line, size_y);
  } else {  // all threads of the block
    all.first = all.x = all.y = all.z = number(0);
  }
  llvm::SwitchInst* choice = build.CreateSwitch(f->getArg(1), nowhere);
  llvm::IRBuilder<>(nowhere).CreateUnreachable();
  for (std::size_t state = 0; state < regions_.size(); ++state) {
    all.states.push_back(llvm::BasicBlock::Create(context_, "state", f));
    choice->addCase(number(static_cast<int>(state)), all.states.back());
  }
  constexpr int deep = 2;
  for (std::size_t state = 0; state < regions_.size(); ++state)
    emit_state(all, state, all.states[state], *regions_[state], quick_ ? deep : 0);
  if (debug_) return;
  for (llvm::CallInst* call : calls_) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
  }
  lower_relaxed(*f, in_order_metadata);
  mark_parallel(*f);
}

// --- parts of a row ---

namespace {

// Whether a value of a region follows from what is known before its threads run; in a row they have
// y and z in common.
bool is_known_before(const Value& value, int depth, bool in_row) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned i = argument->getArgNo();
    if (i == Given::y || i == Given::z) return in_row;
    return i != Given::x && i != Given::thread && i != Given::uniform_out;
  }
  const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!i || depth == 0) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
    const auto* from =
        llvm::dyn_cast<llvm::Argument>(load->getPointerOperand()->stripInBoundsConstantOffsets());
    return load->isSimple() && from && from->getArgNo() == Given::uniform_in;
  }
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(i);
  const auto* by =
      operation ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
  if (operation ? operation->isIntDivRem() && (!by || by->isZero() || by->isMinusOne())
                : !llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst>(i))
    return false;
  return llvm::all_of(i->operands(), [&](const llvm::Use& use) {
    return is_known_before(*use.get(), depth - 1, in_row);
  });
}

// How far back values are looked at.
constexpr int far = 8;

// Beyond so many instructions code is not written twice.
constexpr unsigned large = 400;

}  // namespace

std::optional<Lowering::Part> Lowering::find_part(llvm::Function& region) {
  const Value* x = region.getArg(Given::x);
  if (region.getInstructionCount() >= large) return std::nullopt;
  for (llvm::BasicBlock& block : region) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    auto* compare = branch && branch->isConditional()
                        ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                        : nullptr;
    if (!compare) continue;
    auto how = compare->getPredicate();
    Value* bound = compare->getOperand(1);
    if (bound == x) {
      how = compare->getSwappedPredicate();
      bound = compare->getOperand(0);
    } else if (compare->getOperand(0) != x) {
      continue;
    }
    const auto* place = llvm::dyn_cast<llvm::ConstantInt>(bound);
    const bool first = place && place->isZero();  // what the first thread alone does
    if (first && how == llvm::ICmpInst::ICMP_EQ) {
      how = llvm::ICmpInst::ICMP_ULT;
      bound = number(1);
    }
    if (how != llvm::ICmpInst::ICMP_ULT && how != llvm::ICmpInst::ICMP_SLT) continue;
    // What is known while code is compiled, LLVM finds itself.
    if (!is_known_before(*bound, far, true)) continue;
    return Part{bound, how == llvm::ICmpInst::ICMP_SLT, variant(region, compare, true),
                variant(region, compare, false)};
  }
  return std::nullopt;
}

Value* Lowering::find_choice(llvm::Function& region) {
  for (llvm::BasicBlock& block : region) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() && !llvm::isa<llvm::Constant>(branch->getCondition()) &&
        is_known_before(*branch->getCondition(), far, false))
      return branch->getCondition();
  }
  return nullptr;
}

llvm::Function* Lowering::variant(llvm::Function& region, Value* condition, bool answer) {
  llvm::ValueToValueMapTy map;
  llvm::Function* made = llvm::CloneFunction(&region, map);
  made->setLinkage(llvm::GlobalValue::InternalLinkage);
  Value* copy = map[condition];
  copy->replaceAllUsesWith(llvm::ConstantInt::getBool(context_, answer));
  for (llvm::BasicBlock& block : *made) llvm::ConstantFoldTerminator(&block);
  llvm::EliminateUnreachableBlocks(*made);
  return made;
}

Value* Lowering::at_row(llvm::IRBuilder<>& build, Value& value, const std::vector<Value*>& values) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value))
    return values[argument->getArgNo()];
  auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!i) return &value;
  llvm::Instruction* copy = i->clone();
  for (llvm::Use& use : copy->operands()) use.set(at_row(build, *use.get(), values));
  return build.Insert(copy);
}

// --- loops over threads ---

Lowering::Passed Lowering::emit_threads(llvm::Function& f, llvm::Function& region, Span span,
                                        const Row& row, Passed before) {
  Span rest = span;
  const auto widened = [&](unsigned lanes) {
    return quick_ ? widen(region, Given::x, Given::thread, machine_, lanes) : Widened{};
  };
  const auto run = [&](const Widened& wide) {
    llvm::IRBuilder<> build(before.block);
    Value* many = build.CreateSub(rest.end, rest.first);
    many = build.CreateAnd(many, number(-static_cast<int>(wide.lanes)));
    const Span part = {rest.first, build.CreateAdd(rest.first, many)};
    rest.first = part.end;
    before = emit_loop(f, *wide.function, part, wide.lanes, row, before);
  };
  if (const Widened wide = widened(usual_lanes); wide.function) {
    if (wide.line > usual_lanes) run(widened(wide.line));
    run(wide);
    Passed passed = emit_loop(f, region, rest, 1, row, before);
    rests_.insert(latches_.back());
    return passed;
  }
  return emit_loop(f, region, rest, 1, row, before);
}

Lowering::Passed Lowering::emit_loop(llvm::Function& f, llvm::Function& called, Span span,
                                     unsigned many, const Row& row, Passed before) {
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, "thread", &f);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "threads.end", &f);
  llvm::IRBuilder<> build(before.block);
  Value* base = build.CreateZExt(row.at, i64_);
  Value* states = field(build, f.getArg(0), ptr_, offsetof(BlockFrame, states));
  build.CreateCondBr(build.CreateICmpULT(span.first, span.end), body, after);
  build.SetInsertPoint(body);
  llvm::PHINode* k = build.CreatePHI(i32_, 2);  // which thread of the row
  k->addIncoming(span.first, before.block);
  llvm::PHINode* some_or = build.CreatePHI(i32_, 2);
  some_or->addIncoming(before.all_or, before.block);
  llvm::PHINode* some_and = build.CreatePHI(i32_, 2);
  some_and->addIncoming(before.all_and, before.block);
  std::vector<Value*> values = row.values;
  values[Given::x] = build.CreateAdd(row.x0, k, "", true, true);
  values[Given::thread] = build.CreateAdd(base, build.CreateZExt(k, i64_), "", true, true);
  llvm::CallInst* call = build.CreateCall(&called, values);
  calls_.push_back(call);
  Value* next_or = some_or;
  Value* next_and = some_and;
  if (row.stores) {
    const bool parts = call->getType()->isVectorTy();
    Value* made = many == 1 || parts ? call : build.CreateVectorSplat(many, call);
    build.CreateAlignedStore(made, build.CreateInBoundsGEP(i32_, states, values[Given::thread]),
                             llvm::Align(4));
    next_or = build.CreateOr(some_or, parts ? build.CreateOrReduce(call) : call);
    next_and = build.CreateAnd(some_and, parts ? build.CreateAndReduce(call) : call);
  }
  Value* k_next = build.CreateAdd(k, number(static_cast<int>(many)), "", true, true);
  llvm::BranchInst* latch = build.CreateCondBr(build.CreateICmpNE(k_next, span.end), body, after);
  if (many == 1) latches_.push_back(latch);
  k->addIncoming(k_next, body);
  some_or->addIncoming(next_or, body);
  some_and->addIncoming(next_and, body);

  build.SetInsertPoint(after);
  const auto joined = [&](Value* made, Value* none) {
    llvm::PHINode* phi = build.CreatePHI(i32_, 2);
    phi->addIncoming(made, body);
    phi->addIncoming(none, before.block);
    return phi;
  };
  Value* all_or = joined(next_or, before.all_or);
  return {after, all_or, joined(next_and, before.all_and)};
}

void Lowering::emit_state(const All& all, std::size_t state, llvm::BasicBlock* block,
                          llvm::Function& region, int deep) {
  Value* condition = nullptr;
  if (deep > 0 && !single_result(region) && region.getInstructionCount() < large)
    condition = find_choice(region);
  if (!condition) return emit_rows(all, state, block, region);
  llvm::IRBuilder<> build(block);
  std::vector<Value*> values = all.values;
  values[Given::uniform_in] = all.uniform;
  // Frozen: threads may not come to where it is made.
  Value* answer = build.CreateFreeze(at_row(build, *condition, values));
  llvm::BasicBlock* yes = llvm::BasicBlock::Create(context_, "yes", all.function);
  llvm::BasicBlock* no = llvm::BasicBlock::Create(context_, "no", all.function);
  build.CreateCondBr(answer, yes, no);
  emit_state(all, state, yes, *variant(region, condition, true), deep - 1);
  emit_state(all, state, no, *variant(region, condition, false), deep - 1);
}

void Lowering::emit_rows(const All& all, std::size_t state, llvm::BasicBlock* block,
                         llvm::Function& region) {
  llvm::Function& f = *all.function;
  llvm::IRBuilder<> build(block);
  Row now;
  now.values = all.values;
  Value* size_x = now.values[Given::block_size_x];
  Value* size_y = now.values[Given::block_size_y];
  // What is uniform is read before and written after the threads, which all have the same.
  llvm::AllocaInst* out = nullptr;
  now.values[Given::uniform_in] = now.values[Given::uniform_out] = llvm::PoisonValue::get(ptr_);
  if (all.uniform) {
    now.values[Given::uniform_in] = all.uniform;
    now.values[Given::uniform_out] = out =
        copy_of(build, f, all.uniform, all.uniform->getAllocatedType(), llvm::Align(16));
  }
  const llvm::ConstantInt* single = single_result(region);
  now.stores = !single;
  llvm::BasicBlock* row = llvm::BasicBlock::Create(context_, "row", &f);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "row.end", &f);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "done", &f);
  build.CreateBr(row);

  build.SetInsertPoint(row);
  const auto counted = [&](Value* begin) {
    llvm::PHINode* made = build.CreatePHI(i32_, 2);
    made->addIncoming(begin, block);
    return made;
  };
  // A row begins with x = 0, but for the first one.
  llvm::PHINode* at = counted(all.first);
  llvm::PHINode* x0 = counted(all.x);
  llvm::PHINode* y = counted(all.y);
  llvm::PHINode* z = counted(all.z);
  llvm::PHINode* all_or = counted(number(0));
  llvm::PHINode* all_and = counted(number(-1));
  now.at = at;
  now.x0 = x0;
  now.values[Given::y] = y;
  now.values[Given::z] = z;
  Value* left = build.CreateSub(all.end, at, "", true, true);
  Value* to_end = build.CreateSub(size_x, x0, "", true, true);
  Value* many = build.CreateSelect(build.CreateICmpULT(left, to_end), left, to_end);
  Passed passed = {row, all_or, all_and};
  if (const auto part = debug_ ? std::nullopt : find_part(region)) {
    // The threads before a place that all know of do what the others do not.
    Value* bound = build.CreateFreeze(at_row(build, *part->bound, now.values));
    Value* below =
        part->is_signed ? build.CreateICmpSGT(bound, x0) : build.CreateICmpUGT(bound, x0);
    Value* count = build.CreateSub(bound, x0);
    count = build.CreateSelect(build.CreateICmpULT(count, many), count, many);
    count = build.CreateSelect(below, count, number(0));
    passed = emit_threads(f, *part->yes, {number(0), count}, now, passed);
    passed = emit_threads(f, *part->no, {count, many}, now, passed);
  } else {
    passed = emit_threads(f, region, {number(0), many}, now, passed);
  }
  llvm::IRBuilder<>(passed.block).CreateBr(after);
  Value* next_or = passed.all_or;
  Value* next_and = passed.all_and;

  build.SetInsertPoint(after);
  Value* at_next = build.CreateAdd(at, many, "", true, true);
  Value* y_next = build.CreateAdd(y, number(1), "", true, true);
  Value* plane = build.CreateICmpEQ(y_next, size_y);
  at->addIncoming(at_next, after);
  x0->addIncoming(number(0), after);
  y->addIncoming(build.CreateSelect(plane, number(0), y_next), after);
  z->addIncoming(build.CreateAdd(z, build.CreateZExt(plane, i32_), "", true, true), after);
  all_or->addIncoming(next_or, after);
  all_and->addIncoming(next_and, after);
  build.CreateCondBr(build.CreateICmpULT(at_next, all.end), row, done);

  build.SetInsertPoint(done);
  if (out) {
    build.CreateMemCpy(all.uniform, llvm::Align(16), out, llvm::Align(16), crossing_.uniform_bytes);
  }
  Value* next = single ? const_cast<llvm::ConstantInt*>(single)
                       : build.CreateSelect(build.CreateICmpEQ(next_or, next_and), next_or,
                                            number(cpu::diverged_state));
  emit_next(all, state, done, next, single);
}

// A group is the block where no warps are: then nobody else comes to a barrier.
bool Lowering::goes_on(std::size_t state) const {
  return quick_ && !made_.warps && state > 0 &&
         crossing_.cuts[state - 1].kind == Site::block_barrier;
}

void Lowering::emit_leave(const All& all, llvm::IRBuilder<>& build, Value* state) {
  if (all.uniform) {
    build.CreateMemCpy(all.function->getArg(4), llvm::Align(16), all.uniform, llvm::Align(16),
                       crossing_.uniform_bytes);
  }
  build.CreateRet(state);
}

void Lowering::emit_next(const All& all, std::size_t state, llvm::BasicBlock* block, Value* next,
                         const llvm::ConstantInt* single) {
  // Where a loop comes back to an earlier barrier it is asked whether to stop.
  const auto way_to = [&](std::size_t to) {
    if (to > state) return all.states[to];
    llvm::BasicBlock* back = llvm::BasicBlock::Create(context_, "back", all.function);
    llvm::BasicBlock* asking = llvm::BasicBlock::Create(context_, "asking", all.function);
    llvm::BasicBlock* stop = llvm::BasicBlock::Create(context_, "stop", all.function);
    llvm::IRBuilder<> build(back);
    build.CreateCondBr(count_question(build, all.values[Given::frame]), asking, all.states[to]);
    build.SetInsertPoint(asking);
    llvm::FunctionCallee asked = module_.getOrInsertFunction("heddle_should_stop", i32_, ptr_);
    Value* answer = build.CreateCall(asked, {all.values[Given::frame]});
    build.CreateCondBr(build.CreateICmpEQ(answer, number(0)), all.states[to], stop);
    build.SetInsertPoint(stop);
    emit_leave(all, build, number(cpu::finished_state));
    return back;
  };
  llvm::IRBuilder<> build(block);
  if (single && single->getSExtValue() > 0 &&
      goes_on(static_cast<std::size_t>(single->getSExtValue()))) {
    build.CreateBr(way_to(static_cast<std::size_t>(single->getSExtValue())));
    return;
  }
  if (single) return emit_leave(all, build, next);
  llvm::BasicBlock* leave = llvm::BasicBlock::Create(context_, "leave", all.function);
  llvm::SwitchInst* choice = build.CreateSwitch(next, leave);
  for (std::size_t to = 1; to < all.states.size(); ++to) {
    if (goes_on(to)) choice->addCase(number(static_cast<int>(to)), way_to(to));
  }
  build.SetInsertPoint(leave);
  emit_leave(all, build, next);
}

void Lowering::mark_parallel(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  llvm::LoopInfo loops(dominators);
  for (llvm::BranchInst* latch : latches_) {
    llvm::Loop* loop = loops.getLoopFor(latch->getParent());
    if (!loop) continue;
    llvm::MDNode* group = llvm::MDNode::getDistinct(context_, {});
    for (llvm::BasicBlock* block : loop->blocks()) {
      for (llvm::Instruction& i : *block) {
        if (i.mayReadOrWriteMemory() && !i.getMetadata(in_order_metadata))
          i.setMetadata(llvm::LLVMContext::MD_access_group, group);
      }
    }
    const auto text = [&](const char* words) { return llvm::MDString::get(context_, words); };
    llvm::Metadata* parallel[] = {text("llvm.loop.parallel_accesses"), group};
    llvm::Metadata* interleave[] = {text("llvm.loop.interleave.count"),
                                    llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32_, 1))};
    llvm::SmallVector<llvm::Metadata*, 4> all = {nullptr, llvm::MDNode::get(context_, parallel),
                                                 llvm::MDNode::get(context_, interleave)};
    // Few threads are left there.
    if (rests_.contains(latch))
      all.push_back(llvm::MDNode::get(context_, text("llvm.loop.unroll.disable")));
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, all);
    id->replaceOperandWith(0, id);
    latch->setMetadata(llvm::LLVMContext::MD_loop, id);
  }
}

void Lowering::emit_one() {
  llvm::Function* f =
      llvm::Function::Create(llvm::FunctionType::get(i32_, {ptr_, i32_, i32_, ptr_, ptr_}, false),
                             llvm::Function::ExternalLinkage, made_.run_one, module_);
  f->setDoesNotThrow();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", f);
  llvm::BasicBlock* nowhere = llvm::BasicBlock::Create(context_, "nowhere", f);
  llvm::IRBuilder<> build(entry);
  std::vector<Value*> values = load_frame(build, *f);
  Value* thread = f->getArg(2);
  Value* line = build.CreateUDiv(thread, values[Given::block_size_x]);
  values[Given::x] = build.CreateURem(thread, values[Given::block_size_x]);
  values[Given::y] = build.CreateURem(line, values[Given::block_size_y]);
  values[Given::z] = build.CreateUDiv(line, values[Given::block_size_y]);
  values[Given::thread] = build.CreateZExt(thread, i64_);
  values[Given::uniform_in] = f->getArg(3);
  values[Given::uniform_out] = f->getArg(4);
  llvm::SwitchInst* choice = build.CreateSwitch(f->getArg(1), nowhere);
  llvm::IRBuilder<>(nowhere).CreateUnreachable();
  for (std::size_t state = 0; state < regions_.size(); ++state) {
    llvm::BasicBlock* block = llvm::BasicBlock::Create(context_, "state", f);
    choice->addCase(number(static_cast<int>(state)), block);
    build.SetInsertPoint(block);
    llvm::CallInst* call = build.CreateCall(regions_[state], values);
    call->setIsNoInline();
    build.CreateRet(call);
  }
}

}  // namespace heddle::clang_plugin
