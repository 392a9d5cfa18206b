#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>

#include "core/hash.h"
#include "graph/bands.h"
#include "graph/copies.h"
#include "graph/graph.h"
#include "graph/known_programs.h"
#include "graph/moved.h"
#include "graph/node_facts.h"
#include "graph/program.h"
#include "graph/readers.h"
#include "graph/recorder.h"
#include "graph/step_launch.h"
#include "runtime/device.h"
#include "runtime/reports.h"
#include "runtime/statistics.h"
#include "runtime/traffic.h"
#include <heddle/errors.h>

namespace heddle {

Limits& limits() {
  static Limits instance;
  return instance;
}

namespace {

using graph::Buffers;
using graph::Collected;
using graph::Program;
using graph::SlotSource;
using graph::Step;

// What was counted so far, where it is counted.
std::uint64_t bytes_so_far() {
  if (!counts_traffic()) return 0;
  const Statistics all = read_statistics();
  return all.bytes_read + all.bytes_written;
}

// Unless the call is made of kernels that have counted what they move, as a jitted function is.
void count_call(const Node& node, std::uint64_t before) {
  if (!counts_traffic() || bytes_so_far() != before) return;
  const graph::Moved moved = graph::moved_by_call(node);
  count(Counter::bytes_read, moved.read);
  count(Counter::bytes_written, moved.written);
}

// How deep this thread is in evaluations: a front end's signal handler may begin another.
constinit thread_local int evaluations = 0;

// Pending nodes of one graph on their way through a program. No lock is held while they run.
class Evaluation {
 public:
  // `reads(value)`: by how many operands of the nodes. The graph is locked.
  template <class Reads>
  Evaluation(Graph& graph, std::shared_ptr<Program> program, std::span<Node* const> nodes,
             Reads reads)
      : graph_(graph), program_(std::move(program)), nodes_(nodes.begin(), nodes.end()) {
    const Graph* own = &Graph::own();
    for (Node* node : nodes_) {
      node->runner = own;
      // Whoever holds a result may let go of it meanwhile.
      for (Value* value : node->outputs()) {
        if (value && value->references() > reads(*value)) keep(value);
      }
    }
    ++evaluations;
  }
  ~Evaluation() {
    --evaluations;
    if (done_ == program_->steps.size()) return;
    std::lock_guard lock(graph_);
    // What was not reached is pending again.
    for (; done_ < program_->steps.size(); ++done_) {
      for (auto n : program_->steps[done_].nodes) {
        node(n).runner = nullptr;
        node(n).stopped = true;
      }
    }
    graph_.tell_of_end();
  }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  void run() {
    graph::prepare(*program_, nodes());
    graph::LaunchesScope together(program_->steps.size() > 1 ? &nodes_[0]->device() : nullptr);
    std::size_t next = 0;
    while (done_ < program_->steps.size()) {
      if (program_->bands && next < program_->bands->size() &&
          (*program_->bands)[next].first == done_) {
        launch((*program_->bands)[next++]);
        continue;
      }
      const Step& step = program_->steps[done_];
      step.library ? call(node(step.nodes[0])) : launch(step);
      ++done_;
    }
    together.end();
  }

 private:
  Node& node(std::int32_t n) const { return *nodes_[n]; }
  std::span<Node* const> nodes() const {
    return {nodes_.data(), static_cast<std::size_t>(nodes_.size())};
  }

  // Most evaluations have one result.
  void keep(Value* value) {
    if (!first_kept_) {
      first_kept_ = Ref<Value>(value);
    } else {
      kept_.emplace_back(value);
    }
  }

  void call(Node& node) {
    Buffers outputs(node.outputs().size());
    LibraryCall call(node, outputs.all());
    const auto before = bytes_so_far();
    node.primitive->run(call);
    count_call(node, before);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs()[i] && !outputs[i]) call.make(static_cast<int>(i));
    }
    std::lock_guard lock(graph_);
    node.complete(outputs.all());
    end_of_step();
  }

  // An output that goes may be the last that reads what an update of the same step makes, and the
  // update would go before it is completed.
  using Held = std::vector<Ref<Value>>;
  Held hold_updates(const Step& step) const {
    Held held;
    if (step.outputs.empty()) return held;
    for (const auto& update : step.updates) held.emplace_back(node(update.node).outputs()[0]);
    return held;
  }

  // The graph is locked.
  void end_of_step() const {
    if (done_ + 1 == program_->steps.size()) graph_.tell_of_end();
  }

  Ref<Buffer> output_memory(const graph::OutputSlot& output, Device& device, bool& donated) const {
    if (output.donor_node >= 0) {
      const Value& donor = *node(output.donor_node).operands[output.donor_operand].value;
      // One that is computed again inside of kernels has no memory.
      if (donor.computed() && !donor.buffer()->foreign() && donor.buffer()->references() == 1) {
        donated = true;
        return donor.buffer();
      }
    }
    return Buffer::allocate(device, output.bytes);
  }

  // The memory that an update writes to: that of the old value where nobody else holds it any more.
  Ref<Buffer> target_memory(const graph::UpdateSlot& slot, bool& in_place) const {
    const Node& update = node(slot.node);
    if (slot.blank) {
      return Buffer::allocate(update.device(), graph::bytes_of(update.output()));
    }
    const Value& old = *update.operands[0].value;
    const bool sole = !slot.fresh && old.references() == slot.reads && !old.buffer()->foreign();
    if (sole || update.in_place) {
      in_place = true;
      return old.buffer();
    }
    auto fresh = Buffer::allocate(update.device(), old.buffer()->bytes());
    graph::copy_rest(graph::rest_of(update), *old.buffer(), *fresh);
    return fresh;
  }

  void launch(const Step& step) {
    Device& device = node(step.nodes[0]).device();
    SmallVector<void*, 16> pointers;
    SmallVector<kernel::ScalarBits, 16> scalars;
    Buffers outputs(step.outputs.size()), targets(step.updates.size());
    bool overwrites = false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = output_memory(step.outputs[i], device, overwrites);
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto before = step.updates[i].continued;
      targets[i] = before < 0 ? target_memory(step.updates[i], overwrites)
                              : targets[static_cast<std::size_t>(before)];
    }
    auto buffer_of = [&](const SlotSource& source) -> Buffer* {
      const auto place = static_cast<std::size_t>(source.node);
      switch (source.kind) {
        case SlotSource::Kind::output:
          return outputs[place].get();
        case SlotSource::Kind::target:
          return targets[place].get();
        default:
          return node(source.node).operands[source.operand].value->buffer().get();
      }
    };
    for (const auto& source : step.slots) {
      // Of scratch every thread has its own.
      void* base = source.kind == SlotSource::Kind::scratch ? nullptr : buffer_of(source)->data();
      pointers.push_back(static_cast<char*>(base) + graph::offset_of(source, step, nodes()));
    }
    for (const auto& source : step.scalars) {
      scalars.push_back(source.node < 0 ? source.constant
                                        : node(source.node).operands[source.operand].scalar);
    }
    SmallVector<Buffer*, 16> used;
    if (graph::needs_buffers(device)) {
      for (const auto& source : step.slots) {
        if (source.kind != SlotSource::Kind::scratch) used.push_back(buffer_of(source));
      }
    }
    graph::launch_step(step, device,
                       {{pointers.data(), static_cast<std::size_t>(pointers.size())},
                        {scalars.data(), static_cast<std::size_t>(scalars.size())},
                        {used.data(), static_cast<std::size_t>(used.size())},
                        overwrites});
    // Nothing fails from here on.
    std::lock_guard lock(graph_);
    const Held held = hold_updates(step);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      node(step.outputs[i].node).complete(std::span(&outputs[i], 1));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      node(step.updates[i].node).complete(std::span(&targets[i], 1));
    }
    end_of_step();
  }

  // Several steps, band by band.
  void launch(const graph::Bands& bands) {
    Device& device = node(program_->steps[done_].nodes[0]).device();
    auto memory = graph::make_memory(bands, device);
    const auto step_at = [&](std::size_t s) -> const Step& {
      return program_->steps[bands.first + s];
    };
    graph::run_bands(
        bands, program_->steps, device, memory,
        {[&](std::size_t s, std::size_t slot) {
           const SlotSource& source = step_at(s).slots[slot];
           const bool there =
               source.kind == SlotSource::Kind::operand && bands.steps[s].memory[slot] < 0;
           return graph::BandInputs::Place{
               there ? node(source.node).operands[source.operand].value->buffer().get() : nullptr,
               graph::offset_of(source, step_at(s), nodes())};
         },
         [&](std::size_t s, std::size_t scalar) {
           const auto& source = step_at(s).scalars[scalar];
           return source.node < 0 ? source.constant
                                  : node(source.node).operands[source.operand].scalar;
         }});
    // Nothing fails from here on. What stays inside goes with those who read it.
    std::lock_guard lock(graph_);
    const auto complete = [&](std::int32_t n, std::int32_t which) {
      Ref<Buffer> buffer = memory[static_cast<std::size_t>(which)];
      if (buffer) node(n).complete(std::span(&buffer, 1));
    };
    for (std::size_t s = 0; s < bands.steps.size(); ++s, ++done_) {
      const Step& step = step_at(s);
      const Held held = hold_updates(step);
      for (std::size_t i = 0; i < step.outputs.size(); ++i)
        complete(step.outputs[i].node, bands.steps[s].outputs[i]);
      for (std::size_t i = 0; i < step.updates.size(); ++i)
        complete(step.updates[i].node, bands.steps[s].updates[i]);
    }
    if (done_ == program_->steps.size()) graph_.tell_of_end();
  }

  Graph& graph_;
  std::shared_ptr<Program> program_;
  SmallVector<Node*, 32> nodes_;
  Ref<Value> first_kept_;
  std::vector<Ref<Value>> kept_;
  std::size_t done_ = 0;  // steps
};

// Its program is the same for all: there is nothing to plan.
std::shared_ptr<Program> program_of_call() {
  static Program* program = [] {
    auto* made = new Program;
    Step& step = made->steps.emplace_back();
    step.library = true;
    step.nodes = {0};
    made->prepared = true;
    return made;
  }();
  return {std::shared_ptr<void>(), program};  // there for good, and not counted
}

// The program of the only target where nothing has to be found out about it: a call of a library,
// or an operation that was seen before, whose operands are all in memory.
std::shared_ptr<Program> evident_program(std::span<Value* const> targets) {
  const Node* node = targets.size() == 1 ? targets[0]->node() : nullptr;
  if (!node || node->runner || graph::is_one_of_several(*node)) return {};
  for (int o = 0; o < node->operand_count; ++o) {
    const Value* operand = node->operands[o].value.get();
    if (operand && !operand->computed()) return {};
  }
  return node->kind == NodeKind::library ? program_of_call() : graph::known_program_of(*node);
}

// Computes those of the targets that are pending in this graph.
void evaluate_in(Graph& graph, std::span<Value* const> targets) {
  std::vector<Ref<Value>> readers;
  std::vector<Value*> more;
  for (std::span<Value* const> wanted = targets;;) {
    std::unique_lock lock(graph);
    graph.bury();
    if (auto program = evident_program(wanted)) {
      Node* const node = wanted[0]->node();
      Evaluation evaluation(graph, std::move(program), std::span(&node, 1),
                            [](const Value&) { return 0; });
      lock.unlock();
      return evaluation.run();
    }
    std::optional<Collected> collected(std::in_place, graph, wanted);
    if (collected->nodes().empty()) return;
    if (collected->runner() == &Graph::own()) {
      throw std::runtime_error(
          "evaluation inside of a signal handler that stopped another one of the same arrays");
    }
    if (collected->runner()) {
      const auto since = graph.begin_waiting();
      collected->release();
      lock.unlock();
      graph.wait_for_end(since);
      continue;
    }
    graph::Forwarded forwarded(graph, wanted, collected);
    auto found = graph::readers_outside(graph, *collected);
    if (found.empty()) found = graph::results_outside(wanted);
    if (!found.empty()) {
      if (more.empty()) more.assign(targets.begin(), targets.end());
      for (auto& reader : found) {
        more.push_back(reader.get());
        readers.push_back(std::move(reader));
      }
      wanted = more;
      continue;
    }
    Evaluation evaluation(graph, forwarded.program(*collected), collected->nodes(),
                          [&](const Value& value) { return collected->reads(value); });
    collected->release();
    lock.unlock();
    return evaluation.run();
  }
}

void evaluate_each(std::span<Value* const> targets) {
  for (Value* target : targets) {
    if (target->computed()) continue;
    if (target->graph()->has_stand_ins()) {
      if (!Recorder::current()) {
        throw type_error(
            "the array stands for all rows of a batch, as inside of vmap, and the function that "
            "it was made in has ended: it has no elements. What is wanted of it is to be a result "
            "of the function");
      }
      const std::string where = call_site();
      throw type_error(fmt::format(
          "the elements of an array are asked for where it stands for all rows of a batch, as "
          "inside of vmap: they differ from row to row{}. Write where(condition, x, y) for an if, "
          "and keep numbers in arrays instead of float(), int(), item() and bool()",
          where.empty() ? "" : fmt::format(" ({})", where)));
    }
    evaluate_in(*target->graph(), targets);
  }
}

// Pending values that no other pending node reads, oldest first: running them runs all, and what is
// only a step on the way to them stays inside of kernels. Leaves out nodes that are marked or run,
// and all that were made after `last`. The graph is locked.
std::vector<Ref<Value>> pending_roots(const Graph& graph, std::uint64_t last = ~std::uint64_t{0}) {
  std::unordered_set<const Value*> read;
  for (const Node* node = graph.first(); node && node->sequence <= last; node = node->next) {
    for (int o = 0; o < node->operand_count; ++o) read.insert(node->operands[o].value.get());
  }
  std::vector<Ref<Value>> roots;
  for (const Node* node = graph.first(); node && node->sequence <= last; node = node->next) {
    if (node->mark >= 0 || node->runner) continue;
    for (Value* output : node->outputs()) {
      if (!output || read.contains(output)) continue;
      if (auto alive = Ref<Value>::lock(output)) roots.push_back(std::move(alive));
    }
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
      evaluate_each(std::span(&value, 1));
      any = true;
    } catch (const out_of_memory&) {
      continue;  // it stays pending; another one may be smaller
    }
  }
  return any;
}

// Evaluates pending nodes that the targets do not need, oldest first. False when there are none.
bool run_other_work(std::span<Value* const> targets) {
  Graph& own = Graph::own();
  std::vector<Ref<Value>> others;
  {
    std::lock_guard lock(own);
    Collected needed(own, targets);
    others = pending_roots(own);
  }
  return run_what_fits(others);
}

}  // namespace

void evaluate(std::span<Value* const> targets) {
  if (Recorder* recorder = Recorder::current()) recorder->about_to_compute(targets);
  try {
    evaluate_each(targets);
  } catch (const out_of_memory&) {
    // Other work may hold memory: run it, and what is left of this again.
    if (!run_other_work(targets)) throw;
    evaluate_each(targets);
  }
}

namespace {

// What a node looks like from its neighbours: equal in every pass of a loop.
std::uint64_t look_of(const Node& node) {
  auto hash = mix(static_cast<std::uint64_t>(node.kind) << 16 | static_cast<std::uint64_t>(node.op),
                  reinterpret_cast<std::uintptr_t>(node.primitive));
  for (int o = 0; o < node.operand_count; ++o) {
    const Value* value = node.operands[o].value.get();
    const Node* made_by = value ? value->node() : nullptr;
    hash = mix(hash, made_by ? node.sequence - made_by->sequence : value != nullptr);
  }
  return hash;
}

// Where to cut what is pending: after the newest node that is preceded by what preceded the last
// cut, so that the passes of a loop are cut into equal pieces, whose plans and kernels are there.
// The graph is locked.
std::uint64_t place_of_cut(Graph& graph) {
  constexpr std::size_t length = 8;
  std::vector<std::uint64_t> looks;
  std::vector<const Node*> nodes;
  for (const Node* node = graph.first(); node; node = node->next) {
    nodes.push_back(node);
    looks.push_back(look_of(*node));
  }
  auto before = [&](std::size_t end) {
    std::uint64_t hash = 0;
    for (std::size_t i = end - std::min(end, length); i < end; ++i) hash = hash * 31 + looks[i];
    return hash;
  };
  std::size_t best = 0;
  // Whoever makes the newest node still holds what it reads.
  for (std::size_t end = nodes.size() - 1; end > nodes.size() / 2; --end) {
    if (before(end) == graph.cut) return nodes[end - 1]->sequence;
    // Otherwise after what is memory in any case.
    const auto kind = nodes[end - 1]->kind;
    if (best == 0 && (kind == NodeKind::update || kind == NodeKind::library)) best = end;
  }
  if (best == 0) best = nodes.size();
  graph.cut = before(best);
  return nodes[best - 1]->sequence;
}

}  // namespace

void enforce_limits(std::int64_t count) {
  if (count > limits().pending) {
    Graph& own = Graph::own();
    std::vector<Ref<Value>> roots;
    {
      std::lock_guard lock(own);
      own.bury();
      if (own.first()) roots = pending_roots(own, place_of_cut(own));
    }
    std::vector<Value*> targets;
    targets.reserve(roots.size());
    for (const auto& root : roots) targets.push_back(root.get());
    evaluate(targets);
  }
  if (held_bytes() > limits().held_bytes) evaluate_all();
}

void evaluate_readers_of(Value* value) {
  Graph& own = Graph::own();
  std::vector<Ref<Value>> needed;
  {
    std::lock_guard lock(own);
    for (Node* node = own.first(); node; node = node->next) {
      if (node->runner || !graph::reads(*node, value)) continue;
      for (Value* output : node->outputs()) {
        if (!output) continue;
        if (auto alive = Ref<Value>::lock(output)) needed.push_back(std::move(alive));
      }
    }
  }
  std::vector<Value*> targets;
  targets.reserve(needed.size());
  for (const auto& one : needed) targets.push_back(one.get());
  evaluate(targets);
}

namespace {

void evaluate_pending(Graph& graph) {
  for (;;) {
    std::vector<Ref<Value>> roots;
    {
      std::lock_guard lock(graph);
      graph.bury();  // what other threads let go of meanwhile is no work
      roots = pending_roots(graph);
    }
    if (roots.empty()) return;
    for (const auto& root : roots) evaluate(root.get());
  }
}

}  // namespace

void evaluate_all() { evaluate_pending(Graph::own()); }

void evaluate_all_threads() {
  for (Graph* graph : Graph::all()) evaluate_pending(*graph);
}

namespace {
bool relieve_memory_pressure() {
  if (evaluations > 0) return false;  // whoever evaluates tries again
  bool any = false;
  for (Graph* graph : Graph::all()) {
    std::vector<Ref<Value>> roots;
    {
      std::lock_guard lock(*graph);
      roots = pending_roots(*graph);
    }
    any |= run_what_fits(roots);
  }
  return any;
}
[[maybe_unused]] const bool installed =
    (set_memory_pressure_handler(relieve_memory_pressure), true);
}  // namespace

}  // namespace heddle
