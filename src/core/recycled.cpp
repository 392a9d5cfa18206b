#include "core/recycled.h"

#include "core/slabs.h"

namespace heddle {

namespace {

constexpr std::size_t unit = 8;

// Never destroyed: objects of other statics are.
Slabs& slabs() {
  static auto* all = new Slabs(unit);
  return *all;
}

std::size_t rounded(std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

std::size_t take_blocks(std::size_t bytes, std::span<void*> blocks) {
  const auto count = slabs().allocate(rounded(bytes), blocks);
  if (count == 0) throw std::bad_alloc();
  return count;
}

void give_blocks(std::size_t bytes, std::span<void* const> blocks) {
  slabs().release(blocks, rounded(bytes));
}

void trim_blocks() { slabs().trim(); }

}  // namespace heddle
