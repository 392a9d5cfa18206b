#include "transform/simplify.h"

#include <bit>
#include <numeric>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/at.h"
#include "core/hash.h"

namespace heddle::transform {

namespace {

using graph::ScriptStep;

class Simplification {
 public:
  explicit Simplification(Script& script) : script_(script), stands_(at(script.values)) {
    std::iota(stands_.begin(), stands_.end(), 0);
  }

  void run() {
    find_types();
    find_repeated();
    find_needed();
    keep_needed();
  }

 private:
  // Memory that is filled or written to is the business of one array: whoever shared it would have
  // to copy it.
  static bool may_be_shared(const ScriptStep& step) {
    const NodeKind kind = step.node->kind;
    if (kind == NodeKind::update || kind == NodeKind::random || kind == NodeKind::index) {
      return false;
    }
    return std::ranges::any_of(step.values, [](auto value) { return value >= 0; });
  }

  static std::uint64_t hash_of(const ScriptStep& step) {
    const Node& node = *step.node;
    auto hash =
        mix(static_cast<std::uint64_t>(node.kind) << 16 | static_cast<std::uint64_t>(node.op),
            reinterpret_cast<std::uintptr_t>(node.primitive));
    for (std::size_t o = 0; o < step.values.size(); ++o) {
      hash = mix(hash, static_cast<std::uint64_t>(step.values[o]));
      if (step.values[o] < 0) hash = mix(hash, step.operands[o].scalar.word[0]);
    }
    return hash;
  }

  static bool same(const ScriptStep& a, const ScriptStep& b) {
    if (a.values != b.values || !does_the_same(a, b)) return false;
    for (std::size_t o = 0; o < a.values.size(); ++o) {
      const auto &x = a.operands[o].scalar, &y = b.operands[o].scalar;
      if (a.values[o] < 0 && (x.word[0] != y.word[0] || x.word[1] != y.word[1])) return false;
    }
    return true;
  }

  void find_types() {
    types_.assign(at(script_.values), {});
    for (std::size_t i = 0; i < script_.inputs.size(); ++i) types_[i] = script_.inputs[i].dtype;
    for (const auto& [number, value] : script_.constants) types_[at(number)] = value->dtype;
    for (const auto& [number, type] : script_.late) types_[at(number)] = type.dtype;
    for (const ScriptStep& step : script_.steps) {
      for (std::size_t i = 0; i < step.types.size(); ++i) {
        types_[at(step.first) + i] = step.types[i].dtype;
      }
    }
    sources_.resize(stands_.size());
    std::iota(sources_.begin(), sources_.end(), 0);
  }

  // A copy: grad makes some of its inputs, and nobody can tell who only reads them.
  void find_copy(const ScriptStep& step) {
    const Node& node = *step.node;
    if (node.kind != NodeKind::elementwise || node.op != Op::cast || step.values[0] < 0) return;
    const Operand& operand = step.operands[0];
    const auto from = step.values[0];
    if (operand.layout || operand.dtype != step.types[0].dtype ||
        types_[at(from)] != operand.dtype) {
      return;
    }
    sources_[at(step.first)] = sources_[at(from)];
  }

  // What is filled with a number.
  void find_number(const ScriptStep& step) {
    const Node& node = *step.node;
    if (node.kind != NodeKind::elementwise || node.op != Op::cast || step.values[0] >= 0) return;
    if (step.operands[0].dtype == step.types[0].dtype) {
      numbers_.emplace(step.first, step.operands[0].scalar);
    }
  }

  // A cotangent that is known, as that of a result is 1, is no gate: it is multiplied, if at all.
  void open_gate(ScriptStep& step) const {
    if (step.node->kind != NodeKind::elementwise || step.node->op != Op::gated) return;
    const Dtype dtype = step.types[0].dtype;
    const Operand& gate = step.operands[0];
    const Operand& slope = step.operands[1];
    if ((dtype != Dtype::float64 && dtype != Dtype::float32) || gate.dtype != dtype ||
        slope.dtype != dtype) {
      return;
    }
    Operand number;
    number.dtype = dtype;
    number.scalar = gate.scalar;
    if (step.values[0] >= 0) {
      const auto known = numbers_.find(step.values[0]);
      if (known == numbers_.end()) return;
      number.scalar = known->second;
    }
    const auto word = number.scalar.word[0];
    const double factor = dtype == Dtype::float64
                              ? std::bit_cast<double>(word)
                              : std::bit_cast<float>(static_cast<std::uint32_t>(word));
    const bool copies = factor == 1 || factor == 0;
    graph::Draft node = graph::draft(NodeKind::elementwise);
    node->op = copies ? Op::cast : Op::multiply;
    step.node = std::move(node);
    if (factor == 1) {
      step.operands.erase(step.operands.begin());
      step.values.erase(step.values.begin());
      return;
    }
    step.operands[0] = std::move(number);
    step.values[0] = -1;
    if (factor == 0) {
      step.operands.pop_back();
      step.values.pop_back();
    }
  }

  void find_repeated() {
    std::unordered_multimap<std::uint64_t, const ScriptStep*> known;
    std::unordered_set<std::int32_t> seen;
    for (const Script::Entry& entry : script_.entries) {
      const auto which = at(entry.which);
      switch (entry.door) {
        case Script::Door::look: {
          Script::Look& look = script_.looks[which];
          look.value = stands_[at(look.value)];
          looked_again_.push_back(!seen.insert(look.value).second);
          break;
        }
        case Script::Door::rebind: {
          auto& value = script_.rebinds[which].value;
          value = stands_[at(value)];
          break;
        }
        case Script::Door::call:
          for (Script::Result& one : script_.calls[which].arguments) {
            one.value = stands_[at(one.value)];
          }
          break;
        case Script::Door::make: {
          ScriptStep& step = script_.steps[which];
          for (auto& value : step.values) {
            if (value < 0) continue;
            value = stands_[at(value)];
            // Kernels copy on their way; libraries would have to wait for it.
            if (step.node->kind == NodeKind::library) value = sources_[at(value)];
          }
          open_gate(step);
          find_copy(step);
          find_number(step);
          if (may_be_shared(step)) find_repeated(step, known);
          break;
        }
      }
    }
    for (Script::Result& result : script_.results) {
      if (result.value >= 0) result.value = stands_[at(result.value)];
    }
  }

  void find_repeated(const ScriptStep& step,
                     std::unordered_multimap<std::uint64_t, const ScriptStep*>& known) {
    const auto hash = hash_of(step);
    const auto [begin, end] = known.equal_range(hash);
    for (auto one = begin; one != end; ++one) {
      if (!same(*one->second, step)) continue;
      for (std::size_t i = 0; i < step.types.size(); ++i) {
        stands_[at(step.first) + i] = one->second->first + static_cast<std::int32_t>(i);
      }
      return;
    }
    known.emplace(hash, &step);
  }

  void find_needed() {
    needed_.assign(at(script_.values), false);
    for (const Script::Look& look : script_.looks) needed_[at(look.value)] = true;
    for (const Script::Rebind& rebind : script_.rebinds) needed_[at(rebind.value)] = true;
    for (const Script::Result& result : script_.results) {
      if (result.value >= 0) needed_[at(result.value)] = true;
    }
    for (const Script::Call& call : script_.calls) {
      for (const Script::Result& one : call.arguments) needed_[at(one.value)] = true;
    }
    for (const ScriptStep& step : std::views::reverse(script_.steps)) {
      if (!is_needed(step)) continue;
      for (auto value : step.values) {
        if (value >= 0) needed_[at(value)] = true;
      }
    }
  }

  bool is_needed(const ScriptStep& step) const {
    for (std::size_t i = 0; i < step.types.size(); ++i) {
      if (needed_[at(step.first) + i]) return true;
    }
    return false;
  }

  void keep_needed() {
    std::vector<ScriptStep> steps;
    std::vector<Script::Entry> entries;
    std::vector<Script::Look> looks;
    for (Script::Entry entry : script_.entries) {
      const auto which = at(entry.which);
      if (entry.door == Script::Door::make) {
        if (!is_needed(script_.steps[which])) continue;
        entry.which = static_cast<std::int32_t>(steps.size());
        steps.push_back(std::move(script_.steps[which]));
      }
      if (entry.door == Script::Door::look) {
        if (looked_again_[which]) continue;
        entry.which = static_cast<std::int32_t>(looks.size());
        looks.push_back(std::move(script_.looks[which]));
      }
      entries.push_back(entry);
    }
    script_.steps = std::move(steps);
    script_.entries = std::move(entries);
    script_.looks = std::move(looks);
  }

  Script& script_;
  std::vector<std::int32_t> stands_;   // by value: the one that it is taken for
  std::vector<std::int32_t> sources_;  // by value: the one that it is a copy of, or itself
  std::vector<Dtype> types_;           // by value
  std::unordered_map<std::int32_t, kernel::ScalarBits> numbers_;  // of values filled with one
  std::vector<bool> looked_again_;                                // by look
  std::vector<bool> needed_;                                      // by value
};

}  // namespace

void simplify(Script& script) { Simplification(script).run(); }

}  // namespace heddle::transform
