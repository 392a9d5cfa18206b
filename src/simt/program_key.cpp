#include "simt/program_key.h"

#include <string>

#include <heddle_kernel_mark.h>
#include <heddle_program_mark.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SHA256.h>

#include <heddle/version.h>

namespace heddle::simt {

CacheKey program_key(const Program& program, const kernel::Target& target,
                     std::string_view variant) {
  std::string text = "program";
  for (std::string_view part :
       {std::string_view(program.words), std::string_view(target.cpu),
        std::string_view(target.features), std::string_view(LLVM_VERSION_STRING),
        std::string_view(version()), std::string_view(HEDDLE_KERNEL_MARK),
        std::string_view(HEDDLE_PROGRAM_MARK), variant}) {
    text += '\0';
    text += part;
  }
  text += target.vector_math ? '\1' : '\0';
  return text_key(text);
}

CacheKey text_key(std::string_view text) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(text));
  return hash.final();
}

}  // namespace heddle::simt
