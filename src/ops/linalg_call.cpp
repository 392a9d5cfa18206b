#include "ops/linalg_call.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "graph/look.h"
#include "graph/storage.h"
#include "ops/elementwise.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

thread_local Failures current_failures = Failures::raise;

Recorder* deferring_recorder() {
  Recorder* recorder = Recorder::current();
  return recorder && recorder->defers_failures() ? recorder : nullptr;
}

// Whether any byte of the elements is not zero.
bool any_set(const array& flags) {
  Buffer& memory = look(*flags.storage().value());
  const auto bytes = static_cast<std::size_t>(flags.size() * itemsize(flags.dtype()));
  auto is_set = [&](const char* from) {
    return std::any_of(from, from + bytes, [](char byte) { return byte != 0; });
  };
  if (flags.device().host_accessible()) return is_set(static_cast<const char*>(memory.data()));
  std::vector<char> copy(bytes);
  flags.device().copy_to_host(copy.data(), memory, 0, bytes);
  return is_set(copy.data());
}

// Nothing, or an error at once or later.
void check(const array& failed, const char* message) {
  if (Recorder* recorder = deferring_recorder()) {
    recorder->fail_if(failed.storage().value(), message);
  } else if (any_set(failed)) {
    throw linalg_error(message);
  }
}

}  // namespace

Failures failures() { return current_failures; }
Failures exchange_failures(Failures failures) { return std::exchange(current_failures, failures); }

array Outcome::of(const array& made, int axes) const {
  if (!failed_) return made;
  Dims shape = failed_->shape();
  for (int i = 0; i < axes; ++i) shape.push_back(1);
  const array failed = failed_->reshape(shape);
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  Input inputs[] = {failed, nan, made};
  return elementwise(Op::select, inputs);
}

Call::Call(Device& device, Dtype result)
    : device_(device),
      solvers_(device.solvers()),
      result_(result),
      dtype_(solvers_.computes_in(result)) {}

array Call::by_rows(const array& a) const { return dense(a, dtype_); }

Scaling Call::scaling_of(const array& a) const {
  return solvers_.takes_any_magnitude() ? Scaling() : Scaling(a);
}
Scaling Call::scaling_of_batch(const array& a) const {
  return a.size() > 0 && size_of(stack_of(a)) > 1 ? scaling_of(a) : Scaling();
}
Scaling Call::scaling_of_pivots(const array& a) const {
  return is_complex(dtype_) ? scaling_of_batch(a) : Scaling();
}

Outcome Call::outcome(const array& status, const char* message) const {
  if (current_failures == Failures::ignore) return Outcome(not_equal(status, 0));
  check(status, message);
  return {};
}

Outcome Call::outcome(const array& status, const char* message, const array& values) const {
  if (solvers_.reports_nan()) return outcome(status, message);
  if (current_failures == Failures::ignore) {
    return Outcome(logical_or(status, any(isnan(values), -1)));
  }
  check(logical_or(any(status), any(isnan(values))), message);
  return {};
}

bool Call::looks() { return current_failures == Failures::raise && !deferring_recorder(); }

}  // namespace heddle::linalg
