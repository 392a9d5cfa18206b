// The buffer protocol: an array's memory as a Py_buffer.
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/write.h"
#include "python/convert.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// What a Py_buffer of ours keeps alive.
struct BufferHold {
  array source;
  std::vector<Py_ssize_t> shape, strides;
  char format[3] = {0, 0, 0};
};

}  // namespace

int get_buffer_slot(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  PyObject* done = guarded([&]() -> PyObject* {
    array& a = array_in(self);
    if (!a.device().host_accessible()) {
      throw type_error(
          fmt::format("the memory of {} is not the host's: use .get() or heddle.asnumpy for a copy",
                      a.device_name()));
    }
    tell_of_leaving(a, "a view of its memory");
    if (a.dtype() == Dtype::bfloat16) throw value_error("bfloat16 has no buffer format");
    if ((flags & PyBUF_WRITABLE) && !writeable(a))
      throw value_error("buffer source array is read-only");
    bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if (!wants_strides && !is_c_contiguous(a.layout()))
      throw value_error("ndarray is not C-contiguous");
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !is_c_contiguous(a.layout())) {
      throw value_error("ndarray is not C-contiguous");
    }
    auto hold = std::make_unique<BufferHold>(BufferHold{a, {}, {}, {}});
    view->buf = pin(a);
    ++a.storage().exports;
    auto size = itemsize(a.dtype());
    for (std::int64_t d = 0; d < a.ndim(); ++d) {
      hold->shape.push_back(a.shape()[d]);
      hold->strides.push_back(a.layout().strides[d] * size);
    }
    char code = info(a.dtype()).code;
    hold->format[0] = is_complex(a.dtype()) ? 'Z' : code;
    if (is_complex(a.dtype())) hold->format[1] = a.dtype() == Dtype::complex64 ? 'f' : 'd';
    view->len = a.size() * size;
    view->itemsize = size;
    view->readonly = !writeable(a);
    view->ndim = (flags & PyBUF_ND) ? static_cast<int>(a.ndim()) : 1;  // without one: plain bytes
    view->format = (flags & PyBUF_FORMAT) ? hold->format : nullptr;
    view->shape = (flags & PyBUF_ND) ? hold->shape.data() : nullptr;
    view->strides = wants_strides ? hold->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = hold.release();
    Py_INCREF(self);
    view->obj = self;
    Py_RETURN_NONE;
  });
  if (!done) {
    if (PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      PyErr_SetObject(PyExc_BufferError, value);
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(trace);
    }
    return -1;
  }
  Py_DECREF(done);
  return 0;
}

void release_buffer_slot(PyObject*, Py_buffer* view) {
  auto* hold = static_cast<BufferHold*>(view->internal);
  --hold->source.storage().exports;
  delete hold;
}

}  // namespace heddle::python
