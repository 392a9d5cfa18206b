#include "graph/bundle.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/hash.h"
#include "graph/access.h"
#include "graph/cost.h"
#include "graph/cut.h"
#include "graph/graph.h"
#include "graph/node_facts.h"
#include "graph/recompute.h"

namespace heddle::graph {

namespace {

constexpr std::int64_t most_short = 16, least_long = many_rows;  // elements
constexpr std::uint32_t most_work = 4096;  // of nodes that belong together: a few kernels
// Of one kernel: a step of most programs, so that the kernels of all steps are the same.
constexpr std::uint32_t longest = 768;
// As kernels of reductions do it: lanes lie along rows of so many kept elements, and so many are
// added up before sums become pairwise.
constexpr std::int64_t least_neighbours = 8, longest_in_order = 16;

Dims long_axes(const Dims& shape) {
  const auto is_short = short_axes(shape);
  Dims axes;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    if (!(is_short >> d & 1)) axes.push_back(d);
  }
  return axes;
}

Dims extents_along(const Dims& shape, const Dims& axes) {
  Dims extents;
  for (auto axis : axes) extents.push_back(shape[axis]);
  return extents;
}

}  // namespace

std::uint64_t short_axes(const Dims& shape) {
  Dims order(shape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shape[a] < shape[b]; });
  std::uint64_t found = 0;
  std::int64_t product = 1, rest = size_of(shape);
  for (auto axis : order) {
    product *= shape[axis];
    if (rest == 0 || product > most_short || rest / shape[axis] < least_long) break;
    rest /= shape[axis];
    found |= std::uint64_t{1} << axis;
  }
  return found;
}

std::int64_t short_size(const Dims& shape) {
  const auto is_short = short_axes(shape);
  std::int64_t size = 1;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    if (is_short >> d & 1) size *= shape[d];
  }
  return size;
}

std::int64_t reduced_size(const Node& node) {
  const Dims& space = iteration_shape(node);
  std::int64_t size = 1;
  for (std::int64_t d = 0; d < space.size(); ++d) {
    if (node.axes >> d & 1) size *= space[d];
  }
  return size;
}

namespace {

// How many elements a kernel of its own would combine one after the other, for each row.
std::int64_t most_in_order(const Node& node) {
  const Dims& space = iteration_shape(node);
  std::int64_t neighbours = 1;
  for (std::int64_t d = space.size() - 1; d >= 0; --d) {
    if (space[d] != 1 && (node.axes >> d & 1)) break;
    neighbours *= space[d];
  }
  // Lanes lie along the kept axes, and sums are not yet made of parts (GroupMemory::choose_lanes).
  if (neighbours >= least_neighbours) return longest_in_order;
  // Lanes share rows; of two elements there is one sum.
  return node.device().host_accessible() ? short_sum : 2;
}

}  // namespace

bool is_short_reduction(const Node& node) {
  if (node.kind != NodeKind::reduce || node.dtype() == Dtype::bool_) return false;
  if (node.combine != Op::add && node.combine != Op::multiply) return false;
  const Dims& space = iteration_shape(node);
  std::int64_t reduced = 0;
  for (std::int64_t d = 0; d < space.size(); ++d) reduced += node.axes >> d & 1;
  return reduced_size(node) >= 1 && reduced_size(node) <= most_in_order(node) &&
         node.output().size() >= many_rows && node.shape().size() + reduced == space.size();
}

namespace {

class BundleFinder {
 public:
  BundleFinder(const Collected& graph, const Recomputation& recomputation)
      : graph_(graph), recomputation_(recomputation), count_(graph.nodes().size()) {}

  std::vector<Bundle> run() {
    read_.assign(count_, false);
    eligible_.assign(count_, false);
    for (const Node* node : graph_.nodes()) {
      eligible_[index(*node)] = is_eligible(*node) || is_part(*node);
      for (int o = 0; o < node->operand_count; ++o) {
        const Node* made = made_by(node->operands[o]);
        if (made && !reads_anywhere(*node, o)) read_[index(*made)] = true;
      }
    }
    if (std::none_of(graph_.nodes().begin(), graph_.nodes().end(),
                     [&](const Node* node) { return is_wanted(*node); })) {
      return {};
    }
    find_levels();
    join();
    std::vector<std::vector<const Node*>> parts(count_);
    for (const Node* node : graph_.nodes()) {
      if (eligible_[index(*node)]) parts[root(index(*node))].push_back(node);
    }
    for (const auto& part : parts) {
      if (is_worth_it(part)) cut(part);
    }
    return std::move(bundles_);
  }

 private:
  static std::size_t index(const Node& node) { return static_cast<std::size_t>(node.mark); }

  bool is_eligible(const Node& node) const {
    if (!Recomputation::repeatable(node) && !recomputation_.chosen(node) &&
        !is_short_reduction(node)) {
      return false;
    }
    const auto& shape = node.shape();
    return size_of(shape) / std::max<std::int64_t>(short_size(shape), 1) >= least_long;
  }

  // Elements of something that is eligible are written one by one: each is known where it is read.
  bool is_part(const Node& node) const {
    if (!is_plain_update(node) || recomputation_.refused(node)) return false;
    const Node* before = made_by(node.operands[0]);
    const auto box = before && eligible_[index(*before)] ? Box::of(node) : std::nullopt;
    return box && !box->has_gaps();
  }

  // It is memory because computing it wherever it is read would cost too much, or because parts of
  // it are written one by one.
  bool is_wanted(const Node& node) const {
    if (recomputation_.writes(node) || recomputation_.part(node)) {
      return eligible_[index(node)] && read_[index(node)] && graph_.dies(node.output()) &&
             short_size(node.shape()) > 1;
    }
    const auto reason = recomputation_.keeping(node).reason;
    return (reason == Reason::cost || reason == Reason::views || reason == Reason::many) &&
           is_eligible(node) && short_size(node.shape()) > 1;
  }

  // Whether a read goes along the long axes of both element for element. `axis_of`: per dimension
  // of what the reader walks over, which of its long axes that is, or -1.
  bool keeps_long_axes(const Operand& operand, const Dims& space, const Dims& axis_of) const {
    const Dims& shape = operand.value->shape;
    const Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(shape);
    if (operand.dtype != operand.value->dtype || layout.shape != space) return false;
    const auto access = Access::of(layout, shape);
    if (!access || access->space() != shape) return false;
    const Dims axes = long_axes(shape);
    std::int64_t found = 0;
    for (std::int64_t d = 0; d < space.size(); ++d) {
      for (std::int64_t k = 0; k < axes.size(); ++k) {
        const auto step = access->step(d, axes[k]);
        if (step == 0) continue;
        if (step != 1 || axis_of[d] != k || access->start(axes[k]) != 0) return false;
        if (space[d] != shape[axes[k]]) return false;
        ++found;
      }
    }
    return found == axes.size();
  }

  // Whether a bundle of both would have what the node reads in registers.
  bool follows(const Node& node, int o) const {
    const Node* made = made_by(node.operands[o]);
    if (!made || !eligible_[index(node)] || !eligible_[index(*made)]) return false;
    const Dims axes = long_axes(node.shape());
    if (extents_along(node.shape(), axes) !=
        extents_along(made->shape(), long_axes(made->shape()))) {
      return false;
    }
    Dims axis_of(node.shape().size(), -1);
    for (std::int64_t k = 0; k < axes.size(); ++k) axis_of[axes[k]] = k;
    if (node.kind == NodeKind::reduce) {
      const Dims& space = iteration_shape(node);
      Dims walked;
      for (std::int64_t d = 0, kept = 0; d < space.size(); ++d)
        walked.push_back(node.axes >> d & 1 ? -1 : axis_of[kept++]);
      return keeps_long_axes(node.operands[o], space, walked);
    }
    if (node.kind != NodeKind::update || o == 0)
      return keeps_long_axes(node.operands[o], node.shape(), axis_of);
    // What is written is walked over along the axes of the target.
    const auto box = Box::of(node);
    if (!box) return false;
    Dims written(node.target->shape.size(), -1);
    for (std::int64_t axis = 0; axis < node.shape().size(); ++axis) {
      const auto& range = box->ranges()[static_cast<std::size_t>(axis)];
      const bool whole = range.first == 0 && range.step == 1 && range.count == node.shape()[axis];
      if (axis_of[axis] >= 0 && !whole) return false;
      if (range.dim >= 0) written[range.dim] = axis_of[axis];
    }
    return keeps_long_axes(node.operands[o], node.target->shape, written);
  }

  // Nodes that depend on one another by way of something that is no part of a bundle are of
  // different levels. So no bundle needs its own results.
  void find_levels() {
    levels_.assign(count_, 0);
    follows_.assign(count_, 0);
    for (const Node* node : graph_.nodes()) {
      const auto n = index(*node);
      for (int o = 0; o < node->operand_count; ++o) {
        const Node* made = made_by(node->operands[o]);
        if (!made) continue;
        const bool together = follows(*node, o);
        if (together) follows_[n] |= std::uint64_t{1} << o;
        const bool apart = !together && (eligible_[n] || eligible_[index(*made)]);
        levels_[n] = std::max(levels_[n], levels_[index(*made)] + (apart ? 1 : 0));
      }
      if (recomputation_.writes(*node)) put_after_readers(*node);
    }
  }

  // What an update overwrites is read before.
  void put_after_readers(const Node& update) {
    const Value* old = update.operands[0].value.get();
    for (std::size_t n = 0; n < index(update); ++n) {
      const Node& reader = *graph_.nodes()[n];
      for (int o = 0; o < reader.operand_count; ++o) {
        if (reader.operands[o].value.get() != old) continue;
        levels_[index(update)] = std::max(levels_[index(update)], levels_[n] + 1);
      }
    }
  }

  void join() {
    parents_.resize(count_);
    std::iota(parents_.begin(), parents_.end(), 0);
    for (const Node* node : graph_.nodes()) {
      const auto n = index(*node);
      for (int o = 0; o < node->operand_count; ++o) {
        if (!(follows_[n] >> o & 1)) continue;
        const auto made = index(*made_by(node->operands[o]));
        if (levels_[n] == levels_[made]) parents_[root(n)] = root(made);
      }
    }
  }

  std::size_t root(std::size_t n) {
    while (parents_[n] != n) n = parents_[n] = parents_[parents_[n]];
    return n;
  }

  bool is_worth_it(const std::vector<const Node*>& part) {
    std::uint32_t work = 0;
    bool any = false;
    for (const Node* node : part) {
      work += work_of(*node);
      for (int o = 0; o < node->operand_count; ++o) {
        const Node* made = made_by(node->operands[o]);
        any |= made && is_wanted(*made) && (follows_[index(*node)] >> o & 1) &&
               levels_[index(*node)] == levels_[index(*made)];
      }
    }
    return any && work <= most_work;
  }

  static std::uint32_t work_of(const Node& node) {
    const auto each = node.kind == NodeKind::reduce ? static_cast<std::uint32_t>(reduced_size(node))
                                                    : weight_of(node);
    return each * static_cast<std::uint32_t>(short_size(node.shape()));
  }

  // Into as many as kernels should be.
  void cut(const std::vector<const Node*>& part) {
    std::vector<Chained> chain(part.size());
    std::vector<std::uint64_t> looks(part.size());
    std::vector<std::size_t> place(count_, part.size());
    std::uint32_t work = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Node& node = *part[i];
      place[index(node)] = i;
      chain[i].work = work_of(node);
      chain[i].bytes = static_cast<std::int64_t>(bytes_of(node.output()));
      work += chain[i].work;
      looks[i] = mix(static_cast<std::uint64_t>(node.kind), static_cast<std::uint64_t>(node.op));
      for (int o = 0; o < node.operand_count; ++o) {
        const Node* made = made_by(node.operands[o]);
        const bool own = made && place[index(*made)] < i;
        if (own) chain[place[index(*made)]].last_read = i;
        looks[i] = mix(looks[i], own ? i - place[index(*made)] : 0);
      }
    }
    std::vector<std::size_t> begins;
    if (work > longest) begins = steps_of(chain, looks);
    if (work > longest && begins.empty()) {
      for (const Cut& cut : cut_chain(chain, 0, limits().kernel_work_soft, longest))
        begins.push_back(cut.begin);
    }
    auto next = begins.begin();
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool first = next != begins.end() && *next == i;
      if (first) ++next;
      if (i == 0 || first) {
        const Dims& shape = part[i]->shape();
        bundles_.push_back({extents_along(shape, long_axes(shape)), {}});
      }
      bundles_.back().nodes.push_back(part[i]);
    }
  }

  // Where the steps of a program begin that does the same again and again, so that one kernel
  // serves all of them. Nothing where it does not, or where a step is too long for a kernel. The
  // first one may begin otherwise.
  static std::vector<std::size_t> steps_of(const std::vector<Chained>& chain,
                                           const std::vector<std::uint64_t>& looks) {
    constexpr std::size_t shortest = 8;
    constexpr double most = 0.85;
    const auto count = chain.size();
    for (std::size_t length = shortest; 2 * length <= count; ++length) {
      std::size_t alike = 0;
      for (std::size_t i = length; i < count; ++i) alike += looks[i] == looks[i - length];
      if (static_cast<double>(alike) < most * static_cast<double>(count - length)) continue;
      std::uint32_t work = 0;
      for (std::size_t i = 0; i < length; ++i) work += chain[i].work;
      const auto steps = longest / work;  // for each kernel
      std::vector<std::size_t> begins;
      for (auto i = steps * length; steps > 0 && i < count; i += steps * length)
        begins.push_back(i);
      return begins;
    }
    return {};
  }

  const Collected& graph_;
  const Recomputation& recomputation_;
  std::size_t count_;
  std::vector<bool> eligible_;
  std::vector<bool> read_;  // other than by updates of it
  std::vector<std::int32_t> levels_;
  std::vector<std::uint64_t> follows_;  // per node: bit per operand
  std::vector<std::size_t> parents_;    // of sets of nodes that belong together
  std::vector<Bundle> bundles_;
};

}  // namespace

std::vector<Bundle> find_bundles(const Collected& graph, const Recomputation& recomputation) {
  return BundleFinder(graph, recomputation).run();
}

}  // namespace heddle::graph
