#include "transform/loop_program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/at.h"
#include "graph/node_facts.h"
#include "runtime/device.h"
#include "transform/loop_values.h"
#include "transform/program_words.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

using namespace program_words;  // NOLINT(google-build-using-namespace)

// Each statement computes an element that a thread has.
class Writer : LoopValues {
 public:
  Writer(const Loop& loop, const Dims& tail, std::int64_t each) : LoopValues(loop, tail, each) {}

  LoopProgram run() {
    using Kind = Argument::Kind;
    pass_ = number_parameter({.kind = Kind::first_pass}, Dtype::int64);
    end_ = number_parameter({.kind = Kind::end_pass}, Dtype::int64);
    locals_[at(pass_)].second = true;
    begin_threads();
    begin_carried();
    if (loop_.counter) {
      const int counter = new_local(Dtype::int64);
      body_.assign(counter, place(*loop_.counter, 1));
      held_[at(loop_.counter_number())] = {counter};
    }
    for (std::size_t s = 0; s < loop_.steps.size(); ++s) {
      if (loop_.condition >= 0 && s == at(loop_.condition_steps)) leave_unless();
      write_step(s);
    }
    if (loop_.condition >= 0 && at(loop_.condition_steps) == loop_.steps.size()) leave_unless();
    for (std::size_t k = 0; k < loop_.stacked.size(); ++k) store_stacked(k);
    const auto last = held_last();
    end_body();
    std::int32_t output = 0;
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
      store_all(output++, loop_.carried[c], held_[c]);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      store_all(output++, loop_.type_of(loop_.last[i]), last[i]);
    }
    if (loop_.condition >= 0) {
      // Read after the loop, so it is no mere counter.
      locals_[at(pass_)].second = false;
      after_.store(array_parameter({.kind = Kind::reached}, Dtype::int64), local(pass_),
                   integer(0));
    }
    LoopProgram made;
    made.program = simt::read_program(all_words(), {}, "loop");
    made.arguments = std::move(arguments_);
    made.threads = threads_;
    made.work = work_;
    return made;
  }

 private:
  // --- steps

  void write_step(std::size_t s) {
    const ScriptStep& step = loop_.steps[s];
    const Node& node = *step.node;
    if (step.types.size() != 1 || step.source >= 0) throw Impossible();
    const Space space = space_of(step.types[0].shape);
    if (space.elements > most_work) throw Impossible();
    std::vector<int>& made = held_[at(step.first)];
    switch (node.kind) {
      case NodeKind::elementwise:
        if (leaves_marks(node.op)) throw Impossible();
        for (std::int64_t e = 0; e < space.elements; ++e) {
          made.push_back(write_elementwise(s, space, e));
        }
        break;
      case NodeKind::index:
        for (std::int64_t e = 0; e < space.elements; ++e) {
          made.push_back(write_index(step, space, e));
        }
        break;
      case NodeKind::reduce:
        write_reduction(s, space, made);
        break;
      case NodeKind::gather:
        for (std::int64_t e = 0; e < space.elements; ++e) {
          made.push_back(write_gather(s, space, e));
        }
        break;
      case NodeKind::update:
        write_update(s, made);
        break;
      default:
        throw Impossible();
    }
  }

  int write_elementwise(std::size_t s, const Space& space, std::int64_t e) {
    const ScriptStep& step = loop_.steps[s];
    const Op op = step.node->op;
    const Dtype dtype = step.types[0].dtype;
    std::vector<int> args;
    for (std::size_t o = 0; o < step.operands.size(); ++o) args.push_back(read(s, o, space, e));
    if (op == Op::cast) return cast(args[0], dtype);
    const Dtype type = type_of(args[op == Op::select ? 1 : 0]);
    return compute_of(op, type, dtype, args);
  }

  int write_index(const ScriptStep& step, const Space& space, std::int64_t e) {
    const auto axis = std::countr_zero(step.node->axes);
    const auto leading = space.shape.size() - (space.shared ? tail_.size() : 0);
    int made = 0;
    if (axis >= leading) {
      made = coordinate(e % each_, axis - leading);
    } else {
      auto rest = space.shared ? e / each_ : e;
      for (auto d = leading - 1; d > axis; --d) rest /= space.shape[d];
      made = new_local(Dtype::int64);
      body_.assign(made, integer(rest % space.shape[axis]));
    }
    return cast(made, step.types[0].dtype);
  }

  void write_reduction(std::size_t s, const Space& space, std::vector<int>& made) {
    const ScriptStep& step = loop_.steps[s];
    const Node& node = *step.node;
    const Operand& operand = step.operands[0];
    if (step.values[0] < 0) throw Impossible();
    const Dims& all = operand.layout ? operand.layout->shape : loop_.type_of(step.values[0]).shape;
    const Space whole = space_of(all);
    const Dtype type = step.types[0].dtype;
    const Dtype dtype = is_half(type) && info(node.combine).widens ? Dtype::float32 : type;
    // Axes that are kept are those of the result, in order; those of the threads are among them.
    Dims kept;
    const auto leading = all.size() - (whole.shared ? tail_.size() : 0);
    for (std::int64_t d = 0; d < all.size(); ++d) {
      const bool reduced = node.axes >> d & 1;
      if (!reduced) kept.push_back(all[d]);
      if (reduced && d >= leading && threads_ * each_ > 1) throw Impossible();
    }
    if (kept != space.shape || whole.shared != space.shared || space.elements == 0) {
      throw Impossible();
    }
    if (whole.elements > most_reduced * space.elements) throw Impossible();
    std::vector<int> totals(at(space.elements), -1);
    for (std::int64_t e = 0; e < whole.elements; ++e) {
      int& total = totals[kept_element(node, whole, leading, e)];
      const int value = cast(read(s, 0, whole, e), dtype);
      if (total < 0 && node.combine == Op::add) {
        // A sum begins with zero, which shows where it is one of negative zeros.
        total = new_local(dtype);
        body_.assign(total, constant(dtype, {}));
      }
      total = total < 0 ? value : compute(node.combine, dtype, dtype, {total, value});
    }
    for (int total : totals) made.push_back(total < 0 ? throw Impossible() : cast(total, type));
  }

  // The element of the result that an element belongs to.
  std::size_t kept_element(const Node& node, const Space& whole, std::int64_t leading,
                           std::int64_t e) const {
    const auto part = whole.shared ? e % each_ : 0;
    auto rest = whole.shared ? e / each_ : e;
    std::int64_t place = 0, scale = 1;
    for (auto d = leading; d-- > 0;) {
      const auto along = rest % whole.shape[d];
      rest /= whole.shape[d];
      if (node.axes >> d & 1) continue;
      place += along * scale;
      scale *= whole.shape[d];
    }
    return at(whole.shared ? place * each_ + part : place);
  }

  int write_gather(std::size_t s, const Space& space, std::int64_t e) {
    const ScriptStep& step = loop_.steps[s];
    const Node& node = *step.node;
    const auto value = step.values[0];
    const Operand& operand = step.operands[0];
    if (value < 0 || !in_memory(value) || !operand.layout || changed_[s][0].moved != 0 ||
        operand.dtype != loop_.type_of(value).dtype || operand.layout->shape != space.shape) {
      throw Impossible();
    }
    Words further;
    for (std::size_t i = 1; i < step.operands.size(); ++i) {
      const auto parameter = static_cast<std::int64_t>(2 * (i - 1));
      const int index = cast(read(s, i, space, e), Dtype::int64);
      const Words negative =
          operation(Op::less, Dtype::int64, Dtype::bool_, {local(index), integer(0)});
      const Words wrapped = sum(local(index), integer(node.params[parameter]));
      const Words term = product(
          operation(Op::select, Dtype::int64, Dtype::int64, {negative, wrapped, local(index)}),
          node.params[parameter + 1]);
      further = further.empty() ? term : sum(further, term);
    }
    return load_element(value, address(*operand.layout, space, e), 0, further);
  }

  void write_update(std::size_t s, std::vector<int>& made) {
    const ScriptStep& step = loop_.steps[s];
    const Node& node = *step.node;
    const OutputType& type = step.types[0];
    if (node.accumulates || !node.params.empty() || node.target_dtype != type.dtype ||
        step.operands[0].dtype != type.dtype || step.values[0] < 0 || step.operands[0].layout) {
      throw Impossible();
    }
    made = elements(step.values[0]);
    const Space space = space_of(node.target->shape);
    const bool shared = has_tail(type.shape);
    if (space.shared != shared) throw Impossible();
    for (std::int64_t e = 0; e < space.elements; ++e) {
      const Address to = address(*node.target, space, e);
      const bool own = !shared || to.tail == Address::Tail::dense || threads_ * each_ == 1;
      if (!own || (shared && to.base % threads_ != 0)) throw Impossible();
      const auto element = at(shared ? to.base / threads_ + to.part : to.base);
      int value = cast(read(s, 1, space, e), type.dtype);
      if (node.masked) {
        const int mask = read(s, step.operands.size() - 1, space, e);
        value = compute(Op::select, type.dtype, type.dtype, {mask, value, made.at(element)});
      }
      made.at(element) = value;
    }
  }

  // --- the end of a pass, and of all

  void leave_unless() {
    const int holds = elements(loop_.condition).at(0);
    body_.add({static_cast<int>(simt::StmtKind::branch), 0});
    append(body_.words, operation(Op::logical_not, Dtype::bool_, Dtype::bool_, {local(holds)}));
    append(body_.words, {1, static_cast<int>(simt::StmtKind::leave_loop), 0});
    append(body_.words, {0});
  }

  void store_stacked(std::size_t k) {
    const auto value = loop_.stacked[k];
    const OutputType& type = loop_.type_of(value);
    const auto output = loop_.carried.size() + loop_.last.size() + k;
    const int array = array_parameter(
        {.kind = Argument::Kind::output, .which = static_cast<std::int32_t>(output)}, type.dtype);
    const Space space = space_of(type.shape);
    const Layout layout = contiguous_layout(type.shape);
    const std::vector<int> held = elements(value);
    const Words row = place(loop_.stack_places[k], size_of(type.shape));
    for (std::int64_t e = 0; e < space.elements; ++e) {
      body_.store(array, local(held[at(e)]), sum(index_of(address(layout, space, e)), row));
    }
    work_ += space.elements;
  }

  // Values of the last pass, in locals that the carried values' do not overwrite.
  std::vector<std::vector<int>> held_last() {
    std::vector<std::vector<int>> made;
    for (auto value : loop_.last) {
      std::vector<int> copies;
      for (int one : elements(value)) {
        copies.push_back(new_local(type_of(one)));
        body_.assign(copies.back(), local(one));
      }
      made.push_back(std::move(copies));
    }
    return made;
  }

  void end_body() {
    // All at once: what one becomes may be what another one is.
    std::vector<std::pair<int, int>> changes;
    for (std::size_t c = 0; c < loop_.next.size(); ++c) {
      const std::vector<int> next = elements(loop_.next[c]);
      for (std::size_t e = 0; e < next.size(); ++e) {
        if (next[e] != held_[c][e]) changes.emplace_back(held_[c][e], next[e]);
      }
    }
    for (auto& [to, from] : changes) {
      const bool carried =
          std::ranges::any_of(changes, [&](const auto& other) { return other.first == from; });
      if (!carried) continue;
      const int copy = new_local(type_of(from));
      body_.assign(copy, local(from));
      from = copy;
    }
    for (const auto& [to, from] : changes) body_.assign(to, local(from));
  }

  void store_all(std::int32_t output, const OutputType& type, const std::vector<int>& held) {
    const int array =
        array_parameter({.kind = Argument::Kind::output, .which = output}, type.dtype);
    const Space space = space_of(type.shape);
    const Layout layout = contiguous_layout(type.shape);
    for (std::int64_t e = 0; e < space.elements; ++e) {
      after_.store(array, local(held[at(e)]), index_of(address(layout, space, e)));
    }
  }

  Words all_words() const {
    Words words = words_before_statements(false);
    Statements all = before_;
    Words step = {1, static_cast<int>(simt::StmtKind::assign), 0, pass_};
    append(step, sum(local(pass_), integer(1)));
    all.add({static_cast<int>(simt::StmtKind::loop), 0, 0});
    append(all.words, operation(Op::less, Dtype::int64, Dtype::bool_, {local(pass_), local(end_)}));
    append(all.words, body_.list());
    append(all.words, step);
    all.count += after_.count;
    append(all.words, after_.words);
    if (threads_ % block_of(threads_) == 0) {
      append(words, all.list());
      return words;
    }
    // The last block has more threads than there are elements.
    append(words, {1, static_cast<int>(simt::StmtKind::branch), 0});
    append(words,
           operation(Op::less, Dtype::int64, Dtype::bool_, {thread_number(), integer(threads_)}));
    append(words, all.list());
    words.push_back(0);
    return words;
  }

  static constexpr std::int64_t most_reduced = 16;
};

// How many elements along the tail a thread has: on a CPU several, as one alone waits for the
// result of each operation before the next.
std::int64_t elements_each(std::int64_t size, const Device& device) {
  if (!device.host_accessible()) return 1;
  constexpr std::int64_t lanes = 16, hidden = 3, most = 8;
  std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t each = 1; each <= most; ++each) {
    if (size % each != 0) continue;
    const auto cost = (size / each + lanes - 1) / lanes * std::max(hidden, each);
    if (cost < least) {
      best = each;
      least = cost;
    }
  }
  return best;
}

std::optional<LoopProgram> try_to_write(const Loop& loop, const Dims& tail, std::int64_t each) {
  try {
    return Writer(loop, tail, each).run();
  } catch (const Impossible&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<LoopProgram> program_of(const Loop& loop) {
  // The widest of what is carried, or else of what is made, is shared among threads.
  Dims widest;
  const auto widen = [&](const OutputType& type) {
    if (size_of(type.shape) > size_of(widest)) widest = type.shape;
  };
  for (const OutputType& type : loop.carried) widen(type);
  if (loop.carried.empty()) {
    for (auto value : loop.stacked) widen(loop.type_of(value));
  }
  if (size_of(widest) == 0) return std::nullopt;
  for (std::int64_t first = 0; first <= widest.size(); ++first) {
    const Dims tail(widest.begin() + first, widest.end());
    const auto size = size_of(tail);
    const auto each = elements_each(size, *loop.device);
    if (each > 1) {
      if (auto made = try_to_write(loop, tail, each)) return made;
    }
    if (auto made = try_to_write(loop, tail, 1)) return made;
  }
  return std::nullopt;
}

}  // namespace heddle::transform
