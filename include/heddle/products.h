/// @file
/// Products of vectors and matrices, by NumPy's rules, and Einstein's sums. Those of matrices are
/// the device's BLAS for inexact types; products of vectors, and all of integers and bool, are sums
/// of products that fuse with what is around them.
///
///     array c = matmul(a, b);
///     array energy = einsum("bi,ij,bj->b", {x, weights, x});
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <heddle/array.h>

namespace heddle {

/// Of the last two axes; leading axes are broadcast. A vector counts as a row or as a column.
HEDDLE_API array matmul(const array& a, const array& b);
/// Of the last axes; leading axes are broadcast. Vectors on the left are conjugated, but for
/// matvec.
HEDDLE_API array vecdot(const array& a, const array& b);
HEDDLE_API array matvec(const array& a, const array& b);
HEDDLE_API array vecmat(const array& a, const array& b);

/// Sums over the last axis of a and the last but one of b, or b's only one; of all pairs of those.
HEDDLE_API array dot(const array& a, const array& b);
/// Over the last axes of both.
HEDDLE_API array inner(const array& a, const array& b);
/// Of the flattened arrays: one number, with a conjugated; all products.
HEDDLE_API array vdot(const array& a, const array& b);
HEDDLE_API array outer(const array& a, const array& b);

/// Over the last `axes` axes of a and the first ones of b, or over pairs of axes.
HEDDLE_API array tensordot(const array& a, const array& b, std::int64_t axes = 2);
HEDDLE_API array tensordot(const array& a, const array& b, const Dims& of_a, const Dims& of_b);

/// Sums of products by the labels of axes: einsum("ij,jk->ik", {a, b}) multiplies matrices. Labels
/// that are not in the output are summed over; without "->" the output has those that occur once,
/// in alphabetical order. "..." stands for axes that are broadcast. Several operands are contracted
/// two at a time, in an order that keeps results small.
HEDDLE_API array einsum(std::string_view subscripts, const std::vector<array>& operands,
                        std::optional<Dtype> dtype = std::nullopt);
/// That order, or the best of all: for each step the positions of the operands, whose product goes
/// to the end of the list.
HEDDLE_API std::vector<Dims> einsum_path(std::string_view subscripts,
                                         const std::vector<array>& operands, bool optimal = false);

/// The Kronecker product: each element of a times all of b.
HEDDLE_API array kron(const array& a, const array& b);
/// The sums of diagonals in the plane of two axes.
HEDDLE_API array trace(const array& a, std::int64_t offset = 0, std::int64_t axis1 = 0,
                       std::int64_t axis2 = 1, std::optional<Dtype> dtype = std::nullopt);

}  // namespace heddle
