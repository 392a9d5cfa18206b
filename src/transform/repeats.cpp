#include "transform/repeats.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/at.h"
#include "core/hash.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

constexpr std::size_t gram = 4;           // steps that are compared at once
constexpr std::size_t most_periods = 64;  // that are tried at a place
constexpr std::int64_t least_passes = 8;
constexpr std::size_t least_steps = 64;
constexpr std::int64_t most_compared = 1 << 26;  // steps, in all
constexpr std::int64_t settled = 3;              // the pass that says where operands come from

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

std::uint64_t mix_layout(std::uint64_t hash, const Layout& layout) {
  for (auto extent : layout.shape) hash = mix(hash, word(extent));
  for (auto stride : layout.strides) hash = mix(hash, word(stride));
  return hash;
}

// Without values, numbers and offsets.
std::uint64_t look_of(const ScriptStep& step) {
  const Node& node = *step.node;
  auto hash =
      mix(word(static_cast<int>(node.kind)) << 16 | word(static_cast<int>(node.op)),
          reinterpret_cast<std::uintptr_t>(node.primitive) ^ word(static_cast<int>(node.combine)));
  for (const OutputType& type : step.types) {
    hash = mix(hash, word(static_cast<int>(type.dtype)));
    for (auto extent : type.shape) hash = mix(hash, word(extent));
  }
  for (std::size_t o = 0; o < step.operands.size(); ++o) {
    const Operand& operand = step.operands[o];
    hash = mix(hash, word(static_cast<int>(operand.dtype)) << 1 | word(step.values[o] < 0));
    if (operand.layout) hash = mix_layout(hash, *operand.layout);
  }
  if (node.target) hash = mix_layout(hash, *node.target);
  return hash;
}

bool same_layout(const Layout& a, const Layout& b) {
  return a.shape == b.shape && a.strides == b.strides;
}

bool same_type(const OutputType& a, const OutputType& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

// Whether steps do the same but for values, numbers and offsets.
bool alike(const ScriptStep& a, const ScriptStep& b) {
  const Node &x = *a.node, &y = *b.node;
  if (x.kind != y.kind || x.op != y.op || x.combine != y.combine || x.primitive != y.primitive ||
      x.target_dtype != y.target_dtype || x.masked != y.masked || x.axes != y.axes ||
      x.accumulates != y.accumulates || x.params != y.params || a.device != b.device ||
      a.source >= 0 || b.source >= 0 || a.constant != b.constant) {
    return false;
  }
  if ((x.target != nullptr) != (y.target != nullptr)) return false;
  if (x.target && !same_layout(*x.target, *y.target)) return false;
  if (!std::ranges::equal(a.types, b.types, same_type)) return false;
  if (a.operands.size() != b.operands.size()) return false;
  for (std::size_t o = 0; o < a.operands.size(); ++o) {
    const Operand &p = a.operands[o], &q = b.operands[o];
    if (p.dtype != q.dtype || (a.values[o] < 0) != (b.values[o] < 0)) return false;
    if ((p.layout != nullptr) != (q.layout != nullptr)) return false;
    if (p.layout && !same_layout(*p.layout, *q.layout)) return false;
  }
  if (!x.parameters && !y.parameters) return true;
  if (!x.parameters || !y.parameters) return false;
  if (x.parameters == y.parameters) return true;
  std::vector<std::uint64_t> of_x, of_y;
  x.parameters->write_key(of_x);
  y.parameters->write_key(of_y);
  return of_x == of_y;
}

std::int64_t offset_of(const Operand& operand) {
  return operand.layout ? operand.layout->offset : 0;
}

bool same_number(const Operand& a, const Operand& b) {
  return a.scalar.word[0] == b.scalar.word[0] && a.scalar.word[1] == b.scalar.word[1];
}

}  // namespace

// Whether the steps from `first` on repeat themselves with a period, and how often.
class Repeats::Check {
 public:
  Check(const Repeats& repeats, std::size_t first, std::size_t period, std::size_t end)
      : repeats_(repeats), script_(repeats.script_), end_(end) {
    found_.first = first;
    found_.period = period;
  }

  bool run() {
    const auto most = static_cast<std::int64_t>((end_ - found_.first) / found_.period);
    if (most < least_passes || !look_alike()) return false;
    begin();
    for (found_.passes = 0; found_.passes < most; ++found_.passes) {
      if (!fits(found_.passes)) break;
    }
    if (found_.passes < least_passes) return false;
    if (found_.period * at(found_.passes) < least_steps) return false;
    finish();
    return true;
  }

  Repeat& found() { return found_; }

 private:
  const ScriptStep& step(std::int64_t pass, std::size_t k) const {
    return script_.steps[found_.first + found_.period * at(pass) + k];
  }

  // Whether so many passes as there have to be do.
  bool look_alike() const {
    const auto* looks = repeats_.looks_.data() + found_.first;
    const auto here = [&](std::size_t k) { return step(0, k).device == step(0, 0).device; };
    return std::ranges::all_of(std::views::iota(std::size_t{0}, found_.period), here) &&
           std::equal(looks + found_.period, looks + found_.period * at(least_passes), looks);
  }

  // A value that a pass of this repeat made: which step, and in which pass.
  bool is_inside(std::int32_t value, std::int64_t& pass, std::int32_t& k) const {
    const auto maker = repeats_.known(value).step;
    if (maker < static_cast<std::int32_t>(found_.first)) return false;
    const auto distance = at(maker) - found_.first;
    pass = static_cast<std::int64_t>(distance / found_.period);
    k = static_cast<std::int32_t>(distance % found_.period);
    return true;
  }

  // What operands are is seen some passes after the first.
  void begin() {
    found_.sources.resize(found_.period);
    found_.targets_moved.assign(found_.period, 0);
    for (std::size_t k = 0; k < found_.period; ++k) {
      const ScriptStep& one = step(settled, k);
      const ScriptStep &zero = step(0, k), &next = step(1, k);
      if (one.node->target) {
        found_.targets_moved[k] = next.node->target->offset - zero.node->target->offset;
      }
      for (std::size_t o = 0; o < one.operands.size(); ++o) {
        Source source;
        source.moved = offset_of(next.operands[o]) - offset_of(zero.operands[o]);
        const auto value = one.values[o];
        std::int64_t pass = 0;
        if (value >= 0 && is_inside(value, pass, source.step)) {
          source.kind = Source::Kind::made;
          source.output = repeats_.known(value).output;
          source.depth = static_cast<std::int32_t>(settled - pass);
        } else if (value >= 0) {
          begin_outside(source, zero.values[o], next.values[o]);
        }
        found_.sources[k].push_back(std::move(source));
      }
    }
  }

  void begin_outside(Source& source, std::int32_t first, std::int32_t second) const {
    source.kind = Source::Kind::fixed;
    source.outside = {first};
    if (first == second) return;
    const Known &a = repeats_.known(first), &b = repeats_.known(second);
    if (a.constant && b.constant) {
      source.kind = Source::Kind::constants;
      source.outside.clear();
      return;
    }
    const auto repeat = repeats_.repeat_of(a.step);
    if (repeat < 0 || repeat != repeats_.repeat_of(b.step)) return;
    const auto [k, pass] = place_in(repeat, a.step);
    source.kind = Source::Kind::rows;
    source.repeat = repeat;
    source.step = k;
    source.output = a.output;
    source.first = pass;
    source.by = place_in(repeat, b.step).second - pass;
  }

  std::pair<std::int32_t, std::int64_t> place_in(std::int32_t repeat, std::int32_t maker) const {
    const Repeat& other = repeats_.all_[at(repeat)];
    const auto distance = at(maker) - other.first;
    return {static_cast<std::int32_t>(distance % other.period),
            static_cast<std::int64_t>(distance / other.period)};
  }

  bool fits(std::int64_t pass) {
    for (std::size_t k = 0; k < found_.period; ++k) {
      const ScriptStep &one = step(pass, k), &zero = step(0, k);
      if (!alike(one, zero)) return false;
      if (one.node->target &&
          one.node->target->offset != zero.node->target->offset + found_.targets_moved[k] * pass) {
        return false;
      }
      for (std::size_t o = 0; o < one.operands.size(); ++o) {
        Source& source = found_.sources[k][o];
        const auto offset = offset_of(zero.operands[o]) + source.moved * pass;
        if (offset_of(one.operands[o]) != offset) return false;
        if (source.kind == Source::Kind::number) {
          source.numbers_differ |= !same_number(one.operands[o], zero.operands[o]);
        } else if (!fits(source, one.values[o], pass)) {
          return false;
        }
      }
    }
    return true;
  }

  bool fits(Source& source, std::int32_t value, std::int64_t pass) {
    std::int64_t made_in = 0;
    std::int32_t k = -1;
    const Known& known = repeats_.known(value);
    const bool inside = is_inside(value, made_in, k);
    if (source.kind == Source::Kind::made) {
      if (inside) {
        return pass - made_in == source.depth && k == source.step && known.output == source.output;
      }
      const OutputType& type = step(0, at(source.step)).types[at(source.output)];
      if (pass >= source.depth || !same_type(*known.type, type)) return false;
      source.outside.push_back(value);
      return true;
    }
    if (inside) return false;
    switch (source.kind) {
      case Source::Kind::fixed:
        return value == source.outside[0];
      case Source::Kind::constants:
        if (!known.constant || source.moved != 0) return false;
        source.outside.push_back(value);
        return same_type(*known.type, *repeats_.known(source.outside[0]).type);
      default: {
        if (repeats_.repeat_of(known.step) != source.repeat || source.moved != 0) return false;
        const auto [from, there] = place_in(source.repeat, known.step);
        return from == source.step && known.output == source.output &&
               there == source.first + source.by * pass;
      }
    }
  }

  void finish() {
    // A pass that did not fit may have left some of its values.
    for (auto& sources : found_.sources) {
      for (Source& source : sources) {
        if (source.kind == Source::Kind::constants) source.outside.resize(at(found_.passes));
        if (source.kind == Source::Kind::made) source.outside.resize(at(source.depth));
      }
    }
  }

  const Repeats& repeats_;
  const Script& script_;
  const std::size_t end_;
  Repeat found_;
};

Repeats::Repeats(const Script& script) : script_(script) {
  learn();
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  std::size_t begin = 0, steps = 0;
  for (const Script::Entry& entry : script.entries) {
    if (entry.door == Script::Door::make) {
      ++steps;
    } else if (entry.door != Script::Door::rebind) {
      stretches.emplace_back(begin, steps);
      begin = steps;
    }
  }
  stretches.emplace_back(begin, steps);
  for (const auto& [first, end] : stretches) find(first, end);
}

void Repeats::learn() {
  known_.resize(at(script_.values));
  constant_types_.reserve(script_.constants.size());
  for (std::size_t i = 0; i < script_.inputs.size(); ++i) known_[i].type = &script_.inputs[i];
  for (const auto& [number, type] : script_.late) known_[at(number)].type = &type;
  for (const auto& [number, value] : script_.constants) {
    constant_types_.push_back({value->dtype, value->shape});
    known_[at(number)].type = &constant_types_.back();
    known_[at(number)].constant = value.get();
  }
  const auto& steps = script_.steps;
  looks_.reserve(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    looks_.push_back(look_of(steps[s]));
    for (std::size_t i = 0; i < steps[s].types.size(); ++i) {
      Known& known = known_[at(steps[s].first) + i];
      known.step = static_cast<std::int32_t>(s);
      known.output = static_cast<std::int32_t>(i);
      known.type = &steps[s].types[i];
    }
  }
  grams_.assign(steps.size(), 0);
  for (std::size_t s = 0; s + gram <= steps.size(); ++s) {
    auto hash = looks_[s];
    for (std::size_t i = 1; i < gram; ++i) hash = mix(hash, looks_[s + i]);
    grams_[s] = hash;
    places_[hash].push_back(static_cast<std::int32_t>(s));
  }
  repeat_of_.assign(steps.size(), -1);
}

void Repeats::find(std::size_t begin, std::size_t end) {
  while (begin + least_steps <= end && compared_ < most_compared) {
    begin = find_at(begin, end) ? all_.back().end() : begin + 1;
  }
}

bool Repeats::find_at(std::size_t first, std::size_t end) {
  const auto found = places_.find(grams_[first]);
  if (found == places_.end()) return false;
  const auto& places = found->second;
  auto next = std::ranges::upper_bound(places, static_cast<std::int32_t>(first));
  for (std::size_t tried = 0; tried < most_periods && next != places.end(); ++tried, ++next) {
    const auto period = at(*next) - first;
    if (first + period * at(least_passes) > end) return false;
    Check check(*this, first, period, end);
    const bool holds = check.run();
    compared_ += static_cast<std::int64_t>(period) * (check.found().passes + 1);
    if (!holds) continue;
    const auto number = static_cast<std::int32_t>(all_.size());
    all_.push_back(std::move(check.found()));
    std::fill(repeat_of_.begin() + static_cast<std::ptrdiff_t>(first),
              repeat_of_.begin() + static_cast<std::ptrdiff_t>(all_.back().end()), number);
    return true;
  }
  return false;
}

}  // namespace heddle::transform
