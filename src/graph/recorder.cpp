#include "graph/recorder.h"

#include <atomic>

#include "graph/storage.h"
#include <heddle/array.h>

namespace heddle {

namespace detail {
constinit thread_local Recorder* current_recorder = nullptr;
constinit thread_local int constant_depth = 0;
constinit thread_local int harmless_depth = 0;
}  // namespace detail

namespace {
std::atomic<std::uint64_t> recorders{0};  // that there have been
}

Recorder::Recorder() : outer_(current()), number_before_(detail::recorder_number) {
  detail::current_recorder = this;
  detail::recorder_number = recorders.fetch_add(1, std::memory_order_relaxed) + 1;
}
Recorder::Recorder(Outermost)
    : outer_(nullptr), outermost_(true), number_before_(detail::recorder_number) {
  Recorder** last = &detail::current_recorder;
  while (*last) last = &(*last)->outer_;
  *last = this;
}
Recorder::~Recorder() {
  if (outermost_) {
    Recorder** place = &detail::current_recorder;
    while (*place && *place != this) place = &(*place)->outer_;
    if (*place) *place = outer_;
    return;
  }
  detail::current_recorder = outer_;
  detail::recorder_number = number_before_;
}

Recorder::Outside::Outside() : before_(current()) { detail::current_recorder = nullptr; }
Recorder::Outside::Outside(const Recorder& recorder) : before_(current()) {
  detail::current_recorder = recorder.outer_;
}
Recorder::Outside::~Outside() { detail::current_recorder = before_; }

void Recorder::make(const Node& node) {
  if (outer_) outer_->make(node);
}
void Recorder::after_make() {
  if (outer_) outer_->after_make();
}
Ref<Value> Recorder::stands_for(const Value& value) const {
  return outer_ ? outer_->stands_for(value) : Ref<Value>();
}
array Recorder::stand_for(const array& rows) { return rows; }
void Recorder::draw(const Value& words, std::uint64_t source) {
  if (outer_) outer_->draw(words, source);
}
void Recorder::look(const Value& value) {
  if (outer_) outer_->look(value);
}
void Recorder::about_to_compute(std::span<Value* const> targets) {
  if (outer_) outer_->about_to_compute(targets);
}
void Recorder::rebind(const Storage& storage, const Ref<Value>& value) {
  if (outer_) outer_->rebind(storage, value);
}

}  // namespace heddle
