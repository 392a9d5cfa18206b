// Lists of Python's numbers, of NumPy's of the same types, and of short vectors, as arrays, without
// NumPy: it asks every object much more than its type.
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/dtype.h"
#include "graph/graph.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "python/array_protocol.h"
#include "python/convert.h"
#include "python/items.h"
#include "python/numpy_scalars.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/runtime.h>

namespace heddle::python {

namespace {

// Kinds of numbers, as bits of a set.
constexpr unsigned truth = 1, integer = 2, real = 4, complex = 8;

unsigned kind_of_pythons(PyObject* o) {
  const PyTypeObject* type = Py_TYPE(o);
  return type == &PyFloat_Type     ? real
         : type == &PyLong_Type    ? integer
         : type == &PyBool_Type    ? truth
         : type == &PyComplex_Type ? complex
                                   : 0;
}

// One of NumPy's scalars, or of ours that is known or a statement or two away, as an array that is
// nothing but the number; nothing for other objects.
std::optional<array> known_scalar(PyObject* o) {
  if (const auto numpys = numpy_scalar_type(o)) return read_numpy_scalar(o, *numpys);
  if (!is_array(o)) return std::nullopt;
  const array& ours = array_in(o);
  // Not a copy of ours: copies share elements, so they have memory.
  if (!ours.number() &&
      (!is_scalar(ours) || !is_there_at_once(*ours.storage().value(), operations_for_a_number))) {
    return std::nullopt;
  }
  const auto number = known_number(ours);
  return number ? std::optional(to_array(*number)) : std::nullopt;
}

// It as Python's number: null unless it is of the type that Python's numbers have in arrays.
nb::object python_number(PyObject* o) {
  const auto number = known_scalar(o);
  if (!number) return {};
  const ScalarWords* element = number->number();
  const auto part = [&](int i) { return std::bit_cast<double>(element->word[i]); };
  switch (number->dtype()) {
    case Dtype::bool_:
      return nb::bool_((element->word[0] & 0xff) != 0);
    case Dtype::int64:
      return nb::int_(static_cast<std::int64_t>(element->word[0]));
    case Dtype::float64:
      return nb::float_(part(0));
    case Dtype::complex128:
      return nb::steal(PyComplex_FromDoubles(part(0), part(1)));
    default:
      return {};
  }
}

// The most frequent without a number of Python's in between. NumPy's float64 is one of Python's
// floats, too, and is read as such.
std::optional<double> known_double(PyObject* o) {
  if (PyFloat_Check(o)) {
    if (numpy_scalar_type(o) == Dtype::float64) return PyFloat_AsDouble(o);
  } else if (is_array(o) && array_in(o).dtype() == Dtype::float64) {
    if (const auto number = known_scalar(o))
      return std::bit_cast<double>(number->number()->word[0]);
  }
  return std::nullopt;
}

unsigned kind_of(PyObject* o) {
  if (const unsigned kind = kind_of_pythons(o)) return kind;
  if (known_double(o)) return real;
  if (is_sequence(o)) return 0;
  const nb::object number = python_number(o);
  return number.is_valid() ? kind_of_pythons(number.ptr()) : 0;
}

// Numbers in nested sequences that all have the same shape.
class Numbers {
 public:
  // Whether it is that; if not, NumPy says what it is.
  bool read(PyObject* sequence) { return read(sequence, 0) && size_of(shape_) != 0; }

  Dtype natural_type() const {
    return kinds_ & complex   ? Dtype::complex128
           : kinds_ & real    ? Dtype::float64
           : kinds_ & integer ? Dtype::int64
                              : Dtype::bool_;
  }

  // Whether elements of this type hold such numbers without a word from NumPy.
  bool fit(Dtype dtype) const {
    switch (kind(dtype)) {
      case Kind::boolean:
        return kinds_ == truth;
      case Kind::signed_integer:
      case Kind::unsigned_integer:
        return kinds_ <= (truth | integer);
      case Kind::floating:
        return itemsize(dtype) >= 4 && kinds_ < complex;
      case Kind::complex:
        return true;
    }
    return false;
  }

  const Dims& shape() const { return shape_; }

 private:
  bool read(PyObject* sequence, std::int64_t depth) {
    const Items items(sequence);
    const auto count = items.size();
    if (depth == shape_.size()) {
      if (leaves_ || depth == max_dims) return false;
      shape_.push_back(count);
    }
    if (shape_[depth] != count) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = items[i];
      if (const auto kind = kind_of(item)) {
        if (depth + 1 != shape_.size()) return false;
        leaves_ = true;
        kinds_ |= kind;
      } else if (!is_sequence(item) || !read(item, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  Dims shape_;
  unsigned kinds_ = 0;
  bool leaves_ = false;  // numbers were found: nothing is deeper
};

// False where NumPy has to say what an element becomes: it does not fit.
bool convert(PyObject* from, bool& to) {
  to = from == Py_True;
  return true;
}
template <std::integral T>
bool convert(PyObject* from, T& to) {
  int overflow = 0;
  const auto value = PyLong_AsLongLongAndOverflow(from, &overflow);
  to = static_cast<T>(value);
  return !overflow && std::in_range<T>(value);
}
bool convert(PyObject* from, double& to) {
  if (Py_TYPE(from) == &PyFloat_Type) {
    to = PyFloat_AsDouble(from);
    return true;
  }
  to = PyLong_AsDouble(from);
  if (to != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}
bool convert(PyObject* from, float& to) {
  double wide = 0;
  if (!convert(from, wide)) return false;
  to = static_cast<float>(wide);
  return std::isfinite(to) || !std::isfinite(wide);
}
template <class T>
bool convert(PyObject* from, std::complex<T>& to) {
  T parts[2] = {};
  if (Py_TYPE(from) != &PyComplex_Type) {
    if (!convert(from, parts[0])) return false;
  } else {
    const double wide[] = {PyComplex_RealAsDouble(from), PyComplex_ImagAsDouble(from)};
    for (int i = 0; i < 2; ++i) {
      parts[i] = static_cast<T>(wide[i]);
      if (!std::isfinite(parts[i]) && std::isfinite(wide[i])) return false;
    }
  }
  to = {parts[0], parts[1]};
  return true;
}

template <class T>
bool convert_item(PyObject* from, T& to) {
  if (kind_of_pythons(from)) return convert(from, to);
  if constexpr (std::is_same_v<T, double>) {
    if (const auto known = known_double(from)) {
      to = *known;
      return true;
    }
  }
  return convert(python_number(from).ptr(), to);
}

template <class T>
bool convert_all(PyObject* sequence, std::int64_t levels, T*& to) {
  const Items items(sequence);
  const auto count = items.size();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = items[i];
    if (!(levels > 1 ? convert_all(item, levels - 1, to) : convert_item(item, *to++))) return false;
  }
  return true;
}

bool holds_arrays(PyObject* o, int depth) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  if (depth > max_dims) {  // may be, it holds itself
    throw value_error(
        "setting an array element with a sequence. The requested array would exceed the maximum "
        "number of dimension of 64.");
  }
  const Items items(o);
  const auto count = items.size();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = items[i];
    if (kind_of_pythons(item)) continue;
    if (is_array(item) || has_array_method(item) || holds_arrays(item, depth + 1)) return true;
  }
  return false;
}

Ref<Buffer> memory_for(const Layout& layout, Dtype dtype) {
  const auto bytes = size_of(layout.shape) * itemsize(dtype);
  return Buffer::allocate(cpu_device(), static_cast<std::size_t>(bytes));
}

array made_of(Ref<Buffer> elements, const Layout& layout, Dtype dtype) {
  Ref<Value> value = Value::with_buffer(dtype, layout.shape, std::move(elements));
  const array made(Ref<Storage>(new Storage(std::move(value))), layout, dtype);
  return to_device(made, default_device());
}

// Few elements, in memory, of short vectors of one type: each is a row.
std::optional<array> from_vectors(PyObject* sequence, std::optional<Dtype> wanted) {
  const Items rows(sequence);
  const auto count = rows.size();
  if (count == 0 || !is_array(rows[0])) return std::nullopt;
  const array& model = array_in(rows[0]);
  const Dtype dtype = model.dtype();
  if (model.ndim() != 1 || wanted.value_or(dtype) != dtype || &model.device() != &default_device())
    return std::nullopt;
  const std::int64_t width = itemsize(dtype), length = model.shape()[0];
  if (count * length * width > limits().at_once) return std::nullopt;
  const Layout layout = contiguous_layout({count, length});
  auto elements = memory_for(layout, dtype);
  auto* to = static_cast<char*>(elements->data());
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_array(rows[i])) return std::nullopt;
    const array& row = array_in(rows[i]);
    if (row.dtype() != dtype || row.ndim() != 1 || row.shape()[0] != length) return std::nullopt;
    const auto from = short_vector(row);
    if (!from) return std::nullopt;
    const auto* element = static_cast<const char*>(from->first);
    for (std::int64_t k = 0; k < length; ++k, to += width, element += from->stride)
      std::memcpy(to, element, static_cast<std::size_t>(width));
  }
  return made_of(std::move(elements), layout, dtype);
}

}  // namespace

std::optional<array> from_numbers(nb::handle object, std::optional<Dtype> wanted) {
  if (!is_sequence(object.ptr())) return std::nullopt;
  if (auto made = from_vectors(object.ptr(), wanted)) return made;
  Numbers numbers;
  if (!numbers.read(object.ptr())) return std::nullopt;
  const Dtype dtype = wanted.value_or(numbers.natural_type());
  if (!numbers.fit(dtype)) return std::nullopt;
  const Layout layout = contiguous_layout(numbers.shape());
  auto buffer = memory_for(layout, dtype);
  const bool done = dispatch(dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
      return false;
    } else {
      auto* to = static_cast<T*>(buffer->data());
      return convert_all(object.ptr(), numbers.shape().size(), to);
    }
  });
  if (!done) return std::nullopt;
  return made_of(std::move(buffer), layout, dtype);
}

bool holds_arrays(PyObject* list) { return holds_arrays(list, 0); }

}  // namespace heddle::python
