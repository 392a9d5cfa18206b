// A quick hash of words, for tables that compare what they find.
#pragma once

#include <cstdint>

namespace heddle {

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

}  // namespace heddle
