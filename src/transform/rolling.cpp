#include "transform/rolling.h"

#include <algorithm>
#include <utility>

#include "core/at.h"
#include "graph/graph.h"
#include "transform/loop.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

constexpr std::size_t most_operands = 200;

bool writes_apart(const Layout& layout) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] > 1) dims.emplace_back(std::abs(layout.strides[d]), layout.shape[d]);
  }
  std::ranges::sort(dims);
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : dims) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

// A layout with one more dimension, the first.
Layout with_passes(Layout layout, std::int64_t passes, std::int64_t stride) {
  layout.shape.insert(0, passes);
  layout.strides.insert(0, stride);
  return layout;
}

// One repeat on its way to a loop, and the steps that come before and after it.
class Rolling {
 public:
  Rolling(Script& script, const Repeats& repeats, const Repeat& repeat, const Wanted& wanted,
          const Stacks& stacks)
      : script_(script), repeats_(repeats), repeat_(repeat), wanted_(wanted), stacks_(stacks) {
    loop_->passes = repeat.passes;
  }

  // False where it cannot be a loop. What it makes goes to `steps`; `renamed`: numbers that change.
  bool run(std::vector<ScriptStep>& steps, std::vector<std::int32_t>& renamed,
           std::map<Made, std::int32_t>& stacks) {
    find_written();
    number_values();
    if (is_large()) return false;
    if (loop_->carried.size() + loop_->fixed.size() + loop_->rows.size() > most_operands ||
        loop_->carried.size() + wanted_.last.size() + wanted_.stacked.size() > most_operands) {
      return false;
    }
    add_steps();
    if (loop_->steps.empty() && !written_.empty()) {
      add_writes(steps, renamed, -1);
      return true;
    }
    if (loop_->steps.empty()) return false;
    loop_->finish();
    add_outputs();
    loop_->finish();
    ScriptStep made = step_of(loop_);
    made.values = operands_;
    const std::int32_t first = new_numbers(made.types.size());
    made.first = first;
    steps.push_back(std::move(made));
    for (const auto& [value, number] : wanted_.last) {
      if (const auto place = place_of_last(value); place >= 0) {
        renamed[at(number)] = first + place;
      }
    }
    const auto first_stack =
        first + static_cast<std::int32_t>(loop_->carried.size() + loop_->last.size());
    for (std::size_t k = 0; k < stacked_.size(); ++k) {
      stacks[stacked_[k]] = first_stack + static_cast<std::int32_t>(k);
    }
    for (const auto& [value, places] : wanted_.singles) {
      for (const auto& [pass, number] : places) {
        steps.push_back(copy_of_row(stacks.at(value), value, pass, number));
      }
    }
    add_writes(steps, renamed, first_stack);
    return true;
  }

 private:
  // What a pass made some passes before: as many as there are values that stand for it in the
  // first ones.
  struct Carried {
    Made made;
    std::vector<std::int32_t> initial;
    auto operator<=>(const Carried&) const = default;
  };
  // A write into an array that the body only writes to, a part in each pass: it is done for all
  // passes at once, afterwards.
  struct Written {
    std::size_t step;
    std::int32_t array;  // the number that it begins with
    std::int32_t stack = -1;
    const Source* rows = nullptr;  // what is written is there already
  };

  const ScriptStep& step(std::size_t k, std::int64_t pass = 0) const {
    return script_.steps[repeat_.first + repeat_.period * at(pass) + k];
  }
  std::int32_t new_numbers(std::size_t count) {
    const auto first = script_.values;
    script_.values += static_cast<std::int32_t>(count);
    return first;
  }
  static bool is_same_pass(const Source& source) {
    return source.kind == Source::Kind::made && source.depth == 0;
  }

  // Whether all passes of something would be kept for a few of them, at the cost of much memory.
  bool is_large() const {
    constexpr std::int64_t most = std::int64_t{64} << 20;
    return std::ranges::any_of(wanted_.singles, [&](const auto& one) {
      const OutputType& type = step(at(one.first.first)).types[at(one.first.second)];
      return !wanted_.rows.contains(one.first) &&
             size_of(type.shape) * itemsize(type.dtype) * repeat_.passes > most;
    });
  }

  // --- writes that can wait

  void find_written() {
    waits_.assign(repeat_.period, false);
    std::vector<int> readers(repeat_.period, 0);
    for (const auto& sources : repeat_.sources) {
      for (const Source& source : sources) {
        if (source.kind == Source::Kind::made) ++readers[at(source.step)];
      }
    }
    for (std::size_t k = 0; k < repeat_.period; ++k) {
      const ScriptStep& one = step(k);
      const Node& node = *one.node;
      const Made made(static_cast<std::int32_t>(k), 0);
      if (node.kind != NodeKind::update || node.accumulates || node.masked ||
          !node.params.empty() || repeat_.targets_moved[k] == 0 || readers[k] != 1 ||
          wanted_.singles.contains(made) || wanted_.stacked.contains(made)) {
        continue;
      }
      const Source &before = repeat_.sources[k][0], &value = repeat_.sources[k][1];
      const bool grows = before.kind == Source::Kind::made && before.depth == 1 &&
                         before.step == made.first && !one.operands[0].layout;
      const bool is_kept = value.kind == Source::Kind::rows || is_same_pass(value) ||
                           (value.kind == Source::Kind::made && value.depth == 1);
      const Layout all = with_passes(*node.target, repeat_.passes, repeat_.targets_moved[k]);
      if (!grows || !is_kept || value.moved != 0 || !writes_apart(all)) continue;
      if (one.operands[1].dtype != type_of(value).dtype) continue;
      waits_[k] = true;
      written_.push_back({k, before.outside[0]});
      if (value.kind == Source::Kind::rows) {
        written_.back().rows = &value;
      }
    }
  }

  const OutputType& type_of(const Source& source) const {
    if (source.kind == Source::Kind::rows) {
      const Repeat& other = repeats_.all()[at(source.repeat)];
      return script_.steps[other.first + at(source.step)].types[at(source.output)];
    }
    return step(at(source.step)).types[at(source.output)];
  }

  // --- the body

  void number_values() {
    for (std::size_t k = 0; k < repeat_.period; ++k) {
      for (std::size_t o = 0; o < repeat_.sources[k].size(); ++o) {
        const Source& source = repeat_.sources[k][o];
        if (waits_[k] && (o == 0 || source.kind == Source::Kind::rows)) continue;
        switch (source.kind) {
          case Source::Kind::made:
            carry(source);
            break;
          case Source::Kind::fixed:
            if (fixed_.emplace(source.outside[0], fixed_.size()).second) {
              loop_->fixed.push_back(*repeats_.known(source.outside[0]).type);
            }
            break;
          case Source::Kind::constants:
          case Source::Kind::rows:
            add_row(source);
            break;
          case Source::Kind::number:
            break;
        }
      }
    }
    operands_.resize(loop_->carried.size() + loop_->fixed.size());
    for (const auto& [carried, place] : carried_) operands_[place] = carried.initial[0];
    for (const auto& [value, place] : fixed_) operands_[loop_->carried.size() + place] = value;
    operands_.insert(operands_.end(), row_operands_.begin(), row_operands_.end());
    // What the steps make.
    auto next = loop_->first_made();
    for (std::size_t k = 0; k < repeat_.period; ++k) {
      firsts_.push_back(next);
      if (!waits_[k]) next += static_cast<std::int32_t>(step(k).types.size());
    }
  }

  // Of a source of d passes before: a chain of d carried values.
  void carry(const Source& source) {
    Carried one{Made(source.step, source.output), source.outside};
    for (; !one.initial.empty(); one.initial.erase(one.initial.begin())) {
      if (!carried_.emplace(one, carried_.size()).second) continue;
      loop_->carried.push_back(type_of(source));
      next_.push_back(one);
    }
  }

  void add_row(const Source& source) {
    const auto key = row_key(source);
    if (!rows_.emplace(key, rows_.size()).second) return;
    if (source.kind == Source::Kind::rows) {
      loop_->rows.push_back(type_of(source));
      loop_->row_places.push_back({source.first, source.by});
      row_operands_.push_back(stacks_[at(source.repeat)].at(Made(source.step, source.output)));
      return;
    }
    const Value& first = *repeats_.known(source.outside[0]).constant;
    loop_->rows.push_back({first.dtype, first.shape});
    loop_->row_places.push_back({0, 1});
    row_operands_.push_back(stacked_constants(source.outside, first));
  }

  static std::vector<std::int64_t> row_key(const Source& source) {
    if (source.kind == Source::Kind::rows) {
      return {source.repeat, source.step, source.output, source.first, source.by};
    }
    std::vector<std::int64_t> key = {-1};
    key.insert(key.end(), source.outside.begin(), source.outside.end());
    return key;
  }

  std::int32_t stacked_constants(const std::vector<std::int32_t>& numbers, const Value& like) {
    std::vector<std::byte> bytes;
    for (auto number : numbers) {
      const Value& value = *repeats_.known(number).constant;
      evaluate(const_cast<Value*>(&value));
      const auto elements = graph::elements_of(value);
      bytes.insert(bytes.end(), elements.begin(), elements.end());
    }
    Dims shape = like.shape;
    shape.insert(0, repeat_.passes);
    const auto number = new_numbers(1);
    script_.constants.emplace_back(number, graph::value_of(like.dtype, shape, *like.device, bytes));
    return number;
  }

  std::int32_t number_of(const Source& source) const {
    switch (source.kind) {
      case Source::Kind::made:
        if (source.depth == 0) return firsts_[at(source.step)] + source.output;
        return static_cast<std::int32_t>(
            carried_.at({Made(source.step, source.output), source.outside}));
      case Source::Kind::fixed:
        return loop_->first_fixed() + static_cast<std::int32_t>(fixed_.at(source.outside[0]));
      case Source::Kind::constants:
      case Source::Kind::rows:
        return loop_->first_row() + static_cast<std::int32_t>(rows_.at(row_key(source)));
      case Source::Kind::number:
        break;
    }
    return -1;
  }

  void add_steps() {
    for (std::size_t k = 0; k < repeat_.period; ++k) {
      if (waits_[k]) continue;
      const ScriptStep& like = step(k);
      const auto place = static_cast<std::int32_t>(loop_->steps.size());
      ScriptStep made;
      made.node = graph::draft_like(*like.node);
      made.types = like.types;
      made.device = like.device;
      made.constant = like.constant;
      made.first = firsts_[k];
      for (std::size_t o = 0; o < like.operands.size(); ++o) {
        const Source& source = repeat_.sources[k][o];
        const auto operand = static_cast<std::int32_t>(o);
        made.operands.push_back(graph::reading_like(like.operands[o], nullptr));
        made.values.push_back(number_of(source));
        if (source.moved != 0) loop_->moved.push_back({place, operand, source.moved});
        if (!source.numbers_differ) continue;
        Loop::Numbers numbers{place, operand, {}};
        for (std::int64_t pass = 0; pass < repeat_.passes; ++pass) {
          numbers.by_pass.push_back(step(k, pass).operands[o].scalar);
        }
        loop_->numbers.push_back(std::move(numbers));
      }
      if (repeat_.targets_moved[k] != 0) {
        loop_->moved.push_back({place, -1, repeat_.targets_moved[k]});
      }
      loop_->device = like.device;
      loop_->steps.push_back(std::move(made));
    }
    for (Carried& one : next_) {
      one.initial.erase(one.initial.begin());  // a pass later
      loop_->next.push_back(one.initial.empty() ? number_of(one.made)
                                                : static_cast<std::int32_t>(carried_.at(one)));
    }
  }

  // --- outputs

  bool waits(const Made& value) const { return waits_[at(value.first)]; }
  std::int32_t number_of(const Made& value) const {
    return firsts_[at(value.first)] + value.second;
  }

  void add_outputs() {
    for (const auto& [value, number] : wanted_.last) {
      if (waits(value)) continue;
      const auto known = std::ranges::find(loop_->next, number_of(value));
      if (known == loop_->next.end()) loop_->last.push_back(number_of(value));
    }
    stacked_.assign(wanted_.stacked.begin(), wanted_.stacked.end());
    for (const Made& value : stacked_) stack(number_of(value));
    for (Written& written : written_) {
      if (written.rows) continue;
      written.stack = stack(number_of(repeat_.sources[written.step][1]));
    }
  }

  std::int32_t stack(std::int32_t value) {
    auto& stacked = loop_->stacked;
    const auto known = std::ranges::find(stacked, value);
    const auto place = static_cast<std::int32_t>(known - stacked.begin());
    if (known == stacked.end()) {
      stacked.push_back(value);
      loop_->stack_places.push_back({0, 1});
    }
    return place;
  }

  // Among the outputs of the loop.
  std::int32_t place_of_last(const Made& value) const {
    if (waits(value)) return -1;
    const auto number = number_of(value);
    const auto next = std::ranges::find(loop_->next, number);
    if (next != loop_->next.end()) return static_cast<std::int32_t>(next - loop_->next.begin());
    const auto last = std::ranges::find(loop_->last, number);
    return static_cast<std::int32_t>(loop_->carried.size()) +
           static_cast<std::int32_t>(last - loop_->last.begin());
  }

  // What a pass made, of all that passes made.
  ScriptStep copy_of_row(std::int32_t stack, const Made& value, std::int64_t pass,
                         std::int32_t number) const {
    const ScriptStep& maker = step(at(value.first));
    const OutputType& type = maker.types[at(value.second)];
    Layout layout = contiguous_layout(type.shape);
    layout.offset = pass * size_of(type.shape);
    ScriptStep made;
    made.node = graph::draft(NodeKind::elementwise);
    made.node->op = Op::cast;
    made.operands.emplace_back();
    made.operands[0].dtype = type.dtype;
    made.operands[0].layout = SharedLayout(std::move(layout)).ref();
    made.values = {stack};
    made.types = {type};
    made.device = maker.device;
    made.first = number;
    return made;
  }

  void add_writes(std::vector<ScriptStep>& steps, std::vector<std::int32_t>& renamed,
                  std::int32_t first_stack) {
    for (const Written& written : written_) {
      const ScriptStep& like = step(written.step);
      const Source& value = repeat_.sources[written.step][1];
      const OutputType& type = type_of(value);
      const auto size = size_of(type.shape);
      ScriptStep made;
      made.node = graph::draft_like(*like.node);
      *made.node->target =
          with_passes(*like.node->target, repeat_.passes, repeat_.targets_moved[written.step]);
      made.types = like.types;
      made.device = like.device;
      made.constant = like.constant;
      made.operands.push_back(graph::reading_like(like.operands[0], nullptr));
      const Operand& operand = like.operands[1];
      Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(type.shape);
      const Loop::Places rows =
          written.rows ? Loop::Places{value.first, value.by} : Loop::Places{0, 1};
      layout.offset += rows.first * size;
      made.operands.push_back(graph::reading_like(operand, nullptr));
      made.operands[1].layout =
          SharedLayout(with_passes(std::move(layout), repeat_.passes, rows.by * size)).ref();
      const auto stack = written.rows ? stacks_[at(value.repeat)].at(Made(value.step, value.output))
                                      : first_stack + written.stack;
      made.values = {written.array, stack};
      made.first = new_numbers(1);
      const Made out(static_cast<std::int32_t>(written.step), 0);
      if (const auto last = wanted_.last.find(out); last != wanted_.last.end()) {
        renamed[at(last->second)] = made.first;
      }
      steps.push_back(std::move(made));
    }
  }

  Script& script_;
  const Repeats& repeats_;
  const Repeat& repeat_;
  const Wanted& wanted_;
  const Stacks& stacks_;
  std::shared_ptr<Loop> loop_ = std::make_shared<Loop>();
  std::map<Carried, std::size_t> carried_;
  std::vector<Carried> next_;  // the carried values in order
  std::map<std::int32_t, std::size_t> fixed_;
  std::map<std::vector<std::int64_t>, std::size_t> rows_;
  std::vector<std::int32_t> row_operands_, operands_, firsts_;
  std::vector<bool> waits_;  // by step of the body
  std::vector<Written> written_;
  std::vector<Made> stacked_;
};

}  // namespace

bool roll(Script& script, const Repeats& repeats, std::size_t number, const Wanted& wanted,
          std::vector<ScriptStep>& steps, std::vector<std::int32_t>& renamed, Stacks& stacks) {
  std::map<Made, std::int32_t> own;
  if (!Rolling(script, repeats, repeats.all()[number], wanted, stacks).run(steps, renamed, own)) {
    return false;
  }
  stacks[number] = std::move(own);
  return true;
}

}  // namespace heddle::transform
