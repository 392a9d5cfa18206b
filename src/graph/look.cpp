#include "graph/look.h"

#include <utility>

#include "core/per_thread.h"

namespace heddle {

std::atomic<int> threads_without_looks = 0;

namespace {

// A thread that ends while it may not look counts no longer.
struct Looks {
  bool allowed = true;
  ~Looks() {
    if (!allowed) --threads_without_looks;
  }
};

}  // namespace

bool exchange_may_look(bool may) {
  Looks& looks = PerThread<Looks>::own();
  if (may != looks.allowed) threads_without_looks += may ? -1 : 1;
  return std::exchange(looks.allowed, may);
}

void check_may_look() {
  if (!PerThread<Looks>::own().allowed) throw look_forbidden();
}

}  // namespace heddle
