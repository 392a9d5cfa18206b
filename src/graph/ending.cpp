#include "graph/ending.h"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "graph/graph.h"
#include "graph/node.h"

namespace heddle {

namespace {

void end_while_others_run(int status, void*) {
  for (Graph* graph : Graph::all()) {
    const bool free = graph->try_lock();
    bool runs = !free;
    for (Node* node = free ? graph->first() : nullptr; node && !runs; node = node->next) {
      runs = node->runner != nullptr;
    }
    if (free) graph->unlock();
    if (!runs) continue;
    std::fflush(nullptr);
    ::_exit(status);
  }
}
[[maybe_unused]] const int ending = ::on_exit(end_while_others_run, nullptr);

}  // namespace

void about_to_exit() { ::on_exit(end_while_others_run, nullptr); }

}  // namespace heddle
