// The kernel IR: a loop nest over kept (K) and reduced (R) dimensions around typed scalar
// instructions. The lowering of groups of nodes (graph/lower.h) makes it; one emitter lowers it for
// every target. It knows nothing of graphs, buffers or arrays, and nothing of any target.
//
//   for k in K:                          kept dimensions, outermost first, at least one
//     row-level instructions
//     phase 0: for r in R: body instructions     reduced dimensions
//     row-level instructions that read phase 0's reductions
//     phase 1: for r in R: ...
//     row-level instructions and stores
//
// A purely element-wise kernel has no R: all its instructions are row-level, and the innermost K
// dimension carries the SIMD lanes. With reductions the lanes lie along the innermost K dimension
// (Lanes::kept: one accumulator per lane) or along the innermost R dimension (Lanes::reduced:
// accumulators are combined across lanes at the end of a phase).
//
// Sizes, strides and scalars are arguments of the launch. A kernel is specialised on its structure,
// its types and the stride class of every slot along every dimension.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <heddle/dtype.h>
#include <heddle/op_table.h>

namespace heddle::kernel {

inline constexpr std::uint16_t no_arg = 0xffff;
inline constexpr int max_args = max_inputs;

// Arguments of an instruction; those that are not given are no_arg.
struct Args {
  constexpr Args(std::initializer_list<std::uint16_t> given = {}) {
    int n = 0;
    for (std::uint16_t arg : given) list[n++] = arg;
    while (n < max_args) list[n++] = no_arg;
  }
  constexpr std::uint16_t& operator[](int n) { return list[n]; }
  constexpr std::uint16_t operator[](int n) const { return list[n]; }
  constexpr std::uint16_t* begin() { return list; }
  constexpr std::uint16_t* end() { return list + max_args; }
  constexpr const std::uint16_t* begin() const { return list; }
  constexpr const std::uint16_t* end() const { return list + max_args; }
  constexpr bool operator==(const Args&) const = default;
  std::uint16_t list[max_args] = {};
};

// Where an instruction executes. A value may be used at its own level or a deeper one.
enum class Level : std::uint8_t {
  uniform,  // once per launch piece: depends on no loop index
  row,      // once per kept index
  body,     // once per kept and reduced index, in one phase
};

// One instruction; its position in Kernel::instrs is its name. Arguments are positions of earlier
// instructions, whose values have the type that the operation computes in: casts are instructions
// of their own. What each op uses:
//
//   elementwise     args = operands, dtype = result type
//   scalar          slot = index in the launch's scalars
//   load            slot = memory slot; args[0] = element offset (int64) added to the address, or
//                   no_arg; args[1] = guard (bool): nothing is read where false, or no_arg
//   store           slot; args[0] = value; args[1] = element offset (int64) or no_arg;
//                   args[2] = mask (bool): nothing is written where false, or no_arg
//   index           slot = dimension (K dimensions first, then R); the loop index, int64
//   reduce          args[0] = body-level value of this phase; combine = how; row-level result that
//                   exists after this phase. dtype is the accumulator's type, equal to the value's.
//   argmin, argmax  args[0] = body-level value, args[1] = its index (int64, body-level);
//                   the index of the first extreme, a nan being the extreme; dtype = int64
//   scan            args[0] = value; combine = how; the running result along R, body-level.
//                   Only with Lanes::kept.
//   random          args[0] = position (int64); the word (uint64) or half word (uint32) at this
//                   position of a Philox stream. slot = the first of three scalars of two words
//                   each: the key, and the counter of the stream's first block (philox.h).
struct Instr {
  Op op = Op::scalar;
  Dtype dtype = Dtype::bool_;
  Level level = Level::row;
  std::uint8_t phase = 0;  // of a body-level instruction, a reduce or a scan
  Op combine = Op::add;
  std::uint16_t slot = 0;
  Args args = {};
  bool operator==(const Instr&) const = default;
};

enum class Stride : std::uint8_t { zero, unit, any };  // unit: one element

// Memory that a kernel reads or writes. The address of an element is
//   pointer + sum over dimensions of index * stride (bytes) + offset * itemsize.
struct Slot {
  Dtype dtype = Dtype::bool_;
  bool written = false;
  bool scratch = false;  // a private row of memory: the pointer is an offset into scratch
  // Written past the caches, which would not keep it anyway: a large result of an element-wise
  // kernel over one dimension. Its pointer is aligned to 64 bytes.
  bool streamed = false;
  Stride lane = Stride::any;    // along the dimension that carries the lanes
  std::uint64_t zero_dims = 0;  // bit d: the stride along dimension d is zero
  bool operator==(const Slot&) const = default;
};

enum class Lanes : std::uint8_t { kept, reduced };

struct Kernel {
  std::uint8_t kept_dims = 1;     // at least 1
  std::uint8_t reduced_dims = 0;  // 0 when there is no reduction and no scan
  std::uint8_t phases = 0;
  Lanes lanes = Lanes::kept;
  // Split kernels run phase by phase over pieces of R whose accumulators are combined afterwards:
  // for few kept indices and long reductions. Requires Lanes::reduced.
  bool split = false;
  // Elements must be visited one after the other in index order (stores through offsets may hit an
  // element twice and later loads must see it): one lane.
  bool sequential = false;
  std::uint16_t scalars = 0;
  std::vector<Slot> slots;
  std::vector<Instr> instrs;
  bool operator==(const Kernel&) const = default;
  int dims() const { return kept_dims + reduced_dims; }
};

// Canonical bytes: equal exactly when the kernels are equal. The key of every cache.
std::string serialize(const Kernel& kernel);
Kernel deserialize(const std::string& bytes);

// Readable text, for explain, logs and tests.
std::string to_string(const Kernel& kernel);

// Throws std::logic_error with the position and the reason when a rule above is broken.
void verify(const Kernel& kernel);

// A scalar argument: the bits of the value in its own type; the imaginary part of a complex number
// in the second word.
struct ScalarBits {
  std::uint64_t word[2] = {0, 0};
};

// What a compiled kernel is called with. Arrays over dimensions have K dimensions first, then R,
// outermost first.
struct LaunchArgs {
  void* const* pointers;        // per slot
  const std::int64_t* strides;  // [slot][dimension], bytes
  const std::int64_t* extents;  // per dimension
  const std::int64_t* origin;   // per dimension: added to the loop index by the index instruction
  const ScalarBits* scalars;
  void* scratch;  // base of scratch slots
};

// An accumulator in memory, between the pieces of a split kernel. One per reduce, argmin or argmax
// instruction, in order of instruction.
struct alignas(32) Accumulator {
  unsigned char value[16];
  std::int64_t index;
};

// The entry points of a kernel compiled for the CPU.
using RunFunction = void (*)(const LaunchArgs*);
// Kept extents are 1. Runs `phase` over the given R piece: `in` holds the finished accumulators of
// earlier phases, `out` receives this piece's.
using PartFunction = void (*)(const LaunchArgs*, std::int64_t phase, const Accumulator* in,
                              Accumulator* out);
// a = combine(a, b) for the accumulators of `phase`; b covers later elements than a.
using CombineFunction = void (*)(std::int64_t phase, Accumulator* a, const Accumulator* b);
// Row-level instructions and stores, once all phases are done.
using FinishFunction = void (*)(const LaunchArgs*, const Accumulator* in);

struct EntryPoints {
  RunFunction run = nullptr;          // not split
  PartFunction part = nullptr;        // split
  CombineFunction combine = nullptr;  // split
  FinishFunction finish = nullptr;    // split
};

}  // namespace heddle::kernel
