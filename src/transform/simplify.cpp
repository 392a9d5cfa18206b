#include "transform/simplify.h"

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
          find_copy(step);
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
  std::vector<bool> looked_again_;     // by look
  std::vector<bool> needed_;           // by value
};

}  // namespace

void simplify(Script& script) { Simplification(script).run(); }

}  // namespace heddle::transform
