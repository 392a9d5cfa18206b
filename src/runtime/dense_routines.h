// Routines of LAPACK that few devices have: factorisations which keep to one core, or which users
// want of few matrices. A device without them gives null (Solvers::routines), and whoever needs one
// computes on a device that has them.
//
// Matrices are as in runtime/solvers.h: stacks, by columns, in double precision. The first buffers
// are overwritten by the first results.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/solvers.h"

namespace heddle {

enum class DenseRoutine : std::uint8_t {
  hessenberg,           // a -> h with reflectors below it; q
  schur,                // a -> t; z, w
  reorder_schur,        // t, z, chosen -> t, z; w
  generalised_schur,    // a, b -> s, t; q, z, alpha, beta
  reorder_generalised,  // s, t, q, z, chosen -> s, t, q, z; alpha, beta
  generalised_eig,      // a, b -> (overwritten); alpha, beta, left and right vectors
  two_sided_eig,        // a -> (overwritten); w, left and right vectors
  indefinite,           // a -> factors L D L^T; pivots
  pivoted_qr,           // a -> factors; tau, order of columns
  sylvester,            // c, a, b -> x of a x + x b = scale c, a and b triangles; scale
};

struct DenseCall {
  DenseRoutine routine = DenseRoutine::schur;
  Batch batch;
  std::int64_t rows = 0, columns = 0;  // of the first matrix
  bool lower = false, hermitian = false;
  // What is overwritten, what is only read, and results in memory of their own.
  std::span<Buffer* const> taken, read, made;
};

class DenseRoutines {
 public:
  virtual ~DenseRoutines() = default;
  virtual void run(const DenseCall& call) = 0;
};

}  // namespace heddle
