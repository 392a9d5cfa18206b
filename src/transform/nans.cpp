#include "transform/nans.h"

#include <utility>

#include "graph/explain.h"
#include "graph/graph.h"
#include "ops/reported.h"
#include "transform/support.h"
#include <heddle/ufuncs.h>

namespace heddle::transform {

void NanChecking::make(const Node& node) {
  Recorder::make(node);
  // What stands for rows has no elements; that which is made of all rows is heard as well.
  if (!checks_ && !node.graph().has_stand_ins()) heard_.emplace_back(node);
}

void NanChecking::after_make() {
  Recorder::after_make();
  if (checks_ || heard_.empty()) return;
  checks_ = true;
  try {
    for (const Heard& heard : std::exchange(heard_, {})) check(heard);
  } catch (...) {
    checks_ = false;
    throw;
  }
  checks_ = false;
}

void NanChecking::check(const Heard& heard) {
  for (const Ref<Value>& value : heard.outputs) {
    if (!is_inexact(value->dtype) || value->size() == 0) continue;
    const array made = holding(value, value->shape.dense(), value->dtype);
    if (is_true_anywhere(isnan(made))) found(graph::name_of(*heard.node), "nan");
    if (infinities_ && is_true_anywhere(isinf(made))) found(graph::name_of(*heard.node), "inf");
  }
}

}  // namespace heddle::transform
