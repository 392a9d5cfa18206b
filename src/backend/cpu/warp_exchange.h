// What the lanes of a warp tell each other at a site: shuffles, votes, matches.
#pragma once

#include "backend/cpu/block_frame.h"

namespace heddle::cpu {

// `first`: the thread that is lane 0. `who`: the lanes that take part.
void exchange(BlockFrame& frame, Site site, std::int32_t first, std::uint32_t who);

}  // namespace heddle::cpu
