// All threads of a group, one after the other or in vectors; and one thread alone.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "kernel_lowering.h"

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
  const std::vector<Value*> values = load_frame(build, *f);
  llvm::SwitchInst* choice = build.CreateSwitch(f->getArg(1), nowhere);
  llvm::IRBuilder<>(nowhere).CreateUnreachable();
  for (std::size_t state = 0; state < regions_.size(); ++state) {
    llvm::BasicBlock* block = llvm::BasicBlock::Create(context_, "state", f);
    choice->addCase(number(static_cast<int>(state)), block);
    emit_state(*f, block, *regions_[state], values);
  }
  if (debug_) return;
  for (llvm::CallInst* call : calls_) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
  }
  mark_parallel(*f);
}

// --- parts of a row ---

namespace {

// Whether a value of a region follows from what is known before its threads run.
bool is_known_before(const Value& value, int depth) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned i = argument->getArgNo();
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
  if (operation ? operation->isIntDivRem()
                : !llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst>(i))
    return false;
  return llvm::all_of(i->operands(),
                      [&](const llvm::Use& use) { return is_known_before(*use.get(), depth - 1); });
}

}  // namespace

std::optional<Lowering::Part> Lowering::find_part(llvm::Function& region) {
  const Value* x = region.getArg(Given::x);
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
    if (how != llvm::ICmpInst::ICMP_ULT && how != llvm::ICmpInst::ICMP_SLT) continue;
    constexpr int deep = 8;
    // What is known while code is compiled, LLVM finds itself.
    if (!is_known_before(*bound, deep)) continue;
    const auto variant = [&](bool answer) {
      llvm::ValueToValueMapTy map;
      llvm::Function* made = llvm::CloneFunction(&region, map);
      made->setLinkage(llvm::GlobalValue::InternalLinkage);
      Value* copy = map[compare];
      copy->replaceAllUsesWith(llvm::ConstantInt::getBool(context_, answer));
      return made;
    };
    return Part{bound, how == llvm::ICmpInst::ICMP_SLT, variant(true), variant(false)};
  }
  return std::nullopt;
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

Lowering::Passed Lowering::emit_threads(llvm::Function& f, llvm::Function& region, Span span,
                                        bool may_be_none, Value* at, Value* x0,
                                        std::vector<Value*> values, Passed before, bool stores) {
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, "thread", &f);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "threads.end", &f);
  llvm::IRBuilder<> build(before.block);
  Value* base = build.CreateZExt(at, i64_);
  Value* states = field(build, f.getArg(0), ptr_, offsetof(BlockFrame, states));
  if (may_be_none) {
    build.CreateCondBr(build.CreateICmpULT(span.first, span.end), body, after);
  } else {
    build.CreateBr(body);
  }
  build.SetInsertPoint(body);
  llvm::PHINode* k = build.CreatePHI(i32_, 2);  // which thread of the row
  k->addIncoming(span.first, before.block);
  llvm::PHINode* some_or = build.CreatePHI(i32_, 2);
  some_or->addIncoming(before.all_or, before.block);
  llvm::PHINode* some_and = build.CreatePHI(i32_, 2);
  some_and->addIncoming(before.all_and, before.block);
  values[Given::x] = build.CreateAdd(x0, k, "", true, true);
  values[Given::thread] = build.CreateAdd(base, build.CreateZExt(k, i64_), "", true, true);
  llvm::CallInst* call = build.CreateCall(&region, values);
  calls_.push_back(call);
  Value* next_or = some_or;
  Value* next_and = some_and;
  if (stores) {
    build.CreateStore(call, build.CreateInBoundsGEP(i32_, states, values[Given::thread]));
    next_or = build.CreateOr(some_or, call);
    next_and = build.CreateAnd(some_and, call);
  }
  Value* k_next = build.CreateAdd(k, number(1), "", true, true);
  latches_.push_back(build.CreateCondBr(build.CreateICmpNE(k_next, span.end), body, after));
  k->addIncoming(k_next, body);
  some_or->addIncoming(next_or, body);
  some_and->addIncoming(next_and, body);

  build.SetInsertPoint(after);
  Passed passed = {after, next_or, next_and};
  if (may_be_none) {
    const auto joined = [&](Value* made, Value* none) {
      llvm::PHINode* phi = build.CreatePHI(i32_, 2);
      phi->addIncoming(made, body);
      phi->addIncoming(none, before.block);
      return phi;
    };
    passed.all_or = joined(next_or, before.all_or);
    passed.all_and = joined(next_and, before.all_and);
  }
  return passed;
}

void Lowering::emit_state(llvm::Function& f, llvm::BasicBlock* block, llvm::Function& region,
                          std::vector<Value*> values) {
  llvm::IRBuilder<> build(block);
  Value* first = f.getArg(2);
  Value* end = f.getArg(3);
  Value* uniform = f.getArg(4);
  Value* size_x = values[Given::block_size_x];
  Value* size_y = values[Given::block_size_y];
  // What is uniform is read before and written after the threads, which all have the same.
  llvm::AllocaInst* out = nullptr;
  values[Given::uniform_in] = values[Given::uniform_out] = llvm::PoisonValue::get(ptr_);
  if (const std::uint64_t bytes = crossing_.uniform_bytes; bytes != 0) {
    llvm::Type* type = llvm::ArrayType::get(i8_, bytes);
    values[Given::uniform_in] = copy_of(build, f, uniform, type, llvm::Align(16));
    values[Given::uniform_out] = out = copy_of(build, f, uniform, type, llvm::Align(16));
  }
  const llvm::ConstantInt* single = single_result(region);
  llvm::BasicBlock* row = llvm::BasicBlock::Create(context_, "row", &f);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "row.end", &f);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "done", &f);
  // A row begins with x = 0, but for the first one.
  Value* first_line = build.CreateUDiv(first, size_x);
  Value* first_x = build.CreateURem(first, size_x);
  Value* first_y = build.CreateURem(first_line, size_y);
  Value* first_z = build.CreateUDiv(first_line, size_y);
  build.CreateBr(row);

  build.SetInsertPoint(row);
  const auto counted = [&](Value* begin) {
    llvm::PHINode* made = build.CreatePHI(i32_, 2);
    made->addIncoming(begin, block);
    return made;
  };
  llvm::PHINode* at = counted(first);
  llvm::PHINode* x0 = counted(first_x);
  llvm::PHINode* y = counted(first_y);
  llvm::PHINode* z = counted(first_z);
  llvm::PHINode* all_or = counted(number(0));
  llvm::PHINode* all_and = counted(number(-1));
  values[Given::y] = y;
  values[Given::z] = z;
  Value* left = build.CreateSub(end, at, "", true, true);
  Value* to_end = build.CreateSub(size_x, x0, "", true, true);
  Value* many = build.CreateSelect(build.CreateICmpULT(left, to_end), left, to_end);
  const Span all = {number(0), many};
  Passed passed = {row, all_or, all_and};
  if (const auto part = debug_ ? std::nullopt : find_part(region)) {
    // The threads before a place that all know of do what the others do not.
    // Frozen: threads may not come to where it is made.
    Value* bound = build.CreateFreeze(at_row(build, *part->bound, values));
    Value* below =
        part->is_signed ? build.CreateICmpSGT(bound, x0) : build.CreateICmpUGT(bound, x0);
    Value* count = build.CreateSub(bound, x0);
    count = build.CreateSelect(build.CreateICmpULT(count, many), count, many);
    count = build.CreateSelect(below, count, number(0));
    passed = emit_threads(f, *part->yes, {number(0), count}, true, at, x0, values, passed, !single);
    passed = emit_threads(f, *part->no, {count, many}, true, at, x0, values, passed, !single);
  } else {
    passed = emit_threads(f, region, all, false, at, x0, values, passed, !single);
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
  build.CreateCondBr(build.CreateICmpULT(at_next, end), row, done);

  build.SetInsertPoint(done);
  if (out)
    build.CreateMemCpy(uniform, llvm::Align(16), out, llvm::Align(16), crossing_.uniform_bytes);
  if (single) {
    build.CreateRet(const_cast<llvm::ConstantInt*>(single));
  } else {
    build.CreateRet(build.CreateSelect(build.CreateICmpEQ(next_or, next_and), next_or,
                                       number(cpu::diverged_state)));
  }
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
    llvm::Metadata* all[] = {nullptr, llvm::MDNode::get(context_, parallel),
                             llvm::MDNode::get(context_, interleave)};
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
