// One kernel while it becomes the functions that run the threads of a block: what is the same for
// all of the lowering's files.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "crossing.h"
#include "known.h"
#include "lowering.h"

namespace heddle::clang_plugin {

using cpu::BlockFrame;
using llvm::Value;

// Where shared variables lie in a block's memory; of each kernel its own.
struct SharedLayout {
  std::map<llvm::GlobalVariable*, std::uint64_t> offsets;  // static ones
  std::set<llvm::GlobalVariable*> dynamic;
  std::uint64_t bytes = 0;
};

// What code of one thread is given, in the order of parameters of a region's function.
enum Given : unsigned {
  x,
  y,
  z,
  thread,  // numbers of 32 bits; `thread` of 64
  block_x,
  block_y,
  block_z,
  block_size_x,
  block_size_y,
  block_size_z,
  grid_size_x,
  grid_size_y,
  grid_size_z,
  dynamic_bytes,
  frame,
  shared,
  dynamic,
  variables,
  rows,
  stride,
  masks,
  sources,
  given,
  taken,
  given_wide,
  taken_wide,
  uniform_in,
  uniform_out,
  count,
};

// Of accesses that threads make one after the other.
inline constexpr const char* in_order_metadata = "heddle.in_order";

class Lowering {
 public:
  Lowering(llvm::Function& kernel, const Parts& parts, int number, Purpose purpose,
           std::uint64_t granule, llvm::TargetMachine& machine);

  KernelDescription run();

 private:
  // --- what all threads do first ---

  void describe();
  void describe_checked();
  // A struct is the thread's own, which may write to it; most only read.
  void own_parameters();
  static bool only_read(const Value* pointer);
  // Shared variables become places in the block's memory; `__heddle_shared` stands for its address.
  void replace_shared();
  // One core runs a block: what is atomic among its threads needs no atomics.
  void relax_shared();
  llvm::FunctionCallee address_function(const char* name);

  // --- regions: what one thread does from a state to the next (regions.cpp) ---

  llvm::FunctionType* region_type();
  llvm::Function* region(std::size_t state);
  Value* place(llvm::IRBuilder<>& build, llvm::Function& f, const Kept& kept, bool out);
  Value* row(llvm::IRBuilder<>& build, llvm::Function& f, std::uint64_t offset, std::uint64_t size);
  void begin(llvm::Function& f, std::size_t state, llvm::ValueToValueMapTy& map);
  void end(llvm::Function& f, llvm::ValueToValueMapTy& map);
  // Before a thread waits it puts away what is wanted later.
  void keep(llvm::Function& f, llvm::ValueToValueMapTy& map);
  // What a thread brings to a site.
  void bring(llvm::IRBuilder<>& build, llvm::Function& f, Site kind, llvm::CallInst& call);
  void promote(llvm::Function& f);

  // --- what a debugger shows (debugging.cpp) ---

  // A variable of the source is where an address says, now that it is no variable of the function.
  void show_at(llvm::Function& f, llvm::AllocaInst& variable, Value* address);
  // Variables of the source are shown wherever the region begins.
  void show_variables(llvm::Function& f);
  // `threadIdx` and its kin.
  void show_places(llvm::Function& f);

  // --- calls that the headers stand on (known_calls.cpp) ---

  void replace_known(llvm::Function& f);
  // The answer to whether to stop; the question is put once in a while.
  Value* ask(llvm::Function& f, llvm::CallInst& call);
  // Whether it is time to ask.
  Value* count_question(llvm::IRBuilder<>& build, Value* frame);
  void fail(llvm::IRBuilder<>& build, llvm::Function& f, llvm::CallInst& call);
  // Those of kernels that are checked; null for others.
  Value* checked(llvm::IRBuilder<>& build, llvm::Function& f, llvm::CallInst& call);
  Value* place_value(llvm::IRBuilder<>& build, llvm::Function& f, Place place);

  // --- all threads of a group (runners.cpp) ---

  Value* field(llvm::IRBuilder<>& build, Value* frame, llvm::Type* type, std::size_t offset);
  // Memory of the function itself, which no store of a kernel's can reach: it becomes registers.
  llvm::AllocaInst* copy_of(llvm::IRBuilder<>& build, llvm::Function& f, Value* from,
                            llvm::Type* type, llvm::Align align);
  // What is the same for all threads.
  std::vector<Value*> load_frame(llvm::IRBuilder<>& build, llvm::Function& f);
  // The one state that follows, where there is only one.
  static const llvm::ConstantInt* single_result(const llvm::Function& f);
  void emit_all();
  // What the function that runs all threads is made with.
  struct All {
    llvm::Function* function;
    std::vector<Value*> values;             // what is given
    Value *first, *end, *x, *y, *z;         // of the first thread
    llvm::AllocaInst* uniform = nullptr;    // what is uniform now
    std::vector<llvm::BasicBlock*> states;  // where each begins
  };
  // `state`: what the region begins with. Branches that all threads take together, and that decide
  // where they wait next, are taken before any thread runs: `deep` of them.
  void emit_state(const All& all, std::size_t state, llvm::BasicBlock* block,
                  llvm::Function& region, int deep);
  // Threads of a row of the block follow each other along x; a group is some rows, or parts of
  // them.
  void emit_rows(const All& all, std::size_t state, llvm::BasicBlock* block,
                 llvm::Function& region);
  // All threads are in the state `next` now. Where nobody else is waited for they go on.
  void emit_next(const All& all, std::size_t state, llvm::BasicBlock* block, Value* next,
                 const llvm::ConstantInt* single);
  bool goes_on(std::size_t state) const;
  void emit_leave(const All& all, llvm::IRBuilder<>& build, Value* state);
  // A condition that all threads know before any of them runs.
  Value* find_choice(llvm::Function& region);
  llvm::Function* variant(llvm::Function& region, Value* condition, bool answer);
  // Threads of a row before `bound` take one way at a branch and the others the other: two
  // functions without it. Trees of reductions halve who has something to do.
  struct Part {
    Value* bound;  // in the region
    bool is_signed;
    llvm::Function *yes, *no;
  };
  std::optional<Part> find_part(llvm::Function& region);
  // A value of a region where its threads have not begun.
  Value* at_row(llvm::IRBuilder<>& build, Value& value, const std::vector<Value*>& values);
  struct Span {
    Value *first, *end;
  };
  // After some threads: where, and what their states have in common.
  struct Passed {
    llvm::BasicBlock* block;
    Value *all_or, *all_and;
  };
  // Threads of a row, that begins with number `at` and at `x0`; vectors of them first.
  struct Row {
    Value *at, *x0;
    std::vector<Value*> values;
    bool stores;  // what state each is in then
  };
  Passed emit_threads(llvm::Function& f, llvm::Function& region, Span span, const Row& row,
                      Passed before);
  Passed emit_loop(llvm::Function& f, llvm::Function& called, Span span, unsigned many,
                   const Row& row, Passed before);
  // Threads between two sites do not depend on each other: loops over them may be vectors.
  void mark_parallel(llvm::Function& f);
  void emit_one();

  llvm::ConstantInt* number(int value) {
    return llvm::ConstantInt::getSigned(llvm::cast<llvm::IntegerType>(i32_), value);
  }

  llvm::Function& kernel_;
  const Parts& parts_;
  llvm::TargetMachine& machine_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  bool debug_, quick_;
  SharedLayout shared_;
  KernelDescription made_;
  Crossing crossing_;
  std::vector<llvm::Function*> regions_;
  std::vector<llvm::BranchInst*> latches_;
  llvm::DenseSet<llvm::BranchInst*> rests_;  // of those, where lanes have done most
  std::vector<llvm::CallInst*> calls_;       // of regions, that become part of the loops
  llvm::Type *i8_, *i32_, *i64_, *ptr_;
};

}  // namespace heddle::clang_plugin
