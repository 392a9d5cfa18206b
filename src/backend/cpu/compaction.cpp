#include "backend/cpu/compaction.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backend/cpu/parallel.h"
#include "runtime/device.h"

namespace heddle::cpu {
namespace {

constexpr std::int64_t piece_elements = 64 * 1024;

// Counts piece by piece, then lets every piece write where its own begin.
class HostCompaction final : public Compaction {
 public:
  Ref<Buffer> nonzero(const Run& mask, std::int64_t size) override {
    return compact<std::int64_t>(mask, size, [](std::int64_t i) { return i; });
  }

  Ref<Buffer> select(const Run& mask, const Run& values, int width, std::int64_t size) override {
    switch (width) {
      case 1:
        return select_as<std::uint8_t>(mask, values, size);
      case 2:
        return select_as<std::uint16_t>(mask, values, size);
      case 4:
        return select_as<std::uint32_t>(mask, values, size);
      case 8:
        return select_as<std::uint64_t>(mask, values, size);
      case 16:
        return select_as<std::array<std::uint64_t, 2>>(mask, values, size);
      default:
        throw std::logic_error("select: no element has this width");
    }
  }

 private:
  template <class T>
  static Ref<Buffer> select_as(const Run& mask, const Run& values, std::int64_t size) {
    const auto* from = static_cast<const T*>(values.data());
    return compact<T>(mask, size, [from](std::int64_t i) { return from[i]; });
  }

  template <class T, class Element>
  static Ref<Buffer> compact(const Run& mask, std::int64_t size, Element element) {
    const auto* flags = static_cast<const std::uint8_t*>(mask.data());
    const std::int64_t pieces = (size + piece_elements - 1) / piece_elements;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(pieces) + 1, 0);
    auto range = [size](std::int64_t piece) {
      return std::pair(piece * piece_elements, std::min(size, (piece + 1) * piece_elements));
    };
    parallel_for(pieces, false, [&](std::int64_t piece) {
      const auto [first, last] = range(piece);
      std::int64_t found = 0;
      for (auto i = first; i < last; ++i) found += flags[i] != 0;
      starts[static_cast<std::size_t>(piece) + 1] = found;
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    auto buffer =
        Buffer::allocate(cpu_device(), static_cast<std::size_t>(starts.back()) * sizeof(T));
    auto* result = static_cast<T*>(buffer->data());
    parallel_for(pieces, false, [&](std::int64_t piece) {
      const auto [first, last] = range(piece);
      auto* to = result + starts[static_cast<std::size_t>(piece)];
      auto* end = result + starts[static_cast<std::size_t>(piece) + 1];
      for (auto i = first; i < last && to < end; ++i) {
        *to = element(i);
        to += flags[i] != 0;
      }
    });
    return buffer;
  }
};

}  // namespace

Compaction& compaction() {
  static HostCompaction instance;
  return instance;
}

}  // namespace heddle::cpu
