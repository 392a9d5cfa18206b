// Work on all cores whose size nobody knows beforehand: loops that somebody has written.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle {

// Calls body(first, last) for parts of the pieces [0, pieces), on all cores if what there is to do
// takes longer than waking them. Until it looks so, pieces run in this thread. `site` tells one
// loop from another: what it took is remembered, so that a long one begins on all cores the next
// time. `turns` is how much there is to do, in a unit of the loop's own.
void paced_for(const void* site, std::int64_t turns, std::int64_t pieces, bool interruptible,
               const std::function<void(std::int64_t first, std::int64_t last)>& body);

}  // namespace heddle
