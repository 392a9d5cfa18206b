// Programs to LLVM IR. One class for all targets: on a CPU lanes are threads of a block, and what
// differs between them is a vector; on a grid a thread has one lane, and everything is uniform.
//
//   emitter.cpp       entry points, arguments, locals, chunks
//   emit_walk.cpp     how a block is walked
//   emit_flow.cpp     statements that run chunk by chunk
//   emit_values.cpp   expressions
//   emit_memory.cpp   loads, stores, reports
//   emit_atomics.cpp  updates of elements
//   emit_warp.cpp     what lanes tell one another
//   emit_watch.cpp    what programs that look for races tell of themselves
//   emit_lines.cpp    source lines, for tools that look at code
//   emit_host.cpp     host programs: functions, arrays that are allocated, failures
//   emit_range.cpp    their loops, also on all cores
//   emit_calls.cpp    functions of kernels that call themselves
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "kernel/grid_machine.h"
#include "kernel/scalar_ops.h"
#include "kernel/target.h"
#include "simt/program.h"
#include "simt/uniformity.h"

namespace heddle::simt {

// What the code of a CPU is called with: words of simt::Arguments, a range of blocks, and memory
// for a block: shared memory, then a row for each chunk.
using RunFunction = void (*)(const std::uint64_t* words, std::int64_t first, std::int64_t count,
                             char* scratch);

// What a thread of a grid has to have for functions that call themselves, in bytes.
inline constexpr std::int64_t stack_of_grid = 16 << 10;

// The code of a host program: its arguments, two words for each of its results, and the address
// that its stack must not go below.
using HostFunction = void (*)(const std::uint64_t* words, std::uint64_t* results,
                              std::int64_t limit);

// A program compiled for chunks. `row_bytes`: of each chunk, set by emitting it.
struct Emitted {
  std::unique_ptr<llvm::Module> module;
  std::int64_t row_bytes = 0;
};
// `threads`: on a grid, the most that a block may have.
Emitted emit_program(const Program& program, const Chunks& chunks, const kernel::Target& target,
                     llvm::LLVMContext& context, const std::string& entry, int threads = 1024);

class Emitter {
 public:
  Emitter(const Program& program, const Chunks& chunks, const kernel::Target& target,
          llvm::Module& module);
  void emit(const std::string& entry, int threads);
  std::int64_t row_bytes() const { return row_bytes_; }

 private:
  // A value in registers. Affine: `at` has the first lane's.
  struct Val {
    kernel::Value at;
    Spread spread;
  };
  // Lanes that are on; null: all of them.
  using Mask = llvm::Value*;

  // A loop or a scope that is being emitted.
  struct Frame {
    int stmt = -1;
    bool loop = false;
    bool varying = false;  // lanes leave it one by one
    bool walked = false;
    llvm::BasicBlock* end = nullptr;   // uniform: where who leaves goes on
    llvm::BasicBlock* next = nullptr;  // uniform loop: its step
    llvm::Value* out = nullptr;        // varying: stack slot of the lanes that have left
    llvm::Value* skip = nullptr;       // varying loop: of those that wait for the next turn
    int out_row = -1, skip_row = -1;   // walked and varying
  };

  struct LocalPlace {
    llvm::Value* re = nullptr;
    llvm::Value* im = nullptr;
    Spread spread;
    std::int64_t row = -1;  // where it crosses
  };

  // --- emitter.cpp
  void clear(const LocalPlace& place, Dtype dtype);
  llvm::Value* word(int i);         // of the arguments
  llvm::Value* extent_word(int i);  // of an array
  void read_geometry();
  void read_arguments();
  void read_parameters();
  void place_shared();
  void set_target();
  void make_locals();
  void emit_blocks();
  void emit_thread();
  void begin_locals(bool crossing);
  // Of the block that is being run; of all blocks, one after the other, where they run together.
  void for_chunks(const std::function<void()>& body);
  void for_chunks_of_block(const std::function<void()>& body);
  void for_blocks(const std::function<void()>& body);
  void set_block(llvm::Value* number);
  void begin_chunk(const std::function<llvm::Value*()>& number);
  void emit_segment(const std::vector<int>& list, std::size_t from, std::size_t to);
  void in_segment(const std::vector<bool>& locals, const std::function<void()>& body);
  bool walk(const std::vector<int>& list);
  bool walk(int stmt);
  void walk_branch(int stmt);
  void walk_loop(int stmt);
  void walk_scope(int stmt);
  void walk_barrier(int stmt);
  void count_at_barrier(int stmt);
  bool walk_exit(Frame& frame, bool next);
  int new_row_mask();
  void refresh_row_mask(int from, const std::vector<int>& frames);
  llvm::Value* any_thread(int row);
  void touched(const std::vector<int>& list, std::vector<bool>& locals) const;
  void touched_expr(int expr, std::vector<bool>& locals) const;
  void touched_array(int array, std::vector<bool>& locals) const;
  llvm::Value* row_place(std::int64_t offset);
  std::int64_t add_row(std::int64_t bytes);
  llvm::Value* load_row_mask(int row);
  void store_row_mask(int row, llvm::Value* mask);

  // --- emit_flow.cpp
  bool emit_list(const std::vector<int>& list, std::size_t from = 0);
  bool emit_stmt(int stmt);  // whether what follows is reached
  void emit_assign(int stmt);
  bool emit_branch(int stmt);
  void emit_varying_branch(int stmt, llvm::Value* condition);
  void emit_loop(int stmt);
  static void assume_no_wrap(llvm::BasicBlock& step);
  void emit_varying_loop(int stmt);
  void emit_scope(int stmt);
  void leave(Frame& frame);
  void next_turn(Frame& frame);
  Frame& frame_of(const Stmt& leave);
  void emit_print(const Stmt& s);
  // Frames, with lanes of their own, that statements may leave: to be taken off the mask.
  std::vector<std::size_t> left_by(const std::vector<int>& list);
  void left_by(const std::vector<int>& list, int loops, int scopes, std::vector<bool>& frames);
  // By either side of a branch.
  std::vector<std::size_t> left_by_sides(const Stmt& branch);
  Mask without_left(Mask mask, const std::vector<std::size_t>& frames);
  // body() where some lanes of a mask are on; a second time, without a mask, where all may be.
  void emit_where(Mask on, Mask before, std::size_t size, const std::function<void()>& body);
  std::size_t size_of_code(const std::vector<int>& list, std::size_t from = 0) const;
  llvm::Value* any(Mask mask);
  llvm::Value* all(llvm::Value* mask);
  llvm::Value* mask_or_all(Mask mask);
  Mask both(Mask a, Mask b);
  llvm::Value* bits_of(llvm::Value* mask);  // an integer, a bit for each lane
  llvm::BasicBlock* block(const char* name);
  bool go_on(llvm::BasicBlock* to);
  llvm::Value* slot(llvm::Type* type, const char* name);

  // --- emit_values.cpp
  Val emit(int expr);
  llvm::Value* emit_uniform(int expr);  // the only register of what is known to be uniform
  llvm::Value* emit_condition(int expr, bool& uniform);
  Val emit_op(const Expr& e);
  Val emit_geometry(const Expr& e);
  Val emit_bits(const Expr& e);
  Val read_local(int local);
  void write_local(int local, const Val& value, Mask blend);
  Val constant(const Expr& e);
  kernel::Value widened(const Val& value, Dtype dtype);  // a register for each lane
  int lanes_of(const Val& value) const { return is_uniform(value.spread) ? 1 : lanes_; }
  kernel::Value lane_of(const kernel::Value& value, llvm::Value* lane);
  static Val uniform(llvm::Value* value) { return {{value, nullptr}, {Level::block, 0}}; }
  llvm::Value* iota(llvm::Type* scalar);
  llvm::Value* i64(std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); }

  // --- emit_memory.cpp
  struct Place {  // an element for each lane
    llvm::Value* base = nullptr;
    Val offset;                 // in elements
    llvm::Value* ok = nullptr;  // i1 for all, or for each lane where `lanewise`; null: certain
    bool lanewise = false;
  };
  // Whether an access is to the element that the statement being emitted writes.
  bool is_updated(const Expr& load) const;
  struct Access {
    int array;
    std::vector<Val> indices;
    int line;
    const void* site;  // the expression or statement
  };
  Val load(const Expr& e);
  void store(const Stmt& s);
  Val emit_atomic(const Expr& e);
  Access access_of(int array, const std::vector<int>& exprs, std::size_t from, int line,
                   const void* site);
  llvm::Value* base_of(int array);
  llvm::Value* lane_base(llvm::Value* base, llvm::Value* lane);
  Val extent_of(int array, int axis);
  Val stride_of(int array, int axis);
  Val offset_of(int array);
  Place uniform_place(const Access& access);
  Place vector_place(const Access& access);
  // Of affine indices: a place without checks, and the condition under which it may be used.
  bool affine_place(const Access& access, Place& place, llvm::Value*& holds);
  bool is_uniform_access(const Access& access);
  void spread_lanes(Place& place, int array);
  llvm::MDNode* weights(bool likely);
  Val plus(const Val& a, const Val& b);
  Val times(const Val& a, const Val& b);
  // Elements as they lie in memory: their type and, where offsets are in bytes, their alignment.
  struct Element {
    Dtype dtype;
    unsigned alignment;
    bool in_bytes;
  };
  Element element_of(int array) const;
  static Element dense_element(Dtype dtype);
  llvm::Value* address(llvm::Value* base, llvm::Value* offset, Element element, int part);
  kernel::Value load_scalar(llvm::Value* base, llvm::Value* offset, Element element);
  void store_scalar(llvm::Value* base, llvm::Value* offset, Element element,
                    const kernel::Value& value);
  kernel::Value load_gather(const Place& place, Element element, Mask mask);
  void store_scatter(const Place& place, Element element, const kernel::Value& value, Mask mask);
  kernel::Value load_row(const Place& place, Dtype dtype, Mask mask);
  void store_row(const Place& place, Dtype dtype, const kernel::Value& value, Mask mask);
  kernel::Value from_memory(const kernel::Value& value, Dtype dtype);
  kernel::Value to_memory(const kernel::Value& value, Dtype dtype);
  kernel::Value zero(Dtype dtype, int lanes);
  void check_indices(const Access& access);
  void report(int site, llvm::Value* failed, const Val* index, llvm::Value* extent, int axis);
  kernel::Value modify(Atomic how, llvm::Value* base, llvm::Value* offset, Element element,
                       const kernel::Value& value, const kernel::Value& wanted, bool shared);
  kernel::Value combine(Atomic how, Dtype dtype, const kernel::Value& old,
                        const kernel::Value& value);
  // body(lane) for each lane that is on, one after the other.
  void for_lanes(Mask mask, const std::function<void(llvm::Value* lane)>& body);

  // --- emit_warp.cpp
  Val emit_warp(const Expr& e);
  Val emit_match(const Expr& e, const kernel::Value& value);
  llvm::Value* lane_to_read(const Expr& e);
  llvm::Value* value_of_lanes(llvm::Value* part, llvm::Value* from);
  Val emit_warp_of_grid(const Expr& e);
  void emit_barrier_of_grid(const Stmt& s);
  void emit_wait_for_grid();

  // --- emit_watch.cpp
  void watch(const Access& access, int what);
  void watch_barrier(const Stmt& s);
  void watch_exit();
  void watch_fence(int what);
  void tell(int what, llvm::Value* address, llvm::Value* site, llvm::Value* thread);
  llvm::Value* thread_number(llvm::Value* lane);

  // --- emit_lines.cpp
  void begin_lines();
  void end_lines();
  void at_line(int line);

  // --- emit_host.cpp
  void emit_host(const std::string& entry);
  void begin_host(llvm::Function* function, llvm::Value* limit, const std::vector<bool>& touched);
  void give_away(const std::vector<int>& results);
  void emit_host_body(const std::function<void()>& body);
  llvm::Function* function_of(int function);
  void emit_function(int function);
  void emit_call(const Stmt& s);
  void emit_allocate(const Stmt& s);
  void emit_retain(int owner);
  void emit_release(int owner);
  void fail_if(llvm::Value* failed, int text, llvm::Value* index = nullptr,
               llvm::Value* extent = nullptr, int axis = 0);
  void fail(int text, llvm::Value* index, llvm::Value* extent, llvm::Value* axis);
  llvm::Value* word_of(int expr);
  bool emit_attempt(const Stmt& s);  // whether what follows it is reached
  void check_together(const Access& access, std::vector<llvm::Value*>& indices);
  llvm::Function* reporter();
  llvm::Value* emit_numbers(int generator);
  llvm::CallInst* call_service(int number, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> arguments);
  Val address_of(int array);
  Place host_place(const Access& access);
  std::vector<llvm::Type*> parts_of(int local);
  std::vector<llvm::Value*> read_parts(int local);
  void return_results(const Function& function);  // and whether it failed, before them
  void write_parts(int local, llvm::ArrayRef<llvm::Value*> parts);

  // --- emit_calls.cpp
  std::vector<llvm::Value**> launch_facts();
  llvm::Function* thread_function_of(int function);
  void emit_thread_function(int function);
  void emit_thread_functions();
  std::int64_t most_depth(int function) const;
  void emit_call_of_threads(int stmt);

  // --- emit_range.cpp
  // A loop whose counter goes from `first` while it is before `stop`.
  struct Turns {
    llvm::Value *first, *stop, *step;
  };
  // What is known of a loop that nothing inside of it loops: its accesses are looked at.
  struct LoopFacts;
  // The values of an index in the first and the last turn; between them it goes straight.
  struct Ends {
    llvm::Value *first, *last;
    int bits;  // how much it moves, at most; 0: not at all
  };
  void emit_range(int stmt);
  void emit_turns(int stmt, const Turns& turns);
  void emit_loop_of(int stmt, const Turns& turns);
  llvm::Value* find_proofs(int stmt, const Turns& turns, std::vector<const void*>& proven);
  void collect_accesses(const std::vector<int>& list, LoopFacts& facts);
  void collect_accesses_of(int expr, LoopFacts& facts);
  bool is_fixed(int expr, const LoopFacts& facts) const;
  bool is_fixed_array(int array, const LoopFacts& facts) const;
  std::optional<Ends> ends_of(int expr, const LoopFacts& facts, int depth,
                              std::vector<llvm::Value*>& conditions);
  void emit_parallel(int stmt);
  void emit_parallel_body(int stmt, llvm::Function* function, llvm::StructType* context,
                          const std::vector<bool>& touched);
  std::vector<int> captured(int stmt, std::vector<bool>& touched) const;

  const Program& p_;
  Chunks chunks_;
  const kernel::Target& target_;
  const int lanes_;
  const bool grid_;
  llvm::Module& module_;
  llvm::IRBuilder<> b;
  kernel::ScalarEmitter scalars_;
  std::unique_ptr<Uniformity> uniformity_;
  std::unique_ptr<kernel::GridMachine> machine_;
  Arguments arguments_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;

  // Of the launch.
  llvm::Value* words_ = nullptr;
  llvm::Value* grid_size_[3] = {};
  llvm::Value* block_size_[3] = {};
  llvm::Value* dynamic_ = nullptr;  // bytes
  llvm::Value* report_ = nullptr;
  std::vector<llvm::Value*> bases_;                // of arrays
  std::vector<llvm::Value*> shared_bases_;         // of the first block's, where they run together
  std::vector<std::vector<llvm::Value*>> shapes_;  // of parameters
  std::vector<std::vector<llvm::Value*>> strides_;
  std::vector<kernel::Value> numbers_;  // of parameters that are numbers
  llvm::Value* scratch_ = nullptr;
  llvm::Value* rows_ = nullptr;         // where the rows of chunks begin
  llvm::Value* chunk_bytes_ = nullptr;  // of a row

  // Of the block and the chunk that are being run.
  llvm::Value* block_index_[3] = {};
  Val thread_index_[3];
  llvm::Value* first_lane_ = nullptr;    // the number in its block of the chunk's first thread
  llvm::Value* block_number_ = nullptr;  // where blocks run together, or are watched
  llvm::Value* shared_bytes_ = nullptr;  // of a block, where blocks run together
  bool in_block_ = false;                // of those, in one: loops over chunks are over its own
  int parted_ = -1;                      // the line of what has parted threads of the block
  llvm::Value* row_ = nullptr;
  Mask mask_ = nullptr;

  std::vector<LocalPlace> locals_;
  std::vector<std::int64_t> array_rows_;  // of local arrays that cross
  std::vector<Frame> frames_;
  std::int64_t row_bytes_ = 0;
  int walk_mask_ = -1;  // the row of the threads that are on; -1: all
  std::vector<std::int64_t> row_masks_;
  int duplicated_ = 0;
  llvm::Value* nothing_ = nullptr;  // zeros, to be read in the place of what is not there

  // Of a function.
  llvm::Value* depth_ = nullptr;      // of calls
  llvm::Value* limit_ = nullptr;      // of the stack
  llvm::Value* failed_ = nullptr;     // a slot
  llvm::BasicBlock* exit_ = nullptr;  // where who leaves goes
  std::set<const void*> proven_;      // accesses whose indices are known to be in range
  bool rare_ = false;                 // inside of a loop whose indices were not all in range
  // Host programs: the store whose value is being emitted, and where the element is that it writes,
  // if the value reads it (x[i] += v).
  const Stmt* storing_ = nullptr;
  std::optional<Place> updated_;
  std::unique_ptr<llvm::DIBuilder> lines_;
  std::vector<int> owners_;  // its locals that keep memory
};

}  // namespace heddle::simt
