#include "backend/cpu/dense_routines.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend/cpu/blas_threads.h"
#include "backend/cpu/lapack.h"

namespace heddle::cpu {

namespace {

using lapack::complex;
using lapack::index;
using lapack::Routines;

constexpr index query = -1;

index at_least_one(std::int64_t n) { return static_cast<index>(std::max<std::int64_t>(n, 1)); }

template <class T>
constexpr bool complex_matrix = std::is_same_v<T, complex>;

// One matrix of each stack while it is worked on, with the memory that one thread needs.
template <class T>
class Worker {
 public:
  explicit Worker(const DenseCall& call)
      : call_(call),
        n_(static_cast<index>(call.columns)),
        leading_(at_least_one(call.columns)),
        parts_(static_cast<std::size_t>(3 * call.columns + 8 * call.columns + 1)),
        integers_(static_cast<std::size_t>(call.columns + 1)) {}

  index run(std::int64_t i) {
    i_ = i;
    switch (call_.routine) {
      case DenseRoutine::hessenberg:
        return hessenberg();
      case DenseRoutine::schur:
        return schur();
      case DenseRoutine::reorder_schur:
        return reorder_schur();
      case DenseRoutine::generalised_schur:
        return generalised_schur();
      case DenseRoutine::reorder_generalised:
        return reorder_generalised();
      case DenseRoutine::generalised_eig:
        return generalised_eig();
      case DenseRoutine::two_sided_eig:
        return two_sided_eig();
      case DenseRoutine::indefinite:
        return indefinite();
      case DenseRoutine::pivoted_qr:
        return pivoted_qr();
      case DenseRoutine::sylvester:
        return sylvester();
    }
    return 0;
  }

 private:
  template <class E>
  E* at(Buffer& stack, std::int64_t size) const {
    return static_cast<E*>(stack.data()) + i_ * size;
  }
  std::int64_t squared() const { return call_.columns * call_.columns; }
  T* taken(std::size_t k) const { return at<T>(*call_.taken[k], squared()); }
  T* matrix(std::size_t k) const { return at<T>(*call_.made[k], squared()); }
  template <class E>
  E* vector(std::size_t k, std::int64_t size) const {
    return at<E>(*call_.made[k], size);
  }

  // Calls a routine twice: first it says how much memory it works in.
  template <class F>
  index with_memory(F call) {
    T answer{};
    index info = 0;
    if (memory_.empty()) {
      call(&answer, &query, &info);
      if (info != 0) return info;
      const auto size = at_least_one(static_cast<std::int64_t>(std::real(answer)));
      memory_.resize(static_cast<std::size_t>(size));
    }
    const auto size = static_cast<index>(memory_.size());
    call(memory_.data(), &size, &info);
    return info;
  }

  // Eigenvalues of real matrices come in two parts.
  void join(complex* values) const {
    for (std::int64_t k = 0; k < call_.columns; ++k) {
      values[k] = {parts_[static_cast<std::size_t>(k)],
                   parts_[static_cast<std::size_t>(call_.columns + k)]};
    }
  }
  double* real_parts() { return parts_.data(); }
  double* imaginary_parts() { return parts_.data() + call_.columns; }
  double* more() { return parts_.data() + 2 * call_.columns; }

  // Indices of a result are int64, whatever LAPACK counts with.
  void give_integers(std::size_t k, std::int64_t count) {
    std::copy_n(integers_.begin(), count, vector<std::int64_t>(k, count));
  }
  void take_choices(Buffer& stack) {
    std::copy_n(at<std::int64_t>(stack, call_.columns), call_.columns, integers_.begin());
  }

  index hessenberg() {
    T *a = taken(0), *q = matrix(0);
    const index first = 1;
    std::vector<T> tau(static_cast<std::size_t>(at_least_one(call_.columns)));
    memory_.clear();
    index info = with_memory([&](T* work, const index* size, index* failed) {
      Routines<T>::gehrd(&n_, &first, &n_, a, &leading_, tau.data(), work, size, failed);
    });
    if (info != 0) return info;
    std::copy_n(a, squared(), q);
    memory_.clear();
    return with_memory([&](T* work, const index* size, index* failed) {
      Routines<T>::orghr(&n_, &first, &n_, q, &leading_, tau.data(), work, size, failed);
    });
  }

  index schur() {
    const char vectors = 'V', sort = 'N';
    T *a = taken(0), *z = matrix(0);
    auto* w = vector<complex>(1, call_.columns);
    index chosen = 0;
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      if constexpr (complex_matrix<T>) {
        Routines<T>::gees(&vectors, &sort, nullptr, &n_, a, &leading_, &chosen, w, z, &leading_,
                          work, size, real_parts(), nullptr, failed);
      } else {
        Routines<T>::gees(&vectors, &sort, nullptr, &n_, a, &leading_, &chosen, real_parts(),
                          imaginary_parts(), z, &leading_, work, size, nullptr, failed);
      }
    });
    if constexpr (!complex_matrix<T>) join(w);
    return info;
  }

  index reorder_schur() {
    const char job = 'N', vectors = 'V';
    T *t = taken(0), *z = taken(1);
    auto* w = vector<complex>(0, call_.columns);
    take_choices(*call_.read[0]);
    index count = 0, info = 0, integers = 1, no_integers = 0;
    double s = 0, separation = 0;
    memory_.resize(static_cast<std::size_t>(at_least_one(call_.columns)));
    const auto size = static_cast<index>(memory_.size());
    if constexpr (complex_matrix<T>) {
      Routines<T>::trsen(&job, &vectors, integers_.data(), &n_, t, &leading_, z, &leading_, w,
                         &count, &s, &separation, memory_.data(), &size, &info);
    } else {
      Routines<T>::trsen(&job, &vectors, integers_.data(), &n_, t, &leading_, z, &leading_,
                         real_parts(), imaginary_parts(), &count, &s, &separation, memory_.data(),
                         &size, &no_integers, &integers, &info);
      join(w);
    }
    return info;
  }

  index generalised_schur() {
    const char vectors = 'V', sort = 'N';
    T *a = taken(0), *b = taken(1), *q = matrix(0), *z = matrix(1);
    auto* alpha = vector<complex>(2, call_.columns);
    T* beta = vector<T>(3, call_.columns);
    index chosen = 0;
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      if constexpr (complex_matrix<T>) {
        Routines<T>::gges(&vectors, &vectors, &sort, nullptr, &n_, a, &leading_, b, &leading_,
                          &chosen, alpha, beta, q, &leading_, z, &leading_, work, size,
                          real_parts(), nullptr, failed);
      } else {
        Routines<T>::gges(&vectors, &vectors, &sort, nullptr, &n_, a, &leading_, b, &leading_,
                          &chosen, real_parts(), imaginary_parts(), beta, q, &leading_, z,
                          &leading_, work, size, nullptr, failed);
      }
    });
    if constexpr (!complex_matrix<T>) join(alpha);
    return info;
  }

  index reorder_generalised() {
    const index job = 0, yes = 1;
    T *a = taken(0), *b = taken(1), *q = taken(2), *z = taken(3);
    auto* alpha = vector<complex>(0, call_.columns);
    T* beta = vector<T>(1, call_.columns);
    take_choices(*call_.read[0]);
    index count = 0, info = 0;
    double left = 0, right = 0, differences[2] = {};
    memory_.resize(static_cast<std::size_t>(4 * call_.columns + 16));
    const auto size = static_cast<index>(memory_.size());
    std::vector<index> indices(static_cast<std::size_t>(call_.columns + 6));
    const auto indices_size = static_cast<index>(indices.size());
    if constexpr (complex_matrix<T>) {
      Routines<T>::tgsen(&job, &yes, &yes, integers_.data(), &n_, a, &leading_, b, &leading_, alpha,
                         beta, q, &leading_, z, &leading_, &count, &left, &right, differences,
                         memory_.data(), &size, indices.data(), &indices_size, &info);
    } else {
      Routines<T>::tgsen(&job, &yes, &yes, integers_.data(), &n_, a, &leading_, b, &leading_,
                         real_parts(), imaginary_parts(), beta, q, &leading_, z, &leading_, &count,
                         &left, &right, differences, memory_.data(), &size, indices.data(),
                         &indices_size, &info);
      join(alpha);
    }
    return info;
  }

  index generalised_eig() {
    const char vectors = 'V';
    T *a = taken(0), *b = taken(1);
    auto* alpha = vector<complex>(0, call_.columns);
    T *beta = vector<T>(1, call_.columns), *left = matrix(2), *right = matrix(3);
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      if constexpr (complex_matrix<T>) {
        Routines<T>::ggev(&vectors, &vectors, &n_, a, &leading_, b, &leading_, alpha, beta, left,
                          &leading_, right, &leading_, work, size, real_parts(), failed);
      } else {
        Routines<T>::ggev(&vectors, &vectors, &n_, a, &leading_, b, &leading_, real_parts(),
                          imaginary_parts(), beta, left, &leading_, right, &leading_, work, size,
                          failed);
      }
    });
    if constexpr (!complex_matrix<T>) join(alpha);
    return info;
  }

  index two_sided_eig() {
    const char vectors = 'V';
    T* a = taken(0);
    auto* w = vector<complex>(0, call_.columns);
    T *left = matrix(1), *right = matrix(2);
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      if constexpr (complex_matrix<T>) {
        Routines<T>::geev(&vectors, &vectors, &n_, a, &leading_, w, left, &leading_, right,
                          &leading_, work, size, real_parts(), failed);
      } else {
        Routines<T>::geev(&vectors, &vectors, &n_, a, &leading_, real_parts(), imaginary_parts(),
                          left, &leading_, right, &leading_, work, size, failed);
      }
    });
    if constexpr (!complex_matrix<T>) join(w);
    return info;
  }

  index indefinite() {
    const char uplo = call_.lower ? 'L' : 'U';
    T* a = taken(0);
    auto* factor = call_.hermitian ? Routines<T>::hetrf : Routines<T>::sytrf;
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      factor(&uplo, &n_, a, &leading_, integers_.data(), work, size, failed);
    });
    give_integers(0, call_.columns);
    return std::min<index>(info, 0);  // a factor that is singular is one
  }

  index pivoted_qr() {
    const auto rows = static_cast<index>(call_.rows);
    const auto leading = at_least_one(call_.rows);
    const auto shorter = std::min(call_.rows, call_.columns);
    T* a = at<T>(*call_.taken[0], call_.rows * call_.columns);
    T* tau = vector<T>(0, shorter);
    std::fill(integers_.begin(), integers_.end(), index{0});
    const index info = with_memory([&](T* work, const index* size, index* failed) {
      if constexpr (complex_matrix<T>) {
        Routines<T>::geqp3(&rows, &n_, a, &leading, integers_.data(), tau, work, size, real_parts(),
                           failed);
      } else {
        Routines<T>::geqp3(&rows, &n_, a, &leading, integers_.data(), tau, work, size, failed);
      }
    });
    give_integers(1, call_.columns);
    return info;
  }

  index sylvester() {
    const char no = 'N';
    const index plus = 1;
    const auto rows = static_cast<index>(call_.rows);
    const auto leading = at_least_one(call_.rows);
    T* c = at<T>(*call_.taken[0], call_.rows * call_.columns);
    const T* a = at<T>(*call_.read[0], call_.rows * call_.rows);
    const T* b = at<T>(*call_.read[1], squared());
    double scale = 1;
    index info = 0;
    Routines<T>::trsyl(&no, &no, &plus, &rows, &n_, a, &leading, b, &leading_, c, &leading, &scale,
                       &info);
    *vector<double>(0, 1) = scale;
    return std::min<index>(info, 0);  // 1: eigenvalues were moved apart a little
  }

  const DenseCall& call_;
  index n_, leading_;
  std::int64_t i_ = 0;
  std::vector<double> parts_;
  std::vector<index> integers_;
  std::vector<T> memory_;
};

class CpuDenseRoutines final : public DenseRoutines {
 public:
  void run(const DenseCall& call) override {
    const auto side = std::max(call.rows, call.columns);
    const auto n = static_cast<double>(side);
    auto* status = static_cast<std::int32_t*>(call.batch.status->data());
    auto with = [&]<class T>(T) {
      auto body = [&](std::int64_t first, std::int64_t last) {
        Worker<T> worker(call);
        for (auto i = first; i < last; ++i) status[i] = static_cast<std::int32_t>(worker.run(i));
      };
      for_each_matrix(call.batch.count, 20 * n * n * n, body, threads_by_steps(side));
    };
    is_complex(call.batch.dtype) ? with(complex{}) : with(double{});
  }
};

}  // namespace

DenseRoutines& dense_routines() {
  static auto* made = new CpuDenseRoutines;
  return *made;
}

}  // namespace heddle::cpu
