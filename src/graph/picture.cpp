#include "graph/picture.h"

#include <unordered_map>

#include "graph/bands.h"
#include "graph/explain.h"
#include "graph/lower.h"
#include "graph/moved.h"
#include "graph/plan.h"

namespace heddle::graph {

namespace {

class Drawing {
 public:
  explicit Drawing(const Plan& plan) : plan_(plan), kernels_(plan.groups.size(), -1) {
    for (std::size_t i = 0; i < plan.order.size(); ++i) {
      kernels_[static_cast<std::size_t>(plan.order[i])] = static_cast<std::int32_t>(i);
    }
    for (const PlannedNode& planned : plan.nodes) add(planned);
  }
  std::vector<PicturedNode> take() { return std::move(made_); }

 private:
  void add(const PlannedNode& planned) {
    const Node& node = *planned.node;
    PicturedNode one;
    one.label = name_of(node);
    one.dtype = node.dtype();
    one.shape = node.shape();
    one.stored = planned.output;
    if (planned.group >= 0) {
      const auto group = static_cast<std::size_t>(planned.group);
      one.kernel = kernels_[group];
      one.library = plan_.groups[group].library;
    }
    for (int o = 0; o < node.operand_count; ++o) {
      if (const Value* value = node.operands[o].value.get()) one.reads.push_back(place_of(*value));
    }
    for (const Value* output : node.outputs()) {
      if (output) places_[output] = static_cast<std::int32_t>(made_.size());
    }
    made_.push_back(std::move(one));
  }

  std::int32_t place_of(const Value& value) {
    const auto known = places_.find(&value);
    if (known != places_.end()) return known->second;
    const auto place = static_cast<std::int32_t>(made_.size());
    PicturedNode& one = made_.emplace_back();
    one.label = "memory";
    one.dtype = value.dtype;
    one.shape = value.shape;
    one.kernel = PicturedNode::memory;
    places_[&value] = place;
    return place;
  }

  const Plan& plan_;
  std::vector<std::int32_t> kernels_;  // per group
  std::vector<PicturedNode> made_;
  std::unordered_map<const Value*, std::int32_t> places_;
};

}  // namespace

PlanCost cost_of(std::span<Value* const> targets) {
  PlanCost made;
  with_plan(targets, [&](const Collected& collected, const Plan& plan) {
    std::vector<Step> steps;
    auto order = plan.order;
    for (auto group : order) steps.push_back(lower(collected, plan, group));
    const auto bands = find_bands(collected, steps, order);
    for (const Step& step : steps) ++(step.library ? made.calls : made.kernels);
    const Moved moved = moved_by(collected, steps, bands).total;
    made.read = moved.read;
    made.written = moved.written;
  });
  return made;
}

std::vector<PicturedNode> picture(std::span<Value* const> targets) {
  std::vector<PicturedNode> made;
  with_plan(targets, [&](const Collected&, const Plan& plan) { made = Drawing(plan).take(); });
  return made;
}

}  // namespace heddle::graph
