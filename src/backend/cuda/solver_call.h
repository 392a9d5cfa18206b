// What a factorisation of a stack of matrices has at hand: the stream, a handle of the library, the
// types, and memory to work in.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "backend/cuda/cusolver.h"
#include "backend/cuda/device.h"
#include "runtime/solvers.h"

namespace heddle::cuda {

// The current stream with what is used on it.
struct SolverCall {
  CudaDevice& device;
  Stream& stream;
  StreamUse use;
  Handles<SolverState>::Borrowed borrowed;
  const SolverState& state;
  ContextScope scope;
  const Batch& batch;
  CudaType type, real;
  std::int64_t item;

  SolverCall(CudaDevice& on, const Batch& what, std::initializer_list<Buffer*> buffers)
      : device(on),
        stream(current_stream(on.gpu())),
        use(stream, present(what.status, buffers)),
        borrowed(solver_state(stream)),
        state(*borrowed),
        scope(on.gpu()),
        batch(what),
        type(cuda_type(what.dtype)),
        real(cuda_type(real_type(what.dtype))),
        item(itemsize(what.dtype)) {}

  static std::vector<Buffer*> present(Buffer* status, std::initializer_list<Buffer*> buffers) {
    std::vector<Buffer*> used{status};
    std::copy_if(buffers.begin(), buffers.end(), std::back_inserter(used),
                 [](Buffer* buffer) { return buffer != nullptr; });
    return used;
  }

  int* status(std::int64_t i = 0) const { return static_cast<int*>(batch.status->data()) + i; }
  void clear_status() const {
    check(
        api().cuMemsetD8Async(device_pointer(status()), 0,
                              static_cast<std::size_t>(batch.count) * sizeof(int), stream.handle()),
        "linalg");
  }
  // Matrix i of a stack of matrices with `size` elements.
  void* at(Buffer& stack, std::int64_t i, std::int64_t size) const {
    return static_cast<char*>(stack.data()) + i * size * item;
  }
  void* real_at(Buffer& stack, std::int64_t i, std::int64_t size) const {
    return static_cast<char*>(stack.data()) + i * size * itemsize(real_type(batch.dtype));
  }
  SolverMemory memory(std::size_t device_bytes, std::size_t host_bytes = 0) const {
    return {device, stream, device_bytes, host_bytes};
  }
  SolverMemory memory_of_elements(int elements) const {
    return memory(static_cast<std::size_t>(elements) * static_cast<std::size_t>(item));
  }
  // The address of every matrix of a stack, in device memory.
  SolverMemory addresses(Buffer& stack, std::int64_t size) const {
    std::vector<void*> list(static_cast<std::size_t>(batch.count));
    for (std::int64_t i = 0; i < batch.count; ++i) {
      list[static_cast<std::size_t>(i)] = at(stack, i, size);
    }
    SolverMemory made = memory(list.size() * sizeof(void*));
    made.fill(device, static_cast<const void*>(list.data()));
    return made;
  }
  template <class F>
  F* solver(const char* name) const {
    return typed_function<F>(Library::cusolver, name, batch.dtype);
  }
  template <class F>
  F* blas(const char* name) const {
    return typed_function<F>(Library::cublas, name, batch.dtype);
  }
};

}  // namespace heddle::cuda
