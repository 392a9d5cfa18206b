// A module as Clang makes it for a GPU becomes one for this machine, with functions that run the
// threads of a block (backend/cpu/block_frame.h).
#pragma once

#include <map>
#include <set>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "description.h"
#include "frontend.h"

namespace heddle::clang_plugin {

// What is to be known of a module's functions and variables.
struct Parts {
  std::vector<llvm::Function*> kernels;
  std::set<llvm::GlobalVariable*> shared;                 // of a block; without a size: dynamic
  std::vector<llvm::GlobalVariable*> variables;           // of the module, that can be written
  std::map<llvm::GlobalVariable*, std::uint64_t> places;  // of those, in the module's memory
  std::uint64_t variable_bytes = 0;
};

// The code is one of this machine from then on; memory has one kind.
Parts adopt(llvm::Module& module, const llvm::TargetMachine& machine, const Source& source);

// What code is for.
enum class Purpose {
  speed,
  check,  // what a line of the source does to memory stays its own
  debug,  // variables are in memory, too
};

// All that kernels call is put into them, and for speed loops with few passes are written out, so
// that little is left to keep while threads wait.
void simplify(llvm::Module& module, const Parts& parts, llvm::TargetMachine& machine,
              Purpose purpose);

// Loops that nobody knows the end of ask whether they are to stop.
void ask_in_loops(llvm::Function& kernel);

// `granule`: of a kernel that is checked (watching.h).
KernelDescription lower_kernel(llvm::Function& kernel, const Parts& parts, int number,
                               Purpose purpose, std::uint64_t granule,
                               llvm::TargetMachine& machine);

// What the module's variables begin as, in one piece; the variables themselves go.
void write_variables(llvm::Module& module, const Parts& parts);

void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace heddle::clang_plugin
