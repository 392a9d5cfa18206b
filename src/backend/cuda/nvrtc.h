// CUDA C++ to code for a GPU, by NVIDIA's compiler library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heddle/export.h>

namespace heddle::cuda {

struct Source {
  std::string text;
  std::string file;  // what messages call it
  std::vector<std::string> options;
  // Names as the source has them, "sum<float>", of which the compiled ones are wanted.
  std::vector<std::string> names;
  // Headers that it may include, by name.
  std::vector<std::pair<std::string, std::string>> headers;
};

struct Compiled {
  bool done = false;
  std::string code;                // a cubin where the options name a real GPU, else PTX
  std::vector<std::string> names;  // compiled, in the order of Source::names
  std::string log;                 // what the compiler says, also where it fails
};

// Remembers on disk what it compiled. Throws import_error where the library is missing.
HEDDLE_API Compiled compile_source(const Source& source);

// (13, 0)
HEDDLE_API std::pair<int, int> nvrtc_version();

}  // namespace heddle::cuda
