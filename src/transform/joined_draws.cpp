#include "transform/joined_draws.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/at.h"

namespace heddle::transform {

using graph::ScriptStep;

namespace {

constexpr std::size_t fewest_draws = 32;
constexpr std::int64_t most_bytes = std::int64_t{128} << 20;  // that are drawn at once
constexpr std::int64_t bytes_of_block = 32;                   // a counter stands for

using Counter = std::array<std::uint64_t, 4>;

Counter counter_of(const ScriptStep& step) {
  const auto& low = step.operands[1].scalar.word;
  const auto& high = step.operands[2].scalar.word;
  return {low[0], low[1], high[0], high[1]};
}

// Draws of one generator, in order: steps of the script.
class Stretch {
 public:
  explicit Stretch(Script& script) : script_(script) {}

  // False where it is not right behind the others: a gap would be drawn for nothing.
  bool add(std::size_t s) {
    const ScriptStep& step = script_.steps[s];
    const Counter counter = counter_of(step);
    const auto words = size_of(step.types[0].shape);
    const auto a_block = bytes_of_block / itemsize(step.types[0].dtype);
    if (draws_.empty()) first_ = counter;
    if (!std::equal(counter.begin() + 1, counter.end(), first_.begin() + 1)) return false;
    if (counter[0] < first_[0] || counter[0] - first_[0] > most_bytes) return false;
    const auto place = static_cast<std::int64_t>(counter[0] - first_[0]) * a_block;
    // The next one may begin with what is left of a block.
    if (place > end_ + a_block || place + 2 * a_block < end_) return false;
    if ((place + words) * itemsize(step.types[0].dtype) > most_bytes) return false;
    draws_.emplace_back(s, place);
    end_ = std::max(end_, place + words);
    return true;
  }

  std::size_t draws() const { return draws_.size(); }

  // Makes one draw of them; `moved`: by value, where its words lie in which other value.
  template <class Moved>
  void join(Moved& moved, std::vector<bool>& dropped) const {
    ScriptStep& all = script_.steps[draws_[0].first];
    for (const auto& [s, place] : draws_) {
      const ScriptStep& step = script_.steps[s];
      moved[at(step.first)] = {all.first, place, step.types[0].shape};
      dropped[s] = s != draws_[0].first;
    }
    all.types[0].shape = Dims{end_};
  }

 private:
  Script& script_;
  std::vector<std::pair<std::size_t, std::int64_t>> draws_;  // and their first words among all
  Counter first_{};
  std::int64_t end_ = 0;
};

class Joining {
 public:
  explicit Joining(Script& script)
      : script_(script), kept_(at(script.values), false), moved_(at(script.values)) {}

  void run() {
    find_kept();
    std::vector<Stretch> stretches = find_stretches();
    std::vector<bool> dropped(script_.steps.size(), false);
    bool any = false;
    for (const Stretch& stretch : stretches) {
      if (stretch.draws() < fewest_draws) continue;
      stretch.join(moved_, dropped);
      any = true;
    }
    if (!any) return;
    for (ScriptStep& step : script_.steps) read_parts(step);
    drop(dropped);
  }

 private:
  struct Part {
    std::int32_t value = -1;  // that it is a part of; -1: it is itself
    std::int64_t place = 0;
    Dims shape;
  };

  // Values that somebody needs as they are.
  void find_kept() {
    const auto keep = [&](std::int32_t value) {
      if (value >= 0) kept_[at(value)] = true;
    };
    for (const Script::Look& look : script_.looks) keep(look.value);
    for (const Script::Rebind& rebind : script_.rebinds) keep(rebind.value);
    for (const Script::Result& result : script_.results) keep(result.value);
    for (const Script::Call& call : script_.calls) {
      for (const Script::Result& one : call.arguments) keep(one.value);
    }
    std::vector<Dtype> drawn(at(script_.values), Dtype::bool_);
    for (const ScriptStep& step : script_.steps) {
      if (step.source >= 0) drawn[at(step.first)] = step.types[0].dtype;
      for (std::size_t o = 0; o < step.values.size(); ++o) {
        const auto value = step.values[o];
        if (value < 0) continue;
        const bool reads_words =
            step.node->kind == NodeKind::elementwise && step.operands[o].dtype == drawn[at(value)];
        if (!reads_words) kept_[at(value)] = true;
      }
    }
  }

  std::vector<Stretch> find_stretches() {
    using Of = std::tuple<std::int32_t, Dtype, std::uint64_t, std::uint64_t>;
    std::vector<Stretch> found;
    std::map<Of, std::size_t> open;  // the last one of each generator
    for (std::size_t s = 0; s < script_.steps.size(); ++s) {
      const ScriptStep& step = script_.steps[s];
      if (step.source < 0 || step.node->kind != NodeKind::random || kept_[at(step.first)]) continue;
      const auto& key = step.operands[0].scalar.word;
      const Of of(step.source, step.types[0].dtype, key[0], key[1]);
      const auto known = open.find(of);
      if (known != open.end() && found[known->second].add(s)) continue;
      open[of] = found.size();
      found.emplace_back(script_).add(s);
    }
    return found;
  }

  void read_parts(ScriptStep& step) const {
    for (std::size_t o = 0; o < step.values.size(); ++o) {
      if (step.values[o] < 0) continue;
      const Part& part = moved_[at(step.values[o])];
      if (part.value < 0) continue;
      Operand& operand = step.operands[o];
      Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(part.shape);
      layout.offset += part.place;
      operand.layout = SharedLayout(std::move(layout)).ref();
      step.values[o] = part.value;
    }
  }

  void drop(const std::vector<bool>& dropped) {
    std::vector<ScriptStep> steps;
    std::vector<Script::Entry> entries;
    for (const Script::Entry& entry : script_.entries) {
      if (entry.door != Script::Door::make) {
        entries.push_back(entry);
        continue;
      }
      const auto which = at(entry.which);
      if (dropped[which]) continue;
      entries.push_back({Script::Door::make, static_cast<std::int32_t>(steps.size())});
      steps.push_back(std::move(script_.steps[which]));
    }
    script_.steps = std::move(steps);
    script_.entries = std::move(entries);
  }

  Script& script_;
  std::vector<bool> kept_;   // by value
  std::vector<Part> moved_;  // by value
};

}  // namespace

void join_draws(Script& script) { Joining(script).run(); }

}  // namespace heddle::transform
