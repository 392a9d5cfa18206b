// What the variables of a module begin as, in one piece of memory.
#include <algorithm>

#include <llvm/IR/Constants.h>

#include "lowering.h"

namespace heddle::clang_plugin {

void write_variables(llvm::Module& module, const Parts& parts) {
  if (parts.places.empty()) return;
  llvm::LLVMContext& context = module.getContext();
  std::vector<std::pair<std::uint64_t, llvm::GlobalVariable*>> order;
  for (auto& [variable, offset] : parts.places) order.emplace_back(offset, variable);
  std::sort(order.begin(), order.end());
  std::vector<llvm::Constant*> members;
  std::uint64_t at = 0;
  const auto fill = [&](std::uint64_t to) {
    if (to > at)
      members.push_back(llvm::ConstantAggregateZero::get(
          llvm::ArrayType::get(llvm::Type::getInt8Ty(context), to - at)));
    at = to;
  };
  for (auto& [offset, variable] : order) {
    fill(offset);
    members.push_back(variable->getInitializer());
    at += module.getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue();
  }
  fill(parts.variable_bytes);
  llvm::Constant* all = llvm::ConstantStruct::getAnon(context, members, /*Packed=*/true);
  auto* image = new llvm::GlobalVariable(
      module, all->getType(), true, llvm::GlobalValue::ExternalLinkage, all, "heddle_variables");
  image->setAlignment(llvm::Align(64));
  for (auto& [offset, variable] : order) {
    variable->removeDeadConstantUsers();
    if (!variable->use_empty())
      throw Refused{
          "error: " + variable->getName().str() +
          " is used by a function that calls itself, or by another variable: on a CPU only "
          "kernels and what they call by name can use variables"};
    variable->eraseFromParent();
  }
}

}  // namespace heddle::clang_plugin
