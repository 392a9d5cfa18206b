#include "runtime/device.h"

#include <atomic>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "runtime/interrupt.h"
#include <heddle/errors.h>

namespace heddle {

namespace {
std::atomic<bool (*)()> interrupt_hook{nullptr};
std::atomic<Device*> process_default{nullptr};
thread_local Device* scoped = nullptr;

Device& initial_default() {
  const char* wanted = std::getenv("HEDDLE_DEVICE");
  return wanted && *wanted ? find_device(wanted) : *devices().back();
}
}  // namespace

bool interrupt_requested() {
  auto hook = interrupt_hook.load(std::memory_order_relaxed);
  return hook && hook();
}
void set_interrupt_hook(bool (*hook)()) { interrupt_hook = hook; }

namespace {
BlockingHooks blocking_hooks;
}
void set_blocking_hooks(BlockingHooks hooks) { blocking_hooks = hooks; }
BlockingScope::BlockingScope() {
  if (blocking_hooks.enter) state_ = blocking_hooks.enter();
}
BlockingScope::~BlockingScope() {
  if (blocking_hooks.leave) blocking_hooks.leave(state_);
}

// The preferred device comes last.
std::vector<Device*> devices() { return {&cpu_device()}; }

Device& find_device(const std::string& name) {
  std::string known;
  for (Device* device : devices()) {
    if (device->name() == name) return *device;
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", device->name());
  }
  throw value_error(fmt::format("there is no device '{}'; devices: {}", name, known));
}

Device& default_device() {
  if (scoped) return *scoped;
  Device* device = process_default.load(std::memory_order_acquire);
  if (!device) {
    device = &initial_default();
    process_default = device;
  }
  return *device;
}

void set_default_device(Device& device) { process_default = &device; }

Device* exchange_scoped_device(Device* device) { return std::exchange(scoped, device); }

}  // namespace heddle
