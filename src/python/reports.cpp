// Errors and warnings that depend on elements which the host has not seen yet.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "ops/deferred.h"
#include "ops/indexing.h"
#include "ops/reported.h"
#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

nb::object& warning_function() {
  static auto* function = new nb::object();  // outlives the interpreter
  return *function;
}

void give(const Reports::Use& warning) {
  InterpreterLock lock;
  nb::error_scope unchanged;
  try {
    if (warning_function().is_valid())
      warning_function()(warning.text, warning.category, warning.place);
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("a warning");
  }
}

nb::object& plain_warning() {
  static auto* function = new nb::object();
  return *function;
}

nb::object& warning_of_elements() {
  static auto* function = new nb::object();
  return *function;
}

void warn_plainly(const char* text) {
  InterpreterLock lock;
  plain_warning()(text);
}

array warn_of_elements(const array& condition, const array& value, const char* text, bool each) {
  InterpreterLock lock;
  const nb::object made = warning_of_elements()(condition, value, text, nb::arg("each") = each);
  return array_in(made.ptr());
}

}  // namespace

std::string calling_line() {
  InterpreterLock lock;
  try {
    static auto* own = new std::string(nb::cast<std::string>(nb::module_::import_("os.path").attr(
        "dirname")(nb::module_::import_("heddle").attr("__file__"))));
    nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame.is_valid() && !frame.is_none()) {
      auto file = nb::cast<std::string>(frame.attr("f_code").attr("co_filename"));
      if (!file.starts_with(*own))
        return file + ":" + std::to_string(nb::cast<int>(frame.attr("f_lineno")));
      frame = frame.attr("f_back");
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // An error without its place is better than another error.
  }
  return {};
}

namespace {

array refused(const array& condition, const array& value, const std::string& error,
              std::string text, std::string operation) {
  if (error == "ValueError")
    return refused_where<value_error>(condition, value, std::move(text), std::move(operation));
  if (error == "IndexError")
    return refused_where<index_error>(condition, value, std::move(text), std::move(operation));
  if (error == "TypeError")
    return refused_where<type_error>(condition, value, std::move(text), std::move(operation));
  if (error == "ZeroDivisionError") {
    return refused_where<zero_division_error>(condition, value, std::move(text),
                                              std::move(operation));
  }
  throw type_error("refused: no such error");
}

}  // namespace

void bind_reports(nb::module_& m) {
  set_call_site(calling_line);
  set_give_warning(give);
  m.def("runs_behind", runs_behind, nb::arg("a"));
  m.def("is_stand_in", is_stand_in, nb::arg("a"));
  m.def("is_true_anywhere", is_true_anywhere, nb::arg("condition"));
  m.def("check_indices", check_indices, nb::arg("indices"), nb::arg("axis"), nb::arg("extent"));
  m.def("refused", refused, nb::arg("condition"), nb::arg("value"), nb::arg("error"),
        nb::arg("text"), nb::arg("operation"));
  m.def(
      "warned",
      [](const array& condition, const array& value, std::string text, std::string category,
         std::string place) {
        return reported(
            value, condition,
            Reports::Use::of_warning(std::move(text), std::move(category), std::move(place)));
      },
      nb::arg("condition"), nb::arg("value"), nb::arg("text"), nb::arg("category"),
      nb::arg("place"));
  // warn(text) and warn_if(condition, value, text, each).
  m.def("set_warning_functions", [](nb::object warn, nb::object warn_where) {
    plain_warning() = std::move(warn);
    warning_of_elements() = std::move(warn_where);
    set_warning_functions({warn_plainly, warn_of_elements});
  });
  m.def("set_warning_function",
        [](nb::object function) { warning_function() = std::move(function); });
}

}  // namespace heddle::python
