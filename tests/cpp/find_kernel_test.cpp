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

struct NoCode final : CompiledKernel {};

// Compiles nothing, and waits with it until it may.
class SlowDevice final : public Device {
 public:
  std::string name() const override { return "slow"; }
  MemoryPool& pool() override { return cpu_device().pool(); }
  bool host_accessible() const override { return true; }
  void launch(const heddle::Launch&) override {}
  void synchronize() override {}
  void copy_to_host(void*, Buffer&, std::size_t, std::size_t) override {}
  void copy_from_host(Buffer&, std::size_t, const void*, std::size_t) override {}
  Compaction& compaction() override { return cpu_device().compaction(); }
  void matmul(const Matmul&) override {}

  const CompiledKernel* compile(const Kernel&) override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0; });
    --allowed_;
    if (failing_ > 0) {
      --failing_;
      throw std::runtime_error("no");
    }
    return new NoCode;
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
