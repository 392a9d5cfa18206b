#include "backend/cpu/code_pages.h"

#include <algorithm>
#include <iterator>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::cpu {

namespace {
constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr int executable = PROT_READ | PROT_EXEC;
}  // namespace

CodePages::CodePages() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {}

char* CodePages::allocate(std::size_t bytes) {
  bytes = rounded(std::max<std::size_t>(bytes, 1));
  const std::lock_guard lock(mutex_);
  auto fits = [&](const auto& range) { return range.second >= bytes; };
  auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    const auto size = std::max(bytes, block_bytes);
    void* block = mmap(nullptr, size, executable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    put_back(static_cast<char*>(block), size);
    found = std::find_if(free_.begin(), free_.end(), fits);
  }
  char* pages = found->first;
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  const auto rest = found->second - bytes;
  free_.erase(found);
  if (rest > 0) free_.emplace(pages + bytes, rest);
  used_.emplace(pages, bytes);
  return pages;
}

bool CodePages::protect(char* pages) {
  const std::lock_guard lock(mutex_);
  return mprotect(pages, used_.at(pages), executable) == 0;
}

void CodePages::release(char* pages) {
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(pages);
  const auto bytes = used->second;
  used_.erase(used);
  // As its neighbours are, if it is not so yet; if the system refuses, it is one mapping more.
  (void)mprotect(pages, bytes, executable);
  put_back(pages, bytes);
}

void CodePages::put_back(char* pages, std::size_t bytes) {
  auto next = free_.lower_bound(pages);
  if (next != free_.end() && pages + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == pages) {
      previous->second += bytes;
      return;
    }
  }
  free_.emplace(pages, bytes);
}

}  // namespace heddle::cpu
