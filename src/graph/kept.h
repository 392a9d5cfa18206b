// Kept: a program with all that it needs of its graph, which is gone. It runs again and again on
// other memory, and makes no nodes for that: what a whole jitted call becomes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/copies.h"
#include "graph/program.h"
#include "graph/repeated_runs.h"
#include "graph/script.h"

namespace heddle::graph {

class HEDDLE_API Kept {
 public:
  // How to make pending values, each given once, of computed ones. They are of this thread's own
  // graph, and nobody else holds what is between them, but outputs of nodes that have several.
  // Nothing is run. Null: some of it has been computed already, or reads other computed values.
  // `drawn`: nodes of random words, each with its number; those that are gone by now do not count.
  using Drawn = std::unordered_map<const Node*, std::int32_t>;
  static std::shared_ptr<const Kept> of(std::span<const Ref<Value>> inputs,
                                        std::span<const Ref<Value>> results,
                                        const Drawn& drawn = {});

  // The memory of the results, which nobody else has, for this memory of the inputs, which is
  // neither written to nor given on. `streams`: by number, the operands of the random words.
  using Stream = std::array<kernel::ScalarBits, 3>;
  void run(std::span<Buffer* const> inputs, std::span<const Stream> streams,
           std::span<Ref<Buffer>> results) const;

 private:
  friend class Keeping;

  struct Slot {
    SlotSource::Kind kind = SlotSource::Kind::operand;
    std::int32_t which = -1;  // value; of outputs and targets: in the step's list
    std::int64_t offset = 0;  // bytes
  };
  struct Output {
    std::int32_t value = -1;
    std::size_t bytes = 0;
    std::int32_t donor = -1;  // a value
  };
  struct Update {
    std::int32_t value = -1, old = -1;
    std::size_t bytes = 0;
    bool blank = false;
    bool in_place = false;  // nobody needs the old value afterwards
    std::int32_t continued = -1;
    Rest rest;
  };
  // A number of a kernel that is another one in each run.
  struct Draw {
    std::size_t scalar;
    std::int32_t stream, operand;
  };
  struct KeptStep {
    const Step* step = nullptr;  // null: a call of a library
    Device* device = nullptr;
    std::vector<Slot> slots;
    std::vector<kernel::ScalarBits> scalars;
    std::vector<Draw> draws;
    std::vector<Output> outputs;
    std::vector<Update> updates;
    ScriptStep call;
    std::vector<std::int32_t> ends;  // values that nobody needs after it
  };
  // By value.
  using Memory = std::vector<Ref<Buffer>>;
  using Places = std::vector<Buffer*>;  // where values are to be; empty: anywhere

  // `places`: for the results; empty: anywhere.
  void run_steps(std::span<Buffer* const> inputs, std::span<const Stream> streams,
                 std::span<const Ref<Buffer>> places, std::span<Ref<Buffer>> results) const;
  bool run_repeated(std::span<Buffer* const> inputs, std::span<Ref<Buffer>> results) const;
  static std::span<const kernel::ScalarBits> numbers_of(const KeptStep& step,
                                                        std::span<const Stream> streams,
                                                        std::vector<kernel::ScalarBits>& drawn);
  void launch(const KeptStep& step, std::span<const Stream> streams, Memory& memory,
              const Places& places) const;
  void launch(const Bands& bands, std::span<const Stream> streams, Memory& memory) const;
  void call(const KeptStep& step, Memory& memory) const;

  std::shared_ptr<Program> program_;
  std::vector<KeptStep> steps_;
  std::vector<OutputType> types_;  // by value; the inputs are the first ones
  std::vector<std::int32_t> results_;
  // Where its device may write it down: how many launches it is, at least.
  bool repeats_ = false;
  std::uint64_t launches_ = 0;
  std::vector<std::size_t> result_bytes_;
  mutable RepeatedRuns runs_;
};

}  // namespace heddle::graph
