// The functions that run the threads of a block, made of a kernel that is cut.
#include "lowering.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>

#include "kernel_lowering.h"
#include "watching.h"
#include "widening.h"

namespace heddle::clang_plugin {

namespace {

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

SharedLayout lay_out_shared(llvm::Function& kernel, const Parts& parts) {
  SharedLayout made;
  // Places in them that passes have made constants of are instructions again.
  std::vector<llvm::Constant*> shared(parts.shared.begin(), parts.shared.end());
  shared.insert(shared.end(), parts.variables.begin(), parts.variables.end());
  llvm::convertUsersOfConstantsToInstructions(shared, &kernel);
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    for (Value* operand : i.operands()) {
      auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(operand->stripPointerCasts());
      if (!variable || !parts.shared.count(variable)) continue;
      const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
      if (variable->isDeclaration() || size == 0) {
        made.dynamic.insert(variable);
      } else if (!made.offsets.count(variable)) {
        made.bytes = rounded(
            made.bytes, std::max<std::uint64_t>(variable->getAlign().valueOrOne().value(), 16));
        made.offsets[variable] = made.bytes;
        made.bytes += size;
      }
    }
  }
  made.bytes = rounded(made.bytes, 64);
  return made;
}

// As the user wrote it: names of a function's variables are mangled.
std::string source_name(const llvm::GlobalVariable& variable) {
  const std::string whole = llvm::demangle(variable.getName());
  return whole.substr(whole.rfind(':') + 1);
}

}  // namespace

Lowering::Lowering(llvm::Function& kernel, const Parts& parts, int number, Purpose purpose,
                   std::uint64_t granule, llvm::TargetMachine& machine)
    : kernel_(kernel),
      parts_(parts),
      machine_(machine),
      module_(*kernel.getParent()),
      context_(module_.getContext()),
      layout_(module_.getDataLayout()),
      debug_(purpose == Purpose::debug),
      quick_(purpose == Purpose::speed),
      shared_(lay_out_shared(kernel, parts)) {
  i32_ = llvm::Type::getInt32Ty(context_);
  i64_ = llvm::Type::getInt64Ty(context_);
  i8_ = llvm::Type::getInt8Ty(context_);
  ptr_ = llvm::PointerType::get(context_, 0);
  made_.granule = granule;
  made_.symbol = kernel.getName().str();
  made_.run_all = fmt::format("heddle_all_{}", number);
  made_.run_one = fmt::format("heddle_one_{}", number);
}

KernelDescription Lowering::run() {
  describe();
  own_parameters();
  replace_shared();
  relax_shared();
  crossing_ = cut(kernel_);
  made_.rows = crossing_.row_bytes;
  made_.uniform = rounded(crossing_.uniform_bytes, 64);
  made_.shared = shared_.bytes;
  made_.sites.push_back(static_cast<int>(Site::begin));
  for (const Cut& c : crossing_.cuts) {
    made_.sites.push_back(static_cast<int>(c.kind));
    made_.warps |= is_of_a_warp(c.kind);
  }
  if (made_.granule != 0) describe_checked();
  for (std::size_t state = 0; state <= crossing_.cuts.size(); ++state)
    regions_.push_back(region(state));
  emit_all();
  emit_one();
  for (llvm::Function* f : regions_) lower_relaxed(*f, in_order_metadata);
  kernel_.deleteBody();
  return std::move(made_);
}

void Lowering::describe() {
  for (llvm::Argument& a : kernel_.args()) {
    llvm::Type* type = a.hasByValAttr() ? a.getParamByValType() : a.getType();
    made_.parameters.push_back(
        {layout_.getTypeAllocSize(type).getFixedValue(), layout_.getABITypeAlign(type).value()});
  }
  for (llvm::Instruction& i : llvm::instructions(kernel_)) {
    made_.prints |= is_call_of(i, "heddle_print");
    made_.fails |= is_call_of(i, fail_name);
  }
  made_.asks = kernel_.hasFnAttribute(asks_attribute);
}

void Lowering::describe_checked() {
  made_.places.emplace_back(0, -1);
  for (const Cut& c : crossing_.cuts) made_.places.push_back(places_of(*c.call));
  for (auto& [variable, offset] : shared_.offsets) {
    made_.shared_variables.push_back(
        {offset, layout_.getTypeAllocSize(variable->getValueType()).getFixedValue(),
         source_name(*variable)});
  }
  for (llvm::GlobalVariable* variable : shared_.dynamic)
    made_.shared_variables.push_back({0, 0, source_name(*variable)});
  for (llvm::Argument& a : kernel_.args())
    made_.parameter_names.push_back(a.hasName() ? a.getName().str() : "an_argument");
}

void Lowering::own_parameters() {
  for (llvm::Argument& a : kernel_.args()) {
    if (!a.hasByValAttr() || a.onlyReadsMemory() || only_read(&a)) continue;
    llvm::IRBuilder<> build(&*kernel_.getEntryBlock().getFirstInsertionPt());
    llvm::Type* type = a.getParamByValType();
    llvm::AllocaInst* copy = build.CreateAlloca(type);
    const llvm::Align align =
        std::max(a.getParamAlign().valueOrOne(), layout_.getABITypeAlign(type));
    copy->setAlignment(align);
    a.replaceAllUsesWith(copy);
    build.CreateMemCpy(copy, align, &a, layout_.getABITypeAlign(type),
                       layout_.getTypeAllocSize(type).getFixedValue());
  }
}

bool Lowering::only_read(const Value* pointer) {
  for (const llvm::User* user : pointer->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    if (llvm::isa<llvm::GetElementPtrInst>(user) && only_read(user)) continue;
    if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
        copy && copy->getRawDest() != pointer)
      continue;
    return false;
  }
  return true;
}

void Lowering::replace_shared() {
  llvm::FunctionCallee base = address_function(shared_name);
  llvm::FunctionCallee dynamic_base = address_function(dynamic_name);
  const auto replace = [&](llvm::GlobalVariable* variable, llvm::FunctionCallee from,
                           std::uint64_t offset) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : variable->uses()) {
      auto* i = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (i && i->getFunction() == &kernel_) uses.push_back(&use);
    }
    for (llvm::Use* use : uses) {
      auto* i = llvm::cast<llvm::Instruction>(use->getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(i);
      llvm::IRBuilder<> build(phi ? phi->getIncomingBlock(*use)->getTerminator() : i);
      Value* at = build.CreateCall(from);
      use->set(offset ? build.CreateConstInBoundsGEP1_64(i8_, at, offset) : at);
    }
  };
  for (auto& [variable, offset] : shared_.offsets) replace(variable, base, offset);
  for (llvm::GlobalVariable* variable : shared_.dynamic) replace(variable, dynamic_base, 0);
  llvm::FunctionCallee variables = address_function(variables_name);
  for (auto& [variable, offset] : parts_.places) replace(variable, variables, offset);
}

void Lowering::relax_shared() {
  std::vector<llvm::Instruction*> atomics;
  for (llvm::Instruction& i : llvm::instructions(kernel_)) {
    const Value* at = nullptr;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) at = update->getPointerOperand();
    if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
      at = exchange->getPointerOperand();
    if (!at) continue;
    const Value* object = llvm::getUnderlyingObject(at, 0);
    if (is_call_of(*object, shared_name) || is_call_of(*object, dynamic_name))
      atomics.push_back(&i);
  }
  for (llvm::Instruction* i : atomics)
    i->setMetadata(relaxed_metadata, llvm::MDNode::get(context_, {}));
}

llvm::FunctionCallee Lowering::address_function(const char* name) {
  llvm::FunctionCallee made = module_.getOrInsertFunction(name, ptr_);
  auto* function = llvm::cast<llvm::Function>(made.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return made;
}

KernelDescription lower_kernel(llvm::Function& kernel, const Parts& parts, int number,
                               Purpose purpose, std::uint64_t granule,
                               llvm::TargetMachine& machine) {
  return Lowering(kernel, parts, number, purpose, granule, machine).run();
}

}  // namespace heddle::clang_plugin
