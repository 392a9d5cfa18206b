#include "transform/nans.h"

#include "graph/explain.h"
#include "ops/reported.h"
#include "transform/support.h"
#include <heddle/ufuncs.h>

namespace heddle::transform {

void NanChecking::check(const Heard& heard) {
  for (const Ref<Value>& value : heard.outputs) {
    if (!is_inexact(value->dtype) || value->size() == 0) continue;
    const array made = holding(value, value->shape.dense(), value->dtype);
    if (is_true_anywhere(isnan(made))) found(graph::name_of(*heard.node), "nan");
    if (infinities_ && is_true_anywhere(isinf(made))) found(graph::name_of(*heard.node), "inf");
  }
}

}  // namespace heddle::transform
