// The ndarray type's slots: operators, numbers, truth.
#include "python/array_slots.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/operators.h"
#include "ops/products.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include "python/array_protocol.h"
#include "python/casters.h"
#include "python/numpy_scalars.h"
#include "python/ufunc.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle::python {

namespace {

// Arrays of ours and numbers, the usual operands, have no say in who computes.
bool is_usual(PyObject* operand) {
  return PyFloat_CheckExact(operand) || PyLong_CheckExact(operand) || is_array(operand) ||
         numpy_scalar_type(operand);
}

// Objects that want to handle the operation themselves.
bool defers(PyObject* other) {
  if (is_usual(other)) return false;
  PyObject* attribute =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(other)), "__array_ufunc__");
  if (!attribute) {
    PyErr_Clear();
    return false;
  }
  bool none = attribute == Py_None;
  Py_DECREF(attribute);
  return none;
}

}  // namespace

bool gives_way(PyObject* other) {
  return defers(other) || (!overrides_ufuncs(other) && !is_operand(other));
}

namespace {

PyObject* call_ufunc(const char* name, PyObject* left, PyObject* right,
                     PyObject* target = nullptr) {
  nb::object table = nb::module_::import_("heddle._core").attr("ufuncs");
  nb::object function = table[name];
  nb::object answer = target ? function(nb::handle(left), nb::handle(right),
                                        nb::arg("out") = nb::make_tuple(nb::handle(target)))
                             : function(nb::handle(left), nb::handle(right));
  return answer.release().ptr();
}

// Where an operand runs ufuncs its own way it gets the operator's ufunc, as in NumPy; else Python
// asks the other operand.
PyObject* by_ufunc(const char* name, PyObject* left, PyObject* right, PyObject* target = nullptr) {
  if (!overrides_ufuncs(left) && !overrides_ufuncs(right)) Py_RETURN_NOTIMPLEMENTED;
  return call_ufunc(name, left, right, target);
}

// Whether it is an array of a class derived from NumPy's, with operators of its own.
bool is_derived(PyObject* object) {
  static const nb::object& plain = *new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  return is_numpy_array(object) && !nb::handle(object).type().is(plain);
}

// Whether an array of a derived class has an operator that NumPy's arrays have not. Python asks it
// before the array on its left, whose class it is derived from; of ours it only seems to be.
bool has_own_operator(PyObject* right, int slot) {
  static const nb::object& plain = *new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  auto* type = reinterpret_cast<PyTypeObject*>(plain.ptr());
  return is_derived(right) && PyType_GetSlot(Py_TYPE(right), slot) != PyType_GetSlot(type, slot);
}

bool comes_first(PyObject* right, PyObject* left, int slot) {
  return is_array(left) && !is_scalar(array_in(left)) && has_own_operator(right, slot);
}

// An operator, or its ufunc where an operand is no numbers: that knows what NumPy makes of them.
template <typename F>
PyObject* of_numbers(const char* name, int slot, PyObject* left, PyObject* right, F compute) {
  return guarded([&]() -> PyObject* {
    try {
      return compute();
    } catch (const no_numbers&) {
      if (comes_first(right, left, slot)) Py_RETURN_NOTIMPLEMENTED;
      return call_ufunc(name, left, right);
    }
  });
}

// The same in place, but for masked arrays: NumPy's ufunc would write what is masked.
template <typename F>
PyObject* of_numbers_in_place(const char* name, PyObject* self, PyObject* other, F compute) {
  return guarded([&]() -> PyObject* {
    try {
      return compute();
    } catch (const no_numbers&) {
      if (is_numpy_array(other) && nb::hasattr(nb::handle(other), "_mask")) throw;
      return call_ufunc(name, self, other, is_scalar(array_in(self)) ? nullptr : self);
    }
  });
}

// What to do with the operands of an operator.
enum class Turn : std::uint8_t { ours, theirs, ufunc };

Turn read_operands(PyObject* left, PyObject* right, PythonInput& a, PythonInput& b) {
  if (defers(right)) return Turn::theirs;
  // On the left of an array is an object that had its turn already.
  bool reflected = !is_usual(left);
  if (reflected && defers(left)) {
    throw type_error(fmt::format("operand '{}' does not support ufuncs (__array_ufunc__=None)",
                                 nb::cast<std::string>(nb::handle(left).type().attr("__name__"))));
  }
  bool strict = reflected && !overrides_ufuncs(left) &&
                nb::hasattr(reinterpret_cast<PyObject*>(Py_TYPE(left)), "__array__");
  if (a.set(left, strict) && b.set(right)) return Turn::ours;
  if (is_object(left) || is_object(right)) throw no_numbers("objects of Python's");
  return Turn::ufunc;
}

bool is_matrix(PyObject* o) {
  if (is_array(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o)) return false;
  static const nb::object& matrix = *new nb::object(nb::module_::import_("numpy").attr("matrix"));
  return PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(matrix.ptr()));
}

// What NumPy's matrices are multiplied with is a matrix, too, and so is their product.
PyObject* of_matrices(const char* name, PyObject* left, PyObject* right) {
  const auto seen = [](PyObject* o) {
    return is_array(o) ? nb::object(nb::module_::import_("numpy").attr("asarray")(nb::handle(o)))
                       : nb::borrow(o);
  };
  return nb::module_::import_("operator").attr(name)(seen(left), seen(right)).release().ptr();
}

template <Op op, int id>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return of_numbers(info(op).name, id, left, right, [&]() -> PyObject* {
    if constexpr (op == Op::multiply || op == Op::power) {
      if (is_matrix(left) || is_matrix(right)) {
        return of_matrices(op == Op::power ? "pow" : "mul", left, right);
      }
    }
    PythonInput a, b;
    switch (read_operands(left, right, a, b)) {
      case Turn::ours:
        return wrap(binary(op, a.input(), b.input()));
      case Turn::theirs:
        break;
      case Turn::ufunc:
        if constexpr (op == Op::add) {  // Python would append the memory to such a text
          if (PyBytes_Check(left)) throw no_numbers("bytes");
        }
        return by_ufunc(info(op).name, left, right);
    }
    Py_RETURN_NOTIMPLEMENTED;
  });
}

PyObject* power_slot(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary_slot<Op::power, Py_nb_power>(left, right);
}

template <Op op>
PyObject* in_place_slot(PyObject* self, PyObject* other) {
  return of_numbers_in_place(info(op).name, self, other, [&]() -> PyObject* {
    PythonInput a, b;
    if (defers(other)) Py_RETURN_NOTIMPLEMENTED;
    const bool plain = a.set(self) && b.set(elements_of(other));
    array& target = array_in(self);
    // As in NumPy, where nothing may be written is said before what is wrong with types.
    if (!is_scalar(target) && !writeable(target) && !overrides_ufuncs(other)) {
      throw value_error("output array is read-only");
    }
    if (!plain) {
      // The ufunc says why the array cannot hold the result; a scalar becomes the result.
      const bool refuses = is_object(other) && !is_scalar(target);
      return (refuses ? call_ufunc : by_ufunc)(info(op).name, self, other, self);
    }
    if (is_scalar(target)) return wrap(binary(op, a.input(), b.input()));
    const WriteLock lock(target.storage());
    write_in_place(op, target, binary_in_place(op, target, a.input(), b.input()));
    Py_INCREF(self);
    return self;
  });
}

PyObject* in_place_power_slot(PyObject* self, PyObject* other, PyObject*) {
  return in_place_slot<Op::power>(self, other);
}

template <Op op>
PyObject* unary_slot(PyObject* self) {
  return guarded([&] { return wrap(elementwise(op, {array_in(self)})); });
}

PyObject* matmul_slot(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    if (is_array(left) && is_array(right)) {
      return wrap_known(multiply(Product::matmul, array_in(left), array_in(right)));
    }
    if (is_array(left) && gives_way(right)) Py_RETURN_NOTIMPLEMENTED;
    if (comes_first(right, left, Py_nb_matrix_multiply)) Py_RETURN_NOTIMPLEMENTED;
    nb::object table = nb::module_::import_("heddle._core").attr("generalized_ufuncs");
    return table["matmul"](nb::handle(left), nb::handle(right)).release().ptr();
  });
}

PyObject* divmod_slot(PyObject* left, PyObject* right) {
  return of_numbers("divmod", Py_nb_divmod, left, right, [&]() -> PyObject* {
    PythonInput a, b;
    Turn turn = read_operands(left, right, a, b);
    if (turn == Turn::theirs) Py_RETURN_NOTIMPLEMENTED;
    if (turn == Turn::ufunc) return by_ufunc("divmod", left, right);
    return nb::make_tuple(nb::steal(wrap(elementwise(Op::floor_divide, {a.input(), b.input()}))),
                          nb::steal(wrap(elementwise(Op::remainder, {a.input(), b.input()}))))
        .release()
        .ptr();
  });
}

// What an object that is no number says to a comparison with an array; nothing if it leaves that to
// the array.
nb::object answer_of(PyObject* object, PyObject* self, int relation) {
  auto compare = reinterpret_cast<richcmpfunc>(PyType_GetSlot(Py_TYPE(object), Py_tp_richcompare));
  if (!compare) return {};
  nb::object answer = nb::steal(compare(object, self, relation));
  if (!answer.is_valid()) throw nb::python_error();
  return answer.is(nb::handle(Py_NotImplemented)) ? nb::object() : answer;
}

// Whether it may be equal to a number: not None, nor what is equal to itself alone.
bool compares_with_numbers(PyObject* object) {
  return PyType_GetSlot(Py_TYPE(object), Py_tp_richcompare) !=
         PyType_GetSlot(&PyBaseObject_Type, Py_tp_richcompare);
}

// Objects are compared as NumPy does it: element by element, by Python.
PyObject* compared_by_python(PyObject* self, PyObject* object, int relation) {
  const nb::object host = nb::handle(self).attr("get")();
  const nb::object answer = nb::steal(PyObject_RichCompare(host.ptr(), object, relation));
  if (!answer.is_valid()) throw nb::python_error();
  return wrap(to_device(to_array(answer), array_in(self).device()));
}

PyObject* compared(PyObject* left, PyObject* right, int relation) {
  const char* name = info(comparisons[relation]).name;
  PythonInput a, b;
  if (defers(left) || defers(right) || !a.set(left)) Py_RETURN_NOTIMPLEMENTED;
  if (!b.set(right)) {
    bool equality = relation == Py_EQ || relation == Py_NE;
    if (is_object(right) && (!equality || compares_with_numbers(right))) {
      return compared_by_python(left, right, relation);
    }
    if (!equality || overrides_ufuncs(right)) {
      return by_ufunc(name, left, right);
    }
    if (nb::object answer = answer_of(right, left, relation)) return answer.release().ptr();
    // No element equals what is no number.
    const array& self = a.as_array();
    return wrap(full(self.shape(), relation == Py_NE, Dtype::bool_, self.device()));
  }
  return wrap(binary(comparisons[relation], a.input(), b.input()));
}

PyObject* compare_slot(PyObject* left, PyObject* right, int relation) {
  return guarded([&]() -> PyObject* {
    try {
      return compared(left, right, relation);
    } catch (const no_numbers&) {
      if (has_own_operator(right, Py_tp_richcompare)) Py_RETURN_NOTIMPLEMENTED;
      // No text equals a number: NumPy's operators know that, and its ufuncs do not.
      if ((relation == Py_EQ || relation == Py_NE) && !is_derived(right)) {
        return compared_by_python(left, right, relation);
      }
      return call_ufunc(info(comparisons[relation]).name, left, right);
    }
  });
}

int truth_slot(PyObject* self) {
  PyObject* truth = guarded([&]() -> PyObject* {
    const array& a = array_in(self);
    check_truth(a);
    return to_python_number(a).release().ptr();
  });
  if (!truth) return -1;
  int result = PyObject_IsTrue(truth);
  Py_DECREF(truth);
  return result;
}

}  // namespace

nb::object only_number(const array& a) {
  if (a.ndim() != 0) {
    throw type_error("only 0-dimensional arrays can be converted to Python scalars");
  }
  return to_python_number(a);
}

namespace {

// Of a complex number the real part, with NumPy's warning, where NumPy has a scalar; of an array
// nothing: Python says why.
nb::object real_number(const array& a) {
  nb::object number = only_number(a);
  if (!PyComplex_Check(number.ptr()) || !is_scalar(a)) return number;
  warn_of_lost_part(a.dtype(), Dtype::float64);
  return number.attr("real");
}

PyObject* int_slot(PyObject* self) {
  return guarded([&] {
    tell_of_leaving(array_in(self), "int()");
    return PyNumber_Long(real_number(array_in(self)).ptr());
  });
}

PyObject* float_slot(PyObject* self) {
  return guarded([&] {
    tell_of_leaving(array_in(self), "float()");
    return PyNumber_Float(real_number(array_in(self)).ptr());
  });
}

PyObject* index_slot(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const array& a = array_in(self);
    if (a.ndim() != 0 || !is_integer(a.dtype())) {
      throw type_error("only integer scalar arrays can be converted to a scalar index");
    }
    return to_python_number(a).release().ptr();
  });
}

int init_slot(PyObject*, PyObject*, PyObject*) { return 0; }

template <class F>
PyType_Slot slot(int id, F* function) {
  return {id, reinterpret_cast<void*>(function)};
}

}  // namespace

const PyType_Slot* array_slots() {
  static PyType_Slot list[] = {
      slot(Py_nb_add, binary_slot<Op::add, Py_nb_add>),
      slot(Py_nb_subtract, binary_slot<Op::subtract, Py_nb_subtract>),
      slot(Py_nb_multiply, binary_slot<Op::multiply, Py_nb_multiply>),
      slot(Py_nb_true_divide, binary_slot<Op::divide, Py_nb_true_divide>),
      slot(Py_nb_floor_divide, binary_slot<Op::floor_divide, Py_nb_floor_divide>),
      slot(Py_nb_remainder, binary_slot<Op::remainder, Py_nb_remainder>),
      slot(Py_nb_divmod, divmod_slot),
      slot(Py_nb_matrix_multiply, matmul_slot),
      slot(Py_nb_power, power_slot),
      slot(Py_nb_and, binary_slot<Op::bitwise_and, Py_nb_and>),
      slot(Py_nb_or, binary_slot<Op::bitwise_or, Py_nb_or>),
      slot(Py_nb_xor, binary_slot<Op::bitwise_xor, Py_nb_xor>),
      slot(Py_nb_lshift, binary_slot<Op::left_shift, Py_nb_lshift>),
      slot(Py_nb_rshift, binary_slot<Op::right_shift, Py_nb_rshift>),
      slot(Py_nb_inplace_add, in_place_slot<Op::add>),
      slot(Py_nb_inplace_subtract, in_place_slot<Op::subtract>),
      slot(Py_nb_inplace_multiply, in_place_slot<Op::multiply>),
      slot(Py_nb_inplace_true_divide, in_place_slot<Op::divide>),
      slot(Py_nb_inplace_floor_divide, in_place_slot<Op::floor_divide>),
      slot(Py_nb_inplace_remainder, in_place_slot<Op::remainder>),
      slot(Py_nb_inplace_power, in_place_power_slot),
      slot(Py_nb_inplace_and, in_place_slot<Op::bitwise_and>),
      slot(Py_nb_inplace_or, in_place_slot<Op::bitwise_or>),
      slot(Py_nb_inplace_xor, in_place_slot<Op::bitwise_xor>),
      slot(Py_nb_inplace_lshift, in_place_slot<Op::left_shift>),
      slot(Py_nb_inplace_rshift, in_place_slot<Op::right_shift>),
      slot(Py_nb_negative, unary_slot<Op::negative>),
      slot(Py_nb_positive, unary_slot<Op::positive>),
      slot(Py_nb_absolute, unary_slot<Op::absolute>),
      slot(Py_nb_invert, unary_slot<Op::invert>),
      slot(Py_nb_bool, truth_slot),
      slot(Py_nb_int, int_slot),
      slot(Py_nb_float, float_slot),
      slot(Py_nb_index, index_slot),
      slot(Py_tp_richcompare, compare_slot),
      slot(Py_tp_hash, PyObject_HashNotImplemented),
      slot(Py_tp_iter, iteration_slot),
      slot(Py_mp_subscript, subscript_slot),
      slot(Py_mp_ass_subscript, assign_slot),
      slot(Py_mp_length, length_slot),
      slot(Py_sq_length, length_slot),
      slot(Py_sq_item, item_slot),
      slot(Py_sq_ass_item, assign_item_slot),
      slot(Py_tp_init, init_slot),
      slot(Py_bf_getbuffer, get_buffer_slot),
      slot(Py_bf_releasebuffer, release_buffer_slot),
      {0, nullptr},
  };
  return list;
}

}  // namespace heddle::python
