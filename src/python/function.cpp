#include "python/function.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>
#include <structmember.h>

#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/elementwise.h"
#include "python/items.h"
#include "python/numpy_scalars.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

constexpr Py_ssize_t most_parameters = 12;

// The object that is called instead of a function in Python.
struct Function {
  PyObject object;
  vectorcallfunc vectorcall;
  PyObject* attributes;
  PyObject* weak_references;
  PyObject* function;
  PyObject* theirs;  // NumPy's function of this name, for arrays of others; null without one
  PyObject* names;   // of the parameters: only by position, then by both, then only by name
  Py_ssize_t only_positional, positional, count;
  bool takes_more;  // by position
  UsualCall usual;  // null where all calls are for Python
};

// `function`, and the type derived from it of those that are methods of classes that have them.
PyTypeObject* function_type = nullptr;
PyTypeObject* method_type = nullptr;

bool is_function(PyObject* object) {
  return Py_TYPE(object) == function_type || Py_TYPE(object) == method_type;
}
Function& in(PyObject* self) { return *reinterpret_cast<Function*>(self); }

// Puts what was given in order; false where the parameters do not take it.
bool sort_out(const Function& f, PyObject* const* args, Py_ssize_t count, PyObject* keywords,
              PyObject** given) {
  if (count > f.positional && !f.takes_more) return false;
  const auto filled = std::min(count, f.positional);
  std::copy_n(args, filled, given);
  std::fill(given + filled, given + f.count, nullptr);
  const auto named = keywords ? NB_TUPLE_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    // Names in programs are one object each; any others are for Python.
    PyObject* name = NB_TUPLE_GET_ITEM(keywords, k);
    auto i = f.only_positional;
    while (i < f.count && NB_TUPLE_GET_ITEM(f.names, i) != name) ++i;
    if (i == f.count || given[i]) return false;
    given[i] = args[count + k];
  }
  return true;
}

// --- arrays of other libraries, which run NumPy's functions their own way ---

PyObject* ask_others = nullptr;  // ask_others(our function, NumPy's, args, kwargs)
PyObject* numpys_own = nullptr;  // numpys_own(NumPy's function, args, kwargs)

// Whether a type has __array_function__, and is neither ours nor NumPy's own.
bool is_foreign_type(nb::handle type) {
  nb::object numpys = nb::module_::import_("numpy").attr("ndarray").attr("__array_function__");
  nb::object found = nb::getattr(type, "__array_function__", nb::none());
  return !found.is_none() && !found.is(numpys) &&
         !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), ndarray_type);
}

bool is_foreign(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == ndarray_type || type == &PyLong_Type || type == &PyFloat_Type) return false;
  // What was found out, of types that are kept.
  static auto* known = new std::unordered_map<PyTypeObject*, bool>;
  const auto found = known->find(type);
  if (found != known->end()) return found->second;
  const nb::object kept = nb::borrow(reinterpret_cast<PyObject*>(type));
  const bool foreign = is_foreign_type(kept);
  known->emplace(reinterpret_cast<PyTypeObject*>(kept.inc_ref().ptr()), foreign);
  return foreign;
}

// The same of an argument, or of the items of a list; of numbers the first one tells for all.
bool has_foreign(PyObject* argument) {
  if (!is_sequence(argument)) return is_foreign(argument);
  const Items items(argument);
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    if (i == 0 && (PyFloat_CheckExact(items[i]) || PyLong_CheckExact(items[i]))) return false;
    if (is_foreign(items[i])) return true;
  }
  return false;
}

struct Arguments {
  nb::tuple positional;
  nb::dict by_name;
};

Arguments collected(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  nb::list positional;
  nb::dict by_name;
  for (Py_ssize_t i = 0; i < count; ++i) positional.append(nb::handle(args[i]));
  const auto named = keywords ? NB_TUPLE_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    by_name[nb::handle(NB_TUPLE_GET_ITEM(keywords, k))] = nb::handle(args[count + k]);
  }
  return {nb::tuple(positional), by_name};
}

// Whether an argument is an array of ours, or a list that holds one.
bool has_ours(PyObject* argument) {
  if (!is_sequence(argument)) return is_array(argument);
  const Items items(argument);
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    if (has_ours(items[i])) return true;
  }
  return false;
}

// A scalar as one of NumPy's, if nobody minds that it is computed now.
PyObject* known(PyObject* made) {
  const nb::object scalar = nb::steal(made);
  array& a = array_in(made);
  if (!a.number() && !may_work_at_once(*a.storage().value())) return Py_NewRef(made);
  if (!a.number()) a.eval();
  const auto number = known_number(a);
  return number ? wrap_known(to_array(*number)) : Py_NewRef(made);
}

// The function in Python. What it refuses because it is no numbers is for NumPy's function.
PyObject* call_own(const Function& f, PyObject* const* args, std::size_t flags,
                   PyObject* keywords) {
  PyObject* made = PyObject_Vectorcall(f.function, args, flags, keywords);
  if (made && f.theirs && is_array(made) && is_scalar(array_in(made))) {
    // Of numbers, lists and arrays of others a number is made, as ufuncs make one of numbers.
    const auto count = PyVectorcall_NARGS(flags) + (keywords ? NB_TUPLE_GET_SIZE(keywords) : 0);
    const bool theirs = std::none_of(args, args + count, has_ours);
    return theirs ? guarded([&] { return known(made); }) : made;
  }
  if (made || !f.theirs || !PyErr_ExceptionMatches(no_numbers_type().ptr())) return made;
  const nb::python_error refusal;  // what NumPy refuses, too, is its error
  return guarded([&] {
    const auto [positional, by_name] = collected(args, PyVectorcall_NARGS(flags), keywords);
    return nb::handle(numpys_own)(nb::handle(f.theirs), positional, by_name).release().ptr();
  });
}

PyObject* call_in_python(const Function& f, PyObject* const* args, std::size_t flags,
                         PyObject* keywords) {
  const auto count = PyVectorcall_NARGS(flags);
  const auto named = keywords ? NB_TUPLE_GET_SIZE(keywords) : 0;
  if (!f.theirs || std::none_of(args, args + count + named, has_foreign)) {
    return call_own(f, args, flags, keywords);
  }
  return guarded([&] {
    const auto [positional, by_name] = collected(args, count, keywords);
    return nb::handle(ask_others)(nb::handle(f.function), nb::handle(f.theirs), positional, by_name)
        .release()
        .ptr();
  });
}

PyObject* call(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* keywords) {
  const Function& f = in(self);
  const auto count = PyVectorcall_NARGS(flags);
  PyObject* values[most_parameters];
  if (f.usual && sort_out(f, args, count, keywords, values)) {
    Given given{values, {}};
    if (count > f.positional) {
      given.rest = {args + f.positional, static_cast<std::size_t>(count - f.positional)};
    }
    PyObject* made = guarded([&] { return f.usual(given); });
    if (made || PyErr_Occurred()) return made;
  }
  return call_in_python(f, args, flags, keywords);
}

int traverse_slot(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(in(self).function);
  Py_VISIT(in(self).attributes);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear_slot(PyObject* self) {
  Py_CLEAR(in(self).attributes);
  return 0;
}

void dealloc_slot(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (in(self).weak_references) PyObject_ClearWeakRefs(self);
  clear_slot(self);
  Py_CLEAR(in(self).function);
  Py_CLEAR(in(self).names);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* repr_slot(PyObject* self) { return PyObject_Repr(in(self).function); }

// The same for instances that have it, as a routine that is written in C.
PyObject* get_slot(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

// As a method of an instance.
PyObject* bind_slot(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance) return Py_NewRef(self);
  static auto* method = new nb::object(nb::module_::import_("types").attr("MethodType"));
  return PyObject_CallFunctionObjArgs(method->ptr(), self, instance, nullptr);
}

// Pickled and copied by its name, as functions are.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

// What Python's functions have beside the attributes that are copied.
PyObject* getattr_slot(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(in(self).function, name);
}

void make_types(nb::module_& m) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(Function, attributes), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyMethodDef methods[] = {
      {"__reduce__", reduce, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyGetSetDef properties[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_slot)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse_slot)},
      {Py_tp_clear, reinterpret_cast<void*>(clear_slot)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_repr, reinterpret_cast<void*>(repr_slot)},
      {Py_tp_getattro, reinterpret_cast<void*>(getattr_slot)},
      {Py_tp_members, static_cast<void*>(members)},
      {Py_tp_methods, static_cast<void*>(methods)},
      {Py_tp_getset, static_cast<void*>(properties)},
      {Py_tp_descr_get, reinterpret_cast<void*>(get_slot)},
      {0, nullptr},
  };
  constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                             Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Spec spec{"heddle._core.function", sizeof(Function), 0, flags | Py_TPFLAGS_BASETYPE,
                   slots};
  PyType_Spec method{"heddle._core.method", sizeof(Function), 0,
                     flags | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
  auto add = [&](PyObject* type, const char* name) {
    if (!type) throw nb::python_error();
    m.attr(name) = nb::steal(type);
    return reinterpret_cast<PyTypeObject*>(type);
  };
  function_type = add(PyType_FromSpec(&spec), "function");
  std::end(slots)[-2].pfunc = reinterpret_cast<void*>(bind_slot);
  method_type =
      add(PyType_FromSpecWithBases(&method, reinterpret_cast<PyObject*>(function_type)), "method");
}

UsualCall find_call(const std::string& name) {
  for (auto calls :
       {creation_calls(), element_calls(), reduction_calls(), shape_calls(), ufunc_calls()}) {
    for (const NamedCall& named : calls) {
      if (name == named.name) return named.call;
    }
  }
  throw value_error(fmt::format("in_core: there are no usual calls of '{}'", name));
}

// The object for a function, without usual calls.
nb::object make_function(const nb::object& function) {
  auto* made = PyObject_GC_New(Function, method_type);
  if (!made) throw nb::python_error();
  std::memset(reinterpret_cast<char*>(made) + sizeof(PyObject), 0,
              sizeof(Function) - sizeof(PyObject));
  made->vectorcall = call;
  made->function = nb::object(function).release().ptr();
  PyObject_GC_Track(made);
  nb::object self = nb::steal(reinterpret_cast<PyObject*>(made));
  nb::module_::import_("functools").attr("update_wrapper")(self, function);
  return self;
}

nb::object as_function(const nb::object& function) {
  return is_function(function.ptr()) ? function : make_function(function);
}

// The function as one that is no method where it is an attribute of a class.
nb::object unbound(const nb::object& function) {
  nb::object self = as_function(function);
  if (Py_TYPE(self.ptr()) == function_type) return self;
  Py_INCREF(function_type);
  Py_SET_TYPE(self.ptr(), function_type);
  Py_DECREF(method_type);
  return self;
}

// The function as one that asks arrays of other libraries what they make of NumPy's. One that does
// so already, by another name, stays as it is.
nb::object dispatched(const nb::object& function, nb::handle theirs) {
  nb::object self = as_function(function);
  Function& f = in(self.ptr());
  if (!f.theirs) f.theirs = nb::borrow(theirs).release().ptr();  // for good
  return self;
}

nb::object in_core(const nb::object& function, nb::handle name) {
  nb::object called = name.is_none() ? nb::object(function.attr("__name__")) : nb::borrow(name);
  UsualCall usual = find_call(nb::cast<std::string>(called));
  nb::object inner = function;  // with the parameters of its own, whatever is around it
  while (nb::hasattr(inner, "__wrapped__")) inner = inner.attr("__wrapped__");
  nb::object code = inner.attr("__code__");
  auto number = [&](const char* what) { return nb::cast<Py_ssize_t>(code.attr(what)); };
  const auto positional = number("co_argcount");
  auto count = positional + number("co_kwonlyargcount");
  nb::object names = code.attr("co_varnames");
  // No usual call is given another array to make its result like.
  if (count > positional && nb::cast<std::string>(names[count - 1]) == "like") --count;
  if (count > most_parameters) throw value_error("in_core: too many parameters");

  nb::object self = make_function(function);
  Function& made = in(self.ptr());
  made.names = names.release().ptr();
  made.only_positional = number("co_posonlyargcount");
  made.positional = positional;
  made.count = count;
  made.takes_more = number("co_flags") & 0x04;  // CO_VARARGS
  made.usual = usual;
  return self;
}

}  // namespace

bool is_no_value(PyObject* given) {
  static auto* mark = new nb::object(nb::module_::import_("numpy").attr("_NoValue"));
  return !given || given == mark->ptr();
}

bool read_operand(PyObject* given, PythonInput& operand) {
  if (!given || !(is_array(given) || PyFloat_CheckExact(given) || PyLong_CheckExact(given) ||
                  PyBool_Check(given) || PyComplex_CheckExact(given) || numpy_scalar_type(given))) {
    return false;
  }
  return operand.set(given);
}

bool read_integer(PyObject* given, std::int64_t& value) {
  if (!given) return true;
  if (!PyLong_CheckExact(given)) return false;
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(given, &overflow);
  return overflow == 0;
}

bool read_flag(PyObject* given, bool& flag) {
  if (is_no_value(given)) return true;
  flag = given == Py_True;
  return flag || given == Py_False;
}

bool read_dtype(PyObject* given, Dtype& dtype) {
  if (is_missing(given)) return true;
  auto known = known_dtype(given);
  if (known) dtype = *known;
  return known.has_value();
}

Device* read_device(PyObject* given) {
  if (is_missing(given)) return &default_device();
  if (!PyUnicode_CheckExact(given)) return nullptr;
  for (Device* device : {&default_device(), &cpu_device()}) {
    if (PyUnicode_CompareWithASCIIString(given, device->name().c_str()) == 0) return device;
  }
  return nullptr;
}

bool is_order(PyObject* given, const char* letter) {
  return is_missing(given) ||
         (PyUnicode_CheckExact(given) && PyUnicode_CompareWithASCIIString(given, letter) == 0);
}

bool read_integers(std::span<PyObject* const> given, Dims& values) {
  if (given.size() > max_dims) return false;
  std::int64_t value = 0;
  for (PyObject* item : given) {
    if (!read_integer(item, value)) return false;
    values.push_back(value);
  }
  return true;
}

bool read_integers(PyObject* given, Dims& values) {
  if (!given) return false;
  if (!is_sequence(given)) return read_integers(std::span(&given, 1), values);
  const Items items(given);
  if (items.size() > max_dims) return false;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyObject* item = items[i];
    if (!read_integers(std::span(&item, 1), values)) return false;
  }
  return true;
}

bool read_shape(PyObject* given, Dims& shape) {
  return read_integers(given, shape) && std::ranges::all_of(shape, [](auto n) { return n >= 0; });
}

bool read_axis(PyObject* given, std::int64_t ndim, std::int64_t& axis) {
  if (!read_integer(given, axis) || axis < -ndim || axis >= ndim) return false;
  if (axis < 0) axis += ndim;
  return true;
}

bool read_axes(PyObject* given, std::int64_t ndim, Dims& axes) {
  return read_integers(given, axes) && are_axes(axes, ndim);
}

bool are_axes(Dims& axes, std::int64_t ndim) {
  std::uint64_t seen = 0;
  for (auto& axis : axes) {
    if (axis < -ndim || axis >= ndim) return false;
    if (axis < 0) axis += ndim;
    if (seen >> axis & 1) return false;
    seen |= std::uint64_t{1} << axis;
  }
  return true;
}

void bind_functions(nb::module_& m) {
  make_types(m);
  m.def("in_core", in_core, nb::arg("function"), nb::arg("name") = nb::none());
  m.def("unbound", unbound, nb::arg("function"));
  m.def("dispatched", dispatched, nb::arg("function"), nb::arg("theirs"));
  m.def("set_ask_others", [](nb::object others, nb::object own) {
    ask_others = others.release().ptr();
    numpys_own = own.release().ptr();
  });
}

}  // namespace heddle::python
