// Between Python objects and the core's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "python/instance.h"
#include <heddle/array.h>
#include <heddle/errors.h>

namespace heddle::python {

namespace nb = nanobind;

// Takes the interpreter's lock back. When the interpreter has shut down, Python ends other threads
// inside of this call, by unwinding, which C++ would not survive: they stay here for good.
void restore_interpreter(PyThreadState* state);

// The interpreter's lock around work that takes long, as BlockingScope has it. Every thread of
// Python that gets here holds it, unless it let go here before.
void* let_go_of_interpreter();
void take_interpreter_again(void* state);

// Holds the interpreter's lock in a thread that may have it or not.
class InterpreterLock {
 public:
  InterpreterLock();
  ~InterpreterLock();
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;

 private:
  PyGILState_STATE state_;
  bool had_let_go_;
};

// Looks up NumPy's objects once; called when the module is made.
void prepare_conversions();

// NumPy's ComplexWarning where a cast discards imaginary parts.
void warn_of_lost_part(Dtype from, Dtype to);

// What NumPy gives as one of its scalars, and an instance of the type for those holds.
bool is_scalar(const array& a);
// A new instance; without a base it owns its memory.
PyObject* wrap(array a, nb::object base = {});
// The same, or one of NumPy's scalars where it is a number that the host has read, or computed of
// memory that it sees, so that it is a number for whoever looks at its type. A bfloat16 stays ours:
// NumPy has no such type, and that of ml_dtypes does not mix with others as ours do.
PyObject* wrap_known(array a);
// A new instance for what was made of another instance: a view of it where they share memory.
PyObject* wrap_view(array a, nb::handle source);

// A copy in an order of memory: 'K', 'C', 'F' or 'A'. One of a scalar is a scalar, one of another
// 0-d array can be written to.
array ordered_copy(const array& a, Dtype dtype, const std::string& order);

bool is_numpy_array(nb::handle object);
// What nothing but the elements matters of: a plain array of NumPy's of one whose class is derived
// from ours, and everything else as it is.
nb::object elements_of(nb::handle object);
// Whether it is an array of ours, or one of NumPy's such as functions give where ours could not be
// it: of a class that is more than its elements, or of elements that ours do not hold.
bool given_as_array(nb::handle object);
bool is_numpy_scalar(nb::handle object);
nb::object numpy_dtype(Dtype dtype);
// The types that have one of the usual names: NumPy's objects and classes for them, Python's types,
// strings. Nothing for any other object.
std::optional<Dtype> known_dtype(nb::handle object);
// Elements that are no numbers here (text, dates, records, objects, longdouble): NumPy's functions
// take them.
class no_numbers : public type_error {
  using type_error::type_error;
};
nb::object& no_numbers_type();

// Anything numpy.dtype takes; throws type_error for types that Heddle has not.
Dtype to_dtype(nb::handle object);
std::optional<Dtype> to_optional_dtype(nb::handle object);

Dims to_dims(nb::handle sequence_or_int);
nb::tuple to_tuple(const Dims& dims);
nb::tuple to_tuple(std::vector<array> arrays);

// An operand of an operation: refers to an array, or holds one, or a weak scalar.
class PythonInput {
 public:
  // False when the object is nothing an operation takes (then Python should ask its other operand).
  bool set(nb::handle object, bool strict = false);
  Input input() const { return scalar_ ? Input(*scalar_) : Input(*array_); }
  bool is_scalar() const { return scalar_.has_value(); }
  const array& as_array();

 private:
  const array* array_ = nullptr;
  std::optional<array> owned_;
  std::optional<Scalar> scalar_;
};

// Whether an operand is of another library and runs ufuncs its own way, by __array_ufunc__.
bool overrides_ufuncs(nb::handle object);
// Whether operators take it: a number, an array, or what they convert to one.
bool is_operand(nb::handle object);
// Whether it is an element like any other to NumPy's operators, as fractions, symbols and None are:
// it converts to no array, has no say in who computes, and is no text.
bool is_object(nb::handle object);

// A Python number as a scalar, if it is one: bool, int, float or complex, not their subclasses.
std::optional<Scalar> to_scalar(nb::handle object);
// The same for the scalars of NumPy's.
std::optional<Scalar> from_numpy_scalar(nb::handle object);
nb::object to_python_number(const array& one_element);
// Nested lists of numbers; the number itself of an array without axes.
nb::object to_python_list(const array& a);

// Called with what takes elements out of an array that is differentiated: what is made of them has
// no derivative. None by default.
void set_lost_gradient_hook(nb::object function);
// Whether somebody differentiates with respect to something that the array depends on.
bool is_differentiated(const array& a);
// A step with a rule of its own wrote to an array whose derivative is asked for.
type_error written_without_rule(const std::string& what);
// Says so, if the array is one.
void tell_of_leaving(const array& a, const char* what);

// The innermost frame of Python's that is not this package's own, as "file:line".
std::string calling_line();

array to_array(nb::handle object);  // arrays pass through, everything else is copied in
// The same for a list or tuple of Python's numbers, or of such, in their own type or another one;
// nothing for what NumPy has to look at.
std::optional<array> from_numbers(nb::handle object, std::optional<Dtype> dtype);
bool holds_arrays(PyObject* list);  // whether a list or tuple, or one in it, has an array of ours
// What such a list comes to, of computations: nobody looks at the elements. Nothing for others.
std::optional<array> joined(nb::handle list, std::optional<Dtype> dtype);
// What was converted on the way into an operation: beside an array of another device it goes there.
array unplaced(array a);
// Called with the device and the shape where that copies to memory that the host does not see; none
// by default.
void set_implicit_copy_hook(nb::object function);
void tell_of_copy(const std::string& device, const Dims& shape);
array from_numpy(nb::handle numpy_array, bool alias);
// Whether an array of ours can have the memory of one of NumPy's: not where it is unaligned, or of
// foreign byte order.
bool is_shareable(nb::handle numpy_array);
nb::object to_numpy(const array& a);  // a view that shares the memory

// A copy in NumPy's memory, from any device. Order as in NumPy's copy.
nb::object copied_to_numpy(const array& a, const std::string& order);
// The same into an array of the same shape and type that is contiguous. Returns before the elements
// are there only if told not to block.
void copy_into(const array& a, nb::handle numpy_array, bool blocking);

// Keeps a storage exported as long as somebody outside looks at its memory.
struct Export {
  explicit Export(const array& a);
  ~Export();
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;
  array source;
  void* address;
};
// What NumPy's array interface and CUDA's have in common.
nb::dict interface_of(const Export& e);
// An alias of the memory of an object with __cuda_array_interface__; nothing for others.
std::optional<array> from_device_memory(nb::handle object);
void bind_interop(nb::module_& m);

std::vector<IndexItem> to_index(nb::handle object);

// The exception for errors of devices and their libraries.
nb::object& device_error_type();

// Sets the Python error for the exception being handled.
void set_python_error();

// Runs f, which returns a PyObject*; an exception becomes a Python error and nullptr.
template <class F>
PyObject* guarded(F&& f) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// The slots of ndarray that lend out its memory.
int get_buffer_slot(PyObject* self, Py_buffer* view, int flags);
void release_buffer_slot(PyObject* self, Py_buffer* view);

void bind_ndarray(nb::module_& m);
void bind_array_class(nb::module_& m);
void bind_functions(nb::module_& m);
void bind_ufunc(nb::module_& m);
void bind_operations(nb::module_& m);
void bind_sorting(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_fourier(nb::module_& m);
void bind_random(nb::module_& m);
void bind_runtime(nb::module_& m);
void bind_reports(nb::module_& m);
void bind_scalar(nb::module_& m);
void bind_tape(nb::module_& m);
void bind_transform(nb::module_& m);
void bind_own_nodes(nb::module_& m);

}  // namespace heddle::python

// Functions of the core that take and give arrays are bound as they are.
template <>
struct nanobind::detail::type_caster<heddle::array> {
  static constexpr auto Name = const_name("ndarray");
  template <class T>
  using Cast = precise_cast_t<T>;

  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    if (!heddle::python::is_array(object.ptr())) return false;
    value_ = &heddle::python::array_in(object.ptr());
    return true;
  }
  template <class T>
  static handle from_cpp(T&& a, rv_policy, cleanup_list*) noexcept {
    return heddle::python::wrap(std::forward<T>(a));
  }
  template <class T>
  bool can_cast() const noexcept {
    return true;
  }
  explicit operator heddle::array*() { return value_; }
  explicit operator heddle::array&() { return *value_; }
  explicit operator heddle::array&&() { return std::move(*value_); }

 private:
  heddle::array* value_;
};
