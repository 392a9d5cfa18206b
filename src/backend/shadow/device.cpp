// A device for tests: it computes as the CPU does, but its memory is not the host's, and what a GPU
// would run is made, too. So what may be copied and when, what mixes with what, and what kernels
// for GPUs cannot be made of is tested on machines without a GPU. It is there where the environment
// has HEDDLE_SHADOW_DEVICE, and then the default.
#include "runtime/device.h"

#include <cstdlib>
#include <cstring>

#include "backend/shadow/grids.h"
#include "backend/shadow/transforms.h"
#include "runtime/compaction.h"
#include "runtime/sorting.h"

namespace heddle {

namespace {

class ShadowPool final : public MemoryPool {
 protected:
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
    cpu_device().launch(launch);
  }
  void matmul(const Matmul& product) override { cpu_device().matmul(product); }
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
