#include "ops/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dtype.h"
#include "graph/graph.h"
#include "graph/look.h"
#include "graph/make.h"
#include "graph/numbers.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "ops/placement.h"
#include "ops/resolution.h"
#include "runtime/device.h"
#include "runtime/traffic.h"
#include <heddle/errors.h>

namespace heddle {

std::optional<Number> constant(const array& a) {
  if (a.number()) return std::nullopt;
  const Ref<Value> value = a.storage().value();
  if (value->dtype != a.dtype()) return std::nullopt;
  return graph::fill_of(*value);
}

namespace {

// The bytes of an element as an argument of kernels: the parts of a complex number are apart there.
Number number_at(const void* element, Dtype dtype) {
  Number number{dtype, {}};
  copy_element(&number.bits, element, dtype);
  if (dtype == Dtype::complex64) {
    number.bits.word[1] = number.bits.word[0] >> 32;
    number.bits.word[0] &= 0xffffffff;
  }
  return number;
}

}  // namespace

array to_array(const Number& number) {
  ScalarWords element{{number.bits.word[0], number.bits.word[1]}};
  if (number.dtype == Dtype::complex64) element.word[0] |= element.word[1] << 32;
  return array::of_number(element, number.dtype);
}

std::optional<Number> known_number(const array& a) {
  if (const ScalarWords* element = a.number()) return number_at(element, a.dtype());
  if (a.ndim() != 0 || Recorder::current()) return std::nullopt;
  const Ref<Value> held = a.storage().value();
  Value& value = *held;
  // Numbers have no device: they are where new arrays are.
  if (!value.device->host_accessible() || value.device != &default_device()) return std::nullopt;
  if (!value.computed()) return constant(a);
  const auto* elements = static_cast<const char*>(look(value).data());
  return number_at(elements + a.layout().offset * itemsize(a.dtype()), a.dtype());
}

namespace {

// Dimensions in the order in which all operands lie in memory, where they agree on one other than
// C's: the result is then laid out the same way.
std::optional<Dims> shared_order(std::span<const Input> inputs, const Dims& shape) {
  bool c_order = true;
  for (const Input& input : inputs) {
    if (!input.is_scalar() && !is_c_contiguous(input.array_->layout())) c_order = false;
  }
  if (c_order || shape.size() < 2) return std::nullopt;
  // From the innermost dimension to the outermost, which is put in place last, as in NumPy.
  Dims order(shape.size());
  for (std::int64_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
  // Whether every operand that tells wants a inside of b; nothing where none tells.
  auto inside = [&](std::int64_t a, std::int64_t b) -> std::optional<bool> {
    std::optional<bool> told;
    for (const Input& input : inputs) {
      if (input.is_scalar()) continue;
      const Layout& layout = input.array_->layout();
      auto lead = shape.size() - layout.ndim();
      auto stride = [&](std::int64_t d) {
        return d < lead || layout.shape[d - lead] == 1 ? 0 : std::abs(layout.strides[d - lead]);
      };
      auto sa = stride(a), sb = stride(b);
      if (sa == 0 || sb == 0) continue;
      if (sa >= sb) return false;
      told = true;
    }
    return told;
  };
  bool changed = false;
  for (std::int64_t i = 1; i < order.size(); ++i) {
    auto place = i;
    for (auto j = i; j-- > 0;) {
      auto wanted = inside(order[i], order[j]);
      if (!wanted) continue;
      if (!*wanted) break;
      place = j;
    }
    changed |= place != i;
    std::rotate(order.begin() + place, order.begin() + i, order.begin() + i + 1);
  }
  if (!changed) return std::nullopt;
  std::reverse(order.begin(), order.end());
  return order;
}

// Python's number as one of a type.
Number number_of(const Scalar& scalar, Dtype dtype) {
  const auto words = scalar.bits(dtype);
  return {dtype, {{words.word[0], words.word[1]}}};
}

// Of an array its value; how that is read is up to the caller.
Operand make_operand(const Input& input, Dtype scalar_type) {
  if (input.is_scalar()) return graph::number(number_of(*input.scalar_, scalar_type));
  const array& a = *input.array_;
  if (const ScalarWords* element = a.number()) return graph::number(number_at(element, a.dtype()));
  return {a.storage().value(), a.dtype(), {}, {}};
}

Ref<Value> cast_value(Operand operand, Dtype dtype, const Dims& shape, Device& device) {
  return graph::make(Op::cast, dtype, shape, device, std::span(&operand, 1));
}

// The type in which an operation takes an operand.
Dtype operand_type(Op op, std::size_t i, const Input& input, Dtype compute) {
  switch (info(op).takes[i]) {
    case Takes::value:
      return compute;
    case Takes::any_type:
      return input.is_scalar() ? compute : input.array_->dtype();
    case Takes::condition:
      return Dtype::bool_;
    case Takes::address:
      return Dtype::int64;
    case Takes::parameter:
    case Takes::order:
      return linked_operand_type(op, i, compute);
    case Takes::exponent:
      if (input.is_scalar()) return input.scalar_->fits(Dtype::int32) ? Dtype::int32 : Dtype::int64;
      return is_signed(input.array_->dtype()) ? input.array_->dtype() : Dtype::int64;
  }
  return compute;
}

constexpr std::size_t plain_operands = 3;

// The operands of a node while they are made.
class OperandList {
 public:
  OperandList() {}  // NOLINT(modernize-use-equals-default): the union's
  ~OperandList() { std::destroy_n(all_, count_); }
  OperandList(const OperandList&) = delete;
  OperandList& operator=(const OperandList&) = delete;

  template <class Make>
  Operand& add(Make make) {
    return *new (all_ + count_++) Operand(make());
  }
  std::span<Operand> all() { return {all_, count_}; }

 private:
  union {
    Operand all_[max_inputs];
  };
  std::size_t count_ = 0;
};

// Whether the elements lie in memory as C has them, maybe with others in between, and each once:
// what is computed from them lies so, too, whatever other operands do.
bool is_in_order(const Layout& layout) {
  std::int64_t outer = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] == 1) continue;
    const auto stride = std::abs(layout.strides[d]);
    if (layout.shape[d] == 0 || stride == 0 || stride > outer) return false;
    outer = stride;
  }
  return true;
}

// Operands that need neither broadcasting nor casting nor reordering: arrays of one shape whose
// elements are in order, and scalars.
bool is_plain(Op op, std::span<const Input> inputs, Dtype compute) {
  if (inputs.size() > plain_operands) return false;
  const array* first = nullptr;
  const Device* device = nullptr;
  bool ordered = false;
  const Takes* takes = info(op).takes;
  for (const Input& input : inputs) {
    const Takes how = *takes++;
    if (how != Takes::value && how != Takes::condition && how != Takes::any_type) return false;
    if (input.is_scalar()) continue;
    const array& a = *input.array_;
    const Dtype wanted = how == Takes::condition  ? Dtype::bool_
                         : how == Takes::any_type ? a.dtype()
                                                  : compute;
    if (a.dtype() != wanted) return false;
    if (a.number()) continue;
    const Storage& storage = a.storage();
    const Glance value(storage);
    if (value->dtype != wanted || storage.exports.load(std::memory_order_relaxed) != 0) {
      return false;
    }
    ordered = ordered || is_in_order(a.layout());
    if (!first) {
      first = &a;
      device = value->device;
    } else if (value->device != device || a.shape() != first->shape()) {
      return false;
    }
  }
  return ordered;
}

// What most calls are, told at a glance: arrays of one inexact type and shape, whole ones whose
// layouts are one object or views whose elements are in order, and real scalars. All that
// is_plain(), resolve() and shared_order() would find.
struct Familiar {
  bool is = false;  // else it takes a closer look
  Dtype of = Dtype::bool_;
  Dtype result = Dtype::bool_;
};

inline Familiar look_familiar(Op op, std::span<const Input> inputs) {
  if (inputs.size() > plain_operands) return {};
  const Device* device = nullptr;
  const array* like = nullptr;
  const Layout* first = nullptr;
  bool ordered = false;
  for (const Input& input : inputs) {
    if (input.is_scalar()) {
      if (input.scalar_->kind() == Scalar::Kind::complex) return {};
      continue;
    }
    const array& a = *input.array_;
    if (a.number() || a.weak()) return {};
    const Storage& storage = a.storage();
    const Glance value(storage);
    if (value->dtype != a.dtype() || storage.exports.load(std::memory_order_relaxed) != 0) {
      return {};
    }
    const Layout* layout = &a.layout();
    ordered = ordered || layout == &*value->shape.dense() || is_in_order(*layout);
    if (!like) {
      like = &a;
      first = layout;
      device = value->device;
    } else if ((layout != first && layout->shape != first->shape) || a.dtype() != like->dtype() ||
               value->device != device) {
      return {};
    }
  }
  if (!ordered || first->shape.empty()) return {};  // 0-d ones may be numbers
  const EvidentResults& results = evident_results();
  const auto result = results.of[static_cast<int>(op)][static_cast<int>(like->dtype())];
  if (result == EvidentResults::none || !results.whatever_the_values[static_cast<int>(op)]) {
    return {};
  }
  return {true, like->dtype(), static_cast<Dtype>(result)};
}

// Whether a number is finite, infinite or nan is known of integers without a look at them.
std::optional<bool> known_truth(Op op, Dtype compute) {
  const Known known = info(op).of_integers;
  if (known == Known::unknown || is_inexact(compute)) return std::nullopt;
  return known == Known::yes;
}

// The type of an operand of a plain operation.
Dtype plain_type(Op op, std::size_t i, Dtype compute) {
  return info(op).takes[i] == Takes::condition ? Dtype::bool_ : compute;
}

// Whether elements like these, in memory, take less time than recording what is done with them. In
// a graph apart nodes are wanted.
bool are_few(const array& a, Dtype result) {
  const auto size = a.size();
  return size > 1 && size * std::max(itemsize(a.dtype()), itemsize(result)) <= limits().at_once &&
         !Recorder::current() && threads_without_looks.load(std::memory_order_relaxed) == 0 &&
         !counts_traffic() && !Graph::own().apart;
}

// The pending value of an operation on operands of one shape, in the types that it takes them in,
// whose result lies in C's order.
Ref<Value> plain_value(Op op, std::span<const Input> inputs, Dtype compute, Dtype result) {
  graph::Draft node = graph::draft(NodeKind::elementwise);
  node->op = op;
  const array* like = nullptr;
  const Value* whole = nullptr;  // what that is all of
  Device* device = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    void* place = node->operands + i;  // where it stays
    if (inputs[i].has_storage()) {
      const array& a = *inputs[i].array_;
      Ref<Value> value = a.storage().value();
      const bool is_whole = &a.layout() == &*value->shape.dense();
      if (!like) {
        like = &a;
        device = value->device;
        if (is_whole) whole = value.get();
      }
      if (is_whole) {
        new (place) Operand{std::move(value), a.dtype(), {}, {}};
      } else {
        new (place) Operand(graph::reading(std::move(value), a.dtype(), a.shared_layout()));
      }
    } else {
      new (place) Operand(make_operand(inputs[i], plain_type(op, i, compute)));
    }
    ++node->operand_count;
  }
  const std::span operands(node->operands, inputs.size());
  return graph::make(std::move(node), result, whole ? whole->shape : Shape(like->shape()), *device,
                     operands);
}

// The same of few elements that the host sees in memory: computed at once, by the kernel that
// evaluating it would run, as recording it and finding that again takes longer. Null: recorded, as
// are the results of functions that have several, which one call computes.
Ref<Value> plain_value_at_once(Op op, std::span<const Input> inputs, Dtype compute, Dtype result) {
  if (info(op).outputs > 1) return {};
  Ref<Value> held[plain_operands];
  HostOperand operands[plain_operands];
  const array* like = nullptr;
  const Value* whole = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_scalar()) {
      operands[i].number = number_of(*inputs[i].scalar_, plain_type(op, i, compute));
      continue;
    }
    const array& a = *inputs[i].array_;
    if (const ScalarWords* element = a.number()) {
      operands[i].number = number_at(element, a.dtype());
      continue;
    }
    if (!like && !are_few(a, result)) return {};
    like = &a;
    const Layout& layout = a.layout();
    const std::int64_t width = itemsize(a.dtype());
    if (layout.ndim() == 1 ? layout.strides[0] <= 0 : !is_c_contiguous(layout)) return {};
    held[i] = a.storage().value();
    if (!held[i]->computed() || held[i]->device != &cpu_device()) return {};
    if (&layout == &*held[i]->shape.dense()) whole = held[i].get();
    operands[i] = {.number = {a.dtype(), {}},
                   .first = static_cast<char*>(look(*held[i]).data()) + layout.offset * width,
                   .stride = layout.ndim() == 1 ? layout.strides[0] * width : width};
  }
  const std::span all(operands, inputs.size());
  const HostStep* step = known_step(op, result, all);
  if (!step) {
    step = &learn_step(op, result, like->size(), all,
                       [&] { return plain_value(op, inputs, compute, result); });
  }
  return compute_elements(*step, result, whole ? whole->shape : Shape(like->shape()), all);
}

// The common case, and the one where overhead shows.
[[gnu::noinline]] array plain_elementwise(Op op, std::span<const Input> inputs, Dtype compute,
                                          Dtype result) {
  Ref<Value> value = plain_value_at_once(op, inputs, compute, result);
  if (!value) value = plain_value(op, inputs, compute, result);
  // Not in the operand's layout, whose dimensions of extent 1 may have any stride.
  return deferred(std::move(value), false);
}

// The result for few elements in memory of other types than the operation takes: they are converted
// first, and that at once. Nothing where they are not so.
[[gnu::noinline]] std::optional<array> converted_at_once(Op op, std::span<const Input> inputs,
                                                         Dtype compute, Dtype result) {
  if (inputs.size() > plain_operands) return std::nullopt;
  const array* like = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Takes how = info(op).takes[i];
    if (how != Takes::value && how != Takes::condition) return std::nullopt;
    if (!inputs[i].has_storage()) continue;
    const array& a = *inputs[i].array_;
    if (like ? a.shape() != like->shape() : !are_few(a, compute)) return std::nullopt;
    like = &a;
    const Glance value(a.storage());
    if (!value->computed() || value->device != &cpu_device()) return std::nullopt;
  }
  if (!like) return std::nullopt;
  std::optional<array> converted[plain_operands];
  std::vector<Input> all(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_scalar()) continue;
    const array& a = *inputs[i].array_;
    const Dtype wanted = plain_type(op, i, compute);
    if (a.dtype() != wanted) all[i] = Input(converted[i].emplace(cast(a, wanted)));
  }
  if (!is_plain(op, all, compute)) return std::nullopt;
  return plain_elementwise(op, all, compute, result);
}

// Whether all operands are numbers, or arrays of no dimensions that may be known. What is made of
// numbers alone is a node while somebody records.
bool are_numbers(std::span<const Input> inputs) {
  bool any = false;
  for (const Input& input : inputs) {
    if (input.is_scalar()) continue;
    if (input.array_->ndim() != 0) return false;
    any = true;
  }
  return any || !Recorder::current();
}

// Of such operands the result, where every one is known: computed at once, as a kernel for it later
// would cost many times as much.
[[gnu::noinline]] std::optional<array> known_result(Op op, std::span<const Input> inputs,
                                                    Dtype compute, Dtype result) {
  Number numbers[max_inputs];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Dtype wanted = operand_type(op, i, inputs[i], compute);
    if (inputs[i].is_scalar()) {
      numbers[i] = number_of(*inputs[i].scalar_, wanted);
      continue;
    }
    auto known = known_number(*inputs[i].array_);
    if (!known) return std::nullopt;
    numbers[i] = *known;
    if (known->dtype == wanted) continue;
    ScalarWords element;
    compute_number(Op::cast, std::span(&*known, 1), wanted, &element);
    numbers[i] = number_at(&element, wanted);
  }
  ScalarWords element;
  if (auto truth = known_truth(op, compute)) {
    element.word[0] = *truth ? 1 : 0;
  } else {
    compute_number(op, std::span(numbers, inputs.size()), result, &element);
  }
  return array::of_number(element, result);
}

// Operands that are on several devices, all moved to one.
array moved_elementwise(Op op, std::span<const Input> inputs, Dtype compute, Dtype result,
                        Order memory) {
  const char* name = info(op).name;
  Device& device = common_device(name, inputs);
  std::vector<array> moved;
  moved.reserve(inputs.size());
  std::vector<Input> there;
  for (const Input& input : inputs) {
    if (!input.has_storage()) {
      there.push_back(input);
    } else {
      there.emplace_back(moved.emplace_back(on_device(name, *input.array_, device)));
    }
  }
  return elementwise_as(op, there, compute, result, memory);
}

[[gnu::noinline]] array any_elementwise(Op op, std::span<const Input> inputs, Dtype compute,
                                        Dtype result, Order memory) {
  if (on_several_devices(inputs)) return moved_elementwise(op, inputs, compute, result, memory);
  const auto truth = known_truth(op, compute);
  Dims shape;
  bool first = true, exported = false;
  for (const Input& input : inputs) {
    if (input.is_scalar()) continue;
    const array& a = *input.array_;
    exported |= is_exported(a);
    if (first) {
      shape = a.shape();
      first = false;
    } else if (a.shape() != shape) {
      shape = broadcast_shapes(info(op).name, shape, a.shape());
    }
  }
  Device& device = common_device(info(op).name, inputs);
  std::optional<Dims> order;
  if (memory == Order::keep) order = shared_order(inputs, shape);
  Dims space = shape;
  if (order) {
    for (std::int64_t i = 0; i < order->size(); ++i) space[i] = shape[(*order)[i]];
  }

  // An operand's layout over the space.
  auto spread = [&](const array& a) -> SharedLayout {
    if (!order && a.shape() == shape) return a.shared_layout();
    Layout layout = broadcast_layout(info(op).name, a.layout(), shape);
    if (order) layout = permute(layout, *order);
    return layout;
  };

  OperandList operands;
  if (truth) {
    op = Op::cast;
    operands.add([&] { return graph::number({Dtype::bool_, {{*truth ? 1U : 0U, 0}}}); });
  }
  for (std::size_t i = 0; i < inputs.size() && !truth; ++i) {
    const Input& input = inputs[i];
    Dtype wanted = operand_type(op, i, input, compute);
    Operand operand = make_operand(input, wanted);
    if (operand.value) {
      const array& a = *input.array_;
      operand = graph::reading(std::move(operand.value), operand.dtype, spread(a));
      if (operand.dtype != wanted) {
        Operand casted;
        casted.dtype = wanted;
        // Convert before broadcasting: a small operand stays small.
        if (a.shape() == shape || constant(a)) {
          casted.value = cast_value(std::move(operand), wanted, space, device);
        } else {
          array converted = cast(a, wanted);
          casted.value = converted.storage().value();
          casted.layout = spread(converted).ref();
        }
        operand = std::move(casted);
      }
    } else if (operand.dtype != wanted) {
      Operand casted;
      casted.dtype = wanted;
      casted.value = cast_value(std::move(operand), wanted, space, device);
      operand = std::move(casted);
    }
    operands.add([&] { return std::move(operand); });
  }

  Ref<Value> value = graph::make(op, result, space, device, operands.all());
  if (!order) return deferred(std::move(value), exported);
  const Dims& strides = value->shape.dense()->strides;
  Layout layout{shape, Dims(shape.size()), 0};
  for (std::int64_t i = 0; i < order->size(); ++i) layout.strides[(*order)[i]] = strides[i];
  return deferred(std::move(value), std::move(layout), exported);
}

}  // namespace

// Most operations are plain, and what others take need not slow those down.
array elementwise_as(Op op, std::span<const Input> inputs, Dtype compute, Dtype result,
                     Order memory) {
  if (are_numbers(inputs)) {
    if (auto known = known_result(op, inputs, compute, result)) {
      const Recorder* recorder = Recorder::current();
      if (recorder && recorder->hears_numbers()) {
        static_cast<void>(any_elementwise(op, inputs, compute, result, memory));
      }
      return std::move(*known);
    }
  }
  if (!known_truth(op, compute)) {
    if (is_plain(op, inputs, compute)) return plain_elementwise(op, inputs, compute, result);
    if (auto made = converted_at_once(op, inputs, compute, result)) return *std::move(made);
  }
  return any_elementwise(op, inputs, compute, result, memory);
}

namespace {

// What a power is for an exponent with which it is exact: others are no better by other ways.
std::optional<Op> exact_power(Op op, std::span<const Input> inputs, Dtype compute) {
  if (op != Op::power && op != Op::float_power) return std::nullopt;
  if (inputs[0].is_scalar() || !inputs[1].is_scalar() || is_complex(compute)) return std::nullopt;
  const double exponent = inputs[1].scalar_->real();
  if (exponent == 2) return Op::square;
  if (exponent == -1 && is_floating(compute)) return Op::reciprocal;
  return std::nullopt;
}

// What to multiply by instead of dividing by a power of two, which gives the same bits in a
// fraction of the time. Whoever records has the division.
std::optional<Scalar> exact_factor(Op op, std::span<const Input> inputs) {
  if (op != Op::divide || inputs[0].is_scalar() || !inputs[1].is_scalar() ||
      !is_floating(inputs[0].array_->dtype()) || Recorder::current() ||
      !inputs[0].array_->device().host_accessible()) {
    return std::nullopt;
  }
  const Scalar& divisor = *inputs[1].scalar_;
  if (divisor.kind() == Scalar::Kind::complex) return std::nullopt;
  const int most =
      inputs[0].array_->dtype() == Dtype::float16 ? 14 : 64;  // it has the inverse, too
  int exponent = 0;
  const double part = std::frexp(divisor.real(), &exponent);
  if (std::abs(part) != 0.5 || std::abs(exponent - 1) > most) return std::nullopt;
  return Scalar(1 / divisor.real());
}

}  // namespace

array elementwise(Op op, std::span<const Input> inputs, std::optional<Dtype> dtype) {
  if (const auto factor = exact_factor(op, inputs)) {
    const Input product[] = {inputs[0], *factor};
    return elementwise(Op::multiply, product, dtype);
  }
  if (!dtype) {
    const Familiar found = look_familiar(op, inputs);
    if (found.is) return plain_elementwise(op, inputs, found.of, found.result);
  }
  auto types = resolve(op, inputs, dtype);
  op = row_for(op, inputs, dtype);
  if (auto exact = exact_power(op, inputs, types.compute)) {
    op = *exact;
    inputs = inputs.first(1);
  }
  array made = elementwise_as(op, inputs, types.compute, types.result);
  if (made.ndim() == 0 && made.dtype() != Dtype::bool_) {
    const auto is_array = [](const Input& input) { return !input.is_scalar(); };
    made.set_weak(std::ranges::all_of(inputs, &Input::is_weak) &&
                  std::ranges::any_of(inputs, is_array));
  }
  return made;
}

array make_complex(const array& re, const array& im) {
  const Dtype common = promote_types(promote_types(re.dtype(), im.dtype()), Dtype::float32);
  const Dtype part = common == Dtype::float32 ? common : Dtype::float64;
  const Input parts[] = {re, im};
  return elementwise_as(Op::make_complex, parts, part, complex_type(part));
}

array cast(const array& a, Dtype dtype) {
  Input input(a);
  return elementwise_as(Op::cast, std::span(&input, 1), dtype, dtype);
}

array dense(const array& a, Dtype dtype) {
  Input input(a);
  return elementwise_as(Op::cast, std::span(&input, 1), dtype, dtype, Order::c);
}

}  // namespace heddle
