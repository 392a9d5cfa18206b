#include "backend/cuda/grid_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::cuda {
namespace {

using kernel::Lanes;
using kernel::Team;

constexpr std::size_t most_parameters = 4096;          // bytes that every driver takes
constexpr std::int64_t blocks_per_multiprocessor = 8;  // of 256 threads fill it
constexpr std::int64_t steps_per_thread = 4;           // of a long reduction, at least
constexpr std::int64_t chunks_of_thread = 4;           // without reductions, if there are many
constexpr std::uint8_t places_of_thread = 4;           // along a row, where there are no vectors
constexpr std::int64_t rows_per_thread = 8;            // without reductions, if there are many

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

class Planner {
 public:
  Planner(const Launch& launch, const GridKernel& code)
      : launch_(launch), code_(code), kernel_(code.kernel()) {}

  GridPlan run() {
    choose_lanes();
    count();
    choose_threads();
    plan_.variant.wide = is_wide();
    plan_.variant.indirect =
        static_cast<std::size_t>(code_.arguments().words) * 8 > most_parameters;
    return plan_;
  }

 private:
  std::size_t lane_dim() const { return static_cast<std::size_t>(code_.vectors().lane_dim); }

  // Vectors, where everything that is dense along the lanes is aligned for them.
  void choose_lanes() {
    const int lanes = code_.vectors().lanes;
    if (launch_.serial || kernel_.sequential) return choose_scatter();
    if (lanes == 1 || kernel::is_long(kernel_)) return;
    const bool has_rest = launch_.extents[lane_dim()] % lanes != 0;
    const int alongside = kernel_.lanes == Lanes::kept ? kernel_.kept_dims : kernel_.reduced_dims;
    const bool rest_is_done =
        alongside == 1 && (kernel_.lanes == Lanes::reduced || kernel_.reduced_dims == 0);
    if (has_rest && !rest_is_done) return;
    for (std::size_t s = 0; s < kernel_.slots.size(); ++s) {
      const kernel::Slot& slot = kernel_.slots[s];
      if (slot.lane != kernel::Stride::unit) continue;
      if (!is_aligned(s, lane_dim(), std::min(16, itemsize(slot.dtype) * lanes))) return;
    }
    plan_.variant.vectors = true;
    plan_.lanes = lanes;
  }

  // Many threads, where the order can be kept, or does not matter; for few elements one is faster.
  void choose_scatter() {
    constexpr std::int64_t few = 256;
    std::int64_t total = 1;
    for (const std::int64_t extent : launch_.extents) total *= extent;
    if (total > few) plan_.variant.scatter = code_.scatter();
    plan_.variant.in_order = plan_.variant.scatter == kernel::Scatter::none;
  }

  void count() {
    plan_.items = plan_.steps = 1;
    for (std::size_t d = 0; d < launch_.extents.size(); ++d)
      (d < static_cast<std::size_t>(kernel_.kept_dims) ? plan_.items : plan_.steps) *= chunks(d);
  }

  // Whether indices, or the distance of neighbours in bytes, need more than 32 bits with a sign.
  bool is_wide() const {
    constexpr std::int64_t most = narrow / 2;  // a step beyond the last one is counted, too
    if (plan_.items >= most || plan_.steps >= most) return true;
    for (const std::int64_t extent : launch_.extents) {
      if (extent >= most) return true;
    }
    for (const std::int64_t stride : launch_.strides) {
      if (stride >= narrow || stride < -narrow) return true;
    }
    return false;
  }

  std::int64_t chunks(std::size_t d) const {
    return d == lane_dim() ? launch_.extents[d] / plan_.lanes : launch_.extents[d];
  }

  void choose_threads() {
    if (plan_.variant.in_order) return;
    if (kernel_.reduced_dims == 0) {
      over_elements();
    } else if (scans_in_blocks()) {
      over_scans();
    } else if (!code_.any_order()) {
      // Short blocks reach more multiprocessors.
      plan_.block_x = plan_.items > 32 * multiprocessors() ? kernel::grid_threads : 32;
      plan_.grid_x = ceil_div(plan_.items, plan_.block_x);
    } else if (kernel_.lanes == Lanes::reduced) {
      along_rows();
    } else {
      across_rows();
    }
  }

  void over_elements() {
    const auto last = lane_dim();
    const bool plain = plan_.variant.scatter == kernel::Scatter::none;
    if (plain && last > 0 && find_tiles()) {
      plan_.items /= launch_.extents[last] * launch_.extents[plan_.variant.across];
      plan_.block_x = kernel::tile_side;
      plan_.block_y = kernel::tile_rows;
      plan_.grid_x = ceil_div(launch_.extents[last], kernel::tile_side);
      plan_.grid_y = ceil_div(launch_.extents[plan_.variant.across], kernel::tile_side);
      plan_.grid_z = std::min<std::int64_t>(plan_.items, 65535);
      plan_.variant.mirrored = plan_.grid_x == plan_.grid_y && reads_both_ways();
      return;
    }
    // Less than a chunk: the rest is done by as many threads.
    plan_.block_x = plain ? threads_of_blocks(plan_.items) : kernel::grid_threads;
    const std::int64_t blocks = ceil_div(plan_.items, plan_.block_x);
    // Several chunks for each thread share the work before and after, if there are enough of them.
    const bool many = blocks >= 16 * blocks_per_multiprocessor * multiprocessors();
    plan_.grid_x =
        std::clamp<std::int64_t>(many ? ceil_div(blocks, chunks_of_thread) : blocks, 1, narrow - 1);
    if (plain && last > 0) by_rows(chunks(last));
  }

  // Few elements are spread over as many multiprocessors as they reach: long chains of arithmetic
  // take their time wherever they run, and side by side no longer than alone.
  std::int64_t threads_of_blocks(std::int64_t items) const {
    std::int64_t threads = kernel::grid_threads;
    while (threads > 32 && ceil_div(items, threads) < multiprocessors()) threads /= 2;
    return threads;
  }

  // Whether a tiled operand is read directly, too.
  bool reads_both_ways() const {
    for (std::size_t s = 0; s < std::min<std::size_t>(kernel_.slots.size(), 32); ++s) {
      if (!(plan_.variant.tiled_slots >> s & 1)) continue;
      for (std::size_t t = 0; t < kernel_.slots.size(); ++t) {
        const bool tiled = t < 32 && (plan_.variant.tiled_slots >> t & 1);
        if (!tiled && launch_.pointers[t] == launch_.pointers[s]) return true;
      }
    }
    return false;
  }

  // Operands that are not aligned for vectors are read element by element. Threads have several
  // elements then, to have as much on its way.
  bool takes_places(std::int64_t columns) const {
    const std::int64_t width = std::int64_t{places_of_thread} * kernel::grid_threads;
    if (plan_.variant.vectors || kernel::is_long(kernel_)) return false;
    if (8 * columns < 7 * ceil_div(columns, width) * width) return false;
    const auto loads = std::count_if(kernel_.instrs.begin(), kernel_.instrs.end(), [&](auto& i) {
      return i.op == Op::load && i.args[0] == kernel::no_arg && i.args[1] == kernel::no_arg &&
             !kernel_.slots[i.slot].written;
    });
    return loads > 0 && loads <= 6;
  }

  // A block as wide as the rows are, unless too many threads had nothing to do.
  void by_rows(std::int64_t columns) {
    const std::int64_t threads = threads_of_blocks(plan_.items);
    const std::int64_t width = std::min(threads, power_of_two(columns));
    const std::int64_t across = ceil_div(columns, width);
    if (4 * columns < 3 * across * width) return;
    plan_.variant.walk = kernel::Walk::rows;
    plan_.items /= columns;
    plan_.block_x = width;
    plan_.block_y = threads / width;
    plan_.grid_x = across;
    if (threads == kernel::grid_threads && takes_places(columns)) {
      plan_.variant.places = places_of_thread;
      plan_.grid_x = ceil_div(across, places_of_thread);
    }
    const std::int64_t filled =
        ceil_div(4 * blocks_per_multiprocessor * multiprocessors(), plan_.grid_x);
    const std::int64_t blocks = ceil_div(plan_.items, plan_.block_y);
    plan_.grid_y = std::max(blocks / rows_per_thread, std::min(blocks, filled));
    plan_.grid_y = std::min<std::int64_t>(plan_.grid_y, 65535);
  }

  // Operands that are dense along another dimension than the lanes.
  bool find_tiles() {
    const auto dims = launch_.extents.size();
    if (launch_.extents[lane_dim()] < kernel::tile_side / 2) return false;
    for (std::size_t s = 0; s < std::min<std::size_t>(kernel_.slots.size(), 32); ++s) {
      const kernel::Slot& slot = kernel_.slots[s];
      if (slot.lane != kernel::Stride::any || slot.written || slot.scratch) continue;
      for (std::size_t d = 0; d < lane_dim(); ++d) {
        if (launch_.strides[s * dims + d] != itemsize(slot.dtype) ||
            launch_.extents[d] < kernel::tile_side / 2 || slot.zero_dims >> d & 1 ||
            (plan_.variant.tiled_slots && d != plan_.variant.across)) {
          continue;
        }
        if (!read_in_place(s)) continue;
        plan_.variant.across = static_cast<std::uint8_t>(d);
        plan_.variant.tiled_slots |= std::uint32_t{1} << s;
      }
    }
    if (!plan_.variant.tiled_slots || !fits_tiles()) {
      plan_.variant.tiled_slots = plan_.variant.across = 0;
      return false;
    }
    plan_.variant.walk = kernel::Walk::tiles;
    return true;
  }

  // Whether nothing reads the slot at computed places.
  bool read_in_place(std::size_t s) const {
    return std::none_of(kernel_.instrs.begin(), kernel_.instrs.end(), [&](const auto& instr) {
      const bool plain = instr.args[0] == kernel::no_arg && instr.args[1] == kernel::no_arg;
      return instr.op == Op::load && instr.slot == s && !plain;
    });
  }

  bool fits_tiles() const {
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < kernel_.slots.size(); ++s) {
      if (plan_.variant.tiled_slots >> s & 1)
        bytes += itemsize(kernel_.slots[s].dtype) * kernel::tile_side * (kernel::tile_side + 1);
    }
    const bool grid_fits = launch_.extents[plan_.variant.across] <= 65535 * kernel::tile_side;
    return bytes <= 48 * 1024 && grid_fits;
  }

  // Not for many short rows, nor where many neighbouring rows are read in step.
  bool scans_in_blocks() const {
    return code_.scans() && plan_.steps >= 64 &&
           (plan_.items < 64 * multiprocessors() || plan_.steps > 16384);
  }

  void over_scans() {
    constexpr std::int64_t few_tiles = 4;  // one after the other
    // More for each thread hide the memory's latency, but a short row must reach all threads.
    const bool is_short = plan_.steps <= 8 * kernel::grid_threads;
    const bool is_long = plan_.steps >= 1 << 20;
    plan_.variant.scans = is_short ? 4 : kernel::scan_words(kernel_) > 1 ? 8 : is_long ? 32 : 16;
    plan_.variant.team = Team::block;
    plan_.block_x = kernel::grid_threads;
    plan_.grid_x = plan_.items;
    find_dense_slots();
    const std::int64_t tiles = ceil_div(plan_.steps, plan_.block_x * plan_.variant.scans);
    if (tiles <= few_tiles || plan_.items >= 4 * multiprocessors() || plan_.items > narrow / tiles)
      return;
    plan_.variant.split = true;
    plan_.grid_x = plan_.items * tiles;
    plan_.tiles = tiles;
  }

  // Slots that scans read or write in groups: all that are dense, if all are aligned for it.
  void find_dense_slots() {
    if (kernel_.reduced_dims != 1) return;
    const auto dims = launch_.extents.size();
    const std::size_t slots = std::min<std::size_t>(kernel_.slots.size(), 32);
    std::uint32_t dense = 0;
    for (std::size_t s = 0; s < slots; ++s) {
      if (launch_.strides[s * dims + dims - 1] == itemsize(kernel_.slots[s].dtype) &&
          kernel::scans_in_groups(kernel_, s))
        dense |= std::uint32_t{1} << s;
    }
    const int group = kernel::scan_group(kernel_, dense);
    for (std::size_t s = 0; s < slots; ++s) {
      const int bytes = std::min(16, itemsize(kernel_.slots[s].dtype) * group);
      if (dense >> s & 1 && !is_aligned(s, dims - 1, bytes)) return;
    }
    plan_.variant.dense_slots = dense;
  }

  // Wherever the elements begin along a dimension.
  bool is_aligned(std::size_t s, std::size_t along, int bytes) const {
    const auto dims = launch_.extents.size();
    auto address = reinterpret_cast<std::uintptr_t>(launch_.pointers[s]);
    for (std::size_t d = 0; d < dims; ++d) {
      if (d != along && launch_.extents[d] > 1)
        address |= static_cast<std::uintptr_t>(launch_.strides[s * dims + d]);
    }
    return (address & static_cast<std::uintptr_t>(bytes - 1)) == 0;
  }

  // Teams lie along the reduced elements.
  void along_rows() {
    if (plan_.steps <= 2) {
      plan_.block_x = kernel::grid_threads;
      plan_.grid_x = ceil_div(plan_.items, plan_.block_x);
      return;
    }
    if (plan_.steps <= 256) {
      plan_.variant.team = Team::warp;
      plan_.block_x = std::min<std::int64_t>(32, power_of_two(plan_.steps));
      plan_.block_y = threads_of_blocks(plan_.items * plan_.block_x) / plan_.block_x;
      plan_.grid_x = ceil_div(plan_.items, plan_.block_y);
      return;
    }
    plan_.variant.team = Team::block;
    plan_.block_x = std::clamp<std::int64_t>(power_of_two(plan_.steps / steps_per_thread), 64,
                                             kernel::grid_threads);
    plan_.grid_x = plan_.items;
    split(plan_.steps / (plan_.block_x * steps_per_thread));
    keep_rows();
  }

  // Several phases over rows that the registers of a block can hold read memory once.
  void keep_rows() {
    constexpr std::int64_t most = 8;
    if (plan_.variant.split || kernel_.phases < 2 || !code_.keeps_rows()) return;
    if (launch_.extents[lane_dim()] % plan_.lanes != 0) return;
    const std::int64_t threads = kernel::block_team_threads;
    while (plan_.block_x < threads && ceil_div(plan_.steps, plan_.block_x) > 4) plan_.block_x *= 2;
    const std::int64_t steps = ceil_div(plan_.steps, plan_.block_x);
    if (steps <= most) plan_.variant.kept_steps = static_cast<std::uint8_t>(steps);
  }

  // Teams lie across the lanes of neighbouring kept elements.
  void across_rows() {
    plan_.variant.team = plan_.steps < 4 ? Team::none : Team::column;
    if (plan_.variant.team == Team::none) {
      plan_.block_x = kernel::grid_threads;
      plan_.grid_x = ceil_div(plan_.items, plan_.block_x);
      return;
    }
    // Fewer columns than a warp has threads leave none of them idle.
    const std::int64_t columns = std::min<std::int64_t>(32, power_of_two(plan_.items));
    const std::int64_t most =
        std::min<std::int64_t>(kernel::column_rows, kernel::grid_threads / columns);
    plan_.block_y = std::min(most, power_of_two(plan_.steps) / 2);
    plan_.block_x = kernel::grid_threads / plan_.block_y;
    plan_.grid_x = ceil_div(plan_.items, plan_.block_x);
    // One block adds up all parts in the end: it gets no more of them than the others have rows.
    const auto balanced =
        static_cast<std::int64_t>(2 * std::sqrt(static_cast<double>(plan_.steps)));
    split(std::min(plan_.steps / (plan_.block_y * steps_per_thread), balanced));
  }

  // Spreads items over more blocks where they are too few to fill the GPU.
  void split(std::int64_t most) {
    const std::int64_t wanted = blocks_per_multiprocessor * multiprocessors() / plan_.grid_x;
    const std::int64_t parts = std::min({wanted, most, std::int64_t{65535}});
    if (parts < 2 || plan_.grid_x > most_columns) return;
    plan_.variant.split = true;
    plan_.grid_y = parts;
  }

  std::int64_t multiprocessors() const { return code_.gpu().multiprocessors; }

  const Launch& launch_;
  const GridKernel& code_;
  const kernel::Kernel& kernel_;
  GridPlan plan_;
};

}  // namespace

GridPlan plan_launch(const Launch& launch, const GridKernel& code) {
  return Planner(launch, code).run();
}

}  // namespace heddle::cuda
