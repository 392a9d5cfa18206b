#include "backend/cuda/blas.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "backend/cuda/libraries.h"

namespace heddle::cuda {

namespace {

using Handle = struct cublasContext*;
enum Operation : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum MathMode : int { CUBLAS_DEFAULT_MATH = 0 };

template <class T>
using Gemm = int(Handle, Operation, Operation, std::int64_t m, std::int64_t n, std::int64_t k,
                 const T* alpha, const void* a, std::int64_t lda, const void* b, std::int64_t ldb,
                 const T* beta, void* c, std::int64_t ldc);

void check_blas(int status, const char* what) {
  if (status == 0) return;
  auto* words = function<const char*(int)>(Library::cublas, "cublasGetStatusString");
  throw device_error(fmt::format("{}: {}", what, words(status)), status);
}

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

// By rows c = a b is by columns the transposed c' = b' a'.
template <class T>
void multiply(Handle handle, const char* name, const Matmul& p, const T* one, const T* zero) {
  auto* gemm = function<Gemm<T>>(Library::cublas, name);
  Operand a = operand(p.a, p.k), b = operand(p.b, p.n);
  check_blas(gemm(handle, b.operation, a.operation, p.n, p.m, p.k, one, p.b.data, b.leading,
                  p.a.data, a.leading, zero, p.c.data, p.n),
             "matmul");
}

}  // namespace

void* cublas_handle(Stream& stream) {
  // One for each stream: a handle has a workspace, which work on two streams must not share.
  static auto* mutex = new std::mutex;
  static auto* handles = new std::map<Stream*, Handle>;
  ContextScope scope(stream.gpu());
  std::lock_guard lock(*mutex);
  Handle& handle = (*handles)[&stream];
  if (!handle) {
    Handle made = nullptr;
    check_blas(function<int(Handle*)>(Library::cublas, "cublasCreate_v2")(&made), "cublasCreate");
    // Without TF32, which keeps three digits.
    function<int(Handle, MathMode)>(Library::cublas, "cublasSetMathMode")(made,
                                                                          CUBLAS_DEFAULT_MATH);
    handle = made;
  }
  // A stream that was destroyed and made again has another handle.
  static auto* set_stream = function<int(Handle, CUstream)>(Library::cublas, "cublasSetStream_v2");
  check_blas(set_stream(handle, stream.handle()), "cublasSetStream");
  return handle;
}

void matmul(Stream& stream, const Matmul& p) {
  ContextScope scope(stream.gpu());
  auto* handle = static_cast<Handle>(cublas_handle(stream));
  switch (p.dtype) {
    case Dtype::float32: {
      const float one = 1, zero = 0;
      return multiply(handle, "cublasSgemm_v2_64", p, &one, &zero);
    }
    case Dtype::float64: {
      const double one = 1, zero = 0;
      return multiply(handle, "cublasDgemm_v2_64", p, &one, &zero);
    }
    case Dtype::complex64: {
      const float one[2] = {1, 0}, zero[2] = {0, 0};
      return multiply(handle, "cublasCgemm_v2_64", p, one, zero);
    }
    case Dtype::complex128: {
      const double one[2] = {1, 0}, zero[2] = {0, 0};
      return multiply(handle, "cublasZgemm_v2_64", p, one, zero);
    }
    default:
      throw std::logic_error("matmul: cuBLAS has no product of this type");
  }
}

}  // namespace heddle::cuda
