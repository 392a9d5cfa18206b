// The ufunc type: a row of the op table as a Python object.
#include "python/ufunc.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/storage.h"
#include "ops/operators.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include "python/convert.h"
#include "python/function.h"
#include "python/numpy_scalars.h"
#include "transform/float_errors.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

PyObject* keyword_function = nullptr;
PyObject* generalized_function = nullptr;
PyTypeObject* ufunc_type = nullptr;
constexpr int max_operands = max_inputs;

// How arrays become objects. Of numbers alone a number is made, one of NumPy's scalars
// (wrap_known); what arrays are among the operands stays ours.
using Wrap = PyObject* (*)(array);
PyObject* wrap_array(array a) { return wrap(std::move(a)); }

bool computes(const Ufunc& u, Dtype dtype) {
  if (u.scipys && itemsize(real_type(dtype)) < 4) return false;
  if (u.scipys && u.op == Op::rint && !is_floating(dtype)) return false;
  return loop_type(u.op, dtype) == dtype;
}

// The type that SciPy's function of this name computes in, for what NumPy's takes as float16 or
// float32: SciPy's has no loops of float16, and tries double precision first. round does not.
std::optional<Dtype> scipys_loop(const Ufunc& u, const Input& input) {
  if (!u.scipys) return std::nullopt;
  const Dtype own = input.is_scalar() ? input.scalar_->default_dtype() : input.array_->dtype();
  if (own == Dtype::bfloat16) return std::nullopt;
  if (is_inexact(own) && own != Dtype::float16) {
    if (computes(u, own)) return std::nullopt;
    throw type_error(fmt::format(
        "ufunc '{}' not supported for the input types ({}): they could not be safely coerced to "
        "any supported types according to the casting rule 'safe'",
        u.name, name(own)));
  }
  return u.op == Op::rint && can_cast(own, Dtype::float32) ? Dtype::float32 : Dtype::float64;
}

// What a function makes of numbers alone is of its own type, as NumPy's scalars are: operators keep
// what stands for a number of Python's one.
array computed(Op op, std::span<const Input> inputs, std::optional<Dtype> dtype) {
  array made = elementwise(op, inputs, dtype);
  made.set_weak(false);
  return made;
}

nb::object results(const Ufunc& u, std::span<const Input> inputs, std::optional<Dtype> dtype,
                   Wrap as_object) {
  if (!dtype) dtype = scipys_loop(u, inputs[0]);
  // Comparisons with integers that the type does not hold have an answer.
  if (!dtype && (is_comparison(u.op) || (is_logical(u.op) && u.inputs == 2)))
    return nb::steal(as_object(binary(u.op, inputs[0], inputs[1])));
  if (u.op == Op::power) {
    array made = computed(u.op, inputs, dtype);
    return nb::steal(as_object(without_negative_powers(inputs[0], inputs[1], std::move(made))));
  }
  if (u.outputs == 1) return nb::steal(as_object(computed(u.op, inputs, dtype)));
  nb::list made;
  for (int i = 0; i < u.outputs; ++i)
    made.append(nb::steal(as_object(computed(u.row(i), inputs, dtype))));
  return nb::tuple(made);
}

using Operands = std::span<PyObject* const>;

// What Python says of two of its integers, which may be beyond all types; nothing for other
// operands, or where nothing is compared.
std::optional<bool> compared(const Ufunc& u, Operands operands) {
  if (operands.size() != 2 || !PyLong_CheckExact(operands[0]) || !PyLong_CheckExact(operands[1])) {
    return std::nullopt;
  }
  auto as_python = [&](int relation) {
    const int truth = PyObject_RichCompareBool(operands[0], operands[1], relation);
    if (truth < 0) throw nb::python_error();
    return std::optional(truth != 0);
  };
  const auto* found = std::ranges::find(comparisons, u.op);
  if (found == std::end(comparisons)) return std::nullopt;
  return as_python(static_cast<int>(found - comparisons));
}

nb::object call(const Ufunc& u, Operands operands, std::optional<Dtype> dtype, Wrap as_object) {
  if (auto truth = compared(u, operands)) {
    return nb::steal(as_object(array::of_number({{*truth ? 1u : 0u, 0}}, Dtype::bool_)));
  }
  const auto count = operands.size();
  PythonInput given[max_operands];
  for (std::size_t i = 0; i < count; ++i) given[i].set(operands[i], true);
  // Those behind the last one are the first once more, which nobody looks at.
  auto input = [&](std::size_t i) { return given[i < count ? i : 0].input(); };
  const Input inputs[max_operands] = {input(0), input(1), input(2), input(3), input(4)};
  return results(u, std::span(inputs, count), dtype, as_object);
}

// Whether the operands are as many as the ufunc takes, arrays of ours and numbers, so that nobody
// else has a say and nothing is to be looked for.
bool are_plain(const Ufunc& u, Operands operands) {
  if (operands.size() != static_cast<std::size_t>(u.inputs)) return false;
  return std::ranges::all_of(operands, [&](PyObject* item) {
    if (is_array(item)) return true;
    return !u.signature &&
           (PyFloat_CheckExact(item) || PyLong_CheckExact(item) || PyBool_Check(item) ||
            PyComplex_CheckExact(item) || numpy_scalar_type(item).has_value());
  });
}

// Where the result of a call goes, and which of its elements.
struct Place {
  PyObject* out = nullptr;
  PyObject* where = nullptr;
};

// The place that the argument behind the operands names, or the keywords do; none where they are
// anything but arrays of ours, or there are other keywords.
Place place_of_result(PyObject* behind, PyObject* kwargs) {
  static PyObject* out_name = PyUnicode_InternFromString("out");
  static PyObject* where_name = PyUnicode_InternFromString("where");
  const auto named = [&](PyObject* name) {
    return kwargs ? PyDict_GetItemWithError(kwargs, name) : nullptr;
  };
  const auto is_ours = [](PyObject* o) { return Py_TYPE(o) == ndarray_type; };
  PyObject *out = named(out_name), *where = named(where_name);
  const Py_ssize_t keywords = (out ? 1 : 0) + (where ? 1 : 0);
  if ((behind && out) || (kwargs && PyDict_Size(kwargs) != keywords)) return {};
  if (behind) out = behind;
  if (!out || !is_ours(out) || (where && !is_ours(where))) return {};
  return {out, where};
}

// The result into an array that is just as it is; false, and nothing has happened, for others.
bool call_into(const Ufunc& u, Operands operands, Place place) {
  array& target = array_in(place.out);
  const array* mask = place.where ? &array_in(place.where) : nullptr;
  if (!writeable(target)) return false;
  if (mask && (mask->dtype() != Dtype::bool_ || mask->shape() != target.shape())) return false;
  const WriteLock lock(target.storage());
  const transform::CountedWhere counted(mask);
  array value;
  if (u.signature) {
    value = multiply(u.product, array_in(operands[0]), array_in(operands[1]));
  } else {
    value = std::move(array_in(call(u, operands, std::nullopt, wrap_array).ptr()));
  }
  if (value.dtype() != target.dtype() || value.shape() != target.shape()) return false;
  mask ? write_where(target, std::move(value), *mask) : write(target, std::move(value));
  return true;
}

PyObject* call_slot(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Ufunc& u = *nb::inst_ptr<Ufunc>(self);
  const auto count = PyTuple_Size(args);
  const bool keywords = kwargs && PyDict_Size(kwargs) > 0;
  PyObject* items[max_operands + 1];
  for (Py_ssize_t i = 0; i < std::min<Py_ssize_t>(count, max_operands + 1); ++i) {
    items[i] = NB_TUPLE_GET_ITEM(args, i);
  }
  const bool behind = count == u.inputs + 1;
  bool plain = count == u.inputs || behind;
  const Operands operands(items, plain ? static_cast<std::size_t>(u.inputs) : 0);
  plain = plain && are_plain(u, operands);
  if ((keywords || behind) && plain && u.outputs == 1) {
    const Place place = place_of_result(behind ? items[u.inputs] : nullptr, kwargs);
    if (place.out) {
      bool done = false;
      PyObject* result = guarded([&] {
        try {
          done = call_into(u, operands, place);
        } catch (const value_error&) {
          done = false;  // which of the things that are wrong is told first is up to Python
        }
        return place.out;
      });
      if (!result || done) return Py_XNewRef(result);
    }
  }
  plain = plain && !keywords && !behind;
  if (plain && u.signature) {
    const array& a = array_in(PyTuple_GetItem(args, 0));
    const array& b = array_in(PyTuple_GetItem(args, 1));
    // The array API standard has these names: what it gives stays an array of ours.
    return guarded([&] { return wrap(multiply(u.product, a, b)); });
  }
  if (!plain && keyword_function) {
    PyObject* named = kwargs ? kwargs : PyDict_New();
    PyObject* result = PyObject_CallFunctionObjArgs(
        u.signature ? generalized_function : keyword_function, self, args, named, nullptr);
    if (!kwargs) Py_DECREF(named);
    return result;
  }
  const bool numbers = std::ranges::none_of(operands, is_array);
  return guarded([&] {
    return call(u, operands, std::nullopt, numbers ? wrap_known : wrap_array).release().ptr();
  });
}

// NumPy's ufuncs, and ours of the same name.
std::unordered_map<PyObject*, const Ufunc*>& own_of_numpys() {
  static auto* table = new std::unordered_map<PyObject*, const Ufunc*>;
  return *table;
}

// The element of a 0-d array of NumPy's; nothing for other objects.
nb::object number_in(nb::handle object) {
  static auto* type = new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  if (reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) != type->ptr()) return {};
  return nb::cast<int>(object.attr("ndim")) == 0 ? nb::object(object[nb::tuple()]) : nb::object();
}

// ndarray.__array_ufunc__(self, ufunc, method, *inputs): what NumPy's scalars call, and its
// functions.
PyObject* array_ufunc_call(const Given& given) {
  const auto found = own_of_numpys().find(given[1]);
  const bool called = found != own_of_numpys().end() && PyUnicode_Check(given[2]) &&
                      PyUnicode_CompareWithASCIIString(given[2], "__call__") == 0;
  if (!called) return nullptr;
  const Ufunc& u = *found->second;
  if (u.signature || given.rest.size() != static_cast<std::size_t>(u.inputs)) return nullptr;
  PyObject* items[max_operands];
  nb::object numbers[max_operands];
  for (std::size_t i = 0; i < given.rest.size(); ++i) {
    items[i] = given.rest[i];
    // NumPy makes an array of its scalar where it compares one.
    if (nb::object number = number_in(items[i])) {
      numbers[i] = std::move(number);
      items[i] = numbers[i].ptr();
    }
  }
  const Operands operands(items, given.rest.size());
  if (!are_plain(u, operands)) return nullptr;
  return call(u, operands, std::nullopt, wrap_array).release().ptr();
}

nb::object identity_of(const Ufunc& u) {
  if (u.signature) return nb::none();
  switch (info(u.op).identity) {
    case Identity::zero:
      if (info(u.op).result == Result::boolean) return nb::bool_(false);
      return nb::int_(0);
    case Identity::one:
      if (info(u.op).result == Result::boolean) return nb::bool_(true);
      return nb::int_(1);
    case Identity::minus_one:
      return nb::int_(-1);
    case Identity::minus_infinity:
      return nb::float_(-HUGE_VAL);
    default:
      return nb::none();
  }
}

// A loop in NumPy's notation: ff->f.
std::string loop_text(const Ufunc& u, Op op, Dtype dtype) {
  std::string text;
  for (int i = 0; i < u.inputs; ++i) {
    switch (info(op).takes[i]) {
      case Takes::exponent:
      case Takes::order:
        text += 'l';
        break;
      case Takes::parameter:
        text += info(real_type(dtype)).code;
        break;
      default:
        text += info(dtype).code;
    }
  }
  text += "->";
  for (int i = 0; i < u.outputs; ++i) text += info(result_type(u.row(i), dtype)).code;
  return text;
}

// All of them. bfloat16 has a letter, E, but no string that numpy.dtype takes: it
// is not in the list that users see.
std::vector<std::string> loops_of(const Ufunc& u, bool all) {
  std::vector<std::string> types;
  for (int t = 0; t < dtype_count; ++t) {
    auto dtype = static_cast<Dtype>(t);
    if (!u.signature && !computes(u, dtype)) continue;
    if (!all && dtype == Dtype::bfloat16) continue;
    types.push_back(loop_text(u, u.op, dtype));
  }
  return types;
}

// The type computed in of each of them.
nb::list computed_types(const Ufunc& u) {
  nb::list types;
  for (int t = 0; t < dtype_count; ++t) {
    auto dtype = static_cast<Dtype>(t);
    if (u.signature || computes(u, dtype)) types.append(numpy_dtype(dtype));
  }
  return types;
}

// What the Python layer and the tests have to know of its rows. Of a product there is nothing.
nb::dict facts_of(const Ufunc& u) {
  static constexpr const char* oracles[] = {"numpy", "scipy", "mpmath", "ours"};
  static constexpr const char* exactness[] = {"rounded", "reals", "every_bit"};
  static constexpr const char* operands[] = {"value",   "any_type",  "condition", "exponent",
                                             "address", "parameter", "order"};
  nb::dict facts;
  const OpInfo& row = info(u.op);
  nb::list takes;
  for (int i = 0; i < u.inputs; ++i) takes.append(operands[static_cast<int>(row.takes[i])]);
  facts["takes"] = nb::tuple(takes);
  facts["symbol"] = nb::cast(row.symbol);
  const bool product = u.signature != nullptr;
  facts["library"] = row.library && u.outputs == 1 && !product ? row.library : "";
  facts["reorderable"] = !product && has_identity(u.op);
  facts["exchanged"] = !product && u.inputs == 2 && row.reorder != Reorder::never;
  facts["idempotent"] = !product && row.idempotent;
  facts["widens"] = !product && row.widens;
  facts["logical"] = !product && is_logical(u.op);
  // Its loops give back what they take, of every type.
  facts["closed"] = !product && row.types == Types::all && row.result == Result::same;
  facts["domain"] = nb::make_tuple(row.domain.low, row.domain.high);
  facts["oracle"] = oracles[static_cast<int>(row.oracle)];
  facts["exact"] = exactness[static_cast<int>(row.exact)];
  facts["ulps"] = row.ulps;
  facts["complex_ulps"] = row.complex_ulps;
  facts["routine"] = row.cost == Cost::routine;
  facts["doubles_first"] = row.doubles_first;
  return facts;
}

// Around a call that reads arrays and writes them, in Python: no other thread's write comes
// between.
class Writing {
 public:
  Writing(const nb::tuple& targets, std::optional<array> mask) : mask_(std::move(mask)) {
    std::vector<Storage*> storages;
    for (nb::handle target : targets) {
      if (!target.is_none()) storages.push_back(&array_in(target.ptr()).storage());
    }
    // In one order for all, or two threads would wait for each other.
    std::ranges::sort(storages);
    for (Storage* storage : storages) {
      kept_.emplace_back(storage);
      locks_.push_back(std::make_unique<WriteLock>(*storage));
    }
    if (mask_) counted_.emplace(&*mask_);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  void end() {
    counted_.reset();
    locks_.clear();
    kept_.clear();
  }

 private:
  std::vector<Ref<Storage>> kept_;
  std::vector<std::unique_ptr<WriteLock>> locks_;
  std::optional<array> mask_;
  std::optional<transform::CountedWhere> counted_;
};

nb::object of_row(Op op) {
  return nb::cast(Ufunc{info(op).name, op, {}, info(op).inputs, 1, info(op).doc});
}

// All ufuncs by their names, of the rows of the op table, and the second names of some.
void bind_tables(nb::module_& m) {
  nb::dict table;
  nb::dict special;
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (!is_public(op)) continue;
    nb::dict& space = info(op).space == Space::special ? special : table;
    space[info(op).name] = of_row(op);
  }
#define HEDDLE_ADD_PAIR(name, first, second, inputs, doc) \
  table[#name] = nb::cast(Ufunc{#name, Op::first, {Op::second}, inputs, 2, doc});
  HEDDLE_UFUNC_PAIRS(HEDDLE_ADD_PAIR)
#undef HEDDLE_ADD_PAIR
#define HEDDLE_OTHERS_2(name) {Op::name##_1}
#define HEDDLE_OTHERS_4(name) {Op::name##_1, Op::name##_2, Op::name##_3}
#define HEDDLE_ADD_TUPLE(unused, name, outputs, inputs, types, result, code, doc, ...) \
  special[#name] =                                                                     \
      nb::cast(Ufunc{#name, Op::name##_0, HEDDLE_OTHERS_##outputs(name), inputs, outputs, doc});
  HEDDLE_SPECIAL_TUPLES(HEDDLE_ADD_TUPLE, )
#undef HEDDLE_ADD_TUPLE
#undef HEDDLE_OTHERS_2
#undef HEDDLE_OTHERS_4
  m.attr("ufuncs") = table;
  m.attr("special_ufuncs") = special;
  // Functions of NumPy's that SciPy has, too.
  nb::dict both;
  for (const auto& [name, op] : {std::pair{"cbrt", Op::cbrt},
                                 {"exp2", Op::exp2},
                                 {"expm1", Op::expm1},
                                 {"log1p", Op::log1p},
                                 {"round", Op::rint}}) {
    Ufunc made{name, op, {}, 1, 1, info(op).doc};
    made.scipys = true;
    both[name] = nb::cast(made);
  }
  m.attr("special_numpys") = both;
  // What functions of heddle.special are made of.
  nb::dict parts;
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (info(op).linked && info(op).space == Space::internal && info(op).outputs == 1)
      parts[info(op).name] = of_row(op);
  }
  m.attr("special_parts") = parts;
  nb::dict special_aliases;
#define HEDDLE_ADD_ALIAS(alias, op) special_aliases[#alias] = #op;
  HEDDLE_SPECIAL_ALIASES(HEDDLE_ADD_ALIAS)
#undef HEDDLE_ADD_ALIAS
  m.attr("special_aliases") = special_aliases;
  nb::dict aliases;
#define HEDDLE_ADD_ALIAS(alias, op, inputs) aliases[#alias] = #op;
  HEDDLE_UFUNC_ALIASES(HEDDLE_ADD_ALIAS)
#undef HEDDLE_ADD_ALIAS
  m.attr("ufunc_aliases") = aliases;
  nb::dict generalized;
  for (auto product : {Product::matmul, Product::vecdot, Product::matvec, Product::vecmat}) {
    const ProductInfo& row = info(product);
    generalized[row.name] =
        nb::cast(Ufunc{row.name, Op::multiply, {}, 2, 1, row.doc, row.signature, product});
  }
  m.attr("generalized_ufuncs") = generalized;
}

}  // namespace

std::span<const NamedCall> ufunc_calls() {
  static constexpr NamedCall calls[] = {{"ndarray.__array_ufunc__", array_ufunc_call}};
  return calls;
}

void bind_ufunc(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_slot)}, {0, nullptr}};
  nb::class_<Ufunc> cls(m, "ufunc", nb::type_slots(slots), nb::dynamic_attr(),
                        nb::is_weak_referenceable());
  ufunc_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  cls.def_prop_ro("name", [](const Ufunc& u) { return std::string(u.name); })
      .def_prop_ro("nin", [](const Ufunc& u) { return u.inputs; })
      .def_prop_ro("nout", [](const Ufunc& u) { return u.outputs; })
      .def_prop_ro("doc", [](const Ufunc& u) { return std::string(u.doc); })
      .def_prop_ro("signature", [](const Ufunc& u) { return u.signature; })
      .def_prop_ro("identity", identity_of)
      .def_prop_ro("facts", facts_of)
      .def_prop_ro("types", [](const Ufunc& u) { return loops_of(u, false); })
      .def_prop_ro("computed", computed_types)
      .def_prop_ro("loops", [](const Ufunc& u) { return loops_of(u, true); });
  bind_tables(m);
  m.def("set_numpy_ufuncs", [](const nb::dict& ours) {
    for (auto [theirs, own] : ours) {
      own_of_numpys()[theirs.inc_ref().ptr()] = nb::inst_ptr<Ufunc>(own.inc_ref());
    }
  });
  m.def("set_ufunc_keywords",
        [](nb::object function) { keyword_function = function.release().ptr(); });
  m.def("set_generalized_call",
        [](nb::object function) { generalized_function = function.release().ptr(); });
  m.def(
      "resolve",
      [](const Ufunc& u, nb::sequence args, nb::handle dtype) {
        std::vector<PythonInput> given(nb::len(args));
        std::vector<Input> inputs;
        std::size_t i = 0;
        for (nb::handle arg : args) {
          given[i].set(arg, true);
          inputs.push_back(given[i++].input());
        }
        auto wanted = to_optional_dtype(dtype);
        if (!wanted) wanted = scipys_loop(u, inputs[0]);
        auto types = resolve(u.op, inputs, wanted);
        return nb::make_tuple(numpy_dtype(types.compute), numpy_dtype(types.result));
      },
      nb::arg("u"), nb::arg("args"), nb::arg("dtype").none());
  m.def(
      "multiply",
      [](const Ufunc& u, const array& a, const array& b, nb::handle dtype) {
        return multiply(u.product, a, b, to_optional_dtype(dtype));
      },
      nb::arg("u"), nb::arg("a"), nb::arg("b"), nb::arg("dtype").none());
  m.def(
      "without_negative_powers",
      [](nb::handle base, nb::handle exponent, const array& made) {
        PythonInput given[2];
        given[0].set(base.ptr(), true);
        given[1].set(exponent.ptr(), true);
        return nb::steal(wrap(without_negative_powers(given[0].input(), given[1].input(), made)));
      },
      nb::arg("base"), nb::arg("exponent"), nb::arg("made"));
  m.def(
      "apply",
      [](const Ufunc& u, nb::sequence args, nb::handle dtype) {
        std::vector<PyObject*> operands;
        for (nb::handle arg : args) operands.push_back(arg.ptr());
        return call(u, operands, to_optional_dtype(dtype), wrap_array);
      },
      nb::arg("u"), nb::arg("args"), nb::arg("dtype").none());
  nb::class_<Writing>(m, "Writing")
      .def(nb::init<const nb::tuple&, std::optional<array>>(), nb::arg("targets"),
           nb::arg("mask").none() = nb::none())
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](Writing& self, nb::args) { self.end(); });
}

}  // namespace heddle::python
