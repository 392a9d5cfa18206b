// Kernels in source code on devices whose code the host runs: the compiler's plug-in, modules,
// launches.
#include "runtime/sources.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ops/foreign.h"
#include "python/convert.h"
#include "python/foreign_arguments.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

struct HostModule {
  Device* device;
  std::shared_ptr<const SourceModule> module;
};

Sources& sources(const std::string& device) {
  Sources* found = sources_of(find_device(device));
  if (found == nullptr)
    throw type_error(fmt::format("there are no kernels in source code on device '{}'", device));
  return *found;
}

// (whether it compiled, the code, compiled names, what the compiler says)
nb::tuple compile(const std::string& device, const std::string& plugin, const std::string& mark,
                  std::string text, std::string file, std::vector<std::string> options,
                  std::vector<std::string> names,
                  std::vector<std::pair<std::string, std::string>> headers) {
  const CompiledSource made = sources(device).compile(
      plugin, mark,
      {std::move(text), std::move(file), std::move(options), std::move(names), std::move(headers)});
  return nb::make_tuple(made.done, nb::bytes(made.code.data(), made.code.size()), made.names,
                        made.log);
}

void launch(const HostModule& self, const std::string& kernel,
            const std::vector<std::int64_t>& grid, const std::vector<std::int64_t>& block,
            std::int64_t shared_bytes, bool cooperative, nb::handle given) {
  ForeignArguments arguments(given);
  call_foreign(self.module->launch(kernel, to_geometry(grid, block, shared_bytes), cooperative,
                                   std::move(arguments.all)),
               arguments.arrays, *self.device);
}

}  // namespace

void bind_sources(nb::module_& m) {
  nb::module_ sub = m.def_submodule("sources");
  sub.def("compile", compile, nb::arg("device"), nb::arg("plugin"), nb::arg("mark"),
          nb::arg("text"), nb::arg("file"), nb::arg("options"), nb::arg("names"),
          nb::arg("headers"));
  nb::class_<HostModule>(sub, "Module")
      .def("__init__",
           [](HostModule* self, const std::string& device, const nb::bytes& code) {
             new (self) HostModule{&find_device(device),
                                   sources(device).load(std::string(code.c_str(), code.size()))};
           })
      // (shared memory, memory of a thread) in bytes
      .def("facts",
           [](const HostModule& self, const std::string& kernel) {
             const SourceKernelFacts facts = self.module->facts(kernel);
             return nb::make_tuple(facts.shared_bytes, facts.local_bytes);
           })
      .def("variable",
           [](const HostModule& self, const std::string& name) {
             const auto [address, bytes] = self.module->variable(name);
             return nb::make_tuple(reinterpret_cast<std::uintptr_t>(address), bytes);
           })
      .def("launch", launch, nb::arg("kernel"), nb::arg("grid"), nb::arg("block"),
           nb::arg("shared_bytes"), nb::arg("cooperative"), nb::arg("arguments"));
}

}  // namespace heddle::python
