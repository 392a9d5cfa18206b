// What heddle.cuda is made of: GPUs, streams, events and graphs. CUDA's names and rules for
// arguments are given in Python.
#include "python/cuda.h"

#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "backend/cuda/blas.h"
#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"
#include "backend/cuda/libraries.h"
#include "backend/cuda/search.h"
#include "graph/graph.h"
#include "python/convert.h"

namespace heddle::python {

namespace {

using namespace cuda;

std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  for (nb::handle entry : nb::module_::import_("sys").attr("path")) {
    if (PyUnicode_Check(entry.ptr())) folders.push_back(nb::cast<std::string>(entry));
  }
  return folders;
}

void run_pending_work() { evaluate_all(); }

void bind_devices(nb::module_& m) {
  m.def("is_available", [] { return driver() != nullptr; });
  m.def("why_unavailable", [] { return why_unavailable(); });
  m.def("device_count", [] { return gpus().size(); });
  m.def("driver_version", [] { return api().version; });
  m.def("driver_path", [] { return api().path; });
  m.def("device_name", [](int device) { return gpu(device).name; });
  m.def("total_memory", [](int device) { return gpu(device).total_memory; });
  m.def("compute_capability", [](int device) {
    const Gpu& one = gpu(device);
    return nb::make_tuple(one.major, one.minor);
  });
  m.def("attribute", [](int device, int attribute) -> nb::object {
    int value = 0;
    CUresult result = api().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute),
                                                 gpu(device).device);
    if (result == CUDA_ERROR_INVALID_VALUE) return nb::none();  // this driver has no such one
    check(result, "asking for an attribute");
    return nb::int_(value);
  });
  m.def("pci_bus_id", [](int device) {
    char text[32] = {};
    check(api().cuDeviceGetPCIBusId(text, sizeof text, gpu(device).device), "pci_bus_id");
    return std::string(text);
  });
  m.def("device_by_pci_bus_id", [](const std::string& id) {
    CUdevice found = 0;
    check(api().cuDeviceGetByPCIBusId(&found, id.c_str()), "from_pci_bus_id");
    for (const Gpu& one : gpus()) {
      if (one.device == found) return one.ordinal;
    }
    throw device_error("from_pci_bus_id: the GPU is not visible");
  });
  m.def("mem_info", [](int device) {
    ContextScope scope(gpu(device));
    std::size_t free = 0, total = 0;
    check(api().cuMemGetInfo(&free, &total), "mem_info");
    return nb::make_tuple(free, total);
  });
  m.def("set_current_context",
        [](int device) { check(api().cuCtxSetCurrent(context_of(gpu(device))), "use"); });
  m.def("synchronize_device", [](int device) { device_of(gpu(device)).synchronize(); });
  m.def("can_access_peer", [](int device, int peer) {
    int can = 0;
    check(api().cuDeviceCanAccessPeer(&can, gpu(device).device, gpu(peer).device),
          "deviceCanAccessPeer");
    return can != 0;
  });
  m.def("enable_peer_access", [](int device, int peer) {
    CUcontext other = context_of(gpu(peer));
    ContextScope scope(gpu(device));
    check(api().cuCtxEnablePeerAccess(other, 0), "deviceEnablePeerAccess");
  });
  m.def("disable_peer_access", [](int device, int peer) {
    CUcontext other = context_of(gpu(peer));
    ContextScope scope(gpu(device));
    check(api().cuCtxDisablePeerAccess(other), "deviceDisablePeerAccess");
  });
  m.def("get_limit", [](int device, int limit) {
    ContextScope scope(gpu(device));
    std::size_t value = 0;
    check(api().cuCtxGetLimit(&value, limit), "deviceGetLimit");
    return value;
  });
  m.def("set_limit", [](int device, int limit, std::size_t value) {
    ContextScope scope(gpu(device));
    check(api().cuCtxSetLimit(limit, value), "deviceSetLimit");
  });
  m.def("profiler_start", [] { check(api().cuProfilerStart(), "profilerStart"); });
  m.def("profiler_stop", [] { check(api().cuProfilerStop(), "profilerStop"); });
  m.def("toolkit_folders", toolkit_folders);
  m.def("allow_tf32", allow_tf32);
  m.def("allows_tf32", allows_tf32);
  m.def("library_path", library_path);
  m.def("libraries", [] {
    nb::dict places;
    for (const LibraryPlace& place : library_places()) {
      places[place.name.c_str()] =
          place.path.empty() ? nb::none() : nb::object(nb::str(place.path.c_str()));
    }
    return places;
  });
}

// --- functions that a stream calls ---

// Called by a thread of the driver. `again`: part of a graph, which may be launched more than once.
struct StreamCallback {
  nb::object function;
  bool again;

  static void call(void* data) {
    auto* self = static_cast<StreamCallback*>(data);
    InterpreterLock lock;
    PyObject* result = PyObject_CallNoArgs(self->function.ptr());
    if (result) {
      Py_DECREF(result);
    } else {
      PyErr_WriteUnraisable(self->function.ptr());
    }
    if (!self->again) delete self;
  }
};

// What the caller has to keep while a graph with the function exists; None outside of captures.
nb::object launch_host_func(Stream& stream, nb::object function) {
  bool captured = stream.capturing();
  auto payload = std::make_unique<StreamCallback>(StreamCallback{std::move(function), captured});
  {
    ContextScope scope(stream.gpu());
    check(api().cuLaunchHostFunc(stream.handle(), StreamCallback::call, payload.get()),
          "launch_host_func");
  }
  StreamCallback* kept = payload.release();
  if (!captured) return nb::none();
  return nb::capsule(kept, [](void* data) noexcept { delete static_cast<StreamCallback*>(data); });
}

void bind_streams(nb::module_& m) {
  constexpr auto reference = nb::rv_policy::reference;
  m.def("run_pending_work", run_pending_work);
  nb::class_<Stream>(m, "Stream")
      .def_prop_ro("ptr",
                   [](const Stream& s) { return reinterpret_cast<std::uintptr_t>(s.number()); })
      .def_prop_ro("device_id", [](const Stream& s) { return s.gpu().ordinal; })
      .def_prop_ro("done", &Stream::done)
      .def_prop_ro("capturing", &Stream::capturing)
      .def_prop_ro("priority",
                   [](Stream& s) {
                     ContextScope scope(s.gpu());
                     int priority = 0;
                     check(api().cuStreamGetPriority(s.handle(), &priority), "priority");
                     return priority;
                   })
      .def_prop_ro("flags",
                   [](Stream& s) {
                     ContextScope scope(s.gpu());
                     unsigned flags = 0;
                     check(api().cuStreamGetFlags(s.handle(), &flags), "flags");
                     return flags;
                   })
      .def("destroy", &Stream::destroy)
      .def("synchronize", &Stream::synchronize)
      .def("wait", nb::overload_cast<Stream&>(&Stream::wait))
      .def("wait_event",
           [](Stream& s, std::uintptr_t event) { s.wait(reinterpret_cast<CUevent>(event)); })
      .def("launch_host_func", launch_host_func)
      .def("begin_capture",
           [](Stream& s, int mode) { begin_capture(s, static_cast<CUstreamCaptureMode>(mode)); })
      .def("end_capture", [](Stream& s) { return end_capture(s); });
  m.def(
      "create_stream",
      [](int device, bool non_blocking, int priority) -> Stream& {
        return Stream::create(gpu(device), non_blocking, priority);
      },
      reference);
  m.def("null_stream", [](int device) -> Stream& { return Stream::null(gpu(device)); }, reference);
  m.def(
      "per_thread_stream", [](int device) -> Stream& { return Stream::per_thread(gpu(device)); },
      reference);
  m.def(
      "external_stream",
      [](int device, std::uintptr_t handle) -> Stream& {
        return Stream::external(gpu(device), reinterpret_cast<CUstream>(handle));
      },
      reference);
  m.def(
      "current_stream", [](int device) -> Stream& { return current_stream(gpu(device)); },
      reference);
  // The stream that was current. Pending work is run before, on the stream it was written for.
  m.def(
      "exchange_stream",
      [](Stream& stream) -> Stream& {
        run_pending_work();
        Stream* null = &Stream::null(stream.gpu());
        Stream* before = exchange_current_stream(stream.gpu(), &stream == null ? nullptr : &stream);
        return before ? *before : *null;
      },
      reference);
  m.def("priority_range", [](int device) {
    ContextScope scope(gpu(device));
    int least = 0, greatest = 0;
    check(api().cuCtxGetStreamPriorityRange(&least, &greatest), "priority_range");
    return nb::make_tuple(least, greatest);
  });
  m.def("cublas_handle",
        [](Stream& stream) { return reinterpret_cast<std::uintptr_t>(cublas_handle(stream)); });

  nb::class_<Event>(m, "Event")
      .def("__init__",
           [](Event* self, int device, unsigned flags) { new (self) Event(gpu(device), flags); })
      .def_prop_ro("ptr",
                   [](const Event& e) { return reinterpret_cast<std::uintptr_t>(e.handle()); })
      .def_prop_ro("device_id", [](const Event& e) { return e.gpu().ordinal; })
      .def_prop_ro("done", &Event::done)
      .def("record", &Event::record)
      .def("synchronize", &Event::synchronize)
      .def("milliseconds_since", &Event::milliseconds_since);

  nb::class_<cuda::Graph>(m, "Graph")
      .def_prop_ro(
          "graph",
          [](const cuda::Graph& g) { return reinterpret_cast<std::uintptr_t>(g.handle()); })
      .def_prop_ro(
          "graph_exec",
          [](const cuda::Graph& g) { return reinterpret_cast<std::uintptr_t>(g.executable()); })
      .def("launch", &cuda::Graph::launch)
      .def("upload", &cuda::Graph::upload)
      .def("dot", &cuda::Graph::dot);
}

PlanCache& plans_of(int device) { return device_of(gpu(device)).transforms().plans(); }

// The plans that cuFFT keeps.
void bind_plans(nb::module_& m) {
  m.def("fft_plans", [](int device) {
    const PlanCacheInfo info = plans_of(device).info();
    return nb::make_tuple(info.size, info.max_size, info.hits, info.misses);
  });
  m.def("set_fft_plans",
        [](int device, std::size_t plans) { plans_of(device).set_max_size(plans); });
  m.def("clear_fft_plans", [](int device) { plans_of(device).clear(); });
}

}  // namespace

void bind_cuda(nb::module_& m) {
  set_package_folders(package_folders());
  nb::module_ sub = m.def_submodule("cuda");
  sub.attr("CUDARuntimeError") = device_error_type();
  bind_devices(sub);
  bind_streams(sub);
  bind_cuda_memory(sub);
  bind_cuda_modules(sub);
  bind_plans(m);
}

}  // namespace heddle::python
