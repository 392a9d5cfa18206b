#include "transform/program_parts.h"

#include <algorithm>

#include "core/at.h"

namespace heddle::transform {

using namespace program_words;  // NOLINT(google-build-using-namespace)

int ProgramParts::new_local(Dtype dtype) {
  locals_.emplace_back(dtype, false);
  return static_cast<int>(locals_.size()) - 1;
}

Dtype ProgramParts::type_of(int local) const { return locals_[at(local)].first; }

int ProgramParts::number_parameter(const Argument& argument, Dtype dtype) {
  const int made = new_local(dtype);
  parameters_.emplace_back(0, made);
  arguments_.push_back(argument);
  return made;
}

int ProgramParts::array_parameter(const Argument& argument, Dtype dtype) {
  using Kind = Argument::Kind;
  const auto known = std::ranges::find(known_, argument, &std::pair<Argument, int>::first);
  if (known != known_.end()) return known->second;
  const int made = array_count_++;
  const bool written = argument.kind == Kind::output || argument.kind == Kind::reached ||
                       argument.kind == Kind::scratch;
  append(arrays_,
         {static_cast<int>(simt::ArrayKind::parameter), static_cast<int>(dtype), 1, 1, written});
  parameters_.emplace_back(1, made);
  arguments_.push_back(argument);
  known_.emplace_back(argument, made);
  return made;
}

int ProgramParts::compute(Statements& to, Op op, Dtype compute, Dtype dtype,
                          const std::vector<int>& args) {
  Words value = {static_cast<int>(simt::ExprKind::op), 0, static_cast<int>(op),
                 static_cast<int>(compute), static_cast<int>(dtype)};
  for (int arg : args) append(value, local(arg));
  const int made = new_local(dtype);
  to.assign(made, value);
  return made;
}

int ProgramParts::cast(Statements& to, int value, Dtype dtype) {
  if (type_of(value) == dtype) return value;
  return compute(to, Op::cast, type_of(value), dtype, {value});
}

program_words::Words ProgramParts::words_before_statements(bool host) const {
  Words words = {host, 0, static_cast<int>(simt::Rounding::exact), -1, 0, 1};
  words.push_back(static_cast<std::int64_t>(locals_.size()));
  for (const auto& [dtype, counter] : locals_) {
    append(words, {static_cast<int>(dtype), counter});
  }
  words.push_back(array_count_);
  append(words, arrays_);
  words.push_back(static_cast<std::int64_t>(parameters_.size()));
  for (const auto& [is_array, which] : parameters_) append(words, {is_array, which});
  if (host) words.push_back(0);  // results
  words.push_back(0);            // functions
  return words;
}

}  // namespace heddle::transform
