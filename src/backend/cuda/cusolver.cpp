#include "backend/cuda/cusolver.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle::cuda {

namespace {

const char* words(int status) {
  switch (status) {
    case 1:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case 2:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case 3:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case 4:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case 6:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case 7:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case 9:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "an error of cuSOLVER";
  }
}

}  // namespace

void check_solver(int status, const char* what) {
  if (status == 0) return;
  auto text = fmt::format("{}: {} ({})", what, words(status), status);
  if (status == 2) throw out_of_memory(text);
  throw_failed_call(text, status);
}

std::string typed(const char* name, Dtype dtype) {
  std::string made = name;
  std::replace(made.begin(), made.end(), '?',
               dtype == Dtype::float32     ? 'S'
               : dtype == Dtype::float64   ? 'D'
               : dtype == Dtype::complex64 ? 'C'
                                           : 'Z');
  return made;
}

namespace {

SolverState make_state() {
  SolverState made;
  check_solver(function<int(SolverHandle*)>(Library::cusolver, "cusolverDnCreate")(&made.handle),
               "cusolverDnCreate");
  check_solver(
      function<int(SolverParams*)>(Library::cusolver, "cusolverDnCreateParams")(&made.params),
      "cusolverDnCreateParams");
  check_solver(
      function<int(JacobiInfo*)>(Library::cusolver, "cusolverDnCreateGesvdjInfo")(&made.jacobi),
      "cusolverDnCreateGesvdjInfo");
  return made;
}

}  // namespace

Handles<SolverState>::Borrowed solver_state(Stream& stream) {
  static auto* states = new Handles<SolverState>;
  ContextScope scope(stream.gpu());
  return states->borrow(stream, make_state, [&](const SolverState& state) {
    // A stream that was destroyed and made again has another handle.
    static auto* set_stream =
        function<int(SolverHandle, CUstream)>(Library::cusolver, "cusolverDnSetStream");
    check_solver(set_stream(state.handle, stream.handle()), "cusolverDnSetStream");
  });
}

SolverMemory::SolverMemory(Device& device, Stream& stream, std::size_t device_bytes,
                           std::size_t host_bytes)
    : buffer_(Buffer::allocate(device, std::max<std::size_t>(device_bytes, 1))),
      device_bytes_(device_bytes),
      host_bytes_(host_bytes) {
  Buffer* used[] = {buffer_.get()};
  order_on(stream, used);
  if (host_bytes > 0) host_ = std::make_unique<char[]>(host_bytes);
}

}  // namespace heddle::cuda
