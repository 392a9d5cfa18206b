// How each row of the op table computes: lowering of one scalar operation to LLVM IR, for one lane
// or for a vector of lanes. Loops, memory and reductions are the emitter's.
//
// Semantics are NumPy's, bit for bit where IEEE 754 defines the result: nothing is contracted or
// reassociated, and no operation is undefined for any operand.
#pragma once

#include <span>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "kernel/target.h"
#include <heddle/op_table.h>

namespace heddle::kernel {

// A value in registers: scalar or vector of `lanes`. Complex numbers are two values.
//   bool -> i1, integers -> iN, float16 -> half, bfloat16 -> i16 (its bits), float32 -> float,
//   float64 -> double, complex -> re, im of float or double
struct Value {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
};

// Calls of code that is linked in later, whose results are in memory: several rows may want one
// each.
struct LinkedCalls {
  struct Call {
    llvm::Function* function;
    llvm::SmallVector<llvm::Value*, 8> operands, results;
    llvm::BasicBlock* block;  // from which on they are there
  };
  std::vector<Call> made;
};

// The builder must stand at the end of a block that has no terminator yet: some operations take a
// rare branch, so that apply may return with the builder in another block than it began in. Stack
// slots are placed in the function's entry block.
class ScalarEmitter {
 public:
  ScalarEmitter(llvm::IRBuilder<>& builder, const Target& target) : b(builder), target_(target) {}

  bool brief = false;  // see LaneBuilder

  // The LLVM type of one component of dtype for this many lanes (1: scalar, no vector type).
  llvm::Type* type(Dtype dtype, int lanes) const;
  // The type in memory of one component: bool is i8.
  llvm::Type* memory_type(Dtype dtype) const;

  // `compute` is the type of the operands, of those that are of the type computed in;
  // `result` is the type of the result.
  Value apply(Op op, Dtype compute, Dtype result, std::span<const Value> args, int lanes);
  Value cast(Value value, Dtype from, Dtype to, int lanes);
  Value splat(Value value, int lanes);  // scalar -> vector
  Value constant(Dtype dtype, double value, int lanes);
  // The identity of a reduction that combines with op, for accumulators that start empty; for
  // minimum/maximum/fmin/fmax the value that loses against every other.
  Value identity(Op op, Dtype dtype, int lanes);

 private:
  llvm::IRBuilder<>& b;
  const Target& target_;
  LinkedCalls linked_;
};

}  // namespace heddle::kernel
