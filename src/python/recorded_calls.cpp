#include "python/recorded_calls.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "core/hash.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "python/call_trees.h"
#include "transform/script.h"

namespace heddle::python {

using transform::Script;

void write_signature(std::vector<std::int64_t>& words, std::span<const array* const> arrays) {
  // Who differentiates needs other steps: those that have derivatives.
  words.push_back(differentiated());
  SmallVector<const Storage*, 8> storages;
  for (const array* a : arrays) {
    const Storage& storage = a->storage();
    const Ref<Value> held = storage.value();
    const Value& value = *held;
    const auto known = std::find(storages.begin(), storages.end(), &storage);
    words.push_back(known - storages.begin());
    if (known == storages.end()) storages.push_back(&storage);
    words.push_back(static_cast<std::int64_t>(a->dtype()) << 8 |
                    static_cast<std::int64_t>(value.dtype));
    words.push_back(reinterpret_cast<std::intptr_t>(value.device));
    const Layout& layout = a->layout();
    words.push_back(layout.ndim());
    words.push_back(layout.offset);
    words.insert(words.end(), layout.shape.begin(), layout.shape.end());
    words.insert(words.end(), layout.strides.begin(), layout.strides.end());
    words.push_back(value.shape.size());
    words.insert(words.end(), value.shape.begin(), value.shape.end());
  }
}

std::vector<array> by_storage(const std::vector<array>& arrays) {
  std::vector<array> made;
  made.reserve(arrays.size());
  for (const array& a : arrays) {
    const bool known = std::ranges::any_of(
        made, [&](const array& other) { return &other.storage() == &a.storage(); });
    if (!known) made.push_back(a);
  }
  return made;
}

namespace {

// What a function reads beside its arguments, and what that was: see Guards in guards.py. Where all
// is the same object nothing has changed; else Python looks closer.
class QuickGuards {
 public:
  // As Guards.quick gives them.
  explicit QuickGuards(const nb::tuple& given) : hold_(given[3]), contents_(given[4]) {
    for (nb::handle one : nb::cast<nb::list>(given[0])) {
      names_.push_back({one[0], one[1], one[2]});
    }
    for (nb::handle one : nb::cast<nb::list>(given[1])) {
      attributes_.push_back({one[0], one[1], one[2]});
    }
    for (nb::handle one : nb::cast<nb::list>(given[2])) {
      lists_.push_back({one[0], nb::cast<nb::list>(one[1])});
    }
    for (nb::handle one : nb::cast<nb::list>(given[5])) {
      sizes_.push_back({one[0], nb::cast<Py_ssize_t>(one[1])});
    }
    for (nb::handle one : nb::cast<nb::list>(given[6])) {
      orders_.push_back({one[0], nb::cast<nb::list>(one[1])});
    }
    for (nb::handle one : nb::cast<nb::list>(given[7])) absent_.push_back({one[0], one[1], {}});
  }

  bool hold() const {
    if (!same()) return nb::cast<bool>(hold_());
    return contents_.is_none() || nb::cast<bool>(contents_());
  }

 private:
  struct Named {
    nb::object names, name, value;
  };
  struct Items {
    nb::object items;
    nb::list before;
  };
  struct Size {
    nb::object items;
    Py_ssize_t before;
  };

  // What a name of a dictionary is, or of a class, whose names Python shows by a proxy alone.
  static bool is(const Named& one) {
    if (PyDict_Check(one.names.ptr())) {
      if (PyDict_GetItemWithError(one.names.ptr(), one.name.ptr()) == one.value.ptr()) return true;
      PyErr_Clear();
      return false;
    }
    nb::object now = nb::steal(PyObject_GetItem(one.names.ptr(), one.name.ptr()));
    if (!now.is_valid()) PyErr_Clear();
    return now.ptr() == one.value.ptr();
  }

  static bool are_in_order(const Items& one) {
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    for (nb::handle before : one.before) {
      if (!PyDict_Next(one.items.ptr(), &position, &name, &value)) return false;
      if (name != before.ptr()) return false;
    }
    return true;
  }

  bool same() const {
    for (const Size& one : sizes_) {
      if (PyObject_Size(one.items.ptr()) != one.before) return false;
    }
    if (!std::ranges::all_of(orders_, are_in_order)) return false;
    if (!std::ranges::all_of(names_, is)) return false;
    for (const Named& one : absent_) {
      if (PyDict_Contains(one.names.ptr(), one.name.ptr()) == 0) continue;
      PyErr_Clear();
      return false;
    }
    for (const Named& one : attributes_) {
      nb::object now = nb::steal(PyObject_GetAttr(one.names.ptr(), one.name.ptr()));
      if (!now.is_valid()) PyErr_Clear();
      if (now.ptr() != one.value.ptr()) return false;
    }
    return std::ranges::all_of(lists_, [](const Items& one) {
      const auto count = static_cast<Py_ssize_t>(one.before.size());
      const bool is_list = PyList_Check(one.items.ptr());
      if (!is_list) return true;  // a tuple is what it was
      if (PyList_Size(one.items.ptr()) != count) return false;
      for (Py_ssize_t i = 0; i < count; ++i) {
        if (PyList_GetItem(one.items.ptr(), i) != PyList_GetItem(one.before.ptr(), i)) {
          return false;
        }
      }
      return true;
    });
  }

  std::vector<Named> names_;       // in dictionaries and classes
  std::vector<Named> attributes_;  // of cells, and objects with slots
  std::vector<Items> lists_;
  std::vector<Size> sizes_;    // of dictionaries and classes
  std::vector<Items> orders_;  // keys of dictionaries
  std::vector<Named> absent_;  // in dictionaries
  nb::object hold_;
  nb::object contents_;  // whether what changes in place is what it was; None: there is nothing
};

// The integers that may be inputs: arrays refuse those that their type cannot hold.
struct Limits {
  std::int64_t low, high;

  bool hold(PyObject* number) const {
    if (!PyLong_CheckExact(number)) return true;
    int beyond = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &beyond);
    return beyond == 0 && low <= value && value <= high;
  }
};

struct RecordedCall {
  std::shared_ptr<const Script> script;
  QuickGuards guards;
  std::vector<array> captured;
  nb::object structure;            // None: the only result itself
  std::optional<ResultTree> tree;  // how it is made, if the core knows
  std::vector<nb::object> names;   // keys and classes of the arguments' trees
  // By leaf that is no array: what it has to be; nothing: it is a number, and an input.
  std::vector<nb::object> fixed;
  Limits limits;  // of these
};

struct WordsHash {
  std::size_t operator()(const std::vector<std::int64_t>& words) const {
    std::uint64_t hash = words.size();
    for (auto word : words) hash = mix(hash, static_cast<std::uint64_t>(word));
    return hash;
  }
};

bool have_same_signs(double one, double other) { return std::signbit(one) == std::signbit(other); }

// Whether two objects are equal, and of one class: zeros of another sign are not the same.
bool is_same(PyObject* one, PyObject* other) {
  if (one == other) return true;
  if (Py_TYPE(one) != Py_TYPE(other)) return false;
  if (PyFloat_Check(one) && !have_same_signs(PyFloat_AsDouble(one), PyFloat_AsDouble(other))) {
    return false;
  }
  if (PyComplex_Check(one) &&
      !(have_same_signs(PyComplex_RealAsDouble(one), PyComplex_RealAsDouble(other)) &&
        have_same_signs(PyComplex_ImagAsDouble(one), PyComplex_ImagAsDouble(other)))) {
    return false;
  }
  const int equal = PyObject_RichCompareBool(one, other, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

// The recorded calls of a function whose arguments are trees of arrays, numbers and texts.
class RecordedCalls {
 public:
  // Returns what the call gives; the object itself where none serves.
  nb::object call(nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
    if (calls_.empty() || checks_steps()) return nb::borrow(self);
    CallArguments given;
    if (!read(given, args, kwargs)) return nb::borrow(self);
    const auto found = calls_.find(given.key);
    if (found == calls_.end()) return nb::borrow(self);
    const bool stands_in = std::any_of(given.arrays.begin(), given.arrays.end(),
                                       [](const array* a) { return is_stand_in(*a); });
    // Others may record meanwhile.
    const std::vector<std::shared_ptr<RecordedCall>> calls = found->second;
    for (const auto& one : calls) {
      if (stands_in && one->script->decides()) continue;
      if (!fits(*one, given) || !one->guards.hold()) continue;
      if (auto made = transform::repeat(*one->script, inputs(*one, given))) {
        return result(*one, std::move(*made));
      }
    }
    return nb::borrow(self);
  }

  void add(const nb::tuple& args, const nb::dict& kwargs, std::shared_ptr<Script> script,
           const nb::tuple& guards, std::vector<array> captured, const nb::object& structure,
           const std::vector<int>& inputs, std::pair<std::int64_t, std::int64_t> limits) {
    CallArguments given;
    if (!read(given, args, kwargs)) return;
    auto made = std::make_shared<RecordedCall>(
        RecordedCall{std::move(script),
                     QuickGuards(guards),
                     std::move(captured),
                     structure,
                     structure.is_none() ? std::nullopt : ResultTree::of(structure),
                     {},
                     {},
                     {limits.first, limits.second}});
    for (PyObject* name : given.names) made->names.push_back(nb::borrow(name));
    int number = 0;
    for (PyObject* one : given.others) {
      const bool input = is_number(one) && std::ranges::find(inputs, number) != inputs.end();
      number += is_number(one);
      made->fixed.push_back(input ? nb::object() : nb::borrow(one));
    }
    auto& known = calls_[given.key];
    known.insert(known.begin(), std::move(made));
  }

  void clear() { calls_.clear(); }

 private:
  static bool read(CallArguments& given, const nb::tuple& args, const nb::dict& kwargs) {
    if (!given.read(args, kwargs)) return false;
    write_signature(given.key,
                    {given.arrays.data(), static_cast<std::size_t>(given.arrays.size())});
    return true;
  }

  static bool fits(const RecordedCall& call, const CallArguments& given) {
    for (std::size_t i = 0; i < call.fixed.size(); ++i) {
      const nb::object& fixed = call.fixed[i];
      if (fixed.is_valid()) {
        if (!is_same(given.others[i], fixed.ptr())) return false;
        continue;
      }
      if (!call.limits.hold(given.others[i])) return false;
    }
    for (std::size_t i = 0; i < call.names.size(); ++i) {
      if (!is_same(given.names[i], call.names[i].ptr())) return false;
    }
    return true;
  }

  // Numbers that are inputs come first.
  static std::vector<array> inputs(const RecordedCall& call, const CallArguments& given) {
    std::vector<array> made;
    made.reserve(call.fixed.size() + given.arrays.size() + call.captured.size());
    for (std::size_t i = 0; i < call.fixed.size(); ++i) {
      if (!call.fixed[i].is_valid()) made.emplace_back(*to_scalar(given.others[i]));
    }
    const auto add = [&](const array& a) {
      const bool known = std::ranges::any_of(
          made, [&](const array& other) { return &other.storage() == &a.storage(); });
      if (!known) made.push_back(a);
    };
    for (const array* a : given.arrays) add(*a);
    for (const array& a : call.captured) add(a);
    return made;
  }

  static nb::object result(const RecordedCall& call, std::vector<array> made) {
    if (call.structure.is_none()) return nb::steal(wrap(std::move(made[0])));
    if (call.tree) return call.tree->made_of(std::move(made));
    nb::list leaves;
    for (array& one : made) leaves.append(nb::steal(wrap(std::move(one))));
    return call.structure.attr("unflatten")(leaves);
  }

  std::unordered_map<std::vector<std::int64_t>, std::vector<std::shared_ptr<RecordedCall>>,
                     WordsHash>
      calls_;
};

}  // namespace

void bind_recorded_calls(nb::module_& m) {
  nb::class_<RecordedCalls>(m, "RecordedCalls")
      .def(nb::init<>())
      .def("__call__",
           [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
             return nb::inst_ptr<RecordedCalls>(self)->call(self, args, kwargs);
           })
      .def("add", &RecordedCalls::add, nb::arg("args"), nb::arg("kwargs"), nb::arg("script"),
           nb::arg("guards"), nb::arg("captured"), nb::arg("structure").none(), nb::arg("inputs"),
           nb::arg("limits"))
      .def("clear", &RecordedCalls::clear);
  m.def("set_classes_of_fields", set_classes_of_fields, nb::arg("classes"));
}

}  // namespace heddle::python
