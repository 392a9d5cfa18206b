#include "core/slabs.h"

#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace heddle {

// At the beginning of its own memory, so that a block finds it by its address.
struct Slabs::Slab {
  Slab* next = nullptr;
  Slab* before = nullptr;
  void* free = nullptr;       // blocks that were given back, each with the address of the next
  std::size_t untouched = 0;  // bytes from the beginning, behind which no block was ever used
  std::size_t used = 0;       // blocks
};

Slabs::Slab* Slabs::map() {
  static_assert(sizeof(Slab) <= header);
  // Twice as much, of which what is not aligned goes back.
  void* mapped = mmap(nullptr, 2 * slab_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto first = reinterpret_cast<std::uintptr_t>(mapped);
  auto aligned = (first + slab_bytes - 1) / slab_bytes * slab_bytes;
  if (aligned > first) munmap(mapped, aligned - first);
  auto end = aligned + slab_bytes;
  if (auto rest = first + 2 * slab_bytes - end) munmap(reinterpret_cast<void*>(end), rest);
  return new (reinterpret_cast<void*>(aligned)) Slab;
}

void Slabs::unmap_all(Slab* list) {
  while (list) {
    Slab* slab = list;
    list = slab->next;
    // A process has so many pieces of memory only, and a hole makes one more of them.
    if (munmap(slab, slab_bytes) != 0) madvise(slab, slab_bytes, MADV_DONTNEED);
  }
}

void Slabs::link(Slab*& list, Slab* slab) {
  slab->next = list;
  slab->before = nullptr;
  if (list) list->before = slab;
  list = slab;
}

void Slabs::unlink(Slab*& list, Slab* slab) {
  (slab->before ? slab->before->next : list) = slab->next;
  if (slab->next) slab->next->before = slab->before;
}

Slabs::Slab* Slabs::begin_slab(std::size_t bytes) {
  Slab* slab = empty_;
  if (slab) {
    unlink(empty_, slab);
    --empty_count_;
  } else {
    slab = map();
  }
  if (!slab) return nullptr;
  new (slab) Slab;
  slab->untouched = header;
  link(partial(bytes), slab);
  return slab;
}

void* Slabs::take(std::size_t bytes) {
  Slab*& list = partial(bytes);
  Slab* slab = list ? list : begin_slab(bytes);
  if (!slab) return nullptr;
  void* block = slab->free;
  if (block) {
    slab->free = *static_cast<void**>(block);
  } else {
    block = reinterpret_cast<char*>(slab) + slab->untouched;
    slab->untouched += bytes;
  }
  ++slab->used;
  if (!slab->free && slab->untouched + bytes > slab_bytes) unlink(list, slab);
  return block;
}

Slabs::Slab* Slabs::give(void* block, std::size_t bytes) {
  Slab*& list = partial(bytes);
  auto* slab =
      reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(block) / slab_bytes * slab_bytes);
  const bool was_full = !slab->free && slab->untouched + bytes > slab_bytes;
  *static_cast<void**>(block) = slab->free;
  slab->free = block;
  if (was_full) link(list, slab);
  if (--slab->used > 0) return nullptr;
  unlink(list, slab);
  if (empty_count_ >= most_empty) return slab;
  link(empty_, slab);
  ++empty_count_;
  return nullptr;
}

std::size_t Slabs::allocate(std::size_t bytes, std::span<void*> blocks) {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  while (count < blocks.size() && (blocks[count] = take(bytes))) ++count;
  return count;
}

void Slabs::release(std::span<void* const> blocks, std::size_t bytes) {
  Slab* excess = nullptr;
  {
    std::lock_guard lock(mutex_);
    for (void* block : blocks) {
      if (Slab* slab = give(block, bytes)) link(excess, slab);
    }
  }
  unmap_all(excess);
}

void Slabs::trim() {
  Slab* excess = nullptr;
  {
    std::lock_guard lock(mutex_);
    excess = std::exchange(empty_, nullptr);
    empty_count_ = 0;
  }
  unmap_all(excess);
}

void* Slabs::allocate(std::size_t bytes) {
  void* block = nullptr;
  allocate(bytes, std::span(&block, 1));
  return block;
}

void Slabs::release(void* block, std::size_t bytes) { release(std::span(&block, 1), bytes); }

}  // namespace heddle
