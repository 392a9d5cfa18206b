// Launches of programs that people write: foreign calls (ops/foreign.h) with declared reads and
// writes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "runtime/programs.h"
#include <heddle/array.h>

namespace heddle {

// A program, with its code for each device that wanted it.
class HEDDLE_API LaunchableProgram {
 public:
  explicit LaunchableProgram(simt::Program program);
  ~LaunchableProgram();
  LaunchableProgram(const LaunchableProgram&) = delete;
  LaunchableProgram& operator=(const LaunchableProgram&) = delete;

  const simt::Program& program() const { return program_; }
  const CompiledProgram& code(Device& device) const;
  std::uint64_t number() const { return number_; }  // no other has it

 private:
  struct Codes;
  simt::Program program_;
  std::uint64_t number_;
  std::unique_ptr<Codes> codes_;
};

// An array, or the bits of a number of the type that the program's local has.
struct LaunchNumber {
  std::uint64_t word[2] = {0, 0};
};
using LaunchArgument = std::variant<const array*, LaunchNumber>;

// Arguments as the program has parameters; `device`: where a program without arrays runs. Throws
// value_error or type_error for what no launch can be made of.
HEDDLE_API void launch(const std::shared_ptr<const LaunchableProgram>& program,
                       const LaunchGeometry& geometry, std::span<const LaunchArgument> arguments,
                       Device& device);

}  // namespace heddle
