// Kernels on a machine that runs a grid of blocks of threads: how the loop nest of the IR is spread
// over threads, and what a launch passes. Nothing here depends on the vendor.
//
// Without reductions, a thread takes a chunk of lanes and goes on by the size of the grid, or keeps
// its place along the lanes and goes from row to row, which takes no division. Operands that lie
// across the lanes (transposed ones) go through tiles in shared memory. With reductions, a team of
// threads works on an item: a kept index with Lanes::reduced (the team lies along the lanes and
// reads neighbouring elements), a chunk of kept indices with Lanes::kept (the team lies across).
// Teams combine their accumulators by shuffles or in shared memory. A split variant spreads every
// item over the blocks of one column of the grid, phase by phase; the last of them to arrive
// combines what the others left in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/ir.h"
#include "kernel/schedule.h"

namespace heddle::kernel {

enum class Team : std::uint8_t {
  none,    // a thread works for itself
  warp,    // a power of two of neighbouring threads of a warp
  block,   // all threads of a block
  column,  // threads of a block with the same x
};

// How a kernel without reductions walks over its domain.
enum class Walk : std::uint8_t {
  chunks,  // all dimensions as one
  rows,    // x along the lanes, y over all other dimensions as one
  tiles,   // squares of the lanes and of `across`, z over all other dimensions as one
};

// How elements at computed places are written, which several threads may hit at once.
enum class Scatter : std::uint8_t {
  none,
  // The last one in order wins: every thread first leaves its number, the highest stays, and then
  // only that one writes.
  last,
  // All change what is there, in any order: the result is the same.
  atomic,
};

// What a launch decides before code exists for it.
struct GridVariant {
  bool vectors = false;  // vectors of lanes: slots with unit stride are aligned for them
  Walk walk = Walk::chunks;
  // rows: places along the row for each thread, grid_threads apart. What they need is read before
  // any of them is computed, so that more of the memory's latency is hidden.
  std::uint8_t places = 1;
  std::uint8_t across = 0;        // tiles: the dimension that tiled slots are dense along
  std::uint32_t tiled_slots = 0;  // bit per slot
  // tiles: as many along as across, in an order in which a tile is followed by its mirror image:
  // for operands that are read both ways.
  bool mirrored = false;
  Scatter scatter = Scatter::none;  // with Walk::chunks
  Team team = Team::none;
  // Rows of at most this many steps for each thread stay in registers from phase to phase; 0: no.
  std::uint8_t kept_steps = 0;
  bool split = false;
  // Running results, by Team::block of grid_threads with this many elements for each; 0: none.
  std::uint8_t scans = 0;
  std::uint32_t dense_slots = 0;  // scans: bit per slot that is read or written in groups
  bool wide = false;              // some count or extent passes 30 bits, or some stride 31
  bool in_order = false;          // one thread, one element after the other
  bool indirect = false;          // the arguments are in memory: they are too many for a launch
  bool operator==(const GridVariant&) const = default;
};
std::string serialize(const GridVariant& variant);

// The entry points of a variant, in the order to launch them.
std::vector<std::string> entry_names(const Kernel& kernel, const GridVariant& variant);

inline constexpr int tile_side = 32;
inline constexpr int tile_rows = 8;       // of threads in a block of tile_side columns
inline constexpr int grid_threads = 256;  // most threads of a block, but of Team::block
inline constexpr int column_rows = 64;    // most threads of Team::column
inline constexpr int block_team_threads = 512;

// Positions in the arguments of a grid kernel, in words of 8 bytes.
struct GridArguments {
  explicit GridArguments(const Kernel& kernel);
  int pointers;  // per slot
  int strides;   // [slot][dimension], bytes
  int extents;   // per dimension
  int divisors;  // per dimension: how to divide by the extent (in chunks), see divisor()
  int scalars;   // two words each
  int items;     // without reductions: chunks, rows, or what tiles are repeated over
  int steps;     // chunks of the reduced dimensions
  int partials;  // split: accumulators of the parts of items; scans: nodes of tiles, zero before
  int finished;  // split: accumulators of phases that are over
  int claims;    // Scatter::last: the highest number for every element of the target
  int target;    // Scatter::last: where the target's memory begins
  int tickets;   // split: a 32-bit counter for every column of the grid, zero before and after
  int words;
};

// Division of numbers below 2^31 by d: (n * low half) >> high half.
std::uint64_t divisor(std::uint32_t d);

// The accumulators that a split kernel leaves in memory, each lane by lane.
struct GridAccumulators {
  GridAccumulators(const Kernel& kernel, int lanes);
  // What the value of one takes; the index of an extreme follows.
  static constexpr int value_bytes(Dtype dtype, int lanes) {
    return (itemsize(dtype) * lanes + 7) / 8 * 8;
  }
  std::vector<int> offsets;  // per instruction that reduces or scans, bytes for one item
  int bytes = 0;             // of all of one item
};

// How a kernel that must see elements in order can be run by many threads; none: it cannot.
Scatter scatter_of(const Kernel& kernel);
// Whether the reductions of a kernel may be done in any order, by many threads.
bool any_order(const Kernel& kernel);
// Whether the kernel has running results, and blocks of threads may share the work on them.
bool scans_in_blocks(const Kernel& kernel);
// Of a tree over the tiles of an item: a node has 32 below it.
inline constexpr int scan_levels = 5;
inline constexpr int scan_level_bits = 5;
std::int64_t scan_nodes(std::int64_t tiles);
// Words of 8 bytes that say what the tiles of a node come to, for all running results.
int scan_words(const Kernel& kernel);
// Whether what the kernel does with a slot can be done for neighbouring elements at once.
bool scans_in_groups(const Kernel& kernel, std::size_t slot);
// How many neighbouring elements a thread takes at once if these slots are dense.
int scan_group(const Kernel& kernel, std::uint32_t dense_slots);
// How much code a lane is, in instructions of the IR: functions of wide types take more registers
// than others.
int weight_of(const Kernel& kernel);
// Whether a lane has so much to do, in so many registers, that a thread has one lane only: its
// values would not stay in registers otherwise, and arithmetic is what it waits for.
inline bool is_long(const Kernel& kernel) { return weight_of(kernel) > 64; }
// Whether threads that have several chunks read each while they compute the one before: where there
// is much to compute, all threads of a multiprocessor would wait for memory, and then memory for
// them.
bool reads_ahead(const Kernel& kernel, const GridVariant& variant);
// Whether the kernel reads nothing but memory that nobody writes for an instruction, at the place
// of its element.
bool reads_directly(const Kernel& kernel, const Instr& instr);
// Whether rows may stay in registers: few enough operands, and reductions that leave elements out.
bool can_keep_rows(const Kernel& kernel);

}  // namespace heddle::kernel
