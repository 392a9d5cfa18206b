// A device for tests: it computes as the CPU does, but its memory is not the host's, and what a GPU
// would run is made, too. So what may be copied and when, what mixes with what, and what kernels
// for GPUs cannot be made of is tested on machines without a GPU. It is there where the environment
// has HEDDLE_SHADOW_DEVICE, and then the default.
#include "runtime/device.h"

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "backend/shadow/grids.h"
#include "backend/shadow/notes.h"
#include "backend/shadow/transforms.h"
#include "runtime/compaction.h"
#include "runtime/sorting.h"

namespace heddle {

namespace {

class ShadowWork final : public RepeatedWork {
 public:
  ShadowWork(MemoryPool& pool, ShadowNotes notes) : pool_(pool), notes_(std::move(notes)) {}
  ~ShadowWork() override {
    for (const auto& [block, bytes] : notes_.blocks) pool_.release(block, bytes);
  }
  bool is_for_here() const override { return true; }
  void run(std::span<Buffer* const>) override {
    for (const auto& call : notes_.calls) call();
  }

 private:
  MemoryPool& pool_;
  ShadowNotes notes_;
};

// A launch with all that it refers to, but memory.
class OwnLaunch {
 public:
  explicit OwnLaunch(const Launch& launch)
      : launch_(launch),
        pointers_(launch.pointers.begin(), launch.pointers.end()),
        strides_(launch.strides.begin(), launch.strides.end()),
        extents_(launch.extents.begin(), launch.extents.end()),
        scalars_(launch.scalars.begin(), launch.scalars.end()) {}
  Launch get() const {
    Launch made = launch_;
    made.pointers = pointers_;
    made.strides = strides_;
    made.extents = extents_;
    made.scalars = scalars_;
    made.buffers = {};
    return made;
  }

 private:
  Launch launch_;
  std::vector<void*> pointers_;
  std::vector<std::int64_t> strides_, extents_;
  std::vector<kernel::ScalarBits> scalars_;
};

class ShadowPool final : public MemoryPool {
 protected:
  // All work is one stream's: blocks of none are never withheld.
  void* current_stream() override { return this; }
  bool withhold(Block block, std::size_t bytes) override {
    if (!shadow_notes) return false;
    shadow_notes->blocks.emplace_back(block, bytes);
    return true;
  }

  void* system_allocate(std::size_t bytes) override {
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  }
  void system_release(void* pointer, std::size_t) override { std::free(pointer); }
  std::string what() const override { return "shadow memory"; }
};

// Sorts as the CPU does, and has sums at computed places counted, as GPUs do.
class ShadowSorting final : public Sorting {
 public:
  void sort(const Keys& keys) override { cpu().sort(keys); }
  void argsort(const Keys& keys, Buffer& positions) override { cpu().argsort(keys, positions); }
  void select(const Keys& keys, std::span<const std::int64_t> ranks) override {
    cpu().select(keys, ranks);
  }
  void partition(const Keys& keys, std::span<const std::int64_t> ranks) override {
    cpu().partition(keys, ranks);
  }
  void argpartition(const Keys& keys, std::span<const std::int64_t> ranks,
                    Buffer& positions) override {
    cpu().argpartition(keys, ranks, positions);
  }
  void search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
              Buffer& positions) override {
    cpu().search(sorted, values, map, right, positions);
  }
  void count(const Keys& bins, Buffer* weights, Buffer& totals, std::int64_t total_count) override {
    cpu().count(bins, weights, totals, total_count);
  }
  bool counts_sums() const override { return true; }

 private:
  static Sorting& cpu() { return cpu_device().sorting(); }
};

class ShadowDevice final : public Device {
 public:
  std::string name() const override { return "shadow:0"; }
  MemoryPool& pool() override { return pool_; }
  bool host_accessible() const override { return false; }
  Preferences preferences() const override { return {.narrow_integers = true}; }
  void synchronize() override { reports_.check(); }
  Reports* reports() override { return &reports_; }

  std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel) override {
    return cpu_device().compile(kernel);
  }
  void launch(const Launch& launch) override {
    grids_.check(launch);
    if (!shadow_notes) return cpu_device().launch(launch);
    do_or_note([own = OwnLaunch(launch)] { cpu_device().launch(own.get()); });
  }
  void matmul(const Matmul& product) override {
    do_or_note([product] { cpu_device().matmul(product); });
  }
  std::unique_ptr<RepeatedWork> write_down(const std::function<void()>& work,
                                           std::span<Buffer* const>) override {
    if (shadow_notes) return nullptr;
    ShadowNotes made;
    shadow_notes = &made;
    try {
      work();
    } catch (...) {
      shadow_notes = nullptr;
      for (const auto& [block, bytes] : made.blocks) pool_.release(block, bytes);
      throw;
    }
    shadow_notes = nullptr;
    return std::make_unique<ShadowWork>(pool_, std::move(made));
  }
  Sorting& sorting() override { return sorting_; }
  bool chains_scans() const override { return false; }
  bool prefers_narrow_keys() const override { return true; }
  Solvers& solvers() override { return cpu_device().solvers(); }
  Transforms& transforms() override { return transforms_; }

  void copy_to_host(void* to, Buffer& from, std::size_t offset, std::size_t bytes) override {
    cpu_device().copy_to_host(to, from, offset, bytes);
    reports_.check();
  }
  void copy_from_host(Buffer& to, std::size_t offset, const void* from,
                      std::size_t bytes) override {
    cpu_device().copy_from_host(to, offset, from, bytes);
  }

  Compaction& compaction() override { return compaction_; }

 private:
  ShadowPool pool_;
  KernelCompaction compaction_{*this};
  std::int64_t report_words_[Reports::words] = {};
  Reports reports_{report_words_};
  ShadowTransforms transforms_;
  ShadowGrids grids_;
  ShadowSorting sorting_;
};

[[maybe_unused]] const DeviceKind registered([]() -> std::vector<Device*> {
  if (!std::getenv("HEDDLE_SHADOW_DEVICE")) return {};
  static auto* device = new ShadowDevice;  // buffers may outlive static destruction
  return {device};
});

}  // namespace

}  // namespace heddle
