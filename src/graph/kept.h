// Kept: a program with all that it needs of its graph, which is gone. It runs again and again on
// other memory, and makes no nodes for that: what a whole jitted call becomes, and what passes of a
// loop are (graph/kept_passes.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/copies.h"
#include "graph/program.h"
#include "graph/repeated_runs.h"
#include "graph/script.h"

namespace heddle::graph {

class HEDDLE_API Kept {
 public:
  // Numbers in nodes that are others in each run: which ones. Nodes that are gone by the time a
  // program is kept do not count.
  class Given {
   public:
    void add(const Node& node, std::int32_t operand, std::int32_t which);
    std::int32_t find(const Node& node, std::int32_t operand) const;  // -1: it stays what it is

   private:
    std::map<std::pair<std::uint64_t, std::int32_t>, std::int32_t> which_;
  };

  // How to make pending values, each given once, of computed ones. They are of this thread's own
  // graph, and nobody else holds what is between them, but outputs of nodes that have several.
  // Nothing is run. Null: some of it has been computed already, or reads other computed values.
  static std::shared_ptr<const Kept> of(std::span<const Ref<Value>> inputs,
                                        std::span<const Ref<Value>> results, const Given& given);
  // The same for a pass of a loop. What it has `taken` it may overwrite, and nobody else holds it
  // who does not need it later; results are what these are for the next pass, some of them inputs
  // perhaps. Inputs come after what is taken.
  static std::shared_ptr<Kept> of_pass(std::vector<Ref<Value>> taken,
                                       std::span<const Ref<Value>> inputs,
                                       std::span<const Ref<Value>> results, const Given& given);

  // The memory of the results, which nobody else has, for this memory of the inputs, which is
  // neither written to nor given on. `numbers`: those that were given, by which.
  using Numbers = std::span<const kernel::ScalarBits>;
  void run(std::span<Buffer* const> inputs, Numbers numbers, std::span<Ref<Buffer>> results) const;

 private:
  friend class KeptWriter;
  friend class KeptPasses;

  struct Slot {
    SlotSource::Kind kind = SlotSource::Kind::operand;
    std::int32_t which = -1;  // value; of outputs and targets: in the step's list
    std::int64_t offset = 0;  // bytes
  };
  struct Output {
    std::int32_t value = -1;
    std::size_t bytes = 0;
    std::int32_t donor = -1;  // a value
    bool operator==(const Output&) const = default;
  };
  struct Update {
    std::int32_t value = -1, old = -1;
    std::size_t bytes = 0;
    bool blank = false;
    bool in_place = false;  // nobody needs the old value afterwards
    std::int32_t continued = -1;
    Rest rest;
  };
  struct GivenScalar {
    std::size_t scalar;
    std::int32_t which;
    bool operator==(const GivenScalar&) const = default;
  };
  struct KeptStep {
    const Step* step = nullptr;  // null: a call of a library
    Device* device = nullptr;
    std::vector<Slot> slots;
    std::vector<kernel::ScalarBits> scalars;
    std::vector<GivenScalar> given;
    std::vector<Output> outputs;
    std::vector<Update> updates;
    ScriptStep call;
    std::vector<std::int32_t> ends;  // values that nobody needs after it
  };
  // By value.
  using Memory = std::vector<Ref<Buffer>>;
  using Places = std::vector<Buffer*>;  // where values are to be; empty: anywhere

  // `memory` has that of the inputs, and gets that of the results.
  void run_steps(Numbers numbers, Memory& memory, const Places& places) const;
  bool run_repeated(std::span<Buffer* const> inputs, std::span<Ref<Buffer>> results) const;
  static Numbers scalars_of(const KeptStep& step, Numbers numbers,
                            std::vector<kernel::ScalarBits>& room);
  void launch(const KeptStep& step, Numbers numbers, Memory& memory, const Places& places) const;
  void launch(const Bands& bands, Numbers numbers, Memory& memory) const;
  void call(const KeptStep& step, Memory& memory) const;

  std::shared_ptr<Program> program_;
  std::shared_ptr<const std::vector<Bands>> bands_;  // null: there are none
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
