// What a debugger shows of a kernel, whose variables are in memory of the block and whose threads
// are numbers.
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>

#include "kernel_lowering.h"

namespace heddle::clang_plugin {

void Lowering::show_at(llvm::Function& f, llvm::AllocaInst& variable, Value* address) {
  const auto shown = llvm::findDVRDeclares(&variable);
  if (shown.empty()) return;
  // The address in a place of its own, as registers are used for other things.
  llvm::IRBuilder<> top(&f.getEntryBlock(), f.getEntryBlock().begin());
  llvm::AllocaInst* place = top.CreateAlloca(ptr_);
  auto* made = llvm::cast<llvm::Instruction>(address);
  llvm::IRBuilder<>(made->getParent(), std::next(made->getIterator())).CreateStore(address, place);
  for (llvm::DbgVariableRecord* record : shown) {
    record->replaceVariableLocationOp(&variable, place);
    record->setExpression(
        llvm::DIExpression::prepend(record->getExpression(), llvm::DIExpression::DerefBefore));
  }
}

void Lowering::show_variables(llvm::Function& f) {
  std::vector<llvm::DbgVariableRecord*> declared;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(i.getDbgRecordRange())) {
      if (record.isDbgDeclare()) declared.push_back(&record);
    }
  }
  llvm::BasicBlock& first = f.getEntryBlock();
  for (llvm::DbgVariableRecord* record : declared) {
    // Variables that are made elsewhere are shown there.
    const auto* place = llvm::dyn_cast_or_null<llvm::Instruction>(record->getVariableLocationOp(0));
    if (place && place->getParent() != &first) continue;
    record->removeFromParent();
    first.insertDbgRecordBefore(record, first.getTerminator()->getIterator());
  }
}

void Lowering::show_places(llvm::Function& f) {
  llvm::DISubprogram* program = f.getSubprogram();
  if (!program) return;
  llvm::DIBuilder build(module_, /*AllowUnresolved=*/false, program->getUnit());
  llvm::DIFile* file = program->getFile();
  const unsigned line = program->getLine();
  llvm::DIType* number = build.createBasicType("unsigned int", 32, llvm::dwarf::DW_ATE_unsigned);
  std::vector<llvm::Metadata*> members;
  for (const char* name : {"x", "y", "z"}) {
    members.push_back(build.createMemberType(file, name, file, line, 32, 32, 32 * members.size(),
                                             llvm::DINode::FlagZero, number));
  }
  llvm::DIType* type =
      build.createStructType(file, "uint3", file, line, 96, 32, llvm::DINode::FlagZero, nullptr,
                             build.getOrCreateArray(members));
  const llvm::DILocation* at = llvm::DILocation::get(context_, line, 0, program);
  const auto show = [&](const char* name, unsigned first) {
    llvm::IRBuilder<> top(&f.getEntryBlock(), f.getEntryBlock().begin());
    llvm::AllocaInst* place = top.CreateAlloca(llvm::ArrayType::get(i32_, 3));
    for (unsigned d = 0; d < 3; ++d)
      top.CreateStore(f.getArg(first + d), top.CreateConstInBoundsGEP1_64(i32_, place, d));
    llvm::DILocalVariable* variable =
        build.createAutoVariable(program, name, file, line, type, /*AlwaysPreserve=*/true);
    build.insertDeclare(place, variable, build.createExpression(), at,
                        f.getEntryBlock().getTerminator()->getIterator());
  };
  show("threadIdx", Given::x);
  show("blockIdx", Given::block_x);
  show("blockDim", Given::block_size_x);
  show("gridDim", Given::grid_size_x);
  build.finalizeSubprogram(program);
}

}  // namespace heddle::clang_plugin
