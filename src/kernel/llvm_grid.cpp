#include "kernel/llvm_grid.h"

#include <bit>

#include "kernel/grid_machine.h"
#include "kernel/llvm_function_emitter.h"

namespace heddle::kernel {
namespace {

constexpr int warp = 32;

class GridEmitter final : public FunctionEmitter {
 public:
  GridEmitter(const Kernel& kernel, const GridVariant& variant, const Schedule& schedule,
              const Target& target, llvm::Module& module)
      : FunctionEmitter(kernel, schedule, target, module),
        variant_(variant),
        layout_(kernel),
        saved_(kernel, schedule.lanes),
        machine_(b, module) {}

  void emit_chunks(const std::string& name);
  void emit_rows_of_elements(const std::string& name);
  void emit_tiles(const std::string& name);
  void emit_in_order(const std::string& name);
  void emit_teams(const std::string& name);
  void emit_split_phase(const std::string& name, int p);

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
  void enter_others(llvm::Value* number, const Body& body);
  void in_item(const Body& body);
  void grid_phase(int p);
  void element(int p);

  // --- accumulators of many threads
  Running across_threads(int i, const Running& running) override;
  Running across_warp(int i, Running running, llvm::Value* size);
  Running across_block(int i, Running running);
  Running across_column(int i, const Running& running);
  Running shuffled(const Running& running, int bits);
  // Copies of an accumulator, by number.
  struct SharedCells {
    llvm::Value* re = nullptr;
    llvm::Value* im = nullptr;
    llvm::Value* index = nullptr;
  };
  SharedCells shared_cells(const Running& running, int count);
  void put(const SharedCells& cells, llvm::Value* number, const Running& running);
  Running get(const SharedCells& cells, llvm::Value* number, const Running& like);
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

  const GridVariant& variant_;
  const GridArguments layout_;
  const GridAccumulators saved_;
  GridMachine machine_;
  llvm::Value* rank_ = nullptr;      // of this thread in its team, i64
  llvm::Value* size_ = nullptr;      // of the team, i64
  llvm::Value* item_ = nullptr;      // what the team works on, i64
  llvm::Value* items_ = nullptr;     // i64
  std::vector<SharedCells> tiles_;   // per slot
  llvm::Value* tile_row_ = nullptr;  // of the element at hand
  llvm::Value* tile_column_ = nullptr;
  llvm::Value* parts_ = nullptr;  // of an item, i64; null: one
  llvm::Value* part_ = nullptr;
};

// --- arguments
// --------------------------------------------------------------------------------------

void GridEmitter::begin_kernel(const std::string& name) {
  begin(name, {b.getPtrTy()});
  const int threads = variant_.team == Team::block ? block_team_threads : grid_threads;
  const int blocks = 6 * grid_threads / threads;
  machine_.make_kernel(*function_, threads, blocks, variant_.indirect ? 0 : 8 * layout_.words);
  read_arguments();
}

llvm::Value* GridEmitter::word(int position) {
  auto* type = b.getInt64Ty();
  llvm::Value* at = b.CreateConstInBoundsGEP1_64(type, function_->getArg(0),
                                                 static_cast<std::uint64_t>(position));
  auto* load = b.CreateAlignedLoad(type, at, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

void GridEmitter::read_arguments() {
  const int dims = k.dims();
  scalars_ = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function_->getArg(0),
                                          static_cast<std::uint64_t>(layout_.scalars));
  extents_.clear();
  for (int d = 0; d < dims; ++d) extents_.push_back(word(layout_.extents + d));
  origin_.assign(dims, i64(0));
  nothing_reduced_ = b.getFalse();
  for (int d = k.kept_dims; d < dims; ++d)
    nothing_reduced_ = b.CreateOr(nothing_reduced_, b.CreateICmpSLE(extents_[d], i64(0)));
  dummy_ = stack_variable(b.getInt8Ty(), i64(schedule_.lanes * 16));
  strides_.assign(k.slots.size(), std::vector<llvm::Value*>(dims, nullptr));
  pointers_.clear();
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    const Slot& slot = k.slots[s];
    const int number = static_cast<int>(s);
    pointers_.push_back(machine_.device_pointer(word(layout_.pointers + number)));
    for (int d = 0; d < dims; ++d) {
      if (slot.zero_dims >> d & 1) continue;
      const bool unit = d == schedule_.lane_dim && slot.lane == Stride::unit;
      strides_[s][d] = unit ? static_cast<llvm::Value*>(i64(itemsize(slot.dtype)))
                            : word(layout_.strides + number * dims + d);
    }
  }
  items_ = word(layout_.items);
  row_guard_ = body_guard_ = nullptr;
}

// --- the loop nest
// ----------------------------------------------------------------------------------

// How many steps there are along a dimension.
llvm::Value* GridEmitter::chunks_of(int dim) {
  if (dim != schedule_.lane_dim || schedule_.lanes == 1) return extents_[dim];
  return b.CreateLShr(extents_[dim], std::countr_zero(static_cast<unsigned>(schedule_.lanes)));
}

llvm::Value* GridEmitter::divide(llvm::Value* n, int dim) {
  if (variant_.wide) return b.CreateUDiv(n, chunks_of(dim));
  llvm::Value* how = word(layout_.divisors + dim);
  llvm::Value* factor = b.CreateAnd(how, i64(0xffffffff));
  return b.CreateLShr(b.CreateMul(n, factor, "", true, true), b.CreateLShr(how, 32));
}

// Takes a number apart into indices of the dimensions [first, last), the last one running fastest,
// and runs the body there.
void GridEmitter::enter_item(llvm::Value* number, int first, int last, const Body& body) {
  std::vector<llvm::Value*> index(last, nullptr);
  llvm::Value* rest = number;
  for (int d = last - 1; d > first; --d) {
    llvm::Value* quotient = divide(rest, d);
    index[d] = b.CreateSub(rest, b.CreateMul(quotient, chunks_of(d)));
    rest = quotient;
  }
  index[first] = rest;
  if (schedule_.lane_dim >= first && schedule_.lane_dim < last) {
    llvm::Value*& along = index[schedule_.lane_dim];
    along = b.CreateMul(along, i64(schedule_.lanes), "", true, true);
  }
  enter_all(first, last, index, body);
}

void GridEmitter::enter_all(int dim, int last, const std::vector<llvm::Value*>& index,
                            const Body& body) {
  if (dim == last) return body();
  enter(dim, index[dim], [&] { enter_all(dim + 1, last, index, body); });
}

llvm::Value* GridEmitter::place_x() {
  return b.CreateAdd(b.CreateMul(wide(machine_.block_x()), wide(machine_.threads_x())),
                     wide(machine_.thread_x()));
}

// All instructions of a kernel without reductions, but those that are the same everywhere.
void GridEmitter::one_element() {
  for (int d = 1; d < k.kept_dims; ++d) emit_all(d, 0);
  row();
}

// Chunk by chunk; what is left of one dimension, element by element.
void GridEmitter::emit_chunks(const std::string& name) {
  begin_kernel(name);
  lanes_ = schedule_.lanes;
  emit_all(0, 0);
  llvm::Value* thread = place_x();
  llvm::Value* threads = b.CreateMul(wide(machine_.blocks_x()), wide(machine_.threads_x()));
  const Body inside = [&] { one_element(); };
  counted(thread, items_, threads, [&](llvm::Value* n) { enter_item(n, 0, k.kept_dims, inside); });
  if (schedule_.lanes > 1 && k.kept_dims == 1) {
    lanes_ = 1;
    llvm::Value* whole = b.CreateAnd(extents_[0], i64(-schedule_.lanes));
    counted(b.CreateAdd(whole, thread), extents_[0], threads,
            [&](llvm::Value* i) { enter(0, i, inside); });
  }
  b.CreateRetVoid();
}

void GridEmitter::emit_rows_of_elements(const std::string& name) {
  begin_kernel(name);
  lanes_ = schedule_.lanes;
  emit_all(0, 0);
  const int last = k.kept_dims - 1;
  llvm::Value* column = place_x();
  llvm::Value* first = b.CreateAdd(
      b.CreateMul(wide(machine_.block_y()), wide(machine_.threads_y())), wide(machine_.thread_y()));
  llvm::Value* step = b.CreateMul(wide(machine_.blocks_y()), wide(machine_.threads_y()));
  when(b.CreateICmpSLT(column, chunks_of(last)), [&] {
    // The place along the lanes is found once, before the loop.
    enter(last, b.CreateMul(column, i64(schedule_.lanes), "", true, true), [&] {
      counted(first, items_, step,
              [&](llvm::Value* n) { enter_item(n, 0, last, [&] { one_element(); }); });
    });
  });
  b.CreateRetVoid();
}

// A square of elements for every block. Slots that lie across are read with the threads along their
// memory, and handed over in shared memory.
void GridEmitter::emit_tiles(const std::string& name) {
  begin_kernel(name);
  lanes_ = 1;
  emit_all(0, 0);
  const int along = k.kept_dims - 1;
  const int across = variant_.across;
  llvm::Value* x = wide(machine_.thread_x());
  llvm::Value* y = wide(machine_.thread_y());
  llvm::Value* first_along = b.CreateMul(wide(machine_.block_x()), i64(tile_side));
  llvm::Value* first_across = b.CreateMul(wide(machine_.block_y()), i64(tile_side));
  auto clamped = [&](llvm::Value* index, int dim) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index,
                                   b.CreateSub(extents_[dim], i64(1)));
  };
  make_tiles();
  counted(wide(machine_.block_z()), items_, wide(machine_.blocks_z()), [&](llvm::Value* n) {
    enter_others(n, [&] {
      counted(y, i64(tile_side), i64(tile_rows), [&](llvm::Value* r) {
        enter(along, clamped(b.CreateAdd(first_along, r), along), [&] {
          enter(across, clamped(b.CreateAdd(first_across, x), across), [&] { fill_tiles(r, x); });
        });
      });
      machine_.barrier();
      llvm::Value* here = b.CreateAdd(first_along, x);
      counted(y, i64(tile_side), i64(tile_rows), [&](llvm::Value* r) {
        llvm::Value* there = b.CreateAdd(first_across, r);
        llvm::Value* inside = b.CreateAnd(b.CreateICmpSLT(here, extents_[along]),
                                          b.CreateICmpSLT(there, extents_[across]));
        when(inside, [&] {
          tile_row_ = x;
          tile_column_ = r;
          enter(along, here, [&] { enter(across, there, [&] { one_element(); }); });
        });
      });
      machine_.barrier();
    });
  });
  b.CreateRetVoid();
}

// All kept dimensions but the two of the tile.
void GridEmitter::enter_others(llvm::Value* number, const Body& body) {
  std::vector<int> dims;
  for (int d = 0; d < k.kept_dims - 1; ++d) {
    if (d != variant_.across) dims.push_back(d);
  }
  std::function<void(int, llvm::Value*)> enter_next = [&](int n, llvm::Value* rest) {
    if (n < 0) return body();
    llvm::Value* quotient = n == 0 ? nullptr : divide(rest, dims[n]);
    llvm::Value* index =
        n == 0 ? rest : b.CreateSub(rest, b.CreateMul(quotient, extents_[dims[n]]));
    enter(dims[n], index, [&] { enter_next(n - 1, quotient); });
  };
  enter_next(static_cast<int>(dims.size()) - 1, number);
}

void GridEmitter::make_tiles() {
  tiles_.assign(k.slots.size(), {});
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    if (!(variant_.tiled_slots >> s & 1)) continue;
    const Dtype dtype = k.slots[s].dtype;
    llvm::Type* type = ops_.memory_type(dtype);
    tiles_[s].re = machine_.shared(type, tile_side * (tile_side + 1));
    if (is_complex(dtype)) tiles_[s].im = machine_.shared(type, tile_side * (tile_side + 1));
  }
}

// One column more than the tile has keeps threads of a warp out of each other's banks.
llvm::Value* GridEmitter::tile_at(llvm::Value* row, llvm::Value* column) {
  return b.CreateAdd(b.CreateMul(row, i64(tile_side + 1)), column);
}

void GridEmitter::fill_tiles(llvm::Value* row, llvm::Value* column) {
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    if (!tiles_[s].re) continue;
    const Dtype dtype = k.slots[s].dtype;
    const Value value = load_scalar(dtype, pointers_[s]);
    put(tiles_[s], tile_at(row, column), {value, nullptr});
  }
}

Value GridEmitter::load(int i, int lanes) {
  const std::uint16_t s = k.instrs[i].slot;
  if (tiles_.empty() || !tiles_[s].re) return FunctionEmitter::load(i, lanes);
  const Dtype dtype = k.slots[s].dtype;
  llvm::Type* type = ops_.type(dtype, 1);
  auto* like = llvm::PoisonValue::get(type);
  return get(tiles_[s], tile_at(tile_row_, tile_column_),
             {{like, is_complex(dtype) ? like : nullptr}, nullptr})
      .value;
}

// One thread, one element after the other.
void GridEmitter::emit_in_order(const std::string& name) {
  begin_kernel(name);
  return_if_nothing_kept();
  lanes_ = 1;
  nest(0);
  b.CreateRetVoid();
}

// Which item this thread works on, and its part of it. Threads beyond the last item repeat it and
// store nothing, so that all threads meet at barriers.
void GridEmitter::find_place() {
  llvm::Value* x = wide(machine_.thread_x());
  llvm::Value* y = wide(machine_.thread_y());
  llvm::Value* across = wide(machine_.threads_x());
  llvm::Value* block = wide(machine_.block_x());
  switch (variant_.team) {
    case Team::none:
    case Team::column:
      rank_ = variant_.team == Team::column ? y : i64(0);
      size_ = variant_.team == Team::column ? wide(machine_.threads_y()) : i64(1);
      item_ = b.CreateAdd(b.CreateMul(block, across), x);
      break;
    case Team::warp:
      rank_ = x;
      size_ = across;
      item_ = b.CreateAdd(b.CreateMul(block, wide(machine_.threads_y())), y);
      break;
    case Team::block:
      rank_ = x;
      size_ = across;
      item_ = block;
      break;
  }
  body_guard_ = b.CreateICmpSLT(item_, items_);
  row_guard_ = b.CreateAnd(body_guard_, b.CreateICmpEQ(rank_, i64(0)));
  item_ = b.CreateSelect(body_guard_, item_, b.CreateSub(items_, i64(1)));
  if (variant_.split) {
    parts_ = wide(machine_.blocks_y());
    part_ = wide(machine_.block_y());
  }
}

void GridEmitter::in_item(const Body& body) {
  find_place();
  if (schedule_.lanes == 1 || k.lanes == Lanes::kept) lanes_ = schedule_.lanes;
  emit_all(0, 0);
  enter_item(item_, 0, k.kept_dims, [&] {
    for (int d = 1; d < k.kept_dims; ++d) emit_all(d, 0);
    body();
  });
  b.CreateRetVoid();
}

void GridEmitter::emit_teams(const std::string& name) {
  begin_kernel(name);
  in_item([&] {
    for (int stage = 0; stage <= k.phases; ++stage) {
      emit_all(k.kept_dims, stage);
      if (stage < k.phases) grid_phase(stage);
    }
  });
}

void GridEmitter::element(int p) {
  for (int d = k.kept_dims + 1; d <= k.dims(); ++d) emit_all(d, p);
  for_reductions(p, [&](int i) { accumulate(i); });
  mark_started();
}

void GridEmitter::grid_phase(int p) {
  phase_ = p;
  const bool along = k.lanes == Lanes::reduced && schedule_.lanes > 1;
  begin_phase(p, k.lanes == Lanes::kept ? lanes_ : schedule_.lanes);
  llvm::Value* first = part_ ? b.CreateAdd(b.CreateMul(part_, size_), rank_) : rank_;
  llvm::Value* step = parts_ ? b.CreateMul(parts_, size_) : size_;
  if (along) lanes_ = schedule_.lanes;
  counted(first, word(layout_.steps), step,
          [&](llvm::Value* n) { enter_item(n, k.kept_dims, k.dims(), [&] { element(p); }); });
  if (along && k.reduced_dims == 1) {
    lanes_ = 1;
    begin_phase(p, 1);
    llvm::Value* extent = extents_[k.kept_dims];
    llvm::Value* whole = b.CreateAnd(extent, i64(-schedule_.lanes));
    counted(b.CreateAdd(whole, first), extent, step,
            [&](llvm::Value* i) { enter(k.kept_dims, i, [&] { element(p); }); });
    lanes_ = schedule_.lanes;
    merge_tail(p);
  }
  if (along) lanes_ = 0;
  end_phase(p);
  phase_ = -1;
}

// --- accumulators of many threads
// -------------------------------------------------------------------

FunctionEmitter::Running GridEmitter::across_threads(int i, const Running& running) {
  switch (variant_.team) {
    case Team::warp:
      return across_warp(i, running, size_);
    case Team::block:
      return across_block(i, running);
    case Team::column:
      return across_column(i, running);
    default:
      return running;
  }
}

FunctionEmitter::Running GridEmitter::shuffled(const Running& running, int bits) {
  auto other = [&](llvm::Value* v) { return v ? machine_.shuffle(v, bits) : nullptr; };
  return {{other(running.value.re), other(running.value.im)}, other(running.index)};
}

// All threads of the team get the result. Null: the team is the whole warp.
FunctionEmitter::Running GridEmitter::across_warp(int i, Running running, llvm::Value* size) {
  const Instr& instr = k.instrs[i];
  const Cell& c = cell(i, 1);
  if (size) write(c, running);
  for (int bits = 1; bits < warp; bits *= 2) {
    if (!size) {
      running = combine(instr, running, shuffled(running, bits), 1);
      continue;
    }
    when(b.CreateICmpSGT(size, i64(bits)), [&] {
      const Running own = read(c);
      write(c, combine(instr, own, shuffled(own, bits), 1));
    });
  }
  return size ? read(c) : running;
}

GridEmitter::SharedCells GridEmitter::shared_cells(const Running& running, int count) {
  auto memory = [&](llvm::Value* v) -> llvm::Value* {
    if (!v) return nullptr;
    llvm::Type* type = v->getType();
    // Bits have no size of their own in memory.
    if (type->getScalarType()->isIntegerTy(1)) type = type->getWithNewBitWidth(8);
    return machine_.shared(type, count);
  };
  return {memory(running.value.re), memory(running.value.im), memory(running.index)};
}

void GridEmitter::put(const SharedCells& cells, llvm::Value* number, const Running& running) {
  auto store_one = [&](llvm::Value* memory, llvm::Value* v) {
    if (!v) return;
    if (v->getType()->getScalarType()->isIntegerTy(1))
      v = b.CreateZExt(v, v->getType()->getWithNewBitWidth(8));
    b.CreateStore(v, b.CreateInBoundsGEP(v->getType(), memory, number));
  };
  store_one(cells.re, running.value.re);
  store_one(cells.im, running.value.im);
  store_one(cells.index, running.index);
}

FunctionEmitter::Running GridEmitter::get(const SharedCells& cells, llvm::Value* number,
                                          const Running& like) {
  auto load_one = [&](llvm::Value* memory, llvm::Value* v) -> llvm::Value* {
    if (!v) return nullptr;
    llvm::Type* type = v->getType();
    const bool bits = type->getScalarType()->isIntegerTy(1);
    if (bits) type = type->getWithNewBitWidth(8);
    llvm::Value* loaded = b.CreateLoad(type, b.CreateInBoundsGEP(type, memory, number));
    return bits ? b.CreateTrunc(loaded, v->getType()) : loaded;
  };
  return {{load_one(cells.re, like.value.re), load_one(cells.im, like.value.im)},
          load_one(cells.index, like.index)};
}

// Every warp by itself, then every warp the results of all.
FunctionEmitter::Running GridEmitter::across_block(int i, Running running) {
  running = across_warp(i, running, nullptr);
  const SharedCells cells = shared_cells(running, warp);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp - 1));
  when(b.CreateICmpEQ(lane, i64(0)), [&] { put(cells, b.CreateLShr(rank_, 5), running); });
  machine_.barrier();
  llvm::Value* warps = b.CreateLShr(size_, 5);
  const Cell& c = cell(i, 1);
  write(c, empty(k.instrs[i], 1));
  when(b.CreateICmpSLT(lane, warps), [&] { write(c, get(cells, lane, running)); });
  running = across_warp(i, read(c), nullptr);
  machine_.barrier();
  return running;
}

// A tree over the rows of the block.
FunctionEmitter::Running GridEmitter::across_column(int i, const Running& running) {
  const SharedCells cells = shared_cells(running, grid_threads);
  llvm::Value* across = wide(machine_.threads_x());
  llvm::Value* x = wide(machine_.thread_x());
  auto at = [&](llvm::Value* y) { return b.CreateAdd(b.CreateMul(y, across), x); };
  put(cells, at(rank_), running);
  machine_.barrier();
  for (int half = grid_threads / warp / 2; half > 0; half /= 2) {
    llvm::Value* takes =
        b.CreateAnd(b.CreateICmpSLT(rank_, i64(half)), b.CreateICmpSGT(size_, i64(half)));
    when(takes, [&] {
      const Running own = get(cells, at(rank_), running);
      const Running other = get(cells, at(b.CreateAdd(rank_, i64(half))), running);
      put(cells, at(rank_), combine(k.instrs[i], own, other, width(i)));
    });
    machine_.barrier();
  }
  const Running total = get(cells, x, running);
  machine_.barrier();
  return total;
}

// --- split variants
// ---------------------------------------------------------------------------------

void GridEmitter::emit_split_phase(const std::string& name, int p) {
  begin_kernel(name);
  const bool last = p == k.phases - 1;
  need([&](const Instr& instr) {
    if (is_reduction(instr.op)) return instr.phase == p;
    if (instr.op != Op::store) return false;
    return instr.level == Level::body ? instr.phase == p : last;
  });
  in_item([&] {
    load_finished(p);
    for (int stage = 0; stage <= p; ++stage) emit_all(k.kept_dims, stage);
    grid_phase(p);
    if (reduces(p)) return combine_parts(p);
    if (!last) return;
    row_guard_ = b.CreateAnd(row_guard_, b.CreateICmpEQ(part_, i64(0)));
    emit_all(k.kept_dims, k.phases);
  });
}

llvm::Value* GridEmitter::saved_at(llvm::Value* base, llvm::Value* number, int i) {
  llvm::Value* offset = b.CreateAdd(b.CreateMul(number, i64(saved_.bytes)), i64(saved_.offsets[i]));
  return address(base, offset);
}

void GridEmitter::save_running(llvm::Value* at, int i, const Running& running) {
  const Dtype dtype = accumulator_type(k.instrs[i]);
  const int lanes = width(i);
  llvm::Value* re = to_memory(dtype, running.value.re, lanes);
  b.CreateAlignedStore(re, at, llvm::Align(1 << 3));
  const int size = component_size(dtype) * lanes;
  if (running.value.im)
    b.CreateAlignedStore(running.value.im, address(at, i64(size)), llvm::Align(4));
  if (!running.index) return;
  const int value = (itemsize(dtype) * lanes + 7) / 8 * 8;
  b.CreateAlignedStore(running.index, address(at, i64(value)), llvm::Align(8));
}

FunctionEmitter::Running GridEmitter::saved_running(llvm::Value* at, int i) {
  const Instr& instr = k.instrs[i];
  const Dtype dtype = accumulator_type(instr);
  const int lanes = width(i);
  auto widened = [&](llvm::Type* type) -> llvm::Type* {
    return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes);
  };
  llvm::Type* type = widened(ops_.memory_type(dtype));
  Running running;
  running.value.re = from_memory(dtype, b.CreateAlignedLoad(type, at, llvm::Align(8)), lanes);
  const int size = component_size(dtype) * lanes;
  if (is_complex(dtype))
    running.value.im = b.CreateAlignedLoad(type, address(at, i64(size)), llvm::Align(4));
  if (instr.op != Op::reduce) {
    const int value = (itemsize(dtype) * lanes + 7) / 8 * 8;
    running.index =
        b.CreateAlignedLoad(widened(b.getInt64Ty()), address(at, i64(value)), llvm::Align(8));
  }
  return running;
}

void GridEmitter::load_finished(int p) {
  for (int earlier = 0; earlier < p; ++earlier) {
    for_reductions(earlier, [&](int i) {
      if (!needed_[i]) return;
      llvm::Value* base = machine_.device_pointer(word(layout_.finished));
      define_reduction(i, saved_running(saved_at(base, item_, i), i));
    });
  }
}

void GridEmitter::combine_parts(int p) {
  llvm::Value* partials = machine_.device_pointer(word(layout_.partials));
  auto part_at = [&](llvm::Value* part, int i) {
    return saved_at(partials, b.CreateAdd(b.CreateMul(part, items_), item_), i);
  };
  when(row_guard_, [&] {
    for_reductions(p, [&](int i) { save_running(part_at(part_, i), i, finished_[i]); });
  });
  machine_.fence();
  machine_.barrier();
  llvm::Value* ticket = b.CreateConstInBoundsGEP1_64(
      b.getInt32Ty(), machine_.device_pointer(word(layout_.tickets)), 0);
  ticket = b.CreateInBoundsGEP(b.getInt32Ty(), ticket, wide(machine_.block_x()));
  llvm::Value* first_thread =
      b.CreateICmpEQ(b.CreateOr(machine_.thread_x(), machine_.thread_y()), b.getInt32(0));
  llvm::Value* is_last = machine_.shared(b.getInt32Ty(), 1);
  when(first_thread, [&] {
    llvm::Value* others = b.CreateSub(machine_.blocks_y(), b.getInt32(1));
    llvm::Value* arrived = b.CreateICmpEQ(machine_.take_ticket(ticket), others);
    b.CreateStore(b.CreateZExt(arrived, b.getInt32Ty()), is_last);
  });
  machine_.barrier();
  when(b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), is_last), b.getInt32(0)), [&] {
    machine_.fence();
    for_reductions(p, [&](int i) { write(cell(i, width(i)), empty(k.instrs[i], width(i))); });
    counted(rank_, parts_, size_, [&](llvm::Value* part) {
      for_reductions(p, [&](int i) {
        const Cell& c = cell(i, width(i));
        write(c, combine(k.instrs[i], read(c), saved_running(part_at(part, i), i), width(i)));
      });
    });
    for_reductions(p, [&](int i) {
      finished_[i] = across_threads(i, read(cell(i, width(i))));
      define_reduction(i, finished_[i]);
    });
    if (p == k.phases - 1) {
      emit_all(k.kept_dims, k.phases);
    } else {
      llvm::Value* base = machine_.device_pointer(word(layout_.finished));
      when(row_guard_, [&] {
        for_reductions(p, [&](int i) { save_running(saved_at(base, item_, i), i, finished_[i]); });
      });
    }
    when(first_thread, [&] { b.CreateStore(b.getInt32(0), ticket); });
  });
}

}  // namespace

std::unique_ptr<llvm::Module> emit_grid_module(const Kernel& kernel, const GridVariant& variant,
                                               const Target& target, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("kernel", context);
  module->setTargetTriple(llvm::Triple(target.triple));
  const Schedule schedule = make_schedule(kernel, target, variant.vectors);
  auto emitter = [&] { return GridEmitter(kernel, variant, schedule, target, *module); };
  if (variant.split) {
    for (int p = 0; p < kernel.phases; ++p)
      emitter().emit_split_phase("phase" + std::to_string(p), p);
  } else if (variant.in_order) {
    emitter().emit_in_order("run");
  } else if (kernel.reduced_dims == 0) {
    switch (variant.walk) {
      case Walk::chunks:
        emitter().emit_chunks("run");
        break;
      case Walk::rows:
        emitter().emit_rows_of_elements("run");
        break;
      case Walk::tiles:
        emitter().emit_tiles("run");
        break;
    }
  } else {
    emitter().emit_teams("run");
  }
  return module;
}

}  // namespace heddle::kernel
