#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <pthread.h>

#include "core/storage.h"
#include "graph/cost.h"
#include "graph/graph.h"
#include "graph/lower.h"
#include "graph/plan.h"
#include "graph/program.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// Set while kernels of a program are being launched: their nodes must not be evaluated by others.
bool running = false;
struct Running {
  Running() { running = true; }
  ~Running() { running = false; }
};

RecursiveMutex* the_mutex = new RecursiveMutex;  // outlives static destruction

// In a child made by fork, a thread that held the graph is no more. It was running a kernel, or
// waiting for a front end's lock: what it left is a graph whose nodes are still to be computed.
[[maybe_unused]] const int watching = pthread_atfork(nullptr, nullptr, [] {
  if (the_mutex->try_lock()) {
    the_mutex->unlock();
  } else {
    the_mutex = new RecursiveMutex;
    running = false;
  }
});

}  // namespace

RecursiveMutex& graph_mutex() { return *the_mutex; }

void abandon_graph() {
  std::unique_lock lock(*the_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  running = false;
  lock.release()->abandon();
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

using graph::Collected;
using graph::Program;
using graph::SlotSource;
using graph::Step;

std::shared_ptr<Program> make_program(const Collected& graph) {
  auto program = std::make_shared<Program>();
  auto plan = graph::make_plan(graph);
  for (auto g : plan.order) program->steps.push_back(graph::lower(graph, plan, g));
  return program;
}

// Programs of this process by the structure of the graph. A program that is being run stays alive
// when the cache lets go of it.
std::shared_ptr<Program> find_program(const Collected& graph) {
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const {
      std::uint64_t hash = key.size();
      for (auto word : key) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  constexpr std::size_t most = 4096;
  static auto* programs =
      new std::unordered_map<std::vector<std::uint64_t>, std::shared_ptr<Program>, KeyHash>;
  static auto& key = *new std::vector<std::uint64_t>;
  graph.write_key(key);
  if (auto found = programs->find(key); found != programs->end()) return found->second;
  if (programs->size() >= most) programs->clear();
  auto program = make_program(graph);
  programs->emplace(key, program);
  return program;
}

// Where a slot that is no output begins. Offsets are not part of a program: x[i] is one for all i.
void* address_of(const SlotSource& source, std::span<Value* const> nodes) {
  if (source.kind == SlotSource::Kind::scratch) return static_cast<char*>(nullptr) + source.offset;
  const Value& node = *nodes[static_cast<std::size_t>(source.node)];
  bool target = source.kind == SlotSource::Kind::target;
  const Operand& operand = node.operands[target ? 0 : source.operand];
  const Layout* layout = target ? node.target.get() : operand.layout.get();
  auto* base = static_cast<char*>(operand.value->buffer->data());
  return layout ? base + layout->offset * itemsize(target ? node.target_dtype : operand.dtype)
                : base;
}

Buffer* buffer_of(const SlotSource& source, std::span<Value* const> nodes) {
  const Value& node = *nodes[static_cast<std::size_t>(source.node)];
  bool target = source.kind == SlotSource::Kind::target;
  return node.operands[target ? 0 : source.operand].value->buffer.get();
}

// The nodes of an evaluation while its steps run: those of steps already run may be gone.
void run_step(Step& step, std::span<Value* const> nodes) {
  Device& device = *nodes[static_cast<std::size_t>(step.nodes[0])]->device;
  if (step.found.code) {
    ++statistics().memory_hits;
  } else {
    step.found = find_kernel(device, step.kernel);
  }
  SmallVector<void*, 16> pointers;
  SmallVector<kernel::ScalarBits, 16> scalars;
  // Few kernels have more than a handful of outputs.
  Ref<Buffer> few[4];
  std::vector<Ref<Buffer>> many(step.outputs.size() > std::size(few) ? step.outputs.size() : 0);
  std::span<Ref<Buffer>> buffers =
      many.empty() ? std::span(few, step.outputs.size()) : std::span(many);
  bool donated = false;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto& output = step.outputs[i];
    Ref<Buffer> buffer;
    if (output.donor_node >= 0) {
      Value& donor =
          *nodes[static_cast<std::size_t>(output.donor_node)]->operands[output.donor_operand].value;
      if (!donor.buffer->foreign() && donor.buffer->references() == 1) buffer = donor.buffer;
    }
    donated |= static_cast<bool>(buffer);
    buffers[i] = buffer ? std::move(buffer) : Buffer::allocate(device, output.bytes);
  }
  for (const auto& source : step.slots) {
    pointers.push_back(source.kind == SlotSource::Kind::output
                           ? buffers[static_cast<std::size_t>(source.node)]->data()
                           : address_of(source, nodes));
  }
  for (const auto& source : step.scalars) {
    scalars.push_back(
        source.node < 0
            ? source.constant
            : nodes[static_cast<std::size_t>(source.node)]->operands[source.operand].scalar);
  }
  // Where the host sees the memory, work is done when a launch returns: nobody has to wait for it.
  SmallVector<Buffer*, 16> used;
  if (!device.host_accessible()) {
    for (const auto& source : step.slots) {
      if (source.kind == SlotSource::Kind::scratch) continue;
      used.push_back(source.kind == SlotSource::Kind::output
                         ? buffers[static_cast<std::size_t>(source.node)].get()
                         : buffer_of(source, nodes));
    }
  }
  Launch launch;
  launch.kernel = step.found.kernel;
  launch.code = step.found.code;
  launch.pointers = {pointers.data(), static_cast<std::size_t>(pointers.size())};
  launch.strides = step.strides;
  launch.extents = step.extents;
  launch.scalars = {scalars.data(), static_cast<std::size_t>(scalars.size())};
  launch.buffers = {used.data(), static_cast<std::size_t>(used.size())};
  launch.scratch_bytes = step.scratch_bytes;
  launch.serial = step.serial;
  // An operand that is half overwritten could not be read again.
  launch.interruptible = step.interruptible && !donated;
  device.launch(launch);
  ++statistics().launched;
  // Nothing fails from here on.
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    nodes[static_cast<std::size_t>(step.outputs[i].node)]->complete(std::move(buffers[i]));
  }
  for (auto n : step.updates) {
    Value& node = *nodes[static_cast<std::size_t>(n)];
    node.complete(Ref<Buffer>(node.operands[0].value->buffer));
  }
}

}  // namespace

namespace {

// Evaluates pending nodes that the targets do not need, oldest first. False when there are none.
bool run_older_work(std::span<Value* const> targets);

void run(std::span<Value* const> targets) {
  Collected graph(targets);
  auto program = find_program(graph);
  SmallVector<Value*, 32> nodes(graph.nodes().begin(), graph.nodes().end());
  graph.release();
  std::span<Value* const> made(nodes.data(), static_cast<std::size_t>(nodes.size()));
  // A front end's signal handler may let go of the targets meanwhile.
  Ref<Value> only(targets[0]);
  std::vector<Ref<Value>> others;
  for (Value* target : targets.subspan(1)) others.emplace_back(target);
  Running scope;
  for (auto& step : program->steps) run_step(step, made);
}

}  // namespace

void evaluate(std::span<Value* const> targets) {
  std::lock_guard lock(graph_mutex());
  bury_values();
  if (std::all_of(targets.begin(), targets.end(), [](Value* v) { return v->computed(); })) return;
  if (running)
    throw std::runtime_error("evaluation inside of a signal handler that stopped another");
  try {
    run(targets);
  } catch (const out_of_memory&) {
    // Older work may hold memory: run it, and what is left of this again.
    if (!run_older_work(targets)) throw;
    run(targets);
  }
}

void enforce_limits(Value* made) {
  if (made->pending > limits().work) {
    // The sum over operands counts what they share twice: count exactly before giving up.
    std::uint32_t exact = 0;
    {
      Collected graph(std::span(&made, 1));
      for (const Value* node : graph.nodes()) exact += graph::weight_of(*node);
    }
    made->pending = exact;
    if (exact > limits().work) evaluate(made);
  } else if (held_bytes() > limits().held_bytes || pending_count() > limits().pending) {
    evaluate_all();
  }
}

namespace {

// Pending nodes that no other pending node reads, oldest first: running them runs all, and what is
// only a step on the way to them stays inside of kernels. Leaves out nodes that are marked.
std::vector<Ref<Value>> pending_roots() {
  std::unordered_set<const Value*> read;
  for (const Value* node = first_pending(); node; node = node->next) {
    for (int o = 0; o < node->operand_count; ++o) read.insert(node->operands[o].value.get());
  }
  std::vector<Ref<Value>> roots;
  for (Value* node = first_pending(); node; node = node->next) {
    if (node->mark >= 0 || read.contains(node)) continue;
    if (auto alive = Ref<Value>::lock(node)) roots.push_back(std::move(alive));
  }
  return roots;
}

// Runs as many of them as there is memory for. False when that was none.
bool run_what_fits(std::span<const Ref<Value>> roots) {
  bool any = false;
  for (const auto& root : roots) {
    Value* value = root.get();
    if (value->computed()) continue;
    try {
      run(std::span(&value, 1));
      any = true;
    } catch (const out_of_memory&) {
      continue;  // it stays pending; another one may be smaller
    }
  }
  return any;
}

bool run_older_work(std::span<Value* const> targets) {
  std::vector<Ref<Value>> others;
  {
    Collected own(targets);
    others = pending_roots();
  }
  return run_what_fits(others);
}

bool reads(const Value& reader, const Value* value) {
  for (int o = 0; o < reader.operand_count; ++o) {
    if (reader.operands[o].value.get() == value) return true;
  }
  return false;
}
}  // namespace

void evaluate_readers_of(Value* value, Value* except) {
  std::lock_guard lock(graph_mutex());
  std::vector<Ref<Value>> needed;
  auto find = [&] {
    for (Value* node = first_pending(); node; node = node->next) {
      if (node->mark >= 0 || !reads(*node, value)) continue;
      if (auto alive = Ref<Value>::lock(node)) needed.push_back(std::move(alive));
    }
  };
  if (except && !except->computed()) {
    // What `except` is made from runs with it.
    Collected own(std::span(&except, 1));
    find();
  } else {
    find();
  }
  std::vector<Value*> targets;
  targets.reserve(needed.size());
  for (const auto& node : needed) targets.push_back(node.get());
  evaluate(targets);
}

void evaluate_all() {
  std::lock_guard lock(graph_mutex());
  while (first_pending()) {
    bury_values();  // what other threads let go of meanwhile is no work
    for (const auto& root : pending_roots()) evaluate(root.get());
  }
}

std::string explain(std::span<Value* const> targets) {
  std::lock_guard lock(graph_mutex());
  Collected graph(targets);
  auto plan = graph::make_plan(graph);
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
        case NodeKind::random:
          op = "random";
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
    if (stop != graph::Stop::none)
      text += fmt::format("  starts here because: {}\n", describe(stop));
  }
  return text;
}

namespace {
bool relieve_memory_pressure() {
  std::lock_guard lock(graph_mutex());
  return !running && run_what_fits(pending_roots());
}
[[maybe_unused]] const bool installed =
    (set_memory_pressure_handler(relieve_memory_pressure), true);
}  // namespace

}  // namespace heddle
