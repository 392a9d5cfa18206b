#include "transform/loop_values.h"

#include "core/at.h"
#include "kernel/op_cost.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;
using namespace program_words;  // NOLINT(google-build-using-namespace)

LoopValues::LoopValues(const Loop& loop, const Dims& tail, std::int64_t each)
    : ThreadElements(tail, each), loop_(loop) {
  held_.resize(at(loop.values()));
  changed_.resize(loop.steps.size());
  for (std::size_t s = 0; s < loop.steps.size(); ++s) {
    changed_[s].assign(loop.steps[s].operands.size(), {});
  }
  for (const Loop::Moved& one : loop.moved) {
    if (one.operand < 0) throw Impossible();
    changed_[at(one.step)][at(one.operand)].moved = one.by;
  }
  for (std::size_t n = 0; n < loop.numbers.size(); ++n) {
    const Loop::Numbers& one = loop.numbers[n];
    changed_[at(one.step)][at(one.operand)].table = static_cast<std::int32_t>(n);
  }
}

// --- threads

program_words::Words LoopValues::thread_number() {
  using simt::Geometry;
  const auto geometry = [](Geometry what) -> Words {
    return {static_cast<int>(simt::ExprKind::geometry), 0, static_cast<int>(what), 0};
  };
  return sum(geometry(Geometry::thread),
             operation(Op::multiply, Dtype::int64, Dtype::int64,
                       {geometry(Geometry::block), geometry(Geometry::block_size)}));
}

void LoopValues::begin_threads() {
  thread_ = new_local(Dtype::int64);
  before_.assign(thread_, thread_number());
  for (std::int64_t part = 0; part < each_; ++part) {
    places_.push_back(part == 0 ? thread_ : new_local(Dtype::int64));
    if (part > 0) before_.assign(places_.back(), sum(local(thread_), integer(part * threads_)));
  }
}

int LoopValues::coordinate(std::int64_t part, std::int64_t axis) {
  const auto key = std::pair(part, axis);
  const auto known = coordinates_.find(key);
  if (known != coordinates_.end()) return known->second;
  std::int64_t inner = 1;
  for (auto d = axis + 1; d < tail_.size(); ++d) inner *= tail_[d];
  Words value = local(places_[at(part)]);
  if (inner != 1) {
    value = operation(Op::floor_divide, Dtype::int64, Dtype::int64, {value, integer(inner)});
  }
  if (axis > 0) {
    value = operation(Op::remainder, Dtype::int64, Dtype::int64, {value, integer(tail_[axis])});
  }
  const int made = new_local(Dtype::int64);
  before_.assign(made, value);
  coordinates_.emplace(key, made);
  return made;
}

// --- addresses

program_words::Words LoopValues::index_of(const Address& address) {
  Words index = integer(address.base);
  if (address.tail == Address::Tail::dense) {
    return address.base == 0 ? local(places_[at(address.part)])
                             : sum(local(places_[at(address.part)]), index);
  }
  if (address.tail == Address::Tail::none) return index;
  for (std::int64_t d = 0; d < tail_.size(); ++d) {
    if (address.strides[d] == 0 || tail_[d] == 1) continue;
    index = sum(index, product(local(coordinate(address.part, d)), address.strides[d]));
  }
  return index;
}

program_words::Words LoopValues::place(const Loop::Places& places, std::int64_t factor) const {
  return sum(product(local(pass_), places.by * factor), integer(places.first * factor));
}

// --- values

bool LoopValues::in_memory(std::int32_t value) const {
  return value >= loop_.first_fixed() && value < loop_.first_made() &&
         value != loop_.counter_number();
}

int LoopValues::register_of(std::int32_t value, const Address& address) {
  const std::vector<int>& held = held_[at(value)];
  if (!has_tail(loop_.type_of(value).shape)) {
    if (address.tail != Address::Tail::none) throw Impossible();
    return held.at(at(address.base));
  }
  const bool own = address.tail == Address::Tail::dense || threads_ * each_ == 1;
  if (!own || address.base % threads_ != 0 || address.base < 0) throw Impossible();
  const auto element = at(address.base / threads_ + address.part);
  if (element >= held.size()) throw Impossible();
  return held[element];
}

int LoopValues::load_element(std::int32_t value, const Address& address, std::int64_t moved,
                             const Words& further) {
  const OutputType& type = loop_.type_of(value);
  const bool is_row = value >= loop_.first_row();
  const int array = array_parameter({.kind = Argument::Kind::operand, .which = value}, type.dtype);
  Words index = index_of(address);
  if (is_row)
    index = sum(index, place(loop_.row_places[at(value - loop_.first_row())], size_of(type.shape)));
  if (moved != 0) index = sum(index, product(local(pass_), moved));
  if (!further.empty()) index = sum(index, further);
  const bool fixed = !is_row && moved == 0 && further.empty();
  auto& known = fixed ? loaded_ : loaded_in_pass_;
  if (further.empty()) {
    const auto found = known.find({array, index});
    if (found != known.end()) return found->second;
  }
  const int made = new_local(type.dtype);
  // What is the same in all passes is loaded once.
  Statements& where = fixed && loaded_.size() < most_loaded ? before_ : body_;
  where.assign(made, load(array, index));
  work_ += &where == &body_;
  if (further.empty() && (&where == &before_) == fixed) {
    known.emplace(std::pair(array, std::move(index)), made);
  }
  return made;
}

int LoopValues::cast(int value, Dtype dtype) {
  const Dtype from = type_of(value);
  if (from == dtype) return value;
  return compute(Op::cast, from, dtype, {value});
}

int LoopValues::compute(Op op, Dtype compute, Dtype dtype, std::initializer_list<int> args) {
  return compute_of(op, compute, dtype, std::vector<int>(args));
}

int LoopValues::compute_of(Op op, Dtype compute, Dtype dtype, const std::vector<int>& args) {
  const int made = ProgramParts::compute(body_, op, compute, dtype, args);
  const double cost = kernel::op_cost(op);
  work_ += cost >= 20 ? 8 : cost >= 2 ? 2 : 1;
  if (work_ > most_work) throw Impossible();
  return made;
}

int LoopValues::read(std::size_t s, std::size_t o, const Space& space, std::int64_t element) {
  const ScriptStep& step = loop_.steps[s];
  const Operand& operand = step.operands[o];
  const auto value = step.values[o];
  const Changed& changed = changed_[s][o];
  if (value < 0) return number(s, o, operand.dtype, changed.table);
  const OutputType& type = loop_.type_of(value);
  if (operand.dtype != type.dtype) throw Impossible();
  if (!operand.layout && type.shape != space.shape) throw Impossible();
  const Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(type.shape);
  if (layout.shape != space.shape) throw Impossible();
  const Address from = address(layout, space, element);
  if (in_memory(value)) return load_element(value, from, changed.moved);
  if (changed.moved != 0) throw Impossible();
  return register_of(value, from);
}

int LoopValues::number(std::size_t s, std::size_t o, Dtype dtype, std::int32_t table) {
  using Kind = Argument::Kind;
  const auto key = std::pair(s, o);
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  int made = 0;
  if (table < 0) {
    made = number_parameter({.kind = Kind::number,
                             .which = static_cast<std::int32_t>(s),
                             .operand = static_cast<std::int32_t>(o),
                             .loop = &loop_},
                            dtype);
  } else {
    const int array = array_parameter({.kind = Kind::table, .which = table, .loop = &loop_}, dtype);
    made = new_local(dtype);
    body_.assign(made, load(array, local(pass_)));
  }
  numbers_.emplace(key, made);
  return made;
}

std::vector<int> LoopValues::elements(std::int32_t value) {
  if (!in_memory(value)) return held_[at(value)];
  const OutputType& type = loop_.type_of(value);
  const Space space = space_of(type.shape);
  const Layout layout = contiguous_layout(type.shape);
  if (space.elements > most_work) throw Impossible();
  std::vector<int> made;
  for (std::int64_t e = 0; e < space.elements; ++e) {
    made.push_back(load_element(value, address(layout, space, e), 0));
  }
  return made;
}

void LoopValues::begin_carried() {
  for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
    const OutputType& type = loop_.carried[c];
    const Space space = space_of(type.shape);
    if (space.elements > most_work) throw Impossible();
    const Layout layout = contiguous_layout(type.shape);
    const int array = array_parameter(
        {.kind = Argument::Kind::operand, .which = static_cast<std::int32_t>(c)}, type.dtype);
    for (std::int64_t e = 0; e < space.elements; ++e) {
      const int made = new_local(type.dtype);
      before_.assign(made, load(array, index_of(address(layout, space, e))));
      held_[c].push_back(made);
    }
  }
}

}  // namespace heddle::transform
