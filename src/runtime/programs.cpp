#include "runtime/programs.h"

#include <algorithm>
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

LaunchGeometry to_geometry(std::span<const std::int64_t> grid, std::span<const std::int64_t> block,
                           std::int64_t dynamic_bytes) {
  LaunchGeometry made;
  auto read = [](std::span<const std::int64_t> given, std::int64_t (&sizes)[3], const char* what) {
    if (given.empty() || given.size() > 3)
      throw value_error(fmt::format("{} have one to three axes, not {}", what, given.size()));
    std::copy(given.begin(), given.end(), sizes);
  };
  read(grid, made.grid, "blocks");
  read(block, made.block, "threads");
  made.dynamic_bytes = dynamic_bytes;
  return made;
}

void check_geometry(const std::string& program, const LaunchGeometry& g,
                    const ProgramLimits& limits, std::int64_t static_bytes,
                    const std::string& where) {
  auto refuse = [&](const std::string& why) { throw value_error(program + ": " + why); };
  std::int64_t threads = 1;
  constexpr const char* axes = "xyz";
  for (int d = 0; d < 3; ++d) {
    if (g.block[d] < 1 || g.grid[d] < 1) {
      refuse(fmt::format("a grid of ({}, {}, {}) blocks of ({}, {}, {}) threads has none",
                         g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1], g.block[2]));
    }
    if (g.block[d] > limits.block[d]) {
      refuse(fmt::format("{} threads of a block along {}; {} has at most {}", g.block[d], axes[d],
                         where, limits.block[d]));
    }
    if (g.grid[d] > limits.grid[d]) {
      refuse(fmt::format("{} blocks along {}; {} has at most {}", g.grid[d], axes[d], where,
                         limits.grid[d]));
    }
    threads *= g.block[d];
  }
  if (threads > limits.threads) {
    refuse(fmt::format("blocks of {} threads; {} has at most {}", threads, where, limits.threads));
  }
  if (g.dynamic_bytes < 0) refuse("shared memory of a negative size");
  const std::int64_t shared = static_bytes + g.dynamic_bytes;
  if (shared > limits.shared_bytes) {
    refuse(fmt::format("{} bytes of shared memory; a block on {} has at most {}", shared, where,
                       limits.shared_bytes));
  }
}

HostCode Programs::host_code(const simt::Program& program) {
  throw type_error(program.name + ": only CPUs run functions that are no kernels");
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
  if (kind == "RecursionError") throw recursion_error(rest);
  throw error(kind == "RuntimeError" ? rest : kind + ": " + rest);
}

}  // namespace heddle
