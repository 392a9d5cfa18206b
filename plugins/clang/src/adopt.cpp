// From a module for a GPU to one for this machine: triple, kinds of memory, attributes.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include "known.h"
#include "lowering.h"

namespace heddle::clang_plugin {
namespace {

constexpr unsigned shared_memory = 3;  // NVPTX's number for it

void drop(llvm::Module& module, const char* name) {
  if (llvm::GlobalVariable* variable = module.getGlobalVariable(name, true))
    variable->eraseFromParent();
}

// Clang casts the address of a variable to a plain one wherever it is used.
void make_plain(llvm::Module& module, llvm::GlobalVariable& old, Parts& parts) {
  const unsigned kind = old.getAddressSpace();
  auto* plain = new llvm::GlobalVariable(
      module, old.getValueType(), old.isConstant() && !old.isExternallyInitialized(),
      old.getLinkage(), old.hasInitializer() ? old.getInitializer() : nullptr, "", &old,
      old.getThreadLocalMode(), 0, old.isExternallyInitialized());
  plain->setAlignment(old.getAlign());
  plain->takeName(&old);
  llvm::Constant* cast = llvm::ConstantExpr::getAddrSpaceCast(plain, old.getType());
  old.replaceAllUsesWith(cast);
  old.eraseFromParent();
  if (kind == shared_memory) {
    parts.shared.insert(plain);
  } else if (!plain->isDeclaration() && !plain->isConstant()) {
    parts.variables.push_back(plain);
  }
}

void make_machine(llvm::Module& module, const llvm::TargetMachine& machine, const Source& source) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (const char* name :
       {"nvvm.annotations", "nvvmir.version", "llvm.module.flags", "llvm.ident"}) {
    if (llvm::NamedMDNode* node = module.getNamedMetadata(name)) node->eraseFromParent();
  }
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  for (llvm::Function& f : module) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu", "uniform-work-group-size",
                             "nvvm.maxntid", "nvvm.minctasm"}) {
      f.removeFnAttr(name);
    }
    if (f.isDeclaration()) continue;
    f.addFnAttr("target-cpu", source.cpu);
    if (!source.features.empty()) f.addFnAttr("target-features", source.features);
  }
}

}  // namespace

Parts adopt(llvm::Module& module, const llvm::TargetMachine& machine, const Source& source) {
  Parts parts;
  drop(module, "llvm.used");
  drop(module, "llvm.compiler.used");
  for (unsigned i = 0; i < source.names.size(); ++i)
    drop(module, ("__heddle_name_" + std::to_string(i)).c_str());
  std::vector<llvm::GlobalVariable*> variables;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != 0) variables.push_back(&variable);
  }
  for (llvm::GlobalVariable* variable : variables) make_plain(module, *variable, parts);
  // A plain address cast there and back is itself: constants fold it, and instructions are found
  // here.
  std::vector<llvm::Constant*> shared(parts.shared.begin(), parts.shared.end());
  llvm::convertUsersOfConstantsToInstructions(shared);
  for (llvm::Function& f : module) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) {
      auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&i);
      if (!cast || cast->getType()->getPointerAddressSpace() != 0) continue;
      if (auto* back = llvm::dyn_cast<llvm::AddrSpaceCastInst>(cast->getPointerOperand())) {
        cast->replaceAllUsesWith(back->getPointerOperand());
        cast->eraseFromParent();
      }
    }
  }
  make_machine(module, machine, source);
  if (llvm::Function* print = module.getFunction("vprintf")) print->setName("heddle_print");
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    if (f.getCallingConv() == llvm::CallingConv::PTX_Kernel) parts.kernels.push_back(&f);
    f.setCallingConv(llvm::CallingConv::C);
    f.setComdat(nullptr);
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    for (llvm::Instruction& i : llvm::instructions(f)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        call->setCallingConv(llvm::CallingConv::C);
    }
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    variable.setComdat(nullptr);
    if (variable.hasLinkOnceLinkage() || variable.hasWeakLinkage())
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  // Passes would remove those that nobody uses, which are still named here.
  for (llvm::GlobalVariable* variable : parts.shared) {
    if (!variable->isDeclaration()) variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable* variable : parts.variables) {
    constexpr std::uint64_t apart = 64;
    parts.places[variable] = parts.variable_bytes;
    const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
    parts.variable_bytes += (size + apart - 1) / apart * apart;
    // Whoever runs it may write there at any time.
    variable->setExternallyInitialized(true);
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  return parts;
}

}  // namespace heddle::clang_plugin
