// The way back along a trail: steps from the last to the first, each by its rule.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "graph/explain.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/index_terms.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include "transform/support.h"
#include "transform/trail.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle::transform {

namespace {

// What has come together so far for a value.
struct Cotangent {
  // For some elements, no two of which are one.
  struct Part {
    Layout layout;
    array given;
  };

  std::optional<array> sum;  // in its shape
  bool own = false;          // nobody else has its storage: it may be written
  // Not added yet: what was read through one layout several times is added once, and an element is
  // chosen among few writes.
  std::vector<Part> parts;

  bool any() const { return sum || !parts.empty(); }
};

// Whether no two places are one element.
bool is_injective(const Layout& layout) {
  Dims order = memory_order(layout);
  std::int64_t reach = 0;
  for (auto i = order.size(); i-- > 0;) {
    const auto d = order[i];
    const auto stride = std::abs(layout.strides[d]);
    if (layout.shape[d] > 1 && stride <= reach) return false;
    reach += (layout.shape[d] - 1) * stride;
  }
  return true;
}

// The numbers of a layout's elements in their storage.
array places_of(const Layout& layout, Device& device) {
  array places = full(layout.shape, Scalar(layout.offset), Dtype::int64, device);
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    Dims shape(layout.ndim(), 1);
    shape[d] = layout.shape[d];
    array along = arange(Scalar(layout.shape[d]), Dtype::int64).reshape(shape);
    places = places + along * Scalar(layout.strides[d]);
  }
  return places;
}

class WayBack {
 public:
  explicit WayBack(const Trail& trail) : trail_(trail), cotangents_(trail.places.size()) {}

  bool has(std::int32_t number) const { return number >= 0 && at(number).any(); }
  const array& sum(std::int32_t number) {
    add_parts_of(number);
    return *at(number).sum;
  }
  array take(std::int32_t number) {
    add_parts_of(number);
    return *std::exchange(at(number), {}).sum;
  }
  void drop(std::int32_t number) { at(number) = {}; }
  Device& device_of(std::int32_t number) const {
    return *trail_.places[static_cast<std::size_t>(number)].device;
  }

  void add_whole(std::int32_t number, array cotangent, bool own) {
    Cotangent& there = at(number);
    there.own = own || there.sum;
    there.sum = there.sum ? *there.sum + cotangent : std::move(cotangent);
  }

  // To some elements of a value, which were read through a layout.
  void add(std::int32_t number, Dtype dtype, const Layout* layout, array cotangent) {
    const Trail::Place& place = trail_.places[static_cast<std::size_t>(number)];
    if (cotangent.dtype() != dtype) cotangent = cast(cotangent, dtype);
    if (dtype != place.dtype) return add_parts(number, dtype, *layout, std::move(cotangent));
    if (!layout) return add_whole(number, broadcast(std::move(cotangent), place.shape), false);
    auto [read, given] = summed(*layout, broadcast(std::move(cotangent), layout->shape));
    if (size_of(read.shape) == 0) return;
    if (covers(read, place.shape.dense()->shape.empty() ? 1 : size_of(place.shape))) {
      return add_whole(number, in_order(read, std::move(given), place.shape), false);
    }
    read = with_dimension(std::move(read));
    given = given.reshape(read.shape);
    if (!is_injective(read)) {
      return add_at(writeable(number).view_as(read, dtype), read, given);
    }
    std::vector<Cotangent::Part>& parts = at(number).parts;
    const auto same = std::ranges::find(parts, read, &Cotangent::Part::layout);
    if (same != parts.end()) {
      same->given = same->given + given;
      return;
    }
    parts.push_back({std::move(read), std::move(given)});
    if (parts.size() >= most_parts) add_parts_of(number);
  }

  // Memory for the value, to be written, with what has come together so far.
  const array& writeable(std::int32_t number) {
    add_parts_of(number);
    return memory_of(number);
  }

 private:
  static constexpr std::size_t most_parts = 8;

  const array& memory_of(std::int32_t number) {
    Cotangent& there = at(number);
    const Trail::Place& place = trail_.places[static_cast<std::size_t>(number)];
    if (!there.sum) {
      there.sum = full(place.shape, Scalar(0), place.dtype, *place.device);
    } else if (!there.own || there.sum->layout() != *place.shape.dense()) {
      there.sum = dense(*there.sum, place.dtype);
    }
    there.own = true;
    return *there.sum;
  }

  void add_parts_of(std::int32_t number) {
    for (auto& [layout, given] : std::exchange(at(number).parts, {})) {
      const bool first = !at(number).sum;
      const array target = memory_of(number).view_as(layout, given.dtype());
      write(target, first ? std::move(given) : target + given);
    }
  }

  Cotangent& at(std::int32_t number) { return cotangents_[static_cast<std::size_t>(number)]; }
  const Cotangent& at(std::int32_t number) const {
    return cotangents_[static_cast<std::size_t>(number)];
  }

  static array broadcast(array a, const Dims& shape) {
    return a.shape() == shape ? a : a.broadcast_to(shape);
  }

  // What was read several times over is summed up; dimensions of one element go.
  static std::pair<Layout, array> summed(const Layout& layout, array cotangent) {
    std::uint64_t repeated = 0;
    Layout kept;
    kept.offset = layout.offset;
    for (std::int64_t d = 0; d < layout.ndim(); ++d) {
      if (layout.shape[d] == 1 || (layout.strides[d] == 0 && layout.shape[d] > 1)) {
        repeated |= std::uint64_t{1} << d;
      } else {
        kept.shape.push_back(layout.shape[d]);
        kept.strides.push_back(layout.strides[d]);
      }
    }
    if (repeated == 0) return {std::move(kept), std::move(cotangent)};
    if (size_of(layout.shape) == size_of(kept.shape)) {
      return {kept, cotangent.reshape(kept.shape)};
    }
    const Dtype dtype = cotangent.dtype();
    return {std::move(kept), reduce(Op::add, cotangent, repeated, false, dtype)};
  }

  // Elements of a whole value that were read in another order.
  static array in_order(const Layout& read, array cotangent, const Dims& shape) {
    Layout forward = read;
    for (std::int64_t d = 0; d < read.ndim(); ++d) {
      if (read.strides[d] >= 0) continue;
      cotangent = flip(cotangent, d);
      forward.strides[d] = -read.strides[d];
    }
    return cotangent.transpose(memory_order(forward)).reshape(shape);
  }

  // Windows that overlap: an element gets the sum over all places where it was read.
  static void add_at(const array& target, const Layout& read, const array& cotangent) {
    const Ref<Value> held = target.storage().value();
    const Value& whole = *held;
    IndexTerms terms;
    terms.indices.push_back(places_of(read, *whole.device));
    terms.params = {size_of(whole.shape), 1};
    terms.reports = {0};
    Layout rest = read;
    rest.offset = 0;
    for (auto& stride : rest.strides) stride = 0;
    const Op add = Op::add;
    write_at(target.view_as(*whole.shape.dense(), whole.dtype), rest, terms, cotangent, &add);
  }

  // To the real or imaginary parts of complex numbers. The cotangent of an imaginary part counts
  // negative there: transposed, not adjoint.
  void add_parts(std::int32_t number, Dtype dtype, const Layout& layout, array cotangent) {
    const Trail::Place& place = trail_.places[static_cast<std::size_t>(number)];
    if (!is_complex(place.dtype) || dtype != result_type(Op::real, place.dtype)) {
      throw type_error("there is no derivative of a number's bits");
    }
    auto [read, given] = summed(layout, broadcast(std::move(cotangent), layout.shape));
    const array parts = full(place.shape, Scalar(0), place.dtype, *place.device);
    write(parts.view_as(read, dtype), std::move(given));
    add_whole(number, conjugate(parts), false);
  }

  const Trail& trail_;
  std::vector<Cotangent> cotangents_;  // by number
};

class StepBack final : public graph::Pullback {
 public:
  StepBack(WayBack& way, const Trail::Step& step) : way_(way), step_(step) {}

  const Node& node() const override { return *step_.node; }
  const array& operand(int i) const override { return *read(i).kept; }
  const Dims& shape_of(int operand) const override { return read(operand).shape; }
  const LayoutRef& layout_of(int operand) const override { return read(operand).layout; }
  Dtype dtype_of(int operand) const override { return read(operand).dtype; }
  Device& device_of(int operand) const override { return way_.device_of(read(operand).number); }
  int operand_count() const override { return static_cast<int>(step_.operands.size()); }
  int output_count() const override { return static_cast<int>(step_.types.size()); }
  const array& output(int i) const override { return *step_.kept[static_cast<std::size_t>(i)]; }
  const Dims& shape_of_output(int i) const override {
    return step_.types[static_cast<std::size_t>(i)].shape;
  }
  Dtype dtype_of_output(int i) const override {
    return step_.types[static_cast<std::size_t>(i)].dtype;
  }

  std::optional<array> cotangent(int output) const override {
    const auto number = number_of(output);
    if (!way_.has(number)) return std::nullopt;
    return way_.sum(number);
  }
  array take_cotangent(int output) override {
    const auto number = number_of(output);
    way_.writeable(number);
    return way_.take(number);
  }

  bool wants(int operand) const override { return read(operand).number >= 0; }
  void give(int operand, array cotangent) override {
    const Trail::Read& to = read(operand);
    if (to.number < 0) return;
    way_.add(to.number, to.dtype, to.layout.get(), std::move(cotangent));
  }
  void give_whole(int operand, array cotangent) override {
    const Trail::Read& to = read(operand);
    if (to.number >= 0) way_.add_whole(to.number, std::move(cotangent), true);
  }
  array writeable(int operand) override { return way_.writeable(read(operand).number); }

 private:
  const Trail::Read& read(int operand) const {
    return step_.operands[static_cast<std::size_t>(operand)];
  }
  std::int32_t number_of(int output) const {
    return step_.numbers[static_cast<std::size_t>(output)];
  }

  WayBack& way_;
  const Trail::Step& step_;
};

}  // namespace

std::vector<std::optional<array>> pull(const Trail& trail,
                                       std::span<const std::optional<array>> cotangents) {
  WayBack way(trail);
  for (std::size_t i = 0; i < cotangents.size(); ++i) {
    const Trail::Result& result = trail.results[i];
    if (result.number < 0 || !cotangents[i]) continue;
    way.add(result.number, result.dtype, &*result.layout, *cotangents[i]);
  }
  for (auto s = trail.steps.size(); s-- > 0;) {
    const Trail::Step& step = trail.steps[s];
    const bool reached =
        std::ranges::any_of(step.numbers, [&](auto number) { return way.has(number); });
    if (!reached) continue;
    StepBack back(way, step);
    step.derivative->pull(back);
    for (auto number : step.numbers) {
      if (number >= 0) way.drop(number);
    }
  }
  std::vector<std::optional<array>> made;
  for (std::int32_t i = 0; i < trail.inputs; ++i) {
    made.push_back(way.has(i) ? std::optional(way.take(i)) : std::nullopt);
    // Nobody else has it: where NumPy would give a scalar, it is one.
    if (made.back() && made.back()->ndim() == 0) {
      made.back() = cast(*made.back(), made.back()->dtype());
    }
  }
  return made;
}

}  // namespace heddle::transform
