#include "backend/cpu/block_scheduler.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "backend/cpu/blocks.h"
#include "backend/cpu/kernel_output.h"
#include "backend/cpu/source_checks.h"
#include "backend/cpu/warp_exchange.h"
#include "runtime/parallel.h"

namespace heddle::cpu {
namespace {

constexpr std::int32_t warp = 32;
constexpr std::size_t cache_line = 64;

std::size_t lines(std::size_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

bool is_of_a_warp(Site site) { return site >= Site::warp_barrier; }

// Where things lie in the memory of a block.
struct Layout {
  std::size_t stride, groups, group_size;
  std::size_t dynamic, rows, states, masks, sources, given, taken, given_wide, taken_wide, uniform,
      uniform_next, group_states, returned, total;

  explicit Layout(const KernelLaunch& launch) {
    const SourceKernel& kernel = *launch.kernel;
    const auto threads = static_cast<std::size_t>(launch.threads());
    stride = lines(threads);
    group_size = kernel.warps ? warp : threads;
    groups = (threads + group_size - 1) / group_size;
    std::size_t at = lines(kernel.shared_bytes);
    const auto next = [&](std::size_t bytes) {
      const std::size_t begin = at;
      at += lines(bytes);
      return begin;
    };
    dynamic = next(static_cast<std::size_t>(launch.dynamic_bytes));
    const std::size_t places = kernel.waits() ? stride : 0;
    rows = next(kernel.row_bytes * places);
    states = next(4 * places);
    masks = next(4 * places);
    sources = next(4 * places);
    given = next(4 * places);
    taken = next(4 * places);
    given_wide = next(8 * places);
    taken_wide = next(8 * places);
    uniform = next(kernel.uniform_bytes * groups);
    uniform_next = next(kernel.uniform_bytes);
    group_states = next(4 * groups);
    returned = next(launch.checker != nullptr ? threads : 0);
    total = at;
  }
};

template <class T>
T* at(char* memory, std::size_t offset) {
  return reinterpret_cast<T*>(memory + offset);
}

// Whether somebody wants the launch to stop. Only the thread that called can be told to.
bool ask(BlockFrame& frame) {
  auto& launch = *static_cast<KernelLaunch*>(frame.launch);
  if (launch.stopped.load(std::memory_order_relaxed)) return true;
  if (std::this_thread::get_id() != launch.caller) return false;
  if (!interrupted_meanwhile()) return false;
  launch.interrupted = true;
  launch.stopped = true;
  return true;
}

class Block {
 public:
  Block(KernelLaunch& launch, const Layout& layout, char* memory)
      : launch_(launch), kernel_(*launch.kernel), layout_(layout) {
    for (int d = 0; d < 3; ++d) {
      frame_.block_size[d] = static_cast<std::uint32_t>(launch.block[d]);
      frame_.grid_size[d] = static_cast<std::uint32_t>(launch.grid[d]);
    }
    frame_.dynamic_bytes = static_cast<std::uint32_t>(launch.dynamic_bytes);
    frame_.shared = memory;
    frame_.dynamic = memory + layout.dynamic;
    frame_.rows = memory + layout.rows;
    frame_.stride = layout.stride;
    frame_.parameters = launch.parameters;
    frame_.variables = launch.variables;
    frame_.states = at<std::int32_t>(memory, layout.states);
    frame_.masks = at<std::uint32_t>(memory, layout.masks);
    frame_.sources = at<std::uint32_t>(memory, layout.sources);
    frame_.given = at<std::uint32_t>(memory, layout.given);
    frame_.taken = at<std::uint32_t>(memory, layout.taken);
    frame_.given_wide = at<std::uint64_t>(memory, layout.given_wide);
    frame_.taken_wide = at<std::uint64_t>(memory, layout.taken_wide);
    frame_.launch = &launch;
    if (launch.checker != nullptr) {
      frame_.bounds = launch.checker->bounds();
      frame_.returned = at<std::uint8_t>(memory, layout.returned);
    }
    uniform_ = memory + layout.uniform;
    uniform_next_ = memory + layout.uniform_next;
    groups_ = at<std::int32_t>(memory, layout.group_states);
  }

  // It is the block with this number from then on, before its beginning.
  void become(std::int64_t number) {
    const auto& grid = launch_.grid;
    const std::int64_t line = number / grid[0];
    frame_.block[0] = static_cast<std::uint32_t>(number - line * grid[0]);
    frame_.block[1] = static_cast<std::uint32_t>(line % grid[1]);
    frame_.block[2] = static_cast<std::uint32_t>(line / grid[1]);
    std::fill_n(groups_, layout_.groups, 0);
    if (frame_.returned != nullptr)
      std::fill_n(frame_.returned, launch_.threads(), std::uint8_t{0});
  }

  // Until all threads have finished: true; or all that have not wait for the grid.
  bool run() {
    while (true) {
      bool any = false;
      for (std::size_t g = 0; g < layout_.groups; ++g) any |= advance(g);
      if (!any || should_stop()) return true;
      if (launch_.checker != nullptr && !check_barrier()) return true;
      if (waits_for_grid()) return false;
      answer();
    }
  }

 private:
  std::int32_t first(std::size_t g) const {
    return static_cast<std::int32_t>(g * layout_.group_size);
  }
  std::int32_t end(std::size_t g) const {
    return static_cast<std::int32_t>(std::min<std::size_t>(
        (g + 1) * layout_.group_size, static_cast<std::size_t>(launch_.threads())));
  }
  char* uniform(std::size_t g) const { return uniform_ + g * kernel_.uniform_bytes; }
  Site site(std::int32_t state) const { return kernel_.sites[static_cast<std::size_t>(state)]; }

  bool should_stop() {
    if (++frame_.asked % 64 != 0) return launch_.stopped.load(std::memory_order_relaxed);
    return ask(frame_);
  }

  // Whether all threads that have not returned are at the same barrier.
  bool check_barrier() {
    std::vector<std::int32_t> states(static_cast<std::size_t>(launch_.threads()), finished_state);
    for_waiting(
        [&](std::int32_t t, std::int32_t state) { states[static_cast<std::size_t>(t)] = state; });
    return launch_.checker->barrier(frame_, states);
  }
  void meet(Site kind, std::size_t g, std::uint32_t who) {
    if (launch_.checker != nullptr) launch_.checker->warp(frame_, kind, first(g));
    exchange(frame_, kind, first(g), who);
  }

  // From a barrier of the block, or the beginning, to the next one, or the end; whether anybody
  // waits.
  bool advance(std::size_t g) {
    std::int32_t& state = groups_[g];
    if (state == finished_state) return false;
    if (state == diverged_state) {
      go_on_at_barriers(g);
    } else {
      do {
        if (is_of_a_warp(site(state))) meet(site(state), g, everybody(g));
        state = kernel_.run_all(&frame_, state, first(g), end(g), uniform(g));
        if (state >= 0 && should_stop()) state = finished_state;
      } while (state >= 0 && is_of_a_warp(site(state)));
      if (state != diverged_state) return state != finished_state;
    }
    if (kernel_.warps) settle(g);
    state = common_state(g);
    return state != finished_state;
  }

  std::uint32_t everybody(std::size_t g) const {
    const std::int32_t count = end(g) - first(g);
    return count >= warp ? ~0u : (1u << count) - 1;
  }

  // Threads that are not where all others are go on one by one.
  template <class Wanted>
  void step(std::size_t g, Wanted wanted) {
    char* now = uniform(g);
    const std::size_t bytes = kernel_.uniform_bytes;
    std::memcpy(uniform_next_, now, bytes);
    for (std::int32_t t = first(g); t < end(g); ++t) {
      std::int32_t& state = frame_.states[t];
      if (state < 0 || !wanted(t, state)) continue;
      state = kernel_.run_one(&frame_, state, t, now, uniform_next_);
    }
    std::memcpy(now, uniform_next_, bytes);
  }

  void go_on_at_barriers(std::size_t g) {
    // Who waits at a barrier now goes on, but only to the next one.
    step(g, [&](std::int32_t, std::int32_t state) { return !is_of_a_warp(site(state)); });
  }

  // Operations of warps, until all threads are at barriers of the block or have finished.
  void settle(std::size_t g) {
    const std::int32_t begin = first(g), stop = end(g);
    while (true) {
      if (should_stop()) return finish(g);
      std::uint32_t alive = 0;
      std::int32_t lowest = -1;  // a site where some wait for others of the warp
      std::int32_t chosen = -1;  // one where all are that they wait for
      std::uint32_t who = 0;
      for (std::int32_t t = begin; t < stop; ++t)
        alive |= (frame_.states[t] >= 0 ? 1u : 0u) << (t - begin);
      for (std::int32_t t = begin; t < stop; ++t) {
        const std::int32_t state = frame_.states[t];
        if (state < 0 || !is_of_a_warp(site(state))) continue;
        if (lowest < 0 || state < lowest) lowest = state;
        const std::uint32_t there = at_site(g, state);
        const std::uint32_t wanted = site(state) == Site::active ? there : frame_.masks[t] & alive;
        if ((wanted & ~there) != 0 || (chosen >= 0 && state != chosen)) continue;
        chosen = state;
        who |= 1u << (t - begin);
      }
      if (lowest < 0) return;
      if (chosen < 0) {  // they wait for lanes that do not come: those who are there go on
        chosen = lowest;
        who = at_site(g, lowest);
        if (launch_.checker != nullptr) {
          launch_.checker->missing(frame_, begin, chosen, who, alive);
          continue;
        }
      }
      meet(site(chosen), g, who);
      step(g, [&](std::int32_t t, std::int32_t state) {
        return state == chosen && (who >> (t - begin) & 1u) != 0;
      });
    }
  }
  std::uint32_t at_site(std::size_t g, std::int32_t state) const {
    std::uint32_t there = 0;
    for (std::int32_t t = first(g); t < end(g); ++t)
      there |= (frame_.states[t] == state ? 1u : 0u) << (t - first(g));
    return there;
  }
  void finish(std::size_t g) {
    for (std::int32_t t = first(g); t < end(g); ++t) frame_.states[t] = finished_state;
  }

  std::int32_t common_state(std::size_t g) const {
    const std::int32_t state = frame_.states[first(g)];
    bool same = true, done = true;
    for (std::int32_t t = first(g); t < end(g); ++t) {
      same &= frame_.states[t] == state;
      done &= frame_.states[t] == finished_state;
    }
    return done ? finished_state : same ? state : diverged_state;
  }

  // f(thread, state) for all threads that wait.
  template <class F>
  void for_waiting(F f) const {
    for (std::size_t g = 0; g < layout_.groups; ++g) {
      if (groups_[g] == finished_state) continue;
      for (std::int32_t t = first(g); t < end(g); ++t) {
        const std::int32_t state = groups_[g] == diverged_state ? frame_.states[t] : groups_[g];
        if (state >= 0) f(t, state);
      }
    }
  }
  bool waits_for_grid() const {
    for (std::size_t g = 0; g < layout_.groups; ++g) {
      if (groups_[g] >= 0) return site(groups_[g]) == Site::grid_barrier;
    }
    bool all = true;
    for_waiting(
        [&](std::int32_t, std::int32_t state) { all &= site(state) == Site::grid_barrier; });
    return all;
  }
  // What barriers that count tell.
  void answer() {
    bool asked = false;
    for (const Site s : kernel_.sites) asked |= s >= Site::block_count && s <= Site::block_or;
    if (!asked) return;
    std::uint32_t waiting = 0, count = 0;
    const auto counts = [&](std::int32_t state) {
      return site(state) >= Site::block_count && site(state) <= Site::block_or;
    };
    for_waiting([&](std::int32_t t, std::int32_t state) {
      if (!counts(state)) return;
      ++waiting;
      count += frame_.given[t] != 0 ? 1 : 0;
    });
    for_waiting([&](std::int32_t t, std::int32_t state) {
      if (!counts(state)) return;
      const Site kind = site(state);
      frame_.taken[t] = kind == Site::block_count ? count
                        : kind == Site::block_and ? std::uint32_t{count == waiting}
                                                  : std::uint32_t{count != 0};
    });
  }

  KernelLaunch& launch_;
  const SourceKernel& kernel_;
  const Layout& layout_;
  BlockFrame frame_{};
  char* uniform_;
  char* uniform_next_;
  std::int32_t* groups_;
};

}  // namespace

bool SourceKernel::waits_for_grid() const {
  return std::find(sites.begin(), sites.end(), Site::grid_barrier) != sites.end();
}

std::size_t scratch_bytes(const KernelLaunch& launch) { return Layout(launch).total; }

void run_in_order(KernelLaunch& launch, std::int64_t first, std::int64_t count) {
  const Layout layout(launch);
  Block block(launch, layout, block_scratch(layout.total));
  for (std::int64_t i = 0; i < count; ++i) {
    if (launch.stopped.load(std::memory_order_relaxed)) return;
    block.become(first + i);
    block.run();
  }
}

void run_together(KernelLaunch& launch) {
  const Layout layout(launch);
  const auto count = static_cast<std::size_t>(launch.blocks());
  char* memory = block_scratch(layout.total * count);
  std::vector<Block> blocks;
  blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    blocks.emplace_back(launch, layout, memory + i * layout.total);
    blocks.back().become(static_cast<std::int64_t>(i));
  }
  std::vector<char> done(count, 0);
  bool any = true;
  while (any && !launch.stopped) {
    any = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (done[i]) continue;
      done[i] = blocks[i].run();
      any |= !done[i];
    }
  }
}

namespace {

std::int32_t should_stop(BlockFrame* frame) { return ask(*frame) ? 1 : 0; }

void failed(BlockFrame* frame, const char* condition, const char* file, std::int32_t line,
            std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  auto& launch = *static_cast<KernelLaunch*>(frame->launch);
  const std::lock_guard lock(launch.mutex);
  if (launch.failure.empty()) {
    launch.failure =
        fmt::format("{}:{}: {} in thread ({}, {}, {}) of block ({}, {}, {})", file, line, condition,
                    x, y, z, frame->block[0], frame->block[1], frame->block[2]);
  }
  launch.stopped = true;
}

std::int64_t nanoseconds() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* kernel_symbol(const std::string& name) {
  if (name == "heddle_should_stop") return address(should_stop);
  if (name == "heddle_kernel_failed") return address(failed);
  if (name == "heddle_access") return address(checked_access);
  if (name == "heddle_find") return address(checked_bound);
  if (name == "heddle_fence") return address(checked_fence);
  if (name == "heddle_print") return address(print_arguments);
  if (name == "__heddle_nanoseconds") return address(nanoseconds);
  return nullptr;
}

}  // namespace heddle::cpu
