#include "backend/cpu/compaction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "backend/cpu/by_width.h"
#include "backend/cpu/compress.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cpu {
namespace {

constexpr std::int64_t piece_elements = 32 * 1024;
constexpr std::int64_t few_pieces = 2;  // not worth waking other cores

// The way back from compress: to[i] is the next of [values, end) where flags[i] is not zero; there
// are as many of these. Elsewhere it is one of them, or not set. Masks are often true for long.
template <class T>
void expand(const std::uint8_t* flags, const T* values, const T* end, std::int64_t count, T* to) {
  constexpr std::int64_t word = 8;
  constexpr std::uint64_t all_true = 0x0101010101010101;
  auto step = [&](std::int64_t i) {
    to[i] = *values;
    values += flags[i] != 0;
  };
  std::int64_t i = 0;
  for (; i + word <= count && end - values > word; i += word) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, flags + i, sizeof bits);
    if (bits == all_true) {
      std::memcpy(to + i, values, word * sizeof(T));
      values += word;
    } else {
      for (std::int64_t j = 0; j < word; ++j) step(i + j);
    }
  }
  for (; i < count && values < end; ++i) step(i);
}

// Counts piece by piece, then lets every piece write where its own begin.
class HostCompaction final : public Compaction {
 public:
  Ref<Buffer> nonzero(const Run& mask, std::int64_t size) override {
    return compact<std::int64_t>(mask, size, compress_positions);
  }

  Ref<Buffer> select(const Run& mask, const Run& values, int width, std::int64_t size) override {
    return by_width<Widest>(width, [&]<class T>(T) { return select_as<T>(mask, values, size); });
  }

  Ref<Buffer> expand(const Run& mask, const Run& values, int width, std::int64_t size) override {
    return by_width<Widest>(width, [&]<class T>(T) { return expand_as<T>(mask, values, size); });
  }

 private:
  using Widest = std::array<std::uint64_t, 2>;

  template <class T>
  static Ref<Buffer> select_as(const Run& mask, const Run& values, std::int64_t size) {
    const auto* from = static_cast<const T*>(values.data());
    return compact<T>(mask, size,
                      [from](const std::uint8_t* flags, std::int64_t first, std::int64_t count,
                             T* to, T* end) { compress(flags, from + first, count, to, end); });
  }

  template <class T>
  static Ref<Buffer> expand_as(const Run& mask, const Run& values, std::int64_t size) {
    const auto* flags = static_cast<const std::uint8_t*>(mask.data());
    const auto* from = static_cast<const T*>(values.data());
    const auto starts = starts_of(flags, size);
    auto buffer = Buffer::allocate(cpu_device(), static_cast<std::size_t>(size) * sizeof(T));
    auto* result = static_cast<T*>(buffer->data());
    for_pieces(size, [&](std::size_t piece, std::int64_t first, std::int64_t count) {
      cpu::expand(flags + first, from + starts[piece], from + starts[piece + 1], count,
                  result + first);
    });
    return buffer;
  }

  // write(flags, first, count, to, end) for the elements from `first` on.
  template <class T, class Write>
  static Ref<Buffer> compact(const Run& mask, std::int64_t size, Write write) {
    const auto* flags = static_cast<const std::uint8_t*>(mask.data());
    const auto starts = starts_of(flags, size);
    auto buffer =
        Buffer::allocate(cpu_device(), static_cast<std::size_t>(starts.back()) * sizeof(T));
    auto* result = static_cast<T*>(buffer->data());
    for_pieces(size, [&](std::size_t piece, std::int64_t first, std::int64_t count) {
      write(flags + first, first, count, result + starts[piece], result + starts[piece + 1]);
    });
    return buffer;
  }

  // How many flags are set before each piece; at the end, in all.
  static std::vector<std::int64_t> starts_of(const std::uint8_t* flags, std::int64_t size) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(pieces_of(size)) + 1, 0);
    for_pieces(size, [&](std::size_t piece, std::int64_t first, std::int64_t count) {
      starts[piece + 1] = count_flags(flags + first, count);
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
  }

  static std::int64_t pieces_of(std::int64_t size) {
    return (size + piece_elements - 1) / piece_elements;
  }

  // body(piece, its first element, how many it has)
  template <class Body>
  static void for_pieces(std::int64_t size, const Body& body) {
    auto run = [&](std::int64_t piece) {
      const auto first = piece * piece_elements;
      body(static_cast<std::size_t>(piece), first, std::min(piece_elements, size - first));
    };
    const auto pieces = pieces_of(size);
    if (pieces > few_pieces) return parallel_for(pieces, false, run);
    BlockingScope blocking(pieces > 1);
    for (std::int64_t piece = 0; piece < pieces; ++piece) run(piece);
  }
};

}  // namespace

Compaction& compaction() {
  static auto* instance = new HostCompaction;
  return *instance;
}

}  // namespace heddle::cpu
