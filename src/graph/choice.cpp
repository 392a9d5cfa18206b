#include "graph/choice.h"

#include <algorithm>

#include "graph/access.h"
#include "graph/cost.h"
#include "graph/node_facts.h"
#include "graph/recompute.h"

namespace heddle::graph {

namespace {

std::size_t index(const Node& node) { return static_cast<std::size_t>(node.mark); }

// What the values cost that updates write, down to memory. What several of them are made of is
// computed once, in one kernel, so each has its share of it.
class WrittenCosts {
 public:
  explicit WrittenCosts(const Collected& graph)
      : made_of_(graph.nodes().size()), shares_(graph.nodes().size(), 0) {
    std::vector<std::size_t> seen(graph.nodes().size(), 0);
    std::size_t number = 0;
    for (const Node* update : graph.nodes()) {
      if (!is_plain_update(*update)) continue;
      ++number;
      std::vector<const Node*>& found = made_of_[index(*update)];
      auto add = [&](const Operand& operand) {
        const Node* node = made_by(operand);
        if (!node || !Recomputation::repeatable(*node) || seen[index(*node)] == number) return;
        seen[index(*node)] = number;
        ++shares_[index(*node)];
        found.push_back(node);
      };
      add(update->operands[1]);
      for (std::size_t i = 0; i < found.size() && found.size() < most; ++i) {
        for (int o = 0; o < found[i]->operand_count; ++o) add(found[i]->operands[o]);
      }
    }
  }

  double of(const Node& update) const {
    double cost = 1;
    for (const Node* node : made_of_[index(update)])
      cost += again_cost(*node) / shares_[index(*node)];
    return cost;
  }

 private:
  static constexpr std::size_t most = 1024;        // nodes that a value is made of
  std::vector<std::vector<const Node*>> made_of_;  // per update
  std::vector<double> shares_;                     // per node: updates that it is part of
};

// Whether nobody else needs a value, and it may be computed anywhere.
bool is_fresh(const Collected& graph, const Node* base) {
  return base && Recomputation::repeatable(*base) && graph.read_once(base->output());
}

// How often a value that nobody keeps is computed where it is read in several places: once for each
// of them. Ends of it count for as much as they are.
double times_computed(const Collected& graph, const Value& value) {
  if (!graph.dies(value) || graph.reads(value) < 2) return 1;
  std::vector<const Layout*> places;  // null for all of it
  double times = 0;
  for (const Node* node : graph.nodes()) {
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      if (operand.value.get() != &value) continue;
      const Layout* layout = operand.layout ? &*operand.layout : nullptr;
      auto same = [&](const Layout* other) {
        return other && layout ? *other == *layout : other == layout;
      };
      if (std::ranges::any_of(places, same)) continue;
      places.push_back(layout);
      times += layout ? static_cast<double>(size_of(layout->shape)) /
                            static_cast<double>(std::max<std::int64_t>(value.size(), 1))
                      : 1;
    }
  }
  return std::max(times, 1.0);
}

// Whether an update of memory will write to new memory, and the rest has to be copied there: it
// changes most of it, and elements are read elsewhere than they are written, or others hold it.
bool takes_new_memory(const Collected& graph, const Node& update) {
  if (!changes_most(update)) return false;
  const Value& old = *update.operands[0].value;
  if (!graph.dies(old)) return true;
  for (const Node* node : graph.nodes()) {
    for (int o = 0; o < node->operand_count; ++o) {
      if (node->operands[o].value.get() != &old || node->kind == NodeKind::library) continue;
      if (reads_anywhere(*node, o)) continue;
      if (overlap_with(update, node->operands[o]) == Overlap::overlap) return true;
    }
  }
  return false;
}

// What an element has of the cost of its row, if some elements of a row are written to and others
// are not: without that, rows of memory are one long row, and short ones, as of points in space,
// are no longer than a vector.
double row_cost(const Node& update, const Box& box) {
  const Shape& shape = update.output().shape;
  if (shape.empty() || !update.device().host_accessible()) return 0;
  const std::int64_t row = shape.back();
  const auto& last = box.ranges().back();
  return last.low() > 0 || last.high() < row - 1 ? host_row_cost / static_cast<double>(row) : 0;
}

class Chooser {
 public:
  Chooser(const Collected& graph, const std::vector<bool>& given)
      : graph_(graph), result_(graph.nodes().size()), costs_(graph), seen_(given) {
    result_.chosen = given;
    heights_.assign(graph.nodes().size(), 0);
    for (const Node* node : graph.nodes()) {
      if (!is_plain_update(*node)) continue;
      const Node* before = made_by(node->operands[0]);
      heights_[index(*node)] = 1 + (before ? heights_[index(*before)] : 0);
    }
    for (std::size_t n = heights_.size(); n-- > 0;) {
      const Node* before = heights_[n] > 0 ? made_by(graph.nodes()[n]->operands[0]) : nullptr;
      if (before && is_plain_update(*before))
        heights_[index(*before)] = std::max(heights_[index(*before)], heights_[n]);
    }
  }

  Choices run() {
    for (std::size_t n = graph_.nodes().size(); n-- > 0;) choose(*graph_.nodes()[n]);
    // An update that begins with new memory may turn out to be chosen with others after it.
    for (std::size_t n = 0; n < seen_.size(); ++n) {
      if (result_.chosen[n]) result_.blank[n] = false;
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t longest = 8, longest_blank = 256;

  // Updates one upon another, the last one first.
  struct Chain {
    std::vector<const Node*> nodes;
    std::vector<Box> boxes;
    bool alike = true;         // parts of one shape, apart from one another
    std::int64_t written = 0;  // elements; negative where nobody knows
    // What it costs to choose, to compute what is not chosen, and both in one place more.
    double chosen = 0, made = 0, once = 0;
    double rows = 0;  // to walk over rows, as there are elements of one that are told apart
  };

  // Chains of updates whose first one finds nothing that anybody else needs, or leaves nothing of
  // it.
  void choose(const Node& last) {
    const auto n = index(last);
    if (seen_[n]) return;
    if (!is_plain_update(last)) {
      if (last.kind == NodeKind::update) result_.written[n] = Written::kind;
      return;
    }
    Chain chain;
    for (const Node* node = &last; node && is_plain_update(*node);
         node = made_by(node->operands[0])) {
      if (node != &last && !graph_.read_once(node->output())) break;
      if (!add(chain, *node)) {
        const bool many = chain.nodes.size() >= longest_blank;
        result_.written[n] = many ? Written::many : Written::target;
        // Those further down are no shorter for it: looking at each anew would take for ever.
        if (many) {
          for (const Node* each : chain.nodes) write(*each, Written::many);
        }
        return;
      }
    }
    const Node& first = *chain.nodes.back();
    const bool covered = chain.written == last.output().size();
    const Node* base = made_by(first.operands[0]);
    const bool fresh = is_fresh(graph_, base);
    const bool second = !fresh && !covered && is_upon_chosen(last, base);
    // Copies of the rest are launches, too, but where the host makes them.
    const bool renewed = !covered && !fresh && !second && !last.device().host_accessible() &&
                         takes_new_memory(graph_, first);
    const double copies = renewed ? 4 : 0;
    // Launches, and memory that need not be written, or written and read.
    const auto count = chain.nodes.size();
    const double launches = static_cast<double>(count) - (covered ? 1 : 0) + copies;
    const double store = store_cost(last.device());
    const double saved =
        launches * launch_cost(last.device()) / static_cast<double>(last.output().size()) +
        (covered ? 0 : store / 2);
    // It is no memory where everybody who reads it computes it anew. One more place has loops, and
    // some of what is read, from the others: half of the costs, as measured for windows along rows
    // and columns, but all of what nobody chooses.
    const double first_place = chain.chosen + chain.made + chain.rows;
    const double further =
        std::max(chain.made, (chain.once - (covered ? guard_cost : 0)) / 2) + chain.rows;
    const bool pays =
        first_place <= saved ||
        (graph_.dies(last.output()) && first_place <= saved + store &&
         first_place + (times_computed(graph_, last.output()) - 1) * further <= saved + store);
    // Parts of equal shapes that are written apart are results of one kernel anyway.
    const bool parts = chain.alike && count > 1 && !graph_.dies(last.output());
    if ((covered || fresh || second || renewed) && pays && count <= longest && !parts) {
      for (const Node* each : chain.nodes) {
        seen_[index(*each)] = result_.chosen[index(*each)] = true;
        result_.covered[index(*each)] = covered && each == &first;
      }
      return;
    }
    result_.written[n] = !covered && !fresh && !second && !renewed ? Written::before
                         : count > longest                         ? Written::many
                         : parts                                   ? Written::parts
                                                                   : Written::cost;
    // All that is written is written once, into new memory: the first of them is no better chosen.
    const bool blank = covered && fresh;
    if (blank) result_.blank[index(first)] = true;
    if (count > longest || blank) {
      for (const Node* each : chain.nodes) write(*each, result_.written[n]);
    }
  }

  void write(const Node& update, Written why) {
    seen_[index(update)] = true;
    result_.written[index(update)] = why;
  }

  // False where an update is none that could be chosen.
  bool add(Chain& chain, const Node& node) const {
    auto box = Box::of(node);
    if (!box || box->has_gaps() || chain.nodes.size() >= longest_blank) return false;
    const Node& last = chain.nodes.empty() ? node : *chain.nodes[0];
    const auto size = size_of(node.target->shape), all = last.output().size();
    const bool again = !chain.nodes.empty() && *chain.nodes.back()->target == *node.target;
    if (!again) chain.written += size;
    for (const Box& other : chain.boxes) {
      // Of what is written twice nobody knows how much is left.
      bool apart = false;
      for (std::size_t a = 0; a < other.ranges().size(); ++a) {
        apart |= other.ranges()[a].high() < box->ranges()[a].low() ||
                 other.ranges()[a].low() > box->ranges()[a].high();
      }
      if (!apart && !again) chain.written = -all;
      chain.alike &= apart;
    }
    chain.alike &= node.target->shape == last.target->shape;
    const double elsewhere = 1 - static_cast<double>(size) / static_cast<double>(all);
    const double cost = costs_.of(node);
    chain.chosen += guard_cost * elsewhere;
    if (size > 1) chain.made += cost * elsewhere;  // one is the same for all elements
    chain.once += guard_cost + cost;
    chain.rows = std::max(chain.rows, row_cost(node, *box));
    chain.boxes.push_back(*std::move(box));
    chain.nodes.push_back(&node);
    return true;
  }

  // An update that others read, too, of a fresh value, or of one that is chosen: what others read
  // of it is computed there.
  bool is_upon_chosen(const Node& last, const Node* base) {
    if (!base || !is_plain_update(*base) || !graph_.dies(base->output())) return false;
    if (changes_most(last) && is_fresh(graph_, made_by(base->operands[0]))) return true;
    if (!graph_.dies(last.output()) || heights_[index(last)] > longest) return false;
    choose(*base);
    return result_.chosen[index(*base)];
  }

  const Collected& graph_;
  Choices result_;
  WrittenCosts costs_;
  std::vector<bool> seen_;
  std::vector<std::size_t> heights_;  // per update: of all that are one upon another, with it
};

}  // namespace

Choices choose_updates(const Collected& graph, const std::vector<bool>& given) {
  if (graph.updates() == 0) return Choices(graph.nodes().size());
  return Chooser(graph, given).run();
}

}  // namespace heddle::graph
