// What is said of an object, as lines of words:
//   kernel SYMBOL RUN_ALL RUN_ONE shared BYTES rows BYTES uniform BYTES warps 0|1 prints 0|1
//     fails 0|1 asks 0|1 sites KIND... parameters SIZE:ALIGNMENT...       (one line)
// where the kernel is checked followed by
//   checked GRANULE
//   site PLACE PARTED          for each of its sites: numbers of places
//   shared OFFSET BYTES NAME   for each of its shared variables; those of no size are dynamic
//   parameter NAME             for each of its parameters
// and of the module
//   place TEXT                 a line of the source, which has the next number
//   variable SYMBOL OFFSET BYTES      in the memory of all of them, which begins as
//                                     heddle_variables
//   variables BYTES                   all of it
//   debug                             where it is for a debugger
//   name SYMBOL                       for each of the names that were asked for, in order
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
  // Of those that are checked.
  std::uint64_t granule = 0;
  std::vector<std::pair<int, int>> places;
  struct Shared {
    std::uint64_t offset, bytes;
    std::string name;
  };
  std::vector<Shared> shared_variables;
  std::vector<std::string> parameter_names;
};

struct VariableDescription {
  std::string symbol;
  std::uint64_t offset, size;
};

struct Description {
  std::vector<KernelDescription> kernels;
  std::vector<VariableDescription> variables;
  std::uint64_t variable_bytes = 0;
  std::vector<std::string> names, places;
  bool debug = false;
};

std::string to_text(const Description& description);

}  // namespace heddle::clang_plugin
