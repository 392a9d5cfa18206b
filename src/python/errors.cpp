// Errors of C++ as Python's: NumPy's exceptions, and those of the language.
#include <heddle/errors.h>

#include <new>

#include "graph/look.h"
#include "python/convert.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/programs.h"
#include "runtime/races.h"

namespace heddle::python {

namespace {

// A class of Python's: it may itself fail to be imported, and that is the error then.
void set_error(const char* module, const char* name, const std::exception& failed) {
  try {
    const nb::object type = nb::module_::import_(module).attr(name);
    PyErr_SetString(type.ptr(), failed.what());
  } catch (nb::python_error& e) {
    e.restore();
  }
}

}  // namespace

nb::object& no_numbers_type() {
  static auto* type = new nb::object(nb::steal(PyErr_NewExceptionWithDoc(
      "heddle._core.NoNumbers", "Elements that only NumPy's arrays have: text, dates, objects.",
      PyExc_TypeError, nullptr)));
  return *type;
}

nb::object& device_error_type() {
  static auto* type = new nb::object(nb::steal(PyErr_NewExceptionWithDoc(
      "heddle.cuda.runtime.CUDARuntimeError", "An error of CUDA; `status` is its number.",
      PyExc_RuntimeError, nullptr)));
  return *type;
}

void set_python_error() {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const axis_error& e) {
    set_error("numpy.exceptions", "AxisError", e);  // the class takes the message alone
  } catch (const linalg_error& e) {
    set_error("numpy.linalg", "LinAlgError", e);
  } catch (const look_forbidden& e) {
    set_error("heddle.cupyx._waiting", "DeviceSynchronized", e);
  } catch (const race_error& e) {
    set_error("heddle.simt._errors", "RaceError", e);
  } catch (const recursion_error& e) {
    PyErr_SetString(PyExc_RecursionError, e.what());
  } catch (const assertion_error& e) {
    PyErr_SetString(PyExc_AssertionError, e.what());
  } catch (const value_error& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const no_numbers& e) {
    PyErr_SetString(no_numbers_type().ptr(), e.what());
  } catch (const type_error& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const index_error& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const zero_division_error& e) {
    PyErr_SetString(PyExc_ZeroDivisionError, e.what());
  } catch (const overflow_error& e) {
    PyErr_SetString(PyExc_OverflowError, e.what());
  } catch (const device_error& e) {
    nb::object error = device_error_type()(e.what());
    error.attr("status") = e.status;
    PyErr_SetObject(device_error_type().ptr(), error.ptr());
  } catch (const import_error& e) {
    PyErr_SetString(PyExc_ImportError, e.what());
  } catch (const out_of_memory& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const interrupted&) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace heddle::python
