// Matrices brought to magnitudes of about one, for solvers that square elements and so lose those
// that are very large or very small. The factors are powers of two, so that no bits are lost.
#pragma once

#include <optional>

#include <heddle/array.h>

namespace heddle {

class Scaling {
 public:
  Scaling() = default;               // leaves everything as it is
  explicit Scaling(const array& a);  // matrices along the last two axes, one factor for each

  // The matrices; also what is proportional to their inverses, on the way back.
  array apply(const array& a) const { return scaled(a, factor_); }
  // What is proportional to the matrices, on the way back.
  array undo(const array& a) const { return scaled(a, inverse_); }

 private:
  static array scaled(const array& a, const std::optional<array>& by);

  std::optional<array> factor_, inverse_;  // of the shape that stacks the matrices
};

}  // namespace heddle
