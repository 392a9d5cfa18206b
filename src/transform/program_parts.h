// The parts that every program of a loop is made of: locals, arrays and parameters, each with what
// a launch gives for it. See loop_program.cpp (threads of a grid) and loop_nests.cpp (one core).
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "transform/loop_kernel.h"
#include "transform/program_words.h"

namespace heddle::transform {

// Thrown where the loop cannot be one program.
struct Impossible {};

class ProgramParts {
 protected:
  using Words = program_words::Words;
  using Statements = program_words::Statements;
  using Argument = LoopKernel::Argument;

  int new_local(Dtype dtype);
  Dtype type_of(int local) const;
  // A number that the launch gives.
  int number_parameter(const Argument& argument, Dtype dtype);
  // An array that the launch gives, with one axis.
  int array_parameter(const Argument& argument, Dtype dtype);

  // A new local with the result of an operation on others.
  int compute(Statements& to, Op op, Dtype compute, Dtype dtype, const std::vector<int>& args);
  int cast(Statements& to, int value, Dtype dtype);

  // All that comes before the statements. Not checked, and rounded as arrays are; no file, as many
  // registers as there are, optimized.
  Words words_before_statements(bool host) const;

  std::vector<std::pair<Dtype, bool>> locals_;  // and whether they count turns
  std::vector<Argument> arguments_;

 private:
  std::vector<std::pair<int, int>> parameters_;
  std::vector<std::pair<Argument, int>> known_;  // arrays
  Words arrays_;
  int array_count_ = 0;
};

}  // namespace heddle::transform
