#include "graph/known_programs.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/hash.h"
#include "core/per_thread.h"
#include "graph/bands.h"
#include "graph/graph.h"
#include "graph/lower.h"
#include "graph/plan.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

namespace {

// What several steps compute is done after the last of them, and so is what nobody does.
void keep_last(std::vector<Step>& steps, const Collected& graph) {
  const auto last = last_steps(graph, steps);
  std::vector<bool> listed(last.size(), false);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    std::erase_if(steps[s].nodes,
                  [&](std::int32_t n) { return last[static_cast<std::size_t>(n)] != s; });
    for (auto n : steps[s].nodes) listed[static_cast<std::size_t>(n)] = true;
  }
  for (std::size_t n = 0; n < last.size(); ++n) {
    if (!listed[n]) steps[last[n]].nodes.push_back(static_cast<std::int32_t>(n));
  }
}

// What a later step reads stays, also where all who hold it have been computed by then: nodes that
// several kernels compute are done after the first that stores them. Updates of one kernel that go
// on with each other's memory share it.
void keep_what_is_read_later(std::vector<Step>& steps, const Collected& graph) {
  const auto node_at = [&](std::int32_t n) -> const Node& {
    return *graph.nodes()[static_cast<std::size_t>(n)];
  };
  std::unordered_map<const Value*, const Value*> shared;  // with the first of such updates
  for (const Step& step : steps) {
    for (const UpdateSlot& slot : step.updates) {
      if (slot.continued < 0) continue;
      const auto& before = step.updates[static_cast<std::size_t>(slot.continued)];
      const Value* first = &node_at(before.node).output();
      const auto found = shared.find(first);
      shared[&node_at(slot.node).output()] = found == shared.end() ? first : found->second;
    }
  }
  const auto memory_of = [&](std::int32_t node, std::int32_t operand) {
    const Value* value = node_at(node).operands[operand].value.get();
    const auto found = shared.find(value);
    return found == shared.end() ? value : found->second;
  };
  std::unordered_map<const Value*, std::size_t> last;  // the step that reads it
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const SlotSource& source : steps[s].slots) {
      if (source.kind == SlotSource::Kind::operand)
        last[memory_of(source.node, source.operand)] = s;
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (UpdateSlot& slot : steps[s].updates) {
      const auto found = last.find(memory_of(slot.node, 0));
      slot.fresh |= slot.continued < 0 && found != last.end() && found->second > s;
    }
  }
}

// Which offsets the program relies on.
Program::Offsets offsets_of(const Plan& plan, const Collected& graph, const Program& program,
                            bool bands) {
  // Which rows a step needs of others follows from offsets, and so does what updates leave.
  const bool again = plan.recomputation.any();
  if (plan.beside || bands || (again && graph.updates() > 0)) return Program::Offsets::all;
  if (!again) return Program::Offsets::none;
  return std::ranges::any_of(program.steps, &Step::by_offsets) ? Program::Offsets::all
                                                               : Program::Offsets::of_pending;
}

std::shared_ptr<Program> make_program(const Collected& graph) {
  auto program = std::make_shared<Program>();
  Plan plan(graph);
  for (auto g : plan.order) program->steps.push_back(lower(graph, plan, g));
  keep_what_is_read_later(program->steps, graph);
  auto bands = find_bands(graph, program->steps, plan.order);
  program->by_offsets = offsets_of(plan, graph, *program, !bands.empty());
  if (!bands.empty()) program->bands = std::make_shared<const std::vector<Bands>>(std::move(bands));
  if (plan.recomputation.any()) keep_last(program->steps, graph);
  return program;
}

// What is known of graphs, by their canonical words.
template <class Known>
class KnownGraphs {
 public:
  using Key = std::vector<std::uint64_t>;

  const Known* find(const Key& key) const {
    auto found = known_.find(key);
    return found == known_.end() ? nullptr : &found->second;
  }
  // What is there already stays.
  const Known& keep(const Key& key, Known known) {
    constexpr std::size_t most_words = std::size_t{1} << 22, most_graphs = 16384;
    if (words_ > most_words || known_.size() >= most_graphs) {
      known_.clear();
      words_ = 0;
    }
    auto [place, is_new] = known_.emplace(key, std::move(known));
    if (is_new) words_ += key.size();
    return place->second;
  }

 private:
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.size();
      for (auto word : key) hash = mix(hash, word);
      return hash;
    }
  };
  std::unordered_map<Key, Known, KeyHash> known_;
  std::size_t words_ = 0;  // of all keys
};

// One that is being run stays alive when nobody remembers it.
using Programs = KnownGraphs<std::shared_ptr<Program>>;

// A thread finds the programs that it has used without asking others; those that others have made
// it finds in a common place.
struct OwnPrograms {
  Programs programs;
  Programs::Key key;
};

std::shared_ptr<Program> find_program(const Collected& graph) {
  auto& [own, key] = PerThread<OwnPrograms>::own();
  static auto* common_mutex = new std::mutex;
  static auto* common = new Programs;
  graph.write_key(key);
  std::shared_ptr<Program> made;  // for this graph, whichever of its keys it is found by
  using Offsets = Program::Offsets;
  for (Offsets which : {Offsets::none, Offsets::of_pending, Offsets::all}) {
    if (which != Offsets::none) graph.write_offsets(key, which);
    auto* known = own.find(key);
    auto found = known ? *known : nullptr;
    if (!found) {
      {
        std::lock_guard lock(*common_mutex);
        known = common->find(key);
        if (known) found = *known;
      }
      if (!found) {
        if (!made) made = make_program(graph);
        std::lock_guard lock(*common_mutex);
        found = common->keep(key, made);
      }
      // Keys of thousands of nodes are megabytes: they are in one place only.
      constexpr std::size_t most_words = 65536;
      if (key.size() <= most_words) own.keep(key, found);
    }
    if (found->by_offsets <= which) return found;
  }
  return {};  // not reached
}

}  // namespace

std::shared_ptr<Program> known_program_of(const Node& node) {
  auto& [own, key] = PerThread<OwnPrograms>::own();
  if (!write_key_of(node, key)) return {};
  const auto* known = own.find(key);
  return known && (*known)->by_offsets == Program::Offsets::none ? *known : nullptr;
}

std::shared_ptr<Program> prepared_program_of(Value& pending) {
  Graph& graph = *pending.graph();
  Value* const targets[] = {&pending};
  std::unique_lock lock(graph);
  Collected collected(graph, targets);
  auto program = find_program(collected);
  const std::vector<Node*> nodes = collected.nodes();
  collected.release();
  lock.unlock();
  prepare(*program, nodes);
  return program;
}

// What a thread knows of graphs with several updates.
struct Forwarded::Own {
  struct Known {
    std::vector<ForwardedRead> reads;
    std::shared_ptr<Program> program;
  };
  KnownGraphs<Known> graphs;
  std::vector<std::uint64_t> key;
};

Forwarded::Forwarded(const Graph& graph, std::span<Value* const> targets,
                     std::optional<Collected>& collected) {
  if (collected->updates() == 0) return;
  // Single updates at ever changing places are not worth remembering.
  if (collected->updates() == 1) {
    forward_reads(graph, targets, collected);
    return;
  }
  own_ = &PerThread<Own>::own();
  collected->write_full_key(own_->key);
  // A target stays among the nodes when nobody reads it any more; what others hold does not.
  for (const Value* target : targets) {
    const Node* node = target->node();
    own_->key.push_back(node ? static_cast<std::uint64_t>(node->mark) : ~std::uint64_t{0});
  }
  if (const auto* known = own_->graphs.find(own_->key)) {
    program_ = known->program;
    forward_again(known->reads, graph, targets, collected);
  } else {
    reads_ = forward_reads(graph, targets, collected);
  }
}

std::shared_ptr<Program> Forwarded::program(const Collected& collected) {
  if (!program_) {
    program_ = find_program(collected);
    if (own_) own_->graphs.keep(own_->key, {std::move(reads_), program_});
  }
  return program_;
}

void prepare(Program& program, std::span<Node* const> nodes) {
  if (program.prepared.load(std::memory_order_acquire)) return;
  static auto* mutex = new std::mutex;
  std::vector<FoundKernel> found;
  for (const Step& step : program.steps) {
    if (step.library) continue;
    Device& device = nodes[static_cast<std::size_t>(step.nodes[0])]->device();
    found.push_back(find_kernel(device, step.kernel));
  }
  std::lock_guard lock(*mutex);
  if (program.prepared.load(std::memory_order_relaxed)) return;
  auto next = found.begin();
  for (Step& step : program.steps) {
    if (!step.library) step.found = *next++;
  }
  program.prepared.store(true, std::memory_order_release);
}

}  // namespace heddle::graph
