// Joining arrays, and cutting them into parts.
#include "ops/joining.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle {

namespace {

// Shapes agree but for the extents along an axis.
void check_joinable(const Dims& first, const Dims& other, std::size_t i, std::int64_t axis) {
  if (other.size() != first.size()) {
    throw value_error(fmt::format(
        "all the input arrays must have same number of dimensions, but the array at index 0 has "
        "{} dimension(s) and the array at index {} has {} dimension(s)",
        first.size(), i, other.size()));
  }
  for (std::int64_t d = 0; d < first.size(); ++d) {
    if (d == axis || other[d] == first[d]) continue;
    throw value_error(fmt::format(
        "all the input array dimensions except for the concatenation axis must match exactly, "
        "but along dimension {}, the array at index 0 has size {} and the array at index {} has "
        "size {}",
        d, first[d], i, other[d]));
  }
}

Dtype joined_type(const std::vector<array>& arrays) {
  const Dtype first = arrays[0].dtype();
  if (std::ranges::all_of(arrays, [&](const array& a) { return a.dtype() == first; })) return first;
  const std::vector<Input> inputs(arrays.begin(), arrays.end());
  return common_type(inputs);
}

// Columns after columns stay so.
bool in_columns(const std::vector<array>& arrays) {
  return std::ranges::all_of(arrays, [](const array& a) {
    return is_c_contiguous(a.transpose().layout()) && !is_c_contiguous(a.layout());
  });
}

}  // namespace

Dims joined_shape(const std::vector<array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw value_error("need at least one array to concatenate");
  for (const array& a : arrays) {
    if (a.ndim() == 0) throw value_error("zero-dimensional arrays cannot be concatenated");
  }
  axis = normalize_axis("concatenate", axis, arrays[0].ndim());
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    check_joinable(arrays[0].shape(), arrays[i].shape(), i, axis);
  }
  Dims shape = arrays[0].shape();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    if (__builtin_add_overflow(shape[axis], arrays[i].shape()[axis], &shape[axis])) throw_too_big();
  }
  return shape;
}

void join_into(const array& result, const std::vector<array>& arrays, std::int64_t axis) {
  axis = normalize_axis("concatenate", axis, result.ndim());
  std::int64_t start = 0;
  for (const array& a : arrays) {
    auto stop = start + a.shape()[axis];
    if (stop > start) write(result.slice(axis, Slice{start, stop}), a);
    start = stop;
  }
}

array concatenate(const std::vector<array>& arrays, std::int64_t axis) {
  const Dims shape = joined_shape(arrays, axis);
  axis = normalize_axis("concatenate", axis, shape.size());
  if (in_columns(arrays)) {
    std::vector<array> rows;
    rows.reserve(arrays.size());
    for (const array& a : arrays) rows.push_back(a.transpose());
    return concatenate(rows, arrays[0].ndim() - 1 - axis).transpose();
  }
  array result = empty(shape, joined_type(arrays), arrays[0].device());
  join_into(result, arrays, axis);
  return result;
}

array stack(const std::vector<array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw value_error("need at least one array to stack");
  std::vector<array> widened;
  for (const array& a : arrays) {
    if (a.shape() != arrays[0].shape()) {
      throw value_error("all input arrays must have the same shape");
    }
    widened.push_back(expand_dims(a, axis));
  }
  return concatenate(widened, axis);
}

namespace {

template <class F>
std::vector<array> each(const std::vector<array>& arrays, F f) {
  std::vector<array> made;
  made.reserve(arrays.size());
  for (const array& a : arrays) made.push_back(f(a));
  return made;
}

}  // namespace

array vstack(const std::vector<array>& arrays) { return concatenate(each(arrays, atleast_2d), 0); }

array hstack(const std::vector<array>& arrays) {
  const auto raised = each(arrays, atleast_1d);
  return concatenate(raised, !raised.empty() && raised[0].ndim() == 1 ? 0 : 1);
}

array dstack(const std::vector<array>& arrays) { return concatenate(each(arrays, atleast_3d), 2); }

array column_stack(const std::vector<array>& arrays) {
  return concatenate(
      each(arrays, [](const array& a) { return a.ndim() < 2 ? a.reshape({a.size(), 1}) : a; }), 1);
}

// --- blocks ---

namespace {

struct Depths {
  std::int64_t lists, rank;
};

// The depth of nested lists, which all parts have in common, and the largest rank in them.
Depths depths_of(const Blocks& blocks) {
  if (!blocks.is_list()) return {0, blocks.block().ndim()};
  if (blocks.parts().empty()) throw value_error("block: a list of blocks cannot be empty");
  const Depths first = depths_of(blocks.parts()[0]);
  std::int64_t rank = first.rank;
  for (const Blocks& part : blocks.parts()) {
    const Depths other = depths_of(part);
    if (other.lists != first.lists) throw value_error("List depths are mismatched.");
    rank = std::max(rank, other.rank);
  }
  return {first.lists + 1, rank};
}

// The blocks of a part, with the places where they begin in it.
struct Arranged {
  Dims shape;
  std::vector<std::pair<Dims, array>> blocks;
};

Arranged arranged(const Blocks& blocks, std::int64_t axis, std::int64_t rank) {
  if (!blocks.is_list()) {
    Dims shape = blocks.block().shape();
    while (shape.size() < rank) shape.insert(0, 1);
    return {shape, {{Dims(rank, 0), blocks.block().reshape(shape)}}};
  }
  Arranged whole;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < blocks.parts().size(); ++i) {
    Arranged part = arranged(blocks.parts()[i], axis + 1, rank);
    if (i == 0) whole.shape = part.shape;
    check_joinable(whole.shape, part.shape, i, axis);
    for (auto& [at, block] : part.blocks) {
      at[axis] += start;
      whole.blocks.emplace_back(at, std::move(block));
    }
    start += part.shape[axis];
  }
  whole.shape[axis] = start;
  return whole;
}

}  // namespace

array block(const Blocks& blocks) {
  const Depths depths = depths_of(blocks);
  if (depths.lists == 0) return blocks.block().copy();
  const auto rank = std::max(depths.lists, depths.rank);
  const Arranged whole = arranged(blocks, rank - depths.lists, rank);
  std::vector<array> all;
  for (const auto& [at, part] : whole.blocks) all.push_back(part);
  const bool columns = in_columns(all);
  Dims shape = whole.shape;
  if (columns) std::reverse(shape.begin(), shape.end());
  array result = empty(shape, joined_type(all), all[0].device());
  if (columns) result = result.transpose();
  for (const auto& [at, part] : whole.blocks) {
    if (part.size() == 0) continue;
    array area = result;
    for (std::int64_t d = 0; d < rank; ++d) {
      area = area.slice(d, Slice{at[d], at[d] + part.shape()[d]});
    }
    write(area, part);
  }
  return result;
}

// --- parts ---

namespace {

std::vector<array> cut(const char* op, const array& a, const Sections& where, std::int64_t axis,
                       bool evenly) {
  axis = normalize_axis(op, axis, a.ndim());
  const auto extent = a.shape()[axis];
  Dims bounds{0};
  if (const auto parts = where.parts()) {
    // NumPy finds out by dividing.
    if (evenly && *parts == 0) throw zero_division_error("integer modulo by zero");
    if (*parts <= 0) throw value_error("number sections must be larger than 0.");
    if (evenly && extent % *parts != 0) {
      throw value_error("array split does not result in an equal division");
    }
    for (std::int64_t i = 1; i <= *parts; ++i) {
      bounds.push_back(i * (extent / *parts) + std::min(i, extent % *parts));
    }
  } else {
    for (auto index : where.indices()) bounds.push_back(index);
    bounds.push_back(extent);
  }
  std::vector<array> found;
  for (std::int64_t i = 0; i + 1 < bounds.size(); ++i) {
    found.push_back(a.slice(axis, Slice{bounds[i], bounds[i + 1]}));
  }
  return found;
}

void check_rank(const char* op, const array& a, std::int64_t least) {
  if (a.ndim() >= least) return;
  throw value_error(fmt::format("{} only works on arrays of {} or more dimensions", op, least));
}

}  // namespace

std::vector<array> split(const array& a, const Sections& where, std::int64_t axis) {
  return cut("split", a, where, axis, true);
}

std::vector<array> array_split(const array& a, const Sections& where, std::int64_t axis) {
  return cut("array_split", a, where, axis, false);
}

std::vector<array> hsplit(const array& a, const Sections& where) {
  check_rank("hsplit", a, 1);
  return split(a, where, a.ndim() > 1 ? 1 : 0);
}

std::vector<array> vsplit(const array& a, const Sections& where) {
  check_rank("vsplit", a, 2);
  return split(a, where, 0);
}

std::vector<array> dsplit(const array& a, const Sections& where) {
  check_rank("dsplit", a, 3);
  return split(a, where, 2);
}

std::vector<array> unstack(const array& a, std::int64_t axis) {
  if (a.ndim() == 0) throw value_error("Input array must be at least 1-d.");
  axis = normalize_axis("unstack", axis, a.ndim());
  std::vector<array> found;
  for (std::int64_t i = 0; i < a.shape()[axis]; ++i) {
    found.push_back(squeeze(a.slice(axis, Slice{i, i + 1}), axis));
  }
  return found;
}

}  // namespace heddle
