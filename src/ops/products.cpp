#include "ops/products.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/reduction.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/manipulation.h>
#include <heddle/products.h>
#include <heddle/reductions.h>

namespace heddle {

namespace {

constexpr ProductInfo products[] = {
    {"matmul",
     "(n?,k),(k,m?)->(n?,m?)",
     "Matrix product; leading axes are broadcast, a vector counts as a row or a column.",
     {1, 1}},
    {"vecdot", "(n),(n)->()", "Dot product of vectors, the first one conjugated.", {1, 1}},
    {"matvec", "(m,n),(n)->(m)", "Product of matrices and vectors.", {2, 1}},
    {"vecmat", "(n),(n,m)->(m)", "Product of conjugated vectors and matrices.", {1, 2}},
};

array in_type(const array& a, Dtype dtype) { return a.dtype() == dtype ? a : cast(a, dtype); }
array conjugated(const array& a) {
  return is_complex(a.dtype()) ? elementwise(Op::conjugate, {a}) : a;
}
array swapped(const array& a) { return swapaxes(a, -1, -2); }

Dims without_last(const array& a, std::int64_t count) {
  Dims shape = a.shape();
  shape.resize(a.ndim() - count);
  return shape;
}

array recorded(const array& a, const array& b, Dtype dtype);

// The product of two short vectors that the host sees is a number at once, as an element is: what
// recording it takes is longer than the work, and whoever goes on with it computes with numbers.
std::optional<array> product_at_once(const array& a, const array& b, Dtype dtype) {
  if (a.dtype() != dtype || b.dtype() != dtype || a.shape() != b.shape()) return {};
  if (&a.device() != &default_device()) return {};  // where numbers are
  // Up to 32 KB: longer ones take longer than recording them would.
  constexpr int times = 8;
  const auto first = short_vector(a, times);
  const auto second = first ? short_vector(b, times) : std::nullopt;
  if (!second || a.size() == 0) return {};
  // What memory that others see has part in is computed step by step, and would not be one kernel.
  const auto unshared = [](const array& x) {
    return array(Ref<Storage>(new Storage(x.storage().value())), x.shared_layout(), x.dtype());
  };
  const auto record = [&] { return recorded(unshared(a), unshared(b), dtype).storage().value(); };
  ScalarWords sum{};
  if (!compute_product(dtype, a.size(), *first, *second, record, &sum)) return {};
  return array::of_number(sum, dtype);
}

// Sums over the last axis of the broadcast product. Those of half precision are rounded once, at
// the end.
array contract(const array& a, const array& b, Dtype dtype) {
  if (is_half(dtype)) return cast(contract(a, b, Dtype::float32), dtype);
  if (auto made = product_at_once(a, b, dtype)) return *std::move(made);
  return number_at_once(recorded(a, b, dtype));
}

array recorded(const array& a, const array& b, Dtype dtype) {
  const bool truth = dtype == Dtype::bool_;
  array product =
      elementwise(truth ? Op::logical_and : Op::multiply, {in_type(a, dtype), in_type(b, dtype)});
  const auto last = std::uint64_t{1} << (product.ndim() - 1);
  array sums = reduce_later(truth ? Op::logical_or : Op::add, product, last, false, dtype);
  return is_c_contiguous(sums.layout()) ? sums : dense(sums, sums.dtype());  // in C's order always
}

// Throws unless the axes that are summed over agree, and the leading ones can be broadcast.
void check(Product which, const array& a, const array& b) {
  const ProductInfo& product = info(which);
  const array* operands[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    if (operands[i]->ndim() >= product.axes[i]) continue;
    throw value_error(fmt::format(
        "{}: Input operand {} does not have enough dimensions (has {}, gufunc core with signature "
        "{} requires {})",
        product.name, i, operands[i]->ndim(), product.signature, product.axes[i]));
  }
  const bool matrix = which == Product::vecmat || (which == Product::matmul && b.ndim() > 1);
  const auto left = a.shape(-1), right = b.shape(matrix ? -2 : -1);
  if (left != right) {
    throw value_error(fmt::format(
        "{}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {} "
        "(size {} is different from {})",
        product.name, product.signature, right, left));
  }
  const bool rows = which == Product::matvec || (which == Product::matmul && a.ndim() > 1);
  const Dims of_a = without_last(a, rows ? 2 : 1), of_b = without_last(b, matrix ? 2 : 1);
  if (of_a == of_b) return;
  try {
    broadcast_shapes(product.name, of_a, of_b);
  } catch (const value_error&) {
    throw value_error(
        fmt::format("{}: operands could not be broadcast together with remapped shapes {}->{} "
                    "{}->{}",
                    product.name, to_string(a.shape()), to_string(of_a), to_string(b.shape()),
                    to_string(of_b)));
  }
}

// A vector and a long, narrow matrix: a sum for each of few rows or of few elements, which fuses
// with what is around it. On a CPU it would be one more pass for a core than BLAS needs.
bool is_narrow(const array& matrix) {
  constexpr std::int64_t narrow = 64;
  return !matrix.device().host_accessible() && matrix.ndim() == 2 &&
         std::min(matrix.shape(0), matrix.shape(1)) <= narrow;
}

// Vectors as matrices of one row or column, which then goes again.
array matmul_as(const array& a, const array& b, bool row, bool column, Dtype dtype) {
  if (row && column) return contract(a, b, dtype);
  if (row && a.ndim() == 1 && is_narrow(b)) return contract(a, swapped(b), dtype);
  if (column && b.ndim() == 1 && is_narrow(a)) return contract(a, b, dtype);
  if (!row && !column) return matrix_product(a, b, dtype);
  array result =
      matrix_product(row ? expand_dims(a, -2) : a, column ? expand_dims(b, -1) : b, dtype);
  Dims shape = result.shape();
  if (row) shape[shape.size() - 2] = shape.back();
  shape.pop_back();
  return result.reshape(shape);
}

// The last axis as rows of a matrix; all others are one.
array as_rows(const array& a) {
  if (a.ndim() == 2) return a;
  return a.reshape({size_of(without_last(a, 1)), a.shape(-1)});
}

// Sums over the last axes of all pairs of vectors of a and b.
array pairs(const array& a, const array& b) {
  Input both[] = {a, b};
  const Dtype dtype = common_type(both);
  if (a.ndim() == 1 && b.ndim() == 1) return contract(a, b, dtype);
  Dims shape = without_last(a, 1), of_b = without_last(b, 1);
  if (has_matmul(dtype)) {
    array result = matrix_product(as_rows(a), swapped(as_rows(b)), dtype);
    for (auto extent : of_b) shape.push_back(extent);
    return result.shape() == shape ? result : result.reshape(shape);
  }
  shape.resize(shape.size() + of_b.size(), 1);
  shape.push_back(a.shape(-1));
  return contract(a.reshape(shape), b, dtype);
}

void check_aligned(const array& a, const array& b, std::int64_t axis) {
  if (a.shape(-1) == b.shape(axis)) return;
  throw value_error(fmt::format("shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
                                to_string(a.shape()), to_string(b.shape()), a.shape(-1),
                                a.ndim() - 1, b.shape(axis), axis + b.ndim()));
}

array flat(const array& a) { return a.ndim() == 1 ? a : a.reshape({a.size()}); }

// The axes that are not summed over, in their order, and these at the end.
Dims with_last(const Dims& summed, std::int64_t ndim) {
  Dims order;
  for (std::int64_t d = 0; d < ndim; ++d) {
    if (std::find(summed.begin(), summed.end(), d) == summed.end()) order.push_back(d);
  }
  for (auto axis : summed) order.push_back(axis);
  return order;
}

// The array with the summed axes as the last one, and the extents of the others.
struct Summed {
  array rows;
  Dims kept;
};

Summed summed_last(const array& a, const Dims& axes) {
  array moved = a.transpose(with_last(axes, a.ndim()));
  Dims kept = without_last(moved, axes.size());
  if (axes.size() != 1) {
    Dims shape = kept;
    shape.push_back(1);
    for (auto axis : axes) shape.back() *= a.shape()[axis];
    moved = moved.reshape(shape);
  }
  return {std::move(moved), std::move(kept)};
}

Dims normalized(const Dims& axes, std::int64_t ndim) {
  Dims result;
  for (auto given : axes) {
    auto axis = normalize_axis("tensordot", given, ndim);
    if (std::find(result.begin(), result.end(), axis) != result.end()) {
      throw value_error("duplicate axes are not allowed in tensordot");
    }
    result.push_back(axis);
  }
  return result;
}

// Many small matrices, or many short rows times one of them: each element is a sum of a few
// products, which fuse with what is around them.
bool is_short(const array& a, const array& b) {
  constexpr std::int64_t few = 4, many = 64;
  const auto rows = a.shape(-2), inner = a.shape(-1), columns = b.shape(-1);
  if (inner < 1 || inner > few || columns > few) return false;
  if (b.ndim() == 2 && a.ndim() == 2) return rows >= many;
  return (rows <= few || b.ndim() == 2) && std::max(a.size(), b.size()) >= many * inner;
}

array short_product(const array& a, const array& b) {
  array sum;
  for (std::int64_t j = 0; j < a.shape(-1); ++j) {
    array term = elementwise(Op::multiply, {a.slice(-1, {j, j + 1}), b.slice(-2, {j, j + 1})});
    sum = j == 0 ? std::move(term) : elementwise(Op::add, {sum, term});
  }
  return sum;
}

}  // namespace

const ProductInfo& info(Product product) { return products[static_cast<int>(product)]; }

array matrix_product(const array& a, const array& b, Dtype dtype) {
  // Of a row and a column only a sum is left, for which calls of BLAS are too many or too slow.
  const bool sums = a.shape(-2) == 1 && b.shape(-1) == 1;
  if (!is_half(dtype) && !sums && is_short(a, b)) {
    return short_product(in_type(a, dtype), in_type(b, dtype));
  }
  if (has_matmul(dtype) && !sums) return blas_product(in_type(a, dtype), in_type(b, dtype));
  return contract(expand_dims(a, -2), expand_dims(swapped(b), -3), dtype);
}

array multiply(Product product, const array& a, const array& b, std::optional<Dtype> wanted) {
  check(product, a, b);
  Input both[] = {a, b};
  const Dtype dtype = wanted.value_or(a.dtype() == b.dtype() ? a.dtype() : common_type(both));
  switch (product) {
    case Product::matmul:
      return matmul_as(a, b, a.ndim() == 1, b.ndim() == 1, dtype);
    case Product::vecdot:
      return contract(conjugated(a), b, dtype);
    case Product::matvec:
      return matmul_as(a, b, false, true, dtype);
    case Product::vecmat:
      return matmul_as(conjugated(a), b, true, false, dtype);
  }
  return {};
}

array matmul(const array& a, const array& b) { return multiply(Product::matmul, a, b); }
array vecdot(const array& a, const array& b) { return multiply(Product::vecdot, a, b); }
array matvec(const array& a, const array& b) { return multiply(Product::matvec, a, b); }
array vecmat(const array& a, const array& b) { return multiply(Product::vecmat, a, b); }

array dot(const array& a, const array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return elementwise(Op::multiply, {a, b});
  check_aligned(a, b, b.ndim() > 1 ? -2 : -1);
  return pairs(a, b.ndim() > 1 ? swapped(b) : b);
}

array inner(const array& a, const array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return elementwise(Op::multiply, {a, b});
  check_aligned(a, b, -1);
  return pairs(a, b);
}

array vdot(const array& a, const array& b) {
  if (a.size() != b.size()) {
    throw value_error(fmt::format("cannot reshape array of size {} into shape {}", b.size(),
                                  to_string(Dims{a.size()})));
  }
  return pairs(conjugated(flat(a)), flat(b));
}

array outer(const array& a, const array& b) {
  return elementwise(Op::multiply, {a.reshape({a.size(), 1}), b.reshape({1, b.size()})});
}

array tensordot(const array& a, const array& b, const Dims& of_a, const Dims& of_b) {
  if (of_a.size() != of_b.size()) throw value_error("shape-mismatch for sum");
  const Dims left = normalized(of_a, a.ndim()), right = normalized(of_b, b.ndim());
  for (std::int64_t i = 0; i < left.size(); ++i) {
    if (a.shape()[left[i]] != b.shape()[right[i]]) throw value_error("shape-mismatch for sum");
  }
  auto [rows, shape] = summed_last(a, left);
  auto [columns, kept] = summed_last(b, right);
  array result = pairs(rows, columns);
  for (auto extent : kept) shape.push_back(extent);
  return result.shape() == shape ? result : result.reshape(shape);
}

array tensordot(const array& a, const array& b, std::int64_t axes) {
  Dims left, right;
  for (std::int64_t i = 0; i < axes; ++i) {
    left.push_back(i - axes);
    right.push_back(i);
  }
  return tensordot(a, b, left, right);
}

array kron(const array& a, const array& b) {
  const auto rank = std::max(a.ndim(), b.ndim());
  if (a.ndim() == 0 || b.ndim() == 0) return elementwise(Op::multiply, {a, b});
  // Each axis becomes a pair, of which one array has the first and the other the second.
  Dims of_a, of_b, shape;
  for (std::int64_t d = 0; d < rank; ++d) {
    const auto in_a = d - (rank - a.ndim()), in_b = d - (rank - b.ndim());
    const auto m = in_a < 0 ? 1 : a.shape()[in_a], n = in_b < 0 ? 1 : b.shape()[in_b];
    for (auto extent : {m, std::int64_t{1}}) of_a.push_back(extent);
    for (auto extent : {std::int64_t{1}, n}) of_b.push_back(extent);
    shape.push_back(m * n);
  }
  return elementwise(Op::multiply, {a.reshape(of_a), b.reshape(of_b)}).reshape(shape);
}

array trace(const array& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2,
            std::optional<Dtype> dtype) {
  return sum(diagonal(a, offset, axis1, axis2), {.axis = -1, .dtype = dtype});
}

}  // namespace heddle
