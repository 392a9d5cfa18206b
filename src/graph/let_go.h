// The end of a reference to a value by those who mostly have the last one: storages, and nodes
// whose operands nobody else reads.
#pragma once

#include "graph/value.h"

namespace heddle {

// Whoever has a graph locked may take references to values that are pending in it, so a last one is
// counted down with an atomic step. But nobody takes any while this thread has its own graph
// locked, which costs it next to nothing: then the only reference need not be counted down.
void let_go(Ref<Value>& value);

}  // namespace heddle
