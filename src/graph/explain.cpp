#include "graph/explain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "graph/bands.h"
#include "graph/forward.h"
#include "graph/graph.h"
#include "graph/lower.h"
#include "graph/moved.h"
#include "graph/plan.h"
#include "graph/readers.h"

namespace heddle {

std::string graph::name_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::elementwise:
    case NodeKind::argreduce:
      return name(node.op);
    case NodeKind::reduce:
      return fmt::format("{}.reduce", info(node.combine).name);
    case NodeKind::scan:
      return fmt::format("{}.accumulate", info(node.combine).name);
    case NodeKind::index:
      return "index";
    case NodeKind::random:
      return "random";
    case NodeKind::gather:
      return "gather";
    case NodeKind::update:
      return "write";
    case NodeKind::library:
      return node.primitive->name;
  }
  return "";
}

namespace graph {

namespace {

// 1234567 is 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits;
}

std::string count_of(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Things by name, in the order in which they came first: "add x3, sqrt".
class Tally {
 public:
  void add(const std::string& name) {
    auto known = std::find_if(counts_.begin(), counts_.end(),
                              [&](const auto& count) { return count.first == name; });
    if (known == counts_.end()) known = counts_.insert(counts_.end(), {name, 0});
    ++known->second;
  }
  bool empty() const { return counts_.empty(); }
  std::string text() const {
    std::string text;
    for (const auto& [name, count] : counts_) {
      if (!text.empty()) text += ", ";
      text += count == 1 ? name : fmt::format("{} x{}", name, count);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, int>> counts_;
};

// How many strings from a position on come again right after themselves, and how often they are
// there: 1 and 1 where they do not.
std::pair<std::size_t, std::size_t> repeats(const std::vector<std::string>& parts,
                                            std::size_t begin) {
  constexpr std::size_t longest = 8;
  std::pair<std::size_t, std::size_t> best(1, 1);
  for (std::size_t length = 1; length <= longest; ++length) {
    auto end = begin + length;
    while (end < parts.size() && parts[end] == parts[end - length]) ++end;
    const auto times = (end - begin) / length;
    if (times > 1 && length * times > best.first * best.second) best = {length, times};
  }
  return best;
}

// Why two kernels are not one.
const char* describe(Stop reason) {
  switch (reason) {
    case Stop::none:
      return "fused";
    case Stop::view:
      return "read through a view";
    case Stop::shape:
      return "another iteration space";
    case Stop::axes:
      return "a reduction over other axes";
    case Stop::order:
      return "another operand is ready only after it";
    case Stop::length:
      return "cut";
    case Stop::slot_limit:
      return "together too many memory operands";
    case Stop::scan:
      return "a running result of a running result";
    case Stop::needs_memory:
      return "read at arbitrary places";
    case Stop::target:
      return "written into";
    case Stop::few:
      return "writes of few elements, which one kernel serves in turn";
    case Stop::twice:
      return "both write to the same elements";
    case Stop::written:
      return "it writes into memory";
    case Stop::overlap:
      return "a write would overwrite elements that its value reads elsewhere";
    case Stop::library:
      return "a call of a library";
    case Stop::words:
      return "blocks of random numbers do not fit into rows of this length";
    case Stop::device:
      return "another device";
    case Stop::update:
      return "neither reads the other, and one writes into memory";
    case Stop::unrelated:
      return "no memory in common";
  }
  return "";
}

// Why what is read through a view is not computed there.
std::string describe(const Keeping& keeping, const Node& node) {
  switch (keeping.reason) {
    case Reason::none:
      return "";
    case Reason::once:
      return node.kind == NodeKind::update ? ", as it is written into"
                                           : fmt::format(", as {} is computed once", name_of(node));
    case Reason::held:
      return ", as somebody holds it";
    case Reason::anywhere:
    case Reason::stored:
      return ", as others need it in memory";
    case Reason::bundled:
      return ", as a kernel has its short axes in registers";
    case Reason::overwritten:
      return ", as what it reads is overwritten";
    case Reason::cost:
      return fmt::format(" at {} places; computing again costs {:.0f}, memory {:.0f}",
                         keeping.places, keeping.extra, keeping.store);
    case Reason::views:
      return " that does not go along its axes";
    case Reason::many:
      return ", as computing it at all of these places would fill the kernel";
  }
  return "";
}

// Why an update does not choose element by element.
const char* describe(Written reason) {
  switch (reason) {
    case Written::none:
      return "";
    case Written::kind:
      return " by a mask, indices, an accumulation or as another type";
    case Written::target:
      return ", as there are gaps between what is written";
    case Written::many:
      return ", as a kernel chooses from no more writes";
    case Written::before:
      return ", as what was there before is memory";
    case Written::parts:
      return ", as parts of one shape are written at once";
    case Written::cost:
      return ", as to choose element by element would cost more";
  }
  return "";
}

class Explanation {
 public:
  Explanation(const Collected& graph, const Plan& plan) : plan_(plan), order_(plan.order) {
    numbers_.assign(plan.groups.size(), 0);
    computed_.assign(plan.nodes.size(), false);
    for (auto g : order_) steps_.push_back(lower(graph, plan, g));
    bands_ = find_bands(graph, steps_, order_);
    for (std::size_t s = 0; s < order_.size(); ++s)
      numbers_[static_cast<std::size_t>(order_[s])] = s + 1;
    moved_ = moved_by(graph, steps_, bands_);
  }

  std::string text() {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      parts.push_back(steps_[i].library ? call(i) : kernel(i));
    }
    std::string text = summary();
    for (std::size_t i = 0; i < parts.size();) {
      const auto [length, times] = repeats(parts, i);
      const auto end = i + length * times;
      if (length > 1) {
        text += fmt::format("\nsteps {} to {}: {} times these {}\n", i + 1, end, times, length);
      }
      for (auto j = i; j < i + length; ++j) {
        const char* kind = steps_[j].library ? "library call" : "kernel";
        text += times > 1 && length == 1 ? fmt::format("\n{}s {} to {}, each: ", kind, i + 1, end)
                                         : fmt::format("\n{} {}: ", kind, j + 1);
        text += parts[j];
      }
      i = end;
    }
    return text + "\n" + totals();
  }

 private:
  const Group& group(std::size_t step) const {
    return plan_.groups[static_cast<std::size_t>(order_[step])];
  }
  const Node& node(std::int32_t n) const { return *plan_.nodes[static_cast<std::size_t>(n)].node; }
  bool chosen(const Node& node) const { return plan_.recomputation.chosen(node); }

  std::string summary() const {
    const auto calls = static_cast<std::size_t>(
        std::count_if(steps_.begin(), steps_.end(), [](const Step& step) { return step.library; }));
    const auto kernels = steps_.size() - calls;
    std::string text = kernels > 0 || calls == 0 ? count_of(kernels, "kernel") : "";
    if (calls > 0) text += (text.empty() ? "" : " and ") + count_of(calls, "library call");
    return text + " for " + count_of(plan_.nodes.size(), "operation") + "\n";
  }

  std::string call(std::size_t step) const {
    const Node& call = node(steps_[step].nodes[0]);
    Tally outputs;
    for (const Value* value : call.outputs()) {
      if (value) outputs.add(name(value->dtype) + to_string(value->shape));
    }
    return fmt::format("{}\n{}", call.primitive->name, moves(step, outputs));
  }

  std::string kernel(std::size_t step) {
    const Group& group = this->group(step);
    std::string text = "domain " + to_string(group.domain);
    if (group.reduced) {
      Dims axes;
      for (int d = 0; d < max_dims; ++d) {
        if (group.reduced >> d & 1) axes.push_back(d);
      }
      text += fmt::format(", {} over axes {}", group.scans ? "scan" : "reduction", to_string(axes));
    }
    text += ", " + count_of(steps_[step].kernel.instrs.size(), "instruction") + "\n";
    text += operations(group);
    text += together(step);
    text += results(step);
    text += boundaries(step);
    return text;
  }

  // What it computes: nodes of its own, and instances of others.
  std::string operations(const Group& group) {
    Instances instances(plan_.recomputation, group.bundle);
    std::vector<int> places(plan_.nodes.size(), 0);
    if (group.bundle >= 0) instances.add_bundle();
    for (auto n : group.nodes) {
      if (group.bundle >= 0) continue;
      instances.add_all(node(n));
      if (!chosen(node(n))) places[static_cast<std::size_t>(n)] = 1;
    }
    for (const auto& instance : instances.all()) {
      ++places[static_cast<std::size_t>(instance.node->mark)];
    }
    Tally computes;
    std::map<int, Tally> again;
    std::size_t choices = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      if (places[n] == 0) continue;
      computed_[n] = true;
      const Node& node = *plan_.nodes[n].node;
      if (chosen(node)) {
        ++choices;
        continue;
      }
      computes.add(name_of(node));
      if (places[n] > 1) again[places[n]].add(name_of(node));
    }
    std::string text;
    if (!computes.empty()) text += "  computes: " + computes.text() + "\n";
    for (const auto& [count, tally] : again) {
      const char* bundled = group.bundle >= 0 ? " of short axes" : "";
      text += fmt::format("  at {} places{}: {}\n", count, bundled, tally.text());
    }
    if (choices > 0) {
      text += fmt::format("  chooses element by element: what {} leave{}\n",
                          count_of(choices, "write"), choices == 1 ? "s" : "");
    }
    return text;
  }

  // Of the first kernel of several that run band by band.
  std::string together(std::size_t step) const {
    for (const Bands& bands : bands_) {
      if (bands.first != step) continue;
      return fmt::format(
          "  runs with the kernels up to {} band by band, {} of {} rows at a time: {} in between, "
          "{} bytes, never leave the caches\n",
          step + bands.steps.size(), grouped(static_cast<std::uint64_t>(bands.rows)),
          grouped(static_cast<std::uint64_t>(bands.end - bands.begin)),
          count_of(bands.temporaries.size(), "value"), grouped(bands.saved));
    }
    return "";
  }

  // What it writes, and a line for each write that is not in place.
  std::string results(std::size_t step) const {
    Tally results;
    std::string lines;
    std::size_t update = 0;
    for (auto n : group(step).nodes) {
      const Node& made = node(n);
      std::string text = name(made.dtype()) + to_string(made.shape());
      if (plan_.recomputation.writes(made)) {
        const UpdateSlot& slot = steps_[step].updates[update];
        const MovedUpdate& moved = moved_.steps[step].updates[update++];
        if (slot.continued >= 0) continue;  // of an array that is there already
        if (moved.in_place) {
          text += " in place";
        } else if (!slot.blank) {
          lines += fmt::format("  not in place, as {}: {} bytes are copies\n",
                               slot.fresh ? "elements are overwritten that are read elsewhere"
                                          : "the old elements are needed",
                               grouped(moved.copied));
        }
      } else if (!plan_.nodes[static_cast<std::size_t>(n)].output) {
        continue;
      }
      results.add(text);
    }
    return moves(step, results) + lines;
  }

  std::string moves(std::size_t step, const Tally& results) const {
    const Moved& moved = moved_.steps[step].moved;
    return fmt::format("  reads {} bytes, writes {}: {}\n", grouped(moved.read),
                       grouped(moved.written), results.text());
  }

  // Why it is no part of the kernels that make what it reads: a line for each of them.
  std::string boundaries(std::size_t step) const {
    std::map<std::size_t, std::vector<std::string>> reasons;
    for (const Boundary& boundary : group(step).apart) {
      const auto number = numbers_[static_cast<std::size_t>(plan_.nodes[boundary.source].group)];
      if (number == step + 1) continue;
      auto& known = reasons[number];
      std::string text = reason(boundary, group(step));
      if (boundary.stop == Stop::order && !known.empty()) continue;  // follows from the others
      if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
    }
    std::string text;
    constexpr std::size_t most = 4;
    std::size_t lines = 0;
    for (const auto& [number, texts] : reasons) {
      if (++lines > most) continue;
      const char* kind = steps_[number - 1].library ? "library call" : "kernel";
      text += number == step ? fmt::format("  apart from the {} before: ", kind)
                             : fmt::format("  apart from {} {}: ", kind, number);
      text += fmt::format("{}\n", fmt::join(texts, "; "));
    }
    if (lines > most) text += fmt::format("  apart from {} others\n", lines - most);
    return text;
  }

  std::string reason(const Boundary& boundary, const Group& group) const {
    std::string text = describe(boundary.stop);
    const Recomputation& recomputation = plan_.recomputation;
    switch (boundary.stop) {
      case Stop::view:
        return text + describe(recomputation.keeping(node(boundary.source)), node(boundary.source));
      case Stop::target:
        return text + describe(recomputation.written(node(boundary.reader)));
      case Stop::length: {
        const CutOf& cut = plan_.cuts[static_cast<std::size_t>(group.segment)];
        if (cut.work == 0) return "together too long for one kernel";
        return fmt::format("{}: work of {} in all, {} at most; {} bytes cross the cut", text,
                           cut.work, limits().kernel_work,
                           grouped(static_cast<std::uint64_t>(cut.bytes)));
      }
      case Stop::slot_limit:
        return fmt::format("{} ({} at most)", text, limits().kernel_slots);
      default:
        return text;
    }
  }

  std::string totals() const {
    std::string text;
    std::size_t passed = 0, unneeded = 0;
    for (std::size_t n = 0; n < plan_.nodes.size(); ++n) {
      const Node& node = *plan_.nodes[n].node;
      passed += node.passed;
      if (computed_[n] || node.kind == NodeKind::library) continue;
      ++(node.kind == NodeKind::update ? passed : unneeded);
    }
    if (passed > 0) {
      text += "never run: " + count_of(passed, "write") +
              ", as what they wrote is read where it comes from\n";
    }
    if (unneeded > 0) text += "not needed: " + count_of(unneeded, "operation") + "\n";
    constexpr const char* all =
        "in all: reads {} bytes, writes {}; at least {} and {} (inputs and results once)\n";
    return text + fmt::format(all, grouped(moved_.total.read), grouped(moved_.total.written),
                              grouped(moved_.least.read), grouped(moved_.least.written));
  }

  const Plan& plan_;
  std::vector<std::int32_t> order_;  // of groups
  std::vector<Step> steps_;          // in order
  std::vector<Bands> bands_;
  std::vector<std::size_t> numbers_;  // per group, from 1
  std::vector<bool> computed_;        // per node: some kernel does
  MovedProgram moved_;
};

}  // namespace

}  // namespace graph

void graph::with_plan(std::span<Value* const> targets,
                      const std::function<void(const Collected&, const Plan&)>& use) {
  Graph& own = Graph::own();
  for (Value* target : targets) {
    if (target->graph() != &own) evaluate(target);  // pending in another thread
  }
  std::lock_guard lock(own);
  std::vector<Ref<Value>> readers;
  std::vector<Value*> wanted(targets.begin(), targets.end());
  std::optional<Collected> collected;
  do {
    for (std::size_t i = wanted.size() - targets.size(); i < readers.size(); ++i) {
      wanted.push_back(readers[i].get());
    }
    collected.reset();
    collected.emplace(own, wanted);
    forward_reads(own, wanted, collected);
    for (auto& reader : readers_outside(own, *collected)) readers.push_back(std::move(reader));
  } while (wanted.size() < targets.size() + readers.size());
  if (!collected->nodes().empty()) use(*collected, Plan(*collected));
}

std::string explain(std::span<Value* const> targets) {
  std::string text = "nothing is pending: the data is in memory\n";
  graph::with_plan(targets, [&](const graph::Collected& collected, const graph::Plan& plan) {
    text = graph::Explanation(collected, plan).text();
  });
  return text;
}

}  // namespace heddle
