// Copies of one thread, which are done when they return.
#pragma once

HEDDLE_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset((char*)to + bytes - zeros, 0, zeros);
}
HEDDLE_INLINE void __pipeline_commit() {}
HEDDLE_INLINE void __pipeline_wait_prior(size_t) {}
