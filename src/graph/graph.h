// The pending graphs: what is deferred, and when it runs. Each thread has a graph of its own.
//
// A graph's lock is short: it is held while nodes are linked, collected and planned, never while
// anything compiles, runs or waits. Nodes that are being run are marked; whoever else needs them
// waits for the end of that evaluation. Pending operands of a node are always of the node's own
// graph, so no thread ever holds two of these locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graph/value.h"
#include "runtime/owned_mutex.h"

namespace heddle {

namespace detail {
// Destructors of other statics may come after the thread has given it back: then it still serves.
extern HEDDLE_API constinit thread_local Graph* own_graph;
}  // namespace detail

class HEDDLE_API Graph {
 public:
  // That of this thread. Graphs outlive their threads: the next new thread takes over.
  static Graph& own() { return detail::own_graph ? *detail::own_graph : take_one(); }
  // Those there are.
  static std::vector<Graph*> all();
  // The graph of this thread's stand-ins, and of all that depends on them: values with a shape and
  // no elements. Nothing in it is ever run; see Recorder::stands_for.
  static Graph& of_stand_ins();
  bool has_stand_ins() const { return has_stand_ins_; }
  // While a SeparateGraph has it, which is what this thread's own graph is then.
  bool apart = false;

  // Waiting lets go of a front end's lock.
  void lock() {
    if (!mutex_.try_lock()) wait_for_lock();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  // The following need the lock.
  Node* first() const { return oldest_; }
  Node* last() const { return newest_; }
  std::int64_t count() const { return count_; }
  void link(Node* node);
  void unlink(Node* node);
  // Destroys nodes that died while another thread held the lock.
  void bury();

  // An evaluation of nodes of this graph has ended: whoever waits looks again.
  void tell_of_end() {
    if (waiting_ > 0) wake();
  }
  // Says that this thread is going to wait for such an end; gives what wait_for_end() needs.
  std::uint32_t begin_waiting() {
    ++waiting_;
    return ended_.load(std::memory_order_relaxed);
  }

  // What the nodes before the last cut of this graph looked like (see evaluate.cpp).
  std::uint64_t cut = 0;

  // Without the lock.
  void wait_for_end(std::uint32_t since);

 private:
  friend struct Node;
  friend void abandon_evaluations();
  friend void reset_graphs_in_child();
  friend struct GraphHold;
  static Graph& take_one();
  void wait_for_lock();
  void put_aside(Value* value);
  void wake();

  explicit Graph(bool has_stand_ins = false) : has_stand_ins_(has_stand_ins) {}

  const bool has_stand_ins_;
  OwnedMutex mutex_;
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  std::int64_t count_ = 0;
  std::uint64_t made_ = 0;
  std::atomic<std::uint32_t> ended_{0};
  int waiting_ = 0;  // threads
  // Pending outputs whose last reference went while another thread held the lock. Waiting for it
  // there could deadlock: the holder may be waiting for a lock of ours.
  std::mutex aside_mutex_;
  std::vector<Value*> aside_;
  std::atomic<bool> any_aside_{false};
};

// For a thread that will never come back: what it was running is pending again.
HEDDLE_API void abandon_evaluations();

// Named limits of deferral. Passing one evaluates what was deferred so far.
struct Limits {
  // Fused into one kernel, in cheap operations: where little memory crosses a cut, and in any case.
  std::uint32_t kernel_work_soft = 128;
  std::uint32_t kernel_work = 512;
  std::uint32_t kernel_slots = 48;                  // memory operands of one kernel
  std::int64_t held_bytes = std::int64_t{1} << 30;  // memory that only pending work keeps alive
  std::int64_t pending = 1024;                      // pending nodes of a thread
  // Bytes in memory that the host works on at the call (ops/at_hand.h, ops/elementwise.cpp).
  std::int64_t at_once = 4096;
};
HEDDLE_API Limits& limits();

// Computes the given values: all of them are memory afterwards, or they are pending still
// (exceptions), and nothing that was there before has changed.
HEDDLE_API void evaluate(std::span<Value* const> targets);
inline void evaluate(Value* target) {
  if (!target->computed()) evaluate(std::span(&target, 1));
}

// With the nodes that are pending in this thread: evaluates some of them where a limit is passed.
void enforce_limits(std::int64_t count);

// Evaluates every pending node of this thread that reads `value`.
HEDDLE_API void evaluate_readers_of(Value* value);

// Evaluates everything that is pending in this thread, or in all of them.
HEDDLE_API void evaluate_all();
HEDDLE_API void evaluate_all_threads();

// What evaluate() would do, in words: kernels, what they move, and why they are not one.
HEDDLE_API std::string explain(std::span<Value* const> targets);

}  // namespace heddle
