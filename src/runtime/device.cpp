#include "runtime/device.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "runtime/interrupt.h"
#include <heddle/errors.h>

namespace heddle {

namespace {
std::atomic<bool (*)()> interrupt_hook{nullptr};
std::atomic<Device*> process_default{nullptr};

using FindDevices = std::vector<Device*> (*)();
std::vector<FindDevices>& kinds() {
  static auto* list = new std::vector<FindDevices>;
  return *list;
}
thread_local Device* scoped = nullptr;

Device& initial_default() {
  const char* wanted = std::getenv("HEDDLE_DEVICE");
  if (wanted && *wanted) return find_device(wanted);
  return devices().size() > 1 ? *devices()[1] : cpu_device();
}
}  // namespace

bool interrupt_requested() {
  auto hook = interrupt_hook.load(std::memory_order_relaxed);
  return hook && hook();
}
void set_interrupt_hook(bool (*hook)()) { interrupt_hook = hook; }

namespace {
std::atomic<void* (*)()> enter_blocking{nullptr};
std::atomic<void (*)(void*)> leave_blocking{nullptr};
}  // namespace
void set_blocking_hooks(BlockingHooks hooks) {
  leave_blocking = hooks.leave;
  enter_blocking = hooks.enter;
}
BlockingScope::BlockingScope(bool worth) {
  auto enter = worth ? enter_blocking.load(std::memory_order_acquire) : nullptr;
  if (enter) state_ = enter();
}
BlockingScope::~BlockingScope() {
  if (state_) leave_blocking.load(std::memory_order_relaxed)(state_);
}

Sorting& Device::sorting() {
  throw type_error(
      fmt::format("there is no sorting on device '{}'; move the array to the CPU", name()));
}

void Device::multiply_windows(const WindowProduct&) {
  throw std::logic_error("multiply_windows: this kind of device has none");
}

Solvers& Device::solvers() {
  throw type_error(
      fmt::format("there is no linear algebra on device '{}'; move the array to the CPU", name()));
}

Transforms& Device::transforms() {
  throw type_error(fmt::format(
      "there are no Fourier transforms on device '{}'; move the array to the CPU", name()));
}

DeviceKind::DeviceKind(FindDevices find) { kinds().push_back(find); }

const std::vector<Device*>& devices() {
  static const auto* all = [] {
    auto* found = new std::vector<Device*>{&cpu_device()};
    for (FindDevices find : kinds()) {
      for (Device* device : find()) found->push_back(device);
    }
    return found;
  }();
  return *all;
}

Device& find_device(const std::string& name) {
  if (name == "gpu" && devices().size() > 1) return *devices()[1];
  std::string known;
  for (Device* device : devices()) {
    if (device->name() == name || device->name() == name + ":0") return *device;
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
