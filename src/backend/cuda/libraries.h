// CUDA's libraries, opened when they are first needed: from the loader's path, from CUDA_PATH or
// /usr/local/cuda, or from the `nvidia-*` wheels, for CUDA 12 and 13; and the part of Heddle that
// nvcc compiles, which lies beside this library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heddle/export.h>

namespace heddle::cuda {

enum class Library : std::uint8_t {
  cublas,
  cublaslt,
  cufft,
  curand,
  cusolver,
  cusparse,
  nvrtc,
  nvjitlink,
  nccl,
  nvtx,
  cudart,
  nvvm,
  nvml,
  cub,  // Heddle's own, see cub/heddle_cub.h
};

// A function of a library. Throws import_error, which names the library and says how to install
// it, where the library is missing, and device_error where it is too old to have the function.
void* find_function(Library library, const char* name);

// F is the function's type.
template <class F>
F* function(Library library, const char* name) {
  return reinterpret_cast<F*>(find_function(library, name));
}

bool is_installed(Library library);
// Whether the library is there and has the function.
bool has_function(Library library, const char* name);

// Throws the error of a call that a library could not do; out_of_memory where the GPU has next to
// none left: libraries call that an internal error, as a rule.
[[noreturn]] void throw_failed_call(const std::string& text, int status);

struct LibraryPlace {
  std::string name;  // as in "cuBLAS"
  std::string path;  // empty where it is missing
};
// Where each library is; opens those that are there.
HEDDLE_API std::vector<LibraryPlace> library_places();
// Where one is, by its name; opens it. Throws import_error where it is missing.
HEDDLE_API std::string library_path(const std::string& name);

}  // namespace heddle::cuda
