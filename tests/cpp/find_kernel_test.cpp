// The kernels of the process, looked up and compiled by several threads at once.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_harness.h"
#include "runtime/kernel_cache.h"

namespace heddle::test {
namespace {

// Runs nothing.
class IdleDevice : public Device {
 public:
  MemoryPool& pool() override { return cpu_device().pool(); }
  bool host_accessible() const override { return true; }
  void launch(const heddle::Launch&) override {}
  void synchronize() override {}
  void copy_to_host(void*, Buffer&, std::size_t, std::size_t) override {}
  void copy_from_host(Buffer&, std::size_t, const void*, std::size_t) override {}
  Compaction& compaction() override { return cpu_device().compaction(); }
  void matmul(const Matmul&) override {}
};

struct NoCode final : CompiledKernel {};

// Compiles nothing, and waits with it until it may.
class SlowDevice final : public IdleDevice {
 public:
  std::string name() const override { return "slow"; }

  std::unique_ptr<const CompiledKernel> compile(const Kernel&) override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0; });
    --allowed_;
    if (failing_ > 0) {
      --failing_;
      throw std::runtime_error("no");
    }
    return std::make_unique<NoCode>();
  }

  void allow(int compilations) {
    std::lock_guard lock(mutex_);
    allowed_ += compilations;
    changed_.notify_all();
  }
  void fail(int compilations) {
    std::lock_guard lock(mutex_);
    failing_ = compilations;
  }
  void wait_for_begun(int compilations) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= compilations; });
  }
  int begun() {
    std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, allowed_ = 0, failing_ = 0;
};

// Devices are part of the cache's keys for ever.
SlowDevice& new_device() { return *new SlowDevice; }

Kernel kernel_of(Dtype dtype) {
  KernelBuilder b(1);
  const int x = b.load(b.slot(dtype, "x"));
  b.store(b.slot(dtype, "x", Stride::unit, true), b.op(Op::negative, x));
  return b.k;
}

TEST(FindKernel, CompilesWhatSeveralThreadsWantOnce) {
  SlowDevice& device = new_device();
  const Kernel kernel = kernel_of(Dtype::float32);
  std::vector<const CompiledKernel*> found(4);
  std::vector<std::thread> threads;
  for (auto& code : found) {
    threads.emplace_back([&] { code = find_kernel(device, kernel).code; });
  }
  device.wait_for_begun(1);
  device.allow(1);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(device.begun(), 1);
  for (const auto* code : found) EXPECT_EQ(code, found[0]);
}

TEST(FindKernel, DoesNotWaitForOtherCompilations) {
  SlowDevice& device = new_device();
  const Kernel known = kernel_of(Dtype::float32);
  device.allow(1);
  const auto* code = find_kernel(device, known).code;
  std::thread slow([&] { find_kernel(device, kernel_of(Dtype::float64)); });
  device.wait_for_begun(2);
  EXPECT_EQ(find_kernel(device, known).code, code);
  // Nor does another one that has to be compiled.
  std::thread slow_too([&] { find_kernel(device, kernel_of(Dtype::int32)); });
  device.wait_for_begun(3);
  device.allow(2);
  slow.join();
  slow_too.join();
}

TEST(FindKernel, WhoWaitedForAFailureTriesAgain) {
  SlowDevice& device = new_device();
  const Kernel kernel = kernel_of(Dtype::float32);
  std::atomic<int> failures{0}, successes{0};
  device.fail(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      try {
        find_kernel(device, kernel);
        ++successes;
      } catch (const std::runtime_error&) {
        ++failures;
      }
    });
  }
  device.wait_for_begun(1);
  device.allow(2);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(device.begun(), 2);
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(successes, 2);
}

// Compiles nothing, and counts what is there.
class CountingDevice final : public IdleDevice {
 public:
  struct Counted final : CompiledKernel {
    explicit Counted(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
    ~Counted() override { --alive_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    std::atomic<int>& alive_;
  };
  std::string name() const override { return "counting"; }
  bool drops_kernels() const override { return true; }
  std::unique_ptr<const CompiledKernel> compile(const Kernel&) override {
    ++compiled;
    return std::make_unique<Counted>(alive);
  }
  std::atomic<int> alive{0};
  int compiled = 0;
};

// Negates once for every bit that is set, else squares.
Kernel kernel_number(int number) {
  KernelBuilder b(1);
  int x = b.load(b.slot(Dtype::float32, "x"));
  for (int bit = 0; bit < 16; ++bit) x = b.op(number >> bit & 1 ? Op::negative : Op::square, x);
  b.store(b.slot(Dtype::float32, "x", Stride::unit, true), x);
  return b.k;
}

TEST(FindKernel, DropsWhatNobodyHolds) {
  static auto& device = *new CountingDevice;  // kernels may outlive the test
  const int most = static_cast<int>(most_kernels), all = 3 * most;
  std::vector<FoundKernel> held;
  for (int number = 0; number < all; ++number) {
    FoundKernel found = find_kernel(device, kernel_number(number));
    if (number % 100 == 0) held.push_back(std::move(found));
    find_kernel(device, kernel_number(7));  // used again and again
  }
  EXPECT_EQ(device.compiled, all);
  EXPECT_LE(device.alive, most + static_cast<int>(held.size()));
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Kernel kernel = kernel_number(static_cast<int>(i) * 100);
    EXPECT_TRUE(*held[i].kernel == kernel);
    EXPECT_EQ(find_kernel(device, kernel).code, held[i].code);
  }
  EXPECT_EQ(device.compiled, all);
  // The first ones are made again, and are there.
  EXPECT_NE(find_kernel(device, kernel_number(1)).code, nullptr);
  EXPECT_EQ(device.compiled, all + 1);
}

TEST(FindKernel, CodeOfTheCpuOutlivesItsPlaceInTheCache) {
  const Kernel kernel = kernel_number(12345);
  const FoundKernel held = find_kernel(cpu_device(), kernel);
  auto& other = *new CountingDevice;
  for (int number = 0; number < 2 * static_cast<int>(most_kernels); ++number) {
    find_kernel(other, kernel_number(number));
  }
  float x = 1.5F, y = 0;
  void* pointers[] = {&x, &y};
  const std::int64_t strides[] = {4, 4}, extents[] = {1};
  heddle::Launch launch;
  launch.kernel = held.kernel;
  launch.code = held.code;
  launch.pointers = pointers;
  launch.strides = strides;
  launch.extents = extents;
  cpu_device().launch(launch);
  EXPECT_NE(y, 0);
  EXPECT_EQ(find_kernel(cpu_device(), kernel).code, held.code);
}

TEST(FindKernel, AChildMadeByForkCompilesWhatWasBeingCompiled) {
  SlowDevice& device = new_device();
  const Kernel kernel = kernel_of(Dtype::float32);
  std::thread slow([&] { find_kernel(device, kernel); });
  device.wait_for_begun(1);
  const pid_t child = fork();
  if (child == 0) {
    ::alarm(20);  // waiting for ever is what must not be
    device.allow(2);
    ::_exit(find_kernel(device, kernel).code ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  device.allow(1);
  slow.join();
}

}  // namespace
}  // namespace heddle::test
