#include "transform/nest_values.h"

#include <bit>
#include <ranges>

#include "core/at.h"

namespace heddle::transform {

using graph::ScriptStep;
using namespace program_words;  // NOLINT(google-build-using-namespace)

// --- what is known before

void NestValues::prepare(Body& body) {
  const Loop& loop = body.loop;
  const auto values = at(loop.values());
  body.places.resize(values);
  body.ends.assign(values, -1);
  body.readers.assign(values, 0);
  body.moved.assign(loop.steps.size(), 0);
  body.changed.resize(loop.steps.size());
  for (std::size_t s = 0; s < loop.steps.size(); ++s) {
    body.changed[s].resize(loop.steps[s].operands.size());
    for (auto value : loop.steps[s].values) {
      if (value < 0) continue;
      body.ends[at(value)] = static_cast<std::int32_t>(s);
      ++body.readers[at(value)];
    }
  }
  for (auto value = loop.first_fixed(); value < loop.first_made(); ++value) {
    body.ends[at(value)] = never;
  }
  const auto keep = [&](std::int32_t value) {
    body.ends[at(value)] = never;
    ++body.readers[at(value)];
  };
  for (const auto* list : {&loop.next, &loop.last, &loop.stacked}) {
    for (auto value : *list) keep(value);
  }
  if (loop.condition >= 0) {
    keep(loop.condition);
    // What is carried is what the loop gives where it ends.
    for (std::size_t c = 0; c < loop.carried.size(); ++c) {
      if (body.ends[c] < loop.condition_steps) body.ends[c] = never;
    }
  }
  for (const Loop::Moved& one : loop.moved) {
    if (one.operand < 0) {
      body.moved[at(one.step)] = one.by;
    } else {
      body.changed[at(one.step)][at(one.operand)].moved = one.by;
    }
  }
  for (std::size_t n = 0; n < loop.numbers.size(); ++n) {
    const Loop::Numbers& one = loop.numbers[n];
    body.changed[at(one.step)][at(one.operand)].table = static_cast<std::int32_t>(n);
  }
}

NestValues::Place NestValues::given(Argument::Kind kind, std::int32_t which,
                                    const OutputType& type) {
  const int array = array_parameter({.kind = kind, .which = which}, type.dtype);
  return element_or_memory(type, {.array = array});
}

NestValues::Place NestValues::element_or_memory(const OutputType& type, Place memory) {
  const auto size = size_of(type.shape);
  if (size == 0) throw Impossible();
  if (size > 1) return memory;
  const int made = new_local(type.dtype);
  out_->assign(made, load(memory.array, memory.offset.empty() ? integer(0) : memory.offset));
  return {.local = made};
}

NestValues::Place NestValues::scratch(const OutputType& type) {
  const auto bytes = size_of(type.shape) * itemsize(type.dtype);
  return {.array = array_parameter(
              {.kind = Argument::Kind::scratch, .which = scratches_++, .bytes = bytes}, type.dtype),
          .owned = true};
}

// --- nests

NestValues::Nest NestValues::nest_over(const Dims& shape) {
  Nest nest;
  for (auto extent : shape) {
    if (extent == 1) {
      nest.coordinates.push_back(integer(0));
      continue;
    }
    nest.loops.emplace_back(new_local(Dtype::int64), extent);
    nest.coordinates.push_back(local(nest.loops.back().first));
  }
  return nest;
}

void NestValues::add_nest(const Nest& nest, Statements inner) {
  for (const auto& [counter, extent] : std::views::reverse(nest.loops)) {
    Statements outer;
    outer.add({static_cast<int>(simt::StmtKind::range), 0, counter, 0});
    append(outer.words, integer(0));
    append(outer.words, integer(extent));
    append(outer.words, integer(1));
    outer.words.push_back(0);  // nothing is reduced
    append(outer.words, inner.list());
    inner = std::move(outer);
  }
  out_->count += inner.count;
  append(out_->words, inner.words);
}

program_words::Words NestValues::index_of(const Layout& layout, const Coordinates& coordinates,
                                          const Words& more) {
  Words index = more;
  const auto add = [&](const Words& term) { index = index.empty() ? term : sum(index, term); };
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.strides[d] == 0 || layout.shape[d] == 1) continue;
    add(product(coordinates[at(d)], layout.strides[d]));
  }
  if (layout.offset != 0 || index.empty()) add(integer(layout.offset));
  return index;
}

program_words::Words NestValues::plus(const Words& a, const Words& b) {
  return a.empty() ? b : b.empty() ? a : sum(a, b);
}

program_words::Words NestValues::place_of(const Body& body, const Loop::Places& places,
                                          std::int64_t factor) {
  return sum(product(local(body.pass), places.by * factor), integer(places.first * factor));
}

// --- elements

int NestValues::number(const Body& body, std::size_t s, std::size_t o) {
  const auto table = body.changed[s][o].table;
  const Dtype dtype = body.loop.steps[s].operands[o].dtype;
  if (table < 0) {
    return number_parameter({.kind = Argument::Kind::number,
                             .which = static_cast<std::int32_t>(s),
                             .operand = static_cast<std::int32_t>(o),
                             .loop = &body.loop},
                            dtype);
  }
  const int array =
      array_parameter({.kind = Argument::Kind::table, .which = table, .loop = &body.loop}, dtype);
  const int made = new_local(dtype);
  out_->assign(made, load(array, local(body.pass)));
  return made;
}

bool NestValues::reads_each(const Body& body, std::size_t s, std::size_t o) {
  return !body.loop.steps[s].operands[o].layout && body.changed[s][o].moved == 0;
}

void NestValues::settle(Body& body, std::size_t s) {
  const ScriptStep& step = body.loop.steps[s];
  for (std::size_t o = 0; o < step.operands.size(); ++o) {
    const auto value = step.values[o];
    if (value < 0 || body.places[at(value)].pending < 0) continue;
    const bool anywhere = step.node->kind == NodeKind::gather && o == 0;
    if (reads_each(body, s, o) && !anywhere) {
      settle(body, at(body.places[at(value)].pending));
    } else {
      materialise(body, value);
    }
  }
}

int NestValues::read(Body& body, std::size_t s, std::size_t o, const Dims& space,
                     const Coordinates& coordinates, Reads& reads, const Words& further) {
  const ScriptStep& step = body.loop.steps[s];
  const Operand& operand = step.operands[o];
  const auto value = step.values[o];
  if (value < 0) return number(body, s, o);
  const OutputType& type = body.loop.type_of(value);
  if (operand.dtype != type.dtype) throw Impossible();
  const Place& place = body.places[at(value)];
  if (place.local >= 0) return place.local;
  const Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(type.shape);
  if (layout.shape != space) throw Impossible();
  if (place.pending >= 0) return element(body, at(place.pending), coordinates, reads);
  if (place.array < 0) throw Impossible();
  Words more = plus(place.offset, further);
  const auto moved = body.changed[s][o].moved;
  if (moved != 0) more = plus(more, product(local(body.pass), moved));
  reads.all.emplace_back(place.array, !operand.layout && more.empty());
  const int made = new_local(type.dtype);
  out_->assign(made, load(place.array, index_of(layout, coordinates, more)));
  return made;
}

program_words::Words NestValues::places_pointed_at(Body& body, std::size_t s, std::size_t first,
                                                   const Dims& space,
                                                   const Coordinates& coordinates, Reads& reads) {
  const Dims& params = body.loop.steps[s].node->params;
  Words total;
  for (std::int64_t i = 0; 2 * i < params.size(); ++i) {
    const int given = read(body, s, first + at(i), space, coordinates, reads);
    const int index = cast(*out_, given, Dtype::int64);
    const Words negative =
        operation(Op::less, Dtype::int64, Dtype::bool_, {local(index), integer(0)});
    const Words wrapped = sum(local(index), integer(params[2 * i]));
    const int place = new_local(Dtype::int64);
    out_->assign(place, operation(Op::select, Dtype::int64, Dtype::int64,
                                  {negative, wrapped, local(index)}));
    total = plus(total, product(local(place), params[2 * i + 1]));
  }
  return total;
}

int NestValues::element(Body& body, std::size_t s, const Coordinates& coordinates, Reads& reads) {
  const ScriptStep& step = body.loop.steps[s];
  const Node& node = *step.node;
  const OutputType& type = step.types[0];
  switch (node.kind) {
    case NodeKind::index:
      return cast(*out_, index_along(std::countr_zero(node.axes), coordinates), type.dtype);
    case NodeKind::gather: {
      const Words further = places_pointed_at(body, s, 1, type.shape, coordinates, reads);
      return read(body, s, 0, type.shape, coordinates, reads, further);
    }
    default:
      break;
  }
  std::vector<int> args;
  for (std::size_t o = 0; o < step.operands.size(); ++o) {
    args.push_back(read(body, s, o, type.shape, coordinates, reads));
  }
  if (node.op == Op::cast) return cast(*out_, args[0], type.dtype);
  return compute(*out_, node.op, type_of(args[node.op == Op::select ? 1 : 0]), type.dtype, args);
}

int NestValues::index_along(int axis, const Coordinates& coordinates) {
  const int made = new_local(Dtype::int64);
  out_->assign(made, coordinates[at(axis)]);
  return made;
}

// --- memory

bool NestValues::is_free(const Body& body, int array, std::int32_t but) {
  for (std::size_t v = 0; v < body.places.size(); ++v) {
    if (static_cast<std::int32_t>(v) == but) continue;
    if (body.places[v].array == array && body.ends[v] > body.now) return false;
  }
  return true;
}

void NestValues::read_before(Body& body, int array) {
  for (std::size_t v = 0; v < body.places.size(); ++v) {
    const Place& place = body.places[v];
    if (place.pending < 0 || body.ends[v] <= body.now) continue;
    if (std::ranges::find(place.reads, array) != place.reads.end()) {
      materialise(body, static_cast<std::int32_t>(v));
    }
  }
}

NestValues::Place NestValues::memory_for(Body& body, std::int32_t value, const Reads& reads) {
  const Loop& loop = body.loop;
  const auto next = std::ranges::find(loop.next, value);
  if (next != loop.next.end() && std::ranges::count(loop.next, value) == 1) {
    const auto c = at(next - loop.next.begin());
    const int array = body.places[c].array;
    if (array >= 0 && body.ends[c] <= body.now && reads.only_own(array) && is_free(body, array)) {
      read_before(body, array);
      return body.places[c];
    }
  }
  return scratch(loop.type_of(value));
}

void NestValues::materialise(Body& body, std::int32_t value) {
  const auto s = at(body.places[at(value)].pending);
  body.places[at(value)] = {};
  make_elements(body, s);
}

void NestValues::make_elements(Body& body, std::size_t s) {
  const ScriptStep& step = body.loop.steps[s];
  const OutputType& type = step.types[0];
  settle(body, s);
  const Nest nest = nest_over(type.shape);
  Statements inner;
  Reads reads;
  int made = -1;
  within(inner, [&] { made = element(body, s, nest.coordinates, reads); });
  if (size_of(type.shape) == 1) {
    add_nest(nest, std::move(inner));
    body.places[at(step.first)] = {.local = made};
    return;
  }
  const Place place = memory_for(body, step.first, reads);
  inner.store(place.array, local(made),
              index_of(contiguous_layout(type.shape), nest.coordinates, {}));
  add_nest(nest, std::move(inner));
  body.places[at(step.first)] = place;
}

void NestValues::copy(const OutputType& type, const Place& from, const Place& to) {
  const Nest nest = nest_over(type.shape);
  const Words index = index_of(contiguous_layout(type.shape), nest.coordinates, {});
  const auto at_place = [&](const Place& place) { return plus(index, place.offset); };
  Statements inner;
  const Words value = from.local >= 0 ? local(from.local) : load(from.array, at_place(from));
  inner.store(to.array, value, at_place(to));
  add_nest(nest, std::move(inner));
}

}  // namespace heddle::transform
