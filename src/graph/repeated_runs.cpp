#include "graph/repeated_runs.h"

#include <algorithm>

namespace heddle::graph {

namespace {

constexpr int usual_calls = 2;  // before anything is written down: libraries make their plans then
constexpr std::size_t most_sets = 3, most_runs = 8;
// Of so many runs that were written down, most should have come again by then.
constexpr int trials = 6;

bool is_free(const std::vector<Ref<Buffer>>& set) {
  return std::ranges::all_of(set, [](const auto& buffer) { return buffer->references() == 1; });
}

}  // namespace

RepeatedRuns::Set* RepeatedRuns::free_set(Device& device, std::span<const std::size_t> bytes) {
  for (const auto& set : sets_) {
    if (is_free(*set)) return set.get();
  }
  if (sets_.size() >= most_sets) return nullptr;
  auto made = std::make_unique<Set>();
  for (auto size : bytes) made->push_back(Buffer::allocate(device, size));
  sets_.push_back(std::move(made));
  return sets_.back().get();
}

RepeatedRuns::Run* RepeatedRuns::find(std::span<const void* const> inputs) {
  const auto found = std::ranges::find_if(runs_, [&](const Run& run) {
    return std::ranges::equal(run.inputs, inputs) && is_free(*run.set) && run.work->is_for_here();
  });
  return found == runs_.end() ? nullptr : &*found;
}

void RepeatedRuns::give_up() {
  given_up_ = true;
  runs_.clear();
  sets_.clear();
}

bool RepeatedRuns::run(Device& device, std::span<Buffer* const> inputs,
                       std::span<const std::size_t> bytes, const Steps& steps,
                       std::span<Ref<Buffer>> results) {
  const std::lock_guard lock(mutex_);
  if (given_up_) return false;
  if (calls_ < usual_calls) {
    ++calls_;
    return false;
  }
  std::vector<const void*> places;
  std::vector<Buffer*> used(inputs.begin(), inputs.end());
  for (const Buffer* input : inputs) places.push_back(input->data());
  auto take = [&](const Set& set) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      results[i] = set[i];
      used.push_back(set[i].get());
    }
  };
  Run* run = find(places);
  if (run) {
    ++hits_;
    take(*run->set);
  } else {
    // Memory that is another at each call is not worth it.
    if (made_ >= trials && hits_ < 2 * made_) {
      give_up();
      return false;
    }
    Set* set = free_set(device, bytes);
    if (!set) return false;
    take(*set);
    auto work = device.write_down([&] { steps(*set); }, used);
    if (!work) {
      std::ranges::fill(results, nullptr);
      give_up();
      return false;
    }
    ++made_;
    if (runs_.size() >= most_runs) runs_.erase(std::ranges::min_element(runs_, {}, &Run::used));
    runs_.push_back({std::move(places), set, std::move(work)});
    run = &runs_.back();
  }
  run->used = ++clock_;
  run->work->run(used);
  return true;
}

}  // namespace heddle::graph
