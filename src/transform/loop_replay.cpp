#include "transform/loop_replay.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/at.h"
#include "runtime/parallel.h"
#include "runtime/statistics.h"

namespace heddle::transform {

bool LoopReplay::read(const graph::LaunchLog& log, std::span<const Memory> carried,
                      std::span<const Memory> others, std::span<const Memory> carried_after,
                      Pass& pass) {
  std::unordered_map<const void*, Role> roles;
  const auto name = [&](std::span<const Memory> memory, Role::Kind kind) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      roles.try_emplace(memory[i].begin, Role{kind, static_cast<std::int32_t>(i)});
    }
  };
  name(others, Role::Kind::other);
  name(carried, Role::Kind::carried);
  bool fits = true;
  const auto role_of = [&](const void* memory, std::size_t bytes) {
    const auto next = static_cast<std::int32_t>(pass.between.size());
    const auto [found, is_new] = roles.try_emplace(memory, Role{Role::Kind::between, next});
    const Role role = found->second;
    if (is_new) pass.between.push_back(0);
    if (role.kind == Role::Kind::between) {
      std::size_t& room = pass.between[at(role.which)];
      room = std::max(room, bytes);
    }
    // What was carried may have gone, and its memory be used for something else.
    if (role.kind == Role::Kind::carried) fits &= bytes <= carried[at(role.which)].bytes;
    return role;
  };
  for (const auto& entry : log.entries()) {
    Started& started = pass.launches.emplace_back();
    started.found = entry.found;
    for (const auto& place : entry.places) {
      const Role role = place.memory ? role_of(place.memory, place.bytes) : Role{};
      started.slots.push_back({role, place.offset, 0});
    }
    started.strides = entry.strides;
    started.extents = entry.extents;
    started.scalars = entry.scalars;
    started.grows.assign(entry.scalars.size(), 0);
    started.scratch_bytes = entry.scratch_bytes;
    started.serial = entry.serial;
  }
  for (const Memory& memory : carried_after) {
    const auto found = roles.find(memory.begin);
    if (found == roles.end() || found->second.kind == Role::Kind::other) return false;
    pass.carried_after.push_back(found->second);
  }
  return fits;
}

bool LoopReplay::follows(Pass& pass, const Pass& earlier, bool compares) const {
  if (pass.launches.size() != earlier.launches.size() ||
      pass.carried_after != earlier.carried_after || pass.between != earlier.between) {
    return false;
  }
  for (std::size_t i = 0; i < pass.launches.size(); ++i) {
    Started& one = pass.launches[i];
    const Started& other = earlier.launches[i];
    if (one.found.code != other.found.code || one.slots.size() != other.slots.size() ||
        one.strides != other.strides || one.extents != other.extents ||
        one.scalars.size() != other.scalars.size() || one.scratch_bytes != other.scratch_bytes ||
        one.serial != other.serial) {
      return false;
    }
    for (std::size_t s = 0; s < one.slots.size(); ++s) {
      Slot& slot = one.slots[s];
      if (slot.role != other.slots[s].role) return false;
      slot.moves = slot.offset - other.slots[s].offset;
      if (compares && slot.moves != other.slots[s].moves) return false;
      if (slot.moves != 0 && slot.role.kind != Role::Kind::other) return false;
    }
    for (std::size_t s = 0; s < one.scalars.size(); ++s) {
      one.grows[s] = one.scalars[s].word[0] - other.scalars[s].word[0];
      if (one.scalars[s].word[1] != other.scalars[s].word[1]) return false;
      if (one.grows[s] != 0 && !counts_) return false;
      if (compares && one.grows[s] != other.grows[s]) return false;
    }
  }
  return true;
}

bool LoopReplay::learn(const graph::LaunchLog& log, std::span<const Memory> carried,
                       std::span<const Memory> others, std::span<const Memory> carried_after) {
  constexpr int enough = 3, most = 24;
  Pass pass;
  hopeless_ = !log.complete() || ++tries_ == most;
  if (hopeless_) return false;
  // Memory goes round until it is settled where everything is.
  const bool is_read = read(log, carried, others, carried_after, pass);
  const bool holds = is_read && heard_ > 0 && follows(pass, pass_, heard_ > 1);
  heard_ = !is_read ? 0 : holds ? heard_ + 1 : 1;
  pass_ = std::move(pass);
  return heard_ >= enough;
}

void LoopReplay::launch(Started& started, std::span<const Ref<Buffer>> carried,
                        std::span<const Ref<Buffer>> others,
                        std::span<const Ref<Buffer>> between) const {
  SmallVector<void*, 16> pointers;
  SmallVector<Buffer*, 16> used;
  for (Slot& slot : started.slots) {
    const auto which = at(slot.role.which);
    Buffer* buffer = nullptr;
    switch (slot.role.kind) {
      case Role::Kind::carried:
        buffer = carried[which].get();
        break;
      case Role::Kind::other:
        buffer = others[which].get();
        break;
      case Role::Kind::between:
        buffer = between[which].get();
        break;
      case Role::Kind::scratch:
        break;
    }
    slot.offset += slot.moves;
    char* base = buffer ? static_cast<char*>(buffer->data()) : nullptr;
    pointers.push_back(base + slot.offset);
    if (buffer) used.push_back(buffer);
  }
  for (std::size_t s = 0; s < started.scalars.size(); ++s) {
    started.scalars[s].word[0] += started.grows[s];
  }
  Launch launch;
  launch.kernel = started.found.kernel;
  launch.code = started.found.code;
  launch.pointers = {pointers.data(), at(pointers.size())};
  launch.strides = started.strides;
  launch.extents = started.extents;
  launch.scalars = started.scalars;
  if (!device_.host_accessible()) launch.buffers = {used.data(), at(used.size())};
  launch.scratch_bytes = started.scratch_bytes;
  launch.serial = started.serial;
  device_.launch(launch);
  count(Counter::launched);
}

void LoopReplay::run(std::int64_t times, std::span<const Ref<Buffer>> others,
                     std::vector<Ref<Buffer>>& carried) {
  std::vector<Ref<Buffer>> between;
  for (auto bytes : pass_.between) between.push_back(Buffer::allocate(device_, bytes));
  constexpr std::int64_t together = 64;  // passes, for devices that take launches together
  std::vector<Ref<Buffer>> after(carried.size());
  for (std::int64_t pass = 0; pass < times; ++pass) {
    if (pass % together == 0) {
      constexpr std::int64_t work = 1 << 18;  // so that every fourth time the clock is looked at
      stop_if_interrupted(work);
      device_.begin_launches();
    }
    try {
      for (Started& started : pass_.launches) launch(started, carried, others, between);
    } catch (...) {
      device_.end_launches();
      throw;
    }
    if (pass % together == together - 1 || pass + 1 == times) device_.end_launches();
    // What was carried serves those whose memory is carried from here on.
    for (std::size_t c = 0; c < carried.size(); ++c) {
      const Role role = pass_.carried_after[c];
      after[c] =
          role.kind == Role::Kind::carried ? carried[at(role.which)] : between[at(role.which)];
    }
    for (auto& one : between) {
      if (std::ranges::find(after, one) == after.end()) continue;
      const auto bytes = one->bytes();
      const auto spare = std::ranges::find_if(carried, [&](const Ref<Buffer>& old) {
        return old && old->bytes() >= bytes && std::ranges::find(after, old) == after.end() &&
               std::ranges::find(between, old) == between.end();
      });
      one = spare != carried.end() ? *spare : Buffer::allocate(device_, bytes);
    }
    carried.swap(after);
  }
}

}  // namespace heddle::transform
