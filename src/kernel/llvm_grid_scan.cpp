// Running results on grids. A block works on an item, or on a part of one: it goes through the
// elements tile by tile and hands the running result on. Within a tile every warp has elements that
// follow one another, in rounds of one for each thread, so that threads read neighbours. With
// parts, a first kernel finds what each of them comes to, and the last block what comes before
// each.
#include "kernel/llvm_grid_emitter.h"

namespace heddle::kernel {
namespace {

constexpr int rounds = 4;
constexpr int warps = grid_threads / warp_threads;
static_assert(scan_tile_elements == grid_threads * rounds);

}  // namespace

// --- threads
// --------------------------------------------------------------------------------------

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

GridEmitter::Scanned GridEmitter::scan_block(int i, const Running& running) {
  const Instr& instr = k.instrs[i];
  const Running inclusive = scan_warp(instr, running);
  const Running warp_total = last_of_warp(inclusive);
  Scanned scanned;
  const Running before = before_warp(i, warp_total, scanned.total);
  scanned.inclusive = combine(instr, before, inclusive, 1);
  return scanned;
}

// --- elements
// -------------------------------------------------------------------------------------

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

// The elements of this block's part: whole tiles, but for the last part.
std::pair<llvm::Value*, llvm::Value*> GridEmitter::part_range() {
  llvm::Value* steps = word(layout_.steps);
  if (!parts_) return {i64(0), steps};
  llvm::Value* tiles =
      b.CreateUDiv(b.CreateAdd(steps, i64(scan_tile_elements - 1)), i64(scan_tile_elements));
  llvm::Value* each = b.CreateUDiv(b.CreateAdd(tiles, b.CreateSub(parts_, i64(1))), parts_);
  llvm::Value* length = b.CreateMul(each, i64(scan_tile_elements));
  llvm::Value* first = b.CreateMul(part_, length);
  llvm::Value* end =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, length), steps);
  return {first, end};
}

void GridEmitter::emit_scan(const std::string& name) {
  begin_kernel(name);
  in_item([&] {
    emit_all(k.kept_dims, 0);
    begin_phase(0, 1);
    if (parts_) {
      when(b.CreateICmpSGT(part_, i64(0)), [&] {
        for_scans([&](int i) {
          write(cell(i, 1), saved_running(part_cell(i, b.CreateSub(part_, i64(1))), i));
        });
      });
    }
    const auto before = before_scans();
    const auto [first, end] = part_range();
    counted(first, end, i64(scan_tile_elements),
            [&, end = end](llvm::Value* base) { scan_tile(base, end, before); });
    emit_all(k.kept_dims, 1);
  });
}

void GridEmitter::scan_tile(llvm::Value* base, llvm::Value* end,
                            const std::vector<std::uint8_t>& before) {
  llvm::Value* warp = b.CreateLShr(rank_, 5);
  llvm::Value* lane = b.CreateAnd(rank_, i64(warp_threads - 1));
  llvm::Value* place =
      b.CreateAdd(base, b.CreateAdd(b.CreateMul(warp, i64(warp_threads * rounds)), lane));
  llvm::Value* outer_guard = body_guard_;
  struct Round {
    llvm::Value* number;
    llvm::Value* inside;
    std::vector<Held> values;
    std::vector<Running> running;  // per scan, within the warp
  };
  std::vector<Round> all(rounds);
  std::vector<Running> warp_totals;
  for_scans([&](int i) { warp_totals.push_back(empty(k.instrs[i], 1)); });
  for (int r = 0; r < rounds; ++r) {
    Round& round = all[r];
    llvm::Value* number = b.CreateAdd(place, i64(r * warp_threads));
    round.inside = b.CreateICmpSLT(number, end);
    round.number = b.CreateSelect(round.inside, number, b.CreateSub(end, i64(1)));
    enter_item(round.number, k.kept_dims, k.dims(), [&] { emit_elements_of(before, true); });
    round.values = values_;
    std::size_t n = 0;
    for_scans([&](int i) {
      const Instr& instr = k.instrs[i];
      const Running value{operand(instr.args[0], 1), nullptr};
      const Running scanned = scan_warp(instr, choose(round.inside, value, empty(instr, 1)));
      round.running.push_back(combine(instr, warp_totals[n], scanned, 1));
      warp_totals[n++] = last_of_warp(round.running.back());
    });
  }
  std::vector<Running> before_own;
  std::size_t n = 0;
  for_scans([&](int i) {
    const Instr& instr = k.instrs[i];
    Running total;
    const Running earlier = before_warp(i, warp_totals[n++], total);
    const Running carried = read(cell(i, 1));
    before_own.push_back(combine(instr, carried, earlier, 1));
    write(cell(i, 1), combine(instr, carried, total, 1));
  });
  for (Round& round : all) {
    values_ = round.values;
    n = 0;
    for_scans([&](int i) {
      const Running result = combine(k.instrs[i], before_own[n], round.running[n], 1);
      define(i, result.value);
      ++n;
    });
    body_guard_ = b.CreateAnd(outer_guard, round.inside);
    enter_item(round.number, k.kept_dims, k.dims(), [&] { emit_elements_of(before, false); });
  }
  body_guard_ = outer_guard;
}

// --- parts
// ----------------------------------------------------------------------------------------

void GridEmitter::emit_scan_totals(const std::string& name) {
  begin_kernel(name);
  in_item([&] {
    emit_all(k.kept_dims, 0);
    begin_phase(0, 1);
    const auto before = before_scans();
    const auto [first, end] = part_range();
    counted(b.CreateAdd(first, rank_), end, size_, [&](llvm::Value* number) {
      enter_item(number, k.kept_dims, k.dims(), [&] {
        emit_elements_of(before, true);
        for_scans([&](int i) {
          const Instr& instr = k.instrs[i];
          const Running value{operand(instr.args[0], 1), nullptr};
          write(cell(i, 1), combine(instr, read(cell(i, 1)), value, 1));
        });
      });
    });
    for_scans([&](int i) {
      const Running total = across_block(i, read(cell(i, 1)));
      when(row_guard_, [&] { save_running(part_cell(i, part_), i, total); });
    });
    in_last_block([&] { scan_parts(); });
  });
}

// Each part's total becomes what it and all before it come to.
void GridEmitter::scan_parts() {
  for_scans([&](int i) {
    const Instr& instr = k.instrs[i];
    const Cell& carry = cell(i, 1);
    write(carry, empty(instr, 1));
    counted(i64(0), parts_, size_, [&](llvm::Value* base) {
      llvm::Value* part = b.CreateAdd(base, rank_);
      llvm::Value* inside = b.CreateICmpSLT(part, parts_);
      llvm::Value* clamped = b.CreateSelect(inside, part, b.CreateSub(parts_, i64(1)));
      const Running own = saved_running(part_cell(i, clamped), i);
      const Scanned scanned = scan_block(i, choose(inside, own, empty(instr, 1)));
      const Running before = read(carry);
      when(inside, [&] {
        save_running(part_cell(i, part), i, combine(instr, before, scanned.inclusive, 1));
      });
      write(carry, combine(instr, before, scanned.total, 1));
    });
  });
}

}  // namespace heddle::kernel
