// Where each instruction of a kernel is executed, and how many lanes the kernel runs with. Decided
// before any code is emitted, from the kernel and the target's facts alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/ir.h"
#include "kernel/target.h"

namespace heddle::kernel {

struct Schedule {
  int lanes = 1;             // of the main loop; a power of two
  bool masked_tail = false;  // the rest runs as one masked vector, else element by element
  int lane_dim = 0;

  // Per instruction.
  std::vector<int> depth;  // inside how many loops; loops are nested in order of dimension
  std::vector<int> stage;  // depth <= K: after this many phases; deeper: its phase
  std::vector<std::uint8_t> vector;  // differs between lanes
  std::vector<std::uint8_t> splat;   // does not, but is used where lanes differ
  // Of a reduction along the lanes that takes truth values as bits, one for each lane: these
  // values. Such are the first extreme of truth values, and how many are true. no_arg: of all
  // others.
  std::vector<std::uint16_t> truth;
  // Of a reduction of floating-point numbers along the lanes: how many partial results it has.
  // Element n of a row belongs to partial result n % width, whatever else the kernel does and
  // however many lanes it has, so that neither changes a bit of the result. 0: of all others.
  std::vector<int> width;
  // Per phase: the partial results that a vector of lanes belongs to are found while the kernel
  // runs, as much is done for each element. Else the loop is unrolled over all of them.
  std::vector<std::uint8_t> rolling;

  // The instructions to run at a depth, at a stage (or in a phase), in order.
  const std::vector<std::uint16_t>& at(int d, int s) const { return lists[d * stages + s]; }
  std::vector<std::vector<std::uint16_t>> lists;
  int stages = 1;
};

// `vectors` false: one lane, also where more would do.
Schedule make_schedule(const Kernel& kernel, const Target& target, bool vectors = true);

constexpr bool is_reduction(Op op) {
  return op == Op::reduce || op == Op::argmin || op == Op::argmax;
}

constexpr bool is_extreme(Op op) { return op == Op::argmin || op == Op::argmax; }

// The type of what a reduction or a scan holds: of the values that an extreme is looked for among.
inline Dtype accumulator_type(const Kernel& kernel, const Instr& instr) {
  return is_extreme(instr.op) ? kernel.instrs[instr.args[0]].dtype : instr.dtype;
}

// The truth that settles a reduction of truth values whatever comes after it: true for any and for
// the first true element, false for all. Nothing for other reductions.
std::optional<bool> settling_truth(const Kernel& kernel, const Instr& instr);

// Whether a running result or a reduction has to begin with its first element.
bool needs_first(const Instr& instr);

// Whether a reduction's result depends on the order of its elements, if only by a rounding or the
// sign of a zero, and yet it may be taken apart.
inline bool depends_on_order(Op combine, Dtype dtype) {
  return is_inexact(dtype) && has_identity(combine);
}

// The size of one component of a value: of the real part for complex numbers.
constexpr int component_size(Dtype dtype) { return itemsize(real_type(dtype)); }

}  // namespace heddle::kernel
