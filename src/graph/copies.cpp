#include "graph/copies.h"

#include <optional>
#include <vector>

#include "core/dtype.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

namespace {

using kernel::Kernel;
using kernel::Level;
using kernel::Stride;

Kernel copy_kernel(Dtype dtype, std::uint8_t dims, bool unit) {
  Kernel k;
  k.kept_dims = dims;
  const Stride lane = unit ? Stride::unit : Stride::any;
  k.slots = {{.dtype = dtype, .lane = lane}, {.dtype = dtype, .written = true, .lane = lane}};
  k.instrs = {{.op = Op::load, .dtype = dtype, .level = Level::row, .slot = 0},
              {.op = Op::store, .dtype = dtype, .level = Level::row, .slot = 1, .args = {0}}};
  return k;
}

// Dimensions that follow one another in memory as one, and those of a single element left out.
Layout joined(const Layout& layout) {
  Layout made{{}, {}, layout.offset};
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    const auto extent = layout.shape[d], stride = layout.strides[d];
    if (extent == 1) continue;
    if (!made.shape.empty() && made.strides.back() == stride * extent) {
      made.shape.back() *= extent;
      made.strides.back() = stride;
    } else {
      made.shape.push_back(extent);
      made.strides.push_back(stride);
    }
  }
  if (made.shape.empty()) made = {{1}, {1}, layout.offset};
  return made;
}

FoundKernel find_copy(Device& device, Dtype dtype, const Layout& walk) {
  const auto dims = static_cast<std::uint8_t>(walk.ndim());
  return find_kernel(device,
                     copy_kernel(type_of_width(itemsize(dtype)), dims, walk.strides.back() == 1));
}

// The layout is joined.
void copy_elements(Buffer& from, Buffer& to, Dtype dtype, const Layout& walk,
                   const FoundKernel& found) {
  Device& device = from.device();
  const auto width = itemsize(dtype);
  Dims strides;
  for (int slot = 0; slot < 2; ++slot) {
    for (auto stride : walk.strides) strides.push_back(stride * width);
  }
  const auto offset = walk.offset * width;
  void* const pointers[] = {static_cast<char*>(from.data()) + offset,
                            static_cast<char*>(to.data()) + offset};
  Buffer* const buffers[] = {&from, &to};
  Launch launch;
  launch.kernel = found.kernel;
  launch.code = found.code;
  launch.pointers = pointers;
  launch.strides = {strides.data(), static_cast<std::size_t>(strides.size())};
  launch.extents = {walk.shape.data(), static_cast<std::size_t>(walk.shape.size())};
  launch.buffers = buffers;
  device.launch(launch);
}

// The part of a dense array that a layout is, as the first and the number of elements along each
// dimension; nothing for layouts that are no such box.
struct DenseBox {
  Dims first, count;
};
std::optional<DenseBox> box_of(const Layout& part, const Dims& shape) {
  const Dims strides = contiguous_strides(shape);
  DenseBox box{Dims(shape.size()), Dims(shape.size(), 1)};
  auto rest = part.offset;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    box.first[d] = rest / strides[d];
    rest %= strides[d];
  }
  for (std::int64_t p = 0; p < part.ndim(); ++p) {
    if (part.shape[p] == 1) continue;
    std::int64_t d = 0;
    while (d < shape.size() &&
           (shape[d] == 1 || strides[d] != part.strides[p] || box.count[d] != 1)) {
      ++d;
    }
    if (d == shape.size() || box.first[d] + part.shape[p] > shape[d]) return std::nullopt;
    box.count[d] = part.shape[p];
  }
  return box;
}

// What the update writes whatever the elements are, if that is a box.
std::optional<DenseBox> written_box(const Node& update) {
  const bool plain = !update.masked && !update.accumulates && update.params.empty() &&
                     update.target_dtype == update.dtype();
  return plain ? box_of(*update.target, update.shape()) : std::nullopt;
}

}  // namespace

void copy_all(Buffer& from, Buffer& to) {
  const auto bytes = static_cast<std::int64_t>(std::min(from.bytes(), to.bytes()));
  if (bytes == 0) return;
  const Layout all = joined(contiguous_layout({bytes}));
  copy_elements(from, to, Dtype::uint8, all, find_copy(from.device(), Dtype::uint8, all));
}

std::uint64_t bytes_to_copy(const Node& update) {
  const auto box = written_box(update);
  const auto changed = box ? size_of(box->count) : 0;
  return static_cast<std::uint64_t>((update.output().size() - changed) * itemsize(update.dtype()));
}

Rest rest_of(const Node& update) {
  const Dims& shape = update.shape();
  const auto box = written_box(update);
  Rest rest;
  rest.dtype = update.dtype();
  if (!box) {
    if (size_of(shape) > 0) rest.parts.push_back(joined(contiguous_layout(shape)));
    return rest;
  }
  // In front of the box along the first dimension, behind it, and then the same of what is left.
  Layout left = contiguous_layout(shape);
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    const auto first = box->first[d], end = first + box->count[d];
    Layout before = left, behind = left;
    before.shape[d] = first;
    behind.shape[d] = shape[d] - end;
    behind.offset += end * left.strides[d];
    for (Layout* part : {&before, &behind}) {
      if (size_of(part->shape) > 0) rest.parts.push_back(joined(*part));
    }
    left.offset += first * left.strides[d];
    left.shape[d] = box->count[d];
  }
  return rest;
}

void copy_rest(const Rest& rest, Buffer& from, Buffer& to) {
  for (std::size_t i = 0; i < rest.parts.size(); ++i) {
    const Layout& part = rest.parts[i];
    copy_elements(from, to, rest.dtype, part,
                  rest.found.empty() ? find_copy(from.device(), rest.dtype, part) : rest.found[i]);
  }
}

void find_kernels(Rest& rest, Device& device) {
  for (const Layout& part : rest.parts) rest.found.push_back(find_copy(device, rest.dtype, part));
}

}  // namespace heddle::graph
