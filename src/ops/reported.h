// Errors and warnings that depend on elements. Where the host has to wait for those, the device
// that computes them reports what it finds, and the user hears of it at the next look.
#pragma once

#include <string>
#include <utility>

#include "runtime/reports.h"
#include <heddle/array.h>

namespace heddle {

class Device;

// An address for what kernels of this device report of one use; the device has reports.
std::int64_t open_report(Device& device, Reports::Use use);

// Whether elements of this array are known to its device long before the host.
HEDDLE_API bool runs_behind(const array& a);

// The value. Whoever computes it reports the use if `condition`, which broadcasts to its shape, is
// true anywhere. The condition's device has reports.
HEDDLE_API array reported(const array& value, const array& condition, Reports::Use use);

// Whether the condition is true anywhere: waits for it.
HEDDLE_API bool is_true_anywhere(const array& condition);

// The value, or an Error where the condition is true anywhere: now, or else when it was computed.
template <class Error>
array refused_where(const array& condition, const array& value, std::string text,
                    std::string operation) {
  if (condition.size() == 0) return value;
  if (runs_behind(condition) && value.size() > 0) {
    return reported(value, condition,
                    Reports::Use::of_error<Error>(std::move(text), std::move(operation)));
  }
  if (is_true_anywhere(condition)) throw Error(text);
  return value;
}

// Warnings of NumPy's, RuntimeWarning all of them, are for front ends that have such: without one
// nobody looks for them.
struct WarningFunctions {
  void (*warn)(const char* text);
  // The value, for which a condition is true anywhere; `each`: as often as that.
  array (*warn_where)(const array& condition, const array& value, const char* text, bool each);
};
HEDDLE_API void set_warning_functions(const WarningFunctions& functions);
void warn(const char* text);
array warned_where(const array& condition, const array& value, const char* text, bool each = false);

}  // namespace heddle
