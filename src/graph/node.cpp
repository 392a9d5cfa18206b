#include "graph/node.h"

namespace heddle {

void Node::complete(std::span<Ref<Buffer>> results) {
  auto all = outputs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    all[i]->set_buffer(std::move(results[i]));
  }
  destroy(this);
}

}  // namespace heddle
