// Trees of arguments and results of jitted calls, taken apart and put together without Python: see
// python/heddle/tree.py, which knows all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "python/convert.h"
#include <heddle/small_vector.h>

namespace heddle::python {

// The arguments of a call: leaves in the order of heddle.tree, and what tells their trees apart.
struct CallArguments {
  std::vector<std::int64_t> key;
  // Of the arrays among the leaves, by which each call is a call on other ones.
  SmallVector<const array*, 16> arrays;
  // Numbers, truth values and texts.
  SmallVector<PyObject*, 8> others;
  // Keys of dictionaries and classes: the key has only hashes of them.
  SmallVector<PyObject*, 16> names;

  // False where a leaf or a container is of another class: somebody else has to look at them.
  bool read(const nb::tuple& args, const nb::dict& kwargs);

 private:
  bool add(PyObject* tree);
  bool add_dict(PyObject* dict);
  bool add_fields(PyObject* given, PyObject* fields);
};

inline bool is_number(PyObject* o) { return PyFloat_CheckExact(o) || PyLong_CheckExact(o); }

// How a result is put together of arrays.
class ResultTree {
 public:
  // Of a Structure of heddle.tree, or what stands in for one; null: it has classes of others.
  static std::optional<ResultTree> of(nb::handle structure);

  nb::object made_of(std::vector<array> arrays) const;

 private:
  enum class Kind : std::uint8_t { leaf, fixed, tuple, list, dict, fields };
  struct Node {
    Kind kind = Kind::leaf;
    nb::object object;              // what is fixed, a class
    nb::object names;               // keys, or fields
    std::vector<Py_ssize_t> order;  // of keys, where they are not sorted
    std::vector<Node> children;
  };
  struct Filling;

  explicit ResultTree(Node root) : root_(std::move(root)) {}
  static std::optional<Node> node_of(nb::handle structure, Filling& filling);
  static nb::object made(const Node& node, std::vector<array>& arrays, std::size_t& next);

  Node root_;
};

// heddle.tree's dictionary of classes that are made of named fields alone.
void set_classes_of_fields(nb::dict classes);

}  // namespace heddle::python
