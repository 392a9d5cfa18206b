// Work on all cores. The only place that knows oneTBB.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle {

int thread_count();

// Calls body(piece) for every piece in [0, pieces), on all cores; returns when all are done. An
// exception of the body stops the rest and is thrown here. If `interruptible`, the caller's thread
// asks the interrupt hook now and then, and throws `interrupted` when it says so.
void parallel_for(std::int64_t pieces, bool interruptible,
                  const std::function<void(std::int64_t)>& body);

// The same question before a kernel of that much work; asks the hook itself only once in a while.
void stop_if_interrupted(std::int64_t work);

// Whether the front end wants this thread's work to stop; asks the hook itself only once in a
// while.
bool interrupted_meanwhile();

}  // namespace heddle
