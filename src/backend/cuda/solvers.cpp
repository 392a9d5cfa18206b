#include "backend/cuda/solvers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/cuda/cusolver.h"
#include "backend/cuda/device.h"
#include "backend/cuda/solver_call.h"
#include "runtime/interrupt.h"

namespace heddle::cuda {

namespace {

// Beyond this many rows, a routine for one matrix has work enough for the whole GPU.
constexpr std::int64_t largest_batched_lu = 512;
constexpr std::int64_t largest_batched_cholesky = 512;
constexpr std::int64_t largest_batched_qr = 256;
constexpr std::int64_t largest_batched_eigh = 128;
constexpr std::int64_t largest_jacobi = 32;  // what gesvdjBatched takes

int small(std::int64_t n) { return static_cast<int>(n); }

class CudaSolvers final : public Solvers {
 public:
  explicit CudaSolvers(CudaDevice& device) : device_(device) {}

  Dtype computes_in(Dtype dtype) const override { return dtype; }
  bool tall_svd() const override { return true; }
  bool reports_nan() const override { return false; }
  bool takes_any_magnitude() const override { return false; }
  bool factors_lower_faster() const override { return true; }
  Dtype pivots_of(std::int64_t count, std::int64_t rows, std::int64_t columns) const override {
    return rows == columns && is_batched_lu(count, rows) ? Dtype::int32 : Dtype::int64;
  }
  Right right_vectors() const override { return Right::v; }

  void lu(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
          Buffer& pivots) override {
    SolverCall call(device_, batch, {&a, &pivots});
    BlockingScope blocking;
    if (pivots_of(batch.count, rows, columns) == Dtype::int32) {
      SolverMemory matrices = call.addresses(a, rows * columns);
      factor_batched(call, rows, matrices, static_cast<int*>(pivots.data()));
      return;
    }
    const auto shorter = std::min(rows, columns);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      factor(call, rows, columns, call.at(a, i, rows * columns),
             static_cast<std::int64_t*>(pivots.data()) + i * shorter, i);
    }
  }

  void triangular(const Batch& batch, std::int64_t n, std::int64_t columns, Triangle triangle,
                  bool unit, bool turned, Buffer& a, Buffer& b) override {
    SolverCall call(device_, batch, {&a, &b});
    BlockingScope blocking;
    call.clear_status();
    const double ones[] = {1, 0};
    const float single_ones[] = {1, 0};
    const bool single = real_type(batch.dtype) == Dtype::float32;
    const void* one =
        single ? static_cast<const void*>(single_ones) : static_cast<const void*>(ones);
    // One right side is a column as well as a row: a is on its usual side, which is faster.
    const bool vector = columns == 1;
    const int side = vector ? 0 : 1, diagonal = unit ? 1 : 0;
    const Transposition turn = turned == vector ? CUBLAS_OP_NONE : CUBLAS_OP_TRANSPOSE;
    const int m = small(vector ? n : columns), k = small(vector ? columns : n);
    // By rows a triangle is the other one of the transposed matrix.
    const bool upper = (triangle == Triangle::upper) == turned;
    const FillMode fill = fill_of(upper ? Triangle::upper : Triangle::lower);
    const BlasHandle handle(call.stream);
    if (batch.count > 1 && n <= largest_batched_lu) {
      using Function = int(void*, int, FillMode, int, int, int, int, const void*, const void*, int,
                           const void*, int, int);
      SolverMemory matrices = call.addresses(a, n * n), sides = call.addresses(b, n * columns);
      check_blas(call.blas<Function>("cublas?trsmBatched")(handle.get(), side, fill, turn, diagonal,
                                                           m, k, one, matrices.device(), small(n),
                                                           sides.device(), m, small(batch.count)),
                 "trsmBatched");
      return;
    }
    using Function =
        int(void*, int, FillMode, int, int, int, int, const void*, const void*, int, void*, int);
    auto* substitute = call.blas<Function>("cublas?trsm_v2");
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_blas(substitute(handle.get(), side, fill, turn, diagonal, m, k, one,
                            call.at(a, i, n * n), small(n), call.at(b, i, n * columns), m),
                 "trsm");
    }
  }

  void solve(const Batch& batch, std::int64_t n, std::int64_t columns, Buffer& a,
             Buffer& b) override {
    SolverCall call(device_, batch, {&a, &b});
    BlockingScope blocking;
    if (is_batched_lu(batch.count, n)) {
      SolverMemory matrices = call.addresses(a, n * n), sides = call.addresses(b, n * columns);
      SolverMemory pivots = call.memory(static_cast<std::size_t>(batch.count * n) * sizeof(int));
      factor_batched(call, n, matrices, static_cast<int*>(pivots.device()));
      using Function =
          int(void*, int, int, int, const void*, int, const int*, const void*, int, int*, int);
      int wrong = 0;
      check_blas(call.blas<Function>("cublas?getrsBatched")(
                     BlasHandle(call.stream).get(), CUBLAS_OP_NONE, small(n), small(columns),
                     matrices.device(), small(n), static_cast<const int*>(pivots.device()),
                     sides.device(), small(n), &wrong, small(batch.count)),
                 "getrsBatched");
      return;
    }
    using Function =
        int(SolverHandle, SolverParams, int, std::int64_t, std::int64_t, CudaType, const void*,
            std::int64_t, const std::int64_t*, CudaType, void*, std::int64_t, int*);
    auto* substitute = function<Function>(Library::cusolver, "cusolverDnXgetrs");
    SolverMemory pivots = call.memory(static_cast<std::size_t>(n) * sizeof(std::int64_t));
    SolverMemory ignored = call.memory(sizeof(int));
    auto* rows = static_cast<std::int64_t*>(pivots.device());
    for (std::int64_t i = 0; i < batch.count; ++i) {
      void* matrix = call.at(a, i, n * n);
      factor(call, n, n, matrix, rows, i);
      check_solver(substitute(call.state.handle, call.state.params, CUBLAS_OP_NONE, n, columns,
                              call.type, matrix, n, rows, call.type, call.at(b, i, n * columns), n,
                              static_cast<int*>(ignored.device())),
                   "Xgetrs");
    }
  }

  void cholesky(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a) override {
    SolverCall call(device_, batch, {&a});
    BlockingScope blocking;
    const FillMode fill = fill_of(triangle);
    if (batch.count > 1 && n <= largest_batched_cholesky) {
      using Function = int(SolverHandle, FillMode, int, void*, int, int*, int);
      SolverMemory matrices = call.addresses(a, n * n);
      check_solver(call.solver<Function>("cusolverDn?potrfBatched")(
                       call.state.handle, fill, small(n), matrices.device(), small(n),
                       call.status(), small(batch.count)),
                   "potrfBatched");
      return;
    }
    using Query = int(SolverHandle, SolverParams, FillMode, std::int64_t, CudaType, const void*,
                      std::int64_t, CudaType, std::size_t*, std::size_t*);
    using Function = int(SolverHandle, SolverParams, FillMode, std::int64_t, CudaType, void*,
                         std::int64_t, CudaType, void*, std::size_t, void*, std::size_t, int*);
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXpotrf_bufferSize")(
                     call.state.handle, call.state.params, fill, n, call.type, a.data(), n,
                     call.type, &bytes, &host_bytes),
                 "Xpotrf");
    SolverMemory memory = call.memory(bytes, host_bytes);
    auto* factorize = function<Function>(Library::cusolver, "cusolverDnXpotrf");
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_solver(factorize(call.state.handle, call.state.params, fill, n, call.type,
                             call.at(a, i, n * n), n, call.type, memory.device(), bytes,
                             memory.host(), host_bytes, call.status(i)),
                   "Xpotrf");
    }
  }

  void qr(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
          Buffer& tau) override {
    SolverCall call(device_, batch, {&a, &tau});
    BlockingScope blocking;
    const auto shorter = std::min(rows, columns);
    if (rows <= largest_batched_qr && batch.count > std::max<std::int64_t>(2, rows / 16)) {
      using Function = int(void*, int, int, const void*, int, const void*, int*, int);
      SolverMemory matrices = call.addresses(a, rows * columns);
      SolverMemory factors = call.addresses(tau, shorter);
      int wrong = 0;
      call.clear_status();
      check_blas(call.blas<Function>("cublas?geqrfBatched")(
                     BlasHandle(call.stream).get(), small(rows), small(columns), matrices.device(),
                     small(rows), factors.device(), &wrong, small(batch.count)),
                 "geqrfBatched");
      return;
    }
    using Query = int(SolverHandle, SolverParams, std::int64_t, std::int64_t, CudaType, const void*,
                      std::int64_t, CudaType, const void*, CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, std::int64_t, std::int64_t, CudaType, void*, std::int64_t,
            CudaType, void*, CudaType, void*, std::size_t, void*, std::size_t, int*);
    auto* factorize = function<Function>(Library::cusolver, "cusolverDnXgeqrf");
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXgeqrf_bufferSize")(
                     call.state.handle, call.state.params, rows, columns, call.type, a.data(), rows,
                     call.type, tau.data(), call.type, &bytes, &host_bytes),
                 "Xgeqrf");
    SolverMemory memory = call.memory(bytes, host_bytes);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_solver(
          factorize(call.state.handle, call.state.params, rows, columns, call.type,
                    call.at(a, i, rows * columns), rows, call.type, call.at(tau, i, shorter),
                    call.type, memory.device(), bytes, memory.host(), host_bytes, call.status(i)),
          "Xgeqrf");
    }
  }

  void form_q(const Batch& batch, std::int64_t rows, std::int64_t columns, std::int64_t reflectors,
              Buffer& a, Buffer& tau) override {
    SolverCall call(device_, batch, {&a, &tau});
    BlockingScope blocking;
    const bool complex = is_complex(batch.dtype);
    using Query = int(SolverHandle, int, int, int, const void*, int, const void*, int*);
    using Function = int(SolverHandle, int, int, int, void*, int, const void*, void*, int, int*);
    auto* ask =
        call.solver<Query>(complex ? "cusolverDn?ungqr_bufferSize" : "cusolverDn?orgqr_bufferSize");
    auto* form = call.solver<Function>(complex ? "cusolverDn?ungqr" : "cusolverDn?orgqr");
    int elements = 0;
    check_solver(ask(call.state.handle, small(rows), small(columns), small(reflectors), a.data(),
                     small(rows), tau.data(), &elements),
                 "orgqr");
    SolverMemory memory = call.memory_of_elements(elements);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_solver(form(call.state.handle, small(rows), small(columns), small(reflectors),
                        call.at(a, i, rows * columns), small(rows), call.at(tau, i, reflectors),
                        memory.device(), elements, call.status(i)),
                   "orgqr");
    }
  }

  void svd(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a, Buffer& s,
           Buffer* u, Buffer* v, bool full) override {
    SolverCall call(device_, batch, {&a, &s, u, v});
    BlockingScope blocking;
    const bool small_ones = rows <= largest_jacobi && columns <= largest_jacobi;
    const bool at_once = small_ones && batch.count > 1 && (!u || full || rows == columns);
    Ref<Buffer> lent_u, lent_v;
    Vectors vectors{u != nullptr, full && u, u, v, 0, 0};
    if (u) {
      vectors.u_size = rows * (full ? rows : columns);
      vectors.v_size = columns * columns;
    } else {
      // The routines want memory for vectors also where there are none to compute.
      auto lend = [&](std::int64_t elements) {
        return Buffer::allocate(device_, static_cast<std::size_t>(elements * call.item));
      };
      const auto count = at_once ? batch.count : 1;
      lent_u = lend(count * rows * (at_once ? rows : columns));
      lent_v = lend(count * columns * columns);
      vectors.u = lent_u.get();
      vectors.v = lent_v.get();
      Buffer* used[] = {vectors.u, vectors.v};
      order_on(call.stream, used);
    }
    if (at_once) {
      jacobi_batched(call, rows, columns, a, s, vectors);
    } else if (small_ones) {
      jacobi(call, rows, columns, a, s, vectors);
    } else {
      polar(call, rows, columns, a, s, vectors);
    }
  }

  void eigh(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a, Buffer& w,
            bool vectors) override {
    SolverCall call(device_, batch, {&a, &w});
    BlockingScope blocking;
    const EigMode mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const FillMode fill = fill_of(triangle);
    // Since CUDA 12.6.
    if (batch.count > 1 && n <= largest_batched_eigh &&
        has_function(Library::cusolver, "cusolverDnXsyevBatched")) {
      using Query = int(SolverHandle, SolverParams, EigMode, FillMode, std::int64_t, CudaType,
                        const void*, std::int64_t, CudaType, const void*, CudaType, std::size_t*,
                        std::size_t*, std::int64_t);
      using Function = int(SolverHandle, SolverParams, EigMode, FillMode, std::int64_t, CudaType,
                           void*, std::int64_t, CudaType, void*, CudaType, void*, std::size_t,
                           void*, std::size_t, int*, std::int64_t);
      std::size_t bytes = 0, host_bytes = 0;
      check_solver(function<Query>(Library::cusolver, "cusolverDnXsyevBatched_bufferSize")(
                       call.state.handle, call.state.params, mode, fill, n, call.type, a.data(), n,
                       call.real, w.data(), call.type, &bytes, &host_bytes, batch.count),
                   "XsyevBatched");
      SolverMemory memory = call.memory(bytes, host_bytes);
      check_solver(function<Function>(Library::cusolver, "cusolverDnXsyevBatched")(
                       call.state.handle, call.state.params, mode, fill, n, call.type, a.data(), n,
                       call.real, w.data(), call.type, memory.device(), bytes, memory.host(),
                       host_bytes, call.status(), batch.count),
                   "XsyevBatched");
      return;
    }
    using Query =
        int(SolverHandle, SolverParams, EigMode, FillMode, std::int64_t, CudaType, const void*,
            std::int64_t, CudaType, const void*, CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, EigMode, FillMode, std::int64_t, CudaType, void*,
            std::int64_t, CudaType, void*, CudaType, void*, std::size_t, void*, std::size_t, int*);
    auto* decompose = function<Function>(Library::cusolver, "cusolverDnXsyevd");
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXsyevd_bufferSize")(
                     call.state.handle, call.state.params, mode, fill, n, call.type, a.data(), n,
                     call.real, w.data(), call.type, &bytes, &host_bytes),
                 "Xsyevd");
    SolverMemory memory = call.memory(bytes, host_bytes);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_solver(decompose(call.state.handle, call.state.params, mode, fill, n, call.type,
                             call.at(a, i, n * n), n, call.real, call.real_at(w, i, n), call.type,
                             memory.device(), bytes, memory.host(), host_bytes, call.status(i)),
                   "Xsyevd");
    }
  }

  void eig(const Batch& batch, std::int64_t n, Buffer& a, Buffer& w, Buffer* v) override {
    SolverCall call(device_, batch, {&a, &w, v});
    BlockingScope blocking;
    const EigMode mode = v ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const Dtype values = complex_type(batch.dtype);
    const CudaType values_type = cuda_type(values);
    // Since CUDA 12.6. Of a real matrix the eigenvalues are complex, and all else is real.
    using Query =
        int(SolverHandle, SolverParams, EigMode, EigMode, std::int64_t, CudaType, const void*,
            std::int64_t, CudaType, const void*, CudaType, const void*, std::int64_t, CudaType,
            const void*, std::int64_t, CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, EigMode, EigMode, std::int64_t, CudaType, void*,
            std::int64_t, CudaType, void*, CudaType, void*, std::int64_t, CudaType, void*,
            std::int64_t, CudaType, void*, std::size_t, void*, std::size_t, int*);
    auto* decompose = function<Function>(Library::cusolver, "cusolverDnXgeev");
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXgeev_bufferSize")(
                     call.state.handle, call.state.params, CUSOLVER_EIG_MODE_NOVECTOR, mode, n,
                     call.type, a.data(), n, values_type, w.data(), call.type, nullptr, n,
                     call.type, v ? v->data() : nullptr, n, call.type, &bytes, &host_bytes),
                 "Xgeev");
    SolverMemory memory = call.memory(bytes, host_bytes);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      check_solver(
          decompose(call.state.handle, call.state.params, CUSOLVER_EIG_MODE_NOVECTOR, mode, n,
                    call.type, call.at(a, i, n * n), n, values_type,
                    static_cast<char*>(w.data()) + i * n * itemsize(values), call.type, nullptr, n,
                    call.type, v ? call.at(*v, i, n * n) : nullptr, n, call.type, memory.device(),
                    bytes, memory.host(), host_bytes, call.status(i)),
          "Xgeev");
    }
  }

 private:
  // Singular vectors: where they go, and the number of elements for one matrix.
  struct Vectors {
    bool wanted;  // else the memory is only lent, for one matrix
    bool full;
    Buffer *u, *v;
    std::int64_t u_size, v_size;
    EigMode mode() const { return wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR; }
    int economic() const { return full ? 0 : 1; }
  };

  static bool is_batched_lu(std::int64_t count, std::int64_t n) {
    return count > 1 && n <= largest_batched_lu;
  }

  static FillMode fill_of(Triangle triangle) {
    return triangle == Triangle::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  }

  static void factor_batched(const SolverCall& call, std::int64_t n, const SolverMemory& matrices,
                             int* pivots) {
    using Function = int(void*, int, const void*, int, int*, int*, int);
    check_blas(call.blas<Function>("cublas?getrfBatched")(BlasHandle(call.stream).get(), small(n),
                                                          matrices.device(), small(n), pivots,
                                                          call.status(), small(call.batch.count)),
               "getrfBatched");
  }

  static void factor(const SolverCall& call, std::int64_t rows, std::int64_t columns, void* matrix,
                     std::int64_t* pivots, std::int64_t i) {
    using Query = int(SolverHandle, SolverParams, std::int64_t, std::int64_t, CudaType, const void*,
                      std::int64_t, CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, std::int64_t, std::int64_t, CudaType, void*, std::int64_t,
            std::int64_t*, CudaType, void*, std::size_t, void*, std::size_t, int*);
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXgetrf_bufferSize")(
                     call.state.handle, call.state.params, rows, columns, call.type, matrix, rows,
                     call.type, &bytes, &host_bytes),
                 "Xgetrf");
    SolverMemory memory = call.memory(bytes, host_bytes);
    check_solver(
        function<Function>(Library::cusolver, "cusolverDnXgetrf")(
            call.state.handle, call.state.params, rows, columns, call.type, matrix, rows, pivots,
            call.type, memory.device(), bytes, memory.host(), host_bytes, call.status(i)),
        "Xgetrf");
  }

  static void jacobi_batched(const SolverCall& call, std::int64_t rows, std::int64_t columns,
                             Buffer& a, Buffer& s, const Vectors& vectors) {
    using Query = int(SolverHandle, EigMode, int, int, const void*, int, const void*, const void*,
                      int, const void*, int, int*, JacobiInfo, int);
    using Function = int(SolverHandle, EigMode, int, int, void*, int, void*, void*, int, void*, int,
                         void*, int, int*, JacobiInfo, int);
    const EigMode mode = vectors.mode();
    void *left = vectors.u->data(), *right = vectors.v->data();
    int elements = 0;
    check_solver(call.solver<Query>("cusolverDn?gesvdjBatched_bufferSize")(
                     call.state.handle, mode, small(rows), small(columns), a.data(), small(rows),
                     s.data(), left, small(rows), right, small(columns), &elements,
                     call.state.jacobi, small(call.batch.count)),
                 "gesvdjBatched");
    SolverMemory memory = call.memory_of_elements(elements);
    check_solver(call.solver<Function>("cusolverDn?gesvdjBatched")(
                     call.state.handle, mode, small(rows), small(columns), a.data(), small(rows),
                     s.data(), left, small(rows), right, small(columns), memory.device(), elements,
                     call.status(), call.state.jacobi, small(call.batch.count)),
                 "gesvdjBatched");
  }

  static void jacobi(const SolverCall& call, std::int64_t rows, std::int64_t columns, Buffer& a,
                     Buffer& s, const Vectors& vectors) {
    using Query = int(SolverHandle, EigMode, int, int, int, const void*, int, const void*,
                      const void*, int, const void*, int, int*, JacobiInfo);
    using Function = int(SolverHandle, EigMode, int, int, int, void*, int, void*, void*, int, void*,
                         int, void*, int, int*, JacobiInfo);
    const EigMode mode = vectors.mode();
    const int economic = vectors.economic();
    auto* decompose = call.solver<Function>("cusolverDn?gesvdj");
    int elements = 0;
    check_solver(call.solver<Query>("cusolverDn?gesvdj_bufferSize")(
                     call.state.handle, mode, economic, small(rows), small(columns), a.data(),
                     small(rows), s.data(), vectors.u->data(), small(rows), vectors.v->data(),
                     small(columns), &elements, call.state.jacobi),
                 "gesvdj");
    SolverMemory memory = call.memory_of_elements(elements);
    for (std::int64_t i = 0; i < call.batch.count; ++i) {
      check_solver(decompose(call.state.handle, mode, economic, small(rows), small(columns),
                             call.at(a, i, rows * columns), small(rows),
                             call.real_at(s, i, columns), call.at(*vectors.u, i, vectors.u_size),
                             small(rows), call.at(*vectors.v, i, vectors.v_size), small(columns),
                             memory.device(), elements, call.status(i), call.state.jacobi),
                   "gesvdj");
    }
  }

  // A polar decomposition and the eigenvalues of its Hermitian factor: several times faster than
  // reducing to bidiagonal form. It shifts the singular values of nearly singular matrices, and
  // says by how much; where that is more than rounding does, the slow way.
  static void polar(const SolverCall& call, std::int64_t rows, std::int64_t columns, Buffer& a,
                    Buffer& s, const Vectors& vectors) {
    using Query =
        int(SolverHandle, SolverParams, EigMode, int, std::int64_t, std::int64_t, CudaType,
            const void*, std::int64_t, CudaType, const void*, CudaType, const void*, std::int64_t,
            CudaType, const void*, std::int64_t, CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, EigMode, int, std::int64_t, std::int64_t, CudaType, void*,
            std::int64_t, CudaType, void*, CudaType, void*, std::int64_t, CudaType, void*,
            std::int64_t, CudaType, void*, std::size_t, void*, std::size_t, int*, double*);
    const EigMode mode = vectors.mode();
    const int economic = vectors.economic();
    const auto size = rows * columns;
    const auto bytes_of = [&](std::int64_t elements) {
      return static_cast<std::size_t>(elements * call.item);
    };
    auto* decompose = function<Function>(Library::cusolver, "cusolverDnXgesvdp");
    // It may use room for a square U also where only its first columns are asked for.
    const bool wide = vectors.wanted && vectors.u_size < rows * rows;
    SolverMemory square = call.memory(wide ? bytes_of(rows * rows) : 0);
    SolverMemory spare = call.memory(bytes_of(size));
    auto left_of = [&](std::int64_t i) {
      return wide ? square.device() : call.at(*vectors.u, i, vectors.u_size);
    };
    auto right_of = [&](std::int64_t i) { return call.at(*vectors.v, i, vectors.v_size); };
    auto copy = [&](void* to, const void* from, std::int64_t elements) {
      check(api().cuMemcpyDtoDAsync(device_pointer(to), device_pointer(from), bytes_of(elements),
                                    call.stream.handle()),
            "svd");
    };
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXgesvdp_bufferSize")(
                     call.state.handle, call.state.params, mode, economic, rows, columns, call.type,
                     a.data(), rows, call.real, s.data(), call.type, left_of(0), rows, call.type,
                     right_of(0), columns, call.type, &bytes, &host_bytes),
                 "Xgesvdp");
    SolverMemory memory = call.memory(bytes, host_bytes);
    for (std::int64_t i = 0; i < call.batch.count; ++i) {
      void* matrix = call.at(a, i, size);
      copy(spare.device(), matrix, size);
      double shift = 0;
      check_solver(
          decompose(call.state.handle, call.state.params, mode, economic, rows, columns, call.type,
                    matrix, rows, call.real, call.real_at(s, i, columns), call.type, left_of(i),
                    rows, call.type, right_of(i), columns, call.type, memory.device(), bytes,
                    memory.host(), host_bytes, call.status(i), &shift),
          "Xgesvdp");
      if (is_accurate(call, s, i * columns, shift)) {
        if (wide) copy(call.at(*vectors.u, i, vectors.u_size), square.device(), vectors.u_size);
      } else {
        copy(matrix, spare.device(), size);
        bidiagonal(call, rows, columns, i, a, s, vectors);
      }
    }
  }

  // Whether a shift of the singular values is what rounding might do to the largest of them.
  static bool is_accurate(const SolverCall& call, Buffer& s, std::int64_t place, double shift) {
    const bool in_double = call.real == CUDA_R_64F;
    const auto bytes = in_double ? sizeof(double) : sizeof(float);
    double largest = 0;
    float largest_single = 0;
    call.device.copy_to_host(in_double ? static_cast<void*>(&largest) : &largest_single, s,
                             static_cast<std::size_t>(place) * bytes, bytes);
    if (!in_double) largest = largest_single;
    const double epsilon =
        in_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    return shift <= 4 * epsilon * largest;  // false for nan
  }

  static void bidiagonal(const SolverCall& call, std::int64_t rows, std::int64_t columns,
                         std::int64_t i, Buffer& a, Buffer& s, const Vectors& vectors) {
    using Query = int(SolverHandle, SolverParams, signed char, signed char, std::int64_t,
                      std::int64_t, CudaType, const void*, std::int64_t, CudaType, const void*,
                      CudaType, const void*, std::int64_t, CudaType, const void*, std::int64_t,
                      CudaType, std::size_t*, std::size_t*);
    using Function =
        int(SolverHandle, SolverParams, signed char, signed char, std::int64_t, std::int64_t,
            CudaType, void*, std::int64_t, CudaType, void*, CudaType, void*, std::int64_t, CudaType,
            void*, std::int64_t, CudaType, void*, std::size_t, void*, std::size_t, int*);
    const signed char job = !vectors.wanted ? 'N' : vectors.full ? 'A' : 'S';
    void* matrix = call.at(a, i, rows * columns);
    void* left = call.at(*vectors.u, i, vectors.u_size);
    SolverMemory adjoint = call.memory(static_cast<std::size_t>(columns * columns * call.item));
    std::size_t bytes = 0, host_bytes = 0;
    check_solver(function<Query>(Library::cusolver, "cusolverDnXgesvd_bufferSize")(
                     call.state.handle, call.state.params, job, job, rows, columns, call.type,
                     matrix, rows, call.real, s.data(), call.type, left, rows, call.type,
                     adjoint.device(), columns, call.type, &bytes, &host_bytes),
                 "Xgesvd");
    SolverMemory memory = call.memory(bytes, host_bytes);
    check_solver(function<Function>(Library::cusolver, "cusolverDnXgesvd")(
                     call.state.handle, call.state.params, job, job, rows, columns, call.type,
                     matrix, rows, call.real, call.real_at(s, i, columns), call.type, left, rows,
                     call.type, adjoint.device(), columns, call.type, memory.device(), bytes,
                     memory.host(), host_bytes, call.status(i)),
                 "Xgesvd");
    if (!vectors.wanted) return;
    // v from its adjoint.
    using Add = int(void*, Transposition, Transposition, int, int, const void*, const void*, int,
                    const void*, const void*, int, void*, int);
    const double doubles[] = {1, 0, 0, 0};
    const float floats[] = {1, 0, 0, 0};
    const bool in_double = call.real == CUDA_R_64F;
    const void* one = in_double ? static_cast<const void*>(doubles) : floats;
    const void* zero = in_double ? static_cast<const void*>(doubles + 2) : floats + 2;
    void* right = call.at(*vectors.v, i, vectors.v_size);
    check_blas(call.blas<Add>("cublas?geam")(BlasHandle(call.stream).get(), CUBLAS_OP_ADJOINT,
                                             CUBLAS_OP_NONE, small(columns), small(columns), one,
                                             adjoint.device(), small(columns), zero, right,
                                             small(columns), right, small(columns)),
               "geam");
  }

  CudaDevice& device_;
};

}  // namespace

std::unique_ptr<Solvers> make_solvers(CudaDevice& device) {
  return std::make_unique<CudaSolvers>(device);
}

}  // namespace heddle::cuda
