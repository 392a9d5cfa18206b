// How routines of linalg are differentiated: as one step each, whose results LAPACK computes and
// whose rule is the formula of the textbooks, written with routines that have derivatives
// themselves. The rules look at no failures: where there is no derivative it is nan or infinite.
//
// Rules whose formula is one of adjoints conjugate the cotangents, which are transposed, at the
// beginning and at the end.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/derivative.h"
#include "graph/primitive.h"
#include "graph/recorder.h"
#include "ops/matrices.h"

namespace heddle::linalg {

// A primitive for as_step.
constexpr Primitive step_with(const char* name, const graph::Derivative& derivative) {
  return {name, graph::run_composed, &derivative, graph::batch_composed};
}

// What `routine` computes, a vector of arrays, as results of the inputs with the derivative of the
// primitive.
template <class Routine>
std::vector<array> as_step(const Primitive& primitive, const std::vector<array>& inputs,
                           const Routine& routine,
                           std::shared_ptr<const Parameters> parameters = nullptr) {
  std::vector<array> results;
  {
    const Constant constant;
    results = routine();
  }
  return graph::composed(primitive, std::move(parameters), inputs, results);
}

// What a rule has to know beside its operands.
struct Choice final : Parameters {
  explicit Choice(bool chosen) : is(chosen) {}
  bool is;
  void write_key(std::vector<std::uint64_t>& key) const override { key.push_back(is ? 1 : 0); }
};
inline std::shared_ptr<const Parameters> choice(bool is) { return std::make_shared<Choice>(is); }
inline bool is_chosen(const graph::Pullback& step) {
  return step.node().parameters_as<Choice>().is;
}

// In a type; itself where it is.
array typed(const array& a, Dtype dtype);

array conjugated(const array& a);
// The conjugated transposed matrices.
array adjoint(const array& a);
// (a + a^H) / 2.
array symmetrised(const array& a);
// Numbers along the last axis as factors of columns, of rows, and of whole matrices.
array of_columns(const array& numbers);
array of_rows(const array& numbers);
array of_matrices(const array& numbers);
// 1 / (w[j] - w[i]) at i, j, and 0 on the diagonal.
array inverse_differences(const array& w);
// Matrices with the numbers on their diagonals.
array with_diagonal(const array& numbers);
// a b^-1.
array divided(const array& a, const array& b);

// The conjugated cotangent of an output, none where the result does not depend on it.
std::optional<array> adjoint_cotangent(const graph::Pullback& step, int output);

}  // namespace heddle::linalg
