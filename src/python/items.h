// Lists and tuples, which are read alike wherever users may give either.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle::python {

// Subclasses may give other items than they hold, and are not meant.
inline bool is_sequence(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

// The items that a list or a tuple holds.
class Items {
 public:
  explicit Items(PyObject* sequence) : sequence_(sequence), list_(PyList_Check(sequence)) {}
  Py_ssize_t size() const {
    return list_ ? NB_LIST_GET_SIZE(sequence_) : NB_TUPLE_GET_SIZE(sequence_);
  }
  PyObject* operator[](Py_ssize_t i) const {
    return list_ ? NB_LIST_GET_ITEM(sequence_, i) : NB_TUPLE_GET_ITEM(sequence_, i);
  }

 private:
  PyObject* sequence_;
  bool list_;
};

}  // namespace heddle::python
