#include "graph/moved.h"

#include <algorithm>
#include <unordered_map>

#include "graph/bands.h"
#include "graph/copies.h"
#include "graph/node_facts.h"
#include "runtime/device.h"
#include "runtime/traffic.h"

namespace heddle::graph {

namespace {

// Addresses for values that have no memory yet, each far from the others: what is read where a
// guard lets it may begin before the memory.
class Addresses {
 public:
  std::uintptr_t of(const Value& value) {
    auto [place, fresh] = places_.try_emplace(&value, values_.size());
    if (fresh) values_.push_back(&value);
    return (place->second << shift) + (std::uintptr_t{1} << (shift - 1));
  }
  const Value& at(std::uintptr_t address) const { return *values_[address >> shift]; }

 private:
  static constexpr int shift = 44;
  std::unordered_map<const Value*, std::uintptr_t> places_;
  std::vector<const Value*> values_;
};

Touched touched_by(const Layout& layout, Dtype dtype, std::uintptr_t base) {
  const auto width = static_cast<std::uint64_t>(itemsize(dtype));
  const auto reach = extent_of(layout);
  if (!reach) return {};
  std::uint64_t elements = 1;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.strides[d] != 0) elements *= static_cast<std::uint64_t>(layout.shape[d]);
  }
  return {base + static_cast<std::uint64_t>(reach->first) * width,
          base + static_cast<std::uint64_t>(reach->second + 1) * width, elements * width};
}

class Prediction {
 public:
  Prediction(const Collected& graph, std::span<const Step> steps, std::span<const Bands> bands)
      : graph_(graph), steps_(steps), bands_(bands), last_(last_steps(graph, steps)) {}

  MovedProgram run() {
    MovedProgram result;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      result.steps.push_back(steps_[s].library ? call(node(steps_[s].nodes[0])) : kernel(s));
      result.total.read += result.steps.back().moved.read;
      result.total.written += result.steps.back().moved.written;
    }
    for (const Node* node : graph_.nodes()) {
      for (const Value* value : node->outputs()) {
        if (value && !graph_.dies(*value)) result.least.written += least_written(*value);
      }
    }
    result.least.read = heddle::bytes_of(inputs_) + gathered_;
    return result;
  }

 private:
  const Node& node(std::int32_t n) const { return *graph_.nodes()[static_cast<std::size_t>(n)]; }

  MovedStep call(const Node& call) {
    for (int o = 0; o < call.operand_count; ++o) {
      const Operand& operand = call.operands[o];
      if (!operand.value || !operand.value->computed()) continue;
      const Layout& layout = operand.layout ? *operand.layout : *operand.value->shape.dense();
      inputs_.push_back(touched_by(layout, operand.dtype, addresses_.of(*operand.value)));
    }
    return {moved_by_call(call), {}};
  }

  MovedStep kernel(std::size_t s) {
    const Step& step = steps_[s];
    std::vector<void*> pointers;
    std::vector<Touched> memory;
    for (const SlotSource& source : step.slots) {
      const Value* value = value_of(step, source);
      const auto begin = value ? addresses_.of(*value) : 0, bytes = value ? bytes_of(*value) : 0;
      memory.push_back({begin, begin + bytes, bytes});
      const auto offset = static_cast<std::uintptr_t>(offset_of(source, step, graph_.nodes()));
      // NOLINTNEXTLINE(performance-no-int-to-ptr): nobody reads there
      pointers.push_back(reinterpret_cast<void*>(begin + offset));
    }
    Launch launch;
    launch.kernel = &step.kernel;
    launch.pointers = pointers;
    launch.strides = step.strides;
    launch.extents = step.extents;
    const BandStep* band = band_step(s);
    const Traffic traffic =
        traffic_of(launch, memory, band ? BandSlots{band->temporaries, band->made} : BandSlots{});
    for (const Touched& range : traffic.read) {
      if (range.bytes > 0 && addresses_.at(range.begin).computed()) inputs_.push_back(range);
    }
    for (const Touched& range : traffic.gathered) {
      const Value& value = addresses_.at(range.begin);
      if (value.computed()) gathered_ += std::min(range.bytes, bytes_of(value));
    }
    MovedStep result{
        band ? with_others(traffic) : Moved{traffic.bytes_read(), traffic.bytes_written()}, {}};
    for (const UpdateSlot& update : step.updates) {
      const bool there = update.blank || update.continued >= 0;
      MovedUpdate made{!there && is_in_place(update, s), 0};
      if (!there && !made.in_place) made.copied = bytes_to_copy(node(update.node));
      result.moved.read += made.copied;
      result.moved.written += made.copied;
      result.updates.push_back(made);
    }
    return result;
  }

  // Null: it is part of no band.
  const BandStep* band_step(std::size_t s) {
    for (const Bands& bands : bands_) {
      if (s < bands.first || s >= bands.first + bands.steps.size()) continue;
      if (s == bands.first) band_traffic_ = {};
      return &bands.steps[s - bands.first];
    }
    return nullptr;
  }

  // Beside what the steps of the band before it move.
  Moved with_others(const Traffic& traffic) {
    const Moved before{band_traffic_.bytes_read(), band_traffic_.bytes_written()};
    band_traffic_.add(traffic);
    return {band_traffic_.bytes_read() - before.read,
            band_traffic_.bytes_written() - before.written};
  }

  // Null for scratch.
  const Value* value_of(const Step& step, const SlotSource& source) const {
    const auto place = static_cast<std::size_t>(source.node);
    switch (source.kind) {
      case SlotSource::Kind::scratch:
        return nullptr;
      case SlotSource::Kind::output:
        return &node(step.outputs[place].node).output();
      case SlotSource::Kind::target: {
        const UpdateSlot* update = &step.updates[place];
        while (update->continued >= 0) {
          update = &step.updates[static_cast<std::size_t>(update->continued)];
        }
        return &node(update->node).output();
      }
      case SlotSource::Kind::operand:
        return node(source.node).operands[source.operand].value.get();
    }
    return nullptr;
  }

  // Whether nobody will hold the old value any more but the step itself.
  bool is_in_place(const UpdateSlot& slot, std::size_t step) const {
    const Node& update = node(slot.node);
    const Value& old = *update.operands[0].value;
    if (update.in_place) return true;
    if (slot.fresh || !graph_.dies(old) || (old.computed() && old.buffer()->foreign()))
      return false;
    std::int32_t reads = 0;
    for (const Node* reader : graph_.nodes()) {
      if (last_[static_cast<std::size_t>(reader->mark)] < step) continue;
      for (int o = 0; o < reader->operand_count; ++o)
        reads += reader->operands[o].value.get() == &old;
    }
    return reads == slot.reads;
  }

  // Updates of memory that is there, and that nobody else holds, write what they change.
  std::uint64_t least_written(const Value& result) {
    std::vector<Touched> parts;
    const Value* value = &result;
    while (value->node() && value->node()->kind == NodeKind::update &&
           (value == &result || graph_.dies(*value))) {
      const Node& update = *value->node();
      parts.push_back(touched_by(*update.target, update.target_dtype, 0));
      if (update.in_place) return heddle::bytes_of(parts);
      value = update.operands[0].value.get();
    }
    if (value == &result || !value->computed()) return bytes_of(result);
    const auto changed = std::min(heddle::bytes_of(parts), bytes_of(result));
    if (graph_.dies(*value)) return changed;
    // Somebody holds it as it is: the rest is copied.
    const auto base = addresses_.of(*value);
    inputs_.push_back({base, base + bytes_of(*value), bytes_of(*value) - changed});
    return bytes_of(result);
  }

  const Collected& graph_;
  std::span<const Step> steps_;
  std::span<const Bands> bands_;
  Traffic band_traffic_;           // of the steps of a band so far
  std::vector<std::size_t> last_;  // steps, per node
  Addresses addresses_;
  std::vector<Touched> inputs_;
  std::uint64_t gathered_ = 0;
};

}  // namespace

Moved moved_by_call(const Node& call) {
  Moved moved;
  for (int o = 0; o < call.operand_count; ++o) {
    const Operand& operand = call.operands[o];
    if (!operand.value) continue;
    const Layout& layout = operand.layout ? *operand.layout : *operand.value->shape.dense();
    moved.read += static_cast<std::uint64_t>(size_of(layout.shape) * itemsize(operand.dtype));
  }
  for (const Value* value : call.outputs()) {
    if (value) moved.written += bytes_of(*value);
  }
  return moved;
}

MovedProgram moved_by(const Collected& graph, std::span<const Step> steps,
                      std::span<const Bands> bands) {
  return Prediction(graph, steps, bands).run();
}

}  // namespace heddle::graph
