#include "backend/cpu/warp_exchange.h"

#include <algorithm>
#include <bit>

namespace heddle::cpu {
namespace {

constexpr std::uint32_t lanes = 32;

template <class F>
void for_lanes(std::uint32_t who, F f) {
  for (; who != 0; who &= who - 1) f(static_cast<std::uint32_t>(std::countr_zero(who)));
}

template <class T>
void shuffle(const T* given, const std::uint32_t* sources, T* taken, std::uint32_t who) {
  if (who == ~0u) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) taken[lane] = given[sources[lane] % lanes];
    return;
  }
  // Lanes that take no part have nothing to give.
  for_lanes(who, [&](std::uint32_t lane) {
    const std::uint32_t from = sources[lane] % lanes;
    taken[lane] = given[(who >> from & 1u) != 0 ? from : lane];
  });
}

std::uint32_t combined(std::uint32_t how, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a), signed_b = static_cast<std::int32_t>(b);
  switch (how) {
    case 0:
      return a + b;
    case 1:
      return std::min(a, b);
    case 2:
      return signed_a < signed_b ? a : b;
    case 3:
      return std::max(a, b);
    case 4:
      return signed_a < signed_b ? b : a;
    case 5:
      return a & b;
    case 6:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

void exchange(BlockFrame& frame, Site site, std::int32_t first, std::uint32_t who) {
  const std::uint32_t* masks = frame.masks + first;
  const std::uint32_t* sources = frame.sources + first;
  const std::uint32_t* given = frame.given + first;
  std::uint32_t* taken = frame.taken + first;
  const std::uint64_t* given_wide = frame.given_wide + first;
  switch (site) {
    case Site::shuffle:
      shuffle(given, sources, taken, who);
      break;
    case Site::shuffle_wide:
      shuffle(given_wide, sources, frame.taken_wide + first, who);
      break;
    case Site::ballot: {
      std::uint32_t votes = 0;
      for_lanes(who, [&](std::uint32_t lane) { votes |= (given[lane] != 0 ? 1u : 0u) << lane; });
      for_lanes(who, [&](std::uint32_t lane) { taken[lane] = votes & masks[lane]; });
      break;
    }
    case Site::match:
      for_lanes(who, [&](std::uint32_t lane) {
        std::uint32_t same = 0;
        for_lanes(who & masks[lane], [&](std::uint32_t other) {
          same |= (given_wide[other] == given_wide[lane] ? 1u : 0u) << other;
        });
        taken[lane] = same;
      });
      break;
    case Site::reduce:
      for_lanes(who, [&](std::uint32_t lane) {
        std::uint32_t total = given[lane];
        for_lanes(who & masks[lane] & ~(1u << lane), [&](std::uint32_t other) {
          total = combined(sources[lane], total, given[other]);
        });
        taken[lane] = total;
      });
      break;
    case Site::active:
      for_lanes(who, [&](std::uint32_t lane) { taken[lane] = who; });
      break;
    default:
      break;
  }
}

}  // namespace heddle::cpu
