// RepeatedRuns: a kept program as work that its device has written down. What is written down is
// for certain memory: runs are told apart by that of the inputs, and results are in one of a few
// sets of memory that nobody else holds any more. So a loop that gives each call the results of the
// one before has two runs that take turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/device.h"

namespace heddle::graph {

class RepeatedRuns {
 public:
  // Runs the program, with its results in this memory.
  using Steps = std::function<void(std::span<const Ref<Buffer>> places)>;

  // False: it has to be run in the usual way. `bytes`: of each result.
  bool run(Device& device, std::span<Buffer* const> inputs, std::span<const std::size_t> bytes,
           const Steps& steps, std::span<Ref<Buffer>> results);

 private:
  using Set = std::vector<Ref<Buffer>>;
  struct Run {
    std::vector<const void*> inputs;
    Set* set;
    std::unique_ptr<RepeatedWork> work;
    std::uint64_t used = 0;
  };

  Set* free_set(Device& device, std::span<const std::size_t> bytes);
  Run* find(std::span<const void* const> inputs);
  void give_up();

  std::mutex mutex_;
  int calls_ = 0;
  int hits_ = 0, made_ = 0;
  bool given_up_ = false;
  std::vector<std::unique_ptr<Set>> sets_;
  std::vector<Run> runs_;
  std::uint64_t clock_ = 0;
};

}  // namespace heddle::graph
