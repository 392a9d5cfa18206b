// Recorders listen at three doors: make (every node), look (every read of elements, address or
// count by the host) and rebind (every change of a Storage's Value). They belong to a thread, and
// nest: the innermost hears first, and passes on what it wants.
#pragma once

#include "runtime/thread_number.h"
#include <heddle/export.h>
#include <heddle/ref.h>

namespace heddle {

struct Node;
class Storage;
class Value;

class HEDDLE_API Recorder {
 public:
  // Listens from here on, in this thread, until it is destroyed; recorders end in the opposite
  // order.
  Recorder();
  virtual ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The innermost one of this thread, or null.
  static Recorder* current();
  Recorder* outer() const { return outer_; }

  // A node was made; it is pending.
  virtual void make(const Node& node);
  // The host is about to look at a value.
  virtual void look(const Value& value);
  // The storage's value is about to become another.
  virtual void rebind(const Storage& storage, const Ref<Value>& value);

  // Whether it looks itself for failures that only results tell of (a singular matrix), whenever
  // what it records runs: then nobody else looks, and it is told what to look at.
  virtual bool defers_failures() const { return outer_ && outer_->defers_failures(); }
  // Any element of `failed` that is not zero means linalg_error(message).
  virtual void fail_if(const Ref<Value>& failed, const char* message) {
    if (outer_) outer_->fail_if(failed, message);
  }

 private:
  Recorder* outer_;
};

namespace detail {
extern HEDDLE_API constinit thread_local Recorder* current_recorder;
}
inline Recorder* Recorder::current() { return detail::current_recorder; }

}  // namespace heddle
