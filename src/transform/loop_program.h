// The program (simt/program.h) that computes a loop, for loop_kernel.cpp.
#pragma once

#include <optional>

#include "transform/loop_kernel.h"

namespace heddle::transform {

// How many threads a block has, of so many.
inline std::int64_t block_of(std::int64_t threads) {
  constexpr std::int64_t most = 256;
  return threads < most ? threads : most;
}

struct LoopProgram {
  simt::Program program;
  std::vector<LoopKernel::Argument> arguments;
  std::int64_t threads = 1;
  std::int64_t work = 0;
};

// Nothing where threads would need elements of one another, or where the body is long.
std::optional<LoopProgram> program_of(const Loop& loop);

}  // namespace heddle::transform
