#include "graph/kept_passes.h"

#include <algorithm>
#include <utility>

#include "core/at.h"
#include "graph/step_launch.h"
#include "runtime/parallel.h"

namespace heddle::graph {

namespace {

// Whether two steps launch the same on memory that is given to them.
bool launch_alike(const Step& a, const Step& b) {
  return a.found.code == b.found.code && a.strides == b.strides && a.extents == b.extents &&
         a.scratch_bytes == b.scratch_bytes && a.serial == b.serial;
}

bool same_bits(const kernel::ScalarBits& a, const kernel::ScalarBits& b) {
  return std::ranges::equal(a.word, b.word);
}

}  // namespace

bool KeptPasses::alike(const Kept::Update& a, const Kept::Update& b) {
  return a.value == b.value && a.old == b.old && a.bytes == b.bytes && a.blank == b.blank &&
         a.in_place == b.in_place && a.continued == b.continued &&
         (a.in_place || (a.rest.dtype == b.rest.dtype && a.rest.parts == b.rest.parts));
}

bool KeptPasses::compare(const Kept::KeptStep& a, const Kept::KeptStep& b, std::size_t step,
                         Moves& moves) {
  if (a.device != b.device || a.ends != b.ends || !a.step != !b.step) return false;
  if (!a.step) {
    return a.call.first == b.call.first && a.call.values == b.call.values &&
           does_the_same(a.call, b.call) &&
           std::ranges::equal(a.call.operands, b.call.operands, same_bits, &Operand::scalar,
                              &Operand::scalar);
  }
  if (!launch_alike(*a.step, *b.step) || a.outputs != b.outputs ||
      !std::ranges::equal(a.updates, b.updates, alike) || a.given != b.given ||
      a.slots.size() != b.slots.size() || a.scalars.size() != b.scalars.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    if (a.slots[i].kind != b.slots[i].kind || a.slots[i].which != b.slots[i].which) return false;
    const auto bytes = b.slots[i].offset - a.slots[i].offset;
    if (bytes == 0) continue;
    // What is beside an update that moves would have to be copied anew each time.
    if (b.slots[i].kind == SlotSource::Kind::target && !b.updates[at(b.slots[i].which)].in_place) {
      return false;
    }
    moves.push_back({step, i, bytes});
  }
  for (std::size_t i = 0; i < a.scalars.size(); ++i) {
    const bool given = std::ranges::find(a.given, i, &Kept::GivenScalar::scalar) != a.given.end();
    if (!given && !same_bits(a.scalars[i], b.scalars[i])) return false;
  }
  return true;
}

bool KeptPasses::compare(const Kept& earlier, const Kept& later, Moves& moves) {
  if (earlier.steps_.size() != later.steps_.size() || earlier.results_ != later.results_ ||
      earlier.types_.size() != later.types_.size()) {
    return false;
  }
  for (std::size_t s = 0; s < later.steps_.size(); ++s) {
    if (!compare(earlier.steps_[s], later.steps_[s], s, moves)) return false;
  }
  return true;
}

bool KeptPasses::learn(std::shared_ptr<Kept> pass) {
  constexpr int enough = 3;
  ++tries_;
  Moves moves;
  const bool follows = pass_ && compare(*pass_, *pass, moves);
  heard_ = !follows ? 1 : heard_ > 1 && moves != moves_ ? 2 : heard_ + 1;
  // Which rows steps hand on in bands follows from offsets, as the program does then.
  if (follows && pass->program_ != pass_->program_) pass->bands_ = nullptr;
  pass_ = std::move(pass);
  moves_ = std::move(moves);
  return heard_ >= enough;
}

void KeptPasses::advance() {
  for (const Move& one : moves_) {
    pass_->steps_[one.step].slots[one.slot].offset += one.bytes;
  }
}

void KeptPasses::run(std::int64_t times, const NumbersOf& numbers, std::span<Ref<Buffer>> memory) {
  constexpr std::int64_t together = 64;  // passes, for devices that take launches together
  Kept::Memory by_value(pass_->types_.size());
  std::ranges::move(memory, by_value.begin());
  for (std::int64_t first = 0; first < times; first += together) {
    constexpr std::int64_t work = 1 << 18;  // so that every fourth time the clock is looked at
    stop_if_interrupted(work);
    const LaunchesScope scope(pass_->steps_[0].device);
    for (auto pass = first; pass < std::min(first + together, times); ++pass) {
      if (pass > 0) advance();
      pass_->run_steps(numbers(pass), by_value, {});
      // What was taken is let go of before what comes of it may be overwritten in turn.
      for (std::size_t i = 0; i < pass_->results_.size(); ++i) {
        memory[i] = by_value[at(pass_->results_[i])];
      }
      for (auto value : pass_->results_) by_value[at(value)].reset();
      for (std::size_t i = 0; i < pass_->results_.size(); ++i) by_value[i] = std::move(memory[i]);
    }
  }
  std::ranges::move(by_value.begin(), by_value.begin() + static_cast<std::ptrdiff_t>(memory.size()),
                    memory.begin());
}

}  // namespace heddle::graph
