/// @file
/// When things run, where, and what it took: evaluation, devices, statistics and memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <heddle/array.h>

namespace heddle {

/// Computes all of them together: work that they share is done once.
HEDDLE_API void eval(std::span<const array> arrays);
template <std::same_as<array>... More>
void eval(const array& first, const More&... more) {
  const array list[] = {first, more...};
  eval(std::span<const array>(list));
}
/// Which kernels eval would run, what they read and write, and why they are several.
HEDDLE_API std::string explain(std::span<const array> arrays);
template <std::same_as<array>... More>
std::string explain(const array& first, const More&... more) {
  const array list[] = {first, more...};
  return explain(std::span<const array>(list));
}
/// Waits until everything launched so far is done.
HEDDLE_API void synchronize();

/// Devices by name: "cpu". Unknown ones throw value_error.
HEDDLE_API std::vector<std::string> device_names();
HEDDLE_API std::string default_device_name();
HEDDLE_API void set_default_device(const std::string& name);
HEDDLE_API array to_device(const array& a, const std::string& name);

/// Where new arrays of this thread go while it lives: DeviceScope on("cpu");
class HEDDLE_API DeviceScope {
 public:
  explicit DeviceScope(const std::string& name);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device* before_;
};

/// Since the process started or reset_stats was called.
struct Stats {
  std::uint64_t compiled = 0;     ///< kernels made by the compiler
  std::uint64_t launched = 0;     ///< kernels run
  std::uint64_t memory_hits = 0;  ///< kernels found in this process,
  std::uint64_t disk_hits = 0;    ///< on disk,
  std::uint64_t pack_hits = 0;    ///< in the prebuilt pack
  std::uint64_t bytes_allocated = 0;
  std::uint64_t peak_bytes = 0;
};
HEDDLE_API Stats stats();
HEDDLE_API void reset_stats();

/// Gives cached blocks of memory back to the system, on all devices.
HEDDLE_API void free_all_blocks();

}  // namespace heddle
