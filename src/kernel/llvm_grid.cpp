#include "kernel/llvm_grid.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernel/llvm_grid_emitter.h"

namespace heddle::kernel {

// --- arguments ---

void GridEmitter::begin_kernel(const std::string& name) {
  begin(name, {b.getPtrTy()});
  const bool long_block = variant_.team == Team::block && !variant_.scans;
  const int threads = long_block ? block_team_threads : grid_threads;
  // Registers for this many blocks at once: enough to hide the memory's latency, but not so few
  // registers that values are moved out of them.
  const int weight = weight_of(k);
  int wanted = is_long(k) ? 2 : weight > 24 ? 3 : weight > 16 ? 5 : 6;
  if (variant_.walk == Walk::tiles || variant_.kept_steps > 0 || variant_.places > 1 ||
      reads_ahead(k, variant_)) {
    wanted = std::min(wanted, 4);
  }
  if (variant_.scans)
    wanted = k.instrs.size() > 8 || scan_words(k) > 1 || variant_.scans > 16 ? 4 : 5;
  const int blocks = std::max(wanted * grid_threads / threads, 1);
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
  scalars_ = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function_->getArg(0),
                                          static_cast<std::uint64_t>(layout_.scalars));
  prepare_streams();
  origin_.assign(k.dims(), i64(0));
  set_arguments([&](int d) { return word(layout_.extents + d); },
                [&](int s) { return machine_.device_pointer(word(layout_.pointers + s)); },
                [&](int s, int d) { return word(layout_.strides + s * k.dims() + d); });
  items_ = word(layout_.items);
  row_guard_ = body_guard_ = nullptr;
}

// --- the loop nest ---

// How many steps there are along a dimension.
llvm::Value* GridEmitter::chunks_of(int dim) {
  if (dim != schedule_.lane_dim || schedule_.lanes == 1) return extents_[dim];
  return b.CreateLShr(extents_[dim], std::countr_zero(static_cast<unsigned>(schedule_.lanes)));
}

llvm::Value* GridEmitter::divide(llvm::Value* n, int dim) {
  if (variant_.wide) return b.CreateUDiv(n, chunks_of(dim));
  llvm::Value* how = word(layout_.divisors + dim);
  llvm::Value* factor = wide(b.CreateTrunc(how, b.getInt32Ty()));
  return b.CreateLShr(b.CreateMul(n, factor, "", true, true), b.CreateLShr(how, 32));
}

llvm::Value* GridEmitter::distance(llvm::Value* index, llvm::Value* stride) {
  if (variant_.wide) return b.CreateMul(index, stride);
  if (!llvm::isa<llvm::Constant>(stride)) return machine_.multiply(narrow(index), narrow(stride));
  return b.CreateMul(b.CreateSExt(narrow(index), b.getInt64Ty()), stride, "", false, true);
}

// Takes a number apart into indices of the dimensions [first, last), the last one running fastest,
// and runs the body there.
void GridEmitter::enter_item(llvm::Value* number, int first, int last, const Body& body) {
  std::vector<llvm::Value*> index(last, nullptr);
  llvm::Value* rest = number;
  for (int d = last - 1; d > first; --d) {
    llvm::Value* quotient = divide(rest, d);
    index[d] = widened(b.CreateSub(narrow(rest), narrow(product(quotient, chunks_of(d)))));
    rest = quotient;
  }
  index[first] = rest;
  if (schedule_.lane_dim >= first && schedule_.lane_dim < last) {
    llvm::Value*& along = index[schedule_.lane_dim];
    along = product(along, i64(schedule_.lanes));
  }
  enter_all(first, last, index, body);
}

void GridEmitter::enter_all(int dim, int last, const std::vector<llvm::Value*>& index,
                            const Body& body) {
  if (dim == last) return body();
  enter(dim, index[dim], [&] { enter_all(dim + 1, last, index, body); });
}

llvm::Value* GridEmitter::place_x() {
  return sum(product(wide(machine_.block_x()), wide(machine_.threads_x())),
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
  if (claiming_) need_places();
  lanes_ = schedule_.lanes;
  emit_all(0, 0);
  llvm::Value* thread = place_x();
  llvm::Value* threads = product(wide(machine_.blocks_x()), wide(machine_.threads_x()));
  const Body inside = [&] { one_element(); };
  if (reads_ahead(k, variant_)) {
    chunks_read_ahead(thread, threads);
  } else {
    counted(thread, items_, threads, [&](llvm::Value* n) {
      item_ = n;
      enter_item(n, 0, k.kept_dims, inside);
    });
  }
  if (schedule_.lanes > 1 && k.kept_dims == 1) {
    lanes_ = 1;
    llvm::Value* whole = b.CreateAnd(extents_[0], i64(-schedule_.lanes));
    counted(sum(whole, thread), extents_[0], threads, [&](llvm::Value* i) { enter(0, i, inside); });
  }
  b.CreateRetVoid();
}

// What is read is handed from turn to turn; in the last one the same is read once more.
void GridEmitter::chunks_read_ahead(llvm::Value* thread, llvm::Value* threads) {
  struct Handed {
    std::size_t instr;
    llvm::Value* Value::* part;
    llvm::PHINode* phi;
  };
  when(is_less(thread, items_), [&] {
    enter_item(thread, 0, k.kept_dims, [&] { read_ahead(); });
    std::vector<Held> here = values_;
    llvm::BasicBlock* before = b.GetInsertBlock();
    counted(thread, items_, threads, [&](llvm::Value* n) {
      llvm::IRBuilder<> top(b.GetInsertBlock(), b.GetInsertBlock()->begin());
      std::vector<Handed> handed;
      for (std::size_t i = 0; i < k.instrs.size(); ++i) {
        if (schedule_.depth[i] == 0 || !reads_directly(k.instrs[i])) continue;
        for (auto part : {&Value::re, &Value::im}) {
          llvm::Value*& value = here[i].value.*part;
          if (!value) continue;
          auto* phi = top.CreatePHI(value->getType(), 2);
          phi->addIncoming(value, before);
          value = phi;
          handed.push_back({i, part, phi});
        }
      }
      llvm::Value* next = sum(n, threads);
      enter_item(b.CreateSelect(is_less(next, items_), next, n), 0, k.kept_dims,
                 [&] { read_ahead(); });
      const std::vector<Held> there = std::exchange(values_, here);
      ahead_ = true;
      enter_item(n, 0, k.kept_dims, [&] { one_element(); });
      ahead_ = false;
      for (const auto& [instr, part, phi] : handed)
        phi->addIncoming(there[instr].value.*part, b.GetInsertBlock());
    });
  });
}

void GridEmitter::emit_rows_of_elements(const std::string& name) {
  begin_kernel(name);
  lanes_ = schedule_.lanes;
  emit_all(0, 0);
  const int last = k.kept_dims - 1;
  // Every block has rows that follow one another: what neighbouring rows share is in its cache.
  llvm::Value* step = wide(machine_.threads_y());
  llvm::Value* in_step = product(wide(machine_.blocks_y()), step);
  llvm::Value* each =
      widened(b.CreateUDiv(narrow(sum(items_, b.CreateSub(in_step, i64(1)))), narrow(in_step)));
  llvm::Value* length = product(each, step);
  llvm::Value* start = product(wide(machine_.block_y()), length);
  llvm::Value* first = sum(start, wide(machine_.thread_y()));
  llvm::Value* end = smaller(sum(start, length), items_);
  // The place along the lanes is found once, before the loop.
  auto over_rows = [&](llvm::Value* column, const Body& body) {
    enter(last, product(column, i64(schedule_.lanes)), [&] {
      counted(first, end, step, [&](llvm::Value* n) { enter_item(n, 0, last, body); });
    });
  };
  llvm::Value* columns = chunks_of(last);
  if (variant_.places == 1) {
    llvm::Value* column = place_x();
    when(is_less(column, columns), [&] { over_rows(column, [&] { one_element(); }); });
    b.CreateRetVoid();
    return;
  }
  const int width = variant_.places * grid_threads;
  llvm::Value* begin = product(wide(machine_.block_x()), i64(width));
  llvm::Value* column = sum(begin, wide(machine_.thread_x()));
  // The same for all threads of a block: none of them waits for another one's way.
  llvm::Value* past = is_less(columns, sum(begin, i64(width)));
  when(b.CreateNot(past), [&] { over_rows(column, [&] { places_of_row(column, nullptr); }); });
  when(past, [&] {
    llvm::Value* near = smaller(column, b.CreateSub(columns, i64(1)));
    over_rows(near, [&] { places_of_row(column, columns); });
  });
  b.CreateRetVoid();
}

// All places that this thread has in the row that was entered, from `first` on. Where some are
// beyond the last of the `columns`, those read the last one and write nothing.
void GridEmitter::places_of_row(llvm::Value* first, llvm::Value* columns) {
  const int last = k.kept_dims - 1;
  llvm::Value* entered = index_[last];
  auto place = [&](int n) { return sum(first, i64(std::int64_t{n} * grid_threads)); };
  auto at_place = [&](int n, const Body& body) {
    llvm::Value* here = columns ? smaller(place(n), b.CreateSub(columns, i64(1))) : place(n);
    llvm::Value* more = columns ? b.CreateSub(here, entered) : i64(std::int64_t{n} * grid_threads);
    enter(last, more, [&] {
      index_[last] = here;
      body();
    });
  };
  std::vector<std::vector<Held>> read(variant_.places);
  for (int n = 0; n < variant_.places; ++n) {
    at_place(n, [&] { read_ahead(); });
    read[static_cast<std::size_t>(n)] = values_;
  }
  auto compute = [&](int n) {
    values_ = read[static_cast<std::size_t>(n)];
    ahead_ = true;
    at_place(n, [&] { one_element(); });
    ahead_ = false;
  };
  for (int n = 0; n < variant_.places; ++n) {
    if (columns) {
      when(is_less(place(n), columns), [&] { compute(n); });
    } else {
      compute(n);
    }
  }
  index_[last] = entered;
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
  const auto [tile_along, tile_across] = tile_place();
  llvm::Value* first_along = product(tile_along, i64(tile_side));
  llvm::Value* first_across = product(tile_across, i64(tile_side));
  auto clamped = [&](llvm::Value* index, int dim) {
    return smaller(index, b.CreateSub(extents_[dim], i64(1)));
  };
  make_tiles();
  counted(wide(machine_.block_z()), items_, wide(machine_.blocks_z()), [&](llvm::Value* n) {
    enter_others(n, [&] {
      over_tile(true, [&](llvm::Value* r) {
        enter(along, clamped(sum(first_along, r), along), [&] {
          enter(across, clamped(sum(first_across, x), across), [&] { fill_tiles(r, x); });
        });
      });
      llvm::Value* here = sum(first_along, x);
      const bool unrolled = k.instrs.size() <= 24;
      // What is read directly is on its way while the block waits for its tiles.
      std::vector<std::vector<Held>> read;
      if (unrolled) {
        over_tile(true, [&](llvm::Value* r) {
          enter(along, clamped(here, along), [&] {
            enter(across, clamped(sum(first_across, r), across), [&] { read_ahead(); });
          });
          read.push_back(values_);
        });
      }
      machine_.barrier();
      std::size_t number = 0;
      over_tile(unrolled, [&](llvm::Value* r) {
        if (unrolled) values_ = read[number++];
        llvm::Value* there = sum(first_across, r);
        llvm::Value* inside =
            b.CreateAnd(is_less(here, extents_[along]), is_less(there, extents_[across]));
        when(inside, [&] {
          tile_row_ = x;
          tile_column_ = r;
          ahead_ = unrolled;
          enter(along, here, [&] { enter(across, there, [&] { one_element(); }); });
          ahead_ = false;
        });
      });
      machine_.barrier();
    });
  });
  b.CreateRetVoid();
}

// Which tile this block has, along and across. Mirrored, the tiles with the larger coordinate m
// come after all those with smaller ones: (m, 0), (0, m), (m, 1), (1, m) ... (m, m). What one tile
// reads its mirror image then finds in the cache.
std::pair<llvm::Value*, llvm::Value*> GridEmitter::tile_place() {
  llvm::Value* x = wide(machine_.block_x());
  llvm::Value* y = wide(machine_.block_y());
  if (!variant_.mirrored) return {x, y};
  llvm::Value* number = sum(product(y, wide(machine_.blocks_x())), x);
  llvm::Value* root = b.CreateUnaryIntrinsic(
      llvm::Intrinsic::sqrt,
      b.CreateUIToFP(narrow(number), variant_.wide ? b.getDoubleTy() : b.getFloatTy()));
  // Rounding may have made it larger or smaller by one.
  llvm::Value* most = widened(b.CreateFPToUI(root, narrow(number)->getType()));
  auto correct = [&](llvm::Value* condition, int change) {
    most = b.CreateSelect(condition, sum(most, i64(change)), most);
  };
  correct(is_less(number, product(most, most)), -1);
  llvm::Value* next = sum(most, i64(1));
  correct(b.CreateNot(is_less(number, product(next, next))), 1);
  llvm::Value* rest = widened(b.CreateSub(narrow(number), narrow(product(most, most))));
  llvm::Value* other = b.CreateLShr(rest, 1);
  llvm::Value* odd = b.CreateTrunc(rest, b.getInt1Ty());
  return {b.CreateSelect(odd, other, most), b.CreateSelect(odd, most, other)};
}

bool GridEmitter::reads_directly(const Instr& instr) const {
  return kernel::reads_directly(k, instr) && !(variant_.tiled_slots >> instr.slot & 1);
}

void GridEmitter::read_ahead() {
  for (std::size_t i = 0; i < k.instrs.size(); ++i) {
    if (schedule_.depth[i] > 0 && reads_directly(k.instrs[i])) emit(static_cast<int>(i));
  }
}

// The rows of a tile that this thread has. Unrolled, several of its loads are on their way at once.
void GridEmitter::over_tile(bool unrolled, const std::function<void(llvm::Value*)>& body) {
  llvm::Value* first = wide(machine_.thread_y());
  if (!unrolled) return counted(first, i64(tile_side), i64(tile_rows), body);
  for (int r = 0; r < tile_side; r += tile_rows) body(sum(first, i64(r)));
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
        n == 0 ? rest
               : widened(b.CreateSub(narrow(rest), narrow(product(quotient, extents_[dims[n]]))));
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
  return sum(product(row, i64(tile_side + 1)), column);
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
  if (variant_.scatter == Scatter::atomic && k.instrs[i].args[0] != no_arg &&
      k.slots[k.instrs[i].slot].written)
    return begin_attempt(k.instrs[i]);
  const std::uint16_t s = k.instrs[i].slot;
  if (in_group(k.instrs[i])) return group_load(k.instrs[i]);
  if (ahead_ && reads_directly(k.instrs[i])) return values_[i].value;
  if (!kept_.empty() && keeps(k.instrs[i])) return kept_load(i, lanes);
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

std::unique_ptr<llvm::Module> emit_grid_module(const Kernel& kernel, const GridVariant& variant,
                                               const Target& target, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("kernel", context);
  module->setTargetTriple(llvm::Triple(target.triple));
  const Schedule schedule = make_schedule(kernel, target, variant.vectors);
  auto emitter = [&] { return GridEmitter(kernel, variant, schedule, target, *module); };
  const auto names = entry_names(kernel, variant);
  if (variant.scatter == Scatter::last) {
    emitter().emit_claims(names[0]);
    emitter().emit_chunks(names[1]);
  } else if (variant.scans) {
    emitter().emit_scan(names[0]);
  } else if (variant.split) {
    for (std::size_t p = 0; p < names.size(); ++p)
      emitter().emit_split_phase(names[p], static_cast<int>(p));
  } else if (variant.in_order) {
    emitter().emit_in_order(names[0]);
  } else if (kernel.reduced_dims > 0) {
    emitter().emit_teams(names[0]);
  } else if (variant.walk == Walk::chunks) {
    emitter().emit_chunks(names[0]);
  } else if (variant.walk == Walk::rows) {
    emitter().emit_rows_of_elements(names[0]);
  } else {
    emitter().emit_tiles(names[0]);
  }
  return module;
}

}  // namespace heddle::kernel
