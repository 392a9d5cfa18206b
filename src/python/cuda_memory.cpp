// Pools, plain allocations, copies and memory hooks for heddle.cuda.
#include <cstdlib>
#include <cstring>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/transfer.h"
#include "python/convert.h"
#include "python/cuda.h"

namespace heddle::python {

namespace {

using namespace cuda;

// A block of a pool, given back when Python lets go of it.
class PoolBlock {
 public:
  PoolBlock(MemoryPool& pool, std::size_t bytes)
      : pool_(pool), block_(pool.allocate(bytes)), bytes_(bytes) {}
  ~PoolBlock() { pool_.release(block_, bytes_); }
  PoolBlock(const PoolBlock&) = delete;
  PoolBlock& operator=(const PoolBlock&) = delete;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(block_.data); }
  std::size_t size() const { return MemoryPool::rounded(bytes_); }
  std::size_t bytes() const { return bytes_; }
  // The block is now used by work on this stream, last.
  void use_on(Stream& stream) { block_.stream = &stream; }

 private:
  MemoryPool& pool_;
  MemoryPool::Block block_;
  std::size_t bytes_;
};

// Memory that NumPy and others see. Without a GPU it is of a HostPool.
struct PinnedBlock : PoolBlock {
  PinnedBlock(MemoryPool& pool, std::size_t bytes) : PoolBlock(pool, bytes) {}
};

// Plain memory of the host, for what asks for pools of its own where there is no GPU.
class HostPool final : public MemoryPool {
 protected:
  void* system_allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    return posix_memalign(&pointer, 64, bytes) == 0 ? pointer : nullptr;
  }
  void system_release(void* pointer, std::size_t) override { std::free(pointer); }
  std::string what() const override { return "host memory"; }
};

void* address(std::uintptr_t pointer) { return reinterpret_cast<void*>(pointer); }

// --- memory hooks ---

// Called with the names that CuPy's hooks have. It outlives static destruction.
nb::object& observer() {
  static auto* function = new nb::object;
  return *function;
}

const char* name_of(MemoryNotice::Kind kind) {
  switch (kind) {
    case MemoryNotice::Kind::request:
      return "malloc_preprocess";
    case MemoryNotice::Kind::request_done:
      return "malloc_postprocess";
    case MemoryNotice::Kind::allocate:
      return "alloc_preprocess";
    case MemoryNotice::Kind::allocate_done:
      return "alloc_postprocess";
    case MemoryNotice::Kind::release:
      return "free_preprocess";
    case MemoryNotice::Kind::release_done:
      return "free_postprocess";
  }
  return "";
}

void notify(const MemoryNotice& notice) {
  const Gpu* gpu = gpu_of(notice.pool);
  if (!gpu || !Py_IsInitialized()) return;
  InterpreterLock lock;
  if (!observer().is_valid()) return;
  // What goes wrong in a hook must not hide what the program does.
  nb::error_scope before;
  try {
    observer()(name_of(notice.kind), gpu->ordinal, notice.bytes, notice.size,
               reinterpret_cast<std::uintptr_t>(notice.data));
  } catch (nb::python_error& error) {
    error.restore();
    PyErr_WriteUnraisable(observer().ptr());
  }
}

void set_observer(nb::object function) {
  if (function.is_none()) {
    set_memory_observer(nullptr);
    observer() = nb::object();
  } else {
    observer() = std::move(function);
    set_memory_observer(notify);
  }
}

// --- allocators of users ---

nb::object& allocator() {
  static auto* function = new nb::object;
  return *function;
}

// Memory from allocator()(device, bytes), an object with the attribute `ptr`, which owns it; the
// pool's where that is None.
Ref<Buffer> allocate_by_user(Device& device, std::size_t bytes) {
  const Gpu& own = *gpu_of(device);
  InterpreterLock lock;
  if (!allocator().is_valid()) return {};
  nb::object memory = allocator()(own.ordinal, bytes);
  if (memory.is_none()) return {};
  auto pointer = nb::cast<std::uintptr_t>(memory.attr("ptr"));
  PyObject* owner = memory.release().ptr();
  auto buffer = Buffer::adopt(device, address(pointer), bytes, [owner] {
    InterpreterLock held;
    Py_DECREF(owner);
  });
  buffer->stream = &current_stream(own);
  return buffer;
}

void set_user_allocator(nb::object function) {
  bool none = function.is_none();
  allocator() = none ? nb::object() : std::move(function);
  for (const Gpu& one : gpus()) {
    device_of(one).set_allocator(none ? nullptr : allocate_by_user);
  }
}

// --- page-locked memory ---

// Lent to NumPy and others through the buffer protocol.
int get_pinned_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto& block = *nb::inst_ptr<PoolBlock>(self);
  return PyBuffer_FillInfo(view, self, address(block.address()),
                           static_cast<Py_ssize_t>(block.bytes()), 0, flags);
}

// --- copies ---

void bind_copies(nb::module_& m) {
  // Between any two addresses; the host's side may be ordinary memory.
  m.def("copy_to_host", [](Stream& s, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
    copy_to_host(s, address(to), from, bytes);
  });
  m.def("copy_from_host", [](Stream& s, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
    copy_from_host(s, to, address(from), bytes);
  });
  m.def("copy_to_host_async",
        [](Stream& s, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
          copy_to_host_async(s, address(to), from, bytes);
        });
  m.def("copy_from_host_async",
        [](Stream& s, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
          copy_from_host_async(s, to, address(from), bytes);
        });
  m.def("copy_on_device", [](Stream& s, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
    ContextScope scope(s.gpu());
    check(api().cuMemcpyAsync(to, from, bytes, s.handle()), "memcpy");
  });
  m.def("fill", [](Stream& s, std::uintptr_t to, int value, std::size_t bytes) {
    ContextScope scope(s.gpu());
    check(api().cuMemsetD8Async(to, static_cast<unsigned char>(value), bytes, s.handle()),
          "memset");
  });
  // (type as CUDA's runtime numbers it, device, device pointer, host pointer)
  m.def("pointer_attributes", [](std::uintptr_t pointer) {
    enum { unregistered = 0, host = 1, device = 2, managed = 3 };
    PointerFacts facts = facts_of(pointer);
    if (facts.type == 0) return nb::make_tuple(static_cast<int>(unregistered), -1, 0, pointer);
    int kind = facts.managed ? managed : facts.type == CU_MEMORYTYPE_HOST ? host : device;
    return nb::make_tuple(kind, facts.ordinal, facts.device_side,
                          reinterpret_cast<std::uintptr_t>(facts.host_side));
  });
}

// --- allocations without a pool ---

void bind_allocations(nb::module_& m) {
  m.def("malloc", [](int device, std::size_t bytes) {
    ContextScope scope(gpu(device));
    RelaxedCapture relaxed;
    CUdeviceptr pointer = 0;
    check(api().cuMemAlloc(&pointer, bytes), "malloc");
    return pointer;
  });
  m.def("malloc_managed", [](int device, std::size_t bytes, unsigned flags) {
    ContextScope scope(gpu(device));
    CUdeviceptr pointer = 0;
    check(api().cuMemAllocManaged(&pointer, bytes, flags), "mallocManaged");
    return pointer;
  });
  m.def("malloc_async", [](Stream& s, std::size_t bytes) {
    ContextScope scope(s.gpu());
    CUdeviceptr pointer = 0;
    check(api().cuMemAllocAsync(&pointer, bytes, s.handle()), "mallocAsync");
    return pointer;
  });
  m.def("free", [](std::uintptr_t pointer) {
    if (!pointer) return;
    // A thread that collects garbage may have no context.
    ContextScope scope(gpu(owner_of(pointer, "free")));
    check(api().cuMemFree(pointer), "free");
  });
  m.def("free_async", [](Stream& s, std::uintptr_t pointer) {
    ContextScope scope(s.gpu());
    check(api().cuMemFreeAsync(pointer, s.handle()), "freeAsync");
  });
  m.def("host_alloc", [](std::size_t bytes, unsigned flags) {
    ContextScope scope(gpu(0));
    void* pointer = nullptr;
    check(api().cuMemHostAlloc(&pointer, bytes, flags), "hostAlloc");
    return reinterpret_cast<std::uintptr_t>(pointer);
  });
  m.def("free_host", [](std::uintptr_t pointer) {
    ContextScope scope(gpu(0));
    if (pointer) check(api().cuMemFreeHost(address(pointer)), "freeHost");
  });
  m.def("host_register", [](std::uintptr_t pointer, std::size_t bytes, unsigned flags) {
    ContextScope scope(gpu(0));
    check(api().cuMemHostRegister(address(pointer), bytes, flags), "hostRegister");
  });
  m.def("host_unregister", [](std::uintptr_t pointer) {
    ContextScope scope(gpu(0));
    check(api().cuMemHostUnregister(address(pointer)), "hostUnregister");
  });
}

}  // namespace

void bind_cuda_memory(nb::module_& m) {
  nb::class_<DevicePool, MemoryPool>(m, "DevicePool")
      .def("__init__",
           [](DevicePool* self, int device, bool managed) {
             new (self) DevicePool(
                 gpu(device), managed ? DevicePool::Source::managed : DevicePool::Source::device);
           })
      .def_prop_ro("device_id", [](const DevicePool& p) { return p.gpu().ordinal; });
  nb::class_<PinnedPool, MemoryPool>(m, "PinnedPool").def(nb::init<>());
  nb::class_<HostPool, MemoryPool>(m, "HostPool").def(nb::init<>());
  m.def(
      "default_pool", [](int device) { return &device_of(gpu(device)).pool(); },
      nb::rv_policy::reference);
  m.def("pinned_pool", pinned_pool, nb::rv_policy::reference);
  nb::class_<PoolBlock>(m, "PoolBlock")
      .def_prop_ro("ptr", &PoolBlock::address)
      .def_prop_ro("size", &PoolBlock::size)
      .def("use_on", &PoolBlock::use_on);
  m.def(
      "allocate", [](MemoryPool& pool, std::size_t bytes) { return new PoolBlock(pool, bytes); },
      nb::rv_policy::take_ownership, nb::keep_alive<0, 1>());
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_pinned_buffer)},
                                {0, nullptr}};
  nb::class_<PinnedBlock, PoolBlock>(m, "PinnedBlock", nb::type_slots(slots))
      .def(nb::init<MemoryPool&, std::size_t>(), nb::keep_alive<1, 2>());
  m.def("set_allocator", set_user_allocator, nb::arg("function").none());
  m.def("set_observer", set_observer, nb::arg("function").none());
  bind_copies(m);
  bind_allocations(m);
}

}  // namespace heddle::python
