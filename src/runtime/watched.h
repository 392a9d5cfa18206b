// Work on all cores that may take for ever: loops that somebody has written. Beside paced.h, which
// is for those that end.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle {

// Calls body(piece) for every piece in [0, pieces). The caller's thread does its share of them, and
// while it waits for the others it calls `look` now and then, which can tell the bodies to end.
void watched_for(std::int64_t pieces, const std::function<void(std::int64_t)>& body,
                 const std::function<void()>& look);

}  // namespace heddle
