#include "runtime/compaction.h"

#include <array>

#include "runtime/kernel_cache.h"

namespace heddle {
namespace {

using kernel::Kernel;
using kernel::Level;
using kernel::Stride;

// counts[i] = how many of mask[0..i] are true
Kernel count_kernel(Dtype count) {
  Kernel k;
  k.reduced_dims = 1;
  k.phases = 1;
  // The one kept dimension has extent 1.
  k.slots = {{.dtype = Dtype::bool_, .lane = Stride::zero, .zero_dims = 1},
             {.dtype = count, .written = true, .lane = Stride::zero, .zero_dims = 1}};
  k.instrs = {
      {.op = Op::load, .dtype = Dtype::bool_, .level = Level::body, .slot = 0},
      {.op = Op::cast,
       .dtype = count,
       .level = Level::body,
       .args = {0, kernel::no_arg, kernel::no_arg}},
      {.op = Op::scan,
       .dtype = count,
       .level = Level::body,
       .combine = Op::add,
       .args = {1, kernel::no_arg, kernel::no_arg}},
      {.op = Op::store,
       .dtype = count,
       .level = Level::body,
       .slot = 1,
       .args = {2, kernel::no_arg, kernel::no_arg}},
  };
  return k;
}

// where mask[i]: offsets[counts[i] - 1] = i
Kernel place_kernel(Dtype count) {
  constexpr auto none = kernel::no_arg;
  Kernel k;
  k.scalars = 1;
  k.slots = {{.dtype = Dtype::bool_, .lane = Stride::unit},
             {.dtype = count, .lane = Stride::unit},
             {.dtype = Dtype::int64, .written = true, .lane = Stride::zero, .zero_dims = 1}};
  k.instrs = {
      {.op = Op::load, .dtype = Dtype::bool_, .slot = 0},
      {.op = Op::load, .dtype = count, .slot = 1},
      {.op = Op::cast, .dtype = Dtype::int64, .args = {1, none, none}},
      {.op = Op::scalar, .dtype = Dtype::int64, .level = Level::uniform, .slot = 0},
      {.op = Op::subtract, .dtype = Dtype::int64, .args = {2, 3, none}},
      {.op = Op::index, .dtype = Dtype::int64, .slot = 0},
      {.op = Op::store, .dtype = Dtype::int64, .slot = 2, .args = {5, 4, 0}},
  };
  return k;
}

void launch(Device& device, const Kernel& kernel, std::span<Buffer* const> buffers,
            std::span<const std::int64_t> strides, std::span<const std::int64_t> extents,
            std::span<const kernel::ScalarBits> scalars) {
  const FoundKernel found = find_kernel(device, kernel);
  std::array<void*, 4> pointers{};
  for (std::size_t i = 0; i < buffers.size(); ++i) pointers[i] = buffers[i]->data();
  Launch launch;
  launch.kernel = found.kernel;
  launch.code = found.code;
  launch.pointers = std::span<void* const>(pointers.data(), buffers.size());
  launch.strides = strides;
  launch.extents = extents;
  launch.scalars = scalars;
  launch.buffers = buffers;
  launch.interruptible = false;
  device.launch(launch);
}

}  // namespace

Ref<Buffer> nonzero_by_counting(Device& device, Buffer& mask, std::int64_t size) {
  if (size == 0) return Buffer::allocate(device, 0);
  const bool narrow = size < std::int64_t{1} << 31;
  const Dtype count = narrow ? Dtype::int32 : Dtype::int64;
  const std::int64_t width = itemsize(count);
  auto counts = Buffer::allocate(device, static_cast<std::size_t>(size * width));
  Buffer* counted[] = {&mask, counts.get()};
  const std::int64_t count_strides[] = {0, 1, 0, width};
  const std::int64_t count_extents[] = {1, size};
  launch(device, count_kernel(count), counted, count_strides, count_extents, {});

  std::int64_t found = 0;  // little endian: also of 32 bits
  device.copy_to_host(&found, *counts, static_cast<std::size_t>((size - 1) * width),
                      static_cast<std::size_t>(width));
  auto offsets = Buffer::allocate(device, static_cast<std::size_t>(found) * sizeof(std::int64_t));
  if (found == 0) return offsets;
  Buffer* placed[] = {&mask, counts.get(), offsets.get()};
  const std::int64_t place_strides[] = {1, width, 0};
  const kernel::ScalarBits one{{1, 0}};
  launch(device, place_kernel(count), placed, place_strides, std::span(&size, 1),
         std::span(&one, 1));
  return offsets;
}

}  // namespace heddle
