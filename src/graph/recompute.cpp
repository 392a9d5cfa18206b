#include "graph/recompute.h"

#include <algorithm>
#include <stdexcept>

#include "graph/cost.h"
#include "graph/graph.h"
#include "graph/node_facts.h"

namespace heddle::graph {

namespace {

constexpr double guard_cost = 4;  // to find out whether an element lies in a box, and to choose

const Node* made_by(const Operand& operand) {
  const Node* node = operand.value ? operand.value->node() : nullptr;
  return node && node->mark >= 0 ? node : nullptr;
}

bool reads_memory(const Node& reader, int o) {
  if (reader.kind == NodeKind::library) return true;
  if (reader.operands[o].dtype != reader.operands[o].value->dtype) return true;
  return reads_anywhere(reader, o);
}

}  // namespace

bool Recomputation::repeatable(const Node& node) {
  if (node.kind == NodeKind::index) return true;
  return node.kind == NodeKind::elementwise && !leaves_marks(node.op);
}

Recomputation::Recomputation(const Collected& graph) {
  const auto count = graph.nodes().size();
  forced_.assign(count, false);
  handed_on_.assign(count, false);
  decide(graph);
}

void Recomputation::store(const Collected& graph, const std::vector<const Node*>& nodes) {
  bool any = false;
  for (const Node* node : nodes) {
    any |= !forced_[index(*node)];
    forced_[index(*node)] = true;
  }
  if (!any) throw std::logic_error("values that are memory are computed again");
  decide(graph);
}

void Recomputation::hand_on(const Collected& graph, const Node& node,
                            const std::vector<const Node*>& sources) {
  handed_on_[index(node)] = true;
  for (const Node* source : sources) forced_[index(*source)] = true;
  decide(graph);
}

void Recomputation::decide(const Collected& graph) {
  const auto count = graph.nodes().size();
  any_ = false;
  views_.assign(count, {});
  for (auto* flags : {&memory_, &chosen_, &covered_, &blank_, &dense_}) {
    flags->assign(count, false);
  }
  reads_.assign(count, 0);
  keeping_.assign(count, {});
  written_.assign(count, Written::none);
  choose_updates(graph);
  find_reads(graph);
  // Operands come first: whether they are memory is known.
  for (const Node* node : graph.nodes()) {
    const auto n = index(*node);
    if (chosen_[n]) reads_[n] = 3;
    if (blank_[n]) reads_[n] |= 1;
    any_ |= chosen_[n] || blank_[n];
    if (views_[n].empty()) continue;
    if (!memory_[n]) keeping_[n] = worth(*node, views_[n], dense_[n]);
    if (handed_on_[n] && keeping_[n].reason == Kept::cost) keeping_[n] = {};
    memory_[n] = keeping_[n].reason != Kept::none;
    if (memory_[n]) continue;
    for (const View& view : views_[n])
      reads_[index(*view.reader)] |= std::uint64_t{1} << view.operand;
    any_ = true;
  }
  if (any_) find_homes(graph);
}

// What computing an operand costs, roughly and at most: down to memory, shared terms each time.
double Recomputation::cost_of(const Operand& operand, double most) const {
  const Node* node = made_by(operand);
  if (!node || !repeatable(*node)) return 1;
  double cost = again_cost(*node);
  for (int o = 0; o < node->operand_count && cost < most; ++o) {
    cost += cost_of(node->operands[o], most - cost);
  }
  return cost;
}

namespace {

// Whether nobody else needs a value, and it may be computed anywhere.
bool is_fresh(const Collected& graph, const Node* base) {
  return base && Recomputation::repeatable(*base) && graph.read_once(base->output());
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

}  // namespace

// Chains of updates whose first one finds nothing that anybody else needs, or leaves nothing of it.
void Recomputation::choose_updates(const Collected& graph) {
  constexpr std::size_t longest = 8, longest_blank = 256;
  std::vector<bool> seen(graph.nodes().size(), false);
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const Node& last = *graph.nodes()[n];
    if (seen[n]) continue;
    if (!is_plain_update(last)) {
      written_[n] = last.kind == NodeKind::update ? Written::kind : Written::none;
      continue;
    }
    std::vector<const Node*> chain;
    std::vector<Box> boxes;
    const Node* node = &last;
    const Operand* before = nullptr;
    bool possible = true, alike = true;
    std::int64_t written = 0;
    double extra = 0;
    for (; node && is_plain_update(*node) && possible; node = made_by(*before)) {
      if (node != &last && !graph.read_once(node->output())) break;
      auto box = Box::of(*node);
      possible = box && !box->has_gaps() && chain.size() < longest_blank;
      if (!possible) {
        written_[n] = chain.size() < longest_blank ? Written::target : Written::many;
        break;
      }
      auto size = size_of(node->target->shape);
      const bool again = !chain.empty() && *chain.back()->target == *node->target;
      if (!again) written += size;
      for (const Box& other : boxes) {
        // Of what is written twice nobody knows how much is left.
        bool apart = false;
        for (std::size_t a = 0; a < other.ranges().size(); ++a) {
          apart |= other.ranges()[a].high() < box->ranges()[a].low() ||
                   other.ranges()[a].low() > box->ranges()[a].high();
        }
        if (!apart && !again) written = -last.output().size();
        alike &= apart;
      }
      alike &= node->target->shape == last.target->shape;
      constexpr double most = 1000;
      const double cost = guard_cost + cost_of(node->operands[1], most);
      extra += cost * (1 - static_cast<double>(size) / static_cast<double>(last.output().size()));
      boxes.push_back(*std::move(box));
      chain.push_back(node);
      before = &node->operands[0];
    }
    if (chain.empty() || !possible) continue;
    const bool covered = written == last.output().size();
    const Node* base = made_by(*before);
    const bool fresh = is_fresh(graph, base);
    // An update that others read, too, of a fresh value, most of which this one changes: what
    // others read of it is computed there.
    const bool second = base && is_plain_update(*base) && graph.dies(base->output()) &&
                        changes_most(last) && is_fresh(graph, made_by(base->operands[0]));
    // Copies of the rest are launches, too, but where the host makes them.
    const bool renewed = !covered && !fresh && !second && !last.device().host_accessible() &&
                         takes_new_memory(graph, *chain.back());
    const double copies = renewed ? 4 : 0;
    // Launches, and memory that need not be written, or written and read.
    const double launches = static_cast<double>(chain.size()) - (covered ? 1 : 0) + copies;
    const double store = store_cost(last.device());
    const double saved =
        launches * launch_cost(last.device()) / static_cast<double>(last.output().size()) +
        (graph.dies(last.output()) ? store : 0) + (covered ? 0 : store / 2);
    // Parts of equal shapes that are written apart are results of one kernel anyway.
    const bool parts = alike && chain.size() > 1 && !graph.dies(last.output());
    if ((covered || fresh || second || renewed) && extra <= saved && chain.size() <= longest &&
        !parts) {
      for (const Node* each : chain) {
        seen[index(*each)] = chosen_[index(*each)] = true;
        covered_[index(*each)] = covered && each == chain.back();
      }
      continue;
    }
    written_[n] = !covered && !fresh && !second && !renewed ? Written::before
                  : chain.size() > longest                  ? Written::many
                  : parts                                   ? Written::parts
                                                            : Written::cost;
    if (covered && fresh) blank_[index(*chain.back())] = true;
    if (chain.size() > longest) {
      for (const Node* each : chain) {
        seen[index(*each)] = true;
        written_[index(*each)] = written_[n];
      }
    }
  }
  // An update that begins with new memory may turn out to be chosen with others after it.
  for (std::size_t n = 0; n < seen.size(); ++n) {
    if (chosen_[n]) blank_[n] = false;
  }
}

void Recomputation::find_reads(const Collected& graph) {
  for (const Node* node : graph.nodes()) {
    const auto n = index(*node);
    if (!repeatable(*node) && !chosen_[n]) {
      keep(n, Kept::once);
    } else if (!graph.dies(node->output())) {
      keep(n, Kept::held);
    } else if (forced_[n]) {
      keep(n, Kept::stored);
    }
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      const Node* made = made_by(operand);
      if (!made) continue;
      const auto m = index(*made);
      if ((chosen_[n] || blank_[n]) && o == 0) continue;  // it follows its operand, or needs none
      if (reads_memory(*node, o)) {
        keep(m, Kept::anywhere);
      } else if (!chosen_[n] && !handed_on_[m] && reads_densely(operand, iteration_shape(*node))) {
        dense_[m] = true;
      } else if (repeatable(*made) || chosen_[m]) {
        views_[m].push_back({node, o});
      }
    }
  }
  // What an update overwrites is read before, by kernels that are known.
  for (const Node* update : graph.nodes()) {
    if (update->kind != NodeKind::update || chosen_[index(*update)] || changes_most(*update))
      continue;
    for (const Node* node : graph.nodes()) {
      if (node == update || chosen_[index(*node)]) continue;
      for (int o = 0; o < node->operand_count; ++o) {
        if (node->operands[o].value != update->operands[0].value) continue;
        if (repeatable(*node)) keep(index(*node), Kept::overwritten);
      }
    }
  }
}

Keeping Recomputation::worth(const Node& node, const std::vector<View>& views, bool dense) const {
  double times = dense ? 1 : 0;
  // Ends and single elements: as long as they are few they are hardly any work.
  double ends = 0, end_elements = 0;
  constexpr double end_share = 1.0 / 64;
  Instances instances(*this);
  std::vector<std::int32_t> seen;
  for (const View& view : views) {
    auto read = instances.add(*view.reader, view.operand);
    if (!read) return {.reason = Kept::views};
    if (read->instance < 0) continue;
    if (std::find(seen.begin(), seen.end(), read->instance) != seen.end()) continue;
    seen.push_back(read->instance);
    // A single element that no kernel has to make first is the same number for the whole kernel.
    const auto size = static_cast<double>(node.output().size());
    const auto elements = static_cast<double>(size_of(iteration_shape(*view.reader)));
    const bool number =
        size == 1 && std::none_of(instances.memory().begin(), instances.memory().end(),
                                  [](const auto& leaf) { return made_by(leaf.source()); });
    if (elements <= end_share * size) {
      ++ends;
      end_elements += elements;
    } else {
      times += number ? 1 : std::max(elements / size, 1.0);
    }
  }
  const auto all = static_cast<double>(node.output().size());
  times += end_elements > end_share * all ? ends : end_elements / all;
  if (seen.empty()) return {};
  // Chains of them would fill kernels, or be too many for one.
  if (instances.all().size() > limits().kernel_work_soft) return {.reason = Kept::views};
  double cost = 0;
  for (const auto& instance : instances.all()) {
    cost += instance.choice >= 0 ? guard_cost : again_cost(*instance.node);
  }
  cost /= static_cast<double>(seen.size());
  const double extra = (times - 1) * cost, store = store_cost(node.device());
  if (extra <= store) return {};
  return {.reason = Kept::cost,
          .places = static_cast<std::int32_t>(seen.size()) + (dense ? 1 : 0),
          .extra = static_cast<float>(extra),
          .store = static_cast<float>(store)};
}

bool Recomputation::followed(const Operand& operand) const {
  const Node* node = made_by(operand);
  if (!node || operand.dtype != operand.value->dtype) return false;
  return !memory_[index(*node)];
}

void Recomputation::find_homes(const Collected& graph) {
  const auto count = graph.nodes().size();
  home_.assign(count, false);
  for (std::size_t n = count; n-- > 0;) {
    const Node& node = *graph.nodes()[n];
    home_[n] = home_[n] || node.kind == NodeKind::library || !graph.dies(node.output());
    if (!home_[n]) continue;
    Instances instances(*this);
    instances.add_all(node);
    for (int o = 0; o < node.operand_count; ++o) {
      const Node* made = made_by(node.operands[o]);
      if (made && !inlined(node, o)) home_[index(*made)] = true;
    }
    for (const auto& leaf : instances.memory()) {
      if (const Node* made = made_by(leaf.source())) home_[index(*made)] = true;
    }
  }
}

std::optional<Instances::Read> Instances::add(const Node& reader, int operand) {
  visited_ = 0;
  return resolve(reader, operand, Access(iteration_shape(reader)), -1);
}

std::optional<Instances::Read> Instances::add(const Node& update) {
  visited_ = 0;
  auto made = instance(update, Access(update.shape()), -1);
  if (made < 0) return {};
  Read read;
  read.instance = made;
  return read;
}

bool Instances::add_all(const Node& node) {
  if (recomputation_.chosen(node)) {
    add(node);
    return true;
  }
  bool any = false;
  for (int o = 0; o < node.operand_count; ++o) {
    if (!recomputation_.inlined(node, o) || (o == 0 && recomputation_.blank(node))) continue;
    add(node, o);
    any = true;
  }
  return any;
}

std::optional<Instances::Read> Instances::resolve(const Node& node, int o, const Access& access,
                                                  std::int32_t guard) {
  const Operand& operand = node.operands[o];
  Read read{.node = &node, .operand = o};
  if (!operand.value) return read;
  if (recomputation_.followed(operand)) {
    const Node& made = *operand.value->node();
    auto place = access.access_of(operand, made.shape());
    return place ? at(node, o, made, *place, guard) : std::nullopt;
  }
  read.layout = access.layout_of(operand);
  if (!read.layout) return {};
  memory_.push_back(read);
  return read;
}

std::optional<Instances::Read> Instances::at(const Node& node, int o, const Node& made,
                                             const Access& access, std::int32_t outer) {
  Read read{.node = &node, .operand = o};
  if (made.kind == NodeKind::update) {
    auto box = access.space() == made.shape() ? Box::of(made) : std::nullopt;
    auto side = box ? box->side(access) : Box::Side::both;
    if (box && side == Box::Side::outside) {
      passed_.push_back(&made);
      return resolve(made, 0, access, outer);
    }
    if (box && side == Box::Side::inside && made.operands[1].dtype == made.dtype()) {
      auto inside = box->enter(access);
      if (!inside) return {};
      passed_.push_back(&made);
      return resolve(made, 1, *inside, outer);
    }
  }
  read.instance = instance(made, access, outer);
  if (read.instance < 0) return {};
  return read;
}

std::int32_t Instances::instance(const Node& node, const Access& access, std::int32_t outer) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].node == &node && all_[i].guard == outer && all_[i].access == access) {
      return static_cast<std::int32_t>(i);
    }
  }
  constexpr std::int32_t most = 1024;
  if (++visited_ > most) return -1;
  if (node.kind == NodeKind::index && access.space() != node.shape()) return -1;
  Instance made{&node, access, outer, {}};
  if (node.kind == NodeKind::update) {
    auto box = access.space() == node.shape() ? Box::of(node) : std::nullopt;
    auto inside = box ? box->enter(access) : std::nullopt;
    if (!inside) return -1;
    // What was there before the same elements were written for the first time.
    const Node* first = &node;
    for (const Node* next = made_by(first->operands[0]);
         next && recomputation_.chosen(*next) && recomputation_.followed(first->operands[0]) &&
         *next->target == *node.target;
         next = made_by(first->operands[0])) {
      passed_.push_back(next);
      first = next;
    }
    Read before{.node = first, .operand = 0, .nothing = recomputation_.covered(*first)};
    if (!before.nothing) {
      auto found = resolve(*first, 0, access, outer);
      if (!found) return -1;
      before = *std::move(found);
    }
    made.choice = guard(outer, access, *box);
    auto value = resolve(node, 1, *inside, made.choice);
    if (!value) return -1;
    made.reads = {std::move(before), *std::move(value)};
  } else {
    for (int o = 0; o < node.operand_count; ++o) {
      auto read = resolve(node, o, access, outer);
      if (!read) return -1;
      made.reads.push_back(*std::move(read));
    }
  }
  all_.push_back(std::move(made));
  return static_cast<std::int32_t>(all_.size()) - 1;
}

std::int32_t Instances::guard(std::int32_t outer, const Access& access, const Box& box) {
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const Guard& known = guards_[i];
    if (known.outer == outer && known.access == access && known.box == box) {
      return static_cast<std::int32_t>(i);
    }
  }
  guards_.push_back({outer, access, box});
  return static_cast<std::int32_t>(guards_.size()) - 1;
}

}  // namespace heddle::graph
