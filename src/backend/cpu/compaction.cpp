#include "backend/cpu/compaction.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "backend/cpu/compress.h"
#include "backend/cpu/parallel.h"
#include "runtime/device.h"

namespace heddle::cpu {
namespace {

constexpr std::int64_t piece_elements = 32 * 1024;

// Counts piece by piece, then lets every piece write where its own begin.
class HostCompaction final : public Compaction {
 public:
  Ref<Buffer> nonzero(const Run& mask, std::int64_t size) override {
    return compact<std::int64_t>(mask, size, compress_positions);
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
    return compact<T>(mask, size,
                      [from](const std::uint8_t* flags, std::int64_t first, std::int64_t count,
                             T* to, T* end) { compress(flags, from + first, count, to, end); });
  }

  // write(flags, first, count, to, end) for the elements from `first` on.
  template <class T, class Write>
  static Ref<Buffer> compact(const Run& mask, std::int64_t size, Write write) {
    const auto* flags = static_cast<const std::uint8_t*>(mask.data());
    const std::int64_t pieces = (size + piece_elements - 1) / piece_elements;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(pieces) + 1, 0);
    auto count = [size](std::int64_t piece) {
      return std::min(piece_elements, size - piece * piece_elements);
    };
    for_pieces(pieces, [&](std::int64_t piece) {
      starts[static_cast<std::size_t>(piece) + 1] =
          count_flags(flags + piece * piece_elements, count(piece));
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    auto buffer =
        Buffer::allocate(cpu_device(), static_cast<std::size_t>(starts.back()) * sizeof(T));
    auto* result = static_cast<T*>(buffer->data());
    for_pieces(pieces, [&](std::int64_t piece) {
      const auto first = piece * piece_elements;
      write(flags + first, first, count(piece), result + starts[static_cast<std::size_t>(piece)],
            result + starts[static_cast<std::size_t>(piece) + 1]);
    });
    return buffer;
  }

  template <class Body>
  static void for_pieces(std::int64_t pieces, const Body& body) {
    if (pieces == 1) {
      body(0);  // not worth waking other cores
    } else {
      parallel_for(pieces, false, body);
    }
  }
};

}  // namespace

Compaction& compaction() {
  static HostCompaction instance;
  return instance;
}

}  // namespace heddle::cpu
