#include "python/recorded_calls.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "core/hash.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "transform/script.h"

namespace heddle::python {

using transform::Script;

void write_signature(std::vector<std::int64_t>& words, std::span<const array* const> arrays) {
  SmallVector<const Storage*, 8> storages;
  for (const array* a : arrays) {
    const Storage& storage = a->storage();
    const Value& value = *storage.value();
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

  bool same() const {
    for (const Named& one : names_) {
      if (PyDict_GetItemWithError(one.names.ptr(), one.name.ptr()) != one.value.ptr()) {
        PyErr_Clear();
        return false;
      }
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

  std::vector<Named> names_;       // in dictionaries
  std::vector<Named> attributes_;  // of cells, and objects with slots
  std::vector<Items> lists_;
  nb::object hold_;
  nb::object contents_;  // whether what changes in place is what it was; None: there is nothing
};

struct RecordedCall {
  std::shared_ptr<const Script> script;
  QuickGuards guards;
  std::vector<array> captured;
  nb::object structure;           // None: the only result itself
  std::vector<nb::object> fixed;  // by argument: the number that it has to be, if it is one
  std::vector<bool> is_input;     // by argument: a number that is an input
};

struct WordsHash {
  std::size_t operator()(const std::vector<std::int64_t>& words) const {
    std::uint64_t hash = words.size();
    for (auto word : words) hash = mix(hash, static_cast<std::uint64_t>(word));
    return hash;
  }
};

bool is_number(PyObject* o) { return PyFloat_CheckExact(o) || PyLong_CheckExact(o); }

// The recorded calls of a function whose arguments are arrays and numbers, by position.
class RecordedCalls {
 public:
  // Returns what the call gives; the object itself where none serves.
  nb::object call(nb::handle self, nb::args args) {
    if (calls_.empty() || checks_nans()) return nb::borrow(self);
    std::vector<std::int64_t> key;
    SmallVector<const array*, 8> arrays;
    if (!read(args, key, arrays)) return nb::borrow(self);
    const auto found = calls_.find(key);
    if (found == calls_.end()) return nb::borrow(self);
    const bool stands_in =
        std::any_of(arrays.begin(), arrays.end(), [](const array* a) { return is_stand_in(*a); });
    // Others may record meanwhile.
    const std::vector<std::shared_ptr<RecordedCall>> calls = found->second;
    for (const auto& one : calls) {
      if (stands_in && one->script->decides()) continue;
      if (!fits(*one, args) || !one->guards.hold()) continue;
      if (auto made = transform::repeat(*one->script, inputs(*one, args, arrays))) {
        return result(*one, std::move(*made));
      }
    }
    return nb::borrow(self);
  }

  void add(const nb::tuple& args, std::shared_ptr<Script> script, const nb::tuple& guards,
           std::vector<array> captured, nb::object structure, const std::vector<int>& inputs) {
    std::vector<std::int64_t> key;
    SmallVector<const array*, 8> arrays;
    if (!read(args, key, arrays)) return;
    auto made = std::make_shared<RecordedCall>(
        RecordedCall{std::move(script),
                     QuickGuards(guards),
                     std::move(captured),
                     std::move(structure),
                     {},
                     {}});
    int number = 0;
    for (nb::handle one : args) {
      const bool counts = is_number(one.ptr());
      const bool input = counts && std::ranges::find(inputs, number) != inputs.end();
      number += counts;
      made->is_input.push_back(input);
      made->fixed.push_back(counts && !input ? nb::borrow(one) : nb::object());
    }
    auto& known = calls_[key];
    known.insert(known.begin(), std::move(made));
  }

  void clear() { calls_.clear(); }

 private:
  // False where an argument is neither an array nor a number.
  static bool read(const nb::tuple& args, std::vector<std::int64_t>& key,
                   SmallVector<const array*, 8>& arrays) {
    key.push_back(static_cast<std::int64_t>(args.size()));
    for (nb::handle one : args) {
      if (is_array(one.ptr())) {
        arrays.push_back(&array_in(one.ptr()));
        key.push_back(0);
      } else if (is_number(one.ptr())) {
        key.push_back(PyFloat_CheckExact(one.ptr()) ? 1 : 2);
      } else {
        return false;
      }
    }
    write_signature(key, {arrays.data(), static_cast<std::size_t>(arrays.size())});
    return true;
  }

  static bool fits(const RecordedCall& call, const nb::tuple& args) {
    for (std::size_t i = 0; i < call.fixed.size(); ++i) {
      const nb::object& fixed = call.fixed[i];
      if (!fixed.is_valid()) continue;
      PyObject* given = nb::handle(args[i]).ptr();
      if (given != fixed.ptr() && PyObject_RichCompareBool(given, fixed.ptr(), Py_EQ) != 1) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }

  // Numbers that are inputs come first.
  static std::vector<array> inputs(const RecordedCall& call, const nb::tuple& args,
                                   const SmallVector<const array*, 8>& arrays) {
    std::vector<array> made;
    made.reserve(args.size() + call.captured.size());
    for (std::size_t i = 0; i < call.is_input.size(); ++i) {
      if (!call.is_input[i]) continue;
      made.emplace_back(*to_scalar(args[i]));
    }
    const auto add = [&](const array& a) {
      const bool known = std::ranges::any_of(
          made, [&](const array& other) { return &other.storage() == &a.storage(); });
      if (!known) made.push_back(a);
    };
    for (const array* a : arrays) add(*a);
    for (const array& a : call.captured) add(a);
    return made;
  }

  static nb::object result(const RecordedCall& call, std::vector<array> made) {
    if (call.structure.is_none()) return nb::steal(wrap(std::move(made[0])));
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
           [](nb::handle self, nb::args args) {
             return nb::inst_ptr<RecordedCalls>(self)->call(self, args);
           })
      .def("add", &RecordedCalls::add, nb::arg("args"), nb::arg("script"), nb::arg("guards"),
           nb::arg("captured"), nb::arg("structure").none(), nb::arg("inputs"))
      .def("clear", &RecordedCalls::clear);
}

}  // namespace heddle::python
