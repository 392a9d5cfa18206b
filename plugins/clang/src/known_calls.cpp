// Calls that the headers stand on, in the code of one thread.
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "kernel_lowering.h"

namespace heddle::clang_plugin {

void Lowering::replace_known(llvm::Function& f) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call && call->getCalledFunction()) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    const llvm::StringRef name = call->getCalledFunction()->getName();
    if (!name.starts_with("__heddle_")) continue;
    llvm::IRBuilder<> build(call);
    Value* value = nullptr;
    if (const auto place = place_of(*call)) {
      value = place_value(build, f, *place);
    } else if (name.starts_with(taken_name)) {
      const bool wide = call->getType()->isIntegerTy(64);
      Value* at = build.CreateInBoundsGEP(call->getType(),
                                          f.getArg(wide ? Given::taken_wide : Given::taken),
                                          f.getArg(Given::thread));
      value = build.CreateLoad(call->getType(), at);
    } else if (name == shared_name) {
      value = f.getArg(Given::shared);
    } else if (name == dynamic_name) {
      value = f.getArg(Given::dynamic);
    } else if (name == variables_name) {
      value = f.getArg(Given::variables);
    } else if (name == stop_name) {
      value = ask(f, *call);
    } else if (name == fail_name) {
      fail(build, f, *call);
    } else if (Value* made = checked(build, f, *call)) {
      if (!call->getType()->isVoidTy()) value = made;
    } else {
      continue;
    }
    if (value) call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

Value* Lowering::count_question(llvm::IRBuilder<>& build, Value* frame) {
  Value* at = build.CreateConstInBoundsGEP1_64(i8_, frame, offsetof(BlockFrame, asked));
  Value* count = build.CreateAdd(build.CreateLoad(i64_, at), build.getInt64(1));
  build.CreateStore(count, at);
  return build.CreateICmpEQ(
      build.CreateAnd(count, build.getInt64(cpu::passes_between_questions - 1)), build.getInt64(0));
}

Value* Lowering::ask(llvm::Function& f, llvm::CallInst& call) {
  llvm::IRBuilder<> build(&call);
  Value* now = count_question(build, f.getArg(Given::frame));
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(now, &call, false);
  build.SetInsertPoint(then);
  llvm::FunctionCallee asked = module_.getOrInsertFunction("heddle_should_stop", i32_, ptr_);
  Value* answer = build.CreateCall(asked, {f.getArg(Given::frame)});
  build.SetInsertPoint(&call);
  llvm::PHINode* value = build.CreatePHI(i32_, 2);
  value->addIncoming(number(0), before);
  value->addIncoming(answer, then->getParent());
  return value;
}

void Lowering::fail(llvm::IRBuilder<>& build, llvm::Function& f, llvm::CallInst& call) {
  llvm::FunctionCallee said =
      module_.getOrInsertFunction("heddle_kernel_failed", llvm::Type::getVoidTy(context_), ptr_,
                                  ptr_, ptr_, i32_, i32_, i32_, i32_);
  build.CreateCall(
      said, {f.getArg(Given::frame), call.getArgOperand(0), call.getArgOperand(1),
             call.getArgOperand(2), f.getArg(Given::x), f.getArg(Given::y), f.getArg(Given::z)});
}

Value* Lowering::checked(llvm::IRBuilder<>& build, llvm::Function& f, llvm::CallInst& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  Value* frame = f.getArg(Given::frame);
  Value* thread = f.getArg(Given::thread);
  if (name == bound_name) {
    Value* bounds = field(build, frame, ptr_, offsetof(BlockFrame, bounds));
    return build.CreateLoad(ptr_, build.CreateGEP(ptr_, bounds, call.getArgOperand(0)));
  }
  if (name == returned_name) {
    Value* returned = field(build, frame, ptr_, offsetof(BlockFrame, returned));
    return build.CreateStore(build.getInt8(1), build.CreateGEP(i8_, returned, thread));
  }
  std::vector<Value*> values = {frame};
  values.insert(values.end(), call.arg_begin(), call.arg_end());
  const char* called = nullptr;
  if (name == access_name) called = "heddle_access";
  if (name == find_name) called = "heddle_find";
  if (name == fence_name) called = "heddle_fence";
  if (!called) return nullptr;
  if (name != find_name) values.push_back(thread);
  std::vector<llvm::Type*> types;
  for (const Value* value : values) types.push_back(value->getType());
  return build.CreateCall(
      module_.getOrInsertFunction(called, llvm::FunctionType::get(call.getType(), types, false)),
      values);
}

Value* Lowering::place_value(llvm::IRBuilder<>& build, llvm::Function& f, Place place) {
  switch (place) {
    case Place::thread_x:
      return f.getArg(Given::x);
    case Place::thread_y:
      return f.getArg(Given::y);
    case Place::thread_z:
      return f.getArg(Given::z);
    case Place::lane:
      return build.CreateAnd(build.CreateTrunc(f.getArg(Given::thread), i32_), number(31));
    case Place::dynamic_bytes:
      return f.getArg(Given::dynamic_bytes);
    default:
      return f.getArg(Given::block_x + static_cast<unsigned>(place) -
                      static_cast<unsigned>(Place::block_x));
  }
}

}  // namespace heddle::clang_plugin
