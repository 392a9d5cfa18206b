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
  std::vector<llvm::CallInst*> calls;
  for (std::size_t state = 0; state < regions_.size(); ++state) {
    llvm::BasicBlock* block = llvm::BasicBlock::Create(context_, "state", f);
    choice->addCase(number(static_cast<int>(state)), block);
    calls.push_back(emit_state(*f, block, *regions_[state], values));
  }
  if (debug_) return;
  for (llvm::CallInst* call : calls) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
  }
  mark_parallel(*f);
}

llvm::CallInst* Lowering::emit_state(llvm::Function& f, llvm::BasicBlock* block,
                                     llvm::Function& region, std::vector<Value*> values) {
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
  Value* states = field(build, f.getArg(0), ptr_, offsetof(BlockFrame, states));
  const llvm::ConstantInt* single = single_result(region);
  llvm::BasicBlock* row = llvm::BasicBlock::Create(context_, "row", &f);
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, "thread", &f);
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
  Value* base = build.CreateZExt(at, i64_);
  build.CreateBr(body);

  build.SetInsertPoint(body);
  llvm::PHINode* k = build.CreatePHI(i32_, 2);  // which thread of the row
  k->addIncoming(number(0), row);
  llvm::PHINode* some_or = build.CreatePHI(i32_, 2);
  some_or->addIncoming(all_or, row);
  llvm::PHINode* some_and = build.CreatePHI(i32_, 2);
  some_and->addIncoming(all_and, row);
  values[Given::x] = build.CreateAdd(x0, k, "", true, true);
  values[Given::thread] = build.CreateAdd(base, build.CreateZExt(k, i64_), "", true, true);
  llvm::CallInst* call = build.CreateCall(&region, values);
  Value* next_or = some_or;
  Value* next_and = some_and;
  if (!single) {
    build.CreateStore(call, build.CreateInBoundsGEP(i32_, states, values[Given::thread]));
    next_or = build.CreateOr(some_or, call);
    next_and = build.CreateAnd(some_and, call);
  }
  Value* k_next = build.CreateAdd(k, number(1), "", true, true);
  llvm::BranchInst* latch = build.CreateCondBr(build.CreateICmpNE(k_next, many), body, after);
  k->addIncoming(k_next, body);
  some_or->addIncoming(next_or, body);
  some_and->addIncoming(next_and, body);
  latches_.push_back(latch);

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
  return call;
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
