#include "python/simt_call.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

template <class T>
LaunchNumber bits_of(T value) {
  LaunchNumber number;
  std::memcpy(number.word, &value, sizeof value);
  return number;
}

void read_element(const array& a, std::string& signature, LaunchNumber& number) {
  signature += 'n';
  signature += static_cast<char>('A' + static_cast<int>(a.dtype()));
  // Each part of a complex number has a word.
  std::uint64_t bytes[2] = {0, 0};
  a.copy_to_host(bytes, a.dtype());
  if (a.dtype() == Dtype::complex64) {
    number.word[0] = bytes[0] & 0xffffffff;
    number.word[1] = bytes[0] >> 32;
  } else {
    number.word[0] = bytes[0];
    number.word[1] = bytes[1];
  }
}

void read_integer(PyObject* o, std::string& signature, LaunchNumber& number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow == 0) {
    signature += 'i';
    number = bits_of(value);
    return;
  }
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    throw overflow_error("an integer argument of a kernel has more than 64 bits");
  }
  signature += 'n';
  signature += static_cast<char>('A' + static_cast<int>(Dtype::uint64));
  number = bits_of(large);
}

bool has_on_type(nb::handle given, const char* name) {
  return !PyType_Check(given.ptr()) &&
         PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(given.ptr())), name) == 1;
}

// The number that signatures have for a class; it is asked for once.
void add_class(nb::handle given, std::string& signature) {
  static auto& known = *new std::unordered_map<PyObject*, std::string>();
  static const nb::object& number_of =
      *new nb::object(nb::module_::import_("heddle.simt._kinds").attr("number_of"));
  const nb::handle type = given.type();
  auto found = known.find(type.ptr());
  if (found == known.end()) {
    const auto number = nb::cast<int>(number_of(type));
    found = known.emplace(nb::borrow(type).release().ptr(), std::to_string(number)).first;
  }
  signature += found->second;
  signature += ':';
}

// A member of an Enum: its value comes next.
void add_member(nb::handle given, std::string& signature) {
  signature += 'e';
  add_class(given, signature);
}

}  // namespace

bool read_number(nb::handle given, std::string& signature, LaunchNumber& number) {
  PyObject* o = given.ptr();
  if (PyLong_CheckExact(o)) {
    read_integer(o, signature, number);
  } else if (PyFloat_CheckExact(o)) {
    signature += 'f';
    number = bits_of(PyFloat_AsDouble(o));
  } else if (PyBool_Check(o)) {
    signature += 'b';
    number = bits_of<std::uint64_t>(o == Py_True ? 1 : 0);
  } else if (PyComplex_CheckExact(o)) {
    signature += 'c';
    const double parts[] = {PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)};
    std::memcpy(number.word, parts, sizeof parts);
  } else if (is_array(o)) {
    if (!is_scalar(array_in(o))) return false;
    read_element(array_in(o), signature, number);
  } else if (is_numpy_scalar(given)) {
    if (is_record(given)) return false;
    read_element(to_array(given), signature, number);
  } else if (PyLong_Check(o)) {  // members of an IntEnum, and the like
    if (has_on_type(given, "__members__")) add_member(given, signature);
    read_integer(o, signature, number);
  } else if (PyFloat_Check(o)) {
    if (has_on_type(given, "__members__")) add_member(given, signature);
    signature += 'f';
    number = bits_of(PyFloat_AsDouble(o));
  } else {
    return false;
  }
  return true;
}

bool read_items(nb::handle given, std::string& signature, int depth,
                const std::function<void(nb::handle)>& item) {
  PyObject* o = given.ptr();
  const bool tuple = PyTuple_Check(o);
  if (!tuple && has_on_type(given, "__members__")) {  // a member of an Enum: what it stands for
    const nb::object value = nb::getattr(given, "value");
    // Of numbers alone: what else members may stand for is what it is.
    if (PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr()))
      add_member(given, signature);
    item(value);
    return true;
  }
  if (PySlice_Check(o) || PyRange_Check(o)) {
    signature += '{';
    add_class(given, signature);
    for (const char* part : {"start", "stop", "step"}) {
      const nb::object value = nb::getattr(given, part);
      item(value);
    }
    signature += ')';
    return true;
  }
  const char* fields = has_on_type(given, "_simt_fields") ? "_simt_fields" : "__dataclass_fields__";
  if (!tuple && !has_on_type(given, fields)) return false;
  if (depth > 8) throw type_error("an argument is a tuple of too many levels");
  nb::object names;
  if (!tuple) {
    names = nb::getattr(given.type(), fields);
  } else if (!PyTuple_CheckExact(o)) {
    names = nb::getattr(given, "_fields", nb::none());
  }
  if (!names.is_valid() || names.is_none()) {
    signature += '(';
    for (nb::handle one : nb::borrow<nb::tuple>(given)) item(one);
    signature += ')';
    return true;
  }
  signature += '{';
  add_class(given, signature);
  if (tuple) {
    for (nb::handle one : nb::borrow<nb::tuple>(given)) item(one);
  } else {
    for (nb::handle name : names) {
      const nb::object value = nb::getattr(given, name);
      item(value);
    }
  }
  signature += ')';
  return true;
}

bool read_constant(nb::handle given, std::string& signature) {
  static const nb::object& number_of =
      *new nb::object(nb::module_::import_("heddle.simt._constants").attr("number_of"));
  const nb::object number = number_of(given);
  if (number.is_none()) return false;
  signature += fmt::format("o{}:", nb::cast<int>(number));
  return true;
}

bool is_record(nb::handle numpys) {
  constexpr int numpys_void = 20;
  return nb::cast<int>(numpys.attr("dtype").attr("num")) == numpys_void;
}

std::optional<Records> to_records(nb::handle given) {
  static const nb::object& make =
      *new nb::object(nb::module_::import_("heddle.simt._records").attr("to_bytes"));
  const nb::object made = make(given);
  if (made.is_none()) return std::nullopt;
  const auto pair = nb::cast<nb::tuple>(made);
  return Records{nb::cast<std::string>(pair[0]), nb::object(pair[1])};
}

nb::object from_records(const nb::object& bytes, const std::string& number) {
  static const nb::object& make =
      *new nb::object(nb::module_::import_("heddle.simt._records").attr("from_bytes"));
  return make(bytes, number);
}

bool Guard::holds() const {
  nb::object now;
  if (name.is_none()) {
    now = nb::steal(PyObject_GetAttrString(holder.ptr(), "cell_contents"));
  } else {
    now = nb::borrow(PyDict_GetItemWithError(holder.ptr(), name.ptr()));
  }
  if (!now.is_valid()) {
    PyErr_Clear();
    return false;
  }
  if (now.is(value)) return true;
  // Numbers and strings that are equal; what else is equal need not do the same.
  if (Py_TYPE(now.ptr()) != Py_TYPE(value.ptr())) return false;
  PyObject* o = now.ptr();
  if (!PyLong_CheckExact(o) && !PyFloat_CheckExact(o) && !PyUnicode_CheckExact(o) &&
      !PyComplex_CheckExact(o))
    return false;
  return PyObject_RichCompareBool(o, value.ptr(), Py_EQ) == 1;
}

std::vector<Guard> to_guards(nb::handle list) {
  std::vector<Guard> made;
  for (nb::handle guard : nb::cast<nb::list>(list)) {
    auto parts = nb::cast<nb::tuple>(guard);
    made.push_back({nb::object(parts[0]), nb::object(parts[1]), nb::object(parts[2])});
  }
  return made;
}

simt::Program to_program(nb::handle words, nb::handle texts, nb::handle name) {
  const auto bytes = nb::cast<nb::bytes>(words);
  std::vector<std::int64_t> numbers(bytes.size() / sizeof(std::int64_t));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.c_str(), numbers.size() * sizeof(std::int64_t));
  return simt::read_program(numbers, nb::cast<std::vector<std::string>>(texts),
                            nb::cast<std::string>(name));
}

}  // namespace heddle::python
