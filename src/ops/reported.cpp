#include "ops/reported.h"

#include "graph/graph.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "runtime/device.h"

namespace heddle {

std::int64_t open_report(Device& device, Reports::Use use) {
  Reports& reports = *device.reports();
  bool recorded = device.records();
  if (!recorded && reports.full()) {
    evaluate_all_threads();
    device.synchronize();
    reports.reset();
  }
  // Warnings bring their place: whoever gives them found it while looking at filters.
  if (use.place.empty()) use.place = call_site();
  return static_cast<std::int64_t>(reports.open(std::move(use), recorded));
}

bool runs_behind(const array& a) {
  return !a.number() && !a.device().host_accessible() && a.device().reports();
}

array reported(const array& value, const array& condition, Reports::Use use) {
  const Scalar address(open_report(condition.device(), std::move(use)));
  const Input inputs[] = {value, condition, address};
  return elementwise_as(Op::reported, inputs, value.dtype(), value.dtype());
}

bool is_true_anywhere(const array& condition) {
  if (auto all = stands_for(condition)) return is_true_anywhere(*all);
  if (condition.ndim() == 0) return condition.item<bool>();
  auto all = axis_mask("any", std::nullopt, condition.ndim());
  return reduce(Op::logical_or, condition, all, false, Dtype::bool_).item<bool>();
}

namespace {
WarningFunctions warnings = {};
}  // namespace

void set_warning_functions(const WarningFunctions& functions) { warnings = functions; }

void warn(const char* text) {
  if (warnings.warn) warnings.warn(text);
}

array warned_where(const array& condition, const array& value, const char* text, bool each) {
  return warnings.warn_where ? warnings.warn_where(condition, value, text, each) : value;
}

}  // namespace heddle
