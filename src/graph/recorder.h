// Recorders listen at three doors: make (every node), look (every read of elements, address or
// count by the host) and rebind (every change of a Storage's Value). They belong to a thread, and
// nest: the innermost hears first, and passes on what it wants.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/thread_number.h"
#include <heddle/export.h>
#include <heddle/ref.h>

namespace heddle {

struct Node;
class array;
class Storage;
class Value;

class HEDDLE_API Recorder {
 public:
  // Listens from here on, in this thread, until it is destroyed; recorders end in the opposite
  // order.
  Recorder();
  // The same outside of all others that there are: it may begin and end at any time.
  struct Outermost {};
  explicit Recorder(Outermost);
  virtual ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The innermost one of this thread, or null.
  static Recorder* current();
  Recorder* outer() const { return outer_; }

  // A node was made; it is pending. Its graph is locked: nothing can be made or run here.
  virtual void make(const Node& node);
  // The same without the lock: what it makes, those outside of it hear, and it does not.
  virtual void after_make();
  // The host is about to look at a value.
  virtual void look(const Value& value);
  // Values are about to be computed, together: because somebody looks, or because that is due. It
  // is no door, nothing can be done about it; but sums depend on what they are computed with.
  virtual void about_to_compute(std::span<Value* const> targets);
  // The storage's value is about to become another.
  virtual void rebind(const Storage& storage, const Ref<Value>& value);

  // Whether it is going to ask for derivatives: then results are composed of what has some.
  virtual bool differentiates() const { return outer_ && outer_->differentiates(); }

  // Whether it looks itself for failures that only results tell of (a singular matrix), whenever
  // what it records runs: then nobody else looks, and it is told what to look at.
  virtual bool defers_failures() const { return outer_ && outer_->defers_failures(); }
  // Any element of `failed` that is not zero means linalg_error(message).
  virtual void fail_if(const Ref<Value>& failed, const char* message) {
    if (outer_) outer_->fail_if(failed, message);
  }

  // Whether it is told what would be an index error, and indices stay inside by other means:
  // whether there was one is known when what it records has run.
  virtual bool defers_index_errors() const { return outer_ && outer_->defers_index_errors(); }
  // A value without dimensions: whether any index is out of bounds.
  virtual void out_of_bounds(const Ref<Value>& any) {
    if (outer_) outer_->out_of_bounds(any);
  }

  // What a stand-in stands for: a value with one more dimension, the first; null: it is none of
  // those that are known here.
  virtual Ref<Value> stands_for(const Value& value) const;

  // Whether it hears of operations on known numbers, too, which are computed at the call.
  virtual bool hears_numbers() const { return outer_ && outer_->hears_numbers(); }

  // Of a recorder that computes many rows at once: how many; 0: it does not.
  virtual std::int64_t rows() const { return 0; }
  // A stand-in for an array whose first axis has those rows.
  virtual array stand_for(const array& rows);

  // Words of a generator were made, which `source` names: see RandomStream. Who repeats them has
  // to draw anew.
  virtual void draw(const Value& words, std::uint64_t source);

  // While there is one, only those outside of a recorder listen; nobody, where none is given.
  class HEDDLE_API Outside {
   public:
    Outside();
    explicit Outside(const Recorder& recorder);
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    Recorder* before_;
  };

 private:
  Recorder* outer_;
  bool outermost_ = false;
  std::uint64_t number_before_;  // see Storage::born
};

namespace detail {
extern HEDDLE_API constinit thread_local Recorder* current_recorder;
extern HEDDLE_API constinit thread_local int constant_depth;
extern HEDDLE_API constinit thread_local int harmless_depth;
}  // namespace detail
inline Recorder* Recorder::current() { return detail::current_recorder; }
// Whether somebody who listens in this thread differentiates.
inline bool differentiated() {
  return Recorder::current() && detail::constant_depth == 0 &&
         Recorder::current()->differentiates();
}

// While there is one, what this thread makes counts as constant for those who differentiate: see
// graph::composed.
class Constant {
 public:
  Constant() { ++detail::constant_depth; }
  ~Constant() { --detail::constant_depth; }
  Constant(const Constant&) = delete;
  Constant& operator=(const Constant&) = delete;
};

// While there is one, floating-point errors of what this thread makes are part of how a function
// computes, and none of the user's: see transform/float_errors.h.
class Harmless {
 public:
  Harmless() { ++detail::harmless_depth; }
  ~Harmless() { --detail::harmless_depth; }
  Harmless(const Harmless&) = delete;
  Harmless& operator=(const Harmless&) = delete;
};

}  // namespace heddle
