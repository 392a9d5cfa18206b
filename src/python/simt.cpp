// Kernels that people write in Python: signatures of calls, what was compiled for them, launches.
// Types are inferred and programs written in Python (heddle/simt); after that a call stays here.
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "backend/cuda/programs.h"
#include "core/op_types.h"
#include "ops/creation.h"
#include "ops/launch.h"
#include "ops/write.h"
#include "python/convert.h"
#include "python/simt_call.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

struct Read {
  std::string signature;
  std::vector<LaunchArgument> arguments;
  std::vector<nb::object> held;                         // what was converted
  std::vector<std::pair<nb::object, nb::object>> back;  // a copy of NumPy's array, and that array
};

void read_array(const array& a, Read& read) {
  const Layout& layout = a.layout();
  const auto ndim = layout.ndim();
  const bool unit = ndim > 0 && (layout.strides[ndim - 1] == 1 || layout.shape[ndim - 1] <= 1);
  read.signature += 'a';
  read.signature += static_cast<char>('A' + static_cast<int>(a.dtype()));
  read.signature += static_cast<char>('0' + ndim);
  read.signature += unit ? 'u' : 's';
  read.arguments.emplace_back(&a);
}

void read_argument(nb::handle given, Read& read, Device& device, int depth);

// Records of NumPy's, and what else is bytes that kernels see as records.
bool read_records(nb::handle given, Read& read, Device& device, int depth) {
  const std::optional<Records> records = to_records(given);
  if (!records) return false;
  read.signature += records->key;
  read_argument(records->bytes, read, device, depth + 1);
  read.held.push_back(records->bytes);
  return true;
}

void read_argument(nb::handle given, Read& read, Device& device, int depth) {
  PyObject* o = given.ptr();
  if (LaunchNumber number; python::read_number(given, read.signature, number)) {
    read.arguments.emplace_back(number);
    return;
  }
  if (is_array(o)) {
    read_array(array_in(o), read);
    return;
  }
  if (given.is_none()) {
    read.signature += 'N';
    return;
  }
  const auto inner = [&](nb::handle item) { read_argument(item, read, device, depth + 1); };
  if (PyTuple_Check(o) && read_items(given, read.signature, depth, inner)) return;
  if (is_numpy_array(given)) {
    if (is_record(given) && read_records(given, read, device, depth)) return;
    nb::object made;
    if (device.host_accessible() && is_shareable(given)) {
      made = nb::steal(wrap(from_numpy(given, true)));
    } else {
      // Copied back when the kernel is done.
      made = nb::steal(wrap(from_numpy(given, false)));
      read.back.emplace_back(made, nb::borrow(given));
    }
    read_array(array_in(made.ptr()), read);
    read.held.push_back(std::move(made));
    return;
  }
  if (auto shared = from_device_memory(given)) {
    nb::object made = nb::steal(wrap(std::move(*shared)));
    read_array(array_in(made.ptr()), read);
    read.held.push_back(std::move(made));
    return;
  }
  if (read_items(given, read.signature, depth, inner)) return;
  if (read_constant(given, read.signature)) return;
  if (read_records(given, read, device, depth)) return;
  const char* name = nb::type_name(given.type()).c_str();
  throw type_error(fmt::format("a kernel takes arrays, numbers and tuples of them, not {}", name));
}

struct CompiledKernel {
  std::shared_ptr<const LaunchableProgram> program;
  std::vector<Guard> guards;
};

class SimtKernel {
 public:
  explicit SimtKernel(nb::object compile) : compile_(std::move(compile)) {}

  void launch(const std::vector<std::int64_t>& grid, const std::vector<std::int64_t>& block,
              std::int64_t dynamic_bytes, const nb::tuple& given) {
    Read read;
    Device& device = default_device();
    for (nb::handle argument : given) read_argument(argument, read, device, 0);
    const CompiledKernel compiled = find(read.signature);
    const LaunchGeometry geometry = to_geometry(grid, block, dynamic_bytes);
    heddle::launch(compiled.program, geometry, read.arguments, device);
    const simt::Program& program = compiled.program->program();
    for (auto& [copy, numpys] : read.back) {
      for (std::size_t i = 0; i < read.arguments.size(); ++i) {
        const auto* a = std::get_if<const array*>(&read.arguments[i]);
        if (!a || *a != &array_in(copy.ptr())) continue;
        if (!program.array(program.parameters[i].array).written) continue;
        nb::object result = copied_to_numpy(**a, "C");
        numpys.attr("__setitem__")(nb::ellipsis(), result);
      }
    }
  }

  // Compiled for arguments like these, without a launch.
  std::shared_ptr<const LaunchableProgram> specialize(const nb::tuple& given) {
    Read read;
    for (nb::handle argument : given) read_argument(argument, read, default_device(), 0);
    return find(read.signature).program;
  }
  // For a signature, in letters.
  std::shared_ptr<const LaunchableProgram> compile(const std::string& signature) {
    return find(signature).program;
  }

  std::vector<std::string> signatures() const {
    std::vector<std::string> made;
    for (const auto& [signature, compiled] : known_) made.push_back(signature);
    return made;
  }

 private:
  CompiledKernel find(const std::string& signature) {
    if (auto found = known_.find(signature); found != known_.end()) {
      bool same = true;
      for (const Guard& guard : found->second.guards) same = same && guard.holds();
      if (same) return found->second;
      known_.erase(found);
    }
    nb::tuple made = nb::cast<nb::tuple>(compile_(signature));
    CompiledKernel compiled;
    compiled.program = std::make_shared<LaunchableProgram>(to_program(made[0], made[1], made[2]));
    compiled.guards = to_guards(made[3]);
    known_[signature] = compiled;
    return compiled;
  }

  nb::object compile_;
  std::unordered_map<std::string, CompiledKernel> known_;
};

CacheKey to_key(const nb::bytes& given) {
  CacheKey key;
  if (given.size() != key.size()) throw value_error("a key has 32 bytes");
  std::memcpy(key.data(), given.c_str(), key.size());
  return key;
}

nb::dict op_facts() {
  nb::dict made;
  for (int i = 0; i < table_ops; ++i) {
    const Op op = static_cast<Op>(i);
    if (leaves_marks(op)) continue;
    nb::list integers;
    for (int n = 0; n < info(op).inputs; ++n) {
      const Takes takes = info(op).takes[static_cast<std::size_t>(n)];
      if (takes == Takes::exponent || takes == Takes::order) integers.append(n);
    }
    made[info(op).name] = nb::make_tuple(i, info(op).inputs, nb::tuple(integers));
  }
  return made;
}

// What an operation computes in for operands that promote to a type, and its result's type; None
// where it has no such types.
nb::object op_types(int op, int dtype) {
  const auto given = static_cast<Dtype>(dtype);
  const auto compute = loop_type(static_cast<Op>(op), given);
  if (!compute) return nb::none();
  return nb::make_tuple(static_cast<int>(*compute),
                        static_cast<int>(result_type(static_cast<Op>(op), *compute)));
}

}  // namespace

void bind_simt(nb::module_& m) {
  nb::class_<LaunchableProgram>(m, "SimtProgram")
      .def("text",
           [](const LaunchableProgram& program, const std::string& kind) {
             return programs_of(default_device()).text(program.program(), kind);
           })
      .def("ptx", [](const LaunchableProgram& program,
                     int capability) { return cuda::program_ptx(program.program(), capability); })
      .def("cubin",
           [](const LaunchableProgram& program, int capability) {
             const std::string made = cuda::program_cubin(program.program(), capability);
             return nb::bytes(made.data(), made.size());
           })
      // Registers, bytes of local, shared and constant memory, and the most threads of a block.
      .def("facts",
           [](const LaunchableProgram& program) {
             Device& device = default_device();
             const ProgramFacts facts =
                 programs_of(device).facts(program.program(), program.code(device));
             return nb::make_tuple(facts.registers, facts.local_bytes, facts.shared_bytes,
                                   facts.constant_bytes, facts.threads);
           })
      // Blocks of a multiprocessor, how many of those there are, and their threads.
      .def("residence",
           [](const LaunchableProgram& program, std::int64_t threads, std::int64_t bytes) {
             Device& device = default_device();
             const Programs::Residence found =
                 programs_of(device).residence(program.code(device), threads, bytes);
             return nb::make_tuple(found.blocks, found.multiprocessors, found.threads);
           })
      .def_prop_ro("shared_bytes", [](const LaunchableProgram& program) {
        return program.program().shared_bytes();
      });
  nb::class_<SimtKernel>(m, "SimtKernel")
      .def(nb::init<nb::object>(), nb::arg("compile"))
      .def("launch", &SimtKernel::launch, nb::arg("grid"), nb::arg("block"),
           nb::arg("dynamic_bytes"), nb::arg("arguments"))
      .def("specialize",
           [](SimtKernel& kernel, const nb::tuple& given) {
             return std::const_pointer_cast<LaunchableProgram>(kernel.specialize(given));
           })
      .def("compile",
           [](SimtKernel& kernel, const std::string& signature) {
             return std::const_pointer_cast<LaunchableProgram>(kernel.compile(signature));
           })
      .def_prop_ro("signatures", &SimtKernel::signatures);
  // What the compilers in Python keep for the next process, by 32 bytes.
  m.def("cache_load", [](const nb::bytes& key) -> nb::object {
    const auto found = DiskCache::instance().load(to_key(key));
    if (!found) return nb::none();
    return nb::bytes(found->data(), found->size());
  });
  m.def("cache_store", [](const nb::bytes& key, const nb::bytes& data) {
    DiskCache::instance().store(to_key(key), {data.c_str(), data.size()});
  });
  m.def("simt_ops", op_facts);
  m.def("simt_op_types", op_types);
  m.def("simt_promote", [](int a, int b) {
    return static_cast<int>(promote_types(static_cast<Dtype>(a), static_cast<Dtype>(b)));
  });
}

}  // namespace heddle::python
