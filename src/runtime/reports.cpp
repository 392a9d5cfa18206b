#include "runtime/reports.h"

#include <atomic>
#include <optional>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle {

namespace {
std::atomic<CallSite> find_call_site{nullptr};
std::atomic<GiveWarning> give_warning{nullptr};

[[noreturn]] void raise(const Reports::Use& use, std::int64_t index) {
  std::string text = use.text;
  if (use.kind == Reports::Kind::index) {
    text = fmt::format("index {} is out of bounds for axis {} with size {}", index, use.axis,
                       use.extent);
  }
  if (!use.place.empty())
    text += fmt::format(" ({} at {})", use.operation, use.place);
  else if (use.kind == Reports::Kind::error)
    text += fmt::format(" ({})", use.operation);
  if (use.raise) use.raise(text);
  throw index_error(text);
}
}  // namespace

Reports::Use Reports::Use::of_index(std::int64_t axis, std::int64_t extent) {
  Use use;
  use.axis = axis;
  use.extent = extent;
  use.operation = "indexed";
  return use;
}

Reports::Use Reports::Use::of_warning(std::string text, std::string category, std::string place) {
  Use use;
  use.kind = Kind::warning;
  use.text = std::move(text);
  use.category = std::move(category);
  use.place = std::move(place);
  return use;
}

bool Reports::full() const {
  std::lock_guard lock(mutex_);
  return uses_.size() == capacity;
}

std::uint64_t Reports::open(Use use, bool recorded) {
  std::lock_guard lock(mutex_);
  auto& uses = recorded ? recorded_ : uses_;
  // Graphs keep theirs for ever. The last word serves all that come when the others are taken.
  if (uses.size() == capacity) {
    uses.back() = std::move(use);
    uses.back().place.clear();
  } else {
    uses.push_back(std::move(use));
  }
  std::int64_t* first = recorded ? memory_ + capacity : memory_;
  return reinterpret_cast<std::uint64_t>(first + uses.size() - 1);
}

void Reports::reset() {
  std::lock_guard lock(mutex_);
  uses_.clear();
}

void Reports::check() {
  std::optional<std::pair<Use, std::int64_t>> error;  // one at a time: what came first
  std::vector<Use> warnings;
  {
    std::lock_guard lock(mutex_);
    auto look = [&](std::int64_t* memory, const std::vector<Use>& uses) {
      for (std::size_t i = 0; i < uses.size(); ++i) {
        std::atomic_ref word(memory[i]);
        if (word.load(std::memory_order_relaxed) == 0) continue;
        auto found = word.exchange(0, std::memory_order_acquire);
        if (uses[i].kind == Kind::warning)
          warnings.push_back(uses[i]);
        else if (!error)
          error.emplace(uses[i], found);
      }
    };
    look(memory_, uses_);
    look(memory_ + capacity, recorded_);
  }
  if (GiveWarning give = give_warning) {
    for (const Use& warning : warnings) give(warning);
  }
  if (error) raise(error->first, error->second);
}

void set_call_site(CallSite find) { find_call_site = find; }

std::string call_site() {
  CallSite find = find_call_site;
  return find ? find() : std::string();
}

void set_give_warning(GiveWarning give) { give_warning = give; }

}  // namespace heddle
