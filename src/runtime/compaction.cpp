#include "runtime/compaction.h"

#include <array>

#include "core/dtype.h"
#include "runtime/kernel_cache.h"

namespace heddle {
namespace {

using kernel::Kernel;
using kernel::Level;
using kernel::Stride;

constexpr auto none = kernel::no_arg;

// How many of mask[...] are true
Kernel count_kernel(Dtype count) {
  Kernel k;
  k.reduced_dims = 1;
  k.phases = 1;
  k.lanes = kernel::Lanes::reduced;
  // The one kept dimension has extent 1.
  k.slots = {{.dtype = Dtype::bool_, .lane = Stride::unit, .zero_dims = 1},
             {.dtype = count, .written = true, .lane = Stride::zero, .zero_dims = 3}};
  k.instrs = {
      {.op = Op::load, .dtype = Dtype::bool_, .level = Level::body, .slot = 0},
      {.op = Op::cast, .dtype = count, .level = Level::body, .args = {0, none, none}},
      {.op = Op::reduce,
       .dtype = count,
       .level = Level::row,
       .combine = Op::add,
       .args = {1, none, none}},
      {.op = Op::store, .dtype = count, .level = Level::row, .slot = 1, .args = {2, none, none}},
  };
  return k;
}

// where mask[i]: out[how many of mask[0..i] are true - 1] = value of i, by the last instructions
Kernel place_kernel(Dtype count, Dtype result) {
  Kernel k;
  k.reduced_dims = 1;
  k.phases = 1;
  k.scalars = 1;
  k.slots = {{.dtype = Dtype::bool_, .lane = Stride::zero, .zero_dims = 1},
             {.dtype = result, .written = true, .lane = Stride::zero, .zero_dims = 3}};
  k.instrs = {
      {.op = Op::load, .dtype = Dtype::bool_, .level = Level::body, .slot = 0},
      {.op = Op::cast, .dtype = count, .level = Level::body, .args = {0, none, none}},
      {.op = Op::scan,
       .dtype = count,
       .level = Level::body,
       .combine = Op::add,
       .args = {1, none, none}},
      {.op = Op::cast, .dtype = Dtype::int64, .level = Level::body, .args = {2, none, none}},
      {.op = Op::scalar, .dtype = Dtype::int64, .level = Level::uniform, .slot = 0},
      {.op = Op::subtract, .dtype = Dtype::int64, .level = Level::body, .args = {3, 4, none}},
  };
  return k;
}

Kernel nonzero_kernel(Dtype count) {
  Kernel k = place_kernel(count, Dtype::int64);
  k.instrs.push_back({.op = Op::index, .dtype = Dtype::int64, .level = Level::body, .slot = 1});
  k.instrs.push_back(
      {.op = Op::store, .dtype = Dtype::int64, .level = Level::body, .slot = 1, .args = {6, 5, 0}});
  return k;
}

Kernel select_kernel(Dtype count, Dtype dtype) {
  Kernel k = place_kernel(count, dtype);
  k.slots.push_back({.dtype = dtype, .lane = Stride::zero, .zero_dims = 1});
  k.instrs.push_back({.op = Op::load, .dtype = dtype, .level = Level::body, .slot = 2});
  k.instrs.push_back(
      {.op = Op::store, .dtype = dtype, .level = Level::body, .slot = 1, .args = {6, 5, 0}});
  return k;
}

// out[i] = values[how many of mask[0..i] are true - 1], or the first one before there are any
Kernel expand_kernel(Dtype count, Dtype dtype) {
  Kernel k = place_kernel(count, dtype);
  k.scalars = 2;
  k.slots[1] = {.dtype = dtype, .written = true, .lane = Stride::zero, .zero_dims = 1};
  k.slots.push_back({.dtype = dtype, .lane = Stride::zero, .zero_dims = 3});
  k.instrs.push_back({.op = Op::scalar, .dtype = Dtype::int64, .level = Level::uniform, .slot = 1});
  k.instrs.push_back(
      {.op = Op::maximum, .dtype = Dtype::int64, .level = Level::body, .args = {5, 6, none}});
  k.instrs.push_back(
      {.op = Op::load, .dtype = dtype, .level = Level::body, .slot = 2, .args = {7, none, none}});
  k.instrs.push_back(
      {.op = Op::store, .dtype = dtype, .level = Level::body, .slot = 1, .args = {8, none, none}});
  return k;
}

// Over [1, size]; `strides` are those along the elements.
void launch(Device& device, const Kernel& kernel, std::span<const Run> runs,
            std::span<const std::int64_t> strides, std::int64_t size) {
  constexpr std::size_t most = 3;
  const FoundKernel found = find_kernel(device, kernel);
  std::array<void*, most> pointers{};
  std::array<Buffer*, most> buffers{};
  std::array<std::int64_t, 2 * most> both{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pointers[i] = runs[i].data();
    buffers[i] = runs[i].buffer;
    both[2 * i + 1] = strides[i];
  }
  const std::int64_t extents[] = {1, size};
  const kernel::ScalarBits numbers[] = {{{1, 0}}, {{0, 0}}};
  Launch launch;
  launch.kernel = found.kernel;
  launch.code = found.code;
  launch.pointers = std::span<void* const>(pointers.data(), runs.size());
  launch.strides = std::span(both.data(), 2 * runs.size());
  launch.extents = extents;
  launch.scalars = std::span(numbers, kernel.scalars);
  launch.buffers = std::span<Buffer* const>(buffers.data(), runs.size());
  launch.interruptible = false;
  device.launch(launch);
}

Dtype count_type(std::int64_t size) {
  return size < std::int64_t{1} << 31 ? Dtype::int32 : Dtype::int64;
}

std::int64_t count(Device& device, const Run& mask, std::int64_t size) {
  const Dtype dtype = count_type(size);
  auto total = Buffer::allocate(device, sizeof(std::int64_t));
  const Run runs[] = {mask, {total.get()}};
  const std::int64_t strides[] = {1, 0};
  launch(device, count_kernel(dtype), runs, strides, size);
  std::int64_t found = 0;  // little endian: also of 32 bits
  device.copy_to_host(&found, *total, 0, static_cast<std::size_t>(itemsize(dtype)));
  return found;
}

}  // namespace

Ref<Buffer> KernelCompaction::nonzero(const Run& mask, std::int64_t size) {
  const std::int64_t found = size == 0 ? 0 : count(device_, mask, size);
  auto offsets = Buffer::allocate(device_, static_cast<std::size_t>(found) * sizeof(std::int64_t));
  if (found == 0) return offsets;
  const Run runs[] = {mask, {offsets.get()}};
  const std::int64_t strides[] = {1, 0};
  launch(device_, nonzero_kernel(count_type(size)), runs, strides, size);
  return offsets;
}

Ref<Buffer> KernelCompaction::select(const Run& mask, const Run& values, int width,
                                     std::int64_t size) {
  const std::int64_t found = size == 0 ? 0 : count(device_, mask, size);
  auto selected = Buffer::allocate(device_, static_cast<std::size_t>(found * width));
  if (found == 0) return selected;
  const Run runs[] = {mask, {selected.get()}, values};
  const std::int64_t strides[] = {1, 0, width};
  launch(device_, select_kernel(count_type(size), type_of_width(width)), runs, strides, size);
  return selected;
}

Ref<Buffer> KernelCompaction::expand(const Run& mask, const Run& values, int width,
                                     std::int64_t size) {
  auto expanded = Buffer::allocate(device_, static_cast<std::size_t>(size * width));
  const Run runs[] = {mask, {expanded.get()}, values};
  const std::int64_t strides[] = {1, width, 0};
  launch(device_, expand_kernel(count_type(size), type_of_width(width)), runs, strides, size);
  return expanded;
}

}  // namespace heddle
