// Rows that need no partition: their elements are on the right sides of the wanted one already, or
// all of them on the wrong ones, as in rows that ascend or descend.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/sorting.h"

namespace heddle::cpu {

// E: std::uint8_t, 16, 32, 64, or Bits128 for two float64. Where the row from `from` is arranged
// in one of both ways at its only rank, `to` gets its elements, or their positions, and true is
// returned. A few elements tell most other rows. On all cores if `parallel`.
template <class E>
bool copy_arranged(const E* from, E* to, std::int64_t count, std::span<const std::int64_t> ranks,
                   const KeyMap& map, bool parallel);
template <class E>
bool place_arranged(const E* from, std::int64_t* to, std::int64_t count,
                    std::span<const std::int64_t> ranks, const KeyMap& map, bool parallel);

}  // namespace heddle::cpu
