// Whole loops as one program (simt/program.h). Where each element of what is carried depends on few
// others, a thread keeps its elements in registers through all passes (loop_program.h); where all
// is small, one core goes through the steps of pass after pass (loop_nests.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/primitive.h"
#include "ops/launch.h"
#include "runtime/programs.h"
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
      number,   // which: step of `loop`, operand
      table,    // which: of Loop::numbers of `loop`
      reached,  // memory for a pass: the one before which the loop ended
      scratch,  // which: a number of its own; `bytes`
    };
    Kind kind;
    std::int32_t which = 0, operand = 0;
    const Loop* loop = nullptr;  // this one, or one inside
    std::int64_t bytes = 0;
    bool operator==(const Argument&) const = default;
  };

  LoopKernel(const Loop& loop, std::shared_ptr<const LaunchableProgram> program,
             std::vector<Argument> arguments, std::int64_t threads, std::int64_t work);
  void run(LibraryCall& call) const;

 private:
  struct Memory {
    std::vector<Buffer*> operands, outputs;
    Buffer* reached = nullptr;
    std::vector<Buffer*> scratch;  // by argument
  };
  bool on_host() const { return program_->program().host; }
  Memory memory_for(LibraryCall& call, std::vector<Ref<Buffer>>& held) const;
  void launch(Device& device, std::int64_t first, std::int64_t end, const Memory& memory) const;
  void launch_host(std::span<std::uint64_t> words) const;

  const Loop& loop_;
  std::shared_ptr<const LaunchableProgram> program_;
  HostCode host_;
  std::vector<Argument> arguments_;
  std::vector<Ref<Buffer>> tables_;  // by argument
  std::int64_t threads_;
  std::int64_t work_;  // of a thread in a pass, in cheap operations
};

// The kernel that a loop becomes; null: it is computed pass by pass. Remembered in `prepared`.
const LoopKernel* kernel_of(const Loop& loop, std::shared_ptr<const void>& prepared);

}  // namespace heddle::transform
