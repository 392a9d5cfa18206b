#include "python/instance.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <structmember.h>

namespace heddle::python {

PyTypeObject* own_array_type = nullptr;
PyTypeObject* ndarray_type = nullptr;
PyTypeObject* scalar_types[kind_count];

namespace {

// Memory of instances that are no more: they are made and dropped all the time. The interpreter's
// lock guards it.
struct Kept {
  static constexpr std::size_t most = 256;
  void* memory[most];
  std::size_t count = 0;
} kept;

bool is_own(PyTypeObject* type) {
  return type == ndarray_type || std::ranges::find(scalar_types, type) != std::end(scalar_types);
}

void dealloc_slot(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto& instance = *reinterpret_cast<Instance*>(self);
  if (instance.weak_references) PyObject_ClearWeakRefs(self);
  instance.held.~PythonArray();
  if (is_own(type) && kept.count < Kept::most) {
    kept.memory[kept.count++] = self;
  } else {
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  }
  Py_DECREF(type);
}

PyObject* allocate(PyTypeObject* type) {
  if (!is_own(type)) {
    // A class written in Python, whose instances have more than arrays.
    return reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  }
  void* memory = kept.count > 0 ? kept.memory[--kept.count] : PyObject_Malloc(sizeof(Instance));
  if (!memory) return PyErr_NoMemory();
  return PyObject_Init(static_cast<PyObject*>(memory), type);
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(InstanceHead, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* make_type(nb::module_& m, const char* full_name, PyType_Slot* slots, unsigned flags,
                    PyTypeObject* base) {
  const auto all_flags = static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | flags);
  PyType_Spec spec{full_name, sizeof(Instance), 0, all_flags, slots};
  PyObject* type = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base));
  if (!type) throw nb::python_error();
  m.attr(std::strrchr(full_name, '.') + 1) = nb::handle(type);
  return type;
}

}  // namespace

void make_own_array_type(nb::module_& m) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_slot)},
      {Py_tp_members, static_cast<void*>(members)},
      {0, nullptr},
  };
  own_array_type = reinterpret_cast<PyTypeObject*>(
      make_type(m, "heddle._core.own_array", slots, Py_TPFLAGS_DISALLOW_INSTANTIATION, nullptr));
}

nb::class_<PythonArray> make_array_type(nb::module_& m, const char* full_name,
                                        const PyType_Slot* slots, PyTypeObject* base) {
  std::vector<PyType_Slot> all{{Py_tp_dealloc, reinterpret_cast<void*>(dealloc_slot)}};
  for (const PyType_Slot* slot = slots; slot->slot; ++slot) all.push_back(*slot);
  all.push_back({0, nullptr});
  return nb::steal<nb::class_<PythonArray>>(make_type(m, full_name, all.data(), 0, base));
}

PyObject* new_instance(PyTypeObject* type, PythonArray held) {
  PyObject* object = allocate(type);
  if (!object) throw nb::python_error();
  auto& instance = *reinterpret_cast<Instance*>(object);
  instance.weak_references = nullptr;
  new (&instance.held) PythonArray(std::move(held));
  return object;
}

}  // namespace heddle::python
