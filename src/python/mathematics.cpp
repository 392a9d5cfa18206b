// Differences, sequences, rounding, windows and bits for the Python layer.
#include <heddle/mathematics.h>

#include "ops/logic.h"
#include "python/routines.h"
#include <heddle/errors.h>
#include <heddle/logic.h>

namespace heddle::python {

namespace {

// A Python number, or an array.
Distance to_distance(nb::handle given) {
  if (is_array(given.ptr())) return array_in(given.ptr());
  return nb::cast<double>(given);
}

nb::tuple gradient_of(const array& f, const nb::list& distances, const Axes& axis, int edge_order) {
  std::vector<Distance> all;
  for (nb::handle each : distances) all.push_back(to_distance(each));
  return to_tuple(gradient(f, all, axis, edge_order));
}

array close(nb::handle x, nb::handle y, nb::handle rtol, nb::handle atol, bool equal_nan) {
  PythonInput inputs[4];
  int i = 0;
  for (nb::handle given : {x, y, rtol, atol}) inputs[i++].set(given, true);
  return is_close(inputs[0].input(), inputs[1].input(), inputs[2].input(), inputs[3].input(),
                  equal_nan);
}

Overlap to_overlap(int mode) { return static_cast<Overlap>(mode); }

}  // namespace

void bind_mathematics(nb::module_& m) {
  m.def(
      "diff",
      [](const array& a, std::int64_t n, std::int64_t axis, std::optional<array> prepend,
         std::optional<array> append) { return diff(a, n, axis, prepend, append); },
      nb::arg("a"), nb::arg("n"), nb::arg("axis"), nb::arg("prepend") = nb::none(),
      nb::arg("append") = nb::none());
  m.def("ediff1d", ediff1d, nb::arg("a"), nb::arg("to_end").none(), nb::arg("to_begin").none());
  m.def("gradient", gradient_of, nb::arg("f"), nb::arg("distances"), nb::arg("axis").none(),
        nb::arg("edge_order"));
  m.def("trapezoid",
        [](const array& y, const array& x, std::int64_t axis) { return trapezoid(y, x, axis); });
  m.def("unwrap", unwrap, nb::arg("p"), nb::arg("discont").none(), nb::arg("axis"),
        nb::arg("period"));
  m.def("cross", cross);
  m.def("convolve",
        [](const array& a, const array& v, int mode) { return convolve(a, v, to_overlap(mode)); });
  m.def("correlate",
        [](const array& a, const array& v, int mode) { return correlate(a, v, to_overlap(mode)); });
  m.def(
      "interp",
      [](const array& x, const array& xp, const array& fp, std::optional<array> left,
         std::optional<array> right, std::optional<double> period) {
        return nb::steal(
            wrap_known(interp(x, xp, fp, {std::move(left), std::move(right), period})));
      },
      nb::arg("x"), nb::arg("xp"), nb::arg("fp"), nb::arg("left").none(), nb::arg("right").none(),
      nb::arg("period").none());
  m.def("round", [](const array& a, std::int64_t decimals) { return round(a, decimals); });
  m.def("nan_to_num", nan_to_num, nb::arg("a"), nb::arg("nan"), nb::arg("posinf").none(),
        nb::arg("neginf").none());
  m.def("angle", angle);
  m.def("sinc", sinc);
  m.def("i0", i0);
  m.def("bartlett", bartlett);
  m.def("blackman", blackman);
  m.def("hamming", hamming);
  m.def("hanning", hanning);
  m.def("kaiser", kaiser);
  m.def("packbits", packbits, nb::arg("a"), nb::arg("axis").none(), nb::arg("little"));
  m.def("unpackbits", unpackbits, nb::arg("a"), nb::arg("axis").none(), nb::arg("count").none(),
        nb::arg("little"));
  m.def("is_close", close);
  m.def("array_equal", array_equal, nb::arg("a"), nb::arg("b"), nb::arg("equal_nan"));
  m.def("array_equiv", array_equiv, nb::arg("a"), nb::arg("b"));
  m.def("real_if_close", real_if_close, nb::arg("a"), nb::arg("tolerance"));
}

}  // namespace heddle::python
