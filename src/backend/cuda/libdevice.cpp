#include "backend/cuda/libdevice.h"

#include <memory>
#include <stdexcept>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "backend/cuda/search.h"

namespace heddle::cuda {
namespace {

// Read once, mapped, for the life of the process.
const llvm::MemoryBuffer& library() {
  static const llvm::MemoryBuffer* buffer = [] {
    const std::string path = find_libdevice();
    auto file = path.empty() ? std::error_code(ENOENT, std::generic_category())
                             : llvm::MemoryBuffer::getFile(path);
    if (!file)
      throw std::runtime_error(
          "kernel compiler: libdevice.10.bc was not found; it comes with the CUDA toolkit "
          "(set CUDA_PATH) and with pip install heddle[cuda]");
    return file->release();
  }();
  return *buffer;
}

bool calls_library(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && function.getName().starts_with("__nv_")) return true;
  }
  return false;
}

// The library asks how it is compiled through calls of __nvvm_reflect("name").
void answer_questions(llvm::Module& module, int capability) {
  llvm::Function* question = module.getFunction("__nvvm_reflect");
  if (!question) return;
  for (llvm::User* user : llvm::make_early_inc_range(question->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    const auto* name =
        llvm::cast<llvm::GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    const auto text = llvm::cast<llvm::ConstantDataArray>(name->getInitializer())->getAsCString();
    const int answer = text == "__CUDA_ARCH" ? capability * 10 : 0;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
}

}  // namespace

void link_libdevice(llvm::Module& module, int capability) {
  if (!calls_library(module)) return;
  auto parsed = llvm::getLazyBitcodeModule(library().getMemBufferRef(), module.getContext());
  if (!parsed)
    throw std::runtime_error("kernel compiler: libdevice: " + llvm::toString(parsed.takeError()));
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  auto hide = [](llvm::Module& linked, const llvm::StringSet<>& names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue& value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded, hide))
    throw std::runtime_error("kernel compiler: libdevice does not link");
  answer_questions(module, capability);
}

}  // namespace heddle::cuda
