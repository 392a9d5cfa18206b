#include "kernel/schedule.h"

#include <algorithm>
#include <bit>

#include "kernel/op_cost.h"

namespace heddle::kernel {
namespace {

constexpr int block_bytes = 32;  // of random words that are made at once (philox.h)

Dtype operand_type(const Kernel& kernel, const Instr& instr) {
  return instr.args[0] == no_arg ? instr.dtype : kernel.instrs[instr.args[0]].dtype;
}

class Scheduler {
 public:
  Scheduler(const Kernel& kernel, const Target& target, bool vectors)
      : k(kernel), target_(target), one_lane_(!vectors) {
    s.lane_dim = (k.lanes == Lanes::kept ? k.kept_dims : k.dims()) - 1;
    s.stages = k.phases + 1;
  }

  Schedule run() {
    place();
    find_truth();
    find_widths();
    choose_lanes();
    find_splats();
    return std::move(s);
  }

 private:
  // The deepest loop that a memory access depends on, at the instruction's own level.
  int own_depth(const Instr& instr) const {
    if (instr.level == Level::uniform) return 0;
    return instr.level == Level::row ? k.kept_dims : k.dims();
  }

  void place() {
    const int n = static_cast<int>(k.instrs.size());
    s.depth.assign(n, 0);
    s.stage.assign(n, 0);
    s.vector.assign(n, 0);
    std::vector<int> written_stage(k.slots.size(), 0);
    for (int i = 0; i < n; ++i) {
      const Instr& instr = k.instrs[i];
      int depth = 0, stage = 0;
      bool vector = false;
      for (std::uint16_t arg : instr.args) {
        if (arg == no_arg) continue;
        depth = std::max(depth, s.depth[arg]);
        vector |= s.vector[arg];
        if (s.depth[arg] <= k.kept_dims) stage = std::max(stage, s.stage[arg]);
      }
      switch (instr.op) {
        case Op::load: {
          const Slot& slot = k.slots[instr.slot];
          for (int d = 0; d < own_depth(instr); ++d) {
            if (slot.zero_dims >> d & 1) continue;
            depth = std::max(depth, d + 1);
            vector |= d == s.lane_dim;
          }
          // These must see what was written before them in the same row.
          if (k.sequential || slot.written) {
            depth = own_depth(instr);
            stage = std::max(stage, written_stage[instr.slot]);
          }
          break;
        }
        case Op::index:
          depth = instr.slot + 1;
          vector = instr.slot == s.lane_dim;
          break;
        case Op::store: {
          const Slot& slot = k.slots[instr.slot];
          depth = own_depth(instr);
          vector = depth > s.lane_dim;
          stage = k.phases;
          written_stage[instr.slot] = instr.level == Level::body ? instr.phase + 1 : k.phases;
          if (slot.lane == Stride::zero && instr.args[1] == no_arg && vector) one_lane_ = true;
          break;
        }
        case Op::reduce:
        case Op::argmin:
        case Op::argmax:
          depth = k.kept_dims;
          stage = instr.phase + 1;
          vector = vector && k.lanes == Lanes::kept;
          if (instr.op == Op::reduce && !has_identity(instr.combine) && k.lanes == Lanes::reduced)
            one_lane_ = true;
          break;
        case Op::scan:
          depth = k.dims();
          break;
        default:
          break;
      }
      s.depth[i] = depth;
      s.stage[i] = depth > k.kept_dims ? instr.phase : depth < k.kept_dims ? 0 : stage;
      s.vector[i] = vector;
    }
    s.lists.assign(static_cast<std::size_t>(k.dims() + 1) * s.stages, {});
    for (int i = 0; i < n; ++i)
      s.lists[s.depth[i] * s.stages + s.stage[i]].push_back(static_cast<std::uint16_t>(i));
  }

  // The truth values that a reduction may take as bits; no_arg for none.
  std::uint16_t truth_of(const Instr& instr) const {
    if (!is_reduction(instr.op)) return no_arg;
    const std::uint16_t value = instr.args[0];
    const Instr& made = k.instrs[value];
    if (is_extreme(instr.op)) return made.dtype == Dtype::bool_ ? value : no_arg;
    const bool counts = instr.combine == Op::add && is_integer(instr.dtype) &&
                        made.op == Op::cast && operand_type(k, made) == Dtype::bool_;
    return counts ? made.args[0] : no_arg;
  }

  // Also which instructions are not needed for each lane: numbers that are only counted, and places
  // that follow from the first one.
  void find_truth() {
    s.truth.assign(k.instrs.size(), no_arg);
    idle_.assign(k.instrs.size(), 0);
    if (target_.model != Model::simd || k.lanes != Lanes::reduced) return;
    std::vector<std::uint8_t> used(k.instrs.size(), 0);
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Instr& instr = k.instrs[i];
      s.truth[i] = truth_of(instr);
      for (std::uint16_t arg : instr.args) {
        if (arg != no_arg && (s.truth[i] == no_arg || arg == s.truth[i])) used[arg] = 1;
      }
    }
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Op op = k.instrs[i].op;
      idle_[i] = !used[i] && (op == Op::cast || op == Op::index);
    }
  }

  void find_widths() {
    s.width.assign(k.instrs.size(), 0);
    if (target_.model != Model::simd || k.lanes != Lanes::reduced) return;
    constexpr int registers = 4;  // hide the latency of additions
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Instr& instr = k.instrs[i];
      if (instr.op != Op::reduce || !depends_on_order(instr.combine, instr.dtype)) continue;
      s.width[i] = registers * target_.vector_bytes / std::max(4, component_size(instr.dtype));
    }
  }

  // Whether unrolled code for it would be long.
  bool costs_much(const Instr& instr) const {
    if (instr.op == Op::load)
      return k.slots[instr.slot].lane == Stride::any || instr.args[0] != no_arg;
    if (instr.op == Op::store)
      return k.slots[instr.slot].lane == Stride::any || instr.args[1] != no_arg;
    return instr.op == Op::random || is_heavy(instr.op, operand_type(k, instr));
  }

  void choose_lanes() {
    s.rolling.assign(k.phases, k.sequential || one_lane_);
    if (k.sequential || one_lane_) return;
    int widest = 1, cost = 0, reductions = 0;
    int word = 0;  // bytes of random words
    bool heavy = false, irregular = false, small_irregular = false, scans = false;
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Instr& instr = k.instrs[i];
      if (is_reduction(instr.op)) {
        ++reductions;
        const Dtype value = s.truth[i] == no_arg ? operand_type(k, instr) : Dtype::bool_;
        widest = std::max(widest, component_size(value));
        heavy |= instr.op == Op::reduce && is_heavy(instr.combine, value);
        // Without mask registers several of them per value are taken apart bit by bit.
        heavy |= value == Dtype::bool_ && !target_.masked_memory;
      }
      if (instr.level == Level::body && s.vector[i] && !idle_[i] && costs_much(instr))
        s.rolling[instr.phase] = 1;
      scans |= instr.op == Op::scan;
      if (!s.vector[i] || idle_[i]) continue;
      ++cost;
      widest = std::max(widest, component_size(instr.dtype));
      if (instr.op == Op::random)
        word = word == 0 ? itemsize(instr.dtype) : std::min(word, itemsize(instr.dtype));
      heavy |= is_heavy(instr.op, operand_type(k, instr));
      if (instr.op == Op::load || instr.op == Op::store) {
        const Slot& slot = k.slots[instr.slot];
        const int offset = instr.op == Op::load ? 0 : 1;
        widest = std::max(widest, component_size(slot.dtype));
        if (slot.lane == Stride::any || instr.args[offset] != no_arg) {
          irregular = true;
          small_irregular |= component_size(slot.dtype) < 4;
        }
        irregular |= instr.op == Op::store && instr.args[2] != no_arg;
        irregular |=
            instr.op == Op::load && instr.args[1] != no_arg && target_.model == Model::grid;
      }
    }
    if (target_.model == Model::grid) {
      // Neighbouring threads must read neighbouring elements: vectors only where all are dense.
      if (irregular || scans) return;
      s.lanes = std::max(1, target_.vector_bytes / widest);
      if (word > 0) s.lanes = std::max(s.lanes, block_bytes / word);  // a block for every thread
      return;
    }
    int registers = 1;
    if (!heavy && !irregular && !scans) {
      if (reductions > 0)
        registers = cost + reductions <= 6 ? 4 : 2;
      else
        registers = cost <= 24 ? 2 : 1;
    }
    s.lanes = std::min(128, std::max(1, target_.vector_bytes / widest) * registers);
    // A vector, which works on half a register's share of words at a time, and as many words beside
    // it; three vectors where little else is done (philox.cpp).
    if (word > 0 && !irregular && !scans)
      s.lanes = std::max(s.lanes, (heavy ? 4 : 8) * target_.vector_bytes / word);
    s.masked_tail = s.lanes > 1 && target_.masked_memory && !small_irregular && !scans;
  }

  void find_splats() {
    s.splat.assign(k.instrs.size(), 0);
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Instr& instr = k.instrs[i];
      const bool wide = s.vector[i] || (is_reduction(instr.op) && k.lanes == Lanes::reduced);
      if (!wide) continue;
      for (std::uint16_t arg : instr.args) {
        if (arg != no_arg && !s.vector[arg]) s.splat[arg] = 1;
      }
    }
  }

  const Kernel& k;
  const Target& target_;
  Schedule s;
  std::vector<std::uint8_t> idle_;
  bool one_lane_;
};

}  // namespace

std::optional<bool> settling_truth(const Kernel& kernel, const Instr& instr) {
  if (!is_reduction(instr.op) || accumulator_type(kernel, instr) != Dtype::bool_)
    return std::nullopt;
  if (is_extreme(instr.op)) return instr.op == Op::argmax;
  switch (info(instr.combine).truth) {
    case Truth::any:
      return true;
    case Truth::all:
      return false;
    default:
      return std::nullopt;
  }
}

bool needs_first(const Instr& instr) {
  if (instr.op == Op::scan) {
    // What its identity does not leave as it is: hypot and gcd take the modulus of a first element,
    // and 1 + 0i times infinity is not infinity.
    const bool neutral =
        has_identity(instr.combine) && info(instr.combine).reorder != Reorder::never;
    return !neutral || (is_complex(instr.dtype) && instr.combine != Op::add);
  }
  return instr.op == Op::reduce && !has_identity(instr.combine);
}

Schedule make_schedule(const Kernel& kernel, const Target& target, bool vectors) {
  return Scheduler(kernel, target, vectors).run();
}

}  // namespace heddle::kernel
