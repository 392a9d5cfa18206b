#include "kernel/grid.h"

#include <algorithm>
#include <bit>

#include "kernel/op_cost.h"

namespace heddle::kernel {

std::string serialize(const GridVariant& v) {
  std::string text = std::to_string(v.tiled_slots) + '.' + std::to_string(v.dense_slots);
  for (const int part :
       {int{v.vectors}, static_cast<int>(v.walk), int{v.places}, int{v.across}, int{v.mirrored},
        static_cast<int>(v.team), static_cast<int>(v.scatter), int{v.kept_steps}, int{v.split},
        int{v.scans}, int{v.wide}, int{v.in_order}, int{v.indirect}})
    text += '.' + std::to_string(part);
  return text;
}

std::vector<std::string> entry_names(const Kernel& kernel, const GridVariant& variant) {
  int phases = 0;
  if (variant.scatter == Scatter::last) {
    phases = 2;
  } else if (variant.split && !variant.scans) {
    phases = kernel.phases;
  }
  if (phases == 0) return {"run"};
  std::vector<std::string> names;
  for (int p = 0; p < phases; ++p) names.push_back("phase" + std::to_string(p));
  return names;
}

GridArguments::GridArguments(const Kernel& kernel) {
  const int slots = static_cast<int>(kernel.slots.size());
  int next = 0;
  auto take = [&next](int count) {
    next += count;
    return next - count;
  };
  pointers = take(slots);
  strides = take(slots * kernel.dims());
  extents = take(kernel.dims());
  divisors = take(kernel.dims());
  scalars = take(2 * kernel.scalars);
  items = take(1);
  steps = take(1);
  partials = take(1);
  finished = take(1);
  claims = take(1);
  target = take(1);
  tickets = take(1);
  words = next;
}

std::uint64_t divisor(std::uint32_t d) {
  const auto shift = 31 + static_cast<std::uint64_t>(std::bit_width(d - 1));
  const std::uint64_t factor = ((std::uint64_t{1} << shift) + d - 1) / d;
  return factor | shift << 32;
}

int weight_of(const Kernel& kernel) {
  int weight = 0;
  for (const Instr& instr : kernel.instrs) {
    const double cost = is_elementwise(instr.op) ? op_cost(instr.op) : 1;
    weight += cost < 2 ? 1 : cost >= 100 ? 64 : itemsize(instr.dtype) > 4 ? 8 : 2;
  }
  return weight;
}

bool reads_directly(const Kernel& kernel, const Instr& instr) {
  return instr.op == Op::load && instr.level != Level::uniform && instr.args[0] == no_arg &&
         instr.args[1] == no_arg && !kernel.slots[instr.slot].written;
}

bool reads_ahead(const Kernel& kernel, const GridVariant& variant) {
  constexpr double much = 24;   // in cheap operations
  constexpr int registers = 4;  // for that many operands
  if (kernel.reduced_dims > 0 || variant.walk != Walk::chunks || variant.in_order ||
      variant.scatter != Scatter::none) {
    return false;
  }
  double work = 0;
  int read = 0;
  for (const Instr& instr : kernel.instrs) {
    if (is_elementwise(instr.op)) work += op_cost(instr.op);
    read += reads_directly(kernel, instr) ? 1 : 0;
  }
  return work >= much && read > 0 && read <= registers;
}

GridAccumulators::GridAccumulators(const Kernel& kernel, int lanes)
    : offsets(kernel.instrs.size(), 0) {
  const int width = kernel.lanes == Lanes::kept ? lanes : 1;
  for (std::size_t i = 0; i < kernel.instrs.size(); ++i) {
    const Instr& instr = kernel.instrs[i];
    if (!is_reduction(instr.op) && instr.op != Op::scan) continue;
    offsets[i] = bytes;
    bytes += value_bytes(accumulator_type(kernel, instr), width);
    if (is_extreme(instr.op)) bytes += 8 * width;
  }
}

namespace {

// Whether op(op(x, a), b) is op(op(x, b), a) in every bit.
bool takes_any_order(Op op, Dtype dtype) {
  const Reorder reorder = info(op).reorder;
  return reorder == Reorder::freely || (reorder == Reorder::exact_types && !is_inexact(dtype));
}

}  // namespace

Scatter scatter_of(const Kernel& kernel) {
  if (kernel.reduced_dims > 0) return Scatter::none;
  const Instr* store = nullptr;
  for (const Instr& instr : kernel.instrs) {
    if (instr.op != Op::store || instr.args[1] == no_arg) continue;
    if (store) return Scatter::none;
    store = &instr;
  }
  if (!store) return Scatter::none;
  std::vector<std::uint8_t> depends(kernel.instrs.size(), 0);  // on what is there
  for (std::size_t i = 0; i < kernel.instrs.size(); ++i) {
    const Instr& instr = kernel.instrs[i];
    if (&instr == store) break;
    if (instr.op == Op::store && instr.slot == store->slot) return Scatter::none;
    if (instr.op == Op::load && instr.slot == store->slot) {
      if (instr.args[0] != store->args[1]) return Scatter::none;
      depends[i] = 1;
      continue;
    }
    if (!is_elementwise(instr.op)) continue;
    for (const std::uint16_t arg : instr.args) depends[i] |= arg != no_arg && depends[arg];
    const bool first = instr.args[0] != no_arg && depends[instr.args[0]];
    if (depends[i] && (!first || !takes_any_order(instr.op, instr.dtype))) return Scatter::none;
  }
  if (!depends[store->args[0]]) return kernel.sequential ? Scatter::none : Scatter::last;
  const bool single = itemsize(kernel.slots[store->slot].dtype) <= 8 && store->args[2] == no_arg;
  return single ? Scatter::atomic : Scatter::none;
}

bool any_order(const Kernel& kernel) {
  if (kernel.sequential) return false;
  for (const Instr& instr : kernel.instrs) {
    if (instr.op == Op::scan) return false;
    if (instr.op == Op::reduce && !has_identity(instr.combine)) return false;
  }
  return true;
}

bool can_keep_rows(const Kernel& kernel) {
  if (kernel.lanes != Lanes::reduced) return false;
  int bytes = 0;
  for (const Slot& slot : kernel.slots) {
    if (!slot.written && slot.lane != Stride::zero) bytes += std::max(4, itemsize(slot.dtype));
  }
  for (const Instr& instr : kernel.instrs) {
    if (is_extreme(instr.op) || instr.op == Op::scan) return false;
    if (instr.op == Op::load && instr.args[1] != no_arg) return false;
  }
  return bytes <= 8;
}

std::int64_t scan_nodes(std::int64_t tiles) {
  std::int64_t nodes = 0;
  for (int level = 0; level <= scan_levels; ++level)
    nodes += (tiles >> level * scan_level_bits) + 1;
  return nodes;
}

int scan_words(const Kernel& kernel) {
  int words = 0;
  for (const Instr& instr : kernel.instrs) {
    if (instr.op != Op::scan) continue;
    const Dtype dtype = accumulator_type(kernel, instr);
    words += (component_size(dtype) + 3) / 4 * (is_complex(dtype) ? 2 : 1);
  }
  return words;
}

bool scans_in_groups(const Kernel& kernel, std::size_t slot) {
  if (kernel.slots[slot].scratch) return false;
  int stores = 0, loads = 0;
  for (const Instr& instr : kernel.instrs) {
    if (instr.slot != slot || (instr.op != Op::load && instr.op != Op::store)) continue;
    const bool plain = instr.level == Level::body &&
                       (instr.op == Op::load ? instr.args[0] : instr.args[1]) == no_arg &&
                       instr.args[instr.op == Op::load ? 1 : 2] == no_arg;
    if (!plain) return false;
    ++(instr.op == Op::load ? loads : stores);
  }
  return stores == 0 || (stores == 1 && loads == 0);
}

int scan_group(const Kernel& kernel, std::uint32_t dense_slots) {
  if (dense_slots == 0) return 1;
  int widest = 4;
  for (std::size_t s = 0; s < kernel.slots.size() && s < 32; ++s) {
    if (dense_slots >> s & 1) widest = std::max(widest, itemsize(kernel.slots[s].dtype));
  }
  return 16 / widest;
}

namespace {

bool chains_scans(const Kernel& kernel) {
  std::vector<bool> after(kernel.instrs.size());
  for (std::size_t i = 0; i < kernel.instrs.size(); ++i) {
    const Instr& instr = kernel.instrs[i];
    for (const std::uint16_t arg : instr.args) after[i] = after[i] || (arg != no_arg && after[arg]);
    if (instr.op != Op::scan) continue;
    if (after[i]) return true;
    after[i] = true;
  }
  return false;
}

}  // namespace

bool scans_in_blocks(const Kernel& kernel) {
  if (kernel.sequential || kernel.phases != 1 || chains_scans(kernel)) return false;
  bool scans = false;
  for (const Instr& instr : kernel.instrs) {
    if (is_reduction(instr.op)) return false;
    if (instr.op != Op::scan) continue;
    if (needs_first(instr)) return false;
    scans = true;
  }
  return scans;
}

}  // namespace heddle::kernel
