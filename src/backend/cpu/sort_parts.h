// Sorting one row on all cores. It is cut at pivots, as quicksort does, until there are parts for
// each core, which are then sorted one by one: the cuts are work that sorting the whole would do as
// well, while runs that are sorted first have to be merged.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::cpu {

// In place, ascending; for what vector_sort takes. `finish` is called for every sorted part, by the
// core that sorted it. What is interrupted leaves the keys in some order.
template <class K>
void sort_in_parts(K* keys, std::int64_t count,
                   const std::function<void(K*, std::int64_t)>& finish = {});

// The same from one place to another. False for floats of which some is nan or -0.0: then nothing
// is sorted.
template <class K>
bool sort_copy_in_parts(const K* from, K* to, std::int64_t count);

// The same for the key of a rank alone, which is put in its place: those before it are not greater,
// those behind it not less. Both may be the same memory.
template <class K>
bool select_copy_in_parts(const K* from, K* to, std::int64_t count, std::int64_t rank);

}  // namespace heddle::cpu
