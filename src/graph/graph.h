// The pending graph: what is deferred, when it runs, and the locks around it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "core/value.h"
#include "runtime/recursive_mutex.h"

namespace heddle {

// One lock guards the graph: making pending nodes, evaluating them, and destroying them. Recursive,
// because evaluation destroys nodes and destruction releases buffers.
HEDDLE_API RecursiveMutex& graph_mutex();
// Lets go of the graph, if this thread holds it: for a thread that will never come back.
HEDDLE_API void abandon_graph();

// Named limits of deferral. Passing one evaluates what was deferred so far.
struct Limits {
  std::uint32_t work = 96;                          // pending below one value, in cheap operations
  std::uint32_t kernel_work = 128;                  // fused into one kernel, likewise
  std::uint32_t kernel_slots = 24;                  // memory operands of one kernel
  std::int64_t held_bytes = std::int64_t{1} << 30;  // memory that only pending work keeps alive
  std::int64_t pending = 16384;                     // pending nodes in all
};
HEDDLE_API Limits& limits();

// Computes the given values: all of them are data afterwards, or nothing has changed (exceptions).
HEDDLE_API void evaluate(std::span<Value* const> targets);
inline void evaluate(Value* target) { evaluate(std::span(&target, 1)); }

// Evaluates every pending node that reads `value`, except those in `keep` and what they need.
HEDDLE_API void evaluate_readers_of(Value* value, Value* except);

// Called for every new deferred node: evaluates it, or older work, where a limit is passed.
HEDDLE_API void enforce_limits(Value* made);

// Evaluates everything that is pending.
HEDDLE_API void evaluate_all();

// What evaluate() would do, in words: one line per kernel, and why fusion stopped.
HEDDLE_API std::string explain(std::span<Value* const> targets);

struct Statistics {
  std::uint64_t compiled = 0;
  std::uint64_t launched = 0;
  std::uint64_t memory_hits = 0;
  std::uint64_t disk_hits = 0;
  std::uint64_t pack_hits = 0;
};
HEDDLE_API Statistics& statistics();

}  // namespace heddle
