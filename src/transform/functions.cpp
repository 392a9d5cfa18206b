// Transformations of C++ functions: what the templates of heddle/transform.h call.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "transform/batching.h"
#include "transform/script.h"
#include "transform/trail.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/transform.h>

namespace heddle::detail {

using transform::Batching;
using transform::Script;
using transform::Scripting;
using transform::Trail;
using transform::Trailing;

namespace {

struct Followed {
  Arrays results;
  std::shared_ptr<const Trail> trail;
};

Followed follow(const ArrayFunction& f, const Arrays& at) {
  Trailing trailing;
  Arrays inputs;
  inputs.reserve(at.size());
  for (const array& argument : at) inputs.push_back(trailing.watch(argument));
  Arrays results = f(inputs);
  auto trail = trailing.take(results);
  return {std::move(results), std::move(trail)};
}

// Where nothing led there: zero.
Arrays or_zeros(std::vector<std::optional<array>> found, const Arrays& like) {
  Arrays made;
  for (std::size_t i = 0; i < found.size(); ++i) {
    made.push_back(found[i] ? std::move(*found[i]) : zeros_like(like[i]));
  }
  return made;
}

}  // namespace

std::pair<Arrays, Pull> pulled(const ArrayFunction& f, const Arrays& at) {
  Followed followed = follow(f, at);
  auto back = [trail = std::move(followed.trail), at](const Arrays& cotangents) {
    const std::vector<std::optional<array>> given(cotangents.begin(), cotangents.end());
    return or_zeros(pull(*trail, given), at);
  };
  return {std::move(followed.results), std::move(back)};
}

array basis(const array& like) {
  Dims shape = like.shape();
  shape.insert(0, like.size());
  return to_device(eye(like.size(), std::nullopt, 0, like.dtype()), like.device()).reshape(shape);
}

namespace {

Dims of_both(const Dims& result, const Dims& argument) {
  Dims shape = result;
  for (auto extent : argument) shape.push_back(extent);
  return shape;
}

}  // namespace

array jacobian_of_rows(const array& rows, const array& result, const array& argument) {
  return rows.reshape(of_both(result.shape(), argument.shape()));
}

array jacobian_of_columns(const array& columns, const array& result, const array& argument) {
  // The result is there once for each element of the argument, which comes first.
  Dims shape = result.shape();
  shape.erase(0);
  Dims order;
  for (std::int64_t d = 1; d < columns.ndim(); ++d) order.push_back(d);
  order.push_back(0);
  return columns.transpose(order).reshape(of_both(shape, argument.shape()));
}

std::pair<Arrays, Arrays> value_and_gradients(const ArrayFunction& f, const Arrays& at) {
  Followed followed = follow(f, at);
  const array& value = followed.results[0];
  if (value.ndim() != 0 || !is_floating(value.dtype())) {
    throw type_error(fmt::format("grad: the function must give one real number, not {} of shape {}",
                                 name(value.dtype()), to_string(value.shape())));
  }
  std::vector<std::optional<array>> cotangents(followed.results.size());
  cotangents[0] = full({}, Scalar(1), value.dtype(), value.device());
  return {std::move(followed.results), or_zeros(pull(*followed.trail, cotangents), at)};
}

std::pair<Arrays, Arrays> pushed(const ArrayFunction& f, const Arrays& at, const Arrays& tangents) {
  Followed followed = follow(f, at);
  // A way back is linear in its cotangents: the way back of it leads from tangents to tangents.
  std::vector<bool> reached;
  const Followed back = follow(
      [&](const Arrays& cotangents) {
        const std::vector<std::optional<array>> given(cotangents.begin(), cotangents.end());
        Arrays found;
        for (auto& one : pull(*followed.trail, given)) {
          reached.push_back(one.has_value());
          if (one) found.push_back(std::move(*one));
        }
        return found;
      },
      [&] {
        Arrays zeros;
        for (const array& result : followed.results) zeros.push_back(zeros_like(result));
        return zeros;
      }());
  std::vector<std::optional<array>> given;
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (tangents[i].shape() != at[i].shape()) {
      throw value_error(fmt::format("jvp: a tangent has shape {}, the argument {}",
                                    to_string(tangents[i].shape()), to_string(at[i].shape())));
    }
    if (reached[i]) given.emplace_back(tangents[i]);
  }
  Arrays changes = or_zeros(pull(*back.trail, given), followed.results);
  return {std::move(followed.results), std::move(changes)};
}

Arrays mapped(const ArrayFunction& f, const Arrays& at) {
  if (at[0].ndim() == 0) throw value_error("vmap: an argument without dimensions has no rows");
  Batching batching(at[0].shape()[0]);
  Arrays inputs;
  inputs.reserve(at.size());
  for (const array& argument : at) inputs.push_back(batching.enter(argument, 0));
  Arrays made;
  for (const array& result : f(inputs)) made.push_back(batching.leave(result, 0));
  return made;
}

struct Recorded::Known {
  ArrayFunction f;
  std::mutex mutex;
  struct Call {
    std::vector<Layout> layouts;
    std::vector<Dtype> dtypes;
    std::shared_ptr<const Script> script;
  };
  std::vector<Call> calls;
};

Recorded::Recorded(ArrayFunction f) : known_(std::make_shared<Known>()) {
  known_->f = std::move(f);
}

Arrays Recorded::operator()(const Arrays& arguments) const {
  constexpr std::size_t most = 64;  // recorded calls
  std::vector<Layout> layouts;
  std::vector<Dtype> dtypes;
  bool apart = true;  // no two arguments are of one storage
  for (const array& argument : arguments) {
    layouts.push_back(argument.layout());
    dtypes.push_back(argument.dtype());
    apart &= std::ranges::count_if(arguments, [&](const array& other) {
               return &other.storage() == &argument.storage();
             }) == 1;
  }
  if (!apart) return known_->f(arguments);
  std::vector<std::shared_ptr<const Script>> scripts;
  {
    std::lock_guard lock(known_->mutex);
    for (const auto& call : known_->calls) {
      if (call.layouts == layouts && call.dtypes == dtypes) scripts.push_back(call.script);
    }
  }
  for (const auto& script : scripts) {
    if (auto made = repeat(*script, arguments)) return std::move(*made);
  }
  std::shared_ptr<const Script> script;
  Arrays results;
  {
    Scripting scripting(arguments);
    results = known_->f(arguments);
    script = scripting.take(results);
  }
  std::lock_guard lock(known_->mutex);
  if (script->impossible.empty() && known_->calls.size() < most) {
    known_->calls.push_back({std::move(layouts), std::move(dtypes), std::move(script)});
  }
  return results;
}

}  // namespace heddle::detail

namespace heddle {

array stop_gradient(const array& x) { return elementwise(Op::stopped, {x}); }

}  // namespace heddle
