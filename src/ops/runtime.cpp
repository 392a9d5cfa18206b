// The public face of evaluation, devices and statistics (heddle/runtime.h).
#include <heddle/runtime.h>

#include "graph/graph.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "runtime/device.h"
#include "runtime/statistics.h"

namespace heddle {

namespace {
// Others may write meanwhile: the values are held.
struct Values {
  std::vector<Ref<Value>> held;
  std::vector<Value*> all;
  explicit Values(std::span<const array> arrays) {
    for (const array& a : arrays) all.push_back(held.emplace_back(a.storage().value()).get());
  }
};
}  // namespace

void eval(std::span<const array> arrays) { evaluate(Values(arrays).all); }

std::string explain(std::span<const array> arrays) {
  const Values values(arrays);
  return explain(std::span<Value* const>(values.all));
}

void synchronize() {
  evaluate_all();
  for (Device* device : devices()) device->synchronize();
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (Device* device : devices()) names.push_back(device->name());
  return names;
}

std::string default_device_name() { return default_device().name(); }
void set_default_device(const std::string& name) { set_default_device(find_device(name)); }
array to_device(const array& a, const std::string& name) { return to_device(a, find_device(name)); }

DeviceScope::DeviceScope(const std::string& name)
    : before_(exchange_scoped_device(&find_device(name))) {}
DeviceScope::~DeviceScope() { exchange_scoped_device(before_); }

Stats stats() {
  const Statistics s = read_statistics();
  Stats result{s.compiled, s.launched, s.memory_hits, s.disk_hits, s.pack_hits};
  for (Device* device : devices()) {
    result.bytes_allocated += device->pool().allocated_bytes();
    result.peak_bytes += device->pool().peak_bytes();
  }
  return result;
}

void reset_stats() {
  reset_statistics();
  for (Device* device : devices()) device->pool().reset_statistics();
}

void free_all_blocks() {
  for (Device* device : devices()) device->pool().free_all_blocks();
}

}  // namespace heddle
