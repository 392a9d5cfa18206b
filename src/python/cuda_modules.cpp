// CUDA C++ and code that was compiled of it: NVRTC, modules, functions, launches.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "backend/cuda/device.h"
#include "backend/cuda/module.h"
#include "backend/cuda/nvrtc.h"
#include "ops/foreign.h"
#include "python/convert.h"
#include "python/cuda.h"
#include "python/foreign_arguments.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using namespace cuda;

// A kernel of a module.
struct ModuleFunction {
  std::string name;
  std::shared_ptr<const Module> module;
  CUfunction handle;
};

void launch(const ModuleFunction& function, const std::vector<std::int64_t>& grid,
            const std::vector<std::int64_t>& block, std::int64_t shared_bytes, bool cooperative,
            nb::handle given) {
  const LaunchShape shape{to_geometry(grid, block, shared_bytes), cooperative};
  ForeignArguments arguments(given);
  const Gpu& gpu = function.module->gpu();
  check_shape(function.name, gpu, function.handle, shape);
  call_foreign(std::make_shared<ModuleLaunch>(function.name, function.module, function.handle,
                                              shape, std::move(arguments.all)),
               arguments.arrays, device_of(gpu));
}

int attribute(const ModuleFunction& function, int which) {
  const ContextScope scope(function.module->gpu());
  int value = 0;
  check(api().cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(which), function.handle),
        "cuFuncGetAttribute");
  return value;
}

void set_attribute(const ModuleFunction& function, int which, int value) {
  const ContextScope scope(function.module->gpu());
  check(api().cuFuncSetAttribute(function.handle, static_cast<CUfunction_attribute>(which), value),
        "cuFuncSetAttribute");
}

// (whether it compiled, the code, compiled names, what the compiler says)
nb::tuple compile(std::string text, std::string file, std::vector<std::string> options,
                  std::vector<std::string> names,
                  std::vector<std::pair<std::string, std::string>> headers) {
  const Compiled made = compile_source(
      {std::move(text), std::move(file), std::move(options), std::move(names), std::move(headers)});
  return nb::make_tuple(made.done, nb::bytes(made.code.data(), made.code.size()), made.names,
                        made.log);
}

}  // namespace

void bind_cuda_modules(nb::module_& m) {
  m.def("compile_source", compile, nb::arg("text"), nb::arg("file"), nb::arg("options"),
        nb::arg("names"), nb::arg("headers"));
  m.def("nvrtc_version", nvrtc_version);
  nb::class_<ModuleFunction>(m, "Function")
      .def_ro("name", &ModuleFunction::name)
      .def_prop_ro(
          "ptr", [](const ModuleFunction& f) { return reinterpret_cast<std::uintptr_t>(f.handle); })
      .def("attribute", attribute)
      .def("set_attribute", set_attribute)
      .def("launch", launch, nb::arg("grid"), nb::arg("block"), nb::arg("shared_bytes"),
           nb::arg("cooperative"), nb::arg("arguments"));
  nb::class_<Module>(m, "Module")
      .def("__init__",
           [](Module* self, int device, const nb::bytes& image) {
             new (self) Module(gpu(device), std::string(image.c_str(), image.size()));
           })
      .def("function",
           [](const std::shared_ptr<Module>& module, const std::string& name) {
             return ModuleFunction{name, module, module->function(name)};
           })
      .def("variable", &Module::variable);
}

}  // namespace heddle::python
