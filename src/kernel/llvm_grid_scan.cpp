// Running results on grids. An item's elements come in tiles, each scanned by a block: a thread has
// groups of elements that follow one another, a warp rounds of groups, so that threads read
// neighbours. A block takes one tile after the other and hands the running result on. Where that
// would leave the GPU idle every tile has its own block, and memory is still read once: a tile
// publishes what it comes to and reads what those before it do.
//
// Those form a tree with 32 branches: the last tile below a node also publishes what the node comes
// to. Of what comes before a tile, at most 31 siblings on every level are whole; a warp for each
// level reads them. So nobody waits for a running result, only for totals, in as many steps as the
// tree has levels; and the order of additions is the same whoever is faster.
#include "kernel/llvm_grid_emitter.h"

namespace heddle::kernel {
namespace {

constexpr int warps = grid_threads / warp_threads;
static_assert(scan_levels <= warps && 1 << scan_level_bits == warp_threads);

}  // namespace

// --- threads ---

FunctionEmitter::Running GridEmitter::scan_warp(const Instr& instr, Running running) {
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
  for (int distance = 1; distance < warp_threads; distance *= 2) {
    const Running other = moved(running, [&](auto* v) { return machine_.shuffle_up(v, distance); });
    running =
        choose(b.CreateICmpSGE(lane, i64(distance)), combine(instr, other, running, 1), running);
  }
  return running;
}

// What the warps before this thread's come to, and what all do.
FunctionEmitter::Running GridEmitter::before_warp(int i, const Running& warp_total,
                                                  Running& total) {
  const Instr& instr = k.instrs[i];
  const SharedCells cells = shared_cells(warp_total, warps);
  llvm::Value* own = b.CreateLShr(rank_, 5);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
  when(b.CreateICmpEQ(lane, i64(0)), [&] { put(cells, own, warp_total); });
  machine_.barrier();
  Running before = empty(instr, 1);
  total = before;
  for (int w = 0; w < warps; ++w) {
    const Running part = get(cells, i64(w), warp_total);
    before = choose(b.CreateICmpSLT(i64(w), own), combine(instr, before, part, 1), before);
    total = combine(instr, total, part, 1);
  }
  machine_.barrier();
  return before;
}

// --- elements ---

// Which instructions the values that are added up come from.
std::vector<std::uint8_t> GridEmitter::before_scans() const {
  std::vector<std::uint8_t> before(k.instrs.size(), 0);
  for (std::size_t i = k.instrs.size(); i-- > 0;) {
    const Instr& instr = k.instrs[i];
    if (instr.op == Op::scan) before[instr.args[0]] = 1;
    if (!before[i]) continue;
    for (const std::uint16_t arg : instr.args) {
      if (arg != no_arg) before[arg] = 1;
    }
  }
  return before;
}

void GridEmitter::emit_elements_of(const std::vector<std::uint8_t>& chosen, bool wanted) {
  for (int d = k.kept_dims + 1; d <= k.dims(); ++d) {
    for (const std::uint16_t i : schedule_.at(d, 0)) {
      if (k.instrs[i].op != Op::scan && (chosen[i] != 0) == wanted) emit(i);
    }
  }
}

bool GridEmitter::in_group(const Instr& instr) const {
  return group_place_ >= 0 && instr.level == Level::body && variant_.dense_slots >> instr.slot & 1;
}

// The first element of a group reads all of them.
Value GridEmitter::group_load(const Instr& instr) {
  Group& group = groups_[instr.slot];
  if (group_place_ == 0 && !group.loaded.re)
    group.loaded = load_unit(k.slots[instr.slot].dtype, pointers_[instr.slot], group_size());
  auto one = [&](llvm::Value* v) -> llvm::Value* {
    return v ? b.CreateExtractElement(v, static_cast<std::uint64_t>(group_place_)) : nullptr;
  };
  return {one(group.loaded.re), one(group.loaded.im)};
}

// The last one writes them.
void GridEmitter::group_store(const Instr& instr) {
  Group& group = groups_[instr.slot];
  const Value value = operand(instr.args[0], 1);
  if (group_place_ == 0) group.pointer = pointers_[instr.slot];
  auto put = [&](llvm::Value*& all, llvm::Value* v) {
    if (!v) return;
    if (group_place_ == 0)
      all = llvm::PoisonValue::get(llvm::FixedVectorType::get(v->getType(), group_size()));
    all = b.CreateInsertElement(all, v, static_cast<std::uint64_t>(group_place_));
  };
  put(group.stored.re, value.re);
  put(group.stored.im, value.im);
  if (group_place_ == group_size() - 1)
    store_unit(k.slots[instr.slot], group.stored, group.pointer, nullptr, group_size());
}

// --- tiles ---

void GridEmitter::emit_scan(const std::string& name) {
  begin_kernel(name);
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    if (variant_.dense_slots >> s & 1) strides_[s][k.dims() - 1] = i64(itemsize(k.slots[s].dtype));
  }
  in_item([&] {
    emit_all(k.kept_dims, 0);
    begin_phase(0, 1);
    llvm::Value* steps = word(layout_.steps);
    llvm::Value* tile = i64(tile_elements());
    if (parts_) {
      scan_tile(product(part_, tile), steps);
    } else {
      counted(i64(0), steps, tile, [&](llvm::Value* base) { scan_tile(base, steps); });
    }
    emit_all(k.kept_dims, 1);
  });
}

// Blocks take their tiles in order: all before it are done or under way, so that waiting for them
// ends. The last block to come leaves the counter as it was.
void GridEmitter::take_tile() {
  llvm::Value* counter = machine_.device_pointer(word(layout_.tickets));
  llvm::Value* taken = machine_.shared(b.getInt32Ty(), 1);
  when(b.CreateICmpEQ(rank_, i64(0)), [&] {
    llvm::Value* ticket = machine_.take_ticket(counter);
    b.CreateStore(ticket, taken);
    llvm::Value* last = b.CreateSub(machine_.blocks_x(), b.getInt32(1));
    when(b.CreateICmpEQ(ticket, last), [&] { b.CreateStore(b.getInt32(0), counter); });
  });
  machine_.barrier();
  llvm::Value* number = b.CreateLoad(b.getInt32Ty(), taken);
  llvm::Value* steps = word(layout_.steps);
  parts_ = b.CreateUDiv(b.CreateAdd(steps, i64(tile_elements() - 1)), i64(tile_elements()));
  llvm::Value* parts = b.CreateTrunc(parts_, b.getInt32Ty());
  item_ = wide(b.CreateUDiv(number, parts));
  part_ = wide(b.CreateURem(number, parts));
}

// Whole tiles read and write groups at once and check nothing.
void GridEmitter::scan_tile(llvm::Value* base, llvm::Value* end) {
  llvm::Value* whole = b.CreateNot(is_less(end, sum(base, i64(tile_elements()))));
  when(whole, [&] { scan_elements(base, nullptr); });
  when(b.CreateNot(whole), [&] { scan_elements(base, end); });
}

// `end`: null where the tile is whole.
void GridEmitter::scan_elements(llvm::Value* base, llvm::Value* end) {
  const int size = group_size();
  const auto per_group = static_cast<std::size_t>(size);
  const auto before = before_scans();
  llvm::Value* outer_guard = body_guard_;
  llvm::Value* warp = b.CreateLShr(rank_, 5);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
  llvm::Value* place = b.CreateAdd(b.CreateMul(warp, i64(warp_threads * variant_.scans)),
                                   b.CreateMul(lane, i64(size)));
  place = sum(base, place);

  std::vector<Scanned> all;
  auto enter_element = [&](std::size_t n, bool wanted) {
    group_place_ = end || size == 1 ? -1 : static_cast<int>(n) % size;
    if (group_place_ == 0) groups_.assign(k.slots.size(), {});
    enter_item(all[n].number, k.kept_dims, k.dims(), [&] { emit_elements_of(before, wanted); });
    group_place_ = -1;
  };
  // All loads are on their way before the first value is needed.
  for (int n = 0; n < variant_.scans; ++n) {
    Scanned element;
    const int offset = n / size * warp_threads * size + n % size;
    element.number = sum(place, i64(offset));
    if (end) {
      element.inside = is_less(element.number, end);
      element.number = smaller(element.number, b.CreateSub(end, i64(1)));
    }
    all.push_back(std::move(element));
    enter_element(all.size() - 1, true);
    all.back().values = values_;
  }
  std::vector<Running> warp_totals;
  std::vector<std::vector<Running>> before_round;  // by scan
  for_scans([&](int i) {
    warp_totals.push_back(empty(k.instrs[i], 1));
    before_round.emplace_back();
    for (std::span<Scanned> rest = all; !rest.empty(); rest = rest.subspan(per_group))
      before_round.back().push_back(scan_round(i, rest.first(per_group), lane, warp_totals.back()));
  });
  const std::vector<Running> before_own = before_warps(warp_totals);
  for (std::size_t n = 0; n < all.size(); ++n) {
    values_ = all[n].values;
    std::size_t scan = 0;
    for_scans([&](int i) {
      const Instr& instr = k.instrs[i];
      Running& earlier = before_round[scan][n / per_group];
      if (n % per_group == 0) earlier = combine(instr, before_own[scan], earlier, 1);
      define(i, combine(instr, earlier, all[n].running[scan], 1).value);
      ++scan;
    });
    body_guard_ = end ? and_also(outer_guard, all[n].inside) : outer_guard;
    enter_element(n, false);
  }
  body_guard_ = outer_guard;
}

// One group of every thread of a warp. Leaves in every element what it and those before it in its
// group come to; returns what comes before the group in the warp, and adds all of them to `total`.
FunctionEmitter::Running GridEmitter::scan_round(int i, std::span<Scanned> group, llvm::Value* lane,
                                                 Running& total) {
  const Instr& instr = k.instrs[i];
  Running sum;
  for (Scanned& element : group) {
    values_ = element.values;
    Running value{operand(instr.args[0], 1), nullptr};
    if (element.inside) value = choose(element.inside, value, empty(instr, 1));
    sum = &element == &group.front() ? value : combine(instr, sum, value, 1);
    element.running.push_back(sum);
  }
  const Running scanned = scan_warp(instr, sum);
  Running before = total;
  total = combine(instr, total, last_of_warp(scanned), 1);
  if (group.size() == 1) {
    group.front().running.back() = scanned;
    return before;
  }
  const Running left = moved(scanned, [&](auto* v) { return machine_.shuffle_up(v, 1); });
  return choose(b.CreateICmpSGT(lane, i64(0)), combine(instr, before, left, 1), before);
}

// What comes before this thread's warp in the item, for every scan.
std::vector<FunctionEmitter::Running> GridEmitter::before_warps(
    const std::vector<Running>& warp_totals) {
  std::vector<Running> before, totals;
  for_scans([&](int i) {
    Running total;
    before.push_back(before_warp(i, warp_totals[before.size()], total));
    totals.push_back(total);
  });
  std::vector<Running> carried;
  if (parts_) {
    carried = before_tile(totals);
  } else {
    for_scans([&](int i) {
      carried.push_back(read(cell(i, 1)));
      write(cell(i, 1), combine(k.instrs[i], carried.back(), totals[carried.size() - 1], 1));
    });
  }
  std::size_t n = 0;
  for_scans([&](int i) {
    before[n] = combine(k.instrs[i], carried[n], before[n], 1);
    ++n;
  });
  return before;
}

// --- totals of tiles ---

// A number for every node of an item's tree, level by level.
llvm::Value* GridEmitter::first_of_level(llvm::Value* level) {
  llvm::Value* first = i64(0);
  llvm::Value* all = i64(0);
  for (int l = 0; l <= scan_levels; ++l) {
    first = b.CreateSelect(b.CreateICmpEQ(level, i64(l)), all, first);
    all = b.CreateAdd(all, b.CreateAdd(b.CreateLShr(parts_, l * scan_level_bits), i64(1)));
  }
  return b.CreateAdd(b.CreateMul(item_, all), first);
}

llvm::Value* GridEmitter::node_at(llvm::Value* node) {
  llvm::Value* nodes = machine_.device_pointer(word(layout_.partials));
  return address(nodes, b.CreateMul(node, i64(8 * scan_words(k))));
}

// Every word of 64 bits holds half of it and says that it is there: whoever reads one sees both or
// neither, so words need no order among them.
void GridEmitter::publish(llvm::Value* node, const std::vector<Running>& totals) {
  llvm::Value* at = node_at(node);
  int n = 0;
  for (const Running& total : totals) {
    for (llvm::Value* part : {total.value.re, total.value.im}) {
      if (!part) continue;
      const unsigned width = part->getType()->getPrimitiveSizeInBits();
      llvm::Value* bits = b.CreateBitCast(part, b.getIntNTy(width));
      for (unsigned shift = 0; shift < width; shift += 32) {
        llvm::Value* half = shift ? b.CreateLShr(bits, shift) : bits;
        half = b.CreateZExtOrTrunc(half, b.getInt32Ty());
        llvm::Value* there = b.CreateOr(wide(half), i64(std::int64_t{1} << 32));
        machine_.publish(address(at, i64(8 * n++)), there);
      }
    }
  }
}

// Of a node that is read where `needed`, which all threads of the warp have: waits until it is
// there.
std::vector<FunctionEmitter::Running> GridEmitter::published(llvm::Value* node, llvm::Value* needed,
                                                             const std::vector<Running>& like) {
  llvm::Value* at = node_at(b.CreateSelect(needed, node, i64(0)));
  auto* again = llvm::BasicBlock::Create(b.getContext(), "wait", function_);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "there", function_);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  std::vector<llvm::Value*> words;
  llvm::Value* there = i64(-1);
  for (int n = 0; n < scan_words(k); ++n) {
    words.push_back(machine_.look(b.getInt64Ty(), address(at, i64(8 * n))));
    there = b.CreateAnd(there, words.back());
  }
  llvm::Value* ready =
      b.CreateOr(b.CreateNot(needed), b.CreateICmpNE(b.CreateLShr(there, 32), i64(0)));
  b.CreateCondBr(machine_.all_of_warp(ready), done, again);
  b.SetInsertPoint(done);

  std::size_t next = 0;
  auto part = [&](llvm::Value* of) -> llvm::Value* {
    if (!of) return nullptr;
    const unsigned width = of->getType()->getPrimitiveSizeInBits();
    llvm::Value* bits = b.CreateAnd(words[next++], i64(0xffffffff));
    if (width > 32) bits = b.CreateOr(bits, b.CreateShl(words[next++], 32));
    return b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(width)), of->getType());
  };
  std::vector<Running> found;
  for (const Running& one : like) {
    llvm::Value* re = part(one.value.re);
    found.push_back({{re, part(one.value.im)}, nullptr});
  }
  return found;
}

// What the tiles before this one come to, for every scan.
std::vector<FunctionEmitter::Running> GridEmitter::before_tile(const std::vector<Running>& totals) {
  llvm::Value* level = b.CreateLShr(rank_, 5);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
  when(b.CreateICmpEQ(rank_, i64(0)),
       [&] { publish(b.CreateAdd(first_of_level(i64(0)), part_), totals); });
  std::vector<SharedCells> cells;
  for (const Running& total : totals) cells.push_back(shared_cells(total, scan_levels));
  when(b.CreateICmpSLT(level, i64(scan_levels)), [&] {
    llvm::Value* shift = b.CreateMul(level, i64(scan_level_bits));
    llvm::Value* own = b.CreateLShr(part_, shift);  // the node above this tile, or it itself
    llvm::Value* place = b.CreateAnd(own, i64(warp_threads - 1));
    llvm::Value* below = b.CreateSub(b.CreateShl(i64(1), shift), i64(1));
    llvm::Value* ends = b.CreateICmpEQ(b.CreateAnd(part_, below), below);
    llvm::Value* earlier = b.CreateICmpSLT(lane, place);
    // The last tile of a node needs the node itself, too, where that is the last of its siblings.
    llvm::Value* last = b.CreateAnd(ends, b.CreateICmpEQ(place, i64(warp_threads - 1)));
    llvm::Value* sibling = b.CreateAdd(b.CreateSub(own, place), lane);
    const std::vector<Running> found =
        published(b.CreateAdd(first_of_level(level), sibling), b.CreateOr(earlier, last), totals);
    std::vector<Running> before, whole;
    for_scans([&](int i) {
      const Instr& instr = k.instrs[i];
      const Running& one = found[before.size()];
      const Running scanned = scan_warp(instr, choose(earlier, one, empty(instr, 1)));
      before.push_back(last_of_warp(scanned));
      whole.push_back(combine(instr, before.back(), one, 1));
    });
    when(b.CreateAnd(last, b.CreateICmpEQ(lane, i64(warp_threads - 1))), [&] {
      llvm::Value* above = b.CreateAdd(level, i64(1));
      publish(b.CreateAdd(first_of_level(above), b.CreateLShr(own, scan_level_bits)), whole);
    });
    when(b.CreateICmpEQ(lane, i64(0)), [&] {
      for (std::size_t n = 0; n < cells.size(); ++n) put(cells[n], level, before[n]);
    });
  });
  machine_.barrier();
  std::vector<Running> before;
  for_scans([&](int i) {
    const std::size_t n = before.size();
    Running sum = get(cells[n], i64(scan_levels - 1), totals[n]);
    for (int l = scan_levels - 1; l-- > 0;)
      sum = combine(k.instrs[i], sum, get(cells[n], i64(l), totals[n]), 1);
    before.push_back(sum);
  });
  return before;
}

}  // namespace heddle::kernel
