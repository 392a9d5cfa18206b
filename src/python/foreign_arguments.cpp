#include "python/foreign_arguments.h"

#include <utility>

#include <fmt/format.h>

#include "ops/write.h"
#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// The bytes that elements of an array are in, counted from its first element.
std::pair<std::int64_t, std::int64_t> extent_of(const array& a) {
  const Layout& layout = a.layout();
  std::int64_t low = 0, high = 1;
  for (int d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] == 0) return {0, 0};
    const std::int64_t far = (layout.shape[d] - 1) * layout.strides[d];
    (far < 0 ? low : high) += far;
  }
  return {low * itemsize(a.dtype()), high * itemsize(a.dtype())};
}

// An array of NumPy's records: a struct, given by its bytes.
bool is_records(nb::handle given) {
  return is_numpy_array(given) && !given.attr("dtype").attr("names").is_none();
}

}  // namespace

ForeignArguments::ForeignArguments(nb::handle given) {
  for (nb::handle argument : nb::cast<nb::sequence>(given)) add(argument);
}

void ForeignArguments::add_bytes(const void* bytes, std::size_t size) {
  const auto* first = static_cast<const char*>(bytes);
  all.push_back({std::vector<char>(first, first + size)});
}

void ForeignArguments::add_bytes(nb::handle bytes) {
  const auto held = nb::cast<nb::bytes>(bytes);
  add_bytes(held.c_str(), held.size());
}

void ForeignArguments::add_array(nb::handle a, bool written, const nb::bytes& rest) {
  const array& given = array_in(a.ptr());
  const auto [low, high] = extent_of(given);
  all.push_back({std::vector<char>(rest.c_str(), rest.c_str() + rest.size()), true, low, high});
  arrays.push_back({&given, written});
}

void ForeignArguments::add(nb::handle given) {
  PyObject* o = given.ptr();
  if (is_array(o)) {
    add_array(given, writeable(array_in(o)), nb::bytes("", 0));
  } else if (PyTuple_Check(o)) {
    const auto parts = nb::cast<nb::tuple>(given);
    add_array(parts[0], nb::cast<bool>(parts[2]), nb::cast<nb::bytes>(parts[1]));
  } else if (PyBytes_Check(o)) {
    add_bytes(given);
  } else if (PyBool_Check(o)) {
    const bool value = o == Py_True;
    add_bytes(&value, sizeof value);
  } else if (PyLong_Check(o)) {
    const auto value = nb::cast<std::int64_t>(given);
    add_bytes(&value, sizeof value);
  } else if (PyFloat_CheckExact(o)) {
    const double value = PyFloat_AsDouble(o);
    add_bytes(&value, sizeof value);
  } else if (PyComplex_CheckExact(o)) {
    const double parts[] = {PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)};
    add_bytes(parts, sizeof parts);
  } else if (is_numpy_scalar(given) || is_records(given)) {
    add_bytes(given.attr("tobytes")());
  } else if (nb::hasattr(given, "ptr")) {  // memory without an array
    const auto address = nb::cast<std::uintptr_t>(given.attr("ptr"));
    add_bytes(&address, sizeof address);
  } else {
    throw type_error(
        fmt::format("a kernel in CUDA C++ takes arrays, numbers and records of NumPy, not {}",
                    nb::type_name(given.type()).c_str()));
  }
}

}  // namespace heddle::python
