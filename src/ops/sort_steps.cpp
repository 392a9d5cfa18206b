#include "ops/sort_steps.h"

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "runtime/device.h"
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/ufuncs.h>

namespace heddle::steps {

namespace {

struct Ranks final : Parameters {
  explicit Ranks(const Dims& given) : ranks(given) {}
  std::span<const std::int64_t> all() const { return {ranks.begin(), ranks.end()}; }
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(static_cast<std::uint64_t>(ranks.size()));
    for (auto rank : ranks) key.push_back(static_cast<std::uint64_t>(rank));
  }
  Dims ranks;
};

const Ranks& ranks_of(const LibraryCall& call) { return call.node().parameters_as<Ranks>(); }

// An operand as the device takes it, in the memory that has it.
Keys rows_in(Buffer& memory, const LibraryCall& call, int operand) {
  const Dims& shape = call.layout(operand).shape;
  Keys rows;
  rows.buffer = &memory;
  rows.width = itemsize(call.node().operands[operand].dtype);
  rows.length = shape.empty() ? 1 : shape.back();
  rows.rows = size_of(shape) / rows.length;
  return rows;
}
Keys rows_of(const LibraryCall& call, int operand) {
  return rows_in(call.buffer(operand), call, operand);
}

// f(device's routines, keys): the memory of the keys becomes that of the result.
template <class F>
void in_place(const LibraryCall& call, F f) {
  Ref<Buffer> keys = call.take(0);
  f(call.device().sorting(), rows_in(*keys, call, 0));
  call.give(0, std::move(keys));
}

// f(device's routines, keys, positions): the keys are lost.
template <class F>
void to_positions(const LibraryCall& call, F f) {
  const Ref<Buffer> keys = call.take(0);
  f(call.device().sorting(), rows_in(*keys, call, 0), call.make(0));
}

// Takes the keys over, so that the node alone holds them.
array of_keys(graph::Draft node, array keys, Dtype dtype) {
  const Shape shape(keys.shape());
  Device& device = keys.device();
  const bool at_once = is_exported(keys);
  Operand operand = reading(array(std::move(keys)));
  Ref<Value> value = graph::make(std::move(node), dtype, shape, device, std::span(&operand, 1));
  return deferred(std::move(value), at_once);
}

// Rows of keys are sorted one by one in any case: those of a batch are some more.
void batch_keys(graph::Batch& step) {
  const array keys = step.operand(0);
  array dense_keys = dense(keys, keys.dtype());
  step.give(0,
            of_keys(graph::draft_like(step.node()), std::move(dense_keys), step.dtype_of_output()));
}

}  // namespace

// --- of keys ---

namespace {
const Primitive sorting = {
    "sort",
    [](LibraryCall& call) {
      in_place(call, [](Sorting& device, const Keys& keys) { device.sort(keys); });
    },
    nullptr,
    batch_keys,
};
}  // namespace

array sort(array keys) {
  const Dtype dtype = keys.dtype();
  return of_keys(graph::draft(sorting), std::move(keys), dtype);
}

namespace {
const Primitive arg_sorting = {
    "argsort",
    [](LibraryCall& call) {
      to_positions(call, [](Sorting& device, const Keys& keys, Buffer& positions) {
        device.argsort(keys, positions);
      });
    },
    nullptr,
    batch_keys,
};
}  // namespace

array argsort(array keys) {
  return of_keys(graph::draft(arg_sorting), std::move(keys), Dtype::int64);
}

namespace {
const Primitive selection = {
    "select",
    [](LibraryCall& call) {
      in_place(call, [&](Sorting& device, const Keys& keys) {
        device.select(keys, ranks_of(call).all());
      });
    },
    nullptr,
    batch_keys,
};
}  // namespace

array select(array keys, const Dims& ranks) {
  const Dtype dtype = keys.dtype();
  return of_keys(graph::draft(selection, Ranks(ranks)), std::move(keys), dtype);
}

namespace {
const Primitive partitioning = {
    "partition",
    [](LibraryCall& call) {
      in_place(call, [&](Sorting& device, const Keys& keys) {
        device.partition(keys, ranks_of(call).all());
      });
    },
    nullptr,
    batch_keys,
};
}  // namespace

array partition(array keys, const Dims& ranks) {
  const Dtype dtype = keys.dtype();
  return of_keys(graph::draft(partitioning, Ranks(ranks)), std::move(keys), dtype);
}

namespace {
const Primitive arg_partitioning = {
    "argpartition",
    [](LibraryCall& call) {
      to_positions(call, [&](Sorting& device, const Keys& keys, Buffer& positions) {
        device.argpartition(keys, ranks_of(call).all(), positions);
      });
    },
    nullptr,
    batch_keys,
};
}  // namespace

array argpartition(array keys, const Dims& ranks) {
  return of_keys(graph::draft(arg_partitioning, Ranks(ranks)), std::move(keys), Dtype::int64);
}

// --- of elements ---

namespace {

// The axis is counted from the end: batches put axes before the others.
struct ElementParameters final : Parameters {
  ElementParameters(const KeyMap& map, std::int64_t columns_dims, const Dims& ranks)
      : map(map), columns_dims(columns_dims), ranks(ranks) {}
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.insert(key.end(), {map.flip, map.infinity, map.pairs ? std::uint64_t{1} : 0,
                           static_cast<std::uint64_t>(columns_dims)});
    ranks.write_key(key);
  }
  KeyMap map;
  std::int64_t columns_dims;  // dimensions behind the axis
  Ranks ranks;
};

// f(device's routines, elements, ranks, memory of the result)
template <class F>
void of_elements(const LibraryCall& call, F f) {
  const auto& p = call.node().parameters_as<ElementParameters>();
  const Dims& shape = call.layout(0).shape;
  const auto axis = shape.size() - 1 - p.columns_dims;
  Elements elements;
  elements.buffer = &call.buffer(0);
  elements.width = itemsize(call.node().operands[0].dtype);
  elements.map = p.map;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    auto& extent = d < axis ? elements.rows : elements.columns;
    if (d != axis) extent *= shape[d];
  }
  elements.length = shape[axis];
  f(call.device().sorting(), elements, p.ranks.all(), call.make(0));
}

const Primitive element_sorting = {
    "sort",
    [](LibraryCall& call) {
      of_elements(call, [](Sorting& device, const Elements& elements, auto, Buffer& to) {
        device.sort_elements(elements, to);
      });
    },
    nullptr,
    batch_keys,
};
const Primitive element_arg_sorting = {
    "argsort",
    [](LibraryCall& call) {
      of_elements(call, [](Sorting& device, const Elements& elements, auto, Buffer& to) {
        device.argsort_elements(elements, to);
      });
    },
    nullptr,
    batch_keys,
};
const Primitive element_partitioning = {
    "partition",
    [](LibraryCall& call) {
      of_elements(call, [](Sorting& device, const Elements& elements, auto ranks, Buffer& to) {
        device.partition_elements(elements, ranks, to);
      });
    },
    nullptr,
    batch_keys,
};
const Primitive element_arg_partitioning = {
    "argpartition",
    [](LibraryCall& call) {
      of_elements(call, [](Sorting& device, const Elements& elements, auto ranks, Buffer& to) {
        device.argpartition_elements(elements, ranks, to);
      });
    },
    nullptr,
    batch_keys,
};

array along(const Primitive& primitive, const array& a, const KeyMap& map, std::int64_t axis,
            const Dims& ranks, Dtype dtype) {
  Operand operand = reading(a);
  Ref<Value> value =
      graph::make(graph::draft(primitive, ElementParameters(map, a.ndim() - 1 - axis, ranks)),
                  dtype, a.shape(), a.device(), std::span(&operand, 1));
  return deferred(std::move(value), is_exported(a));
}

}  // namespace

array sort_elements(const array& a, const KeyMap& map, std::int64_t axis) {
  return along(element_sorting, a, map, axis, {}, a.dtype());
}

array argsort_elements(const array& a, const KeyMap& map, std::int64_t axis) {
  return along(element_arg_sorting, a, map, axis, {}, Dtype::int64);
}

array partition_elements(const array& a, const KeyMap& map, std::int64_t axis, const Dims& ranks) {
  return along(element_partitioning, a, map, axis, ranks, a.dtype());
}

array argpartition_elements(const array& a, const KeyMap& map, std::int64_t axis,
                            const Dims& ranks) {
  return along(element_arg_partitioning, a, map, axis, ranks, Dtype::int64);
}

namespace {

struct SearchParameters final : Parameters {
  SearchParameters(const KeyMap& map, bool right) : map(map), right(right) {}
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(map.flip);
    key.push_back(map.infinity);
    key.push_back(right ? 1 : 0);
  }
  KeyMap map;
  bool right;
};

// Where each row has ascending elements of its own, all of them are halved together: as many
// passes over the values as a number of elements has bits.
array search_by_halves(const array& sorted, const array& values, bool right) {
  const std::int64_t rows = sorted.shape()[0], count = sorted.shape()[1];
  const array wanted = values.reshape({rows, values.size() / rows});
  const array all = sorted.reshape({sorted.size()});
  const array first = index_along({rows, 1}, 0, sorted.device()) * count;
  array from = full(wanted.shape(), 0, Dtype::int64, sorted.device());
  array to = full(wanted.shape(), count, Dtype::int64, sorted.device());
  for (std::int64_t left = count; left > 0; left /= 2) {
    const array middle = floor_divide(from + to, 2);
    const array there = take(all, first + minimum(middle, count - 1), {}, OutOfRange::clip);
    // What is no number comes last.
    const array before =
        right ? logical_or(there <= wanted, wanted != wanted)
              : logical_or(there < wanted, logical_and(wanted != wanted, there == there));
    const array searched = from < to;
    from = where(logical_and(searched, before), middle + 1, from);
    to = where(logical_and(searched, logical_not(before)), middle, to);
  }
  return from.reshape(values.shape());
}

void batch_search(graph::Batch& step) {
  const auto& p = step.node().parameters_as<SearchParameters>();
  const array values = step.spread(1);
  step.give(0, step.has_rows(0)
                   ? search_by_halves(step.operand(0), values, p.right)
                   : search(step.operand(0), dense(values, values.dtype()), p.map, p.right));
}

const Primitive searching = {
    "searchsorted",
    [](LibraryCall& call) {
      const auto& p = call.node().parameters_as<SearchParameters>();
      call.device().sorting().search(rows_of(call, 0), rows_of(call, 1), p.map, p.right,
                                     call.make(0));
    },
    nullptr,
    batch_search,
};

}  // namespace

array search(const array& row, const array& values, const KeyMap& map, bool right) {
  Operand operands[] = {reading(row), reading(values)};
  Ref<Value> value = graph::make(graph::draft(searching, SearchParameters(map, right)),
                                 Dtype::int64, values.shape(), row.device(), operands);
  return deferred(std::move(value), is_exported(row) || is_exported(values));
}

namespace {
// What a weight adds to is what it gets back.
const graph::Derivative derivative_of_counting = {
    0b01, 0,
    [](graph::Pullback& step) { step.give(1, take(*step.cotangent(0), step.operand(0))); }};

// Each row counts in bins of its own, all of them at once.
void batch_count(graph::Batch& step) {
  const std::int64_t rows = step.rows(), count = step.shape_of_output()[0];
  const array bins = as_type(step.spread(0), Dtype::int64);
  const array first = index_along({rows, 1}, 0, step.device()) * count;
  std::optional<array> weights;
  if (step.operand_count() == 2) {
    weights = dense(step.spread(1).reshape({bins.size()}), Dtype::float64);
  }
  const array moved = dense((bins + first).reshape({bins.size()}), Dtype::int64);
  step.give(0, steps::count(moved, weights, rows * count).reshape({rows, count}));
}

const Primitive counting = {
    "bincount",
    [](LibraryCall& call) {
      Buffer* weights = call.node().operand_count == 2 ? &call.buffer(1) : nullptr;
      call.device().sorting().count(rows_of(call, 0), weights, call.make(0),
                                    call.node().shape()[0]);
    },
    &derivative_of_counting,
    batch_count,
};
}  // namespace

array count(const array& bins, const std::optional<array>& weights, std::int64_t count) {
  Operand operands[] = {reading(bins), weights ? reading(*weights) : Operand{}};
  Ref<Value> value = graph::make(graph::draft(counting), weights ? Dtype::float64 : Dtype::int64,
                                 Dims{count}, bins.device(), std::span(operands, weights ? 2 : 1));
  return deferred(std::move(value), is_exported(bins) || (weights && is_exported(*weights)));
}

}  // namespace heddle::steps
