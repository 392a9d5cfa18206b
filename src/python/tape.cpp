// Recording what this thread computes, for tests.
#include "graph/tape.h"

#include <algorithm>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/per_thread.h"
#include "graph/storage.h"
#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// Tapes of this thread, the innermost last.
std::vector<std::unique_ptr<Tape>>& tapes() {
  return PerThread<std::vector<std::unique_ptr<Tape>>>::own();
}

std::size_t rewritten(const Recording& recording) {
  return static_cast<std::size_t>(
      std::ranges::count(recording.values, true, &Recording::Numbered::rewritten));
}

// How often the first entries look at something that a node made.
std::size_t looks(const Recording& recording, std::size_t entries) {
  std::size_t count = 0;
  for (std::size_t e = 0; e < entries; ++e) {
    const auto& entry = recording.entries[e];
    if (entry.door != Recording::Door::look) continue;
    const auto& look = recording.looks[static_cast<std::size_t>(entry.which)];
    count += !recording.values[static_cast<std::size_t>(look.value)].input;
  }
  return count;
}

}  // namespace

void bind_tape(nb::module_& m) {
  nb::class_<Recording>(m, "Recording")
      .def_prop_ro("incomplete", [](const Recording& r) { return r.incomplete; })
      .def_prop_ro("nodes", [](const Recording& r) { return r.steps.size(); })
      // Memory that was written to past the doors: by a library, unless a test does so itself.
      .def_prop_ro("rewritten", rewritten)
      .def_prop_ro("entries", [](const Recording& r) { return r.entries.size(); })
      .def("looks", looks, nb::arg("entries"))
      .def("common_entries", common_entries)
      .def("difference", difference)
      .def("other_inputs", other_inputs, nb::arg("other"), nb::arg("entries"))
      .def("replay", check_replay, nb::arg("other"), nb::arg("entries"))
      .def("__str__", [](const Recording& r) { return describe(r); });
  // Whether somebody records in this thread: then what could be computed on the host is not.
  m.def("recording", [] { return Recorder::current() != nullptr; });
  m.def("recorder_number", [] { return heddle::detail::recorder_number; });
  m.def("start_tape", [] { tapes().push_back(std::make_unique<Tape>()); });
  m.def("stop_tape", [] {
    if (tapes().empty()) throw value_error("stop_tape: nothing is recorded in this thread");
    const std::unique_ptr<Tape> ended = std::move(tapes().back());
    tapes().pop_back();
    return std::const_pointer_cast<Recording>(ended->take());
  });
}

}  // namespace heddle::python
