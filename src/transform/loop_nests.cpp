// Updates write into the memory that is there where nobody needs it any more; what still has to be
// read of it is read before.
#include "transform/loop_nests.h"

#include <algorithm>
#include <utility>

#include "core/at.h"
#include "core/op_types.h"
#include "graph/node_facts.h"
#include "kernel/op_cost.h"
#include "runtime/device.h"
#include "transform/nest_values.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

using namespace program_words;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t most_elements = 1 << 14;  // of a step
// Of a pass that kernels could be launched for again and again, which takes as long as these.
constexpr std::int64_t most_repeated_work = 4000;
constexpr std::int64_t usual_passes = 64;  // of a loop inside whose number nobody knows
constexpr std::size_t most_steps = 256;
constexpr std::int64_t sums = 8;

class NestWriter : NestValues {
 public:
  explicit NestWriter(const Loop& loop) : loop_(loop) {}

  LoopProgram run() {
    using Kind = Argument::Kind;
    Body body(loop_);
    body.pass = number_parameter({.kind = Kind::first_pass}, Dtype::int64);
    const int end = number_parameter({.kind = Kind::end_pass}, Dtype::int64);
    prepare(body);
    if (loop_.steps.size() > most_steps) throw Impossible();
    Statements all;
    out_ = &all;
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
      body.places[c] = given(Kind::output, static_cast<std::int32_t>(c), loop_.carried[c]);
      body.places[c].owned = true;
    }
    for (auto value = loop_.first_fixed(); value < loop_.first_row(); ++value) {
      body.places[at(value)] = given(Kind::operand, value, loop_.type_of(value));
    }
    for (std::size_t r = 0; r < loop_.rows.size(); ++r) {
      const auto value = loop_.first_row() + static_cast<std::int32_t>(r);
      body.rows.push_back(
          {.array = array_parameter({.kind = Kind::operand, .which = value}, loop_.rows[r].dtype)});
    }
    auto output = static_cast<std::int32_t>(loop_.carried.size());
    for (auto value : loop_.last) {
      body.last.push_back(
          array_parameter({.kind = Kind::output, .which = output++}, loop_.type_of(value).dtype));
    }
    for (auto value : loop_.stacked) {
      body.stacks.push_back(
          array_parameter({.kind = Kind::output, .which = output++}, loop_.type_of(value).dtype));
    }
    write_loop(body, local(end));
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
      if (body.places[c].local < 0) continue;
      const int array = array_parameter({.kind = Kind::output, .which = static_cast<int>(c)},
                                        loop_.carried[c].dtype);
      out_->store(array, local(body.places[c].local), integer(0));
    }
    if (loop_.condition >= 0) {
      out_->store(array_parameter({.kind = Kind::reached}, Dtype::int64), local(body.pass),
                  integer(0));
    }
    if (body.work > most_repeated_work && is_repeated(loop_)) throw Impossible();
    Words words = words_before_statements(true);
    append(words, all.list());
    LoopProgram made;
    made.program = simt::read_program(words, {}, "loop");
    made.arguments = std::move(arguments_);
    made.work = std::max<std::int64_t>(1, body.work);
    return made;
  }

 private:
  // Whether all passes launch the same kernels, and none copies what it changes a part of.
  static bool is_repeated(const Loop& loop) {
    return loop.repeats_kernels() && std::ranges::none_of(loop.steps, [](const ScriptStep& step) {
             return step.node->primitive == &loop_primitive ||
                    (step.node->kind == NodeKind::update && !step.node->params.empty());
           });
  }

  // --- steps

  void write_step(Body& body, std::size_t s) {
    body.now = static_cast<std::int32_t>(s);
    const ScriptStep& step = body.loop.steps[s];
    const Node& node = *step.node;
    if (node.primitive == &loop_primitive) return write_inner(body, s);
    if (step.types.size() != 1 || step.source >= 0) throw Impossible();
    const auto size = size_of(step.types[0].shape);
    if (size == 0) throw Impossible();
    body.work += size * (node.kind == NodeKind::elementwise ? cost_of(node.op) : 1);
    switch (node.kind) {
      case NodeKind::elementwise:
        if (leaves_marks(node.op)) throw Impossible();
        [[fallthrough]];
      case NodeKind::index:
      case NodeKind::gather:
        if (size > most_elements) throw Impossible();
        if (!leave_pending(body, s)) make_elements(body, s);
        break;
      case NodeKind::reduce:
        write_reduction(body, s);
        break;
      case NodeKind::update:
        write_update(body, s);
        break;
      default:
        throw Impossible();
    }
  }

  static std::int64_t cost_of(Op op) {
    const double cost = kernel::op_cost(op);
    return cost >= 20 ? 8 : cost >= 2 ? 2 : 1;
  }

  // Where one step alone is going to read it, element for element.
  bool leave_pending(Body& body, std::size_t s) {
    const ScriptStep& step = body.loop.steps[s];
    const auto value = step.first;
    if (size_of(step.types[0].shape) == 1 || body.readers[at(value)] != 1) return false;
    const auto reader = body.ends[at(value)];
    if (reader == never || reader < 0) return false;
    const ScriptStep& by = body.loop.steps[at(reader)];
    const auto o = at(std::ranges::find(by.values, value) - by.values.begin());
    const bool whole =
        by.node->kind == NodeKind::library ||
        (o == 0 && (by.node->kind == NodeKind::gather || by.node->kind == NodeKind::update));
    if (whole || !reads_each(body, at(reader), o)) return false;
    Place place{.pending = static_cast<std::int32_t>(s)};
    for (auto read : step.values) {
      if (read < 0) continue;
      const Place& from = body.places[at(read)];
      if (from.array >= 0) place.reads.push_back(from.array);
      place.reads.insert(place.reads.end(), from.reads.begin(), from.reads.end());
    }
    body.places[at(value)] = std::move(place);
    return true;
  }

  void write_reduction(Body& body, std::size_t s) {
    const ScriptStep& step = body.loop.steps[s];
    const Node& node = *step.node;
    const OutputType& type = step.types[0];
    if (step.values[0] < 0) throw Impossible();
    const Operand& operand = step.operands[0];
    const Dims all =
        operand.layout ? operand.layout->shape : body.loop.type_of(step.values[0]).shape;
    if (size_of(all) == 0 || size_of(all) > most_elements) throw Impossible();
    const auto& row = info(node.combine);
    const bool begins = row.identity == Identity::zero || row.identity == Identity::one;
    if (!begins && !row.idempotent) throw Impossible();
    Dims kept, reduced;
    for (std::int64_t d = 0; d < all.size(); ++d) {
      (node.axes >> d & 1 ? reduced : kept).push_back(all[d]);
    }
    if (kept != type.shape) throw Impossible();
    const Dtype dtype = is_half(type.dtype) && row.widens ? Dtype::float32 : type.dtype;
    body.work += size_of(all);
    settle(body, s);
    const Nest outer = nest_over(kept);
    const auto both = [&](const Coordinates& along) {
      Coordinates coordinates;
      std::size_t k = 0, r = 0;
      for (std::int64_t d = 0; d < all.size(); ++d) {
        coordinates.push_back(node.axes >> d & 1 ? along[r++] : outer.coordinates[k++]);
      }
      return coordinates;
    };
    Statements statements;
    Reads reads;
    int made = -1;
    within(statements, [&] {
      const auto value_at = [&](const Coordinates& along) {
        return cast(*out_, read(body, s, 0, all, both(along), reads), dtype);
      };
      const int total = combined(node.combine, dtype, reduced, value_at);
      made = cast(*out_, total, type.dtype);
    });
    for (auto& one : reads.all) one.second = false;
    Place place{.local = made};
    if (size_of(kept) > 1) {
      place = memory_for(body, step.first, reads);
      statements.store(place.array, local(made),
                       index_of(contiguous_layout(kept), outer.coordinates, {}));
    }
    add_nest(outer, std::move(statements));
    body.places[at(step.first)] = place;
  }
  // What comes of all elements of a space. Sums are several, so that none waits for the one before.
  template <class F>
  int combined(Op combine, Dtype dtype, const Dims& space, F value_at) {
    const auto& row = info(combine);
    const bool several = !row.idempotent && is_inexact(dtype) && !space.empty() &&
                         space[space.size() - 1] >= 2 * sums;
    const std::int64_t count = several ? sums : 1;
    std::vector<int> totals;
    for (std::int64_t i = 0; i < count; ++i) {
      totals.push_back(new_local(dtype));
      if (row.idempotent) {
        const Coordinates first(at(space.size()), integer(0));
        out_->assign(totals.back(), local(value_at(first)));
      } else {
        const Words first = integer(row.identity == Identity::one ? 1 : 0);
        out_->assign(totals.back(), operation(Op::cast, Dtype::int64, dtype, {first}));
      }
    }
    const auto add = [&](int to, int value) {
      out_->assign(to, local(compute(*out_, combine, dtype, dtype, {to, value})));
    };
    Dims pieces = space;
    if (several) pieces[space.size() - 1] /= count;
    const Nest nest = nest_over(pieces);
    Statements inner;
    within(inner, [&] {
      Coordinates along = nest.coordinates;
      for (std::int64_t i = 0; i < count; ++i) {
        if (several) along.back() = sum(product(nest.coordinates.back(), count), integer(i));
        add(totals[at(i)], value_at(along));
      }
    });
    add_nest(nest, std::move(inner));
    if (!several) return totals[0];
    const auto whole = pieces[space.size() - 1] * count;
    if (const auto left = space[space.size() - 1] - whole; left > 0) {
      Dims rest = space;
      rest[space.size() - 1] = left;
      const Nest remaining = nest_over(rest);
      Statements last;
      within(last, [&] {
        Coordinates along = remaining.coordinates;
        along.back() = sum(along.back(), integer(whole));
        add(totals[0], value_at(along));
      });
      add_nest(remaining, std::move(last));
    }
    for (auto step = count / 2; step > 0; step /= 2) {
      for (std::int64_t i = 0; i < step; ++i) add(totals[at(i)], totals[at(i + step)]);
    }
    return totals[0];
  }

  // Where an element of an update goes, and whether it does.
  struct Aim {
    Words to;
    int mask = -1;
  };
  Aim aim(Body& body, std::size_t s, const Nest& nest, Reads& reads) {
    const ScriptStep& step = body.loop.steps[s];
    const Node& node = *step.node;
    const Dims& space = node.target->shape;
    Aim made;
    made.to = index_of(*node.target, nest.coordinates,
                       places_pointed_at(body, s, 2, space, nest.coordinates, reads));
    if (body.moved[s] != 0) made.to = plus(made.to, product(local(body.pass), body.moved[s]));
    if (node.masked) {
      made.mask = read(body, s, step.operands.size() - 1, space, nest.coordinates, reads);
    }
    return made;
  }

  void write_update(Body& body, std::size_t s) {
    const ScriptStep& step = body.loop.steps[s];
    const Node& node = *step.node;
    const OutputType& type = step.types[0];
    const auto old = step.values[0];
    if (node.target_dtype != type.dtype || step.operands[0].dtype != type.dtype || old < 0 ||
        step.operands[0].layout) {
      throw Impossible();
    }
    const Dims& space = node.target->shape;
    const auto size = size_of(space);
    if (size > most_elements) throw Impossible();
    body.work += size;
    if (body.places[at(old)].pending >= 0) materialise(body, old);
    settle(body, s);
    const Nest nest = nest_over(space);
    Statements inner;
    Reads of_value, of_aim;
    int value = -1;
    Aim aimed;
    within(inner, [&] {
      value = read(body, s, 1, space, nest.coordinates, of_value);
      aimed = aim(body, s, nest, of_aim);
    });
    Place place = body.places[at(old)];
    if (place.local >= 0) {
      if (size > 1) throw Impossible();
      if (size == 1) {
        within(inner, [&] { place = {.local = written(body, s, value, aimed.mask, place.local)}; });
        add_nest(nest, std::move(inner));
      }
      body.places[at(step.first)] = place;
      return;
    }
    const bool alone = place.owned && place.offset.empty() && body.ends[at(old)] <= body.now &&
                       is_free(body, place.array, old);
    if (!alone || of_aim.any(place.array)) {
      const Place made = scratch(type);
      copy(type, place, made);
      place = made;
      body.work += size_of(type.shape);
    } else {
      read_before(body, place.array);
      if (size > 1 && of_value.any(place.array)) {
        // All of it is there before any of it is overwritten.
        const Place staged = scratch({type_of(value), space});
        const Words index = index_of(contiguous_layout(space), nest.coordinates, {});
        inner.store(staged.array, local(value), index);
        add_nest(nest, std::exchange(inner, {}));
        value = new_local(type_of(value));
        inner.assign(value, load(staged.array, index));
        within(inner, [&] { aimed = aim(body, s, nest, of_aim); });
      }
    }
    within(inner, [&] {
      int there = -1;
      if (node.masked || node.accumulates) {
        there = new_local(type.dtype);
        out_->assign(there, load(place.array, aimed.to));
      }
      const int element = written(body, s, value, aimed.mask, there);
      out_->store(place.array, local(element), aimed.to);
    });
    add_nest(nest, std::move(inner));
    body.places[at(step.first)] = place;
  }
  // What an element becomes.
  int written(const Body& body, std::size_t s, int value, int mask, int there) {
    const ScriptStep& step = body.loop.steps[s];
    const Node& node = *step.node;
    const Dtype dtype = step.types[0].dtype;
    if (node.accumulates) {
      const Dtype type = step.operands[1].dtype;
      std::vector<int> args = {cast(*out_, there, type)};
      if (info(node.op).inputs == 2) args.push_back(value);
      value = compute(*out_, node.op, type, result_type(node.op, type), args);
    }
    value = cast(*out_, value, dtype);
    return mask < 0 ? value : compute(*out_, Op::select, dtype, dtype, {mask, value, there});
  }

  // --- passes

  // All passes from the counter's value on, up to `end`.
  void write_loop(Body& body, const Words& end) {
    const Loop& loop = body.loop;
    Statements inner;
    within(inner, [&] { write_pass(body); });
    Words step = {1, static_cast<int>(simt::StmtKind::assign), 0, body.pass};
    append(step, sum(local(body.pass), integer(1)));
    locals_[at(body.pass)].second = loop.condition < 0;
    out_->add({static_cast<int>(simt::StmtKind::loop), 0, 0});
    append(out_->words, operation(Op::less, Dtype::int64, Dtype::bool_, {local(body.pass), end}));
    append(out_->words, inner.list());
    append(out_->words, step);
  }

  void write_pass(Body& body) {
    const Loop& loop = body.loop;
    if (loop.counter) {
      const int counter = new_local(Dtype::int64);
      out_->assign(counter, place_of(body, *loop.counter, 1));
      body.places[at(loop.counter_number())] = {.local = counter};
    }
    for (std::size_t r = 0; r < loop.rows.size(); ++r) {
      const OutputType& type = loop.rows[r];
      Place row = body.rows[r];
      row.offset = plus(row.offset, place_of(body, loop.row_places[r], size_of(type.shape)));
      body.places[at(loop.first_row()) + r] = element_or_memory(type, std::move(row));
    }
    for (std::size_t s = 0; s < loop.steps.size(); ++s) {
      if (loop.condition >= 0 && s == at(loop.condition_steps)) leave_unless(body);
      write_step(body, s);
    }
    body.now = static_cast<std::int32_t>(loop.steps.size());
    if (loop.condition >= 0 && at(loop.condition_steps) == loop.steps.size()) leave_unless(body);
    for (std::size_t k = 0; k < loop.stacked.size(); ++k) {
      const OutputType& type = loop.type_of(loop.stacked[k]);
      copy(type, body.places[at(loop.stacked[k])],
           {.array = body.stacks[k],
            .offset = place_of(body, loop.stack_places[k], size_of(type.shape))});
    }
    write_last(body);
    end_pass(body);
  }

  void leave_unless(Body& body) {
    const int holds = body.places[at(body.loop.condition)].local;
    if (holds < 0) throw Impossible();
    out_->add({static_cast<int>(simt::StmtKind::branch), 0});
    append(out_->words, operation(Op::logical_not, Dtype::bool_, Dtype::bool_, {local(holds)}));
    append(out_->words, {1, static_cast<int>(simt::StmtKind::leave_loop), 0});
    append(out_->words, {0});
  }

  void write_last(Body& body) {
    const Loop& loop = body.loop;
    if (loop.last.empty()) return;
    Statements statements;
    within(statements, [&] {
      for (std::size_t i = 0; i < loop.last.size(); ++i) {
        copy(loop.type_of(loop.last[i]), body.places[at(loop.last[i])], {.array = body.last[i]});
      }
    });
    out_->add({static_cast<int>(simt::StmtKind::branch), 0});
    append(out_->words, operation(Op::equal, Dtype::int64, Dtype::bool_,
                                  {local(body.pass), integer(loop.passes - 1)}));
    append(out_->words, statements.list());
    append(out_->words, {0});
  }

  // All at once: what one becomes may be what another one is.
  void end_pass(Body& body) {
    const Loop& loop = body.loop;
    std::vector<std::pair<std::size_t, Place>> changes;
    for (std::size_t c = 0; c < loop.next.size(); ++c) {
      const Place& from = body.places[at(loop.next[c])];
      const Place& to = body.places[c];
      const bool same =
          to.local >= 0 ? from.local == to.local : from.array == to.array && from.offset.empty();
      if (!same) changes.emplace_back(c, from);
    }
    for (auto& [c, from] : changes) {
      const bool carried = std::ranges::any_of(changes, [&](const auto& other) {
        const Place& place = body.places[other.first];
        return from.local >= 0 ? place.local == from.local : place.array == from.array;
      });
      if (!carried) continue;
      const OutputType& type = loop.carried[c];
      Place kept;
      if (from.local >= 0) {
        kept.local = new_local(type.dtype);
        out_->assign(kept.local, local(from.local));
      } else {
        kept = scratch(type);
        copy(type, from, kept);
      }
      from = kept;
    }
    for (const auto& [c, from] : changes) {
      if (body.places[c].local >= 0) {
        out_->assign(body.places[c].local, local(from.local));
      } else {
        copy(loop.carried[c], from, body.places[c]);
        body.work += size_of(loop.carried[c].shape);
      }
    }
  }

  // A loop inside.
  void write_inner(Body& outer, std::size_t s) {
    const ScriptStep& step = outer.loop.steps[s];
    const auto& loop = step.node->parameters_as<Loop>();
    Body body(loop);
    prepare(body);
    if (loop.steps.size() > most_steps) throw Impossible();
    for (std::size_t o = 0; o < step.values.size(); ++o) {
      const auto value = step.values[o];
      if (value < 0 || step.operands[o].layout) throw Impossible();
      if (outer.places[at(value)].pending >= 0) materialise(outer, value);
    }
    body.pass = new_local(Dtype::int64);
    out_->assign(body.pass, integer(0));
    for (std::size_t c = 0; c < loop.carried.size(); ++c) {
      body.places[c] = carried_into(outer, s, c);
    }
    const auto fixed = at(loop.first_fixed());
    for (std::size_t i = 0; i < loop.fixed.size(); ++i) {
      body.places[fixed + i] = outer.places[at(step.values[fixed + i])];
      body.places[fixed + i].owned = false;
    }
    const auto row = at(loop.first_row());
    for (std::size_t r = 0; r < loop.rows.size(); ++r) {
      Place place = outer.places[at(step.values[row + r])];
      if (place.local >= 0) {
        // An array of one row of one element.
        const Place memory = scratch(outer.loop.type_of(step.values[row + r]));
        out_->store(memory.array, local(place.local), integer(0));
        place = memory;
      }
      place.owned = false;
      body.rows.push_back(std::move(place));
    }
    std::vector<Place> made;
    auto type = step.types.begin() + static_cast<std::ptrdiff_t>(loop.carried.size());
    for (auto* arrays : {&body.last, &body.stacks}) {
      const auto count = arrays == &body.last ? loop.last.size() : loop.stacked.size();
      for (std::size_t i = 0; i < count; ++i, ++type) {
        if (size_of(type->shape) > most_elements * usual_passes) throw Impossible();
        made.push_back(scratch(*type));
        arrays->push_back(made.back().array);
      }
    }
    write_loop(body, integer(loop.passes));
    const auto first = at(step.first);
    for (std::size_t c = 0; c < loop.carried.size(); ++c) outer.places[first + c] = body.places[c];
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto output = loop.carried.size() + i;
      outer.places[first + output] = element_or_memory(step.types[output], made[i]);
    }
    outer.work += body.work * std::min(loop.passes, usual_passes);
  }

  // Where a loop inside has what it carries: in the memory of what it begins with, where nobody
  // else needs that.
  Place carried_into(Body& outer, std::size_t s, std::size_t c) {
    const ScriptStep& step = outer.loop.steps[s];
    const auto value = step.values[c];
    const OutputType& type = outer.loop.type_of(value);
    Place place = outer.places[at(value)];
    if (place.local >= 0) {
      const int made = new_local(type.dtype);
      out_->assign(made, local(place.local));
      return {.local = made};
    }
    const auto uses = std::ranges::count_if(
        step.values, [&](auto other) { return outer.places[at(other)].array == place.array; });
    const bool alone = place.owned && place.offset.empty() && uses == 1 &&
                       outer.ends[at(value)] <= outer.now && is_free(outer, place.array, value);
    if (alone) {
      read_before(outer, place.array);
      return place;
    }
    const Place made = scratch(type);
    copy(type, place, made);
    return made;
  }

  const Loop& loop_;
};

}  // namespace

std::optional<LoopProgram> nests_of(const Loop& loop) {
  if (!loop.device->host_accessible()) return std::nullopt;
  try {
    return NestWriter(loop).run();
  } catch (const Impossible&) {
    return std::nullopt;
  }
}

}  // namespace heddle::transform
