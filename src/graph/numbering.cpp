#include "graph/numbering.h"

#include <mutex>
#include <utility>

#include "graph/value.h"

namespace heddle {

namespace {

// Values go in any thread, also while other locks are held: under this one nothing else is done.
struct Numberings {
  std::mutex mutex;
  std::vector<Numbering*> all;
};

Numberings& numberings() {
  static auto* there = new Numberings;  // never destroyed: values may go after everything else
  return *there;
}

}  // namespace

Numbering::Numbering() {
  std::lock_guard lock(numberings().mutex);
  numberings().all.push_back(this);
}

Numbering::~Numbering() {
  std::lock_guard lock(numberings().mutex);
  std::erase(numberings().all, this);
}

void Numbering::set(Value& value, std::int32_t number) {
  std::lock_guard lock(numberings().mutex);
  value.numbered = true;
  numbers_[&value] = number;
}

std::int32_t Numbering::find(const Value& value) const {
  if (!value.numbered) return -1;
  std::lock_guard lock(numberings().mutex);
  const auto found = numbers_.find(&value);
  return found == numbers_.end() ? -1 : found->second;
}

std::vector<std::int32_t> Numbering::take_ended() {
  std::lock_guard lock(numberings().mutex);
  return std::exchange(ended_, {});
}

void Numbering::forget(const Value& value) {
  std::lock_guard lock(numberings().mutex);
  for (Numbering* numbering : numberings().all) {
    const auto found = numbering->numbers_.find(&value);
    if (found == numbering->numbers_.end()) continue;
    numbering->ended_.push_back(found->second);
    numbering->numbers_.erase(found);
  }
}

}  // namespace heddle
