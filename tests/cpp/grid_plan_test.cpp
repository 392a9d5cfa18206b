// How launches are spread over the threads of a GPU, and what is prebuilt for them. Needs no GPU.
#include "backend/cuda/grid_plan.h"

#include "backend/cuda/search.h"
#include "kernel_harness.h"

namespace heddle::test {
namespace {

using cuda::GridPlan;

// Over dense operands in C order that all begin `shift` bytes after an aligned place.
GridPlan plan(const Kernel& kernel, const std::vector<std::int64_t>& extents,
              std::uintptr_t shift = 0) {
  const cuda::Gpu gpu = cuda::usual_gpu(90);
  const cuda::GridKernel code(kernel, gpu);
  std::vector<void*> pointers(kernel.slots.size(), reinterpret_cast<void*>(4096 + shift));
  std::vector<std::int64_t> strides(kernel.slots.size() * extents.size(), 0);
  for (std::size_t s = 0; s < kernel.slots.size(); ++s) {
    std::int64_t stride = itemsize(kernel.slots[s].dtype);
    for (std::size_t d = extents.size(); d-- > 0;) {
      if (kernel.slots[s].zero_dims >> d & 1) continue;
      strides[s * extents.size() + d] = stride;
      stride *= extents[d];
    }
  }
  heddle::Launch launch;
  launch.kernel = &kernel;
  launch.pointers = pointers;
  launch.strides = strides;
  launch.extents = extents;
  return plan_launch(launch, code);
}

Kernel sum_of_two() {
  KernelBuilder k(1);
  const int sum =
      k.op(Op::add, k.load(k.slot(Dtype::float32, "x")), k.load(k.slot(Dtype::float32, "x")));
  k.store(k.slot(Dtype::float32, "x", Stride::unit, true), sum);
  return k.k;
}

Kernel running_sum(Dtype dtype) {
  KernelBuilder k(1, 1, 1, Lanes::kept);
  k.body();
  const int value = k.load(k.slot(dtype, "xx", Stride::any));
  k.store(k.slot(dtype, "xx", Stride::any, true), k.scan(Op::add, value));
  return k.k;
}

TEST(GridPlan, VectorsWhereAllIsAligned) {
  const Kernel kernel = sum_of_two();
  EXPECT_TRUE(plan(kernel, {1000}).variant.vectors);
  EXPECT_EQ(plan(kernel, {1000}).items, 250);
  EXPECT_FALSE(plan(kernel, {1000}, 4).variant.vectors);
  EXPECT_EQ(plan(kernel, {1000}, 4).items, 1000);
}

TEST(GridPlan, WideCountsDivideIn64Bits) {
  EXPECT_FALSE(plan(sum_of_two(), {1 << 29}).variant.wide);
  EXPECT_TRUE(plan(sum_of_two(), {std::int64_t{1} << 34}).variant.wide);
}

TEST(GridPlan, FewElementsReachManyMultiprocessors) {
  const auto processors = cuda::usual_gpu(90).multiprocessors;
  const GridPlan few = plan(sum_of_two(), {20'000}, 4);
  EXPECT_GE(few.grid_x, processors);
  EXPECT_LT(few.block_x, 256);
  EXPECT_GE(few.grid_x * few.block_x, few.items);
  EXPECT_EQ(plan(sum_of_two(), {10}, 4).block_x, 32);
  EXPECT_EQ(plan(sum_of_two(), {1'000'000}, 4).block_x, 256);
}

TEST(GridPlan, FewColumnsLeaveNoThreadsIdle) {
  KernelBuilder k(1, 1, 1, Lanes::kept);
  k.body();
  const int sum = k.reduce(Op::add, k.load(k.slot(Dtype::float64, "xx")));
  k.row().store(k.slot(Dtype::float64, "x.", Stride::unit, true), sum);
  const GridPlan columns = plan(k.k, {16, 250'000});
  EXPECT_EQ(columns.variant.team, kernel::Team::column);
  EXPECT_EQ(columns.block_x * columns.block_y, 256);
  EXPECT_LE(columns.block_x, 16);
  EXPECT_TRUE(columns.variant.split);
  EXPECT_LE(columns.grid_y, 1000);
}

TEST(GridPlan, LongScansHaveABlockForEveryTile) {
  const GridPlan one = plan(running_sum(Dtype::float32), {1, 1'000'000});
  EXPECT_TRUE(one.variant.split);
  EXPECT_EQ(one.variant.scans, 16);
  EXPECT_EQ(one.variant.dense_slots, 3u);
  EXPECT_EQ(one.tiles, (1'000'000 + 4095) / 4096);
  EXPECT_EQ(one.grid_x, one.tiles);
  const GridPlan few = plan(running_sum(Dtype::float64), {10, 100'000});
  EXPECT_EQ(few.variant.scans, 8);
  EXPECT_EQ(few.grid_x, 10 * few.tiles);
}

TEST(GridPlan, ScansOfManyRowsAreNotSplit) {
  const GridPlan many = plan(running_sum(Dtype::float32), {1000, 100'000});
  EXPECT_FALSE(many.variant.split);
  EXPECT_EQ(many.grid_x, 1000);
  const GridPlan small = plan(running_sum(Dtype::float32), {3, 1500});
  EXPECT_FALSE(small.variant.split);
  EXPECT_EQ(small.variant.scans, 4);
}

TEST(GridPlan, ScansReadGroupsWhereRowsAreAligned) {
  EXPECT_EQ(plan(running_sum(Dtype::float32), {2, 100'000}).variant.dense_slots, 3u);
  EXPECT_EQ(plan(running_sum(Dtype::float32), {2, 100'001}).variant.dense_slots, 0u);
  EXPECT_EQ(plan(running_sum(Dtype::float32), {1, 100'001}).variant.dense_slots, 3u);
  EXPECT_EQ(plan(running_sum(Dtype::float32), {1, 100'001}, 8).variant.dense_slots, 0u);
  EXPECT_EQ(plan(running_sum(Dtype::uint8), {1, 100'001}, 4).variant.dense_slots, 3u);
}

// A large result is written past the caches of a CPU: nothing to a GPU.
TEST(GridPlan, PrebuiltKernelsServeResultsOfEverySize) {
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "there is no libdevice";
  Kernel kernel = sum_of_two();
  const auto small = cuda::prebuild(kernel, {.vectors = true}, 90);
  if (!small) GTEST_SKIP() << "there is no nvJitLink";
  kernel.slots.back().streamed = true;
  const auto large = cuda::prebuild(kernel, {.vectors = true}, 90);
  EXPECT_EQ(small->key, large->key);
  EXPECT_EQ(small->cubin, large->cubin);
  EXPECT_NE(cuda::prebuild(kernel, {}, 90)->key, small->key);
  EXPECT_NE(cuda::prebuild(kernel, {.vectors = true}, 80)->key, small->key);
}

}  // namespace
}  // namespace heddle::test
