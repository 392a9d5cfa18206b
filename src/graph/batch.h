// What a primitive says about batches: how a step whose operands stand for many, one for each row,
// computes them all at once.
#pragma once

#include "graph/node.h"
#include <heddle/array.h>

namespace heddle::graph {

// A shape, and a layout over one row, with the rows before them. Rows are `stride` elements apart,
// 0 for what is the same in all of them.
inline Dims with_rows(std::int64_t rows, const Dims& shape) {
  Dims made{rows};
  for (auto extent : shape) made.push_back(extent);
  return made;
}
inline Layout with_rows(std::int64_t rows, const Layout& layout, std::int64_t stride) {
  return {with_rows(rows, layout.shape), with_rows(stride, layout.strides), layout.offset};
}
// From one row of what a value stands for to the next, in elements of the type it is read as.
inline std::int64_t row_stride(const Value& value, Dtype dtype) {
  return size_of(value.shape) * itemsize(value.dtype) / itemsize(dtype);
}

// A step, and what its operands stand for.
class HEDDLE_API Batch {
 public:
  virtual ~Batch() = default;

  // Its parameters, without operands.
  virtual const Node& node() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual int operand_count() const = 0;
  // Whether an operand differs from row to row.
  virtual bool has_rows(int operand) const = 0;
  // What an operand reads: with one more dimension, the first, where it has rows.
  virtual array operand(int i) const = 0;
  // The same with that dimension in any case.
  virtual array spread(int i) const = 0;
  virtual Device& device() const = 0;  // where it runs
  virtual int output_count() const = 0;
  virtual const Dims& shape_of_output(int i = 0) const = 0;
  virtual Dtype dtype_of_output(int i = 0) const = 0;

  // What an output stands for: its shape, with the rows before it.
  virtual void give(int output, array rows) = 0;
};

}  // namespace heddle::graph
