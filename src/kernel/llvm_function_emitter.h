// Emits one entry point of a kernel: the loop nest (llvm_emitter.cpp), memory accesses
// (llvm_memory.cpp) and accumulators (llvm_reduce.cpp). What an operation computes is
// ScalarEmitter's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "kernel/ir.h"
#include "kernel/philox.h"
#include "kernel/scalar_ops.h"
#include "kernel/schedule.h"

namespace heddle::kernel {

class FunctionEmitter {
 public:
  FunctionEmitter(const Kernel& kernel, const Schedule& schedule, const Target& target,
                  llvm::Module& module);

  void emit_run(const std::string& name);
  void emit_part(const std::string& name);
  void emit_combine(const std::string& name);
  void emit_finish(const std::string& name);
  virtual ~FunctionEmitter() = default;

 protected:
  using Body = std::function<void()>;

  // --- the loop nest
  void begin(const std::string& name, llvm::ArrayRef<llvm::Type*> parameters);
  void load_arguments();
  // What loops and addresses are made of: the extent of a dimension, the pointer of a slot, and its
  // stride along a dimension.
  void set_arguments(const std::function<llvm::Value*(int)>& extent,
                     const std::function<llvm::Value*(int)>& pointer,
                     const std::function<llvm::Value*(int, int)>& stride);
  // Keys and counters of random numbers, once scalars_ is set.
  void prepare_streams();
  void return_if_nothing_kept();
  void nest(int depth);
  void row();
  void phase(int p);
  void phase_loops(int depth, int p);
  void phase_once(int p);
  void enter(int dim, llvm::Value* index, const Body& body);
  void loop(int dim, const Body& body);
  bool takes_parts(int dim) const;
  int turn() const;
  void parts(int dim, const Body& body);
  void rest_of_parts(int dim, llvm::Value* first, const Body& body);
  void steps(int dim, llvm::Value* first, llvm::Value* last, int step, const Body& body);
  void chunks(int dim, llvm::Value* first, llvm::Value* last, const Body& body);
  void tail(int dim, llvm::Value* first, llvm::Value* last, const Body& body);
  virtual void counted(llvm::Value* first, llvm::Value* last, llvm::Value* step,
                       const std::function<void(llvm::Value*)>& body);
  // The distance in bytes of an index along a dimension.
  virtual llvm::Value* distance(llvm::Value* index, llvm::Value* stride) {
    return b.CreateMul(index, stride);
  }
  void when(llvm::Value* condition, const Body& body);
  void emit_all(int depth, int stage);
  void need(const std::function<bool(const Instr&)>& root);

  // --- instructions
  void emit(int i);
  Value elementwise(const Instr& instr, int lanes);
  void report_index(const Instr& instr, Value place, int lanes);
  void report(const Instr& instr, llvm::Value* condition, llvm::Value* found, int lanes);
  Value index(const Instr& instr, int lanes);
  Value scalar(const Instr& instr);
  Value random(int i, int lanes);
  Value operand(int i, int lanes);
  void define(int i, Value value);
  int lanes_of(int i) const { return schedule_.vector[i] && lanes_ > 1 ? lanes_ : 1; }

  // --- memory
  llvm::Value* address(llvm::Value* base, llvm::Value* bytes) {
    return b.CreatePtrAdd(base, bytes);
  }
  bool keeps_together(std::uint16_t offset) const;
  llvm::Value* lane_addresses(const Instr& instr, std::uint16_t offset, int lanes);
  llvm::Value* scalar_address(const Instr& instr, std::uint16_t offset);
  virtual Value load(int i, int lanes);
  Value load_guarded(int i, int lanes);
  // The part of a condition that all lanes share; null where there is none.
  llvm::Value* shared_condition(std::uint16_t guard);
  Value load_if(llvm::Value* condition, Dtype dtype, llvm::Value* pointer);
  Value load_scalar(Dtype dtype, llvm::Value* pointer);
  Value load_unit(Dtype dtype, llvm::Value* pointer, int lanes);
  Value load_strided(const Instr& instr, int lanes);
  Value load_lanes(Dtype dtype, llvm::Value* pointers, int lanes);
  void store(const Instr& instr, int lanes);
  virtual void store_elements(const Instr& instr, int lanes);
  void store_scalar(Dtype dtype, Value value, llvm::Value* pointer);
  void store_unit(const Slot& slot, Value value, llvm::Value* pointer, llvm::Value* mask,
                  int lanes);
  void finish_streams();
  void store_strided(const Instr& instr, Value value, int lanes);
  void store_pairs(Dtype dtype, Value value, llvm::Value* pointers, int lanes);
  void store_lanes(Dtype dtype, Value value, llvm::Value* pointers, llvm::Value* mask, int lanes);
  llvm::Align unit_alignment(Dtype dtype, int lanes) const;
  llvm::Value* from_memory(Dtype dtype, llvm::Value* value, int lanes);
  llvm::Value* to_memory(Dtype dtype, llvm::Value* value, int lanes);
  Value deinterleave(llvm::Value* pairs, int lanes);
  llvm::Value* interleave(Value value, int lanes);
  llvm::Value* interleave_mask(llvm::Value* mask, int lanes);

  // --- accumulators
  struct Cell {  // in stack memory, which becomes registers
    llvm::AllocaInst* re = nullptr;
    llvm::AllocaInst* im = nullptr;
    llvm::AllocaInst* index = nullptr;
  };
  struct Running {
    Value value;
    llvm::Value* index = nullptr;
  };
  int accumulator_lanes(int i) const;
  Cell& cell(int i, int lanes);
  Running read(const Cell& cell);
  void write(const Cell& cell, const Running& running);
  Running empty(const Instr& instr, int lanes);
  Running combine(const Instr& instr, const Running& a, const Running& b, int lanes);
  llvm::Value* better(const Instr& instr, Value v, Value than, int lanes);
  Running choose(llvm::Value* condition, const Running& a, const Running& b);
  Running upper_half(const Running& running, int lanes, bool upper);
  Running across_lanes(const Instr& instr, Running running, int lanes);
  void begin_phase(int p, int lanes);
  void accumulate(int i);
  // Of partial results (Schedule::width).
  bool has_parts(int p) const;
  void accumulate_parts(int i);
  void spill_parts(bool back);
  // Of truth values, which are taken as bits.
  void accumulate_bits(int i);
  void note_first(const Instr& instr, const Cell& cell, llvm::Value* bits, int lanes);
  llvm::Value* place_of(const Instr& instr, llvm::Value* lane, int lanes);
  bool takes_bits(int i) const { return schedule_.truth[i] != no_arg; }
  // The reduction of a phase which may settle before all elements were seen; -1: there is none.
  int settling(int p) const;
  void note_settled(int i);
  llvm::Value* unsettled(llvm::Value* condition);
  void accumulate_extreme(const Instr& instr, const Cell& cell, const Running& old,
                          const Running& next, int lanes);
  void scan(int i);
  void mark_started();
  void merge_tail(int p);
  void end_phase(int p);
  // The accumulators of all threads that work on a row, where these are several.
  virtual Running across_threads(int i, const Running& running) { return running; }
  Running read_saved(const Instr& instr, llvm::Value* saved, int ordinal);
  void save(const Instr& instr, llvm::Value* saved, int ordinal, const Running& running);
  int ordinal(int i) const;

  // --- pairwise summation
  bool cascades(const Instr& instr) const;
  bool phase_cascades(int p) const;
  struct Stack {
    llvm::AllocaInst* re = nullptr;
    llvm::AllocaInst* im = nullptr;
  };
  Stack& stack(int i, int lanes);
  void count_steps(llvm::Value* steps);
  void flush();
  void flush_if_full(int full);
  void drain(int p);
  void add_level(int p, llvm::Value* level);
  void for_cascades(int p, const std::function<void(int, int)>& each);

  llvm::AllocaInst* stack_variable(llvm::Type* type, llvm::Value* count = nullptr);
  llvm::Constant* i64(std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Constant* lane_numbers(llvm::Type* element, int lanes);

  const Kernel& k;
  const Schedule& schedule_;
  const Target& target_;
  llvm::Module& module_;
  llvm::IRBuilder<> b;
  ScalarEmitter ops_;

  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::Value* scalars_ = nullptr;
  llvm::Value* nothing_reduced_ = nullptr;  // whether some reduced extent is zero
  llvm::AllocaInst* dummy_ = nullptr;       // readable memory for loads that must not happen
  std::vector<llvm::Value*> extents_, origin_, index_;  // per dimension
  std::vector<std::vector<llvm::Value*>> strides_;      // [slot][dimension]; null: zero
  std::vector<llvm::Value*> pointers_;                  // per slot, at the current indices

  struct Held {
    Value value;
    Value splat;
  };
  std::vector<Held> values_;
  std::vector<std::uint8_t> needed_;
  std::map<int, PhiloxStream> streams_;  // by instruction

  int lanes_ = 0;                // 0 outside the loop over lanes, else its width
  llvm::Value* mask_ = nullptr;  // active lanes, or null: all
  // Whether this thread stores at a level, where several share the work; null: always.
  llvm::Value* row_guard_ = nullptr;
  llvm::Value* body_guard_ = nullptr;
  llvm::Value* counts_ = nullptr;  // whether this thread has an element at all; null: always
  // Which partial results the lanes belong to: the number of the first, or, as long as that is not
  // known, the index of the element.
  int part_ = 0;
  llvm::Value* part_index_ = nullptr;
  bool spilled_ = false;  // partial results are where an index reaches them
  int phase_ = -1;
  std::vector<Running> finished_;              // per reduction, once its phase is over
  std::map<std::pair<int, int>, Cell> cells_;  // by instruction and lanes
  std::map<int, Cell> spilled_cells_;
  std::map<std::pair<int, int>, Stack> stacks_;
  llvm::AllocaInst* settled_ = nullptr;  // whether the phase is decided; null: it cannot be
  llvm::AllocaInst* started_ = nullptr;  // whether an element was seen in this phase
  llvm::AllocaInst* steps_ = nullptr;    // added up since the last flush
  llvm::AllocaInst* flushes_ = nullptr;
};

}  // namespace heddle::kernel
