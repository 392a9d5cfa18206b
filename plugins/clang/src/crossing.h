// What threads keep while they wait. A kernel is cut at its sites; values that are made before one
// and used after it are made again there where that is cheap, else they are put into memory: in a
// row with a place for each thread, or in one place where they are the same for all.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "known.h"

namespace heddle::clang_plugin {

// Where threads wait.
struct Cut {
  Site kind;
  llvm::CallInst* call;       // first in its block
  llvm::BasicBlock* resumed;  // where threads go on
};

// A value that is kept, in a variable of the function now.
struct Kept {
  llvm::AllocaInst* variable;
  bool uniform;
  std::uint64_t offset = 0;                    // of its row, for one thread; or of its place
  std::vector<const llvm::BasicBlock*> alive;  // where it is wanted at the beginning
};

// An array, or what else has an address, that is kept: it lies in a row itself.
struct KeptMemory {
  llvm::AllocaInst* variable;
  std::uint64_t offset = 0, size = 0;
};

struct Crossing {
  std::vector<Cut> cuts;
  std::vector<Kept> values;
  std::vector<KeptMemory> memory;
  std::uint64_t row_bytes = 0, uniform_bytes = 0;
};

// Changes the function: sites begin blocks, and no register is used on both sides of one.
Crossing cut(llvm::Function& kernel);

}  // namespace heddle::clang_plugin
