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
// What has the same arguments for real and complex matrices: (T, gesv, getrf, potrf, geqrf, orgqr,
// trsm, trsv, gehrd, orghr, trsyl, sytrf, getri).
#define HEDDLE_DECLARE_LAPACK(T, gesv, getrf, potrf, geqrf, orgqr, trsm, trsv, gehrd, orghr,       \
                              trsyl, sytrf, getri)                                                 \
  void HEDDLE_LAPACK(getri)(const index* n, T* a, const index* lda, const index* ipiv, T* work,    \
                            const index* lwork, index* info);                                      \
  void HEDDLE_LAPACK(trsv)(const char* uplo, const char* trans, const char* diag, const index* n,  \
                           const T* a, const index* lda, T* x, const index* incx);                 \
  void HEDDLE_LAPACK(trsm)(const char* side, const char* uplo, const char* trans,                  \
                           const char* diag, const index* m, const index* n, const T* alpha,       \
                           const T* a, const index* lda, T* b, const index* ldb);                  \
  void HEDDLE_LAPACK(gehrd)(const index* n, const index* ilo, const index* ihi, T* a,              \
                            const index* lda, T* tau, T* work, const index* lwork, index* info);   \
  void HEDDLE_LAPACK(orghr)(const index* n, const index* ilo, const index* ihi, T* a,              \
                            const index* lda, const T* tau, T* work, const index* lwork,           \
                            index* info);                                                          \
  void HEDDLE_LAPACK(trsyl)(const char* trana, const char* tranb, const index* isgn,               \
                            const index* m, const index* n, const T* a, const index* lda,          \
                            const T* b, const index* ldb, T* c, const index* ldc, double* scale,   \
                            index* info);                                                          \
  void HEDDLE_LAPACK(sytrf)(const char* uplo, const index* n, T* a, const index* lda, index* ipiv, \
                            T* work, const index* lwork, index* info);                             \
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
HEDDLE_DECLARE_LAPACK(double, dgesv, dgetrf, dpotrf, dgeqrf, dorgqr, dtrsm, dtrsv, dgehrd, dorghr,
                      dtrsyl, dsytrf, dgetri)
HEDDLE_DECLARE_LAPACK(complex, zgesv, zgetrf, zpotrf, zgeqrf, zungqr, ztrsm, ztrsv, zgehrd, zunghr,
                      ztrsyl, zsytrf, zgetri)
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
void HEDDLE_LAPACK(zhetrf)(const char* uplo, const index* n, complex* a, const index* lda,
                           index* ipiv, complex* work, const index* lwork, index* info);
void HEDDLE_LAPACK(dgeqp3)(const index* m, const index* n, double* a, const index* lda, index* jpvt,
                           double* tau, double* work, const index* lwork, index* info);
void HEDDLE_LAPACK(zgeqp3)(const index* m, const index* n, complex* a, const index* lda,
                           index* jpvt, complex* tau, complex* work, const index* lwork,
                           double* rwork, index* info);
void HEDDLE_LAPACK(dgees)(const char* jobvs, const char* sort, void* select, const index* n,
                          double* a, const index* lda, index* sdim, double* wr, double* wi,
                          double* vs, const index* ldvs, double* work, const index* lwork,
                          index* bwork, index* info);
void HEDDLE_LAPACK(zgees)(const char* jobvs, const char* sort, void* select, const index* n,
                          complex* a, const index* lda, index* sdim, complex* w, complex* vs,
                          const index* ldvs, complex* work, const index* lwork, double* rwork,
                          index* bwork, index* info);
void HEDDLE_LAPACK(dtrsen)(const char* job, const char* compq, const index* select, const index* n,
                           double* t, const index* ldt, double* q, const index* ldq, double* wr,
                           double* wi, index* m, double* s, double* sep, double* work,
                           const index* lwork, index* iwork, const index* liwork, index* info);
void HEDDLE_LAPACK(ztrsen)(const char* job, const char* compq, const index* select, const index* n,
                           complex* t, const index* ldt, complex* q, const index* ldq, complex* w,
                           index* m, double* s, double* sep, complex* work, const index* lwork,
                           index* info);
void HEDDLE_LAPACK(dgges)(const char* jobvsl, const char* jobvsr, const char* sort, void* select,
                          const index* n, double* a, const index* lda, double* b, const index* ldb,
                          index* sdim, double* alphar, double* alphai, double* beta, double* vsl,
                          const index* ldvsl, double* vsr, const index* ldvsr, double* work,
                          const index* lwork, index* bwork, index* info);
void HEDDLE_LAPACK(zgges)(const char* jobvsl, const char* jobvsr, const char* sort, void* select,
                          const index* n, complex* a, const index* lda, complex* b,
                          const index* ldb, index* sdim, complex* alpha, complex* beta,
                          complex* vsl, const index* ldvsl, complex* vsr, const index* ldvsr,
                          complex* work, const index* lwork, double* rwork, index* bwork,
                          index* info);
void HEDDLE_LAPACK(dtgsen)(const index* ijob, const index* wantq, const index* wantz,
                           const index* select, const index* n, double* a, const index* lda,
                           double* b, const index* ldb, double* alphar, double* alphai,
                           double* beta, double* q, const index* ldq, double* z, const index* ldz,
                           index* m, double* pl, double* pr, double* dif, double* work,
                           const index* lwork, index* iwork, const index* liwork, index* info);
void HEDDLE_LAPACK(ztgsen)(const index* ijob, const index* wantq, const index* wantz,
                           const index* select, const index* n, complex* a, const index* lda,
                           complex* b, const index* ldb, complex* alpha, complex* beta, complex* q,
                           const index* ldq, complex* z, const index* ldz, index* m, double* pl,
                           double* pr, double* dif, complex* work, const index* lwork, index* iwork,
                           const index* liwork, index* info);
void HEDDLE_LAPACK(dggev)(const char* jobvl, const char* jobvr, const index* n, double* a,
                          const index* lda, double* b, const index* ldb, double* alphar,
                          double* alphai, double* beta, double* vl, const index* ldvl, double* vr,
                          const index* ldvr, double* work, const index* lwork, index* info);
void HEDDLE_LAPACK(zggev)(const char* jobvl, const char* jobvr, const index* n, complex* a,
                          const index* lda, complex* b, const index* ldb, complex* alpha,
                          complex* beta, complex* vl, const index* ldvl, complex* vr,
                          const index* ldvr, complex* work, const index* lwork, double* rwork,
                          index* info);
}

template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto gesv = HEDDLE_LAPACK(dgesv);
  static constexpr auto getrf = HEDDLE_LAPACK(dgetrf);
  static constexpr auto getri = HEDDLE_LAPACK(dgetri);
  static constexpr auto potrf = HEDDLE_LAPACK(dpotrf);
  static constexpr auto geqrf = HEDDLE_LAPACK(dgeqrf);
  static constexpr auto orgqr = HEDDLE_LAPACK(dorgqr);
  static constexpr auto gesdd = HEDDLE_LAPACK(dgesdd);
  static constexpr auto heevd = HEDDLE_LAPACK(dsyevd);
  static constexpr auto geev = HEDDLE_LAPACK(dgeev);
  static constexpr auto gelsd = HEDDLE_LAPACK(dgelsd);
  static constexpr auto trsm = HEDDLE_LAPACK(dtrsm);
  static constexpr auto trsv = HEDDLE_LAPACK(dtrsv);
  static constexpr auto gehrd = HEDDLE_LAPACK(dgehrd);
  static constexpr auto orghr = HEDDLE_LAPACK(dorghr);
  static constexpr auto trsyl = HEDDLE_LAPACK(dtrsyl);
  static constexpr auto sytrf = HEDDLE_LAPACK(dsytrf);
  static constexpr auto hetrf = HEDDLE_LAPACK(dsytrf);
  static constexpr auto geqp3 = HEDDLE_LAPACK(dgeqp3);
  static constexpr auto gees = HEDDLE_LAPACK(dgees);
  static constexpr auto trsen = HEDDLE_LAPACK(dtrsen);
  static constexpr auto gges = HEDDLE_LAPACK(dgges);
  static constexpr auto tgsen = HEDDLE_LAPACK(dtgsen);
  static constexpr auto ggev = HEDDLE_LAPACK(dggev);
};

template <>
struct Routines<complex> {
  static constexpr auto gesv = HEDDLE_LAPACK(zgesv);
  static constexpr auto getrf = HEDDLE_LAPACK(zgetrf);
  static constexpr auto getri = HEDDLE_LAPACK(zgetri);
  static constexpr auto potrf = HEDDLE_LAPACK(zpotrf);
  static constexpr auto geqrf = HEDDLE_LAPACK(zgeqrf);
  static constexpr auto orgqr = HEDDLE_LAPACK(zungqr);
  static constexpr auto gesdd = HEDDLE_LAPACK(zgesdd);
  static constexpr auto heevd = HEDDLE_LAPACK(zheevd);
  static constexpr auto geev = HEDDLE_LAPACK(zgeev);
  static constexpr auto gelsd = HEDDLE_LAPACK(zgelsd);
  static constexpr auto trsm = HEDDLE_LAPACK(ztrsm);
  static constexpr auto trsv = HEDDLE_LAPACK(ztrsv);
  static constexpr auto gehrd = HEDDLE_LAPACK(zgehrd);
  static constexpr auto orghr = HEDDLE_LAPACK(zunghr);
  static constexpr auto trsyl = HEDDLE_LAPACK(ztrsyl);
  static constexpr auto sytrf = HEDDLE_LAPACK(zsytrf);
  static constexpr auto hetrf = HEDDLE_LAPACK(zhetrf);
  static constexpr auto geqp3 = HEDDLE_LAPACK(zgeqp3);
  static constexpr auto gees = HEDDLE_LAPACK(zgees);
  static constexpr auto trsen = HEDDLE_LAPACK(ztrsen);
  static constexpr auto gges = HEDDLE_LAPACK(zgges);
  static constexpr auto tgsen = HEDDLE_LAPACK(ztgsen);
  static constexpr auto ggev = HEDDLE_LAPACK(zggev);
};

}  // namespace heddle::cpu::lapack
