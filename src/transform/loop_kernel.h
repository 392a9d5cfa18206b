// Whole loops as one kernel: where each element of what is carried depends on few others, a thread
// keeps its elements in registers through all passes. Written as a program (simt/program.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/primitive.h"
#include "ops/launch.h"
#include "transform/loop.h"

namespace heddle::transform {

class LoopKernel {
 public:
  // What a parameter of the program is given.
  struct Argument {
    enum class Kind : std::uint8_t {
      first_pass,
      end_pass,
      operand,  // which: of the loop
      output,   // the same
      number,   // which: step, operand
      table,    // which: of Loop::numbers
      reached,  // memory for a pass: the one before which the loop ended
    };
    Kind kind;
    std::int32_t which = 0, operand = 0;
  };

  LoopKernel(const Loop& loop, std::shared_ptr<const LaunchableProgram> program,
             std::vector<Argument> arguments, std::int64_t threads, std::int64_t work);
  void run(LibraryCall& call) const;

 private:
  struct Memory {
    std::vector<Buffer*> operands, outputs;
    Buffer* reached = nullptr;
  };
  void launch(Device& device, std::int64_t first, std::int64_t end, const Memory& memory) const;

  const Loop& loop_;
  std::shared_ptr<const LaunchableProgram> program_;
  std::vector<Argument> arguments_;
  std::vector<Ref<Buffer>> tables_;
  std::int64_t threads_;
  std::int64_t work_;  // of a thread in a pass, in cheap operations
};

// The kernel that a loop becomes; null: it is computed pass by pass. Remembered in `prepared`.
const LoopKernel* kernel_of(const Loop& loop, std::shared_ptr<const void>& prepared);

}  // namespace heddle::transform
