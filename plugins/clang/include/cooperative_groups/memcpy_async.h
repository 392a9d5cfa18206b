// Copies by all threads of a group, which are done when they return; `wait` is the barrier.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group>
HEDDLE_DEVICE void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t rank = group.thread_rank(), many = group.num_threads();
  if (((size_t)to | (size_t)from | bytes) % 4 == 0) {
    for (size_t i = rank; i < bytes / 4; i += many) ((unsigned int*)to)[i] = ((const unsigned int*)from)[i];
  } else {
    for (size_t i = rank; i < bytes; i += many) ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
  }
}
// As many elements as both have.
template <typename Group, typename T>
HEDDLE_DEVICE void memcpy_async(const Group& group, T* to, size_t to_count, const T* from, size_t from_count) {
  const size_t many = to_count < from_count ? to_count : from_count;
  for (size_t i = group.thread_rank(); i < many; i += group.num_threads()) to[i] = from[i];
}
template <typename Group>
HEDDLE_DEVICE void wait(const Group& group) { group.sync(); }
template <unsigned int stages, typename Group>
HEDDLE_DEVICE void wait_prior(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
