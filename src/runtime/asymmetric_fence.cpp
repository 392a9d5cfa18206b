#include "runtime/asymmetric_fence.h"

#ifdef __linux__
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace heddle {

namespace {

#ifdef __linux__
bool ask_system(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }
bool has_fences() { return ask_system(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }
void fence() { ask_system(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }
#else
bool has_fences() { return false; }
void fence() {}
#endif

}  // namespace

namespace detail {
bool system_fences = has_fences();
}

void fence_all_threads() {
  if (detail::system_fences) fence();
}

}  // namespace heddle
