#include "python/call_trees.h"

#include <algorithm>
#include <utility>

#include "python/items.h"

namespace heddle::python {

namespace {

enum class Tag : std::uint8_t {
  array,
  real,
  integer,
  truth,
  text,
  none,
  tuple,
  list,
  dict,
  fields
};

nb::object& classes_of_fields() {
  static auto* classes = new nb::object;  // never destroyed: Python may be gone by then
  return *classes;
}

// The names of the fields of a class, as a tuple; null: it is not known for that.
PyObject* fields_of(PyObject* cls) {
  if (!classes_of_fields().is_valid()) return nullptr;
  PyObject* fields = PyDict_GetItemWithError(classes_of_fields().ptr(), cls);
  if (!fields) PyErr_Clear();
  return fields;
}

std::int64_t hash_of(PyObject* text) { return PyObject_Hash(text); }

}  // namespace

void set_classes_of_fields(nb::dict classes) { classes_of_fields() = std::move(classes); }

bool CallArguments::read(const nb::tuple& args, const nb::dict& kwargs) {
  key.push_back(static_cast<std::int64_t>(args.size()));
  for (nb::handle one : args) {
    if (!add(one.ptr())) return false;
  }
  return kwargs.empty() || add_dict(kwargs.ptr());
}

bool CallArguments::add(PyObject* tree) {
  auto tagged = [&](Tag tag) { key.push_back(static_cast<std::int64_t>(tag)); };
  auto leaf = [&](Tag tag) {
    tagged(tag);
    others.push_back(tree);
    return true;
  };
  if (is_array(tree)) {
    tagged(Tag::array);
    arrays.push_back(&array_in(tree));
    return true;
  }
  if (PyDict_CheckExact(tree)) return add_dict(tree);
  if (is_sequence(tree)) {
    const Items items(tree);
    tagged(PyTuple_CheckExact(tree) ? Tag::tuple : Tag::list);
    key.push_back(items.size());
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      if (!add(items[i])) return false;
    }
    return true;
  }
  if (tree == Py_None) {
    tagged(Tag::none);
    return true;
  }
  if (PyFloat_CheckExact(tree)) return leaf(Tag::real);
  if (PyLong_CheckExact(tree)) return leaf(Tag::integer);
  if (PyBool_Check(tree)) return leaf(Tag::truth);
  if (PyUnicode_CheckExact(tree)) return leaf(Tag::text);
  PyObject* fields = fields_of(reinterpret_cast<PyObject*>(Py_TYPE(tree)));
  return fields && add_fields(tree, fields);
}

bool CallArguments::add_dict(PyObject* dict) {
  struct Item {
    PyObject *name, *value;
    std::int64_t place;  // who goes through the values sees the order
  };
  SmallVector<Item, 8> items;
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &value)) {
    if (!PyUnicode_CheckExact(name)) return false;
    items.push_back({name, value, static_cast<std::int64_t>(items.size())});
  }
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return PyUnicode_Compare(a.name, b.name) < 0; });
  key.push_back(static_cast<std::int64_t>(Tag::dict));
  key.push_back(items.size());
  for (const auto& [text, item, place] : items) {
    key.push_back(hash_of(text));
    key.push_back(place);
    names.push_back(text);
    if (!add(item)) return false;
  }
  return true;
}

bool CallArguments::add_fields(PyObject* given, PyObject* fields) {
  auto* cls = reinterpret_cast<PyObject*>(Py_TYPE(given));
  key.push_back(static_cast<std::int64_t>(Tag::fields));
  key.push_back(reinterpret_cast<std::intptr_t>(cls));
  names.push_back(cls);
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(fields); ++i) {
    if (PyTuple_Check(given)) {
      if (!add(NB_TUPLE_GET_ITEM(given, i))) return false;
      continue;
    }
    const nb::object field = nb::steal(PyObject_GetAttr(given, NB_TUPLE_GET_ITEM(fields, i)));
    if (!field.is_valid()) {
      PyErr_Clear();
      return false;
    }
    // The object has it, unless it is made on demand.
    if (Py_REFCNT(field.ptr()) < 2 || !add(field.ptr())) return false;
  }
  return true;
}

// --- results ---

// Leaves that are no arrays.
struct ResultTree::Filling {
  nb::object is_array, fixed;  // None: all are
  std::size_t next = 0;
};

std::optional<ResultTree> ResultTree::of(nb::handle structure) {
  Filling filling{nb::none(), nb::none()};
  nb::object whole = nb::borrow(structure);
  if (nb::hasattr(structure, "fixed_leaves")) {
    filling.is_array = structure.attr("is_array");
    filling.fixed = structure.attr("fixed_leaves");
    whole = structure.attr("structure");
  }
  auto root = node_of(whole, filling);
  if (!root) return std::nullopt;
  return ResultTree(std::move(*root));
}

std::optional<ResultTree::Node> ResultTree::node_of(nb::handle structure, Filling& filling) {
  Node made;
  const nb::object cls = structure.attr("cls");
  if (cls.is_none()) {
    const auto i = filling.next++;
    if (!filling.is_array.is_none() && !nb::cast<bool>(filling.is_array[i])) {
      made.kind = Kind::fixed;
      made.object = filling.fixed[i];
    }
    return made;
  }
  if (cls.ptr() == reinterpret_cast<PyObject*>(Py_TYPE(Py_None))) {
    made.kind = Kind::fixed;
    made.object = nb::none();
    return made;
  }
  if (cls.ptr() == reinterpret_cast<PyObject*>(&PyTuple_Type)) {
    made.kind = Kind::tuple;
  } else if (cls.ptr() == reinterpret_cast<PyObject*>(&PyList_Type)) {
    made.kind = Kind::list;
  } else if (cls.ptr() == reinterpret_cast<PyObject*>(&PyDict_Type)) {
    made.kind = Kind::dict;
    made.names = structure.attr("known");
    if (nb::hasattr(made.names, "order")) {
      for (nb::handle key : nb::cast<nb::tuple>(made.names.attr("order"))) {
        made.order.push_back(nb::cast<Py_ssize_t>(made.names.attr("index")(key)));
      }
    }
  } else if (PyObject* fields = fields_of(cls.ptr())) {
    made.kind = Kind::fields;
    made.object = cls;
    made.names = nb::borrow(fields);
  } else {
    return std::nullopt;
  }
  for (nb::handle child : nb::cast<nb::tuple>(structure.attr("inside"))) {
    auto inside = node_of(child, filling);
    if (!inside) return std::nullopt;
    made.children.push_back(std::move(*inside));
  }
  return made;
}

nb::object ResultTree::made_of(std::vector<array> arrays) const {
  std::size_t next = 0;
  return made(root_, arrays, next);
}

nb::object ResultTree::made(const Node& node, std::vector<array>& arrays, std::size_t& next) {
  if (node.kind == Kind::leaf) return nb::steal(wrap(std::move(arrays[next++])));
  if (node.kind == Kind::fixed) return node.object;
  SmallVector<PyObject*, 16> children;
  std::vector<nb::object> held;
  held.reserve(node.children.size());
  for (const Node& child : node.children) {
    held.push_back(made(child, arrays, next));
    children.push_back(held.back().ptr());
  }
  const auto count = static_cast<Py_ssize_t>(held.size());
  nb::object result;
  if (node.kind == Kind::fields) {
    result =
        nb::steal(PyObject_Vectorcall(node.object.ptr(), children.data(), 0, node.names.ptr()));
    if (!result.is_valid()) nb::raise_python_error();
    return result;
  }
  if (node.kind == Kind::dict) {
    result = nb::steal(PyDict_New());
    for (Py_ssize_t place = 0; place < count; ++place) {
      const Py_ssize_t i = node.order.empty() ? place : node.order[static_cast<std::size_t>(place)];
      PyDict_SetItem(result.ptr(), NB_TUPLE_GET_ITEM(node.names.ptr(), i), children[i]);
    }
    return result;
  }
  const bool is_tuple = node.kind == Kind::tuple;
  result = nb::steal(is_tuple ? PyTuple_New(count) : PyList_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* child = held[static_cast<std::size_t>(i)].release().ptr();
    if (is_tuple) {
      NB_TUPLE_SET_ITEM(result.ptr(), i, child);
    } else {
      NB_LIST_SET_ITEM(result.ptr(), i, child);
    }
  }
  return result;
}

}  // namespace heddle::python
