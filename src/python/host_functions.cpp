// Functions of loops over arrays and numbers that are compiled (heddle.njit): how they are called,
// and what they give. Types are inferred and programs written in Python (heddle/simt); after the
// first call of a signature a call stays here.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/look.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/write.h"
#include "python/convert.h"
#include "python/simt_call.h"
#include "runtime/device.h"
#include "runtime/programs.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// An argument: a number, or an array of ours, of NumPy's or of another device.
struct Argument {
  LaunchNumber number;
  bool is_array = false;
  nb::handle given;              // the object
  const array* ours = nullptr;   // null: NumPy's
  std::unique_ptr<array> moved;  // what is elsewhere, on the host
  Py_buffer view{};
  void* address = nullptr;
  Dtype dtype = Dtype::float64;
  const Layout* layout = nullptr;
  Layout numpys;
  bool writeable = true;

  Argument() = default;
  Argument(Argument&& other) noexcept
      : number(other.number),
        is_array(other.is_array),
        given(other.given),
        ours(other.ours),
        moved(std::move(other.moved)),
        view(other.view),
        address(other.address),
        dtype(other.dtype),
        layout(other.layout == &other.numpys ? nullptr : other.layout),
        numpys(std::move(other.numpys)),
        writeable(other.writeable) {
    if (layout == nullptr && is_array) layout = &numpys;
    other.view.obj = nullptr;
  }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  Argument& operator=(Argument&&) = delete;
  ~Argument() {
    if (view.obj != nullptr) PyBuffer_Release(&view);
  }
};

// The type that a buffer of NumPy's says it has.
std::optional<Dtype> dtype_of_format(const char* format, Py_ssize_t size) {
  if (format == nullptr) return std::nullopt;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const bool complex = *format == 'Z';
  if (complex) ++format;
  if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
  auto sized = [&](Dtype one, Dtype two, Dtype four, Dtype eight) -> std::optional<Dtype> {
    return size == 1 ? one : size == 2 ? two : size == 4 ? four : eight;
  };
  switch (*format) {
    case '?':
      return Dtype::bool_;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return sized(Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return sized(Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64);
    case 'e':
      return Dtype::float16;
    case 'f':
      return complex ? Dtype::complex64 : Dtype::float32;
    case 'd':
      return complex ? Dtype::complex128 : Dtype::float64;
    default:
      return std::nullopt;
  }
}

// False where its elements are no numbers.
bool read_buffer(nb::handle given, Argument& argument) {
  argument.writeable = PyObject_GetBuffer(given.ptr(), &argument.view,
                                          PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) == 0;
  if (!argument.writeable) {
    PyErr_Clear();
    if (PyObject_GetBuffer(given.ptr(), &argument.view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return false;
    }
  }
  const Py_buffer& view = argument.view;
  const auto dtype = dtype_of_format(view.format, view.itemsize);
  if (!dtype) return false;
  argument.dtype = *dtype;
  argument.address = view.buf;
  const auto size = view.itemsize;
  const auto alignment =
      static_cast<std::uintptr_t>(std::min<Py_ssize_t>(is_complex(*dtype) ? size / 2 : size, 8));
  bool fits = reinterpret_cast<std::uintptr_t>(view.buf) % alignment == 0;
  for (int d = 0; d < view.ndim; ++d) {
    argument.numpys.shape.push_back(view.shape[d]);
    fits &= view.strides[d] % size == 0 || view.shape[d] <= 1;
    argument.numpys.strides.push_back(view.strides[d] / size);
  }
  argument.layout = &argument.numpys;
  if (!fits) throw type_error("an argument is an array with unaligned elements; give a copy of it");
  return true;
}

// A list of Python's as one of typed elements, which remembers the list.
nb::object to_container(nb::handle list) {
  static const nb::object& make =
      *new nb::object(nb::module_::import_("heddle._compiled.containers").attr("of_list"));
  return make(list);
}

// Text or bytes as an array of NumPy's.
nb::object to_row(const char* how, nb::handle given) {
  return nb::module_::import_("heddle._compiled.texts").attr(how)(given);
}

class Reader {
 public:
  std::string signature;
  std::vector<Argument> arguments;
  std::vector<nb::object> held;  // bytes of records, and what lists were made

  void read(nb::handle given, int depth = 0) {
    Argument argument;
    argument.given = given;
    if (read_number(given, signature, argument.number)) {
      arguments.push_back(std::move(argument));
      return;
    }
    PyObject* o = given.ptr();
    if (is_array(o)) {
      argument.ours = &array_in(o);
      if (is_differentiated(*argument.ours)) {
        throw type_error(
            "a compiled function has no derivative, and is given an array that depends on what is "
            "differentiated: write it with arrays, give it a rule (custom_vjp, custom_jvp), or "
            "call "
            "it with stop_gradient(x)");
      }
      if (!argument.ours->device().host_accessible()) {
        argument.moved = std::make_unique<array>(to_device(*argument.ours, cpu_device()));
        argument.layout = &argument.moved->layout();
      } else {
        argument.layout = &argument.ours->layout();
      }
      argument.dtype = argument.ours->dtype();
      add_array(std::move(argument), 'a');
    } else if (is_numpy_array(given) && read_buffer(given, argument)) {
      add_array(std::move(argument), 'p');
    } else if (given.is_none()) {
      signature += 'N';
    } else if (read_items(given, signature, depth,
                          [&](nb::handle item) { read(item, depth + 1); })) {
      return;
    } else if (PyList_Check(o)) {
      held.push_back(to_container(given));
      read(held.back(), depth + 1);
    } else if (PyUnicode_Check(o)) {
      signature += 't';
      held.push_back(to_row("of_text", given));
      read(held.back(), depth + 1);
    } else if (PyAnySet_Check(o)) {
      signature += 's';
      held.push_back(to_row("of_set", given));
      read(held.back(), depth + 1);
    } else if (read_constant(given, signature)) {
      return;
    } else if (auto records = to_records(given)) {
      signature += records->key;
      held.push_back(records->bytes);
      read(records->bytes, depth + 1);
    } else if (is_numpy_array(given)) {
      const auto name = nb::cast<std::string>(given.attr("dtype").attr("str"));
      throw type_error(fmt::format("arrays of NumPy's type '{}' cannot be arguments", name));
    } else if (PyObject_CheckBuffer(o)) {
      held.push_back(to_row("of_buffer", given));
      read(held.back(), depth + 1);
    } else {
      throw type_error(
          fmt::format("a compiled function takes arrays, numbers, None and tuples of them, not {}",
                      nb::type_name(given.type()).c_str()));
    }
  }

 private:
  void add_array(Argument&& argument, char letter) {
    argument.is_array = true;
    const Layout& layout = *argument.layout;
    const auto ndim = layout.ndim();
    const bool unit = ndim > 0 && (layout.strides[ndim - 1] == 1 || layout.shape[ndim - 1] <= 1);
    signature += letter;
    signature += static_cast<char>('A' + static_cast<int>(argument.dtype));
    signature += static_cast<char>('0' + ndim);
    signature += unit ? 'u' : 's';
    arguments.push_back(std::move(argument));
  }
};

struct CompiledHostFunction {
  simt::Program program;
  std::unique_ptr<simt::Arguments> places;
  HostCode code;
  std::vector<Guard> guards;
  std::string results;  // how they are put together: see Results
  nb::object failures;  // called with what a failure leaves, raises
};

// Results of a call as Python's objects, by a text: 'w' a number of Python's, 'n' one of ours, each
// with its type; 'a' an array of ours and 'p' one of NumPy's, with type and dimensions; 'r' and the
// number of a type records, whose bytes come next; tuples in brackets; 'k' and the number of a
// class what is made of what comes next; 'N' None.
class Results {
 public:
  Results(const CompiledHostFunction& compiled, std::span<const std::uint64_t> words,
          const std::vector<Argument>& arguments)
      : text_(compiled.results), words_(words), arguments_(arguments) {}
  ~Results() {
    // What is left where an exception came first.
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == 'a' || text_[at_] == 'p') {
        const auto owner = static_cast<std::int64_t>(words_[word_ + 2]);
        if (owner != 0) release_host_memory(owner);
      }
      if (text_[at_] == 'a' || text_[at_] == 'p' || text_[at_] == 'w' || text_[at_] == 'n')
        word_ += width();
    }
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  nb::object next() {
    const char letter = text_[at_];
    switch (letter) {
      case 'w':
      case 'n': {
        const Dtype dtype = dtype_at(at_ + 1);
        ScalarWords element;
        element.word[0] = words_[word_];
        element.word[1] = words_[word_ + 1];
        word_ += 2;
        at_ += 2;
        return letter == 'w' ? number(element, dtype) : scalar(element, dtype);
      }
      case 'a':
      case 'p':
        return make_array();
      case 'r': {
        const auto colon = text_.find(':', at_);
        const std::string number = text_.substr(at_ + 1, colon - at_ - 1);
        at_ = colon + 1;
        return from_records(make_array(), number);
      }
      case 'k': {
        const auto colon = text_.find(':', at_);
        const std::string number = text_.substr(at_ + 1, colon - at_ - 1);
        at_ = colon + 1;
        return of_kind(next(), number);
      }
      case '(': {
        ++at_;
        std::vector<nb::object> items;
        while (text_[at_] != ')') items.push_back(next());
        ++at_;
        nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
        for (std::size_t i = 0; i < items.size(); ++i)
          PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), items[i].release().ptr());
        return made;
      }
      default:
        ++at_;
        return nb::none();
    }
  }

 private:
  Dtype dtype_at(std::size_t i) const { return static_cast<Dtype>(text_[i] - 'A'); }
  // Words of what stands at at_, which moves past its letters but the last.
  std::size_t width() {
    if (text_[at_] == 'w' || text_[at_] == 'n') {
      ++at_;
      return 2;
    }
    const auto ndim = static_cast<std::size_t>(text_[at_ + 2] - '0');
    at_ += 2;
    return 4 + 4 * ndim;
  }

  static nb::object number(const ScalarWords& element, Dtype dtype) {
    if (dtype == Dtype::int64)
      return nb::steal(PyLong_FromLongLong(static_cast<long long>(element.word[0])));
    if (dtype == Dtype::float64) {
      double value;
      std::memcpy(&value, element.word, sizeof value);
      return nb::steal(PyFloat_FromDouble(value));
    }
    if (dtype == Dtype::bool_) return nb::bool_((element.word[0] & 0xff) != 0);
    return to_python_number(array::of_number(packed(element, dtype), dtype));
  }
  static nb::object scalar(const ScalarWords& element, Dtype dtype) {
    return nb::steal(wrap(array::of_number(packed(element, dtype), dtype)));
  }
  // Parts of a complex number have a word each, and numbers of fewer bytes are followed by others.
  static ScalarWords packed(ScalarWords element, Dtype dtype) {
    if (dtype == Dtype::complex64) {
      element.word[0] = (element.word[0] & 0xffffffff) | element.word[1] << 32;
      element.word[1] = 0;
    } else if (const int size = itemsize(dtype); size < 8) {
      element.word[0] &= (std::uint64_t{1} << (8 * size)) - 1;
    }
    return element;
  }

  static nb::object of_kind(const nb::object& inner, const std::string& number) {
    static const nb::object& make =
        *new nb::object(nb::module_::import_("heddle.simt._kinds").attr("made"));
    return make(inner, number);
  }

  nb::object make_array() {
    const bool numpys = text_[at_] == 'p';
    const Dtype dtype = dtype_at(at_ + 1);
    const auto ndim = static_cast<std::size_t>(text_[at_ + 2] - '0');
    auto take = [&] {
      const auto value = static_cast<std::int64_t>(words_[word_]);
      word_ += 2;
      return value;
    };
    at_ += 3;
    auto* address = reinterpret_cast<char*>(take());
    const std::int64_t owner = take();
    Layout layout;
    for (std::size_t d = 0; d < ndim; ++d) layout.shape.push_back(take());
    for (std::size_t d = 0; d < ndim; ++d) layout.strides.push_back(take());
    if (owner == 0) return of_argument(address, layout, dtype, numpys);
    const auto reach = extent_of(layout);
    if (!reach) {
      release_host_memory(owner);
      return finish(empty(layout.shape, dtype, cpu_device()), numpys);
    }
    auto* first = address + reach->first * itemsize(dtype);
    const auto bytes = static_cast<std::size_t>(reach->second - reach->first + 1) *
                       static_cast<std::size_t>(itemsize(dtype));
    layout.offset = -reach->first;
    return finish(
        alias_host(first, layout, dtype, bytes, true, [owner] { release_host_memory(owner); }),
        numpys);
  }
  static nb::object finish(array made, bool numpys) {
    return numpys ? to_numpy(made) : nb::steal(wrap(std::move(made)));
  }

  // What is an argument, or part of one.
  nb::object of_argument(char* address, const Layout& layout, Dtype dtype, bool numpys) const {
    for (const Argument& argument : arguments_) {
      if (!argument.is_array) continue;
      if (argument.dtype != dtype) {
        if (nb::object made = of_other_type(argument, address, layout, dtype); made.is_valid())
          return made;
        continue;
      }
      const auto reach = extent_of(*argument.layout);
      const auto distance = address - static_cast<char*>(argument.address);
      const bool same = distance == 0 && argument.layout->shape == layout.shape &&
                        argument.layout->strides == layout.strides;
      if (same) return nb::borrow(argument.given);
      const std::int64_t offset = distance / itemsize(dtype);
      if (!reach || offset < reach->first || offset > reach->second) continue;
      if (argument.ours == nullptr) return view_of_numpys(argument, address, layout, dtype);
      Layout place = layout;
      place.offset = argument.layout->offset + offset;
      if (!argument.moved) {
        return nb::steal(wrap_view(strided_view(*argument.ours, place), argument.given));
      }
      // What was copied here lies densely: a view of what is elsewhere needs that there, too.
      const Layout& there = argument.ours->layout();
      if (there.strides != argument.layout->strides) {
        return nb::steal(
            wrap(to_device(strided_view(*argument.moved, place), argument.ours->device())));
      }
      place.offset = there.offset + offset;
      return nb::steal(wrap_view(strided_view(*argument.ours, place), argument.given));
    }
    // Without elements: where it would be does not matter.
    return finish(empty(layout.shape, dtype, cpu_device()), numpys);
  }
  static nb::object view_of_numpys(const Argument& argument, char* address, const Layout& layout,
                                   Dtype dtype) {
    static const nb::object& make =
        *new nb::object(nb::module_::import_("heddle.simt._results").attr("view_of"));
    Dims strides;
    for (auto stride : layout.strides) strides.push_back(stride * itemsize(dtype));
    return make(argument.given, reinterpret_cast<std::uintptr_t>(address), to_tuple(layout.shape),
                to_tuple(strides), std::string(name(dtype)));
  }
  // Its bytes as elements of another type, or parts of its complex numbers: a view of NumPy's
  // array, a copy of ours. Not valid: it is elsewhere.
  static nb::object of_other_type(const Argument& argument, char* address, const Layout& layout,
                                  Dtype dtype) {
    const auto reach = extent_of(*argument.layout);
    const auto own = extent_of(layout);
    if (!reach || !own) return {};
    const auto distance = address - static_cast<char*>(argument.address);
    const std::int64_t size = itemsize(argument.dtype), other = itemsize(dtype);
    if (distance + own->first * other < reach->first * size ||
        distance + (own->second + 1) * other > (reach->second + 1) * size)
      return {};
    if (argument.ours == nullptr) return view_of_numpys(argument, address, layout, dtype);
    return finish(from_host(address, layout, dtype, cpu_device()), false);
  }

  const std::string& text_;
  std::span<const std::uint64_t> words_;
  const std::vector<Argument>& arguments_;
  std::size_t at_ = 0, word_ = 0;
};

class HostFunction {
 public:
  // `compile`: of a signature. `bind`: arguments by position, of those by position and by name.
  HostFunction(nb::object compile, nb::object bind, int parameters)
      : compile_(std::move(compile)), bind_(std::move(bind)), parameters_(parameters) {}

  nb::object call(const nb::args& given, const nb::kwargs& named) {
    Reader reader;
    reader.arguments.reserve(8);
    if (named.empty() && static_cast<int>(given.size()) == parameters_) {
      for (nb::handle argument : given) reader.read(argument);
      return run(reader);
    }
    const nb::object bound = bind_(*given, **named);
    for (nb::handle argument : nb::cast<nb::tuple>(bound)) reader.read(argument);
    return run(reader);
  }

  std::shared_ptr<const CompiledHostFunction> find(const std::string& signature) {
    if (auto found = known_.find(signature); found != known_.end()) {
      bool same = true;
      for (const Guard& guard : found->second->guards) same = same && guard.holds();
      if (same) return found->second;
      known_.erase(found);
    }
    const auto made = nb::cast<nb::tuple>(compile_(signature));
    auto compiled = std::make_shared<CompiledHostFunction>();
    compiled->program = to_program(made[0], made[1], made[2]);
    compiled->places = std::make_unique<simt::Arguments>(compiled->program);
    compiled->guards = to_guards(made[3]);
    compiled->results = nb::cast<std::string>(made[4]);
    compiled->failures = nb::object(made[5]);
    compiled->code = programs_of(cpu_device()).host_code(compiled->program);
    known_[signature] = compiled;
    return compiled;
  }

  std::string text(const nb::args& given, const std::string& kind) {
    Reader reader;
    for (nb::handle argument : given) reader.read(argument);
    return programs_of(cpu_device()).text(find(reader.signature)->program, kind);
  }
  void compile(const std::string& signature) { find(signature); }
  void forget() { known_.clear(); }
  std::vector<std::string> signatures() const {
    std::vector<std::string> made;
    for (const auto& [signature, compiled] : known_) made.push_back(signature);
    return made;
  }

 private:
  nb::object run(Reader& reader) {
    const std::shared_ptr<const CompiledHostFunction> compiled = find(reader.signature);
    const simt::Program& program = compiled->program;
    std::vector<std::uint64_t> words(static_cast<std::size_t>(compiled->places->words));
    place_arrays(*compiled, reader.arguments);
    for (std::size_t i = 0; i < reader.arguments.size(); ++i) {
      const Argument& argument = reader.arguments[i];
      auto word = static_cast<std::size_t>(compiled->places->at[i]);
      if (!argument.is_array) {
        words[word] = argument.number.word[0];
        words[word + 1] = argument.number.word[1];
        continue;
      }
      words[word++] = reinterpret_cast<std::uintptr_t>(argument.address);
      for (auto extent : argument.layout->shape) words[word++] = static_cast<std::uint64_t>(extent);
      for (auto stride : argument.layout->strides)
        words[word++] = static_cast<std::uint64_t>(stride);
    }
    std::vector<std::uint64_t> results(2 * program.results.size());
    std::int64_t report[simt::Report::words] = {};
    {
      void* interpreter = let_go_of_interpreter();
      run_host(compiled->code, words, results, report);
      if (interpreter != nullptr) take_interpreter_again(interpreter);
    }
    put_back(*compiled, reader.arguments);
    if (report[simt::Report::taken] != 0) {
      using R = simt::Report;
      compiled->failures(report[R::site], report[R::index], report[R::extent], report[R::axis]);
      throw nb::python_error();
    }
    if (compiled->results == "N") return nb::none();
    Results made(*compiled, results, reader.arguments);
    return made.next();
  }

  // Memory of all arrays: that of those which are written is their own first.
  static void place_arrays(const CompiledHostFunction& compiled, std::vector<Argument>& arguments) {
    const simt::Program& program = compiled.program;
    auto written = [&](std::size_t i) {
      return program.array(program.parameters[i].array).written;
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (!argument.is_array || !written(i)) continue;
      const bool may = argument.ours ? heddle::writeable(*argument.ours) : argument.writeable;
      if (!may) throw value_error("assignment destination is read-only");
      if (argument.ours) pin(argument.moved ? *argument.moved : *argument.ours);
    }
    for (Argument& argument : arguments) {
      if (!argument.is_array || argument.ours == nullptr) continue;
      const array& a = argument.moved ? *argument.moved : *argument.ours;
      argument.address = static_cast<char*>(look(*a.storage().value()).data()) +
                         a.layout().offset * itemsize(a.dtype());
    }
  }
  static array unheard_copy(const array& a, Device& device) {
    const Recorder::Outside unheard;
    const Layout& layout = a.layout();
    const void* elements = look(*a.storage().value()).data();
    return from_host(elements, layout, a.dtype(), device);  // a copy would be the same value
  }
  static void put_back(const CompiledHostFunction& compiled,
                       const std::vector<Argument>& arguments) {
    const simt::Program& program = compiled.program;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (!argument.is_array || !program.array(program.parameters[i].array).written) continue;
      if (argument.moved) {
        write(*argument.ours, unheard_copy(*argument.moved, argument.ours->device()));
      } else if (argument.ours && Recorder::current()) {
        // Who listens hears what has become of it: elements that it depends on were looked at. All
        // of a view's storage, as an update of the view would read what is changed already.
        const Ref<Value> held = argument.ours->storage().value();
        const Value& contents = *held;
        const array whole(argument.ours->shared_storage(), contiguous_layout(contents.shape),
                          contents.dtype);
        write(whole, unheard_copy(whole, whole.device()));
      }
    }
  }

  nb::object compile_, bind_;
  int parameters_;
  std::unordered_map<std::string, std::shared_ptr<const CompiledHostFunction>> known_;
};

}  // namespace

void bind_host_functions(nb::module_& m) {
  nb::class_<HostFunction>(m, "HostFunction", nb::dynamic_attr())
      .def(nb::init<nb::object, nb::object, int>(), nb::arg("compile"), nb::arg("bind"),
           nb::arg("parameters"))
      .def("__call__", &HostFunction::call)
      .def("_text", [](HostFunction& f, const std::string& kind,
                       const nb::args& given) { return f.text(given, kind); })
      .def("_compile_for", &HostFunction::compile)
      .def("_forget", &HostFunction::forget)
      .def_prop_ro("_signatures", &HostFunction::signatures);
  m.def("loop_threads", &loop_threads);
  m.def("most_loop_threads", &most_loop_threads);
  m.def("set_loop_threads", &set_loop_threads, nb::arg("threads"));
}

}  // namespace heddle::python
