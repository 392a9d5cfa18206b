#include "runtime/index_reports.h"

#include <atomic>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle {

bool IndexReports::full() const {
  std::lock_guard lock(mutex_);
  return uses_.size() == capacity;
}

std::uint64_t IndexReports::open(Use use, bool recorded) {
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

void IndexReports::reset() {
  std::lock_guard lock(mutex_);
  uses_.clear();
}

void IndexReports::check() {
  std::lock_guard lock(mutex_);
  std::string text;
  auto look = [&](std::int64_t* memory, const std::vector<Use>& uses) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      std::atomic_ref word(memory[i]);
      if (word.load(std::memory_order_relaxed) == 0) continue;
      auto index = word.exchange(0, std::memory_order_acquire);
      if (!text.empty()) continue;  // one error at a time: what came first
      text = fmt::format("index {} is out of bounds for axis {} with size {}", index, uses[i].axis,
                         uses[i].extent);
      if (!uses[i].place.empty()) text += fmt::format(" (indexed at {})", uses[i].place);
    }
  };
  look(memory_, uses_);
  look(memory_ + capacity, recorded_);
  if (!text.empty()) throw index_error(text);
}

namespace {
std::atomic<CallSite> find_call_site{nullptr};
}

void set_call_site(CallSite find) { find_call_site = find; }

std::string call_site() {
  CallSite find = find_call_site;
  return find ? find() : std::string();
}

}  // namespace heddle
