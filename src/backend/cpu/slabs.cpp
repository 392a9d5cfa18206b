#include "backend/cpu/slabs.h"

#include <cstdint>
#include <mutex>
#include <new>

#include <sys/mman.h>

namespace heddle::cpu {

// At the beginning of its own memory, so that a block finds it by its address.
struct Slabs::Slab {
  Slab* next = nullptr;
  Slab* before = nullptr;
  void* free = nullptr;       // blocks that were given back, each with the address of the next
  std::size_t untouched = 0;  // bytes from the beginning, behind which no block was ever used
  std::size_t used = 0;       // blocks
};

Slabs::Slab* Slabs::map() {
  static_assert(sizeof(Slab) <= unit);
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

void Slabs::unmap(Slab* slab) { munmap(slab, slab_bytes); }

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
  slab->untouched = unit;
  link(partial_[bytes / unit - 1], slab);
  return slab;
}

void* Slabs::allocate(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  Slab*& partial = partial_[bytes / unit - 1];
  Slab* slab = partial ? partial : begin_slab(bytes);
  if (!slab) return nullptr;
  void* block = slab->free;
  if (block) {
    slab->free = *static_cast<void**>(block);
  } else {
    block = reinterpret_cast<char*>(slab) + slab->untouched;
    slab->untouched += bytes;
  }
  ++slab->used;
  if (!slab->free && slab->untouched + bytes > slab_bytes) unlink(partial, slab);
  return block;
}

void Slabs::release(void* block, std::size_t bytes) {
  Slab* excess = nullptr;
  {
    std::lock_guard lock(mutex_);
    Slab*& partial = partial_[bytes / unit - 1];
    auto* slab =
        reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(block) / slab_bytes * slab_bytes);
    const bool was_full = !slab->free && slab->untouched + bytes > slab_bytes;
    *static_cast<void**>(block) = slab->free;
    slab->free = block;
    if (was_full) link(partial, slab);
    if (--slab->used == 0) {
      unlink(partial, slab);
      if (empty_count_ < most_empty) {
        link(empty_, slab);
        ++empty_count_;
      } else {
        excess = slab;
      }
    }
  }
  if (excess) unmap(excess);
}

}  // namespace heddle::cpu
