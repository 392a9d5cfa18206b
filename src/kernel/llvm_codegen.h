// What all targets share of LLVM's code generator: machines, passes, output.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include "kernel/target.h"

namespace heddle::kernel {

// LLVM knows no exceptions. Where memory ends in the middle of its work std::bad_alloc is thrown
// through it, and leaves what it was working on in no state to be destroyed. This throws where
// memory will not last for what is usual, before anything has begun.
void expect_memory();

// What LLVM works on: it is destroyed with its holder, unless an exception ends that.
template <class T>
class Unfinished {
 public:
  template <class... Arguments>
  explicit Unfinished(Arguments&&... arguments)
      : value_(new T(std::forward<Arguments>(arguments)...)) {}
  ~Unfinished() {
    if (std::uncaught_exceptions() == exceptions_) delete value_;
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
  int exceptions_ = std::uncaught_exceptions();
};

// A module, in a context of its own.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

// This thread's, until an exception went through it. Throws std::runtime_error for a target that
// LLVM was built without.
llvm::TargetMachine& target_machine(const Target& target);
// This thread's machines are not used any more.
void abandon_machines();

// f(), which compiles something. Throws std::bad_alloc where there is no memory for it.
template <class F>
auto compiling(F f) {
  expect_memory();
  try {
    return f();
  } catch (const std::bad_alloc&) {
    abandon_machines();
    throw;
  }
}

void run_passes(llvm::ModulePassManager passes, llvm::Module& module, llvm::TargetMachine& machine);

// Whether addresses that loops compute are made of fewer registers and products, which takes time
// that grows faster than the code does.
enum class Addresses { reduced, as_they_are };

// Object or assembly, as bytes.
std::string generate_code(llvm::Module& module, llvm::TargetMachine& machine,
                          llvm::CodeGenFileType kind, Addresses addresses = Addresses::reduced);

// Throws std::runtime_error with LLVM's reason when the module breaks a rule of the IR.
void verify_module(const llvm::Module& module);

std::string text_of(const llvm::Module& module);

}  // namespace heddle::kernel
