#include "graph/recorder.h"

#include "core/storage.h"

namespace heddle {

thread_local Recorder* Recorder::current_ = nullptr;

Recorder::Recorder() : outer_(current_) { current_ = this; }
Recorder::~Recorder() { current_ = outer_; }

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
