// Whether a device records work in order to repeat it. Writes then land in the memory that is
// there, as every repetition has to see what the last one wrote.
#pragma once

#include <atomic>

namespace heddle {

// How many recordings are under way.
inline std::atomic<int> recordings{0};

inline bool recording() { return recordings.load(std::memory_order_relaxed) > 0; }

}  // namespace heddle
