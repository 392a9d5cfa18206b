// Functions with derivatives of their own as nodes: what recorders that repeat or batch a function
// pass on to those outside of them who differentiate.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/primitive.h"
#include "graph/recorder.h"
#include "python/convert.h"
#include "transform/support.h"
#include "transform/writes.h"

namespace heddle::python {

namespace {

// The way back: function(inputs, outputs, cotangents of the outputs) gives those of the inputs.
struct OwnRule final : Parameters {
  OwnRule(nb::object function, nb::object owner, std::uint64_t batches, int written,
          std::string what)
      : function(std::move(function)),
        owner(std::move(owner)),
        batches(batches),
        written(written),
        what(std::move(what)) {}
  ~OwnRule() override {
    const InterpreterLock lock;
    function.reset();
    owner.reset();
  }
  OwnRule(const OwnRule&) = delete;
  OwnRule& operator=(const OwnRule&) = delete;

  // Whose rule it is: calls of one function run alike.
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(reinterpret_cast<std::uintptr_t>(owner.ptr()));
    key.push_back(batches);
    key.push_back(static_cast<std::uint64_t>(written));
  }

  nb::object function, owner;
  std::uint64_t batches;  // around the function
  int written;            // the last outputs are what it writes to other arrays
  std::string what;
};

void pull_own(graph::Pullback& step) {
  const auto& rule = step.node().parameters_as<OwnRule>();
  const int inputs = step.operand_count() - step.output_count();
  const int outputs = step.output_count() - rule.written;
  for (int i = outputs; i < step.output_count(); ++i) {
    if (step.cotangent(i)) throw written_without_rule(rule.what);
  }
  std::vector<array> given, made;
  std::vector<std::optional<array>> cotangents;
  for (int i = 0; i < inputs; ++i) given.push_back(step.operand(i));
  for (int i = 0; i < outputs; ++i) {
    made.push_back(step.output(i));
    cotangents.push_back(step.cotangent(i));
  }
  std::vector<std::optional<array>> found;
  {
    const InterpreterLock lock;
    found = nb::cast<std::vector<std::optional<array>>>(rule.function(given, made, cotangents));
  }
  for (int i = 0; i < inputs; ++i) {
    std::optional<array>& one = found[static_cast<std::size_t>(i)];
    if (one && step.wants(i)) step.give(i, std::move(*one));
  }
}

std::vector<array> make_own(std::shared_ptr<const OwnRule> rule, std::span<const array> inputs,
                            std::span<const array> results);

// A rule is for one row: that of all rows maps it.
void batch_own(graph::Batch& step) {
  const auto& rule = step.node().parameters_as<OwnRule>();
  const int inputs = step.operand_count() - step.output_count();
  std::vector<array> given, results;
  for (int i = 0; i < step.operand_count(); ++i) {
    (i < inputs ? given : results).push_back(step.spread(i));
  }
  std::shared_ptr<const OwnRule> mapped;
  {
    const InterpreterLock lock;
    nb::object function = nb::module_::import_("heddle").attr("vmap")(rule.function);
    mapped = std::make_shared<OwnRule>(std::move(function), rule.owner, rule.batches + 1,
                                       rule.written, rule.what);
  }
  const auto made = make_own(std::move(mapped), given, results);
  for (int i = 0; i < step.output_count(); ++i) step.give(i, made[static_cast<std::size_t>(i)]);
}

// The inputs are kept and not the results that follow them among the operands: memory of these
// becomes that of the outputs. So there is one for each number of inputs.
struct OwnPrimitive {
  graph::Derivative derivative;
  Primitive primitive;
};
constexpr std::size_t most_inputs = 31;

const Primitive& primitive_for(std::size_t inputs) {
  static const auto* const all = [] {
    auto* made = new std::array<OwnPrimitive, most_inputs + 1>;
    for (std::size_t n = 0; n <= most_inputs; ++n) {
      (*made)[n].derivative = {(std::uint32_t{1} << n) - 1, ~std::uint32_t{0}, pull_own};
      if (n == most_inputs) (*made)[n].derivative.operands = ~std::uint32_t{0};
      (*made)[n].primitive = {"custom", graph::run_composed, &(*made)[n].derivative, batch_own};
    }
    return made;
  }();
  return (*all)[std::min(inputs, most_inputs)].primitive;
}

std::vector<array> make_own(std::shared_ptr<const OwnRule> rule, std::span<const array> inputs,
                            std::span<const array> results) {
  return graph::composed(primitive_for(inputs.size()), std::move(rule), inputs, results);
}

// What `compute` gives, a list of arrays, as a node whose way back is `pull`; errors speak of
// `what`. `read` gives what `pull` reads beside the inputs, and gets after them.
std::vector<array> own_node(const std::vector<array>& inputs, const nb::object& compute,
                            const nb::object& pull, const nb::object& owner,
                            const std::string& what, const nb::object& read) {
  std::vector<array> before, also, results, written;
  for (const array& input : inputs) before.push_back(transform::holding(input));
  {
    const Constant constant;
    const transform::Writes writes(before);
    results = nb::cast<std::vector<array>>(compute());
    written = writes.arrays();
    for (const array& one : nb::cast<std::vector<array>>(read())) {
      also.push_back(transform::holding(one));
    }
  }
  results.insert(results.end(), written.begin(), written.end());
  before.insert(before.end(), also.begin(), also.end());
  auto rule = std::make_shared<OwnRule>(pull, owner, 0, static_cast<int>(written.size()), what);
  std::vector<array> made = make_own(std::move(rule), before, results);
  transform::write_last(made, written);
  return made;
}

}  // namespace

void bind_own_nodes(nb::module_& m) {
  m.def("own_node", own_node, nb::arg("inputs"), nb::arg("compute"), nb::arg("pull"),
        nb::arg("owner"), nb::arg("what"), nb::arg("read"));
}

}  // namespace heddle::python
