// Loop: a body that is repeated, as one step of a program. Scripts have loops where a recorded call
// repeats itself (transform/roll_up.h), and heddle.lax makes them of a body that was recorded once.
//
// A loop is a library step without a derivative and without rows: whoever differentiates or batches
// gets its passes instead (make_passes), one node for each step of each pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/script.h"
#include <heddle/export.h>

namespace heddle {
class LaunchableProgram;
}

namespace heddle::transform {

// Values of the body are numbered: those that are carried from pass to pass, those that are the
// same in all passes, rows of arrays that have a row for each pass, the counter if there is one,
// and then what the steps make. Operands of the loop are the first three of these: what carried
// values begin with, and arrays with all rows.
struct HEDDLE_API Loop final : Parameters {
  // Which row a pass reads, or what the counter is: first + by * pass.
  struct Places {
    std::int64_t first = 0, by = 1;
  };
  // An offset that grows from pass to pass, in elements: that of an operand, or of the target (-1).
  struct Moved {
    std::int32_t step, operand;
    std::int64_t by;
  };
  // An operand that is another number in each pass.
  struct Numbers {
    std::int32_t step, operand;
    std::vector<kernel::ScalarBits> by_pass;
  };

  std::int64_t passes = 0;  // of a loop with a condition: the most
  std::vector<graph::OutputType> carried, fixed, rows;
  std::vector<Places> row_places;  // by row
  std::optional<Places> counter;   // int64, without dimensions
  std::vector<graph::ScriptStep> steps;
  std::vector<Moved> moved;
  std::vector<Numbers> numbers;
  // A value without dimensions that the first steps make: where it is false, the loop ends before
  // the others. -1: there is none.
  std::int32_t condition = -1;
  std::int32_t condition_steps = 0;

  // Outputs of the loop: what carried values are in the end, what other values of the last pass
  // are, and arrays of what values are in all passes. Loops with a condition have only the first.
  std::vector<std::int32_t> next;  // by carried value: what the next pass begins with
  std::vector<std::int32_t> last;
  std::vector<std::int32_t> stacked;
  // Where in its array a pass puts what it stacks: by stacked value.
  std::vector<Places> stack_places;

  Device* device = nullptr;
  // Where it is computed pass by pass: how many at once; 0: as many as seem good.
  std::int64_t together = 0;

  std::int32_t first_fixed() const { return static_cast<std::int32_t>(carried.size()); }
  std::int32_t first_row() const { return first_fixed() + static_cast<std::int32_t>(fixed.size()); }
  std::int32_t counter_number() const {
    return counter ? first_row() + static_cast<std::int32_t>(rows.size()) : -1;
  }
  std::int32_t first_made() const {
    return first_row() + static_cast<std::int32_t>(rows.size()) + (counter ? 1 : 0);
  }
  std::int32_t values() const;
  const graph::OutputType& type_of(std::int32_t value) const;
  // Types of the outputs.
  std::vector<graph::OutputType> outputs() const;
  // Whether passes launch the same kernels again (graph/kept_passes.h): not where it depends on the
  // pass what overlaps, or whether there is another one.
  bool repeats_kernels() const;

  // Sets what is found out once: to be called when all the above is there.
  void finish();
  void write_key(std::vector<std::uint64_t>& key) const override;

 private:
  friend void run_loop(LibraryCall& call);
  std::vector<std::uint64_t> key_;
  std::vector<graph::OutputType> made_;
  mutable std::shared_ptr<const void> prepared_;  // see loop.cpp
};

extern HEDDLE_API const Primitive loop_primitive;

// Whether somebody who listens wants the passes of a loop over such values, not the loop.
HEDDLE_API bool wants_passes(std::span<const Operand> operands);
// Makes the loop, or its passes where these are wanted; `made` has room for its outputs.
HEDDLE_API void make_loop(const std::shared_ptr<const Loop>& loop, std::span<Operand> operands,
                          std::span<Ref<Value>> made);

// The step of a script that a loop is, without values.
graph::ScriptStep step_of(std::shared_ptr<const Loop> loop);

}  // namespace heddle::transform
