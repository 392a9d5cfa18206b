#include "graph/recompute.h"

#include <algorithm>
#include <stdexcept>

#include "graph/cost.h"
#include "graph/graph.h"
#include "graph/node_facts.h"

namespace heddle::graph {

namespace {

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
  parts_.assign(count, false);
  refused_.assign(count, false);
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

void Recomputation::hand_on(const Collected& graph, const std::vector<HandedOn>& values) {
  for (const auto& [node, sources] : values) {
    handed_on_[index(*node)] = true;
    for (const Node* source : sources) forced_[index(*source)] = true;
  }
  decide(graph);
}

void Recomputation::decide(const Collected& graph) {
  const auto count = graph.nodes().size();
  any_ = false;
  views_.assign(count, {});
  memory_.assign(count, false);
  dense_.assign(count, false);
  reads_.assign(count, 0);
  keeping_.assign(count, {});
  bundles_.clear();
  bundle_.assign(count, -1);
  choices_ = choose_updates(graph, parts_);
  find_reads(graph);
  find_anchored(graph);
  // Operands come first: whether they are memory is known.
  for (const Node* node : graph.nodes()) {
    const auto n = index(*node);
    if (choices_.chosen[n]) reads_[n] = 3;
    if (choices_.blank[n]) reads_[n] |= 1;
    any_ |= choices_.chosen[n] || choices_.blank[n];
    if (views_[n].empty()) continue;
    if (!memory_[n]) keeping_[n] = worth(*node, views_[n], dense_[n]);
    if (handed_on_[n] && keeping_[n].reason == Reason::cost) keeping_[n] = {};
    memory_[n] = keeping_[n].reason != Reason::none;
    if (memory_[n]) continue;
    for (const View& view : views_[n])
      reads_[index(*view.reader)] |= std::uint64_t{1} << view.operand;
    any_ = true;
  }
  if (!bundle_nodes(graph)) return decide(graph);
  const Node* stuck = any_ ? find_homes(graph) : nullptr;
  if (!stuck) return;
  forced_[index(middle_of(graph, *stuck))] = true;
  decide(graph);
}

bool Recomputation::bundle_nodes(const Collected& graph) {
  bundles_ = find_bundles(graph, *this);
  if (bundles_.empty()) return refuse_parts();
  bool known = true;
  for (const Bundle& bundle : bundles_) {
    for (const Node* node : bundle.nodes) {
      if (!writes(*node)) continue;
      known = false;
      parts_[index(*node)] = true;
    }
  }
  if (!known) return false;
  const auto any = any_;
  const auto memory = memory_;
  const auto reads = reads_;
  const auto keeping = keeping_;
  auto take = [&] {
    any_ = any || !bundles_.empty();
    memory_ = memory;
    reads_ = reads;
    keeping_ = keeping;
    bundle_.assign(bundle_.size(), -1);
    for (std::size_t b = 0; b < bundles_.size(); ++b) {
      for (const Node* node : bundles_[b].nodes) {
        const auto n = index(*node);
        bundle_[n] = static_cast<std::int32_t>(b);
        reads_[n] = (std::uint64_t{1} << node->operand_count) - 1;
        memory_[n] = true;
        keeping_[n].reason = Reason::bundled;
      }
    }
  };
  // One that turns out not to be possible is none.
  for (;;) {
    take();
    auto impossible = std::find_if(bundles_.begin(), bundles_.end(), [&](const Bundle& bundle) {
      return !Instances(*this, static_cast<std::int32_t>(&bundle - bundles_.data())).add_bundle();
    });
    if (impossible == bundles_.end()) return refuse_parts();
    bundles_.erase(impossible);
  }
}

bool Recomputation::refuse_parts() {
  bool all = true;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    if (!parts_[n] || bundle_[n] >= 0) continue;
    parts_[n] = false;
    refused_[n] = true;
    all = false;
  }
  return all;
}

void Recomputation::find_reads(const Collected& graph) {
  for (const Node* node : graph.nodes()) {
    const auto n = index(*node);
    if (!repeatable(*node) && !choices_.chosen[n]) {
      keep(n, Reason::once);
    } else if (!graph.dies(node->output())) {
      keep(n, Reason::held);
    } else if (forced_[n]) {
      keep(n, Reason::stored);
    }
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      const Node* made = made_by(operand);
      if (!made) continue;
      const auto m = index(*made);
      if ((choices_.chosen[n] || choices_.blank[n]) && o == 0)
        continue;  // it follows its operand, or needs none
      if (reads_memory(*node, o)) {
        keep(m, Reason::anywhere);
      } else if (!choices_.chosen[n] && !handed_on_[m] &&
                 reads_densely(operand, iteration_shape(*node))) {
        dense_[m] = true;
      } else if (repeatable(*made) || choices_.chosen[m]) {
        views_[m].push_back({node, o});
      }
    }
  }
  // What an update overwrites is read before, by kernels that are known.
  for (const Node* update : graph.nodes()) {
    if (update->kind != NodeKind::update || choices_.chosen[index(*update)] ||
        changes_most(*update))
      continue;
    for (const Node* node : graph.nodes()) {
      if (node == update || choices_.chosen[index(*node)]) continue;
      for (int o = 0; o < node->operand_count; ++o) {
        if (node->operands[o].value != update->operands[0].value) continue;
        if (repeatable(*node)) keep(index(*node), Reason::overwritten);
      }
    }
    // Else it would need a copy of all that it leaves as it is.
    const Node* written = made_by(update->operands[1]);
    if (written && moves_what_it_overwrites(*update)) keep(index(*written), Reason::overwritten);
  }
}

bool Recomputation::moves_what_it_overwrites(const Node& update) const {
  constexpr std::size_t most = 64;  // nodes on the way
  const Value* old = update.operands[0].value.get();
  struct Reached {
    const Node* reader;
    int operand;
    bool moved;  // read elsewhere than it is written
  };
  std::vector<Reached> reached{{&update, 1, false}};
  for (std::size_t i = 0; i < reached.size() && i < most; ++i) {
    const auto [reader, o, moved] = reached[i];
    const Operand& operand = reader->operands[o];
    if (operand.value.get() == old && moved) return true;
    const Node* made = made_by(operand);
    if (!made || memory_[index(*made)]) continue;
    const bool chosen = choices_.chosen[index(*made)];
    const bool further = moved || chosen || !reads_densely(operand, iteration_shape(*reader));
    for (int next = 0; next < made->operand_count; ++next) {
      if (made->operands[next].value) reached.push_back({made, next, further});
    }
  }
  return false;
}

void Recomputation::find_anchored(const Collected& graph) {
  anchored_ = memory_;
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const Node& node = *graph.nodes()[n];
    if (!anchored_[n]) continue;
    for (int o = 0; o < node.operand_count; ++o) {
      const Node* made = made_by(node.operands[o]);
      if (!made) continue;
      const bool dense =
          choices_.chosen[n] || reads_densely(node.operands[o], iteration_shape(node));
      if (dense) anchored_[index(*made)] = true;
    }
  }
}

Keeping Recomputation::worth(const Node& node, const std::vector<View>& views, bool dense) const {
  double times = dense ? 1 : 0;
  // Ends and single elements: as long as they are few they are hardly any work.
  double ends = 0, end_elements = 0;
  constexpr double end_share = 1.0 / 64;
  // Levels of columns, say: each is computed for itself.
  constexpr double few_share = 1.0 / 8;
  std::size_t parts = 0;
  Instances instances(*this);
  std::vector<std::int32_t> seen;
  for (const View& view : views) {
    auto read = instances.add(*view.reader, view.operand);
    if (!read) return {.reason = Reason::views};
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
      const double share = elements / size;
      times += number || (share > few_share && share < 1) ? 1 : share;
      parts += share <= few_share ? 1 : 0;
    }
  }
  const auto all = static_cast<double>(node.output().size());
  times += end_elements > end_share * all ? ends : end_elements / all;
  if (seen.empty()) return {};
  // Chains of them would fill kernels, or be too many for one.
  if (instances.all().size() > limits().kernel_work_soft * std::max<std::size_t>(parts, 1))
    return {.reason = Reason::many};
  double cost = 0;
  for (const auto& instance : instances.all()) {
    cost += instance.choice >= 0 ? guard_cost : again_cost(*instance.node);
  }
  cost /= static_cast<double>(seen.size());
  // What it is made of and others need is computed for them in any case, in another kernel.
  double shared = 0;
  std::vector<const Node*> counted;
  for (const auto& instance : instances.all()) {
    const Node* made = instance.node;
    if (made == &node || !anchored_[index(*made)] || instance.choice >= 0) continue;
    if (std::find(counted.begin(), counted.end(), made) != counted.end()) continue;
    counted.push_back(made);
    shared += again_cost(*made);
  }
  const double extra = (times - 1) * cost + (dense ? 0 : shared);
  const double store = store_cost(node.device());
  if (extra <= store) return {};
  return {.reason = Reason::cost,
          .places = static_cast<std::int32_t>(seen.size()) + (dense ? 1 : 0),
          .extra = static_cast<float>(extra),
          .store = static_cast<float>(store)};
}

bool Recomputation::followed(const Operand& operand, std::int32_t bundle) const {
  const Node* node = made_by(operand);
  if (!node || operand.dtype != operand.value->dtype) return false;
  const auto own = bundle_[index(*node)];
  return own >= 0 ? own == bundle : !memory_[index(*node)];
}

const Node& Recomputation::middle_of(const Collected& graph, const Node& home) const {
  std::vector<bool> reached(graph.nodes().size(), false);
  reached[index(home)] = true;
  std::vector<const Node*> way;
  for (std::size_t n = index(home) + 1; n-- > 0;) {
    const Node& node = *graph.nodes()[n];
    if (!reached[n]) continue;
    for (int o = 0; o < node.operand_count; ++o) {
      const Node* made = followed(node.operands[o], -1) ? made_by(node.operands[o]) : nullptr;
      if (!made || reached[index(*made)]) continue;
      reached[index(*made)] = true;
      if (!forced_[index(*made)]) way.push_back(made);
    }
  }
  if (way.empty()) throw std::logic_error("a value that cannot be computed where it is read");
  std::sort(way.begin(), way.end(), [](const Node* a, const Node* b) { return a->mark < b->mark; });
  return *way[way.size() / 2];
}

const Node* Recomputation::find_homes(const Collected& graph) {
  const auto count = graph.nodes().size();
  home_.assign(count, false);
  std::vector<bool> seen(bundles_.size(), false);
  for (std::size_t n = count; n-- > 0;) {
    const Node& node = *graph.nodes()[n];
    const auto bundle = bundle_[n];
    home_[n] =
        home_[n] || node.kind == NodeKind::library || !graph.dies(node.output()) || bundle >= 0;
    if (!home_[n]) continue;
    Instances instances(*this, bundle);
    if (bundle < 0) {
      instances.add_all(node);
    } else {
      if (seen[static_cast<std::size_t>(bundle)]) continue;
      seen[static_cast<std::size_t>(bundle)] = true;
      instances.add_bundle();
    }
    if (instances.failed()) return &node;
    for (int o = 0; o < node.operand_count; ++o) {
      const Node* made = made_by(node.operands[o]);
      if (made && !inlined(node, o)) home_[index(*made)] = true;
    }
    for (const auto& leaf : instances.memory()) {
      if (const Node* made = made_by(leaf.source())) home_[index(*made)] = true;
    }
  }
  return nullptr;
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
    failed_ |= !add(node);
    return true;
  }
  bool any = false;
  for (int o = 0; o < node.operand_count; ++o) {
    if (!recomputation_.inlined(node, o) || (o == 0 && recomputation_.blank(node))) continue;
    failed_ |= !add(node, o);
    any = true;
  }
  return any;
}

std::optional<Instances::Read> Instances::add_place(const Node& node, std::int64_t place) {
  visited_ = 0;
  return at(node, 0, node, Access::at(node.shape(), short_axes(node.shape()), place), -1);
}

bool Instances::add_bundle() {
  for (const Node* node : recomputation_.bundles()[static_cast<std::size_t>(bundle_)].nodes) {
    for (std::int64_t place = 0; place < short_size(node->shape()); ++place) {
      if (!add_place(*node, place)) return false;
    }
  }
  return true;
}

std::optional<Instances::Read> Instances::resolve(const Node& node, int o, const Access& access,
                                                  std::int32_t guard) {
  const Operand& operand = node.operands[o];
  Read read{.node = &node, .operand = o};
  if (!operand.value) return read;
  if (recomputation_.followed(operand, bundle_)) {
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
  if (is_needless(outer, access)) outer = -1;
  if (made.kind == NodeKind::update) {
    auto box = access.space() == made.shape() ? Box::of(made) : std::nullopt;
    auto side = box ? side_of(*box, access, outer) : Box::Side::both;
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
    if (all_[i].node == &node && all_[i].access == access && implies(outer, all_[i].guard)) {
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
         next && recomputation_.chosen(*next) &&
         recomputation_.followed(first->operands[0], bundle_) && *next->target == *node.target;
         next = made_by(first->operands[0])) {
      passed_.push_back(next);
      first = next;
    }
    made.choice = guard(outer, access, *box);
    auto value = resolve(node, 1, *inside, made.choice);
    if (!value) return -1;
    Read before{.node = first, .operand = 0, .nothing = recomputation_.covered(*first)};
    if (!before.nothing) {
      auto found = resolve(*first, 0, access, outer);
      if (!found) return -1;
      before = *std::move(found);
    }
    made.reads = {std::move(before), *std::move(value)};
  } else if (node.kind == NodeKind::reduce) {
    for (std::int64_t place = 0; place < reduced_size(node); ++place) {
      auto read = resolve(node, 0, access.along(iteration_shape(node), node.axes, place), outer);
      if (!read) return -1;
      made.reads.push_back(*std::move(read));
    }
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
  Guard made{outer, access, box};
  if (auto part = part_of(outer, access, box)) {
    made = {-1, Access(access.domain()), *std::move(part)};
  }
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    if (guards_[i] == made) return static_cast<std::int32_t>(i);
  }
  guards_.push_back(std::move(made));
  return static_cast<std::int32_t>(guards_.size()) - 1;
}

bool Instances::implies(std::int32_t guard, std::int32_t other) const {
  if (guard == other || other < 0) return true;
  if (guard < 0) return false;
  const Guard &inner = guards_[static_cast<std::size_t>(guard)],
              &outer = guards_[static_cast<std::size_t>(other)];
  return inner.outer < 0 && outer.outer < 0 && inner.access == outer.access &&
         outer.box.contains(inner.box);
}

bool Instances::is_needless(std::int32_t guard, const Access& access) const {
  if (guard < 0) return false;
  for (std::int64_t axis = 0; axis < access.space().size(); ++axis) {
    const auto [low, high] = access.reach(axis);
    if (low < 0 || high >= access.space()[axis]) return false;
  }
  constexpr double most = 0.875;
  const Guard& known = guards_[static_cast<std::size_t>(guard)];
  if (known.outer >= 0 || known.access != Access(access.domain())) return false;
  double share = 1;
  for (std::int64_t axis = 0; axis < access.domain().size(); ++axis) {
    share *= static_cast<double>(known.box.ranges()[static_cast<std::size_t>(axis)].count) /
             static_cast<double>(access.domain()[axis]);
  }
  return share >= most;
}

std::optional<Box> Instances::part_of(std::int32_t outer, const Access& access,
                                      const Box& box) const {
  if (outer < 0) return box.reached_from(access, Box::all_of(access.domain()));
  const Guard& before = guards_[static_cast<std::size_t>(outer)];
  if (before.outer >= 0 || before.access != Access(access.domain())) return {};
  return box.reached_from(access, before.box);
}

Box::Side Instances::side_of(const Box& box, const Access& access, std::int32_t outer) const {
  const auto side = box.side(access);
  if (side != Box::Side::both || outer < 0) return side;
  const auto part = part_of(outer, access, box);
  const bool inside = part && *part == guards_[static_cast<std::size_t>(outer)].box;
  return inside ? Box::Side::inside : Box::Side::both;
}

}  // namespace heddle::graph
