#include "runtime/programs.h"

#include <vector>

#include <fmt/format.h>

#include "runtime/device.h"

namespace heddle {

namespace {

using Find = Programs* (*)(Device & device);

std::vector<Find>& kinds() {
  static auto* list = new std::vector<Find>;
  return *list;
}

}  // namespace

ProgramsKind::ProgramsKind(Find find) { kinds().push_back(find); }

Programs& programs_of(Device& device) {
  for (Find find : kinds()) {
    if (Programs* found = find(device)) return *found;
  }
  throw type_error(fmt::format("there are no kernels of your own on device '{}'", device.name()));
}

// Texts of failures begin with the name of the exception and a colon.
void raise_report(const simt::Program& program, std::span<const std::int64_t> report) {
  using R = simt::Report;
  if (report[R::taken] == 0) return;
  auto at = [&](int i) { return report[static_cast<std::size_t>(i)]; };
  const std::string& text = program.texts[static_cast<std::size_t>(at(R::site))];
  const std::string where =
      fmt::format("thread ({}, {}, {}) of block ({}, {}, {})", at(R::thread), at(R::thread + 1),
                  at(R::thread + 2), at(R::block), at(R::block + 1), at(R::block + 2));
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string rest = text.substr(colon + 1);
  if (kind == "IndexError") {
    throw index_error(fmt::format("{}: index {} is out of bounds for axis {} with size {} in {}",
                                  rest, at(R::index), at(R::axis), at(R::extent), where));
  }
  rest += " in " + where;
  if (kind == "ValueError") throw value_error(rest);
  if (kind == "TypeError") throw type_error(rest);
  if (kind == "ZeroDivisionError") throw zero_division_error(rest);
  if (kind == "OverflowError") throw overflow_error(rest);
  if (kind == "AssertionError") throw assertion_error(rest);
  throw error(kind == "RuntimeError" ? rest : kind + ": " + rest);
}

}  // namespace heddle
