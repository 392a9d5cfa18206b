// Code that is linked into kernels on demand: functions of src/special, which the build compiles to
// LLVM bitcode for no machine in particular. A kernel calls heddle_special_<name>_<d or D>; before
// it is optimised those functions, and what they call, become part of its module.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include "kernel/target.h"
#include <heddle/op_table.h>

namespace heddle::kernel {

// What the function of a row is called, for real or complex numbers.
std::string linked_name(Op op, bool complex);

// Links what the module calls: equal calls become one, and short functions part of those that call
// them. Throws std::runtime_error where a function needs something that the target does not have.
void link_code(llvm::Module& module, const Target& target);

}  // namespace heddle::kernel
