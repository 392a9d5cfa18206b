// Evaluation, statistics, devices and memory pools.
#include <heddle/runtime.h>

#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/per_thread.h"
#include "graph/look.h"
#include "graph/picture.h"
#include "graph/storage.h"
#include "python/convert.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/statistics.h"

namespace heddle::python {

namespace {

std::vector<array> arrays_in(nb::args args) {
  std::vector<array> arrays;
  for (nb::handle arg : args) {
    if (is_array(arg.ptr())) {
      arrays.push_back(array_in(arg.ptr()));
    } else if (PyTuple_Check(arg.ptr()) || PyList_Check(arg.ptr())) {
      for (nb::handle item : nb::iter(arg)) arrays.push_back(to_array(item));
    } else {
      arrays.push_back(to_array(arg));
    }
  }
  return arrays;
}

bool interrupted_by_signal() {
  InterpreterLock lock;
  return PyErr_CheckSignals() != 0;
}

std::vector<Device*>& device_stack() { return PerThread<std::vector<Device*>>::own(); }

nb::dict what_was_counted() {
  Stats s = stats();
  nb::dict d;
  d["compiled"] = s.compiled;
  d["launched"] = s.launched;
  d["memory_hits"] = s.memory_hits;
  d["disk_hits"] = s.disk_hits;
  d["pack_hits"] = s.pack_hits;
  d["bytes_allocated"] = s.bytes_allocated;
  d["peak_bytes"] = s.peak_bytes;
  const Statistics counted = read_statistics();
  d["replayed"] = counted.replayed;
  d["kept"] = counted.kept;
  // traffic.h says when these two are counted.
  d["bytes_read"] = counted.bytes_read;
  d["bytes_written"] = counted.bytes_written;
  return d;
}

// What users read of functions that have no front end in Python.
constexpr const char* about_synchronize = R"(Computes what is pending, and waits for all devices.

Errors that depend on elements and were found meanwhile are raised here.

Examples
--------
>>> x = heddle.ones(3) + 1
>>> heddle.synchronize()
>>> x.pending
False
)";
constexpr const char* about_stats = R"(What was counted in this process, or since `reset_stats`.

Kernels that were ``compiled``, found in this process (``memory_hits``), on disk (``disk_hits``) or
in the prebuilt pack (``pack_hits``), ``launched``, run as part of a graph of the device
(``replayed``), or without being planned again (``kept``); bytes of memory that was asked for, and
the most that was in use at once. Bytes read and written are counted where the environment has
HEDDLE_COUNT_BYTES.

Examples
--------
>>> heddle.reset_stats()
>>> x = (heddle.ones(1000) + 1).eval()
>>> heddle.stats()["launched"]
1
)";
constexpr const char* about_reset_stats = R"(Counts from zero; the peak begins with what is in use.

Examples
--------
>>> heddle.reset_stats()
>>> heddle.stats()["launched"]
0
)";
constexpr const char* about_devices =
    R"(The names of all devices: the CPU, and GPUs that can be used.

Examples
--------
>>> "cpu" in heddle.devices()
True
)";

}  // namespace

void bind_runtime(nb::module_& m) {
  set_interrupt_hook(interrupted_by_signal);
  set_blocking_hooks({let_go_of_interpreter, take_interpreter_again});
  m.def("eval", [](nb::args args) { eval(arrays_in(args)); });
  m.def("synchronize", synchronize, about_synchronize);
  m.def("explain", [](nb::args args) { return explain(arrays_in(args)); });
  // Kernels, calls of libraries, bytes read and written by evaluating arrays.
  m.def("cost", [](nb::args args) {
    const std::vector<array> arrays = arrays_in(args);
    std::vector<Value*> values;
    for (const array& a : arrays) values.push_back(a.storage().value().get());
    const graph::PlanCost cost = graph::cost_of(values);
    return nb::make_tuple(cost.kernels, cost.calls, cost.read, cost.written);
  });
  // Of every pending node: label, type, shape, kernel, whether that is a library's, whether it
  // becomes memory, and what it reads.
  m.def("picture", [](nb::args args) {
    const std::vector<array> arrays = arrays_in(args);
    std::vector<Value*> values;
    for (const array& a : arrays) values.push_back(a.storage().value().get());
    nb::list made;
    for (const graph::PicturedNode& node : graph::picture(values)) {
      made.append(nb::make_tuple(node.label, name(node.dtype), to_tuple(node.shape), node.kernel,
                                 node.library, node.stored, node.reads));
    }
    return made;
  });
  m.def("stats", what_was_counted, about_stats);
  m.def("reset_stats", reset_stats, about_reset_stats);
  m.def("exchange_may_look", exchange_may_look, nb::arg("may"));
  m.def("exchange_at_once",
        [](std::int64_t bytes) { return std::exchange(limits().at_once, bytes); });
  m.def("check_may_look", check_may_look);
  m.def("set_implicit_copy_hook", set_implicit_copy_hook, nb::arg("function").none());
  m.def("devices", device_names, about_devices);
  m.def("find_device", [](const std::string& name) { return find_device(name).name(); });
  m.def("default_device", default_device_name);
  m.def("set_default_device", [](const std::string& name) { set_default_device(name); });
  m.def("push_device", [](const std::string& name) {
    device_stack().push_back(exchange_scoped_device(&find_device(name)));
  });
  m.def("set_scoped_device",
        [](const std::string& name) { exchange_scoped_device(&find_device(name)); });
  m.def("pop_device", [] {
    if (device_stack().empty()) return;
    exchange_scoped_device(device_stack().back());
    device_stack().pop_back();
  });
  nb::class_<MemoryPool>(m, "MemoryPool")
      .def("used_bytes", &MemoryPool::used_bytes)
      .def("total_bytes", &MemoryPool::total_bytes)
      .def("free_bytes", &MemoryPool::free_bytes)
      .def("n_free_blocks", &MemoryPool::free_blocks)
      .def("free_all_blocks", &MemoryPool::free_all_blocks)
      .def("set_limit", &MemoryPool::set_limit, nb::arg("size"))
      .def("get_limit", &MemoryPool::limit);
  m.def(
      "pool", [](const std::string& name) { return &find_device(name).pool(); },
      nb::rv_policy::reference);
}

}  // namespace heddle::python
