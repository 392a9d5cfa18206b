#include "graph/group_instructions.h"

#include <algorithm>
#include <limits>

namespace heddle::graph {

using kernel::Instr;
using kernel::Level;
using kernel::no_arg;

std::uint16_t GroupInstructions::push(Instr instr) {
  auto& instrs = result_.kernel.instrs;
  if (instr.op != Op::store) {
    for (std::size_t i = instrs.size(); i-- > 0;) {
      if (instrs[i] == instr && instr.op != Op::load) return static_cast<std::uint16_t>(i);
      if (instrs[i] == instr && !slots_[instr.slot].written && !slots_[instr.slot].scratch) {
        return static_cast<std::uint16_t>(i);
      }
    }
  }
  instrs.push_back(instr);
  return static_cast<std::uint16_t>(instrs.size() - 1);
}

Level GroupInstructions::body_level() const {
  return has_reduced_dims() ? Level::body : Level::row;
}

Level GroupInstructions::slot_level(const RawSlot& slot) const {
  bool kept = false, inner = false;
  for (std::int64_t d = 0; d < ndim_; ++d) {
    if (slot.strides[d] == 0) continue;
    (reduced(d) && has_reduced_dims() ? inner : kept) = true;
  }
  return inner ? Level::body : kept ? Level::row : Level::uniform;
}

std::uint16_t GroupInstructions::compute(Op op, Dtype dtype,
                                         std::initializer_list<std::uint16_t> args) {
  Instr instr{.op = op, .dtype = dtype, .level = Level::uniform};
  int n = 0;
  for (auto arg : args) {
    instr.args[n++] = arg;
    raise_level(instr, arg);
  }
  return push(instr);
}

void GroupInstructions::raise_level(Instr& instr, std::uint16_t arg) const {
  const Instr& source = result_.kernel.instrs[arg];
  instr.level = std::max(instr.level, source.level);
  if (source.level == Level::body) instr.phase = std::max(instr.phase, source.phase);
}

std::uint16_t GroupInstructions::load(std::uint16_t slot, int phase, std::uint16_t offset,
                                      std::uint16_t guard) {
  Instr instr{.op = Op::load, .dtype = slots_[slot].dtype, .level = slot_level(slots_[slot])};
  instr.slot = slot;
  instr.args[0] = offset;
  instr.args[1] = guard;
  if (offset != no_arg) raise_level(instr, offset);
  if (guard != no_arg) raise_level(instr, guard);
  // What this kernel writes is there only once its own level has been reached.
  if (slots_[slot].written) instr.level = body_level();
  if (instr.level == Level::body) instr.phase = static_cast<std::uint8_t>(phase);
  return push(instr);
}

std::uint16_t GroupInstructions::scalar(Dtype dtype, ScalarSource source) {
  auto& scalars = result_.scalars;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ScalarSource& other = scalars[i];
    if (scalar_types_[i] == dtype && other.node == source.node && other.operand == source.operand &&
        other.constant.word[0] == source.constant.word[0]) {
      return scalar_instr(dtype, i);
    }
  }
  scalars.push_back(source);
  scalar_types_.push_back(dtype);
  return scalar_instr(dtype, scalars.size() - 1);
}

std::uint16_t GroupInstructions::scalar_instr(Dtype dtype, std::size_t i) {
  return push({.op = Op::scalar,
               .dtype = dtype,
               .level = Level::uniform,
               .slot = static_cast<std::uint16_t>(i)});
}

std::uint16_t GroupInstructions::integer(std::int64_t value, Dtype dtype) {
  const auto bits = static_cast<std::uint64_t>(value);
  return scalar(dtype, {-1, -1, {{itemsize(dtype) == 4 ? bits & 0xffffffff : bits, 0}}});
}

std::uint16_t GroupInstructions::loop_index(std::size_t dimension, int phase) {
  bool inner = dimension >= kept_.size();
  Instr instr{.op = Op::index, .dtype = Dtype::int64, .level = inner ? Level::body : Level::row};
  instr.slot = static_cast<std::uint16_t>(dimension);
  if (inner) instr.phase = static_cast<std::uint8_t>(phase);
  return push(instr);
}

std::uint16_t GroupInstructions::axis_index(std::int64_t axis, int phase) {
  for (std::size_t i = 0; i < kept_.size() + inner_.size(); ++i) {
    auto& dims = i < kept_.size() ? kept_[i] : inner_[i - kept_.size()];
    if (!dims.empty() && dims[0] == axis) return loop_index(i, phase);
  }
  return integer(0);
}

std::uint16_t GroupInstructions::position_index(int phase) {
  std::uint16_t total = no_arg;
  for (std::size_t i = 0; i < kept_.size() + inner_.size(); ++i) {
    auto stride = position_stride(i < kept_.size() ? kept_[i] : inner_[i - kept_.size()]);
    if (stride == 0) continue;
    auto term = loop_index(i, phase);
    if (stride != 1) term = compute(Op::multiply, Dtype::int64, {term, integer(stride)});
    total = total == no_arg ? term : compute(Op::add, Dtype::int64, {total, term});
  }
  return total == no_arg ? integer(0) : total;
}

std::uint16_t GroupInstructions::reduced_index(int phase) {
  std::uint16_t total = no_arg;
  std::int64_t scale = 1;
  for (std::size_t i = inner_.size(); i-- > 0;) {
    auto term = loop_index(kept_.size() + i, phase);
    if (scale != 1) term = compute(Op::multiply, Dtype::int64, {term, integer(scale)});
    total = total == no_arg ? term : compute(Op::add, Dtype::int64, {total, term});
    scale *= extent(inner_[i]);
  }
  return total;
}

std::uint16_t GroupInstructions::as_type(std::uint16_t arg, Dtype dtype) {
  if (result_.kernel.instrs[arg].dtype == dtype) return arg;
  return compute(Op::cast, dtype, {arg});
}

std::uint16_t GroupInstructions::at_body(std::uint16_t arg, int phase) {
  Instr& source = result_.kernel.instrs[arg];
  if (source.level == Level::body && source.phase == phase) return arg;
  Instr copy{.op = Op::cast, .dtype = source.dtype, .level = Level::body};
  copy.phase = static_cast<std::uint8_t>(phase);
  copy.args[0] = arg;
  return push(copy);
}

bool GroupInstructions::is_narrow(const Access& access) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return preferences_.narrow_integers && size_of(group_.domain) <= most &&
         size_of(access.space()) <= most;
}

std::uint16_t GroupInstructions::walk(const Access& access, std::int64_t axis, Dtype dtype,
                                      int phase) {
  std::uint16_t total = no_arg;
  for (std::int64_t d = 0; d < ndim_; ++d) {
    auto step = access.step(d, axis);
    if (step == 0) continue;
    auto term = as_type(axis_index(d, phase), dtype);
    if (step != 1) term = compute(Op::multiply, dtype, {term, integer(step, dtype)});
    total = total == no_arg ? term : compute(Op::add, dtype, {total, term});
  }
  return total == no_arg ? integer(0, dtype) : total;
}

std::uint16_t GroupInstructions::compare(Op op, std::uint16_t place, std::int64_t bound,
                                         Dtype dtype) {
  return compute(op, Dtype::bool_, {place, integer(bound, dtype)});
}

void GroupInstructions::drop_unused() {
  auto& instrs = result_.kernel.instrs;
  std::vector<bool> used(instrs.size(), false);
  for (std::size_t i = instrs.size(); i-- > 0;) {
    if (instrs[i].op == Op::store) used[i] = true;
    if (!used[i]) continue;
    for (auto arg : instrs[i].args) {
      if (arg != no_arg) used[arg] = true;
    }
  }
  if (std::find(used.begin(), used.end(), false) == used.end()) return;
  std::vector<std::uint16_t> renamed(instrs.size(), no_arg);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < instrs.size(); ++i) {
    if (!used[i]) continue;
    Instr instr = instrs[i];
    for (auto& arg : instr.args) {
      if (arg != no_arg) arg = renamed[arg];
    }
    renamed[i] = static_cast<std::uint16_t>(kept);
    instrs[kept++] = instr;
  }
  instrs.resize(kept);
}

}  // namespace heddle::graph
