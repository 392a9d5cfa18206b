#include "backend/cuda/blas.h"

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "backend/cuda/capture.h"
#include "backend/cuda/libraries.h"

namespace heddle::cuda {

namespace {

using Handle = struct cublasContext*;
enum Operation : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum MathMode : int { CUBLAS_DEFAULT_MATH = 0 };
enum Status : int { CUBLAS_STATUS_ALLOC_FAILED = 3 };

enum ComputeType : int {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
enum Algorithm : int { CUBLAS_GEMM_DEFAULT = -1 };

using Gemm = int(Handle, Operation, Operation, std::int64_t m, std::int64_t n, std::int64_t k,
                 const void* alpha, const void* a, CudaType a_type, std::int64_t lda, const void* b,
                 CudaType b_type, std::int64_t ldb, const void* beta, void* c, CudaType c_type,
                 std::int64_t ldc, ComputeType, Algorithm);
using StackedGemm = int(Handle, Operation, Operation, std::int64_t m, std::int64_t n,
                        std::int64_t k, const void* alpha, const void* a, CudaType a_type,
                        std::int64_t lda, long long a_stride, const void* b, CudaType b_type,
                        std::int64_t ldb, long long b_stride, const void* beta, void* c,
                        CudaType c_type, std::int64_t ldc, long long c_stride, std::int64_t count,
                        ComputeType, Algorithm);

using ComplexStackedGemm = int(Handle, Operation, Operation, std::int64_t m, std::int64_t n,
                               std::int64_t k, const void* alpha, const void* a, std::int64_t lda,
                               long long a_stride, const void* b, std::int64_t ldb,
                               long long b_stride, const void* beta, void* c, std::int64_t ldc,
                               long long c_stride, std::int64_t count);

std::atomic<bool> tf32{false};

}  // namespace

CudaType cuda_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return CUDA_R_16F;
    case Dtype::bfloat16:
      return CUDA_R_16BF;
    case Dtype::float32:
      return CUDA_R_32F;
    case Dtype::float64:
      return CUDA_R_64F;
    case Dtype::complex64:
      return CUDA_C_32F;
    case Dtype::complex128:
      return CUDA_C_64F;
    default:
      throw std::logic_error("CUDA's libraries compute in no such type");
  }
}

void check_blas(int status, const char* what) {
  if (status == 0) return;
  auto* words = function<const char*(int)>(Library::cublas, "cublasGetStatusString");
  const std::string text = fmt::format("{}: {}", what, words(status));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw out_of_memory(text);
  throw_failed_call(text, status);
}

namespace {

// Rows of `stride` elements, or columns of them. cuBLAS thinks in columns: to it what we have by
// rows is the transposed matrix.
struct Operand {
  Operation operation;
  std::int64_t leading;
};

Operand operand(const Matrix& m, std::int64_t columns) {
  // With one row or column both strides may be 1: the leading one must still span the matrix.
  bool by_rows = m.column_stride == 1 && m.row_stride >= columns;
  return by_rows ? Operand{CUBLAS_OP_N, m.row_stride} : Operand{CUBLAS_OP_T, m.column_stride};
}

ComputeType compute_type(Dtype dtype) {
  if (real_type(dtype) == Dtype::float64) return CUBLAS_COMPUTE_64F;
  return dtype == Dtype::float32 && tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

Handle make_handle() {
  Handle made = nullptr;
  check_blas(function<int(Handle*)>(Library::cublas, "cublasCreate_v2")(&made), "cublasCreate");
  // Without TF32, which keeps three digits.
  function<int(Handle, MathMode)>(Library::cublas, "cublasSetMathMode")(made, CUBLAS_DEFAULT_MATH);
  return made;
}

// What products of a captured stream use beside their operands: cuBLAS would make memory of its own
// a part of the graph. Graphs of one stream follow one another.
void* capture_workspace(Stream& stream, std::size_t bytes) {
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<Stream*, CUdeviceptr>;
  const std::lock_guard lock(*mutex);
  CUdeviceptr& memory = (*known)[&stream];
  const RelaxedCapture relaxed;
  if (!memory) check(api().cuMemAlloc(&memory, bytes), "cuMemAlloc");
  return reinterpret_cast<void*>(memory);
}

// A stream that was destroyed and made again has another handle.
void set_stream(Handle handle, Stream& stream) {
  static auto* set = function<int(Handle, CUstream)>(Library::cublas, "cublasSetStream_v2");
  check_blas(set(handle, stream.handle()), "cublasSetStream");
  if (!any_capture() || !stream.capturing()) return;
  constexpr std::size_t bytes = std::size_t{32} << 20;  // as cuBLAS takes on GPUs since Hopper
  static auto* give =
      function<int(Handle, void*, std::size_t)>(Library::cublas, "cublasSetWorkspace_v2");
  check_blas(give(handle, capture_workspace(stream, bytes), bytes), "cublasSetWorkspace");
}

Handles<Handle>& handles() {
  static auto* all = new Handles<Handle>;
  return *all;
}

}  // namespace

BlasHandle::BlasHandle(Stream& stream)
    : handle_(handles().borrow(
          stream,
          [&] {
            ContextScope scope(stream.gpu());
            return make_handle();
          },
          [&](Handle handle) { set_stream(handle, stream); })) {}

void* cublas_handle(Stream& stream) {
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<Stream*, Handle>;
  ContextScope scope(stream.gpu());
  std::lock_guard lock(*mutex);
  Handle& handle = (*known)[&stream];
  if (!handle) handle = make_handle();
  set_stream(handle, stream);
  return handle;
}

// By rows c = a b is by columns the transposed c' = b' a'.
void matmul(Stream& stream, const Matmul& p) {
  ContextScope scope(stream.gpu());
  const BlasHandle borrowed(stream);
  Handle handle = borrowed.get();
  const Operand a = operand(p.a, p.k), b = operand(p.b, p.n);
  const CudaType type = cuda_type(p.dtype);
  const ComputeType compute = compute_type(p.dtype);
  // With room for a complex number; a real one is the first of the two.
  const double doubles[] = {1, 0, 0, 0};
  const float floats[] = {1, 0, 0, 0};
  const bool in_double = compute == CUBLAS_COMPUTE_64F;
  const void* one = in_double ? static_cast<const void*>(doubles) : floats;
  const void* zero = in_double ? static_cast<const void*>(doubles + 2) : floats + 2;
  if (p.count == 1) {
    static auto* gemm = function<Gemm>(Library::cublas, "cublasGemmEx_64");
    check_blas(
        gemm(handle, b.operation, a.operation, p.n, p.m, p.k, one, p.b.data, type, b.leading,
             p.a.data, type, a.leading, zero, p.c.data, type, p.n, compute, CUBLAS_GEMM_DEFAULT),
        "matmul");
    return;
  }
  if (p.dtype == Dtype::complex64) {  // which the function below refuses
    static auto* gemm =
        function<ComplexStackedGemm>(Library::cublas, "cublasCgemmStridedBatched_64");
    check_blas(gemm(handle, b.operation, a.operation, p.n, p.m, p.k, one, p.b.data, b.leading,
                    p.b.stack_stride, p.a.data, a.leading, p.a.stack_stride, zero, p.c.data, p.n,
                    p.c.stack_stride, p.count),
               "matmul");
    return;
  }
  static auto* gemm = function<StackedGemm>(Library::cublas, "cublasGemmStridedBatchedEx_64");
  check_blas(gemm(handle, b.operation, a.operation, p.n, p.m, p.k, one, p.b.data, type, b.leading,
                  p.b.stack_stride, p.a.data, type, a.leading, p.a.stack_stride, zero, p.c.data,
                  type, p.n, p.c.stack_stride, p.count, compute, CUBLAS_GEMM_DEFAULT),
             "matmul");
}

void allow_tf32(bool allow) { tf32 = allow; }
bool allows_tf32() { return tf32; }

}  // namespace heddle::cuda
