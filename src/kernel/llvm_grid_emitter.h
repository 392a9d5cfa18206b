// Emits the entry points of a kernel for grids: walks over elements (llvm_grid.cpp), teams that
// reduce (llvm_grid_reduce.cpp), running results (llvm_grid_scan.cpp), writes at computed places
// (llvm_grid_scatter.cpp).
#pragma once

#include <memory>
#include <span>

#include "kernel/grid.h"
#include "kernel/grid_machine.h"
#include "kernel/llvm_function_emitter.h"

namespace heddle::kernel {

class GridEmitter final : public FunctionEmitter {
 public:
  GridEmitter(const Kernel& kernel, const GridVariant& variant, const Schedule& schedule,
              const Target& target, llvm::Module& module)
      : FunctionEmitter(kernel, schedule, target, module),
        variant_(variant),
        layout_(kernel),
        saved_(kernel, schedule.lanes),
        dialect_machine_(target.dialect->machine(b, module)),
        machine_(*dialect_machine_) {}

  void emit_chunks(const std::string& name);
  void emit_claims(const std::string& name);
  void emit_rows_of_elements(const std::string& name);
  void emit_tiles(const std::string& name);
  void emit_in_order(const std::string& name);
  void emit_teams(const std::string& name);
  void emit_split_phase(const std::string& name, int p);
  void emit_scan(const std::string& name);

 private:
  // --- arguments
  void begin_kernel(const std::string& name);
  void read_arguments();
  llvm::Value* word(int position);

  // --- the loop nest
  llvm::Value* chunks_of(int dim);
  llvm::Value* divide(llvm::Value* n, int dim);
  void enter_item(llvm::Value* number, int first, int last, const Body& body);
  void enter_all(int dim, int last, const std::vector<llvm::Value*>& index, const Body& body);
  void find_place();
  llvm::Value* place_x();
  void one_element();
  bool reads_directly(const Instr& instr) const;
  void read_ahead();
  void chunks_read_ahead(llvm::Value* thread, llvm::Value* threads);
  void places_of_row(llvm::Value* first, llvm::Value* columns);
  std::pair<llvm::Value*, llvm::Value*> tile_place();
  void over_tile(bool unrolled, const std::function<void(llvm::Value*)>& body);
  void enter_others(llvm::Value* number, const Body& body);
  void in_item(const Body& body);
  void grid_phase(int p);
  void kept_phase(int p);
  bool keeps(const Instr& instr) const;
  Value kept_load(int i, int lanes);
  void element(int p);

  // --- accumulators of many threads
  Running across_threads(int i, const Running& running) override;
  Running across_warp(int i, Running running, llvm::Value* size);
  Running across_block(int i, Running running);
  Running across_column(int i, const Running& running);
  // What other threads have, by a movement of one value.
  template <class Move>
  static Running moved(const Running& running, Move move) {
    auto one = [&](llvm::Value* v) -> llvm::Value* { return v ? move(v) : nullptr; };
    return {{one(running.value.re), one(running.value.im)}, one(running.index)};
  }
  Running last_of_warp(const Running& running) {
    return moved(running, [&](auto* v) { return machine_.broadcast(v, warp_threads - 1); });
  }
  // Copies of an accumulator, by number.
  struct SharedCells {
    llvm::Value* re = nullptr;
    llvm::Value* im = nullptr;
    llvm::Value* index = nullptr;
  };
  SharedCells shared_cells(const Running& running, int count);
  void put(const SharedCells& cells, llvm::Value* number, const Running& running);
  Running get(const SharedCells& cells, llvm::Value* number, const Running& like);

  // --- elements that several threads may write
  void store_elements(const Instr& instr, int lanes) override;
  void need_places();
  llvm::Value* claim_of(const Instr& instr);
  llvm::Type* claim_type() { return variant_.wide ? b.getInt64Ty() : b.getInt32Ty(); }
  llvm::Value* claim_number() { return b.CreateTrunc(b.CreateAdd(item_, i64(1)), claim_type()); }
  // What a write adds to the element and does nothing else with it: an instruction, or no_arg.
  std::uint16_t added(const Instr& store) const;
  Value begin_attempt(const Instr& load);
  void end_attempt(const Instr& store);
  llvm::Value* to_bits(Dtype dtype, Value value);
  Value from_bits(Dtype dtype, llvm::Value* bits);

  // --- running results
  // An element of a tile that is scanned.
  struct Scanned {
    llvm::Value* number = nullptr;
    llvm::Value* inside = nullptr;  // null: certainly
    std::vector<Held> values;
    std::vector<Running> running;  // per scan: of this and the elements before it in its group
  };
  // Neighbouring elements of a slot that are read or written at once.
  struct Group {
    Value loaded, stored;
    llvm::Value* pointer = nullptr;
  };
  int tile_elements() const { return grid_threads * variant_.scans; }
  int group_size() const { return scan_group(k, variant_.dense_slots); }
  bool in_group(const Instr& instr) const;
  Value group_load(const Instr& instr);
  void group_store(const Instr& instr);
  Running scan_warp(const Instr& instr, Running running);
  Running before_warp(int i, const Running& warp_total, Running& total);
  std::vector<std::uint8_t> before_scans() const;
  void emit_elements_of(const std::vector<std::uint8_t>& chosen, bool wanted);
  void take_tile();
  void scan_tile(llvm::Value* base, llvm::Value* end);
  void scan_elements(llvm::Value* base, llvm::Value* end);
  Running scan_round(int i, std::span<Scanned> group, llvm::Value* lane, Running& total);
  std::vector<Running> before_warps(const std::vector<Running>& warp_totals);
  std::vector<Running> before_tile(const std::vector<Running>& totals);
  llvm::Value* first_of_level(llvm::Value* level);
  llvm::Value* node_at(llvm::Value* node);
  void publish(llvm::Value* node, const std::vector<Running>& totals);
  std::vector<Running> published(llvm::Value* node, llvm::Value* needed,
                                 const std::vector<Running>& like);
  template <class Each>
  void for_scans(Each each) {
    for (std::size_t n = 0; n < k.instrs.size(); ++n) {
      if (k.instrs[n].op == Op::scan) each(static_cast<int>(n));
    }
  }
  // Runs the body in the block of an item that is the last to come here, in all its threads.
  void in_last_block(const Body& body);

  // --- tiles
  void make_tiles();
  void fill_tiles(llvm::Value* row, llvm::Value* column);
  llvm::Value* tile_at(llvm::Value* row, llvm::Value* column);
  Value load(int i, int lanes) override;

  int width(int i) const { return k.lanes == Lanes::kept ? lanes_of(i) : 1; }

  // --- split variants
  void load_finished(int p);
  void combine_parts(int p);
  llvm::Value* saved_at(llvm::Value* base, llvm::Value* number, int i);
  llvm::Value* part_cell(int i, llvm::Value* part);
  void save_running(llvm::Value* at, int i, const Running& running);
  Running saved_running(llvm::Value* at, int i);
  template <class Each>
  void for_reductions(int p, Each each) {
    for (std::size_t n = 0; n < k.instrs.size(); ++n) {
      if (is_reduction(k.instrs[n].op) && k.instrs[n].phase == p) each(static_cast<int>(n));
    }
  }
  bool reduces(int p) {
    bool any = false;
    for_reductions(p, [&](int) { any = true; });
    return any;
  }
  void define_reduction(int i, const Running& total) {
    define(i, k.instrs[i].op == Op::reduce ? total.value : Value{total.index, nullptr});
  }

  llvm::Value* wide(llvm::Value* x) { return b.CreateZExt(x, b.getInt64Ty()); }
  // Counts, indices and strides are computed in 32 bits where the variant is not wide: machines
  // have no adder or multiplier of 64 bits.
  llvm::Value* narrow(llvm::Value* x) {
    return variant_.wide ? x : b.CreateTrunc(x, b.getInt32Ty());
  }
  llvm::Value* widened(llvm::Value* x) {
    return variant_.wide ? x : b.CreateSExt(x, b.getInt64Ty());
  }
  llvm::Value* sum(llvm::Value* x, llvm::Value* y) {
    return widened(b.CreateAdd(narrow(x), narrow(y), "", true, true));
  }
  llvm::Value* product(llvm::Value* x, llvm::Value* y) {
    return widened(b.CreateMul(narrow(x), narrow(y), "", true, true));
  }
  llvm::Value* is_less(llvm::Value* x, llvm::Value* y) {
    return b.CreateICmpSLT(narrow(x), narrow(y));
  }
  llvm::Value* smaller(llvm::Value* x, llvm::Value* y) {
    return widened(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, narrow(x), narrow(y)));
  }
  void counted(llvm::Value* first, llvm::Value* last, llvm::Value* step,
               const std::function<void(llvm::Value*)>& body) override {
    FunctionEmitter::counted(narrow(first), narrow(last), narrow(step),
                             [&](llvm::Value* i) { body(widened(i)); });
  }
  llvm::Value* distance(llvm::Value* index, llvm::Value* stride) override;
  llvm::Value* and_also(llvm::Value* guard, llvm::Value* more) {
    return guard ? b.CreateAnd(guard, more) : more;
  }

  const GridVariant& variant_;
  const GridArguments layout_;
  const GridAccumulators saved_;
  std::unique_ptr<GridMachine> dialect_machine_;
  GridMachine& machine_;
  llvm::Value* rank_ = nullptr;        // of this thread in its team, i64
  llvm::Value* size_ = nullptr;        // of the team, i64
  llvm::Value* item_ = nullptr;        // what the team works on, i64
  llvm::Value* items_ = nullptr;       // i64
  bool claiming_ = false;              // Scatter::last: the first of its two kernels
  llvm::Value* attempt_at_ = nullptr;  // Scatter::atomic: the element
  llvm::PHINode* attempt_ = nullptr;   // what is thought to be there
  std::vector<SharedCells> tiles_;     // per slot
  bool ahead_ = false;                 // direct loads have been read already
  // Rows in registers: what each of a thread's steps has loaded, by slot.
  std::vector<std::vector<Value>> kept_;
  std::size_t kept_step_ = 0;
  std::vector<Group> groups_;        // per slot
  int group_place_ = -1;             // of the element at hand in its group; -1: on its own
  llvm::Value* tile_row_ = nullptr;  // of the element at hand
  llvm::Value* tile_column_ = nullptr;
  llvm::Value* parts_ = nullptr;  // of an item, i64; null: one
  llvm::Value* part_ = nullptr;
};

}  // namespace heddle::kernel
