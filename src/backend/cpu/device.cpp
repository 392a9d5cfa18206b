// The CPU as a device: memory from the host, kernels from the JIT, work on all cores.
#include "runtime/device.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include <sys/mman.h>

#include "backend/cpu/blas.h"
#include "backend/cpu/compaction.h"
#include "backend/cpu/compiler.h"
#include "backend/cpu/solvers.h"
#include "backend/cpu/sorting.h"
#include "backend/cpu/thread_scratch.h"
#include "backend/cpu/transforms.h"
#include "backend/cpu/window_products.h"
#include "core/recycled.h"
#include "core/slabs.h"
#include "kernel/op_cost.h"
#include "kernel/schedule.h"
#include "runtime/bands.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"
#include "runtime/statistics.h"
#include "runtime/traffic.h"
#include "runtime/watched.h"

namespace heddle {

namespace {

using kernel::Accumulator;
using kernel::LaunchArgs;

constexpr std::int64_t serial_work = 512 * 1024;  // less is not worth waking other cores
constexpr std::int64_t piece_elements = 64 * 1024;
constexpr std::int64_t part_multiple = 4;  // pieces of a reduction: a few cores have as many each
constexpr std::int64_t tile_lanes = 16;    // of a band of lanes across a transposed operand

class HostPool final : public MemoryPool {
 public:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  HostPool() : MemoryPool(Threads::cached) {}

 protected:
  void* system_allocate(std::size_t bytes) override {
    if (bytes <= Slabs::largest) return slabs_.allocate(bytes);
    // Not aligned_alloc: it may refuse sizes that are no multiple of the alignment.
    void* pointer = nullptr;
    if (posix_memalign(&pointer, bytes >= huge_page ? huge_page : 64, bytes) != 0) return nullptr;
    if (bytes >= huge_page) madvise(pointer, bytes, MADV_HUGEPAGE);
    return pointer;
  }
  void system_release(void* pointer, std::size_t bytes) override {
    bytes <= Slabs::largest ? slabs_.release(pointer, bytes) : std::free(pointer);
  }
  void system_trim() override {
    slabs_.trim();
    trim_blocks();  // of what belongs to arrays, all that is not elements
  }
  std::string what() const override { return "host memory"; }

 private:
  Slabs slabs_{MemoryPool::tight_unit};
};

struct CpuKernel final : CompiledKernel {
  cpu::LoadedKernel entry;
  int accumulators = 0;
  std::int64_t work = 0;  // for each element, in bytes that memory moves meanwhile
  std::optional<bool> settling;
  bool ordered = true;  // of what is written to an element several times the last stays
};

// Roughly what a kernel costs for each element: the bytes it moves, and what it computes.
std::int64_t work_of(const kernel::Kernel& kernel) {
  double work = 0;
  for (const auto& instr : kernel.instrs) {
    if (instr.level == kernel::Level::uniform) continue;
    auto size = itemsize(instr.dtype);
    if (instr.op == Op::load || instr.op == Op::store) {
      const auto& slot = kernel.slots[instr.slot];
      if (slot.lane == kernel::Stride::zero) continue;
      work += slot.lane == kernel::Stride::any ? 4 * size : size;
    } else if (instr.op == Op::index || kernel::is_reduction(instr.op)) {
      work += size / 4.0;
    } else {
      work += kernel::op_cost(instr.op) * size / 4.0;
    }
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(work));
}

// Whether some of a kernel's writes through indices differ from one another.
bool writes_differ(const kernel::Kernel& kernel) {
  return kernel.sequential ||
         std::any_of(kernel.instrs.begin(), kernel.instrs.end(), [&](const kernel::Instr& i) {
           return i.op == Op::store && i.args[1] != kernel::no_arg &&
                  kernel.instrs[i.args[0]].level != kernel::Level::uniform;
         });
}

// The truth that settles a kernel's only reduction, and with it all that the kernel makes.
std::optional<bool> settling_truth(const kernel::Kernel& kernel) {
  std::optional<bool> truth;
  for (const auto& instr : kernel.instrs) {
    if (instr.op == Op::store && instr.level == kernel::Level::body) return std::nullopt;
    if (!kernel::is_reduction(instr.op)) continue;
    if (truth) return std::nullopt;
    truth = kernel::settling_truth(kernel, instr);
    if (!truth) return std::nullopt;
  }
  return truth;
}

// A launch restricted to a range of one or more dimensions.
class Piece {
 public:
  Piece(const Launch& launch)
      : launch_(launch),
        dims_(launch.extents.size()),
        pointers_(launch.pointers.begin(), launch.pointers.end()),
        extents_(launch.extents.begin(), launch.extents.end()),
        origin_(static_cast<std::int64_t>(dims_), 0) {}

  void restrict_to(std::size_t dim, std::int64_t first, std::int64_t count) {
    for (std::size_t s = 0; s < launch_.pointers.size(); ++s) {
      if (launch_.kernel->slots[s].scratch) continue;
      auto& pointer = pointers_[static_cast<std::int64_t>(s)];
      pointer = static_cast<char*>(pointer) + first * launch_.strides[s * dims_ + dim];
    }
    origin_[static_cast<std::int64_t>(dim)] += first;
    extents_[static_cast<std::int64_t>(dim)] = count;
  }

  void place(std::size_t slot, void* pointer) {
    pointers_[static_cast<std::int64_t>(slot)] = pointer;
  }
  std::int64_t extent(std::size_t dim) const { return extents_[static_cast<std::int64_t>(dim)]; }

  LaunchArgs args(void* scratch = nullptr) const {
    return {pointers_.data(), launch_.strides.data(), extents_.data(),
            origin_.data(),   launch_.scalars.data(), scratch};
  }

 private:
  const Launch& launch_;
  std::size_t dims_;
  SmallVector<void*, 16> pointers_;
  Dims extents_;
  Dims origin_;
};

void* scratch_for(const Launch& launch) {
  if (launch.scratch_bytes == 0) return nullptr;
  return cpu::thread_scratch<Launch>(launch.scratch_bytes);
}

// Whether an operand lies across the lanes, contiguous along another dimension (a transposed
// array): a narrow band of lanes at a time then keeps its cache lines until they are used up.
bool walks_across(const Launch& launch) {
  auto dims = launch.extents.size();
  auto kept = static_cast<std::size_t>(launch.kernel->kept_dims);
  if (launch.kernel->reduced_dims > 0 || kept < 2 || launch.extents[kept - 1] <= tile_lanes) {
    return false;
  }
  for (std::size_t s = 0; s < launch.pointers.size(); ++s) {
    if (launch.kernel->slots[s].lane != kernel::Stride::any) continue;
    auto size = itemsize(launch.kernel->slots[s].dtype);
    for (std::size_t d = 0; d + 1 < kept; ++d) {
      if (std::abs(launch.strides[s * dims + d]) == size && launch.extents[d] > 1) return true;
    }
  }
  return false;
}

// Rows [begin, end) of kernels that run band by band, on one thread.
class BandedPiece {
 public:
  explicit BandedPiece(const BandedLaunches& launches) : all_(launches) {
    std::size_t bytes = 0;
    for (const BandTemporary& temporary : all_.temporaries) {
      places_.push_back(bytes);
      bytes += static_cast<std::size_t>(temporary.pitch * temporary.capacity + 63) / 64 * 64;
    }
    memory_ = static_cast<char*>(cpu::thread_scratch<BandedPiece>(bytes));
    first_.resize(places_.size());
  }

  void run(std::int64_t begin, std::int64_t end, Stopping& stopping) {
    for (auto t = begin; t < end && !stopping.asked(); t += all_.rows) {
      const auto until = std::min(t + all_.rows, end);
      for (std::size_t i = 0; i < places_.size(); ++i) make_room(i, t, until, t == begin);
      for (const BandedLaunch& each : all_.launches) {
        const auto low = std::max<std::int64_t>(t + (t == begin ? each.before : each.after), 0);
        const auto high = std::min(until + each.after, each.rows);
        for (auto row = low; row < high;) {
          const auto next = std::min(high, end_of_turn(each, row));
          run_rows(each, row, next);
          row = next;
        }
      }
    }
  }

 private:
  // Rows that are still needed go to the beginning where there is no room behind them.
  void make_room(std::size_t i, std::int64_t t, std::int64_t until, bool is_first) {
    const BandTemporary& temporary = all_.temporaries[i];
    auto& first = first_[i];
    const auto needed = t + temporary.before;
    if (temporary.ring) return;
    if (is_first || temporary.before == temporary.after) {
      first = needed;
      return;
    }
    if (until + temporary.after - first <= temporary.capacity) return;
    char* memory = memory_ + places_[i];
    std::memmove(memory, memory + (needed - first) * temporary.pitch,
                 static_cast<std::size_t>((temporary.after - temporary.before) * temporary.pitch));
    first = needed;
  }

  static std::int64_t remainder(std::int64_t row, std::int64_t capacity) {
    const auto rest = row % capacity;
    return rest < 0 ? rest + capacity : rest;
  }

  // Where the next ring that a kernel uses begins anew.
  std::int64_t end_of_turn(const BandedLaunch& each, std::int64_t row) const {
    auto end = each.rows;
    for (std::size_t s = 0; s < each.temporaries.size(); ++s) {
      if (each.temporaries[s] < 0) continue;
      const auto& temporary = all_.temporaries[static_cast<std::size_t>(each.temporaries[s])];
      if (!temporary.ring) continue;
      const auto left = temporary.capacity - remainder(row + each.shifts[s], temporary.capacity);
      end = std::min(end, row + left);
    }
    return end;
  }

  void run_rows(const BandedLaunch& each, std::int64_t low, std::int64_t high) const {
    const Launch& launch = each.launch;
    Piece piece(launch);
    for (std::size_t s = 0; s < launch.pointers.size(); ++s) {
      const auto which = each.temporaries[s];
      if (which < 0) continue;
      const auto i = static_cast<std::size_t>(which);
      const BandTemporary& temporary = all_.temporaries[i];
      const auto offset = reinterpret_cast<std::intptr_t>(launch.pointers[s]);
      const auto row = low + each.shifts[s];
      const auto first = temporary.ring ? row - remainder(row, temporary.capacity) : first_[i];
      piece.place(s, memory_ + places_[i] - first * temporary.pitch + offset);
    }
    piece.restrict_to(each.dim, low * each.unit, (high - low) * each.unit);
    const auto& code = static_cast<const CpuKernel&>(*launch.code);
    const auto lanes = static_cast<std::size_t>(launch.kernel->kept_dims) - 1;
    const auto extent = piece.extent(lanes);
    if (!walks_across(launch) || extent <= tile_lanes) {
      auto args = piece.args(scratch_for(launch));
      code.entry.run(&args);
      return;
    }
    for (std::int64_t first = 0; first < extent; first += tile_lanes) {
      Piece tile = piece;
      tile.restrict_to(lanes, first, std::min(tile_lanes, extent - first));
      auto args = tile.args(scratch_for(launch));
      code.entry.run(&args);
    }
  }

  const BandedLaunches& all_;
  char* memory_;
  std::vector<std::size_t> places_;  // of temporaries, in the memory
  std::vector<std::int64_t> first_;  // the row of each that is there
};

class CpuDevice final : public Device, public BandRunner {
 public:
  std::string name() const override { return "cpu"; }
  MemoryPool& pool() override { return pool_; }
  bool host_accessible() const override { return true; }
  Preferences preferences() const override { return {.window_products = true}; }
  void synchronize() override {}

  bool drops_kernels() const override { return true; }
  std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel) override {
    auto code = std::make_unique<CpuKernel>();
    cpu::Origin origin{};
    code->entry = cpu::compile(kernel, &origin);
    code->accumulators = static_cast<int>(
        std::count_if(kernel.instrs.begin(), kernel.instrs.end(),
                      [](const kernel::Instr& i) { return kernel::is_reduction(i.op); }));
    code->work = work_of(kernel);
    code->settling = settling_truth(kernel);
    code->ordered = writes_differ(kernel);
    if (origin == cpu::Origin::compiled) count(Counter::compiled);
    if (origin == cpu::Origin::disk_hit) count(Counter::disk_hits);
    if (origin == cpu::Origin::pack_hit) count(Counter::pack_hits);
    return code;
  }

  void launch(const Launch& launch) override {
    if (counts_traffic()) count_traffic(launch);
    const auto& code = static_cast<const CpuKernel&>(*launch.code);
    if (launch.kernel->split) {
      run_split(launch, code);
    } else {
      run_rows(launch, code);
    }
  }

  void launch(const BandedLaunches& launches) override {
    if (counts_traffic()) count_traffic(launches);
    const auto rows = launches.end - launches.begin;
    const auto step = (rows + pieces_of(launches) - 1) / pieces_of(launches);
    Stopping stopping;
    watched_for((rows + step - 1) / step,
                [&](std::int64_t i) {
                  const auto begin = launches.begin + i * step;
                  BandedPiece(launches).run(begin, std::min(begin + step, launches.end), stopping);
                },
                [&] { stopping.asked(); });
    stopping.finish();
  }

  void matmul(const Matmul& product) override { cpu::matmul(product); }
  void multiply_windows(const WindowProduct& product) override { cpu::multiply_windows(product); }
  Compaction& compaction() override { return cpu::compaction(); }
  Sorting& sorting() override { return cpu::sorting(); }
  Solvers& solvers() override { return cpu::solvers(); }
  Transforms& transforms() override { return transforms_; }

  void copy_to_host(void* to, Buffer& from, std::size_t offset, std::size_t bytes) override {
    copy(to, static_cast<const char*>(from.data()) + offset, bytes);
  }
  void copy_from_host(Buffer& to, std::size_t offset, const void* from,
                      std::size_t bytes) override {
    copy(static_cast<char*>(to.data()) + offset, from, bytes);
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    if (bytes < 2 * chunk) {
      BlockingScope blocking(bytes > chunk / 4);
      if (bytes) std::memcpy(to, from, bytes);
      return;
    }
    parallel_for(
        static_cast<std::int64_t>((bytes + chunk - 1) / chunk), false, [&](std::int64_t i) {
          auto offset = static_cast<std::size_t>(i) * chunk;
          std::memcpy(static_cast<char*>(to) + offset, static_cast<const char*>(from) + offset,
                      std::min(chunk, bytes - offset));
        });
  }

  // A few for each core, unless too much would be computed once more at their ends.
  static std::int64_t pieces_of(const BandedLaunches& launches) {
    constexpr std::int64_t most_each = 4;
    constexpr double most_again = 0.04;
    double work = 0, again = 0;
    for (const BandedLaunch& each : launches.launches) {
      double elements = 1;
      for (auto extent : each.launch.extents) elements *= static_cast<double>(extent);
      const auto cost =
          elements * static_cast<double>(static_cast<const CpuKernel&>(*each.launch.code).work);
      work += cost;
      again +=
          cost * static_cast<double>(each.after - each.before) / static_cast<double>(each.rows);
    }
    const auto rows = launches.end - launches.begin;
    const std::int64_t threads = thread_count();
    auto each = std::min(most_each, rows / (launches.rows * threads));
    if (again > 0) {
      const auto most = most_again * work / (again * static_cast<double>(threads));
      each = std::min(each, static_cast<std::int64_t>(most));
    }
    return std::min(std::max<std::int64_t>(each, 1) * threads, rows);
  }

  static void run_rows(const Launch& launch, const CpuKernel& code) {
    std::int64_t total = 1;
    for (auto extent : launch.extents) total *= extent;
    auto kept = static_cast<std::size_t>(launch.kernel->kept_dims);
    // The dimension to cut: the longest of the kept ones, the outermost if there are several.
    auto longest = std::max_element(launch.extents.begin(),
                                    launch.extents.begin() + static_cast<std::ptrdiff_t>(kept));
    auto dim = static_cast<std::size_t>(longest - launch.extents.begin());
    bool tiled = walks_across(launch);
    if (tiled) dim = kept - 1;
    auto extent = launch.extents[dim];
    if (launch.interruptible) stop_if_interrupted(total * code.work + 1024);
    bool little = total <= serial_work / code.work;
    if (little || (launch.serial && code.ordered) || extent < 2) {
      BlockingScope blocking(!little);
      static const std::int64_t zeros[max_dims] = {};
      LaunchArgs args{launch.pointers.data(), launch.strides.data(), launch.extents.data(), zeros,
                      launch.scalars.data(),  scratch_for(launch)};
      code.entry.run(&args);
      return;
    }
    auto pieces = std::clamp<std::int64_t>(total / piece_elements, 2 * thread_count(), extent);
    auto step = (extent + pieces - 1) / pieces;
    bool along_lanes = dim + 1 == kept && launch.kernel->lanes == kernel::Lanes::kept;
    if (along_lanes) step = (step + 63) / 64 * 64;
    if (tiled) step = std::min(step, tile_lanes);
    pieces = (extent + step - 1) / step;
    parallel_for(pieces, launch.interruptible, [&](std::int64_t i) {
      Piece piece(launch);
      piece.restrict_to(dim, i * step, std::min(step, extent - i * step));
      auto args = piece.args(scratch_for(launch));
      code.entry.run(&args);
    });
  }

  // Few kept elements, long reductions: phase by phase over pieces of the reduced dimensions. The
  // pieces do not depend on the number of cores, so neither do the results.
  static void run_split(const Launch& launch, const CpuKernel& code) {
    auto kept = static_cast<std::size_t>(launch.kernel->kept_dims);
    std::int64_t rows = 1;
    for (std::size_t d = 0; d < kept; ++d) rows *= launch.extents[d];
    std::int64_t total = rows;
    for (auto d = kept; d < launch.extents.size(); ++d) total *= launch.extents[d];
    BlockingScope blocking(total > serial_work / code.work);
    for (std::int64_t row = 0; row < rows; ++row) {
      Piece at_row(launch);
      auto rest = row;
      for (auto d = kept; d-- > 0;) {
        at_row.restrict_to(d, rest % launch.extents[d], 1);
        rest /= launch.extents[d];
      }
      run_split_row(launch, code, at_row, total / rows <= serial_work / code.work);
    }
  }

  // The extent of a long reduction's pieces along its first reduced dimension: a matter of the
  // extents alone, as the pieces show in the roundings of the result.
  static std::int64_t part_extent(const Launch& launch) {
    auto kept = static_cast<std::size_t>(launch.kernel->kept_dims);
    std::int64_t total = 1;
    for (auto d = kept; d < launch.extents.size(); ++d) total *= launch.extents[d];
    const auto extent = launch.extents[kept];
    auto parts = (total + piece_elements - 1) / piece_elements;
    parts = (parts + part_multiple - 1) / part_multiple * part_multiple;
    const auto step = (extent + parts - 1) / parts;
    const bool along_lanes = kept + 1 == launch.extents.size();
    return along_lanes ? (step + 63) / 64 * 64 : step;
  }

  static void run_split_row(const Launch& launch, const CpuKernel& code, const Piece& row,
                            bool little) {
    auto kept = static_cast<std::size_t>(launch.kernel->kept_dims);
    const auto extent = launch.extents[kept];
    const auto step = part_extent(launch);
    const auto pieces = (extent + step - 1) / step;
    auto width = static_cast<std::size_t>(code.accumulators);
    std::vector<Accumulator> done(width);
    std::vector<Accumulator> parts(width * static_cast<std::size_t>(pieces));
    std::atomic<std::int64_t> settled{pieces};  // by which piece
    for (int phase = 0; phase < launch.kernel->phases; ++phase) {
      auto run_part = [&](std::int64_t i) {
        Accumulator* part = &parts[static_cast<std::size_t>(i) * width];
        if (i > settled.load(std::memory_order_relaxed)) {
          part->value[0] = *code.settling ? 0 : 1;  // changes nothing
          part->index = -1;
          return;
        }
        Piece piece = row;
        piece.restrict_to(kept, i * step, std::min(step, extent - i * step));
        auto args = piece.args();
        code.entry.part(&args, phase, done.data(), part);
        if (code.settling && (part->value[0] != 0) == *code.settling) {
          auto before = settled.load(std::memory_order_relaxed);
          while (i < before && !settled.compare_exchange_weak(before, i)) {
          }
        }
      };
      // A first piece that may settle the result is worth waiting for.
      std::int64_t count = pieces;
      if (little) {
        for (std::int64_t i = 0; i < pieces; ++i) run_part(i);
      } else if (pieces == 1 || code.settling) {
        run_part(0);
        if (pieces == 1 || settled == 0) {
          count = 1;
        } else {
          parallel_for(pieces - 1, launch.interruptible, [&](std::int64_t i) { run_part(i + 1); });
        }
      } else {
        parallel_for(pieces, launch.interruptible, run_part);
      }
      for (std::int64_t span = 1; span < count; span *= 2) {
        for (std::int64_t i = 0; i + span < count; i += 2 * span) {
          code.entry.combine(phase, &parts[static_cast<std::size_t>(i) * width],
                             &parts[static_cast<std::size_t>(i + span) * width]);
        }
      }
      // The accumulators of this phase; those of others are not touched by combine.
      std::size_t a = 0;
      for (auto& instr : launch.kernel->instrs) {
        if (!kernel::is_reduction(instr.op)) continue;
        if (instr.phase == phase) done[a] = parts[a];
        ++a;
      }
    }
    auto args = row.args();
    code.entry.finish(&args, done.data());
  }

  HostPool pool_;
  cpu::CpuTransforms transforms_;
};

}  // namespace

Device& cpu_device() {
  static auto* device = new CpuDevice;  // buffers may outlive static destruction
  return *device;
}

}  // namespace heddle
