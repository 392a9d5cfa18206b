#include "ops/window_products.h"

#include <algorithm>
#include <vector>

#include "graph/batch.h"
#include "graph/make.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "runtime/device.h"
#include <heddle/manipulation.h>

namespace heddle {

namespace {

struct Windows final : Parameters {
  WindowAxes axes;
  bool transposed = false;
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(static_cast<std::uint64_t>(axes.stacks));
    key.push_back(static_cast<std::uint64_t>(axes.rows));
    key.push_back(transposed ? 1 : 0);
  }
};

Dims part(const Dims& dims, std::int64_t first, std::int64_t last) {
  Dims made;
  for (auto d = first; d < last; ++d) made.push_back(dims[d]);
  return made;
}

Layout part(const Layout& layout, std::int64_t first, std::int64_t last) {
  return {part(layout.shape, first, last), part(layout.strides, first, last), 0};
}

Dims joined(Dims a, const Dims& b) {
  for (auto extent : b) a.push_back(extent);
  return a;
}

// What is there of windows: the extents of stacks, rows and columns.
struct Extents {
  Dims stacks, rows, columns;
  Extents(const Dims& shape, WindowAxes axes)
      : stacks(part(shape, 0, axes.stacks)),
        rows(part(shape, axes.stacks, axes.stacks + axes.rows)),
        columns(part(shape, axes.stacks + axes.rows, shape.size())) {}
};

array product(const array& windows, WindowAxes axes, const array& right, bool transposed);

void batch_windows(graph::Batch& step) {
  const auto& p = step.node().parameters_as<Windows>();
  // Rows of one matrix where the other one is the same for all, else stacks of both.
  WindowAxes axes = p.axes;
  const bool more_rows = !step.has_rows(1) && axes.stacks == 0 && !p.transposed;
  more_rows ? ++axes.rows : ++axes.stacks;
  const array right = more_rows ? step.operand(1) : step.spread(1);
  const array made = product(step.spread(0), axes, right, p.transposed);
  step.give(0, made.reshape(graph::with_rows(step.rows(), step.shape_of_output())));
}

const Primitive window_step = {
    "window_product",
    [](LibraryCall& call) {
      const auto& p = call.node().parameters_as<Windows>();
      const Layout& layout = call.layout(0);
      const auto columns = p.axes.stacks + p.axes.rows;
      WindowProduct one;
      one.dtype = call.node().dtype();
      one.transposed = p.transposed;
      one.rows = part(layout, p.axes.stacks, columns);
      one.columns = part(layout, columns, layout.ndim());
      one.n = call.layout(1).shape.back();
      const auto m = size_of(one.rows.shape), k = size_of(one.columns.shape);
      const auto bytes = itemsize(one.dtype);
      const Layout stacks = part(layout, 0, p.axes.stacks);
      auto* result = static_cast<char*>(call.make(0).data());
      const auto count = size_of(stacks.shape);
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t from = 0, rest = i;
        for (auto d = stacks.ndim(); d-- > 0;) {
          from += rest % stacks.shape[d] * stacks.strides[d];
          rest /= stacks.shape[d];
        }
        one.a = static_cast<char*>(call.data(0)) + from * bytes;
        one.b = static_cast<char*>(call.data(1)) + i * one.n * bytes * (p.transposed ? m : k);
        one.c = result + i * one.n * bytes * (p.transposed ? k : m);
        call.device().multiply_windows(one);
      }
    },
    nullptr,
    batch_windows,
    false,
    true,
};

array by_window_step(const array& windows, WindowAxes axes, const array& right, const Dims& shape,
                     bool transposed) {
  const bool as_it_is = is_c_contiguous(right.layout());
  const array dense_right = as_it_is ? right : dense(right, right.dtype());
  Windows parameters;
  parameters.axes = axes;
  parameters.transposed = transposed;
  Operand operands[] = {reading(windows), reading(dense_right)};
  Ref<Value> value = graph::make(graph::draft(window_step, std::move(parameters)), windows.dtype(),
                                 shape, windows.device(), operands);
  return deferred(std::move(value), is_exported(windows) || is_exported(right));
}

// The same with the windows in memory, or some rows of them at a time where that would be much.
array by_matrices(const array& windows, const Extents& extents, const array& right,
                  bool transposed) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 29;
  const auto m = size_of(extents.rows), k = size_of(extents.columns);
  auto matrix = [&](const array& a, std::int64_t rows) {
    return a.reshape(joined(extents.stacks, {rows, k}));
  };
  auto multiplied = [&](const array& left, const array& other) {
    return transposed ? blas_product(swapaxes(left, -1, -2), other) : blas_product(left, other);
  };
  const array other = right.reshape(joined(extents.stacks, {transposed ? m : k, right.shape(-1)}));
  const auto whole = windows.size() * itemsize(windows.dtype());
  const auto first = extents.rows.empty() ? 1 : extents.rows[0];
  const auto parts = std::min(first, whole / most_bytes + 1);
  if (parts <= 1) return multiplied(matrix(windows, m), other);
  std::vector<array> made;
  array sum;
  for (std::int64_t i = 0; i < parts; ++i) {
    const Slice range{i * first / parts, (i + 1) * first / parts};
    const auto per = m / first;
    const array left =
        matrix(windows.slice(extents.stacks.size(), range), (*range.stop - *range.start) * per);
    if (!transposed) {
      made.push_back(multiplied(left, other));
      continue;
    }
    array term = multiplied(left, other.slice(-2, {*range.start * per, *range.stop * per}));
    sum = i == 0 ? std::move(term) : elementwise(Op::add, {sum, term});
  }
  return transposed ? sum : concatenate(made, -2);
}

array product(const array& windows, WindowAxes axes, const array& right, bool transposed) {
  const Extents extents(windows.shape(), axes);
  const Dims& kept = transposed ? extents.columns : extents.rows;
  const Dims shape = joined(joined(extents.stacks, kept), {right.shape(-1)});
  const bool direct =
      windows.device().preferences().window_products && windows.size() > 0 && right.size() > 0;
  // Rows that lie in memory as those of a matrix do are multiplied where they are.
  const Dims flat = joined(extents.stacks, {size_of(extents.rows), size_of(extents.columns)});
  const auto layout = reshape_layout(windows.layout(), flat);
  const bool regular =
      layout && layout->strides.back() == 1 && layout->strides[layout->ndim() - 2] >= flat.back();
  if (direct && !regular) return by_window_step(windows, axes, right, shape, transposed);
  return by_matrices(windows, extents, right, transposed).reshape(shape);
}

}  // namespace

array window_product(const array& windows, WindowAxes axes, const array& right) {
  return product(windows, axes, right, false);
}

array window_sums(const array& windows, WindowAxes axes, const array& right) {
  return product(windows, axes, right, true);
}

}  // namespace heddle
