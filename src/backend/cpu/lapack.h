// The routines of LAPACK that are used here, which is in OpenBLAS, by the type of their matrices:
// lapack::Routines<double>::gesv. Their names and arguments are LAPACK's.
#pragma once

#include <complex>

#include <cblas.h>

// The wheel's library decorates its names.
#ifdef HEDDLE_BLAS_SCIPY
#define HEDDLE_LAPACK(name) scipy_##name##_64_
#define HEDDLE_OPENBLAS(name) scipy_openblas_##name##64_
#else
#define HEDDLE_LAPACK(name) name##_
#define HEDDLE_OPENBLAS(name) openblas_##name
#endif

namespace heddle::cpu::lapack {

using index = blasint;
using complex = std::complex<double>;

extern "C" {
// What has the same arguments for real and complex matrices: (T, gesv, getrf, potrf, geqrf, orgqr).
#define HEDDLE_DECLARE_LAPACK(T, gesv, getrf, potrf, geqrf, orgqr)                                 \
  void HEDDLE_LAPACK(gesv)(const index* n, const index* nrhs, T* a, const index* lda, index* ipiv, \
                           T* b, const index* ldb, index* info);                                   \
  void HEDDLE_LAPACK(getrf)(const index* m, const index* n, T* a, const index* lda, index* ipiv,   \
                            index* info);                                                          \
  void HEDDLE_LAPACK(potrf)(const char* uplo, const index* n, T* a, const index* lda,              \
                            index* info);                                                          \
  void HEDDLE_LAPACK(geqrf)(const index* m, const index* n, T* a, const index* lda, T* tau,        \
                            T* work, const index* lwork, index* info);                             \
  void HEDDLE_LAPACK(orgqr)(const index* m, const index* n, const index* k, T* a,                  \
                            const index* lda, const T* tau, T* work, const index* lwork,           \
                            index* info);
HEDDLE_DECLARE_LAPACK(double, dgesv, dgetrf, dpotrf, dgeqrf, dorgqr)
HEDDLE_DECLARE_LAPACK(complex, zgesv, zgetrf, zpotrf, zgeqrf, zungqr)
#undef HEDDLE_DECLARE_LAPACK

void HEDDLE_LAPACK(dgesdd)(const char* jobz, const index* m, const index* n, double* a,
                           const index* lda, double* s, double* u, const index* ldu, double* vt,
                           const index* ldvt, double* work, const index* lwork, index* iwork,
                           index* info);
void HEDDLE_LAPACK(zgesdd)(const char* jobz, const index* m, const index* n, complex* a,
                           const index* lda, double* s, complex* u, const index* ldu, complex* vt,
                           const index* ldvt, complex* work, const index* lwork, double* rwork,
                           index* iwork, index* info);
void HEDDLE_LAPACK(dsyevd)(const char* jobz, const char* uplo, const index* n, double* a,
                           const index* lda, double* w, double* work, const index* lwork,
                           index* iwork, const index* liwork, index* info);
void HEDDLE_LAPACK(zheevd)(const char* jobz, const char* uplo, const index* n, complex* a,
                           const index* lda, double* w, complex* work, const index* lwork,
                           double* rwork, const index* lrwork, index* iwork, const index* liwork,
                           index* info);
void HEDDLE_LAPACK(dgeev)(const char* jobvl, const char* jobvr, const index* n, double* a,
                          const index* lda, double* wr, double* wi, double* vl, const index* ldvl,
                          double* vr, const index* ldvr, double* work, const index* lwork,
                          index* info);
void HEDDLE_LAPACK(zgeev)(const char* jobvl, const char* jobvr, const index* n, complex* a,
                          const index* lda, complex* w, complex* vl, const index* ldvl, complex* vr,
                          const index* ldvr, complex* work, const index* lwork, double* rwork,
                          index* info);
void HEDDLE_LAPACK(dgelsd)(const index* m, const index* n, const index* nrhs, double* a,
                           const index* lda, double* b, const index* ldb, double* s,
                           const double* rcond, index* rank, double* work, const index* lwork,
                           index* iwork, index* info);
void HEDDLE_LAPACK(zgelsd)(const index* m, const index* n, const index* nrhs, complex* a,
                           const index* lda, complex* b, const index* ldb, double* s,
                           const double* rcond, index* rank, complex* work, const index* lwork,
                           double* rwork, index* iwork, index* info);
}

template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto gesv = HEDDLE_LAPACK(dgesv);
  static constexpr auto getrf = HEDDLE_LAPACK(dgetrf);
  static constexpr auto potrf = HEDDLE_LAPACK(dpotrf);
  static constexpr auto geqrf = HEDDLE_LAPACK(dgeqrf);
  static constexpr auto orgqr = HEDDLE_LAPACK(dorgqr);
  static constexpr auto gesdd = HEDDLE_LAPACK(dgesdd);
  static constexpr auto heevd = HEDDLE_LAPACK(dsyevd);
  static constexpr auto geev = HEDDLE_LAPACK(dgeev);
  static constexpr auto gelsd = HEDDLE_LAPACK(dgelsd);
};

template <>
struct Routines<complex> {
  static constexpr auto gesv = HEDDLE_LAPACK(zgesv);
  static constexpr auto getrf = HEDDLE_LAPACK(zgetrf);
  static constexpr auto potrf = HEDDLE_LAPACK(zpotrf);
  static constexpr auto geqrf = HEDDLE_LAPACK(zgeqrf);
  static constexpr auto orgqr = HEDDLE_LAPACK(zungqr);
  static constexpr auto gesdd = HEDDLE_LAPACK(zgesdd);
  static constexpr auto heevd = HEDDLE_LAPACK(zheevd);
  static constexpr auto geev = HEDDLE_LAPACK(zgeev);
  static constexpr auto gelsd = HEDDLE_LAPACK(zgelsd);
};

}  // namespace heddle::cpu::lapack
