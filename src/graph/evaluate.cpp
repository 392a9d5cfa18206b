#include <algorithm>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/lower.h"
#include "graph/plan.h"
#include "runtime/kernel_cache.h"

namespace heddle {

std::recursive_mutex& graph_mutex() {
  static auto* mutex = new std::recursive_mutex;  // outlives static destruction
  return *mutex;
}

Limits& limits() {
  static Limits instance;
  return instance;
}

Statistics& statistics() {
  static Statistics instance;
  return instance;
}

namespace {

// Releases the marks of a plan whatever happens.
struct PlanGuard {
  graph::Plan plan;
  ~PlanGuard() { graph::release(plan); }
};

void run_group(graph::Plan& plan, const graph::Group& group) {
  auto lowered = graph::lower(plan, group);
  Device& device = *plan.nodes[group.nodes[0]].value->device;
  auto found = find_kernel(device, lowered.kernel);
  lowered.launch.kernel = found.kernel;
  lowered.launch.code = found.code;
  device.launch(lowered.launch);
  ++statistics().launched;
  // Hold the nodes: completing one drops its operands, which may be others of this group.
  std::vector<Ref<Value>> nodes;
  for (auto n : group.nodes) nodes.emplace_back(plan.nodes[n].value);
  for (auto& output : lowered.outputs) {
    plan.nodes[output.node].value->complete(std::move(output.buffer));
  }
  for (auto& node : nodes) {
    if (node->kind == NodeKind::update) node->complete(Ref<Buffer>(node->operands[0].value->buffer));
    // The plan must not know nodes that may die now.
    plan.nodes[node->mark].value = nullptr;
    node->mark = -1;
  }
}

}  // namespace

void evaluate(std::span<Value* const> targets) {
  std::lock_guard lock(graph_mutex());
  bury_values();
  if (std::all_of(targets.begin(), targets.end(), [](Value* v) { return v->computed(); })) return;
  PlanGuard guard{graph::make_plan(targets)};
  for (auto g : guard.plan.order) run_group(guard.plan, guard.plan.groups[g]);
}

namespace {
bool reads(const Value& reader, const Value* value) {
  for (int o = 0; o < reader.operand_count; ++o) {
    if (reader.operands[o].value.get() == value) return true;
  }
  return false;
}
}  // namespace

void evaluate_readers_of(Value* value, Value* except) {
  std::lock_guard lock(graph_mutex());
  std::vector<Value*> needed;
  if (except && !except->computed()) {
    // What `except` is made from runs with it.
    PlanGuard guard{graph::make_plan(std::span(&except, 1))};
    for (Value* node = first_pending(); node; node = node->next) {
      if (node->mark < 0 && reads(*node, value)) needed.push_back(node);
    }
  } else {
    for (Value* node = first_pending(); node; node = node->next) {
      if (reads(*node, value)) needed.push_back(node);
    }
  }
  std::vector<Ref<Value>> hold;
  for (Value* node : needed) hold.emplace_back(node);
  evaluate(needed);
}

void evaluate_all() {
  std::lock_guard lock(graph_mutex());
  while (Value* oldest = first_pending()) {
    Ref<Value> hold(oldest);
    evaluate(oldest);
  }
}

std::string explain(std::span<Value* const> targets) {
  std::lock_guard lock(graph_mutex());
  PlanGuard guard{graph::make_plan(targets)};
  graph::Plan& plan = guard.plan;
  if (plan.order.empty()) return "nothing is pending: the data is in memory\n";
  std::string text = fmt::format("{} kernel{} for {} operations\n", plan.order.size(),
                                 plan.order.size() == 1 ? "" : "s", plan.nodes.size());
  int number = 0;
  for (auto g : plan.order) {
    const graph::Group& group = plan.groups[g];
    text += fmt::format("\nkernel {}: domain {}", ++number, to_string(group.domain));
    if (group.reduced) {
      Dims axes;
      for (int d = 0; d < max_dims; ++d) {
        if (group.reduced >> d & 1) axes.push_back(d);
      }
      text += fmt::format(", {} over axes {}", group.scans ? "scan" : "reduction", to_string(axes));
    }
    text += "\n  operations:";
    graph::Stop stop = graph::Stop::none;
    std::string outputs;
    for (auto n : group.nodes) {
      const auto& node = plan.nodes[n];
      const Value& value = *node.value;
      std::string op;
      switch (value.kind) {
        case NodeKind::elementwise:
        case NodeKind::argreduce:
          op = value.op == Op::argmin   ? "argmin"
               : value.op == Op::argmax ? "argmax"
                                        : info(value.op).name;
          break;
        case NodeKind::reduce:
          op = fmt::format("{}.reduce", info(value.combine).name);
          break;
        case NodeKind::scan:
          op = fmt::format("{}.accumulate", info(value.combine).name);
          break;
        case NodeKind::index:
          op = "index";
          break;
        case NodeKind::gather:
          op = "gather";
          break;
        default:
          op = "write";
      }
      text += " " + op;
      if (node.stop != graph::Stop::none) stop = node.stop;
      if (node.output) {
        outputs += fmt::format(" {}{}", name(value.dtype), to_string(value.shape));
      }
    }
    text += "\n  writes:" + outputs + "\n";
    if (stop != graph::Stop::none) text += fmt::format("  starts here because: {}\n", describe(stop));
  }
  return text;
}

namespace {
bool relieve_memory_pressure() {
  if (!first_pending()) return false;
  static thread_local bool running = false;
  if (running) return false;
  running = true;
  struct Reset {
    ~Reset() { running = false; }
  } reset;
  evaluate_all();
  return true;
}
[[maybe_unused]] const bool installed = (set_memory_pressure_handler(relieve_memory_pressure), true);
}  // namespace

}  // namespace heddle
