// Device memory shared with other libraries: CUDA's array interface and DLPack, both ways.
#include <memory>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "backend/cuda/device.h"
#include "graph/look.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/write.h"
#include "python/convert.h"
#include "python/dlpack.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using cuda::Gpu;
using cuda::Stream;

const Gpu& gpu_of(const array& a) {
  const Gpu* gpu = cuda::gpu_of(a.device());
  if (!gpu) throw type_error(fmt::format("the array is on {}, not on a GPU", a.device_name()));
  return *gpu;
}

// In the protocols 0 would be ambiguous: 1 is the default stream, 2 that of the thread.
std::intptr_t protocol_number(const Stream& stream) {
  return stream.number() ? reinterpret_cast<std::intptr_t>(stream.number()) : 1;
}

Stream& stream_by_number(const Gpu& gpu, std::intptr_t number) {
  if (number == 0) throw value_error("stream 0 is ambiguous: use 1 for the default stream");
  return Stream::external(gpu, reinterpret_cast<cuda::CUstream>(number));
}

// Makes another library's stream wait for what was done here with the array.
void hand_over(const array& a, Stream& consumer) {
  auto* last = static_cast<Stream*>(look(*a.storage().value()).stream.load());
  if (last) consumer.wait(*last);
}

// Makes the current stream wait for another library's.
void wait_for_producer(const Gpu& gpu, std::intptr_t number) {
  Stream& producer = stream_by_number(gpu, number);
  Stream& current = cuda::current_stream(gpu);
  if (&producer == &current) return;
  cuda::Event event(gpu, cuda::CU_EVENT_DISABLE_TIMING);
  event.record(producer);
  current.wait(event.handle());
}

// An alias of memory whose first element is at `data`. Layout in elements.
array alias_on(Device& device, void* data, Layout layout, Dtype dtype, bool writeable,
               std::function<void()> release) {
  auto reach = extent_of(layout);
  if (!reach) {
    release();
    return empty(layout.shape, dtype, device);
  }
  auto size = itemsize(dtype);
  layout.offset = -reach->first;
  return alias_memory(device, static_cast<char*>(data) + reach->first * size, layout, dtype,
                      static_cast<std::size_t>((reach->second - reach->first + 1) * size),
                      writeable, std::move(release));
}

// Drops a reference from any thread.
std::function<void()> keeping(nb::handle owner) {
  PyObject* kept = nb::borrow(owner).release().ptr();
  return [kept] {
    InterpreterLock lock;
    Py_DECREF(kept);
  };
}

// --- CUDA's array interface ---

// The dictionary, and what has to live as long as somebody may use the address.
nb::tuple cuda_array_interface(const array& a) {
  const Gpu& gpu = gpu_of(a);
  auto* shared = new Export(a);
  nb::object holder = nb::cast(shared, nb::rv_policy::take_ownership);
  Stream& current = cuda::current_stream(gpu);
  hand_over(a, current);
  nb::dict interface = interface_of(*shared);
  interface["stream"] = protocol_number(current);
  if (a.size() == 0) interface["data"] = nb::make_tuple(0, !writeable(a));
  return nb::make_tuple(interface, holder);
}

Layout layout_from(nb::handle shape, nb::handle strides, Dtype dtype) {
  Layout layout = contiguous_layout(to_dims(shape));
  if (strides.is_none()) return layout;
  layout.strides = to_dims(strides);
  if (layout.strides.size() != layout.shape.size())
    throw value_error("__cuda_array_interface__: as many strides as dimensions are needed");
  for (auto& stride : layout.strides) {
    if (stride % itemsize(dtype) != 0)
      throw value_error("__cuda_array_interface__: strides are not multiples of the item size");
    stride /= itemsize(dtype);
  }
  return layout;
}

array from_interface(nb::handle object, const nb::dict& interface) {
  auto item = [&](const char* key) {
    nb::object found = interface.attr("get")(key);
    return found;
  };
  if (!item("mask").is_none())
    throw type_error("__cuda_array_interface__: masked arrays are not supported");
  Dtype dtype = to_dtype(item("typestr"));
  Layout layout = layout_from(item("shape"), item("strides"), dtype);
  nb::object data = item("data");
  auto pointer = nb::cast<std::uintptr_t>(data[0]);
  if (size_of(layout.shape) == 0) return empty(layout.shape, dtype, default_device());
  const Gpu& gpu = cuda::gpu(cuda::owner_of(pointer, "__cuda_array_interface__"));
  // Without a stream there is nothing to wait for.
  if (nb::object stream = item("stream"); !stream.is_none())
    wait_for_producer(gpu, nb::cast<std::intptr_t>(stream));
  return alias_on(cuda::device_of(gpu), reinterpret_cast<void*>(pointer), std::move(layout), dtype,
                  !nb::cast<bool>(data[1]), keeping(object));
}

// --- DLPack ---

dlpack::DataType type_of(Dtype dtype) {
  auto bits = static_cast<std::uint8_t>(itemsize(dtype) * 8);
  auto code = [&] {
    switch (kind(dtype)) {
      case Kind::boolean:
        return dlpack::Code::boolean;
      case Kind::signed_integer:
        return dlpack::Code::integer;
      case Kind::unsigned_integer:
        return dlpack::Code::unsigned_integer;
      case Kind::complex:
        return dlpack::Code::complex;
      case Kind::floating:
        break;
    }
    return dtype == Dtype::bfloat16 ? dlpack::Code::bfloat : dlpack::Code::floating;
  }();
  return {code, bits, 1};
}

Dtype dtype_from(const dlpack::DataType& type) {
  for (int t = 0; t < dtype_count; ++t) {
    auto dtype = static_cast<Dtype>(t);
    auto own = type_of(dtype);
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1) return dtype;
  }
  throw type_error(fmt::format("from_dlpack: no type of ours has code {} and {} bits",
                               static_cast<int>(type.code), type.bits));
}

// What a capsule of ours owns. M is ManagedTensor or ManagedTensorVersioned.
template <class M>
struct Lent {
  explicit Lent(const array& a) : shared(a), shape(a.shape()), strides(a.layout().strides) {}
  M managed{};
  Export shared;
  Dims shape, strides;

  static void drop(M* managed) { delete static_cast<Lent*>(managed->context); }
};

template <class M>
nb::object capsule_of(const array& a, const Gpu& gpu, bool copied) {
  auto* lent = new Lent<M>(a);
  M& managed = lent->managed;
  managed.context = lent;
  managed.deleter = Lent<M>::drop;
  managed.tensor = {lent->shared.address,
                    {dlpack::DeviceType::cuda, gpu.ordinal},
                    static_cast<std::int32_t>(a.ndim()),
                    type_of(a.dtype()),
                    lent->shape.data(),
                    lent->strides.data(),
                    0};
  if constexpr (requires { managed.version; }) {
    managed.version = {1, 1};
    managed.flags = (writeable(a) ? 0u : dlpack::read_only) | (copied ? dlpack::is_copied : 0u);
  }
  PyObject* capsule = PyCapsule_New(&managed, dlpack::name<M>, [](PyObject* object) {
    // A capsule that was consumed has another name.
    auto* own = PyCapsule_IsValid(object, dlpack::name<M>)
                    ? static_cast<M*>(PyCapsule_GetPointer(object, dlpack::name<M>))
                    : nullptr;
    if (own) own->deleter(own);
  });
  if (!capsule) {
    delete lent;
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

nb::object to_dlpack(const array& a, std::optional<std::intptr_t> stream, bool versioned,
                     bool copied) {
  const Gpu& gpu = gpu_of(a);
  nb::object capsule = versioned ? capsule_of<dlpack::ManagedTensorVersioned>(a, gpu, copied)
                                 : capsule_of<dlpack::ManagedTensor>(a, gpu, copied);
  // After that: sharing the memory may have moved it.
  constexpr std::intptr_t no_synchronization = -1;
  std::intptr_t number = stream.value_or(1);
  if (number != no_synchronization) hand_over(a, stream_by_number(gpu, number));
  return capsule;
}

template <class M>
array consume(PyObject* capsule) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, dlpack::name<M>));
  const dlpack::Tensor& tensor = managed->tensor;
  Device* device = &cpu_device();
  if (tensor.device.type == dlpack::DeviceType::cuda ||
      tensor.device.type == dlpack::DeviceType::cuda_managed) {
    device = &cuda::device_of(cuda::gpu(tensor.device.id));
  } else if (tensor.device.type != dlpack::DeviceType::cpu &&
             tensor.device.type != dlpack::DeviceType::cuda_host) {
    throw value_error(fmt::format("from_dlpack: devices of DLPack's type {} are not supported",
                                  static_cast<int>(tensor.device.type)));
  }
  Dtype dtype = dtype_from(tensor.type);
  Dims shape(tensor.shape, tensor.shape + tensor.ndim);
  Layout layout = contiguous_layout(shape);
  if (tensor.strides) layout.strides = Dims(tensor.strides, tensor.strides + tensor.ndim);
  bool writeable = true;
  if constexpr (requires { managed->flags; }) {
    if (managed->version.major > 1) throw value_error("from_dlpack: unknown version of DLPack");
    writeable = !(managed->flags & dlpack::read_only);
  }
  PyCapsule_SetName(capsule, dlpack::used_name<M>);
  auto release = [managed] {
    InterpreterLock lock;  // deleters of others may use Python
    if (managed->deleter) managed->deleter(managed);
  };
  return alias_on(*device, static_cast<char*>(tensor.data) + tensor.byte_offset, std::move(layout),
                  dtype, writeable, std::move(release));
}

array from_dlpack(nb::handle capsule) {
  PyObject* object = capsule.ptr();
  if (PyCapsule_IsValid(object, dlpack::name<dlpack::ManagedTensorVersioned>))
    return consume<dlpack::ManagedTensorVersioned>(object);
  if (PyCapsule_IsValid(object, dlpack::name<dlpack::ManagedTensor>))
    return consume<dlpack::ManagedTensor>(object);
  throw value_error("from_dlpack: a capsule of DLPack that was not consumed yet is needed");
}

}  // namespace

std::optional<array> from_device_memory(nb::handle object) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return std::nullopt;
  // Objects that are on a GPU only sometimes raise AttributeError otherwise.
  nb::object interface = nb::getattr(object, "__cuda_array_interface__", nb::none());
  if (!PyDict_Check(interface.ptr())) return std::nullopt;
  return from_interface(object, nb::borrow<nb::dict>(interface));
}

void bind_interop(nb::module_& m) {
  m.def("cuda_array_interface", cuda_array_interface);
  m.def("to_dlpack", to_dlpack, nb::arg("a"), nb::arg("stream").none(), nb::arg("versioned"),
        nb::arg("copied"));
  m.def("from_dlpack", [](nb::handle capsule, nb::handle owner) {
    return nb::steal(wrap(from_dlpack(capsule), nb::borrow(owner)));
  });
  // The stream that work goes to now, as the protocols number it.
  m.def("protocol_stream",
        [](int device) { return protocol_number(cuda::current_stream(cuda::gpu(device))); });
}

}  // namespace heddle::python
