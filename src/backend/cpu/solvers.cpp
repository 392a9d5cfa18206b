// LAPACK, as OpenBLAS has it, on stacks of matrices. Always in double precision, which is what
// NumPy does: single precision is converted on the way in and out.
#include "runtime/solvers.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "backend/cpu/blas_threads.h"
#include "backend/cpu/dense_routines.h"
#include "backend/cpu/lapack.h"
#include "backend/cpu/solvers.h"

namespace heddle::cpu {

namespace {

using lapack::complex;
using lapack::index;
using lapack::Routines;

constexpr index query = -1;  // as lwork: only say how much memory is needed

index at_least_one(std::int64_t n) { return static_cast<index>(std::max<std::int64_t>(n, 1)); }

double cubed(std::int64_t n) {
  auto x = static_cast<double>(n);
  return x * x * x;
}

// Matrix i of a stack of matrices with `size` elements.
template <class T>
T* at(Buffer& stack, std::int64_t i, std::int64_t size) {
  return static_cast<T*>(stack.data()) + i * size;
}

void set_status(const Batch& batch, std::int64_t i, index info) {
  static_cast<std::int32_t*>(batch.status->data())[i] = static_cast<std::int32_t>(info);
}

// Memory that LAPACK works in: `size` as it answers a query, in an element of the matrix' type.
template <class T>
struct LapackWorkspace {
  std::vector<T> memory;
  index size = 0;
  explicit LapackWorkspace(T answer)
      : size(at_least_one(static_cast<std::int64_t>(std::real(answer)))) {
    memory.resize(static_cast<std::size_t>(size));
  }
  T* data() { return memory.data(); }
};

// The determinant from factors of a matrix, by columns. Every row that changed its place changes
// the sign.
template <class T>
void multiply_diagonal(const T* factors, std::span<const index> pivots, bool singular, T& sign,
                       double& logarithm) {
  sign = singular ? 0 : 1;
  logarithm = singular ? -std::numeric_limits<double>::infinity() : 0;
  if (singular) return;
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    const T element = factors[k * (pivots.size() + 1)];
    const double size = std::abs(element);
    if (pivots[k] != static_cast<index>(k) + 1) sign = -sign;
    if constexpr (std::is_same_v<T, complex>) {
      sign *= element / size;
    } else if (element < 0) {
      sign = -sign;
    }
    logarithm += std::log(size);
  }
}

// Calls f with a value of the type of the matrices' elements: double or complex.
template <class F>
void with_type(const Batch& batch, F f) {
  if (is_complex(batch.dtype)) {
    f(complex{});
  } else {
    f(double{});
  }
}

class CpuSolvers final : public Solvers {
 public:
  Dtype computes_in(Dtype dtype) const override {
    return is_complex(dtype) ? Dtype::complex128 : Dtype::float64;
  }

  bool has_determinants() const override { return true; }
  bool has_least_squares() const override { return true; }
  bool has_inverses() const override { return true; }

  void determinants(const Batch& batch, std::int64_t n, Buffer& a, Buffer& signs,
                    Buffer& logarithms) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    with_type(batch, [&]<class T>(T) {
      for_each_matrix(batch.count, cubed(n), [&](std::int64_t first, std::int64_t last) {
        std::vector<index> pivots(static_cast<std::size_t>(n));
        for (auto i = first; i < last; ++i) {
          index info = 0;
          T* matrix = at<T>(a, i, n * n);
          Routines<T>::getrf(&order, &order, matrix, &leading, pivots.data(), &info);
          multiply_diagonal(matrix, pivots, info != 0, *at<T>(signs, i, 1),
                            *at<double>(logarithms, i, 1));
          set_status(batch, i, info);
        }
      });
    });
  }

  DenseRoutines* routines() override { return &dense_routines(); }

  void lu(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
          Buffer& pivots) override {
    const auto m = static_cast<index>(rows), n = static_cast<index>(columns);
    const auto leading = at_least_one(rows);
    const auto shorter = std::min(rows, columns);
    const double work = static_cast<double>(rows * columns) * static_cast<double>(shorter);
    with_type(batch, [&]<class T>(T) {
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        std::vector<index> found(static_cast<std::size_t>(shorter));
        for (auto i = first; i < last; ++i) {
          index info = 0;
          Routines<T>::getrf(&m, &n, at<T>(a, i, rows * columns), &leading, found.data(), &info);
          std::copy(found.begin(), found.end(), at<std::int64_t>(pivots, i, shorter));
          set_status(batch, i, info);
        }
      });
    });
  }

  void triangular(const Batch& batch, std::int64_t n, std::int64_t columns, Triangle triangle,
                  bool unit, bool turned, Buffer& a, Buffer& b) override {
    const auto order = static_cast<index>(n), right = static_cast<index>(columns);
    const auto leading = at_least_one(n), between = at_least_one(columns), next = index{1};
    // One right side is a column as well as a row, and a has to be turned from the other side.
    const bool vector = columns == 1;
    const char side = 'R', turn = turned == vector ? 'N' : 'T';
    const char uplo = (triangle == Triangle::upper) == turned ? 'U' : 'L';
    const char diagonal = unit ? 'U' : 'N';
    const double work = static_cast<double>(n * n) * static_cast<double>(columns);
    with_type(batch, [&]<class T>(T) {
      const T one = 1;
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) {
          if (vector) {
            Routines<T>::trsv(&uplo, &turn, &diagonal, &order, at<T>(a, i, n * n), &leading,
                              at<T>(b, i, n), &next);
          } else {
            Routines<T>::trsm(&side, &uplo, &turn, &diagonal, &right, &order, &one,
                              at<T>(a, i, n * n), &leading, at<T>(b, i, n * columns), &between);
          }
          set_status(batch, i, 0);
        }
      });
    });
  }

  void solve(const Batch& batch, std::int64_t n, std::int64_t columns, Buffer& a,
             Buffer& b) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    const auto right = static_cast<index>(columns);
    const double work = cubed(n) + 2.0 * static_cast<double>(n * n) * static_cast<double>(columns);
    with_type(batch, [&]<class T>(T) {
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        std::vector<index> pivots(static_cast<std::size_t>(n));
        for (auto i = first; i < last; ++i) {
          index info = 0;
          Routines<T>::gesv(&order, &right, at<T>(a, i, n * n), &leading, pivots.data(),
                            at<T>(b, i, n * columns), &leading, &info);
          set_status(batch, i, info);
        }
      });
    });
  }

  void inverse(const Batch& batch, std::int64_t n, Buffer& a) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    with_type(batch, [&]<class T>(T) {
      T answer{};
      index info = 0;
      Routines<T>::getri(&order, at<T>(a, 0, 0), &leading, nullptr, &answer, &query, &info);
      for_each_matrix(batch.count, 2 * cubed(n), [&](std::int64_t first, std::int64_t last) {
        std::vector<index> pivots(static_cast<std::size_t>(n));
        LapackWorkspace<T> memory(answer);
        for (auto i = first; i < last; ++i) {
          index failed = 0;
          T* matrix = at<T>(a, i, n * n);
          Routines<T>::getrf(&order, &order, matrix, &leading, pivots.data(), &failed);
          if (failed == 0) {
            Routines<T>::getri(&order, matrix, &leading, pivots.data(), memory.data(), &memory.size,
                               &failed);
          }
          set_status(batch, i, failed);
        }
      });
    });
  }

  void cholesky(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    const char uplo = triangle == Triangle::upper ? 'U' : 'L';
    with_type(batch, [&]<class T>(T) {
      for_each_matrix(batch.count, cubed(n) / 2, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) {
          index info = 0;
          Routines<T>::potrf(&uplo, &order, at<T>(a, i, n * n), &leading, &info);
          set_status(batch, i, info);
        }
      });
    });
  }

  void qr(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
          Buffer& tau) override {
    const auto m = static_cast<index>(rows), n = static_cast<index>(columns);
    const auto leading = at_least_one(rows);
    const auto shorter = std::min(rows, columns);
    with_type(batch, [&]<class T>(T) {
      T answer{};
      index info = 0;
      Routines<T>::geqrf(&m, &n, at<T>(a, 0, 0), &leading, at<T>(tau, 0, 0), &answer, &query,
                         &info);
      const double work = 2.0 * static_cast<double>(rows * columns) * static_cast<double>(shorter);
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        for (auto i = first; i < last; ++i) {
          index failed = 0;
          Routines<T>::geqrf(&m, &n, at<T>(a, i, rows * columns), &leading, at<T>(tau, i, shorter),
                             memory.data(), &memory.size, &failed);
          set_status(batch, i, failed);
        }
      });
    });
  }

  void form_q(const Batch& batch, std::int64_t rows, std::int64_t columns, std::int64_t reflectors,
              Buffer& a, Buffer& tau) override {
    const auto m = static_cast<index>(rows), n = static_cast<index>(columns);
    const auto k = static_cast<index>(reflectors), leading = at_least_one(rows);
    with_type(batch, [&]<class T>(T) {
      T answer{};
      index info = 0;
      Routines<T>::orgqr(&m, &n, &k, at<T>(a, 0, 0), &leading, at<T>(tau, 0, 0), &answer, &query,
                         &info);
      const double work =
          2.0 * static_cast<double>(rows * columns) * static_cast<double>(reflectors);
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        for (auto i = first; i < last; ++i) {
          index failed = 0;
          Routines<T>::orgqr(&m, &n, &k, at<T>(a, i, rows * columns), &leading,
                             at<T>(tau, i, reflectors), memory.data(), &memory.size, &failed);
          set_status(batch, i, failed);
        }
      });
    });
  }

  void svd(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a, Buffer& s,
           Buffer* u, Buffer* vh, bool full) override {
    const auto m = static_cast<index>(rows), n = static_cast<index>(columns);
    const auto shorter = std::min(rows, columns), longer = std::max(rows, columns);
    const std::int64_t u_columns = full ? rows : shorter, vh_rows = full ? columns : shorter;
    const auto leading = at_least_one(rows), vh_leading = at_least_one(vh_rows);
    const char job = !u ? 'N' : full ? 'A' : 'S';
    with_type(batch, [&]<class T>(T) {
      auto run = [&](std::int64_t i, T* work, index size, double* real, index* integers) {
        index info = 0;
        T* left = u ? at<T>(*u, i, rows * u_columns) : nullptr;
        T* right = u ? at<T>(*vh, i, vh_rows * columns) : nullptr;
        if constexpr (std::is_same_v<T, complex>) {
          Routines<T>::gesdd(&job, &m, &n, at<T>(a, i, rows * columns), &leading,
                             at<double>(s, i, shorter), left, &leading, right, &vh_leading, work,
                             &size, real, integers, &info);
        } else {
          Routines<T>::gesdd(&job, &m, &n, at<T>(a, i, rows * columns), &leading,
                             at<double>(s, i, shorter), left, &leading, right, &vh_leading, work,
                             &size, integers, &info);
        }
        return info;
      };
      auto real_size =
          std::is_same_v<T, complex>
              ? std::max<std::int64_t>(
                    1, shorter * std::max(5 * shorter + 7, 2 * longer + 2 * shorter + 1))
              : 1;
      T answer{};
      double none = 0;
      index no_integers = 0;
      run(0, &answer, query, &none, &no_integers);
      const double work = 8.0 * static_cast<double>(rows * columns) * static_cast<double>(shorter);
      auto body = [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        std::vector<double> real(static_cast<std::size_t>(real_size));
        std::vector<index> integers(static_cast<std::size_t>(8 * shorter + 1));
        for (auto i = first; i < last; ++i) {
          set_status(batch, i, run(i, memory.data(), memory.size, real.data(), integers.data()));
        }
      };
      for_each_matrix(batch.count, work, body, threads_by_steps(shorter));
    });
  }

  void eigh(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a, Buffer& w,
            bool vectors) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    const char job = vectors ? 'V' : 'N', uplo = triangle == Triangle::upper ? 'U' : 'L';
    with_type(batch, [&]<class T>(T) {
      auto run = [&](std::int64_t i, T* work, index size, double* real, index real_size,
                     index* integers, index integers_size) {
        index info = 0;
        if constexpr (std::is_same_v<T, complex>) {
          Routines<T>::heevd(&job, &uplo, &order, at<T>(a, i, n * n), &leading, at<double>(w, i, n),
                             work, &size, real, &real_size, integers, &integers_size, &info);
        } else {
          Routines<T>::heevd(&job, &uplo, &order, at<T>(a, i, n * n), &leading, at<double>(w, i, n),
                             work, &size, integers, &integers_size, &info);
        }
        return info;
      };
      T answer{};
      double real_answer = 1;
      index integers_answer = 1;
      run(0, &answer, query, &real_answer, query, &integers_answer, query);
      auto body = [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        LapackWorkspace<double> real(real_answer);
        std::vector<index> integers(static_cast<std::size_t>(integers_answer));
        for (auto i = first; i < last; ++i) {
          set_status(batch, i,
                     run(i, memory.data(), memory.size, real.data(), real.size, integers.data(),
                         integers_answer));
        }
      };
      for_each_matrix(batch.count, 4 * cubed(n), body, threads_by_steps(n));
    });
  }

  void eig(const Batch& batch, std::int64_t n, Buffer& a, Buffer& w, Buffer* v) override {
    const auto order = static_cast<index>(n), leading = at_least_one(n);
    const char no = 'N', job = v ? 'V' : 'N';
    with_type(batch, [&]<class T>(T) {
      // `real`: the parts of the eigenvalues of a real matrix; memory to work in for a complex one.
      auto run = [&](std::int64_t i, T* work, index size, double* real) {
        index info = 0;
        auto* values = at<complex>(w, i, n);
        T* right = v ? at<T>(*v, i, n * n) : nullptr;
        if constexpr (std::is_same_v<T, complex>) {
          Routines<T>::geev(&no, &job, &order, at<T>(a, i, n * n), &leading, values, nullptr,
                            &leading, right, &leading, work, &size, real, &info);
        } else {
          Routines<T>::geev(&no, &job, &order, at<T>(a, i, n * n), &leading, real, real + n,
                            nullptr, &leading, right, &leading, work, &size, &info);
          if (size != query) {
            for (std::int64_t k = 0; k < n; ++k) values[k] = {real[k], real[n + k]};
          }
        }
        return info;
      };
      T answer{};
      double none = 0;
      run(0, &answer, query, &none);
      auto body = [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        std::vector<double> real(static_cast<std::size_t>(2 * n));
        for (auto i = first; i < last; ++i) {
          set_status(batch, i, run(i, memory.data(), memory.size, real.data()));
        }
      };
      for_each_matrix(batch.count, 20 * cubed(n), body, threads_by_steps(n));
    });
  }

  void least_squares(const Batch& batch, std::int64_t rows, std::int64_t columns,
                     std::int64_t right_sides, double rcond, Buffer& a, Buffer& b, Buffer& s,
                     Buffer& ranks) override {
    const auto m = static_cast<index>(rows), n = static_cast<index>(columns);
    const auto right = static_cast<index>(right_sides);
    const auto shorter = std::min(rows, columns), longer = std::max(rows, columns);
    const auto leading = at_least_one(rows), b_leading = at_least_one(longer);
    with_type(batch, [&]<class T>(T) {
      auto run = [&](std::int64_t i, T* work, index size, double* real, index* integers) {
        index info = 0, rank = 0;
        T* matrix = at<T>(a, i, rows * columns);
        T* sides = at<T>(b, i, longer * right_sides);
        auto* values = at<double>(s, i, shorter);
        if constexpr (std::is_same_v<T, complex>) {
          Routines<T>::gelsd(&m, &n, &right, matrix, &leading, sides, &b_leading, values, &rcond,
                             &rank, work, &size, real, integers, &info);
        } else {
          Routines<T>::gelsd(&m, &n, &right, matrix, &leading, sides, &b_leading, values, &rcond,
                             &rank, work, &size, integers, &info);
        }
        if (size != query) at<std::int64_t>(ranks, i, 1)[0] = rank;
        return info;
      };
      T answer{};
      double real_answer = 1;
      index integers_answer = 1;
      run(0, &answer, query, &real_answer, &integers_answer);
      const double work = 8.0 * static_cast<double>(rows * columns) * static_cast<double>(shorter);
      for_each_matrix(batch.count, work, [&](std::int64_t first, std::int64_t last) {
        LapackWorkspace<T> memory(answer);
        LapackWorkspace<double> real(real_answer);
        std::vector<index> integers(static_cast<std::size_t>(std::max<index>(integers_answer, 1)));
        for (auto i = first; i < last; ++i) {
          set_status(batch, i, run(i, memory.data(), memory.size, real.data(), integers.data()));
        }
      });
    });
  }
};

}  // namespace

Solvers& solvers() {
  static auto* made = new CpuSolvers;
  return *made;
}

}  // namespace heddle::cpu
