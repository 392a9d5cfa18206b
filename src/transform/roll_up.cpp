#include "transform/roll_up.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/at.h"
#include "transform/joined_draws.h"
#include "transform/repeats.h"
#include "transform/rolling.h"

namespace heddle::transform {

using graph::ScriptStep;

namespace {

// Shorter scripts are planned as a whole.
constexpr std::size_t few_steps = 1024;

class RollUp {
 public:
  explicit RollUp(Script& script) : script_(script), repeats_(script) {}

  bool run() {
    if (repeats_.all().empty()) return false;
    wanted_.resize(repeats_.all().size());
    find_wanted();
    write();
    return !failed_;
  }

 private:
  const Repeat& repeat(std::int32_t number) const { return repeats_.all()[at(number)]; }

  // Somebody outside of the repeat `from` needs a value.
  void want(std::int32_t value, std::int32_t from) {
    if (value < 0) return;
    const Known& known = repeats_.known(value);
    const auto maker = repeats_.repeat_of(known.step);
    if (maker < 0 || maker == from) return;
    const auto distance = at(known.step) - repeat(maker).first;
    const Made made(static_cast<std::int32_t>(distance % repeat(maker).period), known.output);
    const auto pass = static_cast<std::int64_t>(distance / repeat(maker).period);
    Wanted& wanted = wanted_[at(maker)];
    if (pass + 1 == repeat(maker).passes) {
      wanted.last[made] = value;
      return;
    }
    wanted.stacked.insert(made);
    auto& singles = wanted.singles[made];
    const std::pair single(pass, value);
    if (std::ranges::find(singles, single) == singles.end()) singles.push_back(single);
  }

  void find_wanted() {
    for (std::size_t s = 0; s < script_.steps.size(); ++s) {
      if (repeats_.repeat_of(static_cast<std::int32_t>(s)) >= 0) continue;
      for (auto value : script_.steps[s].values) want(value, -1);
    }
    for (std::size_t r = 0; r < repeats_.all().size(); ++r) {
      for (const auto& sources : repeats_.all()[r].sources) {
        for (const Source& source : sources) {
          for (auto value : source.outside) want(value, static_cast<std::int32_t>(r));
          if (source.kind == Source::Kind::rows) {
            Wanted& wanted = wanted_[at(source.repeat)];
            wanted.stacked.emplace(source.step, source.output);
            wanted.rows.emplace(source.step, source.output);
          }
        }
      }
    }
    for (const Script::Look& look : script_.looks) want(look.value, -1);
    for (const Script::Rebind& rebind : last_rebinds()) want(rebind.value, -1);
    for (const Script::Result& result : script_.results) want(result.value, -1);
    for (const Script::Call& call : script_.calls) {
      for (const Script::Result& one : call.arguments) want(one.value, -1);
    }
  }

  // What a storage gets last is what it has in the end: others matter to nobody.
  std::vector<Script::Rebind> last_rebinds() const {
    std::vector<Script::Rebind> made;
    for (const Script::Entry& entry : script_.entries) {
      if (entry.door != Script::Door::rebind) continue;
      const Script::Rebind& rebind = script_.rebinds[at(entry.which)];
      const auto known = std::ranges::find(made, rebind.storage, &Script::Rebind::storage);
      if (known != made.end()) made.erase(known);
      made.push_back(rebind);
    }
    return made;
  }

  void write() {
    Stacks stacks(repeats_.all().size());
    std::vector<ScriptStep> steps;
    std::vector<Script::Entry> entries;
    std::vector<std::int32_t> renamed(at(script_.values));
    std::iota(renamed.begin(), renamed.end(), 0);
    const auto rebinds = last_rebinds();
    std::vector<std::size_t> kept;  // steps that stay as they are, by place among the new ones
    for (const Script::Entry& entry : script_.entries) {
      if (entry.door == Script::Door::rebind) continue;
      if (entry.door != Script::Door::make) {
        entries.push_back(entry);
        continue;
      }
      const auto number = repeats_.repeat_of(entry.which);
      const auto before = steps.size();
      if (number < 0) {
        kept.push_back(steps.size());
        olds_.push_back(at(entry.which));
        steps.emplace_back();
      } else if (at(entry.which) == repeat(number).first) {
        if (!roll(script_, repeats_, at(number), wanted_[at(number)], steps, renamed, stacks)) {
          failed_ = true;
          return;
        }
      }
      for (auto s = before; s < steps.size(); ++s) {
        entries.push_back({Script::Door::make, static_cast<std::int32_t>(s)});
      }
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      steps[kept[i]] = std::move(script_.steps[olds_[i]]);
    }
    script_.steps = std::move(steps);
    script_.rebinds = rebinds;
    for (std::size_t i = 0; i < rebinds.size(); ++i) {
      entries.push_back({Script::Door::rebind, static_cast<std::int32_t>(i)});
    }
    script_.entries = std::move(entries);
    renamed.resize(at(script_.values), -1);
    rename(renamed);
    drop_constants();
  }

  void rename(const std::vector<std::int32_t>& renamed) {
    const auto apply = [&](std::int32_t& value) {
      if (value >= 0 && renamed[at(value)] >= 0) value = renamed[at(value)];
    };
    for (ScriptStep& step : script_.steps) std::ranges::for_each(step.values, apply);
    for (Script::Look& look : script_.looks) apply(look.value);
    for (Script::Rebind& rebind : script_.rebinds) apply(rebind.value);
    for (Script::Result& result : script_.results) apply(result.value);
    for (Script::Call& call : script_.calls) {
      for (Script::Result& one : call.arguments) apply(one.value);
    }
  }

  // Those that only passes read are rows now.
  void drop_constants() {
    std::vector<bool> used(at(script_.values), false);
    const auto use = [&](std::int32_t value) {
      if (value >= 0) used[at(value)] = true;
    };
    for (const ScriptStep& step : script_.steps) std::ranges::for_each(step.values, use);
    for (const Script::Look& look : script_.looks) use(look.value);
    for (const Script::Rebind& rebind : script_.rebinds) use(rebind.value);
    for (const Script::Result& result : script_.results) use(result.value);
    for (const Script::Call& call : script_.calls) {
      for (const Script::Result& one : call.arguments) use(one.value);
    }
    std::erase_if(script_.constants, [&](const auto& one) { return !used[at(one.first)]; });
  }

  Script& script_;
  Repeats repeats_;
  std::vector<Wanted> wanted_;
  std::vector<std::size_t> olds_;
  bool failed_ = false;
};

}  // namespace

void roll_up(Script& script) {
  // Loops in loops: the inner ones first.
  constexpr int deepest = 4;
  if (script.steps.size() >= few_steps) join_draws(script);
  for (int depth = 0; depth < deepest && script.steps.size() >= few_steps; ++depth) {
    if (!RollUp(script).run()) return;
  }
}

}  // namespace heddle::transform
