#include "graph/group_memory.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "graph/cost.h"
#include "graph/node_facts.h"
#include "kernel/schedule.h"

namespace heddle::graph {

namespace {

using kernel::Kernel;
using kernel::Lanes;
using kernel::no_arg;
using kernel::Slot;
using kernel::Stride;

constexpr std::int64_t split_extent = 32 * 1024;   // reduced elements worth splitting
constexpr std::int64_t split_rows = 8;             // kept elements at most for a split
constexpr std::int64_t short_row = 16;             // reduced elements that a lane does alone,
constexpr std::size_t smallest_donation = 4096;    // bytes: below, the pool is as good
constexpr std::int64_t streamed_bytes = 32 << 20;  // read and written: more than caches keep

}  // namespace

Dims GroupMemory::dense_strides(bool row) const {
  if (!row) return normalized(contiguous_strides(group_.domain));
  Dims strides(ndim_, 0);
  auto kept = contiguous_strides(kept_shape(group_));
  for (std::int64_t d = 0, k = 0; d < ndim_; ++d) {
    if (!reduced(d)) strides[d] = kept[k++];
  }
  return normalized(strides);
}

Dims GroupMemory::normalized(Dims strides) const {
  for (std::int64_t d = 0; d < ndim_; ++d) {
    if (group_.domain[d] == 1) strides[d] = 0;
  }
  return strides;
}

Dims GroupMemory::operand_strides(const PlannedNode& node, const Layout* layout) const {
  NodeKind kind = node.node->kind;
  bool on_kept = node.row && kind != NodeKind::reduce && kind != NodeKind::argreduce;
  if (!layout) return dense_strides(on_kept);
  if (!on_kept) {
    if (layout->shape == group_.domain) return normalized(layout->strides);
    // The group's shape was free: dense, or one element.
    bool single = true;  // strides of extent 1 say nothing
    for (std::int64_t d = 0; d < layout->ndim(); ++d) {
      single &= layout->strides[d] == 0 || layout->shape[d] == 1;
    }
    return single ? Dims(ndim_, 0) : dense_strides(false);
  }
  // A node on the kept axes may have dimensions of extent 1 more or less than the domain has.
  Dims strides(ndim_, 0);
  std::int64_t from = 0;
  for (std::int64_t d = 0; d < ndim_; ++d) {
    if (reduced(d) || group_.domain[d] == 1) continue;
    while (layout->shape[from] == 1) ++from;
    strides[d] = layout->strides[from++];
  }
  return strides;
}

std::uint16_t GroupMemory::add_slot(RawSlot slot) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const RawSlot& other = slots_[i];
    if (!slot.written && !other.written && !slot.scratch && !other.scratch &&
        other.value == slot.value && other.offset == slot.offset && other.dtype == slot.dtype &&
        other.strides == slot.strides) {
      result_.by_offsets |= other.source.offset != slot.source.offset;
      return static_cast<std::uint16_t>(i);
    }
  }
  slots_.push_back(std::move(slot));
  return static_cast<std::uint16_t>(slots_.size() - 1);
}

std::uint16_t GroupMemory::read_slot(const PlannedNode& node, int o) {
  const Operand& operand = node.node->operands[o];
  RawSlot slot;
  slot.value = operand.value.get();
  slot.source.node = node.node->mark;
  slot.source.operand = o;
  if (operand.layout) slot.offset = operand.layout->offset;
  if (reads_beside(operand)) {
    const Node& first = plan_.first_update(operand);
    slot.value = first.operands[0].value.get();
    slot.source.node = first.mark;
    slot.source.operand = 0;
    slot.source.offset = slot.offset;
    slot.source.composed = true;
  }
  slot.dtype = operand.dtype;
  slot.strides = operand_strides(node, operand.layout.get());
  return add_slot(std::move(slot));
}

GroupMemory::Read GroupMemory::read_of(const Instances::Read& read) {
  Read made{.node = read.node, .operand = read.operand, .nothing = read.nothing};
  if (read.instance >= 0) {
    made.member = static_cast<std::int32_t>(group_.nodes.size()) + read.instance;
  } else if (read.layout) {
    const Operand& operand = read.node->operands[read.operand];
    RawSlot slot;
    slot.value = operand.value.get();
    slot.source.node = read.node->mark;
    slot.source.operand = read.operand;
    slot.offset = read.layout->offset;
    slot.source.offset = slot.offset - (operand.layout ? operand.layout->offset : 0);
    slot.source.composed = true;
    slot.dtype = operand.dtype;
    slot.strides = normalized(read.layout->strides);
    made.slot = add_slot(std::move(slot));
  }
  return made;
}

void GroupMemory::collect_slots() {
  positions_.assign(plan_.nodes.size(), -1);
  const auto count = group_.nodes.size();
  reads_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PlannedNode& node = planned(group_.nodes[i]);
    positions_[group_.nodes[i]] = static_cast<std::int32_t>(i);
    if (group_.bundle >= 0) {
      const auto places = node.output ? short_size(node.node->shape()) : 0;
      for (std::int64_t place = 0; place < places; ++place)
        reads_[i].push_back(read_of(added(instances_.add_place(*node.node, place))));
      continue;
    }
    reads_[i].resize(node.node->operand_count);
    if (plan_.recomputation.chosen(*node.node)) {
      reads_[i] = {read_of(added(instances_.add(*node.node)))};
      continue;
    }
    for (int o = 0; o < node.node->operand_count; ++o) {
      const Operand& operand = node.node->operands[o];
      Read& read = reads_[i][o];
      if (writes(*node.node) && o == 0) continue;
      if (plan_.recomputation.inlined(*node.node, o)) {
        read = read_of(added(instances_.add(*node.node, o)));
      } else if (!operand.value) {
        read = {.node = node.node, .operand = o};
      } else if (fused(operand)) {
        read.member = positions_[operand.value->node()->mark];
      } else {
        read.slot = read_slot(node, o);
      }
    }
  }
  for (const auto& instance : instances_.all()) {
    auto& reads = reads_.emplace_back();
    for (const auto& read : instance.reads) reads.push_back(read_of(read));
  }
}

void GroupMemory::choose_outputs() {
  output_slots_.assign(group_.nodes.size(), no_arg);
  for (std::size_t i = 0; i < group_.nodes.size(); ++i) {
    const PlannedNode& node = planned(group_.nodes[i]);
    last_phase_ = std::max<int>(last_phase_, node.row ? 0 : node.phase);
    if (writes(*node.node)) {
      output_slots_[i] = update_slot(node);
    } else if (node.output) {
      output_slots_[i] = group_.bundle >= 0 ? new_places(*node.node) : new_output(node);
    }
  }
}

// The planner has seen that it can be computed there.
const Instances::Read& GroupMemory::added(const std::optional<Instances::Read>& read) {
  if (!read) throw std::logic_error("lower: a value that cannot be computed where it is read");
  return *read;
}

std::uint16_t GroupMemory::new_output(const PlannedNode& node) {
  RawSlot slot;
  slot.dtype = node.node->dtype();
  slot.written = true;
  slot.strides = dense_strides(node.row);
  slot.source.kind = SlotSource::Kind::output;
  slot.source.node = static_cast<std::int32_t>(result_.outputs.size());
  OutputSlot output;
  output.node = node.node->mark;
  output.bytes = bytes_of(node.node->output());
  find_donor(node, slot, output);
  result_.outputs.push_back(output);
  slots_.push_back(std::move(slot));
  return static_cast<std::uint16_t>(slots_.size() - 1);
}

std::uint16_t GroupMemory::new_places(const Node& node) {
  const auto first = static_cast<std::uint16_t>(slots_.size());
  const auto axes = short_axes(node.shape());
  const auto strides = contiguous_strides(node.shape());
  for (std::int64_t place = 0; place < short_size(node.shape()); ++place) {
    const auto access = Access::at(node.shape(), axes, place);
    RawSlot slot;
    slot.dtype = node.dtype();
    slot.written = true;
    slot.source.kind = SlotSource::Kind::output;
    slot.source.node = static_cast<std::int32_t>(result_.outputs.size());
    for (std::int64_t axis = 0; axis < node.shape().size(); ++axis) {
      slot.source.offset += access.start(axis) * strides[axis] * itemsize(node.dtype());
      if (!(axes >> axis & 1)) slot.strides.push_back(strides[axis]);
    }
    slots_.push_back(std::move(slot));
  }
  result_.outputs.push_back({.node = node.mark, .bytes = bytes_of(node.output())});
  return first;
}

void GroupMemory::find_donor(const PlannedNode& node, const RawSlot& slot, OutputSlot& output) {
  if (node.row || group_.reduces || group_.scans || output.bytes < smallest_donation) return;
  for (auto n : group_.nodes) {
    const Node& member = *planned(n).node;
    if (member.kind == NodeKind::gather || writes(member)) return;
  }
  for (auto n : group_.nodes) {
    const Node& reader = *planned(n).node;
    for (int o = 0; o < reader.operand_count; ++o) {
      const Operand& operand = reader.operands[o];
      if (!operand.value || fused(operand) || !graph_.dies(*operand.value)) continue;
      if (itemsize(operand.dtype) != itemsize(slot.dtype) ||
          bytes_of(*operand.value) != output.bytes ||
          operand.value->device != &node.node->device()) {
        continue;
      }
      if (!read_here_last(*operand.value) || !all_reads_match(*operand.value, slot)) continue;
      bool taken =
          std::any_of(result_.outputs.begin(), result_.outputs.end(), [&](const OutputSlot& other) {
            return other.donor_node >= 0 &&
                   graph_.nodes()[static_cast<std::size_t>(other.donor_node)]
                           ->operands[other.donor_operand]
                           .value == operand.value;
          });
      if (taken) continue;
      output.donor_node = reader.mark;
      output.donor_operand = o;
      return;
    }
  }
}

bool GroupMemory::read_here_last(const Value& source) const {
  for (const auto& other : plan_.nodes) {
    // What is computed again may be so in kernels to come; what has no group is nowhere else.
    const bool here = other.group == index_;
    const bool before = other.group >= 0 && plan_.groups[other.group].stage < group_.stage;
    if (!other.again && (here || before)) continue;
    for (int o = 0; o < other.node->operand_count; ++o) {
      if (other.node->operands[o].value.get() == &source) return false;
    }
  }
  return true;
}

bool GroupMemory::all_reads_match(const Value& source, const RawSlot& output) const {
  return std::all_of(slots_.begin(), slots_.end(), [&](const RawSlot& slot) {
    if (slot.value != &source) return true;
    return !slot.written && slot.strides == output.strides && slot.offset == 0 &&
           slot.source.offset == 0 && itemsize(slot.dtype) == itemsize(output.dtype);
  });
}

std::int32_t GroupMemory::continued(const Node& update) const {
  for (std::size_t i = 0; i < result_.updates.size(); ++i) {
    const Node& other = *graph_.nodes()[static_cast<std::size_t>(result_.updates[i].node)];
    if (update.operands[0].value.get() == &other.output()) return static_cast<std::int32_t>(i);
  }
  return -1;
}

// Whether the update, or one of those that go on with its memory here, overwrites elements that are
// read elsewhere.
bool GroupMemory::overlaps_chain(const Node& update, const Operand& operand) const {
  const Node* last = &update;
  bool overlaps = overlap_with(update, operand) == Overlap::overlap;
  for (auto n : group_.nodes) {
    const Node& node = *planned(n).node;
    if (!writes(node) || node.operands[0].value.get() != &last->output()) continue;
    last = &node;
    overlaps |= overlap_with(node, operand) == Overlap::overlap;
  }
  return overlaps;
}

std::uint16_t GroupMemory::update_slot(const PlannedNode& node) {
  const Node& update = *node.node;
  RawSlot slot;
  slot.dtype = update.target_dtype;
  slot.written = true;
  slot.source.kind = SlotSource::Kind::target;
  slot.source.node = static_cast<std::int32_t>(result_.updates.size());
  slot.offset = update.target->offset;
  slot.strides = normalized(update.target->strides);
  UpdateSlot made;
  made.node = update.mark;
  made.blank = plan_.recomputation.blank(update);
  made.continued = continued(update);
  if (made.continued < 0) {
    for (auto n : group_.nodes) {
      const Node& reader = *planned(n).node;
      for (int o = 0; o < reader.operand_count; ++o) {
        const Operand& operand = reader.operands[o];
        if (operand.value != update.operands[0].value) continue;
        if (writes(reader) && o == 0) continue;
        ++made.reads;
        // What others compute again needs the old elements later.
        made.fresh |= planned(n).again || overlaps_chain(update, operand);
      }
    }
    // So do values that are computed again here, at other places.
    for (const RawSlot& read : slots_) {
      if (read.value != update.operands[0].value.get() || !read.source.composed) continue;
      Operand operand;
      operand.value = update.operands[0].value;
      operand.dtype = read.dtype;
      operand.layout = SharedLayout(Layout{group_.domain, read.strides, read.offset}).ref();
      made.fresh |= overlaps_chain(update, operand);
    }
  }
  result_.updates.push_back(made);
  slots_.push_back(std::move(slot));
  return static_cast<std::uint16_t>(slots_.size() - 1);
}

void GroupMemory::choose_dimensions() {
  bool ordered = false;
  const std::uint64_t indexed = indexed_dims();
  for (auto n : group_.nodes) {
    const Node& node = *planned(n).node;
    positional_ |= node.kind == NodeKind::random;
    ordered |= node.kind == NodeKind::argreduce || node.kind == NodeKind::scan;
    if (node.kind == NodeKind::reduce) {
      needs_order_ |= !has_identity(node.combine);
      rounds_ |= kernel::depends_on_order(node.combine, node.dtype());
    }
    needs_order_ |= node.kind == NodeKind::scan;
  }
  Dims kept, inner;
  for (std::int64_t d = 0; d < ndim_; ++d) {
    if (group_.domain[d] == 1) continue;
    (reduced(d) && has_reduced_dims() ? inner : kept).push_back(d);
  }
  if (has_reduced_dims()) {
    sort_by_stride(kept);
    if (!ordered && !needs_order_ && !rounds_) sort_by_stride(inner);
  }
  for (Dims* dims : {&kept, &inner}) {
    auto& merged = dims == &kept ? kept_ : inner_;
    for (auto d : *dims) {
      const bool apart = merged.empty() || ((indexed >> d | indexed >> merged.back().back()) & 1);
      if (!apart && joins(merged.back().back(), d)) {
        merged.back().push_back(d);
      } else {
        merged.push_back({d});
      }
    }
  }
  if (kept_.empty()) kept_.push_back({});
  if (has_reduced_dims() && inner_.empty()) inner_.push_back({});
  choose_lanes();
}

std::uint64_t GroupMemory::indexed_dims() const {
  std::uint64_t dims = 0;
  auto add = [&](const Access& access, std::int64_t axis) {
    for (std::int64_t d = 0; d < ndim_; ++d) {
      if (access.step(d, axis) != 0) dims |= std::uint64_t{1} << d;
    }
  };
  for (auto n : group_.nodes) {
    if (planned(n).node->kind == NodeKind::index) dims |= planned(n).node->axes;
  }
  for (const auto& instance : instances_.all()) {
    if (instance.node->kind == NodeKind::index)
      add(instance.access, std::countr_zero(instance.node->axes));
  }
  for (const auto& guard : instances_.guards()) {
    for (std::int64_t axis = 0; axis < guard.access.space().size(); ++axis) {
      const auto& range = guard.box.ranges()[static_cast<std::size_t>(axis)];
      const auto [low, high] = guard.access.reach(axis);
      if (low < range.low() || high > range.high()) add(guard.access, axis);
    }
  }
  return dims;
}

bool GroupMemory::joins(std::int64_t a, std::int64_t b) const {
  if (positional_) {
    auto strides = dense_strides(false);
    if (strides[a] != strides[b] * group_.domain[b]) return false;
  }
  return std::all_of(slots_.begin(), slots_.end(), [&](const RawSlot& slot) {
    return slot.strides[a] == slot.strides[b] * group_.domain[b];
  });
}

void GroupMemory::sort_by_stride(Dims& dims) const {
  auto widest = std::max_element(slots_.begin(), slots_.end(), [](auto& a, auto& b) {
    auto moves = [](const RawSlot& s) {
      return std::count_if(s.strides.begin(), s.strides.end(), [](auto x) { return x != 0; });
    };
    return moves(a) < moves(b);
  });
  if (widest == slots_.end()) return;
  std::stable_sort(dims.begin(), dims.end(), [&](auto a, auto b) {
    return std::abs(widest->strides[a]) > std::abs(widest->strides[b]);
  });
}

std::int64_t GroupMemory::extent(const Loop& dims) const {
  std::int64_t product = 1;
  for (auto d : dims) product *= group_.domain[d];
  return product;
}

std::int64_t GroupMemory::extent(const std::vector<Loop>& nest) const {
  std::int64_t product = 1;
  for (auto& dims : nest) product *= extent(dims);
  return product;
}

std::int64_t GroupMemory::stride(const RawSlot& slot, const Loop& dims) const {
  return dims.empty() ? 0 : slot.strides[dims.back()];
}

void GroupMemory::choose_lanes() {
  Kernel& k = result_.kernel;
  k.kept_dims = static_cast<std::uint8_t>(kept_.size());
  k.reduced_dims = static_cast<std::uint8_t>(inner_.size());
  if (inner_.empty()) return;
  if (needs_order_ && !rounds_) return;  // Lanes::kept
  if (has_short_rows()) return lengthen_lanes();
  if (lanes_along_reduced()) k.lanes = Lanes::reduced;
  k.split =
      k.lanes == Lanes::reduced && extent(kept_) <= split_rows && extent(inner_) >= split_extent;
}

// Putting the lanes' parts of a row together takes longer than to read a few elements that are no
// neighbours: then each lane has a row of its own. For sums a matter of the domain alone, as their
// order has to be.
bool GroupMemory::has_short_rows() const {
  return planned(group_.nodes[0]).node->device().host_accessible() &&
         extent(inner_) <= (rounds_ ? short_sum : short_row) && extent(kept_) >= many_rows;
}

// Where the last kept dimension has too few elements for the lanes, the longest one has them.
void GroupMemory::lengthen_lanes() {
  constexpr std::int64_t enough = 16;
  if (positional_ || extent(kept_.back()) >= enough) return;
  auto longest = std::max_element(kept_.begin(), kept_.end(), [&](const Loop& a, const Loop& b) {
    return extent(a) < extent(b);
  });
  std::rotate(longest, longest + 1, kept_.end());
}

bool GroupMemory::lanes_along_reduced() const {
  if (rounds_) {
    // The order of a sum must not depend on what else the kernel reads or writes, so only the
    // domain counts, which is in the order of the memory that the sum is of.
    std::int64_t row = 1;  // kept elements that are neighbours
    for (std::int64_t d = ndim_ - 1; d >= 0; --d) {
      if (group_.domain[d] != 1 && reduced(d)) break;
      row *= group_.domain[d];
    }
    return row < split_rows;
  }
  int along_kept = 0, along_reduced = 0;
  for (const RawSlot& slot : slots_) {
    along_kept += stride(slot, kept_.back()) == 1;
    along_reduced += stride(slot, inner_.back()) == 1;
  }
  if (positional_) {  // words of a block are neighbours
    along_kept += position_stride(kept_.back()) == 1;
    along_reduced += position_stride(inner_.back()) == 1;
  }
  return along_reduced >= along_kept || extent(kept_.back()) < split_rows;
}

void GroupMemory::finish_slots() {
  Kernel& k = result_.kernel;
  auto dims = kept_.size() + inner_.size();
  for (auto& nest : {std::cref(kept_), std::cref(inner_)}) {
    for (auto& group : nest.get()) result_.extents.push_back(extent(group));
  }
  auto lane = k.lanes == Lanes::kept ? kept_.size() - 1 : dims - 1;
  for (const RawSlot& raw : slots_) {
    Slot slot{.dtype = raw.dtype, .written = raw.written, .scratch = raw.scratch};
    for (std::size_t i = 0; i < dims; ++i) {
      auto& group = i < kept_.size() ? kept_[i] : inner_[i - kept_.size()];
      auto elements = stride(raw, group);
      if (elements == 0) slot.zero_dims |= std::uint64_t{1} << i;
      if (i == lane) {
        slot.lane = elements == 0 ? Stride::zero : elements == 1 ? Stride::unit : Stride::any;
      }
      result_.strides.push_back(elements * itemsize(raw.dtype));
    }
    slot.streamed = dims == 1 && slot.lane == Stride::unit && streams(raw);
    result_.slots.push_back(raw.source);
    k.slots.push_back(slot);
  }
}

bool GroupMemory::streams(const RawSlot& slot) const {
  if (!slot.written || slot.source.kind != SlotSource::Kind::output) return false;
  // Memory begins at a line of the caches; a place of a bundle may not.
  if (slot.source.offset % 64 != 0) return false;
  if (result_.outputs[static_cast<std::size_t>(slot.source.node)].donor_node >= 0) return false;
  std::int64_t width = 0;
  for (const RawSlot& other : slots_) {
    if (stride(other, kept_.back()) != 0) width += itemsize(other.dtype);
  }
  return width * extent(kept_) >= streamed_bytes;
}

}  // namespace heddle::graph
