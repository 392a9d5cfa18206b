// What the threads of a grid are to one another: positions, barriers, shuffles, shared memory,
// tickets. How that is said in LLVM IR differs from one kind of grid to another: a backend has the
// instructions of its own (GridDialect), and gives them with its Target.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace heddle::kernel {

inline constexpr int warp_threads = 32;

class GridMachine {
 public:
  GridMachine(llvm::IRBuilder<>& builder, llvm::Module& module) : b(builder), module_(module) {}
  virtual ~GridMachine() = default;
  GridMachine(const GridMachine&) = delete;
  GridMachine& operator=(const GridMachine&) = delete;

  // Marks a function as the start of a kernel of at most this many threads per block, with
  // registers for at least `blocks` on a multiprocessor. `bytes`: the size of the arguments that
  // its one parameter points to, passed by value; 0: in memory.
  virtual void make_kernel(llvm::Function& function, int threads, int blocks, int bytes) = 0;
  // Of a thread of the kernel, at most.
  virtual void limit_registers(llvm::Function& function, int registers) = 0;

  // Positions and sizes, i32.
  virtual llvm::Value* thread_x() = 0;
  virtual llvm::Value* thread_y() = 0;
  virtual llvm::Value* thread_z() = 0;
  virtual llvm::Value* block_x() = 0;
  virtual llvm::Value* block_y() = 0;
  virtual llvm::Value* block_z() = 0;
  virtual llvm::Value* threads_x() = 0;
  virtual llvm::Value* threads_y() = 0;
  virtual llvm::Value* threads_z() = 0;
  virtual llvm::Value* blocks_x() = 0;
  virtual llvm::Value* blocks_y() = 0;
  virtual llvm::Value* blocks_z() = 0;

  virtual llvm::Value* lane() = 0;   // in its warp
  virtual llvm::Value* clock() = 0;  // i64

  // The product of two numbers of 32 bits, with a sign, in 64.
  virtual llvm::Value* multiply(llvm::Value* x, llvm::Value* y) = 0;

  // The bits of a floating-point number, as an integer that may be stored in pieces.
  virtual llvm::Value* bits_of(llvm::Value* number) = 0;

  // All threads of the block arrive before one leaves; writes are seen by all of them.
  virtual void barrier() = 0;
  // The same, and for how many threads a condition holds (i32), or whether for all, or for any.
  virtual llvm::Value* barrier_count(llvm::Value* condition) = 0;
  virtual llvm::Value* barrier_all(llvm::Value* condition) = 0;
  virtual llvm::Value* barrier_any(llvm::Value* condition) = 0;
  // The threads of a warp with these bits (i32).
  virtual void warp_barrier(llvm::Value* members) = 0;
  // Writes before it are seen by the whole device before writes after it.
  virtual void fence() = 0;
  // By the block.
  virtual void block_fence() = 0;
  // The value of the thread of the warp whose number differs in these bits.
  virtual llvm::Value* shuffle(llvm::Value* value, int bits) = 0;
  // The value of the thread `distance` before in the warp; its own for the first ones.
  virtual llvm::Value* shuffle_up(llvm::Value* value, int distance) = 0;
  // The value of a thread of the warp.
  virtual llvm::Value* broadcast(llvm::Value* value, int thread) = 0;
  // Among the threads of a warp with bits in `members` (i32): the value of the thread that is
  // `operand` before, after, away in bits, or that number, within groups of `width` (i32 all).
  enum class Move { number, up, down, bits };
  virtual llvm::Value* shuffle(Move how, llvm::Value* members, llvm::Value* value,
                               llvm::Value* operand, llvm::Value* width) = 0;
  enum class Vote { all, any, equal };
  virtual llvm::Value* vote(Vote how, llvm::Value* members, llvm::Value* condition) = 0;
  // The bits of the threads for which a condition holds; of those with the same value (i32 or i64);
  // the same if it is the same for all, else 0; of those that run together.
  virtual llvm::Value* ballot(llvm::Value* members, llvm::Value* condition) = 0;
  virtual llvm::Value* match_any(llvm::Value* members, llvm::Value* value) = 0;
  virtual llvm::Value* match_all(llvm::Value* members, llvm::Value* value) = 0;
  virtual llvm::Value* active() = 0;
  // Adds 1 to a counter in memory, for the whole device; the value before.
  llvm::Value* take_ticket(llvm::Value* counter);
  // A value that other blocks are waiting for, and a look at whether it is there: whole, in no
  // order with other memory.
  void publish(llvm::Value* place, llvm::Value* value);
  llvm::Value* look(llvm::Type* type, llvm::Value* place);
  // Whether it holds for all threads of the warp.
  virtual llvm::Value* all_of_warp(llvm::Value* condition) = 0;
  // Adds to what is there.
  void add_to(llvm::Value* place, llvm::Value* value);
  // Leaves the higher of the two, unsigned.
  void raise(llvm::Value* place, llvm::Value* value);
  // Writes `wanted` if `expected` is there; what was there, and whether it was that.
  std::pair<llvm::Value*, llvm::Value*> exchange(llvm::Value* place, llvm::Value* expected,
                                                 llvm::Value* wanted);
  // Memory of the block, one array for every call.
  llvm::Value* shared(llvm::Type* element, int count);
  // Memory of the block whose size the launch says.
  llvm::Value* dynamic_shared();
  // A pointer known to be in the device's memory.
  llvm::Value* device_pointer(llvm::Value* word);

  // Of memory that all blocks of the device see.
  llvm::SyncScope::ID scope() const {
    return b.getContext().getOrInsertSyncScopeID(device_scope());
  }

 protected:
  // What LLVM calls that.
  virtual const char* device_scope() const = 0;

  llvm::IRBuilder<>& b;

 private:
  llvm::Module& module_;
};

// The instructions of a kind of grid.
class GridDialect {
 public:
  virtual ~GridDialect() = default;
  virtual std::unique_ptr<GridMachine> machine(llvm::IRBuilder<>& builder,
                                               llvm::Module& module) const = 0;
  // What the device's math library, which is linked in later, calls a function of C's ("sin").
  virtual std::string math(std::string_view name, bool single) const = 0;
  // Estimates of 1 / x and 1 / sqrt(x) of one float, good to 2^-22 or so.
  virtual llvm::Value* reciprocal(llvm::IRBuilder<>& b, llvm::Value* x) const = 0;
  virtual llvm::Value* inverse_root(llvm::IRBuilder<>& b, llvm::Value* x) const = 0;
};

}  // namespace heddle::kernel
