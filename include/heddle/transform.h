/// @file
/// Transformations: functions of functions, for code with writes and control flow as it stands.
///
///     auto f = [](const array& x) {
///       array y = zeros_like(x);
///       y(Slice{1}) = square(x(Slice{1}));
///       return sum(y);
///     };
///     array slope = grad(f)(x);
///     array slopes = vmap(grad(f))(rows);
///     auto step = jit(grad(f));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <heddle/array.h>
#include <heddle/export.h>

namespace heddle {

namespace detail {

using Arrays = std::vector<array>;
using ArrayFunction = std::function<Arrays(const Arrays&)>;

using Pull = std::function<Arrays(const Arrays&)>;

// The results, and the way back: from cotangents of all of them to those of all arguments.
HEDDLE_API std::pair<Arrays, Pull> pulled(const ArrayFunction& f, const Arrays& at);
// The results, and the derivatives of the first with respect to all arguments.
HEDDLE_API std::pair<Arrays, Arrays> value_and_gradients(const ArrayFunction& f, const Arrays& at);
HEDDLE_API std::pair<Arrays, Arrays> pushed(const ArrayFunction& f, const Arrays& at,
                                            const Arrays& tangents);
HEDDLE_API Arrays mapped(const ArrayFunction& f, const Arrays& at);

// A row for each element, of the same shape, in which that element is 1 and all others are 0.
HEDDLE_API array basis(const array& like);
// Of rows for each element of a result, or of an argument: the shape of the result, then that of
// the argument.
HEDDLE_API array jacobian_of_rows(const array& rows, const array& result, const array& argument);
HEDDLE_API array jacobian_of_columns(const array& columns, const array& result,
                                     const array& argument);

// A function whose calls are recorded.
class HEDDLE_API Recorded {
 public:
  explicit Recorded(ArrayFunction f);
  Arrays operator()(const Arrays& arguments) const;

 private:
  struct Known;
  std::shared_ptr<Known> known_;
};

// Results are arrays, or tuples of arrays.
inline Arrays listed(array result) { return {std::move(result)}; }
template <class... Results>
Arrays listed(std::tuple<Results...> results) {
  return std::apply([](auto&... one) { return Arrays{std::move(one)...}; }, results);
}
inline Arrays listed(std::pair<array, array> results) {
  return {std::move(results.first), std::move(results.second)};
}

template <class Result>
Result unlisted(Arrays list) {
  if constexpr (std::is_same_v<Result, array>) {
    return std::move(list[0]);
  } else {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return Result{std::move(list[i])...};
    }(std::make_index_sequence<std::tuple_size_v<Result>>{});
  }
}

// A function of arrays as one of a list of them.
template <class... Arguments, class F>
ArrayFunction of_list(const F& f) {
  return [f](const Arrays& arguments) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return listed(f(arguments[i]...));
    }(std::make_index_sequence<sizeof...(Arguments)>{});
  };
}

template <class F, class... Arguments>
using ResultOf = std::decay_t<std::invoke_result_t<const F&, const Arguments&...>>;

}  // namespace detail

/// The derivative of a function that gives one real number, with respect to its first argument.
/// Throws type_error where there is none.
template <class F>
auto grad(F f) {
  return [f = std::move(f)]<class... More>(const array& x, const More&... more) {
    const detail::Arrays at{x};
    auto of_first = [&](const detail::Arrays& list) { return detail::listed(f(list[0], more...)); };
    return detail::value_and_gradients(of_first, at).second[0];
  };
}

/// The result as well, first.
template <class F>
auto value_and_grad(F f) {
  return [f = std::move(f)]<class... More>(const array& x, const More&... more) {
    const detail::Arrays at{x};
    auto of_first = [&](const detail::Arrays& list) { return detail::listed(f(list[0], more...)); };
    auto [values, gradients] = detail::value_and_gradients(of_first, at);
    return std::pair<array, array>(std::move(values[0]), std::move(gradients[0]));
  };
}

/// The same elements, as constants: nothing is differentiated through them.
HEDDLE_API array stop_gradient(const array& x);

/// The result of a function at x, and a function that makes of a cotangent of the result that of x.
template <class F>
std::pair<array, std::function<array(const array&)>> vjp(const F& f, const array& x) {
  auto [values, pull] = detail::pulled(detail::of_list<array>(f), detail::Arrays{x});
  return {std::move(values[0]), [pull = std::move(pull)](const array& cotangent) {
            return pull(detail::Arrays{cotangent})[0];
          }};
}

/// The result of a function at x, and how it changes along a tangent.
template <class F>
std::pair<array, array> jvp(const F& f, const array& x, const array& tangent) {
  const detail::Arrays at{x}, along{tangent};
  auto [values, changes] = detail::pushed(detail::of_list<array>(f), at, along);
  return {std::move(values[0]), std::move(changes[0])};
}

/// A function of one row, for the rows of all arguments along their first axis at once.
template <class F>
auto vmap(F f) {
  return [f = std::move(f)]<class... More>(const array& x, const More&... more) {
    const detail::Arrays at{x, more...};
    return detail::unlisted<detail::ResultOf<F, array, More...>>(
        detail::mapped(detail::of_list<array, More...>(f), at));
  };
}

/// The derivatives of all elements of the result with respect to all of the first argument: an
/// array with the shape of the result, followed by that of the argument. By reverse mode, which is
/// best where the result has few elements.
template <class F>
auto jacrev(F f) {
  return [f = std::move(f)]<class... More>(const array& x, const More&... more) {
    const auto [value, pull] = vjp([&](const array& first) { return f(first, more...); }, x);
    return detail::jacobian_of_rows(vmap(pull)(detail::basis(value)), value, x);
  };
}

/// The same by forward mode, which is best where the argument has few elements.
template <class F>
auto jacfwd(F f) {
  return [f = std::move(f)]<class... More>(const array& x, const More&... more) {
    auto of_first = [&](const array& first) { return f(first, more...); };
    const auto along = [&](const array& tangent) { return jvp(of_first, x, tangent); };
    const auto [values, changes] = vmap(along)(detail::basis(x));
    return detail::jacobian_of_columns(changes, values, x);
  };
}

template <class F>
auto jacobian(F f) {
  return jacrev(std::move(f));
}

/// The second derivatives of a function that gives one real number.
template <class F>
auto hessian(F f) {
  return jacfwd(grad(std::move(f)));
}

/// The Hessian at x times a vector, which is never made as a whole.
template <class F>
array hvp(const F& f, const array& x, const array& vector) {
  return jvp(grad(f), x, vector).second;
}

/// A function whose calls are recorded for each combination of types, shapes and layouts, and
/// repeated. What it captures by reference has to be what it was; arrays that it captures are
/// constants.
template <class F>
auto jit(F f) {
  return [f, recorded = std::make_shared<std::optional<detail::Recorded>>()]<class... More>(
             const array& x, const More&... more) {
    if (!*recorded) recorded->emplace(detail::of_list<array, More...>(f));
    return detail::unlisted<detail::ResultOf<F, array, More...>>(
        (**recorded)(detail::Arrays{x, more...}));
  };
}

}  // namespace heddle
