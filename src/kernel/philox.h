// Words of Philox 4x64-10, the counter-based random number generator of Salmon, Moraes, Dror and
// Shaw (SC'11): a block of four words is a function of a key of two words and a counter of four, so
// that any element of a stream is computed by itself, on any machine and by any thread.
#pragma once

#include <array>

#include "kernel/lane_builder.h"

namespace heddle::kernel {

inline constexpr int philox_rounds = 10;
inline constexpr int philox_words = 4;  // of a block

// What all positions of a stream share: scalars.
struct PhiloxStream {
  std::array<llvm::Value*, 2> key{};
  std::array<llvm::Value*, 4> counter{};  // of the first block, its lowest word first
};

// Positions of the lanes: any, or from one on.
struct PhiloxPlace {
  llvm::Value* position = nullptr;
  llvm::Value* first = nullptr;  // instead of `position`
};

// The block of every lane, of a key and a counter of its own; the counter's upper words are zero.
std::array<Lane, philox_words> philox_block(LaneBuilder& l, Lane key0, Lane key1, Lane counter);

// The word at each position. Where the positions are those of whole blocks, one after the other,
// blocks are computed once; each lane computes its own elsewhere. `half`: words are taken apart,
// the lower half first, and positions count halves.
Lane philox_at(LaneBuilder& l, const PhiloxStream& stream, const PhiloxPlace& place, bool half);

}  // namespace heddle::kernel
