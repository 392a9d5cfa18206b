// What one call of a routine of linalg needs: where it runs, in which type, and what becomes of
// matrices that it cannot work on.
#pragma once

#include <optional>
#include <utility>

#include "ops/matrices.h"
#include "ops/scaling.h"
#include "runtime/solvers.h"
#include <heddle/linalg.h>

namespace heddle::linalg {

// What became of the matrices of a stack, where that is no error.
class Outcome {
 public:
  Outcome() = default;  // all is well
  // Whether each matrix failed.
  explicit Outcome(array failed) : failed_(std::move(failed)) {}

  // What was made of the matrices, along the last `axes` axes; nan where that failed.
  array of(const array& made, int axes) const;

 private:
  std::optional<array> failed_;
};

class Call {
 public:
  // For results of the type `result`.
  Call(Device& device, Dtype result);

  Device& device() const { return device_; }
  Solvers* operator->() const { return &solvers_; }
  Dtype dtype() const { return dtype_; }
  Dtype real() const { return real_type(dtype_); }
  Dtype result() const { return result_; }
  Dtype real_result() const { return real_type(result_); }

  // Copies of the matrices that a step may overwrite, in C order.
  array by_rows(const array& a) const;
  // The same by columns: an array of the transposed matrices.
  array by_columns(const array& a) const { return by_rows(swapped(a)); }
  // What a step left by columns, as users get it.
  array finished(const array& columns) const { return in_rows(swapped(columns), result_); }

  // For matrices of any magnitude.
  Scaling scaling_of(const array& a) const;
  // The same where only batched solvers do harm.
  Scaling scaling_of_batch(const array& a) const;
  // And where those do that compare complex pivots.
  Scaling scaling_of_pivots(const array& a) const;

  // Throws linalg_error where the status of a matrix is not 0: the one look at what was computed.
  // None where failures are ignored, or where a recorder takes it on itself.
  Outcome outcome(const array& status, const char* message) const;
  // The same where a solver may leave nan in `values` and not say so.
  Outcome outcome(const array& status, const char* message, const array& values) const;

  // Whether there are looks at what was computed; if not, a routine has to do without.
  static bool looks();

 private:
  Device& device_;
  Solvers& solvers_;
  Dtype result_, dtype_;
};

}  // namespace heddle::linalg
