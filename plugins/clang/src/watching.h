// Kernels that are checked: they tell each access to memory that threads share, with the bounds of
// what is accessed and the line of the source (backend/cpu/source_checks.h of Heddle).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>

#include "frontend.h"
#include "lowering.h"

namespace heddle::clang_plugin {

// Lines of the source, by number.
class Places {
 public:
  // Of the innermost line that is the user's.
  int number(const llvm::DebugLoc& location);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, int> numbers_;
  std::vector<std::string> texts_;
};

// Before functions are put into kernels: threads that come to a `return` say so, as barriers do not
// wait for them.
void mark_returns(llvm::Module& module, const Source& source);

// Changes the kernel. What is known of sites becomes metadata of their calls. Gives the largest
// number of bytes that all accesses begin and end at multiples of.
std::uint64_t watch(llvm::Function& kernel, const Parts& parts, Places& places);

// The numbers of the place of a site, and of where threads part on their way to it, or -1.
std::pair<int, int> places_of(const llvm::Instruction& site);

}  // namespace heddle::clang_plugin
