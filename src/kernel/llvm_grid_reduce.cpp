// Reductions on grids: teams of threads, and items that are spread over several blocks.
#include "kernel/llvm_grid_emitter.h"

namespace heddle::kernel {

// --- teams ---

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
      item_ = sum(product(block, across), x);
      break;
    case Team::warp:
      rank_ = x;
      size_ = across;
      item_ = sum(product(block, wide(machine_.threads_y())), y);
      break;
    case Team::block:
      rank_ = x;
      size_ = across;
      item_ = block;
      break;
  }
  if (variant_.scans) {
    if (variant_.split) take_tile();
    row_guard_ = b.CreateICmpEQ(rank_, i64(0));
    if (part_) row_guard_ = b.CreateAnd(row_guard_, b.CreateICmpEQ(part_, i64(0)));
    return;
  }
  body_guard_ = is_less(item_, items_);
  row_guard_ = b.CreateAnd(body_guard_, b.CreateICmpEQ(rank_, i64(0)));
  item_ = smaller(item_, b.CreateSub(items_, i64(1)));
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

// The first phase that reads an element keeps it.
bool GridEmitter::keeps(const Instr& instr) const {
  return instr.level == Level::body && instr.args[0] == no_arg && !k.slots[instr.slot].written;
}

Value GridEmitter::kept_load(int i, int lanes) {
  Value& kept = kept_[kept_step_][k.instrs[i].slot];
  if (!kept.re) kept = FunctionEmitter::load(i, lanes);
  return kept;
}

void GridEmitter::kept_phase(int p) {
  phase_ = p;
  begin_phase(p, schedule_.lanes);
  lanes_ = schedule_.lanes;
  kept_.resize(variant_.kept_steps, std::vector<Value>(k.slots.size()));
  llvm::Value* steps = word(layout_.steps);
  llvm::Value* outer_guard = body_guard_;
  for (kept_step_ = 0; kept_step_ < variant_.kept_steps; ++kept_step_) {
    llvm::Value* n = sum(rank_, product(size_, i64(static_cast<std::int64_t>(kept_step_))));
    counts_ = is_less(n, steps);
    body_guard_ = b.CreateAnd(outer_guard, counts_);
    n = smaller(n, b.CreateSub(steps, i64(1)));
    enter_item(n, k.kept_dims, k.dims(), [&] { element(p); });
  }
  body_guard_ = outer_guard;
  counts_ = nullptr;
  lanes_ = schedule_.lanes == 1 ? 1 : 0;
  end_phase(p);
  phase_ = -1;
}

void GridEmitter::grid_phase(int p) {
  if (variant_.kept_steps) return kept_phase(p);
  phase_ = p;
  const bool along = k.lanes == Lanes::reduced && schedule_.lanes > 1;
  begin_phase(p, k.lanes == Lanes::kept ? lanes_ : schedule_.lanes);
  llvm::Value* first = part_ ? sum(product(part_, size_), rank_) : rank_;
  llvm::Value* step = parts_ ? product(parts_, size_) : size_;
  if (along) lanes_ = schedule_.lanes;
  counted(first, word(layout_.steps), step,
          [&](llvm::Value* n) { enter_item(n, k.kept_dims, k.dims(), [&] { element(p); }); });
  if (along && k.reduced_dims == 1) {
    lanes_ = 1;
    begin_phase(p, 1);
    llvm::Value* extent = extents_[k.kept_dims];
    llvm::Value* whole = b.CreateAnd(extent, i64(-schedule_.lanes));
    counted(sum(whole, first), extent, step,
            [&](llvm::Value* i) { enter(k.kept_dims, i, [&] { element(p); }); });
    lanes_ = schedule_.lanes;
    merge_tail(p);
  }
  if (along) lanes_ = 0;
  end_phase(p);
  phase_ = -1;
}

// --- accumulators of many threads ---

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

// All threads of the team get the result. Null: the team is the whole warp.
FunctionEmitter::Running GridEmitter::across_warp(int i, Running running, llvm::Value* size) {
  const Instr& instr = k.instrs[i];
  const Cell& c = cell(i, 1);
  if (size) write(c, running);
  for (int bits = 1; bits < warp_threads; bits *= 2) {
    if (!size) {
      running = combine(instr, running,
                        moved(running, [&](auto* v) { return machine_.shuffle(v, bits); }), 1);
      continue;
    }
    when(b.CreateICmpSGT(size, i64(bits)), [&] {
      const Running own = read(c);
      write(c,
            combine(instr, own, moved(own, [&](auto* v) { return machine_.shuffle(v, bits); }), 1));
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
  const SharedCells cells = shared_cells(running, warp_threads);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
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
  for (int half = column_rows / 2; half > 0; half /= 2) {
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

// --- split variants ---

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
  const Dtype dtype = accumulator_type(k, k.instrs[i]);
  const int lanes = width(i);
  llvm::Value* re = to_memory(dtype, running.value.re, lanes);
  b.CreateAlignedStore(re, at, llvm::Align(8));
  const int size = component_size(dtype) * lanes;
  if (running.value.im)
    b.CreateAlignedStore(running.value.im, address(at, i64(size)),
                         llvm::Align(component_size(dtype)));
  if (!running.index) return;
  llvm::Value* index_at = address(at, i64(GridAccumulators::value_bytes(dtype, lanes)));
  b.CreateAlignedStore(running.index, index_at, llvm::Align(8));
}

FunctionEmitter::Running GridEmitter::saved_running(llvm::Value* at, int i) {
  const Instr& instr = k.instrs[i];
  const Dtype dtype = accumulator_type(k, instr);
  const int lanes = width(i);
  auto widened = [&](llvm::Type* type) -> llvm::Type* {
    return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes);
  };
  llvm::Type* type = widened(ops_.memory_type(dtype));
  Running running;
  running.value.re = from_memory(dtype, b.CreateAlignedLoad(type, at, llvm::Align(8)), lanes);
  const int size = component_size(dtype) * lanes;
  if (is_complex(dtype))
    running.value.im =
        b.CreateAlignedLoad(type, address(at, i64(size)), llvm::Align(component_size(dtype)));
  if (is_extreme(instr.op)) {
    llvm::Value* index_at = address(at, i64(GridAccumulators::value_bytes(dtype, lanes)));
    running.index = b.CreateAlignedLoad(widened(b.getInt64Ty()), index_at, llvm::Align(8));
  }
  return running;
}

llvm::Value* GridEmitter::part_cell(int i, llvm::Value* part) {
  llvm::Value* partials = machine_.device_pointer(word(layout_.partials));
  return saved_at(partials, b.CreateAdd(b.CreateMul(part, items_), item_), i);
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
  when(row_guard_, [&] {
    for_reductions(p, [&](int i) { save_running(part_cell(i, part_), i, finished_[i]); });
  });
  in_last_block([&] {
    for_reductions(p, [&](int i) { write(cell(i, width(i)), empty(k.instrs[i], width(i))); });
    counted(rank_, parts_, size_, [&](llvm::Value* part) {
      for_reductions(p, [&](int i) {
        const Cell& c = cell(i, width(i));
        write(c, combine(k.instrs[i], read(c), saved_running(part_cell(i, part), i), width(i)));
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
  });
}

void GridEmitter::in_last_block(const Body& body) {
  machine_.fence();
  machine_.barrier();
  llvm::Value* tickets = machine_.device_pointer(word(layout_.tickets));
  llvm::Value* ticket = b.CreateInBoundsGEP(b.getInt32Ty(), tickets, wide(machine_.block_x()));
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
    body();
    when(first_thread, [&] { b.CreateStore(b.getInt32(0), ticket); });
  });
}

}  // namespace heddle::kernel
