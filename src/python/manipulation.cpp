// Joining, padding and editing, and arrays that follow from positions, for the Python layer.
#include <heddle/manipulation.h>

#include "ops/creation.h"
#include "ops/joining.h"
#include "python/function.h"
#include "python/routines.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>

namespace heddle::python {

namespace {

// Nested lists of arrays.
Blocks to_blocks(nb::handle nested) {
  if (is_array(nested.ptr())) return array_in(nested.ptr());
  std::vector<Blocks> parts;
  for (nb::handle part : nb::cast<nb::list>(nested)) parts.push_back(to_blocks(part));
  return Blocks(std::move(parts));
}

using Lengths = decltype(PadOptions::lengths);

array padded(const array& a, const std::vector<PadWidth>& widths, const std::string& mode,
             std::vector<std::pair<Scalar, Scalar>> values, Lengths lengths, bool odd) {
  const auto known = pad_mode(mode);
  if (!known) throw value_error("mode '" + mode + "' is not supported");
  return pad(a, widths, *known, {std::move(values), std::move(lengths), odd});
}

// Without a range, an index or an array of them.
array without(const array& a, nb::handle what, std::int64_t axis) {
  if (is_array(what.ptr())) return delete_(a, array_in(what.ptr()), axis);
  if (!PySlice_Check(what.ptr())) return delete_(a, nb::cast<std::int64_t>(what), axis);
  const auto items = to_index(what);
  return delete_(a, items.at(0).slice, axis);
}

nb::tuple spaced_between(nb::handle start, nb::handle stop, std::int64_t count, bool endpoint,
                         std::optional<Dtype> dtype, std::int64_t axis) {
  PythonInput first, last;
  first.set(start, true);
  last.set(stop, true);
  auto made = spaced(first.input(), last.input(), {count, endpoint, dtype, axis});
  return nb::make_tuple(made.samples, made.step);
}

// Views, which know whose memory they see.
nb::object view_of(nb::handle whole, array made) {
  return nb::steal(wrap_view(std::move(made), whole));
}
nb::list views_of(nb::handle whole, std::vector<array> made) {
  nb::list views;
  for (array& one : made) views.append(view_of(whole, std::move(one)));
  return views;
}

}  // namespace

void bind_manipulation(nb::module_& m) {
  m.def("join", [](const std::vector<array>& arrays, std::int64_t axis) {
    return concatenate(arrays, axis);
  });
  m.def("joined_shape", joined_shape, nb::arg("arrays"), nb::arg("axis"));
  m.def(
      "join_into",
      [](const array& result, const std::vector<array>& arrays, std::int64_t axis) {
        for (const array& a : arrays) warn_of_lost_part(a.dtype(), result.dtype());
        join_into(result, arrays, axis);
      },
      nb::arg("result"), nb::arg("arrays"), nb::arg("axis"));
  m.def(
      "split",
      [](nb::handle a, std::int64_t parts, std::int64_t axis, bool evenly) {
        const array whole = nb::cast<array>(a);
        return views_of(a, evenly ? split(whole, parts, axis) : array_split(whole, parts, axis));
      },
      nb::arg("a"), nb::arg("parts"), nb::arg("axis"), nb::arg("evenly"),
      nb::sig("def split(a: ndarray, parts: int, axis: int, evenly: bool) -> list[ndarray]"));
  m.def(
      "split_at",
      [](nb::handle a, const Dims& indices, std::int64_t axis) {
        return views_of(a, array_split(nb::cast<array>(a), indices, axis));
      },
      nb::arg("a"), nb::arg("indices"), nb::arg("axis"),
      nb::sig("def split_at(a: ndarray, indices: SupportsIndex | Sequence[SupportsIndex], "
              "axis: int) -> list[ndarray]"));
  m.def(
      "rot90",
      [](nb::handle a, std::int64_t k, const Dims& axes) {
        return view_of(a, rot90(nb::cast<array>(a), k, axes));
      },
      nb::arg("a"), nb::arg("k"), nb::arg("axes"),
      nb::sig("def rot90(a: ndarray, k: int, axes: SupportsIndex | Sequence[SupportsIndex]) "
              "-> ndarray"));
  m.def(
      "rollaxis",
      [](nb::handle a, std::int64_t axis, std::int64_t start) {
        return view_of(a, rollaxis(nb::cast<array>(a), axis, start));
      },
      nb::arg("a"), nb::arg("axis"), nb::arg("start"),
      nb::sig("def rollaxis(a: ndarray, axis: int, start: int) -> ndarray"));
  m.def("block", [](nb::handle nested) { return block(to_blocks(nested)); });
  m.def("roll", [](const array& a, const Dims& shifts) { return roll(a, shifts); });
  m.def("roll",
        [](const array& a, const array& shift, std::int64_t axis) { return roll(a, shift, axis); });
  m.def("tile", tile);
  m.def("repeat", [](const array& a, std::int64_t count, std::int64_t axis) {
    return repeat(a, count, axis);
  });
  m.def("repeat", [](const array& a, const array& counts, std::int64_t axis) {
    return repeat(a, counts, axis);
  });
  m.def("meshgrid", make_grids);
  m.def("pad", padded, nb::arg("a"), nb::arg("widths"), nb::arg("mode"), nb::arg("values"),
        nb::arg("lengths"), nb::arg("odd"));
  m.def("resize", resize);
  m.def("delete", without);
  m.def("insert", [](const array& a, std::int64_t index, const array& values, std::int64_t axis) {
    return insert(a, index, values, axis);
  });
  m.def("insert", [](const array& a, const Dims& indices, const array& values, std::int64_t axis) {
    return insert(a, indices, values, axis);
  });
  m.def("spaced", spaced_between, nb::arg("start"), nb::arg("stop"), nb::arg("count"),
        nb::arg("endpoint"), nb::arg("dtype").none(), nb::arg("axis"));
  m.def(
      "geomspace",
      [](const array& start, const array& stop, std::int64_t count, bool endpoint,
         std::optional<Dtype> dtype,
         std::int64_t axis) { return geomspace(start, stop, {count, endpoint, dtype, axis}); },
      nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"),
      nb::arg("dtype").none(), nb::arg("axis"));
  m.def("eye", [](std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype dtype) {
    return eye(rows, columns, k, dtype);
  });
  m.def("tri", [](std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype dtype) {
    return tri(rows, columns, k, dtype);
  });
  m.def("tril", tril);
  m.def("triu", triu);
  m.def("indices", indices);
  m.def("vander", vander, nb::arg("x"), nb::arg("columns").none(), nb::arg("increasing"));
}

}  // namespace heddle::python
