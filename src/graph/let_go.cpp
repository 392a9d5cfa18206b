#include "graph/let_go.h"

#include <mutex>

#include "graph/graph.h"
#include "graph/node_maker.h"

namespace heddle {

void let_go(Ref<Value>& value) {
  if (!value->computed() && value->references() == 1 && value->graph() == detail::own_graph) {
    std::unique_lock lock(*value->graph(), std::try_to_lock);
    if (lock.owns_lock() && value->references() == 1) return NodeMaker::end_output(value.detach());
  }
  value.reset();
}

}  // namespace heddle
