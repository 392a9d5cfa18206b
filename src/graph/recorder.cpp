#include "graph/recorder.h"

#include "graph/storage.h"

namespace heddle {

namespace detail {
constinit thread_local Recorder* current_recorder = nullptr;
}

Recorder::Recorder() : outer_(current()) { detail::current_recorder = this; }
Recorder::~Recorder() { detail::current_recorder = outer_; }

void Recorder::make(const Node& node) {
  if (outer_) outer_->make(node);
}
void Recorder::look(const Value& value) {
  if (outer_) outer_->look(value);
}
void Recorder::rebind(const Storage& storage, const Ref<Value>& value) {
  if (outer_) outer_->rebind(storage, value);
}

}  // namespace heddle
