#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/at.h"
#include "graph/band_rows.h"
#include "graph/node_facts.h"

namespace heddle::graph {

namespace {

using kernel::no_arg;

// Bytes of what is handed on: less than that is in the caches anyway. Tests say less, to have bands
// of few rows in small programs.
std::uint64_t least_bytes() {
  static const std::uint64_t bytes = [] {
    const char* wanted = std::getenv("HEDDLE_BAND_BYTES");
    return wanted ? std::strtoull(wanted, nullptr, 10) : std::uint64_t{4} << 20;
  }();
  return bytes;
}

// That a band should take, and may take.
std::int64_t cache_bytes() {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(least_bytes(), 512 << 10));
}
constexpr std::int64_t most_cache_bytes = 2 << 20;
constexpr std::int64_t rows_for_each_again = 8;  // for a row that is computed at an end of a piece
// That all steps of a band visit: interrupts are heard between bands.
constexpr double most_elements = 1 << 24;
constexpr std::size_t most_members = 256;  // more would take long to be looked at

// Memory that steps make: of one value, or of updates one upon another.
struct Object {
  const Value* value = nullptr;  // the first one
  std::vector<const Value*> values;
  std::size_t first = 0;           // the step that makes it
  std::vector<std::size_t> users;  // steps that have something to do with it
};

struct Member {
  std::size_t step;
  BandStep band;
  std::vector<Touch> touches;
};

// Steps that could run together, and what comes of it.
struct Run {
  std::int64_t depth = 1;  // axes that rows are places along
  std::vector<Member> members;
  std::vector<bool> has;            // by step: whether it is one of them
  std::vector<std::size_t> before;  // steps in between that need not wait for them
  Bands bands;
  std::uint64_t gain = 0;
};

// Places along an axis, from one to another.
struct Places {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  bool empty() const { return low > high; }
  void add(std::int64_t from, std::int64_t to) {
    low = std::min(low, from);
    high = std::max(high, to);
  }
};

// Memory that a run has to do with: its rows beside those that are worked on.
struct Held {
  std::int32_t object = -1;
  bool temporary = false;  // for steps of the run alone
  bool read = false;
  bool ring = true;         // each slot touches one row at a time: they need not follow one another
  std::size_t writers = 0;  // steps
  std::size_t writer = 0;   // the one seen last, counted from one
  Places needed;            // by those that read it, or after the run
  Places made;
  Places touched;
  Places overwritten;  // by later steps: how far these are when this is
};

class BandFinder {
 public:
  BandFinder(const Collected& graph, std::vector<Step>& steps, std::vector<std::int32_t>& groups)
      : graph_(graph), steps_(steps), groups_(groups) {}

  std::vector<Bands> run() {
    if (!is_worth_looking()) return {};
    last_ = last_steps(graph_, steps_);
    find_objects();
    find_readers();
    numbers_.assign(objects_.size(), -1);
    const auto made = made_from();
    std::vector<Bands> found;
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < steps_.size();) {
      auto best = made[s] >= least_bytes() / 2 ? best_run(s) : std::nullopt;
      if (!best) {
        order.push_back(s++);
        continue;
      }
      for (auto other : best->before) {
        order.push_back(other);
        for (auto& output : steps_[other].outputs) output.donor_node = -1;
      }
      best->bands.first = order.size();
      for (const Member& member : best->members) {
        order.push_back(member.step);
        best->bands.steps.push_back(member.band);
        // What is read again soon had better stay in the caches.
        for (auto& slot : steps_[member.step].kernel.slots) slot.streamed = false;
      }
      s = best->members.back().step + 1;
      found.push_back(std::move(best->bands));
    }
    if (!found.empty()) put_in_order(order);
    return found;
  }

 private:
  const Node& node(std::int32_t n) const { return *graph_.nodes()[at(n)]; }
  std::int64_t dims(const Step& step) const {
    return static_cast<std::int64_t>(step.extents.size());
  }

  bool is_worth_looking() const {
    if (steps_.size() < 2) return false;
    const Device& device = node(steps_[0].nodes[0]).device();
    if (!dynamic_cast<const BandRunner*>(&device)) return false;
    std::uint64_t bytes = 0;
    for (const Step& step : steps_) {
      if (&node(step.nodes[0]).device() != &device) return false;
      for (const auto& output : step.outputs) {
        // What is read again soon, whether somebody keeps it or not.
        if (graph_.reads(node(output.node).output()) > 0) bytes += output.bytes;
      }
      for (const auto& update : step.updates) {
        if (update.continued < 0) bytes += bytes_of(node(update.node).output());
      }
    }
    return bytes >= least_bytes() / 2;
  }

  void put_in_order(const std::vector<std::size_t>& order) {
    std::vector<Step> steps;
    std::vector<std::int32_t> groups;
    for (auto s : order) {
      steps.push_back(std::move(steps_[s]));
      groups.push_back(groups_[s]);
    }
    steps_ = std::move(steps);
    groups_ = std::move(groups);
  }

  // --- what steps make ---

  void find_objects() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Step& step = steps_[s];
      if (step.library) {
        use_call(node(step.nodes[0]), s);
        continue;
      }
      for (const auto& output : step.outputs) add_object(node(output.node).output(), s);
      for (const auto& update : step.updates) {
        const Value& made = node(update.node).output();
        const auto old = update.blank ? -1 : object_of(*node(update.node).operands[0].value);
        if (update.blank) {
          add_object(made, s);
        } else if (old >= 0) {
          objects_of_.emplace(&made, old);
          objects_[at(old)].values.push_back(&made);
        }
      }
      for (std::size_t i = 0; i < step.slots.size(); ++i) {
        const auto object = object_in(step, i);
        if (object >= 0) objects_[at(object)].users.push_back(s);
      }
    }
    // Nodes that have something of it without reading it.
    for (const Node* reader : graph_.nodes()) {
      for (int o = 0; o < reader->operand_count; ++o) {
        const Value* value = reader->operands[o].value.get();
        const auto object = value ? object_of(*value) : -1;
        if (object >= 0) objects_[at(object)].users.push_back(last_[at(reader->mark)]);
      }
    }
  }

  // Bytes of what steps from each on make: nothing else can be saved by running them together.
  std::vector<std::uint64_t> made_from() const {
    std::vector<std::uint64_t> bytes(steps_.size() + 1, 0);
    for (const Object& object : objects_) bytes[object.first] += bytes_of(*object.value);
    for (auto s = steps_.size(); s-- > 0;) bytes[s] += bytes[s + 1];
    return bytes;
  }

  void find_readers() {
    for (const Node* reader : graph_.nodes()) {
      for (int o = 0; o < reader->operand_count; ++o) {
        const Value* value = reader->operands[o].value.get();
        if (value) readers_[value].push_back(last_[at(reader->mark)]);
      }
    }
  }

  void use_call(const Node& call, std::size_t s) {
    for (int o = 0; o < call.operand_count; ++o) {
      const Value* value = call.operands[o].value.get();
      const auto object = value ? object_of(*value) : -1;
      if (object >= 0) objects_[at(object)].users.push_back(s);
    }
  }

  void add_object(const Value& value, std::size_t s) {
    objects_of_.emplace(&value, static_cast<std::int32_t>(objects_.size()));
    objects_.push_back({&value, {&value}, s, {}});
  }

  std::int32_t object_of(const Value& value) const {
    auto found = objects_of_.find(&value);
    return found == objects_of_.end() ? -1 : found->second;
  }

  std::int32_t object_in(const Step& step, std::size_t slot) const {
    const SlotSource& source = step.slots[slot];
    switch (source.kind) {
      case SlotSource::Kind::scratch:
        return -1;
      case SlotSource::Kind::output:
        return object_of(node(step.outputs[at(source.node)].node).output());
      case SlotSource::Kind::target:
        return object_of(node(step.updates[at(source.node)].node).output());
      case SlotSource::Kind::operand:
        break;
    }
    return object_of(*node(source.node).operands[source.operand].value);
  }

  // --- runs of steps ---

  std::optional<Run> best_run(std::size_t first) const {
    std::int64_t deepest = 1;
    for (const auto& output : steps_[first].outputs) {
      deepest = std::max(deepest, node(output.node).shape().size());
    }
    std::optional<Run> best;
    for (auto depth = deepest; depth >= 1; --depth) {
      auto run = run_from(first, depth);
      if (run && (!best || run->gain > best->gain)) best = std::move(run);
    }
    return best;
  }

  std::optional<Run> run_from(std::size_t first, std::int64_t depth) const {
    Run run;
    run.depth = depth;
    run.has.assign(steps_.size(), false);
    for (auto s = first; s < steps_.size() && run.members.size() < most_members; ++s) {
      if (auto member = member_of(run, s)) {
        run.members.push_back(*std::move(member));
        run.has[s] = true;
      } else if (run.members.empty() || !is_independent(run, s)) {
        break;
      } else {
        run.before.push_back(s);
      }
    }
    while (run.members.size() > 1) {
      const auto end = run.members.back().step;
      std::erase_if(run.before, [&](auto s) { return s > end; });
      if (finish(run)) return run;
      run.has[end] = false;
      run.members.pop_back();
    }
    return {};
  }

  bool is_in(const Run& run, std::int32_t object) const {
    return object >= 0 && run.has[objects_[at(object)].first];
  }

  bool is_independent(const Run& run, std::size_t s) const {
    const Step& step = steps_[s];
    if (step.library || !step.updates.empty()) return false;
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      if (is_in(run, object_in(step, i))) return false;
    }
    return true;
  }

  // Places along the first axes.
  static std::int64_t rows_of(const Value& value, std::int64_t depth) {
    if (value.shape.size() < depth) return 0;
    std::int64_t rows = 1;
    for (std::int64_t d = 0; d < depth; ++d) rows *= value.shape[d];
    return rows;
  }
  static bool same_rows(const Value& a, const Value& b, std::int64_t depth) {
    if (depth == 1) return true;
    for (std::int64_t d = 0; d < depth; ++d) {
      if (a.shape[d] != b.shape[d]) return false;
    }
    return true;
  }
  static std::int64_t pitch_of(const Value& value, std::int64_t depth) {
    return static_cast<std::int64_t>(bytes_of(value)) / rows_of(value, depth);
  }

  bool is_plain(const Step& step) const {
    const auto& kernel = step.kernel;
    if (step.library || step.serial || kernel.split || kernel.sequential) return false;
    return std::ranges::none_of(kernel.instrs, [](const kernel::Instr& instr) {
      return instr.op == Op::store && instr.args[1] != no_arg;
    });
  }

  // Whether nobody needs the old elements any more.
  bool is_in_place(const UpdateSlot& slot, std::size_t s) const {
    const Value& old = *node(slot.node).operands[0].value;
    if (slot.fresh || !graph_.dies(old)) return false;
    const auto later =
        std::ranges::count_if(readers_.at(&old), [&](auto step) { return step >= s; });
    return later == slot.reads;
  }

  // How the step goes on with the others. Nothing where it does not.
  std::optional<Member> member_of(const Run& run, std::size_t s) const {
    const Step& step = steps_[s];
    if (!is_plain(step)) return {};
    for (const UpdateSlot& update : step.updates) {
      if (update.blank || update.continued >= 0) continue;
      if (!is_in(run, object_of(node(update.node).output())) || !is_in_place(update, s)) return {};
    }
    Member member;
    member.step = s;
    BandStep& band = member.band;
    std::size_t written = step.slots.size();
    std::vector<std::int64_t> pitches(step.slots.size(), 0);
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const auto object = object_in(step, i);
      const bool writes = step.kernel.slots[i].written && object >= 0;
      const bool made = writes || is_in(run, object);
      band.memory.push_back(made ? object : -1);
      if (!made) continue;
      const Value& value = *objects_[at(object)].value;
      if (rows_of(value, run.depth) < 2 || value.size() == 0) return {};
      pitches[i] = pitch_of(value, run.depth);
      if (writes && written == step.slots.size()) written = i;
      const auto& first = run.members.empty() ? member.band : run.members[0].band;
      const auto other = std::ranges::find_if(first.memory, [](auto each) { return each >= 0; });
      if (!same_rows(*objects_[at(*other)].value, value, run.depth)) return {};
    }
    if (written == step.slots.size()) return {};
    for (const auto& instr : step.kernel.instrs) {
      const bool anywhere = instr.op == Op::load && instr.args[0] != no_arg;
      if (anywhere && band.memory[instr.slot] >= 0) return {};
    }
    for (std::size_t d = 0; d < step.kernel.kept_dims; ++d) {
      auto touches = touches_along(d, step, written, pitches, graph_.nodes(), band);
      if (!touches) continue;
      member.touches = *std::move(touches);
      // What does little beside the others, and needs nothing of them, had better come first.
      const bool little = !run.members.empty() && 2 * band.rows < run.members[0].band.rows;
      if (!little || !is_independent(run, s)) return member;
    }
    return {};
  }

  // --- what each step does when ---

  // Whether only steps of the run have to do with it.
  bool is_temporary(const Run& run, const Object& object) const {
    return std::ranges::all_of(object.values, [&](const Value* v) { return graph_.dies(*v); }) &&
           std::ranges::all_of(object.users, [&](std::size_t s) { return run.has[s]; });
  }

  // All memory that the members touch. `numbers_` says which number each has until they are let go.
  std::vector<Held> memory_of(const Run& run) const {
    std::vector<Held> memory;
    for (const Member& member : run.members) {
      for (const Touch& touch : member.touches) {
        auto& number = numbers_[at(touch.object)];
        if (number < 0) {
          number = static_cast<std::int32_t>(memory.size());
          Held& held = memory.emplace_back();
          held.object = touch.object;
          held.temporary = is_temporary(run, objects_[at(touch.object)]);
          if (!held.temporary) held.needed.add(0, 0);
        }
        Held& held = memory[at(number)];
        held.read |= !touch.writes;
        held.ring &= touch.low == touch.high && !touch.fixed;
      }
    }
    return memory;
  }

  // Which rows each step does while rows [t, u) are worked on, the last one first: those that later
  // ones need, and those that later ones overwrite. False where one does what nobody needs.
  bool choose_places(Run& run, std::vector<Held>& memory) const {
    for (auto m = run.members.size(); m-- > 0;) {
      BandStep& band = run.members[m].band;
      const auto& touches = run.members[m].touches;
      Places own;
      for (const Touch& touch : touches) {
        const Places& rows = memory[at(numbers_[at(touch.object)])].needed;
        if (touch.writes && !rows.empty()) own.add(rows.low - touch.low, rows.high - touch.low);
      }
      if (own.empty()) return false;
      // What later steps write is read, or written, before.
      for (const Touch& touch : touches) {
        const Places& later = memory[at(numbers_[at(touch.object)])].overwritten;
        if (later.empty()) continue;
        own.high = std::max(own.high, later.high - touch.low);
        if (touch.writes) own.low = std::min(own.low, later.low - touch.low);
      }
      band.before = own.low;
      band.after = own.high;
      for (const Touch& touch : touches) {
        Held& held = memory[at(numbers_[at(touch.object)])];
        held.touched.add(own.low + touch.low, own.high + touch.high);
        if (touch.writes) {
          held.made.add(own.low + touch.low, own.high + touch.low);
          held.overwritten.add(own.low + touch.low, own.high + touch.low);
          if (std::exchange(held.writer, m + 1) != m + 1) ++held.writers;
        } else {
          held.needed.add(own.low + touch.low, own.high + touch.high);
        }
      }
    }
    return true;
  }

  // Threads work on pieces of the rows, and compute some at the ends of these once more. So memory
  // that all see is written once, whatever is written, or overwritten where nobody of the run reads
  // it, or each row of it is one thread's.
  static bool stays_whole(const Held& held) {
    return held.temporary || held.writers <= 1 || !held.read ||
           held.touched.low == held.touched.high;
  }

  // False where the steps had better not run together.
  bool finish(Run& run) const {
    std::vector<Held> memory = memory_of(run);
    const bool finished = finish(run, memory);
    for (const Held& held : memory) numbers_[at(held.object)] = -1;
    return finished;
  }

  bool finish(Run& run, std::vector<Held>& memory) const {
    if (!choose_places(run, memory) || !std::ranges::all_of(memory, stays_whole)) return false;
    // All rows of all that is memory.
    Bands bands;
    bands.begin = std::numeric_limits<std::int64_t>::max();
    bands.end = std::numeric_limits<std::int64_t>::min();
    std::int64_t again = 0;
    for (const Member& member : run.members) {
      bands.begin = std::min(bands.begin, -member.band.before);
      bands.end = std::max(bands.end, member.band.rows - member.band.after);
      again = std::max(again, member.band.after - member.band.before);
    }
    if (bands.end - bands.begin < std::max<std::int64_t>(rows_for_each_again * again, 2)) {
      return false;
    }
    run.gain = 0;
    for (const Held& held : memory) {
      const Value& value = *objects_[at(held.object)].value;
      bands.memory.push_back({bytes_of(value), -1});
      if (held.temporary) {
        Places rows = held.needed;
        rows.add(held.made.low, held.made.high);
        bands.memory.back().temporary = static_cast<std::int32_t>(bands.temporaries.size());
        bands.temporaries.push_back(
            {pitch_of(value, run.depth), rows.low, rows.high, 0, held.ring});
        bands.saved += bytes_of(value);
        run.gain += 2 * bytes_of(value);
      } else if (held.read) {
        run.gain += bytes_of(value);
      }
    }
    if (run.gain < least_bytes() || !choose_rows(run, bands, memory)) return false;
    for (Member& member : run.members) number_memory(member, bands);
    run.bands = std::move(bands);
    return true;
  }

  // How many rows are worked on at a time, so that all that is touched stays in the caches.
  bool choose_rows(const Run& run, Bands& bands, std::span<const Held> memory) const {
    double elements = 0;  // for each row
    for (const Member& member : run.members) {
      double all = 1;
      for (const auto extent : steps_[member.step].extents) all *= static_cast<double>(extent);
      elements += all / static_cast<double>(member.band.rows);
    }
    if (elements > most_elements) return false;
    const auto most = std::min(bands.end - bands.begin,
                               static_cast<std::int64_t>(most_elements / std::max(elements, 1.0)));
    // Beside temporaries a row of each array that is read or written, however often.
    std::vector<std::pair<const Value*, std::int64_t>> others;
    for (const Member& member : run.members) {
      const Step& step = steps_[member.step];
      for (std::size_t i = 0; i < step.slots.size(); ++i) {
        const auto object = member.band.memory[i];
        const SlotSource& source = step.slots[i];
        const Value* value = nullptr;
        if (object >= 0) {
          if (!memory[at(numbers_[at(object)])].temporary) value = objects_[at(object)].value;
        } else if (source.kind == SlotSource::Kind::operand) {
          value = node(source.node).operands[source.operand].value.get();
        }
        if (!value) continue;
        const auto row = std::abs(stride_of(step, i, member.band.dim)) * member.band.unit;
        auto known =
            std::ranges::find(others, value, &std::pair<const Value*, std::int64_t>::first);
        if (known == others.end()) known = others.insert(known, {value, 0});
        known->second = std::max(known->second, row);
      }
    }
    // Rows that stay are moved after each band, or after each second one where there is room, if
    // they have to follow one another.
    for (const std::int64_t room : {2, 1}) {
      const auto rooms = [&](const BandTemporary& temporary) {
        return temporary.after > temporary.before && !temporary.ring ? room : 1;
      };
      std::int64_t fixed = 0, each = 0;
      for (const BandTemporary& temporary : bands.temporaries) {
        fixed += temporary.pitch * (temporary.after - temporary.before);
        each += temporary.pitch * rooms(temporary);
      }
      for (const auto& [value, row] : others) each += row;
      bands.rows = std::clamp<std::int64_t>(
          (cache_bytes() - fixed) / std::max<std::int64_t>(each, 1), 1, most);
      if (fixed + each * bands.rows > (room == 2 ? cache_bytes() : most_cache_bytes)) continue;
      for (BandTemporary& temporary : bands.temporaries) {
        temporary.capacity = temporary.after - temporary.before + rooms(temporary) * bands.rows;
      }
      return true;
    }
    return false;
  }

  void number_memory(Member& member, const Bands& bands) const {
    const Step& step = steps_[member.step];
    BandStep& band = member.band;
    auto number_of = [&](const Value& value) {
      const auto object = object_of(value);
      return object < 0 ? -1 : numbers_[at(object)];
    };
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      auto& memory = band.memory[i];
      if (memory >= 0) memory = numbers_[at(memory)];
      band.made.push_back(memory >= 0);
      band.temporaries.push_back(memory < 0 ? -1 : bands.memory[at(memory)].temporary);
    }
    for (const auto& output : step.outputs) {
      band.outputs.push_back(number_of(node(output.node).output()));
    }
    for (const auto& update : step.updates) {
      band.updates.push_back(number_of(node(update.node).output()));
    }
  }

  const Collected& graph_;
  std::vector<Step>& steps_;
  std::vector<std::int32_t>& groups_;
  std::vector<std::size_t> last_;  // steps, per node
  std::vector<Object> objects_;
  std::unordered_map<const Value*, std::int32_t> objects_of_;
  std::unordered_map<const Value*, std::vector<std::size_t>> readers_;  // last steps of these
  mutable std::vector<std::int32_t> numbers_;  // of objects, within the run that is looked at
};

}  // namespace

std::vector<Bands> find_bands(const Collected& graph, std::vector<Step>& steps,
                              std::vector<std::int32_t>& groups) {
  return BandFinder(graph, steps, groups).run();
}

}  // namespace heddle::graph
