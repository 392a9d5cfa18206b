// cuSOLVER's dense routines, opened at run time: types of the functions that are used, the handle
// of a stream, and the memory that a call works in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/cuda/blas.h"
#include "backend/cuda/libraries.h"
#include "backend/cuda/stream.h"
#include "runtime/buffer.h"
#include <heddle/dtype.h>

namespace heddle::cuda {

// cuSOLVER's own names, so that its manual can be read beside the code.
using SolverHandle = struct cusolverDnContext*;
using SolverParams = struct cusolverDnParams*;
using JacobiInfo = struct gesvdjInfo*;
enum EigMode : int { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
enum FillMode : int { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum Transposition : int { CUBLAS_OP_NONE = 0, CUBLAS_OP_TRANSPOSE = 1, CUBLAS_OP_ADJOINT = 2 };

// Throws device_error with the name of the status, or out_of_memory.
void check_solver(int status, const char* what);

// A function of cuSOLVER, by the name of its type: typed("cusolverDn?potrfBatched", dtype) has S,
// D, C or Z in the place of the question mark.
std::string typed(const char* name, Dtype dtype);
template <class F>
F* typed_function(Library library, const char* name, Dtype dtype) {
  return function<F>(library, typed(name, dtype).c_str());
}

struct SolverState {
  SolverHandle handle = nullptr;
  SolverParams params = nullptr;
  JacobiInfo jacobi = nullptr;
};
Handles<SolverState>::Borrowed solver_state(Stream& stream);

// Memory that a routine asks for, on the device and on the host.
class SolverMemory {
 public:
  SolverMemory(Device& device, Stream& stream, std::size_t device_bytes,
               std::size_t host_bytes = 0);
  void* device() const { return buffer_->data(); }
  std::size_t device_bytes() const { return device_bytes_; }
  void* host() const { return host_.get(); }
  std::size_t host_bytes() const { return host_bytes_; }
  // All of the device's memory, from the host's.
  void fill(Device& device, const void* from) {
    device.copy_from_host(*buffer_, 0, from, device_bytes_);
  }

 private:
  Ref<Buffer> buffer_;
  std::size_t device_bytes_, host_bytes_;
  std::unique_ptr<char[]> host_;
};

}  // namespace heddle::cuda
