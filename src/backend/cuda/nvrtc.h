// CUDA C++ to code for a GPU, by NVIDIA's compiler library.
#pragma once

#include <utility>

#include "runtime/sources.h"
#include <heddle/export.h>

namespace heddle::cuda {

using Source = SourceText;
using Compiled = CompiledSource;  // a cubin where the options name a real GPU, else PTX

// Remembers on disk what it compiled. Throws import_error where the library is missing.
HEDDLE_API Compiled compile_source(const Source& source);

// (13, 0)
HEDDLE_API std::pair<int, int> nvrtc_version();

}  // namespace heddle::cuda
