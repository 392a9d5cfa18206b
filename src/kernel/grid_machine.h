// What the threads of a grid are to one another: positions, barriers, shuffles, shared memory,
// tickets. Instructions of NVPTX here; another vendor's grid would be another such class.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace heddle::kernel {

inline constexpr int warp_threads = 32;

class GridMachine {
 public:
  GridMachine(llvm::IRBuilder<>& builder, llvm::Module& module) : b(builder), module_(module) {}

  // Marks a function as the start of a kernel of at most this many threads per block, with
  // registers for at least `blocks` on a multiprocessor. `bytes`: the size of the arguments that
  // its one parameter points to, passed by value; 0: in memory.
  void make_kernel(llvm::Function& function, int threads, int blocks, int bytes);

  // Positions and sizes, i32.
  llvm::Value* thread_x();
  llvm::Value* thread_y();
  llvm::Value* block_x();
  llvm::Value* block_y();
  llvm::Value* block_z();
  llvm::Value* threads_x();
  llvm::Value* threads_y();
  llvm::Value* blocks_x();
  llvm::Value* blocks_y();
  llvm::Value* blocks_z();

  // The product of two numbers of 32 bits, with a sign, in 64.
  llvm::Value* multiply(llvm::Value* x, llvm::Value* y);

  // All threads of the block arrive before one leaves; writes are seen by all of them.
  void barrier();
  // Writes before it are seen by the whole device before writes after it.
  void fence();
  // The value of the thread of the warp whose number differs in these bits.
  llvm::Value* shuffle(llvm::Value* value, int bits);
  // The value of the thread `distance` before in the warp; its own for the first ones.
  llvm::Value* shuffle_up(llvm::Value* value, int distance);
  // The value of a thread of the warp.
  llvm::Value* broadcast(llvm::Value* value, int thread);
  // Adds 1 to a counter in memory, for the whole device; the value before.
  llvm::Value* take_ticket(llvm::Value* counter);
  // A value that other blocks are waiting for, and a look at whether it is there: whole, in no
  // order with other memory.
  void publish(llvm::Value* place, llvm::Value* value);
  llvm::Value* look(llvm::Type* type, llvm::Value* place);
  // Whether it holds for all threads of the warp.
  llvm::Value* all_of_warp(llvm::Value* condition);
  // Adds to what is there.
  void add_to(llvm::Value* place, llvm::Value* value);
  // Leaves the higher of the two, unsigned.
  void raise(llvm::Value* place, llvm::Value* value);
  // Writes `wanted` if `expected` is there; what was there, and whether it was that.
  std::pair<llvm::Value*, llvm::Value*> exchange(llvm::Value* place, llvm::Value* expected,
                                                 llvm::Value* wanted);
  // Memory of the block, one array for every call.
  llvm::Value* shared(llvm::Type* element, int count);
  // A pointer known to be in the device's memory.
  llvm::Value* device_pointer(llvm::Value* word);

 private:
  llvm::Value* sreg(llvm::Intrinsic::ID id);
  llvm::Value* shuffle_by(llvm::Intrinsic::ID how, llvm::Value* value, int operand, int clamp);

  llvm::IRBuilder<>& b;
  llvm::Module& module_;
};

}  // namespace heddle::kernel
