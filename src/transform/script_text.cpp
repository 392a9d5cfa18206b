#include "transform/script_text.h"

#include <fmt/format.h>

#include "core/at.h"
#include "graph/explain.h"

namespace heddle::transform {

namespace {

std::string type_text(Dtype dtype, const Dims& shape) {
  std::string text = std::string(name(dtype)) + "[";
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    text += fmt::format("{}{}", d ? "," : "", shape[d]);
  }
  return text + "]";
}

std::string step_text(const graph::ScriptStep& step) {
  std::string text;
  for (std::size_t i = 0; i < step.types.size(); ++i) {
    text += fmt::format("{}%{} {}", i ? ", " : "", step.first + static_cast<std::int32_t>(i),
                        type_text(step.types[i].dtype, step.types[i].shape));
  }
  text += fmt::format(" = {}(", graph::name_of(*step.node));
  for (std::size_t o = 0; o < step.values.size(); ++o) {
    const Operand& operand = step.operands[o];
    text += o ? ", " : "";
    text += step.values[o] < 0 ? "a number" : fmt::format("%{}", step.values[o]);
    if (operand.layout) text += fmt::format(" as {}", to_string(operand.layout->shape));
  }
  return text + ")";
}

}  // namespace

std::string to_text(const Script& script) {
  std::string text;
  for (std::size_t i = 0; i < script.inputs.size(); ++i) {
    const graph::OutputType& input = script.inputs[i];
    text += fmt::format("%{} {} = input\n", i, type_text(input.dtype, input.shape));
  }
  for (const auto& [number, type] : script.late) {
    text += fmt::format("%{} {} = drawn by the host\n", number, type_text(type.dtype, type.shape));
  }
  for (const auto& [number, value] : script.constants) {
    text += fmt::format("%{} {} = constant\n", number, type_text(value->dtype, value->shape));
  }
  for (const Script::Entry& entry : script.entries) {
    const auto which = at(entry.which);
    switch (entry.door) {
      case Script::Door::make:
        text += step_text(script.steps[which]) + "\n";
        break;
      case Script::Door::look:
        text += fmt::format("compare %{}\n", script.looks[which].value);
        break;
      case Script::Door::rebind:
        text += fmt::format("array {} = %{}\n", script.rebinds[which].storage,
                            script.rebinds[which].value);
        break;
      case Script::Door::call:
        text += "call back\n";
        break;
    }
  }
  for (const Script::Result& result : script.results) {
    text += result.storage >= 0 ? fmt::format("return array {}", result.storage)
                                : fmt::format("return %{}", result.value);
    text += fmt::format(" as {}\n", type_text(result.dtype, result.layout->shape));
  }
  return text;
}

}  // namespace heddle::transform
