// Random words: pending values that are computed by position, so that they fuse with what is made
// of them and are the same on every device.
#pragma once

#include <array>

#include <heddle/array.h>

namespace heddle {

// A stream of Philox 4x64-10: a block of four words for each counter from the first one on.
struct RandomStream {
  std::array<std::uint64_t, 2> key;
  std::array<std::uint64_t, 4> counter;  // of the first block, its lowest word first
};

// The words of its first block, on the host.
HEDDLE_API std::array<std::uint64_t, 4> random_block(const RandomStream& stream);
// The first words of the stream, in C order: uint64, or its halves as uint32, the lower one first.
HEDDLE_API array random_words(const RandomStream& stream, const Dims& shape, Dtype dtype,
                              Device& device);

}  // namespace heddle
