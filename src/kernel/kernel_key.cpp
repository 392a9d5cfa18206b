#include "kernel/kernel_key.h"

#include <heddle_kernel_mark.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SHA256.h>

#include <heddle/version.h>

namespace heddle::kernel {

CacheKey kernel_key(const Kernel& kernel, const Target& target, std::string_view variant) {
  std::string text = serialize(kernel);
  for (std::string_view part : {std::string_view(target.cpu), std::string_view(target.features),
                                std::string_view(LLVM_VERSION_STRING), std::string_view(version()),
                                std::string_view(HEDDLE_KERNEL_MARK), variant}) {
    text += '\0';
    text += part;
  }
  text += target.vector_math ? '\1' : '\0';
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(text));
  return hash.final();
}

}  // namespace heddle::kernel
