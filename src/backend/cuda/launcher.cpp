#include "backend/cuda/launcher.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"

namespace heddle::cuda {
namespace {

using kernel::GridVariant;
using kernel::Lanes;
using kernel::Team;

constexpr std::int64_t narrow = std::int64_t{1} << 31;  // counts below need no 64-bit division
constexpr std::size_t most_parameters = 4096;           // bytes that every driver takes
constexpr std::int64_t most_columns = 1 << 16;          // of a split launch
constexpr std::int64_t blocks_per_multiprocessor = 8;   // of 256 threads fill it
constexpr std::int64_t steps_per_thread = 4;            // of a long reduction, at least
constexpr std::uint8_t places_of_thread = 4;            // along a row, where there are no vectors
constexpr std::int64_t rows_per_thread = 8;             // without reductions, if there are many

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

// Counters that split launches leave at zero. One array for every stream: launches of one stream
// follow one another.
CUdeviceptr tickets_of(Stream& stream) {
  static auto* mutex = new std::mutex;
  static auto* arrays = new std::map<std::pair<int, CUstream>, CUdeviceptr>;
  const std::lock_guard lock(*mutex);
  CUdeviceptr& array = (*arrays)[{stream.gpu().ordinal, stream.handle()}];
  if (array) return array;
  const RelaxedCapture relaxed;
  const Driver& cuda = api();
  constexpr std::size_t bytes = most_columns * sizeof(std::uint32_t);
  CUdeviceptr made = 0;
  check(cuda.cuMemAlloc(&made, bytes), "cuMemAlloc");
  check(cuda.cuMemsetD8Async(made, 0, bytes, stream.handle()), "cuMemsetD8Async");
  return array = made;
}

class Launcher {
 public:
  Launcher(const Launch& launch, Device& device, Stream& stream)
      : launch_(launch),
        code_(static_cast<const GridKernel&>(*launch.code)),
        kernel_(code_.kernel()),
        device_(device),
        stream_(stream) {}

  void run() {
    const auto kept = launch_.extents.first(static_cast<std::size_t>(kernel_.kept_dims));
    if (std::find(kept.begin(), kept.end(), 0) != kept.end()) return;
    choose_lanes();
    count();
    choose_threads();
    variant_.wide = is_wide();
    variant_.indirect = static_cast<std::size_t>(code_.arguments().words) * 8 > most_parameters;
    fill();
    start();
  }

 private:
  std::size_t lane_dim() const { return static_cast<std::size_t>(code_.vectors().lane_dim); }

  // Vectors, where everything that is dense along the lanes is aligned for them.
  void choose_lanes() {
    const int lanes = code_.vectors().lanes;
    if (launch_.serial || kernel_.sequential) return choose_scatter();
    if (lanes == 1) return;
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
    variant_.vectors = true;
    lanes_ = lanes;
  }

  // Many threads, where the order can be kept, or does not matter; for few elements one is faster.
  void choose_scatter() {
    constexpr std::int64_t few = 256;
    std::int64_t total = 1;
    for (const std::int64_t extent : launch_.extents) total *= extent;
    if (total > few) variant_.scatter = code_.scatter();
    variant_.in_order = variant_.scatter == kernel::Scatter::none;
  }

  void count() {
    items_ = steps_ = 1;
    for (std::size_t d = 0; d < launch_.extents.size(); ++d)
      (d < static_cast<std::size_t>(kernel_.kept_dims) ? items_ : steps_) *= chunks(d);
  }

  // Whether indices, or the distance of neighbours in bytes, need more than 32 bits with a sign.
  bool is_wide() const {
    constexpr std::int64_t most = narrow / 2;  // a step beyond the last one is counted, too
    if (items_ >= most || steps_ >= most) return true;
    for (const std::int64_t extent : launch_.extents) {
      if (extent >= most) return true;
    }
    for (const std::int64_t stride : launch_.strides) {
      if (stride >= narrow || stride < -narrow) return true;
    }
    return false;
  }

  std::int64_t chunks(std::size_t d) const {
    return d == lane_dim() ? launch_.extents[d] / lanes_ : launch_.extents[d];
  }

  void choose_threads() {
    if (variant_.in_order) return;
    if (kernel_.reduced_dims == 0) {
      over_elements();
    } else if (scans_in_blocks()) {
      over_scans();
    } else if (!code_.any_order()) {
      // Short blocks reach more multiprocessors.
      block_x_ = items_ > 32 * multiprocessors() ? kernel::grid_threads : 32;
      grid_x_ = ceil_div(items_, block_x_);
    } else if (kernel_.lanes == Lanes::reduced) {
      along_rows();
    } else {
      across_rows();
    }
  }

  void over_elements() {
    const auto last = lane_dim();
    const bool plain = variant_.scatter == kernel::Scatter::none;
    if (plain && last > 0 && find_tiles()) {
      items_ /= launch_.extents[last] * launch_.extents[variant_.across];
      block_x_ = kernel::tile_side;
      block_y_ = kernel::tile_rows;
      grid_x_ = ceil_div(launch_.extents[last], kernel::tile_side);
      grid_y_ = ceil_div(launch_.extents[variant_.across], kernel::tile_side);
      grid_z_ = std::min<std::int64_t>(items_, 65535);
      variant_.mirrored = grid_x_ == grid_y_ && reads_both_ways();
      return;
    }
    // Less than a chunk: the rest is done by as many threads.
    block_x_ = kernel::grid_threads;
    grid_x_ = std::clamp<std::int64_t>(ceil_div(items_, block_x_), 1, narrow - 1);
    if (plain && last > 0) by_rows(chunks(last));
  }

  // Whether a tiled operand is read directly, too.
  bool reads_both_ways() const {
    for (std::size_t s = 0; s < std::min<std::size_t>(kernel_.slots.size(), 32); ++s) {
      if (!(variant_.tiled_slots >> s & 1)) continue;
      for (std::size_t t = 0; t < kernel_.slots.size(); ++t) {
        const bool tiled = t < 32 && (variant_.tiled_slots >> t & 1);
        if (!tiled && launch_.pointers[t] == launch_.pointers[s]) return true;
      }
    }
    return false;
  }

  // Operands that are not aligned for vectors are read element by element. Threads have several
  // elements then, to have as much on its way.
  bool takes_places(std::int64_t columns) const {
    const std::int64_t width = std::int64_t{places_of_thread} * kernel::grid_threads;
    if (variant_.vectors || 8 * columns < 7 * ceil_div(columns, width) * width) return false;
    const auto loads = std::count_if(kernel_.instrs.begin(), kernel_.instrs.end(), [&](auto& i) {
      return i.op == Op::load && i.args[0] == kernel::no_arg && !kernel_.slots[i.slot].written;
    });
    return loads > 0 && loads <= 6;
  }

  // A block as wide as the rows are, unless too many threads had nothing to do.
  void by_rows(std::int64_t columns) {
    const std::int64_t width = std::min<std::int64_t>(kernel::grid_threads, power_of_two(columns));
    const std::int64_t across = ceil_div(columns, width);
    if (4 * columns < 3 * across * width) return;
    variant_.walk = kernel::Walk::rows;
    items_ /= columns;
    block_x_ = width;
    block_y_ = kernel::grid_threads / width;
    grid_x_ = across;
    if (takes_places(columns)) {
      variant_.places = places_of_thread;
      grid_x_ = ceil_div(across, places_of_thread);
    }
    const std::int64_t filled =
        ceil_div(4 * blocks_per_multiprocessor * multiprocessors(), grid_x_);
    const std::int64_t blocks = ceil_div(items_, block_y_);
    grid_y_ = std::max(blocks / rows_per_thread, std::min(blocks, filled));
    grid_y_ = std::min<std::int64_t>(grid_y_, 65535);
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
            (variant_.tiled_slots && d != variant_.across)) {
          continue;
        }
        if (!read_in_place(s)) continue;
        variant_.across = static_cast<std::uint8_t>(d);
        variant_.tiled_slots |= std::uint32_t{1} << s;
      }
    }
    if (!variant_.tiled_slots || !fits_tiles()) {
      variant_.tiled_slots = variant_.across = 0;
      return false;
    }
    variant_.walk = kernel::Walk::tiles;
    return true;
  }

  // Whether nothing reads the slot at computed places.
  bool read_in_place(std::size_t s) const {
    return std::none_of(kernel_.instrs.begin(), kernel_.instrs.end(), [&](const auto& instr) {
      return instr.op == Op::load && instr.slot == s && instr.args[0] != kernel::no_arg;
    });
  }

  bool fits_tiles() const {
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < kernel_.slots.size(); ++s) {
      if (variant_.tiled_slots >> s & 1)
        bytes += itemsize(kernel_.slots[s].dtype) * kernel::tile_side * (kernel::tile_side + 1);
    }
    const bool grid_fits = launch_.extents[variant_.across] <= 65535 * kernel::tile_side;
    return bytes <= 48 * 1024 && grid_fits;
  }

  // Not for many short rows, nor where many neighbouring rows are read in step.
  bool scans_in_blocks() const {
    return code_.scans() && steps_ >= 64 && (items_ < 64 * multiprocessors() || steps_ > 16384);
  }

  void over_scans() {
    constexpr std::int64_t few_tiles = 4;  // one after the other
    // More for each thread hide the memory's latency, but a short row must reach all threads.
    const bool is_short = steps_ <= 8 * kernel::grid_threads;
    variant_.scans = is_short ? 4 : kernel::scan_words(kernel_) == 1 ? 16 : 8;
    variant_.team = Team::block;
    block_x_ = kernel::grid_threads;
    grid_x_ = items_;
    find_dense_slots();
    const std::int64_t tiles = ceil_div(steps_, block_x_ * variant_.scans);
    if (tiles <= few_tiles || items_ >= 4 * multiprocessors() || items_ > narrow / tiles) return;
    variant_.split = true;
    grid_x_ = items_ * tiles;
    tiles_ = tiles;
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
    variant_.dense_slots = dense;
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
    if (steps_ <= 2) {
      block_x_ = kernel::grid_threads;
      grid_x_ = ceil_div(items_, block_x_);
      return;
    }
    if (steps_ <= 256) {
      variant_.team = Team::warp;
      block_x_ = std::min<std::int64_t>(32, power_of_two(steps_));
      block_y_ = kernel::grid_threads / block_x_;
      grid_x_ = ceil_div(items_, block_y_);
      return;
    }
    variant_.team = Team::block;
    block_x_ =
        std::clamp<std::int64_t>(power_of_two(steps_ / steps_per_thread), 64, kernel::grid_threads);
    grid_x_ = items_;
    split(steps_ / (block_x_ * steps_per_thread));
    keep_rows();
  }

  // Several phases over rows that the registers of a block can hold read memory once.
  void keep_rows() {
    constexpr std::int64_t most = 8;
    if (variant_.split || kernel_.phases < 2 || !code_.keeps_rows()) return;
    if (launch_.extents[lane_dim()] % lanes_ != 0) return;
    const std::int64_t threads = kernel::block_team_threads;
    while (block_x_ < threads && ceil_div(steps_, block_x_) > 4) block_x_ *= 2;
    const std::int64_t steps = ceil_div(steps_, block_x_);
    if (steps <= most) variant_.kept_steps = static_cast<std::uint8_t>(steps);
  }

  // Teams lie across the lanes of neighbouring kept elements.
  void across_rows() {
    variant_.team = steps_ < 4 ? Team::none : Team::column;
    block_y_ =
        variant_.team == Team::none ? 1 : std::min<std::int64_t>(8, power_of_two(steps_) / 2);
    block_x_ = kernel::grid_threads / block_y_;
    grid_x_ = ceil_div(items_, block_x_);
    if (variant_.team == Team::column) split(steps_ / (block_y_ * steps_per_thread));
  }

  // Spreads items over more blocks where they are too few to fill the GPU.
  void split(std::int64_t most) {
    const std::int64_t wanted = blocks_per_multiprocessor * multiprocessors() / grid_x_;
    const std::int64_t parts = std::min({wanted, most, std::int64_t{65535}});
    if (parts < 2 || grid_x_ > most_columns) return;
    variant_.split = true;
    grid_y_ = parts;
  }

  std::int64_t multiprocessors() const { return code_.gpu().multiprocessors; }

  void fill() {
    const kernel::GridArguments& at = code_.arguments();
    words_.assign(static_cast<std::size_t>(at.words), 0);
    auto put = [&](int position, std::uint64_t word) {
      words_[static_cast<std::size_t>(position)] = word;
    };
    for (std::size_t s = 0; s < launch_.pointers.size(); ++s)
      put(at.pointers + static_cast<int>(s), device_pointer(launch_.pointers[s]));
    for (std::size_t i = 0; i < launch_.strides.size(); ++i)
      put(at.strides + static_cast<int>(i), static_cast<std::uint64_t>(launch_.strides[i]));
    for (std::size_t d = 0; d < launch_.extents.size(); ++d) {
      const std::int64_t count = chunks(d);
      put(at.extents + static_cast<int>(d), static_cast<std::uint64_t>(launch_.extents[d]));
      if (count > 0 && count < narrow)
        put(at.divisors + static_cast<int>(d), kernel::divisor(static_cast<std::uint32_t>(count)));
    }
    for (std::size_t i = 0; i < launch_.scalars.size(); ++i) {
      put(at.scalars + static_cast<int>(2 * i), launch_.scalars[i].word[0]);
      put(at.scalars + static_cast<int>(2 * i + 1), launch_.scalars[i].word[1]);
    }
    put(at.items, static_cast<std::uint64_t>(items_));
    put(at.steps, static_cast<std::uint64_t>(steps_));
    if (variant_.scatter == kernel::Scatter::last) make_claims();
    if (!variant_.split) return;
    put(at.tickets, tickets_of(stream_));
    if (variant_.scans) return make_nodes();
    const auto bytes = static_cast<std::size_t>(code_.saved_bytes(lanes_) * items_);
    saved_ = Buffer::allocate(device_, bytes * static_cast<std::size_t>(grid_y_ + 1));
    put(at.finished, device_pointer(saved_->data()));
    put(at.partials, device_pointer(static_cast<char*>(saved_->data()) + bytes));
  }

  // What tiles tell one another, nothing at first.
  void make_nodes() {
    const std::int64_t words = items_ * kernel::scan_nodes(tiles_) * kernel::scan_words(kernel_);
    make_zeros(static_cast<std::size_t>(words) * 8);
    words_[static_cast<std::size_t>(code_.arguments().partials)] = device_pointer(saved_->data());
  }

  void make_zeros(std::size_t bytes) {
    saved_ = Buffer::allocate(device_, bytes);
    check(api().cuMemsetD8Async(device_pointer(saved_->data()), 0, bytes, stream_.handle()),
          "cuMemsetD8Async");
  }

  // A number for every element of the memory that is written to, zero at first.
  void make_claims() {
    const auto store = std::find_if(
        kernel_.instrs.begin(), kernel_.instrs.end(),
        [](const auto& instr) { return instr.op == Op::store && instr.args[1] != kernel::no_arg; });
    const std::size_t slot = store->slot;
    const Buffer& target = *launch_.buffers[slot];
    const auto count =
        target.bytes() / static_cast<std::size_t>(itemsize(kernel_.slots[slot].dtype));
    make_zeros((count + 1) * (variant_.wide ? 8 : 4));
    words_[static_cast<std::size_t>(code_.arguments().claims)] = device_pointer(saved_->data());
    words_[static_cast<std::size_t>(code_.arguments().target)] = device_pointer(target.data());
  }

  void start() {
    const GridCode& code = code_.code(variant_);
    const Driver& cuda = api();
    void* parameter = words_.data();
    CUdeviceptr in_memory = 0;
    if (variant_.indirect) {
      const std::size_t bytes = words_.size() * sizeof(std::uint64_t);
      arguments_ = Buffer::allocate(device_, bytes);
      in_memory = device_pointer(arguments_->data());
      // From pageable memory: it has been read when the call returns.
      check(cuda.cuMemcpyHtoDAsync(in_memory, words_.data(), bytes, stream_.handle()),
            "cuMemcpyHtoDAsync");
      parameter = &in_memory;
    }
    for (CUfunction entry : code.entries) {
      check(cuda.cuLaunchKernel(entry, static_cast<unsigned>(grid_x_),
                                static_cast<unsigned>(grid_y_), static_cast<unsigned>(grid_z_),
                                static_cast<unsigned>(block_x_), static_cast<unsigned>(block_y_), 1,
                                0, stream_.handle(), &parameter, nullptr),
            "cuLaunchKernel");
    }
  }

  const Launch& launch_;
  const GridKernel& code_;
  const kernel::Kernel& kernel_;
  Device& device_;
  Stream& stream_;
  GridVariant variant_;
  int lanes_ = 1;
  std::int64_t items_ = 1, steps_ = 1;
  std::int64_t tiles_ = 1;  // of an item, where scans are split
  std::int64_t grid_x_ = 1, grid_y_ = 1, grid_z_ = 1, block_x_ = 1, block_y_ = 1;
  std::vector<std::uint64_t> words_;
  Ref<Buffer> saved_, arguments_;
};

}  // namespace

void launch(const Launch& launch, Stream& stream) {
  const ContextScope context(stream.gpu());
  Launcher(launch, device_of(stream.gpu()), stream).run();
}

}  // namespace heddle::cuda
