// What is said of an object, as lines of words:
//   kernel SYMBOL RUN_ALL RUN_ONE shared BYTES rows BYTES uniform BYTES warps 0|1 prints 0|1 fails
//   0|1
//     asks 0|1 sites KIND... parameters SIZE:ALIGNMENT...
//   variable SYMBOL OFFSET BYTES      in the memory of all of them, which begins as
//   heddle_variables variables BYTES                   all of it name SYMBOL           for each of
//   the names that were asked for, in order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::clang_plugin {

struct Parameter {
  std::uint64_t size, alignment;
};

struct KernelDescription {
  std::string symbol, run_all, run_one;
  std::uint64_t shared = 0, rows = 0, uniform = 0;
  bool warps = false, prints = false, fails = false, asks = false;
  std::vector<int> sites;
  std::vector<Parameter> parameters;
};

struct VariableDescription {
  std::string symbol;
  std::uint64_t offset, size;
};

struct Description {
  std::vector<KernelDescription> kernels;
  std::vector<VariableDescription> variables;
  std::uint64_t variable_bytes = 0;
  std::vector<std::string> names;
};

std::string to_text(const Description& description);

}  // namespace heddle::clang_plugin
