// Recorders listen at three doors: make (every node), look (every read of elements, address or
// count by the host) and rebind (every change of a Storage's Value). They belong to a thread, and
// nest: the innermost hears first, and passes on what it wants.
#pragma once

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
  static Recorder* current() { return current_; }
  Recorder* outer() const { return outer_; }

  // A node was made; it is pending.
  virtual void make(const Node& node);
  // The host is about to look at a value.
  virtual void look(const Value& value);
  // The storage's value is about to become another.
  virtual void rebind(const Storage& storage, const Ref<Value>& value);

 private:
  static thread_local Recorder* current_;
  Recorder* outer_;
};

}  // namespace heddle
