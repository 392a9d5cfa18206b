#include "runtime/races.h"

#include <array>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "simt/watch.h"

namespace heddle {

namespace {

using simt::Watch;

constexpr std::int64_t warp_threads = 32;

// Who has done what, and after how many barriers of the grid, of the block and of the warp, and
// fences of the block.
struct Access {
  std::int64_t block = -1, thread = -1;
  std::int64_t grid = 0, barriers = 0, warps = 0, fences = 0;
  std::int64_t site = 0;
};

// Some of the accesses that were made, so that one that is in no order with some of them is in none
// with one of these: of the last block and its last barrier two threads, and others of two blocks.
struct Several {
  std::array<Access, 2> recent, others;

  void add(const Access& now) {
    Access& last = recent[0];
    if (last.block != now.block) {
      if (last.block >= 0 && others[0].block != last.block) {
        others[1] = others[0];
        others[0] = last;
      }
      recent = {now, Access{}};
    } else if (last.barriers != now.barriers || last.grid != now.grid || last.warps != now.warps) {
      recent = {now, last.barriers == now.barriers && last.grid == now.grid ? last : Access{}};
    } else if (last.thread != now.thread) {
      recent[1] = now;
    }
  }
};

struct Cell {
  Access written;
  Several read, updated;
};

struct Block {
  std::int64_t barriers = 0, arrived = 0, exited = 0, fences = 0, updates = 0;
  std::unordered_map<std::int64_t, std::int64_t> warps;  // barriers of each
};

}  // namespace

class RaceChecker::Found {
 public:
  Found(std::vector<std::string> sites, bool cooperative, const LaunchGeometry& geometry)
      : sites_(std::move(sites)), cooperative_(cooperative), geometry_(geometry) {
    threads_ = geometry.block[0] * geometry.block[1] * geometry.block[2];
  }

  static void told(void* context, std::int64_t what, std::int64_t address, std::int64_t site,
                   std::int64_t block, std::int64_t thread) {
    auto& found = *static_cast<Found*>(context);
    if (found.said_.empty()) found.hear(what, address, site, block, thread);
  }
  const std::string& said() const { return said_; }

 private:
  void hear(std::int64_t what, std::int64_t address, std::int64_t site, std::int64_t number,
            std::int64_t thread) {
    if (number != current_ && !cooperative_) {
      // The next block takes the memory of this one.
      current_ = number;
      shared_.clear();
    }
    Block& block = blocks_[number];
    switch (what) {
      case Watch::arrive:
        ++block.arrived;
        break;
      case Watch::barrier:
      case Watch::grid_barrier:
        pass(block, number, address, site);
        if (what == Watch::grid_barrier) {
          ++block.barriers;
          if (number + 1 == geometry_.grid[0] * geometry_.grid[1] * geometry_.grid[2]) ++grid_;
        }
        break;
      case Watch::exit:
        ++block.exited;
        break;
      case Watch::warp:
        ++block.warps[thread / warp_threads];
        break;
      case Watch::fence:
        ++block.fences;
        break;
      default: {
        const bool in_shared = what >= Watch::in_shared;
        Access now{number, thread, grid_, block.barriers, 0, block.fences, site};
        if (!block.warps.empty()) now.warps = block.warps[thread / warp_threads];
        const std::int64_t kind = what % Watch::in_shared;
        if (kind == Watch::atomic) ++block.updates;
        access((in_shared ? shared_ : global_)[address], now, kind, in_shared);
      }
    }
  }

  void pass(Block& block, std::int64_t number, std::int64_t parted, std::int64_t site) {
    const std::int64_t there = threads_ - block.exited;
    if (block.arrived != there) {
      said_ = fmt::format("{}: a barrier that {} of {} threads of block {} reach", text(site),
                          block.arrived, there, place(number, geometry_.grid));
      if (parted >= 0) said_ += fmt::format("; they part at {}", text(parted));
    }
    block.arrived = 0;
    ++block.barriers;
  }

  void access(Cell& cell, const Access& now, std::int64_t kind, bool in_shared) {
    auto compare = [&](const Access& before, const char* did) {
      if (before.block < 0 || !said_.empty() || ordered(before, now)) return;
      constexpr std::array<const char*, 3> does = {"reads", "writes", "updates"};
      said_ = fmt::format(
          "a data race in {} memory: {} {} in thread {} of block {} what {} {} in thread {} of "
          "block {}, and nothing puts them in order",
          in_shared ? "shared" : "global", text(now.site), does[static_cast<std::size_t>(kind)],
          place(now.thread, geometry_.block), place(now.block, geometry_.grid), text(before.site),
          did, place(before.thread, geometry_.block), place(before.block, geometry_.grid));
    };
    auto compare_several = [&](const Several& several, const char* did) {
      for (const auto& list : {several.recent, several.others}) {
        for (const Access& before : list) compare(before, did);
      }
    };
    compare(cell.written, "writes");
    if (kind != Watch::read) compare_several(cell.read, "reads");
    if (kind != Watch::atomic) compare_several(cell.updated, "updates");
    if (kind == Watch::write) {
      cell.written = now;
    } else {
      (kind == Watch::read ? cell.read : cell.updated).add(now);
    }
  }

  bool ordered(const Access& before, const Access& now) {
    if (before.grid < now.grid) return true;
    if (before.block == now.block) {
      if (before.thread == now.thread || before.barriers < now.barriers) return true;
      return before.thread / warp_threads == now.thread / warp_threads && before.warps < now.warps;
    }
    // Blocks that wait for each other do so with a fence and an atomic: that is believed.
    return blocks_[before.block].fences > before.fences && blocks_[now.block].updates > 0;
  }

  const std::string& text(std::int64_t site) const {
    return sites_[static_cast<std::size_t>(site)];
  }
  static std::string place(std::int64_t number, const std::int64_t (&sizes)[3]) {
    return fmt::format("({}, {}, {})", number % sizes[0], number / sizes[0] % sizes[1],
                       number / sizes[0] / sizes[1]);
  }

  std::vector<std::string> sites_;
  bool cooperative_;
  LaunchGeometry geometry_;
  std::int64_t threads_ = 0, grid_ = 0, current_ = -1;
  std::unordered_map<std::int64_t, Cell> global_, shared_;
  std::unordered_map<std::int64_t, Block> blocks_;
  std::string said_;
};

namespace {

// Without the names of the exceptions that an index out of range would be there.
std::vector<std::string> sites_of(const simt::Program& program) {
  std::vector<std::string> sites;
  for (const std::string& text : program.texts) sites.push_back(text.substr(text.find(':') + 1));
  return sites;
}

}  // namespace

RaceChecker::RaceChecker(std::vector<std::string> sites, bool cooperative,
                         const LaunchGeometry& geometry)
    : found_(std::make_unique<Found>(std::move(sites), cooperative, geometry)) {}

RaceChecker::RaceChecker(const simt::Program& program, const LaunchGeometry& geometry)
    : RaceChecker(sites_of(program), program.cooperative, geometry) {}

RaceChecker::~RaceChecker() = default;

void RaceChecker::listen(std::int64_t* report) {
  const Watch::Function function = &Found::told;
  report[simt::Report::watch] =
      static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(function));
  report[simt::Report::context] =
      static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(found_.get()));
}

void RaceChecker::tell(std::int64_t what, std::int64_t address, std::int64_t site,
                       std::int64_t block, std::int64_t thread) {
  Found::told(found_.get(), what, address, site, block, thread);
}

bool RaceChecker::found() const { return !found_->said().empty(); }

void RaceChecker::raise() const {
  if (!found_->said().empty()) throw race_error(found_->said());
}

}  // namespace heddle
