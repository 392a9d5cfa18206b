#include "core/per_thread.h"

#include <vector>

namespace heddle {

namespace {

enum class State : unsigned char { running, ending };
constinit thread_local State state = State::running;

struct Calls {
  std::vector<void (*)()> all;
  ~Calls() {
    state = State::ending;
    while (!all.empty()) {
      auto call = all.back();
      all.pop_back();
      call();
    }
  }
};

}  // namespace

bool at_end_of_thread(void (*call)()) {
  if (state == State::ending) return false;
  thread_local Calls calls;
  calls.all.push_back(call);
  return true;
}

}  // namespace heddle
