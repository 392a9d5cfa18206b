#include "graph/lower.h"

#include <algorithm>
#include <bit>
#include <map>

#include "core/op_types.h"
#include "graph/cost.h"
#include "graph/group_instructions.h"

namespace heddle::graph {

namespace {

using kernel::Instr;
using kernel::Lanes;
using kernel::Level;
using kernel::no_arg;

constexpr std::int64_t scratch_limit = 256 * 1024;  // bytes of a row kept between phases

class Lowering : GroupInstructions {
 public:
  Lowering(const Collected& graph, const Plan& plan, std::int32_t index)
      : GroupInstructions(graph, plan, index) {}

  Step run() {
    if (group_.library) {
      result_.library = true;
      result_.nodes = group_.nodes;
      return std::move(result_);
    }
    collect_slots();
    choose_outputs();
    choose_dimensions();
    emit();
    finish_slots();
    return std::move(result_);
  }

 private:
  // Of a member: a node of the group, or an instance of another one.
  const Node& node_of(std::int32_t member) const {
    const auto home = static_cast<std::int32_t>(group_.nodes.size());
    return member < home ? *planned(group_.nodes[member]).node
                         : *instances_.all()[static_cast<std::size_t>(member - home)].node;
  }
  const Access* access_of(std::int32_t member) const {
    const auto home = static_cast<std::int32_t>(group_.nodes.size());
    return member < home ? nullptr
                         : &instances_.all()[static_cast<std::size_t>(member - home)].access;
  }

  // Of an instance; null of a node of the group.
  const Instances::Instance* instance_of(std::int32_t member) const {
    const auto home = static_cast<std::int32_t>(group_.nodes.size());
    return member < home ? nullptr : &instances_.all()[static_cast<std::size_t>(member - home)];
  }

  // The instruction that gives an operand's value in `phase`.
  std::uint16_t operand(std::int32_t member, int o, int phase) {
    const Instances::Instance* instance = instance_of(member);
    return read_value(reads_[member][o], phase, instance ? instance->guard : -1);
  }

  std::uint16_t read_value(const Read& read, int phase, std::int32_t guard) {
    if (read.member >= 0) return value(read.member, phase);
    if (read.slot != no_arg) return load(read.slot, phase, no_arg, guarded(guard, phase));
    return scalar(read.node->operands[read.operand].dtype, {read.node->mark, read.operand, {}});
  }

  // Whether the guard lets the element pass; no_arg: there is none.
  std::uint16_t guarded(std::int32_t guard, int phase) {
    if (guard < 0) return no_arg;
    const auto& [outer, access, box] = instances_.guards()[static_cast<std::size_t>(guard)];
    auto passes = guarded(outer, phase);
    auto also = [&](std::uint16_t condition) {
      passes = passes == no_arg ? condition
                                : compute(Op::logical_and, Dtype::bool_, {passes, condition});
    };
    for (std::int64_t axis = 0; axis < access.space().size(); ++axis) {
      const auto& range = box.ranges()[static_cast<std::size_t>(axis)];
      const auto [low, high] = access.reach(axis);
      if (low >= range.low() && high <= range.high()) continue;
      const bool narrow = is_narrow(access);
      const auto start = access.start(axis);
      if (low >= range.low() || high <= range.high()) {
        const bool above = low < range.low();
        const Dtype dtype = narrow ? Dtype::int32 : Dtype::int64;
        also(compare(above ? Op::greater_equal : Op::less_equal, walk(access, axis, dtype, phase),
                     (above ? range.low() : range.high()) - start, dtype));
      } else {
        // As one comparison: places before the range are very large numbers without a sign.
        const Dtype dtype = narrow ? Dtype::uint32 : Dtype::uint64;
        auto place = walk(access, axis, dtype, phase);
        if (start != range.low())
          place = compute(Op::add, dtype, {place, integer(start - range.low(), dtype)});
        also(compare(Op::less_equal, place, range.high() - range.low(), dtype));
      }
    }
    return passes;
  }

  std::uint16_t value(std::int32_t member, int phase) {
    const bool home = !access_of(member);
    if (home && planned(group_.nodes[member]).row) return row_values_[member];
    auto& memo = body_values_[member];
    if (auto found = memo.find(phase); found != memo.end()) return found->second;
    auto kept = no_arg;
    if (home && phase > planned(group_.nodes[member]).phase) kept = keep_between_phases(member);
    auto result = kept == no_arg ? make(member, phase) : load(kept, phase);
    memo[phase] = result;
    return result;
  }

  std::uint16_t make(std::int32_t position, int phase) {
    const Node& node = node_of(position);
    switch (node.kind) {
      case NodeKind::elementwise:
        return make_elementwise(position, phase);
      case NodeKind::index:
        return as_type(index_along(position, std::countr_zero(node.axes), phase), node.dtype());
      case NodeKind::update:
        return make_choice(position, phase);
      case NodeKind::random:
        return make_random(position, phase);
      case NodeKind::gather:
        return make_gather(position, phase);
      case NodeKind::reduce: {
        if (instance_of(position)) return make_short_reduction(position, phase);
        auto source = as_type(operand(position, 0, phase), accumulator_type(node));
        source = at_body(source, phase);
        Instr instr{.op = Op::reduce, .dtype = accumulator_type(node), .level = Level::row};
        instr.phase = static_cast<std::uint8_t>(phase);
        instr.combine = node.combine;
        instr.args[0] = source;
        return as_type(push(instr), node.dtype());
      }
      case NodeKind::argreduce: {
        Instr instr{.op = node.op, .dtype = Dtype::int64, .level = Level::row};
        instr.phase = static_cast<std::uint8_t>(phase);
        instr.args[0] = at_body(operand(position, 0, phase), phase);
        instr.args[1] = reduced_index(phase);
        return push(instr);
      }
      case NodeKind::scan: {
        Instr instr{.op = Op::scan, .dtype = accumulator_type(node), .level = Level::body};
        instr.phase = static_cast<std::uint8_t>(phase);
        instr.combine = node.combine;
        instr.args[0] = at_body(as_type(operand(position, 0, phase), instr.dtype), phase);
        return as_type(push(instr), node.dtype());
      }
      default:
        throw std::logic_error("lower: unexpected node");
    }
  }

  // The index along an axis of a member.
  std::uint16_t index_along(std::int32_t member, std::int64_t axis, int phase) {
    const Access* access = access_of(member);
    if (!access) return axis_index(axis, phase);
    const auto from = walk(*access, axis, Dtype::int64, phase);
    const auto start = access->start(axis);
    return start == 0 ? from : compute(Op::add, Dtype::int64, {from, integer(start)});
  }

  // What an update left: what it wrote, where it did, or what was there before.
  std::uint16_t make_choice(std::int32_t member, int phase) {
    const Instances::Instance* instance = instance_of(member);
    if (!instance) return read_value(reads_[member][0], phase, -1);
    const Dtype dtype = instance->node->dtype();
    const auto& reads = reads_[member];
    auto written = as_type(read_value(reads[1], phase, instance->choice), dtype);
    if (reads[0].nothing) return written;
    auto before = as_type(read_value(reads[0], phase, instance->guard), dtype);
    auto inside = guarded(instance->choice, phase);
    if (inside == no_arg) return written;
    return compute(Op::select, dtype, {inside, written, before});
  }

  // As a lane does it that has the elements of a row to itself.
  std::uint16_t make_short_reduction(std::int32_t member, int phase) {
    const Node& node = node_of(member);
    const Dtype dtype = accumulator_type(node);
    const auto guard = instance_of(member)->guard;
    // A sum begins with zero, which shows where it is one of negative zeros.
    auto total = node.combine == Op::add ? scalar(dtype, {}) : no_arg;
    for (const Read& read : reads_[member]) {
      const auto element = as_type(read_value(read, phase, guard), dtype);
      total = total == no_arg ? element : compute(node.combine, dtype, {total, element});
    }
    return as_type(total, node.dtype());
  }

  // Half precision accumulates in single precision.
  static Dtype accumulator_type(const Node& node) {
    return is_half(node.dtype()) && info(node.combine).widens ? Dtype::float32 : node.dtype();
  }

  std::uint16_t make_elementwise(std::int32_t position, int phase) {
    const Node& node = node_of(position);
    Instr instr{.op = node.op, .dtype = node.dtype(), .level = Level::uniform};
    for (int o = 0; o < node.operand_count; ++o) {
      instr.args[o] = operand(position, o, phase);
      raise_level(instr, instr.args[o]);
    }
    if (node.op == Op::cast && result_.kernel.instrs[instr.args[0]].dtype == node.dtype()) {
      return instr.args[0];
    }
    return push(instr);
  }

  std::uint16_t make_random(std::int32_t position, int phase) {
    const Node& node = *planned(group_.nodes[position]).node;
    Instr instr{.op = Op::random, .dtype = node.dtype(), .level = Level::uniform};
    // Three scalars that follow one another, whatever others hold.
    auto& scalars = result_.scalars;
    auto known = std::find_if(scalars.begin(), scalars.end(), [&](const ScalarSource& source) {
      return source.node == node.mark && source.operand == 0;
    });
    instr.slot = static_cast<std::uint16_t>(known - scalars.begin());
    if (known == scalars.end()) {
      for (int o = 0; o < 3; ++o) {
        scalars.push_back({node.mark, o, {}});
        scalar_types_.push_back(Dtype::uint64);
      }
    }
    instr.args[0] = position_index(phase);
    raise_level(instr, instr.args[0]);
    return push(instr);
  }

  // Element offset of indices [first, first + count) of `node`, wrapped when negative.
  std::uint16_t gather_offset(std::int32_t position, int first, int count, int phase) {
    const Node& node = *planned(group_.nodes[position]).node;
    std::uint16_t total = no_arg;
    for (int i = 0; i < count; ++i) {
      auto index = as_type(operand(position, first + i, phase), Dtype::int64);
      auto extent = node.params[2 * i], stride = node.params[2 * i + 1];
      auto negative = compute(Op::less, Dtype::bool_, {index, integer(0)});
      auto wrapped = compute(Op::add, Dtype::int64, {index, integer(extent)});
      index = compute(Op::select, Dtype::int64, {negative, wrapped, index});
      auto term = compute(Op::multiply, Dtype::int64, {index, integer(stride)});
      total = total == no_arg ? term : compute(Op::add, Dtype::int64, {total, term});
    }
    return total;
  }

  std::uint16_t make_gather(std::int32_t position, int phase) {
    const Node& node = *planned(group_.nodes[position]).node;
    auto offset = gather_offset(position, 1, node.operand_count - 1, phase);
    return load(reads_[position][0].slot, phase, offset);
  }

  // Where an expensive value survives from its phase to later ones, as a slot; no_arg: nowhere, it
  // is cheaper to compute it again.
  std::uint16_t keep_between_phases(std::int32_t position) {
    const PlannedNode& node = planned(group_.nodes[position]);
    if (auto slot = output_slots_[position]; slot != no_arg) return slot;
    if (auto found = kept_slots_.find(position); found != kept_slots_.end()) return found->second;
    if (chain_cost(position) < preferences_.recompute_cost) return no_arg;
    std::uint16_t slot = borrowed_output(node);
    if (slot == no_arg && result_.kernel.lanes == Lanes::reduced && !result_.kernel.split) {
      auto bytes = extent(inner_) * itemsize(node.node->dtype());
      if (bytes <= scratch_limit) slot = scratch_slot(node.node->dtype(), bytes);
    }
    kept_slots_[position] = slot;
    if (slot != no_arg) {
      Instr instr{.op = Op::store, .dtype = node.node->dtype(), .level = Level::body};
      instr.phase = node.phase;
      instr.slot = slot;
      instr.args[0] = at_body(body_values_[position].at(node.phase), node.phase);
      push(instr);
    }
    return slot;
  }

  // An output of a later phase lends its memory until then.
  std::uint16_t borrowed_output(const PlannedNode& node) {
    for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
      const PlannedNode& other = planned(group_.nodes[i]);
      auto slot = output_slots_[i];
      if (slot == no_arg || other.row || other.phase != last_phase_ || node.phase >= last_phase_) {
        continue;
      }
      if (other.node->dtype() != node.node->dtype() || writes(*other.node)) continue;
      if (std::find(lent_.begin(), lent_.end(), slot) != lent_.end()) continue;
      lent_.push_back(slot);
      return slot;
    }
    return no_arg;
  }

  std::uint16_t scratch_slot(Dtype dtype, std::int64_t bytes) {
    RawSlot slot;
    slot.dtype = dtype;
    slot.written = slot.scratch = true;
    slot.strides = Dims(ndim_, 0);
    // Dense over the reduced dimensions in the order of the loops.
    std::int64_t step = 1;
    for (std::size_t i = inner_.size(); i-- > 0;) {
      for (std::size_t j = inner_[i].size(); j-- > 0;) {
        slot.strides[inner_[i][j]] = step;
        step *= group_.domain[inner_[i][j]];
      }
    }
    slot.source.kind = SlotSource::Kind::scratch;
    slot.source.offset = static_cast<std::int64_t>(result_.scratch_bytes);
    result_.scratch_bytes += static_cast<std::size_t>(bytes + 63) / 64 * 64;
    slots_.push_back(std::move(slot));
    return static_cast<std::uint16_t>(slots_.size() - 1);
  }

  double chain_cost(std::int32_t position) {
    const PlannedNode& node = planned(group_.nodes[position]);
    double cost = node_cost(*node.node);
    for (int o = 0; o < node.node->operand_count; ++o) {
      const Operand& x = node.node->operands[o];
      if (fused(x) && !plan_.at(*x.value).row)
        cost += chain_cost(positions_[x.value->node()->mark]);
      if (cost >= preferences_.recompute_cost) break;
    }
    return cost;
  }

  void emit() {
    auto count = group_.nodes.size();
    row_values_.assign(count, no_arg);
    body_values_.resize(reads_.size());
    int phases = 0;
    for (auto n : group_.nodes) phases = std::max<int>(phases, planned(n).phase);
    result_.kernel.phases = has_reduced_dims() ? static_cast<std::uint8_t>(phases + 1) : 0;
    if (group_.bundle >= 0) emit_bundle();
    std::vector<int> phase_of(count);
    for (std::size_t i = 0; i < count; ++i) {
      const PlannedNode& node = planned(group_.nodes[i]);
      phase_of[i] = writes(*node.node) && overwrites_reads(output_slots_[i]) ? phases : node.phase;
    }
    for (int phase = 0; phase <= phases && group_.bundle < 0; ++phase) {
      for (std::size_t i = 0; i < count; ++i) {
        if (phase_of[i] != phase) continue;
        const PlannedNode& node = planned(group_.nodes[i]);
        if (writes(*node.node)) {
          if (phase > 0) read_operands(static_cast<std::int32_t>(i), phase);
        } else if (node.row) {
          row_values_[i] = make(static_cast<std::int32_t>(i), phase);
        } else {
          value(static_cast<std::int32_t>(i), phase);
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (phase_of[i] == phase) emit_store(static_cast<std::int32_t>(i), phase);
      }
    }
    drop_unused();
    result_.kernel.scalars = static_cast<std::uint16_t>(result_.scalars.size());
    result_.nodes = group_.nodes;
    add_instances();
  }

  // Whether the memory that an update writes to, by its slot, is read here as well. Each phase
  // reads it again, so it has to be whole until the last one.
  bool overwrites_reads(std::uint16_t slot) const {
    const auto& updates = result_.updates;
    auto first = static_cast<std::size_t>(slots_[slot].source.node);
    while (updates[first].continued >= 0)
      first = static_cast<std::size_t>(updates[first].continued);
    const Node& update = *graph_.nodes()[static_cast<std::size_t>(updates[first].node)];
    const Value* old = update.operands[0].value.get();
    return std::any_of(slots_.begin(), slots_.end(),
                       [&](const RawSlot& read) { return !read.written && read.value == old; });
  }

  // What a write needs of earlier phases may wait in the memory of a result (borrowed_output),
  // which has to be read before that result is stored.
  void read_operands(std::int32_t position, int phase) {
    for (std::size_t o = 1; o < reads_[position].size(); ++o) {
      const Read& read = reads_[position][o];
      if (read.member >= 0) value(read.member, phase);
    }
  }

  // What is stored comes after all that is read: memory of results may be that of operands.
  void emit_bundle() {
    std::vector<std::vector<std::uint16_t>> values(group_.nodes.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Dtype dtype = planned(group_.nodes[i]).node->dtype();
      for (const Read& read : reads_[i])
        values[i].push_back(as_type(read_value(read, 0, -1), dtype));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t place = 0; place < values[i].size(); ++place) {
        Instr instr{.op = Op::store,
                    .dtype = planned(group_.nodes[i]).node->dtype(),
                    .level = body_level()};
        instr.slot = static_cast<std::uint16_t>(output_slots_[i] + place);
        instr.args[0] = values[i][place];
        push(instr);
      }
    }
  }

  // Nodes that readers compute are part of the steps of those, too.
  void add_instances() {
    auto add = [&](const Node& node) {
      auto& nodes = result_.nodes;
      if (std::find(nodes.begin(), nodes.end(), node.mark) == nodes.end())
        nodes.push_back(node.mark);
    };
    for (const auto& instance : instances_.all()) add(*instance.node);
    for (const Node* node : instances_.passed()) add(*node);
  }

  void emit_store(std::int32_t position, int phase) {
    const PlannedNode& node = planned(group_.nodes[position]);
    auto slot = output_slots_[position];
    if (slot == no_arg) return;
    Instr instr{.op = Op::store, .dtype = slots_[slot].dtype};
    instr.slot = slot;
    instr.level = node.row ? Level::row : body_level();
    if (instr.level == Level::body) instr.phase = static_cast<std::uint8_t>(phase);
    if (writes(*node.node)) {
      const Node& update = *node.node;
      int indices = static_cast<int>(update.params.size()) / 2;
      instr.args[0] = operand(position, 1, phase);
      if (!update.accumulates) instr.args[0] = as_type(instr.args[0], instr.dtype);
      if (indices) instr.args[1] = gather_offset(position, 2, indices, phase);
      if (update.masked) instr.args[2] = operand(position, update.operand_count - 1, phase);
      if (update.accumulates) instr.args[0] = accumulated(update, slot, phase, instr);
      if (indices) result_.serial = true;
    } else {
      instr.args[0] = node.row ? row_values_[position] : value(position, phase);
    }
    push(instr);
  }

  // op(element that is there, value), for updates whose indices may repeat.
  std::uint16_t accumulated(const Node& update, std::uint16_t slot, int phase, const Instr& store) {
    result_.kernel.sequential = true;
    Dtype compute = update.operands[1].dtype;
    auto there = as_type(load(slot, phase, store.args[1]), compute);
    auto result =
        info(update.op).inputs == 1
            ? this->compute(update.op, result_type(update.op, compute), {there})
            : this->compute(update.op, result_type(update.op, compute), {there, store.args[0]});
    return as_type(result, store.dtype);
  }

  std::vector<std::uint16_t> row_values_;
  std::vector<std::map<int, std::uint16_t>> body_values_;  // per node: phase -> instruction
  std::map<std::int32_t, std::uint16_t> kept_slots_;
  std::vector<std::uint16_t> lent_;
};

}  // namespace

Step lower(const Collected& graph, const Plan& plan, std::int32_t group) {
  return Lowering(graph, plan, group).run();
}

}  // namespace heddle::graph
